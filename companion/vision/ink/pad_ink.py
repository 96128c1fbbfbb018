"""The probabilities of marks from the ink alone, for all sheets of a photo together.

A sheet is given as `Flat`: its paper with the fields, and its picture as if evenly lit. How it was
found, and whether it is our own pad, does not matter here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from companion.core.sheet import EMPTY, Box, Field, Kind, Millimetres, moved
from companion.vision.core import Chances
from companion.vision.flat.flattening import Flat
from companion.vision.ink import cells, covers, networks, sums
from companion.vision.ink.opinions import (
    CLEAR,
    OUT_OF_SIGHT,
    halved,
    looks_empty,
    mean,
    number_chances,
    second_opinions,
)

PLACED: Final = 0.6
"""The least share of outlines around a field that must have been found; a corner may be bent over.

Below this, the probabilities of the field are halved, so that a person checks it.
"""
PLACED_IF_LOST: Final = 0.75
"""The same for a field with ink whose own outline was not found, either."""
SHIFTS: Final = (
    (0.18, 0.1, 0.0),
    (-0.18, -0.1, 0.0),
    (0.1, -0.18, 0.12),
    (-0.1, 0.18, -0.12),
)
"""(right, down, additional margin) in millimetres of the additional looks at an unclear box.

The mean over all looks makes a tenth fewer errors than a single look.
"""
BATCH: Final = 64
"""The most cells that a network reads at once.

`cv2.dnn` needs the same time for each cell in a batch of any size, but memory for all of them. The
batches of a photo can be read in parallel.
"""

S = TypeVar("S")
R = TypeVar("R")


class Run(Protocol):
    """Calls a function for each item, as `map` does, perhaps in several threads."""

    def __call__(self, do: Callable[[S], R], items: Iterable[S], /) -> Iterable[R]: ...


def chances(flats: Sequence[Flat], run: Run = map) -> list[Mapping[str, Chances]]:
    """For each sheet, field id → the probabilities of the field's marks from the ink alone."""
    spots = [
        [
            Spot(flat.even, field.kind, box)
            for field in flat.paper.fields
            for box in cells.boxes(field)
        ]
        for flat in flats
    ]
    read = iter(_read([spot for of_flat in spots for spot in of_flat], run))
    inks: list[Mapping[str, Chances]] = []
    for flat, of_flat in zip(flats, spots, strict=True):
        boxes = iter(_uncovered(flat, of_flat, [next(read) for _ in of_flat]))
        parts = {field.id: [next(boxes) for _ in cells.boxes(field)] for field in flat.paper.fields}
        found = {
            field.id: number_chances(parts[field.id]) if field.cells else parts[field.id][0]
            for field in flat.paper.fields
        }
        found |= second_opinions(flat.even, flat.paper.fields, found)
        inks.append(
            {field.id: _in_sight(flat, field, found[field.id]) for field in flat.paper.fields}
        )
    return inks


def _uncovered(flat: Flat, spots: Sequence[Spot], read: Sequence[Chances]) -> list[Chances]:
    """The probabilities of a sheet's boxes, halved where something pale lies on an empty one."""
    chances = list(read)
    for kind in sorted({spot.kind for spot in spots} & cells.NUMBERS):
        empty = [
            place
            for place, spot in enumerate(spots)
            if spot.kind == kind and looks_empty(read[place], kind)
        ]
        pale = covers.pale_mask(flat.image, [spots[place].box for place in empty])
        for place in np.array(empty, int)[pale]:
            chances[place] = halved(read[place])
    return chances


def sum_chances(flat: Flat) -> Mapping[str, Chances]:
    """Id of a blank for a sum → the probabilities of its numbers, where there is ink."""
    in_sight = {
        blank.id: blank.box
        for blank in flat.paper.sums
        if blank.id not in flat.unseen_sums and flat.fit.around(blank.box.center) >= PLACED
    }
    return sums.read(flat.even, in_sight)


def _in_sight(flat: Flat, field: Field, chances: Chances) -> Chances:
    """A field's probabilities as far as it can be seen."""
    if field.id in flat.unseen:
        return {EMPTY[field.kind]: OUT_OF_SIGHT}
    return halved(chances) if _is_out_of_sight(flat, field, chances) else chances


def _is_out_of_sight(flat: Flat, field: Field, chances: Chances) -> bool:
    """Whether the field is not where the surface has it, or something lies on it.

    Ink can hide an outline, too, so a lost outline alone only counts if the field looks empty.
    """
    around = flat.fit.around(field.box.center)
    is_lost = any(flat.fit.is_lost(box.center) for box in cells.boxes(field))
    return around < PLACED or (
        is_lost and (around < PLACED_IF_LOST or looks_empty(chances, field.kind))
    )


# Boxes


@dataclass(frozen=True, eq=False)
class Spot:
    """A box on a flattened sheet that one cell's picture shows."""

    even: npt.NDArray[np.float32]
    """The sheet as `light.evened` returns it."""
    kind: Kind
    box: Box
    wider: Millimetres = 0.0
    """Added to the kind's margin."""

    def cut(self) -> npt.NDArray[np.float32]:
        """The box's picture, (SIDE, SIDE)."""
        return cells.cut(self.even, self.box, cells.MARGINS[self.kind] + self.wider)

    def looks(self) -> Iterator[Spot]:
        """The box once for each of `SHIFTS`."""
        for x, y, wider in SHIFTS:
            yield Spot(self.even, self.kind, moved(self.box, x, y), wider)


def _read(spots: Sequence[Spot], run: Run) -> list[Chances]:
    """The probabilities of each box's marks. Unclear boxes are read several times."""
    pictures = [spot.cut() for spot in spots]
    inked = [
        place
        for place, (spot, picture) in enumerate(zip(spots, pictures, strict=True))
        if not cells.is_bare(picture, spot.kind, spot.box)
    ]
    chances = [_BARE] * len(spots)
    first = _classified([(spots[place].kind, pictures[place]) for place in inked], run)
    for place, read in zip(inked, first, strict=True):
        chances[place] = read
    unclear = [place for place in inked if max(chances[place].values(), default=0.0) < CLEAR]
    again = [look for place in unclear for look in spots[place].looks()]
    looks = iter(_classified([(look.kind, look.cut()) for look in again], run))
    for place in unclear:
        chances[place] = mean([chances[place], *(next(looks) for _ in SHIFTS)])
    for place in inked:
        kind = spots[place].kind
        is_covered = cells.is_covered(pictures[place], kind, spots[place].box)
        if is_covered and looks_empty(chances[place], kind):
            chances[place] = halved(chances[place])
    return chances


_BARE: Final[Chances] = {None: 1.0}
"""The reading of a number box without any ink."""


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
