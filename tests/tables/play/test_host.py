"""Nobody waits for a lost phone: its seats and the host's role can be had, and given back."""

from __future__ import annotations

from functools import partial

from companion.tables import Tables
from companion.tables.ledger import events as kinds
from companion.tables.play.access import revoke, take_host_role
from companion.tables.play.lobby import (
    release_seat,
    return_seat,
    set_setting,
    shuffle_start,
    stop,
    take_seat,
    to_lobby,
)
from companion.tables.play.presence import SILENT_SECONDS, TOLD_SECONDS
from companion.tables.upkeep.table_deletion import delete_table
from tests.kit.games import passes, roll
from tests.tables.friends import Clock, Evening, evening, refused


def turn(clock: Clock) -> None:
    """Nobody is heard for a minute; with PostgreSQL, where other processes might, for longer."""
    clock.turn(seconds=SILENT_SECONDS + TOLD_SECONDS)


def at_table(timed: Tables, host: str) -> tuple[Evening, Evening, Evening]:
    """The host plays Tim, Sarah and Linus have phones; each writes on the own sheet alone."""
    game = evening(timed, host)
    game.change(take_seat, game.seat("Tim"))
    game.change(set_setting, "shared_entry", False)
    return game, game.joined(seat="Sarah"), game.joined(seat="Linus")


def host_of(phone: Evening) -> None:
    phone.change(take_host_role, phone.tables.presence.is_silent)


def play_for(phone: Evening, name: str) -> None:
    phone.tables.change(phone.id, phone.device, take_seat, phone.seat(name), is_held=True)


def mine(phone: Evening) -> list[str]:
    return [seat.name for seat in phone.read().seats if seat.mine]


def lost(timed: Tables, host: str, clock: Clock) -> tuple[Evening, Evening, Evening]:
    """The host's phone was locked: Sarah is the host now, and plays for Tim."""
    game, sarah, linus = at_table(timed, host)
    turn(clock)
    host_of(sarah)
    play_for(sarah, "Tim")
    return game, sarah, linus


def test_the_role_is_free_after_a_minute_of_silence(timed: Tables, host: str, clock: Clock) -> None:
    game, sarah, linus = at_table(timed, host)
    clock.turn(seconds=SILENT_SECONDS - 1)
    assert refused(partial(host_of, sarah)) == "host-is-here"
    assert timed.silent_phones(game.id) == frozenset()
    turn(clock)
    timed.mark_online(sarah.device)
    assert timed.silent_phones(game.id) == {phone.read().me.id for phone in (game, linus)}
    assert refused(partial(host_of, game.watching())) == "view-only"
    host_of(sarah)
    roles = [phone.read().me.role for phone in (game, sarah, linus)]
    assert roles == ["player", "host", "player"]
    assert linus.read().log[-1].kind == kinds.HOST_CHANGED
    assert refused(partial(host_of, linus)) == "host-is-here"


