"""The probabilities of marks from the ink alone, for all sheets of a photo together.

A sheet is given as `Flat`: its paper with the fields, and its picture as if evenly lit. How it was
found, and whether it is our own pad, does not matter here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from companion.core.sheet import EMPTY, Box, Field, Kind, Mark, Millimetres, moved
from companion.vision.core import Chances
from companion.vision.evidence import among, ranked
from companion.vision.flat.flattening import Flat
from companion.vision.ink import cells, networks, sums
from companion.vision.ink.borders import crossings
from companion.vision.ink.opinions import (
    CLEAR,
    looks_empty,
    made_unsure,
    mean,
    number_chances,
    second_opinions,
    sharpened,
    with_strokes,
)
from companion.vision.weighing import OUT_OF_SIGHT

# The least share of outlines around a field that must have been found; a corner may be bent over.
# Below this, the probabilities of the field are halved, so that a person checks it.
PLACED: Final = 0.6
# (right, down, additional margin) in millimetres of the additional looks at an unclear box. The
# mean over all looks makes a tenth fewer errors than a single look.
SHIFTS: Final = (
    (0.18, 0.1, 0.0),
    (-0.18, -0.1, 0.0),
    (0.1, -0.18, 0.12),
    (-0.1, 0.18, -0.12),
)
# The most cells that a network reads at once. `cv2.dnn` needs the same time for each cell in a
# batch of any size, but memory for all of them. The batches of a photo can be read in parallel.
BATCH: Final = 64

# The probability of a number, read with all that stands around it, from which it is not halved. Of
# 58 numbers that leave their boxes 40 reach it, and all of these were right.
SAME: Final = 0.9
STRUCK: Final = 0.05  # The share of dashes before a number that are no minus sign
# (right, down) in millimetres of the additional looks at an unclear field of points
POINT_SHIFTS: Final = ((0.3, 0.15), (-0.3, -0.15), (0.15, -0.3), (-0.15, 0.3))
# How much around a field of points is cut out with it: the next line's outline is close
POINTS_MARGIN: Final[Millimetres] = 0.0
# The probability that a field of points is empty, from which no strokes are counted: where print
# is displaced, a part of an outline may look like some
SURELY_EMPTY: Final = 0.9
# Such a stroke that the network overlooks is a 0, and a person is asked
OVERLOOKED_ZERO: Final[Chances] = {0: 0.6, None: 0.3}

S = TypeVar("S")
R = TypeVar("R")


class Run(Protocol):
    """Calls a function for each item, as `map` does, perhaps in several threads."""

    def __call__(self, do: Callable[[S], R], items: Iterable[S], /) -> Iterable[R]: ...


def chances(flats: Sequence[Flat], run: Run = map) -> list[Mapping[str, Chances]]:
    """For each sheet, field id → the probabilities of the field's marks from the ink alone."""
    spots: list[Spot] = []
    for flat in flats:
        for field in flat.paper.fields:
            if field.kind != "points":
                spots += [Spot(flat.even, field.kind, box) for box in cells.boxes(field)]
    read = iter(_read(spots, run))
    return [_of_sheet(flat, read) for flat in flats]


def _of_sheet(flat: Flat, read: Iterator[Chances]) -> Mapping[str, Chances]:
    """Field id → the probabilities of the field's marks on one sheet.

    Args:
        read: has the probabilities of the sheet's boxes next, in their order.
    """
    found: dict[str, Chances] = {}
    crossed, doubtful, negative = crossings(flat), dict[str, Field](), dict[str, Chances]()
    for field in flat.paper.fields:
        if field.kind == "points":
            continue
        digits = {box: next(read) for box in cells.boxes(field)}
        first, *_ = digits.values()
        found[field.id] = number_chances([*digits.values()]) if field.cells else first
        if below := _below_zero(flat, field, digits):
            negative[field.id] = below
        # A stroke that leaves a box, or enters an empty one, may be only a part of a mark.
        for box, chances in digits.items():
            if crossed.get(box) or (box in crossed and looks_empty(chances, field.kind)):
                doubtful[field.id] = field
    found |= second_opinions(flat.even, flat.paper.fields, found)
    found |= _seen_whole(flat, doubtful, found)
    found |= negative
    found |= point_chances(flat)
    return {field.id: _in_sight(flat, field, found[field.id]) for field in flat.paper.fields}


