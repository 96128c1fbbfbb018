"""A log that somebody fills: slowed down by the rate, and never in the way of those who end it."""

from __future__ import annotations

from functools import partial

import pytest

from companion.tables import Refused, Tables, Tap
from companion.tables.ledger import change as ledger
from companion.tables.play.access import revoke
from companion.tables.play.lobby import (
    release_seat,
    rename_seat,
    set_game,
    set_setting,
    stop,
    take_seat,
    to_lobby,
)
from companion.tables.upkeep.table_deletion import delete_table
from tests.kit.games import passes, roll, write
from tests.kit.limits import set_limits
from tests.tables.friends import Clock, Evening, evening, lobby, refused, tap_id

FEW = 20
"""Changes in ten minutes, in place of the usual limit."""


def take_and_leave(guest: Evening, seat: int) -> None:
    """What a guest can do without end: each of the two makes an event."""
    guest.change(take_seat, seat)
    guest.change(release_seat, seat)


def fill(game: Evening, guest: Evening, seat: int, room: int) -> None:
    """The guest fills the log, which has room for so many more events."""
    for _ in range(room // 2):
        take_and_leave(guest, seat)
    assert refused(partial(guest.change, take_seat, seat)) == "log-full"


@pytest.fixture
def short_log(monkeypatch: pytest.MonkeyPatch) -> int:
    """A log with room for so many events."""
    monkeypatch.setattr(ledger, "MOST_EVENTS", 30)
    return 30


def test_guests_who_come_and_go_are_slowed_down_alone(
    timed: Tables, host: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: four guests with one link used up what the table had, the host's taps, too."""
    game = evening(timed, host)
    sarah, seat = game.joined(seat="Sarah"), game.seat("Linus")
    guests = [game.joined() for _ in range(4)]
    set_limits(monkeypatch, timed, recent_changes_per_member=FEW, recent_changes_per_table=FEW)
    with pytest.raises(Refused):
        for number in range(FEW):
            take_and_leave(guests[number % len(guests)], seat)
    game.change(release_seat, seat)
    for guest in guests:
        assert refused(partial(guest.do, roll("Tim", yellow=3))) == "too-many-changes"
    assert refused(partial(sarah.change, release_seat, sarah.seat("Sarah"))) == "too-many-changes"
    sarah.do(roll("Tim", yellow=3))
    game.do(passes("Tim"))
    game.change(take_seat, game.seat("Tim"))
    game.change(revoke, timed.links(game.id, host)[0].id)
    clock.turn(minutes=10)
    game.joined(seat="Sarah").change(release_seat, game.seat("Sarah"))


def test_those_who_sit_are_slowed_down_together_and_the_host_apart(
    timed: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = evening(timed, host)
    guests = [game.joined(seat=name) for name in ("Sarah", "Linus")]
    set_limits(monkeypatch, timed, recent_changes_per_table=FEW)
    rolled = guests[0].do(roll("Tim", yellow=3))
    with pytest.raises(Refused):
        for number in range(FEW):
            guests[0].tap(**{"redo" if number % 2 else "undo": rolled})
    for guest in guests:
        assert refused(partial(guest.do, roll("Tim", yellow=3))) == "too-many-changes"
    game.change(set_setting, "hints", True)
    game.do(roll("Tim", yellow=3))


def test_whatever_ends_trouble_has_no_rate(
    timed: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = evening(timed, host)
    guest = game.joined()
    game.do(roll("Tim", yellow=3))
    set_limits(monkeypatch, timed, recent_changes_per_member=1)
    assert refused(partial(game.do, passes("Tim"))) == "too-many-changes"
    game.change(revoke, timed.links(game.id, host)[0].id)
    assert refused(guest.read) == "not-a-member"
    game.change(stop)
    game.change(to_lobby)
    delete_table(timed, game.id, host)


def test_a_full_log_still_lets_the_host_end_it(timed: Tables, host: str, short_log: int) -> None:
    game = evening(timed, host)
    game.do(roll("Tim", yellow=3))
    guest, seat = game.joined(), game.seat("Linus")
    fill(game, guest, seat, short_log - game.read().version)
    assert refused(partial(game.do, passes("Tim"))) == "log-full"
    game.change(revoke, timed.links(game.id, host)[0].id)
    assert refused(guest.read) == "not-a-member"
    game.change(stop)
    assert game.read().phase == "over"
    game.change(to_lobby)
    assert game.read().phase == "lobby"
    delete_table(timed, game.id, host)
    assert refused(game.read) == "no-such-table"


def test_what_changes_nothing_is_not_logged(tables: Tables, host: str) -> None:
    room = lobby(tables, host)
    tim, sarah = room.seat("Tim"), room.seat("Sarah")
    room.change(take_seat, tim)
    guest = room.joined(seat="Sarah")
    before = room.read().version
    for phone, what, values in (
        (room, take_seat, (tim,)),
        (guest, take_seat, (sarah,)),
        (room, release_seat, (room.seat("Linus"),)),
        (guest, rename_seat, (sarah, "Sarah")),
        (room, rename_seat, (tim, " Tim ", "red")),
        (room, set_game, ("qwinto-dice", {})),
        (room, set_setting, ("shared_entry", True)),
        (room, to_lobby, ()),
    ):
        phone.change(what, *values)
        assert room.read().version == before, what.__name__


def test_a_correction_that_changes_nothing_is_not_logged(game: Evening) -> None:
    rolled = game.do(roll("Tim", yellow=3))
    written = game.do(write("Tim", "yellow", 2))
    before = game.read()
    for entry, action in ((written, write("Tim", "yellow", 2)), (rolled, roll("Tim", yellow=3))):
        for fixes in ({}, None):
            tap = Tap(id=tap_id(), replaces=entry, action=action, fixes=fixes)
            answer = game.tables.tap(game.id, game.device, tap)
            assert (answer.version, answer.fingerprint) == (
                before.version,
                before.state.fingerprint,
            )
    assert game.read() == before


def test_honest_play_has_no_rate_to_fear(timed: Tables, host: str) -> None:
    """Two hundred taps come at once, from a phone that had no network; the clock stands still."""
    game = evening(timed, host)
    taps = [
        Tap(id=tap_id(), **{"undo" if number % 2 else "redo": "roll-tap-1"})
        for number in range(1, 200)
    ]
    game.do(roll("Tim", yellow=3), id="roll-tap-1")
    for tap in taps:
        timed.tap(game.id, host, tap)
    assert game.read().version == 5 + 1 + 199
