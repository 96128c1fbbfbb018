"""Going on without a lost phone: after a minute of the host's silence any player may.

Every function changes a table through the `TableChange` it is given, or raises `Refused`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.schema import members
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.rights import Member
from companion.tables.ledger.state import State
from companion.tables.play import lobby
from companion.tables.refusals import Refused

IsSilent: TypeAlias = Callable[[str], bool]
"""Whether the device of this hash has been silent for a minute; see `presence`."""


@dataclass(frozen=True, slots=True)
class Silence:
    """The phones that a table waits for in vain."""

    host: bool
    """Whether the host's phone is silent, so that any player's may become the host's."""
    seats: frozenset[int]
    """The seats that this device may take over from silent phones."""


def silence(
    connection: Connection, table_id: str, state: State, me: Member, is_silent: IsSilent
) -> Silence:
    """The silent phones of a table, as far as it concerns this device."""
    if me.role == "viewer":
        return Silence(False, frozenset())
    host = me.role != "host" and _all_silent(_hosts(connection, table_id), is_silent)
    if me.role != "host" and not host:
        return Silence(False, frozenset())
    devices = _devices(connection, table_id)
    seats = frozenset(
        seat.id
        for seat in state.seats
        if seat.holder in devices and seat.holder != me.id and is_silent(devices[seat.holder])
    )
    return Silence(host, seats)


def become_host(change: TableChange, is_silent: IsSilent) -> None:
    """Makes this player's device the host's in place of a silent one, which stays a player's."""
    me = change.need_player()
    if me.role == "host":
        return
    _need_silent_host(change, is_silent)
    here = members.c.table_id == change.table_id
    old = list(
        change.connection.execute(_HOSTS.where(here).with_only_columns(members.c.id)).scalars()
    )
    change.connection.execute(
        members.update().where(here, members.c.id.in_(old)).values(role="player")
    )
    # The host came by no link: revoking one must not leave the table without a host.
    mine = members.update().where(here, members.c.id == me.id)
    change.connection.execute(mine.values(role="host", link_id=None))
    change.me = Member(me.id, "host", me.label)
    change.append(kinds.HOST_CHANGED, {"member": me.id, "before": old})


def take_over(change: TableChange, seat_id: object, is_silent: IsSilent) -> None:
    """Gives this player's device a seat whose phone is silent, as the host's is, or a free one."""
    me = change.need_player()
    seat = lobby.seat_with_id(change, seat_id)
    if seat.holder in (None, me.id):
        lobby.take_seat(change, seat_id)
        return
    device = _devices(change.connection, change.table_id).get(seat.holder or "")
    if device is not None and not is_silent(device):
        raise Refused("seat-taken", player=seat.name)
    if me.role != "host":
        _need_silent_host(change, is_silent)
    lobby.hand_seat(change, seat)


def _need_silent_host(change: TableChange, is_silent: IsSilent) -> None:
    if not _all_silent(_hosts(change.connection, change.table_id), is_silent):
        raise Refused("host-is-here")


def _all_silent(devices: Iterable[str], is_silent: IsSilent) -> bool:
    return all(map(is_silent, devices))


_HOSTS = sa.select(members.c.device).where(members.c.role == "host")


def _hosts(connection: Connection, table_id: str) -> list[str]:
    return list(connection.execute(_HOSTS.where(members.c.table_id == table_id)).scalars())


def _devices(connection: Connection, table_id: str) -> dict[str, str]:
    """Member → device, of everybody at the table."""
    query = sa.select(members.c.id, members.c.device).where(members.c.table_id == table_id)
    return {row.id: row.device for row in connection.execute(query)}
