"""Placings from lattices and bars that are incomplete, misleading, or bent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.mapping.plane import box_corners, mapped
from companion.vision.unmarked import placing as placings
from companion.vision.unmarked.barred import find_barred
from companion.vision.unmarked.bending import fitted
from companion.vision.unmarked.blobs import Blobs, find_blobs
from companion.vision.unmarked.lattices import Lattice, find_lattices
from companion.vision.unmarked.placing import (
    Placing,
    edition_corners,
    find_placings,
    place,
    plausible_placings,
)
from companion.vision.unmarked.search import find_sheets
from companion.vision.unmarked.signature import Colors
from tests.kit.photos.paper import PX_PER_MM
from tests.vision.unmarked.scenes import Scene, scene, sheet_picture

LATTICED = [edition for edition in editions() if edition.landmarks]
each_barred = pytest.mark.parametrize(
    "made", [edition for edition in editions() if edition.bars], ids=lambda made: made.name
)


def photo_of(made: Edition) -> Scene:
    return scene(sheet_picture(made, made.sheet.usual_board), turn=8, tilt=10)


def off(placing: Placing, taken: Scene) -> float:
    """The mean error of the fields' places in millimetres."""
    fields = placing.edition.paper(placing.board).fields
    centers = np.array([field.box.center for field in fields])
    back = mapped(np.linalg.inv(taken.homography), mapped(placing.homography, centers))
    return float(np.linalg.norm(back - centers, axis=1).mean())


def lattice_of(taken: Scene, printed: Sequence[tuple[float, float]], unit: float) -> Lattice:
    """A lattice of areas at some places on the paper, in rows that are a little off its steps."""
    at = np.array(printed)
    steps = np.round((at - at.min(axis=0)) / unit - 0.1).astype(np.int64)
    return Lattice(steps, mapped(taken.homography, at), np.eye(3), np.arange(len(at)))


def test_a_lattice_may_be_mostly_of_other_fields_in_step() -> None:
    """Boxes full of crosses are missed, and the rows of points below them are not."""
    made = next(edition for edition in LATTICED if len(edition.sheet.boards) > 1)
    board = made.sheet.usual_board
    taken = photo_of(made)
    boxes = {field.id: field.box.center for field in made.paper(board).fields}
    left, right = (f(boxes[name][0] for name in made.landmarks) for f in (min, max))
    low = max(boxes[name][1] for name in made.landmarks)
    last = [boxes[name] for name in made.landmarks if boxes[name][1] == low]
    below = [
        (x, y)
        for x, y in boxes.values()
        if left - 1 < x < right + 1 and low < y < low + 2.5 * made.unit
    ]
    assert len(below) > len(last)
    lattice = lattice_of(taken, [*last, *below], made.unit)
    found, _ = place(lattice, find_blobs(taken.photo), Colors(taken.photo), [made])
    assert found
    assert found.board == board
    assert off(found, taken) < 1


def test_a_doubtful_sheet_hides_no_other_one() -> None:
    made, other = LATTICED[0], LATTICED[-1]
    taken = photo_of(made)
    blobs, colors = find_blobs(taken.photo), Colors(taken.photo)
    width, height = edition_corners(other)[2]
    corners = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], np.float32)
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    spread = np.asarray(cv2.getPerspectiveTransform(whole, corners), np.float64)
    doubtful = Placing(other, other.sheet.usual_board, spread, 0.74, 1.0, 0.2)
    found = find_placings(find_lattices(blobs), blobs, colors, [made], [doubtful])
    assert [placing.edition for placing in found] == [made]


def test_cores_are_tried_after_all_lattices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A patterned cloth has many lattices with cores, and the effort is limited."""
    tried = []

    def place(lattice: Lattice, *_: object) -> tuple[None, int]:
        tried.append(lattice)
        return None, 0

    monkeypatch.setattr(placings, "place", place)
    at = np.zeros((20, 2), np.int64)

    def lattice(count: int, core: Lattice | None = None) -> Lattice:
        return Lattice(at[:count], at[:count] * 1.0, np.eye(3), np.arange(count), core)

    small, alike = lattice(10), lattice(18)
    both = [lattice(20, small), lattice(20, alike)]
    blobs = Blobs(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0), np.empty((0, 4, 2)))
    find_placings(both, blobs, Colors(np.zeros((9, 9, 3), np.uint8)), editions())
    assert tried == [*both, small]


@each_barred
def test_two_bars_are_enough(made: Edition) -> None:
    taken = photo_of(made)
    blobs = find_blobs(taken.photo)
    two = [mapped(taken.homography, box_corners(bar)) for bar in made.bars[:2]]
    (found,) = find_barred(replace(blobs, bands=np.array(two)), Colors(taken.photo), [made])
    assert off(found, taken) < 2


def test_other_editions_in_the_same_place_go_with_a_sheet() -> None:
    """Outlines tell them apart, later."""
    same = [made for made in editions() if made.bars and made.sheet is editions()[-1].sheet]
    photo = photo_of(same[0]).photo
    (sheet,) = find_barred(find_blobs(photo), Colors(photo), same)
    assert {sheet.edition.name, *(other.edition.name for other in sheet.others)} == {
        made.name for made in same
    }


@each_barred
def test_upside_down_it_is_another_sheet(made: Edition) -> None:
    taken = photo_of(made)
    width, height = edition_corners(made)[2]
    turn = np.array([[-1, 0, width], [0, -1, height], [0, 0, 1.0]])
    both = np.array([taken.homography, taken.homography @ turn])
    (found,) = plausible_placings(made, both, Colors(taken.photo))
    assert np.array_equal(found.homography, taken.homography)


@each_barred
def test_bars_that_are_cut_off_are_none(made: Edition) -> None:
    """They would place a squeezed sheet, whose fields are read elsewhere."""
    photo = scene(sheet_picture(made, made.sheet.usual_board), turn=0, share=0.9).photo[:, :900]
    assert find_blobs(photo).bands[..., 0].max(initial=0) < 896
    assert not find_sheets(photo, [])[0]


@each_barred
def test_a_place_that_is_millimetres_off_is_found_by_colors(made: Edition) -> None:
    taken = photo_of(made)
    shift = np.array([[1, 0, 3], [0, 1, 2], [0, 0, 1.0]])
    aside = Placing(made, made.sheet.usual_board, taken.homography @ shift, 0.0, 0.0)
    assert off(aside, taken) > 3
    assert off(fitted(aside, Colors(taken.photo)), taken) < 2.2  # outlines lead on from there


@each_barred
def test_bowed_bars(made: Edition) -> None:
    """Paper that curls up has no straight bars."""
    bow = 2.0
    flat = sheet_picture(made, made.sheet.usual_board)
    height, width = flat.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    away = (bow * PX_PER_MM * ((2 * x / width - 1) ** 2 - 0.5)).astype(np.float32)
    bowed = cv2.remap(flat, x, y + away, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    taken = scene(bowed, turn=8)
    (sheet,) = find_sheets(taken.photo, [])[0]
    centers = np.array([field.box.center for field in sheet.paper.fields])
    true = centers.copy()
    true[:, 1] -= bow * ((2 * centers[:, 0] * PX_PER_MM / width - 1) ** 2 - 0.5)
    seen = mapped(np.linalg.inv(taken.homography), sheet.surface.to_photo(centers))
    assert np.linalg.norm(seen - true, axis=1).max() < 0.8
