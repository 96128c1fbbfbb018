"""Obstacles in a photo: fingers, things that lie on the sheet, the picture's own edge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from lab.camera.camera import Camera, Placed
from lab.camera.lights import Light

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8]

HALF, THUMB, PEN, BENEATH = "half", "thumb", "pen", "beneath"
OBSTRUCTIONS: Final = (HALF, THUMB, PEN, BENEATH)
"""A part of the sheet is out of the picture; a thumb holds it; a pen lies on it; another pad looks
out from under it."""
COIN, SCRAP, DIE, FINGER = "coin", "scrap", "die", "finger"
THINGS: Final = (COIN, SCRAP, DIE, FINGER, PEN)
"""Things on a written field, or, for the pen, anywhere."""
SEEN: Final = 0.4
"""Half the side of the part of a field that must be in view, as a share of its box."""


def moved_aside(
    camera: Camera, outline: npt.NDArray[np.float64], rng: np.random.Generator
) -> Camera:
    """The camera aimed so that a fifth to a half of the sheets is out of the picture."""
    seen = camera.project(outline)
    low, high = seen.min(0), seen.max(0)
    side = int(rng.integers(2))
    share = float(rng.uniform(0.2, 0.5)) * (1 if rng.random() < 0.5 else -1)
    room = (np.array([camera.columns, camera.rows]) - (high - low)) / 2
    shift = np.zeros(2)
    shift[side] = share * (high - low)[side] + np.sign(share) * room[side]
    along = camera.turn.T @ np.array([*(shift / camera.focal * camera.distance), 0.0])
    target = (camera.target[0] + float(along[0]), camera.target[1] + float(along[1]))
    return replace(camera, target=target)


def lay(
    kind: str,
    radiance: Floats,
    camera: Camera,
    light: Light,
    placed: Placed,
    spots: npt.NDArray[np.float64],
    rng: np.random.Generator,
) -> Mask:
    """Draws something over a sheet; returns what it covers, 255.

    Args:
        kind: one of `OBSTRUCTIONS` and `THINGS`; others draw nothing.
        spots: (n, 2), in millimetres from the sheet's centre, on one of which a thing lies.
    """
    mask = np.zeros(radiance.shape[:2], np.uint8)
    if kind not in {THUMB, *THINGS}:
        return mask
    thing = _thing(kind, rng)
    half = np.array([placed.mesh.width, placed.mesh.height]) / 2
    middle = spots[rng.integers(len(spots))] + rng.normal(0, 1.5, 2)
    if kind == THUMB:  # from a corner, or from somewhere along an edge, inwards
        start = half * rng.choice([-1, 1], 2)
        if rng.random() < 0.4:
            start[int(rng.integers(2))] *= float(rng.uniform(-0.7, 0.7))
        middle = start * (1 - rng.uniform(4, 35) / np.hypot(*start))
    elif kind == PEN:
        middle = rng.uniform(-0.9, 0.9, 2) * half
    turn = float(rng.uniform(0, 2 * np.pi))
    if kind in (FINGER, THUMB):
        turn = float(np.arctan2(*-middle[::-1]) + rng.normal(0, 0.4))
    cos, sin = np.cos(turn), np.sin(turn)
    outline = middle + thing.outline @ np.array([[cos, sin], [-sin, cos]])

    def projected(points: npt.NDArray[np.float64], above: float) -> npt.NDArray[np.float64]:
        lifted = np.concatenate([points, np.full((len(points), 1), above)], 1)
        return camera.project(placed.world(lifted))

    ends = projected(np.array([(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)]), 0.0)
    scale = float(np.linalg.norm(ends[1:] - ends[0], axis=1).mean() / 10)
    shadow = _filled(mask, projected(outline + rng.normal(0, 0.4 * thing.above, 2), 0.0))
    small = cv2.resize(shadow, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), max(thing.above * scale / 16, 0.5))
    radiance *= 1 - 0.45 / 255 * cv2.resize(small, mask.shape[::-1])[:, :, None]
    mask = _filled(mask, projected(outline, thing.above))
    # A finger is darker where it bends away, a coin has a rim.
    far = cv2.distanceTransform(mask, cv2.DIST_L2, 3) / (thing.rim * scale)
    shade = 0.65 + 0.35 * np.sqrt(np.clip(far, 0, 1))
    where = placed.world(np.array([[[*middle, thing.above]]]))
    tone = (thing.tone * light.falls(where, None, camera.center)[0, 0]).astype(np.float32)
    share = cv2.GaussianBlur(mask, (0, 0), max(0.1 * scale, 0.4))[:, :, None] / np.float32(255)
    radiance += (tone * shade[:, :, None] - radiance) * share
    return mask


@dataclass(frozen=True)
class _Thing:
    outline: npt.NDArray[np.float64]  # (n, 2), in millimetres; fingers point to the right
    above: Millimetres  # its height above the sheet
    rim: Millimetres  # how far from its edge it is darker
    tone: npt.NDArray[np.float64]  # its reflectance, BGR


def _thing(kind: str, rng: np.random.Generator) -> _Thing:
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    round_ = np.stack([np.cos(turns), np.sin(turns)], 1)
    if kind == COIN:
        return _Thing(round_ * rng.uniform(8, 13), 1.5, 1.2, rng.choice(_METALS))
    if kind in (FINGER, THUMB):
        thick = float(rng.uniform(6.5, 9.5) if kind == FINGER else rng.uniform(8.5, 12))
        tip = round_[round_[:, 0] >= 0] * thick * (1.2, 1)
        arm = np.array([(-140.0, thick), (-140.0, -thick)])
        outline = cv2.convexHull(np.concatenate([tip, arm]).astype(np.float32))
        skin = np.array([0.3, 0.42, 0.66]) * rng.uniform(0.35, 1.25)
        return _Thing(outline.reshape(-1, 2).astype(np.float64), 8.0, 5.0, skin)
    if kind == PEN:
        shape = np.array([(0, 0), (16, 1), (rng.uniform(120, 170), 1)])
        pen = np.concatenate([shape, shape[:0:-1] * (1, -1)]) - (rng.uniform(0, 80), 0)
        return _Thing(pen * (1, rng.uniform(3.5, 5.5)), 4.0, 3.0, rng.uniform(0.02, 0.6, 3))
    sides = rng.uniform(7, 9) if kind == DIE else rng.uniform(9, 30, 2)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sides
    ragged = corners + rng.normal(0, 0.2 if kind == DIE else 2.0, corners.shape)
    tone = rng.uniform(0.25, 0.95) * rng.uniform(0.9, 1.05, 3)
    if rng.random() < 0.4:
        tone = rng.uniform(0.05, 0.9, 3)
    return _Thing(ragged, 9.0 if kind == DIE else 0.5, 0.3, tone)


_METALS: Final = ((0.2, 0.35, 0.55), (0.25, 0.5, 0.62), (0.5, 0.55, 0.58), (0.12, 0.2, 0.36))
"""Copper, brass, nickel, and copper that has gone dark; BGR."""


def _filled(like: Mask, outline: npt.NDArray[np.float64]) -> Mask:
    drawn = np.zeros_like(like)
    cv2.fillPoly(drawn, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return drawn


def hidden_mask(pixels: npt.NDArray[np.float64], covered: Mask) -> npt.NDArray[np.bool_]:
    """Whether each of some points is covered or out of the picture; (...) for (..., 2)."""
    most = np.array(covered.shape[::-1]) - 2
    outside = ((pixels < 1) | (pixels > most)).any(axis=-1)
    x, y = np.moveaxis(np.clip(pixels, 1, most).astype(int), -1, 0)
    return np.asarray(outside | (covered[y, x] > 0))
