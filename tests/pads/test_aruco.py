"""The markers: their table, their ids, and their outlines."""

from __future__ import annotations

import re

import pytest

from companion.core import markers
from companion.core.markers import DICTIONARY, SIDE
from companion.pads import aruco
from companion.pads.aruco import BITS


def test_an_id_says_sheet_board_and_corner() -> None:
    seen = {}
    for sheet in range(markers.SHEETS):
        for board in range(markers.BOARDS):
            for corner in markers.CORNERS:
                number = markers.marker_id(sheet, board, corner)
                assert 0 <= number < len(BITS)
                assert markers.meaning(number) == (sheet, board, corner)
                assert seen.setdefault(number, (sheet, board, corner)) == (sheet, board, corner)
    assert len(seen) == 224
    assert markers.meaning(224) is None
    assert markers.meaning(-1) is None


def test_there_is_room_for_a_fifth_sheet_and_no_eighth() -> None:
    assert markers.marker_id(4, 0, "top-left") == 128
    with pytest.raises(ValueError, match="no marker"):
        markers.marker_id(7, 0, "top-left")
    with pytest.raises(ValueError, match="no marker"):
        markers.marker_id(0, 8, "top-left")


def turned(bits: int) -> int:
    """A quarter turn of the cells."""
    cells = [
        [bits >> (SIDE * SIDE - 1 - row * SIDE - column) & 1 for column in range(SIDE)]
        for row in range(SIDE)
    ]
    value = 0
    for row in range(SIDE):
        for column in range(SIDE):
            value = value << 1 | cells[SIDE - 1 - column][row]
    return value


def test_no_marker_is_another_one_turned() -> None:
    """The dictionary's promise: any two differ in 6 cells at least, however they are turned."""
    used = BITS[:224]
    for number, bits in enumerate(used):
        ways = [bits]
        for _ in range(3):
            ways.append(turned(ways[-1]))
        for other in used[number + 1 :]:
            assert min((way ^ other).bit_count() for way in ways) >= 6


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
    cv2 = pytest.importorskip("cv2")
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    assert len(dictionary.bytesList) == len(BITS)
    for number in range(len(BITS)):
        picture = cv2.aruco.generateImageMarker(dictionary, number, markers.CELLS, borderBits=1)
        for row in range(markers.CELLS):
            for column in range(markers.CELLS):
                assert (picture[row, column] == 0) == aruco.is_black(number, row, column)
