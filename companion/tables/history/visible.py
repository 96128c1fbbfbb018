"""Finished matches as a device sees them, and its right to change them.

A device sees the matches that it put in itself and those of the tables where it sits. A device that
may only watch at a table may not change the table's matches either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.games.catalog import GAMES
from companion.games.others import PREFIXES, stored_game
from companion.tables.database.columns import device_hash, from_milliseconds, is_id, to_milliseconds
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import members
from companion.tables.history.people import Lineup, NameCount, PersonalResult, person_id
from companion.tables.ledger import finished
from companion.tables.ledger.saved import SavedMatch
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

T = TypeVar("T")

IS_KNOWN: Final = rows.c.game.in_(GAMES) | sa.or_(*map(rows.c.game.startswith, PREFIXES))
"""The condition on a row under which its game is of the catalogue, or any other one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMatch(SavedMatch):
    """A finished match in the database, as one device sees it."""

    id: str
    table_id: str | None
    """The table's id; None when the match was played on paper, or came from a file."""
    number: int | None
    """The match's number at that table."""
    may_change: bool
    """Whether this device may edit and delete it."""
    is_contested: bool = False
    """Whether the table has played on since it was edited, so that a person is asked which of the
    two counts."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of the list of matches; empty for all."""

    game: str = ""
    """The public name of a game."""
    people: tuple[str, ...] = ()
    """The ids of people who all play."""
    year: int = 0

    def __bool__(self) -> bool:
        return bool(self.game or self.people or self.year)


def is_wanted(connection: Connection, device: str, chosen: Filter) -> sa.ColumnElement[bool]:
    """The condition on a row under which a filter lets it through."""
    wanted: list[sa.ColumnElement[bool]] = [sa.true()]
    if chosen.game:
        wanted.append(rows.c.game == chosen.game)
    if chosen.year:
        wanted.append(rows.c.ended_at.between(*year_limits(chosen.year)))
    known = names_of(connection, device) if chosen.people else ()
    for person in chosen.people:
        names = [count.name for count in known if person_id(count.name) == person]
        part = PlayersParts(connection)
        theirs = sa.select(rows.c.id).select_from(part.joined).where(part.name.in_(names))
        wanted.append(rows.c.id.in_(theirs.where(is_visible_to(device)).correlate(None)))
    return sa.and_(*wanted)


def year_limits(year: int) -> tuple[int, int]:
    """The first and the last millisecond of a year in the server's time zone."""
    try:
        start, end = (datetime(number, 1, 1).astimezone() for number in (year, year + 1))
        return to_milliseconds(start), to_milliseconds(end) - 1
    except (ValueError, OverflowError, OSError):
        return 0, 0


def matches_where(
    connection: Connection, device: str, where: sa.ColumnElement[bool]
) -> tuple[FinishedMatch, ...]:
    """The device's matches in `where`, the oldest first."""
    query = visible_matches(device).where(where).order_by(rows.c.ended_at, rows.c.id)
    return tuple(map(from_row, connection.execute(query).all()))


def in_parts(ids: Sequence[T]) -> Iterator[Sequence[T]]:
    """The ids for one query after the other: SQLite takes 999 in older versions."""
    return (ids[start : start + 500] for start in range(0, len(ids), 500))


def matches_with_ids(
    connection: Connection, device: str, ids: Sequence[str]
) -> Iterator[FinishedMatch]:
    """The device's matches with these ids, which may be many."""
    for part in in_parts(ids):
        yield from matches_where(connection, device, rows.c.id.in_(part))


def match_with_id(connection: Connection, device: str, match_id: str) -> FinishedMatch:
    """The match with this id, or the device's copy of the one that had it first.

    Raises:
        Refused: `no-such-play`, the device sees none.
    """
    if not is_id(match_id):
        raise Refused("no-such-play")
    is_it = (rows.c.id == match_id) | (rows.c.identity == match_id)
    found = visible_matches(device).where(is_it).order_by(rows.c.id != match_id, rows.c.id)
    row = connection.execute(found.limit(1)).one_or_none()
    if row is None:
        raise Refused("no-such-play")
    return from_row(row)


def changeable_match(connection: Connection, device: str, match_id: str) -> FinishedMatch:
    """The match as `match_with_id`; raises `view-only`, too, if the device may not change it."""
    match = match_with_id(connection, device, match_id)
    if not match.may_change:
        raise Refused("view-only")
    return match


IS_UNFINISHED: Final = (rows.c.source == "app") & ~rows.c.players.contains('"won":true')
"""The condition for `SavedMatch.is_unfinished`. In a name, each of these quotes has a backslash."""


def results_of(
    connection: Connection,
    device: str,
    names: Sequence[str] | None = None,
    *,
    chosen: Filter | None = None,
) -> tuple[PersonalResult, ...]:
    """The results of all players with a name and a total in the device's matches, oldest first.

    Args:
        names: only of players with exactly these names.
        chosen: only of these matches.
    """
    part = PlayersParts(connection)
    wanted = part.counts if names is None else part.counts & part.name.in_(names)
    if chosen is not None:
        wanted &= is_wanted(connection, device, chosen)
    query = (
        sa.select(rows.c.id, rows.c.game, rows.c.ended_at)
        .add_columns(part.name, part.total, part.won, IS_UNFINISHED)
        .select_from(part.joined)
        .where(is_visible_to(device), wanted)
        .order_by(rows.c.ended_at, rows.c.id)
    )
    return tuple(
        PersonalResult(
            match_id, stored_game(game), from_milliseconds(at), name, int(total), won, early
        )
        for match_id, game, at, name, total, won, early in connection.execute(query)
    )


