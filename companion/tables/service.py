"""`Tables`: everything that pages and commands may do with tables, in one class.

Each method is one transaction. A refused request raises `Refused` and changes nothing.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from companion.core.values import Document
from companion.games import record as records_format
from companion.games.catalog import GAMES
from companion.tables.database.bus import Bus
from companion.tables.database.ids import device_hash, new_id
from companion.tables.database.schema import members, tables
from companion.tables.database.times import from_milliseconds
from companion.tables.history import History, paper
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import events_between
from companion.tables.ledger.corrections import Correction, Fixes
from companion.tables.ledger.events import decode
from companion.tables.ledger.names import checked_label
from companion.tables.ledger.rights import Audience
from companion.tables.ledger.store import Clock, Store
from companion.tables.ledger.taps import Tap
from companion.tables.limits import counts, quotas
from companion.tables.limits.limiter import Codes, Limiter, SharedLimiter
from companion.tables.photos.reviews import Reviews
from companion.tables.play import access, gate, lobby, records, roller, stranded
from companion.tables.play.access import Link, LinkInfo
from companion.tables.play.gate import Saved
from companion.tables.play.presence import Presence
from companion.tables.play.stranded import Silence
from companion.tables.play.views import Table, TableLine, table_for
from companion.tables.refusals import Refused
from companion.tables.upkeep import backup
from companion.tables.upkeep import table_deletion as closing
from companion.tables.upkeep.keeper import Keeper, SeenDevices
from companion.tables.upkeep.tidying import Tidied, tidy

DEFAULT_URL: Final = "sqlite:///companion.sqlite3"
SECRET_BYTES: Final = 32
MOST_TABLE_LINES: Final = 50
"""Limit of the tables in a device's list; the last changed ones are kept."""


