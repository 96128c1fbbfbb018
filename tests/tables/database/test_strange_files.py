"""No command opens, changes or makes a SQLite file that is not meant to be the companion's."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

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


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> Callable[[str, list[str]], str]:
    """Gives the sentence with which a command refuses a database."""

    def refuse(command: str, database: list[str]) -> str:
        assert main([*command.format(elsewhere=elsewhere).split(), *database]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.strip().endswith(".")
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
    "a picture": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(5000)),
    "another program's": sql("CREATE TABLE bookmarks (url)", "INSERT INTO bookmarks VALUES (1)"),
    "another one's with migrations": sql(
        "CREATE TABLE alembic_version (version_num)",
        "INSERT INTO alembic_version VALUES ('0001')",
        "CREATE TABLE users (name)",
    ),
    "another one's with a log": sql("PRAGMA journal_mode = WAL", "CREATE TABLE mails (text)"),
    "another one's log": in_its_log,
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_strange_file_stays_as_it_is(
    tmp_path: Path, refusal: Callable[[str, list[str]], str], stranger: str, command: str
) -> None:
    path = tmp_path / "file"
    STRANGERS[stranger](path)
    path.chmod(0o644)
    before = contents(tmp_path)
    said = refusal(command, ["--db", f"sqlite:///{path}"])
    assert contents(tmp_path) == before
    assert ("another program's" if "another" in stranger else "is no database") in said


@pytest.mark.parametrize("command", COMMANDS[1:])
def test_no_database_is_made_by_a_slip(
    tmp_path: Path, elsewhere: Path, refusal: Callable[[str, list[str]], str], command: str
) -> None:
    """But `restore` into a new file is how a backup is tried."""
    database = ["--db", f"sqlite:///{tmp_path / 'new.sqlite3'}"]
    if command.startswith("restore"):
        assert main([*command.format(elsewhere=elsewhere).split(), *database]) == 0
        assert (tmp_path / "new.sqlite3").is_file()
        return
    assert "There is no database" in refusal(command, database)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("command", [*COMMANDS, "reader"])
@pytest.mark.parametrize("address", ["", " "])
def test_an_empty_address_is_not_the_default_database(
    tmp_path: Path,
    refusal: Callable[[str, list[str]], str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    address: str,
) -> None:
    """`restore --replace --db "$UNSET"` would have deleted it."""
    monkeypatch.delenv("COMPANION_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    Tables(database_url()).close()
    before = contents(tmp_path / "companion")
    assert "--db is empty" in refusal(command, ["--db", address])
    monkeypatch.setenv("COMPANION_DB", address)
    assert "COMPANION_DB is empty" in refusal(command, [])
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
