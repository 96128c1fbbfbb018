"""A phone's notes about others' doings, and the button that skips people."""

from __future__ import annotations

import pytest

from companion.tables import Tap
from companion.tables.play.lobby import take_seat
from companion.web.page.language import say, speaking
from companion.web.table.notes import Note, notes, recent_events
from tests.kit.games import NEXT, passes, roll, write
from tests.kit.pages import Page
from tests.kit.phones import Phone
from tests.kit.tables import Party, tap_id


@pytest.fixture
def taken(game: Party) -> Party:
    """Tim has the host's phone, Sarah one of her own."""
    game.tables.change(game.id, game.host.device, take_seat, 1)
    game.tables.change(game.id, game.player.device, take_seat, 2)
    return game


def notes_of(party: Party, phone: Phone | None = None) -> tuple[Note, ...]:
    table = party.tables.read(party.id, (phone or party.player).device)
    return notes(table, recent_events(table.state))


def texts(party: Party) -> list[str]:
    with speaking(party.app, "en"):
        return [say(note.text) for note in notes_of(party)]


def test_what_was_entered_for_a_player(taken: Party) -> None:
    _, written = taken.do(roll("Tim", yellow=4, purple=5), write("Sarah", "yellow", 3))
    assert texts(taken) == ["Tim entered for you: Sarah wrote 9 in yellow, field 3"]
    assert [note.seq for note in notes_of(taken)] == [taken.version]
    taken.tables.tap(taken.id, taken.host.device, Tap(id=tap_id(), undo=written))
    assert texts(taken) == ["Tim corrected the game: your 9 is gone (yellow, field 3)"]


def test_another_s_roll_is_seen_as_it_grows(taken: Party) -> None:
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3), passes("Sarah"), passes("Linus"))
    taken.do(roll("Sarah", yellow=6))
    assert texts(taken) == ["Tim entered for you: Sarah passed"]


@pytest.mark.parametrize(
    ("correction", "text"),
    [
        ({"yellow": 6}, "your 4 is 6 now (yellow, field 3)"),
        ({"orange": 4}, None),
    ],
)
def test_what_a_correction_changes(
    taken: Party, correction: dict[str, int], text: str | None
) -> None:
    called, _ = taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 1))
    taken.tables.tap(
        taken.id, taken.player.device, Tap(id=tap_id(), action=write("Sarah", "yellow", 3))
    )
    change = Tap(
        id=tap_id(),
        replaces=called,
        action=roll("Tim", **correction),
        fixes={},
        version=taken.version,
    )
    taken.tables.tap(taken.id, taken.host.device, change)
    gone = "your 4 is gone (yellow, field 3)"
    assert texts(taken) == [f"Tim corrected the game: {text or gone}"]


def test_who_was_skipped_is_told_until_the_next_step_is_over(taken: Party) -> None:
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3), {**NEXT, "by": "Tim"})
    assert texts(taken) == ["Tim went on without you"]
    closed = taken.tables.read(taken.id, taken.player.device).entries[-1].id
    assert [note.late for note in notes_of(taken)] == [(closed, 2)]
    assert notes_of(taken, taken.host) == ()
    # Sarah's next entry in the same field leaves only others.
    page = Page(taken.player.get(f"{taken.path}turns/{closed}?late=2", way="htmx").text)
    assert {"yellow.3", "yellow.4"} <= open_fields(page)
    taken.do(roll("Sarah", yellow=6), write("Sarah", "yellow", 4))
    page = Page(taken.player.get(f"{taken.path}turns/{closed}?late=2", way="htmx").text)
    assert open_fields(page).isdisjoint({"yellow.4", "yellow.5"})
    assert "yellow.3" in open_fields(page)


def open_fields(page: Page) -> set[str]:
    return {str(field.attrs["data-f"]) for field in page.all("g") if "data-tap" in field.attrs}


def test_a_player_without_a_phone_is_told_on_the_hosts(taken: Party) -> None:
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3), passes("Sarah"), passes("Linus"))
    taken.do(roll("Sarah", yellow=4))
    device = taken.player.device
    seen = write("Sarah", "yellow", 2), {**NEXT, "by": "Sarah"}
    for action in seen:
        taken.tables.tap(taken.id, device, Tap(id=tap_id(), action=action))
    with speaking(taken.app, "en"):
        told = [say(note.text) for note in notes_of(taken, taken.host)]
    assert told == [
        "Tim: Sarah went on without you",
        "Linus: Sarah went on without you",
    ]


def test_a_device_for_several_says_for_whom(taken: Party) -> None:
    taken.tables.change(taken.id, taken.player.device, take_seat, 3)
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3), {**NEXT, "by": "Tim"})
    assert texts(taken) == ["Sarah: Tim went on without you", "Linus: Tim went on without you"]


def test_a_device_without_a_player_is_told_nothing(game: Party) -> None:
    game.do(roll("Tim", yellow=4), write("Tim", "yellow", 3))
    assert notes_of(game) == ()


def test_the_close_button_asks_who_may_be_skipped(taken: Party) -> None:
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3))
    page = taken.host.get(taken.path).text
    assert "Skip Sarah, Linus</button>" in page
    assert "data-ask" not in taken.player.get(taken.path).text
