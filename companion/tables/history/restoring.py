"""The history as files, and backups on their way back: what is not there is added, once.

Each match has an identity, which stays through edits, files and servers, so a match of a backup is
known again whatever was changed in it since. Nothing that is there is overwritten.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from threading import Lock
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Refusal
from companion.tables import quotas
from companion.tables.database.columns import device_hash, new_id
from companion.tables.database.schema import deleted_matches
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history import exchange
from companion.tables.history.looking import Looking
from companion.tables.history.visible import in_parts, is_of, matches_where
from companion.tables.ledger.events import encode
from companion.tables.ledger.saved import SavedMatch
from companion.tables.refusals import Refused

_PARSING: Final = Lock()
"""Held while a file is read: the largest one may take a gigabyte of memory."""


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


class Backups(Looking):
    """The history as files."""

    def export_json(self, device: str) -> bytes:
        """All matches that the device sees, as `companion-history/1`, which it can restore."""
        # A device may have a copy of its own of a match that it also sees at a table.
        newest = sorted(self.all_matches(device), key=lambda match: match.changed)
        return exchange.to_json({match.identity: match for match in newest}.values())

    def export_csv(self, device: str, separator: str = ",") -> bytes:
        """All matches that the device sees as CSV for a spreadsheet, a line for each player."""
        return exchange.to_csv(self.all_matches(device), separator)

    def restore(self, device: str, raw: bytes, *, deleted: bool = False) -> Restored:
        """Adds the matches of a `companion-history/1` file that are not there.

        Args:
            deleted: also those that were deleted here.

        Raises:
            Refused: `too-many-games`, and what `exchange.parse` raises.
        """
        with _PARSING:
            entries = exchange.parse(raw, self._store.now())
        if not entries:
            raise Refused("empty-history")
        matches = [entry for entry in entries if isinstance(entry, SavedMatch)]
        with self._store.database.write(exclusive_table=rows) as connection:
            found = _identified(connection, device, matches)
            there = _among(connection, rows.c.identity, is_of(device), found)
            owner = device_hash(device)
            mine = deleted_matches.c.owner == owner
            gone = _among(connection, deleted_matches.c.identity, mine, found) - there
            new = found.keys() - there - (set() if deleted else gone)
            quotas.check_matches(connection, device, len(new))
            added = [
                {**match.columns(), "id": new_id(), "owner": owner}
                for identity, match in found.items()
                if identity in new
            ]
            if added:
                connection.execute(rows.insert(), added)
        faults = tuple(
            (number, entry.refusal)
            for number, entry in enumerate(entries, 1)
            if isinstance(entry, Refused)
        )
        return Restored(len(new), len(there), len(gone - new), faults)


def _among(
    connection: Connection,
    column: sa.ColumnElement[str],
    where: sa.ColumnElement[bool],
    found: Iterable[str],
) -> set[str]:
    """Those of the identities that stand in a column of the rows in `where`."""
    queries = (sa.select(column).where(where, column.in_(part)) for part in in_parts(list(found)))
    return {identity for query in queries for identity in connection.execute(query).scalars()}


def _identified(
    connection: Connection, device: str, matches: Sequence[SavedMatch]
) -> dict[str, SavedMatch]:
    """The matches of a file by identity.

    Files of versions before 1.0 have none. Their matches are known here by what is rarely changed:
    game, times, number of players. Others get an identity that follows from these.
    """
    found = {match.identity: match for match in matches if match.identity}
    old = [match for match in matches if not match.identity]
    here: dict[str, list[str]] = defaultdict(list)
    for part in in_parts(sorted({match.columns()["ended_at"] for match in old})):
        for known in matches_where(connection, device, rows.c.ended_at.in_(part)):
            here[_moment(known)].append(known.identity)
    free: dict[str, Iterator[str]] = {}
    for match in old:
        moment = _moment(match)
        made = (f"{moment}-{number}" for number in count())
        identities = free.setdefault(moment, chain(here[moment], made))
        identity = next(one for one in identities if one not in found)
        found[identity] = replace(match, identity=identity)
    return found


def _moment(match: SavedMatch) -> str:
    """A hash of a match's game, times, and number of players."""
    columns = match.columns()
    values = [columns["game"], columns["started_at"], columns["ended_at"], len(match.players)]
    return hashlib.sha256(encode(values).encode()).hexdigest()[:48]
