"""Adding a match that was played on paper, from its players' names and sheets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.games import standings
from companion.games.catalog import GAMES
from companion.games.others import find_game
from companion.games.standings import KeptSheet
from companion.tables import quotas
from companion.tables.database.columns import device_hash, from_milliseconds, new_id
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.visible import FinishedMatch, matches_where
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.events import encode
from companion.tables.ledger.names import (
    checked_name,
    cleaned_line,
    cleaned_text,
    name_key,
    require_free,
)
from companion.tables.ledger.saved import Participant, SavedMatch, Source
from companion.tables.refusals import Refused


class SavedBefore(Exception):
    """A game that is about to be saved is in the device's history already."""

    def __init__(self, match: FinishedMatch) -> None:
        super().__init__(match.id)
        self.match = match


def add_paper_game(
    connection: Connection,
    device: str,
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
    again: bool = False,
) -> str:
    """Puts a match that was played on paper into the device's history; returns its id.

    The winners are worked out here; nobody has won when there are fewer sheets than players that
    the game needs. Sheets with problems are taken as they are written.

    Args:
        connection: one that writes, and alone to the finished matches.
        game: the public name of a game, or of one beyond the catalogue.
        sheets: (player's name or None, the player's sheet) in any order.
        now: milliseconds since 1970.
        started, ended: aware; without them unknown, and now.
        match_id: made by `new_id`; a match that is there already is not put in twice.
        again: whether to save it although the same game is in the history.

    Raises:
        Refused: `bad-name`, `name-taken`, `no-such-game`, `too-many-games`.
        Unusable: no sheet, or too many.
        SavedBefore: the same game is in the history.
    """
    if (known := find_game(game)) is None:
        raise Refused("no-such-game")
    match_id = match_id or new_id()
    end = ended or from_milliseconds(now)
    match = SavedMatch(
        game=known,
        source=source,
        started_at=None if started is None else min(started, end),
        ended_at=end,
        place=cleaned_line(place),
        notes=cleaned_text(notes),
        players=_players(known, sheets),
        identity=match_id,
    )
    if connection.execute(sa.select(rows.c.id).where(rows.c.id == match_id)).first() is None:
        quotas.require_room_for_matches(connection, device, 1)
        if not again:
            _require_new(connection, device, match)
        row = {"id": match_id, "owner": device_hash(device)} | match.columns()
        connection.execute(rows.insert().values(row))
    return match_id


def copy_match(connection: Connection, match_id: str, owners: Iterable[str]) -> list[str]:
    """Gives other devices copies of a match, by their hashes; returns the ids of the copies."""
    row = connection.execute(sa.select(rows).where(rows.c.id == match_id)).one()._asdict()
    copies = [{**row, "id": new_id(), "owner": owner} for owner in owners]
    if copies:
        connection.execute(rows.insert(), copies)
    return [copy["id"] for copy in copies]


def add_count(change: TableChange, counts: Mapping[int, int], *, again: bool = False) -> str:
    """Puts a game that was only counted into the history; returns its id there. For players.

    Each player's device at the table gets a copy of its own. The table stays in the lobby.

    Args:
        counts: seat → the player's number, for every seat.
        again: whether to save it although the same game is in the history.

    Raises:
        SavedBefore: the same game is in the history.
    """
    change.require_player()
    change.require_lobby()
    state = change.state
    game = GAMES[state.game]
    if len(state.seats) < game.min_players:
        raise Refused("too-few-players", least=game.min_players)
    if game.has_sheet or counts.keys() != {seat.id for seat in state.seats}:
        raise Refused("no-count")
    try:
        kept = [standings.read(game, {game.count_name: counts[seat.id]}) for seat in state.seats]
    except Unusable as error:
        raise Refused("no-count") from error
    sheets = [(seat.name, sheet) for seat, sheet in zip(state.seats, kept, strict=True)]
    connection, device = change.connection, change.device
    match_id = add_paper_game(
        connection, device, game.name, sheets, change.now, source="typed", again=again
    )
    copy_match(connection, match_id, set(change.player_devices()) - {device_hash(device)})
    return match_id


def _players(game: Game, sheets: Sequence[tuple[str | None, KeptSheet]]) -> tuple[Participant, ...]:
    """The participants of a match on paper, from names and finished sheets."""
    if not 1 <= len(sheets) <= game.max_players:
        raise Unusable(f"{game.name} is for at most {game.max_players} players, not {len(sheets)}.")
    names: list[str | None] = []
    for raw, _ in sheets:
        name = None if raw is None else checked_name(raw)
        if name is not None:
            require_free(name, filter(None, names))
        names.append(name)
    won = standings.winners(game, [sheet.result for _, sheet in sheets])
    return tuple(
        Participant(name, sheet.result.total, wins, sheet.document, sheet.written)
        for name, (_, sheet), wins in zip(names, sheets, won, strict=True)
    )


def _require_new(connection: Connection, device: str, match: SavedMatch) -> None:
    """Raises `SavedBefore` where the history has the sheets, or the totals, names and day."""
    totals = {encode(player.total) for player in match.players}
    is_near = [rows.c.players.contains(f'"total":{total}') for total in totals]
    for known in matches_where(
        connection, device, sa.and_(rows.c.game == match.game.name, *is_near)
    ):
        if _essence(known) == _essence(match):
            raise SavedBefore(known)


def _essence(match: SavedMatch) -> list[str]:
    """What two savings of one game have in common."""
    day = match.ended_at.astimezone().date()
    return sorted(
        encode({**player.filled_document, "players": None})
        if player.filled_document
        else f"{day} {player.total} {name_key(player.name or '')}"
        for player in match.players
    )
