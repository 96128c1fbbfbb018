"""Draws a filled-in pad: the printed PDF with one person's writing on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.play import InkedSheet
from benchmarks.photos.printing.cards import pen_for, printed_card
from benchmarks.photos.writing.blanks import fill_blanks
from benchmarks.photos.writing.fields import fill_fields
from benchmarks.photos.writing.hands import Hand
from benchmarks.photos.writing.pens import PENS, InkLayer, Pen
from benchmarks.photos.writing.writer import Writer, random_style
from companion.core.edition import OWN, Edition
from companion.core.sheet import Box, Paper
from companion.pads import geometry
from companion.pads.order import checked_order
from lab import pdf  # only pages in pixels
from lab.camera.pieces import Piece

GRAY_PRINTS: Final = 0.12  # the share of pads that were printed without colours
FAINT: Final = "pencil"  # the pen whose marks nobody may see on card


@dataclass(frozen=True, kw_only=True)
class WrittenPad(Piece):
    """A filled-in sheet as it lies on the table."""

    pad: Box  # the pad on the piece of paper, from the paper's top left corner
    pen: str
    edition: str
    paper: Paper  # where the fields lie on the pad, in true millimetres
    written: Mapping[str, int]  # name of a sum → the number that was written as such
    # The picture before anybody wrote on it, where the writing may be too faint to be seen.
    bare: npt.NDArray[np.float32] | None = None


@lru_cache(maxsize=8)
def _page(file: Path | bytes, scale: float) -> npt.NDArray[np.uint8]:
    return pdf.pixels(file, scale / pdf.POINTS_PER_MM)


def written_pad(
    filled: InkedSheet,
    hand: Hand,
    rng: np.random.Generator,
    scale: float,
    careful: bool,
) -> WrittenPad:
    """The pad, cut out, with everything that is written on it.

    Args:
        scale: pixels per millimetre.
        careful: without slips of scissors or pen.
    """
    board = filled.board or None
    paper = str(rng.choice(["a4", "a4", "letter", "a5"]))
    order = checked_order(filled.sheet.name, board=board, paper=paper)
    printout = geometry.pages_of_order(order)
    pads = printout.pages[0]
    pad = pads[int(rng.integers(len(pads)))]
    page = _page(pdf.ready_made(filled.sheet.name, filled.board, paper), scale)
    # Cut roughly along the marks; a pad that has its page to itself may stay uncut.
    slip = 0.4 if careful else float(rng.choice([0.5, 1.2, 2.5], p=[0.6, 0.3, 0.1]))
    cuts = np.clip(rng.normal(0.2, slip, 4), -1.8, 5)
    if len(pads) == 1 and rng.random() < 0.6:
        cuts = np.array([pad.box.x, pad.box.y, 500, 500])
    left, top = max(pad.box.x - cuts[0], 0.0), max(pad.box.y - cuts[1], 0.0)
    right = min(pad.box.x + pad.box.width + cuts[2], printout.page.width)
    bottom = min(pad.box.y + pad.box.height + cuts[3], printout.page.height)
    rows = slice(round(top * scale), round(bottom * scale))
    columns = slice(round(left * scale), round(right * scale))
    picture = page[rows, columns]
    corner = Box(pad.box.x - columns.start / scale, pad.box.y - rows.start / scale, 0, 0)
    width, height = picture.shape[1] / scale, picture.shape[0] / scale
    layer, ghost = InkLayer(width, height, scale), InkLayer(width, height, scale)
    style = random_style(hand, rng, careful)
    sheet_paper = filled.sheet.paper(filled.board)
    writer = Writer(filled, sheet_paper, style, layer, ghost, (corner.x, corner.y), rng, careful)
    fill_fields(writer)
    written = fill_blanks(writer)
    reflectance = inked(toner(picture, rng), layer, ghost, style.pen, rng)
    box = Box(corner.x, corner.y, pad.box.width, pad.box.height)
    return WrittenPad(
        picture=reflectance,
        scale=scale,
        pad=box,
        pen=style.pen.kind,
        edition=OWN,
        paper=sheet_paper,
        written=written,
    )


def written_card(
    filled: InkedSheet,
    edition: Edition,
    hand: Hand,
    rng: np.random.Generator,
    scale: float,
    careful: bool,
    pen: str = "",
) -> WrittenPad:
    """A publisher's sheet with everything that is written on it; arguments as of `written_pad`.

    Args:
        pen: one of `PENS`; a random one if it is "".
    """
    card = printed_card(edition, filled.board, rng, scale, careful)
    rows, columns = card.picture.shape[:2]
    width, height = columns / scale, rows / scale
    layer, ghost = InkLayer(width, height, scale), InkLayer(width, height, scale)
    style = random_style(hand, rng, careful)
    style = replace(style, pen=PENS.get(pen) or pen_for(rng, edition.sheet.name, card.gloss))
    writer = Writer(filled, card.paper, style, layer, ghost, card.at, rng, careful)
    fill_fields(writer)
    written = fill_blanks(writer)
    bare = card.picture.copy() if style.pen.kind == FAINT else None
    reflectance = inked(card.picture, layer, ghost, style.pen, rng)
    box = Box(*card.at, card.paper.width, card.paper.height)
    return WrittenPad(
        picture=reflectance,
        scale=scale,
        pad=box,
        pen=style.pen.kind,
        edition=edition.name,
        paper=card.paper,
        written=written,
        radius=card.radius,
        gloss=card.gloss,
        bare=bare,
    )


def toner(picture: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """The page as a printer puts it on paper: linear reflectance, BGR."""
    if rng.random() < GRAY_PRINTS:
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        picture = np.asarray(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), np.uint8)
    white = np.array([0.86, 0.865, 0.86]) * rng.uniform(0.94, 1.02) * rng.uniform(0.985, 1.015, 3)
    black = rng.uniform(0.015, 0.055)
    gains = rng.uniform(0.9, 1.15, 3)
    fade = rng.uniform(0.0, 0.12)
    level = np.linspace(0, 1, 256)
    linear = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    table = (
        black
        + (white - black) * linear[:, None] ** gains * (1 - fade)
        + white * fade * (linear[:, None])
    )
    lookup = np.ascontiguousarray(table.astype(np.float32).reshape(1, 256, 3))
    reflectance = cv2.LUT(picture, lookup)
    # The toner's dots and the paper's fibres.
    size = (picture.shape[0] // 2, picture.shape[1] // 2)
    fine = rng.standard_normal(size, dtype=np.float32)
    noise = cv2.GaussianBlur(fine, (0, 0), 0.8) * 0.02 + cv2.GaussianBlur(fine, (0, 0), 6) * 0.08
    noise = cv2.resize(noise, (picture.shape[1], picture.shape[0]))
    grainy = (1 + noise * rng.uniform(0.3, 1.0))[:, :, None]
    return np.asarray(reflectance * grainy, np.float32)


def inked(
    reflectance: npt.NDArray[np.float32],
    layer: InkLayer,
    ghost: InkLayer,
    pen: Pen,
    rng: np.random.Generator,
) -> npt.NDArray[np.float32]:
    """The reflectance with ink and rubbed-out ink on it; changes `reflectance`."""
    density = layer.settled(pen, rng)
    if ghost.density.any():
        density = density + cv2.GaussianBlur(ghost.density, (0, 0), 0.12 * layer.scale) * 0.16
    for channel, absorbs in enumerate(pen.absorbs):
        # Even black ink reflects some light.
        share = 0.03 + 0.97 * np.exp(density * -absorbs)
        under = reflectance[:, :, channel]
        veil = np.minimum(under, np.float32(pen.veiled))
        under[:] = veil + (under - veil) * share
    return reflectance
