"""What an operator has: backups by themselves, numbers, and one person's name everywhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from companion.cli import main
from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.tables.upkeep.schedule import (
    Schedule,
    backing_up,
    backups_in,
    parse_schedule,
    write_next,
)
from tests.kit.history import paper
from tests.kit.patience import until
from tests.tables.friends import evening, inside
from tests.tables.upkeep.test_backup import everything

HOUR = 3600
NOW = 1_790_000_000.0
"""A time of the clock."""


@pytest.fixture
def filled(url: str) -> Tables:
    """Two circles of people with a Tim in each, and a game on paper."""
    tables = Tables(url)
    evening(tables, "the-host").finish()
    evening(tables, "a-stranger", ("Tim", "Zoë"))
    paper(tables, "the-host", "tim", "Ada")
    return tables


def test_a_backup_is_written_when_the_newest_is_too_old(
    filled: Tables, url: str, tmp_path: Path
) -> None:
    schedule = parse_schedule("1h", 2, str(tmp_path))
    told: list[float] = []
    with backing_up(filled.database, schedule, told.append):
        assert until(lambda: told)
    [(file, _)] = backups_in(tmp_path)
    with backing_up(filled.database, schedule, told.append):
        assert len(told) == 2, "the newest one is told at the start, and none is due"
    assert [found for found, _ in backups_in(tmp_path)] == [file]
    before = everything(url)
    filled.close()
    assert main(["restore", str(file), "--replace", "--db", url]) == 0
    assert everything(url) == before


def test_the_oldest_backups_go(filled: Tables, tmp_path: Path) -> None:
    schedule = Schedule(tmp_path, HOUR, 3)
    other = tmp_path / "games.backup"
    other.touch()
    for number in range(5):
        write_next(filled.database, schedule, NOW + number * HOUR)
        newest = backups_in(tmp_path)[0][0]
        os.utime(newest, (NOW + number * HOUR,) * 2)
    filled.close()
    times = [at for _, at in backups_in(tmp_path)]
    assert times == [NOW + number * HOUR for number in (4, 3, 2)]
    assert other.exists(), "nobody else's file"


def test_a_folder_that_is_gone_is_told(
    filled: Tables, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with backing_up(filled.database, Schedule(tmp_path / "gone", HOUR, 3)):
        assert until(lambda: "could not be written" in caplog.text)
    filled.close()


@pytest.mark.parametrize("every", ["", "1", "5m", "1w", "-1d", "1 d"])
def test_a_time_that_is_none(tmp_path: Path, every: str) -> None:
    with pytest.raises(Unusable, match="--backup-every"):
        parse_schedule(every, 7, str(tmp_path))
    with pytest.raises(Unusable, match="--backup-dir"):
        parse_schedule("1d", 7, str(tmp_path / "gone"))


def test_what_is_there_in_numbers(
    filled: Tables, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_next(filled.database, Schedule(tmp_path, HOUR, 3), NOW)
    filled.close()
    asked = ["status", "--db", url, "--backup-dir", str(tmp_path)]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    counted = {"tables": 2, "playing": 1, "games": 2, "on_paper": 1, "devices": 2, "reviews": 0}
    assert {name: found[name] for name in counted} == counted
    assert found["bytes"] > 10_000
    assert len(found["backups"]) == 1
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "2  finished games" in said
    assert f"1  backups, from {found['backups'][0]}" in said


def test_a_person_is_found_and_deleted_where_it_is_meant(
    filled: Tables, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another person of that name is not touched; under other letters it is the same one."""
    [ours] = filled.at_tables("the-host")
    [theirs] = filled.at_tables("a-stranger")
    filled.close()

    def listed(*more: str) -> dict[str, str]:
        assert main(["person", "TIM", "--db", url, *more]) == 0
        lines = capsys.readouterr().out.splitlines()
        return dict(line.split("  ", 1) for line in lines)

    found = listed()
    [alone] = found.keys() - {ours.id, theirs.id}
    assert "1 finished games, the latest on" in found[ours.id]
    assert "with Linus, Sarah" in found[ours.id]
    assert "with Ada" in found[alone]
    assert "0 finished games" in found[theirs.id]
    assert main(["person", "Ada", "--db", url, "--delete", ours.id]) == 2
    capsys.readouterr()
    gone = listed("--delete", ours.id, alone)
    assert gone[ours.id].endswith(": deleted")
    assert listed().keys() == {theirs.id}
    with inside(url) as connection:
        for column in ("events.body", "events.actor", "plays.players", "plays.record"):
            table, name = column.split(".")
            place = "table_id" if table == "events" else "coalesce(table_id, 'alone')"
            query = f"SELECT {name} FROM {table} WHERE {place} <> '{theirs.id}'"  # noqa: S608
            texts = connection.exec_driver_sql(query).scalars()
            assert [text for text in texts if text and '"tim"' in text.lower()] == [], column
    tables = Tables(url)
    assert tables.look(ours.id, "the-host").phase
    assert tables.look(theirs.id, "a-stranger").phase == "playing"
    assert {len(game.players) for game in tables.history.all_matches("the-host")} == {2, 3}
    tables.close()
    assert listed("--delete", "all").keys() == {theirs.id}
    assert main(["person", "TIM", "--db", url]) == 0
    assert "stands nowhere" in capsys.readouterr().out
