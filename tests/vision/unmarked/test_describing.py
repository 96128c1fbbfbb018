"""An edition described by a photo of a blank sheet: its table, and what is read with it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition, edition
from companion.games.catalog import SHEETS
from companion.games.editions import bases, described_edition, editions, tables, toml_text
from companion.vision.core import Corners
from companion.vision.mapping.plane import mapped
from companion.vision.reading import read
from companion.vision.unmarked.describing import colored, placed
from companion.vision.unmarked.placing import edition_corners
from tests.kit.wide import wide
from tests.vision.unmarked.scenes import Scene, another_printing, large_scene

each_table = pytest.mark.parametrize(
    "sheet_and_name",
    [
        # Fields that touch each other are not found one by one.
        pytest.param(name, marks=(pytest.mark.wide, pytest.mark.xfail(strict=True)))
        if name not in bases()
        else (name if name == ("qwinto", "nsv") else wide(name))
        for name, table in tables().items()
    ],
    ids="-".join,
)


def corners_of(made: Edition, photo: Scene) -> Corners:
    """The paper's corners, as far off as a finger."""
    aside = np.array([(2, -1), (-1, 2), (1, 1), (-2, 1)])
    a, b, c, d = map(tuple, mapped(photo.homography, edition_corners(made)) + aside)
    return (a, b, c, d)


def described(picture: np.ndarray, corners: Corners, like: Mapping[str, Any]) -> dict[str, Any]:
    return colored(picture, corners, placed(picture, corners, like))


def test_a_table_is_written_as_it_is_read() -> None:
    for table in tables().values():
        text = toml_text(table)
        assert tomllib.loads(text) == table
        assert described_edition(text) is described_edition(text)


@each_table
def test_another_printing_is_described_and_then_read(sheet_and_name: tuple[str, str]) -> None:
    like = tables()[sheet_and_name]
    other = another_printing(like)
    board, blank = other.sheet.usual_board, large_scene(other)
    corners = corners_of(other, blank)
    mine = described_edition(toml_text(described(blank.photo, corners, like) | {"name": "mine"}))

    # Its fields lie where they are in the photo.
    width, height = mine.papers[board].width, mine.papers[board].height
    paper = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    to_photo = cv2.getPerspectiveTransform(paper, np.array(corners, np.float32))
    centers = np.array([field.box.center for field in mine.papers[board].fields])
    there = mapped(np.linalg.inv(blank.homography) @ to_photo, centers)
    wanted = np.array([field.box.center for field in other.papers[board].fields])
    assert np.linalg.norm(there - wanted, axis=1).max() < 0.1 * other.unit

    # The same photo shows a blank sheet of it, and one that is filled in is read.
    (reading,) = read(blank.jpeg(), known=(mine,)).sheets
    assert (reading.edition, reading.board) == ("mine", board)
    assert not any(field.value in (True, "crossed") for field in reading.fields.values())
    crossed = [field.id for field in other.papers[board].fields if field.kind == "cross"][::3]
    photo = large_scene(other, tuple((name, True) for name in crossed))
    (reading,) = read(photo.jpeg(), known=(*editions(), mine)).sheets
    assert reading.edition == "mine"
    wrong = {name for name, field in reading.fields.items() if field.value is True} ^ {*crossed}
    assert len(wrong) <= 1


def test_a_photo_without_any_area_leaves_the_table_as_it_is() -> None:
    like = tables()["encore", "schmidt"]
    plain = np.full((900, 1200, 3), 200, np.uint8)
    table = described(plain, ((0, 0), (1200, 0), (1200, 900), (0, 900)), like)
    assert [row["id"] for row in table["fields"]] == [row["id"] for row in like["fields"]]


def test_a_photo_is_read_with_rows_that_are_not_where_the_table_has_them() -> None:
    """A person may tap corners that cut rows off, or move them away and make them small."""
    like: Any = deepcopy(dict(tables()["encore", "schmidt"]))
    photo = large_scene(edition(SHEETS["encore"], like)).jpeg()
    for row in (like["fields"][-1], like["blanks"][-1]):
        row["y"] = (np.array(row["y"]) + 30).tolist()
        row["size"] = [0.2, 0.2]
    off = described_edition(toml_text(like | {"name": "mine"}))
    assert read(photo, known=(off,)).sheets
