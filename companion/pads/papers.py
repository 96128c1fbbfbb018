"""Sizes of paper, and how many pads fit on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.core.sheet import Millimetres

MARGIN: Final[Millimetres] = 7.0
"""White at each edge at the least: most printers reach 5 mm, and the ruler stands in it."""


@dataclass(frozen=True)
class Page:
    """A sheet of paper as it is printed on."""

    name: str
    width: Millimetres
    height: Millimetres

    @property
    def is_landscape(self) -> bool:
        return self.width > self.height

    @property
    def turned(self) -> Page:
        return Page(self.name, self.height, self.width)


PAPERS: Final[Mapping[str, Page]] = {
    page.name: page
    for page in (
        Page("a4", 210.0, 297.0),
        Page("letter", 215.9, 279.4),
        Page("a5", 148.0, 210.0),
    )
}
"""Name → the paper held upright; the usual one first."""


def fitting(paper: str, width: Millimetres, height: Millimetres) -> tuple[Page, int, int]:
    """(page, pads across, pads down): the way to hold the paper that takes most pads."""
    upright = PAPERS[paper]
    ways = [
        (page, int((page.width - 2 * MARGIN) // width), int((page.height - 2 * MARGIN) // height))
        for page in (upright, upright.turned)
    ]
    page, across, down = max(ways, key=lambda way: way[1] * way[2])
    if not across * down:
        raise ValueError(f"a pad of {width} × {height} mm does not fit on {paper}")
    return page, across, down
