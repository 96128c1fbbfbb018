"""Going on without a lost phone, and giving back what was its own when it comes back.

A seat is lent after a minute of silence, and its holder's again at the first sign of life. The
host's role goes to any player after five minutes; whoever made the table takes it back at any time.
Every function changes a table through the `TableChange` it is given, or raises `Refused`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.schema import members
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.rights import Member
from companion.tables.ledger.state import SeatState, State
from companion.tables.play import lobby
from companion.tables.play.presence import HOST_SECONDS, SEAT_SECONDS
from companion.tables.refusals import Refused

IsSilent: TypeAlias = Callable[[str, float], bool]
"""Whether the device of this hash has been silent for so many seconds; see `presence`."""


@dataclass(frozen=True, slots=True)
class Silence:
    """The phones that a table waits for in vain."""

    host: bool
    """Whether the host's phone is silent, so that any player's may become the host's."""
    seats: frozenset[int]
    """The seats of silent phones that this device may play for."""


def silence(
    connection: Connection, table_id: str, state: State, me: Member, is_silent: IsSilent
) -> Silence:
    """The silent phones of a table, as far as it concerns this device."""
    if me.role == "viewer":
        return Silence(False, frozenset())
    devices = _devices(connection, table_id)
    hosts = _hosts(connection, table_id)
    if me.role != "host" and not _all_silent(hosts, is_silent, SEAT_SECONDS):
        return Silence(False, frozenset())
    seats = frozenset(
        seat.id
        for seat in state.seats
        if seat.holder is not None
        and not seat.is_played_by(me.id)
        and _all_silent(_players(seat, devices), is_silent, SEAT_SECONDS)
    )
    return Silence(me.role != "host" and _all_silent(hosts, is_silent, HOST_SECONDS), seats)


def become_host(change: TableChange, is_silent: IsSilent) -> None:
    """Makes this player's device the host's in place of a silent one, which stays a player's.

    The device that made the table need not wait for silence.
    """
    me = change.need_player()
    if me.role == "host":
        return
    if me.id != change.state.founder:
        _need_silent_host(change, is_silent, HOST_SECONDS)
    here = members.c.table_id == change.table_id
    old = list(
        change.connection.execute(_HOSTS.where(here).with_only_columns(members.c.id)).scalars()
    )
    change.connection.execute(
        members.update().where(here, members.c.id.in_(old)).values(role="player")
    )
    mine = members.update().where(here, members.c.id == me.id)
    change.connection.execute(mine.values(role="host"))
    change.me = Member(me.id, "host", me.label)
    change.append(kinds.HOST_CHANGED, {"member": me.id, "before": old})


def take_over(change: TableChange, seat_id: object, is_silent: IsSilent) -> None:
    """Lets this player's device play for a seat whose phone is silent, or gives it a free one.

    While the host's phone is heard, only the host may.
    """
    me = change.need_player()
    seat = lobby.seat_with_id(change, seat_id)
    if seat.holder is None:
        lobby.take_seat(change, seat_id)
    if seat.holder is None or seat.is_played_by(me.id):
        return
    devices = _devices(change.connection, change.table_id)
    if not _all_silent(_players(seat, devices), is_silent, SEAT_SECONDS):
        raise Refused("seat-taken", player=seat.name)
    if me.role != "host":
        _need_silent_host(change, is_silent, SEAT_SECONDS)
    change.append(kinds.SEAT_LENT, {"seat": seat.id, "name": seat.name, "to": me.id})


def _need_silent_host(change: TableChange, is_silent: IsSilent, seconds: float) -> None:
    if not _all_silent(_hosts(change.connection, change.table_id), is_silent, seconds):
        raise Refused("host-is-here", minutes=round(seconds / 60))


def _all_silent(devices: Iterable[str], is_silent: IsSilent, seconds: float) -> bool:
    return all(is_silent(device, seconds) for device in devices)


def _players(seat: SeatState, devices: Mapping[str, str]) -> list[str]:
    """The devices that play for a seat: its holder's, and the one that it is lent to."""
    return [devices[member] for member in devices if seat.is_played_by(member)]


_HOSTS = sa.select(members.c.device).where(members.c.role == "host")


def _hosts(connection: Connection, table_id: str) -> list[str]:
    return list(connection.execute(_HOSTS.where(members.c.table_id == table_id)).scalars())


def _devices(connection: Connection, table_id: str) -> dict[str, str]:
    """Member → device, of everybody at the table."""
    query = sa.select(members.c.id, members.c.device).where(members.c.table_id == table_id)
    return {row.id: row.device for row in connection.execute(query)}
