"""From a drawn piece of a pad to what a phone's photo of it looks like, flattened again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from companion.vision.core import FLAT_PX_PER_MM
from training.pens import PX_PER_MM, Pen

Rng: TypeAlias = np.random.Generator
Gray: TypeAlias = npt.NDArray[np.uint8]
Matrix: TypeAlias = npt.NDArray[np.float64]

LUMA: Final = (0.114, 0.587, 0.299)
"""Of blue, green, red, as OpenCV and JPEG weigh them."""
_NOISE: Final = 1024


@dataclass(frozen=True)
class Shot:
    """How one photo is taken."""

    px_per_mm: float
    focus: Millimetres
    """The standard deviation of what is out of focus."""
    motion: Millimetres
    """How far the phone moved."""
    noise: float
    """Standard deviation at medium gray, of 255."""
    sharpening: float
    quality: int
    """Of the JPEG."""
    exposure: float
    """How bright white paper is, of 1; a little above 1 burns out."""
    gamma: float
    shift: Millimetres
    """How far the flattening is off, as a rule."""


LEAST_SEEN: Final = 0.12
"""Of the contrast of a pen's line with the paper around it, after the blur: less is not read."""


def any_shot(rng: Rng, pens: Sequence[Pen]) -> Shot:
    """A photo in which a person can still read what these pens wrote."""
    px_per_mm = math.exp(rng.uniform(math.log(3.0), math.log(10)))
    hard = rng.random() < 0.3
    focus = rng.uniform(0.05, 0.3) if hard else abs(rng.normal(0, 0.08))
    motion = rng.uniform(0, 0.8) if hard and rng.random() < 0.5 else abs(rng.normal(0, 0.1))
    while (seen := min(_seen(pen, px_per_mm, focus, motion) for pen in pens)) < LEAST_SEEN:
        if focus < 0.03 and motion < 0.1 and px_per_mm > 9:
            break
        focus, motion, px_per_mm = focus * 0.7, motion * 0.7, min(px_per_mm * 1.15, 10)
    exposure = rng.uniform(0.72, 1.0) if rng.random() < 0.7 else rng.uniform(0.4, 1.1)
    if seen < 0.3:
        exposure = min(exposure, 1.0)
    noise = rng.uniform(0, 9) if hard else rng.uniform(0, 4)
    lowest = 62 if px_per_mm < 4.5 or seen < 0.3 else 40
    return Shot(
        px_per_mm,
        focus,
        motion,
        min(noise, 255 * exposure * seen / 9),
        rng.uniform(0, 1.2) if rng.random() < 0.7 else rng.uniform(1.2, 3),
        int(rng.integers(lowest, 96)),
        exposure,
        math.exp(rng.normal(0, 0.16)),
        _misplaced(rng),
    )


def _seen(pen: Pen, px_per_mm: float, focus: Millimetres, motion: Millimetres) -> float:
    """The contrast that is left of a line."""
    sigma = math.sqrt(focus**2 + (0.4 / px_per_mm) ** 2 + (motion / 3.5) ** 2)
    return pen.contrast * math.erf(pen.width / 2 / sigma / math.sqrt(2))


def _misplaced(rng: Rng) -> Millimetres:
    if rng.random() < 0.85:
        return float(abs(rng.normal(0, 0.15)))
    return rng.uniform(0.2, 0.9)


def printed_otherwise(picture: npt.NDArray[np.uint8], rng: Rng) -> npt.NDArray[np.uint8]:
    """The same pad from another printer: in gray, pale, or with colours that are a little off."""
    if rng.random() < 0.28:
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        picture = cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.35:
        strength = rng.uniform(0.5, 1)
        picture = cv2.convertScaleAbs(picture, alpha=strength, beta=255 * (1 - strength))
    if rng.random() < 0.5:
        gammas = np.exp(rng.normal(0, 0.15, 3)) * math.exp(rng.normal(0, 0.12))
        levels = np.linspace(0, 1, 256)[:, np.newaxis] ** gammas
        table = np.asarray(np.clip(levels * 255, 0, 255), np.uint8).reshape(256, 1, 3)
        picture = cv2.LUT(picture, table)
    return picture.copy()


def gray_under(picture: npt.NDArray[np.uint8], rng: Rng) -> Gray:
    """Luma under lamp light of some colour: what is blue or red gets darker or paler."""
    lamp = np.array((1.0, 1.0, 1.0))
    drawn = rng.random()
    if drawn < 0.3:
        warm = rng.uniform(0, 0.45)
        lamp = np.array((1 - warm, 1 - 0.35 * warm, 1.0))
    elif drawn < 0.45:
        lamp = np.exp(rng.normal(0, 0.15, 3))
    weights = np.array(LUMA) * lamp
    weights /= weights.sum()
    return cv2.transform(picture, weights.reshape(1, 3).astype(np.float32))


