"""The host's role and lost seats on phones: who is online, who is notified, and who comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.tables import Tables
from companion.tables.ledger.rights import QUIET_SECONDS
from companion.tables.play.lobby import set_setting, stop, take_seat, to_lobby
from companion.tables.play.presence import SILENT_SECONDS
from companion.web import create_app
from lab.games import passes, roll, write
from lab.phones import Phone
from lab.tables import Clock, Party, party
from tests.web.table.test_all_turns import notes_of, texts

BACK = "Be the host again"
TIM, SARAH = "1", "2"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def nobody(tmp_path: Path, clock: Clock) -> Iterator[Party]:
    """A table whose seats nobody holds."""
    opened = Tables(f"sqlite:///{tmp_path / 'own.sqlite3'}", clock=clock, elapsed=clock)
    yield party(create_app(opened), opened)
    opened.close()


@pytest.fixture
def game(nobody: Party) -> Party:
    """Tim has the host's phone, Sarah one of her own, and each writes only on their own sheet."""
    nobody.change(take_seat, int(TIM))
    nobody.on(nobody.player.device).change(take_seat, int(SARAH))
    nobody.change(set_setting, "shared_entry", False)
    return nobody


@pytest.fixture
def lost(game: Party, clock: Clock) -> Party:
    """The host's phone was locked for a minute: Sarah's is the host's, and plays for Tim."""
    game.host.get(game.path)
    game.do(roll("Tim", yellow=4))
    clock.turn(seconds=SILENT_SECONDS)
    for verb, form in (("host", {}), ("take_over", {"seat": TIM})):
        assert game.player.post(f"{game.path}do/{verb}", form).status_code == 303
    return game


REQUESTS: dict[str, Callable[[Party, Phone], Any]] = {
    "a page": lambda party, phone: phone.get(party.path),
    "the version": lambda party, phone: phone.get(f"{party.path}version"),
    "a tap that is refused": lambda party, phone: party.tap(phone, action=passes("Sarah")),
    "a button that is refused": lambda party, phone: phone.post(f"{party.path}do/lobby"),
    "another page": lambda party, phone: phone.get("/rules/qwixx"),
}


def is_host_silent(party: Party) -> bool:
    host = party.tables.audience(party.id).state.host
    return host in party.tables.silent_phones(party.id)


@pytest.mark.parametrize("request_name", REQUESTS)
def test_any_request_is_a_sign_of_life(game: Party, clock: Clock, request_name: str) -> None:
    clock.turn(seconds=SILENT_SECONDS)
    assert is_host_silent(game)
    REQUESTS[request_name](game, game.host)
    assert not is_host_silent(game)


def test_a_request_of_another_site_is_not_a_sign_of_life(game: Party, clock: Clock) -> None:
    clock.turn(seconds=SILENT_SECONDS)
    game.host.post(f"{game.path}do/stop", headers={"Sec-Fetch-Site": "cross-site"})
    assert is_host_silent(game)


def test_only_the_founder_is_offered_to_delete_the_table(lost: Party) -> None:
    for phone, is_offered in ((lost.host, True), (lost.player, False), (lost.viewer, False)):
        assert ("Delete the table" in phone.get(f"{lost.path}menu").text) == is_offered


def test_all_see_who_plays_for_whom_and_undo_it(lost: Party) -> None:
    for phone, who in ((lost.host, "Sarah"), (lost.viewer, "Sarah"), (lost.player, "This phone")):
        assert f"{who} plays for Tim now" in texts(lost, phone)
    for phone in (lost.host, lost.player):
        assert [note.seat for note in notes_of(lost, phone) if note.seat] == [int(TIM)]
    assert not any(note.seat for note in notes_of(lost, lost.viewer))
    page = lost.host.page(lost.path)
    (undo,) = (button for button in page.all("button") if button.attrs.get("name") == "seat")
    path = f"{lost.path}{undo.attrs['hx-post']}"
    assert lost.host.post(path, {"seat": str(undo.attrs["value"])}).status_code == 303
    assert lost.tap(lost.host, action=passes("Tim")).status_code == 200
    assert "Sarah plays for Tim now" not in texts(lost, lost.host)


def test_who_is_notified_of_a_new_host(lost: Party) -> None:
    new = "Sarah is the host now, because"
    assert f"{new} this phone was silent" in texts(lost, lost.host)
    assert f"{new} Tim's phone was silent" in texts(lost, lost.viewer)
    assert not any("host" in text for text in texts(lost, lost.player))
    of_host, of_viewer = (notes_of(lost, phone)[0] for phone in (lost.host, lost.viewer))
    assert (of_host.is_role_lost, of_host.is_passing) == (True, False)
    assert (of_viewer.is_role_lost, of_viewer.is_passing) == (False, True)
    lost.host.post(f"{lost.path}do/host")
    assert texts(lost, lost.viewer)[-1] == "Another phone is the host again"
    assert not any("host" in text for text in texts(lost, lost.host))
    assert not any(new in text for text in texts(lost, lost.viewer))
    lost.host.post(f"{lost.path}do/return", {"seat": TIM})
    story = lost.viewer.get(f"{lost.path}turns", way="htmx").text
    for line in (
        "became the host, because the host&#39;s phone was silent",
        "took the host&#39;s role back",
        "took the seat of Tim",
        "gave the seat of Tim back",
    ):
        assert line in story, line


