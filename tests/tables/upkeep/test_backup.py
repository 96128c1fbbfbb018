"""The whole database in a file and back; there is never half of either."""

from __future__ import annotations

import gzip
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
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from companion.cli import main
from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.tables.database import schema, sqlite_file
from companion.tables.opening import open_tables
from companion.tables.play.lobby import again
from companion.tables.upkeep.backup import backup, restore
from tests.kit.history import paper
from tests.tables.database.test_old_databases import OLD
from tests.tables.friends import Evening, device, evening, inside

NAMES = ("Tim", "“Zoë” 👩‍👩‍👧 'x'", "=1+1")  # fmt: skip


def filled(url: str) -> Tables:
    """A database in which something of everything stands."""
    tables = Tables(url)
    tables.secret_key()
    game = evening(tables, "the-host", NAMES)
    game.joined(seat="Tim")
    game.finish()
    tables.change(game.id, "the-host", again)
    paper(tables, "the-host", *NAMES)
    return tables


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'own.sqlite3'}"


@pytest.fixture
def tables(file_url: str) -> Iterator[Tables]:
    with closing(filled(file_url)) as opened:
        yield opened


@pytest.fixture
def file(tables: Tables, file_url: str, tmp_path: Path) -> Path:
    path = tmp_path / "all.backup"
    backup(file_url, path)
    return path


def everything(url: str) -> dict[str, list[Any]]:
    with inside(url) as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in schema.metadata.sorted_tables
        }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_backup_is_restored_to_the_last_row(
    tables: Tables, file: Path, tmp_path: Path, file_url: str
) -> None:
    """Also of a database that is open, and of which the most is in its log."""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "nobody else may read it"
    (folder := tmp_path / "other").mkdir()
    other_url = f"sqlite:///{folder / 'x.sqlite3'}"
    assert restore(other_url, file) is None
    assert everything(other_url) == everything(file_url)
    assert names(folder) == ["x.sqlite3", "x.sqlite3.lock"]
    assert stat.S_IMODE((folder / "x.sqlite3").stat().st_mode) == 0o600
    with closing(Tables(other_url)) as other:
        table = other.at_tables("the-host")[0]
        assert Evening(other, table.id, "the-host").read().phase == "playing"
        assert len(other.history.all_matches("the-host")) == 2
    assert [name for name in names(tmp_path) if name.startswith(".")] == []


def test_a_database_with_games_is_put_aside(file: Path, tables: Tables, file_url: str) -> None:
    """With what is only in its log: a server was killed."""
    saved = everything(file_url)
    evening(tables, device())
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


@pytest.mark.parametrize("served", [True, False])
def test_nothing_is_restored_under_a_server(file: Path, file_url: str, served: bool) -> None:
    other = file_url.replace("own", "other")
    before = file.read_bytes()
    with closing(open_tables(other, serving=served)) as server:
        table = server.create(host := device(), "qwinto-dice")
        if served:
            with pytest.raises(Unusable, match="Stop it first"):
                restore(other, file, replace=True)
            assert server.read(table, host).phase == "lobby"
        else:  # a command that is late saves nothing into a file that is no longer the database
            restore(other, file, replace=True)
            with pytest.raises(sa.exc.OperationalError, match="deleted or replaced"):
                server.create(host, "qwinto-dice")
    assert file.read_bytes() == before
    assert not list(file.parent.glob("*.restored"))


def overwritten(path: Path) -> None:
    """Twenty pages from the fifth one on are something else."""
    with path.open("r+b") as raw:
        raw.seek(4 * 4096)
        raw.write(random.Random(7).randbytes(20 * 4096))


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def another(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")


def of(revision: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", [revision])

    return make


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: path.unlink(), "cannot be read"),
    "empty": (lambda path: path.write_bytes(b""), "no backup"),
    "of version 1": (lambda path: path.write_bytes(gzip.compress(b"{}")), "by version 1"),
    "another program's": (another, "no backup"),
    "cut off": (cut, "damaged"),
    "overwritten": (overwritten, "damaged"),
    "too old": (of("0010"), "version 1.0.0"),
    "too new": (of("9901"), "newer version"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_backup_changes_nothing(
    tables: Tables, file: Path, file_url: str, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    tables.close()
    spoil, said = BAD[fault]
    spoil(file)
    before = everything(file_url)
    assert main(["restore", str(file), "--replace", "--db", file_url]) == 2
    assert said in capsys.readouterr().err
    (new := file.with_name("new")).mkdir()
    assert main(["restore", str(file), "--db", f"sqlite:///{new / 'x.sqlite3'}"]) == 2
    assert names(new) == []
    assert everything(file_url) == before


def test_damaged_pages_are_one_sentence_in_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite3"
    path.write_bytes(gzip.decompress((OLD / "0012.sqlite3.gz").read_bytes()))
    whole = tmp_path / "whole.backup"
    url = f"sqlite:///{path}"
    Tables(url).close()  # migrates it
    path.with_name(f"x.sqlite3-before-{schema.HEAD}").unlink()
    assert main(["backup", str(whole), "--db", url]) == 0
    kept = whole.read_bytes()
    overwritten(path)
    commands = (
        ["backup", str(whole)], ["status"], ["status", "--json"], ["tidy"], ["tidy", "--dry-run"],
        ["serve", "--host", "127.0.0.1", "--port", "0"],
    )  # fmt: skip
    capsys.readouterr()
    for command in commands:
        assert main([*command, "--db", url]) == 2, command
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert "is no database, or a damaged one" in said.err
    assert whole.read_bytes() == kept
    assert names(tmp_path) == ["whole.backup", "x.sqlite3", "x.sqlite3.lock"]
    assert main(["restore", str(whole), "--replace", "--db", url]) == 0
    assert main(["status", "--db", url]) == 0


def test_a_file_that_cannot_be_written(
    file: Path, file_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sqlite_file.os, "fsync", full)
    with pytest.raises(Unusable, match=r"all\.backup cannot be written: No space left"):
        backup(file_url, file)
    assert file.read_bytes() == before
    assert not list(file.parent.glob(".*"))


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


def test_a_backup_does_not_load_the_web_server(file: Path, file_url: str) -> None:
    script = (
        "import sys; from companion.cli import main; main(sys.argv[1:]);"
        "print([name for name in ('companion.web', 'flask', 'uvicorn') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script, "backup", str(file), "--db", file_url]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ["backup", "{folder}/x", "--db", "sqlite:///{folder}/none.sqlite3"],
        ["backup", "{folder}/x", "--db", "sqlite:///{folder}/no/none.sqlite3"],
        ["backup", "{folder}", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["backup", "{folder}/there.sqlite3", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["backup", "{folder}/no/x", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["restore", "{folder}", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["restore", "{folder}/there.sqlite3", "--db", "sqlite:///{folder}/no/x.sqlite3"],
        ["restore", "{folder}/none", "--db", "nonsense"],
    ],
)
def test_what_the_commands_refuse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    Tables(f"sqlite:///{tmp_path / 'there.sqlite3'}").close()
    assert main([part.format(folder=tmp_path) for part in arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "Traceback" not in told.err
    assert told.err.strip().endswith(".")
    if "/no/" in arguments[-1]:
        assert f"There is no folder {tmp_path / 'no'}." in told.err
    assert names(tmp_path) == ["there.sqlite3"]
