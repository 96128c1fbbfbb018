"""The markers: their table, their ids, and their outlines."""

from __future__ import annotations

import re
from itertools import product

import cv2
import pytest

from companion.core import markers
from companion.core.markers import DICTIONARY
from companion.pads import aruco
from companion.pads.aruco import BITS


def test_an_id_says_sheet_board_and_corner() -> None:
    """There is room for seven sheets of eight boards."""
    assert (markers.SHEETS, markers.BOARDS) == (7, 8)
    places = list(product(range(markers.SHEETS), range(markers.BOARDS), markers.CORNERS))
    numbers = [markers.marker_id(*place) for place in places]
    assert sorted(numbers) == list(range(224))
    assert [markers.meaning(number) for number in numbers] == places
    assert markers.marker_id(4, 0, "top-left") == 128
    for number in (-1, 224):
        assert markers.meaning(number) is None
    for sheet, board in ((7, 0), (0, 8)):
        with pytest.raises(ValueError, match="no marker"):
            markers.marker_id(sheet, board, "top-left")


@pytest.mark.parametrize("number", [0, 17, 33, 66, 223])
def test_the_outline_encloses_the_black_cells(number: int) -> None:
    loops = [
        [tuple(map(float, point.split())) for point in re.split("L", loop)]
        for loop in re.findall(r"M([^z]*)z", aruco.path(number))
    ]
    step = markers.MARKER / markers.CELLS
    for row in range(-1, markers.CELLS + 1):
        for column in range(-1, markers.CELLS + 1):
            x, y = (column + 0.5) * step, (row + 0.5) * step
            crossed = 0
            for loop in loops:
                for (x1, y1), (x2, y2) in zip(loop, loop[1:] + loop[:1], strict=True):
                    assert x1 == x2 or y1 == y2
                    crossed += x1 == x2 > x and min(y1, y2) < y < max(y1, y2)
            assert bool(crossed % 2) == aruco.is_black(number, row, column)


def test_the_table_is_opencvs() -> None:
    """So any two differ in six cells at least, however they are turned."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    assert len(dictionary.bytesList) == len(BITS)
    for number in range(len(BITS)):
        picture = cv2.aruco.generateImageMarker(dictionary, number, markers.CELLS, borderBits=1)
        for row in range(markers.CELLS):
            for column in range(markers.CELLS):
                assert (picture[row, column] == 0) == aruco.is_black(number, row, column)
