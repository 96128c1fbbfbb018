"""The limits that an operator may set; `companion settings` prints them.

Each field of `Limits` is one setting: name, default, unit and why. What nobody would set otherwise
is a constant where it is used.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from companion.core.refusal import Unusable

_MB: Final = 1024 * 1024
_FIXED: Final = "limits by address are the proxy's (deploy/nginx.conf), the others are fixed"
_SETTINGS: Final = (
    "bodies bodies_per_address connections_per_address form_fields head_seconds imports"
    " large_change_seconds large_changes large_changes_per_device people people_per_device"
    " photos_per_address printing printing_requests printing_requests_per_address"
    " printing_seconds printing_wait_seconds reading_threads recent_codes"
    " recent_codes_in_attack recent_phone_links_per_address recent_tables_per_address"
    " recent_uploads_per_address slow_requests slow_requests_per_address slow_threads"
    " slow_wait_seconds spare_descriptors stall_bytes stall_seconds static_threads"
    " streams_per_address streams_per_device tables_per_address unused_tables_per_device"
    " upload_seconds upload_threads uploads uploads_per_address waiting_imports"
    " waiting_imports_per_address writing_threads"
)

# Options, commands and settings of version 1: what there is instead
GONE: Final[Mapping[str, str]] = {
    "--https": "Caddy makes a certificate (deploy/home.Caddyfile); your own takes --cert",
    "--log": "the proxy's log has the requests (deploy/nginx.conf)",
    "--metrics": "/health/ready says whether all is well (docs/operating.md)",
    "--workers": "one companion serve for each core, on one PostgreSQL (docs/scaling.md)",
    "person": "companion forget NAME deletes a person from every game",
    **dict.fromkeys(_SETTINGS.split(), _FIXED),
}

_log: Final = logging.getLogger(__name__)


def _row(default: int, unit: str, why: str) -> Any:
    return field(default=default, metadata={"unit": unit, "why": why})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server, all whole numbers above 0."""

    body_bytes: int = _row(
        128 * 1024, "bytes", "of a request without a file; a correction of a long game has 60 kB"
    )
    body_seconds: int = _row(300, "seconds", "to send a request's body, a photo's, too")
    upload_bytes: int = _row(160 * _MB, "bytes", "of one request with photos")
    uploading_bytes: int = _row(640 * _MB, "bytes", "of all uploads under way that have come")
    connections: int = _row(4096, "connections", "at a time, if the system has descriptors")
    streams: int = _row(2000, "streams", "at a time; more phones ask every few seconds")
    recent_codes_per_address: int = _row(10, "codes", "that an address may guess in 10 minutes")
    tables_per_device: int = _row(100, "tables", "that a device makes in a day")
    unused_table_days: int = _row(7, "days", "that a table is kept at which no game has begun")
    devices_per_table: int = _row(100, "devices", "at one table")
    recent_changes_per_member: int = _row(
        1500, "changes", "by one device, or by all who come and go at a table, in 10 minutes"
    )
    recent_changes_per_table: int = _row(
        6000, "taps", "at a table by those who sit there, in 10 minutes; its log holds 20,000 lines"
    )
    waiting_photos: int = _row(48, "photos", "that wait or are read")
    waiting_photo_bytes: int = _row(400 * _MB, "bytes", "of these photos")
    waiting_photos_per_device: int = _row(24, "photos", "of a device, or of an address's strangers")
    reviews_per_device: int = _row(12, "reviews", "of one device that are not saved yet")
    review_bytes: int = _row(60 * _MB, "bytes", "of the pictures in one device's reviews")
    printed_pages: int = _row(40, "pages", "of one PDF; the command line prints more")

    def with_values(self, values: Mapping[str, object]) -> Limits:
        """These limits with other values, which may be texts, as from a command line.

        Raises:
            Unusable: there is no such setting, or its value is no whole number above 0.
        """
        known = {row.name for row in fields(self)}
        checked: dict[str, int] = {}
        for name, value in values.items():
            if name not in known:
                raise Unusable(f"There is no setting “{name}”. companion settings lists all.")
            text = str(value)
            if isinstance(value, bool) or not _is_positive(text):
                raise Unusable(f"The setting {name} is a whole number above 0, not “{value}”.")
            checked[name] = int(text)
        return replace(self, **checked)


def _is_positive(text: str) -> bool:
    return text.isascii() and text.isdigit() and int(text[:18]) > 0 and len(text) < 18


USUAL: Final = Limits()


def read_limits(file: str | None, assignments: Iterable[str]) -> Limits:
    """The limits that an operator sets.

    Args:
        file: path of a TOML file of `name = value`.
        assignments: `name=value`, which go before the file's.

    Raises:
        Unusable: the file cannot be read, or a name or value is wrong.
    """
    try:
        values = tomllib.loads(Path(file).read_text("utf-8")) if file is not None else {}
    except (OSError, ValueError) as error:
        raise Unusable(f"The settings in {file} cannot be read: {error}.") from error
    pairs = (text.partition("=") for text in assignments)
    given = {name.strip(): value.strip() for name, _, value in pairs}
    if gone := sorted({*values, *given} & GONE.keys()):
        _log.warning("settings that are gone and do nothing: %s; %s", ", ".join(gone), _FIXED)
    for each in (values, given):
        for name in gone:
            each.pop(name, None)
    return USUAL.with_values(values).with_values(given)


def table() -> str:
    """All settings with their defaults, as Markdown; `docs/settings.md` has the same table."""
    lines = ["| setting | default | unit | what it limits |", "|---|---|---|---|"]
    for row in fields(Limits):
        unit, why = row.metadata["unit"], row.metadata["why"]
        lines.append(f"| `{row.name}` | {row.default:,} | {unit} | {why} |")
    return "\n".join(lines) + "\n"
