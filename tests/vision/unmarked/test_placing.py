"""Sheets are placed by lattices and bars that are incomplete, misleading or bent, then exactly."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM, flat_area
from companion.vision.mapping.plane import box_corners, inverse, mapped
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
from companion.vision.unmarked.rectifying import edges, is_placed_mask, rectify
from companion.vision.unmarked.signature import (
    SAME_HUES,
    Colors,
    agreement,
    explained_share,
    hue_correlation,
    is_covered,
    quick_agreement,
    quick_hue_correlation,
    signature,
)
from lab.wide import first_of
from tests.vision.unmarked.scenes import LAMPS, Scene, centers, corners, flat, scene, sheet_picture

LATTICED = [made for made in editions() if made.landmarks]
BARRED = [made for made in editions() if made.bars]
each_barred = pytest.mark.parametrize("made", BARRED, ids=lambda made: made.name)
FLAT = np.array([[FLAT_PX_PER_MM, 0, -0.5], [0, FLAT_PX_PER_MM, -0.5], [0, 0, 1]])
"""From millimetres to pixels of a flattened sheet."""


@cache
def photo_of(made: Edition) -> Scene:
    return scene(sheet_picture(made), turn=8, tilt=10)


@cache
def blobs_of(made: Edition) -> Blobs:
    return find_blobs(photo_of(made).photo)


def colors_of(made: Edition) -> Colors:
    return Colors(photo_of(made).photo)


def off(placing: Placing, taken: Scene) -> float:
    """The mean error of the fields' places in millimetres."""
    at = centers(placing.edition.paper(placing.board))
    return float(taken.off(mapped(placing.homography, at), at).mean())


def placed(made: Edition, homography: np.ndarray = FLAT) -> Placing:
    return Placing(made, made.sheet.usual_board, homography, 0.0, 0.0)


def test_most_areas_of_a_lattice_may_be_other_fields_in_step() -> None:
    """Boxes full of crosses are missed, while the rows of points below them are found."""
    made = next(made for made in LATTICED if len(made.sheet.boards) > 1)
    board, taken = made.sheet.usual_board, photo_of(made)
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
    at = np.array([*last, *below])
    # The rows are a little off the steps.
    steps = np.round((at - at.min(axis=0)) / made.unit - 0.1).astype(np.int64)
    lattice = Lattice(steps, mapped(taken.homography, at), np.eye(3), np.arange(len(at)))
    found, _ = place(lattice, blobs_of(made), colors_of(made), [made])
    assert found
    assert found.board == board
    assert off(found, taken) < 1


def test_worn_print_that_agrees_less_is_a_sheet_if_an_area_lies_at_each_field() -> None:
    """If nearly all areas were missing, another edition would agree as well."""
    worn = replace(placed(LATTICED[0], np.eye(3)), score=0.5, seen=1.0, support=0.95)
    assert worn.is_likely
    assert not replace(worn, support=0.7).is_likely


def test_a_doubtful_sheet_hides_no_other_one() -> None:
    made, other = LATTICED[0], LATTICED[-1]
    blobs, colors = blobs_of(made), colors_of(made)
    ends = corners(sheet_picture(other)), [[0, 0], [1200, 0], [1200, 900], [0, 900]]
    spread = cv2.getPerspectiveTransform(*(np.array(each, np.float32) for each in ends))
    doubtful = replace(placed(other, spread), score=0.74, seen=1.0, support=0.2)
    found = find_placings(find_lattices(blobs), blobs, colors, [made], [doubtful])
    assert [placing.edition for placing in found] == [made]


@each_barred
def test_two_bars_are_enough(made: Edition) -> None:
    taken = photo_of(made)
    two = np.array([mapped(taken.homography, box_corners(bar)) for bar in made.bars[:2]])
    (found,) = find_barred(replace(blobs_of(made), bands=two), colors_of(made), [made])
    assert off(found, taken) < 2


def test_other_editions_in_the_same_place_are_kept_with_a_sheet() -> None:
    """Their outlines distinguish them later."""
    same = [made for made in BARRED if made.sheet is BARRED[0].sheet]
    (sheet,) = find_barred(blobs_of(same[0]), colors_of(same[0]), same)
    assert {each.edition.name for each in (sheet, *sheet.others)} == {made.name for made in same}


