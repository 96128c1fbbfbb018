"""What an operator has: backups by themselves, and numbers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.cli import main
from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.tables.upkeep.schedule import (
    NAME,
    Schedule,
    backing_up,
    backups_in,
    parse_schedule,
    write_next,
)
from tests.kit.history import paper
from tests.kit.patience import until
from tests.tables.friends import evening
from tests.tables.upkeep.test_backup import everything

HOUR = timedelta(hours=1)
NOW = datetime(2026, 9, 22, 12, 30, tzinfo=UTC)


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'own.sqlite3'}"


@pytest.fixture
def filled(file_url: str) -> Iterator[Tables]:
    """Two circles of people with a Tim in each, and a game on paper."""
    with closing(Tables(file_url)) as tables:
        evening(tables, "the-host").finish()
        evening(tables, "a-stranger", ("Tim", "Zoë"))
        paper(tables, "the-host", "tim", "Ada")
        yield tables


def test_a_backup_is_written_when_the_newest_is_too_old(
    filled: Tables, file_url: str, tmp_path: Path
) -> None:
    schedule = parse_schedule("1h", 2, str(tmp_path))
    for _ in range(2):  # the second time none is due
        with backing_up(filled.database, schedule):
            assert until(lambda: backups_in(tmp_path))
    [at] = backups_in(tmp_path)
    file = tmp_path / at.strftime(NAME)
    before = everything(file_url)
    filled.close()
    assert main(["restore", str(file), "--replace", "--db", file_url]) == 0
    assert everything(file_url) == before


def test_the_oldest_backups_go(filled: Tables, tmp_path: Path) -> None:
    """By the times in their names: a folder that was copied is not new."""
    schedule = Schedule(tmp_path, HOUR, 3)
    others = [tmp_path / name for name in ("games.backup", "companion-99Z.sqlite3")]
    for number in range(5):
        write_next(filled.database, schedule, NOW + number * HOUR)
        os.utime(tmp_path / (NOW + number * HOUR).strftime(NAME), (2e9 - number,) * 2)
        others[number % 2].touch()
    expected = [NOW + number * HOUR for number in (4, 3, 2)]
    assert backups_in(tmp_path) == expected
    assert write_next(filled.database, schedule, NOW + 4.5 * HOUR) == expected[0], "none is due"
    assert backups_in(tmp_path) == expected
    assert all(other.exists() for other in others), "nobody else's file"


def test_a_folder_that_is_gone_is_told(
    filled: Tables, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with backing_up(filled.database, Schedule(tmp_path / "gone", HOUR, 3)):
        assert until(lambda: "could not be written" in caplog.text)


@pytest.mark.parametrize("every", ["", "1", "5m", "1w", "-1d", "1 d"])
def test_a_time_that_is_none(tmp_path: Path, every: str) -> None:
    with pytest.raises(Unusable, match="--backup-every"):
        parse_schedule(every, 7, str(tmp_path))
    with pytest.raises(Unusable, match="--backup-dir"):
        parse_schedule("1d", 7, str(tmp_path / "gone"))


def test_what_is_there_in_numbers(
    filled: Tables, file_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_next(filled.database, Schedule(tmp_path, HOUR, 3), NOW)
    filled.close()
    asked = ["status", "--db", file_url, "--backup-dir", str(tmp_path)]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    counted = {"tables": 2, "playing": 1, "games": 2, "on_paper": 1, "devices": 2, "reviews": 0}
    assert {name: found[name] for name in counted} == counted
    assert found["bytes"] > 10_000
    assert found["backups"] == ["2026-09-22"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "2  finished games" in said
    assert "2026-09-22" in said
    assert len(said.splitlines()) == 10
