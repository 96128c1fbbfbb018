"""Deleting for good: a finished match, or a person in all of a device's matches and tables.

The log of a table loses them, too; see `erase`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.matches import (
    FinishedMatch,
    appearances,
    changeable_match,
    is_of,
    may_change,
    plays_in,
    tables_changed_by,
    unless_left,
)
from companion.tables.history.queries import Queries
from companion.tables.history.rewriting import delete, rewrite
from companion.tables.ledger import erase
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.names import name_key
from companion.tables.ledger.rights import Member, require_deleter
from companion.tables.ledger.saved import Participant
from companion.tables.ledger.state import State
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """The consequences of deleting a person, in numbers of matches."""

    id: str
    name: str
    anonymized: int  # finished matches that stay, with a nameless place
    deleted: int  # finished matches that go, because nobody else is in them
    aborted: int  # running matches that end without a result
    # Finished matches that stay as they are: this device may only watch at their table.
    untouched: int


class Deletion(Queries):
    def match_to_delete(self, device: str, match_id: str) -> FinishedMatch:
        """The match; raises `Refused` as `delete_match` does."""
        with self._store.database.read() as connection:
            match = changeable_match(connection, device, match_id)
        if match.table_id is not None:
            with self._store.reading(match.table_id, device) as (_, state, me):
                _require_match(state, me, match)
        return match

    def delete_match(self, device: str, match_id: str) -> None:
        """Deletes a match for good, also from its table's log.

        Raises:
            Refused: `no-such-play`, `view-only`; `not-host`, where only the host who made the table
                may, since the match is not over or was ended early.
        """
        match = self.match_to_delete(device, match_id)
        if match.table_id is None or match.number is None:
            with self._store.database.write() as connection:
                found = changeable_match(connection, device, match_id)
                delete(connection, [found.id], self._store.now())
            return
        with self._store.changing(match.table_id, device) as change:
            change.require_player()
            _require_match(change.state, change.member, match)
            erase.erase_match(change, match.number)
            delete(change.connection, [match.id], change.now)

    def deletion_preview(self, device: str, wanted: str) -> DeletionPreview:
        """The consequences of deleting a person; raises `Refused` as `delete_person` does."""
        with self._store.database.read() as connection:
            name, matches = appearances(connection, device, wanted)
        key = name_key(name)
        ours = [match for match in matches if match.may_change]
        deleted = sum(_without(match.players, key) is None for match in ours)
        anonymized, untouched = len(ours) - deleted, len(matches) - len(ours)
        aborted, seats = _traces_at_tables(self._store, device, key, ours)
        if untouched and not (anonymized or deleted or aborted or seats):
            raise Refused("view-only")
        return DeletionPreview(wanted, name, anonymized, deleted, aborted, untouched)

    def delete_person(self, device: str, wanted: str) -> None:
        """Deletes a person's name and sheets for good; see `deletion_preview`.

        The log of each table is one transaction, and then every few matches are one. If one
        fails, the earlier ones stay done, and repeating the deletion does the rest: the person is
        found until nothing is left.

        Raises:
            Refused: `no-such-person`; `not-host`, where the person plays in a running match or has
                a seat that another device holds; `view-only`, when there is nothing that the
                device may change.
        """
        # The rights at all tables are checked before the first one is changed.
        key = name_key(self.deletion_preview(device, wanted).name)
        with self._store.database.read() as connection:
            query = sa.select(rows.c.table_id, rows.c.number).where(_has(connection, device, key))
            played = connection.execute(query).all()
        for table_id in tables_changed_by(self._store, device):
            # The log of a match may have an earlier name of the person.
            more = [row[1] for row in played if row[0] == table_id]
            require = partial(_require_may_erase, key=key, has_played=bool(more))
            with unless_left():
                erase.erase_person(self._store, table_id, device, key, more, require)
        while ids := self._ids_with(device, key):  # a match may have ended meanwhile
            erase_from(self._store, ids, key, is_of(device) & may_change(device))

    def _ids_with(self, device: str, key: str) -> Sequence[str]:
        with self._store.database.read() as connection:
            query = sa.select(rows.c.id).where(_has(connection, device, key))
            return connection.execute(query).scalars().all()


def _has(connection: Connection, device: str, key: str) -> sa.ColumnElement[bool]:
    """The condition on matches of a person that the device may change."""
    theirs = plays_in(connection, device, lambda name: name_key(name) == key)
    return theirs & may_change(device)


def _traces_at_tables(
    store: Store, device: str, key: str, matches: Sequence[FinishedMatch]
) -> tuple[int, int]:
    """The running matches and the seats of a person at the tables that the device may change.

    Args:
        matches: the person's finished matches.

    Raises:
        Refused: `not-host`, when one of them is not this device's to delete.
    """
    running = seats = 0
    played = {match.table_id for match in matches}
    for table_id in tables_changed_by(store, device):
        with unless_left(), store.reading(table_id, device) as (_, state, me):
            _require_rights(state, me, key, has_played=table_id in played)
            running += state.phase == "playing" and is_playing(state, key)
            seats += any(name_key(seat.name) == key for seat in state.seats)
    return running, seats


def _require_match(state: State, me: Member, match: FinishedMatch) -> None:
    """Raises `Refused` with `not-host` unless this device may delete the match."""
    # One that is under way, or that was ended early and can be resumed, is the host's
    now = state.match
    is_running = state.phase == "playing" and now is not None and now.number == match.number
    require_deleter(state, me, is_hosts=is_running or match.is_unfinished)


def is_playing(state: State, key: str) -> bool:
    """Whether a person of this `name_key` plays in a match that can go on."""
    if state.match is None or state.match.position.over:
        return False
    return key in map(name_key, state.match.position.players)


def _require_may_erase(change: TableChange, *, key: str, has_played: bool) -> None:
    change.require_player()
    _require_rights(change.state, change.member, key, has_played=has_played)


def _require_rights(state: State, me: Member, key: str, *, has_played: bool) -> None:
    """Raises `Refused` unless this device may delete the person from the table."""
    # A match that can go on belongs to its host, and a seat to the host and to the device that
    # holds it
    has_seat, is_hosts = False, is_playing(state, key)
    for seat in state.seats:
        if name_key(seat.name) == key:
            has_seat = True
            is_hosts = is_hosts or seat.holder not in (None, me.id)
    if is_hosts or has_seat or has_played:
        require_deleter(state, me, is_hosts=is_hosts)


def _without(players: Sequence[Participant], key: str) -> list[Participant] | None:
    """The players, with a person's name removed; None if nobody is left."""
    # A file may hold two names that look alike: they are one person
    left = list(players)
    for place, player in enumerate(players):
        if player.has_name(key):
            left[place] = player.nameless()
    return None if all(player.is_deleted for player in left) else left


def erase_from(store: Store, ids: Sequence[str], key: str, allowed: sa.ColumnElement[bool]) -> None:
    """Removes a person from the allowed matches; deletes those without any player left."""

    def erased(match: FinishedMatch) -> FinishedMatch | None:
        left = _without(match.players, key)
        # The record holds every action of everybody, so it cannot stay; nor can photos of the
        # sheets, with every name in handwriting.
        if left is None:
            return None
        return replace(match, players=tuple(left), record=None, is_contested=False)

    rewrite(store, ids, erased, allowed, with_photos=False)
