"""Saves pictures of the fields that were read wrongly or are unsure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.judge import JudgedField, PadOutcome
from benchmarks.photos.shot import Shot
from companion.core.sheet import Millimetres
from companion.games.catalog import SHEETS
from companion.games.editions import paper_of

AROUND: Final[Millimetres] = 3.0
"""The margin around a field."""
SCALE: Final = 8.0
"""Pixels per millimetre."""


def save(shot: Shot, outcomes: Sequence[PadOutcome], folder: Path) -> None:
    """Writes a PNG of each doubtful field of a photo, named after everything known about it."""
    folder.mkdir(parents=True, exist_ok=True)
    for pad in outcomes:
        if not pad.found:
            small = cv2.resize(shot.photo, None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA)
            name = f"notfound_{pad.seed}-{pad.difficulty}-{pad.place}_{pad.sheet}.jpg"
            cv2.imwrite(str(folder / name), small)
        for field in pad.fields:
            if field.right and not field.unsure:
                continue
            what = "right" if field.right else "silent" if field.silent else "wrong"
            name = (
                f"{what}_{pad.sheet}_{field.id}_is-{field.truth}_read-{field.value}"
                f"_{field.confidence:.3f}_{pad.seed}-{pad.difficulty}-{pad.place}"
                f"_{pad.writer.replace(':', '.')}_{pad.pen}.png"
            )
            cv2.imwrite(str(folder / name), _picture(shot, pad, field))


def _picture(shot: Shot, pad: PadOutcome, field: JudgedField) -> npt.NDArray[np.uint8]:
    """The field cut out of the photo and rectified, BGR."""
    truth = shot.truths[pad.place]
    paper = paper_of(SHEETS[pad.sheet], pad.board, pad.edition)
    box = next(known.box for known in paper.fields if known.id == field.id)
    corners = np.array(
        [(0, 0), (paper.width, 0), (paper.width, paper.height), (0, paper.height)], np.float32
    )
    # Centred on the true place, which differs from that on a flat pad where the paper is bent.
    to_pad = cv2.getPerspectiveTransform(np.array(truth.corners, np.float32), corners)
    seen = np.array([[truth.centers[field.id]]], np.float32)
    x, y = cv2.perspectiveTransform(seen, to_pad)[0, 0]
    left, top = x - box.width / 2 - AROUND, y - box.height / 2 - AROUND
    size = (round((box.width + 2 * AROUND) * SCALE), round((box.height + 2 * AROUND) * SCALE))
    flat = ((corners - np.array([left, top], np.float32)) * SCALE).astype(np.float32)
    to_flat = cv2.getPerspectiveTransform(np.array(truth.corners, np.float32), flat)
    return np.asarray(cv2.warpPerspective(shot.photo, to_flat, size), np.uint8)