def _seen_whole(
    flat: Flat, fields: Mapping[str, Field], found: Mapping[str, Chances]
) -> Mapping[str, Chances]:
    """The probabilities of numbers whose strokes leave their boxes; halved if they may be others.

    They count as they are if all that stands in and around the field is read as the same number.
    """
    whole = sums.read(flat.even, {name: field.box for name, field in fields.items()})
    read = dict[str, Chances]()
    for name in fields:
        (number, _), *_ = ranked(found[name])
        is_same = whole.get(name, {}).get(number, 0.0) >= SAME
        read[name] = found[name] if is_same else made_unsure(found[name])
    return read


def _below_zero(flat: Flat, field: Field, digits: Mapping[Box, Chances]) -> Chances:
    """The probabilities of numbers below zero; none without a dash before the digits."""
    # The network takes a dash for a digit that is struck out, and some people do write a number
    # beside a struck-out digit. So a person is asked, unless a sum decides.
    if not field.cells or min(field.numbers) >= 0:
        return {}
    written = [not looks_empty(chances, field.kind) for chances in digits.values()]
    sign = written.index(True) - 1 if any(written) else -1
    if sign < 0 or not all(written[sign + 1 :]):
        return {}
    box = field.cells[sign]
    picture = Spot(flat.even, field.kind, box).cut()
    if cells.is_bare(picture, field.kind, box) or not cells.is_dash(picture, box):
        return {}
    found: dict[Mark, float] = {}
    below: dict[Mark, float] = {}
    for mark, part in number_chances([*digits.values()][sign + 1 :]).items():
        if isinstance(mark, int):
            found[mark] = part * STRUCK
            below[-mark] = part / 2
    return found | below


def point_chances(flat: Flat) -> Mapping[str, Chances]:
    """The probabilities of the marks in fields of points, by their network."""
    fields = {field.id: field for field in flat.paper.fields if field.kind == "points"}
    found: dict[str, Chances] = dict.fromkeys(fields, _BARE)
    found |= _looked_at(flat, fields.values(), (0.0, 0.0))
    unclear = [field for name, field in fields.items() if max(found[name].values()) < CLEAR]
    others = [_looked_at(flat, unclear, shift) for shift in POINT_SHIFTS]
    for field in unclear:
        looks = [found[field.id], *(look[field.id] for look in others if field.id in look)]
        found[field.id] = sharpened(mean(looks))
        is_clear = max(found[field.id].values()) >= CLEAR
        if not is_clear and found[field.id].get(None, 0.0) < SURELY_EMPTY:
            strokes = cells.high_strokes(flat.even, field.box)
            found[field.id] = with_strokes(found[field.id], strokes)
    found |= _overlooked(flat, fields.values(), found)
    return found


def _overlooked(
    flat: Flat, fields: Iterable[Field], found: Mapping[str, Chances]
) -> Mapping[str, Chances]:
    """The probabilities of the one field of a pad that seems empty and has a stroke."""
    # A dash on the outline looks like it. Strokes in several fields are displaced outlines.
    strokes = [
        field.id
        for field in fields
        if field.is_struck
        and found[field.id].get(None, 0.0) >= CLEAR
        and cells.has_long_stroke(flat.even, field.box)
    ]
    return {strokes[0]: OVERLOOKED_ZERO} if len(strokes) == 1 else {}


