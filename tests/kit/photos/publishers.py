"""Publishers' sheets for tests: plainly drawn from an edition's table, filled in with a pen.

How the reader copes with what is really printed is measured in `benchmarks/`, not here.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from companion.core.edition import Edition, Rgb
from companion.core.sheet import Box, Mark
from companion.games.editions import find_edition
from tests.kit.photos.paper import PX_PER_MM, Pad, write


def filled(
    sheet: str,
    edition: str,
    marks: Mapping[str, Mark],
    board: str = "",
    sums: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Pad:
    """A publisher's sheet with these marks and sums in ballpoint."""
    made = find_edition(sheet, edition)
    paper = made.paper(board)
    pad = Pad(sheet, board, _printed(made, board), {field.id: field for field in paper.fields})
    write(pad, marks, paper.blanks, sums or {}, random.Random(seed))
    return pad


def _printed(edition: Edition, board: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The sheet as the edition's table describes it, in the channels' order of OpenCV."""
    paper = edition.paper(board)
    size = round(paper.width * PX_PER_MM), round(paper.height * PX_PER_MM)
    picture = Image.new("RGB", size, edition.grounds[board])
    pen = ImageDraw.Draw(picture)
    for patch in edition.patches:
        pen.rounded_rectangle(_edges(patch.box), PX_PER_MM, patch.color)
    boxes = {place.id: place.box for place in (*paper.fields, *paper.blanks)}
    round_fields = {field.id for field in paper.fields if field.shape == "circle"}
    for name, printed in edition.prints[board].items():
        box = boxes[name]
        if name in round_fields:
            pen.ellipse(_edges(box), printed.fill)
        else:
            pen.rounded_rectangle(_edges(box), 1.2 * PX_PER_MM, printed.fill)
        if printed.disc:
            pen.ellipse(_edges(box, printed.disc_size), printed.disc)
        if printed.ring:
            pen.ellipse(_edges(box, 0.96), outline=printed.ink, width=round(0.7 * PX_PER_MM))
        if printed.star:
            pen.regular_polygon(
                (*_pixels(box.center), box.width * PX_PER_MM * 0.3), 5, outline=(255, 255, 255)
            )
        if printed.text:
            _print(pen, box, printed.text, printed.ink)
    return np.array(picture)[:, :, ::-1].copy()


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
