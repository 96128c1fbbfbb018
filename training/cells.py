"""Labelled pictures of cells, for training and for choosing.

A piece of a printed pad is written on, photographed and rectified; then the reader's own code cuts
it. Every field that lies completely in the piece gives a sample, with strokes of its neighbours.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from itertools import islice, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Field, Millimetres
from companion.vision.flat.light import evened
from companion.vision.ink.cells import MARGINS, boxes, cut
from companion.vision.ink.siblings import CHANNELS
from training import Rng, camera
from training.sheets import filling, printed, stains
from training.writing import allographs, digits, numbers
from training.writing.hands import Scribes
from training.writing.pens import PX_PER_MM, Canvas, jittered

Network: TypeAlias = Literal["numbers", "marks", "edition-numbers", "edition-marks", "sums"]

_NUMBERS_CLASSES: Final = ("blank", *map(str, range(19)), "struck", "other")
_MARKS_CLASSES: Final = ("open", "crossed", "circled", "other")
CLASSES: Final[Mapping[Network, tuple[str, ...]]] = {
    "numbers": _NUMBERS_CLASSES,
    "marks": _MARKS_CLASSES,
    "edition-numbers": _NUMBERS_CLASSES,
    "edition-marks": _MARKS_CLASSES,
}
DEPTHS: Final[Mapping[Network, int]] = {
    "numbers": 1,
    "marks": 1,
    "edition-numbers": 2,
    "edition-marks": len(CHANNELS),
}
"""Network → channels of its pictures."""
EMPTY_CLASSES: Final = frozenset({"blank", "open"})
GROUPS: Final = ("number", "digits", "box", "cross", "value", "color-value")
"""Groups of fields for which figures are given: the kinds of fields, except that crosses and values
with a letter printed in them are groups of their own (`box` and `color-value`)."""

WINDOW: Final[Millimetres] = 44.0
"""The side of a square piece of a pad."""

PIECES: Final[Mapping[Network, Mapping[str, float]]] = {
    "numbers": {"number": 0.66, "digits": 0.34},
    "marks": {"box": 0.46, "cross": 0.2, "value": 0.2, "color-value": 0.14},
}
"""Network → group → how often it is the group of a piece's central field."""


@dataclass(frozen=True)
class Sample:
    """A labelled cell."""

    group: str
    label: str
    """One of the network's `CLASSES`."""
    picture: npt.NDArray[np.float32]
    """As `companion.vision.ink.cells.cut` returns it."""


def group(field: Field) -> str:
    """The field's group, one of `GROUPS`."""
    if field.kind == "value":
        return "color-value" if field.letter else "value"
    return "box" if field.kind == "cross" and field.letter else field.kind


class Pieces:
    """Draws pieces of pads in the handwriting of one part of the collections."""

    def __init__(self, hands: digits.Hands) -> None:
        self._scribes = Scribes(hands)
        self._places: dict[str, dict[str, list[tuple[printed.PrintedPad, Field]]]] = {}
        for pad in printed.pads():
            for field in pad.fields:
                by_sheet = self._places.setdefault(group(field), {})
                by_sheet.setdefault(pad.sheet.name, []).append((pad, field))

    def piece(self, network: Network, rng: Rng) -> Iterator[Sample]:
        """The samples of a random piece, all for one network."""
        canvas, empty, fields, labels = self.written(network, rng)
        settings = camera.settings(rng)
        even = evened(camera.gray(canvas.picture, settings, rng))
        places = [
            (field, canvas.here(box), label)
            for field, found in zip(fields, labels, strict=True)
            if (field.kind in ("number", "digits")) == (network == "numbers")
            for box, label in zip(boxes(field), found, strict=True)
        ]
        cells = [here for _, here, _ in places]
        seen = camera.ink_seen(empty, canvas.picture, cells, settings)
        for (field, here, label), is_seen in zip(places, seen, strict=True):
            margin = MARGINS[field.kind]
            if _is_whole(here, margin) and (is_seen or label in EMPTY_CLASSES):
                yield Sample(group(field), label, cut(even, here, margin))

    def written(
        self, network: Network, rng: Rng
    ) -> tuple[Canvas, camera.Picture, list[Field], list[tuple[str, ...]]]:
        """A random piece before the photo.

        Returns:
            (the piece, its picture without ink, its fields, the label of each of their boxes).
        """
        shares = PIECES[network]
        about = str(rng.choice(list(shares), p=list(shares.values())))
        # Sheets with few fields of a group are as likely as sheets with many.
        by_sheet = list(self._places[about].values())
        places = by_sheet[int(rng.integers(len(by_sheet)))]
        pad, middle = places[int(rng.integers(len(places)))]
        canvas = cut_out(pad.picture, middle.box, rng)
        canvas.picture = printed.reprinted(canvas.picture, rng)
        hand = self._scribes.hand(rng)
        hands = [hand, self._scribes.hand(rng)] if rng.random() < 0.15 else [hand]
        empty = canvas.picture.copy()
        fields = [field for field in pad.fields if is_near(field.box, canvas)]
        stains.add_show_through(canvas, rng)
        fullness = float(rng.choice((1.0, rng.uniform(0.3, 1))))
        labels = []
        for field in fields:
            used = hands[-1] if rng.random() < 0.25 else hand
            labels.append(filling.fill_randomly(canvas, field, used, fullness, rng))
        for blank in pad.blanks:
            if blank.shape != "line" and is_near(blank.box, canvas) and rng.random() < 0.3:
                value = str(rng.integers(1, 120))
                numbers.number(canvas, hand, value, jittered(blank.box, 0.8, rng), 10, rng)
        stains.add_stains(canvas, rng)
        return canvas, empty, fields, labels


