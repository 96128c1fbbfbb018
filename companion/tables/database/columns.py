"""Values as the database keeps them: ids, hashes of tokens and matches, times as milliseconds."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

TOKEN_BYTES: Final = 16  # 128 bits, for ids and for the tokens of links
# Other texts never reach a database as an id: not every database takes any text.
ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
LATEST: Final = 253_402_300_799_999  # the end of the year 9999; no later time can be shown


def new_id() -> str:
    """An unguessable, URL-safe id."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def is_id(value: object) -> bool:
    """Whether `value` has the shape of an id that any version of the program makes."""
    return isinstance(value, str) and ID.fullmatch(value) is not None


def own_token(device: str, what: str) -> str:
    """A device's token for something: always the same one, and no other device's."""
    # It comes from the device's own token, so the database need not keep it to find it again
    key = device.encode("utf-8", "surrogatepass")
    digest = hmac.digest(key, what.encode("utf-8", "surrogatepass"), "sha256")
    return base64.urlsafe_b64encode(digest[:TOKEN_BYTES]).decode().rstrip("=")


def token_hash(token: str) -> str:
    """The SHA-256 of a device's or link's token in hexadecimal: all that the database keeps."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


device_hash: Final = token_hash


def essence(game: str, ended_at: datetime, players: Iterable[Mapping[str, Any]]) -> str:
    """A hash of what two savings of one match have in common.

    That is the sheets of its players, or, where there are none, their totals, names and the day in
    the server's time zone.

    Args:
        players: as they are in the row.
    """
    day = ended_at.astimezone().date()
    parts = [game]
    for player in players:
        sheet = player["sheet"]
        if sheet is not None and "sheet" in sheet:
            parts.append(json.dumps({**sheet, "players": None}, sort_keys=True))
        else:
            name = unicodedata.normalize("NFKC", "".join((player["name"] or "").split()))
            parts.append(f"{day} {player['total']} {name.casefold()}")
    return hashlib.sha256(json.dumps(sorted(parts)).encode()).hexdigest()


def from_milliseconds(milliseconds: int) -> datetime:
    """The time, aware and in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def to_milliseconds(at: datetime) -> int:
    """An aware time, rounded to whole milliseconds."""
    return round(at.timestamp() * 1000)
