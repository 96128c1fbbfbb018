"""Export and import of the history: rows to and from the formats of `exchange`."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from typing import IO, Any, Final

from sqlalchemy.engine import Connection

from companion.tables.database.columns import device_hash, new_id
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history import exchange
from companion.tables.history.importing import Imported, read
from companion.tables.history.looking import Looking
from companion.tables.history.visible import ids_ended_at, matches_with_ids
from companion.tables.ledger.store import Store
from companion.tables.limits import quotas

AT_ONCE: Final = 500
"""Values in one query; SQLite takes 999 in older versions."""


class Files(Looking):
    """The history as files, and out of them."""

    def export_json(self, device: str) -> bytes:
        """All matches that the device sees, as `companion-history/1`, which it can import again."""
        return exchange.to_json(self.all_matches(device))

    def export_csv(self, device: str) -> bytes:
        """All matches that the device sees as CSV for a spreadsheet, a line for each player."""
        return exchange.to_csv(self.all_matches(device))

    def import_json(self, device: str, raw: bytes | IO[bytes]) -> int:
        """Puts the matches of a file into the device's history; returns how many were new.

        A match that is there already stays as it is, with its place and notes. If the file has a
        fault, no match is imported.

        Raises:
            Unusable: it is no `companion-history/1`, or a match in it is wrong.
            Refused: `too-many-games`.
        """
        file = io.BytesIO(raw) if isinstance(raw, bytes) else raw
        wanted = list(read(file, self._store.now()))
        return _import(self._store, device, wanted)


def _import(store: Store, device: str, wanted: Sequence[Imported]) -> int:
    """Adds those of the wanted matches that the device does not see yet; returns how many.

    Equal matches are counted, not merged.
    """
    times = sorted({match.row["ended_at"] for match in wanted})
    # Compared before the transaction, so that nobody waits for it meanwhile.
    keys: dict[str, str] = {}
    with store.database.read() as connection:
        _add_keys(connection, device, times, keys)
    with store.database.write(exclusive_table=rows) as connection:
        # And again inside it, or two taps on the button would import everything twice.
        _add_keys(connection, device, times, keys)
        left = Counter(keys.values())
        owner = device_hash(device)
        values: list[dict[str, Any]] = []
        for match in wanted:
            if left[match.key]:
                left[match.key] -= 1
            else:
                values.append({**match.row, "id": new_id(), "owner": owner})
        quotas.check_matches(connection, device, len(values))
        if values:
            connection.execute(rows.insert(), values)
    return len(values)


def _add_keys(
    connection: Connection, device: str, times: Sequence[int], keys: dict[str, str]
) -> None:
    """Brings `keys` (id → key) up to date for the device's matches that ended at these times."""
    there: set[str] = set()
    for start in range(0, len(times), AT_ONCE):
        part = times[start : start + AT_ONCE]
        found = ids_ended_at(connection, device, part)
        there |= found
        for match in matches_with_ids(connection, device, sorted(found - keys.keys())):
            keys[match.id] = exchange.key_of(match)
    for gone in keys.keys() - there:
        del keys[gone]
