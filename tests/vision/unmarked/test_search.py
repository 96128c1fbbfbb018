"""Sheets without markers are found, distinguished and flattened; lookalikes are not read."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.core import markers
from companion.core.edition import Edition
from companion.core.sheet import Box
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.mapping.plane import box_corners, mapped
from companion.vision.reading import read
from companion.vision.unmarked import placing, search
from companion.vision.unmarked.blobs import Blobs, find_blobs
from companion.vision.unmarked.placing import Placing
from companion.vision.unmarked.rectifying import outline_names
from companion.vision.unmarked.search import UnmarkedSheet, find_sheets
from lab.camera.mesh import Bend
from lab.photos import taking
from lab.photos.paper import PX_PER_MM, draw, printed
from lab.photos.publishers import cross, crosses_go_over_print, filled_in
from lab.photos.taking import Light, Lying, fitted, taken
from lab.wide import first_of, wide
from tests.vision.unmarked.scenes import (
    LAMPS,
    Scene,
    centers,
    found,
    on_checked_cloth,
    scene,
    sheet_picture,
)

LATTICED, BARRED = editions()[0], editions()[-1]
CUT = next(made for made in editions() if len(made.bars_by_length) > 1)
BOARDS = [(made, board) for made in editions() for board in made.sheet.every_board]
LIT = [
    case if case[::2] in ((LATTICED, "bulb"), (BARRED, "tube")) else wide(*case)
    for case in ((made, board, lamp) for made, board in BOARDS for lamp in LAMPS)
]


def named(value: object) -> str | None:
    return f"{value.sheet.name}-{value.name}" if isinstance(value, Edition) else None


def of(cases: list[Any], *usual: Any) -> Any:
    """Parametrizes a test by editions; those that are not usual have the mark `wide`."""
    return pytest.mark.parametrize("made", first_of(cases, *usual), ids=named)


each_edition = of(editions(), LATTICED)


def farthest(sheet: UnmarkedSheet, taken: Scene) -> float:
    """The largest error of a field's place, in millimetres."""
    at = centers(sheet.paper)
    return float(taken.off(sheet.surface.to_photo(at), at).max())


@pytest.mark.parametrize(("made", "board", "lamp"), LIT, ids=named)
def test_each_board_is_recognized_under_each_lamp(made: Edition, board: str, lamp: str) -> None:
    """Angles of up to fifty degrees and photos upside down make no difference."""
    taken = scene(sheet_picture(made, board), turn=215, tilt=50, lamp=lamp, share=0.95)
    (sheet,) = found(taken.photo)
    assert (sheet.edition, sheet.board) == (made, board)
    assert farthest(sheet, taken) < 0.8


@pytest.mark.parametrize(
    ("made", "board"),
    [case if case[1] == "blue" else wide(*case) for case in BOARDS if case[1]],
    ids=named,
)
def test_a_gray_photo_shows_its_board_by_lightness(made: Edition, board: str) -> None:
    gray = cv2.cvtColor(scene(sheet_picture(made, board), turn=4).photo, cv2.COLOR_BGR2GRAY)
    (sheet,) = found(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR))
    assert (sheet.edition, sheet.board) == (made, board)


@each_edition
def test_a_sheet_beside_a_large_pad_is_searched_for_in_a_smaller_picture(
    monkeypatch: pytest.MonkeyPatch, made: Edition
) -> None:
    taken = scene(sheet_picture(made), turn=12, tilt=15)
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


@of(editions(), editions()[1])
def test_on_a_checked_cloth(made: Edition) -> None:
    (sheet,) = found(on_checked_cloth(sheet_picture(made), 30))
    assert sheet.edition == made


@pytest.mark.wide
@pytest.mark.parametrize("size", [(560, 420), (3000, 2250)])
@of(editions())
def test_small_and_large_photos(made: Edition, size: tuple[int, int]) -> None:
    (sheet,) = found(scene(sheet_picture(made), turn=5, share=0.95, size=size).photo)
    assert (sheet.edition, sheet.board) == (made, made.sheet.usual_board)
    assert sheet.image.shape[0] == round(sheet.paper.height * FLAT_PX_PER_MM)


@of(editions(), LATTICED, BARRED)
def test_places_outside_the_photo_are_not_in_sight(made: Edition) -> None:
    """A sheet with cut-off bars is refused: it would seem squeezed, and other fields be read."""
    taken = scene(sheet_picture(made), share=0.9)
    sheets, troubles = find_sheets(taken.photo[:, :900], [])
    if made.bars:
        assert not sheets
        assert [trouble.code for trouble in troubles] == ["cut-off"]
        return
    (sheet,) = sheets
    at = centers(sheet.paper)
    hidden = at[mapped(taken.homography, at)[:, 0] > 915]
    assert len(hidden)
    x, y = (hidden * FLAT_PX_PER_MM).astype(int).T
    assert not sheet.visible[y, x].any()


