"""Backups by hand and by schedule, numbers for an operator, and deleting unused data."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
import sqlalchemy as sa

from companion.cli import main
from companion.core.refusal import Unusable
from companion.tables import Tables, quotas
from companion.tables.database import schema
from companion.tables.database.engine import Database
from companion.tables.database.schema import devices, metadata
from companion.tables.opening import open_tables
from companion.tables.play.lobby import again
from companion.tables.upkeep import keeper, schedule
from companion.tables.upkeep.backup import backup, restore
from companion.tables.upkeep.keeper import SeenDevices, record_uptime
from companion.tables.upkeep.table_deletion import delete_table
from companion.tables.upkeep.tidying import Tidied, tidy
from lab.history import paper
from lab.patience import until
from lab.tables import Clock, Evening, device, evening, inside, lobby, refused
from tests.tables.history.test_history import cuts_until_done

NAMES = ("Tim", "“Zoë” 👩‍👩‍👧 'x'", "=1+1")  # fmt: skip


def filled(url: str) -> Tables:
    """A database with something of everything in it."""
    tables = Tables(url)
    tables.secret_key()
    game = evening(tables, "the-host", NAMES)
    game.joined(seat="Tim")
    game.finish()
    tables.change(game.id, "the-host", again)
    paper(tables, "the-host", *NAMES)
    return tables


@pytest.fixture
def file(file_url: str, tmp_path: Path) -> Iterator[Path]:
    """A backup of an open database, most of which is in its log."""
    with closing(filled(file_url)):
        backup(file_url, path := tmp_path / "all.backup")
        yield path


def everything(url: str) -> dict[str, list[Any]]:
    with inside(url) as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in schema.metadata.sorted_tables
        }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_backup_is_restored_to_the_last_row(file: Path, tmp_path: Path, file_url: str) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "nobody else may read it"
    (folder := tmp_path / "other").mkdir()
    other_url = f"sqlite:///{folder / 'x.sqlite3'}"
    assert restore(other_url, file) is None
    assert everything(other_url) == everything(file_url)
    assert names(folder) == ["x.sqlite3", "x.sqlite3.lock"]
    assert stat.S_IMODE((folder / "x.sqlite3").stat().st_mode) == 0o600
    with closing(Tables(other_url)) as other:
        [table] = other.at_tables("the-host")
        Evening(other, table.id, "the-host").finish()
        assert len(other.history.all_matches("the-host")) == 3
    assert [name for name in names(tmp_path) if name.startswith(".")] == []


def test_a_database_with_matches_is_put_aside(file: Path, file_url: str) -> None:
    """With what is only in its log: a server was killed."""
    saved = everything(file_url)
    with inside(file_url) as connection:
        connection.execute(sa.update(schema.tables).values(changed_at=7))
    before = everything(file_url)
    path = file.with_name("killed.sqlite3")
    for suffix in ("", "-wal"):
        shutil.copy(f"{file.with_name('own.sqlite3')}{suffix}", f"{path}{suffix}")
    killed = f"sqlite:///{path}"
    with pytest.raises(Unusable, match="--replace"):
        restore(killed, file)
    aside = restore(killed, file, replace=True)
    assert aside is not None
    assert aside.name.startswith("killed.sqlite3-20")
    assert everything(killed) == saved
    assert everything(f"sqlite:///{aside}") == before


def test_a_database_restored_by_root_keeps_its_owner(
    file: Path, file_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file gets the folder's owner; so does the lock, without which no server starts."""
    given: list[tuple[int, int]] = []
    fstat = os.fstat
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(
        os, "fstat", lambda handle: os.stat_result([*fstat(handle)[:4], -1, -1, *fstat(handle)[6:]])
    )
    monkeypatch.setattr(os, "fchown", lambda _handle, *owner: given.append(owner))
    restored = file_url.replace("own", "restored")
    for _ in range(2):
        restore(restored, file, replace=True)
    assert given == [(os.getuid(), file.parent.stat().st_gid)] * 4


