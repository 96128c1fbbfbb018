"""Finished matches as a device sees them, and its right to change them.

A device sees the matches that it put in itself and those of the tables where it sits. A device that
may only watch at a table may not change the table's matches either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.game import Game
from companion.core.values import Document
from companion.games.catalog import GAMES
from companion.games.others import PREFIXES, stored_game
from companion.tables.database.columns import device_hash, from_milliseconds, is_id, to_milliseconds
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import match_changes, members
from companion.tables.history.people import Lineup, NameCount, PersonalResult, person_id
from companion.tables.ledger import finished
from companion.tables.ledger.events import encode
from companion.tables.ledger.names import name_key
from companion.tables.ledger.saved import SavedMatch, decode_players
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

HIGHEST_NUMBER: Final = 2**31 - 1
"""The greatest number of a table's match that a database takes."""
RECENT: Final = 40
"""Matches whose people are offered as the players of the next one."""
PAGE_SIZE: Final = 20
"""Matches on one page of the list."""
_IS_KNOWN: Final = rows.c.game.in_(GAMES) | sa.or_(*map(rows.c.game.startswith, PREFIXES))
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
    """Whether this device may add notes and delete it."""


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of the list of matches, the newest first."""

    matches: tuple[FinishedMatch, ...]
    number: int
    pages: int
    count: int
    """Matches on all pages."""


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


def page_of_matches(store: Store, device: str, wanted: int, chosen: Filter) -> HistoryPage:
    """Page `wanted` of the device's matches, from 1; the nearest page if there is no such one."""
    with store.database.read() as connection:
        is_wanted = _is_wanted(connection, device, chosen)
        where = _is_visible_to(device) & is_wanted
        count = connection.execute(sa.select(sa.func.count()).where(where)).scalar_one()
        pages = max(1, -(-count // PAGE_SIZE))
        number = min(max(wanted, 1), pages)
        query = _query(device).where(is_wanted).order_by(rows.c.ended_at.desc(), rows.c.id)
        found = connection.execute(query.limit(PAGE_SIZE).offset((number - 1) * PAGE_SIZE)).all()
    return HistoryPage(tuple(map(_from_row, found)), number, pages, count)


def _is_wanted(connection: Connection, device: str, chosen: Filter) -> sa.ColumnElement[bool]:
    wanted: list[sa.ColumnElement[bool]] = [sa.true()]
    if chosen.game:
        wanted.append(rows.c.game == chosen.game)
    if chosen.year:
        start, end = year_limits(chosen.year)
        wanted.append(rows.c.ended_at.between(start, end - 1))
    known = names_of(connection, device) if chosen.people else ()
    for person in chosen.people:
        names = [count.name for count in known if person_id(count.name) == person]
        part = _PlayersParts(connection)
        theirs = sa.select(rows.c.id).select_from(part.joined).where(part.name.in_(names))
        wanted.append(rows.c.id.in_(theirs.where(_is_visible_to(device)).correlate(None)))
    return sa.and_(*wanted)


def year_limits(year: int) -> tuple[int, int]:
    """The first millisecond of a year and of the next one, in the server's time zone."""
    try:
        start, end = (datetime(number, 1, 1).astimezone() for number in (year, year + 1))
        return to_milliseconds(start), to_milliseconds(end)
    except (ValueError, OverflowError, OSError):
        return 0, 0


def years_of(connection: Connection, device: str) -> tuple[int, ...]:
    """The years in which the device's matches have ended, the last one first."""
    query = sa.select(sa.func.min(rows.c.ended_at), sa.func.max(rows.c.ended_at))
    first, last = connection.execute(query.where(_is_visible_to(device))).one()
    if first is None:
        return ()
    years = [from_milliseconds(at).astimezone().year for at in (last, first)]
    return tuple(range(years[0], years[1] - 1, -1))


def games_of(connection: Connection, device: str) -> tuple[str, ...]:
    """The games of the device's matches, the most played one first."""
    query = sa.select(rows.c.game).where(_is_visible_to(device)).group_by(rows.c.game)
    return tuple(connection.execute(query.order_by(sa.func.count().desc(), rows.c.game)).scalars())


def matches_of(connection: Connection, device: str) -> tuple[FinishedMatch, ...]:
    """All matches that a device sees, the oldest first."""
    query = _query(device).order_by(rows.c.ended_at, rows.c.id)
    return tuple(map(_from_row, connection.execute(query).all()))


def ids_ended_at(connection: Connection, device: str, times: Sequence[int]) -> set[str]:
    """The ids of the device's matches that ended at one of these times."""
    query = sa.select(rows.c.id).where(_is_visible_to(device), rows.c.ended_at.in_(times))
    return set(connection.execute(query).scalars())


def ids_with_changes(connection: Connection, device: str) -> list[str]:
    """The ids of the device's matches that have a log of changes."""
    query = sa.select(match_changes.c.play_id).distinct().join(rows)
    return list(connection.execute(query.where(_is_visible_to(device))).scalars())


def matches_with_ids(
    connection: Connection, device: str, ids: Sequence[str]
) -> Iterator[FinishedMatch]:
    """The device's matches with these ids, in parts: ids of many matches may be asked for."""
    for start in range(0, len(ids), 500):
        query = _query(device).where(rows.c.id.in_(ids[start : start + 500]))
        yield from map(_from_row, connection.execute(query).all())


def matches_with_identities(
    connection: Connection, device: str, identities: Sequence[str]
) -> dict[str, FinishedMatch]:
    """The device's matches by identity, also those that go on again.

    Of two copies it is one that the device may change.
    """
    here = _is_of(device) & _IS_KNOWN & rows.c.identity.in_(identities)
    query = sa.select(rows, may_change(device)).where(here).order_by(rows.c.changed_at, rows.c.id)
    found = map(_from_row, connection.execute(query))
    return {match.identity: match for match in sorted(found, key=lambda match: match.may_change)}


def match_with_id(connection: Connection, device: str, match_id: str) -> FinishedMatch:
    """The match with this id, or the device's copy of the one that had it first.

    Raises:
        Refused: `no-such-play`, the device sees none.
    """
    if not is_id(match_id):
        raise Refused("no-such-play")
    is_it = (rows.c.id == match_id) | (rows.c.identity == match_id)
    found = _query(device).where(is_it).order_by(rows.c.id != match_id, rows.c.id)
    row = connection.execute(found.limit(1)).one_or_none()
    if row is None:
        raise Refused("no-such-play")
    return _from_row(row)


def id_of_record(
    connection: Connection, device: str, record: Document, identity: object
) -> str | None:
    """The id of the device's match with this record, or with this identity; None without one.

    A match that was ended early does not count: its record can be played on.
    """
    # Actions that no JSON of ours holds are in no match.
    with suppress(ValueError, TypeError, RecursionError):
        same = rows.c.record == encode(record)
        if is_id(identity):
            same |= rows.c.identity == identity
        query = sa.select(rows.c.id).where(_is_visible_to(device), same, ~_IS_UNFINISHED)
        return connection.execute(query).scalar()
    return None


def match_for_all(connection: Connection, match_id: str) -> FinishedMatch | None:
    """A match for anybody who has its link: nobody may change it, and its table stays hidden."""
    query = sa.select(rows, sa.literal(value=False).label("may_change")).where(
        rows.c.id == match_id, rows.c.ended_at.is_not(None), _IS_KNOWN
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else replace(_from_row(row), table_id=None, record=None)


def changeable_match(connection: Connection, device: str, match_id: str) -> FinishedMatch:
    """The match as `match_with_id`; raises `view-only`, too, if the device may not change it."""
    match = match_with_id(connection, device, match_id)
    if not match.may_change:
        raise Refused("view-only")
    return match


def id_of_match_at(connection: Connection, device: str, table_id: str, number: int) -> str:
    """The id of a table's finished match by its number; raises `Refused` with `no-such-play`."""
    if not is_id(table_id) or number > HIGHEST_NUMBER:
        raise Refused("no-such-play")
    here = (rows.c.table_id == table_id) & (rows.c.number == number)
    found = connection.execute(sa.select(rows.c.id).where(_is_visible_to(device), here)).scalar()
    if found is None:
        raise Refused("no-such-play")
    return str(found)


_IS_UNFINISHED: Final = (rows.c.source == "app") & ~rows.c.players.contains('"won":true')
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
    part = _PlayersParts(connection)
    wanted = part.counts if names is None else part.counts & part.name.in_(names)
    if chosen is not None:
        wanted &= _is_wanted(connection, device, chosen)
    query = (
        sa.select(
            rows.c.id,
            rows.c.game,
            rows.c.ended_at,
            part.name,
            part.total,
            part.won,
            _IS_UNFINISHED,
        )
        .select_from(part.joined)
        .where(_is_visible_to(device), wanted)
        .order_by(rows.c.ended_at, rows.c.id)
    )
    return tuple(
        PersonalResult(
            match_id,
            stored_game(game),
            from_milliseconds(at),
            name,
            int(total),
            bool(won),
            bool(early),
        )
        for match_id, game, at, name, total, won, early in connection.execute(query)
    )


def names_of(connection: Connection, device: str) -> tuple[NameCount, ...]:
    """The names in the device's matches with their games and wins, counted by the database."""
    part = _PlayersParts(connection)
    won = sa.func.sum(sa.case((part.won, 1), else_=0))
    query = (
        sa.select(part.name, sa.func.count(), won, sa.func.max(rows.c.ended_at))
        .select_from(part.joined)
        .where(_is_visible_to(device), part.counts)
        .group_by(part.name)
    )
    return tuple(NameCount(*row) for row in connection.execute(query))


def bests(
    connection: Connection, device: str, game: Game, other_than: str, *, alone: bool
) -> tuple[tuple[str, int], ...]:
    """(name, best total) of the device's matches of a game.

    Args:
        other_than: the id of a match that is left out.
        alone: only matches of one player; else only those of several.
    """
    part = _PlayersParts(connection)
    query = (
        sa.select(part.name, (sa.func.min if game.lowest_wins else sa.func.max)(part.total))
        .select_from(part.joined)
        .where(
            _is_visible_to(device),
            part.counts,
            part.players == 1 if alone else part.players > 1,
            ~_IS_UNFINISHED,
            rows.c.game == game.name,
            rows.c.id != other_than,
        )
        .group_by(part.name)
    )
    return tuple((name, int(total)) for name, total in connection.execute(query))


def lineups(connection: Connection, device: str, *, hidden: bool = False) -> tuple[Lineup, ...]:
    """The people in a device's matches, which the database takes out of the rows; oldest first.

    Args:
        hidden: also of matches that no page shows: their table plays on, or the game is gone.
    """
    part = _PlayersParts(connection)
    query = (
        sa.select(rows.c.id, rows.c.table_id, rows.c.number, may_change(device), part.name)
        .select_from(part.joined)
        .where(_is_of(device) if hidden else _is_visible_to(device), ~part.is_deleted)
        .order_by(rows.c.ended_at, rows.c.id)
    )
    found: dict[str, Lineup] = {}
    for match_id, table_id, number, is_ours, name in connection.execute(query):
        known = found.get(match_id) or Lineup(match_id, table_id, number, bool(is_ours), ())
        found[match_id] = replace(known, names=(*known.names, name))
    return tuple(found.values())


def recent_names(connection: Connection, device: str) -> tuple[str, ...]:
    """The people of a device's `RECENT` latest matches, those who played last first."""
    query = (
        sa.select(rows.c.players)
        .where(_is_visible_to(device))
        .order_by(rows.c.ended_at.desc(), rows.c.id)
        .limit(RECENT)
    )
    found: dict[str, str] = {}
    for players in connection.execute(query).scalars():
        for player in decode_players(players):
            if player.name:
                found.setdefault(name_key(player.name), player.name)
    return tuple(found.values())


def last_game(connection: Connection, device: str, games: Sequence[str]) -> str:
    """The one of these games that the device's history has last; empty when it has none."""
    query = (
        sa.select(rows.c.game)
        .where(_is_visible_to(device), rows.c.game.in_(games))
        .order_by(rows.c.ended_at.desc(), rows.c.id)
    )
    return connection.execute(query.limit(1)).scalar() or ""


class _PlayersParts:
    """The players in the JSON of a match's row, as columns; sheets stay in the database."""

    def __init__(self, connection: Connection) -> None:
        self.name: sa.ColumnElement[Any]
        self.total: sa.ColumnElement[Any]
        self.won: sa.ColumnElement[Any]
        self.players: sa.ColumnElement[int]
        sheet: sa.ColumnElement[Any]
        if connection.dialect.name == "sqlite":
            each = sa.func.json_each(rows.c.players).table_valued("value", name="player")
            self.name = sa.func.json_extract(each.c.value, "$.name", type_=sa.Text)
            self.total = sa.func.json_extract(each.c.value, "$.total", type_=sa.BigInteger)
            self.won = sa.func.json_extract(each.c.value, "$.won", type_=sa.Boolean)
            sheet = sa.func.json_extract(each.c.value, "$.sheet")
            self.players = sa.func.json_array_length(rows.c.players)
        else:
            players = sa.cast(rows.c.players, sa.JSON)
            each = sa.func.json_array_elements(players).table_valued("value", name="player")
            self.name = each.c.value.op("->>", return_type=sa.Text())("name")
            total = each.c.value.op("->>", return_type=sa.Text())("total")
            self.total = sa.cast(total, sa.Numeric)
            self.won = each.c.value.op("->>", return_type=sa.Text())("won") == "true"
            sheet = each.c.value.op("->>", return_type=sa.Text())("sheet")
            self.players = sa.func.json_array_length(players)
        self.is_deleted: Final = self.name.is_(None) & self.total.is_(None) & sheet.is_(None)
        """As `Participant.is_deleted`."""
        self.joined: Final = rows.join(each, sa.true())
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


def _is_visible_to(device: str) -> sa.ColumnElement[bool]:
    """The condition on a match's row under which a device sees it."""
    return _is_of(device) & rows.c.ended_at.is_not(None) & _IS_KNOWN


def _is_of(device: str) -> sa.ColumnElement[bool]:
    """The condition on a match's row under which it is the device's, or of one of its tables."""
    return (rows.c.owner == device_hash(device)) | rows.c.table_id.in_(_at(device))


def may_change(device: str) -> sa.Label[bool]:
    """The condition on a match's row under which a device may change it, as a column."""
    mine = rows.c.owner == device_hash(device)
    ours = rows.c.table_id.in_(_at(device).where(members.c.role != "viewer"))
    # A match of a table has no owner, and null would compare as neither true nor false.
    return sa.case((mine, True), (ours, True), else_=False).label("may_change")


def _query(device: str) -> sa.Select[Any]:
    return sa.select(rows, may_change(device)).where(_is_visible_to(device))


def _from_row(row: Any) -> FinishedMatch:
    return FinishedMatch(
        **finished.fields_of(row),
        id=row.id,
        table_id=row.table_id,
        number=row.number,
        may_change=bool(row.may_change),
    )