class Tables:
    """All tables of one database. Safe to use from many threads.

    A `device` is the opaque token in a browser's cookie; the database keeps only its hash. Where a
    method's docstring ends with "Host" or "Players", other devices are refused.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        clock: Clock = time.time,
        elapsed: Callable[[], float] | None = None,
        bus: Bus | None = None,
        serving: bool = False,
    ) -> None:
        """Opens the database.

        Args:
            clock: the time of day.
            elapsed: seconds from any start, for limits: a clock that is set must not lift them.
                None for this process's own, or the database's where processes share one.
            serving: whether this process answers requests from the database, not only looks in.
        """
        self._store: Final = Store(url, clock, bus, serving=serving)
        self._secret_key = ""
        self._limiter: Final[Codes] = (
            Limiter(elapsed or time.monotonic)
            if self._store.database.is_sqlite
            else SharedLimiter(self._store.database, self.secret_key, elapsed)
        )
        relay = self._store.postgres
        self._presence: Final = Presence(
            elapsed or time.monotonic, relay.tell_heard if relay else None
        )
        if relay is not None:
            relay.on_heard = self._presence.heard_elsewhere
        self.bus: Final = self._store.bus
        self.history: Final = History(self._store)
        self.reviews: Final = Reviews(self._store)
        self.database: Final = self._store.database
        self._seen: Final = SeenDevices()
        self._keeper: Keeper | None = None

    def close(self) -> None:
        """Closes the database's connections; nothing may be called afterwards."""
        if self._keeper is not None:
            self._keeper.close()
        self._store.close()

    def secret_key(self) -> str:
        """The key that signs cookies: made once, the same in all processes."""
        if not self._secret_key:
            made = self._store.setting("secret-key", lambda: secrets.token_urlsafe(SECRET_BYTES))
            self._secret_key = made
        return self._secret_key

    def now(self) -> int:
        """Milliseconds since 1970, by the store's clock."""
        return self._store.now()

    def address_key(self, address: str) -> str:
        """The hash of a network address that the database keeps; empty for an empty one."""
        return counts.hashed(address, self.secret_key()) if address else ""

    def count_photos(self, address: str, number: int) -> None:
        """Counts photos that an address sends; raises `Refused` with `too-many-photos`."""
        if address:
            key = self.address_key(address)
            with self._store.database.write() as connection:
                quotas.count_photos(connection, key, self._store.now(), number)

    # Looking

    def look(self, table_id: str, device: str) -> Table:
        """The whole table at one version, as this device sees it."""
        with self._store.looking(table_id, device) as (_, state, me):
            table = table_for(table_id, state, me)
        self.heard(device)
        return table

    def audience(self, table_id: str, known: Audience | None = None, version: int = 0) -> Audience:
        """The table at one version and who sits at it, for what is sent to all of them.

        Args:
            known: an earlier answer, which saves the database a question if only taps came since.
            version: the newest version of the table that its subscribers have heard of.
        """
        return self._store.audience(table_id, known, version)

    def version(self, table_id: str, device: str) -> int:
        """The table's version: cheaper than `look`, and with the same checks of the device."""
        version = self._store.version(table_id, device)
        self.heard(device)
        return version

    def heard(self, device: str) -> None:
        """Notes that a device at a table was heard just now; every look and tap does so, too."""
        self._presence.heard(device_hash(device))

    def silence(self, table_id: str, device: str) -> Silence:
        """The silent phones at a table that this device may take over from."""
        with self._store.looking(table_id, device) as (connection, state, me):
            return stranded.silence(connection, table_id, state, me, self._presence.is_silent)

    def at_tables(self, device: str) -> tuple[TableLine, ...]:
        """The tables where this device sits, the last changed one first."""
        query = (
            sa.select(tables, members.c.role)
            .join(members, members.c.table_id == tables.c.id)
            .where(members.c.device == device_hash(device), tables.c.game.in_(GAMES))
            .order_by(tables.c.changed_at.desc(), tables.c.id)
            .limit(MOST_TABLE_LINES)
        )
        with self._store.database.read() as connection:
            rows = connection.execute(query).all()
        return tuple(
            TableLine(
                id=row.id,
                game=GAMES[row.game],
                names=tuple(decode(row.names)),
                phase=row.phase,
                role=row.role,
                changed_at=from_milliseconds(row.changed_at),
            )
            for row in rows
        )

    # The lobby

    def create(
        self,
        device: str,
        game: str,
        options: Mapping[str, str] | None = None,
        label: str = "",
        players: Sequence[tuple[str, str]] = (),
        address: str = "",
    ) -> str:
        """Makes a table whose host is this device and returns its id.

        Args:
            address: the network address that asks, whose tables of a day are counted.
            game: the public name of a game.
            label: what the device is called in the log; may be empty.
            players: (name, color) of the seats, clockwise.
        """
        chosen, checked = lobby.checked_game(game, options)
        with self._store.making(chosen.name, device, self.address_key(address)) as change:
            access.make_member(change, device, "host", checked_label(label), None)
            change.append(kinds.MADE, {"game": chosen.name, "options": dict(checked)})
            for name, color in players:
                lobby.add_seat(change, name, color, False)
        return change.table_id

    def set_game(
        self, table_id: str, device: str, game: str, options: Mapping[str, str] | None = None
    ) -> None:
        """Chooses the game. Host, in the lobby."""
        with self._store.changing(table_id, device) as change:
            lobby.set_game(change, game, options)

    def add_seat(
        self, table_id: str, device: str, name: str, color: str = "", take: bool = False
    ) -> int:
        """Adds a seat, the last in order, and returns its id. Players, in the lobby.

        Args:
            color: the seat's color; by default the first one that nobody has.
            take: whether this device holds the seat.
        """
        with self._store.changing(table_id, device) as change:
            return lobby.add_seat(change, name, color, take)

    def rename_seat(
        self, table_id: str, device: str, seat: int, name: str, color: str | None = None
    ) -> None:
        """Changes a seat's name and, if given, its color. Host or holder, in the lobby."""
        with self._store.changing(table_id, device) as change:
            lobby.rename_seat(change, seat, name, color)

    def remove_seat(self, table_id: str, device: str, seat: int) -> None:
        """Removes a seat. Host or holder, in the lobby."""
        with self._store.changing(table_id, device) as change:
            lobby.remove_seat(change, seat)

    def order_seats(self, table_id: str, device: str, ids: Sequence[int]) -> None:
        """Seats the players clockwise as in `ids`; the first one starts. Host, in the lobby."""
        with self._store.changing(table_id, device) as change:
            lobby.order_seats(change, ids)

    def start_with(self, table_id: str, device: str, seat: int) -> None:
        """Rotates the seating order so that `seat` starts. Host, in the lobby."""
        with self._store.changing(table_id, device) as change:
            lobby.start_with(change, seat)

    def shuffle_start(self, table_id: str, device: str) -> int:
        """Draws the starting player by lot and returns that seat's id. Host, in the lobby."""
        with self._store.changing(table_id, device) as change:
            return lobby.shuffle_start(change)

    def start(self, table_id: str, device: str) -> None:
        """Starts the match. Host."""
        with self._store.changing(table_id, device) as change:
            lobby.start(change)

    def count(self, table_id: str, device: str, counts: Mapping[int, int]) -> str:
        """Puts a game that was only counted into the history; returns its id there. Players.

        Each player's device at the table gets a copy of its own. The table stays in the lobby.

        Args:
            counts: seat → the player's number, for every seat.
        """
        with self._store.changing(table_id, device) as change:
            return paper.add_count(change, device, counts)

    def again(self, table_id: str, device: str, number: int | None = None) -> None:
        """Starts the next match with the next seat first. Host and seated players, after the end.

        Args:
            number: the match that is over, so that two taps at once start one match.
        """
        with self._store.changing(table_id, device) as change:
            lobby.again(change, number)

    def stop(self, table_id: str, device: str) -> None:
        """Ends the match early; the history keeps it as unfinished. Host, after an entry."""
        with self._store.changing(table_id, device) as change:
            lobby.stop(change)

    def to_lobby(self, table_id: str, device: str) -> None:
        """Goes back to the lobby. Host, after the end or before the first entry."""
        with self._store.changing(table_id, device) as change:
            lobby.to_lobby(change)

    def take_seat(self, table_id: str, device: str, seat: int) -> None:
        """Gives this device a free seat. Players, at any time."""
        with self._store.changing(table_id, device) as change:
            lobby.take_seat(change, seat)

    def release_seat(self, table_id: str, device: str, seat: int) -> None:
        """Frees a seat. Host or holder, at any time."""
        with self._store.changing(table_id, device) as change:
            lobby.release_seat(change, seat)

    def become_host(self, table_id: str, device: str) -> None:
        """Makes this device the host's when the host's has been silent for a minute. Players."""
        with self._store.changing(table_id, device) as change:
            stranded.become_host(change, self._presence.is_silent)

    def take_over(self, table_id: str, device: str, seat: int) -> None:
        """Gives this device a seat whose own has been silent for a minute.

        Players, while the host's device is silent, too; or the host.
        """
        with self._store.changing(table_id, device) as change:
            stranded.take_over(change, seat, self._presence.is_silent)

    def set_shared_entry(self, table_id: str, device: str, on: bool) -> None:
        """Sets whether every player may write for every seat. Host."""
        with self._store.changing(table_id, device) as change:
            lobby.set_shared_entry(change, on)

    def set_hints(self, table_id: str, device: str, on: bool) -> None:
        """Sets whether pages point out what the rules let a player miss. Host."""
        with self._store.changing(table_id, device) as change:
            lobby.set_hints(change, on)

    def set_scores(self, table_id: str, device: str, on: bool) -> None:
        """Sets whether pages show points before the end. Host."""
        with self._store.changing(table_id, device) as change:
            lobby.set_scores(change, on)

    def set_roller(self, table_id: str, device: str, on: bool) -> None:
        """Sets whether the app rolls dice for players who ask. Host."""
        with self._store.changing(table_id, device) as change:
            lobby.set_roller(change, on)

    def set_turn_timer(self, table_id: str, device: str, seconds: int) -> None:
        """Sets how many seconds pages count down in each turn; 0 for no timer. Host."""
        with self._store.changing(table_id, device) as change:
            lobby.set_turn_timer(change, seconds)

    def delete_table(self, table_id: str, device: str) -> None:
        """Deletes the table for good, with a match that is running. Host.

        Its finished matches stay in the history of each device that played there.
        """
        closing.delete_table(self._store, table_id, device)

    # Links

    def join_link(self, table_id: str, device: str) -> Link:
        """The link by which players join, with a short code that is valid for an hour. Players."""
        with self._store.changing(table_id, device) as change:
            change.need_player()
            return access.with_code(change, access.link_for(change, device, "join"))

    def view_link(self, table_id: str, device: str) -> Link:
        """The link by which devices come to watch. Host."""
        with self._store.changing(table_id, device) as change:
            change.need_host()
            return access.link_for(change, device, "view")

    def seat_link(self, table_id: str, device: str, seat: int) -> Link:
        """The link that hands a seat to whoever opens it. Host."""
        with self._store.changing(table_id, device) as change:
            change.need_host()
            lobby.seat_with_id(change, seat)
            return access.link_for(change, device, "seat", seat)

    def links(self, table_id: str, device: str) -> tuple[Link, ...]:
        """The valid links, the oldest first. Host."""
        with self._store.looking(table_id, device) as (connection, _, me):
            if me.role != "host":
                raise Refused("not-host")
            return access.valid_links(connection, table_id, self._store.now())

    def revoke(self, table_id: str, device: str, link_id: str) -> None:
        """Revokes a link and ends the memberships made with it. Host."""
        with self._store.changing(table_id, device) as change:
            access.revoke(change, link_id)

    def look_link(self, token: str) -> LinkInfo:
        """The table and seats behind a link; raises `Refused` with `no-such-link`."""
        with self._store.database.read() as connection:
            return access.look_link(self._store, connection, token)

    def look_code(self, code: str, address: str, device: str = "") -> LinkInfo:
        """The table and seats behind a short code.

        Args:
            address: the network address that asks. Wrong codes are counted for each and in total.
            device: the device that asks, which gets a token of its own for the link.

        Raises:
            Refused: `no-such-link`, `too-many-tries`.
        """
        forgive = self._limiter.count(address)
        # Wrong codes are refused by a read: they must not make anybody's taps wait.
        with self._store.database.read() as connection:
            access.check_code(self._store, connection, code)
        forgive()
        with self._store.database.write() as connection:
            return access.look_code(self._store, connection, code, device or new_id())

    def enter(
        self,
        token: str,
        device: str,
        seat: int | None = None,
        new_name: str | None = None,
        label: str = "",
        color: str = "",
    ) -> str:
        """Lets a device join the link's table and returns the table's id.

        A device that is there already stays; a viewer becomes a player by a join or seat link.

        Args:
            seat: with a join link, the free seat to take.
            new_name: with a join link in the lobby, the name of a new seat of this device.
            label: what the device is called in the log; by default `new_name`.
            color: the color of the new seat; by default the first one that nobody has.

        Raises:
            Refused: `no-such-link`, `table-full`, or what taking or adding the seat raises.
        """
        table_id = self.look_link(token).table_id
        with self._store.changing(table_id, device, joins=True) as change:
            access.enter(change, device, token, seat, new_name, color, label)
        return table_id

    # Playing

    def tap(self, table_id: str, device: str, tap: Tap) -> Saved:
        """Judges and saves one tap; see `gate`. It is committed when this returns."""
        with self._store.changing(table_id, device) as change:
            saved = gate.judge(change, tap)
        self.heard(device)
        return saved

    def roll(self, table_id: str, device: str, dice: Sequence[str], seen: str) -> None:
        """Has the server roll the active player's dice; see `roller.roll`. Players."""
        with self._store.changing(table_id, device) as change:
            roller.roll(change, dice, seen)

    def preview(
        self,
        table_id: str,
        device: str,
        entry: str,
        action: dict[str, Any] | None,
        fixes: Fixes | None = None,
        inserts: bool = False,
    ) -> Correction:
        """A correction and its consequences, without changing anything.

        Args:
            action: the entry's new action; None removes the entry.
            fixes: entry → what replaces it where it no longer fits; None drops it.
            inserts: whether the action comes before the entry instead of in its place.
        """
        with self._store.looking(table_id, device) as (_, state, me):
            return gate.preview(state, me, entry, action, fixes or {}, inserts=inserts)

    # Records

    def export(self, table_id: str, device: str, number: int | None = None) -> Document:
        """Match `number` (the present one when None) as a `companion-record/1` document."""
        with self._store.looking(table_id, device) as (connection, state, _):
            match = state.match
            if number is not None and (match is None or match.number != number):
                events = events_between(connection, table_id, 0, state.version)
                match = records.match_number(events, number)
        if match is None:
            raise Refused("not-started")
        colors = {seat.name: seat.color for seat in state.seats}
        return records.with_colors(match.record(), colors)

    def import_record(
        self, device: str, document: object, label: str = "", address: str = ""
    ) -> str:
        """Makes a table from a game record and returns the table's id; see `create`.

        Raises:
            Unusable: it is no record.
            Refused: an action that the rules do not allow (`index` says which), or a name that
                a table cannot have.
        """
        record = records_format.parse(document)
        with self._store.making(record.game.name, device, self.address_key(address)) as change:
            colors = records.colors_in(document, len(record.players))
            records.fill(change, device, label, record, colors)
        return change.table_id

    # The whole database, for whoever runs the server

    def is_current(self) -> bool:
        """Whether the database answers with the schema of this program."""
        return self._store.database.is_current()

    @property
    def engine(self) -> sa.Engine:
        """The database's engine, for measurements."""
        return self._store.database.engine

    def seen(self, device: str) -> None:
        """Notes that a device is in use; `keep_tidy` writes it down later."""
        self._seen.add(device, self._store.now())

    def keep_tidy(self, days: int) -> None:
        """Deletes unused data once a day until `close`. See `keeper`."""
        self._keeper = Keeper(self._store, self._seen, days)

    def tidy(self, days: int, *, is_rehearsal: bool = False) -> Tidied:
        """Deletes data that nobody has used for so many days. See `tidying.tidy`."""
        return tidy(self._store, days, is_rehearsal=is_rehearsal)

    def backup(self, path: Path) -> int:
        """Writes the whole database into a file; returns how many rows. See `backup.backup`."""
        return backup.backup(self._store.database, path)

    def content(self) -> tuple[int, int]:
        """The numbers of finished games and of tables in the whole database."""
        return backup.content(self._store.database)

    def restore(self, path: Path, *, replace: bool = False) -> int:
        """Restores a backup; returns how many rows. No server may run. See `backup.restore`."""
        self._secret_key = ""  # the backup brings its own
        return backup.restore(self._store.database, path, replace=replace)