def _looked_at(
    flat: Flat, fields: Iterable[Field], shift: tuple[Millimetres, Millimetres]
) -> Mapping[str, Chances]:
    """One look at those fields of points in which there is ink."""
    by_id = {field.id: field for field in fields}
    places = {name: moved(field.box, *shift) for name, field in by_id.items()}
    found: dict[str, Chances] = {}
    for name, seen in sums.columns(flat.even, places, POINTS_MARGIN).items():
        field = by_id[name]
        most, least = max(sums.MOST, *field.numbers), min(0, *field.numbers)
        numbers = dict(sums.number_chances(seen, most, least))
        if field.is_struck:
            struck = sums.struck_chance(seen)
            numbers[0] = numbers.get(0, 0.0) + struck
            numbers[None] = max(numbers.get(None, 0.0) - struck, 0.0)
        found[name] = among(numbers, field.numbers)
    return found


def sum_chances(flat: Flat) -> Mapping[str, Chances]:
    """Id of a blank for a sum → the probabilities of its numbers, where there is ink."""
    in_sight = {}
    for blank in flat.paper.sums:
        if blank.id not in flat.unseen_sums and flat.fit.around(blank.box.center) >= PLACED:
            in_sight[blank.id] = blank.box
    is_close = any(field.kind == "points" for field in flat.paper.layout.fields)
    return sums.read(flat.even, in_sight, POINTS_MARGIN if is_close else sums.MARGIN)


def _in_sight(flat: Flat, field: Field, chances: Chances) -> Chances:
    """A field's probabilities, halved where the surface may be off or something lies on it."""
    if field.id in flat.unseen:
        return {EMPTY[field.kind]: OUT_OF_SIGHT}
    is_lost = any(flat.fit.is_lost(box.center) for box in cells.boxes(field))
    is_off = flat.fit.around(field.box.center) < PLACED
    return made_unsure(chances) if is_lost or is_off else chances


# Boxes


@dataclass(frozen=True, eq=False)
class Spot:
    """A box on a flattened sheet that one cell's picture shows."""

    even: npt.NDArray[np.float32]
    kind: Kind
    box: Box
    wider: Millimetres = 0.0

    def cut(self) -> npt.NDArray[np.float32]:
        """The box's picture, (SIDE, SIDE)."""
        return cells.cut(self.even, self.box, cells.MARGINS[self.kind] + self.wider)

    def looks(self) -> Iterator[Spot]:
        """The box once for each of `SHIFTS`."""
        for x, y, wider in SHIFTS:
            yield Spot(self.even, self.kind, moved(self.box, x, y), wider)


def _read(spots: Sequence[Spot], run: Run) -> list[Chances]:
    """The probabilities of each box's marks. Unclear boxes are read several times."""
    chances = [_BARE] * len(spots)
    inked, pictures = [], []
    for place, spot in enumerate(spots):
        picture = spot.cut()
        if not cells.is_bare(picture, spot.kind, spot.box):
            inked.append(place)
            pictures.append((spot.kind, picture))
    unclear, again = [], []
    for place, read in zip(inked, _classified(pictures, run), strict=True):
        chances[place] = read
        if max(read.values(), default=0.0) < CLEAR:
            unclear.append(place)
            again += [(look.kind, look.cut()) for look in spots[place].looks()]
    looks = iter(_classified(again, run))
    for place in unclear:
        chances[place] = mean([chances[place], *islice(looks, len(SHIFTS))])
    return chances


_BARE: Final[Chances] = {None: 1.0}


def _classified(
    pictures: Sequence[tuple[Kind, npt.NDArray[np.float32]]], run: Run
) -> list[Chances]:
    """The networks' outputs for each picture: `BATCH` pictures of one kind at a time."""
    batches = []
    for kind in dict.fromkeys(kind for kind, _ in pictures):
        places = [place for place, (other, _) in enumerate(pictures) if other == kind]
        batches += [(kind, places[start : start + BATCH]) for start in range(0, len(places), BATCH)]

    def read(batch: tuple[Kind, list[int]]) -> list[Chances]:
        kind, places = batch
        together = np.stack([pictures[place][1] for place in places])[:, np.newaxis]
        return networks.network_for(kind).chances(together, kind)

    found: list[Chances] = [{}] * len(pictures)
    for (_, places), answers in zip(batches, run(read, batches), strict=True):
        for place, answer in zip(places, answers, strict=True):
            found[place] = answer
    return found
