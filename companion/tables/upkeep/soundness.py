"""Checks rows that came from a file: SQLite takes any value in any column, and pages do not.

The rules of the games are not asked: a log that today's rules refuse is kept as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable
from companion.tables.database import schema
from companion.tables.database.columns import LATEST

_ROWS_AT_ONCE: Final = 500


def check(connection: Connection) -> None:
    """Looks at every row; raises `Unusable` at the first one that no page could show."""
    for table in schema.metadata.sorted_tables:
        rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(sa.select(table))
        with closing(rows):
            for row in rows:
                _check_row(table, row)
    _check_logs(connection)


def _check_row(table: sa.Table, row: sa.Row[Any]) -> None:
    for column, value in zip(table.columns, row, strict=True):
        if not _fits(table, column, value):
            place = f"{table.name} has no usable {column.name}"
            raise Unusable(f"This backup is damaged: a row of {place}.")


def _fits(table: sa.Table, column: sa.Column[Any], value: Any) -> bool:
    if value is None:
        return bool(column.nullable)
    if isinstance(column.type, sa.LargeBinary):
        return isinstance(value, bytes | memoryview)
    if isinstance(column.type, sa.Integer):
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        if column.name == "at" or column.name.endswith("_at"):
            return 0 <= value <= LATEST
        return 0 <= value < 2**31
    if not isinstance(value, str):
        return False
    if table is schema.settings:
        return bool(value)
    shape = _JSON.get(f"{table.name}.{column.name}")
    if shape is not None:
        try:
            return shape(json.loads(value))
        except (ValueError, RecursionError):
            return False
    allowed = _WORDS.get(f"{table.name}.{column.name}")
    return allowed is None or value in allowed


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _are_players(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_player, value))


def _is_player(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) >= {"name", "total", "won", "sheet"}
        and isinstance(value["name"], str | None)
        and (value["total"] is None or type(value["total"]) is int)
        and isinstance(value["won"], bool)
        and isinstance(value["sheet"], dict | None)
        and isinstance(value.get("written"), int | None)
    )


def _is_change(value: Any) -> bool:
    if isinstance(value, dict):
        return _are_players(value.get("players")) and all(map(_is_item, value.get("items", ())))
    return isinstance(value, list) and all(map(_is_item, value))


def _is_item(value: Any) -> bool:
    names = {"what", "player", "field", "before", "after"}
    return (
        isinstance(value, dict)
        and names <= set(value) <= names | {"place", "sheet"}
        and all(isinstance(value[name], str) for name in ("what", "player", "field"))
        and all(isinstance(value[name], str | int | None) for name in ("before", "after"))
    )


_JSON: Final[Mapping[str, Callable[[Any], bool]]] = {
    "tables.names": _are_names,
    "events.body": _is_object,
    "plays.players": _are_players,
    "plays.record": _is_object,
    "play_changes.body": _is_change,
    "restored_plays.body": _is_object,
    "reviews.body": _is_object,
}
"""Columns with JSON, and what it has to be."""

_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "tables.phase": frozenset({"lobby", "playing", "over"}),
    "members.role": frozenset({"host", "player", "viewer"}),
    "links.kind": frozenset({"join", "view", "seat"}),
    "plays.source": frozenset({"app", "photo", "typed"}),
    "play_changes.kind": frozenset({"saved", "mended", "played"}),
}
"""Columns that have one of a few words."""


def _check_logs(connection: Connection) -> None:
    """A table's version is the number of its events, which are numbered from 1."""
    events, tables = schema.events, schema.tables
    numbers = (
        sa.select(
            events.c.table_id,
            sa.func.count().label("count"),
            sa.func.min(events.c.seq).label("first"),
            sa.func.max(events.c.seq).label("last"),
        )
        .group_by(events.c.table_id)
        .subquery()
    )
    joined = tables.outerjoin(numbers, numbers.c.table_id == tables.c.id)
    gap = (
        (sa.func.coalesce(numbers.c.count, 0) != tables.c.version)
        | (numbers.c.last != tables.c.version)
        | (numbers.c.first != 1)
    )
    if connection.execute(sa.select(tables.c.id).select_from(joined).where(gap)).first():
        raise Unusable("This backup is damaged: the log of a table has a gap.")
