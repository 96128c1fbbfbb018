"""Calls that their player may still change, and what is told of changed sheets."""

from __future__ import annotations

import pytest

from companion.tables import Tables
from companion.tables.play.access import take_host_role
from companion.tables.play.lobby import start, take_seat
from companion.tables.play.notices import Notice, notices
from companion.tables.play.presence import SILENT_SECONDS, TOLD_SECONDS
from companion.web.table.notes import recent_events
from tests.kit.games import passes, roll, write
from tests.tables.friends import Clock, Evening, evening, refused, refused_untouched


@pytest.fixture
def sarah(game: Evening) -> Evening:
    """Sarah's own phone, beside the host's tablet, at which everybody else plays."""
    phone = game.joined(seat="Sarah")
    game.change(take_seat, game.seat("Tim"))
    return phone


def moment(table: Evening) -> str:
    return table.position.fingerprint


def test_the_others_wait_until_the_call_is_final(game: Evening, sarah: Evening) -> None:
    entry = game.do(roll("Tim", orange=4, yellow=5))
    for table, is_here in ((game, True), (sarah, False)):
        call = table.read().call
        assert call is not None and (call.entry, call.player) == (entry, "Tim")
        assert call.is_made_here == call.may_make_final == is_here
    early = lambda: sarah.do(write("Sarah", "orange", 3), moment=moment(sarah))  # noqa: E731
    assert refused_untouched(game, early) == "call-open"
    assert refused(lambda: sarah.tap(final=entry)) == "call-open"
    assert not game.tap(final=entry, moment=moment(game)).repeated
    assert sarah.read().call is None
    assert game.tap(final=entry).repeated, "twice is once"
    early()


def test_other_dice_open_the_call_again(game: Evening, sarah: Evening) -> None:
    entry = game.do(roll("Tim", orange=4))
    game.tap(final=entry)
    game.tap(replaces=entry, action=roll("Tim", orange=4, yellow=5))
    assert sarah.read().call is not None
    game.tap(final=entry)
    assert sarah.read().call is None
    again = game.do(roll("Tim", orange=1, yellow=1))
    call = sarah.read().call
    assert call is not None and call.entry == again, "the second roll is a call of its own"


def test_the_others_know_that_a_second_roll_is_to_come(game: Evening, sarah: Evening) -> None:
    entry = game.do(roll("Tim", orange=4))
    sarah.tap(anew=entry)
    call = sarah.read().call
    assert call is not None and not call.is_made_again, "only its own player says so"
    assert not game.tap(anew=entry).repeated
    assert game.tap(anew=entry).repeated, "twice is once"
    call = sarah.read().call
    assert call is not None and call.is_made_again
    game.tap(anew=entry, on=False)
    game.tap(anew=entry)
    game.do(roll("Tim", orange=5))
    call = sarah.read().call
    assert call is not None and not call.is_made_again, "the second roll is there"
    assert game.tap(anew=entry).repeated


def test_writing_makes_the_call_final(game: Evening, sarah: Evening) -> None:
    game.do(roll("Tim", orange=4))
    game.do(write("Tim", "orange", 2), moment=moment(game))
    assert sarah.read().call is None
    sarah.do(write("Sarah", "orange", 2), moment=moment(sarah))


def test_a_program_without_a_page_need_not_wait(game: Evening, sarah: Evening) -> None:
    game.do(roll("Tim", orange=4))
    sarah.do(write("Sarah", "orange", 2))


def test_one_device_never_waits(game: Evening) -> None:
    game.do(roll("Tim", orange=4))
    assert game.read().call is None
    game.do(write("Sarah", "orange", 2), moment=moment(game))


def test_players_without_a_phone_wait_at_the_host_s_tablet(game: Evening) -> None:
    """Sarah's phone is her own; Tim and Linus play on the host's, of whom nobody holds a seat."""
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", orange=4))
    assert sarah.read().call is not None, "both tablet and phone wait for each other"
    for name in ("Tim", "Linus", "Sarah"):
        game.do(passes(name))
    entry = sarah.do(roll("Sarah", orange=5), moment=moment(sarah))
    for table, is_here in ((sarah, True), (game, False)):
        call = table.read().call
        assert call is not None and call.is_made_here == is_here
        assert table.read().has_other_devices
    early = lambda: game.do(write("Tim", "orange", 3), moment=moment(game))  # noqa: E731
    assert refused_untouched(game, early) == "call-open"
    sarah.tap(final=entry, moment=moment(sarah))
    early()


def test_a_phone_that_nobody_has_a_seat_on_may_be_everybody_s(game: Evening) -> None:
    tablet = game.joined()
    tablet.do(roll("Tim", orange=4))
    assert tablet.read().call is game.read().call is None
    assert not tablet.read().has_other_devices


def test_nobody_waits_for_a_call_that_is_made_for_the_only_other_one(
    tables: Tables, host: str
) -> None:
    game = evening(tables, host, ("Tim", "Sarah"))
    sarah = game.joined(seat="Sarah")
    sarah.do(roll("Tim", orange=4))
    assert game.read().call is None, "Tim is the one who rolls"


def test_the_new_host_s_phone_is_for_those_without_one(
    timed: Tables, host: str, clock: Clock
) -> None:
    game = evening(timed, host)
    sarah = game.joined(seat="Sarah")
    clock.turn(seconds=SILENT_SECONDS + TOLD_SECONDS)
    timed.change(game.id, sarah.device, take_host_role, timed.presence.is_silent)
    sarah.do(roll("Tim", orange=4))
    assert sarah.read().call is None


def test_a_dealt_card_waits_likewise(tables: Tables, host: str) -> None:
    made = tables.create(host, "qwinto-cards", players=[("Tim", "red"), ("Sarah", "blue")])
    tables.change(made, host, start)
    game = Evening(tables, made, host)
    phone = game.joined(seat="Sarah")
    grid = {"tl": "o4", "tr": "y3", "bl": "p1", "br": "g-2"}
    game.do({"do": "deal", "grid": grid})
    assert phone.read().call is None, "nothing was called"
    entry = game.do({"do": "lay", "by": "Tim", "cards": [["o5", "tl"]]})
    assert phone.read().call is not None
    game.tap(final=entry)
    assert phone.read().call is None


def told(phone: Evening) -> tuple[Notice, ...]:
    table = phone.read()
    return notices(table.state, table.me, recent_events(table.state))


def test_what_others_write_is_told(game: Evening, sarah: Evening) -> None:
    game.do(roll("Tim", orange=4))
    game.do(write("Tim", "orange", 2))
    game.do(write("Sarah", "orange", 3))
    (notice,) = told(sarah)
    assert (notice.player, notice.actor) == ("Sarah", "Tim")
    assert notice.action == write("Sarah", "orange", 3)
    assert not told(game)


def test_a_correction_tells_whose_numbers_it_changes(game: Evening, sarah: Evening) -> None:
    entry = game.do(roll("Tim", orange=4))
    game.do(write("Tim", "orange", 2))
    sarah.do(write("Sarah", "orange", 3))
    game.tap(replaces=entry, action=roll("Tim", orange=6))
    (notice,) = told(sarah)
    assert notice.action is None and dict(notice.changed) == {"orange.3": (4, 6)}
    game.tap(undo=game.read().undoable.id if game.read().undoable else "")
    assert dict(told(sarah)[-1].changed) == {"orange.3": (6, 4)}


def test_a_pass_is_told_and_an_own_step_is_not(tables: Tables, host: str) -> None:
    game = evening(tables, host)
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", orange=4))
    game.do(passes("Tim"))
    sarah.do(passes("Sarah"))
    assert not told(sarah)
