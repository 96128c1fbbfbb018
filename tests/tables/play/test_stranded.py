"""Nobody is stranded by a silent phone, and no phone loses for good what was its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest

from companion.tables import Tables
from companion.tables.play.access import join_link, revoke, seat_link
from companion.tables.play.lobby import (
    release_seat,
    set_setting,
    shuffle_start,
    stop,
    take_seat,
    to_lobby,
)
from companion.tables.play.presence import (
    HOST_SECONDS,
    MOST_DEVICES,
    SEAT_SECONDS,
    TOLD_SECONDS,
    Presence,
)
from companion.tables.play.stranded import become_host, take_over
from companion.tables.upkeep.table_deletion import delete_table
from tests.kit.games import passes, roll
from tests.tables.friends import Clock, Evening, device, evening, refused


def at_table(timed: Tables, host: str) -> tuple[Evening, Evening, Evening]:
    """The host plays Tim, Sarah and Linus have phones; each writes on the own sheet alone."""
    game = evening(timed, host)
    game.change(take_seat, game.seat("Tim"))
    game.change(set_setting, "shared_entry", False)
    return game, game.joined(seat="Sarah"), game.joined(seat="Linus")


def host_of(phone: Evening) -> None:
    phone.change(become_host, phone.tables.presence.is_silent)


def play_for(phone: Evening, seat: int) -> None:
    phone.change(take_over, seat, phone.tables.presence.is_silent)


def hear(phone: Evening) -> None:
    """As any request of the phone; see `tests/web/table/test_role.py`."""
    phone.tables.mark_online(phone.device)


def mine(phone: Evening) -> list[str]:
    return [seat.name for seat in phone.look().seats if seat.mine]


def taken_over(timed: Tables, host: str, clock: Clock) -> tuple[Evening, Evening, Evening]:
    """The host's phone was locked: Sarah is the host now, and plays for Tim."""
    game, sarah, linus = at_table(timed, host)
    clock.turn(seconds=HOST_SECONDS)
    hear(sarah)
    hear(linus)
    host_of(sarah)
    play_for(sarah, sarah.seat("Tim"))
    return game, sarah, linus


