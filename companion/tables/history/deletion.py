"""Deleting for good: a finished match, or a person in all of a device's matches and tables.

The log of a table loses them, too; see `erase`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import match_photos
from companion.tables.history.looking import Looking
from companion.tables.history.people import Appearances, Lineup, appearances
from companion.tables.history.visible import (
    changeable_match,
    in_parts,
    lineups,
    match_with_id,
    may_change,
    tables_changed_by,
    unless_left,
)
from companion.tables.ledger import erase
from companion.tables.ledger.names import name_key
from companion.tables.ledger.rights import Member, require_host
from companion.tables.ledger.saved import decode_players, encode_players
from companion.tables.ledger.state import State
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """The consequences of deleting a person, in numbers of matches."""

    person: Appearances
    anonymized: int
    """Finished matches that stay, with a nameless place."""
    deleted: int
    """Finished matches that go, because nobody else is in them."""
    aborted: int
    """Running matches that end without a result."""
    untouched: int
    """Finished matches that stay as they are: this device may only watch at their table."""


class Deletion(Looking):
    """Deleting from the history."""

    def delete_match(self, device: str, match_id: str) -> None:
        """Deletes a match for good, also from its table's log."""
        with self._store.database.read() as connection:
            match = match_with_id(connection, device, match_id)
        if match.table_id is None or match.number is None:
            with self._store.database.write() as connection:
                found = changeable_match(connection, device, match_id)
                _note_deleted(connection, [found.id], self._store.now())
                connection.execute(rows.delete().where(rows.c.id == found.id))
            return
        with self._store.changing(match.table_id, device) as change:
            change.require_player()
            now = change.state.match
            if change.state.phase == "playing" and now is not None and now.number == match.number:
                change.require_host()
            erase.erase_match(change, match.number)
            _note_deleted(change.connection, [match.id], change.now)
            change.connection.execute(rows.delete().where(rows.c.id == match.id))

    def deletion_preview(self, device: str, wanted: str) -> DeletionPreview:
        """The consequences of deleting a person; raises `Refused` as `delete_person` does."""
        person = appearances(self._lineups(device), wanted)
        key = name_key(person.name)
        anonymized = deleted = untouched = 0
        for match in person.matches:
            if not match.may_change:
                untouched += 1
            elif any(name is None or name_key(name) != key for name in match.names):
                anonymized += 1
            else:
                deleted += 1
        aborted, seats = _traces_at_tables(self._store, device, key)
        if untouched and not (anonymized or deleted or aborted or seats):
            raise Refused("view-only")
        return DeletionPreview(person, anonymized, deleted, aborted, untouched)

    def delete_person(self, device: str, wanted: str) -> None:
        """Deletes a person's name and sheets for good; see `deletion_preview`.

        The log of each table is one transaction, and then all matches are one. When a transaction
        fails, earlier ones stay done, and repeating the call does the rest: the person is found
        until nothing is left.

        Raises:
            Refused: `no-such-person`; `not-host`, where the person plays in a running match or has
                a seat that another device holds; `view-only`, when there is nothing that the device
                may change.
        """
        # All tables are asked before the first one is changed.
        key = name_key(self.deletion_preview(device, wanted).person.name)
        with self._store.database.read() as connection:
            played = _playing(connection, device, key)
        for table_id in tables_changed_by(self._store, device):
            with unless_left(), self._store.changing(table_id, device) as change:
                change.require_player()
                _require_rights(change.state, change.member, key)
                # A match in which the person had another name once has that one in its log.
                numbers = [m.number for m in played if m.table_id == table_id and m.number]
                erase.erase_person(change, key, numbers)
        with self._store.database.write() as connection:
            # Once more: a match may have ended meanwhile.
            ids = [match.id for match in _playing(connection, device, key)]
            for part in in_parts(ids):
                here = rows.c.id.in_(part) & may_change(device)
                delete_from(connection, here, key, self._store.now())


def _playing(connection: Connection, device: str, key: str) -> list[Lineup]:
    """The matches with a person that the device may change, also those that no page shows."""
    found = lineups(connection, device, hidden=True)
    return [match for match in found if match.may_change and match.has(key)]


def _traces_at_tables(store: Store, device: str, key: str) -> tuple[int, int]:
    """The running matches and the seats of a person at the tables that the device may change.

    Raises:
        Refused: `not-host`, when one of them is not this device's to delete.
    """
    running = seats = 0
    for table_id in tables_changed_by(store, device):
        with unless_left(), store.looking(table_id, device) as (_, state, me):
            _require_rights(state, me, key)
            running += _is_playing(state, key)
            seats += any(name_key(seat.name) == key for seat in state.seats)
    return running, seats


def _is_playing(state: State, key: str) -> bool:
    """Whether a person of this `name_key` plays in a match that is under way."""
    if state.phase != "playing" or state.match is None:
        return False
    return any(name_key(name) == key for name in state.match.position.players)


def _require_rights(state: State, me: Member, key: str) -> None:
    """Raises `Refused` unless this device may delete the person from the table.

    A running match belongs to its host, and a seat to the host and to the device that holds it.
    """
    others = (seat for seat in state.seats if seat.holder not in (None, me.id))
    if _is_playing(state, key) or any(name_key(seat.name) == key for seat in others):
        require_host(me)


_NOTE_DELETED: Final = sa.text(
    "INSERT INTO deleted_plays (owner, identity, at)"
    " SELECT DISTINCT COALESCE(plays.owner, members.device), plays.identity,"
    " CAST(:now AS BIGINT) FROM plays LEFT JOIN members ON members.table_id = plays.table_id"
    " WHERE plays.id IN :ids AND COALESCE(plays.owner, members.device) IS NOT NULL"
    " ON CONFLICT (owner, identity) DO NOTHING"
).bindparams(sa.bindparam("ids", expanding=True, type_=sa.Text))


def _note_deleted(connection: Connection, ids: Sequence[str], now: int) -> None:
    """Notes for all devices that see these matches that they are about to be deleted."""
    connection.execute(_NOTE_DELETED, {"ids": list(ids), "now": now})


def delete_from(connection: Connection, where: sa.ColumnElement[bool], key: str, now: int) -> None:
    """Takes the person out of the matches in `where`; deletes those in which nobody is left."""
    updates: list[dict[str, Any]] = []
    empty: list[str] = []
    query = sa.select(rows.c.id, rows.c.players, rows.c.changed_at).where(where)
    for match_id, text, changed in connection.execute(query).all():
        players = decode_players(text)
        # A file may hold two names that look alike: they are one person.
        left = tuple(player.nameless() if player.is_called(key) else player for player in players)
        if all(player.is_deleted for player in left):
            empty += [match_id] if left != players else []
        elif left != players:
            # The record holds every action of everybody, so it cannot stay.
            update = {"players": encode_players(left), "record": None, "is_contested": False}
            updates.append({"key": match_id, **update, "changed_at": max(changed + 1, now)})
    if updates:
        connection.execute(rows.update().where(rows.c.id == sa.bindparam("key")), updates)
        # Nor can photos of the sheets, with every name in handwriting.
        here = match_photos.c.play_id.in_([update["key"] for update in updates])
        connection.execute(match_photos.delete().where(here))
    _note_deleted(connection, empty, now)
    connection.execute(rows.delete().where(rows.c.id.in_(empty)))
