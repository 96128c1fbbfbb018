"""`companion tidy`, beside a server and by itself."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from companion.cli import main
from companion.tables import Tables
from tests.tables.friends import Clock, evening, refused
from tests.tables.upkeep.test_tidying import DAY, KEEP


def test_the_command(
    tmp_path: Path, clock: Clock, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside a server, whose pages then say that the table is gone."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    clock.turn(seconds=-10 * KEEP * DAY)
    running = Tables(url, clock=clock, serving=True)
    try:
        game = evening(running, host)
        empty = running.create(host, "qwinto-dice")
        assert main(["tidy", "--db", url, "--dry-run", "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        deleted = {"empty_tables": 1, "tables": 1, "games": 0, "reviews": 0}
        assert document == {"format": "companion-tidy/1", "dry_run": True, "deleted": deleted}
        assert game.read().phase == "playing"
        assert main(["tidy", "--db", url, "--keep", "36500"]) == 0
        said = capsys.readouterr().out
        assert "1  tables at which no game has begun: deleted" in said
        assert "0  tables that nobody used: deleted" in said
        assert refused(partial(running.read, empty, host)) == "no-such-table"
        assert main(["tidy", "--db", url]) == 0
        assert refused(game.read) == "no-such-table"
    finally:
        running.close()
    for wrong in ("-1", "1", "x", "99999999"):
        assert main(["tidy", "--keep", wrong]) == 2
