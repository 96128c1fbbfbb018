"""The whole database in a file: both databases make the same one, and take no half of one."""

from __future__ import annotations

import gzip
import hashlib
import json
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from companion import __version__
from companion.cli import main
from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.tables.database import schema
from companion.tables.database.engine import Database, upgrade
from companion.tables.play.lobby import again
from companion.tables.upkeep import backup
from companion.tables.upkeep.backup import FORMAT
from tests.kit.history import paper
from tests.tables.friends import Evening, device, evening, inside

NAMES = ("Tim", "“Zoë” 👩‍👩‍👧 'x'", "=1+1")  # fmt: skip


@pytest.fixture
def filled(url: str) -> Iterator[Tables]:
    """A database in which something of everything stands."""
    tables = Tables(url)
    tables.secret_key()
    game = evening(tables, "the-host", NAMES)
    game.joined(seat="Tim")
    game.finish()
    tables.change(game.id, "the-host", again)
    paper(tables, "the-host", *NAMES)
    yield tables
    tables.close()


@pytest.fixture
def file(filled: Tables, tmp_path: Path) -> Path:
    path = tmp_path / "all.backup"
    backup.backup(filled.database, path)
    return path


def everything(url: str) -> dict[str, list[Any]]:
    with inside(url) as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in schema.metadata.sorted_tables
        }


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


def rewritten(file: Path, documents: list[Any], *, checksum: bool = True) -> Path:
    """The file with other lines and, if wanted, the right checksum for them."""
    if checksum:
        documents = documents[:-1]
    raw = b"".join(
        json.dumps(document, separators=(",", ":")).encode() + b"\n" for document in documents
    )
    if checksum:
        end = {"rows": len(documents) - 1, "sha256": hashlib.sha256(raw).hexdigest()}
        raw += json.dumps(end).encode() + b"\n"
    file.write_bytes(gzip.compress(raw))
    return file


def test_a_backup_is_restored_to_the_last_row(
    filled: Tables, file: Path, tmp_path: Path, url: str
) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "nobody else may read it"
    assert [path.name for path in file.parent.glob(".*")] == []
    other_url = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    other = Tables(other_url)
    try:
        other.secret_key()  # a server was started there once
        assert backup.restore(other.database, file).total() == len(lines(file)) - 2
        assert everything(other_url) == everything(url)
        again = tmp_path / "again.backup"
        backup.backup(other.database, again)
        assert again.read_bytes() == file.read_bytes()
        table = other.at_tables("the-host")[0]
        assert Evening(other, table.id, "the-host").look().phase == "playing"
        assert len(other.history.all_matches("the-host")) == 2
    finally:
        other.close()


@pytest.mark.postgres
def test_from_sqlite_to_postgresql_and_back(tmp_path: Path, postgres_database: str) -> None:
    first = Tables(f"sqlite:///{tmp_path / 'first.sqlite3'}")
    second = Tables(postgres_database)
    third = Tables(f"sqlite:///{tmp_path / 'third.sqlite3'}")
    try:
        game = evening(first, device(), NAMES)
        game.finish()
        files = [tmp_path / name for name in ("one", "two", "three")]
        backup.backup(first.database, files[0])
        backup.restore(second.database, files[0])
        backup.backup(second.database, files[1])
        backup.restore(third.database, files[1])
        backup.backup(third.database, files[2])
        assert len({file.read_bytes() for file in files}) == 1
    finally:
        for tables in (first, second, third):
            tables.close()


def test_a_database_in_use_is_not_overwritten(filled: Tables, file: Path, url: str) -> None:
    before = everything(url)
    with pytest.raises(Unusable, match="--replace"):
        backup.restore(filled.database, file)
    assert everything(url) == before
    evening(filled, device())
    backup.restore(filled.database, file, replace=True)
    assert everything(url) == before


def test_a_backup_sees_one_moment(filled: Tables, tmp_path: Path) -> None:
    """Somebody taps all the time; the file has no event without its table's version."""
    table = filled.at_tables("the-host")[0].id
    game = Evening(filled, table, "the-host")
    over = threading.Event()

    def tapping() -> None:
        entry = game.do({"do": "roll", "by": game.position.active, "dice": {"orange": 1}})
        for number in range(150):
            if over.is_set():
                return
            dice = {"orange": number % 6 + 1}
            action = {"do": "roll", "by": game.position.active, "dice": dice}
            game.tap(replaces=entry, action=action)

    thread = threading.Thread(target=tapping)
    thread.start()
    try:
        for number in range(4):
            path = tmp_path / f"{number}.backup"
            backup.backup(filled.database, path)
            rows = lines(path)[1:-1]
            version = next(row[2] for row in rows if row[:2] == ["tables", table])
            assert version == max(row[2] for row in rows if row[:2] == ["events", table])
    finally:
        over.set()
        thread.join()


