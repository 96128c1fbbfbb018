"""An edition described by a photo of a blank sheet: its table, and what is read with it."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from functools import cache
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
from companion.vision.unmarked.describing import described
from companion.vision.unmarked.placing import edition_corners
from tests.kit.photos.publishers import filled_in
from tests.kit.wide import wide
from tests.vision.unmarked.scenes import Scene, scene

each_table = pytest.mark.parametrize(
    "sheet_and_name",
    [
        # Fields that touch each other are not found one by one.
        pytest.param(name, marks=(pytest.mark.wide, pytest.mark.xfail(strict=True)))
        if name not in bases()
        else (wide(name) if name == ("qwinto", "english") else name)
        for name, table in tables().items()
    ],
    ids="-".join,
)
FARTHER = 1.08
"""How much farther apart the changed sheet's rows are."""


def changed(table: Any) -> Edition:
    """Another printing: rows farther apart, some of them moved aside, and other colours."""
    new = deepcopy(dict(table))
    for row in (*new["fields"], *new["blanks"]):
        row["y"] = (np.array(row["y"]) * FARTHER).tolist()
        if not row.get("landmark"):
            row["x"] = (np.array(row["x"]) + 0.1).tolist()
    for patch in new["patches"]:
        patch["at"][1] *= FARTHER
        patch["size"][1] *= FARTHER
    left, top, right, bottom = new["edge"]
    new["edge"] = [left - 0.1, top * FARTHER - 0.2, right + 0.2, bottom * FARTHER + 0.3]
    for place, rgb in enumerate(new["colors"].values()):
        rgb[place % 3] = min(max(rgb[place % 3] + (25, -25)[place % 2], 0), 255)
    return edition(SHEETS[new["sheet"]], new | {"name": "other"})


@cache
def seen(made: Edition, marks: tuple[tuple[str, Any], ...] = ()) -> Scene:
    sheet = filled_in(made, dict(marks), made.sheet.usual_board)
    return scene(sheet.picture, turn=6, tilt=15, share=0.85, size=(1600, 1200))


def corners_of(made: Edition, photo: Scene) -> Corners:
    """The paper's corners, as far off as a finger."""
    aside = np.array([(2, -1), (-1, 2), (1, 1), (-2, 1)])
    a, b, c, d = map(tuple, mapped(photo.homography, edition_corners(made)) + aside)
    return (a, b, c, d)


def jpeg(photo: Scene) -> bytes:
    return cv2.imencode(".jpg", photo.photo)[1].tobytes()


def test_a_table_is_written_as_it_is_read() -> None:
    for table in tables().values():
        text = toml_text(table)
        assert tomllib.loads(text) == table
        assert described_edition(text) is described_edition(text)


@each_table
def test_another_printing_is_described_and_then_read(sheet_and_name: tuple[str, str]) -> None:
    like = tables()[sheet_and_name]
    other = changed(like)
    board, blank = other.sheet.usual_board, seen(other)
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
    (reading,) = read(jpeg(blank), known=(mine,)).sheets
    assert (reading.edition, reading.board) == ("mine", board)
    assert not any(field.value in (True, "crossed") for field in reading.fields.values())
    crossed = [field.id for field in other.papers[board].fields if field.kind == "cross"][::3]
    photo = seen(other, tuple((name, True) for name in crossed))
    (reading,) = read(jpeg(photo), known=(*editions(), mine)).sheets
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
    photo = jpeg(seen(edition(SHEETS["encore"], like)))
    for row in (like["fields"][-1], like["blanks"][-1]):
        row["y"] = (np.array(row["y"]) + 30).tolist()
        row["size"] = [0.2, 0.2]
    off = described_edition(toml_text(like | {"name": "mine"}))
    assert read(photo, known=(off,)).sheets
