"""Finished matches as rows of the database.

A row is a copy: the table may go on, and its log may be erased. `history` decides who may see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.values import Document
from companion.tables.database.ids import new_id
from companion.tables.database.schema import finished_matches
from companion.tables.database.times import to_milliseconds
from companion.tables.ledger.events import decode, encode
from companion.tables.ledger.match import Match

Source: TypeAlias = Literal["app", "photo", "typed"]
"""The origin of a match's sheets: played in the app, photographed, or typed in."""

SOURCES: Final[tuple[Source, ...]] = ("app", "photo", "typed")


@dataclass(frozen=True, slots=True)
class Participant:
    """One player of a finished match."""

    name: str | None
    """The name; None when the person was deleted, or not named."""
    total: int | None
    """The total; None when the sheet was deleted with the person, or has impossible numbers."""
    won: bool
    sheet: Document | None
    written: int | None = None
    """The total that the player wrote on the paper, where it is another one."""

    @property
    def is_deleted(self) -> bool:
        """Whether the person was deleted; a player who is not named has a total or a sheet."""
        return self.name is None and self.total is None and self.sheet is None

    @property
    def filled_document(self) -> Document | None:
        """The filled-in sheet; None without one, as in a game that keeps something else."""
        return self.sheet if self.sheet is not None and "sheet" in self.sheet else None

    def document(self) -> Document:
        """The player as a JSON object."""
        document = {"name": self.name, "total": self.total, "won": self.won, "sheet": self.sheet}
        return document if self.written is None else {**document, "written": self.written}

    def nameless(self) -> Participant:
        """The participant that remains when the person is deleted."""
        return replace(self, name=None, total=None, sheet=None, written=None)


def is_unfinished(source: Source, players: Sequence[Participant]) -> bool:
    """Whether a match was ended early: played to its end, a match in the app has a winner."""
    return source == "app" and not any(player.won for player in players)


def encode_players(players: tuple[Participant, ...]) -> str:
    """The players as JSON, for a row."""
    return encode([player.document() for player in players])


def decode_players(text: str) -> tuple[Participant, ...]:
    """The players of a row."""
    return tuple(
        Participant(raw["name"], raw["total"], raw["won"], raw["sheet"], raw.get("written"))
        for raw in decode(text)
    )


@dataclass(frozen=True, slots=True)
class Saved:
    """A match that has been written again."""

    id: str
    before: tuple[Participant, ...]
    after: tuple[Participant, ...]


def save(connection: Connection, table_id: str, match: Match) -> Saved | None:
    """Writes a table's match as it is now; saving it again updates the same row, and returns it.

    A match that goes on again (its last entry was undone) keeps its row, with its place and notes,
    but counts as not ended.
    """
    rows = finished_matches
    here = (rows.c.table_id == table_id) & (rows.c.number == match.number)
    if not match.is_over:
        connection.execute(rows.update().where(here).values(ended_at=None))
        return None
    players = _participants(match)
    values = _values(match, players)
    old = connection.execute(sa.select(rows.c.id, rows.c.players).where(here)).one_or_none()
    if old is not None:
        connection.execute(rows.update().where(rows.c.id == old.id).values(**values))
        return Saved(old.id, decode_players(old.players), players)
    row = {"id": new_id(), "table_id": table_id, "number": match.number, "source": "app"}
    connection.execute(rows.insert().values(**row, place="", notes="", **values))
    return None


def _participants(match: Match) -> tuple[Participant, ...]:
    position = match.position
    winners = position.winners()
    return tuple(
        Participant(name, position.score(name)["total"], name in winners, position.sheet(name))
        for name in position.players
    )


def _values(match: Match, players: tuple[Participant, ...]) -> dict[str, Any]:
    ended = to_milliseconds(match.ended_at or match.started_at)
    return {
        "game": match.game.name,
        # A clock may have been put back in the middle of the match.
        "started_at": min(to_milliseconds(match.started_at), ended),
        "ended_at": ended,
        "players": encode_players(players),
        "record": encode(match.record()),
    }