def test_a_host_without_a_name_is_shown_without_one(nobody: Party, clock: Clock) -> None:
    clock.turn(seconds=SILENT_SECONDS)
    nobody.player.post(f"{nobody.path}do/host")
    assert texts(nobody, nobody.viewer) == [
        "Another phone is the host now, because the host's phone was silent"
    ]


@pytest.mark.parametrize("phase", ["playing", "over", "lobby"])
def test_the_founder_is_offered_the_role(lost: Party, phase: str) -> None:
    steps: dict[str, tuple[Any, ...]] = {"playing": (), "over": (stop,), "lobby": (stop, to_lobby)}
    for step in steps[phase]:
        lost.on(lost.player.device).change(step)
    for path in ("", "menu"):
        page = lost.host.page(lost.path + path, way="page" if not path else "htmx")
        offered = [button for button in page.all("button") if button.text.strip() == BACK]
        assert len(offered) == 1
        form = offered[0].attrs.get("form")
        assert form is None or page.one("form", id=form).attrs["action"].endswith("/do/host")
        for other in (lost.player, lost.viewer):
            assert BACK not in other.get(lost.path + path).text
    lost.host.post(f"{lost.path}do/host")
    for path in ("", "menu"):
        assert BACK not in lost.host.get(lost.path + path).text


@pytest.fixture
def calls(nobody: Party, clock: Clock) -> Party:
    """Tim rolls on a phone of his own, and Sarah has the host's."""
    nobody.on(nobody.player.device).change(take_seat, int(TIM))
    nobody.change(take_seat, int(SARAH))
    nobody.tap(nobody.player, id="the-roll", action=roll("Tim", yellow=4))
    clock.turn(seconds=QUIET_SECONDS - 1)
    return nobody


def waits(party: Party) -> str:
    """The seconds after which the host is offered to go on, as the page has them."""
    choice = party.host.page(party.path).one("div", **{"aria-label": "Go on with 4"})
    assert ("hidden" in choice.attrs) == (not str(choice.attrs["data-after"]).startswith("0 "))
    return str(choice.attrs["data-after"]).split()[0]


def test_the_host_takes_over_a_call_once_its_caller_taps_nothing(
    calls: Party, clock: Clock
) -> None:
    """Dice that are picked for a second roll are taps, too, though nobody else sees them."""
    final = {"final": "the-roll"}
    assert calls.tap(**final).json["refused"]["code"] == "call-open"
    assert waits(calls) == "1"
    calls.tap(calls.player, anew="the-roll", on=True)
    clock.turn(seconds=QUIET_SECONDS - 1)
    calls.tap(calls.player, anew="the-roll", on=True)
    assert waits(calls) == str(QUIET_SECONDS)
    clock.turn(seconds=QUIET_SECONDS)
    assert waits(calls) == "0"
    assert calls.tap(**final).status_code == 200


def test_a_caller_sees_who_went_on_and_may_call_again(calls: Party, clock: Clock) -> None:
    clock.turn(seconds=1)
    calls.tap(final="the-roll")
    assert texts(calls) == ["Sarah went on with 4"]
    assert not texts(calls, calls.host)
    assert [note.reopens for note in notes_of(calls)] == ["the-roll"]
    calls.tap(calls.host, anew="the-roll", on=False)
    assert texts(calls), "only its caller opens it again"
    calls.tap(calls.player, anew="the-roll", on=False)
    assert calls.read().call
    assert not texts(calls)
    clock.turn(seconds=QUIET_SECONDS)
    calls.tap(final="the-roll")
    calls.do(write("Sarah", "yellow", 4))
    assert [note.reopens for note in notes_of(calls)] == [""], "Sarah has written"


def test_the_menu_of_silent_phones(game: Party, clock: Clock) -> None:
    menu = f"{game.path}menu"
    seen = game.player.get(menu).text
    assert "Play for Tim" in seen
    assert "phone not responding" not in seen
    clock.turn(seconds=SILENT_SECONDS)
    page = game.player.page(menu)
    assert "phone not responding" in page.source
    assert "Make this phone the host" in page.source
    assert "Play for Tim" not in game.viewer.get(menu).text
    game.player.post(f"{game.path}do/host")
    game.player.post(f"{game.path}do/take_over", {"seat": TIM})
    page = game.player.page(menu)
    labels = [button.text.strip() for button in page.all("button")]
    assert labels.count("Free the seat") == 2
    assert "Play for Tim" not in page.source
