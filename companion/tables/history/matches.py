"""Finished matches as a device sees them, and its right to change them.

A device sees the matches that it put in itself and those of the tables where it sits. A device that
can only watch at a table cannot change the table's matches either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.games.catalog import GAMES
from companion.games.others import PREFIXES, stored_game
from companion.tables.database.columns import device_hash, from_milliseconds, is_id, to_milliseconds
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import members
from companion.tables.history.people import PersonalResult, PersonLine, person_id
from companion.tables.ledger import finished
from companion.tables.ledger.events import encode
from companion.tables.ledger.names import name_key
from companion.tables.ledger.saved import SavedMatch
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

T = TypeVar("T")


def is_known(game: sa.Column[str]) -> sa.ColumnElement[bool]:
    """The condition under which a row's game is in the catalogue, or a title beyond it."""
    return game.in_(GAMES) | sa.or_(*map(game.startswith, PREFIXES))


IS_KNOWN: Final = is_known(rows.c.game)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMatch(SavedMatch):
    """A finished match in the database, as one device sees it."""

    id: str
    # The table's id; None when the match was played on paper, or came from a file.
    table_id: str | None
    number: int | None  # the match's number at that table
    may_change: bool  # whether this device may edit and delete it
    # Whether the table has played on since it was edited, so that a person is asked which of the
    # two counts.
    is_contested: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of the list of matches; empty for all."""

    game: str = ""
    people: tuple[str, ...] = ()  # the ids of people who all played
    year: int = 0
    zone: tzinfo | None = None  # the time zone in which the year begins; None for the server's
    like: SavedMatch | None = None  # a match whose game and variant are wanted

    def __bool__(self) -> bool:
        return bool(self.game or self.people or self.year or self.like)


def is_wanted(connection: Connection, device: str, chosen: Filter) -> sa.ColumnElement[bool]:
    """The condition on a row under which a filter lets it through."""
    wanted: list[sa.ColumnElement[bool]] = [sa.true()]
    if chosen.game:
        wanted.append(rows.c.game == chosen.game)
    if chosen.year:
        wanted.append(rows.c.ended_at.between(*year_limits(chosen.year, chosen.zone)))
    if chosen.like:
        wanted += _is_like(chosen.like)
    for person in chosen.people:
        wanted.append(plays_in(connection, device, is_person(person)))
    return sa.and_(*wanted)


def _is_like(match: SavedMatch) -> Iterator[sa.ColumnElement[bool]]:
    yield rows.c.game == match.game.name
    if word := match.game.variant_word:
        # In a name, each of these quotes has a backslash
        any_variant = f'"{word}":'
        if match.variant is None:
            yield ~rows.c.players.contains(any_variant, autoescape=True)
        else:
            yield rows.c.players.contains(any_variant + encode(match.variant), autoescape=True)


def year_limits(year: int, zone: tzinfo | None) -> tuple[int, int]:
    """The first and the last millisecond of a year in a time zone; None for the server's."""
    try:
        start, end = (datetime(n, 1, 1, tzinfo=zone).astimezone(UTC) for n in (year, year + 1))
        return to_milliseconds(start), to_milliseconds(end) - 1
    except (ValueError, OverflowError, OSError):
        return 0, 0


def matches_where(
    connection: Connection, device: str, where: sa.ColumnElement[bool]
) -> tuple[FinishedMatch, ...]:
    """The device's matches in `where`, the oldest first."""
    query = visible_matches(device).where(where).order_by(rows.c.ended_at, rows.c.id)
    return tuple(map(from_row, connection.execute(query)))


def match_alike(connection: Connection, device: str, essence: str) -> FinishedMatch | None:
    """One of the device's matches with this `SavedMatch.essence`; None without one."""
    # One index finds it among the device's own, and then among those of tables
    at_tables = rows.c.owner.is_(None) & rows.c.table_id.in_(_at(device))
    for whose in (rows.c.owner == device_hash(device), at_tables):
        query = visible_matches(device).where(rows.c.essence == essence, whose)
        if (row := connection.execute(query.limit(1)).first()) is not None:
            return from_row(row)
    return None


