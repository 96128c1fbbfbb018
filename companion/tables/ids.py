"""Ids of tables, members, links, games and reviews, and the hash of a device's token."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Final

TOKEN_BYTES: Final = 16
"""128 bits, for ids and for the tokens of links."""

ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The shape of an id. Other texts never reach a database: not every one takes any text."""


def new_id() -> str:
    """An unguessable, URL-safe id."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def is_id(value: object) -> bool:
    """Whether `value` has the shape of an id that any version of the program makes."""
    return isinstance(value, str) and ID.fullmatch(value) is not None


def device_hash(device: str) -> str:
    """The SHA-256 of a device's token in hexadecimal: all that the database keeps of it."""
    return hashlib.sha256(device.encode("utf-8", "surrogatepass")).hexdigest()
