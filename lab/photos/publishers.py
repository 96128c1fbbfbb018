"""Publishers' sheets for tests: plainly drawn from an edition's table, filled in with a pen.

How the reader copes with what is really printed is measured in `benchmarks/`, not here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from companion.core.edition import Edition, Rgb
from companion.core.shapes import Pentagon
from companion.core.sheet import Box, Field, Mark
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM
from lab.photos.paper import PX_PER_MM, Line, Pad, Picture, draw, write
from lab.wide import wide

FINE: Final = 4
"""The factor by which a flattened sheet is drawn larger: equal print is to differ nowhere."""
BOARDS = [
    (pytest.param if board == made.sheet.usual_board else wide)(
        made, board, id="-".join(filter(None, (made.sheet.name, made.name, board)))
    )
    for made in editions()
    for board in made.sheet.every_board
]
each_board = pytest.mark.parametrize(("edition", "board"), BOARDS)
"""Each board of each edition; all but the usual ones are wide."""


def crosses_go_over_print(made: Edition) -> bool:
    """Whether numbers are printed in fields for crosses."""
    board = made.sheet.usual_board
    fields = made.paper(board).fields
    return any(made.prints[board][f.id].text.isdigit() for f in fields if f.kind == "cross")


def filled_in(
    made: Edition,
    marks: Mapping[str, Mark],
    board: str = "",
    sums: Mapping[str, int] | None = None,
) -> Pad:
    """A publisher's sheet with these marks and sums in ballpoint."""
    paper = made.paper(board)
    pad = Pad(
        made.sheet.name, board, _printed(made, board), {field.id: field for field in paper.fields}
    )
    write(pad, marks, paper.blanks, sums or {}, random.Random(0))
    return pad


def flattened(
    edition: Edition,
    board: str,
    crossed: Iterable[Field] = (),
    ink: Rgb = (30, 40, 120),
    lines: Iterable[Line] = (),
    width_mm: float = 0.5,
) -> Picture:
    """The sheet with a cross in some fields, as the reader has it from a photo.

    Args:
        lines: further paths of a pen, in millimetres on the paper.
    """
    picture = _reduced(edition, board).copy()
    for line in (*(line for field in crossed for line in cross(field.box)), *lines):
        draw(picture, line, width_mm, ink[::-1])
    paper = edition.paper(board)
    flat = _sized(picture, paper.width * FLAT_PX_PER_MM, paper.height * FLAT_PX_PER_MM)
    return np.asarray(cv2.GaussianBlur(flat, (0, 0), 0.8), np.uint8)


def cross(box: Box) -> list[Line]:
    """A cross in the middle of a box."""
    x, y, reach = *box.center, box.width * 0.36
    return [[(x - reach, y - side), (x + reach, y + side)] for side in (-reach, reach)]


def ring(box: Box) -> list[Line]:
    """A ring around a box."""
    x, y, reach = *box.center, box.width * 0.46
    turns = np.linspace(0, 6.6, 24)
    return [[(x + reach * math.cos(turn), y + reach * math.sin(turn)) for turn in turns]]


def tick(box: Box) -> list[Line]:
    """A tick through a box."""
    x, y, reach = *box.center, box.width * 0.4
    low = (x - reach * 0.2, y + reach * 0.7)
    return [[(x - reach * 0.8, y), low, (x + reach, y - reach)]]


def filling(box: Box) -> list[Line]:
    """Strokes that fill most of a box."""
    x, y, reach = *box.center, box.width * 0.36
    return [
        [(x - reach, y + down), (x + reach, y + down)] for down in np.arange(-reach, reach, 0.4)
    ]


@lru_cache(8)
def _reduced(edition: Edition, board: str) -> Picture:
    """The print at `PX_PER_MM`, drawn larger first so that its edges are soft."""
    paper = edition.paper(board)
    drawn = _printed(edition, board, FINE)
    return _sized(drawn, paper.width * PX_PER_MM, paper.height * PX_PER_MM)


def _sized(picture: Picture, width: float, height: float) -> Picture:
    size = round(width), round(height)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _printed(edition: Edition, board: str, scale: int = 1) -> Picture:
    """The sheet as the edition's table describes it, in the channels' order of OpenCV."""
    paper = edition.paper(board)
    unit = PX_PER_MM * scale
    size = round(paper.width * unit), round(paper.height * unit)
    picture = Image.new("RGB", size, edition.grounds[board])
    pen = ImageDraw.Draw(picture)
    for patch in edition.patches:
        pen.rounded_rectangle(_edges(_larger(patch.box, scale)), unit, patch.color)
    places = {place.id: place for place in (*paper.fields, *paper.blanks)}
    for name, printed in edition.prints[board].items():
        box, shape = _larger(places[name].box, scale), places[name].shape
        if shape == "circle":
            pen.ellipse(_edges(box), printed.fill)
        elif shape == "pentagon":
            pen.polygon([_pixels(corner) for corner in Pentagon(box).points], printed.fill)
        else:
            pen.rounded_rectangle(_edges(box), 1.2 * unit, printed.fill)
        if printed.disc:
            pen.ellipse(_edges(box, printed.disc_size), printed.disc)
        if printed.ring:
            pen.ellipse(_edges(box, 0.96), outline=printed.ink, width=round(0.7 * unit))
        if printed.star:
            pen.regular_polygon(
                (*_pixels(box.center), box.width * PX_PER_MM * 0.3), 5, outline=(255, 255, 255)
            )
        if printed.text == "lock":
            _print_padlock(pen, box, printed.ink, unit)
        elif printed.text:
            _print(pen, box, printed.text, printed.ink)
    return np.array(picture)[:, :, ::-1].copy()


def _print_padlock(pen: ImageDraw.ImageDraw, box: Box, ink: Rgb, unit: float) -> None:
    x, y = box.center
    side = box.width * 0.46
    pen.rectangle(_edges(Box(x - side / 2, y, side, side * 0.7)), ink)
    shackle = Box(x - side * 0.3, y - side * 0.55, side * 0.6, side)
    pen.arc(_edges(shackle), 180, 0, ink, round(0.5 * unit))


def _larger(box: Box, scale: int) -> Box:
    return Box(box.x * scale, box.y * scale, box.width * scale, box.height * scale)


def _print(pen: ImageDraw.ImageDraw, box: Box, text: str, ink: Rgb) -> None:
    font = ImageFont.load_default(box.height * PX_PER_MM * 0.6)
    # The signs stand in the left third of the boxes for sums.
    x = box.center[0] if box.width < 1.5 * box.height else box.x + box.width / 6
    pen.text(_pixels((x, box.center[1])), text, ink, font, anchor="mm")


def _edges(box: Box, share: float = 1.0) -> tuple[float, float, float, float]:
    """Left, top, right and bottom in pixels of the box, made smaller around its centre."""
    x, y = box.center
    across, down = box.width / 2 * share, box.height / 2 * share
    return (*_pixels((x - across, y - down)), *_pixels((x + across, y + down)))


def _pixels(point: tuple[float, float]) -> tuple[float, float]:
    return (point[0] * PX_PER_MM, point[1] * PX_PER_MM)