def in_parts(ids: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    """The ids in parts, one for each query: older versions of SQLite take at most 999."""
    return (ids[start : start + size] for start in range(0, len(ids), size))


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
    """The match as `match_with_id`; raises `view-only`, too, if the device cannot change it."""
    match = match_with_id(connection, device, match_id)
    if not match.may_change:
        raise Refused("view-only")
    return match


# The condition for `SavedMatch.is_unfinished`. In a name, each of these quotes has a backslash.
IS_UNFINISHED: Final = (rows.c.source == "app") & ~rows.c.players.contains('"won":true')


def results_of(connection: Connection, device: str, chosen: Filter) -> tuple[PersonalResult, ...]:
    """The results of all players with a name and a total in the device's matches, oldest first."""
    part = PlayersParts(connection)
    query = (
        sa.select(rows.c.id, rows.c.game, rows.c.ended_at)
        .add_columns(part.name, part.total, part.won, IS_UNFINISHED, part.players)
        .select_from(part.joined)
        .where(is_visible_to(device), part.counts, is_wanted(connection, device, chosen))
        .order_by(rows.c.ended_at, rows.c.id)
    )
    return tuple(
        PersonalResult(
            match_id, stored_game(game), from_milliseconds(at), name, int(total), *others
        )
        for match_id, game, at, name, total, *others in connection.execute(query)
    )


def people_of(connection: Connection, device: str) -> list[PersonLine]:
    """The people in a device's matches, counted by the database, most matches first."""
    part = PlayersParts(connection)
    won = sa.func.sum(sa.case((part.won, 1), else_=0))
    query = (
        sa.select(part.name, sa.func.count(), won)
        .select_from(part.joined)
        .where(is_visible_to(device), part.counts)
        .group_by(part.name)
        .order_by(sa.func.max(rows.c.ended_at).desc())
    )
    found: dict[str, PersonLine] = {}
    for name, games, wins in connection.execute(query):
        who = person_id(name)
        line = found.get(who) or PersonLine(who, name, 0, 0)
        found[who] = replace(line, games=line.games + games, wins=line.wins + wins)
    return sorted(found.values(), key=lambda line: (-line.games, name_key(line.name)))


def is_person(wanted: str) -> Callable[[str], bool]:
    return lambda name: person_id(name) == wanted


def plays_in(
    connection: Connection, device: str, is_theirs: Callable[[str], bool]
) -> sa.ColumnElement[bool]:
    """The condition on a row under which a person plays in it, also one that no page shows.

    Args:
        is_theirs: whether a name is the person's.
    """
    part = PlayersParts(connection)
    ours = sa.select(part.name).select_from(part.joined).where(is_of(device)).distinct()
    names = [name for name in connection.execute(ours).scalars() if name and is_theirs(name)]
    theirs = sa.select(rows.c.id).select_from(part.joined)
    return rows.c.id.in_(theirs.where(is_of(device), part.name.in_(names)).correlate(None))


def appearances(
    connection: Connection, device: str, wanted: str
) -> tuple[str, tuple[FinishedMatch, ...]]:
    """The name of a person in their latest match, and their matches, the oldest first.

    The matches come without their records, which are long.

    Raises:
        Refused: `no-such-person`.
    """
    query = visible_matches(device, records=False)
    query = query.where(plays_in(connection, device, is_person(wanted)))
    found = connection.execute(query.order_by(rows.c.ended_at, rows.c.id))
    matches = tuple(map(from_row, found))
    for player in reversed([player for match in matches for player in match.players]):
        if player.name and person_id(player.name) == wanted:
            return player.name, matches
    raise Refused("no-such-person")


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
        self.joined: Final = rows.join(player, sa.true())
        self.counts: Final = self.name.is_not(None) & self.total.is_not(None)


def tables_changed_by(store: Store, device: str) -> tuple[str, ...]:
    query = sa.select(members.c.table_id).where(
        members.c.device == device_hash(device), members.c.role != "viewer"
    )
    with store.database.read() as connection:
        return tuple(connection.execute(query.order_by(members.c.table_id)).scalars())


@contextmanager
def unless_left() -> Iterator[None]:
    """Leaves a table as it is where the device has lost its place since the tables were listed."""
    try:
        yield
    except Refused as refused:
        if refused.code not in ("no-such-table", "not-a-member", "view-only"):
            raise


def _at(device: str) -> sa.Select[Any]:
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


def visible_matches(device: str, *, records: bool = True) -> sa.Select[Any]:
    """The rows that a device sees, for `from_row`."""
    columns = [column for column in rows.c if records or column is not rows.c.record]
    nothing = () if records else (sa.null().label("record"),)
    return sa.select(*columns, *nothing, may_change(device)).where(is_visible_to(device))


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
