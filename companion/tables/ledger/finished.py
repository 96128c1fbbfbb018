"""Finished matches in the database: their rows, and the log of what is mended in them.

A row of `plays` is a copy: the table may go on, and its log may be erased. A match gets a log of
its own in `play_changes` when it is mended first, and its row is what follows from that log
(`folded`). `history` decides who may see and mend a match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.games.others import stored_game
from companion.tables.database.columns import from_milliseconds, new_id, to_milliseconds
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import match_changes as log
from companion.tables.ledger.events import decode, encode
from companion.tables.ledger.match import Match
from companion.tables.ledger.saved import (
    Item,
    SavedMatch,
    decode_players,
    final_players,
    participants,
)

SAVED: Final = "saved"
"""The match as it was before the first mend that the log has."""
MENDED: Final = "mended"
"""A person's changes; the body is a list of items."""
PLAYED: Final = "played"
"""The match by its table, after the table has played on: earlier mends apply to that, too."""

MOST_CHANGES: Final = 100
"""Limit of the events in the log of one match; then it starts again with the newest mends."""


@dataclass(frozen=True, slots=True)
class MatchChange:
    """The changes that were made in a match at one time."""

    at: datetime
    items: tuple[Item, ...]


def fields_of(row: Any) -> dict[str, Any]:
    """The fields of a `SavedMatch` in its row."""
    # A match that goes on again has not ended, and gets a new end soon.
    ended = row.ended_at if row.ended_at is not None else row.started_at or 0
    return {
        "game": stored_game(row.game),
        "source": row.source,
        "started_at": None if row.started_at is None else from_milliseconds(row.started_at),
        "ended_at": from_milliseconds(ended),
        "place": row.place,
        "notes": row.notes,
        "players": decode_players(row.players),
        "record": None if row.record is None else decode(row.record),
        "identity": row.identity,
        "changed": row.changed_at,
    }


def _played(match: Match) -> SavedMatch:
    """A table's match that is over, as it is to be saved."""
    ended = match.ended_at or match.started_at
    return SavedMatch(
        game=match.game,
        source="app",
        # A clock may have been put back in the middle of the match.
        started_at=min(match.started_at, ended),
        ended_at=ended,
        players=final_players(match.position),
        record=match.record(),
    )


def save(connection: Connection, table_id: str, match: Match, now: int) -> None:
    """Writes a table's match as it is now; saving it again updates the same row.

    Mends stay, except where the table itself says something else now. A match that goes on again
    (its last entry was undone) keeps its row, with its place and notes, but counts as not ended.
    """
    here = (rows.c.table_id == table_id) & (rows.c.number == match.number)
    if not match.is_over:
        connection.execute(rows.update().where(here).values(ended_at=None))
        return
    played = _played(match)
    row = connection.execute(sa.select(rows).where(here)).one_or_none()
    if row is None:
        values = {"id": new_id(), "table_id": table_id, "number": match.number}
        connection.execute(rows.insert().values(**values, **played.columns()))
        return
    before = SavedMatch(**fields_of(row))
    after = replace(
        played,
        place=before.place,
        notes=before.notes,
        identity=before.identity,
        changed=before.changed,
    )
    if events := _events(connection, row.id):
        body = _body(played)
        after = folded(after, [*events, (PLAYED, body)])
        items = _documents(before.differences(after.players, before.ended_at))
        bases = [known for kind, known in events if kind != MENDED]
        if not bases or bases[-1] | body != bases[-1]:  # not the same end again
            _append(connection, row.id, PLAYED, {**body, "items": items}, now)
    after = after if after == before else after.changed_later(now)
    connection.execute(rows.update().where(rows.c.id == row.id).values(**after.columns()))


def mend_all(
    connection: Connection, mends: Mapping[str, tuple[SavedMatch, SavedMatch]], now: int
) -> None:
    """Writes matches that a person has changed, id → (before, after), and the differences.

    Those go into the matches' logs, each of which begins with the match as it was before. Nobody
    else may write to the rows meanwhile.
    """
    changes = []
    for match_id, (before, after) in mends.items():
        items = before.differences(after.players, after.ended_at)
        mended = replace(before.mended(items), place=after.place, notes=after.notes)
        mended = mended if mended == before else mended.changed_later(now)
        changes.append((match_id, before, mended, (MENDED, _documents(items)) if items else None))
    _change_all(connection, changes, now)


def replace_all(
    connection: Connection, versions: Mapping[str, tuple[SavedMatch, SavedMatch]], now: int
) -> None:
    """Writes other versions of several matches at once: id → (before, after)."""
    changes = []
    for match_id, (before, after) in versions.items():
        items = _documents(before.differences(after.players, after.ended_at))
        changes.append((match_id, before, after, (SAVED, {**_body(after), "items": items})))
    _change_all(connection, changes, now)


