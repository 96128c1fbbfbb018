"""Numbers are found in rows and columns without lines, and lines are trusted where they agree."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.grids import columns, digits, finding, ruling
from companion.vision.grids.columns import Numbers
from companion.vision.grids.digits import Digits
from companion.vision.grids.edges import Lines, slopes_of
from companion.vision.grids.lattice import Lattice
from lab.photos.paper import PX_PER_MM, Pad, Picture, draw, write_number

ROWS, COLUMNS = 6, 3
WIDTH, HEIGHT = 18.0, 9.0
LEFT, TOP = 20.0, 20.0
RIGHT, BOTTOM = LEFT + COLUMNS * WIDTH, TOP + ROWS * HEIGHT
NONE: list[tuple[tuple[float, float], tuple[float, float]]] = []
T = [
    ((LEFT, TOP + HEIGHT), (RIGHT, TOP + HEIGHT)),
    *(((LEFT + at * WIDTH, TOP), (LEFT + at * WIDTH, BOTTOM)) for at in (1, 2)),
]
GRID = [
    *(((LEFT, TOP + at * HEIGHT), (RIGHT, TOP + at * HEIGHT)) for at in range(ROWS + 1)),
    *(((LEFT + at * WIDTH, TOP), (LEFT + at * WIDTH, BOTTOM)) for at in range(COLUMNS + 1)),
]
LEVEL = GRID[: ROWS + 1]
EMPTY = np.full((8, 8), 240, np.uint8)  # A photo


def _paper(lines: list[tuple[tuple[float, float], tuple[float, float]]], thick: float) -> Pad:
    size = (round(100 * PX_PER_MM), round(110 * PX_PER_MM), 3)
    pad = Pad("", "", np.full(size, 245, np.uint8), {})
    for line in lines:
        draw(pad.picture, [*line], thick)
    for row in range(ROWS):
        for column in range(COLUMNS):
            box = Box(LEFT + column * WIDTH, TOP + row * HEIGHT, WIDTH, HEIGHT)
            write_number(pad, box, str(10 + 7 * row + 13 * column))
    return pad


def _small(picture: Picture, lean: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The paper in gray at the size at which tables are searched for, from above or from a side."""
    height, width = picture.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    seen = corners + np.array([(lean, lean / 2), (0, 0), (0, 0), (-lean, 0)], np.float32) * width
    to_photo = cv2.getPerspectiveTransform(corners, seen.astype(np.float32))
    photo = cv2.warpPerspective(picture, to_photo, (width, height), borderValue=(90, 90, 90))
    gray = cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)
    scale = ruling.SIDE / max(gray.shape)
    return np.asarray(cv2.resize(gray, None, fx=scale, fy=scale, interpolation=3), np.uint8)


def _found(pad: Pad, lean: float = 0.0) -> Numbers:
    gray = _small(pad.picture, lean)
    return columns.find_numbers(gray, ruling.segments(gray))[0]


@pytest.mark.parametrize("lean", [0.0, 0.12])
@pytest.mark.parametrize(
    ("lines", "thick"),
    [(NONE, 0.3), (T, 0.4), (LEVEL, 0.4), (GRID, 0.4), (GRID, 1.6)],
    ids=["none", "T", "level", "grid", "thick"],
)
def test_rows_and_columns_are_those_of_the_numbers(
    lines: list[tuple[tuple[float, float], tuple[float, float]]], thick: float, lean: float
) -> None:
    found = _found(_paper(lines, thick), lean)
    assert found.lattice.corners.shape[:2] == (ROWS + 1, COLUMNS + 1)
    assert found.fill == 1.0


@pytest.mark.parametrize("pale", [195, 210])
def test_the_papers_own_lines_do_not_belong_to_the_table(pale: int) -> None:
    squares = np.arange(0, 105, 5.0)
    pad = _paper(NONE, 0.3)
    for at in squares.tolist():
        draw(pad.picture, [(at, 0), (at, 100)], 0.2, (pale,) * 3)
        draw(pad.picture, [(0, at), (110, at)], 0.2, (pale,) * 3)
    # Which side is up is asked when the numbers are read.
    assert sorted(_found(pad).lattice.corners.shape[:2]) == [COLUMNS + 1, ROWS + 1]


def test_noise_of_a_black_table_is_not_ink() -> None:
    rng = np.random.default_rng(5)
    photo = rng.normal(20, 1.0, (600, 800)).clip(0, 255)
    photo[100:500, 200:600] = 230
    ink, _ = digits.writing(photo.astype(np.uint8))
    assert (ink[:, 650:] > 0).mean() < 0.01


