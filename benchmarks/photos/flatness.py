"""Measures how far fields are from where the reader locates them; needs no networks."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.photos.shot import Shot
from companion.core.sheet import PAD_WIDTH
from companion.vision import finding, flattening
from companion.vision.core import Trouble
from companion.vision.picture import open_picture


@dataclass(frozen=True)
class Flatness:
    """How well one pad of a photo was rectified."""

    seed: int
    difficulty: str
    sheet: str
    found: bool
    trouble: str
    """The reader's codes for the photo."""
    off: tuple[float, ...]
    """The error of each field's centre in millimetres; empty if the pad was not found."""
    seconds: float
    """The time for finding and flattening all pads of the photo."""


def flatness(shot: Shot, reduce: int = 1) -> Iterable[Flatness]:
    """How well every pad of a photo is found and rectified.

    Args:
        reduce: the factor by which the photo is reduced before.
    """
    gray = open_picture(shot.jpeg).gray(reduce)
    started = time.perf_counter()
    finds = finding.find(gray)
    flats = [flattening.flatten(gray, found) for found in finds.pads]
    spent = time.perf_counter() - started
    troubles = [trouble.code for trouble in finds.troubles]
    troubles += [flat.code for flat in flats if isinstance(flat, Trouble)]
    for truth in shot.truths:
        best: tuple[float, ...] | None = None
        wanted = np.array([truth.centers[name] for name in truth.centers]) / reduce
        scale = (
            float(np.linalg.norm(np.subtract(truth.corners[1], truth.corners[0])))
            / reduce
            / PAD_WIDTH
        )
        for flat in flats:
            if isinstance(flat, Trouble) or flat.found.sheet.name != truth.sheet:
                continue
            places = [field.box.center for field in flat.found.paper.fields]
            if len(places) != len(wanted) or flat.found.board != truth.board:
                continue
            off = np.linalg.norm(flat.to_photo(places) - wanted, axis=1) / scale
            if off.mean() < 15 and (best is None or off.mean() < np.mean(best)):
                best = tuple(float(error) for error in off)
        yield Flatness(
            shot.seed,
            shot.difficulty,
            truth.sheet,
            best is not None,
            ", ".join(troubles),
            best or (),
            spent,
        )
