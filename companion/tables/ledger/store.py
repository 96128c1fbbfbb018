"""Tables in the database: loading, the cache of folded states, and changing one at a time.

A change is written, committed and published here, in this order. Its meaning and the right to make
it are decided elsewhere.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import Final, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.limiter import RateLimiter, TooMany
from companion.limits import USUAL, Limits
from companion.tables import quotas
from companion.tables.database.bus import Bus, PostgresRelay
from companion.tables.database.columns import device_hash, from_milliseconds, is_id, new_id
from companion.tables.database.engine import Database, Older
from companion.tables.database.schema import events, matches, members, settings, tables
from companion.tables.ledger import events as kinds
from companion.tables.ledger import finished
from companion.tables.ledger.change import TableChange, events_between
from companion.tables.ledger.match import Match
from companion.tables.ledger.rights import Audience, Member
from companion.tables.ledger.state import State
from companion.tables.refusals import Refused, status_of

Clock: TypeAlias = Callable[[], float]  # seconds since 1970, as `time.time`
T = TypeVar("T")

# The answers to changes that cost as much as those that are saved, so they are counted, too
REFUSED_CHANGES: Final = (HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY)

# Limits of the changes in ten minutes (`RateLimiter`): by one device, or by all who come and go at
# a table; and by those who sit there. A log holds 20,000 lines.
MEMBER_CHANGES: Final = 1_500
TABLE_CHANGES: Final = 6_000

DELETED_VERSION: Final = 2**31 - 1  # The version of a table that was deleted; later than any other

MOST_DRAFTS: Final = 8  # Limit of the drafts of a change at a table where others go on writing

# Limit of the summed `State.weight`; a thousand events are about half a megabyte
CACHED_EVENTS: Final = 60_000


_log: Final = logging.getLogger(__name__)


class StateCache:
    """Folded states by table id; the least recently used ones are dropped. Thread-safe."""

    def __init__(self, most_events: int = CACHED_EVENTS) -> None:
        self._lock: Final = threading.Lock()
        self._states: Final[OrderedDict[str, State]] = OrderedDict()
        self._most_events: Final = most_events
        self._events = 0

    def get(self, table_id: str) -> State | None:
        """The table's state, perhaps an old one; None when it is not kept."""
        with self._lock:
            state = self._states.get(table_id)
            if state is not None:
                self._states.move_to_end(table_id)
            return state

    def drop(self, table_id: str) -> None:
        with self._lock:
            state = self._states.pop(table_id, None)
            self._events -= state.weight if state is not None else 0

    def put(self, table_id: str, state: State) -> None:
        """Keeps the state, unless one at least as new is there already."""
        with self._lock:
            known = self._states.get(table_id)
            if known is not None:
                if known.version >= state.version:
                    return
                self._events -= known.weight
            self._states[table_id] = state
            self._states.move_to_end(table_id)
            self._events += state.weight
            while self._events > self._most_events and len(self._states) > 1:
                _, dropped = self._states.popitem(last=False)
                self._events -= dropped.weight


