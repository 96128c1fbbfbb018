"""The phones of one device: the links by which they are added, their list, and forgotten ones.

All of them have the device's token in their cookies. Each that came by a link also has a name of
its own there, without which nobody could tell it from the others; the first one has none.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.bus import PHONES
from companion.tables.database.columns import (
    TOKEN_BYTES,
    device_hash,
    from_milliseconds,
    new_id,
    token_hash,
)
from companion.tables.database.schema import own_phones, phone_links
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

LINK_MINUTES: Final = 60
"""Minutes for which a link to another phone of the same person is valid."""


@dataclass(frozen=True, slots=True)
class OwnPhone:
    """A phone in the list of its device's."""

    key: str
    """See `phone_key`."""
    kind: str
    """The kind that it said, such as `android`."""
    seen_at: datetime
    """The last day on which it was here, about."""


def phone_key(device: str, phone: str) -> str:
    """The hash by which the database knows a phone.

    Args:
        phone: the name in the cookie; empty for the first phone.
    """
    return token_hash(f"{device} {phone}")


class OwnPhones:
    """The phones of all devices. Safe to use from many threads."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self._lock: Final = threading.Lock()
        self._forgotten: frozenset[str] | None = None
        store.bus.subscribe(PHONES, self._load)

    def is_forgotten(self, key: str) -> bool:
        """Whether a phone was forgotten. Asks the database only once in a process."""
        return key in (self._load() if self._forgotten is None else self._forgotten)

    def _load(self, _version: int = 0) -> frozenset[str]:
        self._forgotten = None  # which stays, where the database does not answer
        query = sa.select(own_phones.c.key).where(own_phones.c.forgotten_at.is_not(None))
        with self._lock, self._store.database.read() as connection:
            found = self._forgotten = frozenset(connection.execute(query).scalars())
        return found

    def make_link(self, device: str, phone: str, kind: str) -> str:
        """The token of a link that adds one phone; the device's earlier link becomes invalid.

        The database has its hash, and the device's token in a form that only the link opens.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        now = self._store.now()
        row = {"device": device_hash(device), "hash": token_hash(token), "made_at": now}
        is_old = phone_links.c.made_at < now - LINK_MINUTES * 60_000
        with self._store.database.write() as connection:
            earlier = phone_links.c.device == row["device"]
            connection.execute(phone_links.delete().where(is_old | earlier))
            connection.execute(phone_links.insert().values(**row, sealed=_seal(device, token)))
            self._add(connection, device, phone, kind)
        return token

    def check_link(self, token: str) -> None:
        """Raises `Refused` with `no-such-link` where a link is not valid, or not any more."""
        with self._store.database.read() as connection:
            self._found(connection, token)

    def use_link(self, token: str, kind: str) -> tuple[str, str]:
        """The device's token and the name of the phone that is added; the link ends with it.

        Raises:
            Refused: `no-such-link`.
        """
        with self._store.database.write() as connection:
            sealed = self._found(connection, token)
            used = phone_links.delete().where(phone_links.c.hash == token_hash(token))
            if not connection.execute(used).rowcount:
                raise Refused("no-such-link")  # used by another process at the same moment
            device, phone = _unseal(sealed, token), new_id()
            self._add(connection, device, phone, kind)
        return device, phone

    def of_device(self, device: str) -> tuple[OwnPhone, ...]:
        """The phones in the list; none as long as no link was made."""
        query = (
            sa.select(own_phones)
            .where(own_phones.c.device == device_hash(device), own_phones.c.forgotten_at.is_(None))
            .order_by(own_phones.c.added_at, own_phones.c.key)
        )
        with self._store.database.read() as connection:
            rows = connection.execute(query).all()
        return tuple(OwnPhone(row.key, row.kind, from_milliseconds(row.seen_at)) for row in rows)

    def forget(self, device: str, key: str) -> None:
        """Forgets a phone of this device: its cookie is refused from now on, in all processes."""
        which = (own_phones.c.device == device_hash(device)) & (own_phones.c.key == key)
        forgotten = own_phones.update().where(which).values(forgotten_at=self._store.now())
        with self._store.database.write() as connection:
            connection.execute(forgotten)
        self._store.bus.publish(PHONES, 0)
        if self._store.postgres is not None:
            self._store.postgres.announce(PHONES, 0)

    def _add(self, connection: Connection, device: str, phone: str, kind: str) -> None:
        now = self._store.now()
        row = {"key": phone_key(device, phone), "device": device_hash(device), "kind": kind}
        connection.execute(_ADD, {**row, "now": now})

    def _found(self, connection: Connection, token: str) -> str:
        query = sa.select(phone_links).where(phone_links.c.hash == token_hash(token))
        row = connection.execute(query).one_or_none()
        # Either way, or a clock that has stepped back would make an old link valid again for long.
        if row is None or abs(self._store.now() - row.made_at) > LINK_MINUTES * 60_000:
            raise Refused("no-such-link")
        return str(row.sealed)


def _seal(device: str, token: str) -> str:
    """The device's token, combined with a key of its length that is made from the link's."""
    raw = device.encode()
    key = hashlib.shake_256(f"phone {token}".encode()).digest(len(raw))
    return bytes(a ^ b for a, b in zip(raw, key, strict=True)).hex()


def _unseal(sealed: str, token: str) -> str:
    raw = bytes.fromhex(sealed)
    key = hashlib.shake_256(f"phone {token}".encode()).digest(len(raw))
    return bytes(a ^ b for a, b in zip(raw, key, strict=True)).decode()


_ADD: Final = sa.text(
    "INSERT INTO own_phones (key, device, kind, added_at, seen_at)"
    " VALUES (:key, :device, :kind, :now, :now)"
    " ON CONFLICT (key) DO UPDATE SET kind = excluded.kind, seen_at = excluded.seen_at"
)
