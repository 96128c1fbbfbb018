"""Every field of a flattened pad is where the sheet's description says, however the paper bends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.core.shapes import inset
from companion.core.sheet import Box, moved
from companion.folders import PRINTABLES
from companion.pads import geometry, printables
from companion.pads.order import Order
from companion.vision.core import FLAT_PX_PER_MM, Trouble
from companion.vision.flat import expected, matching
from companion.vision.flat.flattening import MAY_LIE_OUTSIDE, Flat, flatten
from companion.vision.flat.matching import Fit
from companion.vision.mapping.plane import box_corners
from companion.vision.markers.finding import find
from lab import pdf
from lab.camera.camera import Camera
from lab.camera.mesh import Shape
from lab.pdf import POINTS_PER_MM, pixels
from lab.photos.taking import Light, looking, taken
from lab.wide import first_of
from tests.vision.flat import warps
from tests.vision.flat.warps import (
    ENCORE,
    QWINTO,
    TALLY,
    Kind,
    Lying,
    bowed,
    covered,
    curled,
    folded,
    gray,
    marked,
    printed,
    twisted,
    written,
)

CAMERA = looking(1250, 1000, px_per_mm=5.25, tilt=25, from_side=60)
ASIDE = looking(1250, 1000, px_per_mm=5.25, tilt=25, from_side=90)
DAY = Light()


def _flat(pad: Lying, camera: Camera = CAMERA, light: Light = DAY) -> Flat | Trouble:
    picture = gray(taken([pad], camera, light))
    (found,) = find(picture).pads
    return flatten(picture, found)


def _flattened(*photo: Any) -> Flat:
    flat = _flat(*photo)
    assert isinstance(flat, Flat)
    return flat


def _errors(flat: Flat, pad: Lying, camera: Camera) -> np.ndarray:
    """How far each field's corners and centre are off, (fields, 5) millimetres."""
    corners = np.array([box_corners(field.box) for field in pad.kind.paper.fields])
    points = np.concatenate([corners, corners.mean(axis=1, keepdims=True)], axis=1).reshape(-1, 2)

    def truth(*by: float) -> np.ndarray:
        return pad.seen(camera, points + by)

    slope = np.stack([truth(0.5, 0) - truth(-0.5, 0), truth(0, 0.5) - truth(0, -0.5)], -1)
    off = flat.surface.to_photo(points) - truth(0, 0)
    millimetres = np.linalg.solve(slope, off[..., np.newaxis])[..., 0]
    return np.linalg.norm(millimetres, axis=1).reshape(-1, 5)


def _assert_exact(flat: Flat, pad: Lying, camera: Camera = CAMERA, worst: float = 0.35) -> None:
    errors = _errors(flat, pad, camera)
    assert np.quantile(errors[:, 4], 0.99) < 0.25
    assert errors.max() < worst


@dataclass(frozen=True)
class Photo:
    """A pad that is hard to flatten, and how."""

    kind: Kind
    shape: Shape
    camera: Camera = CAMERA
    light: Light = DAY
    turn: float = 0.0
    share: float = 0.6  # of its fields that are written on
    # Millimetres by which a field may be off; more are allowed for one that a crease crosses.
    worst: float = 0.35


QWIXX = warps.KINDS[-1]
PHOTOS = {
    # The markers do not show it, and between them fields are half a field off.
    "a sharp fold": Photo(ENCORE, folded(15, 10), ASIDE, worst=0.7),
    "folded twice": Photo(QWIXX, lambda points: folded(10, -20)(folded(-8, 35)(points)), worst=0.6),
    "twisted, in a hard shadow": Photo(QWINTO, twisted(6), light=Light(shadow=0.3)),
    "hanging, a little blurred, a lamp beside it": Photo(
        TALLY, bowed(-0.03, 15), light=Light(color=(1.1, 0.9, 0.5), lamp=(260, 60, 220), blur=1.8)
    ),
    "bowed along a diagonal, from the side": Photo(
        QWINTO, bowed(0.02, 40), looking(1300, 1000, px_per_mm=5, tilt=45, from_side=200, turn=35)
    ),
    "bowed, turned, all written on": Photo(
        TALLY, bowed(0.02, 30), looking(1000, 1000, px_per_mm=4, tilt=15), turn=150, share=1.0
    ),
    "bowed, few pixels": Photo(
        ENCORE, bowed(0.03, 0), looking(800, 600, px_per_mm=3.4, tilt=15, from_side=20), worst=0.45
    ),
    "a corner curls, by candle": Photo(
        ENCORE, curled(10), light=Light(level=0.25, color=(0.3, 0.65, 1.0), electrons=1500)
    ),
}