class Store:
    """All tables of one database. Safe to use from many threads."""

    def __init__(
        self,
        url: str,
        *,
        clock: Clock = time.time,
        serving: bool = False,
        older: Older = "migrate",
        limits: Limits = USUAL,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        """Opens the database; see `Database`.

        Args:
            elapsed: seconds from any start: a clock that is set must not lift limits.
        """
        self.limits: Final = limits
        self.recent: Final = RateLimiter(elapsed)
        self.database: Final = Database(url, serving=serving, older=older)
        self.clock: Final = clock
        self.bus: Final = Bus()
        self.cache: Final = StateCache()
        self.postgres: Final = (
            None
            if self.database.is_sqlite
            else PostgresRelay(self.database.engine, self.bus, serving=serving)
        )

    def close(self) -> None:
        """Closes the database's connections; nothing may be called afterwards."""
        if self.postgres is not None:
            self.postgres.close()
        self.database.close()

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self.clock() * 1000)

    def setting(self, name: str, make: Callable[[], str]) -> str:
        """A value that all processes share; the first process that asks makes it."""
        query = sa.select(settings.c.value).where(settings.c.name == name)
        with self.database.read() as connection:
            value = connection.execute(query).scalar()
        if value is None:
            with self.database.write() as connection:
                connection.execute(PUT_SETTING, {"name": name, "value": make()})
                value = connection.execute(query).scalar()
        return str(value)

    @contextmanager
    def reading(self, table_id: str, device: str) -> Iterator[tuple[Connection, State, Member]]:
        """The table for a device at it, in one read transaction.

        Raises:
            Refused: there is no such table, or the device is not at it.
        """
        with self.database.read() as connection:
            version, me = self._access(connection, table_id, device)
            if me is None:
                raise Refused("not-a-member")
            yield connection, self.state_at(connection, table_id, version), me

    def version(self, table_id: str, device: str) -> int:
        """The table's version; raises `Refused` as `reading` does."""
        with self.database.read() as connection:
            version, me = self._access(connection, table_id, device)
        if me is None:
            raise Refused("not-a-member")
        return version

    def audience(self, table_id: str, known: Audience | None = None, version: int = 0) -> Audience:
        """The table with all devices at it; raises `Refused` if there is none.

        Args:
            known: an earlier answer.
            version: the version of the table that must be in the answer.
        """
        if not is_id(table_id):
            raise Refused("no-such-table")
        if known is not None:
            state = self.cache.get(table_id)
            if state and state.version >= version and state.is_played_on_from(known.state):
                return Audience(table_id, state, known.members)
        with self.database.read() as connection:
            rows = connection.execute(_AUDIENCE, {"table": table_id}).all()
            if not rows:
                raise Refused("no-such-table")
            state = self.state_at(connection, table_id, rows[0][0])
        members = {row[1]: Member(*row[2:]) for row in rows if row[1] is not None}
        return Audience(table_id, state, members)

    @contextmanager
    def changing(self, table_id: str, device: str, *, joins: bool = False) -> Iterator[TableChange]:
        """Changes a table while nobody else does: committed at the end, then published.

        Args:
            joins: whether the device need not be at the table yet.

        Raises:
            Refused: there is no such table, or the device is not at it.
        """
        # Folds the whole log, if need be, while others may write
        known = self.cache.get(table_id) or self.audience(table_id).state
        with self.database.write() as connection:
            if not self.database.is_sqlite:  # whose one writer this transaction is
                connection.execute(_LOCK_TABLE, {"table": table_id})
            # The member is read only now: while this transaction waited for the lock on the
            # table's row, the device may have lost its place.
            version, me = self._access(connection, table_id, device)
            if me is None and not joins:
                raise Refused("not-a-member")
            state = self.state_at(connection, table_id, version, known)
            change = TableChange(connection, table_id, device, state, me, self.now())
            try:
                yield change
            except Refused as refused:
                if me is not None and status_of(refused.code) in REFUSED_CHANGES:
                    self._count(change)
                raise
            self._write(change)
        self._publish(change)

    def change_drafted(self, table_id: str, device: str, what: Callable[[TableChange], T]) -> T:
        """Changes a table as `changing` does, where `what` only appends events but takes long.

        The change is drafted while others may write, and drafted again if somebody has.

        Raises:
            Refused: there is no such table, or the device is not at it; `stale`: others wrote
                during each draft.
        """
        for _ in range(MOST_DRAFTS):
            with self.reading(table_id, device) as (connection, state, me):
                now = self.now()
                draft = TableChange(connection, table_id, device, state, me, now)
                result = what(draft)
            with self.changing(table_id, device) as change:
                if change.take(draft):
                    return result
        raise Refused("stale")

    def make(
        self,
        game: str,
        device: str,
        label: str,
        fill: Callable[[TableChange], object],
        key: str = "",
    ) -> str:
        """Makes a table whose host is this device, and returns its id.

        Its first events are drafted before the transaction: those of a record take long.

        Args:
            fill: appends the first events.
            key: the id of the first one, if any. A table that the device has made with it, and
                that nobody has changed since, is returned in place of another one, so that a
                request that is sent again makes no second table.

        Raises:
            Refused: `too-many-tables`; the device has made too many.
        """
        table_id, now, host = new_id(), self.now(), Member(new_id(), "host", label)
        with self.database.read() as connection:
            draft = TableChange(connection, table_id, device, State(), host, now)
            fill(draft)
        with self.database.write() as connection:
            if key and (there := self._renew(connection, key, draft)):
                return there
            quotas.make_room_for_table(connection, device, now, self.limits)
            row = {"id": table_id, "version": 0, "game": game, "phase": "lobby", "names": "[]"}
            connection.execute(tables.insert().values(**row, made_at=now, changed_at=now))
            member = {"id": host.id, "table_id": table_id, "device": device_hash(device)}
            first = members.insert().values(**member, role=host.role, label=label, joined_at=now)
            connection.execute(first)
            change = TableChange(connection, table_id, device, State(), host, now)
            change.take(draft)
            self._write(change)
        self._publish(change)
        return table_id

    def _renew(self, connection: Connection, key: str, draft: TableChange) -> str | None:
        """Keeps a table longer that the device has made with this key, and returns its id.

        None if there is no such table, or somebody has changed it since.
        """
        owner = device_hash(draft.device)
        self.database.queue(connection, owner)
        query = _MADE_WITH.where(tables.c.version == draft.state.version)
        there = connection.execute(query, {"device": owner, "key": key}).scalar()
        if there is None:
            return None
        # As long as one that is made now
        renewed = tables.update().where(tables.c.id == there).values(changed_at=draft.now)
        connection.execute(renewed)
        return str(there)

    def state_at(
        self, connection: Connection, table_id: str, version: int, known: State | None = None
    ) -> State:
        """The table's state at a version, folded from the cached one where that is older.

        Args:
            known: a state of the table, in case the cache has dropped it.

        Raises:
            Refused: as `State.after` and `events_between`.
        """
        cached = self.cache.get(table_id) or known
        if cached is not None and cached.version == version:
            return cached
        if cached is None or cached.version > version:
            cached = State()
        state = cached.after(events_between(connection, table_id, cached.version, version))
        match, before = state.match, cached.match
        is_cold = match is not None and (before is None or before.number != match.number)
        if match is not None and match is not before and (is_cold or match.misfit is not None):
            state = replace(state, match=_opened(connection, table_id, match))
        self.cache.put(table_id, state)
        return state

    def _access(
        self, connection: Connection, table_id: str, device: str
    ) -> tuple[int, Member | None]:
        """The table's version, and the device's membership if it sits there."""
        query = {"table": table_id, "device": device_hash(device)}
        row = connection.execute(_ACCESS, query).one_or_none() if is_id(table_id) else None
        if row is None:
            raise Refused("no-such-table")
        version, *member = row
        return version, None if member[0] is None else Member(*member)

    def _write(self, change: TableChange) -> None:
        """Sends the change, and the match that it ends, to the database without committing."""
        if not change.appended:
            return
        if not all(event.kind in kinds.ALWAYS for event in change.appended):
            self._count(change)
        change.write()
        if (match := change.match_to_save) is not None:
            finished.save(change.connection, change.table_id, match, change.now)

    def _count(self, change: TableChange) -> None:
        """Counts a change; raises `Refused` with `too-many-changes`."""
        # All who come and go count as one member, and apart from the taps of those who sit: guests
        # must not use up what the players need, nor anybody what the host needs to send them away
        me = change.member
        is_tap = all(event.kind in kinds.TAP_KINDS for event in change.appended)
        most = {f"member {me.id}": MEMBER_CHANGES}
        if me.role != "host" and is_tap and change.before.held_by(me.id):
            most[f"table {change.table_id}"] = TABLE_CHANGES
        elif me.role != "host":
            most = {f"guests {change.table_id}": MEMBER_CHANGES}
        self._count_for(most)

    def count_change(self, device: str) -> None:
        """Counts a change by a device that is of no table; raises `too-many-changes`."""
        self._count_for({f"device {device_hash(device)}": MEMBER_CHANGES})

    def _count_for(self, most: Mapping[str, int]) -> None:
        try:
            self.recent.count(most)
        except TooMany as too_many:
            raise Refused("too-many-changes") from too_many

    def forget_tables(self, ids: Iterable[str]) -> None:
        """Makes all processes look at tables that were deleted, so that their streams end."""
        for table_id in ids:
            self.cache.drop(table_id)
            self.publish(table_id, DELETED_VERSION)

    def publish(self, table_id: str, version: int) -> None:
        """Notifies a table's subscribers in all processes of a committed change."""
        self.bus.publish(table_id, version)
        if self.postgres is not None:
            self.postgres.announce(table_id, version)

    def _publish(self, change: TableChange) -> None:
        """Passes a committed change on to the cache, the subscribers and the other processes."""
        if change.appended:
            self.cache.put(change.table_id, change.state)
            self.bus.publish(change.table_id, change.state.version)
        if self.postgres is not None:
            # Also for a tap saved before: its process may have ended before publishing it.
            self.postgres.announce(change.table_id, change.state.version)


