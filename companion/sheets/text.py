"""A sheet in plain characters, for the terminal; the columns stand as they do on paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.sheets.catalog import sheet_of
from companion.sheets.core import Field, Mark

CELL: Final = 4
"""Characters a field takes."""


def as_text(document: Mapping[str, object]) -> str:
    """One line for each row of fields, in their places; an empty field is a dot."""
    document = dict(document)
    sheet = sheet_of(document)
    layout, marks = sheet.layout(document), sheet.marks(document)
    lines: dict[float, dict[int, str]] = {}
    left = min(field.box.center[0] for field in layout.fields)
    pitch = min(field.box.width for field in layout.fields if field.kind == "number") * 1.2
    for field in layout.fields:
        x, y = field.box.center
        cells = lines.setdefault(y, {})
        # Fields narrower than a number's would fall into one place; they take the next free one.
        place = max(round((x - left) / pitch), max(cells, default=-1) + 1)
        cells[place] = _cell(field, marks.get(field.id))
    return "\n".join(_line(cells) for _, cells in sorted(lines.items()))


def _cell(field: Field, mark: Mark) -> str:
    if mark is None or mark is False:
        return "."
    text = "x" if mark is True else str(mark)
    return f"<{text}>" if field.shape == "pentagon" else text


def _line(cells: Mapping[int, str]) -> str:
    return " ".join(cells.get(place, "").rjust(CELL) for place in range(max(cells) + 1)).rstrip()
