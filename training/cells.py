"""Labelled pictures of cells, for training and for choosing.

A piece of a printed pad is written on, photographed and rectified; then the reader's own code cuts
it. Every field that lies completely in the piece gives a sample, with strokes of its neighbours.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from itertools import islice, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Field, Millimetres
from companion.vision.flat.light import evened
from companion.vision.ink.cells import MARGINS, boxes, cut
from companion.vision.ink.siblings import CHANNELS
from training import Rng, optics
from training.sheets import filling, printed, stains
from training.sheets.places import jittered
from training.writing import allographs, digits, numbers
from training.writing.hands import Scribes
from training.writing.pens import PX_PER_MM, Canvas

Network: TypeAlias = Literal["numbers", "marks", "edition-numbers", "edition-marks"]

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

    network: Network
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
        canvas, fields, labels, settings = self.written(network, rng)
        gray = optics.gray_under_lamp(canvas.picture, rng)
        even = evened(optics.photographed_and_flattened(gray, settings, rng))
        for field, found in zip(fields, labels, strict=True):
            is_wanted = (field.kind in ("number", "digits")) == (network == "numbers")
            if not is_wanted:
                continue
            margin = MARGINS[field.kind]
            for box, label in zip(boxes(field), found, strict=True):
                here = Box(box.x - canvas.x, box.y - canvas.y, box.width, box.height)
                if _is_whole(here, margin):
                    yield Sample(network, group(field), label, cut(even, here, margin))

    def written(
        self, network: Network, rng: Rng
    ) -> tuple[Canvas, list[Field], list[tuple[str, ...]], optics.CameraSettings]:
        """A random piece before the photo.

        Returns:
            (the piece, its fields, the label of each of their boxes, the photo's settings).
        """
        shares = PIECES[network]
        about = str(rng.choice(list(shares), p=list(shares.values())))
        # Sheets with few fields of a group are as likely as sheets with many.
        by_sheet = list(self._places[about].values())
        places = by_sheet[int(rng.integers(len(by_sheet)))]
        pad, middle = places[int(rng.integers(len(places)))]
        canvas = cut_out(pad, middle.box, rng)
        hand = self._scribes.hand(rng)
        hands = [hand, self._scribes.hand(rng)] if rng.random() < 0.15 else [hand]
        settings = optics.random_settings(rng, [scribe.pen for scribe in hands])
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
        return canvas, fields, labels, settings


def cut_out(pad: printed.PrintedPad, box: Box, rng: Rng) -> Canvas:
    """The piece of a pad around a box, as another printer might print it."""
    x, y = box.center
    x, y = x - WINDOW / 2 + rng.uniform(-1.4, 1.4), y - WINDOW / 2 + rng.uniform(-1.4, 1.4)
    x, y = min(max(x, 0), pad.width - WINDOW - 0.1), min(max(y, 0), pad.height - WINDOW - 0.1)
    left, top, side = round(x * PX_PER_MM), round(y * PX_PER_MM), round(WINDOW * PX_PER_MM)
    part = pad.picture[top : top + side, left : left + side]
    return Canvas(optics.reprinted(part, rng), left / PX_PER_MM, top / PX_PER_MM)


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

Job = TypeVar("Job")


def writers(folder: Path, part: digits.Part) -> digits.Hands:
    """The hands of one part; those that were drawn are for training only."""
    hands = digits.load(folder, part)
    return {**hands, **allographs.hands()} if part == "train" else hands


def in_processes(
    make_chunk: Callable[[Job], Cells], jobs: Iterable[Job], keep: Path | None
) -> Iterator[Cells]:
    """The results of `make_chunk` for each job, in their order, with all processors.

    Args:
        keep: a folder of chunks; those in it are read instead of being drawn.
    """
    # Not forked, because OpenCV's threads do not survive a fork.
    with get_context("spawn").Pool(None, cv2.setNumThreads, (1,)) as pool:
        yield from pool.imap(partial(drawn, make_chunk, keep), jobs)


def drawn(make_chunk: Callable[[Job], Cells], keep: Path | None, job: Job) -> Cells:
    """The cells of a job, read from `keep` or drawn and written there.

    The name of a file holds the job alone: after a change of the drawings use another folder.
    """
    if keep is None:
        return make_chunk(job)
    file = keep / f"{make_chunk.__module__}-{sha256(repr(job).encode()).hexdigest()[:16]}.npz"
    if file.exists():
        with np.load(file) as kept:
            return Cells(kept["pictures"], kept["labels"], kept["groups"])
    cells = make_chunk(job)
    # An interrupted write leaves no half chunk.
    with tempfile.NamedTemporaryFile(dir=keep, suffix=".part", delete=False) as part:
        np.savez(part, pictures=cells.pictures, labels=cells.labels, groups=cells.groups)
    Path(part.name).rename(file)
    return cells


@cache
def _maker(folder: Path, part: digits.Part) -> Pieces:
    return Pieces(writers(folder, part))


def make(
    network: Network,
    count: int,
    folder: Path,
    part: digits.Part,
    seed: int,
    keep: Path | None = None,
) -> Cells:
    """A data set that depends on the seed but not on the number of processes."""
    jobs = [
        (network, min(CHUNK, count - at), folder, part, (seed, _NUMBERS[network], _PARTS[part], at))
        for at in range(0, count, CHUNK)
    ]
    return Cells.joined(in_processes(_chunk, jobs, keep))


_NUMBERS: Final[Mapping[Network, int]] = {"numbers": 1, "marks": 2}
_PARTS: Final[Mapping[digits.Part, int]] = {"train": 1, "choose": 2, "final": 3}


def _chunk(job: tuple[Network, int, Path, digits.Part, tuple[int, ...]]) -> Cells:
    network, count, folder, part, seed = job
    rng = np.random.default_rng(seed)
    pieces = _maker(folder, part)
    samples = (sample for _ in repeat(None) for sample in pieces.piece(network, rng))
    index = CLASSES[network].index
    return Cells.stacked(
        (sample.picture[np.newaxis], index(sample.label), GROUPS.index(sample.group))
        for sample in islice(samples, count)
    )
