"""Deletes a person from the whole database, for an operator who is obliged to.

A name is one person here: a namesake at another table goes, too.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from companion.core.refusal import Unusable
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import tables
from companion.tables.history.deletion import erase_from, is_playing
from companion.tables.ledger import erase
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.names import name_key
from companion.tables.ledger.rights import Member
from companion.tables.ledger.saved import decode_players
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

_log: Final = logging.getLogger(__name__)
FAULTS: Final = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a fold raises if the program has a fault."""


class Found(NamedTuple):
    """How often a name was found."""

    games: int  # finished matches
    tables: int  # tables whose log has it, in a match or beside one
    running: int  # matches that are running, and end without a result


def find(store: Store, name: str) -> Found:
    """Counts the places of a name, without tables whose logs are unreadable (see `forget`)."""
    key, at_tables, running, played = name_key(name), 0, 0, _matches_with(store, name)
    for table_id in _all_tables(store):
        with suppress(Refused, *FAULTS):  # or it is gone meanwhile
            state = store.audience(table_id).state
            with store.database.read() as connection:
                numbers = _numbers(played, table_id)
                at_tables += any(erase.traces(connection, table_id, state.version, key, numbers))
            running += state.phase == "playing" and is_playing(state, key)
    return Found(len(played), at_tables, running)


def _numbers(matches: Sequence[Any], table_id: str) -> list[int]:
    """The numbers of a table's matches; its log may have an earlier name of the person."""
    return [row.number for row in matches if row.table_id == table_id]


def _all_tables(store: Store) -> Sequence[str]:
    with store.database.read() as connection:
        return connection.execute(sa.select(tables.c.id)).scalars().all()


def _matches_with(store: Store, name: str) -> list[Any]:
    """The finished matches with a name: rows of id, table and number."""
    key = name_key(name)
    query = sa.select(rows.c.id, rows.c.table_id, rows.c.number, rows.c.players)
    with store.database.read() as connection:
        found = connection.execute(query)
        return [row for row in found if any(p.has_name(key) for p in decode_players(row.players))]


def forget(store: Store, name: str) -> None:
    """Deletes a name: from the log of each table, and then from a few matches at a time.

    A match that is running ends without a result.

    Raises:
        Unusable: a log cannot be read, and keeps the name.
    """
    key, played, kept = name_key(name), _matches_with(store, name), 0
    for table_id in _all_tables(store):
        numbers = _numbers(played, table_id)
        try:
            erase.erase_person(store, table_id, "", key, numbers, _as_operator, joins=True)
        except Refused as refused:  # or the table is gone meanwhile
            kept += refused.code in ("damaged-table", "unknown-game")
        except FAULTS:
            # A fault of the program must not keep the name from being deleted elsewhere.
            _log.exception("the log of table %s cannot be read", table_id)
            kept += 1
    erase_from(store, [row.id for row in _matches_with(store, name)], key, sa.true())
    if kept:
        raise Unusable(f"The logs of {kept} tables cannot be read and still have the name.")


def _as_operator(change: TableChange) -> None:
    change.me = Member("", "host", erase.NOBODY)
