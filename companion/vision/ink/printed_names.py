"""Reads the QR code of the names with which a pad was printed; `pads.name_code` draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Paper
from companion.fitting import CODE_SIZES
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat.flattening import Flat

# Millimetres by which a code may lie beside its place, to the right and down
SHIFTS: Final = (0.0, 0.1, -0.1)
LEAST_CONTRAST: Final = 0.25  # The least difference between dark and light modules; white is 1
# The weights of a module and of those beside it, with which a blur has mixed it
SHARPER: Final = np.array([[0, -1, 0], [-1, 8, -1], [0, -1, 0]], np.float32)
LOOKS: Final = 8  # Pixels across a module at which it is looked at, but for its blurred edges
MARGIN: Final = 4  # Modules of white around a code
PIXELS: Final = 6  # Pixels of a module in the picture that OpenCV decodes


def printed_names(flat: Flat) -> Mapping[int, str]:
    """Place of a blank for a name → the name that is printed there; empty if no code is read."""
    decoder = cv2.QRCodeDetector()
    boxes = (flat.paper.code, _former(flat.paper))
    for code, corners in chain.from_iterable(_codes(flat.even, box) for box in boxes):
        try:
            text, _ = decoder.decode(code, corners)
        except (cv2.error, UnicodeDecodeError):  # it was no code, or one of something else
            continue
        if text:
            return dict(zip(range(len(flat.paper.names)), text.split("\n"), strict=False))
    return {}


def _former(paper: Paper) -> Box:
    """The code's place on a pad of before 2.1: in the line of the name, or beside several."""
    return Box(121.6, 3.55, 8.4, 8.4) if len(paper.names) == 1 else Box(11.5, 15.6, 11, 11)


def _codes(
    even: npt.NDArray[np.float32], box: Box
) -> Iterator[tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]]:
    """(a code in black and white, its corners) for each size and place that it may have."""
    for (down, right), size in product(product(SHIFTS, SHIFTS), CODE_SIZES):
        scale = box.width * FLAT_PX_PER_MM / (size * LOOKS)
        # Integers are centres of pixels.
        x, y = (at * FLAT_PX_PER_MM + scale / 2 - 0.5 for at in (box.x + right, box.y + down))
        window = cv2.warpAffine(
            even,
            np.array([[scale, 0, x], [0, scale, y]]),
            (size * LOOKS, size * LOOKS),
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        looks = window.reshape(size, LOOKS, size, LOOKS)[:, 2:-2, :, 2:-2].mean(axis=(1, 3))
        dark, light = np.percentile(looks, (10, 90))
        if light - dark < LEAST_CONTRAST:
            return
        sharp = cv2.filter2D(looks, -1, SHARPER, borderType=cv2.BORDER_REPLICATE)
        dark, light = np.percentile(sharp, (10, 90))
        modules = np.pad(sharp > (dark + light) / 2, MARGIN, constant_values=True)
        low, high = MARGIN * PIXELS, (MARGIN + size) * PIXELS - 1
        corners = np.array([[[low, low], [high, low], [high, high], [low, high]]], np.float32)
        yield np.kron(modules, np.full((PIXELS, PIXELS), 255)).astype(np.uint8), corners
