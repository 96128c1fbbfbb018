"""Photos of publishers' sheets whose every point is known: warped, lit and laid on a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from companion.core.edition import Edition
from companion.core.sheet import Mark
from tests.kit.photos.paper import PX_PER_MM
from tests.kit.photos.publishers import filled

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
    photo: np.ndarray
    """BGR."""
    homography: np.ndarray
    """(3, 3), from millimetres on the sheet to pixels."""


def sheet_picture(
    edition: Edition, board: str, marks: Mapping[str, Mark] | None = None
) -> np.ndarray:
    """The sheet from above, BGR, at `PX_PER_MM`."""
    return filled(edition.sheet.name, edition.name, marks or {}, board).picture


def scene(
    sheet: np.ndarray,
    *,
    turn: float = 0.0,
    tilt: float = 0.0,
    share: float = 0.8,
    size: tuple[int, int] = (1200, 900),
    lamp: str = "day",
    seed: int = 0,
) -> Scene:
    """A photo of a sheet on a gray table.

    Args:
        turn: degrees that it is turned.
        tilt: degrees that the camera leans.
        share: of the photo's width or height that the sheet takes.
    """
    rows, columns = sheet.shape[:2]
    wide, high = size
    angle, lean = math.radians(turn), math.radians(tilt)
    middle = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], float)
    flat = (middle - [columns / 2, rows / 2]) / columns
    spin = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    seen = flat @ spin
    depth = 2.2 + seen[:, 1] * math.sin(lean)
    seen = np.column_stack([seen[:, 0], seen[:, 1] * math.cos(lean)]) / depth[:, np.newaxis]
    low, top = seen.min(axis=0), seen.max(axis=0)
    seen = (
        (seen - (low + top) / 2) * share * min(wide / np.ptp(seen[:, 0]), high / np.ptp(seen[:, 1]))
    )
    corners = (seen + np.array([wide / 2, high / 2])).astype(np.float32)
    warp = cv2.getPerspectiveTransform(middle.astype(np.float32), corners)
    rng = np.random.default_rng(seed)
    grain = rng.normal(150, 6, (high, wide, 1)) + np.array([0, 2, 6])
    table = cv2.GaussianBlur(np.clip(grain, 0, 255).astype(np.uint8), (0, 0), 1.5)
    photo = cv2.warpPerspective(
        sheet, warp, size, table, cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
    )
    light = np.array(LAMPS[lamp]) * np.linspace(1.0, 0.8, wide)[np.newaxis, :, np.newaxis]
    lit = cv2.GaussianBlur(photo * light, (0, 0), 0.7) + rng.normal(0, 2, photo.shape)
    to_mm = np.diag([PX_PER_MM, PX_PER_MM, 1.0])
    return Scene(np.clip(lit, 0, 255).astype(np.uint8), warp @ to_mm)
