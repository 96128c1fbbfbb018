"""The history as files, and backups on their way back: what is not there is added, once.

Each match has an identity, which stays through edits, files and servers, so a match of a backup is
known again whatever was changed in it since. Nothing that is there is overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Refusal
from companion.tables import quotas
from companion.tables.database.columns import device_hash, new_id
from companion.tables.database.schema import deleted_matches
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history import exchange
from companion.tables.history.apart import Row, rows_of
from companion.tables.history.queries import Queries
from companion.tables.history.visible import in_parts, is_of
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore has done, in numbers of matches."""

    new: int
    there: int
    """Matches that were there already, and stay as they are."""
    deleted: int
    """Matches that were deleted here, and stay so."""
    faults: tuple[tuple[int, Refusal], ...]
    """The matches that cannot be taken in: number in the file, reason."""


class Backups(Queries):
    """The history as files."""

    def export_json(self, device: str) -> bytes:
        """All matches that the device sees, as `companion-history/1`, which it can restore."""
        # A device may have a copy of its own of a match that it also sees at a table.
        newest = sorted(self.all_matches(device), key=lambda match: match.changed)
        return exchange.to_json({match.identity: match for match in newest}.values())

    def export_csv(self, device: str, separator: str = ",") -> bytes:
        """All matches that the device sees as CSV for a spreadsheet, a line for each player."""
        return exchange.to_csv(self.all_matches(device), separator)

    def restore(self, device: str, file: IO[bytes], *, deleted: bool = False) -> Restored:
        """Adds the matches of a `companion-history/1` file that are not there.

        Args:
            deleted: also those that were deleted here.

        Raises:
            Refused: `too-many-games`, and what `rows_of` raises.
        """
        found: dict[str, Row] = {}
        faults: list[tuple[int, Refusal]] = []
        for number, row in enumerate(rows_of(file, self._store.now()), 1):
            if isinstance(row, Refused):
                faults.append((number, row.refusal))
            else:
                found[row["identity"]] = row
        if not found and not faults:
            raise Refused("empty-history")
        with self._store.database.write(exclusive_table=rows) as connection:
            there = _among(connection, rows.c.identity, is_of(device), found)
            owner = device_hash(device)
            mine = deleted_matches.c.owner == owner
            gone = _among(connection, deleted_matches.c.identity, mine, found) - there
            new = found.keys() - there - (set() if deleted else gone)
            quotas.require_room_for_matches(connection, device, len(new))
            added = [
                {**row, "id": new_id(), "owner": owner}
                for identity, row in found.items()
                if identity in new
            ]
            if added:
                connection.execute(rows.insert(), added)
        return Restored(len(new), len(there), len(gone - new), tuple(faults))


def _among(
    connection: Connection,
    column: sa.ColumnElement[str],
    where: sa.ColumnElement[bool],
    found: Iterable[str],
) -> set[str]:
    """Those of the identities that stand in a column of the rows in `where`."""
    queries = (sa.select(column).where(where, column.in_(part)) for part in in_parts(list(found)))
    return {identity for query in queries for identity in connection.execute(query).scalars()}