@pytest.mark.parametrize("photo", PHOTOS.values(), ids=PHOTOS)
def test_fields_are_where_they_should_be(photo: Photo) -> None:
    picture = written(photo.kind, 1, photo.share)
    pad = Lying(photo.kind, picture, turn=photo.turn, shapes=[photo.shape])
    flat = _flattened(pad, photo.camera, photo.light)
    _assert_exact(flat, pad, photo.camera, photo.worst)


def test_without_a_marker() -> None:
    pad = Lying(QWINTO, covered(QWINTO, "bottom-right"), shapes=[folded(8, 10)])
    _assert_exact(_flattened(pad), pad, worst=0.6)


def test_a_single_row_has_no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """No four of its outlines are close together: its markers and single outlines are used."""
    kind, modelled = QWIXX, matching.print_model
    monkeypatch.setattr(matching, "print_model", lambda *of: replace(modelled(*of), groups=()))
    pad = Lying(kind, printed(kind))
    _assert_exact(_flattened(pad), pad)


# The flattened picture


@pytest.mark.parametrize("kind", first_of(warps.KINDS, ENCORE), ids=lambda kind: kind.sheet.name)
def test_the_picture_looks_as_it_was_printed(kind: Kind) -> None:
    pad = Lying(kind, printed(kind), shapes=[bowed(0.03, 25)])
    flat = _flattened(pad, CAMERA, Light(lamp=(0, 0, 1500), electrons=20_000))
    paper = kind.paper
    shape = (round(paper.height * FLAT_PX_PER_MM), round(paper.width * FLAT_PX_PER_MM))
    assert flat.image.shape == shape
    assert flat.image.dtype == np.uint8
    assert flat.fit.everywhere > 0.9
    sample = cv2.resize(gray(printed(kind)), shape[::-1], interpolation=cv2.INTER_AREA)
    assert np.corrcoef(sample.ravel(), flat.image.ravel())[0, 1] > 0.9


def test_colours_of_the_flat_picture_are_those_of_the_photo() -> None:
    pad = Lying(ENCORE, written(ENCORE, 9), shapes=[bowed(0.03, 25)])
    photo = taken([pad], CAMERA)
    picture = gray(photo)
    (found,) = find(picture).pads
    flat = flatten(picture, found)
    assert isinstance(flat, Flat)
    same = flat.warp(photo)
    assert same.shape == (*flat.image.shape, 3)
    assert np.abs(gray(same).astype(int) - flat.image).mean() < 1.0


# Pads that cannot be read


def _something_on(picture: np.ndarray) -> np.ndarray:
    picture[150:-250, 120:-120] = (90, 120, 170)
    return picture


UNREADABLE = {
    "too-small": (
        Lying(QWINTO, printed(QWINTO)),
        looking(800, 600, px_per_mm=1.9),
        Light(blur=0.5),
    ),
    "dark": (Lying(QWINTO, printed(QWINTO)), CAMERA, Light(level=0.08, electrons=200_000)),
    "blurred": (Lying(ENCORE, written(ENCORE, 12)), CAMERA, Light(blur=5.8)),
    "cut-off": (Lying(TALLY, written(TALLY, 13), 150), looking(1000, 714, px_per_mm=4.2)),
    # The markers are those of another pad of nearly the same height, so they fit.
    "unknown-pad": (Lying(ENCORE, marked(ENCORE, sheet=2)),),
    "not-flat or unknown-pad": (Lying(ENCORE, _something_on(written(ENCORE, 15))),),
}


