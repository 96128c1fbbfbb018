"""Handwritten digits of three collections, with a fixed split of their writers.

Reads the files that `training/README.md` names; nothing of them is kept in the repository.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

Part: TypeAlias = Literal["train", "choose", "final"]
"""The use of a writer's digits: training; choosing models, parameters and temperatures; or final
metrics, by which nothing was chosen."""

Ink: TypeAlias = npt.NDArray[np.uint8]
"""(height, width), from 0, no ink, to 255, full ink; without empty rows and columns around it."""

Strokes: TypeAlias = tuple[npt.NDArray[np.float32], ...]
"""Strokes of a pen, each (n, 2): x to the right and y down."""

FOLDER: Final = Path("../shared/data/handwriting")
"""The folder of the collections, unless another one is given."""
FILES: Final = ("mnist.npz", "swiss.npz", "unipen.json.gz")

MNIST_CHOOSE: Final = 12
"""Every twelfth of MNIST's training images is for choosing instead of training."""
MNIST_WIDTHS, MNIST_SLANTS = 20, 16
"""Numbers of groups of similar stroke width and slant that stand for MNIST's writers."""
BROKEN: Final = Path(__file__).parent / "broken.json"
"""Collection → indices of digits that nobody can read or whose label is wrong.

A small network that was trained on one half of the digits gave the label of these, from the other
half, a probability below 2 %; for final writers, below 0.2 %. Ones that lie on their side are among
them, too.
"""
RENDERED: Final = 72
"""The longer side of `Digit.ink` in pixels, if it is drawn from strokes."""


@dataclass(frozen=True, eq=False)
class Digit:
    """One handwritten digit."""

    label: int
    writer: str
    """`mnist:`, `swiss:`, `unipen:` or `drawn:`, and the writer's name in that collection."""
    ink: Ink
    strokes: Strokes | None
    """The pen's path, in arbitrary units; None if only a picture is known."""


Hands: TypeAlias = Mapping[str, Mapping[int, tuple[Digit, ...]]]
"""Writer → label → digits. Not every writer wrote every digit."""


@cache
def _broken(collection: str) -> frozenset[int]:
    return frozenset(json.loads(BROKEN.read_text(encoding="utf-8"))[collection])


@cache
def load(folder: Path, part: Part) -> Hands:
    """The digits of one part's writers. No writer is in two parts.

    MNIST as published names no writers. Digits of similar stroke width and slant are grouped, so
    that numbers of two digits look as if written by one hand. Its part "choose" is by the same
    people as its part "train"; the test images, the part "final", are by others.
    """
    hands: dict[str, dict[int, list[Digit]]] = defaultdict(lambda: defaultdict(list))
    for digit in (*_swiss(folder, part), *_unipen(folder, part), *_mnist(folder, part)):
        hands[digit.writer][digit.label].append(digit)
    return {
        writer: {label: tuple(hands[writer][label]) for label in sorted(hands[writer])}
        for writer in sorted(hands)
    }


def writers(folder: Path) -> Mapping[str, Mapping[Part, tuple[str, ...]]]:
    """Collection → part → writers, for the collections that name their writers."""
    return {
        "swiss": _split(_swiss_counts(folder), 13, 7, 2),
        "unipen": _split(_unipen_counts(folder), 15, 10, 2),
    }


def _split(
    counts: Mapping[str, int], group: int, train: int, choose: int
) -> Mapping[Part, tuple[str, ...]]:
    """Splits writers by the hashes of their names, stratified by how much they wrote.

    Args:
        counts: writer → number of digits.
        group: size of the strata.
        train: how many writers of each stratum are for training.
        choose: how many are for choosing; the rest is final.
    """
    by_count = sorted(counts, key=lambda writer: (-counts[writer], writer))
    parts: dict[Part, list[str]] = {"train": [], "choose": [], "final": []}
    for start in range(0, len(by_count), group):
        drawn = sorted(by_count[start : start + group], key=_hash)
        parts["train"] += drawn[:train]
        parts["choose"] += drawn[train : train + choose]
        parts["final"] += drawn[train + choose :]
    return {part: tuple(sorted(names)) for part, names in parts.items()}


def _hash(writer: str) -> str:
    return hashlib.sha256(writer.encode()).hexdigest()


# Swiss: kensanata/numbers


@cache
def _swiss_file(folder: Path) -> Mapping[str, npt.NDArray[Any]]:
    with np.load(folder / "swiss.npz") as file:
        return dict(file)


def _swiss_counts(folder: Path) -> Mapping[str, int]:
    names, counts = np.unique(_swiss_file(folder)["writers"], return_counts=True)
    return dict(zip(map(str, names), map(int, counts), strict=True))


def _swiss(folder: Path, part: Part) -> Iterator[Digit]:
    wanted = frozenset(writers(folder)["swiss"][part])
    file = _swiss_file(folder)
    every = zip(file["images"], file["labels"], file["writers"], strict=True)
    for at, (image, label, writer) in enumerate(every):
        if str(writer) not in wanted or at in _broken("swiss"):
            continue
        if (ink := _scanned(image)) is not None:
            yield Digit(int(label), f"swiss:{writer}", ink, None)


