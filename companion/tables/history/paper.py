"""Adding a match that was played on paper, from its players' names and sheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.games import standings
from companion.games.others import find_game
from companion.games.standings import KeptSheet
from companion.tables import quotas
from companion.tables.database.columns import device_hash, from_milliseconds, new_id
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.matches import FinishedMatch, match_alike
from companion.tables.history.queries import Queries
from companion.tables.ledger.names import add_name, cleaned_line, cleaned_text
from companion.tables.ledger.saved import Participant, SavedMatch, Source
from companion.tables.refusals import Refused


class SavedBefore(Exception):
    """A game that is about to be saved is in the device's history already."""

    def __init__(self, match: FinishedMatch) -> None:
        super().__init__(match.id)
        self.match = match


def paper_match(
    game: str,
    sheets: Sequence[tuple[str | None, KeptSheet]],
    now: int,
    *,
    started: datetime | None = None,
    ended: datetime | None = None,
    place: str = "",
    notes: str = "",
    source: Source = "photo",
    match_id: str | None = None,
) -> SavedMatch:
    """A match played on paper, ready to be saved; its identity becomes its id.

    The winners are worked out here; nobody has won when there are fewer sheets than players that
    the game needs. Sheets with problems are taken as they are written.

    Args:
        game: the public name of a game, or of one beyond the catalogue.
        sheets: (player's name or None, the player's sheet) in any order.
        now: milliseconds since 1970.
        started, ended: aware; without them unknown, and now.
        match_id: made by `new_id`.

    Raises:
        Refused: `bad-name`, `name-taken`, `no-such-game`.
        Unusable: no sheet, or too many.
    """
    if (known := find_game(game)) is None:
        raise Refused("no-such-game")
    end = ended or from_milliseconds(now)
    return SavedMatch(
        game=known,
        source=source,
        started_at=None if started is None else min(started, end),
        ended_at=end,
        place=cleaned_line(place),
        notes=cleaned_text(notes),
        players=_players(known, sheets),
        identity=match_id or new_id(),
    )


def require_new(connection: Connection, device: str, match: SavedMatch, *, again: bool) -> bool:
    """Whether a match is still to be put in: a second tap finds it there.

    It reads two indexes, whatever the history holds. It is asked before the transaction that
    writes, so that what is refused keeps nobody waiting, and once more in it.

    Args:
        again: whether to save it although the same game is in the history.

    Raises:
        Refused: `too-many-games`.
        SavedBefore: the same game is in the history.
    """
    there = sa.select(rows.c.id).where(rows.c.id == match.identity)
    if connection.execute(there).first() is not None:
        return False
    quotas.room_for_matches(connection, device)
    if not again and (same := match_alike(connection, device, match.essence)) is not None:
        raise SavedBefore(same)
    return True


def add_paper_game(
    connection: Connection, device: str, match: SavedMatch, *, again: bool = False
) -> str:
    """Puts a match into the device's history, once; returns its id.

    Args:
        connection: one that writes, and alone to the finished matches.

    Raises:
        Refused, SavedBefore: as `require_new`.
    """
    if require_new(connection, device, match, again=again):
        row = {"id": match.identity, "owner": device_hash(device)} | match.columns()
        connection.execute(rows.insert().values(row))
    return match.identity


def copy_match(connection: Connection, match_id: str, owners: Iterable[str]) -> list[str]:
    """Gives other devices copies of a match, by their hashes; returns the ids of the copies."""
    row = connection.execute(sa.select(rows).where(rows.c.id == match_id)).one()._asdict()
    copies = [{**row, "id": new_id(), "owner": owner} for owner in owners]
    if copies:
        connection.execute(rows.insert(), copies)
    return [copy["id"] for copy in copies]


class PaperGames(Queries):
    """Putting matches on paper into the history."""

    def require_new_paper_match(
        self, device: str, match: SavedMatch, *, again: bool = False
    ) -> None:
        """Raises what `add_paper_match` raises, and keeps nobody waiting."""
        with self._store.database.read() as connection:
            require_new(connection, device, match, again=again)

    def add_paper_match(
        self, device: str, match: SavedMatch, *, again: bool = False, table_id: str = ""
    ) -> str:
        """Puts a match of `paper_match` into the device's history, once; returns its id.

        It raises what the function `require_new` raises.

        Args:
            table_id: a table whose players' devices get copies of their own; none where empty.
        """
        self.require_new_paper_match(device, match, again=again)
        if not table_id:
            with self._store.database.write(exclusive_table=rows) as connection:
                return add_paper_game(connection, device, match, again=again)
        with self._store.changing(table_id, device) as change:
            change.require_player()
            match_id = add_paper_game(change.connection, device, match, again=again)
            others = set(change.player_devices()) - {device_hash(device)}
            copy_match(change.connection, match_id, others)
        return match_id


def _players(game: Game, sheets: Sequence[tuple[str | None, KeptSheet]]) -> tuple[Participant, ...]:
    """The participants of a match on paper, from names and finished sheets."""
    if not 1 <= len(sheets) <= game.max_players:
        raise Unusable(f"{game.name} is for at most {game.max_players} players, not {len(sheets)}.")
    known: list[str] = []
    names = [None if raw is None else add_name(raw, known) for raw, _ in sheets]
    won = standings.winners(game, [sheet.result for _, sheet in sheets])
    return tuple(
        Participant(name, sheet.result.total, wins, sheet.document, sheet.written)
        for name, (_, sheet), wins in zip(names, sheets, won, strict=True)
    )
