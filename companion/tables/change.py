"""What is being changed at one table: events appended in a transaction, and written at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables import events as kinds
from companion.tables import log
from companion.tables.events import Event, encode
from companion.tables.match import Match
from companion.tables.refusals import game_started, log_full, not_a_member, not_host, view_only
from companion.tables.rights import Member
from companion.tables.schema import matches, tables
from companion.tables.state import State
from companion.tables.times import from_milliseconds, to_milliseconds

MOST_EVENTS: Final = 20_000
"""Events at one table. An evening of ten games makes about two thousand."""


class TableChange:
    """What is being changed at one table, inside its transaction.

    `append` takes effect on `state` at once; nothing of it is seen by others before the commit.
    """

    def __init__(
        self,
        connection: Connection,
        table_id: str,
        state: State,
        me: Member | None,
        now: int,
    ) -> None:
        self.connection: Final = connection
        self.table_id: Final = table_id
        self.now: Final = now
        """Milliseconds since 1970."""
        self.state = state
        self.me = me
        self.appended: Final[list[Event]] = []
        self._before: Final = state

    @property
    def member(self) -> Member:
        if self.me is None:
            raise not_a_member()
        return self.me

    def need_player(self) -> Member:
        """Who makes the change, unless they may only watch."""
        if self.member.role == "viewer":
            raise view_only()
        return self.member

    def need_host(self) -> Member:
        if self.need_player().role != "host":
            raise not_host()
        return self.member

    def need_lobby(self) -> None:
        if self.state.phase != "lobby":
            raise game_started()

    @property
    def actor(self) -> str:
        """Who makes the change, in words: the device's label, or the seats that it holds."""
        me = self.member
        return me.label or ", ".join(seat.name for seat in self.state.held_by(me.id))

    def append(self, kind: str, body: Mapping[str, Any], tap_id: str = "") -> Event:
        version = self.state.version + 1
        if version > MOST_EVENTS and kind not in kinds.ALWAYS:
            raise log_full()
        event = Event(
            seq=version,
            id=tap_id,
            member=self.member.id,
            actor=self.actor,
            kind=kind,
            body=body,
            at=from_milliseconds(self.now),
        )
        self.state = self.state.after((event,))
        self.appended.append(event)
        return event

    def write(self) -> None:
        """Sends what was appended to the database; `Store` calls it before the commit."""
        if not self.appended:
            return
        log.append(self.connection, self.table_id, self.appended, self.now)
        state = self.state
        summary = {
            "table": self.table_id,
            "to_version": state.version,
            "to_game": state.game,
            "to_phase": state.phase,
            "to_names": encode([seat.name for seat in state.seats]),
            "to_changed_at": self.now,
        }
        self.connection.execute(_UPDATE_TABLE, summary)
        self._write_games()

    @property
    def ended(self) -> Match | None:
        """The game, if it is over now, or was before, and something in it has changed."""
        if not any(event.kind in kinds.GAME_KINDS for event in self.appended):
            return None
        match, before = self.state.match, self._before.match
        was_over = before is not None and before.position.over
        return match if match is not None and (was_over or match.position.over) else None

    def _write_games(self) -> None:
        """Keeps the list of games: one row a start, and when it ended."""
        for event in self.appended:
            if event.kind == kinds.START:
                row = {"number": event.body["number"], "game": event.body["game"]}
                self.connection.execute(
                    matches.insert().values(table_id=self.table_id, started_at=self.now, **row)
                )
        match, before = self.state.match, self._before.match
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
