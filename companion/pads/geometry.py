"""The places of all pads on the printed pages, in millimetres from each page's top left corner.

Both the map and the drawing are made from them, so they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from companion.core import markers
from companion.core.markers import Marker
from companion.core.sheet import Box, Field, Millimetres, Paper, moved, moved_field
from companion.pads.order import Order
from companion.pads.papers import Page, best_page

RULER: Final[Millimetres] = 100.0  # The length by which people check the scale of a print
RULER_WIDTH: Final[Millimetres] = 1.6
# The distance from the pads' corner to the ruler, clear of the cut marks there
RULER_FROM: Final[Millimetres] = 10.0
RULER_GAP: Final[Millimetres] = 0.4  # The least gap between the ruler and a pad or a cut mark
CUT: Final[Millimetres] = 4.0
# The gap between a pad's corner and a cut mark, so that a pad cut too large has no mark on it.
# Without room for the gap and a mark as long, the mark begins at the corner.
CUT_GAP: Final[Millimetres] = 1.0

Line: TypeAlias = tuple[Millimetres, Millimetres, Millimetres, Millimetres]  # x1, y1, x2, y2
Names: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = tuple[tuple[Field, int], ...]


@dataclass(frozen=True)
class Pad:
    page: int  # the page's number, from 1
    box: Box
    paper: Paper
    markers: tuple[Marker, ...]
    names: Names  # printed in the first blanks for names; fewer than blanks, or none
    numbers: Numbers  # (field in the pad's coordinates, the number printed in it)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The sheet's fields, moved to their places on the page."""
        return tuple(moved_field(field, self.box.x, self.box.y) for field in self.paper.fields)


@dataclass(frozen=True)
class Printout:
    order: Order
    page: Page
    pages: tuple[tuple[Pad, ...], ...]
    # The place of the ruler, the same on every page: below the pads, or upright beside them
    ruler: Box
    cuts: tuple[Line, ...]  # where to cut, the same on every page


def pages_of_order(order: Order) -> Printout:
    """An order's pads on their pages. The last page is filled up with pads without names.

    >>> from companion.games.catalog import SHEETS
    >>> from companion.pads.order import checked_order
    >>> printout = pages_of_order(checked_order(next(iter(SHEETS)), players=["Ada"]))
    >>> [pad.names for pad in printout.pages[0]], printout.page.width
    ([('Ada',), (), ()], 210.0)
    """
    paper = order.sheet.paper(order.board)
    page, down = best_page(order.paper, paper.width, paper.height)
    left = round((page.width - paper.width) / 2, 2)
    top = round((page.height - down * paper.height) / 2, 2)
    places = [Box(left, top + row * paper.height, paper.width, paper.height) for row in range(down)]
    groups = (_groups(order, paper) or [((), ())]) * order.copies
    count = -(-len(groups) // len(places))
    groups += [((), ())] * (count * len(places) - len(groups))
    pages: list[tuple[Pad, ...]] = []
    for number, start in enumerate(range(0, len(groups), len(places)), start=1):
        on_page = zip(places, groups[start : start + len(places)], strict=True)
        pages.append(tuple(_pad(order, paper, number, place, *group) for place, group in on_page))
    ruler = _ruler(page, left, top + down * paper.height)
    beside = ruler.x + ruler.width + RULER_GAP if ruler.height > ruler.width else page.edge
    cuts = _cuts(places, left - beside, top - page.edge)
    return Printout(order, page, tuple(pages), ruler, cuts)


def _groups(order: Order, paper: Paper) -> list[tuple[Names, Numbers]]:
    """The players of each pad, as many as it has seats, and the numbers below their names."""
    # Columns longer than a pad continue on the next one; the last one keeps a free line
    seats = len(paper.names)
    lines = len(paper.fields) // seats
    most = max(map(len, order.columns), default=0)
    groups: list[tuple[Names, Numbers]] = []
    for at in range(0, len(order.players), seats):
        for first in range(0, most + 1, lines):
            numbers: list[tuple[Field, int]] = []
            for seat, column in enumerate(order.columns[at : at + seats]):
                for line, number in enumerate(column[first : first + lines]):
                    numbers.append((paper.fields[line * seats + seat], number))
            groups.append((order.players[at : at + seats], tuple(numbers)))
    return groups


def _pad(order: Order, paper: Paper, page: int, place: Box, names: Names, numbers: Numbers) -> Pad:
    corners = markers.on_pad(order.sheet.number, order.board_place, paper.width, paper.height)
    placed = (replace(marker, box=moved(marker.box, place.x, place.y)) for marker in corners)
    return Pad(page, place, paper, tuple(placed), names, numbers)


def _ruler(page: Page, left: Millimetres, bottom: Millimetres) -> Box:
    """The ruler below the pads, or upright at the paper's left edge where no room is below."""
    y = round(bottom + RULER_GAP, 2)
    if y + RULER_WIDTH <= page.height - page.edge:
        return Box(left + RULER_FROM, y, RULER, RULER_WIDTH)
    return Box(page.edge, round(bottom - RULER_FROM - RULER, 2), RULER_WIDTH, RULER)


def _cuts(places: Sequence[Box], beside: Millimetres, above: Millimetres) -> tuple[Line, ...]:
    """Lines beside and above the pads' corners, as long as the free room there allows."""
    left, top = places[0].x, places[0].y
    right, bottom = left + places[0].width, places[-1].y + places[-1].height
    near, far = _cut(beside)
    low, high = _cut(above)
    lines = []
    for y in (*(place.y for place in places), bottom):
        lines += [_line(left - far, y, left - near, y), _line(right + near, y, right + far, y)]
    for x in (left, right):
        lines += [_line(x, top - high, x, top - low), _line(x, bottom + low, x, bottom + high)]
    return tuple(lines)


def _cut(free: Millimetres) -> tuple[Millimetres, Millimetres]:
    """The distances of a cut mark's ends from the pad's corner."""
    return (CUT_GAP if free >= 2 * CUT_GAP else 0.0), min(CUT_GAP + CUT, free)


def _line(x1: float, y1: float, x2: float, y2: float) -> Line:
    return round(x1, 3), round(y1, 3), round(x2, 3), round(y2, 3)
