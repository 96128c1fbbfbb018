"""Draws a publisher's sheet: printed in some variant, trimmed, worn, and filled in by somebody."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.printing import games
from benchmarks.photos.printing.press import Press
from benchmarks.photos.writing.pens import Pen, random_pen
from companion.core.edition import Edition
from companion.core.sheet import Box, Field, Millimetres, Paper
from lab.camera.pieces import Gloss, random_gloss

PENCIL_ON_GLOSS: Final = (0.3, 0.6)  # how much of its density a pencil leaves on glossy card


@dataclass(frozen=True)
class Card:
    """A printed sheet, before anybody writes on it."""

    picture: npt.NDArray[np.float32]  # linear reflectance, (height, width, 3), BGR
    paper: Paper  # the edition's paper as it came out on this card, in its true millimetres
    # The top left corner of the edition's paper on the card.
    at: tuple[Millimetres, Millimetres]
    radius: Millimetres  # of the card's corners
    gloss: Gloss


def printed_card(
    edition: Edition, board: str, rng: np.random.Generator, scale: float, careful: bool
) -> Card:
    """A sheet of an edition.

    Args:
        scale: pixels per millimetre of the card.
        careful: well trimmed and unworn.
    """
    printing = games.printing_of(edition.sheet.name)
    paper = edition.paper(board)
    # Nothing depends on a sheet's true size but how broad a pen is on it.
    size = float(rng.uniform(0.93, 1.07))
    trim = edition.unit * np.clip(rng.normal(0.03, 0.03 if careful else 0.08, 4), -0.12, 0.3)
    press = Press(
        edition,
        board,
        paper.width + float(trim[0] + trim[2]),
        paper.height + float(trim[1] + trim[3]),
        scale * size,
        rng,
        (240, 240, 238),
        origin=(float(trim[0]), float(trim[1])),
        misprint=0.3 if careful else float(rng.choice([0.5, 1.0, 2.2], p=[0.4, 0.45, 0.15])),
    )
    printing.draw(press)
    glossy = bool(rng.random() < printing.GLOSSY)
    reflectance = _card_stock(press.picture, rng, scale, careful)
    radius = float(rng.choice([0.0, rng.uniform(0.5, 2), rng.uniform(2, 6)], p=[0.5, 0.3, 0.2]))
    at = (float(trim[0]) * size, float(trim[1]) * size)
    return Card(reflectance, _resized(paper, size), at, radius, random_gloss(rng, glossy))


def _resized(paper: Paper, size: float) -> Paper:
    """The paper with all its places in the card's true millimetres."""

    def box(old: Box) -> Box:
        return Box(old.x * size, old.y * size, old.width * size, old.height * size)

    def field(old: Field) -> Field:
        return replace(old, box=box(old.box), cells=tuple(map(box, old.cells)))

    fields = tuple(map(field, paper.fields))
    blanks = tuple(replace(blank, box=box(blank.box)) for blank in paper.blanks)
    width, height = paper.width * size, paper.height * size
    layout = replace(paper.layout, width=width, height=height, fields=fields)
    return replace(paper, width=width, height=height, layout=layout, blanks=blanks)


def pen_for(rng: np.random.Generator, sheet: str, gloss: Gloss) -> Pen:
    """A pen as people use it for this sheet, and what it leaves on such card."""
    pen = random_pen(rng)
    if rng.random() < games.printing_of(sheet).FELT_TIPS:
        while pen.kind != "felt":
            pen = random_pen(rng)
    if pen.kind == "pencil" and gloss.veil > 0.003 and gloss.sharp > 12:
        weak = float(rng.uniform(*PENCIL_ON_GLOSS))
        absorbs = tuple(part * weak for part in pen.absorbs)
        pen = replace(pen, absorbs=(absorbs[0], absorbs[1], absorbs[2]))
    return pen


