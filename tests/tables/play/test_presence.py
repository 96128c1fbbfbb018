"""Signs of life: when a device counts as silent, and what processes tell each other."""

from __future__ import annotations

import threading
from functools import partial

from companion.tables import Tables
from companion.tables.play.presence import (
    MOST_DEVICES,
    SILENT_SECONDS,
    TOLD_SECONDS,
    Presence,
)
from tests.tables.friends import Clock, evening


def test_a_process_that_has_just_started_calls_nobody_silent(clock: Clock) -> None:
    presence = Presence(clock)
    clock.turn(seconds=SILENT_SECONDS - 1)
    assert not presence.is_silent("phone")
    clock.turn(seconds=1)
    assert presence.is_silent("phone")
    presence.mark_online("phone")
    assert not presence.is_silent("phone")


def test_processes_tell_each_other_twice_a_minute(clock: Clock) -> None:
    told: list[str] = []
    here, there = Presence(clock, told.append), Presence(clock, lambda _: None)
    clock.turn(seconds=-(clock() % TOLD_SECONDS))
    for _ in range(6):
        here.mark_online("phone")
        clock.turn(seconds=10)
    assert told == ["phone", "phone"]
    there.mark_online_elsewhere("phone")
    clock.turn(seconds=SILENT_SECONDS + TOLD_SECONDS - 1)
    assert not there.is_silent("phone"), "it may have been heard since, without a word"
    clock.turn(seconds=1)
    assert there.is_silent("phone")


def test_the_memory_of_devices_is_bounded(clock: Clock) -> None:
    presence = Presence(clock)
    clock.turn(seconds=SILENT_SECONDS)
    for number in (0, 1, 0, *range(2, MOST_DEVICES + 1)):
        presence.mark_online(str(number))
    assert [presence.is_silent(str(number)) for number in range(3)] == [False, True, False]


def test_processes_with_one_postgres_hear_each_other(timed: Tables, url: str, clock: Clock) -> None:
    """On SQLite there is one server; there the other one only looks in, and hears nothing."""
    other = Tables(url, clock=clock, elapsed=clock)
    try:
        game = evening(timed, "host-of-this-test")
        game.joined(seat="Sarah")
        clock.turn(seconds=SILENT_SECONDS + TOLD_SECONDS)
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
        assert (game.read().state.host in other.silent_phones(game.id)) == (relay is None)
    finally:
        other.close()