def test_a_second_table_is_found_beside_the_first_and_a_pattern() -> None:
    photo = _small(_paper(NONE, 0.3).picture, 0.0)
    rng = np.random.default_rng(5)
    cloth = np.full_like(photo, 235)
    for x, y in rng.uniform(60, 0.9 * np.array(photo.shape[::-1]), (250, 2)).astype(int).tolist():
        cv2.ellipse(cloth, (x, y), (9, 22), float(rng.uniform(-20, 20)), 0, 360, 30, 3)
    side_by_side = np.concatenate([photo, cloth, photo], axis=1)
    scale = 2000 / side_by_side.shape[1]
    gray = cv2.resize(side_by_side, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found = columns.find_numbers(gray, ruling.segments(gray))
    assert [each.lattice.corners.shape[:2] for each in found[:2]] == [(ROWS + 1, COLUMNS + 1)] * 2


def test_a_cloth_around_the_paper_does_not_hide_its_table() -> None:
    paper = _small(_paper(NONE, 0.3).picture, 0.0)
    high, wide = paper.shape
    cloth = np.full((high + 700, wide + 700), 235, np.uint8)
    for row, y in enumerate(range(0, cloth.shape[0], 110)):
        for x in range(55 * (row % 2), cloth.shape[1], 110):
            cv2.ellipse(cloth, (x, y), (40, 30), 20, 0, 360, 60, 9)
    cloth[350 : 350 + high, 350 : 350 + wide] = paper
    scale = ruling.SIDE / max(cloth.shape)
    gray = cv2.resize(cloth, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found = columns.find_numbers(gray, ruling.segments(gray))
    assert found[0].lattice.corners.shape[:2] == (ROWS + 1, COLUMNS + 1)


def test_a_thick_grid_that_leans_is_divided_by_its_lines() -> None:
    pad = _paper(GRID, 1.6)
    height, width = pad.picture.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 65, 0.8)
    pad.picture[:] = cv2.warpAffine(pad.picture, turn, (width, height), borderValue=(245,) * 3)
    assert sorted(_found(pad).lattice.corners.shape[:2]) == [COLUMNS + 1, ROWS + 1]


def test_a_table_is_found_from_its_other_side_if_none_is_from_the_likelier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Digits that touch each other are wider than high."""
    pad = _paper(NONE, 0.3)
    height, width = pad.picture.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 65, 0.8)
    pad.picture[:] = cv2.warpAffine(pad.picture, turn, (width, height), borderValue=(245,) * 3)
    monkeypatch.setattr(columns, "_uprightness", lambda _: 0.9)
    assert sorted(_found(pad).lattice.corners.shape[:2]) == [COLUMNS + 1, ROWS + 1]


def test_a_place_is_found_in_wide_heads_on_bent_paper_and_beside_the_table() -> None:
    down, across = np.arange(7) * 50.0, np.array([0, 150, 200, 250, 300.0])
    x, y = np.meshgrid(across, down)
    corners = np.stack([x + 0.1 * y, y + 40 * np.sin(x / 100)], axis=-1)
    lattice = Lattice(corners, down, across)
    middles = (corners[:-1, :-1] + corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1]) / 4
    expected = np.stack(np.mgrid[:6, :4], axis=-1) + 0.5
    assert lattice.measured(middles.reshape(-1, 2)) == pytest.approx(
        expected.reshape(-1, 2), abs=0.01
    )
    beyond = 2 * corners[-1] - corners[-2]
    assert lattice.measured(beyond)[:, 0] == pytest.approx(7, abs=0.01)


def test_lines_show_a_slope_that_few_numbers_do_not() -> None:
    rng = np.random.default_rng(5)
    v = rng.uniform(0, 400, 30)
    at = np.stack([rng.uniform(0, 500, 30), v], axis=1)
    reach = np.full(30, 12.0)
    lines = np.array([[(0, y), (500, y - 0.15 * 500)] for y in (100, 200, 300)], float)
    assert slopes_of(at, reach, lines, 4.0, -0.4, 0.4).slope == pytest.approx(0.15, abs=0.01)


@pytest.mark.parametrize(
    ("drawn", "rows", "columns"),
    [((10, 50), 1.0, 3 / 5), ((10, 20), 2 / 3, 3 / 5), ((10, 20, 30, 40, 50), 1.0, 1.0)],
)
def test_lines_below_names_and_above_sums_do_not_make_rows_uneven(
    drawn: tuple[int, ...], rows: float, columns: float
) -> None:
    places = np.array([(at, at) for at in drawn], float)
    lines = Lines(places, np.array([(0.0, 100.0)] * len(drawn)))
    edges, span = np.arange(0, 61, 10.0), (0.0, 100.0)
    assert lines.evenness(edges, 2.0, span, are_rows=True) == pytest.approx(rows)
    assert lines.evenness(edges, 2.0, span, are_rows=False) == pytest.approx(columns)


def _ragged(rows: int, count: int) -> Digits:
    """Digits whose boxes have rests of lines at some of their ends, as on squared paper."""
    rng = np.random.default_rng(2)
    boxes = []
    for row in range(rows):
        for column in range(count):
            for part in (0, 1):
                x, y = 150 * column + 34 * part, 75.0 * row
                above, below = rng.permutation([0, 30])
                boxes.append((x, y - above, x + 25, y + 36 + below))
    size = np.zeros((75 * rows, 150 * count), np.uint8)
    return Digits(np.array(boxes, float) + 100, 37.0, np.pad(size, 120), np.array(boxes, float))


def test_remains_of_lines_make_no_rows() -> None:
    made = columns._table(_ragged(5, 4), np.zeros((0, 4)))
    assert made is not None
    assert made.lattice.corners.shape[:2] == (6, 5)


def test_numbers_above_each_other_are_seen_in_cells_of_two_rows() -> None:
    cells = np.array([(0, 0), (0, 0), (0, 1), (1, 0)])
    reach = np.full(4, 10.0)
    assert columns._single(cells, np.array([0, 2, 0, 40.0]), reach, 2.0) == 1
    assert columns._single(cells, np.array([0, 30, 0, 60.0]), reach, 2.0) == pytest.approx(2 / 3)


def test_edges_of_the_paper_are_not_lines_of_the_table() -> None:
    ragged = _ragged(5, 4)
    ragged.lines[:] = 1
    right = ragged.boxes[:, 2].max()
    inside, side = (250.0, 120.0, 250.0, 400.0), (right + 120, 120.0, right + 90, 400.0)
    assert columns._of_lines(np.array([inside, side]), ragged).tolist() == [list(inside)]


NOWHERE = Lines.of(np.zeros((0, 2)), np.zeros((0, 2)), 10.0)


def _words(starts: list[float], wide: float = 15.0) -> columns._Words:
    """Six words of a column after those of another, each in a row of its own."""
    at = np.array(starts)
    return columns._Words(at, at + wide, np.arange(len(at)) % 6)


@pytest.mark.parametrize(("at", "count"), [(33.0, 3), (23.0, 4)], ids=["near", "apart"])
def test_a_letter_near_a_column_is_not_a_column(at: float, count: int) -> None:
    words = _words([0.0] * 6 + [40.0] * 6 + [80.0] * 6 + [at])
    words.stops[-1] = at + 4
    edges = columns._columns(words, 6, 10.0, NOWHERE, (0.0, 100.0))
    assert edges is not None
    assert len(edges) == count + 1


def test_what_stands_beside_a_table_does_not_widen_it() -> None:
    words = _words([0.0] * 6 + [40.0] * 6 + [-90.0])
    edges = columns._columns(words, 6, 10.0, NOWHERE, (0.0, 100.0))
    assert edges == pytest.approx([-12.5, 27.5, 67.5], abs=1)


def test_numbers_that_reach_below_their_neighbours_are_in_two_columns() -> None:
    """One of six rows is written too far to the right; the others have a space there."""
    ragged = _words([0.0, 0, 14, 2, 0, 1, 24, 25, 33, 22, 34, 24])
    edges = columns._columns(ragged, 6, 10.0, NOWHERE, (0.0, 100.0))
    assert edges is not None
    assert len(edges) == 3
    wide = _words([0.0, 0, 4, 2, 3, 1, 17], 16.0)
    assert columns._columns(wide, 6, 10.0, NOWHERE, (0.0, 100.0)) is None


@pytest.mark.parametrize(
    ("size", "fill", "expected"),
    [
        ((7, 3), 0.9, True),
        ((6, 4), 0.9, True),
        ((7, 3), 0.7, False),
        ((7, 4), 0.9, False),
        ((7, 2), 0.9, False),
        ((6, 3), 0.9, False),
    ],
)
def test_cells_with_one_more_row_of_smaller_numbers_are_taken(
    size: tuple[int, int], fill: float, expected: bool
) -> None:
    def numbers(size: tuple[int, int], fill: float) -> Numbers:
        down, across = (np.arange(count + 1.0) for count in size)
        lattice = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
        cells = np.array(list(np.ndindex(size)))
        return Numbers(lattice, cells[:, ::-1] + 0.5, cells, fill, np.zeros((0, 4)), 0.4, 1.0, 1.0)

    assert columns._extends(numbers(size, fill), numbers((6, 3), 1.0)) is expected


def test_several_numbers_in_a_cell_speak_against_its_columns() -> None:
    short = np.array([0.5, 1, 2, 2.5])
    apart = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
    assert columns._alone(apart, short) == 1
    assert columns._alone(apart // (1, 2), short) == 0.5
    assert columns._alone(apart, short + 5.5) < 0.5


def test_rows_and_columns_with_few_digits_are_not_tried() -> None:
    down, across = np.arange(5.0), np.arange(7.0)
    lattice = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    nobody = np.zeros((0, 2))
    cells = np.zeros((0, 2), np.intp)
    full, half = (
        Numbers(lattice, nobody, cells, fill, np.zeros((0, 4)), 0.4, 1.0, 1.0)
        for fill in (0.9, 0.4)
    )
    assert len(finding._tries(None, [full, half], EMPTY)) == 1
    assert not finding._tries(None, [half], EMPTY)
