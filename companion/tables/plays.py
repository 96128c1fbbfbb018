"""Finished games as rows of `plays`: what is kept of each, and how a table's game gets there.

A row is a copy: the table may go on, and its log may be erased. Who may see it is decided in
`history`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy.engine import Connection

from companion.core.values import Document
from companion.tables.events import decode, encode
from companion.tables.ids import new_id
from companion.tables.play import Play
from companion.tables.schema import plays

Source: TypeAlias = Literal["app", "photo", "typed"]
"""Where a game's sheets come from: played in the app, photographed, or typed in."""

SOURCES: Final[tuple[Source, ...]] = ("app", "photo", "typed")


@dataclass(frozen=True, slots=True)
class Player:
    """One player of a finished game."""

    name: str | None
    """None for who has been deleted, or was never named."""
    total: int | None
    """None when the sheet is gone."""
    won: bool
    sheet: Document | None

    def document(self) -> Document:
        return {"name": self.name, "total": self.total, "won": self.won, "sheet": self.sheet}

    def nameless(self) -> Player:
        """The place that is left when the person is deleted."""
        return replace(self, name=None, total=None, sheet=None)


def encode_players(players: tuple[Player, ...]) -> str:
    return encode([player.document() for player in players])


def decode_players(text: str) -> tuple[Player, ...]:
    return tuple(
        Player(raw["name"], raw["total"], raw["won"], raw["sheet"]) for raw in decode(text)
    )


def keep(connection: Connection, table_id: str, play: Play) -> None:
    """Writes a table's game as it is now; done twice it is still one row.

    A game that goes on again (its last entry was undone) keeps its row, with its place and notes,
    but counts as not ended.
    """
    here = (plays.c.table_id == table_id) & (plays.c.number == play.number)
    if not play.position.over:
        connection.execute(plays.update().where(here).values(ended_at=None))
        return
    values = _values(play)
    if connection.execute(plays.update().where(here).values(**values)).rowcount:
        return
    row = {"id": new_id(), "table_id": table_id, "number": play.number, "source": "app"}
    connection.execute(plays.insert().values(**row, place="", notes="", **values))


def _values(play: Play) -> dict[str, Any]:
    position = play.position
    winners = position.winners()
    players = tuple(
        Player(name, position.score(name)["total"], name in winners, position.sheet(name))
        for name in position.players
    )
    ended = milliseconds(play.ended_at or play.started_at)
    return {
        "game": play.game.name,
        # A clock may have been put back in the middle of the game.
        "started_at": min(milliseconds(play.started_at), ended),
        "ended_at": ended,
        "players": encode_players(players),
        "record": encode(play.record()),
    }


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
