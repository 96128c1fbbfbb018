"""Pads are found wherever they lie, and nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.core import markers
from companion.vision.mapping.plane import box_corners, paper_corners
from companion.vision.markers import seeking
from companion.vision.markers.finding import (
    FoundPad,
    FoundPads,
    find,
    find_again,
    in_order,
)
from companion.vision.markers.seeking import Gray, seek
from lab.camera.camera import Camera
from lab.photos.paper import PX_PER_MM
from lab.photos.taking import Light, looking, taken
from tests.vision.flat import warps
from tests.vision.flat.warps import (
    ENCORE,
    QWINTO,
    Kind,
    Lying,
    covered,
    gray,
    marked,
    printed,
    written,
)

SMALL = looking(1000, 800, px_per_mm=3.8)
DAY = Light()


def _found(pads: list[Lying], camera: Camera = SMALL, light: Light = DAY) -> FoundPads:
    return find(gray(taken(pads, camera, light)))


def _off(found: FoundPad, pad: Lying, camera: Camera) -> float:
    """How far the pad's corners are from where they should be, in pixels."""
    truth = pad.seen(camera, paper_corners(found.kind.paper))
    return float(np.linalg.norm(np.array(found.corners) - truth, axis=1).max())


def flat(picture: np.ndarray, px_per_mm: float = 4.0) -> Gray:
    """A pad from above on a gray table."""
    size = [round(side * px_per_mm / PX_PER_MM) for side in picture.shape[1::-1]]
    pad = cv2.resize(gray(picture), size, interpolation=cv2.INTER_AREA)
    return np.pad(pad, 60, constant_values=130)


@pytest.mark.parametrize("cut", [0.0, 0.5])
def test_a_scan_that_ends_with_the_ink(cut: float) -> None:
    """Its markers have no white margin; some are cropped a little into the ink."""
    low = round((markers.INSET + cut) * PX_PER_MM)
    picture = gray(printed(QWINTO))
    (found,) = find(np.ascontiguousarray(picture[low:-low, low:-low])).pads
    assert set(found.seen) == set(markers.CORNERS)


@pytest.mark.parametrize("kind", warps.KINDS, ids=lambda kind: kind.sheet.name)
def test_format_and_size_are_found_in_any_orientation(kind: Kind) -> None:
    camera = looking(1500, 1250, px_per_mm=5.6)
    pad = Lying(kind, written(kind, 1), turn=217)
    finds = _found([pad], camera)
    (found,) = finds.pads
    assert not finds.troubles
    assert (found.kind.sheet, found.kind.board) == (kind.sheet, kind.board)
    assert found.px_per_mm == pytest.approx(5.6, rel=0.01)
    assert set(found.seen) == set(markers.CORNERS)
    for marker in markers.on_pad(kind.sheet.number, 0, kind.paper.width, kind.paper.height):
        truth = pad.seen(camera, box_corners(marker.box))
        assert np.abs(found.seen[marker.corner].corners - truth).max() < 0.8


def test_pads_of_one_game_have_equal_ids() -> None:
    """As they come out of the printer, not cut apart, and two beside them, three with a thumb."""
    camera = looking(1500, 1100, px_per_mm=3.2)
    pads = [
        Lying(QWINTO, written(QWINTO, 4), -110, -90),
        Lying(QWINTO, covered(QWINTO, "top-right"), -110, -2),
        Lying(QWINTO, covered(QWINTO, "top-left"), 105, -40, turn=190),
        Lying(QWINTO, covered(QWINTO, "bottom-left"), 100, 90, turn=8),
    ]
    finds = _found(pads, camera)
    assert [len(found.seen) for found in finds.pads] == [4, 3, 3, 3]
    assert not finds.troubles
    # From top to bottom, and from left to right.
    order = [min(range(4), key=lambda n: _off(found, pads[n], camera)) for found in finds.pads]
    assert order == [0, 1, 2, 3]
    assert all(min(_off(found, pad, camera) for pad in pads) < 3 for found in finds.pads)


@pytest.mark.parametrize("number", [0, 40])
def test_a_marker_and_nothing_else(number: int) -> None:
    """With no other outline around it, there is none left to examine more closely."""
    alone = many_markers(1, [number])
    assert [marker.id for marker in seek(np.pad(alone, 34, constant_values=255))] == [number]


