"""Sizes of paper, and how many pads fit on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from companion.core.sheet import Millimetres

# The least margin at each edge, for the ruler and the cut marks
MARGIN: Final[Millimetres] = 7.0


@dataclass(frozen=True)
class Page:
    """A sheet of paper, held as it is printed on."""

    name: str
    width: Millimetres
    height: Millimetres
    edge: Millimetres = 5.0  # the strip at each edge that printers of this paper cannot reach

    @property
    def is_landscape(self) -> bool:
        return self.width > self.height

    @property
    def turned(self) -> Page:
        return replace(self, width=self.height, height=self.width)


# Name → the paper held upright; the usual one first
PAPERS: Final[Mapping[str, Page]] = {
    page.name: page
    for page in (
        Page("a4", 210.0, 297.0),
        Page("letter", 215.9, 279.4, edge=6.4),
        Page("a5", 148.0, 210.0),
    )
}


def best_page(paper: str, width: Millimetres, height: Millimetres) -> tuple[Page, int]:
    """(page, pads below each other): the paper upright, or turned for a pad that is too wide.

    Raises:
        ValueError: no pad of this size fits on the paper.
    """
    page = PAPERS[paper]
    if width > page.width - 2 * MARGIN:
        page = page.turned
    down = int((page.height - 2 * MARGIN) // height)
    if width > page.width - 2 * MARGIN or not down:
        raise ValueError(f"a pad of {width} × {height} mm does not fit on {paper}")
    return page, down
