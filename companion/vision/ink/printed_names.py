"""Reads the QR code of the names with which a pad was printed; `pads.name_code` draws it.

OpenCV seldom finds so small a code in a photo, as a module of it is two or three pixels wide. But
its place on the pad is known. So each module is measured where it must be, the code is drawn anew
in black and white, and OpenCV only decodes it. How many modules the code has is tried, and so are
places close by, because paper is not quite flat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Paper, moved_exactly
from companion.fitting import CODE_SIZES
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat.flattening import Flat

# By how many millimetres a code may be off its place, to the right and down
SHIFTS: Final = (0.0, 0.1, -0.1)
LEAST_CONTRAST: Final = 0.25  # The least difference between dark and light modules; white is 1
# The weights of a module and of those beside it, with which a blur has mixed it
SHARPER: Final = np.array([[0, -1, 0], [-1, 8, -1], [0, -1, 0]], np.float32)
ZOOM: Final = 8  # Pixels across a module when it is measured
EDGE: Final = 2  # How many of them do not count at each edge of a module, as they are blurred
MARGIN: Final = 4  # Modules of white around a code
PIXELS: Final = 6  # Pixels of a module in the picture that OpenCV decodes


def printed_names(flat: Flat) -> Mapping[int, str]:
    """Place of a blank for a name → the name that is printed there; empty if no code is read."""
    decoder = cv2.QRCodeDetector()
    boxes = (flat.paper.code, _former(flat.paper))
    for modules in chain.from_iterable(_codes(flat.even, box) for box in boxes):
        try:
            text, _ = decoder.decode(*_drawn(modules))
        except (cv2.error, UnicodeDecodeError):  # it was no code, or one of something else
            continue
        if text:
            return dict(zip(range(len(flat.paper.names)), text.split("\n"), strict=False))
    return {}


def _former(paper: Paper) -> Box:
    """The code's place on pads of versions before 2.1: in the name's line, or beside several."""
    return Box(121.6, 3.55, 8.4, 8.4) if len(paper.names) == 1 else Box(11.5, 15.6, 11, 11)


def _codes(even: npt.NDArray[np.float32], box: Box) -> Iterator[npt.NDArray[np.bool_]]:
    """For each place and size that a code may have: whether its modules are white, (size, size).

    Args:
        even: the pad as `light.evened` returns it.
        box: the code's place.
    """
    for (down, right), size in product(product(SHIFTS, SHIFTS), CODE_SIZES):
        brightness = _measured(even, moved_exactly(box, right, down), size)
        dark, light = np.percentile(brightness, (10, 90))
        if light - dark < LEAST_CONTRAST:
            return
        sharp = cv2.filter2D(brightness, -1, SHARPER, borderType=cv2.BORDER_REPLICATE)
        dark, light = np.percentile(sharp, (10, 90))
        yield sharp > (dark + light) / 2


def _measured(even: npt.NDArray[np.float32], box: Box, size: int) -> npt.NDArray[np.float32]:
    """The brightness of each module of a code, (size, size)."""
    scale = box.width * FLAT_PX_PER_MM / (size * ZOOM)
    # Integers are centres of pixels.
    x, y = (at * FLAT_PX_PER_MM + scale / 2 - 0.5 for at in (box.x, box.y))
    enlarged = cv2.warpAffine(
        even,
        np.array([[scale, 0, x], [0, scale, y]]),
        (size * ZOOM, size * ZOOM),
        flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    inner = slice(EDGE, -EDGE)
    modules = enlarged.reshape(size, ZOOM, size, ZOOM)[:, inner, :, inner]
    return np.asarray(modules.mean(axis=(1, 3)), np.float32)


def _drawn(
    modules: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """(a clean picture of a code with white around it, the code's corners in it, (1, 4, 2))."""
    framed = np.pad(modules, MARGIN, constant_values=True)
    low, high = MARGIN * PIXELS, (MARGIN + len(modules)) * PIXELS - 1
    corners = np.array([[[low, low], [high, low], [high, high], [low, high]]], np.float32)
    return np.kron(framed, np.full((PIXELS, PIXELS), 255)).astype(np.uint8), corners
