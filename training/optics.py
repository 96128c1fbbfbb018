"""From a drawn piece of a pad to a phone's photo of it, rectified again."""

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
from training import Rng
from training.writing.pens import PX_PER_MM, Pen

Gray: TypeAlias = npt.NDArray[np.uint8]
Matrix: TypeAlias = npt.NDArray[np.float64]

LUMA: Final = (0.114, 0.587, 0.299)
"""Weights of blue, green and red in luma, as in OpenCV and JPEG."""
_NOISE: Final = 1024
"""The side of a tile of noise."""


@dataclass(frozen=True)
class CameraSettings:
    """Settings with which a photo is taken and developed."""

    px_per_mm: float
    focus: Millimetres
    """Standard deviation of the defocus blur, on the paper."""
    motion: Millimetres
    """Length of the motion blur, on the paper."""
    noise: float
    """Standard deviation at medium gray, of 255."""
    sharpening: float
    quality: int
    """Quality of the JPEG."""
    exposure: float
    """The brightness of white paper; above 1 it clips."""
    gamma: float
    shift: Millimetres
    """Typical error of the rectification."""


LEAST_CONTRAST: Final = 0.12
"""The least contrast of a pen's line with the paper, after blur, that a person can read."""


def random_settings(rng: Rng, pens: Sequence[Pen]) -> CameraSettings:
    """Random settings with which a person can still read what these pens wrote."""
    px_per_mm = math.exp(rng.uniform(math.log(3.0), math.log(10)))
    hard = rng.random() < 0.3
    focus = rng.uniform(0.05, 0.3) if hard else abs(rng.normal(0, 0.08))
    motion = rng.uniform(0, 0.8) if hard and rng.random() < 0.5 else abs(rng.normal(0, 0.1))
    while (
        contrast := min(_line_contrast(pen, px_per_mm, focus, motion) for pen in pens)
    ) < LEAST_CONTRAST:
        if focus < 0.03 and motion < 0.1 and px_per_mm > 9:
            break
        focus, motion, px_per_mm = focus * 0.7, motion * 0.7, min(px_per_mm * 1.15, 10)
    exposure = rng.uniform(0.72, 1.0) if rng.random() < 0.7 else rng.uniform(0.4, 1.1)
    if contrast < 0.3:
        exposure = min(exposure, 1.0)
    noise = rng.uniform(0, 9) if hard else rng.uniform(0, 4)
    lowest = 62 if px_per_mm < 4.5 or contrast < 0.3 else 40
    return CameraSettings(
        px_per_mm,
        focus,
        motion,
        min(noise, 255 * exposure * contrast / 9),
        rng.uniform(0, 1.2) if rng.random() < 0.7 else rng.uniform(1.2, 3),
        int(rng.integers(lowest, 96)),
        exposure,
        math.exp(rng.normal(0, 0.16)),
        _random_shift(rng),
    )


def _line_contrast(pen: Pen, px_per_mm: float, focus: Millimetres, motion: Millimetres) -> float:
    """The contrast of a pen's line in the photo, after blur."""
    sigma = math.sqrt(focus**2 + (0.4 / px_per_mm) ** 2 + (motion / 3.5) ** 2)
    return pen.contrast * math.erf(pen.width / 2 / sigma / math.sqrt(2))


def _random_shift(rng: Rng) -> Millimetres:
    """A typical error of rectification: mostly small."""
    if rng.random() < 0.85:
        return float(abs(rng.normal(0, 0.15)))
    return rng.uniform(0.2, 0.9)


def reprinted(picture: npt.NDArray[np.uint8], rng: Rng) -> npt.NDArray[np.uint8]:
    """The same pad from another printer: in gray, pale, or with slightly different colours."""
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


def gray_under_lamp(picture: npt.NDArray[np.uint8], rng: Rng) -> Gray:
    """Luma under a lamp of some colour, which makes blue or red darker or paler."""
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


def random_light(rows: int, columns: int, px_per_mm: float, rng: Rng) -> npt.NDArray[np.float32]:
    """A map of illumination, 0 to about 1: the gradient of a lamp, and shadows of hands."""
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
    """A map of illumination with one shadow: 1 in the light, less in the shadow."""
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
    """Tiles of white noise, and of coarser noise as a phone's noise reduction leaves it."""
    rng = np.random.default_rng(5)
    white = rng.standard_normal((_NOISE, _NOISE)).astype(np.float32)
    coarse = cv2.GaussianBlur(rng.standard_normal((_NOISE, _NOISE)).astype(np.float32), (0, 0), 0.8)
    return white, coarse / coarse.std()


def noise(rows: int, columns: int, rng: Rng) -> npt.NDArray[np.float32]:
    """Noise of standard deviation 1, white or coarse, (rows, columns)."""
    whole = _noise()[int(rng.integers(2))]
    y, x = rng.integers(_NOISE - rows + 1), rng.integers(_NOISE - columns + 1)
    return whole[y : y + rows, x : x + columns]


