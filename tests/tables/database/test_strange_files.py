"""No command opens, changes or makes a SQLite file that is not meant to be the companion's."""

from __future__ import annotations

import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, Protocol

import pytest

from companion.cli import main
from companion.tables import Tables
from companion.tables.opening import database_url
from companion.web.run import serve

COMMANDS: Final = (
    "serve --host 127.0.0.1 --port 0",
    "backup {elsewhere}/new.backup",
    "restore {elsewhere}/games.backup",
    "restore {elsewhere}/games.backup --replace",
    "tidy",
    "tidy --dry-run",
    "status",
)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a backup."""
    folder = tmp_path_factory.mktemp("elsewhere")
    url = f"sqlite:///{folder / 'companion.sqlite3'}"
    Tables(url).close()
    assert main(["backup", str(folder / "games.backup"), "--db", url]) == 0
    return folder


@pytest.fixture(autouse=True)
def _serves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that would start is a failure, and not a wait."""
    monkeypatch.setattr(serve, "_serve", lambda *_: pytest.fail("it serves"))


def contents(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Each file of a folder: its bytes, its mode and the time of its last change.

    Readers note themselves in `-shm`.
    """
    files = [path for path in folder.iterdir() if not path.name.endswith("-shm")]
    stats = [path.stat() for path in files]
    return {
        path.name: (path.read_bytes(), stat.S_IMODE(found.st_mode), found.st_mtime_ns)
        for path, found in zip(files, stats, strict=True)
    }


class Refuse(Protocol):
    def __call__(self, command: str, *database: str) -> str: ...


@pytest.fixture
def refuse(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> Refuse:
    """Gives the sentence with which a command refuses a database."""

    def refuse(command: str, *database: str) -> str:
        capsys.readouterr()
        assert main([*command.format(elsewhere=elsewhere).split(), *database]) == 2, command
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert said.err.endswith(".\n")
        return said.err

    return refuse


def sql(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return make


def in_its_log(path: Path) -> None:
    """A program died before anything but the write-ahead log had its tables."""
    with closing(sqlite3.connect(path.with_name("running"))) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE mails (text)")
        connection.commit()
        for suffix in ("", "-wal", "-shm"):
            shutil.copy(path.with_name(f"running{suffix}"), path.with_name(path.name + suffix))
    path.with_name("running").unlink()


STRANGERS: Final[dict[str, Callable[[Path], object]]] = {
    "a diary": lambda path: path.write_text("This is a diary and no database. " * 100),
    "a line feed": lambda path: path.write_text("\n"),
    "another one's with migrations": sql(
        "CREATE TABLE alembic_version (version_num)",
        "INSERT INTO alembic_version VALUES ('0001')",
        "CREATE TABLE users (name)",
    ),
    "another one's with a log": sql("PRAGMA journal_mode = WAL", "CREATE TABLE mails (text)"),
    "another one's log": in_its_log,
}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_strange_file_stays_as_it_is(tmp_path: Path, refuse: Refuse, stranger: str) -> None:
    path = tmp_path / "file"
    STRANGERS[stranger](path)
    path.chmod(0o644)
    before = contents(tmp_path)
    for command in COMMANDS:
        said = refuse(command, "--db", f"sqlite:///{path}")
        assert ("another program's" if "another" in stranger else "is no database") in said
        assert contents(tmp_path) == before, command


def test_damaged_pages_are_one_sentence_until_a_backup_replaces_them(
    tmp_path: Path, elsewhere: Path, refuse: Refuse
) -> None:
    path = tmp_path / "x.sqlite3"
    url = f"sqlite:///{path}"
    Tables(url).close()
    with path.open("r+b") as raw:
        raw.seek(4 * 4096)
        raw.write(random.Random(7).randbytes(20 * 4096))
    for command in COMMANDS:
        if "restore" not in command:
            assert "is no database, or a damaged one" in refuse(command, "--db", url), command
    assert not (elsewhere / "new.backup").exists()
    assert main(["restore", str(elsewhere / "games.backup"), "--replace", "--db", url]) == 0
    assert main(["status", "--db", url]) == 0


def test_no_database_is_made_by_a_slip(tmp_path: Path, elsewhere: Path, refuse: Refuse) -> None:
    """But `restore` into a new file is how a backup is tried."""
    url = f"sqlite:///{tmp_path / 'new.sqlite3'}"
    for command in ("backup {elsewhere}/new.backup", "tidy", "tidy --dry-run", "status"):
        assert "There is no database" in refuse(command, "--db", url)
    assert contents(tmp_path) == {}
    assert main(["restore", str(elsewhere / "games.backup"), "--db", url]) == 0
    assert main(["status", "--db", url]) == 0


@pytest.mark.parametrize("address", ["", " "])
def test_an_empty_address_is_not_the_default_database(
    tmp_path: Path, refuse: Refuse, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """`restore --replace --db "$UNSET"` would have deleted it."""
    monkeypatch.delenv("COMPANION_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    Tables(database_url()).close()
    before = contents(tmp_path / "companion")
    for command in (*COMMANDS, "reader"):
        assert "--db is empty" in refuse(command, "--db", address)
        with monkeypatch.context() as patch:
            patch.setenv("COMPANION_DB", address)
            assert "COMPANION_DB is empty" in refuse(command)
    assert contents(tmp_path / "companion") == before


def test_a_database_that_is_only_in_its_log_yet(tmp_path: Path) -> None:
    """A server that was just started, and one that was killed then."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    with closing(Tables(url, serving=True)):
        assert main(["tidy", "--dry-run", "--db", url]) == 0
        (tmp_path / "copy").mkdir()
        for path in tmp_path.glob("x.sqlite3*"):
            shutil.copy(path, tmp_path / "copy")
    assert main(["tidy", "--db", f"sqlite:///{tmp_path / 'copy' / 'x.sqlite3'}"]) == 0


def test_places_that_are_none(tmp_path: Path, refuse: Refuse) -> None:
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    Tables(there).close()
    before = contents(tmp_path)
    for command in (
        f"backup {tmp_path}",
        f"backup {tmp_path}/there.sqlite3",
        f"backup {tmp_path}/no/x",
        f"restore {tmp_path}",
    ):
        refuse(command, "--db", there)
    for command in (f"backup {tmp_path}/x", f"restore {tmp_path}/there.sqlite3"):
        said = refuse(command, "--db", f"sqlite:///{tmp_path}/no/x.sqlite3")
        assert f"There is no folder {tmp_path / 'no'}." in said
    refuse(f"restore {tmp_path}/none", "--db", "nonsense")
    assert contents(tmp_path) == before
