"""The history as files, and restoring them: what is missing is added, once.

Each match has an identity, which stays through edits, files and servers, so a match of a backup is
recognized whatever was changed in it since. Nothing is overwritten without being asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Refusal
from companion.tables import quotas
from companion.tables.database.columns import device_hash, from_milliseconds, new_id
from companion.tables.database.schema import deleted_matches
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history import exchange, rewriting
from companion.tables.history.backup_child import Row, rows_of
from companion.tables.history.matches import (
    FinishedMatch,
    in_parts,
    is_of,
    may_change,
    visible_matches,
)
from companion.tables.history.queries import Queries
from companion.tables.ledger import finished
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a restore, in numbers of matches."""

    new: int
    there: int  # matches that are there as in the file
    deleted: int  # matches that were deleted here, and stay so
    # Matches that were changed here, and stay so; a deleted person is such a change.
    changed: int
    undone: int  # matches that were changed here, and are as in the file again
    left_out: int  # the oldest new matches: the device has no room for them
    # The matches that cannot be imported: number in the file, reason.
    faults: tuple[tuple[int, Refusal], ...]


class Backups(Queries):
    def export_json(self, device: str) -> bytes:
        """All matches that the device sees, as `companion-history/1`, which it can restore."""
        # A device may have a copy of its own of a match that it also sees at a table.
        newest = sorted(self.all_matches(device), key=lambda match: match.changed)
        return exchange.to_json({match.identity: match for match in newest}.values())

    def export_csv(self, device: str, separator: str = ",") -> bytes:
        """All matches that the device sees as CSV for a spreadsheet, a line for each player."""
        return exchange.to_csv(self.all_matches(device), separator)

    def restore(
        self, device: str, file: IO[bytes], *, deleted: bool = False, changed: bool = False
    ) -> Restored:
        """Adds the matches of a `companion-history/1` file that are not there.

        Each transaction adds a few matches; repeating an interrupted restore finishes it.

        Args:
            deleted: also those that were deleted here.
            changed: whether those that were changed here are restored from the file, as far as
                the device may change them.

        Raises:
            Refused: `too-many-games`, and what `rows_of` raises.
        """
        found, faults = _read(file, self._store.now())
        with self._store.database.read() as connection:
            there = _among(connection, rows.c.identity, is_of(device), found)
            mine = deleted_matches.c.owner == device_hash(device)
            gone = _among(connection, deleted_matches.c.identity, mine, found) - there
            new = found.keys() - there - (set() if deleted else gone)
            wanted = sorted((found[one] for one in new), key=lambda row: row["ended_at"])
            room = quotas.room_for_matches(connection, device) if wanted else 0
            others = _others_than(connection, device, {one: found[one] for one in there})
        added = wanted[-room:] if room else []
        self._add(device, added)
        if changed:
            self._undo_changes(device, others, found)
        return Restored(
            new=len(added),
            there=len(there) - len(others),
            deleted=len(gone - new),
            changed=0 if changed else len(others),
            undone=len(others) if changed else 0,
            left_out=len(wanted) - len(added),
            faults=faults,
        )

    def _add(self, device: str, matches: Sequence[Row]) -> None:
        """Adds matches, each once: another restore may add them, too."""
        owner = device_hash(device)
        for part in in_parts(matches, rewriting.ROWS_AT_ONCE):
            names = [row["identity"] for row in part]
            with self._store.database.write(exclusive_table=rows) as connection:
                there = _among(connection, rows.c.identity, is_of(device), names)
                new = []
                for row in part:
                    if row["identity"] not in there:
                        new.append({**row, "id": new_id(), "owner": owner})
                if new:
                    connection.execute(rows.insert(), new)

    def _undo_changes(self, device: str, others: Collection[str], found: Mapping[str, Row]) -> None:
        ids: list[str] = []
        with self._store.database.read() as connection:
            for part in in_parts(list(others)):
                here = is_of(device) & rows.c.ended_at.is_not(None) & rows.c.identity.in_(part)
                ids += connection.execute(sa.select(rows.c.id).where(here)).scalars()
        edited = from_milliseconds(self._store.now())

        def undone(match: FinishedMatch) -> FinishedMatch:
            theirs = found[match.identity]
            return replace(
                match, **_editable_fields(theirs), record=theirs["record"], edited=edited
            )

        rewriting.rewrite(self._store, ids, undone, is_of(device) & may_change(device))


def _read(file: IO[bytes], now: int) -> tuple[dict[str, Row], tuple[tuple[int, Refusal], ...]]:
    """(identity → row, the matches that cannot be taken in as in `Restored`)."""
    found: dict[str, Row] = {}
    faults: list[tuple[int, Refusal]] = []
    for number, row in enumerate(rows_of(file, now), 1):
        if isinstance(row, Refused):
            faults.append((number, row.refusal))
        else:
            found[row["identity"]] = row
    if not found and not faults:
        raise Refused("empty-history")
    return found, tuple(faults)


def _others_than(connection: Connection, device: str, found: Mapping[str, Row]) -> set[str]:
    """The identities of the device's matches that differ from the file, and that it may change."""
    others = set()
    for part in in_parts(list(found)):
        query = visible_matches(device).where(rows.c.identity.in_(part), may_change(device))
        for found_row in connection.execute(query):
            row = found_row._asdict()
            theirs = found[row["identity"]]
            is_whole = (row["record"] is None) == (theirs["record"] is None)
            is_same_game = row["game"] == theirs["game"]
            if row["changed_at"] == theirs["changed_at"] or not is_same_game:
                continue
            if not is_whole or _editable_fields(row) != _editable_fields(theirs):
                others.add(row["identity"])
    return others


def _editable_fields(row: Row) -> dict[str, Any]:
    """The fields of a match that are in a file and can be edited, without the record."""
    fields = finished.fields_of(SimpleNamespace(**row))
    names = ("source", "started_at", "ended_at", "place", "notes", "players")
    return {name: fields[name] for name in names}


def _among(
    connection: Connection,
    column: sa.ColumnElement[str],
    where: sa.ColumnElement[bool],
    found: Iterable[str],
) -> set[str]:
    """Those of the identities that are in a column of the rows in `where`."""
    identities: set[str] = set()
    for part in in_parts(list(found)):
        query = sa.select(column).where(where, column.in_(part))
        identities.update(connection.execute(query).scalars())
    return identities
