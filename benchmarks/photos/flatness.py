"""Where the reader thinks that fields are, beside where they are; needs no networks."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.photos.shot import Shot
from companion.vision import finding, flattening
from companion.vision.core import Trouble
from companion.vision.picture import open_picture


@dataclass(frozen=True)
class Flatness:
    """One pad of a photo."""

    seed: int
    difficulty: str
    sheet: str
    found: bool
    trouble: str
    off: tuple[float, ...]
    """Millimetres by which each field's middle is elsewhere."""
    seconds: float
    """Finding and flattening the whole photo."""


def flatness(shot: Shot, reduce: int = 1) -> Iterable[Flatness]:
    """How well every pad of a photo is found and flattened."""
    gray = open_picture(shot.jpeg).gray(reduce)
    started = time.perf_counter()
    finds = finding.find(gray)
    flats = [flattening.flatten(gray, find) for find in finds.pads]
    spent = time.perf_counter() - started
    troubles = [one.code for one in finds.troubles]
    troubles += [flat.code for flat in flats if isinstance(flat, Trouble)]
    for truth in shot.truths:
        best: tuple[float, ...] | None = None
        wanted = np.array([truth.centers[name] for name in truth.centers]) / reduce
        scale = (
            float(np.linalg.norm(np.subtract(truth.corners[1], truth.corners[0]))) / reduce / 190
        )
        for flat in flats:
            if isinstance(flat, Trouble) or flat.found.sheet.name != truth.sheet:
                continue
            places = [field.box.center for field in flat.found.paper.fields]
            if len(places) != len(wanted) or flat.found.board != truth.board:
                continue
            off = np.linalg.norm(flat.to_photo(places) - wanted, axis=1) / scale
            if off.mean() < 15 and (best is None or off.mean() < np.mean(best)):
                best = tuple(float(one) for one in off)
        yield Flatness(
            shot.seed,
            shot.difficulty,
            truth.sheet,
            best is not None,
            ", ".join(troubles),
            best or (),
            spent,
        )
