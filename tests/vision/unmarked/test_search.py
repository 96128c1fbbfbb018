"""Sheets without markers: found, told apart, and flattened."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition, Rgb
from companion.core.sheet import Box
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.mapping.plane import box_corners, mapped
from companion.vision.unmarked import search
from companion.vision.unmarked.blobs import Blobs, find_blobs
from companion.vision.unmarked.placing import Placing
from companion.vision.unmarked.rectifying import outline_names
from companion.vision.unmarked.search import UnmarkedSheet, find_sheets
from tests.kit.camera.mesh import Bend
from tests.kit.photos.paper import PX_PER_MM
from tests.kit.photos.taking import Light, Lying, fitted, taken
from tests.kit.wide import first_of, wide
from tests.vision.unmarked.scenes import (
    LAMPS,
    Scene,
    found,
    on_checked_cloth,
    scene,
    sheet_picture,
)

BOARDS = [(made, board) for made in editions() for board in made.sheet.every_board]
LIT = [
    # Each edition once, and each lamp that is not the day's.
    (pytest.param if lamp == usual and board == made.sheet.usual_board else wide)(
        made, board, lamp, id="-".join(filter(None, (made.sheet.name, made.name, board, lamp)))
    )
    for made, usual in zip(editions(), (*LAMPS, *LAMPS)[1:], strict=False)
    for board in made.sheet.every_board
    for lamp in LAMPS
]
each_edition = pytest.mark.parametrize(
    "made", first_of(editions(), editions()[0]), ids=lambda made: f"{made.sheet.name}-{made.name}"
)


def farthest(sheet: UnmarkedSheet, taken: Scene) -> float:
    """The largest error of a field's place, in millimetres."""
    centers = np.array([field.box.center for field in sheet.paper.fields])
    seen = sheet.surface.to_photo(centers)
    back = mapped(np.linalg.inv(taken.homography), seen)
    return float(np.linalg.norm(back - centers, axis=1).max())


@pytest.mark.parametrize(("made", "board", "lamp"), LIT)
def test_each_board_is_told_apart_under_each_lamp(made: Edition, board: str, lamp: str) -> None:
    """At fifty degrees and upside down."""
    taken = scene(sheet_picture(made, board), turn=215, tilt=50, lamp=lamp, share=0.95)
    (sheet,) = found(taken.photo)
    assert (sheet.edition, sheet.board) == (made, board)
    assert farthest(sheet, taken) < 0.8


@pytest.mark.parametrize(
    ("made", "board"),
    [case if case[1] == "blue" else wide(*case) for case in BOARDS if case[1]],
)
def test_a_gray_photo_shows_its_board_by_lightness(made: Edition, board: str) -> None:
    gray = cv2.cvtColor(scene(sheet_picture(made, board), turn=4).photo, cv2.COLOR_BGR2GRAY)
    (sheet,) = found(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR))
    assert (sheet.edition, sheet.board) == (made, board)


@each_edition
def test_a_sheet_beside_a_large_pad_is_sought_in_a_smaller_picture(
    monkeypatch: pytest.MonkeyPatch, made: Edition
) -> None:
    taken = scene(sheet_picture(made, made.sheet.usual_board), turn=12, tilt=15)
    sizes = []

    def seen(picture: np.ndarray, pads: list[np.ndarray]) -> Blobs:
        sizes.append(max(picture.shape))
        return find_blobs(picture, pads)

    monkeypatch.setattr(search, "find_blobs", seen)
    twice = 2 * search.SOUGHT_PX_PER_MM
    for px_per_mm, side in ((0.0, search.LONGEST_SIDE), (twice, max(taken.photo.shape) / 2)):
        ((sheet,), _) = find_sheets(taken.photo, [], px_per_mm=px_per_mm)
        assert abs(sizes[-1] - side) <= 1
        assert sheet.edition is made
        assert farthest(sheet, taken) < 0.6


@pytest.mark.parametrize("made", first_of(editions(), editions()[1]), ids=lambda made: made.name)
def test_on_a_checked_cloth(made: Edition) -> None:
    (sheet,) = found(on_checked_cloth(sheet_picture(made, made.sheet.usual_board), 30))
    assert sheet.edition == made


@pytest.mark.wide
@pytest.mark.parametrize("size", [(560, 420), (3000, 2250)])
@each_edition
def test_small_and_large_photos(made: Edition, size: tuple[int, int]) -> None:
    taken = scene(sheet_picture(made, made.sheet.usual_board), turn=5, share=0.95, size=size)
    (sheet,) = found(taken.photo)
    assert (sheet.edition, sheet.board) == (made, made.sheet.usual_board)
    assert sheet.image.shape[0] == round(sheet.paper.height * FLAT_PX_PER_MM)


