"""Finished matches in the database: their rows, and what a table writes there.

A row is a copy of a table's match: the table may go on, and its log may be erased. `history`
decides who may see and edit a match.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.games.others import stored_game
from companion.tables.database.columns import from_milliseconds, new_id
from companion.tables.database.schema import finished_matches as rows
from companion.tables.ledger.match import Match
from companion.tables.ledger.saved import SavedMatch, decode_players


def fields_of(row: Any) -> dict[str, Any]:
    # A match that continues has not ended, and gets a new end soon.
    ended = row.ended_at if row.ended_at is not None else row.started_at or 0
    return {
        "game": stored_game(row.game),
        "source": row.source,
        "started_at": None if row.started_at is None else from_milliseconds(row.started_at),
        "ended_at": from_milliseconds(ended),
        "place": row.place,
        "notes": row.notes,
        "players": decode_players(row.players),
        "record": row.record,
        "identity": row.identity,
        "changed": row.changed_at,
        "edited": None if row.edited_at is None else from_milliseconds(row.edited_at),
    }


def save(connection: Connection, table_id: str, match: Match, now: int) -> None:
    """Writes a table's match; saving it again updates the same row.

    Place and notes stay. A match that goes on again (its last entry was undone) counts as not
    ended. One that was edited stays as it is; its page asks which of the two counts.
    """
    here = (rows.c.table_id == table_id) & (rows.c.number == match.number)
    unedited = here & rows.c.edited_at.is_(None)
    if not match.is_over:
        connection.execute(rows.update().where(unedited).values(ended_at=None))
        return
    played = SavedMatch.played(match).columns()
    row = connection.execute(sa.select(rows.c.changed_at).where(here)).one_or_none()
    if row is None:
        new = {"id": new_id(), "table_id": table_id, "number": match.number}
        connection.execute(rows.insert().values(**new, **played))
        return
    kept = ("place", "notes", "identity", "edited_at")
    values = {name: value for name, value in played.items() if name not in kept}
    values["changed_at"] = max(row.changed_at + 1, now)
    if not connection.execute(rows.update().where(unedited).values(values)).rowcount:
        connection.execute(rows.update().where(here).values(is_contested=True))
