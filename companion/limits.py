"""The limits that an operator may set; `companion settings` prints them.

Each field of `Limits` is one setting: name, default, unit and why. A limit that nobody would change
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

_log: Final = logging.getLogger(__name__)


def _row(default: int, unit: str, why: str) -> Any:
    return field(default=default, metadata={"unit": unit, "why": why})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server, all whole numbers above 0."""

    uploading_bytes: int = _row(640 * _MB, "bytes", "of all uploads under way that have come")
    connections: int = _row(4096, "connections", "at a time, if the system has descriptors")
    streams: int = _row(2000, "streams", "at a time; more phones ask every few seconds")
    recent_codes_per_address: int = _row(10, "codes", "that an address may guess in 10 minutes")
    tables_per_device: int = _row(100, "tables", "that a device makes in a day")
    waiting_photos: int = _row(48, "photos", "that wait or are read")
    waiting_photo_bytes: int = _row(400 * _MB, "bytes", "of these photos")
    waiting_photos_per_device: int = _row(24, "photos", "of a device, or of an address's strangers")
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
                raise Unusable(f"The setting {name} must be a whole number above 0, not “{value}”.")
            checked[name] = int(text)
        return replace(self, **checked)


def _is_positive(text: str) -> bool:
    return text.isascii() and text.isdigit() and int(text[:18]) > 0 and len(text) < 18


USUAL: Final = Limits()


def read_limits(file: str | None, assignments: Iterable[str]) -> Limits:
    """The limits that an operator sets.

    Args:
        file: path of a TOML file of `name = value`; unknown names are left out with a warning.
        assignments: `name=value`, which go before the file's.

    Raises:
        Unusable: the file cannot be read, or a name or value is wrong.
    """
    try:
        values = tomllib.loads(Path(file).read_text("utf-8")) if file is not None else {}
    except (OSError, ValueError) as error:
        raise Unusable(f"The settings in {file} cannot be read: {error}.") from error
    known = {row.name for row in fields(Limits)}
    if unknown := sorted(values.keys() - known):  # of another version, for instance
        _log.warning("unknown settings that do nothing: %s", ", ".join(unknown))
    pairs = (text.partition("=") for text in assignments)
    given = {name.strip(): value.strip() for name, _, value in pairs}
    return USUAL.with_values({key: values[key] for key in values.keys() & known}).with_values(given)


def table() -> str:
    """All settings with their defaults, as Markdown; `docs/settings.md` has the same table."""
    lines = ["| setting | default | unit | what it limits |", "|---|---|---|---|"]
    for row in fields(Limits):
        unit, why = row.metadata["unit"], row.metadata["why"]
        lines.append(f"| `{row.name}` | {row.default:,} | {unit} | {why} |")
    return "\n".join(lines) + "\n"