def _scanned(image: npt.NDArray[np.uint8]) -> Ink | None:
    """The ink of a scan, normalized to black and without specks; None without enough contrast."""
    paper, darkest = np.percentile(image, (60, 0.5))
    if paper - darkest < 40:
        return None
    ink = np.clip((paper - 12 - image.astype(np.float32)) / (paper - 12 - darkest) * 1.15, 0, 1)
    _, pieces, stats, _ = cv2.connectedComponentsWithStats((ink > 0.35).astype(np.uint8))
    areas = stats[:, cv2.CC_STAT_AREA].astype(np.float32)
    areas[0] = 0
    keep = np.flatnonzero(areas >= max(0.06 * areas.max(), 8))
    near = cv2.dilate(np.isin(pieces, keep).astype(np.uint8), np.ones((5, 5), np.uint8))
    return _cropped((ink * near * 255).astype(np.uint8))


# UNIPEN


@cache
def _unipen_file(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "unipen.json.gz", "rt", encoding="utf-8") as file:
        loaded: list[dict[str, Any]] = json.load(file)
    return loaded


def _unipen_counts(folder: Path) -> Mapping[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for digit in _unipen_file(folder):
        counts[digit["writer"]] += 1
    return counts


def _unipen(folder: Path, part: Part) -> Iterator[Digit]:
    wanted = frozenset(writers(folder)["unipen"][part])
    for at, sample in enumerate(_unipen_file(folder)):
        if sample["writer"] not in wanted or at in _broken("unipen"):
            continue
        strokes = tuple(
            np.array(stroke, np.float32) * np.array((1, -1), np.float32)
            for stroke in sample["strokes"]
            if stroke
        )
        if strokes and np.ptp(np.concatenate(strokes), axis=0).max() > 0:
            writer = f"unipen:{sample['writer']}"
            yield Digit(int(sample["label"]), writer, render(strokes), strokes)


def render(strokes: Strokes) -> Ink:
    """Strokes drawn with a round pen, `RENDERED` pixels at the longer side."""
    points = np.concatenate(strokes)
    first = points.min(axis=0)
    scale = (RENDERED - 8) / max(float(np.ptp(points, axis=0).max()), 1e-6)
    ink = np.zeros((RENDERED, RENDERED), np.uint8)
    ways = [
        np.round(((stroke - first) * scale + 4) * 16).astype(np.int32).reshape(-1, 1, 2)
        for stroke in strokes
    ]
    cv2.polylines(ink, ways, False, 255, 5, cv2.LINE_AA, 4)
    return _cropped(ink)


# MNIST


def _mnist(folder: Path, part: Part) -> Iterable[Digit]:
    with np.load(folder / "mnist.npz") as file:
        which = "test" if part == "final" else "train"
        images, labels = file[f"{which}_images"], file[f"{which}_labels"]
    places = np.arange(len(images))
    kept = ~np.isin(places, list(_broken(f"mnist-{which}")))
    if which == "train":
        kept &= (places % MNIST_CHOOSE == 0) == (part == "choose")
    images, labels = images[kept], labels[kept]
    styles = np.array([_style(image) for image in images])
    names = np.empty(len(images), object)
    # Fewer digits make fewer groups, so that each group has some of every digit.
    part_of = (len(images) / 60000) ** 0.5
    widths, slants = (max(round(n * part_of), 4) for n in (MNIST_WIDTHS, MNIST_SLANTS))
    for width, like in enumerate(np.array_split(np.argsort(styles[:, 0], kind="stable"), widths)):
        leaning = like[np.argsort(styles[like, 1], kind="stable")]
        for slant, alike in enumerate(np.array_split(leaning, slants)):
            names[alike] = f"mnist:{part}-{width:02}-{slant:02}"
    return [
        Digit(int(label), str(name), _cropped(image), None)
        for image, label, name in zip(images, labels, names, strict=True)
    ]


def _style(image: npt.NDArray[np.uint8]) -> tuple[float, float]:
    """(stroke width in pixels, slant as x per y) of a digit."""
    inside = cv2.distanceTransform((image > 100).astype(np.uint8), cv2.DIST_L2, 3)
    ridge = inside[(inside > 0) & (inside >= cv2.dilate(inside, np.ones((3, 3), np.uint8)))]
    width = 2 * float(ridge.mean()) if ridge.size else 0.0
    moments = cv2.moments(image)
    return width, moments["mu11"] / max(moments["mu02"], 1e-6)


def _cropped(ink: npt.NDArray[np.uint8]) -> Ink:
    rows = np.flatnonzero(ink.max(axis=1) > 40)
    columns = np.flatnonzero(ink.max(axis=0) > 40)
    return np.ascontiguousarray(ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