def test_a_backup_goes_through_pipes(
    file: Path,
    file_url: str,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Out of a container and back, where nobody else can read its files."""
    assert main(["backup", "-", "--db", file_url]) == 0
    raw = capsysbinary.readouterr().out
    other = file_url.replace("own", "other")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert main(["restore", "-", "--db", other]) == 0
    assert everything(other) == everything(file_url)
    monkeypatch.chdir(file.parent)
    named = file.with_name("-")  # as earlier versions wrote it
    named.write_bytes(raw)
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["backup", "-", "--db", file_url]) == 2
    assert b"The output cannot be written: No space left" in capsysbinary.readouterr().err
    assert named.read_bytes() == raw


def test_nothing_is_restored_under_a_server(file: Path, file_url: str) -> None:
    other = file_url.replace("own", "other")
    with closing(open_tables(other, serving=True)) as server:
        table = server.create(host := device(), "qwinto-dice")
        with pytest.raises(Unusable, match="Stop it first"):
            restore(other, file, replace=True)
        assert server.read(table, host).phase == "lobby"
    assert not list(file.parent.glob("*.restored"))


def overwrite(path: Path) -> None:
    """Overwrites twenty pages, from the fifth one on."""
    with path.open("r+b") as raw:
        raw.seek(4 * 4096)
        raw.write(random.Random(7).randbytes(20 * 4096))


def sql(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


VERSION = "UPDATE alembic_version SET version_num = "
SPOILED: tuple[tuple[Callable[[Path], object], str], ...] = (
    (lambda path: path.write_bytes(b""), "is not a backup"),
    (lambda path: path.write_bytes(gzip.compress(b"{}")), "by version 1"),
    (lambda path: (path.unlink(), sql(path, "CREATE TABLE bookmarks (url)")), "is not a backup"),
    (lambda path: os.truncate(path, path.stat().st_size // 2), "damaged"),
    (overwrite, "damaged"),
    (lambda path: sql(path, f"{VERSION} '0010'"), "version 1.0.0"),
    (lambda path: sql(path, f"{VERSION} '9901'"), "newer version"),
    (lambda path: path.unlink(), "cannot be read"),
)


def test_a_bad_backup_changes_nothing(
    file: Path, file_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    good, before = file.read_bytes(), everything(file_url)
    (new := file.with_name("new")).mkdir()
    for spoil, said in SPOILED:
        file.write_bytes(good)
        spoil(file)
        assert main(["restore", str(file), "--replace", "--db", file_url]) == 2
        assert said in capsys.readouterr().err
        assert main(["restore", str(file), "--db", f"sqlite:///{new / 'x.sqlite3'}"]) == 2
        assert names(new) == []
        assert everything(file_url) == before


@pytest.mark.postgres
def test_postgresql_is_copied_by_its_own_commands(
    postgres_database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sentences have them so that they can be run, without the password."""
    filled(postgres_database).close()
    before = everything(postgres_database)
    file = tmp_path / "a dump"
    secret = sa.make_url(postgres_database).set(password="hunter2")
    address = secret.render_as_string(hide_password=False)
    for command in ("backup", "restore"):
        assert main([command, str(file), "--db", address]) == 2
        said = capsys.readouterr().err
        assert "hunter2" not in said
        words = shlex.split(said.split(": ", 1)[1].strip().removesuffix("."))
        subprocess.run(words, check=True, capture_output=True)
    assert everything(postgres_database) == before
    words = ["serve", "--backup-every", "1d", "--backup-dir", str(tmp_path), "--db", address]
    assert main(words) == 2
    assert "pg_dump" in capsys.readouterr().err


# Scheduled backups, and numbers for an operator

HOUR = timedelta(hours=1)
NOW = datetime(2026, 9, 22, 12, 30, tzinfo=UTC)


@pytest.fixture
def database(file_url: str) -> Iterator[Database]:
    with closing(filled(file_url)) as tables:
        yield tables.database


def test_a_backup_is_written_when_due(
    database: Database, file_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with schedule.backing_up(database, schedule.Schedule(tmp_path / "gone", HOUR, 3)):
        assert until(lambda: "could not be written" in caplog.text)
    hourly = schedule.parse_schedule("1h", 2, str(tmp_path))
    for _ in range(2):  # the second time none is due
        with schedule.backing_up(database, hourly):
            assert until(lambda: schedule.backups_in(tmp_path))
    [at] = schedule.backups_in(tmp_path)
    file = tmp_path / at.strftime(schedule.NAME)
    before = everything(file_url)
    database.close()
    assert main(["restore", str(file), "--replace", "--db", file_url]) == 0
    assert everything(file_url) == before


def test_the_oldest_backups_go(database: Database, tmp_path: Path) -> None:
    """By the times in their names: a folder that was copied is not new."""
    hourly = schedule.Schedule(tmp_path, HOUR, 3)
    others = [tmp_path / name for name in ("games.backup", "companion-99Z.sqlite3")]
    for number in range(5):
        schedule.write_next(database, hourly, NOW + number * HOUR)
        os.utime(tmp_path / (NOW + number * HOUR).strftime(schedule.NAME), (2e9 - number,) * 2)
        others[number % 2].touch()
    expected = [NOW + number * HOUR for number in (4, 3, 2)]
    assert schedule.backups_in(tmp_path) == expected
    assert schedule.write_next(database, hourly, NOW + 4.5 * HOUR) == expected[0], "none is due"
    assert schedule.backups_in(tmp_path) == expected
    assert all(other.exists() for other in others), "nobody else's file"


def test_schedules_that_are_refused(tmp_path: Path) -> None:
    for every in ("", "1", "5m", "1w", "-1d", "1 d"):
        with pytest.raises(Unusable, match="--backup-every"):
            schedule.parse_schedule(every, 7, str(tmp_path))
    for every, keep, folder, said in (
        ("1d", 7, "", "name one with --backup-dir"),
        ("1d", 7, str(tmp_path / "gone"), "There is no folder .*gone"),
        (None, None, str(tmp_path), "--backup-dir alone writes no backups: .* --backup-every 1d"),
        (None, 3, "", "--backup-keep alone writes no backups"),
    ):
        with pytest.raises(Unusable, match=said):
            schedule.parse_schedule(every, keep, folder)
    assert schedule.parse_schedule(None, None, "") is None
    assert schedule.parse_schedule("1d", None, str(tmp_path)) == schedule.parse_schedule(
        "24h", 7, str(tmp_path)
    )


def test_status_counts_everything(
    database: Database, file_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schedule.write_next(database, schedule.Schedule(tmp_path, HOUR, 3), NOW)
    database.close()
    asked = ["status", "--db", file_url, "--backup-dir", str(tmp_path)]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    counted = {"tables": 1, "playing": 1, "games": 2, "on_paper": 1, "devices": 2, "reviews": 0}
    assert {name: found[name] for name in counted} == counted
    assert found["bytes"] > 10_000
    assert found["backups"] == ["2026-09-22"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "2  finished games" in said
    assert "2026-09-22" in said
    assert len(said.splitlines()) == 10


def test_a_person_is_removed_from_every_match(
    file_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From every device and table, even one where they only sit; confirmed once, and counted."""
    with closing(Tables(file_url)) as tables:
        tables.secret_key()
        evening(tables, "ada", ("Zara", "Tim")).finish()
        waiting = lobby(tables, "ben", ("Ben", "zara"))
        running = evening(tables, "cleo", ("Cleo", "ZARA"))
        paper(tables, "dan", "Zara", "Dan")
        paper(tables, "dan", "Zara")
        asked = ["forget", "Zara", "--db", file_url]
        before = everything(file_url)
        monkeypatch.setattr(click, "confirm", print)  # which is no yes
        assert main(asked) == 1
        said = capsys.readouterr().out
        assert "is in 3 finished games and 3 tables. 1 running games end without a result." in said
        monkeypatch.undo()
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        assert main(asked) == 2
        assert "the input has ended. --yes deletes" in capsys.readouterr().err
        assert main(["forget", "Yara", "--db", file_url, "--yes"]) == 1
        assert "“Yara” is in no game and at no table" in capsys.readouterr().err
        assert everything(file_url) == before
        assert main([*asked, "--yes"]) == 0
        assert "“Zara” was deleted from 3 finished games and 3 tables" in capsys.readouterr().out
        assert "zara" not in repr(everything(file_url)).casefold()
        assert [seat.name for seat in waiting.read().seats] == ["Ben"]
        assert running.read().phase == "lobby", "a server that runs beside sees it, too"
        assert [len(tables.history.all_matches(one)) for one in ("ada", "dan")] == [1, 1]


# Tidying: what nobody uses goes, as does a table that its founder deletes; nothing else

DAY = 24 * 60 * 60
KEEP = 365
OF_A_TABLE = ("events", "games", "links", "members", "tables")


def rows_of(url: str, table_id: str = "") -> set[str]:
    """The database's tables with rows, or with rows of one table of players."""
    found = set()
    with inside(url) as connection:
        for name, table in metadata.tables.items():
            query = sa.select(table)
            if table_id:
                of = table.c.get("id" if name == "tables" else "table_id")
                query = query.where(sa.false() if of is None else of == table_id)
            if connection.execute(query).first():
                found.add(name)
    return found - {"settings"}


def seen(tables: Tables, *phones: str) -> None:
    """These phones come by, and a server notes it."""
    for phone in phones:
        tables.seen(phone)
    tables._seen.note(tables)


def test_a_year_without_anybody(timed: Tables, clock: Clock, host: str, url: str) -> None:
    """One of two families comes back now and then, and keeps everything that it has finished."""
    ours = evening(timed, host)
    guest = ours.joined(seat="Sarah")
    ours.finish()
    paper(timed, host, "Ada")
    other = device()
    theirs = evening(timed, other)
    theirs.finish()
    running = evening(timed, other)
    screen = theirs.watching()
    paper(timed, other, "Ben")
    tidy(timed, KEEP)
    clock.turn(seconds=200 * DAY)
    seen(timed, host, screen.device)
    clock.turn(seconds=200 * DAY)
    rehearsed = tidy(timed, KEEP, is_rehearsal=True)
    assert theirs.read().phase == "over", "a rehearsal deletes nothing"
    tidied = tidy(timed, KEEP)
    assert tidied == rehearsed == Tidied(tables=3, games=2)
    for game in (ours, theirs, running):
        assert refused(game.read) == "no-such-table"
    assert len(timed.history.all_matches(host)) == 2
    for gone in (other, guest.device, screen.device):
        assert timed.history.all_matches(gone) == ()
    assert tidy(timed, KEEP) == Tidied()
    clock.turn(seconds=200 * DAY)
    assert tidy(timed, KEEP) == Tidied(games=2)
    assert rows_of(url) == set(), "and nothing is left of anybody"


def test_tables_in_play_are_never_deleted(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    for _ in range(2):
        game.finish()
        clock.turn(seconds=20 * DAY)
        game.change(again)
        assert tidy(timed, 30) == Tidied()
    assert game.read().number == 3


def test_at_first_unknown_devices_are_waited_for(timed: Tables, clock: Clock, host: str) -> None:
    """A database of an earlier version says of nobody when they were there last."""
    evening(timed, host).finish()
    clock.turn(seconds=2 * KEEP * DAY)
    assert tidy(timed, KEEP) == Tidied(tables=1)
    assert len(timed.history.all_matches(host)) == 1
    clock.turn(seconds=KEEP * DAY + 1)
    assert tidy(timed, KEEP) == Tidied(games=1)


def test_everything_may_be_kept(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    empty = timed.create(host, "qwinto-dice")
    review = timed.reviews.make(host, {})
    clock.turn(seconds=10 * KEEP * DAY)
    assert tidy(timed, 0) == Tidied(empty_tables=1, reviews=1)
    assert game.read().phase == "playing"
    assert refused(timed.read, empty, host) == "no-such-table"
    assert refused(timed.reviews.read, review, host) == "no-such-review"


def test_devices_with_nothing_fill_neither_database_nor_memory(
    timed: Tables, host: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger that throws its cookie away a million times leaves nothing."""
    evening(timed, host)
    seen(timed, host, device(), device())
    with inside(url) as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(devices)).scalar() == 1
    monkeypatch.setattr(keeper, "MOST_SEEN", 3)
    many = SeenDevices()
    for _ in range(10):
        many.add(device(), 1)
    assert len(many._seen) == 3


def test_a_server_waits_after_a_pause(timed: Tables, clock: Clock) -> None:
    """A clock that is a year ahead for a day, or a server that was off for long."""

    def days(count: int) -> list[bool]:
        found = []
        for _ in range(count):
            clock.turn(seconds=DAY)
            found.append(record_uptime(timed))
        return found

    assert days(8) == [False] * 7 + [True]
    clock.turn(seconds=400 * DAY)
    assert days(8) == [False] * 7 + [True]
    clock.turn(seconds=-400 * DAY)
    assert days(8) == [False] * 7 + [True]


def test_a_server_tidies_by_itself(
    timed: Tables, clock: Clock, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of the server also notes the devices of its last minute."""
    monkeypatch.setattr(keeper, "NOTE_SECONDS", 0.001)
    monkeypatch.setattr(keeper, "TIDY_SECONDS", 0.001)
    game = evening(timed, host)
    empty = timed.create(host, "qwinto-dice")
    clock.turn(seconds=(quotas.UNUSED_DAYS + 1) * DAY)
    timed.keep_tidy(KEEP)
    timed.seen(host)
    assert until(lambda: empty not in {line.id for line in timed.at_tables(host)})
    assert timed._keeper is not None
    timed._keeper.close()
    assert timed._seen._seen == {}
    assert game.read().phase == "playing"


def test_the_command(
    tmp_path: Path, clock: Clock, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server runs meanwhile; its pages then say that the table is gone."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    clock.turn(seconds=-10 * KEEP * DAY)
    with closing(Tables(url, clock=clock, serving=True)) as running:
        game = evening(running, host)
        empty = running.create(host, "qwinto-dice")
        assert main(["tidy", "--db", url, "--dry-run", "--json"]) == 0
        deleted = {"empty_tables": 1, "tables": 1, "games": 0, "reviews": 0}
        document = {"format": "companion-tidy/1", "dry_run": True, "deleted": deleted}
        assert json.loads(capsys.readouterr().out) == document
        assert main(["tidy", "--db", url, "--keep", "36500"]) == 0
        assert "1  tables at which no game has begun: deleted" in capsys.readouterr().out
        assert game.read().phase == "playing"
        assert refused(running.read, empty, host) == "no-such-table"
        assert main(["tidy", "--db", url]) == 0
        assert refused(game.read) == "no-such-table"
    for wrong in ("-1", "1", "x", "99999999"):
        assert main(["tidy", "--keep", wrong]) == 2


def test_a_table_that_was_half_deleted_is_deleted_by_the_next(
    timed: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its matches go to the players a few at a time, each once."""
    game = evening(timed, host)
    guest = game.joined(seat="Sarah").device
    game.finish()
    game.change(again)
    game.finish()
    before = {match.identity for match in timed.history.all_matches(host)}
    assert cuts_until_done(timed, monkeypatch, lambda: delete_table(timed, game.id, host)) == 2
    for who in (host, guest):
        found = [match.identity for match in timed.history.all_matches(who)]
        assert (len(found), {*found}) == (2, before)


def second_game(timed: Tables, host: str) -> tuple[Evening, Evening, Evening]:
    """A table in its second match: the host's, a player's and a viewer's device."""
    game = evening(timed, host)
    guest, screen = game.joined(seat="Sarah"), game.watching()
    game.finish()
    game.change(again)
    game.do({"do": "roll", "by": "Sarah", "dice": {"orange": 3}})
    return game, guest, screen


def test_only_the_host_deletes_a_table(timed: Tables, host: str) -> None:
    game, guest, screen = second_game(timed, host)
    for phone, code in ((guest, "not-host"), (screen, "not-host"), (game.on("x"), "not-a-member")):
        assert refused(delete_table, timed, game.id, phone.device) == code


def test_a_deleted_table_is_gone(timed: Tables, host: str, url: str) -> None:
    game, guest, screen = second_game(timed, host)
    assert rows_of(url, game.id) == {*OF_A_TABLE, "plays"}
    woken: list[int] = []
    timed.bus.subscribe(game.id, woken.append)
    delete_table(timed, game.id, host)
    assert woken, "the streams must look, and end"
    assert rows_of(url, game.id) == set()
    for phone in (game, guest, screen):
        assert refused(phone.read) == "no-such-table"
        assert timed.at_tables(phone.device) == ()
    with closing(Tables(url)) as other:  # which has nothing in its memory
        assert refused(other.read, game.id, host) == "no-such-table"


def test_a_deleted_table_leaves_its_finished_matches(timed: Tables, host: str) -> None:
    game, guest, screen = second_game(timed, host)
    [before] = timed.history.all_matches(guest.device)
    delete_table(timed, game.id, host)
    for who in (host, guest.device):
        [after] = timed.history.all_matches(who)
        assert after.may_change
        assert (after.players, after.record) == (before.players, before.record)
        assert (after.table_id, after.number) == (None, None)
    assert timed.history.all_matches(screen.device) == ()


def test_a_deleted_table_fills_no_history_of_another(
    timed: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, guest, _screen = second_game(timed, host)
    monkeypatch.setattr(quotas, "MOST_WITH_COPIES", 1)
    for one in (host, guest.device):
        paper(timed, one, "Ada")
    delete_table(timed, game.id, host)
    assert [len(timed.history.all_matches(one)) for one in (host, guest.device)] == [2, 1]


def test_the_devices_of_a_deleted_table_have_a_copy_each(timed: Tables, host: str) -> None:
    game, guest, _screen = second_game(timed, host)
    delete_table(timed, game.id, host)
    [match] = timed.history.all_matches(host)
    timed.history.delete_match(host, match.id)
    assert len(timed.history.all_matches(guest.device)) == 1
