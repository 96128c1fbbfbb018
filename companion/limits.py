"""Limits that keep one person from using up what others need, as settings of `companion serve`.

Each field of `Limits` is one setting: name, default, unit and why. `docs/settings.md` is printed by
`python -m companion.limits`. Formats, sizes on paper and the rules of games have no settings.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from companion.core.refusal import Unusable

RECENT_SECONDS: Final = 600.0
"""The sliding window of the settings whose name begins with `recent`."""

_MB: Final = 1024 * 1024


def _row(default: Any, unit: str, why: str) -> Any:
    return field(default=default, metadata={"unit": unit, "why": why})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server. "Address" is an IPv4 address or an IPv6 /64 network."""

    # Requests
    head_seconds: float = _row(15.0, "seconds", "from the first byte to the end of the headers")
    body_bytes: int = _row(
        128 * 1024, "bytes", "of a request that is no upload; a correction of a long game has 60 kB"
    )
    body_seconds: float = _row(30.0, "seconds", "to send such a body")
    form_fields: int = _row(
        600, "fields", "in one form; a correction has one for each entry that no longer fits"
    )
    bodies: int = _row(256, "bodies", "being sent at a time, all in memory")
    bodies_per_address: int = _row(64, "bodies", "being sent at a time by one address")
    connections: int = _row(4096, "connections", "of a process, if the system has descriptors")
    connections_per_address: int = _row(
        256, "connections", "of one address; a phone at a table has two or three"
    )
    spare_descriptors: int = _row(
        512, "descriptors", "for files, the database and connections about to be accepted"
    )
    reading_threads: int = _row(8, "threads", "for pages that only read")
    writing_threads: int = _row(8, "threads", "for changes, which wait for the database's writer")
    static_threads: int = _row(2, "threads", "for styles, scripts and fonts")
    upload_threads: int = _row(2, "threads", "for photos that have come, until they wait")
    slow_threads: int = _row(4, "threads", "for exports and figures of many games")
    slow_requests: int = _row(48, "requests", "for these, under way or waiting")
    slow_requests_per_address: int = _row(
        16, "requests", "of one address, as a household that opens several"
    )
    slow_wait_seconds: float = _row(20.0, "seconds", "that such a request waits for its turn")

    # Uploads
    upload_bytes: int = _row(160 * _MB, "bytes", "of one upload")
    uploading_bytes: int = _row(
        640 * _MB, "bytes", "on the disk of all uploads under way, shared by the processes"
    )
    upload_seconds: float = _row(600.0, "seconds", "to send an upload")
    stall_seconds: float = _row(
        20.0, "seconds", "in which `stall_bytes` of an upload must come, or of an answer be taken"
    )
    stall_bytes: int = _row(16 * 1024, "bytes", "a tenth of what a weak network brings")
    uploads: int = _row(48, "uploads", "under way at a time")
    uploads_per_address: int = _row(8, "uploads", "of one address; a browser has six connections")
    recent_uploads_per_address: int = _row(
        240, "uploads in 10 minutes", "of one address: a dozen photos of each of 20 games"
    )

    # Live streams
    streams: int = _row(2000, "streams", "of a process; more phones poll")
    streams_per_device: int = _row(12, "streams", "of one device: a tab each, and some just lost")
    streams_per_address: int = _row(200, "streams", "of one address")

    # Tables
    tables_per_device: int = _row(100, "tables a day", "made by one device")
    tables_per_address: int = _row(1000, "tables a day", "made by one address, such as a fair's")
    recent_tables_per_address: int = _row(300, "tables in 10 minutes", "made by one address")
    recent_phone_links_per_address: int = _row(
        100, "links in 10 minutes", "to another phone of the same person, made by one address"
    )
    unused_tables_per_device: int = _row(30, "tables", "of one device where no game has begun")
    unused_table_days: int = _row(7, "days", "that a table is kept at which no game has begun")
    devices_per_table: int = _row(100, "devices", "at one table")
    recent_changes_per_member: int = _row(
        1500,
        "changes in 10 minutes",
        "of one table by one device: two and a half taps a second, where four people share a phone",
    )
    recent_changes_per_table: int = _row(
        6000, "changes in 10 minutes", "of one table by all devices: its log has room for 20,000"
    )
    recent_codes_per_address: int = _row(
        10, "wrong codes in 10 minutes", "of one address; a household stays far below"
    )
    recent_codes: int = _row(
        300, "wrong codes in 10 minutes", "from everywhere, from which on an address has fewer"
    )
    recent_codes_in_attack: int = _row(
        3,
        "wrong codes in 10 minutes",
        "of one address then. An attacker needs about 34,000 addresses for an even chance in 10"
        " hours at a hundred valid codes",
    )

    # Games and photos
    imports: int = _row(1, "imports", "at a time; each may take a gigabyte for a while")
    waiting_imports: int = _row(6, "imports", "that wait or are read; more are refused at once")
    waiting_imports_per_address: int = _row(1, "imports", "of one address, likewise")
    large_changes: int = _row(
        2, "changes", "of a person in all games, or of a table with its games, at a time"
    )
    large_changes_per_device: int = _row(1, "changes", "of one device, likewise")
    large_change_seconds: float = _row(
        8.0,
        "seconds",
        "for a person's in one request, about 8,000 games; another tap does the rest",
    )
    waiting_photos: int = _row(
        48, "photos", "that wait or are read; twice as many for all processes on PostgreSQL"
    )
    waiting_photo_bytes: int = _row(400 * _MB, "bytes", "of these photos; twice, likewise")
    waiting_photos_per_device: int = _row(24, "photos", "of one device: a review's")
    photos_per_address: int = _row(2000, "photos a day", "sent by one address")
    reviews_per_device: int = _row(12, "reviews", "of one device that are not saved yet")
    review_bytes: int = _row(60 * _MB, "bytes", "of the pictures in one device's reviews")

    # Printing
    printing: int = _row(2, "PDFs", "made at a time; each takes a processor for itself")
    printing_requests: int = _row(8, "requests", "that print or wait for it")
    printing_requests_per_address: int = _row(
        2, "requests", "of one address; one of them prints at a time"
    )
    printing_wait_seconds: float = _row(30.0, "seconds", "that a request waits for its turn")
    printing_seconds: float = _row(40.0, "seconds", "for one PDF, with all tries and both engines")
    printed_pages: int = _row(40, "pages", "of one PDF; the command line prints more")

    def with_values(self, values: Mapping[str, object]) -> Limits:
        """These limits with other values, which may be texts, as from a command line.

        Raises:
            Unusable: there is no such setting, or its value is not a positive number.
        """
        known = {row.name: row for row in fields(self)}
        checked: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                raise Unusable(f"There is no setting “{name}”. docs/settings.md lists all.")
            is_whole = isinstance(known[name].default, int)
            try:
                if isinstance(value, bool) or not isinstance(value, str | int | float):
                    raise ValueError
                checked[name] = number = int(value) if is_whole else float(value)
            except (ValueError, OverflowError):
                number = 0
            if not 0 < number < float("inf") or (isinstance(value, float) and number != value):
                kind = "a whole number" if is_whole else "a number"
                raise Unusable(f"The setting {name} is {kind} above 0, not “{value}”.")
        return replace(self, **checked)


