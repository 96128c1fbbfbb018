"""Bars of one colour, unbroken: other editions have colours in blocks, or join their rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.core.sheet import Box
from companion.games.editions import editions
from companion.vision.unmarked.rims import rims_agree
from tests.kit.photos.paper import PX_PER_MM
from tests.kit.photos.publishers import filled_in
from tests.vision.unmarked.scenes import flat, found, scene, sheet_picture

BARRED = [made for made in editions() if made.bars]
each = pytest.mark.parametrize("made", BARRED, ids=lambda made: made.name)


def blank(made: Edition) -> np.ndarray:
    return np.ascontiguousarray(sheet_picture(made, made.sheet.usual_board))


def rows_of(made: Edition) -> list[list[Box]]:
    """The square fields in each bar, from left to right."""
    fields = made.paper(made.sheet.usual_board).fields
    boxes = [field.box for field in fields if field.shape == "square"]
    return [[box for box in boxes if bar.y < box.y < bar.y + bar.height] for bar in made.bars]


def pixels(*sides: float) -> tuple[slice, slice]:
    """The part of a sheet's picture between its left, upper, right and lower sides."""
    left, top, right, bottom = (round(side * PX_PER_MM) for side in sides)
    return slice(top, bottom), slice(left, right)


@pytest.mark.parametrize("by", [-0.5, 0.0, 0.5])
@each
def test_the_sheet_itself_agrees_full_of_crosses_too(made: Edition, by: float) -> None:
    board = made.sheet.usual_board
    crosses = {field.id: True for field in made.paper(board).fields if field.kind == "cross"}
    for marks in ({}, crosses):
        assert rims_agree(flat(filled_in(made, marks, board).picture, by), made, board)


@each
def test_colors_in_blocks_do_not(made: Edition) -> None:
    sheet, rows = blank(made), rows_of(made)
    for at in range(3, 11, 3):
        parts = [
            pixels(row[at].x, bar.y, row[min(at + 2, 10)].x + made.unit, bar.y + bar.height)
            for bar, row in zip(made.bars, rows, strict=True)
        ]
        printed = [sheet[part].copy() for part in parts]
        for row, part in enumerate(parts):
            size = sheet[part].shape[1::-1]
            sheet[part] = cv2.resize(printed[(row + at // 3) % len(rows)], size)
    assert not rims_agree(flat(sheet), made, made.sheet.usual_board)
    assert not found(scene(sheet, turn=5).photo)


@each
def test_joined_rows_do_not(made: Edition) -> None:
    sheet = blank(made)
    quarter = made.unit / 4
    for above, below in pairwise(rows_of(made)):
        for upper, lower in list(zip(above, below, strict=True))[1::4]:
            (x, y), end = upper.center, lower.center[1]
            paper = sheet[pixels(x, upper.y + 0.4, x + 1, upper.y + 1)].mean(axis=(0, 1))
            sheet[pixels(x - quarter, y + 1.7 * quarter, x + quarter, end - 1.7 * quarter)] = paper
    assert not rims_agree(flat(sheet), made, made.sheet.usual_board)


@each
def test_a_table_with_rows_outside_its_bars_is_not_judged(made: Edition) -> None:
    board = made.sheet.usual_board
    patches = tuple(
        replace(patch, box=replace(patch.box, y=patch.box.y + 200)) for patch in made.patches
    )
    assert rims_agree(flat(blank(made)), replace(made, patches=patches), board)