def test_bar_parts_that_could_be_whole_bars_belong_to_a_sheet() -> None:
    """Their colours agreed so well that the whole bars were not tried."""
    (made,) = [made for made in BARRED if len(made.bars_by_length) > 1]
    (sheet,) = find_barred(blobs_of(made), colors_of(made), [made])
    ends = [mapped(each.homography, edition_corners(made)) for each in (sheet, *sheet.others)]
    assert max(np.ptp(end[:, 0]) for end in ends) > 1.15 * min(np.ptp(end[:, 0]) for end in ends)


@each_barred
def test_a_placing_upside_down_is_not_plausible(made: Edition) -> None:
    way = photo_of(made).homography
    width, height = edition_corners(made)[2]
    turn = np.array([[-1, 0, width], [0, -1, height], [0, 0, 1.0]])
    (found,) = plausible_placings(made, np.array([way, way @ turn]), colors_of(made))
    assert np.array_equal(found.homography, way)


@each_barred
def test_a_place_that_is_millimetres_off_is_found_by_colors(made: Edition) -> None:
    taken = photo_of(made)
    aside = placed(made, taken.homography @ np.array([[1, 0, 3], [0, 1, 2], [0, 0, 1.0]]))
    assert off(aside, taken) > 3
    assert off(fitted(aside, colors_of(made)), taken) < 2.2  # from there the outlines are found


# From above


