"""Which cells of a photo are tried, and when no others need be."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.core import FieldReading
from companion.vision.grids import examining
from companion.vision.grids.cells import FlatGrid
from companion.vision.grids.columns import Numbers
from companion.vision.grids.examining import Examined
from companion.vision.grids.finding import (
    Search,
    _for_search,
    _has_known_size,
    _is_menu,
    _is_other,
    _plainly,
    is_mirrored,
    unsure,
)
from companion.vision.grids.grid import Grid
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing
from companion.vision.grids.ruling import SIDE
from companion.vision.mapping.plane import mapped, scaling


@pytest.mark.parametrize(
    ("refusal", "chance", "is_enough"),
    [
        ("", 0.99, True),
        ("", 0.7, False),
        ("a bingo card", 0.99, True),
        ("a bingo card", 0.7, False),
        ("words or signs without lines", 0.99, False),
    ],
)
def test_other_cells_are_tried_unless_numbers_are_surely_read(
    refusal: str, chance: float, is_enough: bool
) -> None:
    """Lines that were not seen may divide what was refused as words."""
    lines = np.arange(4.0)
    lattice = Lattice(np.stack(np.meshgrid(lines, lines), axis=-1), lines, lines)
    flat = FlatGrid(lattice, 10.0, np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.float32))
    written = {(row, at): Writing({7 * row + at: chance}) for row in range(3) for at in range(3)}
    read = Grid(flat, (0, 1, 2), (0, 1, 2), (), (), written)
    assert _plainly([Examined(lattice, True, refusal, read)]) == is_enough


@pytest.mark.parametrize(
    ("refusal", "is_ruled", "expected"),
    [
        ("a bingo card", True, True),
        ("a bingo card", False, False),
        ("words or signs without lines", True, False),
    ],
)
def test_a_bingo_card_with_a_heading_is_not_a_table(
    refusal: str, is_ruled: bool, expected: bool
) -> None:
    lines = np.arange(4.0)
    lattice = Lattice(np.stack(np.meshgrid(lines, lines), axis=-1), lines, lines)
    assert _is_other([Examined(lattice, is_ruled, refusal)]) is expected


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        ("words or signs at a glance", True),
        ("nothing but heads", True),
        ("dark squares", False),
    ],
)
def test_cells_that_were_not_all_read_may_be_mirrored(
    refusal: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = np.arange(4.0) * 20
    lattice = Lattice(np.stack(np.meshgrid(lines, lines), axis=-1), lines, lines)
    photo = np.zeros((80, 80), np.uint8)
    photo[:, :40] = 200
    monkeypatch.setattr(examining, "sample", lambda flat: (flat.lattice, (0, 2)))
    monkeypatch.setattr(examining, "legibility", lambda _, seen: 0.1 if seen[0, 0] else 0.8)
    refused = [Examined(lattice, True, "too few cells"), Examined(lattice, True, refusal)]
    assert is_mirrored(Search(None, np.zeros((0, 4)), [], refused), photo) is expected


@pytest.mark.parametrize(
    ("least", "letters", "heads", "names", "expected"),
    [
        (230, 5, (), 0, True),
        (30, 5, (), 0, False),
        (230, 1, (), 0, False),
        (230, 5, (0,), 0, False),
        (230, 5, (), 2, False),
    ],
    ids=["a menu", "points", "numbered rounds", "a row of heads", "names above"],
)
def test_words_before_rows_of_long_numbers_make_a_menu(
    least: int, letters: int, heads: tuple[int, ...], names: int, expected: bool
) -> None:
    """The points of its prices may be too small to be seen."""
    down, across = np.arange(9.0) * 20, np.arange(3.0) * 60
    corners = np.stack(np.meshgrid(across + 200, down), axis=-1)
    lattice = Lattice(corners, down, across)
    flat = FlatGrid(lattice, 10.0, np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.float32))
    rows = tuple(range(len(heads), 8))
    written = {(row, at): Writing({least + 37 * row + at: 0.97}) for row in rows for at in (0, 1)}
    boxes = [
        (50 + 12 * at, 20 * row + 4, 58 + 12 * at, 20 * row + 16)
        for row in range(8)
        for at in range(letters)
    ] + [(220 + 60 * at, -16, 228 + 60 * at, -4) for at in range(names)]
    nearby, none = np.array(boxes, np.float64), np.zeros((0, 2))
    found = Grid(flat, rows, (0, 1), heads, (), written)
    menu = Numbers(lattice, none, none.astype(np.intp), 1.0, nearby, 12.0, 1.0, 1.0)
    assert _is_menu(found, menu) is expected


@pytest.mark.parametrize(
    ("rows", "across", "expected"),
    [(20, 8, True), (19, 8, True), (20, 7, False), (14, 8, False), (40, 8, False)],
)
def test_lines_of_a_known_tables_size_are_tried_before_other_cells(
    rows: int, across: int, expected: bool
) -> None:
    """Most of a sheet with one column filled in is print, which may stand in rows, too."""
    down, along = np.arange(rows + 1.0), np.arange(across + 1.0)
    corners = np.stack(np.meshgrid(along, down), axis=-1)
    assert _has_known_size(Lattice(corners, down, along)) is expected


def test_lines_and_digits_are_searched_for_in_the_photo_that_is_large_enough() -> None:
    small, large = (np.zeros((part * 3, part * 4), np.uint8) for part in (320, 640))
    gray, to_photo = _for_search(small, lambda: (large, scaling(2)))
    assert gray.shape == (SIDE * 3 // 4, SIDE)
    ends = np.array([(-0.5, -0.5), (SIDE - 0.5, SIDE * 3 / 4 - 0.5)])
    assert mapped(to_photo, ends) == pytest.approx(np.array([(-0.5, -0.5), (1279.5, 959.5)]))
    assert _for_search(small, None)[0].shape == small.shape


@pytest.mark.parametrize(("doubtful", "asked"), [(1, 1), (2, 4), (0, 0)])
def test_more_is_asked_about_a_hand_that_is_hard_to_read(doubtful: int, asked: int) -> None:
    confidences = [0.8, 0.9][:doubtful] + [0.975, 0.98] + [0.999] * (18 - doubtful)
    fields = {f"row.{row}.column.1": FieldReading(7, each) for row, each in enumerate(confidences)}
    names = unsure(fields, len(fields))
    assert [fields[name].confidence for name in names] == sorted(confidences)[:asked]