@each_edition
def test_what_lies_outside_the_photo_is_not_in_sight(
    request: pytest.FixtureRequest, made: Edition
) -> None:
    if made.bars:
        request.applymarker(pytest.mark.xfail(strict=True, reason="Cut-off bars are missed."))
    taken = scene(sheet_picture(made, made.sheet.usual_board), turn=0, share=0.9)
    (sheet,) = found(taken.photo[:, :900])
    hidden = [
        field.id
        for field in sheet.paper.fields
        if mapped(taken.homography, np.array([field.box.center]))[0, 0] > 915
    ]
    assert hidden
    for field in sheet.paper.fields:
        x, y = (int(at * FLAT_PX_PER_MM) for at in field.box.center)
        if field.id in hidden:
            assert not sheet.visible[y, x]


@each_edition
def test_a_hard_shadow_hides_no_field_whose_outline_shows(made: Edition) -> None:
    piece = Lying(sheet_picture(made, made.sheet.usual_board))
    photo = taken([piece], fitted([piece], (1200, 900), fill=0.8), Light(shadow=0.35))
    (sheet,) = found(photo)
    at = {f.id: (int(v * FLAT_PX_PER_MM) for v in f.box.center) for f in sheet.paper.fields}
    hidden = {name for name, (x, y) in at.items() if not sheet.visible[y, x]}
    assert not hidden & {*outline_names(made)}


@each_edition
def test_a_curled_edge_is_followed(made: Edition) -> None:
    """Its fields lie up to half a pitch from where the rest of the sheet lets expect them."""
    picture = sheet_picture(made, made.sheet.usual_board)
    reach = picture.shape[1] / PX_PER_MM
    across = np.linspace(-reach, reach, 800)
    curl = Bend(0.0, np.where(across > 0.32 * reach, np.radians(1.6), 0.0), reach)
    piece = Lying(picture, shapes=[curl])
    camera = fitted([piece], (1600, 1200), tilt=15, fill=0.8)
    (sheet,) = found(taken([piece], camera, Light(level=0.95)))
    centers = np.array([field.box.center for field in sheet.paper.fields])
    off = piece.seen(camera, centers) - sheet.surface.to_photo(centers)
    assert np.linalg.norm(off, axis=1).max() / sheet.surface.scale() < 0.7
    assert not sheet.lost


@pytest.mark.wide
@pytest.mark.parametrize("made", [made for made in editions() if made.bars])
def test_two_sheets_found_by_their_bars(made: Edition) -> None:
    picture = sheet_picture(made, made.sheet.usual_board)
    views = [scene(picture, turn=turn, share=0.95, size=(800, 600)).photo for turn in (3, -6)]
    first, second = found(np.hstack(views))
    left, right = sorted(sheet.corners[0][0] for sheet in (first, second))
    assert left < 400 < 800 < right


CUT = [made for made in editions() if len(made.bars_by_length) > 1]


def drawn_over(picture: np.ndarray, box: Box, color: Rgb) -> None:
    """Fills a box, in millimetres, of a sheet's picture."""
    left, top, right, bottom = (
        round(at * PX_PER_MM) for at in (box.x, box.y, box.x + box.width, box.y + box.height)
    )
    picture[max(top, 0) : bottom, max(left, 0) : right] = color[::-1]


@pytest.mark.parametrize("made", CUT, ids=lambda made: made.name)
@pytest.mark.parametrize("how", ["cut", "violet", "named"])
def test_bars_that_a_line_may_cut(made: Edition, how: str) -> None:
    picture = np.ascontiguousarray(sheet_picture(made, made.sheet.usual_board))
    if how == "cut":
        for bar in made.bars_by_length[1]:
            line = Box(bar.x + bar.width, bar.y, 0.6, bar.height)
            drawn_over(picture, line, (250, 250, 250))
    elif how == "violet":  # as blue looks in the dark
        blue = made.patches[-1].color
        is_bar = np.abs(picture.astype(int) - blue[::-1]).max(axis=2) < 12
        picture[is_bar] = (70, 25, 45)
    else:  # by people, above the first row
        for x in range(20, 70, 5):
            drawn_over(picture, Box(x, 2, 0.7, made.bars[0].y - 2.5), (24, 34, 120))
    taken = scene(picture, turn=8, tilt=15)
    (sheet,) = found(taken.photo)
    assert sheet.edition is made
    assert farthest(sheet, taken) < 0.8


def test_outlines_tell_editions_of_a_sheet_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen aslant, the rows of one are as close as those of another."""
    made = CUT[0]
    other = next(each for each in editions() if each.sheet is made.sheet and each is not made)
    size = (search.LONGEST_SIDE, search.LONGEST_SIDE * 3 // 4)
    taken = scene(sheet_picture(made, made.sheet.usual_board), turn=4, size=size)
    outer = [
        np.array([*box_corners(bars[0])[:2], *box_corners(bars[-1])[2:]], np.float32)
        for bars in (other.bars, made.bars)
    ]
    right, wrong = (
        Placing(each, each.sheet.usual_board, taken.homography @ way, 0.9, 1.0)
        for each, way in ((made, np.eye(3)), (other, cv2.getPerspectiveTransform(*outer)))
    )
    monkeypatch.setattr(search, "find_barred", lambda *_: [replace(wrong, others=(right,))])
    (sheet,) = found(taken.photo)
    assert sheet.edition is made