def damaged(file: Path) -> Iterator[tuple[str, bytes]]:
    """The ways in which a file is none, or only part of one."""
    raw = file.read_bytes()
    unpacked = gzip.decompress(raw)
    yield "empty", b""
    yield "text", b"hello"
    yield "a picture", b"\x89PNG\r\n\x1a\n" + bytes(200)
    yield "a gzip'd text", gzip.compress(b"hello\n")
    yield "another JSON", gzip.compress(b'{"format": "companion-history/1"}\n')
    yield "a number", gzip.compress(b"1\n")
    yield "deep", gzip.compress(b"[" * 100_000 + b"\n")
    yield "half", raw[: len(raw) // 2]
    yield "without its last byte", raw[:-1]
    yield "half its lines", gzip.compress(b"".join(unpacked.splitlines(True)[:9]))
    yield (
        "one line less",
        gzip.compress(
            b"".join(line for number, line in enumerate(unpacked.splitlines(True)) if number != 5)
        ),
    )
    yield "another letter", gzip.compress(unpacked.replace(b"Tim", b"Tom", 1))
    yield "more behind it", gzip.compress(unpacked + unpacked)
    yield "no last line feed", gzip.compress(unpacked[:-1])
    flipped = bytearray(raw)
    flipped[len(raw) // 2] ^= 255
    yield "a bit turned over", bytes(flipped)


OTHERS: tuple[Callable[[Any], object], ...] = (
    lambda head: head.update(revision="9999", version="7.5"),
    lambda head: head.update(revision="9999", version=7.5),
    lambda head: head.update(revision=None),
    lambda head: head.update(revision="000"),
    lambda head: head.update(format="companion-backup/2"),
    lambda head: head.update(tables=None),
    lambda head: head["tables"].pop("settings"),
    lambda head: head["tables"]["tables"].append("more"),
    lambda head: head["tables"].update(tables=[[1]]),
    lambda head: head["tables"].update(x=[{}]),
)


CRAFTED: tuple[tuple[str, str, Any], ...] = (
    ("settings", "value", ""),
    ("tables", "names", "{"),
    ("tables", "names", "[1]"),
    ("tables", "version", 99),
    ("tables", "version", "many"),
    ("tables", "phase", "elsewhere"),
    ("tables", "changed_at", 10**17),
    ("tables", "made_at", -1),
    ("events", "seq", 500),
    ("events", "table_id", "no-such-table"),
    ("events", "body", "[]"),
    ("events", "body", "[" * 100_000),
    ("events", "at", "yesterday"),
    ("members", "role", "owner"),
    ("links", "kind", "admin"),
    ("plays", "players", "null"),
    ("plays", "players", '[{"name":1,"total":1,"won":true,"sheet":null}]'),
    ("plays", "players", '[{"name":"A","total":1.5,"won":true,"sheet":null}]'),
    ("plays", "record", "7"),
    ("plays", "ended_at", 10**16),
    ("plays", "source", "dreamt"),
)
"""Values that SQLite takes in any column, and that no page could show afterwards."""


def bad_backups(file: Path) -> Iterator[tuple[str, Path]]:
    """Files that are no whole backup, of another program, or with rows that no database takes."""
    bad = file.with_name("bad.backup")
    for name, raw in damaged(file):
        bad.write_bytes(raw)
        yield name, bad
    for number, change in enumerate(OTHERS):
        documents = lines(file)
        change(documents[0])
        yield f"head {number}", rewritten(bad, documents)
    for table, column, value in CRAFTED:
        documents = lines(file)
        place = documents[0]["tables"][table].index(column) + 1
        row = next(row for row in documents[1:] if isinstance(row, list) and row[0] == table)
        row[place] = value
        yield f"{table}.{column} {value}"[:80], rewritten(bad, documents)


def test_a_bad_backup_changes_nothing(filled: Tables, file: Path, url: str) -> None:
    before = everything(url)
    unpacked = {name for name, _ in damaged(file)} | {f"head {n}" for n in range(len(OTHERS))}
    for name, bad in bad_backups(file):
        with pytest.raises((Unusable, sa.exc.SQLAlchemyError, OverflowError)) as caught:
            backup.restore(filled.database, bad, replace=True)
        if name == "head 0":
            assert "score_sheet_companion-7.5-py3-none-any.whl" in str(caught.value)
        if name in unpacked:
            assert isinstance(caught.value, Unusable), name
            assert str(caught.value).endswith("."), name
        assert everything(url) == before, name


def test_a_backup_of_an_earlier_version_is_migrated(
    filled: Tables, file: Path, tmp_path: Path, url: str
) -> None:
    documents = lines(file)
    new = {"plays"} | (set(documents[0]["tables"]) - set(_tables_of("0001", tmp_path)))
    documents[0]["revision"] = "0001"
    for name in new:
        documents[0]["tables"].pop(name, None)
    documents = [
        document for document in documents if isinstance(document, dict) or document[0] not in new
    ]
    backup.restore(filled.database, rewritten(file, documents), replace=True)
    # What was played in the app is taken up from its log at the next start.
    other = Tables(url)
    assert len(other.history.all_matches("the-host")) == 1
    other.close()
    with inside(url) as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == (
            schema.HEAD
        )


def _tables_of(revision: str, folder: Path) -> list[str]:
    engine = sa.create_engine(f"sqlite:///{folder / 'early.sqlite3'}")
    with engine.begin() as connection:
        upgrade(connection, revision)
        names = sa.inspect(connection).get_table_names()
    engine.dispose()
    return names


def test_bytes_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of readings are bytes; no table of this branch has any."""
    extended = sa.MetaData()
    for table in schema.metadata.sorted_tables:
        table.to_metadata(extended)
    extra = sa.Table(
        "zz_pictures",
        extended,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("data", sa.LargeBinary),
    )
    monkeypatch.setattr(schema, "metadata", extended)
    first = Database(f"sqlite:///{tmp_path / 'first.sqlite3'}")
    second = Database(f"sqlite:///{tmp_path / 'second.sqlite3'}")
    from companion.tables.upkeep import backup

    rows = [(1, b""), (2, bytes(range(256))), (3, None)]
    try:
        for database in (first, second):
            with database.write() as connection:
                extra.create(connection)
        with first.write() as connection:
            connection.execute(
                extra.insert(), [{"id": row_id, "data": data} for row_id, data in rows]
            )
        backup.backup(first, tmp_path / "file")
        backup.restore(second, tmp_path / "file", replace=True)
        with second.read() as connection:
            assert [tuple(row) for row in connection.execute(sa.select(extra))] == rows
    finally:
        first.close()
        second.close()


# The commands


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'one.sqlite3'}"
    other = f"sqlite:///{tmp_path / 'two.sqlite3'}"
    tables = Tables(url)
    paper(tables, "me", "Ada", "Ben")
    tables.close()
    file = str(tmp_path / "all.backup")
    assert main(["backup", file, "--db", url]) == 0
    assert main(["restore", file, "--db", other]) == 0
    assert main(["restore", file, "--db", other]) == 2
    assert main(["restore", file, "--db", other, "--replace"]) == 0
    tables = Tables(other)
    assert len(tables.history.all_matches("me")) == 1
    tables.close()
    head = lines(Path(file))[0]
    assert (head["format"], head["version"]) == (FORMAT, __version__)
    assert capsys.readouterr().out == ""


def test_a_backup_does_not_load_the_web_server(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'one.sqlite3'}"
    Tables(url).close()
    script = (
        "import sys; from companion.cli import main; main(sys.argv[1:]);"
        "print([name for name in ('companion.web', 'flask', 'uvicorn') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script, "backup", str(tmp_path / "file"), "--db", url]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("fault", ["its end is missing", "no usable phase"])
def test_a_bad_backup_leaves_no_new_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    tables = Tables(f"sqlite:///{tmp_path / 'one.sqlite3'}")
    evening(tables, "the-host")
    backup.backup(tables.database, file := tmp_path / "all.backup")
    tables.close()
    documents = lines(file)
    row = next(row for row in documents if isinstance(row, list) and row[0] == "tables")
    row[documents[0]["tables"]["tables"].index("phase") + 1] = "elsewhere"
    has_end = "phase" in fault
    rewritten(file, documents if has_end else documents[:-1], checksum=has_end)
    (new := tmp_path / "new").mkdir()
    assert main(["restore", str(file), "--db", f"sqlite:///{new / 'x.sqlite3'}"]) == 2
    assert fault in capsys.readouterr().err
    assert list(new.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["backup", "{folder}/x", "--db", "sqlite:///{folder}/none.sqlite3"],
        ["backup", "{folder}", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["backup", "{folder}/no/x", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["restore", "{folder}/none", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["restore", "{folder}", "--db", "sqlite:///{folder}/there.sqlite3"],
        ["restore", "{folder}/there.sqlite3", "--db", "sqlite:///{folder}/there.sqlite3"],
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
    assert not (tmp_path / "none.sqlite3").exists()
