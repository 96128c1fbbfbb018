"""How devices come to a table and leave it: links, short codes and memberships."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Refusal
from companion.core.words import N_
from companion.games.catalog import GAMES
from companion.games.others import kept_game
from companion.tables.database.columns import device_hash, is_id, new_id
from companion.tables.database.schema import links, members, tables
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.names import checked_label, checked_name
from companion.tables.ledger.rights import Member, Role, require_deleter
from companion.tables.ledger.state import Phase, SeatState
from companion.tables.ledger.store import Store
from companion.tables.play import lobby
from companion.tables.refusals import Refused

LinkKind: TypeAlias = Literal["join", "view"]

CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # people mix up 0 and O, 1, I and L
CODE_LENGTH: Final = 6
CODE_MINUTES: Final = 60
MOST_DEVICES: Final = 100  # at one table

TOO_MANY_DEVICES: Final = N_(
    "There are already %(most)s devices at this table. The host can revoke a link."
)


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a table, as the table's own devices see it."""

    id: str  # anybody who knows it may enter, so only those at the table see it
    kind: LinkKind
    code: str | None  # the short code of a join link, while it is valid
    members: int  # the number of devices at the table that came by this link


@dataclass(frozen=True, slots=True)
class LinkInfo:
    """A link's table, as a device outside the table sees it."""

    id: str
    kind: LinkKind
    table_id: str
    title: str  # of the game
    phase: Phase
    seats: tuple[SeatState, ...]


def make_member(change: TableChange, role: Role, label: str, link_id: str | None) -> None:
    """Makes the device a member, or changes its role and label. Writes no line of the log."""
    values = {"role": role, "label": label, "link_id": link_id}
    if change.me is None:
        member_id = new_id()
        row = {"id": member_id, "table_id": change.table_id, "device": device_hash(change.device)}
        insert = members.insert().values(**row, **values, joined_at=change.now)
        change.connection.execute(insert)
    else:
        member_id = change.me.id
        change.connection.execute(
            members.update().where(members.c.id == member_id).values(**values)
        )
    change.me = Member(member_id, role, label)


def take_host_role(change: TableChange, is_silent: Callable[[str], bool]) -> None:
    """Makes this player's device the host's in place of a silent one, which stays a player's.

    The device that made the table need not wait for silence.

    Args:
        is_silent: see `Presence.is_silent`.
    """
    me = change.require_player()
    if me.role == "host":
        return
    here = members.c.table_id == change.table_id
    hosts = sa.select(members.c.id, members.c.device).where(here, members.c.role == "host")
    old = change.connection.execute(hosts).all()
    if me.id != change.state.founder and not all(is_silent(row.device) for row in old):
        raise Refused("host-is-here", minutes=1)
    before = [row.id for row in old]
    change.connection.execute(
        members.update().where(here, members.c.id.in_(before)).values(role="player")
    )
    change.connection.execute(members.update().where(members.c.id == me.id).values(role="host"))
    change.me = Member(me.id, "host", me.label)
    change.append(kinds.HOST_CHANGED, {"member": me.id, "before": before})


def join_link(change: TableChange) -> Link:
    """The link for players to join, with a short code valid for an hour. For players."""
    change.require_player()
    link = _link_for(change, "join")
    code = link.code or _free_code(change.connection)
    values = {"code": code, "code_expires_at": change.now + CODE_MINUTES * 60_000}
    change.connection.execute(links.update().where(links.c.id == link.id).values(values))
    return replace(link, code=code)


def view_link(change: TableChange) -> Link:
    """The link for devices to watch. For the host."""
    change.require_host()
    return _link_for(change, "view")


def _link_for(change: TableChange, kind: LinkKind) -> Link:
    """The table's valid link of this kind, a new one when there is none."""
    here = (links.c.table_id == change.table_id) & (links.c.kind == kind)
    query = _LINKS.where(here, links.c.revoked_at.is_(None))
    row = change.connection.execute(query).one_or_none()
    if row is None:
        link_id = new_id()
        values = {"id": link_id, "token": link_id, "table_id": change.table_id, "kind": kind}
        change.connection.execute(links.insert().values(**values, made_at=change.now))
        change.append(kinds.LINK_MADE, {"link": link_id, "link_kind": kind})
        row = change.connection.execute(query).one()
    return _link(row, change.now)


def valid_links(connection: Connection, table_id: str, now: int) -> tuple[Link, ...]:
    """The table's links that can be revoked, the oldest first."""
    query = _LINKS.where(links.c.table_id == table_id, _CAN_BE_REVOKED)
    rows = connection.execute(query.order_by(links.c.made_at, links.c.id))
    return tuple(_link(row, now) for row in rows)


