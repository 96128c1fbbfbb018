"""Reads what people wrote into blanks for sums and fields of points.

That is a whole number from −999 to 9,999, or a stroke. A network looks at a blank in narrow columns
and says what it sees in each: a digit, a sign, something else, or nothing new. The probability of a
number is the sum over all ways in which the columns can say its signs one after the other (Graves
et al., "Connectionist Temporal Classification", 2006).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Mark, Millimetres
from companion.vision.core import Chances, flat_area
from companion.vision.ink import networks
from companion.vision.ink.cells import Floats, in_middle, is_blank, well_inside

HEIGHT: Final = 40
# Pixels of a blank's picture. The widest blanks are twice as wide as they are high.
WIDTH: Final = 80
MARGIN: Final[Millimetres] = 1.2  # How much around a blank is cut out with it
# Farther than this inside a blank's edge there is no printed outline
WITHIN: Final[Millimetres] = 1.4
# The percentile of a blank's brightness that is its paper; no writing covers as much
PAPER: Final = 85
STRONG: Final = 0.4  # The ink of a strong pen's strokes, 0 to 1
FAINTEST: Final = 0.055  # The ink of strokes below which nothing differs from the paper's grain
LEAST_GAIN: Final = 1.3  # The smallest amplification that makes a difference
# How many times wider than high a blank is in whose left part a sign may be printed
WIDE: Final = 1.8
SIGN: Final = 0.4  # The share of its width that the sign takes
# The probabilities of the classes in each of a blank's columns, (columns, classes)
Columns: TypeAlias = npt.NDArray[np.float64]

# The classes of a column
CLASSES: Final = ("nothing", *map(str, range(10)), "other", "minus", "struck")
MINUS: Final = CLASSES.index("minus")
AT_ONCE: Final = 32  # Blanks whose numbers are followed together: noise may be a thousand in each
MOST: Final = 999  # The largest number that is read, unless asked for more
LEAST: Final = 1e-6  # Numbers less likely than this are left out, unless another bound is given


def cut(picture: npt.NDArray[Any], box: Box, margin: Millimetres = MARGIN) -> Floats:
    """The ink in and around a blank, (HEIGHT, WIDTH), as `in_middle` returns it.

    The brightness of the blank's own paper is white, whatever the ground around it is.

    Args:
        picture: gray values of a flattened sheet at `FLAT_PX_PER_MM`, even or not.
        box: in millimetres from the sheet's top left corner.
        margin: what is cut out around it.
    """
    paper = float(np.percentile(picture[flat_area(box, -WITHIN)], PAPER))
    part = picture[flat_area(box, margin)].astype(np.float32)
    return in_middle(part, max(paper, 1e-3), HEIGHT, WIDTH)


def is_bare(ink: Floats, box: Box, margin: Millimetres = MARGIN) -> bool:
    """Whether a blank is empty without even a shadow; `ink` is as `cut` returns it."""
    return is_blank(ink[_inside(box, margin)])


def _inside(box: Box, margin: Millimetres) -> npt.NDArray[np.bool_]:
    return well_inside((box.height, box.width), margin, WITHIN, (HEIGHT, WIDTH))


def as_strong(
    inks: Sequence[Floats], boxes: Sequence[Box], margin: Millimetres = MARGIN
) -> list[Floats]:
    """The ink of one sheet's blanks as if its pen were as strong as a ballpoint's.

    One pen wrote all of a sheet's sums, so the strongest strokes separate a faint pencil from
    grain. A strong pen is left as it is.

    Args:
        inks: the blanks as `cut` returns them.
        boxes: their places.
    """
    areas = [ink[_writing_mask(box, margin)] for ink, box in zip(inks, boxes, strict=True)]
    papers = [np.float32(np.median(area)) for area in areas]
    strokes = max(
        (float(np.percentile(area, 98) - paper) for area, paper in zip(areas, papers, strict=True)),
        default=0.0,
    )
    if not FAINTEST < strokes < STRONG / LEAST_GAIN:
        return list(inks)
    gain = np.float32(STRONG / strokes)
    return [np.clip((ink - paper) * gain, 0, 1) for ink, paper in zip(inks, papers, strict=True)]


def _writing_mask(box: Box, margin: Millimetres) -> npt.NDArray[np.bool_]:
    """The pixels well inside a blank in which sums are written and no sign is printed."""
    inside = _inside(box, margin)
    if box.width > WIDE * box.height:
        inside = inside & (np.arange(WIDTH) >= round(SIGN * WIDTH))
    return inside


def read(
    picture: npt.NDArray[Any], boxes: Mapping[str, Box], margin: Millimetres = MARGIN
) -> Mapping[str, Chances]:
    """The probabilities of the numbers in those blanks in which there is ink, without signs.

    Args:
        picture: as for `cut`.
        boxes: id of a blank → its place.
        margin: as for `cut`.

    Returns:
        Id → number (or None for an empty or struck-out blank) → probability; the rest up to 1 is
        the probability of ink that is not a number.
    """
    seen = columns(picture, boxes, margin)
    return dict(zip(seen, all_number_chances([*seen.values()]), strict=True))


def columns(
    picture: npt.NDArray[Any],
    boxes: Mapping[str, Box],
    margin: Millimetres,
) -> Mapping[str, Columns]:
    """The output of the network for the blanks with ink; arguments as for `read`."""
    inks = {name: cut(picture, box, margin) for name, box in boxes.items()}
    inked = [name for name, ink in inks.items() if not is_bare(ink, boxes[name], margin)]
    if not inked:
        return {}
    strong = as_strong([inks[name] for name in inked], [boxes[name] for name in inked], margin)
    network = networks.points_network()
    logits = network.logits(np.stack(strong)[:, np.newaxis])
    return dict(zip(inked, column_chances(logits, network.temperature), strict=True))


def column_chances(logits: Floats, temperature: float) -> list[Columns]:
    """The probabilities of each blank's columns.

    Args:
        logits: (blanks, classes, 1, columns).
    """
    scaled = logits[:, :, 0].transpose(0, 2, 1).astype(np.float64) / temperature
    parts = np.exp(scaled - scaled.max(axis=2, keepdims=True))
    return list(parts / parts.sum(axis=2, keepdims=True))


def number_chances(
    columns: Columns, most: int = MOST, least: int = 0, unlikely: float = LEAST
) -> Chances:
    """The probability of each number in one blank, as `all_number_chances` has it."""
    return all_number_chances([columns], most, least, unlikely)[0]


def all_number_chances(
    blanks: Sequence[Columns], most: int = MOST, least: int = 0, unlikely: float = LEAST
) -> list[Chances]:
    """The probability of each number in each of some blanks.

    A stroke without a number is nothing, and so is a minus sign where no number is below 0. Numbers
    are followed sign by sign: one is at most as likely as that its first signs come first.

    Args:
        most, least: the largest number, and the smallest.
        unlikely: the probability below which a number is left out.
    """
    found: list[Chances] = []
    for start in range(0, len(blanks), AT_ONCE):
        found += _number_chances(np.stack(blanks[start : start + AT_ONCE]), most, least, unlikely)
    return found


def _number_chances(whole: Columns, most: int, least: int, unlikely: float) -> list[Chances]:
    """The same for a few blanks, (blanks, columns, classes)."""
    quiet = whole[..., : MINUS + 1].copy()
    quiet[..., MINUS] = 0
    quiet[..., 0] += whole[..., MINUS:].sum(axis=2)
    found: list[dict[Mark, float]] = [{None: float(each[:, 0].prod())} for each in quiet]
    if least < 0:
        quiet[..., [0, MINUS]] = whole[..., [0, MINUS]]
    starts = _Starts.of(quiet)
    while len(starts.values):
        starts = starts.longer(quiet, max(most, -least), unlikely)
        chances = starts.now[-1] + starts.since[-1]
        is_number = (chances >= unlikely) & (starts.signs != MINUS)
        is_number &= (starts.values >= least) & (starts.values <= most)
        for at in np.flatnonzero(is_number).tolist():
            found[starts.blanks[at]][int(starts.values[at])] = float(chances[at])
    return [*found]


@dataclass(frozen=True, eq=False)
class _Starts:
    """The first signs of numbers that blanks may show, n of them."""

    blanks: npt.NDArray[np.intp]  # (n,): in which blank
    values: npt.NDArray[np.int64]  # (n,): the number so far
    signs: npt.NDArray[np.intp]  # (n,): the class of the last sign; 0 before the first
    are_negative: npt.NDArray[np.bool_]
    # (columns + 1, n): the probabilities that columns up to there have shown these signs, the last
    # of them just now, or nothing new since
    now: Columns
    since: Columns

    @classmethod
    def of(cls, quiet: Columns) -> _Starts:
        """No sign yet, in each blank, (blanks, columns, classes)."""
        count, columns, _ = quiet.shape
        since = np.ones((columns + 1, count))
        since[1:] = np.cumprod(quiet[..., 0], axis=1).T
        nothing = np.zeros(count, np.intp)
        now = np.zeros_like(since)
        return cls(np.arange(count), nothing, nothing, nothing > 0, now, since)

    def longer(self, quiet: Columns, most: int, unlikely: float) -> _Starts:
        """The starts with one more sign that are not too unlikely."""
        # Without a column that shows nothing, two equal digits would be one.
        begin = (self.now + self.since)[:-1]
        # Those of a blank follow each other.
        ends = np.searchsorted(self.blanks, np.arange(len(quiet) + 1))
        parts = zip(pairwise(ends.tolist()), quiet, strict=True)
        chances = np.concatenate(
            [np.einsum("tn,tc->nc", begin[:, first:end], seen) for (first, end), seen in parts]
        )
        at = np.arange(len(self.values))
        last = quiet[self.blanks, :, self.signs]
        chances[at, self.signs] = (self.since[:-1].T * last).sum(axis=1)
        chances[:, [0, MINUS - 1]] = -1  # nothing, and what is no sign
        chances[self.signs > 0, MINUS] = -1
        # No number goes on after a first zero, or is one below 0.
        chances[(self.signs == 1) & (self.values == 0)] = -1
        chances[self.signs == MINUS, 1] = -1
        rows, signs = np.nonzero(chances >= unlikely)
        are_negative = self.are_negative[rows] | (signs == MINUS)
        digits = np.where(signs == MINUS, 0, signs - 1)
        values = np.abs(self.values[rows]) * 10 + digits
        kept = values <= most
        rows, signs = rows[kept], signs[kept]
        are_negative, values = are_negative[kept], values[kept]
        blanks = self.blanks[rows]
        begin = np.where(signs == self.signs[rows], self.since[:-1, rows], begin[:, rows])
        shown, nothing = quiet[blanks, :, signs].T, quiet[blanks, :, 0].T
        now, since = np.zeros((2, len(quiet[0]) + 1, len(rows)))
        for column, (one, none) in enumerate(zip(shown, nothing, strict=True)):
            now[column + 1] = one * (now[column] + begin[column])
            since[column + 1] = none * (since[column] + now[column])
        values = np.where(are_negative, -values, values)
        return _Starts(blanks, values, signs, are_negative, now, since)


def struck_chance(columns: Columns) -> float:
    """The probability that there are strokes and no number: a slash, a dash, a cross."""
    # It is a part of what `number_chances` says of None
    empty = columns[:, 0].prod()
    return float((columns[:, 0] + columns[:, MINUS:].sum(axis=1)).prod() - empty)
