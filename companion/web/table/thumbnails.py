"""Small pictures of sheets: their coloured boxes alone, by which a board is told from another."""

from __future__ import annotations

from functools import cache
from typing import Final

from markupsafe import Markup

from companion.core import look
from companion.core.sheet import Box, Layout, Millimetres

GAP: Final[Millimetres] = 0.6
"""Width of the line between two boxes."""


@cache
def thumbnail(layout: Layout) -> Markup:
    """The sheet's coloured boxes for crosses as SVG, one path for each colour."""
    boxes: dict[str, list[Box]] = {}
    for field in layout.fields:
        if field.kind == "cross" and field.color in look.COLORS:
            boxes.setdefault(field.color, []).append(field.box)
    every = [box for of_color in boxes.values() for box in of_color]
    left, top = min(box.x for box in every), min(box.y for box in every)
    width = max(box.x + box.width for box in every) - left
    height = max(box.y + box.height for box in every) - top
    paths = Markup("").join(
        Markup('<path fill="{}" d="{}"/>').format(
            look.COLORS[color], "".join(_square(box, left, top) for box in of_color)
        )
        for color, of_color in boxes.items()
    )
    return Markup(
        '<svg class="thumbnail" viewBox="0 0 {:.0f} {:.0f}" aria-hidden="true">{}</svg>'
    ).format(width, height, paths)


def _square(box: Box, left: Millimetres, top: Millimetres) -> str:
    x, y = box.x - left + GAP / 2, box.y - top + GAP / 2
    width, height = box.width - GAP, box.height - GAP
    return f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"