def test_the_founder_takes_the_role_back_at_any_time(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = lost(timed, host, clock)
    timed.mark_online(sarah.device)
    host_of(game)
    assert [phone.read().me.role for phone in (game, sarah, linus)] == ["host", "player", "player"]
    timed.mark_online(host)
    assert refused(partial(host_of, sarah)) == "host-is-here"
    for link in timed.links(game.id, host):
        game.change(revoke, link.id)
    assert refused(sarah.read) == "not-a-member"


def test_only_the_founder_deletes_the_table(timed: Tables, host: str, clock: Clock) -> None:
    game, sarah, linus = lost(timed, host, clock)
    for phone in (sarah, linus):
        assert refused(partial(delete_table, timed, game.id, phone.device)) == "not-host"
    delete_table(timed, game.id, host)
    assert refused(sarah.read) == "no-such-table"


def test_the_new_host_ends_the_game_and_begins_another_one(
    timed: Tables, host: str, clock: Clock
) -> None:
    _, sarah, linus = lost(timed, host, clock)
    sarah.do(roll("Tim", orange=4))
    sarah.do(passes("Tim"))
    linus.do(passes("Linus"))
    sarah.do({"do": "next"})
    sarah.change(stop)
    sarah.change(to_lobby)
    sarah.change(shuffle_start)


def test_a_host_who_has_revoked_its_own_link_can_be_sent_away(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = lost(timed, host, clock)
    (link,) = timed.links(game.id, sarah.device)
    sarah.change(revoke, link.id)
    assert timed.links(game.id, sarah.device) == ()
    assert refused(linus.read) == "not-a-member"
    host_of(game)
    assert [known.id for known in timed.links(game.id, host)] == [link.id]
    game.change(revoke, link.id)
    assert refused(sarah.read) == "not-a-member"
    assert timed.links(game.id, host) == ()
    assert refused(partial(game.change, revoke, link.id)) == "no-such-link"


def test_the_founder_takes_up_a_game_that_another_host_has_ended(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = lost(timed, host, clock)
    sarah.do(roll("Tim", orange=4))
    sarah.change(stop)
    assert linus.read().undoable is None
    host_of(game)
    stopped = game.read().undoable
    assert stopped is not None
    game.tap(undo=stopped.id)
    assert game.read().phase == "playing"
    assert sarah.read().redoable is None


# Seats of others


def test_whoever_sits_there_takes_any_seat(timed: Tables, host: str) -> None:
    """While its phone is there, too; what the one player has is the other's no more."""
    game, sarah, linus = at_table(timed, host)
    assert refused(partial(sarah.change, take_seat, sarah.seat("Tim"))) == "seat-taken"
    assert refused(partial(play_for, game.watching(), "Tim")) == "view-only"
    play_for(sarah, "Tim")
    assert (mine(game), mine(sarah)) == ([], ["Tim", "Sarah"])
    version = sarah.read().version
    play_for(sarah, "Tim")
    assert sarah.read().version == version, "it has it already"
    sarah.do(roll("Tim", orange=4))
    assert refused(partial(linus.do, passes("Tim"))) == "not-your-seat"
    assert refused(partial(game.do, passes("Tim"))) == "not-your-seat"
    play_for(game, "Tim")
    game.do(passes("Tim"))
    undoable = game.read().undoable
    assert undoable is not None
    assert undoable.body["action"]["by"] == "Tim"


def test_anybody_undoes_it_once(timed: Tables, host: str) -> None:
    game, sarah, linus = at_table(timed, host)
    tim = game.seat("Tim")
    play_for(sarah, "Tim")
    assert refused(partial(game.watching().change, return_seat, tim)) == "view-only"
    linus.change(return_seat, tim)
    assert (mine(game), mine(sarah)) == (["Tim"], ["Sarah"])
    version = game.read().version
    for phone in (game, sarah):
        phone.change(return_seat, tim)
        phone.change(return_seat, game.seat("Sarah"))
    assert game.read().version == version, "there is nothing to undo any more"


def test_a_seat_is_not_given_back_once_somebody_else_has_it(timed: Tables, host: str) -> None:
    game, sarah, linus = at_table(timed, host)
    tim = game.seat("Tim")
    play_for(sarah, "Tim")
    sarah.change(release_seat, tim)
    linus.change(take_seat, tim)
    linus.change(return_seat, tim)
    assert mine(linus) == ["Tim", "Linus"]


def test_a_seat_of_a_phone_that_was_sent_away_is_free(timed: Tables, host: str) -> None:
    game, sarah, _ = at_table(timed, host)
    play_for(game, "Sarah")
    game.change(revoke, timed.links(game.id, host)[0].id)
    game.change(return_seat, game.seat("Sarah"))
    assert [seat.held for seat in game.read().seats] == [True, False, False]
    assert refused(sarah.read) == "not-a-member"
