"""Adding a match that was played on paper, from its players' names and sheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.games import standings
from companion.games.others import find_game
from companion.games.standings import KeptSheet
from companion.tables import quotas
from companion.tables.database.columns import device_hash, from_milliseconds, new_id
from companion.tables.database.schema import deleted_matches
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.matches import FinishedMatch, match_alike
from companion.tables.history.queries import Queries
from companion.tables.ledger.names import add_name, cleaned_line, cleaned_text
from companion.tables.ledger.saved import Participant, SavedMatch, Source
from companion.tables.refusals import Refused


class SavedBefore(Exception):
    """A match that is about to be saved is in the device's history already."""

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


class Added(NamedTuple):
    """The outcome of putting a match into histories."""

    ids: tuple[str, ...] = ()  # of the new rows, the device's own first; none for a second tap
    full: int = 0  # the other devices that got no copy, because their history is full


def require_new(connection: Connection, device: str, match: SavedMatch, *, again: bool) -> bool:
    """Whether a match is still to be added: after a second tap it is there already.

    It reads two indexes, however long the history is. It runs before the transaction that writes,
    so that a refusal keeps nobody waiting, and once more in it.

    Args:
        again: whether to save it although the same match is in the history.

    Raises:
        Refused: `too-many-games`; `no-such-play`, where another device has this id.
        SavedBefore: the same match is in the history.
    """
    there = sa.select(rows.c.owner).where(rows.c.id == match.identity)
    if (row := connection.execute(there).first()) is not None:
        if row.owner != device_hash(device):
            raise Refused("no-such-play")
        return False
    quotas.room_for_matches(connection, device)
    if not again and (same := match_alike(connection, device, match.essence)) is not None:
        raise SavedBefore(same)
    return True


def add_match(
    connection: Connection,
    device: str,
    match: SavedMatch,
    others: Iterable[str] = (),
    *,
    again: bool = False,
) -> Added:
    """Puts a match into the device's history, once, and copies into those of others.

    Args:
        connection: one that writes, and is the only one to write to the finished matches.
        others: the hashes of other devices. One that has the match, or has deleted it, gets none.

    Raises:
        Refused, SavedBefore: as `require_new`.
    """
    if not require_new(connection, device, match, again=again):
        return Added()
    wanted = _without(connection, others, match.identity)
    owners = quotas.with_room(connection, wanted)
    columns = match.columns()
    added = [{"id": match.identity, "owner": device_hash(device)} | columns]
    added += [{"id": new_id(), "owner": owner} | columns for owner in owners]
    connection.execute(rows.insert(), added)
    return Added(tuple(row["id"] for row in added), len(wanted) - len(owners))


def _without(connection: Connection, owners: Iterable[str], identity: str) -> list[str]:
    """Those of the devices, by their hashes, that have never had a match."""
    had: set[str | None] = set()
    for table in (rows, deleted_matches):
        query = sa.select(table.c.owner).where(table.c.identity == identity)
        had.update(connection.execute(query).scalars())
    return [owner for owner in owners if owner not in had]


class PaperMatches(Queries):
    """Putting matches on paper into the history."""

    def require_new_paper_match(
        self, device: str, match: SavedMatch, *, again: bool = False
    ) -> None:
        """Raises what `add_paper_match` raises, without making anybody wait."""
        with self._store.database.read() as connection:
            require_new(connection, device, match, again=again)

    def add_paper_match(
        self, device: str, match: SavedMatch, *, again: bool = False, table_id: str = ""
    ) -> Added:
        """Puts a match of `paper_match` into the device's history, once.

        It raises what the function `require_new` raises.

        Args:
            table_id: a table whose players' devices get copies of their own; none where empty.
        """
        self.require_new_paper_match(device, match, again=again)
        if not table_id:
            with self._store.database.write(exclusive_table=rows) as connection:
                return add_match(connection, device, match, again=again)
        with self._store.changing(table_id, device) as change:
            change.require_player()
            others = change.player_devices()[1:]
            return add_match(change.connection, device, match, others, again=again)


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