def revoke(change: TableChange, link_id: str) -> None:
    """Revokes a link and ends the memberships made with it; their seats are free again.

    Raises:
        Refused: `no-such-link`; `not-host` or `view-only`, also for a host by `take_host_role`.
    """
    require_deleter(change.state, change.member, is_hosts=True)
    if not is_id(link_id):
        raise Refused("no-such-link")
    query = sa.select(links.c.kind).where(
        links.c.id == link_id,
        links.c.table_id == change.table_id,
        _CAN_BE_REVOKED,
    )
    kind = change.connection.execute(query).scalar()
    if kind is None:
        raise Refused("no-such-link")
    came = members.c.link_id == link_id
    gone = sa.select(members.c.id).where(came).order_by(members.c.joined_at)
    ended = list(change.connection.execute(gone).scalars())
    change.connection.execute(
        links.update().where(links.c.id == link_id).values(revoked_at=change.now, code=None)
    )
    change.connection.execute(members.delete().where(came))
    change.append(kinds.LINK_REVOKED, {"link": link_id, "link_kind": kind, "members": ended})


def link_with_id(store: Store, connection: Connection, link_id: str) -> LinkInfo:
    """The table behind a link; raises `Refused` with `no-such-link`."""
    if not is_id(link_id):
        raise Refused("no-such-link")
    return _info(store, connection, _valid_row(connection, links.c.id == link_id))


def link_with_code(store: Store, connection: Connection, raw: str) -> LinkInfo:
    """The table behind a short code; raises `Refused` with `no-such-link`.

    Case, blanks and hyphens in a code do not count.
    """
    code = "".join(raw.split()).replace("-", "").upper()
    if len(code) != CODE_LENGTH or not set(code) <= set(CODE_LETTERS):
        raise Refused("no-such-link")
    row = _valid_row(connection, (links.c.code == code) & (links.c.code_expires_at > store.now()))
    return _info(store, connection, row)


def enter(
    change: TableChange,
    link_id: str,
    seat: int | None,
    new_name: str | None,
    color: str,
    raw_label: str,
) -> None:
    """Lets the device join the table as the link allows; see `Tables.enter`."""
    here = links.c.table_id == change.table_id
    row = _valid_row(change.connection, here & (links.c.id == link_id))
    label = checked_label(raw_label)
    if row.kind == "join" and new_name is not None and not label:
        label = checked_name(new_name)
    _join(change, row, label)
    if row.kind == "join" and new_name is not None:
        _add_own_seat(change, new_name, color)
    elif row.kind == "join" and seat is not None:
        lobby.take_seat(change, seat)


def _join(change: TableChange, link: Any, label: str) -> None:
    """Makes the device a member, or a viewer a player; any other member stays as it is."""
    role: Role = "viewer" if link.kind == "view" else "player"
    if change.me is None:
        query = sa.select(sa.func.count()).where(members.c.table_id == change.table_id)
        if change.connection.execute(query).scalar_one() >= MOST_DEVICES:
            raise Refused(Refusal("table-full", TOO_MANY_DEVICES, {"most": MOST_DEVICES}))
    elif change.me.role != "viewer" or role == "viewer":
        return
    else:
        label = label or change.me.label
    make_member(change, role, label, link.id)
    body = {"member": change.member.id, "role": role, "label": label}
    change.append(kinds.JOINED, body)


def _add_own_seat(change: TableChange, new_name: str, color: str) -> None:
    """Adds a seat for this device; the same request sent twice adds one seat."""
    name = checked_name(new_name)
    if any(seat.name == name for seat in change.state.held_by(change.member.id)):
        return
    lobby.add_seat(change, name, color, True)


def _valid_row(connection: Connection, which: sa.ColumnElement[bool]) -> Any:
    """The row of a link; raises `Refused` with `no-such-link`."""
    query = sa.select(links).where(which, links.c.revoked_at.is_(None))
    row = connection.execute(query).one_or_none()
    if row is None:
        raise Refused("no-such-link")
    return row


def _info(store: Store, connection: Connection, row: Any) -> LinkInfo:
    version = sa.select(tables.c.version).where(tables.c.id == row.table_id)
    state = store.state_at(connection, row.table_id, connection.execute(version).scalar_one())
    options = state.options or {}
    title = kept_game(GAMES[state.game], options).title_of(options)
    return LinkInfo(row.id, row.kind, row.table_id, title, state.phase, state.seats)


def _free_code(connection: Connection) -> str:
    """A random code that no link has, expired codes included."""
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        taken = connection.execute(sa.select(links.c.id).where(links.c.code == code)).first()
        if taken is None:
            return code


def _link(row: Any, now: int) -> Link:
    fresh = row.code is not None and row.code_expires_at > now
    return Link(row.id, row.kind, row.code if fresh else None, row.members)


# The condition on a link that it is valid, or that somebody whom it brought is still here. Up to
# 2.0.0 a host who had come by a link outlived it.
_CAN_BE_REVOKED: Final = links.c.revoked_at.is_(None) | sa.exists().where(
    members.c.link_id == links.c.id
)

_LINKS: Final = sa.select(
    links,
    sa.select(sa.func.count())
    .where(members.c.link_id == links.c.id)
    .scalar_subquery()
    .label("members"),
)
