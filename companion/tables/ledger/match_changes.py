"""What was changed in finished matches, and when.

`history.mending` changes them, and so does a table that plays on after its match has been mended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.values import Document
from companion.games.scoring import filled_sheet
from companion.tables.database.schema import match_changes
from companion.tables.database.times import from_milliseconds
from companion.tables.ledger.events import decode, encode
from companion.tables.ledger.finished import Participant
from companion.tables.ledger.names import name_key

MOST_ITEMS: Final = 300
"""Items in one change; a sheet has at most about 200 fields."""
MOST_CHANGES: Final = 100
"""Changes that are kept of a match; the oldest go."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a change has changed."""

    what: str
    """`ended`, `name`, `added`, `removed`, `total` or `field`."""
    player: str = ""
    field: str = ""
    """The field's id, of a `field`."""
    before: Any = None
    """A mark, a total, a name, or milliseconds since 1970."""
    after: Any = None

    def document(self) -> Document:
        return {
            "what": self.what,
            "player": self.player,
            "field": self.field,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True, slots=True)
class MatchChange:
    """What was changed in a match at one time."""

    at: datetime
    items: tuple[Item, ...]


Pair: TypeAlias = tuple[Participant | None, Participant | None]
"""A player before and after; None on one side who was added or taken out."""


def paired(before: Sequence[Participant], after: Sequence[Participant]) -> list[Pair]:
    """The same players before and after: by name, and those who are left in their order."""
    old = [player for player in before if not player.is_deleted]
    new = [player for player in after if not player.is_deleted]
    by_key = {name_key(player.name): player for player in old if player.name}
    kept = [(by_key.get(name_key(player.name or "")), player) for player in new]
    taken = [id(player) for player, _ in kept if player is not None]
    rest = [player for player in old if id(player) not in taken]
    if len(rest) == sum(player is None for player, _ in kept):
        left = iter(rest)
        return [(player or next(left), other) for player, other in kept]
    return [*kept, *((player, None) for player in rest)]


def differences(pairs: Sequence[Pair]) -> Iterator[Item]:
    for before, after in pairs:
        if before is None:
            if after is not None:
                yield Item("added", after.name or "", after=after.total)
        elif after is None:
            yield Item("removed", before.name or "", before=before.total)
        else:
            if before.name != after.name:
                yield Item("name", after.name or "", before=before.name, after=after.name)
            yield from _field_differences(before, after)
            if before.total != after.total:
                yield Item("total", after.name or "", before=before.total, after=after.total)


def _field_differences(before: Participant, after: Participant) -> Iterator[Item]:
    if before.sheet == after.sheet:
        return
    old, new = _marks(before.filled_document), _marks(after.filled_document)
    for field in dict.fromkeys((*old, *new)):
        one, other = old.get(field), new.get(field)
        if one != other and not (_is_empty(one) and _is_empty(other)):
            yield Item("field", after.name or "", field, one, other)


def _is_empty(mark: object) -> bool:
    """Whether nothing is written; the number 0 is something."""
    return mark is None or mark is False or mark == "open"


def _marks(sheet: Document | None) -> Mapping[str, Any]:
    return {} if sheet is None else filled_sheet(sheet).marks


def keep_if_mended(
    connection: Connection,
    match_id: str,
    before: Sequence[Participant],
    after: Sequence[Participant],
    now: int,
) -> None:
    """Notes the differences, at the time `now`, in a match in which something was changed before.

    Of any other match the table has the newest state, and nothing is lost.
    """
    here = sa.select(match_changes.c.number).where(match_changes.c.play_id == match_id)
    if connection.execute(here.limit(1)).first() is None:
        return
    if items := list(differences(paired(before, after))):
        keep(connection, match_id, items[:MOST_ITEMS], now)


def keep(connection: Connection, match_id: str, items: Sequence[Item], now: int) -> None:
    """Notes a change that was made at the time `now`, in milliseconds since 1970."""
    here = match_changes.c.play_id == match_id
    last = connection.execute(sa.select(sa.func.max(match_changes.c.number)).where(here)).scalar()
    number = (last or 0) + 1
    connection.execute(
        match_changes.insert().values(
            play_id=match_id,
            number=number,
            at=now,
            body=encode([item.document() for item in items]),
        )
    )
    old = match_changes.c.number <= number - MOST_CHANGES
    connection.execute(match_changes.delete().where(here, old))


def changes_of(connection: Connection, match_id: str) -> tuple[MatchChange, ...]:
    """What was changed in a match, the latest first. The caller checks who may see it."""
    query = (
        sa.select(match_changes.c.at, match_changes.c.body)
        .where(match_changes.c.play_id == match_id)
        .order_by(match_changes.c.number.desc())
    )
    return tuple(
        MatchChange(from_milliseconds(at), tuple(Item(**raw) for raw in decode(body)))
        for at, body in connection.execute(query)
    )
