"""The host's role and lost seats on phones: who is heard, who is told, and who comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.tables import Tables
from companion.tables.database.columns import device_hash
from companion.tables.play.lobby import set_setting, stop, take_seat, to_lobby
from companion.tables.play.presence import HOST_SECONDS, SEAT_SECONDS
from companion.tables.play.views import table_seen_by
from companion.web import create_app
from companion.web.page.language import say, speaking
from companion.web.table.notes import Note, notes
from companion.web.table.parts import Drawings, Snapshot
from tests.kit.games import passes, roll
from tests.kit.parties import Party, party
from tests.kit.phones import Phone, refusal_of
from tests.tables.friends import Clock

BACK = "Be the host again"
TIM, SARAH = "1", "2"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def game(tmp_path: Path, clock: Clock) -> Iterator[Party]:
    """Tim has the host's phone, Sarah one of her own, and each writes on the own sheet alone."""
    opened = Tables(f"sqlite:///{tmp_path / 'own.sqlite3'}", clock=clock, elapsed=clock)
    made = party(create_app(opened), opened)
    opened.change(made.id, made.host.device, take_seat, int(TIM))
    opened.change(made.id, made.player.device, take_seat, int(SARAH))
    opened.change(made.id, made.host.device, set_setting, "shared_entry", False)
    yield made
    opened.close()


@pytest.fixture
def lost(game: Party, clock: Clock) -> Party:
    """The host's phone was locked for five minutes: Sarah's is the host's, and plays for Tim."""
    game.host.get(game.path)
    game.do(roll("Tim", yellow=4))
    clock.turn(seconds=HOST_SECONDS)
    for verb, form in (("host", {}), ("take_over", {"seat": TIM})):
        assert game.player.post(f"{game.path}do/{verb}", form).status_code == 303
    return game


def text_of(party: Party, phone: Phone) -> list[str]:
    with speaking(party.app, "en"):
        return [say(note.text) for note in notes_of(party, phone)]


def notes_of(party: Party, phone: Phone) -> tuple[Note, ...]:
    """The notes as a stream has them, which is no request of the phone."""
    seen = table_seen_by(party.tables.audience(party.id), device_hash(phone.device))
    assert seen is not None
    return notes(seen)


REQUESTS: dict[str, Callable[[Party, Phone], Any]] = {
    "a page": lambda party, phone: phone.get(party.path),
    "the version": lambda party, phone: phone.get(f"{party.path}version"),
    "a tap that is refused": lambda party, phone: party.tap(phone, action=passes("Sarah")),
    "a button": lambda party, phone: phone.post(f"{party.path}do/take", {"seat": TIM}),
    "a button that is refused": lambda party, phone: phone.post(f"{party.path}do/lobby"),
    "a link": lambda party, phone: phone.post(f"{party.path}share", way="htmx"),
    "the history": lambda party, phone: phone.get("/history"),
    "the rules": lambda party, phone: phone.get("/rules/qwixx"),
    "the language": lambda party, phone: phone.post("/language", {"language": "de", "back": "/"}),
}


@pytest.mark.parametrize("request_name", REQUESTS)
def test_any_request_is_a_sign_of_life(game: Party, clock: Clock, request_name: str) -> None:
    clock.turn(seconds=HOST_SECONDS)
    assert game.tables.silence(game.id, game.player.device).host
    REQUESTS[request_name](game, game.host)
    silence = game.tables.silence(game.id, game.player.device)
    assert not silence.host
    assert silence.seats == frozenset()


def test_another_site_s_request_is_no_sign_of_life(game: Party, clock: Clock) -> None:
    clock.turn(seconds=HOST_SECONDS)
    game.host.post(f"{game.path}do/stop", headers={"Sec-Fetch-Site": "cross-site"})
    assert game.tables.silence(game.id, game.player.device).host


def test_a_guest_does_not_keep_the_table(lost: Party) -> None:
    """The attack: the guest revokes the link and deletes the table with the running game."""
    for path in (f"links/{lost.links['join']}/revoke", "delete"):
        refusal = refusal_of(lost.player.post(lost.path + path, way="htmx"))
        assert (refusal.status, refusal.code) == (403, "host-too-new")
        assert "24 h" in refusal.message
    assert "24 h" in refusal_of(lost.player.get(f"{lost.path}delete")).message
    tapped = lost.tap(lost.host, action=passes("Tim"))
    assert tapped.status_code == 200, "nothing on the own sheet is refused"
    refused = lost.tap(lost.player, action=roll("Tim", yellow=4))
    assert refusal_of(refused).code == "not-your-seat", "the seat is its holder's again"
    assert lost.host.post(f"{lost.path}do/host").status_code == 303
    assert lost.host.post(f"{lost.path}links/{lost.links['join']}/revoke").status_code == 303
    assert lost.player.get(lost.path).status_code == 403


