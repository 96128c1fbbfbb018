"""The whole database in a file, and back: the same file for SQLite and PostgreSQL.

The file is gzip'd JSON lines. The first line has the format, the version of the program that wrote
it, the schema's revision and the tables with their columns. Then follows a line for each row, in
the order in which rows refer to each other. The last line has the number of rows and the SHA-256
of all lines before it. A backup holds every group's games and the key that signs the cookies, so
only the server's owner may have it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion import __version__
from companion.core.refusal import Unusable
from companion.tables.database import schema
from companion.tables.database.engine import (
    Database,
    alembic_config,
    is_known,
    revision_of,
    too_new,
    upgrade,
)
from companion.tables.database.ownership import check_alone
from companion.tables.database.postgres import patient
from companion.tables.upkeep import soundness

FORMAT: Final = "companion-backup/1"

LONGEST_LINE: Final = 64 * 1024 * 1024
"""Limit of a line in bytes. It keeps a small malicious file from unpacking without end."""

ROWS_AT_ONCE: Final = 500
"""Rows in a batch that is read or written with one query."""

VERSION_TABLE: Final = "alembic_version"
"""Alembic's own table. It is left out, because the backup's first line has its content."""


def backup(database: Database, path: Path) -> Counter[str]:
    """Writes all rows as they are at one moment; returns each table's number of rows.

    An older database is written as it is.

    The file is replaced at the end: there is never half a backup.

    Raises:
        OSError: the file cannot be written.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        # Made by mkstemp, so nobody else may read it.
        with os.fdopen(handle, "wb") as raw:
            # Without a name and a time of its own, the same rows make the same bytes.
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                count = _write(database, cast(IO[bytes], packed))
            raw.flush()
            os.fsync(raw.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return count


def restore(database: Database, path: Path, *, replace: bool = False) -> Counter[str]:
    """Puts all rows of a backup into the database, or none; returns each table's number of rows.

    The backup may be of an earlier version: its rows go through the migrations since then. So may
    the database, which then has today's tables.

    Args:
        replace: whether the database's rows are deleted first. Otherwise it has to be empty.

    Raises:
        Unusable: the file is no backup, not a whole one, or of a newer program; or the database
            is not empty, or a server runs on it. Nothing has been changed then.
        OSError: the file cannot be read.
    """
    database.hold()
    # Read to the end before anything is changed: a broken file must not lock the database.
    with path.open("rb") as raw:
        file = _BackupFile(raw)
        expected = sum(1 for _ in file.rows())
    with path.open("rb") as raw, database.write() as connection, patient(connection):
        if not database.is_sqlite:
            check_alone(connection)
        found = _tables(connection)
        if not database.is_sqlite:
            names = ", ".join(found.tables)
            connection.execute(sa.text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))
        if not replace and not _is_empty(connection, found):
            raise Unusable(
                "There are games in the database already; with --replace they are deleted first."
            )
        file = _BackupFile(raw)
        tables = _emptied_tables(connection, file)
        count = Counter[str]()
        for name, rows in _batches(file.rows()):
            columns = file.tables[name]
            named = [dict(zip(columns, row, strict=True)) for row in rows]
            connection.execute(tables[name].insert(), named)
            count[name] += len(rows)
        if count.total() != expected:
            raise Unusable("The file changed while it was read.")
        if file.revision != schema.HEAD:
            upgrade(connection)
        soundness.check(connection)
    return count


def check_kind(path: Path) -> None:
    """Looks at a file's beginning.

    Raises:
        Unusable: it is no backup.
        OSError: it cannot be read.
    """
    with path.open("rb") as raw:
        _BackupFile(raw)


def _emptied_tables(connection: Connection, file: _BackupFile) -> Mapping[str, sa.Table]:
    """Empties the database; returns its tables, by name, as they were when the backup was made."""
    if file.revision == schema.HEAD == revision_of(connection):
        for tables in (schema.transient, schema.metadata):
            for table in reversed(tables.sorted_tables):
                connection.execute(table.delete())
    else:
        _make_again(connection, file)
    found = _tables(connection)
    if file.tables != {
        table.name: [column.name for column in table.columns] for table in found.sorted_tables
    }:
        raise Unusable("This backup has other tables than the companion makes.")
    return found.tables


def _tables(connection: Connection) -> sa.MetaData:
    """The database's tables that a backup has, as they are in its version."""
    if revision_of(connection) == schema.HEAD:
        return schema.metadata
    found = sa.MetaData()
    left_out = {VERSION_TABLE, *schema.transient.tables}
    found.reflect(connection, only=lambda name, _: name not in left_out)
    return found