def _card_stock(
    picture: npt.NDArray[np.uint8], rng: np.random.Generator, scale: float, careful: bool
) -> npt.NDArray[np.float32]:
    """Print on card: linear reflectance with a press's grain, the card's texture and wear."""
    level = np.linspace(0, 1, 256)
    linear = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    lookup = (linear * float(rng.uniform(0.92, 1.02))).astype(np.float32)
    # Ink spreads a little, so no edge is as sharp as a drawn one.
    soft = cv2.GaussianBlur(picture, (0, 0), max(float(rng.uniform(0.02, 0.07)) * scale, 0.3))
    reflectance = np.asarray(cv2.LUT(soft, lookup.reshape(1, 256, 1)), np.float32)
    rows, columns = picture.shape[:2]
    half = (rows // 2 + 1, columns // 2 + 1)
    fine = rng.standard_normal(half, dtype=np.float32)
    woven = cv2.GaussianBlur(fine, (0, 0), sigmaX=0.16 * scale, sigmaY=0.04 * scale)
    linen = woven / max(float(woven.std()), 1e-6)
    cloud = cv2.resize(
        rng.standard_normal((rows // 60 + 2, columns // 60 + 2), dtype=np.float32),
        (half[1], half[0]),
        interpolation=cv2.INTER_CUBIC,
    )
    rough = linen * float(rng.uniform(0.0, 0.05)) + cloud * 0.012 + fine * 0.015
    uneven = cv2.resize(np.asarray(rough, np.float32), (columns, rows))
    reflectance *= (1 + uneven)[:, :, None]
    _cut_edges(reflectance, rng, scale)
    if not careful:
        _wear(reflectance, rng, scale)
    return np.clip(reflectance, 0.004, 0.97)


def _cut_edges(
    reflectance: npt.NDArray[np.float32], rng: np.random.Generator, scale: float
) -> None:
    """The card's thickness: its pale core at two sides, and their shade at the others."""
    wide = max(round(float(rng.uniform(0.1, 0.4)) * scale), 1)
    core = np.array([0.62, 0.66, 0.68], np.float32) * np.float32(rng.uniform(0.5, 1.1))
    share = np.float32(rng.uniform(0.1, 0.7))
    for side, strip in enumerate(
        (reflectance[:wide], reflectance[:, :wide], reflectance[-wide:], reflectance[:, -wide:])
    ):
        if (side + int(rng.integers(2))) % 4 < 2:
            strip[:] = strip + (core - strip) * share
        else:
            strip[:] = strip * (1 - share * np.float32(0.5))


def _wear(reflectance: npt.NDArray[np.float32], rng: np.random.Generator, scale: float) -> None:
    """White edges where the print has rubbed off, scratches, and a trace of dirt."""
    rows, columns = reflectance.shape[:2]
    bare = np.array([0.7, 0.74, 0.76], np.float32)
    if rng.random() < 0.6:
        wide = float(rng.uniform(0.15, 0.6)) * scale
        y = np.minimum(np.arange(rows), np.arange(rows)[::-1])[:, None]
        x = np.minimum(np.arange(columns), np.arange(columns)[::-1])[None, :]
        near = np.exp(-np.minimum(y, x).astype(np.float32) / wide)
        patchy = cv2.resize(
            rng.random((rows // 50 + 2, columns // 50 + 2)).astype(np.float32), (columns, rows)
        )
        share = (near * np.clip(patchy * 2.2 - 0.9, 0, 1))[:, :, None] * rng.uniform(0.2, 0.9)
        reflectance += (bare - reflectance) * share
    for _ in range(int(rng.poisson(0.8))):
        a = rng.uniform(0, 1, 2) * (columns, rows)
        b = a + rng.normal(0, 0.15, 2) * columns
        scratch = np.zeros((rows, columns), np.uint8)
        ends = np.round(np.stack([a, b]) * 16).astype(np.int32)
        cv2.polylines(scratch, [ends], False, 255, max(round(0.12 * scale), 1), cv2.LINE_AA, 4)
        share = scratch.astype(np.float32)[:, :, None] / 255 * float(rng.uniform(0.05, 0.25))
        reflectance += (bare - reflectance) * share
    if rng.random() < 0.25:
        across, down = rng.uniform(0, columns), rng.uniform(0, rows)
        far = np.hypot(
            np.arange(columns, dtype=np.float32)[None] - across,
            np.arange(rows, dtype=np.float32)[:, None] - down,
        )
        stain = np.exp(-((far / (scale * rng.uniform(4, 12))) ** 2))
        tint = np.array([0.12, 0.07, 0.05], np.float32) * float(rng.uniform(0.2, 1))
        reflectance *= 1 - stain[:, :, None] * tint