def test_the_same_pads_in_a_larger_picture() -> None:
    """Nothing is searched for again: the corners are only refined."""
    camera = looking(1600, 1200, px_per_mm=4)
    pads = [Lying(QWINTO, written(QWINTO, 4), -90, -60), Lying(QWINTO, printed(QWINTO), 90, 60, 9)]
    large = gray(taken(pads, camera))
    left, top = 3, 2
    small = cv2.resize(large[top:, left:], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    finds = find_again(find(small), large, 2, (-left, -top))
    assert finds is not None
    wanted = find(large)
    for found, known in zip(finds.pads, wanted.pads, strict=True):
        assert np.abs(np.array(found.corners) - np.array(known.corners)).max() < 0.7
    assert find_again(FoundPads(wanted.pads * 2, ()), large, 1, (0, 0)) is None, "no such pads"


def test_a_photo_without_a_pad() -> None:
    """A chessboard, texts, nested squares and blank pictures."""
    rng = np.random.default_rng(8)
    picture = np.full((900, 1200), 190, np.uint8)
    for x, y, side, shade, thick in rng.integers(
        (0, 0, 8, 0, -1), (1100, 800, 70, 255, 5), (300, 5)
    ):
        cv2.rectangle(picture, (x, y), (x + side, y + side), int(shade), int(thick))
        cv2.putText(picture, "B8#", (x, y), cv2.FONT_HERSHEY_SIMPLEX, side / 30, 30, 2)
    picture[300:540, 500:740] = np.kron(np.indices((8, 8)).sum(axis=0) % 2, np.ones((30, 30))) * 200
    for each in (picture, np.full((40, 30), 200, np.uint8), np.zeros((3, 5), np.uint8)):
        assert find(each) == FoundPads((), ())


def test_a_pad_half_outside() -> None:
    """Two markers are a guess, which the print has to confirm."""
    pad = Lying(QWINTO, written(QWINTO, 9), x=130)
    (found,) = _found([pad]).pads
    assert found.is_guess
    assert set(found.seen) == {"top-left", "bottom-left"}
    truth = pad.seen(SMALL, [[0, 0]])
    assert np.linalg.norm(np.array(found.corners[0]) - truth) < 3


def test_one_marker_alone() -> None:
    pad = Lying(QWINTO, written(QWINTO, 9), x=100, y=90)
    finds = _found([pad])
    assert not finds.pads
    (trouble,) = finds.troubles
    assert trouble.code == "cut-off"
    assert trouble.corners is not None
    truth = pad.seen(SMALL, [[0, 0]])
    assert np.linalg.norm(np.array(trouble.corners[0]) - truth) < 3


def test_a_pattern_like_a_marker_on_other_paper() -> None:
    """If it belonged to a pad, the pad's other markers would be in the photo, too."""
    picture = written(QWINTO, 9).copy()
    picture[picture.shape[0] // 4 :] = picture[:, picture.shape[1] // 8 :] = 255
    assert find(flat(picture)) == FoundPads((), ())


def test_one_marker_with_a_wrong_cell() -> None:
    """A box with a digit in a dark bar looked like one, and hid the sheet around it."""
    (corner, *_) = markers.on_pad(QWINTO.sheet.number, 0, 100, 100)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.DICTIONARY))
    for wrong in (False, True):
        drawn = cv2.aruco.generateImageMarker(dictionary, corner.id, 70)
        if wrong:
            drawn[30:40, 30:40] = 255 - drawn[30:40, 30:40]
        picture = np.pad(drawn, ((30, 200), (30, 200)), constant_values=235)
        assert [each.is_exact for each in seek(picture)] == [not wrong]
        assert [trouble.code for trouble in find(picture).troubles] == ["cut-off"] * (not wrong)


@pytest.mark.parametrize(("sheet", "board"), [(5, 0), (0, 3)])
def test_markers_of_an_unknown_sheet_or_board(sheet: int, board: int) -> None:
    """A newer version may print them."""
    finds = find(flat(marked(QWINTO, sheet=sheet, board=board)))
    assert not finds.pads
    assert [trouble.code for trouble in finds.troubles] == ["unknown-pad"]


@pytest.mark.parametrize(
    "light", [Light(level=1.3, lamp=(200, 0, 260)), Light(motion=5)], ids=["glare", "shaken"]
)
def test_light(light: Light) -> None:
    finds = _found([Lying(ENCORE, written(ENCORE, 10), turn=15)], light=light)
    assert [len(found.seen) for found in finds.pads] == [4]
    assert not finds.troubles


def test_a_large_picture_of_a_small_pad() -> None:
    picture = np.full((2400, 3600), 95, np.uint8)
    pad = flat(printed(QWINTO), 2.4)
    picture[1000 : 1000 + pad.shape[0], 1500 : 1500 + pad.shape[1]] = pad
    assert len(find(picture).pads) == 1


# Pictures that are made to keep the reader busy


def many_markers(side: int, ids: Sequence[int]) -> Gray:
    """A square pattern of markers, `side` in each direction."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.DICTIONARY))
    drawn = [
        np.pad(cv2.aruco.generateImageMarker(dictionary, number, 28), 6, constant_values=255)
        for number in ids
    ]
    rows = [[drawn[(row * side + at) % len(ids)] for at in range(side)] for row in range(side)]
    return np.asarray(np.block(rows), np.uint8)


def test_the_largest_markers_are_kept() -> None:
    """Thousands of markers took minutes, because each was compared with all others."""
    assert len(seek(many_markers(50, range(250)))) == seeking.MOST_MARKERS
    small = many_markers(20, range(4, 250))
    picture = np.full((1600, 2000), 255, np.uint8)
    picture[: small.shape[0], : small.shape[1]] = small
    pad = flat(printed(QWINTO))
    picture[800 : 800 + pad.shape[0], 900 : 900 + pad.shape[1]] = pad
    finds = find(picture)
    assert [found.kind.sheet.name for found in finds.pads if len(found.seen) == 4] == ["qwinto"]


@pytest.mark.parametrize("scale", [0.3, 0.5, 0.8])
def test_nothing_moves_or_vanishes_in_a_reduced_picture(scale: float) -> None:
    ramp = np.tile(np.linspace(0, 255, 400).astype(np.uint8), (300, 1))
    small = seeking.resized(ramp, scale)
    assert small.shape == (round(300 * scale), round(400 * scale))
    at = (np.arange(small.shape[1]) + 0.5) / scale - 0.5
    assert np.abs(small[:, 3:-3] - at[3:-3] * 255 / 399).max() < 1.5
    dots = np.zeros((300, 400), np.uint8)
    dots[::7, ::7] = 255
    assert np.abs(seeking.resized(dots, scale).mean() - dots.mean()) < 0.6


def test_things_of_a_photo_come_line_by_line_each_from_the_left() -> None:
    """Each line is read from the left, however crooked it is."""
    quads = [
        ((x, y), (x + 90, y), (x + 90, y + 40), (x, y + 40))
        for x, y in ((120, 8), (10, 0), (60, 110), (5, 100))
    ]
    assert in_order(quads, lambda quad: quad) == [quads[1], quads[0], quads[3], quads[2]]
