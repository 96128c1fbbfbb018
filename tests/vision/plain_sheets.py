"""Publishers' sheets drawn plainly, in the rough colours of their tables, and flattened."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.core.shapes import Pentagon
from companion.core.sheet import Box, Field
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM
from tests.kit.wide import wide

BOARDS = [
    (pytest.param if board == made.sheet.usual_board else wide)(
        made, board, id="-".join(filter(None, (made.sheet.name, made.name, board)))
    )
    for made in editions()
    for board in made.sheet.every_board
]
each_board = pytest.mark.parametrize(("edition", "board"), BOARDS)
"""Each board of each edition; all but the usual ones are wide."""


def plain(edition: Edition, board: str) -> np.ndarray:
    """The empty sheet, BGR, at `FLAT_PX_PER_MM`, a little soft as photos are."""
    paper = edition.paper(board)
    rows, columns = round(paper.height * FLAT_PX_PER_MM), round(paper.width * FLAT_PX_PER_MM)
    flat = np.zeros((rows, columns, 3), np.uint8)
    flat[:] = edition.grounds[board][::-1]
    for patch in edition.patches:
        _fill(flat, patch.box, patch.color)
    for field in paper.fields:
        printed = edition.prints[board][field.id]
        if field.shape == "circle":
            _disc(flat, field, printed.fill, field.box.width)
        elif field.shape == "pentagon":
            corners = np.array(Pentagon(field.box).points) * FLAT_PX_PER_MM
            cv2.fillPoly(
                flat, [np.round(corners).astype(np.int32)], printed.fill[::-1], cv2.LINE_AA
            )
        else:
            _fill(flat, field.box, printed.fill)
        if printed.disc:
            _disc(flat, field, printed.disc, field.box.width * printed.disc_size)
        if printed.text:
            x, y = (at * FLAT_PX_PER_MM for at in field.box.center)
            size, line = (0.45, 1) if field.kind == "number" else (0.9, 3)
            wide, high = (20 * size * len(printed.text), 22 * size)
            place = round(x - wide / 2), round(y + high / 2)
            cv2.putText(flat, printed.text, place, 0, size, printed.ink[::-1], line, cv2.LINE_AA)
    return cv2.GaussianBlur(flat, (0, 0), 0.8)


def crossed(
    flat: np.ndarray, fields: Iterable[Field], ink: tuple[int, int, int] = (120, 40, 30)
) -> np.ndarray:
    """The sheet with a cross in each of some fields; `ink` is blue, green, red."""
    written = flat.copy()
    for field in fields:
        x, y, reach = *field.box.center, field.box.width * 0.36
        for side in (-1, 1):
            ends = ((x - reach, y - side * reach), (x + reach, y + side * reach))
            points = [tuple(round(at * FLAT_PX_PER_MM) for at in end) for end in ends]
            cv2.line(written, *points, ink, 3, cv2.LINE_AA)
    return cv2.GaussianBlur(written, (0, 0), 0.5)


def _fill(flat: np.ndarray, box: Box, color: tuple[int, int, int]) -> None:
    sides = (box.x, box.y, box.x + box.width, box.y + box.height)
    left, top, right, bottom = (max(round(at * FLAT_PX_PER_MM), 0) for at in sides)
    flat[top:bottom, left:right] = color[::-1]


def _disc(flat: np.ndarray, field: Field, color: tuple[int, int, int], across: float) -> None:
    x, y = (round(at * FLAT_PX_PER_MM * 16) for at in field.box.center)
    radius = round(across / 2 * FLAT_PX_PER_MM * 16)
    cv2.circle(flat, (x - 8, y - 8), radius, color[::-1], -1, cv2.LINE_AA, 4)