def light(rows: int, columns: int, px_per_mm: float, rng: Rng) -> npt.NDArray[np.float32]:
    """How much light falls where, 0 to about 1: a lamp's gradient, and shadows of hands."""
    y, x = np.mgrid[-1:1:24j, -1:1:24j].astype(np.float32)
    angle, amount = rng.uniform(0, math.tau), abs(rng.normal(0, 0.12))
    field = 1 - amount * (1 + math.cos(angle) * x + math.sin(angle) * y) / 2
    if rng.random() < 0.3:
        cx, cy = rng.uniform(-1.5, 1.5, 2)
        field *= 1 - rng.uniform(0, 0.25) * np.clip((x - cx) ** 2 + (y - cy) ** 2, 0, 3) / 3
    whole = cv2.resize(field, (columns, rows), interpolation=cv2.INTER_LINEAR)
    for _ in range(int(rng.choice((0, 1, 2), p=(0.6, 0.3, 0.1)))):
        whole *= _shadow(rows, columns, px_per_mm, rng)
    return whole


def _shadow(rows: int, columns: int, px_per_mm: float, rng: Rng) -> npt.NDArray[np.float32]:
    """1 in the light, less in a shadow with an edge as soft as the lamp is wide."""
    mask = np.zeros((rows, columns), np.float32)
    middle = np.array((columns, rows)) * rng.uniform(0.1, 0.9, 2)
    angle = rng.uniform(0, math.tau)
    along = np.array((math.cos(angle), math.sin(angle)))
    across = np.array((-along[1], along[0]))
    reach = 1.6 * max(rows, columns)
    if rng.random() < 0.3:
        # An arm, a pen, a finger: two edges.
        half = rng.uniform(6, 20) * px_per_mm
        corners = [
            middle + reach * s * along + half * t * across
            for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
    else:
        bend = rng.normal(0, 0.15) * reach
        edge = [middle + reach * s * along + bend * (s * s) * across for s in np.linspace(-1, 1, 9)]
        corners = [*edge, edge[-1] + 2 * reach * across, edge[0] + 2 * reach * across]
    cv2.fillPoly(mask, [np.round(np.array(corners)).astype(np.int32)], 1.0)
    softness = rng.uniform(0.1, 0.6) if rng.random() < 0.4 else rng.uniform(0.6, 6)
    sigma = softness * px_per_mm / 2
    if sigma > 4:
        small = cv2.resize(mask, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), sigma / 4, borderType=cv2.BORDER_REPLICATE)
        mask = cv2.resize(small, (columns, rows), interpolation=cv2.INTER_LINEAR)
    else:
        mask = cv2.GaussianBlur(mask, (0, 0), max(sigma, 0.4), borderType=cv2.BORDER_REPLICATE)
    return 1 - rng.uniform(0.15, 0.65) * mask


@cache
def _noise() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """White noise, and the coarser noise that is left after a phone has smoothed it."""
    rng = np.random.default_rng(5)
    white = rng.standard_normal((_NOISE, _NOISE)).astype(np.float32)
    coarse = cv2.GaussianBlur(rng.standard_normal((_NOISE, _NOISE)).astype(np.float32), (0, 0), 0.8)
    return white, coarse / coarse.std()


def noise(rows: int, columns: int, rng: Rng) -> npt.NDArray[np.float32]:
    """Of standard deviation 1."""
    whole = _noise()[int(rng.integers(2))]
    y, x = rng.integers(_NOISE - rows + 1), rng.integers(_NOISE - columns + 1)
    return whole[y : y + rows, x : x + columns]


def exposed(photo: npt.NDArray[np.float32], shot: Shot, rng: Rng) -> Gray:
    """What the phone makes of the light on its sensor: `photo` is 1 where white paper is lit."""
    rows, columns = photo.shape
    level = np.clip(photo * np.float32(shot.exposure), 0, 1.02)
    if shot.noise > 0.2:
        strength = np.sqrt(level * 0.7 + 0.1) * np.float32(shot.noise / 255)
        level = level + noise(rows, columns, rng) * strength
    level = np.clip(level, 0, 1) ** np.float32(shot.gamma)
    if shot.sharpening > 0.05:
        soft = cv2.GaussianBlur(level, (0, 0), rng.uniform(0.7, 1.6))
        level = level + np.float32(shot.sharpening) * (level - soft)
    picture = np.asarray(np.clip(level * 255, 0, 255), np.uint8)
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, shot.quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), np.uint8)


