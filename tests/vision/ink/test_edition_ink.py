"""Publishers' sheets, empty and written on, are read from their flattened pictures."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.core.sheet import EMPTY
from companion.games.editions import find_edition
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink.edition_ink import ink_chances
from tests.kit.photos.publishers import each_board, flattened
from tests.kit.wide import wide

COLORED = find_edition("encore", "schmidt")
NUMBERED = find_edition("qwinto", "english")


@each_board
def test_an_empty_sheet_is_read_as_empty(edition: Edition, board: str) -> None:
    fields = edition.paper(board).fields
    read = ink_chances(flattened(edition, board), edition, board)
    assert list(read) == [field.id for field in fields]
    for field in fields:
        assert read[field.id][EMPTY[field.kind]] > 0.9, field.id
        assert sum(read[field.id].values()) <= 1 + 1e-6


@pytest.mark.parametrize("ink", [(40, 60, 150), wide((30, 28, 30)), wide((190, 40, 60))])
def test_crosses_are_read(ink: tuple[int, int, int]) -> None:
    for board in ("black", "purple"):
        fields = COLORED.paper(board).fields
        boxes = [field for field in fields if field.kind == "cross"][::3]
        read = ink_chances(flattened(COLORED, board, boxes, ink), COLORED, board)
        names = {field.id for field in boxes}
        wrong = [
            field.id
            for field in fields
            if field.kind == "cross" and (read[field.id][True] > 0.5) != (field.id in names)
        ]
        assert wrong == []


def test_a_color_that_is_crossed_everywhere_is_read() -> None:
    boxes = [field for field in COLORED.paper("black").fields if field.color == "blue"]
    boxes = [field for field in boxes if field.kind == "cross"]
    read = ink_chances(flattened(COLORED, "black", boxes), COLORED, "black")
    assert all(read[field.id][True] > 0.5 for field in boxes)


def test_a_number_is_read() -> None:
    flat = flattened(NUMBERED, "")
    field = next(field for field in NUMBERED.paper("").fields if field.id == "yellow.4")
    x, y = (round(at * FLAT_PX_PER_MM) for at in field.box.center)
    cv2.polylines(
        flat,
        [np.array([(x - 11, y - 17), (x + 12, y - 17), (x - 4, y + 18)], np.int32)],
        False,
        (90, 40, 30),
        3,
        cv2.LINE_AA,
    )
    assert ink_chances(flat, NUMBERED, "")["yellow.4"][7] > 0.9


def test_a_field_that_is_not_in_view_is_not_known() -> None:
    flat = flattened(COLORED, "black")
    visible = np.ones(flat.shape[:2], bool)
    right = round(flat.shape[1] * 0.9)
    visible[:, right:] = False
    fields = {field.id: field for field in COLORED.paper("black").fields}
    half = fields["A1"].box
    visible[: round((half.y + half.height * 0.3) * FLAT_PX_PER_MM), :60] = False
    read = ink_chances(flat, COLORED, "black", visible)
    assert read["color.green.later"] == {"open": 0.5}
    assert 0.4 < read["A1"][False] <= 0.5
    assert read["B2"][False] > 0.9
