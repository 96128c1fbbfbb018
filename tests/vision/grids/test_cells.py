"""The lines of a paper, and dotted ones, are not strokes of the numbers between them."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np

from companion.core.sheet import Box
from companion.vision.grids import cells
from companion.vision.grids.cells import FlatGrid, Ink
from companion.vision.grids.lattice import Lattice
from lab.photos.paper import PX_PER_MM, Pad, draw, write_number

WIDTH, HEIGHT = 18.0, 10.0
SIDE = 60.0


def _paper() -> Pad:
    side = round(SIDE * PX_PER_MM)
    return Pad("", "", np.full((side, side, 3), 245, np.uint8), {})


def _write(pad: Pad) -> None:
    for row, column in product(range(4), range(2)):
        box = Box(10 + column * WIDTH, 10 + row * HEIGHT, WIDTH, HEIGHT)
        write_number(pad, box, "7")


def _inks(pad: Pad) -> list[Ink]:
    down, across = (10 + np.arange(count) * size for count, size in ((5, HEIGHT), (3, WIDTH)))
    corners = np.stack(np.meshgrid(across, down), axis=-1) * PX_PER_MM
    gray = np.asarray(cv2.cvtColor(pad.picture, cv2.COLOR_BGR2GRAY), np.uint8)
    table = FlatGrid.of(Lattice(corners, down * PX_PER_MM, across * PX_PER_MM), gray)
    return [*cells.inks(table, table.places).values()]


def _strokes(pad: Pad) -> list[int]:
    """How many strokes stand in each cell."""
    return [len(ink.strokes) for ink in _inks(pad)]


def _squares(pad: Pad, gray: int) -> None:
    for at in np.arange(2.5, SIDE, 5).tolist():
        draw(pad.picture, [(at, 0), (at, SIDE)], 0.3, (gray,) * 3)
        draw(pad.picture, [(0, at), (SIDE, at)], 0.3, (gray,) * 3)


def _write_pale(pad: Pad) -> None:
    for row, column in product(range(4), range(2)):
        x, y = 14 + column * WIDTH, 13 + row * HEIGHT
        draw(pad.picture, [(x, y), (x + 4, y), (x + 1, y + 5)], 0.5, (140, 140, 140))


def test_squares_of_the_paper_are_not_strokes() -> None:
    pad = _paper()
    _squares(pad, 170)
    _write(pad)
    assert _strokes(pad) == [1] * 8


def test_crossings_of_squares_are_no_points_beside_pale_numbers() -> None:
    pad = _paper()
    _squares(pad, 205)
    for x, y in product(np.arange(2.5, SIDE, 5).tolist(), repeat=2):
        draw(pad.picture, [(x - 0.1, y), (x + 0.1, y)], 0.4, (150, 150, 150))
    _write_pale(pad)
    inks = _inks(pad)
    assert [len(ink.strokes) for ink in inks] == [1] * 8
    parts = [cv2.connectedComponents((ink.picture > 0).astype(np.uint8))[0] - 1 for ink in inks]
    assert parts == [1] * 8


def test_dashes_of_dotted_lines_are_not_strokes() -> None:
    pad = _paper()
    for line in (11.0, 11.0 + WIDTH, 11.0 + 2 * WIDTH):
        for at in np.arange(10, 10 + 4 * HEIGHT, 2.2).tolist():
            draw(pad.picture, [(line, at), (line, at + 1)], 0.5)
    for line in (10 + np.arange(5) * HEIGHT).tolist():
        for at in np.arange(10, 10 + 2 * WIDTH, 2.2).tolist():
            draw(pad.picture, [(at, line), (at + 1, line)], 0.5)
    _write(pad)
    assert _strokes(pad) == [1] * 8


def test_dashes_beside_the_place_of_their_line_are_not_strokes_but_signs_are() -> None:
    pad = _paper()
    for at in np.arange(10, 10 + 4 * HEIGHT, 2.2).tolist():
        for line in (13.0, 13.0 + WIDTH, 10.0 + 2 * WIDTH):
            draw(pad.picture, [(line, at), (line, at + 1)], 0.5)
    for at in np.arange(10, 10 + 2 * WIDTH, 2.2).tolist():
        for line in (10 + np.arange(5) * HEIGHT).tolist():
            draw(pad.picture, [(at, line), (at + 1, line)], 0.5)
    _write(pad)
    draw(pad.picture, [(15.5, 15.0), (17.2, 15.0)], 0.5)
    assert _strokes(pad) == [2, *[1] * 7]


def test_thick_uneven_lines_beside_their_places_are_no_strokes() -> None:
    pad = _paper()
    _write_pale(pad)
    along = np.arange(6.0, 55.0, 3.0)
    uneven = 0.7 + 0.2 * (-1) ** np.arange(len(along))
    for place in (10 + np.arange(5) * HEIGHT).tolist():
        draw(pad.picture, [*zip(along, place + uneven, strict=True)], 1.8, (20, 20, 20))
    for place in (10 + np.arange(3) * WIDTH).tolist():
        draw(pad.picture, [*zip(place - uneven, along, strict=True)], 1.8, (20, 20, 20))
    assert _strokes(pad) == [1] * 8


def test_remains_of_lines_are_not_strokes() -> None:
    pad = _paper()
    for column in (0, 1):
        beside = 10.7 + column * WIDTH
        draw(pad.picture, [(beside, 12), (beside, 18.5)], 0.4)
        above = 20.2
        draw(pad.picture, [(16 + column * WIDTH, above), (21 + column * WIDTH, above)], 0.4)
    _write(pad)
    assert _strokes(pad) == [1] * 8


def test_a_long_line_above_digits_is_not_a_stroke_even_beside_a_short_one() -> None:
    pad = _paper()
    for row, column in product(range(4), range(2)):
        x, y = 10 + column * WIDTH, 10 + row * HEIGHT
        draw(pad.picture, [(x + 2, y + 2.3), (x + WIDTH - 2, y + 1.3)], 0.4)
        draw(pad.picture, [(x + 3, y + 0.6), (x + 6, y + 0.6)], 0.4)
        write_number(pad, Box(x, y + 2.5, WIDTH, HEIGHT - 2.5), "7")
    assert _strokes(pad) == [1] * 8


def test_a_one_at_the_side_of_its_cell_is_a_stroke() -> None:
    pad = _paper()
    for row, column in product(range(4), range(2)):
        left = 10 + column * WIDTH
        draw(pad.picture, [(left + 1.1, 12 + row * HEIGHT), (left + 1.1, 18 + row * HEIGHT)], 0.4)
        write_number(pad, Box(left, 10 + row * HEIGHT, 8.0, HEIGHT), "7")
    assert _strokes(pad) == [2] * 8


def test_percentiles_of_rows_are_those_of_numpy() -> None:
    rng = np.random.default_rng(5)
    for size in (1, 2, 3, 8, 61, 62):
        rows = rng.random((3, size), np.float32)
        for share in (cells.LINED, cells.DARKER):
            expected = np.percentile(rows, share, axis=1, keepdims=True)
            np.testing.assert_allclose(cells._percentile(rows, share), expected, rtol=1e-6)
