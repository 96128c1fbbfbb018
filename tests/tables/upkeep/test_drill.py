"""A restore drill: a backup is made while people play, and is then played on elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from companion.cli import main
from companion.tables import Tables
from companion.tables.database.schema import events
from companion.web import create_app
from tests.kit.patience import PATIENCE, until
from tests.kit.phones import Phone
from tests.tables.friends import Evening, device, evening, inside

TABLES = 4
BEFORE, DURING = 20, 20
"""Taps that are acknowledged before the first backup, and between two of them."""


class Players:
    """Threads that tap, each at a table of its own, and note what was acknowledged."""

    def __init__(self, tables: Tables) -> None:
        self.games = [evening(tables, device()) for _ in range(TABLES)]
        self.acknowledged: list[tuple[str, str]] = []
        """Table and tap, in the order in which they were acknowledged."""
        self.failures: list[BaseException] = []
        self._ended = threading.Event()

    @contextmanager
    def playing(self) -> Iterator[None]:
        threads = [threading.Thread(target=self._play, args=(game,)) for game in self.games]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in threads:
                thread.join(PATIENCE)

    def _play(self, game: Evening) -> None:
        """Rolls and takes it back, as long as the others play."""
        try:
            while not self._ended.is_set():
                tap = game.do({"do": "roll", "by": "Tim", "dice": {"orange": 1}})
                self.acknowledged.append((game.id, tap))
                game.tap(undo=tap)
        except BaseException as error:
            self.failures.append(error)

    def tap_on(self, count: int) -> None:
        wanted = len(self.acknowledged) + count
        assert until(lambda: len(self.acknowledged) >= wanted or bool(self.failures))


def taps_in(url: str) -> set[tuple[str, str]]:
    with inside(url) as connection:
        query = sa.select(events.c.table_id, events.c.tap_id).where(events.c.tap_id.is_not(None))
        return {(row.table_id, row.tap_id) for row in connection.execute(query)}


def test_a_backup_under_load_is_played_on_elsewhere(tmp_path: Path) -> None:
    """Whatever was acknowledged before a backup began is in it."""
    url = f"sqlite:///{tmp_path / 'own.sqlite3'}"
    tables = Tables(url, serving=True)
    players = Players(tables)
    backups: list[tuple[Path, set[tuple[str, str]]]] = []
    with players.playing():
        players.tap_on(BEFORE)
        for number in range(3):
            file = tmp_path / f"{number}.backup"
            acknowledged = set(players.acknowledged)
            assert main(["backup", str(file), "--db", url]) == 0
            backups.append((file, acknowledged))
            players.tap_on(DURING)
    tables.close()
    assert players.failures == []
    for file, acknowledged in backups:
        elsewhere = f"sqlite:///{tmp_path / file.stem}.sqlite3"
        assert main(["restore", str(file), "--db", elsewhere]) == 0
        assert acknowledged <= taps_in(elsewhere)
    restored = Tables(elsewhere, serving=True)
    try:
        app = create_app(restored)
        for game in players.games:
            there = Evening(restored, game.id, game.device)
            assert there.read().phase == "playing"
            phone = Phone(app)
            with phone.client.session_transaction(base_url=phone.base_url) as session:
                session["device"] = game.device
            assert phone.get(f"/t/{game.id}/").status_code == 200
            roll = {"do": "roll", "by": "Tim", "dice": {"orange": 2}}
            there.do({"do": "pass", "by": "Tim"} if there.position.dice else roll)
    finally:
        restored.close()
