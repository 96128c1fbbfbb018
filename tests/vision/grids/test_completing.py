"""Lines that a table's search lost are drawn in the photo as dark as the others."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.vision.grids.completing import with_lost_lines
from companion.vision.grids.lattice import Lattice

SIDE = 24  # Pixels of a cell


def _lattice(rows: Sequence[float], columns: Sequence[float]) -> Lattice:
    """Some of the lines of squares, in perspective."""
    down, across = (np.array(lines, float) * SIDE for lines in (rows, columns))
    x, y = np.meshgrid(across, down)
    return Lattice(np.stack([100 + x + 0.1 * y, 100 + y], axis=-1), down, across)


def _photo(shade: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Seven rows and columns of squares, the lines between the third and fourth in a shade.

    One line is a double one. The side of the paper is as far from them as another line, and the
    desk is farther away.
    """
    photo = np.full((370, 370), 240, np.uint8)
    cv2.line(photo, (282, 70), (314, 290), 60, 2)
    photo[300:] = 60
    whole = _lattice([*range(8)], [*range(8)]).corners.round().astype(int)
    for lines in (whole, whole.swapaxes(0, 1)):
        for number, line in enumerate(lines):
            start, end = line[[0, -1]].tolist()
            cv2.line(photo, start, end, shade if number == 3 else 60, 2)
    for away in ((6, 0), (0, 6)):
        start, end = (whole[5, [0, -1]] if away[1] else whole[[0, -1], 5]) + away
        cv2.line(photo, start.tolist(), end.tolist(), 60, 1)
    for x, y in (whole[:-1, :-1] + 12).reshape(-1, 2).tolist():
        cv2.line(photo, (x, y - 6), (x, y + 6), 60, 2)  # ones
    return photo


@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize(
    ("shade", "lost"),
    [(60, [3]), (60, [2, 3, 6]), (60, [0, 1, 7]), (60, [0, 1, 2, 4, 6]), (190, [])],
    ids=["one", "several", "outer ones", "most", "pale"],
)
def test_lines_as_dark_as_a_tables_own_are_its_own(
    shade: int, lost: list[int], turned: int
) -> None:
    every = [line for line in range(8) if shade == 60 or line != 3]
    seen = [line for line in every if line not in lost]
    found = with_lost_lines(_lattice(every, seen).turned(turned), _photo(shade)).turned(-turned)
    expected = _lattice(every, every)
    assert found.corners.shape == expected.corners.shape
    assert np.abs(found.corners - expected.corners).max() < 2
    assert np.abs(found.across - found.across[0] - expected.across).max() < 2


def test_ones_below_each_other_are_no_line_and_dashes_are() -> None:
    photo = _photo(60)
    photo[90:290:6, 160:190] = photo[92:290:6, 160:190] = 240  # the third line, dotted
    seen = _lattice([*range(8)], [0, 1, 2, 3, 4, 4.5, 5, 6, 7])
    found = with_lost_lines(seen, photo)
    assert found.corners.shape == (8, 8, 2)
    assert np.abs(found.across - found.across[0] - SIDE * np.arange(8)).max() < 2
    few = _lattice([0, 1, 2, 3], [0, 1, 2, 3, 4, 4.5, 5, 6, 7])
    assert with_lost_lines(few, photo).corners.shape[1] == 9
