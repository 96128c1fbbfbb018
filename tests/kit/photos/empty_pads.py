"""Empty pads in pixels, as their ready-made PDFs show them: what the reader is judged by."""

from __future__ import annotations

from functools import cache
from typing import Final

import cv2
import numpy as np

from companion.folders import PRINTABLES
from companion.pads import geometry
from companion.pads.printables import file_name, orders
from companion.vision.core import FLAT_PX_PER_MM
from training import pdf

PX_PER_MM: Final = round(FLAT_PX_PER_MM)
FINER: Final = 4
"""The page is drawn so many times finer: its pads do not begin between two pixels then."""
ORDERS = {file_name(made): made for made in orders()}


@cache
def printed(name: str) -> np.ndarray:
    """The first pad of a ready-made PDF, in gray from 0 to 255."""
    box = geometry.pages_of_order(ORDERS[name]).pages[0][0].box
    fine = PX_PER_MM * FINER
    page = pdf.pixels(PRINTABLES / name, fine / pdf.POINTS_PER_MM, gray=True)
    size = round(box.width * PX_PER_MM), round(box.height * PX_PER_MM)
    shift = np.array([[1, 0, -box.x * fine], [0, 1, -box.y * fine]])
    pad = cv2.warpAffine(page, shift, (size[0] * FINER, size[1] * FINER))
    return cv2.resize(pad, size, interpolation=cv2.INTER_AREA)