def cut_out(picture: camera.Picture, box: Box, rng: Rng) -> Canvas:
    """The piece of a sheet around a box; `picture` is the sheet at `PX_PER_MM`."""
    side = round(WINDOW * PX_PER_MM)
    left, top = (
        int(np.clip((at - WINDOW / 2 + rng.uniform(-1.4, 1.4)) * PX_PER_MM, 0, length - side))
        for at, length in zip(box.center, picture.shape[1::-1], strict=True)
    )
    part = picture[top : top + side, left : left + side].copy()
    return Canvas(part, left / PX_PER_MM, top / PX_PER_MM)


def is_near(box: Box, canvas: Canvas) -> bool:
    """Whether a box lies in a piece or near enough for its ink to reach into the piece."""
    x, y = box.center
    return (
        -3 - box.width / 2 < x - canvas.x < WINDOW + 3 + box.width / 2
        and -3 - box.height / 2 < y - canvas.y < WINDOW + 3 + box.height / 2
    )


def _is_whole(here: Box, margin: Millimetres) -> bool:
    """Whether a cell lies completely in a piece, with its margin."""
    least = margin + 0.5
    return (
        here.x > least
        and here.y > least
        and here.x + here.width < WINDOW - least
        and here.y + here.height < WINDOW - least
    )


# Data sets


@dataclass(frozen=True)
class Cells:
    """A data set of cells, or of blanks for sums."""

    pictures: npt.NDArray[np.uint8]
    """(samples, channels, height, width), 0 to 255."""
    labels: npt.NDArray[np.int64]
    """Indices in `CLASSES`, (samples,); of a blank its characters, as in `sums`."""
    groups: npt.NDArray[np.int64]
    """Indices in `GROUPS`, (samples,)."""

    @classmethod
    def stacked(
        cls, samples: Iterable[tuple[npt.NDArray[np.float32], int | Sequence[int], int]]
    ) -> Cells:
        """The data set of samples, each (picture from 0 to 1, label, group)."""
        rows = [
            (np.round(picture * 255).astype(np.uint8), label, at) for picture, label, at in samples
        ]
        pictures, labels, groups = zip(*rows, strict=True)
        return cls(np.stack(pictures), np.array(labels, np.int64), np.array(groups, np.int64))

    @classmethod
    def joined(cls, chunks: Iterable[Cells]) -> Cells:
        """The samples of all chunks, in order."""
        rest = deque(chunks)
        labels = np.concatenate([chunk.labels for chunk in rest])
        groups = np.concatenate([chunk.groups for chunk in rest])
        pictures = np.empty((len(labels), *rest[0].pictures.shape[1:]), np.uint8)
        start = 0
        # Gigabytes: a chunk is dropped as soon as it is copied.
        while rest:
            part = rest.popleft().pictures
            pictures[start : start + len(part)] = part
            start += len(part)
        return cls(pictures, labels, groups)


CHUNK: Final = 2000
"""Samples that are made from one seed."""

Job: TypeAlias = tuple[Network, int, Path, digits.Part, tuple[int, ...]]
"""(network, number of samples or sheets, folder and part of the handwriting, seed)."""


def writers(folder: Path, part: digits.Part) -> digits.Hands:
    """The hands of one part; those that were drawn are for training only."""
    hands = digits.load(folder, part)
    return {**hands, **allographs.hands()} if part == "train" else hands


def make(
    network: Network,
    count: int,
    step: int,
    make_chunk: Callable[[Job], Cells],
    *,
    folder: Path,
    part: digits.Part,
    seed: int,
    keep: Path | None = None,
) -> Cells:
    """A data set that depends on these arguments but not on the number of processes.

    Args:
        step: so many of `count`, samples or sheets, `make_chunk` draws from one seed.
        keep: a folder for what is drawn, which is not drawn again.
    """
    at_set = get_args(Network).index(network), get_args(digits.Part).index(part)
    jobs = [
        (network, min(step, count - at), folder, part, (seed, *at_set, at))
        for at in range(0, count, step)
    ]
    # Not forked, because OpenCV's threads do not survive a fork.
    with get_context("spawn").Pool(None, cv2.setNumThreads, (1,)) as pool:
        return Cells.joined(pool.imap(partial(kept, keep, make_chunk), jobs))


def kept(keep: Path | None, make_chunk: Callable[[Job], Cells], job: Job) -> Cells:
    """The drawing of `make_chunk` for a job, from the folder `keep` if it was drawn before."""
    if keep is None:
        return make_chunk(job)
    path = keep / f"{job[0]}-{hashlib.sha256(repr(job).encode()).hexdigest()[:16]}.npz"
    if path.exists():
        with np.load(path) as stored:
            return Cells(*(stored[part.name] for part in fields(Cells)))
    made = make_chunk(job)
    keep.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part.npz")
    np.savez_compressed(unfinished, **vars(made))
    unfinished.replace(path)
    return made


@cache
def _maker(folder: Path, part: digits.Part) -> Pieces:
    return Pieces(writers(folder, part))


def chunk(job: Job) -> Cells:
    """The cells of one job."""
    network, count, folder, part, seed = job
    rng = np.random.default_rng(seed)
    pieces = _maker(folder, part)
    samples = (sample for _ in repeat(None) for sample in pieces.piece(network, rng))
    index = CLASSES[network].index
    return Cells.stacked(
        (sample.picture[np.newaxis], index(sample.label), GROUPS.index(sample.group))
        for sample in islice(samples, count)
    )