def _make_again(connection: Connection, file: _BackupFile) -> None:
    """Drops all tables and makes them as they were when the backup was made."""
    from alembic import command

    if not is_known(connection, file.revision):
        raise too_new("backup", file.revision, file.version)
    for tables in (schema.transient, schema.metadata):
        tables.drop_all(connection)
    command.stamp(alembic_config(connection), "base")
    upgrade(connection, file.revision)


def _write(database: Database, packed: IO[bytes]) -> Counter[str]:
    digest = hashlib.sha256()

    def write(value: object) -> None:
        line = json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
        digest.update(line)
        packed.write(line)

    count = Counter[str]()
    with database.snapshot() as connection:
        tables = _tables(connection).sorted_tables
        columns = {table.name: [column.name for column in table.columns] for table in tables}
        head = {"format": FORMAT, "version": __version__, "revision": revision_of(connection)}
        write({**head, "tables": columns})
        for table in tables:
            ordered = sa.select(table).order_by(*table.primary_key.columns)
            for row in connection.execution_options(yield_per=ROWS_AT_ONCE).execute(ordered):
                write([table.name, *map(_to_json, row)])
                count[table.name] += 1
    end = {"rows": count.total(), "sha256": digest.hexdigest()}
    packed.write(json.dumps(end).encode("ascii") + b"\n")
    return count


class _BackupFile:
    """A backup that is being read, with its first line already taken in."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._lines: Final = _lines(raw)
        first = next(self._lines, b"")
        self._digest: Final = hashlib.sha256(first)
        head = _parsed(first)
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise Unusable("This is no backup of the companion.")
        tables = head.get("tables")
        if not isinstance(tables, dict):
            raise Unusable("This is no backup of the companion.")
        self.revision: Final = str(head.get("revision"))
        self.version: Final = head["version"] if isinstance(head.get("version"), str) else None
        """The program that wrote it; it was not said before 1.0."""
        self.tables: Final[Mapping[str, Any]] = tables
        """Name → its columns, as the file says."""

    def rows(self) -> Iterator[tuple[str, list[Any]]]:
        """Every row's table and values; raises `Unusable`, at the latest at the end."""
        for count, line in enumerate(self._lines):
            value = _parsed(line)
            if isinstance(value, dict):
                whole = value == {"rows": count, "sha256": self._digest.hexdigest()}
                if not whole or next(self._lines, None) is not None:
                    raise Unusable("This backup is damaged: its checksum is wrong.")
                return
            self._digest.update(line)
            columns = self.tables.get(str(value[0])) if isinstance(value, list) and value else None
            if not isinstance(columns, list) or len(value) != len(columns) + 1:
                raise Unusable("This backup is damaged: it has a row of no table.")
            yield str(value[0]), list(map(_from_json, value[1:]))
        raise Unusable("This backup is damaged: its end is missing.")


def _lines(raw: IO[bytes]) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=raw, mode="rb") as packed:
        try:
            while line := packed.readline(LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise Unusable("This backup is damaged: a line has no end.")
                yield line
        except gzip.BadGzipFile as error:
            raise Unusable("This is no backup of the companion.") from error
        except (EOFError, zlib.error) as error:
            raise Unusable("This backup is damaged: its end is missing.") from error


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unusable("This is no backup of the companion, or it is damaged.") from error


def _batches(rows: Iterator[tuple[str, list[Any]]]) -> Iterator[tuple[str, list[list[Any]]]]:
    """The rows in batches, each of one table."""
    for name, group in groupby(rows, key=lambda row: row[0]):
        while batch := [row for _, row in islice(group, ROWS_AT_ONCE)]:
            yield name, batch


def _is_empty(connection: Connection, found: sa.MetaData) -> bool:
    """Whether there are no rows except settings, which the first start makes."""
    return not any(
        connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first()
        for name, table in found.tables.items()
        if name != schema.settings.name
    )


def _to_json(value: Any) -> Any:
    """A value for a line: bytes become {"base64": …}; texts and numbers stay."""
    if isinstance(value, bytes | memoryview):
        return {"base64": base64.b64encode(value).decode("ascii")}
    return value


def _from_json(value: Any) -> Any:
    """The value in a line, for the database."""
    if isinstance(value, dict):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (KeyError, TypeError, ValueError) as error:
            raise Unusable("This backup is damaged: it holds an unknown value.") from error
    return value