def _change_all(
    connection: Connection,
    changes: Sequence[tuple[str, SavedMatch, SavedMatch, tuple[str, Any] | None]],
    now: int,
) -> None:
    """Writes matches and their logs: (id, before, after, the kind and body of an event)."""
    known: dict[str, dict[int, str]] = {}
    ids = [change[0] for change in changes]
    query = sa.select(log.c.play_id, log.c.number, log.c.kind).where(log.c.play_id.in_(ids))
    for match_id, number, kind in connection.execute(query):
        known.setdefault(match_id, {})[number] = kind
    entries: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []
    for match_id, before, after, event in changes:
        values.append({"key": match_id, **after.columns()})
        kinds = known.get(match_id, {})
        bodies: list[tuple[str, Any]] = [event] if event else []
        if bodies and all(kind == MENDED for kind in kinds.values()):
            bodies.insert(0, (SAVED, _body(before)))
        if len(kinds) + len(bodies) > MOST_CHANGES:
            for kind, body in bodies:
                _append(connection, match_id, kind, body, now)
            continue
        for number, (kind, body) in enumerate(bodies, start=max(kinds, default=0) + 1):
            row = {"play_id": match_id, "number": number, "kind": kind, "at": now}
            entries.append({**row, "body": encode(body)})
    if entries:
        connection.execute(log.insert(), entries)
    if values:
        connection.execute(rows.update().where(rows.c.id == sa.bindparam("key")), values)


def changes_of(connection: Connection, match_id: str) -> tuple[MatchChange, ...]:
    """The changes of a match, the latest first. The caller checks who may see them."""
    query = sa.select(log.c.at, log.c.kind, log.c.body).where(log.c.play_id == match_id)
    found = []
    for at, kind, text in connection.execute(query.order_by(log.c.number.desc())):
        body = decode(text)
        items = _items(body if kind == MENDED else body.get("items", ()))
        found += [MatchChange(from_milliseconds(at), items)] if items else []
    return tuple(found)


def folded(match: SavedMatch, events: Iterable[tuple[str, Any]]) -> SavedMatch:
    """The match as it follows from its log, with game, place and notes as they are.

    Args:
        events: (kind, body) in order; what mends do before there is anything else is not known.
    """
    mends: list[tuple[Item, ...]] = []
    for kind, body in events:
        if kind == MENDED:
            mends.append(_items(body))
            match = match.mended(mends[-1])
            continue
        match = replace(
            match,
            players=participants(body["players"]),
            record=body["record"],
            started_at=from_milliseconds(body["started"]) if body["started"] is not None else None,
            ended_at=from_milliseconds(body["ended"]),
        )
        for items in mends if kind == PLAYED else ():
            match = match.mended(items)
    return match


def start_log_again(connection: Connection, match_id: str, kept: Iterable[int], now: int) -> None:
    """Has a match's log begin with the row as it is now; of the earlier events only mends stay.

    Args:
        kept: the numbers of the mends that stay, to be shown.
    """
    here = log.c.play_id == match_id
    numbers = list(kept)
    stays = (log.c.kind == MENDED) & log.c.number.in_(numbers)
    connection.execute(log.delete().where(here, ~stays))
    if not numbers:
        return
    row = connection.execute(sa.select(rows).where(rows.c.id == match_id)).one_or_none()
    if row is not None and _events(connection, match_id):
        _append(connection, match_id, SAVED, _body(SavedMatch(**fields_of(row))), now)


def earlier_versions(connection: Connection, match_id: str, match: SavedMatch) -> list[SavedMatch]:
    """The match as it was before each change in its log, with place and notes as now."""
    events = _events(connection, match_id)
    return [folded(match, events[:count]) for count in range(1, len(events))]


def _events(connection: Connection, match_id: str) -> list[tuple[str, Any]]:
    """The kinds and bodies of a match's log, in order."""
    query = sa.select(log.c.kind, log.c.body).where(log.c.play_id == match_id)
    return [(kind, decode(body)) for kind, body in connection.execute(query.order_by(log.c.number))]


def _append(connection: Connection, match_id: str, kind: str, body: object, now: int) -> None:
    here = sa.select(log.c.number).where(log.c.play_id == match_id).order_by(log.c.number.desc())
    known = list(connection.execute(here).scalars())
    if len(known) >= MOST_CHANGES:
        mends = list(connection.execute(here.where(log.c.kind == MENDED)).scalars())
        start_log_again(connection, match_id, mends[: MOST_CHANGES // 2], now)
        known = list(connection.execute(here).scalars())
    row = {"play_id": match_id, "kind": kind, "at": now, "body": encode(body)}
    connection.execute(log.insert().values(number=known[0] + 1 if known else 1, **row))


def _body(match: SavedMatch) -> dict[str, Any]:
    return {
        "players": [player.document() for player in match.players],
        "record": match.record,
        "started": None if match.started_at is None else to_milliseconds(match.started_at),
        "ended": to_milliseconds(match.ended_at),
    }


def _documents(items: Iterable[Item]) -> list[dict[str, Any]]:
    return [item.document() for item in items]


def _items(documents: Iterable[dict[str, Any]]) -> tuple[Item, ...]:
    return tuple(Item(**document) for document in documents)
