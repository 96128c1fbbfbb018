"""Export and import of the history: rows to and from the formats of `exchange`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy.engine import Connection

from companion.tables.database.ids import device_hash, new_id
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.times import to_milliseconds
from companion.tables.history import exchange
from companion.tables.history.exchange import ExportedMatch
from companion.tables.history.importing import Imported, key_of
from companion.tables.history.visible import FinishedMatch, ids_ended_at, matches_with_ids
from companion.tables.ledger.store import Store
from companion.tables.limits import quotas

AT_ONCE: Final = 500
"""Values in one query; SQLite takes 999 in older versions."""


def export_json(matches: Iterable[FinishedMatch]) -> bytes:
    """The matches as a `companion-history/1` file."""
    return exchange.to_json(map(_exported, matches))


def export_csv(matches: Iterable[FinishedMatch]) -> bytes:
    """The matches as CSV for a spreadsheet, a line for each player."""
    return exchange.to_csv(map(_exported, matches))


def import_matches(store: Store, device: str, wanted: Sequence[Imported]) -> int:
    """Adds those of the wanted matches that the device does not see yet; returns how many.

    Equal matches are counted, not merged.
    """
    moments = sorted({match.row["ended_at"] for match in wanted})
    # Compared before the transaction, so that nobody waits for it meanwhile.
    keys: dict[str, str] = {}
    with store.database.read() as connection:
        _add_keys(connection, device, moments, keys)
    with store.database.write(exclusive_table=rows) as connection:
        # And again inside it, or two taps on the button would import everything twice.
        _add_keys(connection, device, moments, keys)
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
    connection: Connection, device: str, moments: Sequence[int], keys: dict[str, str]
) -> None:
    """Brings `keys` (id → key) up to date for the device's matches that ended at these moments."""
    there: set[str] = set()
    for start in range(0, len(moments), AT_ONCE):
        part = moments[start : start + AT_ONCE]
        found = ids_ended_at(connection, device, part)
        there |= found
        for match in matches_with_ids(connection, device, sorted(found - keys.keys())):
            keys[match.id] = key_of(_exported(match))
    for gone in keys.keys() - there:
        del keys[gone]


def _exported(match: FinishedMatch) -> ExportedMatch:
    return ExportedMatch(
        game=match.game,
        source=match.source,
        started_at=None if match.started_at is None else to_milliseconds(match.started_at),
        ended_at=to_milliseconds(match.ended_at),
        place=match.place,
        notes=match.notes,
        players=match.players,
        record=match.record,
    )
