"""The legal crossings of an Encore! sheet, and how taps can be completed to one.

The functions take the colour and the counts that the dice allow, not the dice. Source: the rule
text of Encore!, chapter "Select Combination and Check Boxes".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal
from companion.core.words import N_
from companion.games.encore.boards import BY_COLUMN, START_COLUMN, Boxes, Color, clump, neighbors
from companion.games.encore.sheet import EncoreSheet


def crossings(sheet: EncoreSheet, color: Color, counts: Iterable[int]) -> tuple[Boxes, ...]:
    """Every set of boxes that may be crossed in one turn with this colour and one of the counts.

    Such a set is one clump of open boxes of the colour, at least one of which is in the start
    column or touches an older cross.
    """
    near = anchors(sheet)
    return tuple(way for way in _open_shapes(sheet, color, counts) if way & near)


def anchors(sheet: EncoreSheet) -> Boxes:
    """The boxes in column H or beside a cross; every crossing has one of them."""
    return BY_COLUMN[START_COLUMN] | neighbors(sheet.crossed)


def _open_shapes(sheet: EncoreSheet, color: Color, counts: Iterable[int]) -> tuple[Boxes, ...]:
    crossed = frozenset(sheet.crossed)
    found: list[Boxes] = []
    for count in counts:
        found += filter(crossed.isdisjoint, sheet.board.shapes(color, count))
    return tuple(found)


def refusal(
    sheet: EncoreSheet, color: Color, counts: tuple[int, ...], boxes: Boxes
) -> Refusal | None:
    """Why these boxes cannot be crossed with a colour and one of the counts, or None."""
    refused = _box_refusal(sheet, color, boxes)
    if refused:
        return refused
    if len(boxes) not in counts:
        return _wrong_count(counts, boxes)
    if clump(min(boxes), boxes) != boxes:
        return _NOT_CONNECTED
    return None if boxes & anchors(sheet) else _NOT_ADJACENT


def _box_refusal(sheet: EncoreSheet, color: Color, boxes: Boxes) -> Refusal | None:
    for box in sorted(boxes):
        if box not in sheet.board.colors:
            return Refusal("no-such-box", "There is no box %(box)s on the sheet.", {"box": box})
        if box in sheet.crossed:
            return Refusal("box-taken", "%(box)s is already crossed.", {"box": box}, (box,))
        if sheet.board.colors[box] != color:
            return Refusal(
                "wrong-color",
                "%(box)s is %(other)s, but only %(color)s boxes can be crossed.",
                {
                    "box": box,
                    "other": COLOR_WORDS[sheet.board.colors[box]],
                    "color": COLOR_WORDS[color],
                },
            )
    return None


def _wrong_count(counts: tuple[int, ...], boxes: Boxes) -> Refusal:
    text = (
        N_("The die shows %(least)s: cross exactly that many boxes, not %(tapped)s.")
        if len(counts) == 1
        else N_("With the ?, cross from %(least)s to %(most)s boxes, not %(tapped)s.")
    )
    values = {"least": counts[0], "most": counts[-1], "tapped": len(boxes)}
    return Refusal("wrong-count", text, values)


_NOT_CONNECTED: Final = Refusal(
    "not-connected",
    "All boxes that you cross in one turn must form one group, joined side by side; corners and "
    "older crosses do not connect them.",
)
_NOT_ADJACENT: Final = Refusal(
    "not-adjacent", "One of the boxes must be in column H or share a side with an older cross."
)


def dead_end(
    sheet: EncoreSheet, color: Color, counts: tuple[int, ...], boxes: Boxes
) -> Refusal | None:
    """Why no legal crossing contains these boxes, which may be a part of it; None if one does."""
    if any(boxes <= way for way in crossings(sheet, color, counts)):
        return None
    refused = _box_refusal(sheet, color, boxes)
    if refused:
        return refused
    if len(boxes) > counts[-1]:
        return _wrong_count(counts, boxes)
    together = [way for way in _open_shapes(sheet, color, counts) if boxes <= way]
    if boxes and together:
        return _NOT_ADJACENT
    open_boxes = sheet.board.by_color[color] - frozenset(sheet.crossed)
    if boxes and not boxes <= clump(min(boxes), open_boxes):
        return _NOT_CONNECTED
    if boxes:
        text = N_(
            "These boxes are not all in one group of %(color)s boxes that can be crossed now."
        )
    elif len(counts) == 1:
        text = N_("There is nowhere to cross exactly this many %(color)s boxes now: %(least)s.")
    else:
        text = N_("No %(color)s box can be crossed now.")
    return Refusal("wrong-count", text, {"least": counts[0], "color": COLOR_WORDS[color]})
