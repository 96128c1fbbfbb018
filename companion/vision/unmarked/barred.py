"""Sheets that are found by the long bars behind their rows, where fields touch each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.core.edition import Edition
from companion.vision.mapping.surface import mapped
from companion.vision.unmarked import bands
from companion.vision.unmarked.blobs import Blobs
from companion.vision.unmarked.placing import (
    ENOUGH,
    FINALISTS,
    MOST_SHEETS,
    SEEN,
    Placing,
    improved_placing,
    plausible_placings,
    without_overlaps,
)
from companion.vision.unmarked.signature import Colors, likeness, signature

ERRORS: Final = 8.0
"""How many widths of bars, as the sum of their errors, count for all of the agreement."""
MOST_IN_VAIN: Final = 2
"""How often the likeliest ways to lay an edition's bars into bands are looked at in vain."""
SAME_HUES: Final = 0.8
"""The least likeness of the hues; sheets have 0.93 and more."""


def find_barred(blobs: Blobs, colors: Colors, editions: Sequence[Edition]) -> list[Placing]:
    """The sheets of a picture whose bars are among its bands."""
    return [
        placing
        for edition in editions
        if edition.bars
        for placing in _sheets(edition, blobs, colors)
    ]


def _sheets(edition: Edition, blobs: Blobs, colors: Colors) -> list[Placing]:
    def likely(placing: Placing) -> float:
        match = bands.matched(placing.homography, edition.bars, blobs.bands)
        return placing.score - match.error / ERRORS

    ways = bands.homographies(edition.bars, blobs.bands)
    left = sorted(plausible_placings(edition, ways, colors), key=likely, reverse=True)
    found: list[Placing] = []
    in_vain = 0
    while left and in_vain < MOST_IN_VAIN and len(found) < MOST_SHEETS:
        improved = (improved_placing(placing, blobs, colors) for placing in left[:FINALISTS])
        finalists = [placing for placing in improved if placing and _is_likely(placing, colors)]
        left = left[FINALISTS:]
        if finalists:
            best = max(finalists, key=lambda placing: placing.rank)
            found.append(best)
            left = [placing for placing in left if len(without_overlaps([best, placing])) == 2]
        else:
            in_vain += 1
    return found


def _is_likely(placing: Placing, colors: Colors) -> bool:
    """Whether the sheet's parts agree in colour, and have about the hues that are printed."""
    if placing.score < ENOUGH or placing.seen < SEEN:
        return False
    mine = signature(placing.edition, placing.board)
    found, inside = colors.at(mapped(placing.homography, mine.points))
    return likeness(found, inside, mine) >= SAME_HUES
