"""A table's log in the database: read, and changed by events appended in one transaction.

Its rows in `events` are never changed, except by `erase`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.position import Position
from companion.games.catalog import GAMES
from companion.games.others import kept_game
from companion.tables.database.columns import device_hash, from_milliseconds, to_milliseconds
from companion.tables.database.schema import events, matches, members, tables
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event, damaged, encode
from companion.tables.ledger.match import Match
from companion.tables.ledger.rights import Member, require_host
from companion.tables.ledger.state import State
from companion.tables.refusals import Refused

# Limit of the events at one table, except for those of `ALWAYS`. An evening of ten games makes
# about two thousand.
MOST_EVENTS: Final = 20_000


class TableChange:
    """A change to one table, inside its transaction.

    `append` takes effect on `state` at once; others see nothing of it before the commit.
    """

    def __init__(
        self,
        connection: Connection,
        table_id: str,
        device: str,
        state: State,
        me: Member | None,
        now: int,
    ) -> None:
        self.connection: Final = connection
        self.table_id: Final = table_id
        self.device: Final = device  # The token of the device that makes the change
        self.now: Final = now  # Milliseconds since 1970
        self.state = state  # The table after the events appended so far
        self.me = me  # The device's membership; None until it has joined the table
        self.appended: Final[list[Event]] = []
        self._rows: Final[list[dict[str, Any]]] = []  # those of the appended events
        self.before: Final = state

    def take(self, draft: TableChange) -> bool:
        """Takes over a change that was drafted before the transaction, from the same state."""
        if (draft.before.version, draft.me) != (self.before.version, self.me):
            return False
        self.state = draft.state
        self.appended[:] = draft.appended
        self._rows[:] = draft._rows
        return True

    @property
    def member(self) -> Member:
        """The device that makes the change; raises `Refused` with `not-a-member`."""
        if self.me is None:
            raise Refused("not-a-member")
        return self.me

    def require_player(self) -> Member:
        """The device, unless it may only watch: that raises `Refused` with `view-only`."""
        if self.member.role == "viewer":
            raise Refused("view-only")
        return self.member

    def require_host(self) -> Member:
        """The device, if it is the host's; raises `Refused` with `not-host` or `view-only`."""
        require_host(self.member)
        return self.member

    def player_devices(self) -> list[str]:
        """The hashes of all players' devices, this device's own first."""
        own = device_hash(self.device)
        query = sa.select(members.c.device).where(
            members.c.table_id == self.table_id,
            members.c.role != "viewer",
            members.c.device != own,
        )
        return [own, *self.connection.execute(query).scalars()]

    def require_lobby(self) -> None:
        """Raises `Refused` with `game-started` outside the lobby."""
        if self.state.phase != "lobby":
            raise Refused("game-started")

    @property
    def actor(self) -> str:
        """The device in words: its label, or the names on the seats that it holds."""
        me = self.member
        return me.label or ", ".join(seat.name for seat in self.state.held_by(me.id))

    def append(
        self, kind: str, body: Mapping[str, Any], tap_id: str = "", played: Position | None = None
    ) -> Event:
        """Appends an event by this device, as `Match.with_events`; raises `log-full`.

        A `SET_ASIDE` comes before it where the match opened before an entry that no longer fits.
        """
        match = self.state.match
        if match is not None and match.aside and kind in kinds.MATCH_KINDS - {kinds.SET_ASIDE}:
            self.append(kinds.SET_ASIDE, match.set_aside())
        version = self.state.version + 1
        if version > MOST_EVENTS and kind not in kinds.ALWAYS:
            raise Refused("log-full")
        event = Event(
            seq=version,
            id=tap_id,
            member=self.member.id,
            actor=self.actor,
            kind=kind,
            body=body,
            at=from_milliseconds(self.now),
        )
        self.state = self.state.after((event,), played)
        self.appended.append(event)
        self._rows.append(
            {
                "table_id": self.table_id,
                "seq": event.seq,
                "tap_id": event.id or None,
                "member": event.member,
                "actor": event.actor,
                "kind": event.kind,
                "body": encode(event.body),
                "at": to_milliseconds(event.at),
            }
        )
        return event

    def write(self) -> None:
        """Writes the appended events, at least one, and the columns that lists of tables show."""
        rows = self._rows
        self.connection.execute(_INSERT, rows[0] if len(rows) == 1 else rows)
        state = self.state
        summary = {
            "table": self.table_id,
            "to_version": state.version,
            "to_game": kept_game(GAMES[state.game], state.options or {}).name,
            "to_phase": state.phase,
            "to_names": encode([seat.name for seat in state.seats]),
            "to_changed_at": self.now,
        }
        self.connection.execute(_UPDATE_TABLE, summary)
        self._write_matches()

    @property
    def match_to_save(self) -> Match | None:
        """The match, if this change touched it and it is over now, or was before."""
        if not any(event.kind in kinds.MATCH_KINDS for event in self.appended):
            return None
        match, before = self.state.match, self.before.match
        was_over = before is not None and before.is_over
        return match if match is not None and (was_over or match.is_over) else None

    def _write_matches(self) -> None:
        """Updates the list of matches: a row for each start, with the time of the match's end."""
        for event in self.appended:
            if event.kind == kinds.START:
                row = {"number": event.body["number"], "game": event.body["game"]}
                self.connection.execute(
                    matches.insert().values(table_id=self.table_id, started_at=self.now, **row)
                )
        match, before = self.state.match, self.before.match
        if match is None:
            return
        known_end = before.ended_at if before and before.number == match.number else None
        if known_end == match.ended_at:
            return
        ended = None if match.ended_at is None else to_milliseconds(match.ended_at)
        self.connection.execute(
            matches.update()
            .where(matches.c.table_id == self.table_id, matches.c.number == match.number)
            .values(ended_at=ended)
        )


def events_between(connection: Connection, table_id: str, after: int, upto: int) -> Iterator[Event]:
    """A table's events in order, from version `after` + 1 to `upto`; raises `damaged-table`."""
    query = {"table": table_id, "after": after, "upto": upto}
    wanted = after + 1
    for event in map(Event.of_row, connection.execute(_BETWEEN, query)):
        if event.seq != wanted:
            break
        wanted += 1
        yield event
    if wanted <= upto:
        raise damaged(f"line {wanted} is missing")


def event_of_tap(connection: Connection, table_id: str, tap_id: str) -> Event | None:
    """The event that a tap made, in any match of the table."""
    row = connection.execute(_OF_TAP, {"table": table_id, "tap": tap_id}).one_or_none()
    return None if row is None else Event.of_row(row)


_INSERT: Final = events.insert()
_COLUMNS: Final = (
    events.c.seq,
    events.c.tap_id,
    events.c.member,
    events.c.actor,
    events.c.kind,
    events.c.body,
    events.c.at,
)
_BETWEEN: Final = (
    sa.select(*_COLUMNS)
    .where(
        events.c.table_id == sa.bindparam("table"),
        events.c.seq > sa.bindparam("after"),
        events.c.seq <= sa.bindparam("upto"),
    )
    .order_by(events.c.seq)
)
_OF_TAP: Final = sa.select(*_COLUMNS).where(
    events.c.table_id == sa.bindparam("table"), events.c.tap_id == sa.bindparam("tap")
)
_UPDATE_TABLE: Final = (
    tables.update()
    .where(tables.c.id == sa.bindparam("table"))
    .values(
        version=sa.bindparam("to_version"),
        game=sa.bindparam("to_game"),
        phase=sa.bindparam("to_phase"),
        names=sa.bindparam("to_names"),
        changed_at=sa.bindparam("to_changed_at"),
    )
)