def test_the_role_is_free_after_five_minutes_of_silence(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = at_table(timed, host)
    clock.turn(seconds=HOST_SECONDS - 1)
    assert refused(partial(host_of, sarah)) == "host-is-here"
    assert not timed.silence(game.id, sarah.device).host
    clock.turn(seconds=1)
    assert timed.silence(game.id, sarah.device).host
    assert refused(partial(host_of, game.watching())) == "view-only"
    host_of(sarah)
    roles = [phone.look().me.role for phone in (game, sarah, linus)]
    assert roles == ["player", "host", "player"]
    assert linus.look().log[-1].kind == "host-changed"
    hear(sarah)
    assert refused(partial(host_of, linus)) == "host-is-here"


def test_a_seat_is_lent_after_a_minute(timed: Tables, host: str, clock: Clock) -> None:
    game, sarah, linus = at_table(timed, host)
    tim = game.seat("Tim")
    clock.turn(seconds=SEAT_SECONDS - 1)
    assert refused(partial(play_for, sarah, tim)) == "seat-taken"
    clock.turn(seconds=1)
    hear(sarah)
    hear(linus)
    assert timed.silence(game.id, sarah.device).seats == {tim}
    assert refused(partial(play_for, sarah, sarah.seat("Linus"))) == "seat-taken"
    play_for(sarah, tim)
    assert mine(sarah) == ["Tim", "Sarah"]
    version = sarah.look().version
    play_for(sarah, tim)
    assert sarah.look().version == version, "it is lent already"
    assert refused(partial(play_for, linus, tim)) == "seat-taken"
    sarah.do(roll("Tim", orange=4))
    assert refused(partial(linus.do, passes("Tim"))) == "not-your-seat"
    sarah.change(release_seat, tim)
    assert mine(sarah) == ["Sarah"]
    assert mine(game) == ["Tim"]


def comes_by_a_look(phone: Evening) -> None:
    phone.look()


def comes_by_a_tap(phone: Evening) -> None:
    phone.do(passes("Tim"))


def comes_by_a_button(phone: Evening) -> None:
    phone.change(join_link)


@pytest.mark.parametrize("comes", [comes_by_a_look, comes_by_a_tap, comes_by_a_button])
def test_a_lent_seat_goes_back_by_itself(
    timed: Tables, host: str, clock: Clock, comes: Callable[[Evening], None]
) -> None:
    game, sarah, _ = at_table(timed, host)
    clock.turn(seconds=SEAT_SECONDS)
    play_for(sarah, sarah.seat("Tim"))
    sarah.do(roll("Tim", orange=4))
    comes(game)
    assert mine(sarah) == ["Sarah"]
    assert refused(partial(sarah.do, passes("Tim"))) == "not-your-seat"
    if comes is not comes_by_a_tap:
        game.do(passes("Tim"))
    undoable = game.look().undoable
    assert undoable is not None
    assert undoable.body["action"]["by"] == "Tim"


def test_only_the_host_lends_while_the_host_is_there(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = at_table(timed, host)
    clock.turn(seconds=SEAT_SECONDS)
    hear(game)
    seat = game.seat("Linus")
    assert refused(partial(play_for, sarah, seat)) == "host-is-here"
    assert timed.silence(game.id, sarah.device).seats == frozenset()
    assert timed.silence(game.id, host).seats == {seat, game.seat("Sarah")}
    play_for(game, seat)
    assert mine(game) == ["Tim", "Linus"]
    assert mine(linus) == ["Linus"]
    assert mine(game) == ["Tim"]


def test_a_lent_seat_of_a_phone_that_is_sent_away_is_free(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, _, linus = at_table(timed, host)
    seat = game.seat("Linus")
    clock.turn(seconds=SEAT_SECONDS)
    hear(game)
    play_for(game, seat)
    game.change(revoke, timed.links(game.id, host)[0].id)
    assert [seat.held for seat in game.look().seats] == [True, False, False]
    assert mine(game) == ["Tim"]
    assert refused(linus.look) == "not-a-member"


def test_the_founder_takes_the_role_back_at_any_time(
    timed: Tables, host: str, clock: Clock
) -> None:
    """The attack: a guest waits until the host's phone is locked, and keeps the table."""
    game, sarah, linus = taken_over(timed, host, clock)
    game.do(roll("Tim", orange=4))  # nothing on the own sheet is refused
    game.do(passes("Tim"))
    assert mine(game) == ["Tim"]
    assert not timed.silence(game.id, host).host
    assert game.look().is_founder
    hear(game)
    host_of(game)
    assert [phone.look().me.role for phone in (game, sarah, linus)] == ["host", "player", "player"]
    assert refused(partial(host_of, sarah)) == "host-is-here"
    for link in timed.links(game.id, host):
        game.change(revoke, link.id)
    assert refused(sarah.look) == "not-a-member"


def test_a_host_by_silence_can_undo_nothing_for_good(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = taken_over(timed, host, clock)
    (link,) = timed.links(game.id, sarah.device)
    (tim,) = [seat.id for seat in sarah.look().seats if seat.name == "Tim"]
    for act in (
        partial(delete_table, timed, game.id, sarah.device),
        partial(sarah.change, revoke, link.id),
    ):
        assert refused(act) == "host-too-new"
    # What was lent goes back, and no further.
    sarah.change(release_seat, tim)
    for what in (release_seat, seat_link):
        assert refused(partial(sarah.change, what, tim)) == "not-host"
    clock.turn(minutes=24 * 60 - 1)
    assert refused(partial(sarah.change, revoke, link.id)) == "host-too-new"
    clock.turn(minutes=1)
    assert refused(partial(sarah.change, release_seat, tim)) == "not-host"
    sarah.change(revoke, link.id)
    assert refused(linus.look) == "not-a-member"
    assert sarah.look().me.role == "host"
    delete_table(timed, game.id, sarah.device)


def test_a_link_of_the_host_by_silence_takes_no_seat_of_the_founder(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, _ = at_table(timed, host)
    link = game.change(seat_link, game.seat("Tim"))
    clock.turn(seconds=HOST_SECONDS)
    host_of(sarah)
    other = device()
    assert refused(partial(timed.enter, link.token, other)) == "not-host"
    host_of(game)
    timed.enter(link.token, other)
    assert mine(game.on(other)) == ["Tim"]


def test_a_host_by_silence_who_has_revoked_its_own_link_can_be_sent_away(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = taken_over(timed, host, clock)
    clock.turn(minutes=24 * 60)
    (link,) = timed.links(game.id, sarah.device)
    sarah.change(revoke, link.id)
    assert timed.links(game.id, sarah.device) == ()
    assert refused(linus.look) == "not-a-member"
    host_of(game)
    assert [known.id for known in timed.links(game.id, host)] == [link.id]
    game.change(revoke, link.id)
    assert refused(sarah.look) == "not-a-member"
    assert timed.links(game.id, host) == ()
    assert refused(partial(game.change, revoke, link.id)) == "no-such-link"


def test_the_founder_takes_up_a_game_that_another_host_has_ended(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = taken_over(timed, host, clock)
    game.do(roll("Tim", orange=4))
    sarah.change(stop)
    assert linus.look().undoable is None
    host_of(game)
    stopped = game.look().undoable
    assert stopped is not None
    game.tap(undo=stopped.id)
    assert game.look().phase == "playing"
    assert sarah.look().redoable is None


def test_nobody_is_stranded_by_the_new_rules(timed: Tables, host: str, clock: Clock) -> None:
    """The host by silence plays on, ends the game and begins another one."""
    _, sarah, linus = taken_over(timed, host, clock)
    sarah.do(roll("Tim", orange=4))
    sarah.do(passes("Tim"))
    linus.do(passes("Linus"))
    sarah.do({"do": "next"})
    sarah.change(stop)
    sarah.change(to_lobby)
    sarah.change(shuffle_start)


def test_processes_tell_each_other_once_a_minute(clock: Clock) -> None:
    told: list[str] = []
    here, there = Presence(clock, told.append), Presence(clock)
    for _ in range(4):
        here.mark_online("phone")
        clock.turn(seconds=20)
    assert told == ["phone", "phone"]
    there.mark_online_elsewhere("phone")
    clock.turn(seconds=TOLD_SECONDS + SEAT_SECONDS - 1)
    is_silent = partial(there.is_silent, "phone", SEAT_SECONDS)
    assert not is_silent(), "it may have been heard for a minute without a word"
    clock.turn(seconds=1)
    assert is_silent()


def test_a_process_that_has_just_started_calls_nobody_silent(clock: Clock) -> None:
    presence = Presence(clock)
    for seconds in (SEAT_SECONDS, HOST_SECONDS):
        assert not presence.is_silent("phone", seconds)
    clock.turn(seconds=SEAT_SECONDS)
    assert presence.is_silent("phone", SEAT_SECONDS)
    assert not presence.is_silent("phone", HOST_SECONDS)
    clock.turn(seconds=HOST_SECONDS - SEAT_SECONDS)
    assert presence.is_silent("phone", HOST_SECONDS)


def test_the_memory_of_devices_is_bounded(clock: Clock) -> None:
    presence = Presence(clock)
    for number in range(MOST_DEVICES):
        presence.mark_online(str(number))
    clock.turn(seconds=HOST_SECONDS)
    presence.mark_online("late")
    assert not presence.is_silent("late", SEAT_SECONDS)
    assert presence.is_silent("7", HOST_SECONDS)


def test_processes_with_one_postgres_hear_each_other(timed: Tables, url: str, clock: Clock) -> None:
    """On SQLite there is one server; there the other one only looks in, and hears nothing."""
    other = Tables(url, clock=clock, elapsed=clock)
    try:
        game = evening(timed, "host-of-this-test")
        sarah = game.joined(seat="Sarah")
        clock.turn(seconds=HOST_SECONDS)
        waiting = [tables.postgres for tables in (timed, other)]
        for relay in waiting:
            assert relay is None or relay.listening.wait(10)
        heard = partial(timed.mark_online, "host-of-this-test")
        relay = other.postgres
        if relay is not None:
            came, pass_on = threading.Event(), relay.on_online

            def note(device: str) -> None:
                pass_on(device)
                came.set()

            relay.on_online = note
            heard()
            assert came.wait(10)
        assert other.silence(game.id, sarah.device).host == (relay is None)
    finally:
        other.close()