def developed(photo: npt.NDArray[np.float32], settings: CameraSettings, rng: Rng) -> Gray:
    """A phone's photo of the light on its sensor: noise, tone curve, sharpening and JPEG.

    Args:
        photo: (rows, columns), 1 is fully lit white paper.
    """
    rows, columns = photo.shape
    level = np.clip(photo * np.float32(settings.exposure), 0, 1.02)
    if settings.noise > 0.2:
        strength = np.sqrt(level * 0.7 + 0.1) * np.float32(settings.noise / 255)
        level = level + noise(rows, columns, rng) * strength
    level = np.clip(level, 0, 1) ** np.float32(settings.gamma)
    if settings.sharpening > 0.05:
        soft = cv2.GaussianBlur(level, (0, 0), rng.uniform(0.7, 1.6))
        level = level + np.float32(settings.sharpening) * (level - soft)
    picture = np.asarray(np.clip(level * 255, 0, 255), np.uint8)
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, settings.quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), np.uint8)


def photographed_and_flattened(gray: Gray, settings: CameraSettings, rng: Rng) -> Gray:
    """A square piece of a pad, photographed and rectified with errors as the reader makes them.

    Args:
        gray: the piece at `PX_PER_MM`.

    Returns:
        The piece at `FLAT_PX_PER_MM`, slightly rotated, scaled and displaced.
    """
    scale = PX_PER_MM
    if settings.px_per_mm < 5.5:
        scale /= 2
        gray = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    rows, columns = gray.shape
    lit = gray * random_light(rows, columns, scale, rng) * np.float32(1 / 255)
    # A pixel gathers light from an area of about its own size.
    sigma = math.hypot(settings.focus, 0.4 / settings.px_per_mm) * scale
    lit = cv2.GaussianBlur(lit, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    if settings.motion * scale > 1.5:
        lit = cv2.filter2D(
            lit, -1, motion_kernel(settings.motion * scale, rng), borderType=cv2.BORDER_REPLICATE
        )
    if rng.random() < 0.06:
        lit = _glare(lit, rng)
    to_photo, side = _view(columns / scale, settings.px_per_mm, rng)
    photo = cv2.warpPerspective(
        lit,
        to_photo @ _scaling(1 / scale),
        (side, side),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    taken = developed(photo, settings, rng)
    flat_side = round(columns / scale * FLAT_PX_PER_MM)
    wrongly = _error(columns / scale, settings.shift, rng)
    back = to_photo @ wrongly @ _scaling(1 / FLAT_PX_PER_MM)
    how = cv2.INTER_LINEAR if rng.random() < 0.6 else cv2.INTER_CUBIC
    return cv2.warpPerspective(
        taken,
        back,
        (flat_side, flat_side),
        flags=how | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )


def motion_kernel(length: float, rng: Rng) -> npt.NDArray[np.float32]:
    """The kernel of motion blur along a line of `length` pixels in a random direction."""
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
    """The reflection of a lamp, which reduces contrast."""
    rows, columns = lit.shape
    y, x = np.ogrid[:rows, :columns]
    cy, cx = rng.uniform(0, rows), rng.uniform(0, columns)
    radius = rng.uniform(0.15, 0.6) * columns
    spot = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * radius**2)).astype(np.float32)
    return lit + np.float32(rng.uniform(0.05, 0.45)) * spot * (1.1 - lit)


def _scaling(factor: float) -> Matrix:
    return np.diag((factor, factor, 1.0))


def _view(side: Millimetres, px_per_mm: float, rng: Rng) -> tuple[Matrix, int]:
    """(homography from millimetres on the piece to pixels of the photo, the photo's side)."""
    turn = rng.normal(0, math.radians(9)) + (rng.integers(4) * math.pi / 2)
    tilt_at, tilt = rng.uniform(0, math.pi), 1 - min(abs(rng.normal(0, 0.12)), 0.4)
    middle = np.array(((1, 0, -side / 2), (0, 1, -side / 2), (0, 0, 1)))
    view = rotation(turn) @ rotation(tilt_at) @ np.diag((1, tilt, 1)) @ rotation(-tilt_at) @ middle
    bent = np.eye(3)
    bent[2, :2] = rng.normal(0, 0.06, 2) / side
    pixels = math.ceil(side * 1.06 * px_per_mm)
    out = np.array(((px_per_mm, 0, pixels / 2), (0, px_per_mm, pixels / 2), (0, 0, 1)))
    return out @ bent @ view, pixels


def rotation(angle: float) -> Matrix:
    """The homography that rotates the plane around the origin by an angle in radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array(((cosine, -sine, 0), (sine, cosine, 0), (0, 0, 1)))


def _error(side: Millimetres, shift: Millimetres, rng: Rng) -> Matrix:
    """A random error of rectification: from millimetres as assumed to true millimetres."""
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
        back @ bent @ rotation(float(np.clip(turn, -0.052, 0.052))) @ np.diag((*scale, 1)) @ there
    )
