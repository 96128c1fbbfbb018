"""Photos of publishers' sheets whose every point is known."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.core.edition import Edition
from companion.core.sheet import Box, Paper
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.mapping.plane import box_corners, mapped
from companion.vision.unmarked.search import UnmarkedSheet, find_sheets
from lab.photos.paper import PX_PER_MM
from lab.photos.publishers import filled_in
from lab.photos.taking import Light, Lying, fitted, taken

LAMPS = {
    "day": (1.0, 1.0, 1.0),
    "bulb": (0.62, 0.86, 1.0),
    "cold": (1.0, 0.93, 0.82),
    "tube": (0.9, 1.0, 0.86),
    "dim": (0.45, 0.5, 0.55),
}
"""Name → the shares of blue, green and red light."""


@dataclass(frozen=True)
class Scene:
    photo: np.ndarray  # BGR
    homography: np.ndarray  # (3, 3), from millimetres on the sheet to pixels

    def off(self, seen: np.ndarray, printed: np.ndarray) -> np.ndarray:
        """How far pixels, (n, 2), are from places on the sheet, in millimetres."""
        return np.linalg.norm(mapped(np.linalg.inv(self.homography), seen) - printed, axis=1)


def sheet_picture(made: Edition, board: str | None = None) -> np.ndarray:
    """The empty sheet from above, of its usual board, BGR, at `PX_PER_MM`."""
    return filled_in(made, {}, made.sheet.usual_board if board is None else board).picture


def centers(paper: Paper) -> np.ndarray:
    """The centres of a paper's fields, (n, 2), in millimetres."""
    return np.array([field.box.center for field in paper.fields])


def corners(sheet: np.ndarray) -> np.ndarray:
    """The corners of a sheet's picture, in millimetres."""
    return box_corners(Box(0, 0, *(side / PX_PER_MM for side in sheet.shape[1::-1])))


def flat(sheet: np.ndarray) -> np.ndarray:
    """A sheet's picture from above as it is flattened."""
    scale = FLAT_PX_PER_MM / PX_PER_MM
    size = [round(side * scale) for side in sheet.shape[1::-1]]
    return cv2.resize(sheet, size, interpolation=cv2.INTER_AREA)


def scene(
    sheet: np.ndarray,
    *,
    turn: float = 0.0,
    tilt: float = 0.0,
    share: float = 0.8,
    size: tuple[int, int] = (1200, 900),
    lamp: str = "day",
) -> Scene:
    """A photo of a sheet on a table.

    Args:
        turn: degrees that it is turned.
        tilt: degrees that the camera leans.
        share: of the photo's width or height that the sheet takes.
    """
    piece = Lying(np.ascontiguousarray(sheet))
    camera = fitted([piece], size, turn=turn, tilt=tilt, fill=share)
    at = corners(sheet)
    way = cv2.getPerspectiveTransform(*(np.float32(each) for each in (at, piece.seen(camera, at))))
    return Scene(taken([piece], camera, Light(color=LAMPS[lamp], level=0.95)), way)


def on_checked_cloth(sheet: np.ndarray, pitch: int, *, turn: float = 20.0) -> np.ndarray:
    """A photo of a sheet on a checked cloth at the same angle; `pitch` is in pixels."""
    laid = scene(sheet, turn=turn, share=0.5, size=(1600, 1200))
    y, x = np.mgrid[: laid.photo.shape[0], : laid.photo.shape[1]]
    along, across = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    bands = [(x * along + y * across) // pitch % 2, (y * along - x * across) // pitch % 2]
    tones = np.array([(60, 150, 220), (190, 215, 235), (245, 245, 245)], np.uint8)
    cloth = tones[np.add(*bands).astype(int)]
    outline = np.round(mapped(laid.homography, corners(sheet))).astype(np.int32)
    cv2.fillConvexPoly(cloth, outline, (0, 0, 0))
    return np.where(cloth.any(axis=2, keepdims=True), cloth, laid.photo)


def found(photo: np.ndarray) -> list[UnmarkedSheet]:
    """The publishers' sheets in a photo without pads."""
    return find_sheets(photo, [])[0]
