"""Pictures of the fields that were read wrongly, or not surely, to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.judge import Judged, Outcome
from benchmarks.photos.shot import Shot
from companion.core.sheet import Millimetres
from companion.games.catalog import SHEETS

AROUND: Final[Millimetres] = 3.0
SCALE: Final = 8.0
"""Pixels to the millimetre."""
SIDE: Final = 150
"""Pixels of a picture on the contact sheet."""


def save(shot: Shot, outcomes: Sequence[Outcome], folder: Path) -> None:
    """A PNG of each doubtful field of a photo; its name says all about it."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in outcomes:
        if not one.found:
            small = cv2.resize(shot.photo, None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA)
            name = f"notfound_{one.seed}-{one.difficulty}-{one.place}_{one.sheet}.jpg"
            cv2.imwrite(str(folder / name), small)
        for field in one.fields:
            if field.right and not field.unsure:
                continue
            what = "right" if field.right else "silent" if field.silent else "wrong"
            name = (
                f"{what}_{one.sheet}_{field.id}_is-{field.truth}_read-{field.value}"
                f"_{field.confidence:.3f}_{one.seed}-{one.difficulty}-{one.place}"
                f"_{one.writer.replace(':', '.')}_{one.pen}.png"
            )
            cv2.imwrite(str(folder / name), _picture(shot, one, field))


def _picture(shot: Shot, one: Outcome, field: Judged) -> npt.NDArray[np.uint8]:
    truth = shot.truths[one.place]
    paper = SHEETS[one.sheet].paper(one.board)
    box = next(known.box for known in paper.fields if known.id == field.id)
    pad = np.array(
        [(0, 0), (paper.width, 0), (paper.width, paper.height), (0, paper.height)], np.float32
    )
    # Where a flat pad would have the field is a little off where the paper is bent.
    to_pad = cv2.getPerspectiveTransform(np.array(truth.corners, np.float32), pad)
    seen = np.array([[truth.centers[field.id]]], np.float32)
    x, y = cv2.perspectiveTransform(seen, to_pad)[0, 0]
    left, top = x - box.width / 2 - AROUND, y - box.height / 2 - AROUND
    size = (round((box.width + 2 * AROUND) * SCALE), round((box.height + 2 * AROUND) * SCALE))
    flat = ((pad - np.array([left, top], np.float32)) * SCALE).astype(np.float32)
    to_flat = cv2.getPerspectiveTransform(np.array(truth.corners, np.float32), flat)
    return np.asarray(cv2.warpPerspective(shot.photo, to_flat, size), np.uint8)


def contact_sheet(folder: Path, kind: str, most: int = 120, across: int = 8) -> Path | None:
    """All pictures of a kind (`silent`, `wrong`, `right`) on one, with what was read."""
    files = sorted(folder.glob(f"{kind}_*.png"))[:most]
    if not files:
        return None
    cells = [_cell(file) for file in files]
    cells += [np.full_like(cells[0], 255)] * (-len(cells) % across)
    rows = [np.hstack(cells[at : at + across]) for at in range(0, len(cells), across)]
    path = folder / f"sheet-{kind}.png"
    cv2.imwrite(str(path), np.vstack(rows))
    return path


def _cell(file: Path) -> npt.NDArray[np.uint8]:
    picture = cv2.imread(str(file))
    assert picture is not None
    scale = min(SIDE / picture.shape[0], (SIDE * 1.5) / picture.shape[1])
    picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cell = np.full((SIDE + 46, int(SIDE * 1.5) + 8, 3), 255, np.uint8)
    cell[: picture.shape[0], : picture.shape[1]] = picture
    _, _, field, truth, read, sure, seed, *who = file.stem.split("_")
    for row, text in enumerate(
        (f"{truth[3:]} -> {read[5:]} ({sure})", f"{field} {seed}", *who[:1])
    ):
        at = (3, SIDE + 13 + row * 14)
        cv2.putText(cell, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
    return cell
