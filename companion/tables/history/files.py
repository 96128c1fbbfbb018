"""Export and import of the history: rows to and from the formats of `exchange`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.tables import exchange, finished
from companion.tables.events import encode
from companion.tables.exchange import ExportedMatch
from companion.tables.history.visible import FinishedMatch, matches_of
from companion.tables.ids import device_hash, new_id
from companion.tables.schema import finished_matches as rows
from companion.tables.store import Store
from companion.tables.times import to_milliseconds


def export_json(matches: Iterable[FinishedMatch]) -> bytes:
    """The matches as a `companion-history/1` file."""
    return exchange.to_json(map(_exported, matches))


def export_csv(matches: Iterable[FinishedMatch]) -> bytes:
    """The matches as CSV for a spreadsheet, a line for each player."""
    return exchange.to_csv(map(_exported, matches))


def import_matches(store: Store, device: str, wanted: Iterable[ExportedMatch]) -> int:
    """Adds those of the wanted matches that the device does not see yet; returns how many."""
    with store.database.write(exclusive_table=rows) as connection:
        # Looked up inside the transaction, or two taps on the button would import everything twice.
        here = map(_exported, matches_of(connection, device))
        values = [_new_row(device, match) for match in exchange.missing(wanted, here)]
        if values:
            connection.execute(rows.insert(), values)
    return len(values)


def _new_row(device: str, match: ExportedMatch) -> dict[str, Any]:
    return {
        "id": new_id(),
        "owner": device_hash(device),
        "game": match.game.name,
        "source": match.source,
        "started_at": match.started_at,
        "ended_at": match.ended_at,
        "place": match.place,
        "notes": match.notes,
        "players": finished.encode_players(match.players),
        "record": None if match.record is None else encode(match.record),
    }


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
