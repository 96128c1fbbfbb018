"""`Tables`: a store of tables with presence, limits and housekeeping, as an app serves it.

A device's acts at a table are functions of `play`, called by `Tables.change`. Each method is one
transaction. A refused request raises `Refused` and changes nothing.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import sqlalchemy as sa

from companion.core.values import Document, Options
from companion.games import record as records_format
from companion.games.others import stored_game
from companion.limiter import RECENT_SECONDS, TooMany
from companion.limits import USUAL, Limits
from companion.tables.database.columns import device_hash, from_milliseconds
from companion.tables.database.engine import Older
from companion.tables.database.schema import members, tables
from companion.tables.history import History
from companion.tables.history.matches import is_known
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange, events_between
from companion.tables.ledger.corrections import Correction
from companion.tables.ledger.events import Tap, decode, encode
from companion.tables.ledger.names import checked_label
from companion.tables.ledger.store import Clock, Store
from companion.tables.photos.reviews import Reviews
from companion.tables.play import access, gate, lobby, records
from companion.tables.play.access import Link, LinkInfo
from companion.tables.play.concealing import concealed
from companion.tables.play.gate import TapAnswer
from companion.tables.play.presence import Presence
from companion.tables.play.views import Table, TableLine, table_for
from companion.tables.refusals import Refused
from companion.tables.upkeep.keeper import Keeper, SeenDevices

SECRET_BYTES: Final = 32
P = ParamSpec("P")
T = TypeVar("T")

# Limit of the tables in a device's list; the last changed ones are kept
MOST_TABLE_LINES: Final = 50


class Tables(Store):
    """All tables of one database. Safe to use from many threads.

    A `device` is the opaque token in a browser's cookie; the database keeps only its hash.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Clock = time.time,
        elapsed: Callable[[], float] = time.monotonic,
        serving: bool = False,
        older: Older = "migrate",
        limits: Limits = USUAL,
    ) -> None:
        """Opens the database; see `Store`."""
        super().__init__(
            url, clock=clock, serving=serving, older=older, limits=limits, elapsed=elapsed
        )
        self._secret_key = ""
        relay = self.postgres
        self.presence: Final = Presence(elapsed, relay.announce_online if relay else None)
        if relay is not None:
            relay.on_online = self.presence.mark_online_elsewhere
        self.history: Final = History(self)
        self.reviews: Final = Reviews(self)
        self._seen: Final = SeenDevices()
        self._keeper: Keeper | None = None

    def close(self) -> None:
        """Closes the database's connections; nothing may be called afterwards."""
        if self._keeper is not None:
            self._keeper.close()
        super().close()

    def secret_key(self) -> str:
        """The key that signs cookies: made once, the same in all processes."""
        if not self._secret_key:
            made = self.setting("secret-key", lambda: secrets.token_urlsafe(SECRET_BYTES))
            self._secret_key = made
        return self._secret_key

    # Reading

    def read(self, table_id: str, device: str) -> Table:
        """The whole table at one version, as this device sees it."""
        with self.reading(table_id, device) as (_, state, me):
            return table_for(table_id, state, me, self.now())

    def mark_online(self, device: str) -> None:
        """Marks a device as heard just now, as each of its requests does."""
        self.presence.mark_online(device_hash(device))

    def silent_phones(self, table_id: str) -> frozenset[str]:
        """The ids of a table's members whose phones have been silent for a minute."""
        members = self.audience(table_id).members.items()
        return frozenset(me.id for device, me in members if self.presence.is_silent(device))

    def at_tables(self, device: str) -> tuple[TableLine, ...]:
        """The tables where this device sits, the last changed one first."""
        query = (
            sa.select(tables, members.c.role)
            .join(members, members.c.table_id == tables.c.id)
            .where(members.c.device == device_hash(device), is_known(tables.c.game))
            .order_by(tables.c.changed_at.desc(), tables.c.id)
            .limit(MOST_TABLE_LINES)
        )
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        return tuple(
            TableLine(
                id=row.id,
                game=stored_game(row.game),
                names=tuple(decode(row.names)),
                phase=row.phase,
                role=row.role,
                changed_at=from_milliseconds(row.changed_at),
            )
            for row in rows
        )

    def change(
        self,
        table_id: str,
        device: str,
        what: Callable[Concatenate[TableChange, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Changes a table by a function of `play`, such as `lobby.add_seat`, in one transaction.

        It is committed when this returns, and nothing has changed when `what` raises.
        """
        with self.changing(table_id, device) as change:
            return what(change, *args, **kwargs)

    def create(
        self,
        device: str,
        game: str,
        options: Options | None = None,
        label: str = "",
        players: Sequence[tuple[str, str]] = (),
        *,
        once: bool = False,
    ) -> str:
        """Makes a table whose host is this device and returns its id.

        Args:
            game: the public name of a game.
            label: what the device is called in the log; may be empty.
            players: (name, color) of the seats, clockwise.
            once: whether a table of this game that the device has made before, and at which nothing
                has happened since, is returned in place of another one.
        """
        chosen, checked = lobby.checked_game(game, options)
        key = f"made-{chosen.name}" if once else ""

        def fill(change: TableChange) -> None:
            change.append(kinds.MADE, {"game": chosen.name, "options": dict(checked)}, key)
            for name, color in players:
                lobby.add_seat(change, name, color, False)

        return self.make(chosen.name, device, checked_label(label), fill, key)

    # Links

    def links(self, table_id: str, device: str) -> tuple[Link, ...]:
        """The valid links, the oldest first. Host."""
        with self.reading(table_id, device) as (connection, _, me):
            if me.role != "host":
                raise Refused("not-host")
            return access.valid_links(connection, table_id, self.now())

    def link_with_id(self, link_id: str) -> LinkInfo:
        """The table and seats behind a link; raises `Refused` with `no-such-link`."""
        with self.database.read() as connection:
            return access.link_with_id(self, connection, link_id)

    def link_with_code(self, code: str, address: str) -> LinkInfo:
        """The table and seats behind a short code.

        Args:
            address: the network address that asks, whose wrong codes are counted.

        Raises:
            Refused: `no-such-link`, `too-many-tries`.
        """
        try:
            forgive = self.recent.count({f"codes {address}": self.limits.recent_codes_per_address})
        except TooMany as too_many:
            minutes = int(RECENT_SECONDS // 60)
            raise Refused("too-many-tries", minutes=minutes) from too_many
        with self.database.read() as connection:
            found = access.link_with_code(self, connection, code)
        forgive()
        return found

    def enter(
        self,
        link_id: str,
        device: str,
        seat: int | None = None,
        new_name: str | None = None,
        label: str = "",
        color: str = "",
    ) -> str:
        """Lets a device join the link's table and returns the table's id.

        A device that is there already stays; a viewer becomes a player by a join link.

        Args:
            seat: with a join link, the free seat to take.
            new_name: with a join link in the lobby, the name of a new seat of this device.
            label: what the device is called in the log; by default `new_name`.
            color: the color of the new seat; by default the first one that nobody has.

        Raises:
            Refused: `no-such-link`, `table-full`, or what taking or adding the seat raises.
        """
        table_id = self.link_with_id(link_id).table_id
        with self.changing(table_id, device, joins=True) as change:
            access.enter(change, link_id, seat, new_name, color, label)
        return table_id

    # Playing

    def tap(self, table_id: str, device: str, tap: Tap) -> TapAnswer:
        """Judges and saves one tap; see `gate`. It is committed when this returns."""
        try:
            if tap.kind in kinds.REPLAYED:
                return self.change_drafted(table_id, device, partial(gate.judge, tap=tap))
            return self.change(table_id, device, gate.judge, tap)
        except Refused as refused:
            if refused.code != "stale":
                raise
        with self.reading(table_id, device) as (_, state, _me):
            raise gate.stale(state, tap)

    def preview(
        self,
        table_id: str,
        device: str,
        entry: str,
        action: dict[str, Any] | None,
        inserts: bool = False,
    ) -> Correction:
        """A correction and its consequences, without changing anything.

        Args:
            action: the entry's new action; None removes the entry.
            inserts: whether the action comes before the entry instead of in its place.
        """
        with self.reading(table_id, device) as (_, state, me):
            return gate.preview(state, me, entry, action, inserts=inserts)

    # Records

    def export(self, table_id: str, device: str, number: int | None = None) -> Document:
        """Match `number` (the present one when None) as a `companion-record/1` document."""
        with self.reading(table_id, device) as (connection, state, me):
            match = state.match
            secret = concealed(state, me)
            if number is not None and (match is None or match.number != number):
                events = events_between(connection, table_id, 0, state.version)
                match = records.match_number(events, number)
        if match is None:
            raise Refused("not-started")
        colors = {seat.name: seat.color for seat in state.seats}
        unseen = secret.entries if secret and match is state.match else ()
        return records.with_colors(match.record(unseen), colors)

    def import_record(self, device: str, document: object, label: str = "") -> str:
        """Makes a table from a game record and returns the table's id; see `create`.

        The same record leads to the table that it has made, until somebody changes that.

        Raises:
            Unusable: it is not a record.
            Refused: an action that the rules do not allow (`index` says which), or a name that
                a table cannot have.
        """
        record = records_format.parse(document)
        positions = records.played(record)
        colors = records.colors_in(document, len(record.players))
        key = hashlib.sha256(encode([record.document(), colors]).encode()).hexdigest()
        fill = partial(
            records.fill, record=record, positions=positions, colors=colors, table_key=key
        )
        return self.make(record.game.name, device, checked_label(label), fill, key)

    # The whole database, for the server's operator

    def seen(self, device: str) -> None:
        """Notes that a device is in use; `keep_tidy` writes it down later."""
        self._seen.add(device_hash(device), self.now())

    def keep_tidy(self, days: int) -> None:
        """Deletes unused data once a day until `close`. See `keeper`."""
        self._keeper = Keeper(self, self._seen, days)
