"""What may be in a photo's way: fingers, things that lie on the sheet, the picture's own edge."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from tests.kit.camera.camera import Camera, Placed
from tests.kit.camera.lights import Light

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8]

HALF, THUMB, PEN, BENEATH = "half", "thumb", "pen", "beneath"
OBSTRUCTIONS: Final = (HALF, THUMB, PEN, BENEATH)
"""A part of the sheet is out of the picture; a thumb holds it; a pen lies on it; another pad looks
out from under it."""
COIN, SCRAP, DIE, FINGER = "coin", "scrap", "die", "finger"
THINGS: Final = (COIN, SCRAP, DIE, FINGER, PEN)
"""What lies on a field in which something is written, but for the pen, which lies anywhere."""
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
    if kind == THUMB:
        _thumb(radiance, mask, camera, light, placed, rng)
    elif kind == PEN:
        _pen(radiance, mask, camera, light, placed, rng)
    elif kind in THINGS:
        middle = spots[rng.integers(len(spots))] + rng.normal(0, 1.5, 2)
        _thing(kind, radiance, mask, camera, light, placed, middle, rng)
    return mask


def hidden_mask(pixels: npt.NDArray[np.float64], covered: Mask) -> npt.NDArray[np.bool_]:
    """Whether each of some points is covered or out of the picture; (...) for (..., 2)."""
    most = np.array(covered.shape[::-1]) - 2
    outside = ((pixels < 1) | (pixels > most)).any(axis=-1)
    x, y = np.moveaxis(np.clip(pixels, 1, most).astype(int), -1, 0)
    return np.asarray(outside | (covered[y, x] > 0))


def _fill(
    radiance: Floats, mask: Mask, outline: npt.NDArray[np.float64], colors: Floats, soft: float
) -> None:
    """Draws a shape of a colour that is given for each pixel."""
    drawn = np.zeros_like(mask)
    cv2.fillPoly(drawn, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    share = cv2.GaussianBlur(drawn, (0, 0), max(soft, 0.4)).astype(np.float32)[:, :, None] / 255
    radiance += (colors - radiance) * share
    np.maximum(mask, drawn, out=mask)


def _shadow(radiance: Floats, outline: npt.NDArray[np.float64], by: float, soft: float) -> None:
    drawn = np.zeros(radiance.shape[:2], np.uint8)
    cv2.fillPoly(drawn, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    small = cv2.resize(drawn, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), max(soft / 4, 0.5))
    full = cv2.resize(blurred, (radiance.shape[1], radiance.shape[0]))
    radiance *= 1 - by * full.astype(np.float32)[:, :, None] / 255


def _lit(light: Light, camera: Camera, place: npt.NDArray[np.float64]) -> Floats:
    """The light at a place on the table, (3,) BGR."""
    return np.asarray(light.falls(place.reshape(1, 1, 3), None, camera.center)[0, 0], np.float32)


def _thumb(
    radiance: Floats,
    mask: Mask,
    camera: Camera,
    light: Light,
    placed: Placed,
    rng: np.random.Generator,
) -> None:
    width, height = placed.mesh.width, placed.mesh.height
    # From a corner, or from somewhere along an edge, inwards.
    right, down = rng.choice([-1, 1], 2)
    start = np.array([right * width / 2, down * height / 2])
    if rng.random() < 0.4:
        start[int(rng.integers(2))] *= float(rng.uniform(-0.7, 0.7))
    inwards = -start / max(float(np.hypot(*start)), 1e-6)
    turn = float(rng.normal(0, 0.35))
    cos, sin = np.cos(turn), np.sin(turn)
    along = np.array([inwards[0] * cos - inwards[1] * sin, inwards[0] * sin + inwards[1] * cos])
    across = np.array([-along[1], along[0]])
    thick = float(rng.uniform(8.5, 12))
    reach = float(rng.uniform(12, 45))
    t = np.linspace(0, np.pi, 24)
    tip = start + along * (reach - thick)
    cap = tip + thick * (np.cos(t)[:, None] * across + 1.15 * np.sin(t)[:, None] * along)
    wrist = start - along * 90
    outline = np.concatenate([cap, [wrist - across * thick * 1.3, wrist + across * thick * 1.3]])
    scale = _pixels_per_mm(camera, placed)
    pixels = _projected(camera, placed, outline, 9.0)
    _shadow(
        radiance, _projected(camera, placed, outline + rng.normal(0, 4, 2), 0.0), 0.5, 4 * scale
    )
    drawn = np.zeros(mask.shape, np.uint8)
    cv2.fillPoly(drawn, [np.round(pixels).astype(np.int32)], 255)
    far = cv2.distanceTransform(drawn, cv2.DIST_L2, 3) / max(thick * scale, 1)
    round_ = np.sqrt(np.clip(1 - (1 - np.clip(far, 0, 1)) ** 2, 0, 1))
    tone = np.array([0.18, 0.27, 0.46]) * rng.uniform(0.35, 1.25) * rng.uniform(0.93, 1.07, 3)
    where = np.array([*placed.world(np.array([[*tip, 9.0]]))[0]])
    skin = (tone * _lit(light, camera, where)).astype(np.float32)
    coarse = 1 + 0.04 * rng.standard_normal((mask.shape[0] // 4 + 1, mask.shape[1] // 4 + 1))
    grain = cv2.resize(coarse.astype(np.float32), (mask.shape[1], mask.shape[0]))
    colors = skin * (0.5 + 0.6 * round_)[:, :, None] * grain[:, :, None]
    _fill(radiance, mask, pixels, np.asarray(colors, np.float32), 0.12 * scale)
    nail = tip + along * thick * 0.45
    angle = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    shape = nail + thick * (
        0.6 * np.cos(angle)[:, None] * across + 0.62 * np.sin(angle)[:, None] * along
    )
    pale = (skin * np.array([1.5, 1.35, 1.12])).astype(np.float32)
    _fill(
        radiance,
        mask,
        _projected(camera, placed, shape, 10.0),
        np.broadcast_to(pale, radiance.shape),
        0.3 * scale,
    )


def _thing(
    kind: str,
    radiance: Floats,
    mask: Mask,
    camera: Camera,
    light: Light,
    placed: Placed,
    middle: npt.NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """A coin, a scrap of paper, a die, or a smooth finger that comes from beyond an edge."""
    turn = float(rng.uniform(0, 2 * np.pi))
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    round_ = np.stack([np.cos(angles), np.sin(angles)], 1)
    if kind == COIN:
        shape, above = round_ * rng.uniform(8, 13), 1.5
        tone = np.array(_METALS[rng.integers(len(_METALS))])
    elif kind == FINGER:
        thick = float(rng.uniform(6.5, 9.5))
        shape, above = round_ * thick * (1.2, 1), 8.0
        shape[round_[:, 0] < 0] = [(-140, -thick), (-140, thick)] * (len(angles) // 4)
        shape = cv2.convexHull(shape.astype(np.float32)).reshape(-1, 2).astype(np.float64)
        tone = np.array([0.3, 0.42, 0.66]) * rng.uniform(0.35, 1.25)
        x, y = middle
        turn = float(np.arctan2(-y, -x) + rng.normal(0, 0.5))
    else:
        sides = rng.uniform(7, 9) if kind == DIE else rng.uniform(9, 30, 2)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sides
        ragged = 0.2 if kind == DIE else 2.0
        shape, above = corners + rng.normal(0, ragged, corners.shape), 9.0 if kind == DIE else 0.5
        tone = rng.uniform(0.25, 0.95) * rng.uniform(0.9, 1.05, 3)
        if rng.random() < 0.4:
            tone = rng.uniform(0.05, 0.9, 3)
    cos, sin = np.cos(turn), np.sin(turn)
    outline = middle + shape @ np.array([[cos, sin], [-sin, cos]])
    scale = _pixels_per_mm(camera, placed)
    aside = rng.normal(0, 0.3 * above, 2)
    _shadow(radiance, _projected(camera, placed, outline + aside, 0.0), 0.4, above / 4 * scale)
    pixels = _projected(camera, placed, outline, above)
    drawn = np.zeros(mask.shape, np.uint8)
    cv2.fillPoly(drawn, [np.round(pixels).astype(np.int32)], 255)
    # A finger is darker where it bends away, a coin has a rim.
    width = {FINGER: 5.0, COIN: 1.2}.get(kind, 0.3) * scale
    far = np.clip(cv2.distanceTransform(drawn, cv2.DIST_L2, 3) / width, 0, 1)
    lit = _lit(light, camera, placed.world(np.array([[*middle, above]]))[0])
    shade = (0.75 + 0.25 * np.sqrt(far))[:, :, None]
    colors = np.asarray((tone * lit).astype(np.float32) * shade, np.float32)
    _fill(radiance, mask, pixels, colors, 0.1 * scale)


_METALS: Final = ((0.2, 0.35, 0.55), (0.25, 0.5, 0.62), (0.5, 0.55, 0.58), (0.12, 0.2, 0.36))
"""Copper, brass, nickel, and copper that has gone dark; BGR."""


def _pen(
    radiance: Floats,
    mask: Mask,
    camera: Camera,
    light: Light,
    placed: Placed,
    rng: np.random.Generator,
) -> None:
    width, height = placed.mesh.width, placed.mesh.height
    middle = rng.uniform(-0.45, 0.45, 2) * (width, height)
    angle = float(rng.uniform(0, 2 * np.pi))
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-along[1], along[0]])
    thick, length = float(rng.uniform(3.5, 5.5)), float(rng.uniform(120, 170))
    tip = middle + along * float(rng.uniform(0, 0.5)) * length
    scale = _pixels_per_mm(camera, placed)
    tone = rng.uniform(0.02, 0.6, 3)
    where = placed.world(np.array([[*middle, 3.0]]))[0]
    lit = _lit(light, camera, where)
    shape = np.array([(0, 0), (16, 1), (length, 1), (length, -1), (16, -1)], float)
    outline = tip - shape[:, :1] * along + shape[:, 1:] * across * thick
    _shadow(
        radiance, _projected(camera, placed, outline + rng.normal(0, 2.5, 2), 0.0), 0.45, 2 * scale
    )
    for share, bright in ((1.0, 0.65), (0.72, 1.0), (0.3, 1.35)):
        part = tip - shape[:, :1] * along + shape[:, 1:] * across * thick * share
        colors = np.broadcast_to((tone * lit * bright).astype(np.float32), radiance.shape)
        _fill(radiance, mask, _projected(camera, placed, part, 4.0), colors, 0.2 * scale)
    point = np.array([(0, 0), (16, 1), (16, -1)], float)
    wood = np.broadcast_to((np.array([0.3, 0.5, 0.68]) * lit).astype(np.float32), radiance.shape)
    part = tip - point[:, :1] * along + point[:, 1:] * across * thick
    _fill(radiance, mask, _projected(camera, placed, part, 4.0), wood, 0.2 * scale)


def _projected(
    camera: Camera, placed: Placed, points: npt.NDArray[np.float64], above: float
) -> npt.NDArray[np.float64]:
    """Pixels of points at a height above the sheet, (n, 2) millimetres from its centre."""
    lifted = np.concatenate([points, np.full((len(points), 1), above)], 1)
    return camera.project(placed.world(lifted))


def _pixels_per_mm(camera: Camera, placed: Placed) -> float:
    points = _projected(camera, placed, np.array([(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)]), 0.0)
    return float(np.linalg.norm(points[1:] - points[0], axis=1).mean() / 10)