USUAL: Final = Limits()


def read_limits(file: str | None, assignments: Iterable[str]) -> Limits:
    """The limits that an operator sets.

    Args:
        file: path of a TOML file of `name = value`.
        assignments: `name=value`, which go before the file's.

    Raises:
        Unusable: the file cannot be read, or a name or value is wrong.
    """
    limits = USUAL
    if file is not None:
        try:
            limits = limits.with_values(tomllib.loads(Path(file).read_text("utf-8")))
        except (OSError, ValueError) as error:
            if isinstance(error, Unusable):
                raise
            raise Unusable(f"The settings in {file} cannot be read: {error}.") from error
    pairs = (text.partition("=") for text in assignments)
    return limits.with_values({name.strip(): value.strip() for name, _, value in pairs})


def document() -> str:
    """`docs/settings.md`: all settings with their defaults."""
    lines = [
        "# Settings",
        "",
        "Limits that keep one person from using up what others need. `companion serve --set"
        " uploads=10` changes one",
        "(repeat it for more), `--settings FILE` reads a TOML file of lines such as `uploads = 10`."
        " An address is an IPv4",
        "address or an IPv6 /64 network. This page is printed by `python -m companion.limits`.",
        "",
        "| setting | default | unit | what it limits |",
        "|---|---|---|---|",
    ]
    for row in fields(Limits):
        number = f"{row.default:,}" if isinstance(row.default, int) else f"{row.default:g}"
        unit, why = row.metadata["unit"], row.metadata["why"]
        lines.append(f"| `{row.name}` | {number} | {unit} | {why} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