@pytest.mark.parametrize("code", UNREADABLE)
def test_why_a_pad_is_not_read(code: str) -> None:
    trouble = _flat(*UNREADABLE[code])
    assert isinstance(trouble, Trouble)
    assert trouble.corners is not None
    assert trouble.code in code.split(" or ")


def _outside(pad: Lying, camera: Camera) -> set[str]:
    """The fields with a corner outside the picture."""
    boxes = {field.id: inset(field.box, MAY_LIE_OUTSIDE) for field in pad.kind.paper.fields}
    places = np.array([pad.seen(camera, box_corners(box)) for box in boxes.values()])
    is_outside = (places < -0.5) | (places > (camera.columns - 0.5, camera.rows - 0.5))
    return {name for name, beyond in zip(boxes, is_outside, strict=True) if beyond.any()}


@pytest.mark.parametrize(
    ("kind", "x", "y"), [(ENCORE, 0, 30), (TALLY, -85, 0)], ids=["three", "two"]
)
def test_some_fields_outside_the_picture(kind: Kind, x: float, y: float) -> None:
    """With two or three markers in the picture, all fields in sight are in the right place."""
    pad = Lying(kind, written(kind, 13), x, y, turn=10)
    camera = looking(1000, 714, px_per_mm=4.2)
    flat = _flattened(pad, camera)
    outside = _outside(pad, camera)
    assert outside
    # At the very edge it may go either way.
    assert len(flat.unseen ^ outside) <= 2
    seen = [field.id not in flat.unseen for field in kind.paper.fields]
    assert _errors(flat, pad, camera)[seen].max() < 0.35


def test_a_strong_curl_with_markers_outside_the_picture() -> None:
    """No flat pad has its two visible markers like this; the print shows how the paper lies."""
    camera = looking(1300, 900, px_per_mm=6, tilt=35)
    pad = Lying(ENCORE, written(ENCORE, 17), shapes=[bowed(-0.14, 10)])
    (found,) = find(gray(taken([pad], camera))).pads
    assert found.is_guess
    flat = _flattened(pad, camera)
    assert len(flat.unseen) < 4
    seen = [field.id not in flat.unseen for field in ENCORE.paper.fields]
    assert _errors(flat, pad, camera)[seen].max() < 0.6


def test_two_markers_of_two_pads_are_not_one_pad() -> None:
    camera = looking(1000, 900, px_per_mm=4)
    pads = [
        Lying(QWINTO, covered(QWINTO, "bottom-left", "bottom-right"), 0, -48),
        Lying(QWINTO, covered(QWINTO, "top-left", "top-right"), 0, 48),
    ]
    picture = gray(taken(pads, camera))
    for found in find(picture).pads:
        flat = flatten(picture, found)
        if isinstance(flat, Flat):
            assert min(_errors(flat, pad, camera).max() for pad in pads) < 0.35


def test_how_much_was_found_around_a_place() -> None:
    at = np.array([[0.0, 0.0], [10.0, 0.0], [30.0, 0.0], [60.0, 0.0]])
    fit = Fit(at, np.array([False, True, True, True]), np.full(4, True))
    assert fit.everywhere == 0.75
    assert fit.around((5, 0)) == 0.5
    assert fit.around((30, 5)) == 1.0
    assert fit.around((200, 0)) == 1.0
    outside = Fit(at[:3], np.array([False, True, True]), np.array([False, True, True]))
    assert (outside.everywhere, outside.around((5, 0))) == (1.0, 1.0), "outside the photo"


def test_outlines_beyond_a_gap_may_be_of_other_fields() -> None:
    at = np.array([[20.0, 0.0], [30.0, 0.0], [60.0, 0.0], [70.0, 0.0]])
    fit = Fit(at, np.full(4, True), np.full(4, True))
    assert fit.connected(np.array([[0.0, 0.0]])).is_found.tolist() == [True, True, False, False]


