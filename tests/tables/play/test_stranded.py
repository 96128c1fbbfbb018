"""Nobody is stranded: a lost phone is replaced after a minute of silence, and not before."""

from __future__ import annotations

import threading
from functools import partial

from companion.tables import Tables
from companion.tables.play.access import revoke
from companion.tables.play.lobby import take_seat
from companion.tables.play.presence import MOST_DEVICES, Presence
from companion.tables.play.stranded import become_host, take_over
from tests.tables.friends import Clock, Evening, evening, refused


def at_table(timed: Tables, host: str) -> tuple[Evening, Evening, Evening]:
    """The host plays Tim, and Sarah and Linus have phones."""
    game = evening(timed, host)
    timed.change(game.id, host, take_seat, game.seat("Tim"))
    return game, game.joined(seat="Sarah"), game.joined(seat="Linus")


def test_the_host_is_replaced_after_a_minute_of_silence(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = at_table(timed, host)
    clock.turn(seconds=59)
    assert refused(partial(sarah.change, become_host, timed.presence.is_silent)) == "host-is-here"
    assert not timed.silence(game.id, sarah.device).host
    clock.turn(seconds=1)
    assert timed.silence(game.id, sarah.device).host
    screen = game.watching()
    assert refused(partial(screen.change, become_host, timed.presence.is_silent)) == "view-only"
    game.look()  # the link for watching was made by the host
    clock.turn(seconds=60)
    sarah.look()
    timed.change(game.id, sarah.device, become_host, timed.presence.is_silent)
    roles = [evening_.look().me.role for evening_ in (game, sarah, linus)]
    assert roles == ["player", "host", "player"]
    assert linus.look().log[-1].kind == "host-changed"
    assert refused(partial(game.change, become_host, timed.presence.is_silent)) == "host-is-here"
    sarah.do({"do": "roll", "by": "Tim", "dice": {"orange": 4}})
    sarah.do({"do": "pass", "by": "Tim"})
    sarah.do({"do": "next"})


def test_the_new_host_outlives_the_link_that_brought_it(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = at_table(timed, host)
    clock.turn(minutes=1)
    timed.change(game.id, sarah.device, become_host, timed.presence.is_silent)
    for link in timed.links(game.id, sarah.device):
        timed.change(game.id, sarah.device, revoke, link.id)
    assert sarah.look().me.role == "host"
    assert refused(linus.look) == "not-a-member"


def test_a_silent_seat_is_taken_over(timed: Tables, host: str, clock: Clock) -> None:
    game, sarah, linus = at_table(timed, host)
    tim, last = game.seat("Tim"), game.seat("Linus")
    take = partial(sarah.change, take_over)
    assert refused(partial(take, tim, timed.presence.is_silent)) == "seat-taken"
    clock.turn(seconds=60)
    linus.look()
    assert timed.silence(game.id, sarah.device).seats == {tim}
    assert refused(partial(take, last, timed.presence.is_silent)) == "seat-taken"
    take(tim, timed.presence.is_silent)
    assert [seat.name for seat in sarah.look().seats if seat.mine] == ["Tim", "Sarah"]


def test_only_the_host_takes_over_while_the_host_is_there(
    timed: Tables, host: str, clock: Clock
) -> None:
    game, sarah, linus = at_table(timed, host)
    clock.turn(seconds=60)
    timed.mark_online(host)
    seat = game.seat("Linus")
    assert (
        refused(partial(sarah.change, take_over, seat, timed.presence.is_silent)) == "host-is-here"
    )
    assert timed.silence(game.id, sarah.device).seats == frozenset()
    assert timed.silence(game.id, host).seats == {seat, game.seat("Sarah")}
    timed.change(game.id, host, take_over, seat, timed.presence.is_silent)
    assert linus.look().seats[2].mine is False


def test_looks_taps_and_streams_are_heard(timed: Tables, host: str, clock: Clock) -> None:
    game, sarah, _ = at_table(timed, host)
    roll = {"do": "roll", "by": "Tim", "dice": {"orange": 4}}
    signs = (game.look, partial(timed.version, game.id, host), partial(game.do, roll))
    for sign in (*signs, partial(timed.mark_online, host)):
        clock.turn(seconds=60)
        assert timed.silence(game.id, sarah.device).host
        sign()
        assert not timed.silence(game.id, sarah.device).host


def test_processes_tell_each_other_once_a_minute(clock: Clock) -> None:
    told: list[str] = []
    here, there = Presence(clock, told.append), Presence(clock)
    for _ in range(4):
        here.mark_online("phone")
        clock.turn(seconds=20)
    assert told == ["phone", "phone"]
    there.mark_online_elsewhere("phone")
    clock.turn(seconds=119)
    assert not there.is_silent("phone"), "it may have been heard for a minute without a word"
    clock.turn(seconds=1)
    assert there.is_silent("phone")


def test_a_process_that_has_just_started_calls_nobody_silent(clock: Clock) -> None:
    presence = Presence(clock)
    clock.turn(seconds=59)
    assert not presence.is_silent("phone")
    clock.turn(seconds=1)
    assert presence.is_silent("phone")


def test_the_memory_of_devices_is_bounded(clock: Clock) -> None:
    presence = Presence(clock)
    for number in range(MOST_DEVICES):
        presence.mark_online(str(number))
    clock.turn(seconds=60)
    presence.mark_online("late")
    assert not presence.is_silent("late")
    assert presence.is_silent("7")


def test_processes_with_one_postgres_hear_each_other(timed: Tables, url: str, clock: Clock) -> None:
    """On SQLite there is one server; there the other one only looks in, and hears nothing."""
    other = Tables(url, clock=clock, elapsed=clock)
    try:
        game = evening(timed, "host-of-this-test")
        sarah = game.joined(seat="Sarah")
        clock.turn(seconds=60)
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