def names_of(connection: Connection, device: str) -> tuple[NameCount, ...]:
    """The names in the device's matches with their games and wins, counted by the database."""
    part = PlayersParts(connection)
    won = sa.func.sum(sa.case((part.won, 1), else_=0))
    query = (
        sa.select(part.name, sa.func.count(), won, sa.func.max(rows.c.ended_at))
        .select_from(part.joined)
        .where(is_visible_to(device), part.counts)
        .group_by(part.name)
    )
    return tuple(NameCount(*row) for row in connection.execute(query))


def lineups(connection: Connection, device: str, *, hidden: bool = False) -> tuple[Lineup, ...]:
    """The people in a device's matches, which the database takes out of the rows; oldest first.

    Args:
        hidden: also of matches that no page shows: their table plays on, or the game is gone.
    """
    part = PlayersParts(connection)
    query = (
        sa.select(rows.c.id, rows.c.table_id, rows.c.number, may_change(device), part.name)
        .select_from(part.joined)
        .where(is_of(device) if hidden else is_visible_to(device), ~part.is_deleted)
        .order_by(rows.c.ended_at, rows.c.id)
    )
    found: dict[str, Lineup] = {}
    for match_id, table_id, number, is_ours, name in connection.execute(query):
        known = found.get(match_id) or Lineup(match_id, table_id, number, bool(is_ours), ())
        found[match_id] = replace(known, names=(*known.names, name))
    return tuple(found.values())


class PlayersParts:
    """The players in the JSON of a match's row, as columns; sheets stay in the database."""

    def __init__(self, connection: Connection) -> None:
        is_sqlite = connection.dialect.name == "sqlite"
        players = rows.c.players if is_sqlite else sa.cast(rows.c.players, sa.JSON)
        each = sa.func.json_each if is_sqlite else sa.func.json_array_elements
        player = each(players).table_valued("value", name="player")

        def value(name: str) -> sa.ColumnElement[Any]:
            if is_sqlite:
                return sa.func.json_extract(player.c.value, f"$.{name}")
            return player.c.value.op("->>", return_type=sa.Text())(name)

        self.name: Final = sa.type_coerce(value("name"), sa.Text)
        total = value("total")
        self.total: Final = total if is_sqlite else sa.cast(total, sa.Numeric)
        self.won: Final = sa.type_coerce(
            value("won") if is_sqlite else value("won") == "true", sa.Boolean
        )
        self.players: Final = sa.func.json_array_length(players)
        self.is_deleted: Final = (
            self.name.is_(None) & self.total.is_(None) & value("sheet").is_(None)
        )
        """As `Participant.is_deleted`."""
        self.joined: Final = rows.join(player, sa.true())
        self.counts: Final = self.name.is_not(None) & self.total.is_not(None)


def tables_changed_by(store: Store, device: str) -> tuple[str, ...]:
    """The ids of the tables that this device may change."""
    query = sa.select(members.c.table_id).where(
        members.c.device == device_hash(device), members.c.role != "viewer"
    )
    with store.database.read() as connection:
        return tuple(connection.execute(query.order_by(members.c.table_id)).scalars())


@contextmanager
def unless_left() -> Iterator[None]:
    """Skips a table where the device has lost its place since the tables were looked up."""
    try:
        yield
    except Refused as refused:
        if refused.code not in ("no-such-table", "not-a-member", "view-only"):
            raise


def _at(device: str) -> sa.Select[Any]:
    """The tables where a device sits."""
    return sa.select(members.c.table_id).where(members.c.device == device_hash(device))


def is_visible_to(device: str) -> sa.ColumnElement[bool]:
    """The condition on a match's row under which a device sees it."""
    return is_of(device) & rows.c.ended_at.is_not(None) & IS_KNOWN


def is_of(device: str) -> sa.ColumnElement[bool]:
    """The condition on a match's row under which it is the device's, or of one of its tables."""
    return (rows.c.owner == device_hash(device)) | rows.c.table_id.in_(_at(device))


def may_change(device: str) -> sa.Label[bool]:
    """The condition on a match's row under which a device may change it, as a column."""
    mine = rows.c.owner == device_hash(device)
    ours = rows.c.table_id.in_(_at(device).where(members.c.role != "viewer"))
    # A match of a table has no owner, and null would compare as neither true nor false.
    return sa.case((mine, True), (ours, True), else_=False).label("may_change")


def visible_matches(device: str) -> sa.Select[Any]:
    """The rows that a device sees, for `from_row`."""
    return sa.select(rows, may_change(device)).where(is_visible_to(device))


def from_row(row: Any) -> FinishedMatch:
    """The match of a row with the column `may_change`."""
    return FinishedMatch(
        **finished.fields_of(row),
        id=row.id,
        table_id=row.table_id,
        number=row.number,
        may_change=bool(row.may_change),
        is_contested=row.is_contested and row.table_id is not None,
    )
