"""Ink is that of digits if one pen may have written it, and no line's or cloth's."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.grids import ruling
from companion.vision.grids.digits import Digits, _without, find_digits, without_squares, writing

ROWS, COLUMNS, LEFT, TOP, WIDTH, HEIGHT = 6, 4, 200, 200, 110, 70
Gray = npt.NDArray[np.uint8]


def _numbers(shade: int = 90) -> Gray:
    """Zeros and sevens as strokes: each OpenCV has other letters."""
    gray = np.full((800, 800), 235, np.uint8)
    for row in range(ROWS):
        for column in range(COLUMNS):
            for place in range(2):
                x, y = LEFT + column * WIDTH + 28 * place, TOP + row * HEIGHT
                if (row + column + place) % 2:
                    cv2.ellipse(gray, (x + 9, y - 13), (8, 12), 0, 0, 360, shade, 3, cv2.LINE_AA)
                else:
                    seven = np.array([(x, y - 25), (x + 18, y - 25), (x + 6, y)])
                    cv2.polylines(gray, [seven], False, shade, 3, cv2.LINE_AA)
    return gray


def _found(gray: Gray) -> Digits:
    return find_digits(*writing(gray), np.zeros((0, 4)))[0][1]


def test_patches_of_a_cloth_in_line_with_numbers_are_not_digits() -> None:
    gray = _numbers()
    for x in range(LEFT, LEFT + COLUMNS * WIDTH, 55):
        for y in (80, 130):
            cv2.rectangle(gray, (x, y), (x + 24, y + 28), 90, -1)
    found = _found(gray)
    assert len(found.boxes) == 2 * ROWS * COLUMNS
    assert found.boxes[:, 1].min() > 140


def test_pale_digits_beside_a_thick_dark_line_are_seen() -> None:
    gray = _numbers(shade=165)
    cv2.line(gray, (LEFT - 20, TOP - 50), (LEFT + COLUMNS * WIDTH, TOP - 50), 20, 12)
    assert len(_found(gray).boxes) == 2 * ROWS * COLUMNS


def test_short_dashes_of_dotted_lines_are_not_digits() -> None:
    gray = _numbers()
    right, bottom = LEFT - 20 + COLUMNS * WIDTH, TOP - 48 + ROWS * HEIGHT
    for x in range(LEFT - 20, right, 22):
        for row in range(ROWS + 1):
            y = TOP - 48 + row * HEIGHT
            cv2.line(gray, (x + 4, y), (x + 10, y), 60, 7, cv2.LINE_AA)
    for y in range(TOP - 48, bottom, 22):
        for column in range(COLUMNS + 1):
            x = LEFT - 20 + column * WIDTH
            cv2.line(gray, (x, y + 4), (x, y + 10), 60, 7, cv2.LINE_AA)
    assert _found(gray).height > 20


def test_a_pencil_as_pale_as_squares_is_seen_without_them() -> None:
    gray = _numbers(shade=180)
    for at in range(12, 800, 26):
        pale = np.minimum(gray, 190)
        gray[at : at + 2], gray[:, at : at + 2] = pale[at : at + 2], pale[:, at : at + 2]
    gray = np.asarray(cv2.GaussianBlur(gray, (3, 3), 0), np.uint8)
    segments = ruling.segments(gray)
    ink, is_end = writing(gray)
    # Beside the digits there are parts of squares.
    assert len(find_digits(ink, is_end, segments)[0][1].boxes) > 3 * ROWS * COLUMNS
    bare = without_squares(ink, segments)
    assert bare is not None
    found = find_digits(bare, is_end, segments)[0][1]
    assert 1.4 * ROWS * COLUMNS <= len(found.boxes) <= 2 * ROWS * COLUMNS
    inside = (found.centers > (LEFT - 10, TOP - 50)) & (
        found.centers < (LEFT + COLUMNS * WIDTH, TOP + (ROWS - 1) * HEIGHT + 10)
    )
    assert inside.all(axis=1).mean() > 0.9


@pytest.mark.parametrize("slope", [0.5, 89.5, 20.0])
@pytest.mark.parametrize("lean", [-10, 0, 10])
def test_a_thin_stroke_goes_on_over_a_papers_line(slope: float, lean: float) -> None:
    ink = np.zeros((80, 80), np.float32)
    is_line = np.zeros((2, 80, 80), np.uint8)
    level = slope if slope < 45 else slope - 90
    turn = cv2.getRotationMatrix2D((40, 40), -level, 1.0)
    cv2.line(is_line[0], (0, 40), (79, 40), 1, 5)
    is_line[0] = cv2.warpAffine(is_line[0], turn, (80, 80), flags=cv2.INTER_NEAREST)
    angle = np.radians(level + 90 + lean)
    way = np.round(30 * np.array([np.cos(angle), np.sin(angle)])).astype(int)
    cv2.line(ink, (40 - way[0], 40 - way[1]), (40 + way[0], 40 + way[1]), 0.2, 2)
    whole = _without(ink, is_line > 0, slope)
    assert cv2.connectedComponents((whole > 0).astype(np.uint8))[0] == 2
    assert (whole > 0).sum() < 1.2 * (ink > 0).sum()