def _opened(connection: Connection, table_id: str, match: Match) -> Match:
    """A match as read from its log, over if it was over by the rules of its time."""
    query = {"table": table_id, "number": match.number}
    if match.misfit is not None:
        text = "table %s opens before entry %s, which no longer fits the rules: %s"
        _log.warning(text, table_id, match.misfit.entry, match.misfit.refusal.message)
    if match.stopped or (match.misfit is None and match.is_over):
        return match
    ended = connection.execute(_ENDED, query).scalar()
    # Somebody may have ended it since the log was read.
    last = match.entries[-1].at if match.entries else None
    if ended is None or (match.misfit is None and from_milliseconds(ended) != last):
        return match
    return replace(match, ended=from_milliseconds(ended))


_ENDED: Final = sa.select(matches.c.ended_at).where(
    matches.c.table_id == sa.bindparam("table"), matches.c.number == sa.bindparam("number")
)
_LOCK_TABLE: Final = (
    sa.select(tables.c.version).where(tables.c.id == sa.bindparam("table")).with_for_update()
)
_ACCESS: Final = (
    sa.select(tables.c.version, members.c.id, members.c.role, members.c.label)
    .select_from(
        tables.outerjoin(
            members,
            (members.c.table_id == tables.c.id) & (members.c.device == sa.bindparam("device")),
        )
    )
    .where(tables.c.id == sa.bindparam("table"))
)
_AUDIENCE: Final = (
    sa.select(tables.c.version, members.c.device, members.c.id, members.c.role, members.c.label)
    .select_from(tables.outerjoin(members, members.c.table_id == tables.c.id))
    .where(tables.c.id == sa.bindparam("table"))
)
# The table that a device has made with a key
_MADE_WITH: Final = (
    sa.select(tables.c.id)
    .join(members, members.c.table_id == tables.c.id)
    .join(events, (events.c.table_id == tables.c.id) & (events.c.seq == 1))
    .where(
        members.c.device == sa.bindparam("device"),
        members.c.id == events.c.member,
        events.c.tap_id == sa.bindparam("key"),
    )
    .limit(1)
)
PUT_SETTING: Final = sa.text(
    "INSERT INTO settings (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING"
)