@of(editions(), CUT)
def test_a_scan_ends_where_the_print_does(made: Edition) -> None:
    """Bars that end at the picture's edge were taken for parts of longer bars."""
    boxes = [place.box for place in made.paper(made.sheet.usual_board).places.values()]
    ends = np.concatenate([box_corners(box) for box in (*boxes, *made.bars)])
    low, high = np.maximum(ends.min(axis=0), 0), ends.max(axis=0)
    picture = np.ascontiguousarray(sheet_picture(made)[area(Box(*low, *(high - low)))])
    moved = np.array([[PX_PER_MM, 0, -PX_PER_MM * low[0]], [0, PX_PER_MM, -PX_PER_MM * low[1]]])
    (sheet,) = found(picture)
    assert sheet.edition is made
    assert farthest(sheet, Scene(picture, np.vstack([moved, (0, 0, 1)]))) < 0.8


@each_edition
def test_a_hard_shadow_hides_no_field_whose_outline_shows(made: Edition) -> None:
    piece = Lying(sheet_picture(made))
    photo = taken([piece], fitted([piece], (1200, 900), fill=0.8), Light(shadow=0.35))
    (sheet,) = found(photo)
    at = {f.id: (int(v * FLAT_PX_PER_MM) for v in f.box.center) for f in sheet.paper.fields}
    hidden = {name for name, (x, y) in at.items() if not sheet.visible[y, x]}
    assert not hidden & {*outline_names(made)}


@of(editions(), LATTICED, CUT)
def test_a_curled_edge_is_followed(made: Edition) -> None:
    """Its fields are up to half a pitch from where they would be if the sheet were flat."""
    picture = sheet_picture(made)
    reach = picture.shape[1] / PX_PER_MM
    across = np.linspace(-reach, reach, 800)
    curl = Bend(0.0, np.where(across > 0.32 * reach, np.radians(1.6), 0.0), reach)
    piece = Lying(picture, shapes=[curl])
    camera = fitted([piece], (1600, 1200), tilt=15, fill=0.8)
    (sheet,) = found(taken([piece], camera, Light(level=0.95)))
    at = centers(sheet.paper)
    off = piece.seen(camera, at) - sheet.surface.to_photo(at)
    assert np.linalg.norm(off, axis=1).max() / sheet.surface.scale() < 0.7
    assert not sheet.lost


@pytest.mark.wide
@of([made for made in editions() if made.bars])
def test_two_sheets_found_by_their_bars(made: Edition) -> None:
    picture = sheet_picture(made)
    views = [scene(picture, turn=turn, share=0.95, size=(800, 600)).photo for turn in (3, -6)]
    first, second = found(np.hstack(views))
    left, right = sorted(sheet.corners[0][0] for sheet in (first, second))
    assert left < 400 < 800 < right


def area(box: Box) -> tuple[slice, slice]:
    """The rows and columns of a box in a sheet's picture; the box is in millimetres."""
    ends = np.round(box_corners(box)[[0, 2]] * PX_PER_MM).astype(int)
    (left, top), (right, bottom) = np.maximum(ends, 0)
    return slice(top, bottom), slice(left, right)


def test_bars_that_lines_cut_and_touch_and_that_look_violet_in_the_dark() -> None:
    picture = np.ascontiguousarray(sheet_picture(CUT))
    blue = CUT.patches[-1].color
    picture[np.abs(picture.astype(int) - blue[::-1]).max(axis=2) < 12] = (70, 25, 45)
    for bar in CUT.bars_by_length[1]:
        picture[area(Box(bar.x + bar.width, bar.y, 0.6, bar.height))] = 250
    for x in range(20, 70, 5):  # names of people
        picture[area(Box(x, 2, 0.7, CUT.bars[0].y - 2.5))] = (122, 34, 24)
    taken = scene(picture, turn=8, tilt=15)
    (sheet,) = found(taken.photo)
    assert sheet.edition is CUT
    assert farthest(sheet, taken) < 0.8


