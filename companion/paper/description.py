"""An edition that a person describes by a photo of a blank sheet: its steps, without pages.

The description is a JSON object in the review's photo: `table` (TOML), `corners`, `is_placed`, and
after a look at the photo `is_found` and `written`, the fields that do not look empty.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from companion.core.edition import OWN
from companion.core.sheet import EMPTY
from companion.core.words import Sentence
from companion.games.editions import bases, described_edition, tables, toml_text
from companion.tables import Refused
from companion.vision.core import Corners, PhotoReading

Description: TypeAlias = dict[str, Any]

STEP: Final = 0.05
"""A move of a row, in units; and the change of its width, height or length, as a share."""
LEAST_AREA: Final = 0.05
"""The least share of the photo that the sheet takes."""
LONGEST_NAME: Final = 30


def started(sheet: str, name: str, corners: Corners, size: Sequence[int]) -> Description:
    """A description that begins with the table of a known edition.

    Args:
        size: width and height of the photo.

    Raises:
        Refused: `no-such-sheet`; `bad-corners` where these are not the corners of a sheet.
    """
    if (sheet, name) not in bases():
        raise Refused("no-such-sheet")
    if not _are_a_sheets(corners, size):
        raise Refused("bad-corners")
    return {"table": toml_text(bases()[sheet, name]), "corners": corners, "is_placed": False}


def _are_a_sheets(corners: Corners, size: Sequence[int]) -> bool:
    """Whether corners in a photo go around clockwise, each turned outwards."""
    width, height = size
    turns = []
    for place, (x, y) in enumerate(corners):
        (left, top), (right, bottom) = corners[place - 1], corners[(place + 1) % 4]
        turns.append((x - left) * (bottom - y) - (y - top) * (right - x))
    inside = all(0 <= x <= width and 0 <= y <= height for x, y in corners)
    return inside and min(turns) > LEAST_AREA * width * height


def wish(description: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of `vision.reading.describe`."""
    return {name: description[name] for name in ("table", "corners", "is_placed")}


def described(description: Description, table: str, reading: PhotoReading) -> Description:
    """The description after a look at the photo, which was read with this table alone."""
    kinds = {field.id: field.kind for field in _fields(table)}
    written = [
        name
        for sheet in reading.sheets[:1]
        for name, field in sheet.fields.items()
        if field.value != EMPTY[kinds[name]]
    ]
    done = {"table": table, "is_placed": True, "is_found": len(reading.sheets) == 1}
    return {**description, **done, "written": written}


def _fields(table: str) -> Sequence[Any]:
    made = described_edition(table)
    return made.paper(made.sheet.usual_board).fields


def moved(description: Description, name: str, way: str) -> Description:
    """The description with the rows of a name moved or resized by a `STEP`.

    Raises:
        Refused: `no-such-sheet` for an unknown row or way.
    """
    table = tomllib.loads(description["table"])
    rows = [row for row in (*table["fields"], *table["blanks"]) if row["id"] == name]
    if not rows or way not in WAYS:
        raise Refused("no-such-sheet")
    key, axis, sign = WAYS[way]
    for row in rows:
        if key == "size":
            row["size"][axis] = round(max(row["size"][axis] + sign * STEP, STEP), 3)
            continue
        values = row[key] if isinstance(row[key], list) else [row[key]]
        middle = (min(values) + max(values)) / 2
        stretch = sign * STEP if axis else 0.0
        shift = 0.0 if axis else sign * STEP
        values = [round(at + shift + (at - middle) * stretch, 3) for at in values]
        row[key] = values if isinstance(row[key], list) else values[0]
    return {**description, "table": toml_text(table), "is_found": False}


STILL_READ: Final = Sentence("the photo is still being looked at.")
_NOT_FOUND: Final = Sentence("the sheet is not found in its own photo.")
WAYS: Final[Mapping[str, tuple[str, int, int]]] = {
    "left": ("x", 0, -1),
    "right": ("x", 0, 1),
    "up": ("y", 0, -1),
    "down": ("y", 0, 1),
    "shorter": ("x", 1, -1),
    "longer": ("x", 1, 1),
    "narrower": ("size", 0, -1),
    "wider": ("size", 0, 1),
    "lower": ("size", 1, -1),
    "higher": ("size", 1, 1),
}
"""Way → key of the row; axis of its size, or whether it is stretched; sign of the change."""


def named(description: Description, name: str) -> tuple[str, str]:
    """(name, table) of a finished description.

    Raises:
        Refused: `not-ready` unless its photo shows a sheet of it; `bad-edition-name`.
    """
    if not description.get("is_found"):
        raise Refused("not-ready", reason=_NOT_FOUND)
    short = re.sub(r"[^a-z0-9]+", "-", name[:200].lower()).strip("-")[:LONGEST_NAME].strip("-")
    taken = {known for _, known in tables()} | {OWN}
    if not short or short in taken:
        raise Refused("bad-edition-name")
    return short, toml_text(tomllib.loads(description["table"]) | {"name": short})
