"""`History`: the finished games that a device may see, and what is done with them.

A device sees the games that it put in itself (from paper, or from a file) and those of the tables
where it sits. Whoever may only watch at a table may not change its games either. What a chart or a
page makes of them is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.core.values import Document
from companion.games import standings
from companion.games.catalog import GAMES
from companion.games.standings import KeptSheet
from companion.tables import erase, exchange, log, plays, records, texts
from companion.tables.events import decode, encode, when
from companion.tables.exchange import Entry
from companion.tables.ids import device_hash, is_id, new_id
from companion.tables.lobby import checked_game
from companion.tables.names import check_free, checked_name, name_key
from companion.tables.people import Person, Result, person_id, persons
from companion.tables.play import Unplayable
from companion.tables.plays import Player, Source
from companion.tables.refusals import (
    NO_SUCH_TABLE,
    NOT_A_MEMBER,
    VIEW_ONLY,
    Refused,
    no_such_person,
    no_such_play,
    view_only,
)
from companion.tables.schema import games, members, play_photos
from companion.tables.schema import plays as rows
from companion.tables.store import Store

LAST_NUMBER: Final = 2**31 - 1
"""Of a table's games: what a database takes for a number."""
PAGE: Final = 20
"""Games on one page of the list."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished game."""

    id: str
    game: Game
    source: Source
    started_at: datetime | None
    ended_at: datetime
    place: str
    notes: str
    players: tuple[Player, ...]
    """In the order in which they sat; the first one started, where it was played in the app."""
    record: Document | None
    """The `companion-record/1` of a game played in the app, while nobody in it is deleted."""
    table_id: str | None
    may_change: bool
    """Whether this device may add notes and delete it."""

    @property
    def ranking(self) -> tuple[Player, ...]:
        """The players, winners first, then by their totals."""
        return tuple(
            sorted(
                self.players, key=lambda one: (not one.won, one.total is None, -(one.total or 0))
            )
        )

    @property
    def minutes(self) -> int | None:
        """How long it took, rounded."""
        if self.started_at is None:
            return None
        return round((self.ended_at - self.started_at).total_seconds() / 60)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the list, the newest game first."""

    plays: tuple[Finished, ...]
    number: int
    pages: int
    count: int
    """Games on all pages."""


@dataclass(frozen=True, slots=True)
class Goes:
    """What deleting a person does, to be said before it is done."""

    person: Person
    kept: int
    """Games that stay, with a nameless place."""
    gone: int
    """Games that go, because nobody else with a name is in them."""
    running: int
    """Games that have not ended, and end without a result."""
    watched: int
    """Games that stay as they are, because this device may only watch at their table."""


class History:
    """The finished games of one database. Safe to use from many threads."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    # Adding

    def add_paper_game(
        self,
        device: str,
        game: str,
        sheets: Sequence[tuple[str, KeptSheet]],
        *,
        started: datetime | None = None,
        ended: datetime | None = None,
        place: str = "",
        notes: str = "",
        source: Source = "photo",
        play_id: str | None = None,
    ) -> str:
        """Puts a game that was played on paper into the device's history; returns its id.

        `game` is a public name such as "qwinto-dice". `sheets` are (player's name, the player's
        sheet) in any order. Who has won is worked out here: nobody, with fewer sheets than
        players that the game needs. Sheets with
        problems are taken as they are written. `started` and `ended` are aware; without `ended`
        it has ended now. Who gives it an unguessable id (`new_id`) may try again: a game whose id
        is there already is not put in twice.

        Raises:
            Refused: a name that nobody can have (`bad-name`), two that look alike (`name-taken`),
                an unknown game (`no-such-game`).
            Unusable: no sheet, or too many.
        """
        known, _ = checked_game(game, None)
        players = _players(known, sheets)
        end = plays.milliseconds(ended) if ended else self._store.now()
        start = None if started is None else min(plays.milliseconds(started), end)
        values = {
            "game": known.name,
            "source": source,
            "started_at": start,
            "ended_at": end,
            "place": texts.line(place),
            "notes": texts.text(notes),
            "players": plays.encode_players(players),
            "record": None,
        }
        play_id = play_id or new_id()
        with self._store.database.write(alone_in=rows) as connection:
            owner = device_hash(device)
            if connection.execute(sa.select(rows.c.id).where(rows.c.id == play_id)).first() is None:
                connection.execute(rows.insert().values(id=play_id, owner=owner, **values))
        return play_id

    def note(self, device: str, play_id: str, *, place: str, notes: str) -> None:
        """Changes where it was played and what is noted about it."""
        with self._store.database.write() as connection:
            row = self._changeable(connection, device, play_id)
            values = {"place": texts.line(place), "notes": texts.text(notes)}
            connection.execute(rows.update().where(rows.c.id == row.id).values(**values))

    # Looking

    def plays(self, device: str, page: int = 1) -> Page:
        """A page of the list, the newest first; the last one when there are not so many."""
        self._catch_up(device)
        with self._store.database.read() as connection:
            seen = _seen(device)
            count = connection.execute(sa.select(sa.func.count()).where(seen)).scalar_one()
            pages = max(1, -(-count // PAGE))
            number = min(max(page, 1), pages)
            query = _query(device).order_by(rows.c.ended_at.desc(), rows.c.id)
            found = connection.execute(query.limit(PAGE).offset((number - 1) * PAGE)).all()
        return Page(tuple(map(_finished, found)), number, pages, count)

    def all_plays(self, device: str) -> tuple[Finished, ...]:
        """All of them, the oldest first."""
        self._catch_up(device)
        with self._store.database.read() as connection:
            query = _query(device).order_by(rows.c.ended_at, rows.c.id)
            return tuple(map(_finished, connection.execute(query).all()))

    def play(self, device: str, play_id: str) -> Finished:
        """One game; raises `Refused` with `no-such-play`."""
        with self._store.database.read() as connection:
            return _finished(_row(connection, device, play_id))

    def play_at(self, device: str, table_id: str, number: int) -> str:
        """The id of a table's game, when that is over; raises `Refused` with `no-such-play`."""
        if not is_id(table_id) or number > LAST_NUMBER:
            raise no_such_play()
        self._catch_up(device)
        with self._store.database.read() as connection:
            here = (rows.c.table_id == table_id) & (rows.c.number == number)
            found = connection.execute(sa.select(rows.c.id).where(_seen(device), here)).scalar()
        if found is None:
            raise no_such_play()
        return str(found)

    def people(self, device: str) -> tuple[Person, ...]:
        """Everybody with a name in the device's games, who has played most first."""
        return persons(self._results(device))

    def person(self, device: str, wanted: str) -> Person:
        """One of them by `Person.id`; raises `Refused` with `no-such-person`."""
        return _person(self.people(device), wanted)

    def _results(self, device: str) -> tuple[Result, ...]:
        self._catch_up(device)
        columns = (rows.c.id, rows.c.game, rows.c.ended_at, rows.c.players)
        query = sa.select(*columns).where(_seen(device)).order_by(rows.c.ended_at, rows.c.id)
        with self._store.database.read() as connection:
            found = connection.execute(query).all()
        return tuple(
            Result(
                row.id, GAMES[row.game], when(row.ended_at), player.name, player.total, player.won
            )
            for row in found
            for player in plays.decode_players(row.players)
            if player.name is not None and player.total is not None
        )

    # Deleting

    def delete_play(self, device: str, play_id: str) -> None:
        """Deletes a game for good, with what its table's log says about it."""
        with self._store.database.read() as connection:
            row = _row(connection, device, play_id)
        if row.table_id is None or row.number is None:
            with self._store.database.write() as connection:
                found = self._changeable(connection, device, play_id)
                connection.execute(rows.delete().where(rows.c.id == found.id))
            return
        with self._store.changing(row.table_id, device) as change:
            change.need_player()
            erase.game(change, row.number)
            change.connection.execute(rows.delete().where(rows.c.id == row.id))

    def before_deleting(self, device: str, wanted: str) -> Goes:
        """What deleting this person would do."""
        person = self.person(device, wanted)
        kept = gone = watched = 0
        for play in self.all_plays(device):
            if _place_of(play.players, wanted) is None:
                continue
            if not play.may_change:
                watched += 1
            elif any(_named(player, wanted) for player in play.players):
                kept += 1
            else:
                gone += 1
        return Goes(person, kept, gone, self._running(device, wanted), watched)

    def delete_person(self, device: str, wanted: str) -> None:
        """Deletes a person's name and sheets for good; see `before_deleting`.

        Each table is one transaction, and what the device put in itself another. When one fails,
        what was done before stays done, and the same call does the rest.
        """
        key = name_key(self.person(device, wanted).name)
        for table_id in self._tables(device):
            with _unless_left(), self._store.changing(table_id, device) as change:
                change.need_player()
                erase.person(change, key)
                _delete_in(change.connection, rows.c.table_id == table_id, wanted)
        with self._store.database.write() as connection:
            _delete_in(connection, rows.c.owner == device_hash(device), wanted)

    # Files

    def export_json(self, device: str) -> bytes:
        """All that the device sees, as `companion-history/1`: its backup, too."""
        return exchange.written(map(_entry, self.all_plays(device)))

    def export_csv(self, device: str) -> bytes:
        """The same for a spreadsheet, one line a player."""
        return exchange.table(map(_entry, self.all_plays(device)))

    def import_json(self, device: str, raw: bytes) -> int:
        """Puts the games of a file into the device's history; returns how many were new.

        A game that is there already stays as it is, with its place and notes. All or none.

        Raises:
            Unusable: it is no `companion-history/1`, or a game in it is wrong.
        """
        wanted = exchange.read(raw)
        self._catch_up(device)
        with self._store.database.write(alone_in=rows) as connection:
            # Looked up in here, or two taps on the button would put every game in twice.
            query = _query(device).order_by(rows.c.ended_at, rows.c.id)
            here = map(_finished, connection.execute(query).all())
            values = _imported(device, exchange.missing(wanted, map(_entry, here)))
            if values:
                connection.execute(rows.insert(), values)
        return len(values)

    # Inside

    def _tables(self, device: str) -> tuple[str, ...]:
        """The tables that this device may change."""
        query = sa.select(members.c.table_id).where(
            members.c.device == device_hash(device), members.c.role != "viewer"
        )
        with self._store.database.read() as connection:
            return tuple(connection.execute(query.order_by(members.c.table_id)).scalars())

    def _running(self, device: str, wanted: str) -> int:
        count = 0
        for table_id in self._tables(device):
            with _unless_left(), self._store.looking(table_id, device) as (_, state, _me):
                names = (
                    state.play.position.players if state.phase == "playing" and state.play else ()
                )
                count += any(person_id(name) == wanted for name in names)
        return count

    def _changeable(self, connection: Connection, device: str, play_id: str) -> Any:
        row = _row(connection, device, play_id)
        if not row.may_change:
            raise view_only()
        return row

    def _catch_up(self, device: str) -> None:
        """Takes up the games that ended before there was a history."""
        known = sa.exists().where(
            rows.c.table_id == games.c.table_id, rows.c.number == games.c.number
        )
        query = (
            sa.select(games.c.table_id, games.c.number)
            .join(members, members.c.table_id == games.c.table_id)
            .where(members.c.device == device_hash(device), games.c.ended_at.is_not(None), ~known)
        )
        with self._store.database.read() as connection:
            missing = connection.execute(query).all()
        for table_id, number in missing:
            # Nobody changes the table meanwhile; a game that today's rules refuse is left out.
            with (
                suppress(Unplayable),
                _unless_left(),
                self._store.changing(table_id, device) as change,
            ):
                version = change.state.version
                events = log.events_between(change.connection, table_id, 0, version)
                plays.keep(change.connection, table_id, records.game_number(events, number))


@contextmanager
def _unless_left() -> Iterator[None]:
    """Passes over a table where the device has lost its place since the tables were looked up."""
    try:
        yield
    except Refused as refused:
        if refused.code not in (NO_SUCH_TABLE, NOT_A_MEMBER, VIEW_ONLY):
            raise


def _players(game: Game, sheets: Sequence[tuple[str, KeptSheet]]) -> tuple[Player, ...]:
    """The players of finished sheets, with what the sheets come to."""
    if not 1 <= len(sheets) <= game.max_players:
        raise Unusable(f"{game.name} is for at most {game.max_players} players, not {len(sheets)}.")
    names: list[str] = []
    for raw, _ in sheets:
        name = checked_name(raw)
        check_free(name, names)
        names.append(name)
    won = standings.winners(game, [sheet.result for _, sheet in sheets])
    return tuple(
        Player(name, sheet.result.total, wins, sheet.document)
        for name, (_, sheet), wins in zip(names, sheets, won, strict=True)
    )


def _named(player: Player, but: str) -> bool:
    return player.name is not None and person_id(player.name) != but


def _place_of(players: Iterable[Player], wanted: str) -> Player | None:
    return next((one for one in players if _is(one, wanted)), None)


def _is(player: Player, wanted: str) -> bool:
    return player.name is not None and person_id(player.name) == wanted


def _delete_in(connection: Connection, where: sa.ColumnElement[bool], wanted: str) -> None:
    """Takes the person out of these games; a game in which nobody is left goes."""
    found = connection.execute(sa.select(rows.c.id, rows.c.players).where(where)).all()
    for play_id, text in found:
        players = plays.decode_players(text)
        # A file may hold two names that look alike: they are one person.
        left = tuple(one.nameless() if _is(one, wanted) else one for one in players)
        if left == players:
            continue
        here = rows.c.id == play_id
        if all(one.name is None for one in left):
            connection.execute(rows.delete().where(here))
        else:
            # The record holds every action of everybody, so it cannot stay.
            values = {"players": plays.encode_players(left), "record": None}
            connection.execute(rows.update().where(here).values(**values))
            # Nor can photos of the sheets, with every name in handwriting.
            connection.execute(play_photos.delete().where(play_photos.c.play_id == play_id))


def _person(people: Iterable[Person], wanted: str) -> Person:
    for person in people:
        if person.id == wanted:
            return person
    raise no_such_person()


def _at(device: str) -> sa.Select[Any]:
    return sa.select(members.c.table_id).where(members.c.device == device_hash(device))


def _seen(device: str) -> sa.ColumnElement[bool]:
    """Which games a device may see."""
    mine = rows.c.owner == device_hash(device)
    return (
        (mine | rows.c.table_id.in_(_at(device)))
        & rows.c.ended_at.is_not(None)
        & rows.c.game.in_(GAMES)
    )


def _query(device: str) -> sa.Select[Any]:
    mine = rows.c.owner == device_hash(device)
    ours = rows.c.table_id.in_(_at(device).where(members.c.role != "viewer"))
    # Null is neither: a game of a table has no owner.
    may_change = sa.case((mine, True), (ours, True), else_=False).label("may_change")
    return sa.select(rows, may_change).where(_seen(device))


def _row(connection: Connection, device: str, play_id: str) -> Any:
    if not is_id(play_id):
        raise no_such_play()
    row = connection.execute(_query(device).where(rows.c.id == play_id)).one_or_none()
    if row is None:
        raise no_such_play()
    return row


def _imported(device: str, entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """New rows for games of a file."""
    owner = device_hash(device)
    return [
        {
            "id": new_id(),
            "owner": owner,
            "game": entry.game.name,
            "source": entry.source,
            "started_at": entry.started_at,
            "ended_at": entry.ended_at,
            "place": entry.place,
            "notes": entry.notes,
            "players": plays.encode_players(entry.players),
            "record": None if entry.record is None else encode(entry.record),
        }
        for entry in entries
    ]


def _entry(play: Finished) -> Entry:
    return Entry(
        game=play.game,
        source=play.source,
        started_at=None if play.started_at is None else plays.milliseconds(play.started_at),
        ended_at=plays.milliseconds(play.ended_at),
        place=play.place,
        notes=play.notes,
        players=play.players,
        record=play.record,
    )


def _finished(row: Any) -> Finished:
    return Finished(
        id=row.id,
        game=GAMES[row.game],
        source=row.source,
        started_at=None if row.started_at is None else when(row.started_at),
        ended_at=when(row.ended_at),
        place=row.place,
        notes=row.notes,
        players=plays.decode_players(row.players),
        record=None if row.record is None else decode(row.record),
        table_id=row.table_id,
        may_change=bool(row.may_change),
    )