# What the reader expects of an empty pad is what its PDF shows


PX_PER_MM = round(FLAT_PX_PER_MM)
FINER = 4  # how many times finer the page is drawn, so that no pad begins between two pixels
BLUR_MM = 0.15
FLAT_DIFFERENCE = 1  # gray levels; where nothing is printed nearby, only rounding may differ
EDGE_DIFFERENCE = 32
"""Gray levels after the blur; an edge of ink on white that is 0.05 mm off differs by that much."""
USUAL_DIFFERENCE = 1.0

ORDERS = {
    printables.file_name(order): order for order in printables.orders() if order.paper == "a4"
}


def shown(name: str) -> np.ndarray:
    """The first pad of a ready-made PDF, in gray from 0 to 255."""
    box = geometry.pages_of_order(ORDERS[name]).pages[0][0].box
    fine = PX_PER_MM * FINER
    page = pixels(PRINTABLES / name, fine / POINTS_PER_MM, gray=True)
    size = round(box.width * PX_PER_MM), round(box.height * PX_PER_MM)
    shift = np.array([[1, 0, -box.x * fine], [0, 1, -box.y * fine]])
    pad = cv2.warpAffine(page, shift, (size[0] * FINER, size[1] * FINER))
    return cv2.resize(pad, size, interpolation=cv2.INTER_AREA)


def bare(name: str) -> np.ndarray:
    """The parts of the pad without printed texts and symbols."""
    pad = geometry.pages_of_order(ORDERS[name]).pages[0][0]
    seen = np.ones(drawn(ORDERS[name]).shape, np.uint8)
    for box in pdf.text_boxes((PRINTABLES / name).read_bytes())[0]:
        cover(seen, Box(box.x - pad.box.x, box.y - pad.box.y, box.width, box.height))
    for field in pad.paper.fields:
        if field.symbol:
            cover(seen, field.box)
    for label in pad.paper.layout.labels:
        if label.symbol:
            left, top = pad.paper.at
            cover(seen, Box(left + label.box.x, top + label.box.y, label.size, label.box.height))
    for field in pad.paper.examples:
        cover(seen, moved(field.box, *pad.paper.at))
    return seen > 0


def cover(seen: np.ndarray, box: Box) -> None:
    margin = 0.5
    left, top = (max(int((at - margin) * PX_PER_MM), 0) for at in (box.x, box.y))
    right, bottom = box.x + box.width + margin, box.y + box.height + margin
    seen[top : max(int(bottom * PX_PER_MM) + 1, 0), left : max(int(right * PX_PER_MM) + 1, 0)] = 0


def drawn(order: Order) -> np.ndarray:
    paper = order.sheet.paper(order.board)
    return expected.empty_pad(paper, order.sheet.number, order.board_place, PX_PER_MM)


@pytest.mark.parametrize("name", ORDERS)
def test_fills_lines_and_edges_are_those_of_the_pdf(name: str) -> None:
    pictures = shown(name), drawn(ORDERS[name])
    kernel = np.ones((5, 5), np.uint8)
    inside = bare(name)
    is_flat = inside.copy()
    for picture in pictures:
        is_flat &= cv2.dilate(picture, kernel) - cv2.erode(picture, kernel) <= FLAT_DIFFERENCE
    assert is_flat.mean() > 0.4
    assert cv2.absdiff(*pictures)[is_flat].max() <= FLAT_DIFFERENCE
    blurred = (
        cv2.GaussianBlur(picture.astype(np.float32), (0, 0), BLUR_MM * PX_PER_MM)
        for picture in pictures
    )
    inside = cv2.erode(inside.astype(np.uint8), kernel) > 0
    difference = cv2.absdiff(*blurred)[inside]
    assert inside.mean() > 0.75
    assert difference.max() < EDGE_DIFFERENCE
    assert difference.mean() < USUAL_DIFFERENCE