def taken_and_flattened(gray: Gray, shot: Shot, rng: Rng) -> Gray:
    """A photo of a square piece of a pad, flattened as the reader does, and as wrongly.

    Args:
        gray: `PX_PER_MM`.

    Returns:
        The same piece at `FLAT_PX_PER_MM`, turned, scaled and misplaced a little.
    """
    scale = PX_PER_MM
    if shot.px_per_mm < 5.5:
        scale /= 2
        gray = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    rows, columns = gray.shape
    lit = gray * light(rows, columns, scale, rng) * np.float32(1 / 255)
    # A pixel gathers light from about its own size.
    sigma = math.hypot(shot.focus, 0.4 / shot.px_per_mm) * scale
    lit = cv2.GaussianBlur(lit, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    if shot.motion * scale > 1.5:
        lit = cv2.filter2D(
            lit, -1, motion(shot.motion * scale, rng), borderType=cv2.BORDER_REPLICATE
        )
    if rng.random() < 0.06:
        lit = _glare(lit, rng)
    to_photo, side = _view(columns / scale, shot.px_per_mm, rng)
    photo = cv2.warpPerspective(
        lit,
        to_photo @ _scaling(1 / scale),
        (side, side),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    taken = exposed(photo, shot, rng)
    flat_side = round(columns / scale * FLAT_PX_PER_MM)
    wrongly = _error(columns / scale, shot.shift, rng)
    back = to_photo @ wrongly @ _scaling(1 / FLAT_PX_PER_MM)
    how = cv2.INTER_LINEAR if rng.random() < 0.6 else cv2.INTER_CUBIC
    return cv2.warpPerspective(
        taken,
        back,
        (flat_side, flat_side),
        flags=how | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )


def motion(length: float, rng: Rng) -> npt.NDArray[np.float32]:
    side = math.ceil(length) | 1
    kernel = np.zeros((side, side), np.float32)
    angle, middle = rng.uniform(0, math.pi), (side - 1) / 2
    dx, dy = math.cos(angle) * length / 2, math.sin(angle) * length / 2
    ends = [(round((middle + s * dx) * 16), round((middle + s * dy) * 16)) for s in (-1, 1)]
    cv2.line(kernel, *ends, 1.0, 1, cv2.LINE_AA, 4)
    if not kernel.any():
        kernel[side // 2, side // 2] = 1
    return kernel / kernel.sum()


def _glare(lit: npt.NDArray[np.float32], rng: Rng) -> npt.NDArray[np.float32]:
    """A lamp's reflection, which takes away contrast."""
    rows, columns = lit.shape
    y, x = np.ogrid[:rows, :columns]
    cy, cx = rng.uniform(0, rows), rng.uniform(0, columns)
    radius = rng.uniform(0.15, 0.6) * columns
    spot = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * radius**2)).astype(np.float32)
    return lit + np.float32(rng.uniform(0.05, 0.45)) * spot * (1.1 - lit)


def _scaling(factor: float) -> Matrix:
    return np.diag((factor, factor, 1.0))


def _view(side: Millimetres, px_per_mm: float, rng: Rng) -> tuple[Matrix, int]:
    """(millimetres on the piece → pixels in the photo, the photo's side)."""
    turn = rng.normal(0, math.radians(9)) + (rng.integers(4) * math.pi / 2)
    tilt_at, tilt = rng.uniform(0, math.pi), 1 - min(abs(rng.normal(0, 0.12)), 0.4)
    middle = np.array(((1, 0, -side / 2), (0, 1, -side / 2), (0, 0, 1)))
    view = (
        _rotation(turn) @ _rotation(tilt_at) @ np.diag((1, tilt, 1)) @ _rotation(-tilt_at) @ middle
    )
    bent = np.eye(3)
    bent[2, :2] = rng.normal(0, 0.06, 2) / side
    pixels = math.ceil(side * 1.06 * px_per_mm)
    out = np.array(((px_per_mm, 0, pixels / 2), (0, px_per_mm, pixels / 2), (0, 0, 1)))
    return out @ bent @ view, pixels


def _rotation(angle: float) -> Matrix:
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array(((cosine, -sine, 0), (sine, cosine, 0), (0, 0, 1)))


def _error(side: Millimetres, shift: Millimetres, rng: Rng) -> Matrix:
    """How the flattening is off: millimetres where it looks → millimetres where it should."""
    bad = rng.random() < 0.15
    turn = rng.normal(0, math.radians(1.2 if bad else 0.35))
    scale = np.exp(rng.normal(0, 0.016 if bad else 0.005, 2))
    angle = rng.uniform(0, math.tau)
    off = shift * np.array((math.cos(angle), math.sin(angle)))
    there = np.array(((1, 0, -side / 2), (0, 1, -side / 2), (0, 0, 1)))
    back = np.array(((1, 0, side / 2 + off[0]), (0, 1, side / 2 + off[1]), (0, 0, 1)))
    bent = np.eye(3)
    bent[2, :2] = rng.normal(0, 0.004, 2) / side
    bent[0, 1] = rng.normal(0, 0.004)
    return (
        back @ bent @ _rotation(float(np.clip(turn, -0.052, 0.052))) @ np.diag((*scale, 1)) @ there
    )