def test_outlines_distinguish_editions_of_a_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen at a slant, the rows of one edition are as close together as those of another."""
    other = next(each for each in editions() if each.sheet is CUT.sheet and each is not CUT)
    size = (search.LONGEST_SIDE, search.LONGEST_SIDE * 3 // 4)
    taken = scene(sheet_picture(CUT), turn=4, size=size)
    outer = [
        np.array([*box_corners(bars[0])[:2], *box_corners(bars[-1])[2:]], np.float32)
        for bars in (other.bars, CUT.bars)
    ]
    right, wrong = (
        Placing(each, each.sheet.usual_board, taken.homography @ way, 0.9, 1.0)
        for each, way in ((CUT, np.eye(3)), (other, cv2.getPerspectiveTransform(*outer)))
    )
    monkeypatch.setattr(search, "find_barred", lambda *_: [replace(wrong, others=(right,))])
    (sheet,) = found(taken.photo)
    assert sheet.edition is CUT


# Lookalikes of a publisher's sheet are refused or asked about, never read silently


def photographed(made: Edition) -> np.ndarray:
    """A photo of a sheet of this edition, in which the first half of the crosses are marked."""
    board = made.sheet.usual_board
    crosses = [field.id for field in made.paper(board).fields if field.kind == "cross"]
    picture = filled_in(made, dict.fromkeys(crosses[1::6], True), board).picture
    return scene(picture, turn=5, tilt=10, size=(1600, 1200)).photo


def silent(photo: np.ndarray) -> list[str]:
    """The editions of the sheets that are read without a question to a person."""
    sheets = read(taking.jpeg(photo, 92)).sheets
    return [sheet.edition for sheet in sheets if not sheet.unsure_edition]


def moved(made: Edition, group: str, by: tuple[float, float]) -> Edition:
    """The edition with a group of fields or blanks moved aside, by a number of units."""
    board = made.sheet.usual_board
    paper = made.paper(board)

    def placed(place: Any) -> Any:
        if not place.id.startswith(f"{group}."):
            return place
        box, (x, y) = place.box, (part * made.unit for part in by)
        return replace(place, box=replace(box, x=box.x + x, y=box.y + y))

    layout = replace(paper.layout, fields=tuple(map(placed, paper.layout.fields)))
    other = replace(paper, layout=layout, blanks=tuple(map(placed, paper.blanks)))
    return replace(made, papers={**made.papers, board: other})


@of(editions(), BARRED)
def test_the_sheets_themselves_are_not_asked_for(made: Edition) -> None:
    assert silent(photographed(made)) == [made.name]


def test_our_own_pad_cropped_through_its_markers() -> None:
    """It has a publisher's landmarks; the rest of that sheet would lie outside the photo."""
    (sheet,) = {made.sheet for made in editions() if len(made.papers) > 1}
    picture = printed(sheet.name, sheet.usual_board).picture
    low = round((markers.INSET + 0.6 * markers.MARKER) * PX_PER_MM)
    assert not silent(np.ascontiguousarray(picture[low:-low, low:-low]))


@of([made for made in editions() if made.sheet.name != "encore"], LATTICED, BARRED)
def test_failed_boxes_that_lie_elsewhere(made: Edition) -> None:
    other = moved(made, "failed", (-0.54, 0))  # moved by one place, so that the last one is missing
    assert not silent(photographed(other))
    board = made.sheet.usual_board
    picture = filled_in(other, {}, board).picture
    (place,) = [field for field in made.paper(board).fields if field.id == "failed.4"]
    for line in cross(place.box):  # whatever is printed there
        draw(picture, line, 0.5, (60, 40, 40))
    (sheet,) = found(scene(picture, turn=5, tilt=10).photo)
    assert place.id in sheet.lost


def test_sums_that_lie_elsewhere() -> None:
    assert not silent(photographed(moved(LATTICED, "sum", (0, 0.3))))


@of([*filter(crosses_go_over_print, editions())], BARRED)
def test_numbers_in_another_order(made: Edition) -> None:
    board = made.sheet.usual_board
    prints = made.prints[board]
    fields = [field.id for field in made.paper(board).fields if field.kind == "cross"]
    texts = [prints[name].text for name in fields]
    mixed = iter(random.Random(3).sample(texts, len(texts)))
    other = dict(prints) | {name: replace(prints[name], text=next(mixed)) for name in fields}
    assert not silent(photographed(replace(made, prints={board: other})))


@of([made for made in editions() if made.bars], BARRED)
def test_colors_in_blocks(made: Edition) -> None:
    sheet = np.ascontiguousarray(sheet_picture(made))
    wide = sheet.shape[1] / PX_PER_MM
    blocks = [area(replace(bar, x=0.3 * wide, width=0.3 * wide)) for bar in made.bars]
    printed = [sheet[block].copy() for block in blocks]
    for block, other in zip(blocks, printed[1:] + printed[:1], strict=True):
        sheet[block] = cv2.resize(other, sheet[block].shape[1::-1])
    assert not silent(scene(sheet, turn=5).photo)


def test_a_picture_that_is_made_to_keep_the_reader_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dozens of lattices took up to 9 s, as each was tried as each edition in every possible way.

    The work is counted instead of timed, so that the result is the same on a busy machine.
    """
    picture = np.full((600, 1600, 3), 240, np.uint8)
    across, down = (np.arange(20, side - 40, 20) for side in (1600, 600))
    for x in across[np.arange(len(across)) % 7 < 5]:
        for y in down[np.arange(len(down)) % 6 < 4]:
            cv2.circle(picture, (int(x), int(y)), 8, (int(x) % 200, int(y) % 200, 90), -1)
    tried: list[int] = []
    placings = placing._placings

    def counted(*values: Any) -> Any:
        made = placings(*values)
        tried.append(len(made))
        return made

    monkeypatch.setattr(placing, "_placings", counted)
    assert not found(picture)
    # The budget is checked between lattices only.
    assert placing.MOST_IN_VAIN < sum(tried) < placing.MOST_IN_VAIN * len(editions()) + 2000