@pytest.mark.parametrize("bow", [4.0, -3.0])
@each_barred
def test_bends_are_those_of_the_paper(made: Edition, bow: float) -> None:
    """Colours show places to about a millimetre."""
    width = made.paper(made.sheet.usual_board).width

    def down(x: np.ndarray) -> np.ndarray:
        """How far below its true place the paper lies, in millimetres."""
        return bow * ((2 * x / width - 1) ** 2 - 0.5)

    picture = flat(sheet_picture(made))
    y, x = np.indices(picture.shape[:2], np.float32)
    higher = (y - down(x / FLAT_PX_PER_MM) * FLAT_PX_PER_MM).astype(np.float32)
    bowed = cv2.remap(picture, x, higher, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    found = fitted(placed(made), Colors(bowed))
    assert found.bends is not None
    at, by = found.bends
    seen = mapped(inverse(FLAT), mapped(found.homography, at + by))
    assert np.abs(seen - at - np.c_[np.zeros(len(at)), down(at[:, 0])]).max() < 1.1
    assert found.score > 0.9


@each_barred
def test_bars_in_other_colors_are_not_a_sheet(made: Edition) -> None:
    assert fitted(placed(made), Colors(flat(sheet_picture(made))[..., ::-1].copy())).score == 0


@pytest.mark.parametrize("made", first_of(editions(), LATTICED[0], BARRED[-1]))
def test_a_sheet_that_is_placed_a_little_off_is_corrected_by_its_outlines(made: Edition) -> None:
    picture = flat(sheet_picture(made))
    aside = placed(made, FLAT @ np.array([[1.005, 0, 0.5], [0, 1, -0.4], [0, 0, 1]]))
    rectified = rectify(picture, find_blobs(picture), replace(aside, score=1.0, seen=1.0))
    at = centers(made.paper(made.sheet.usual_board))
    off = rectified.surface.to_photo(at) - mapped(FLAT, at)
    assert np.abs(off).max() < 0.35 * FLAT_PX_PER_MM
    assert np.abs(np.subtract(rectified.image.shape, picture.shape)).max() <= 1  # both are rounded
    assert rectified.fit.everywhere > 0.9


def test_fields_are_placed_where_enough_of_their_neighbours_are_found() -> None:
    """Enough are a fifth of the fields within a little over two pitches, itself included."""
    row = np.array([(x, 0.0) for x in range(8)])
    assert is_placed_mask(row, row[[2]], 1.0).tolist() == [True] * 5 + [False] * 3
    assert not is_placed_mask(row, row[[2]] + (0, 0.3), 1.0).any()
    assert not is_placed_mask(row, np.empty((0, 2)), 1.0).any()


def test_edges_of_pale_boxes_count_as_much_as_strong_ones() -> None:
    picture = np.full((120, 260, 3), 200, np.uint8)
    picture[40:80, 40:80] = (20, 20, 20)
    picture[40:80, 180:220] = (200, 185, 200)
    near = edges(picture)
    strong, pale = (near[45:75, x - 1 : x + 1].min() for x in (40, 180))
    assert strong == pytest.approx(pale, abs=0.2)
    assert near[:, 115:145].max() == 0


# The colours of flat sheets: their own, another board's, another sheet's, and covered ones


each = pytest.mark.parametrize("made", editions(), ids=lambda made: made.name)
ENOUGH = 0.9  # the least agreement, and correlation of hues, of a sheet with its own signature


def compared(picture: np.ndarray, made: Edition, board: str | None = None) -> tuple[float, float]:
    """The agreement of the parts with their kinds, and the correlation of hues."""
    mine = signature(made, made.sheet.usual_board if board is None else board)
    seen = Colors(picture).median_features(mine.points * FLAT_PX_PER_MM - 0.5)
    return agreement(*seen, mine), hue_correlation(*seen, mine)


@each
def test_a_sheet_agrees_with_its_signature_in_coloured_light_that_falls_off(
    made: Edition,
) -> None:
    picture = flat(sheet_picture(made))
    less = np.linspace(1, 0.4, picture.shape[1])[:, np.newaxis]
    for lamp in ("bulb", "tube"):
        lit = (picture * less * LAMPS[lamp]).astype(np.uint8)
        assert min(compared(lit, made)) > ENOUGH


@each
def test_other_boards_and_other_hues_do_not_agree_with_it(made: Edition) -> None:
    picture = flat(sheet_picture(made))
    assert compared(picture[..., ::-1].copy(), made)[1] < SAME_HUES
    for board in made.sheet.every_board:
        if board != made.sheet.usual_board:
            assert max(compared(picture, made, board)) < ENOUGH


@each
def test_quick_values_of_several_placings_are_close_to_the_exact_ones(made: Edition) -> None:
    """In even light, means equal medians; a placing outside the picture has no agreement."""
    mine = signature(made, made.sheet.usual_board)
    picture = flat(sheet_picture(made))
    points = mine.points * FLAT_PX_PER_MM - 0.5
    ways = np.stack([points, points + 25, points + 5000])
    colors, inside = Colors(picture).mean_features(ways.transpose(3, 2, 0, 1))
    agreements = quick_agreement(colors, inside, mine.kinds)
    correlations = quick_hue_correlation(colors, inside, mine.kinds, mine.printed)
    mine_agrees, my_correlation = compared(picture, made)
    assert agreements[0] == pytest.approx(mine_agrees, abs=0.03)
    assert correlations[0] == pytest.approx(my_correlation, abs=0.03)
    assert agreements[1] < 0.8 * agreements[0]
    assert agreements[2] == 0


@each
def test_covered_places_are_known_by_nearly_all_of_their_points(made: Edition) -> None:
    """A ring along a field's edge does not cover the field; a thing that lies on it does."""
    mine = signature(made, made.sheet.usual_board)
    under, ringed, free = made.paper(made.sheet.usual_board).fields[3:6]
    picture = flat(sheet_picture(made))
    picture[flat_area(under.box, 1.0)] = (200, 40, 200)
    x, y = (round(at * FLAT_PX_PER_MM) for at in ringed.box.center)
    radius = round(0.43 * ringed.box.height * FLAT_PX_PER_MM)
    cv2.circle(picture, (x, y), radius, (60, 30, 160), 4, cv2.LINE_AA)
    points = mine.points * FLAT_PX_PER_MM - 0.5
    colors = Colors(picture)
    inner = (points + points.mean(axis=1, keepdims=True)) / 2
    are = is_covered(
        colors.features_at(np.stack([points, inner])), *colors.median_features(points), mine
    )
    names = {name for name, is_hidden in zip(mine.names, are, strict=False) if is_hidden}
    assert under.id in names
    assert not {ringed.id, free.id} & names


def test_kinds_explain_all_differences_or_none() -> None:
    two = np.array([[0, 0, 0], [20, 0, 0]], np.float32)
    kinds = np.array([0, 1, 0, 1])
    assert explained_share(np.tile(two, (2, 1)), kinds) == 1
    assert explained_share(np.repeat(two, 2, axis=0), kinds) == 0
    assert explained_share(np.zeros((4, 3), np.float32), kinds) == 0
