"""A sheet in plain characters, for the terminal, with the columns of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.core.sheet import Field, FilledSheet, Mark, Symbol

CELL: Final = 4  # Width of a field in characters
SYMBOLS: Final[Mapping[Symbol, str]] = {"": "", "star": "*", "lock": "#"}


def as_text(filled: FilledSheet) -> str:
    """One line for each row of fields, in their places; an empty one shows its colour or a dot."""
    layout, marks = filled.layout, filled.marks
    if not layout.fields:
        return ""
    lines: dict[float, dict[int, str]] = {}
    last: dict[float, int] = {}
    left = min(field.box.center[0] for field in layout.fields)
    pitch = layout.fields[0].box.width * 1.2
    for field in layout.fields:
        x, y = field.box.center
        cells = lines.setdefault(y, {})
        # Fields narrower than the first one would fall into one place; they take the next free one.
        last[y] = place = max(round((x - left) / pitch), last.get(y, -1) + 1)
        cells[place] = _cell(field, marks.get(field.id))
    return "\n".join(_line(cells) for _, cells in sorted(lines.items()))


def _cell(field: Field, mark: Mark) -> str:
    if mark is None or mark is False:
        return _printed(field)
    if mark == "circled":
        return f"({_printed(field)})"
    text = "x" if mark is True or mark == "crossed" else str(mark)
    return f"<{text}>" if field.shape == "pentagon" else text


def _printed(field: Field) -> str:
    """The text of an empty field: its colour's letter, print and symbol, or a dot."""
    # A plain box shows the dot whatever is printed in it, so that crosses stand out
    is_plain_box = field.kind == "cross" and field.color == "plain"
    text = "" if is_plain_box else field.print
    return f"{field.letter or ''}{text}{SYMBOLS[field.symbol]}" or "."


def _line(cells: Mapping[int, str]) -> str:
    return " ".join(cells.get(place, "").rjust(CELL) for place in range(max(cells) + 1)).rstrip()