def test_who_is_told_of_a_new_host(lost: Party) -> None:
    assert text_of(lost, lost.host) == ["Sarah is the host now, because this phone was silent"]
    assert text_of(lost, lost.viewer) == ["Sarah is the host now, because Tim's phone was silent"]
    assert text_of(lost, lost.player) == []
    assert [note.is_role_lost for note in notes_of(lost, lost.host)] == [True]
    assert [note.is_role_lost for note in notes_of(lost, lost.viewer)] == [False]
    lost.host.post(f"{lost.path}do/host")
    assert text_of(lost, lost.viewer)[-1] == "Tim is the host again"
    assert [note.is_role_lost for note in notes_of(lost, lost.host)] == [False]
    story = lost.viewer.get(f"{lost.path}turns", way="htmx").text
    for line in (
        "became the host, because the host&#39;s phone was silent",
        "took the host&#39;s role back",
        "plays for Tim, whose phone was silent",
        "brought the seat of Tim back to its own phone",
    ):
        assert line in story, line


def test_a_host_without_a_name_is_told_without_one(tmp_path: Path, clock: Clock) -> None:
    opened = Tables(f"sqlite:///{tmp_path / 'own.sqlite3'}", clock=clock, elapsed=clock)
    made = party(create_app(opened), opened)
    clock.turn(seconds=HOST_SECONDS)
    made.player.post(f"{made.path}do/host")
    assert text_of(made, made.viewer) == [
        "Another phone is the host now, because the host's phone was silent"
    ]
    opened.close()


@pytest.mark.parametrize("phase", ["playing", "over", "lobby"])
def test_the_founder_is_offered_the_role(lost: Party, phase: str) -> None:
    if phase != "playing":
        lost.tables.change(lost.id, lost.player.device, stop)
    if phase == "lobby":
        lost.tables.change(lost.id, lost.player.device, to_lobby)
    for path in ("", "menu"):
        page = lost.host.page(lost.path + path, way="page" if not path else "htmx")
        assert not page.faults()
        offered = [button for button in page.all("button") if button.text.strip() == BACK]
        assert len(offered) == 1
        form = offered[0].attrs.get("form")
        assert form is None or page.one("form", id=form).attrs["action"].endswith("/do/host")
        for other in (lost.player, lost.viewer):
            assert BACK not in other.get(lost.path + path).text
    lost.host.post(f"{lost.path}do/host")
    for path in ("", "menu"):
        assert BACK not in lost.host.get(lost.path + path).text


def test_the_menu_of_silent_phones(game: Party, clock: Clock) -> None:
    menu = f"{game.path}menu"
    clock.turn(seconds=SEAT_SECONDS)
    seen = game.player.get(menu).text
    assert "Play for Tim" in seen
    assert "Make this phone the host" not in seen
    clock.turn(seconds=HOST_SECONDS - SEAT_SECONDS)
    assert "Make this phone the host" in game.player.get(menu).text
    game.player.post(f"{game.path}do/host")
    game.player.post(f"{game.path}do/take_over", {"seat": TIM})
    page = game.player.page(menu)
    labels = [button.text.strip() for button in page.all("button")]
    # Tim's seat goes back; Sarah's and Linus's may be given away by the host, Tim's not.
    assert labels.count("Give the seat back") == 1
    assert labels.count("Hand over") == 2
    assert labels.count("Free the seat") == 1


def test_a_stream_that_comes_back_has_its_page_fetch_the_seat(lost: Party) -> None:
    def shape() -> str:
        seen = table_seen_by(lost.tables.audience(lost.id), device_hash(lost.host.device))
        assert seen is not None
        with speaking(lost.app, "en"):
            snapshot: Snapshot = Drawings().snapshot(seen)
        return snapshot.shape

    before = shape()
    lost.host.get(lost.path)
    after = shape()
    assert before != after
    lost.host.get(lost.path)
    assert shape() == after
