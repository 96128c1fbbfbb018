"""Many at once: nothing is lost, and of two that exclude each other one wins."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from queue import Queue
from typing import Any

import pytest
import sqlalchemy as sa

from companion.tables import Refused, Tables, Tap
from companion.tables.database.bus import Bus
from companion.tables.database.columns import device_hash
from companion.tables.play.access import revoke
from tests.kit.games import passes, roll
from tests.kit.history import EMPTY, add, take_in
from tests.kit.names import NAMES
from tests.kit.patience import PATIENCE, until
from tests.kit.tables import Evening, device, evening, inside, tap_id


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """Runs every job in a thread of its own, all at the same moment; a refusal's code counts."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> object:
        barrier.wait(PATIENCE)
        try:
            return job()
        except Refused as refusal:
            return refusal.code

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs, timeout=PATIENCE))


def test_eight_taps_at_the_same_dice(game: Evening) -> None:
    """Eight phones want to roll for Tim: one does, the others hear that they were late."""
    phones = [game.joined() for _ in range(8)]
    tap = {"action": roll("Tim", yellow=3), "moment": game.position.fingerprint}
    version = game.read().version
    results = at_once(*(partial(phone.tap, **tap) for phone in phones))
    assert results.count("stale") == 7
    assert len(game.actions) == 1
    assert game.read().version == version + 1


def test_an_audience_is_asked_for_anew_only_when_somebody_came_or_went(game: Evening) -> None:
    tables, other = game.tables, game.joined()
    first = tables.audience(game.id)
    game.tap(action=roll("Tim", yellow=3))
    after = tables.audience(game.id, first, game.read().version)
    assert (after.members is first.members, after.state.version) == (True, game.read().version)
    tables.change(game.id, game.device, revoke, tables.links(game.id, game.device)[0].id)
    later = tables.audience(game.id, after, 0)
    assert device_hash(other.device) in after.members
    assert device_hash(other.device) not in later.members
    assert later.state.version == game.read().version


def test_an_audience_has_what_another_process_changed(game: Evening, shared_url: str) -> None:
    known = game.tables.audience(game.id)
    with closing(Tables(shared_url)) as process:
        Evening(process, game.id, game.device).tap(action=roll("Tim", yellow=3))
        version = process.version(game.id, game.device)
    assert game.tables.audience(game.id, known, version).state.version == version


def test_a_history_that_is_taken_in_twice_at_once(tables: Tables, host: str) -> None:
    """As two taps on the button do."""
    for players in (("Ada", "Ben"), ("Ada", "Zoe")):
        add(tables, host, "qwinto-cards", [(name, EMPTY) for name in players])
    raw, other = tables.history.export_json(host), device()
    at_once(*[lambda: take_in(tables, other, raw)] * 4)
    assert len(tables.history.all_matches(other)) == 2


def test_eight_threads_lose_nothing(tables: Tables, shared_url: str, host: str) -> None:
    """Two processes' worth of `Tables`, eight threads, each undoing and redoing its own step."""
    game = evening(tables, host)
    with closing(Tables(shared_url)) as other:
        game.do(roll("Tim", yellow=3))
        phones = [game.joined(seat=name) for name in NAMES] + [game.joined() for _ in NAMES]
        places = [*phones, game, game]
        start = game.read().version

        def busy(number: int) -> int:
            saved = 0
            device = places[number].device
            place = Evening(other if number % 2 else tables, game.id, device)
            for _ in range(12):
                step = place.read().undoable
                try:
                    if step and (step.body["action"] or {}).get("do") == "pass":
                        place.tap(undo=step.id)
                    else:
                        place.do(passes(NAMES[number % 3]))
                    saved += 1
                except Refused:
                    continue
            return saved

        total = sum(map(int, at_once(*(partial(busy, number) for number in range(8)))))
        assert total > 0
        assert game.read().version == start + total
        assert [line.seq for line in game.read().log] == list(range(1, start + total + 1))
        assert other.read(game.id, host) == game.read()


def test_the_same_tap_at_once(game: Evening) -> None:
    fields: dict[str, Any] = {"id": tap_id(), "action": roll("Tim", yellow=3)}
    fields["moment"] = game.position.fingerprint
    results = at_once(*(lambda: game.tap(**fields) for _ in range(8)))
    assert Counter(getattr(result, "repeated", result) for result in results) == {False: 1, True: 7}
    assert len({(result.version, result.fingerprint) for result in results}) == 1  # type: ignore[attr-defined]
    assert len(game.actions) == 1


def test_databases_made_at_once(url: str) -> None:
    def open_and_close() -> str:
        with closing(Tables(url)) as tables:
            return tables.secret_key()

    [key] = set(at_once(*[open_and_close] * 4))
    assert len(str(key)) >= 32


def test_told_after_the_commit(game: Evening, shared_url: str) -> None:
    """Whoever is told sees the change, even in another process; a refused one is not told."""
    seen: list[tuple[int, int]] = []
    with closing(Tables(shared_url)) as other:
        stop = game.tables.bus.subscribe(
            game.id, lambda version: seen.append((version, other.version(game.id, game.device)))
        )
        with pytest.raises(Refused):
            game.do(passes("Tim"))
        game.do(roll("Tim", yellow=3))
        assert seen == [(game.read().version,) * 2]
        stop()
        stop()  # harmless
        game.do(passes("Tim"))
        assert len(seen) == 1


def test_a_failing_listener_does_not_reach_the_tap() -> None:
    bus = Bus()
    heard: list[int] = []

    def fails(version: int) -> None:
        raise RuntimeError(version)

    bus.subscribe("table", fails)
    bus.subscribe("table", heard.append)
    bus.publish("table", 3)
    bus.publish("another", 4)
    assert heard == [3]


def listeners(url: str) -> list[int]:
    """The PostgreSQL processes of the connections that listen."""
    query = (
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND state = 'idle'"
        " AND datname = current_database()"
    )
    with inside(url) as connection:
        return list(connection.execute(sa.text(query)).scalars())


@pytest.mark.postgres
def test_processes_hear_each_other(postgres_database: str) -> None:
    """Also of a tap that is sent again: its process may have ended before it told the others."""
    with ExitStack() as opened:
        first, second, third = (
            opened.enter_context(closing(Tables(postgres_database))) for _ in range(3)
        )
        game = evening(first, device())
        assert until(lambda: len(listeners(postgres_database)) == 3)
        versions: Queue[int] = Queue()
        third.bus.subscribe(game.id, versions.put)
        tap = Tap(id="told-again-1", action=roll("Tim", yellow=3))
        for process in (first, second):
            told = process.tap(game.id, game.device, tap)
            assert versions.get(timeout=PATIENCE) == told.version
        assert second.read(game.id, game.device).version == game.read().version


@pytest.mark.postgres
def test_the_listener_comes_back(postgres_database: str) -> None:
    """The database ends the connection; what changed meanwhile is told afterwards."""
    with closing(Tables(postgres_database)) as tables:
        game = evening(tables, device())
        assert until(lambda: listeners(postgres_database))
        heard = threading.Event()
        tables.bus.subscribe(game.id, lambda _: heard.set())
        (gone,) = listeners(postgres_database)
        with inside(postgres_database) as connection:
            connection.execute(sa.select(sa.func.pg_terminate_backend(gone)))
        assert heard.wait(PATIENCE)  # the present version, told after coming back
        assert until(lambda: listeners(postgres_database) not in ([], [gone]))
