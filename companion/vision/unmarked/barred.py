"""Sheets that are found by the long bars behind their rows, where fields touch each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final

from companion.core.edition import Edition
from companion.vision.unmarked import bands
from companion.vision.unmarked.bending import fitted
from companion.vision.unmarked.blobs import Blobs
from companion.vision.unmarked.placing import (
    FINALISTS,
    MOST_SHEETS,
    Placing,
    are_sane,
    edition_corners,
    plausible_placings,
    supported,
    without_overlaps,
)
from companion.vision.unmarked.signature import Colors

# The sum of the bars' errors, in widths of bars, that outweighs a full agreement
ERRORS: Final = 8.0
# How often the likeliest ways to match an edition's bars with bands are tried in vain
MOST_IN_VAIN: Final = 2


def find_barred(blobs: Blobs, colors: Colors, editions: Sequence[Edition]) -> list[Placing]:
    """The sheets of a picture whose bars are among its bands, each with its other editions."""
    # Seen aslant, rows are as close as another edition's, and colours agree with parts of bars
    found: list[Placing] = []
    for edition in editions:
        if edition.bars:
            found += _sheets(edition, blobs, colors)
    sheets = []
    for best in without_overlaps(found):
        others = [*best.others]
        for other in found:
            if _is_alike(best, other):
                others += [other, *other.others]
        sheets.append(replace(best, others=tuple(others)))
    return sheets


def _is_alike(best: Placing, other: Placing) -> bool:
    """Whether another edition of the same sheet is in the same place."""
    return (
        other.edition.sheet is best.edition.sheet
        and other is not best
        and len(without_overlaps([best, other])) == 1
    )


def _sheets(edition: Edition, blobs: Blobs, colors: Colors) -> list[Placing]:
    ranked: list[tuple[float, Placing]] = []
    for bars in edition.bars_by_length:
        ways = bands.homographies(bars, blobs.bands)
        ways = ways[are_sane(ways, edition_corners(edition))]
        for placing in plausible_placings(edition, ways, colors):
            *_, error = bands.matched_bars(placing.homography, bars, blobs.bands)
            ranked.append((placing.score - error / ERRORS, placing))
    left = [placing for _, placing in sorted(ranked, key=itemgetter(0), reverse=True)]
    found: list[Placing] = []
    in_vain = 0
    while left and in_vain < MOST_IN_VAIN and len(found) < MOST_SHEETS:
        finalists = [fitted(placing, colors) for placing in left[:FINALISTS]]
        best, *others = sorted(finalists, key=lambda placing: -placing.score)
        if best.is_likely:
            # Finalists beside it are other sheets.
            alike = [o for o in others if o.is_likely and len(without_overlaps([best, o])) == 1]
            found.append(replace(supported(best, blobs, colors), others=tuple(alike)))
            left = [placing for placing in left if len(without_overlaps([best, placing])) == 2]
        else:
            left = left[FINALISTS:]
            in_vain += 1
    return found
