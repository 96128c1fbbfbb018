"""What the reader expects of an empty pad is what its PDF shows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.folders import PRINTABLES
from companion.pads import geometry, printables
from companion.pads.order import Order
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat import expected
from tests.kit import pdf
from training.pdf import POINTS_PER_MM, pixels

PX_PER_MM = round(FLAT_PX_PER_MM)
FINER = 4
"""The page is drawn so many times finer: its pads do not begin between two pixels then."""
BLUR_MM = 0.15
FLAT_DIFFERENCE = 1
"""Gray levels; where nothing is near, only rounding may differ."""
EDGE_DIFFERENCE = 32
"""Gray levels after the blur: an edge of ink on white that is 0.05 mm off differs by as much."""
USUAL_DIFFERENCE = 1.0

ORDERS = {
    printables.file_name(order): order for order in printables.orders() if order.paper == "a4"
}


def printed(name: str) -> np.ndarray:
    """The first pad of a ready-made PDF, in gray from 0 to 255."""
    box = geometry.pages_of_order(ORDERS[name]).pages[0][0].box
    fine = PX_PER_MM * FINER
    page = pixels(PRINTABLES / name, fine / POINTS_PER_MM, gray=True)
    size = round(box.width * PX_PER_MM), round(box.height * PX_PER_MM)
    shift = np.array([[1, 0, -box.x * fine], [0, 1, -box.y * fine]])
    pad = cv2.warpAffine(page, shift, (size[0] * FINER, size[1] * FINER))
    return cv2.resize(pad, size, interpolation=cv2.INTER_AREA)


def bare(name: str) -> np.ndarray:
    """Where on the pad neither a text nor a symbol is printed."""
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
    pictures = printed(name), drawn(ORDERS[name])
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
