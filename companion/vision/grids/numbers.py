"""The number in a cell of a table, as several networks read it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, repeat
from typing import Final, TypeAlias

import cv2
import numpy as np

from companion.core.sheet import Box, Mark, Millimetres
from companion.vision.core import Chances
from companion.vision.evidence import ranked
from companion.vision.grids import hand
from companion.vision.grids.cells import FlatGrid, Floats, Ink, Place, inks
from companion.vision.ink import networks, sums
from companion.vision.ink.cells import SIDE, in_middle
from companion.vision.ink.opinions import mean, number_chances

# The ways in which strokes may be digits: the weight of each, and the probabilities of its digits
Ways: TypeAlias = Sequence[tuple[float, Sequence[Chances]]]
Looks: TypeAlias = Sequence[tuple[int, float]]

LEAST, MOST = -999, 9_999
SIZE: Final = (sums.HEIGHT, sums.WIDTH)
# How the network that reads a number as a whole looks at it: pixels to which a usual digit is
# scaled, larger so that ones stay apart, and what is taken away of the slant of a table's writing
LOOKS: Final = ((28, 0.0), (20, 1.0), (24, 1.0), (28, 1.0))
GLANCE: Final = ((20, 0.0),)
# The slants that are tried: how far to the right upright lines lean, by their height
LEANS: Final = np.linspace(-0.3, 0.6, 10)
# Of more written cells only those in doubt after one look are looked at in all ways: those whose
# likeliest number is neither as improbable as in a word nor clear
MANY, WORD, EVIDENT = 150, 0.03, 0.985
ALONE: Final = 23  # Pixels of a digit for the network that reads single ones
# Pixels of a digit for the same network as it reads small numbers, whose digits often touch
SMALL: Final = (18, 15)
# What is cut out around a cell that is read with its lines, for each look
MARGINS: Final[tuple[Millimetres, ...]] = (0.0, -0.35, 0.4)
# The weights of these opinions, fitted on 3,110 cells of 97 tables
WHOLE: Final = 0.78
WITH_LINES: Final = 0.57
DIGITS: Final = 0.12
# The exponent of what is read among small numbers, and the least probability there
AMONG, VAGUE = 0.9, 0.01
UNLIKELY: Final = 1e-4  # The probability below which a network's number is left out
FLOOR: Final = 1e-3  # The least probability that an opinion gives to anything
UNREADABLE: Final = 0.45  # The factor for ink that is nothing of what is read
# How many times likelier a number has a sign if there is a dash before it, and has none if not
SIGNED: Final = 8.0
# How many times less likely a number is for each stroke as high as a digit that would be none: the
# networks overlook upright ones, which may be the rest of a line. Such strokes' height, by the
# highest one's
OVERLOOKED, HIGH = 12.0, 0.6
# The width of a slash by its height, from which it is surely no one, and from which it may be one;
# how far its ink is from a straight line, of how far it is along it
LYING, LEANING, LOOSE = 0.9, 0.4, 0.15
# The fewest straight digits of a table by which its ones lean, and their width by their height
FEWEST, SLANTED = 3, 0.3
# A dash's height, by its width and by that of a usual digit; the share of a line's width on which
# there is one stroke; a word in small print has several
FLAT, LOW, SINGLY = 0.4, 0.4, 0.9
SURELY: Final = 0.99  # The probability of a dash, and of a slash that lies, to be one
# A line that strikes out a number: its width, by the height of a usual digit; the share of its
# width on which it has ink, of the number's darkest; where it is in the struck number, as shares of
# its height; how far it goes on beyond the digits, by the height of a usual one
STRIKE, DRAWN, PALER, MIDDLE, END = 1.1, 0.9, 0.3, (0.15, 0.9), 0.06
SLANTS: Final = np.linspace(-0.45, 0.45, 19)  # The slopes that are tried for such lines
# The width of several digits, by the height of a usual one, and the steepest line through one: the
# bars of fours and sevens are short, and may be as steep
SEVERAL, STEEP = 1.5, 0.3
# The probability of the number beside a struck-out one, of what is read there; how much of it the
# number has that all of the cell would be, if that is read surely: a four's bar may be long
CORRECTED, ALL = 0.85, 0.6
# Pixels of the smallest point, and the largest one's side by the height of digits
SMALLEST, POINT = 3, 0.4
MOST_POINTS: Final = 2
CANDIDATES: Final = 6  # The likeliest numbers of each opinion that are compared
# The share of a stroke's width that lies below another stroke, from which both are one digit
ABOVE: Final = 0.35
WIDE: Final = 1.0  # The width of the widest usual digit, by its height: ones have long flags
SLENDER: Final = 0.62  # The mean width of digits that touch each other, by their height
SPREAD: Final = 0.3  # How far these ratios scatter
# How often one stroke is a digit, two that touch each other, and three
TOUCHING: Final = (1.0, 0.05, 0.02)
MOST_DIGITS: Final = len(str(MOST))
MOST_WAYS: Final = 6  # The most ways in which strokes are taken for digits
LEAST_WAY: Final = 0.02  # The weight of a number of digits below which it is not tried
# The share of a part of touching digits in which the cut between them is searched for
REACH: Final = 0.3


@dataclass(frozen=True, eq=False)
class Writing:
    """The content of a cell."""

    # Number → probability; 0 for one that is struck, with the sign where there is one
    chances: Chances
    is_struck: bool = False
    is_dash: bool = False  # whether it is a dash or slash, which may be 0 or nothing
    has_point: bool = False  # whether a point or colon stands beside its digits
    size: tuple[float, float] = (0.0, 0.0)  # its width and height, in pixels
    reason: str = ""  # what else there is than digits, for a developer

    @property
    def likeliest(self) -> tuple[int | None, float]:
        """The number and its probability."""
        number = max(self.chances, key=lambda mark: self.chances[mark], default=None)
        return (None if number is None else int(number)), self.chances.get(number, 0.0)


def read(
    table: FlatGrid, places: Sequence[Place], *, at_a_glance: bool = False
) -> Mapping[Place, Writing]:
    """The writing of those cells in which there is some.

    Args:
        at_a_glance: whether one network looks once, which takes a fifth of the time.
    """
    found = inks(table, places)
    if not found:
        return {}
    tall = usual_height([*found.values()])
    glance = _glance(found, tall) if at_a_glance or len(found) > MANY else {}
    if at_a_glance:
        return glance
    slant = usual_slant([*found.values()])
    left = {place: without_struck(ink, tall) for place, ink in found.items()}
    struck = [place for place, ink in found.items() if left[place] is not ink]
    chosen = [place for place in found if place in struck or _is_in_doubt(glance.get(place))]
    whole = _read([found[place] for place in chosen], tall, slant, _with_lines(table, chosen))
    written = {**glance, **dict(zip(chosen, whole, strict=True))}
    for place, beside in zip(struck, _read([left[at] for at in struck], tall, slant), strict=True):
        written[place] = _corrected(written[place], beside)
    do_ones_lean = _do_ones_lean([*found.values()])
    read = {}
    for place, writing in written.items():
        ink = found[place]
        around = extent(ink.strokes)
        seen = replace(writing, has_point=_has_point(ink), size=(around.width, around.height))
        read[place] = _as_line(seen, ink, tall, do_ones_lean=do_ones_lean)
    return read


def _glance(found: Mapping[Place, Ink], tall: float) -> Mapping[Place, Writing]:
    """The writing of some cells, as one network reads it in a single look."""
    wholes = [(ink.picture, extent(ink.strokes)) for ink in found.values()]
    seen = zip(found.items(), _as_wholes(wholes, tall, GLANCE), strict=True)
    return {
        place: _pooled([(1.0, chances)], _signed(ink.strokes)[0]) for (place, ink), chances in seen
    }


def _is_in_doubt(glance: Writing | None) -> bool:
    """Whether a cell has to be looked at in all ways: it was not seen, or as neither."""
    return glance is None or WORD <= glance.likeliest[1] <= EVIDENT


def _read(
    written: Sequence[Ink], tall: float, slant: float, in_cells: Sequence[Chances] = ()
) -> list[Writing]:
    """The writing of some cells, as two networks read it.

    Args:
        tall: the height of a usual digit.
        slant: as `usual_slant` returns it.
        in_cells: what is read in each cell with its lines.
    """
    if not written:
        return []
    signs = [_signed(ink.strokes) for ink in written]
    pictures = [ink.picture for ink in written]
    wholes = [*zip(pictures, (extent(ink.strokes) for ink in written), strict=True)]
    apart = [_apart(digits) for _, digits in signs]
    parts = [*zip(pictures, apart, strict=True)]
    ways = _as_digits(parts, tall)
    looks = [(to, share * slant) for to, share in LOOKS]
    opinions = [
        [*zip(repeat(WHOLE), _as_wholes(wholes, tall, looks))],
        [(DIGITS, _joined(each)) for each in ways],
        [*zip(repeat(WITH_LINES), in_cells)],
    ]
    small = _as_small(parts, tall)
    read = []
    for number, (is_negative, _) in enumerate(signs):
        of = [each[number] for each in opinions if each]
        read.append(_among_small(_pooled(of, is_negative, _high(apart[number])), small[number]))
    digits = [
        next((digits for _, digits in each if len(digits) == len(boxes)), ())
        for each, boxes in zip(ways, apart, strict=True)
    ]
    beside = hand.compared([writing.chances for writing in read], digits)
    shapes = [
        [] if writing.is_struck else [_shape(ink, box, slant) for box in boxes]
        for writing, (ink, boxes) in zip(read, parts, strict=True)
    ]
    beside = hand.likened(beside, digits, shapes)
    return [replace(each, chances=chances) for each, chances in zip(read, beside, strict=True)]


def _corrected(whole: Writing, beside: Writing) -> Writing:
    """The number beside a struck-out one, or the number that the whole cell may be."""
    other = ALL * whole.likeliest[1]
    marks = dict.fromkeys((*beside.chances, *whole.chances))
    chances = {
        mark: CORRECTED
        * ((1 - other) * beside.chances.get(mark, 0.0) + other * whole.chances.get(mark, 0.0))
        for mark in marks
    }
    return Writing(chances, reason="beside one struck out")


def _has_point(ink: Ink) -> bool:
    """Whether one or two specks are beside or between the digits, not above them."""
    around = extent(ink.strokes)
    mask = (ink.picture > 0).astype(np.uint8)
    _, _, stats, centers = cv2.connectedComponentsWithStats(mask)
    sizes = stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    x, y = centers[1:].T
    is_speck = (sizes >= SMALLEST) & (sizes <= POINT * around.height)
    is_beside = (x > around.x - around.height) & (x < around.x + around.width + around.height)
    is_low = (y > around.y + around.height / 4) & (y < around.y + 1.3 * around.height)
    # Specks in a row are a dotted line.
    return bool(is_speck.sum() <= MOST_POINTS and (is_speck & is_beside & is_low).any())


def without_struck(ink: Ink, tall: float) -> Ink:
    """The ink without a number that is struck out, if there is another one beside it.

    Args:
        tall: the height of a usual digit.
    """
    struck = next((box for box in ink.strokes if _is_struck(ink, box, tall)), None)
    if struck is None:
        return ink
    right = struck.x + struck.width
    others = [
        box
        for box in ink.strokes
        if not struck.x <= box.center[0] <= right or box.y + box.height < struck.center[1]
    ]
    if not any(box.height > tall / 2 for box in others):
        return ink
    kept = np.zeros_like(ink.picture)
    for box in others:
        part = slice(int(box.y), int(box.y + box.height)), slice(int(box.x), int(box.x + box.width))
        kept[part] = ink.picture[part]
    return Ink(kept, tuple(others))


def _is_struck(ink: Ink, box: Box, tall: float) -> bool:
    """Whether a level line runs through a stroke from end to end, and beyond its digits."""
    if box.width < STRIKE * tall or box.height < LOW * tall:
        return False
    part = _cut_out(ink, box)
    mask = (part > PALER * part.max()).astype(np.uint8)
    rows, columns = mask.shape
    are_several = box.width >= SEVERAL * tall
    # The first or the last of several digits may lie beside the line, or all of them above it.
    least = 1 if are_several else 2
    away, end = max(round(tall / 6), 1), max(round(END * tall), 1)
    for slant in SLANTS if are_several else SLANTS[np.abs(SLANTS) <= STEEP]:
        shear = np.array([[1, 0, 0], [-slant, 1, slant * columns / 2]])
        level = cv2.warpAffine(mask, shear, (columns, rows), flags=cv2.INTER_NEAREST)
        thick = cv2.dilate(level, np.ones((3, 1), np.uint8))
        row = int(thick.sum(axis=1).argmax())
        if not MIDDLE[0] * rows < row < MIDDLE[1] * rows or thick[row].mean() < DRAWN:
            continue
        over, under = (
            np.asarray(part.max(axis=0, initial=0), np.bool_)
            for part in (level[: max(row - away, 0)], level[row + away :])
        )
        beside = over | under
        sides = bool(over.any()) + bool(under.any())
        ends = 2 - bool(beside[:end].any()) - bool(beside[-end:].any())
        if min(sides, ends) >= least:
            return True
    return False


def _do_ones_lean(written: Sequence[Ink]) -> bool:
    """Whether ones lean like slashes: digits beside others that are straight strokes."""
    leans = [
        box.width / box.height
        for ink in written
        if len(digits := _apart(ink.strokes)) > 1
        for box in digits
        if box.width < box.height and _is_straight(ink, box)
    ]
    return len(leans) >= FEWEST and float(np.median(leans)) >= SLANTED


def _as_line(writing: Writing, ink: Ink, tall: float, *, do_ones_lean: bool = False) -> Writing:
    """A writing, or the dash or slash that the ink is."""
    if len(ink.strokes) > 1 or not _is_single(ink):
        return writing
    lean = slope(ink)
    box = ink.strokes[0]
    is_flat = box.height <= FLAT * box.width and box.height <= LOW * tall
    if is_flat or (lean or 0) >= LYING:
        return Writing({0: SURELY}, is_struck=True, is_dash=True, reason="a dash or slash")
    if lean is None:
        return writing
    # A slash may be a one, and stands for nothing as often: somebody is asked.
    if do_ones_lean:
        return Writing({1: 0.8, 0: 0.15}, reason="a one, or a slash")
    chances = {mark: chance / 2 for mark, chance in writing.chances.items()}
    chances[0], chances[1] = chances.get(0, 0.0) + 0.42, chances.get(1, 0.0) + 0.08
    return Writing(chances, is_struck=True, is_dash=True, reason="a slash, or a one")


def _is_single(ink: Ink) -> bool:
    """Whether its first part is one stroke from the left to the right, without holes."""
    part = _cut_out(ink, ink.strokes[0])
    starts = np.diff(np.pad((part > part.max() / 2).astype(np.int8), ((1, 0), (0, 0))), axis=0) > 0
    return bool(np.mean(starts.sum(axis=0) <= 1) >= SINGLY)


def _cut_out(ink: Ink, box: Box) -> Floats:
    return ink.picture[int(box.y) : int(box.y + box.height), int(box.x) : int(box.x + box.width)]


def slope(ink: Ink) -> float | None:
    """The width by the height of a single straight stroke that leans too much for a one."""
    if len(ink.strokes) > 1:
        return None
    box = ink.strokes[0]
    lean = box.width / box.height
    if lean < LEANING:
        return None
    return lean if _is_straight(ink, box) else None


def _is_straight(ink: Ink, box: Box) -> bool:
    """Whether the ink in a box is a straight stroke."""
    part = _cut_out(ink, box)
    y, x = np.nonzero(part > part.max(initial=0) / 2)
    if len(x) < 2:
        return False
    # How far its ink is from a straight line, of how far it is along it
    across, along = np.sqrt(np.linalg.eigvalsh(np.cov(x, y)).clip(0))
    return bool(across < LOOSE * along)


def usual_height(written: Sequence[Ink]) -> float:
    """The height of a usual digit, in pixels."""
    return float(np.median([extent(ink.strokes).height for ink in written]))


def extent(strokes: Sequence[Box]) -> Box:
    """The box around some strokes."""
    left, top = min(box.x for box in strokes), min(box.y for box in strokes)
    right = max(box.x + box.width for box in strokes)
    bottom = max(box.y + box.height for box in strokes)
    return Box(left, top, right - left, bottom - top)


def _high(digits: Sequence[Box]) -> int:
    """How many strokes are as high as digits."""
    highest = max(box.height for box in digits)
    return sum(box.height >= HIGH * highest for box in digits)


def _pooled(
    opinions: Sequence[tuple[float, Chances]], is_negative: bool, strokes: int = 1
) -> Writing:
    """Several opinions as one: their weighted logarithms are added.

    Args:
        opinions: their weights and probabilities, of None for strokes without a number. Only an
            opinion with numbers below 0 has seen a sign.
        is_negative: whether there is a dash before the number.
        strokes: the number of those that are as high as digits.
    """
    parts: dict[Mark, float] = {None: 1.0, 0: 1.0}
    for _, chances in opinions:
        for number in (int(mark) for mark, _ in ranked(chances)[:CANDIDATES] if mark):
            parts[number] = parts[abs(number)] = 1.0
            if is_negative:
                parts[-abs(number)] = 1.0
    unreadable = UNREADABLE
    for weight, chances in opinions:
        is_signed = any(int(mark or 0) < 0 for mark in chances)
        for mark in parts:
            seen = mark if is_signed or mark is None else abs(int(mark))
            parts[mark] *= (chances.get(seen, 0.0) + FLOOR) ** weight
        unreadable *= (max(1 - sum(chances.values()), 0.0) + FLOOR) ** weight
    for mark in parts:
        if int(mark or 0) < 0:
            parts[mark] *= SIGNED if is_negative else 1 / SIGNED
        if mark is not None:
            parts[mark] /= OVERLOOKED ** max(strokes - len(str(abs(int(mark)))), 0)
    whole = sum(parts.values()) + unreadable
    chances = {mark: part / whole for mark, part in parts.items()}
    struck = chances.pop(None)
    chances[0] = chances.get(0, 0.0) + struck
    return Writing(chances, is_struck=struck > 0.5)


def _as_wholes(written: Sequence[tuple[Floats, Box]], tall: float, looks: Looks) -> list[Chances]:
    """The numbers that the network for points reads in each, in the mean of its looks.

    Args:
        written: the ink, and the part that is read.
        tall: the height of a usual digit in pixels.
        looks: pixels to which a usual digit is scaled, and how far upright lines lean to the right.
    """
    network = networks.points_network()
    seen = []
    for to, lean in looks:
        pictures = [_leaning(picture(ink, part, tall, to, SIZE), lean) for ink, part in written]
        logits = network.logits(np.stack(pictures)[:, np.newaxis])
        columns = sums.column_chances(logits, network.temperature)
        seen.append(_number_chances(columns))
    return [mean(each) for each in zip(*seen, strict=True)]


def usual_slant(written: Sequence[Ink]) -> float:
    """How far upright lines lean to the right in a table: without it columns have most contrast."""
    contrasts = []
    for ink in written:
        around = extent(ink.strokes)
        part = _cut_out(ink, around)
        room = np.pad(part, ((0, 0), (part.shape[0] // 2, part.shape[0] // 2)))
        upright = [_leaning(room, lean).sum(axis=0) for lean in LEANS.tolist()]
        contrasts.append([math.log(float((each**2).sum()) + FLOOR) for each in upright])
    return float(LEANS[np.mean(contrasts, axis=0).argmax()])


def _leaning(shown: Floats, lean: float) -> Floats:
    """A picture without the lean of its upright lines; its middle stays where it is."""
    height, width = shown.shape
    shear = np.array([[1, lean, -lean * height / 2], [0, 1, 0]])
    return np.asarray(cv2.warpAffine(shown, shear, (width, height)), np.float32) if lean else shown


def _with_lines(table: FlatGrid, places: Sequence[Place]) -> list[Chances]:
    """The numbers in cells as they are, with their lines and with what the lines hide."""
    boxes = {str(number): table.box(place) for number, place in enumerate(places)}
    looks = []
    for margin in MARGINS:
        seen = sums.columns(table.even, boxes, margin)
        looks.append(dict(zip(seen, _number_chances([*seen.values()]), strict=True)))
    return [mean([look.get(name, {}) for look in looks]) for name in boxes]


def _number_chances(seen: Sequence[sums.Columns]) -> list[Chances]:
    """The probabilities of numbers, and of None for strokes."""
    numbers = sums.all_number_chances(seen, MOST, LEAST, UNLIKELY)
    return [
        {**chances, None: sums.struck_chance(columns)}
        for chances, columns in zip(numbers, seen, strict=True)
    ]


def _as_digits(written: Sequence[tuple[Floats, Sequence[Box]]], tall: float) -> list[Ways]:
    """The ways in which each may be digits.

    Args:
        written: the ink, and the boxes of its digits, some of which may touch each other.
        tall: as for `_as_wholes`.
    """
    ways = [_ways(ink, boxes) for ink, boxes in written]
    singles = [
        picture(ink, box, tall, ALONE, (SIDE, SIDE))
        for (ink, _), found in zip(written, ways, strict=True)
        for _, boxes in found
        for box in boxes
    ]
    network = networks.network_for("digits")
    digits = iter(network.chances(np.stack(singles)[:, np.newaxis], "digits") if singles else [])
    return [[(weight, [next(digits) for _ in boxes]) for weight, boxes in found] for found in ways]


def _as_small(written: Sequence[tuple[Floats, Sequence[Box]]], tall: float) -> list[Chances]:
    """What each is if it is a number up to 18; arguments as for `_as_digits`."""
    network = networks.network_for("number")
    looks = []
    for to in SMALL:
        seen = [picture(ink, extent(boxes), tall, to, (SIDE, SIDE)) for ink, boxes in written]
        looks.append(network.chances(np.stack(seen)[:, np.newaxis], "number"))
    return [mean(each) for each in zip(*looks, strict=True)]


def _among_small(writing: Writing, small: Chances) -> Writing:
    """A number of which those among small ones are likelier that are read as such."""
    parts = {
        mark: chance * (small.get(abs(int(mark or 0)), 0.0) + VAGUE) ** AMONG
        for mark, chance in writing.chances.items()
        if abs(int(mark or 0)) in small
    }
    if writing.is_struck or len(parts) < 2:
        return writing
    factor = sum(writing.chances[mark] for mark in parts) / sum(parts.values())
    among = {mark: part * factor for mark, part in parts.items()}
    return replace(writing, chances={**writing.chances, **among})


def _shape(ink: Floats, digit: Box, slant: float) -> Floats:
    """A digit as `hand.likened` compares it with others."""
    return hand.shape(_leaning(picture(ink, digit, 0.0, hand.HEIGHT, (SIDE, SIDE)), slant))


def _joined(ways: Ways) -> Chances:
    """The numbers of some digits."""
    chances: dict[Mark, float] = {}
    for weight, digits in ways:
        for number, chance in number_chances(digits).items():
            chances[number] = chances.get(number, 0.0) + weight * chance
    return chances


def _signed(strokes: tuple[Box, ...]) -> tuple[bool, tuple[Box, ...]]:
    """(whether a minus sign stands before the digits, the digits)."""
    first, *others = strokes
    if not others:
        return False, strokes
    rest = extent(others)
    middle = (first.y + first.height / 2 - rest.y) / rest.height
    is_dash = first.width >= 1.6 * first.height and first.height <= 0.3 * rest.height
    is_before = first.x + first.width <= rest.x + 0.15 * rest.height
    if is_dash and is_before and 0.15 < middle < 0.85 and first.width < 1.2 * rest.height:
        return True, tuple(others)
    return False, strokes


def _ways(ink: Floats, boxes: Sequence[Box]) -> list[tuple[float, list[Box]]]:
    """The ways in which strokes may be digits, one or several that touch, each with its weight."""
    ways: list[tuple[float, list[Box]]] = [(1.0, [])]
    for box in boxes:
        counts = _touching(box.width / box.height)
        ways = [
            (weight * part, [*before, *_cut(ink, box, count)])
            for weight, before in ways
            for count, part in counts.items()
            if len(before) + count <= MOST_DIGITS
        ]
        # A word would have a great many.
        ways = sorted(ways, key=lambda way: -way[0])[:MOST_WAYS]
    return ways


def _touching(lean: float) -> Mapping[int, float]:
    """Number of digits that a stroke may be → probability, by its width in heights of a digit."""
    parts = {}
    for count, share in enumerate(TOUCHING, start=1):
        off = lean - SLENDER * count if count > 1 else max(lean - WIDE, 0.0)
        parts[count] = share * math.exp(-((off / SPREAD) ** 2))
    parts[1] = max(parts[1], LEAST_WAY)
    whole = sum(parts.values())
    return {count: part / whole for count, part in parts.items() if part >= LEAST_WAY * whole}


def _cut(ink: Floats, box: Box, count: int) -> list[Box]:
    """The box cut into `count` parts of about equal width, where there is least ink."""
    down = slice(int(box.y), int(box.y + box.height))
    along = ink[down, int(box.x) : int(box.x + box.width)].sum(axis=0)
    edges = [0.0]
    for number in range(1, count):
        middle, reach = box.width * number / count, box.width * REACH / count
        near = np.arange(round(middle - reach), round(middle + reach) + 1)
        edges.append(float(near[along[near].argmin()]))
    edges.append(box.width)
    return [Box(box.x + left, box.y, right - left, box.height) for left, right in pairwise(edges)]


def _apart(strokes: Sequence[Box]) -> list[Box]:
    """The boxes of single digits: strokes above each other are one."""
    groups: list[list[Box]] = []
    for box in strokes:
        if groups:
            last = extent(groups[-1])
            common = min(last.x + last.width, box.x + box.width) - max(last.x, box.x)
            if common > ABOVE * min(last.width, box.width):
                groups[-1].append(box)
                continue
        groups.append([box])
    return [extent(group) for group in groups]


def picture(ink: Floats, part: Box, tall: float, to: int, size: tuple[int, int]) -> Floats:
    """A picture for a network: in its middle a part of the ink, usual digits `to` pixels high."""
    pad = 2
    top, left = max(int(part.y) - pad, 0), max(int(part.x) - pad, 0)
    cut = ink[top : int(part.y + part.height) + pad, left : int(part.x + part.width) + pad]
    height = max(round(max(tall, part.height) * size[0] / to), cut.shape[0])
    width = max(height * size[1] // size[0], cut.shape[1])
    room = np.zeros((height, width), np.float32)
    down, across = (height - cut.shape[0]) // 2, (width - cut.shape[1]) // 2
    room[down : down + cut.shape[0], across : across + cut.shape[1]] = cut
    return in_middle(1 - room, 1.0, *size)
