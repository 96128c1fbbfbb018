"""From a drawn sheet, or a piece of one, to a phone's photo of it, rectified again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from companion.vision.core import FLAT_PX_PER_MM
from training import Rng
from training.writing.pens import PX_PER_MM, tile

Floats: TypeAlias = npt.NDArray[np.float32]
Picture: TypeAlias = npt.NDArray[np.uint8]
Matrix: TypeAlias = npt.NDArray[np.float64]

LUMA: Final = (0.114, 0.587, 0.299)
"""Weights of blue, green and red in luma, as in OpenCV and JPEG."""

LEAST_PX_PER_MM: Final = 2.2
"""The smallest photo: 480 pixels across a sheet of 20 cm."""
SUBSAMPLINGS: Final = (
    cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420,
    cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420,
    cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422,
    cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
)
CLEAR: Final = 0.5
"""The share of photos that are sharp and have little noise."""
MOST_SEEN_PX_PER_MM: Final = 4.0
"""The resolution at which ink is looked for; finer detail does not show that a field is used."""
TONES: Final = 4095
"""Steps of a tone curve."""
ERROR_STEP: Final[Millimetres] = 24.0
"""The distance over which errors of registration change."""


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


def settings(rng: Rng) -> CameraSettings:
    """Random settings of a camera; half of the photos are sharp and have little noise.

    Among poor photos alone no faint pencil would stand out, and none would be learned.
    """
    is_clear = rng.random() < CLEAR
    # The flattened sheet has `FLAT_PX_PER_MM`; much finer photos add little and take long.
    finest = 11 if rng.random() < 0.15 else 7
    px_per_mm = math.exp(rng.uniform(math.log(4.5 if is_clear else 2.6), math.log(finest)))
    if not is_clear and rng.random() < 0.2:
        px_per_mm = rng.uniform(LEAST_PX_PER_MM, 3)
    hard = not is_clear and rng.random() < 0.5
    focus = rng.uniform(0.05, 0.28) if hard else abs(rng.normal(0, 0.02 if is_clear else 0.07))
    motion = rng.uniform(0, 0.7) if hard and rng.random() < 0.5 else abs(rng.normal(0, 0.05))
    return CameraSettings(
        px_per_mm,
        focus,
        motion,
        rng.uniform(0, 9) if hard else rng.uniform(0, 1.2 if is_clear else 4),
        rng.uniform(0, 1.2) if rng.random() < 0.7 else rng.uniform(1.2, 2.8),
        int(rng.integers(82 if is_clear else 65 if px_per_mm < 4 else 40, 97)),
        rng.uniform(0.7, 1.0) if rng.random() < 0.7 else rng.uniform(0.4, 1.1),
        math.exp(rng.normal(0, 0.16)),
    )


def photographed_and_flattened(
    picture: Picture, camera: CameraSettings, rng: Rng, *, is_coated: bool
) -> Picture:
    """A sheet, photographed and rectified with errors as registration makes them.

    Args:
        picture: BGR at `PX_PER_MM`.
        is_coated: whether it is card, which has a grain and reflects lamps.

    Returns:
        BGR at `FLAT_PX_PER_MM`.
    """
    scale = min(camera.px_per_mm * 1.3, PX_PER_MM)
    lit = _lit(_reduced(picture, scale).astype(np.float32), scale, rng, is_coated)
    sigma = math.hypot(camera.focus, 0.4 / camera.px_per_mm) * scale
    lit = cv2.GaussianBlur(lit, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    if camera.motion * scale > 1.5:
        kernel = _motion_kernel(camera.motion * scale, rng)
        lit = cv2.filter2D(lit, -1, kernel, borderType=cv2.BORDER_REPLICATE)
    wide, tall = picture.shape[1] / PX_PER_MM, picture.shape[0] / PX_PER_MM
    to_photo, size = _view(wide, tall, camera.px_per_mm, rng)
    photo = cv2.warpPerspective(
        lit,
        to_photo @ np.diag((1 / scale, 1 / scale, 1)),
        size,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    taken = _developed(photo, camera, rng)
    return _flattened(taken, to_photo, (wide, tall), rng)


def gray(picture: Picture, camera: CameraSettings, rng: Rng, *, is_coated: bool = False) -> Picture:
    """As `photographed_and_flattened`, in gray."""
    flat = photographed_and_flattened(picture, camera, rng, is_coated=is_coated)
    return np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)


SEEN: Final = 11.0
"""The least ratio of signal to noise, by a matched filter, of ink that a person sees.

Without the card's grain and reflections, which are not counted, it would be about 8; grainy card
needs 14.
"""
STROKE: Final[Millimetres] = 0.15
"""The standard deviation of a thin stroke's profile: finer differences are noise."""
GROUND: Final[Millimetres] = 0.6
"""Differences that are smoother than this are light and shade."""
EYE: Final = 2.0
"""The noise, in gray levels, of a person's eye."""
NOISE_OF_LUMA: Final = 0.55
"""The noise of brightness in medium tones, as a share of that of a white pixel's channels."""


def ink_seen(
    empty: Picture, written: Picture, boxes: Sequence[Box], camera: CameraSettings
) -> list[bool]:
    """Whether a person sees ink in a photo of each box, if it has any.

    Args:
        empty, written: a sheet without and with ink, BGR at `PX_PER_MM`.
    """
    scale = min(camera.px_per_mm, MOST_SEEN_PX_PER_MM)
    sigma = math.hypot(camera.focus, camera.motion / 3.5, STROKE) * scale
    fine, coarse = max(sigma, 0.5), GROUND * scale
    change = np.subtract(*(_luma(_reduced(picture, scale)) for picture in (written, empty)))
    ink = cv2.GaussianBlur(change, (0, 0), fine) - cv2.GaussianBlur(change, (0, 0), coarse)
    # Blurred noise is alike in as many neighbouring pixels as the blur's square sums up to.
    blur = math.sqrt(4 * math.pi) * max(STROKE * camera.px_per_mm, 0.5)
    noise = math.hypot(NOISE_OF_LUMA * camera.noise / blur, EYE)
    least = SEEN * noise * math.sqrt(4 * math.pi) * max(STROKE * scale, 0.5) / camera.exposure
    seen = []
    for box in boxes:
        sides = (box.x, box.y, box.x + box.width, box.y + box.height)
        left, top, right, bottom = (max(round(at * scale), 0) for at in sides)
        seen.append(bool(np.linalg.norm(ink[top:bottom, left:right]) > least))
    return seen


def _luma(picture: Picture) -> Floats:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)


def _reduced(picture: Picture, scale: float) -> Picture:
    """A picture at `PX_PER_MM` with fewer pixels per millimetre."""
    by = scale / PX_PER_MM
    while by <= 0.5:
        # By a whole factor it takes a tenth of the time.
        picture = np.asarray(
            cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8
        )
        by *= 2
    size = round(picture.shape[1] * by), round(picture.shape[0] * by)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def _lit(work: Floats, scale: float, rng: Rng, is_coated: bool) -> Floats:
    """The light that a sheet of brightness 0 to 255 sends to the camera, about 0 to 1."""
    rows, columns = work.shape[:2]
    factor, added = np.float32(1 / 255), np.float32(0)
    if is_coated:
        factor = _texture(rows, columns, scale, rng) * factor
        for share in _reflections(rows, columns, scale, rng):
            # A reflection lightens what is dark.
            factor, added = factor * (1 - share), added * (1 - share) + np.float32(1.05) * share
    if rng.random() < 0.3:
        added = added + np.float32(rng.uniform(0, 0.12))
    light = _light(rows, columns, scale, rng)
    factor, added = factor * light, np.broadcast_to(added * light, light.shape)
    lit = cv2.multiply(work, cv2.merge([factor] * 3))
    lit += added[..., np.newaxis]
    lamps = _lamps(rows, columns, rng)
    return np.asarray(
        cv2.multiply(lit, lamps if lamps.size > 3 else (*lamps.ravel().tolist(), 1.0))
    )


def _light(rows: int, columns: int, px_per_mm: float, rng: Rng) -> npt.NDArray[np.float32]:
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


def _texture(rows: int, columns: int, scale: float, rng: Rng) -> Floats:
    """The brightness of the card's structure, about 1: smooth, linen, or with a grain."""
    amount = rng.uniform(0, 0.02) if rng.random() < 0.6 else rng.uniform(0.02, 0.055)
    grain = tile("grain", rows, columns, rng) - np.float32(0.5)
    if rng.random() < 0.5:
        # Fibres run one way.
        along = max(rng.uniform(0.5, 2.5) * scale, 0.5)
        across = max(rng.uniform(0.02, 0.12) * scale, 0.3)
        sigmas = (along, across) if rng.random() < 0.5 else (across, along)
        grain = cv2.GaussianBlur(grain, (0, 0), sigmas[0], sigmaY=sigmas[1])
    grain = grain / max(float(grain.std()), 1e-3)
    cloud = tile("flow", rows, columns, rng) - np.float32(0.5)
    return np.asarray(1 + np.float32(amount) * grain + np.float32(amount) * cloud, np.float32)


def _reflections(rows: int, columns: int, scale: float, rng: Rng) -> Iterator[Floats]:
    """Reflections of lamps and windows on coated card, 0 to 1: spots, and hard edges."""
    if rng.random() < 0.4:
        y, x = np.mgrid[:rows:16, :columns:16].astype(np.float32)
        veil = np.zeros_like(y)
        for _ in range(int(rng.integers(1, 4))):
            at_x, at_y = rng.uniform(-0.2, 1.2) * columns, rng.uniform(-0.2, 1.2) * rows
            wide, tall = rng.uniform(5, 60, 2) * scale
            off = ((x - at_x) / wide) ** 2 + ((y - at_y) / tall) ** 2
            veil += np.float32(rng.uniform(0.03, 0.5)) * np.exp(-off / 2)
        soft = cv2.resize(veil, (columns, rows), interpolation=cv2.INTER_LINEAR)
        # Uneven card breaks a reflection up.
        soft *= 1 + np.float32(rng.uniform(0, 0.6)) * (
            tile("flow", rows, columns, rng) - np.float32(0.5)
        )
        yield np.minimum(soft, 1)
    if rng.random() < 0.06:
        mask = np.zeros((rows, columns), np.float32)
        middle = np.array((columns, rows)) * rng.uniform(0.1, 0.9, 2)
        corners = middle + rng.uniform(-30, 30, (4, 2)) * scale
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(corners).astype(np.int32)), 1.0)
        mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.3, 2.5) * scale)
        yield np.float32(rng.uniform(0.05, 0.4)) * mask


def _lamps(rows: int, columns: int, rng: Rng) -> Floats:
    """The colour of the light: one lamp, or two from different sides. (rows or 1, …, 3)."""
    first = _lamp(rng)
    if rng.random() < 0.75:
        return first.reshape(1, 1, 3)
    second = _lamp(rng)
    angle = rng.uniform(0, math.tau)
    y, x = np.mgrid[-1:1:16j, -1:1:16j]
    share = np.clip(0.5 + 0.5 * (math.cos(angle) * x + math.sin(angle) * y), 0, 1)[..., np.newaxis]
    field = (first * (1 - share) + second * share).astype(np.float32)
    return np.asarray(cv2.resize(field, (columns, rows), interpolation=cv2.INTER_LINEAR))


def _lamp(rng: Rng) -> Floats:
    """The shares of blue, green and red under a lamp, after the white balance."""
    drawn = rng.random()
    if drawn < 0.35:
        warm = rng.uniform(0.05, 0.5)
        gains = np.array((1 - warm, 1 - 0.35 * warm, 1.0))
    elif drawn < 0.55:
        cold = rng.uniform(0, 0.3)
        gains = np.array((1.0, 1 - 0.3 * cold, 1 - cold))
    else:
        gains = np.exp(rng.normal(0, 0.05, 3))
    return (gains / gains.max()).astype(np.float32)


def _developed(photo: Floats, camera: CameraSettings, rng: Rng) -> Picture:
    """The phone's picture: noise, tone curve, saturation, sharpening and JPEG."""
    exposure = camera.exposure
    level = cv2.multiply(photo, (exposure, exposure, exposure, 1))
    rows, columns = level.shape[:2]
    if camera.noise > 0.2:
        layers = [tile("grain", rows, columns, rng) for _ in range(3)]
        gains, off = np.diag([3.4] * 3), -1.7
        if rng.random() < 0.5:
            gains[:, 0], off = gains[:, 0] + 3, -3.2
        grain = cv2.transform(cv2.merge(layers), np.c_[gains, [off] * 3].astype(np.float32))
        strengths = np.sqrt(np.linspace(0, 1.03, 256) * 0.7 + 0.1) * camera.noise / 255
        strength = cv2.LUT(
            cv2.convertScaleAbs(level, alpha=255 / 1.03), strengths.astype(np.float32)
        )
        level += cv2.multiply(grain, strength, dtype=cv2.CV_32F)
    level = _tones(camera, rng)[np.clip(level * np.float32(TONES), 0, TONES).astype(np.uint16)]
    strength = math.exp(rng.normal(0.12, 0.22))
    mixing = strength * np.eye(3) + (1 - strength) * np.array(LUMA)
    level = cv2.transform(level, mixing.astype(np.float32))
    if camera.sharpening > 0.05:
        soft = cv2.GaussianBlur(level, (0, 0), rng.uniform(0.7, 1.6))
        level = cv2.addWeighted(level, 1 + camera.sharpening, soft, -camera.sharpening, 0)
    picture = cv2.multiply(level, (255, 255, 255, 1), dtype=cv2.CV_8U)
    how = [
        cv2.IMWRITE_JPEG_QUALITY,
        camera.quality,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
        SUBSAMPLINGS[int(rng.integers(len(SUBSAMPLINGS)))],
    ]
    _, packed = cv2.imencode(".jpg", picture, how)
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def _tones(camera: CameraSettings, rng: Rng) -> Floats:
    """The tone curve: brightness for each of `TONES` + 1 levels of light."""
    level = np.linspace(0, 1, TONES + 1) ** camera.gamma
    if rng.random() < 0.5:
        # A curve that darkens the dark and lightens the light.
        level += rng.uniform(0, 0.5) * level * (1 - level) * (2 * level - 1)
    return level.astype(np.float32)


def _motion_kernel(length: float, rng: Rng) -> npt.NDArray[np.float32]:
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


def _rotation(angle: float) -> Matrix:
    """The homography that rotates the plane around the origin by an angle in radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array(((cosine, -sine, 0), (sine, cosine, 0), (0, 0, 1)))


def _view(
    wide: Millimetres, tall: Millimetres, px_per_mm: float, rng: Rng
) -> tuple[Matrix, tuple[int, int]]:
    """(homography from millimetres on the sheet to pixels, (columns, rows) of the photo)."""
    quarter = int(rng.integers(4)) if rng.random() < 0.4 else 0
    turn = quarter * math.pi / 2 + rng.normal(0, math.radians(5))
    tilt_at, tilt = rng.uniform(0, math.pi), 1 - min(abs(rng.normal(0, 0.12)), 0.4)
    view = (
        _rotation(turn)
        @ _rotation(tilt_at)
        @ np.diag((1.0, tilt, 1.0))
        @ _rotation(-tilt_at)
        @ np.array(((1, 0, -wide / 2), (0, 1, -tall / 2), (0, 0, 1)))
    )
    bent = np.eye(3)
    bent[2, :2] = rng.normal(0, 0.08, 2) / wide
    scaled = np.diag((px_per_mm, px_per_mm, 1)) @ bent @ view
    corners = np.array([((0, 0), (wide, 0), (wide, tall), (0, tall))], np.float64)
    there = cv2.perspectiveTransform(corners, scaled)[0]
    low, high = there.min(axis=0), there.max(axis=0)
    moved = np.array(((1, 0, 4 - low[0]), (0, 1, 4 - low[1]), (0, 0, 1)))
    columns, rows = (math.ceil(side) + 8 for side in high - low)
    return moved @ scaled, (columns, rows)


def _flattened(
    photo: Picture, to_photo: Matrix, size: tuple[Millimetres, Millimetres], rng: Rng
) -> Picture:
    """The sheet from its photo, mostly a tenth of a millimetre beside its place, at times half."""
    wide, tall = size
    smooth = math.exp(rng.uniform(math.log(0.02), math.log(0.3)))
    if rng.random() < 0.15:
        smooth = rng.uniform(0.3, 0.55)
    small = min(smooth, 0.3) * rng.uniform(0, 0.3)
    columns, rows = round(wide * FLAT_PX_PER_MM), round(tall * FLAT_PX_PER_MM)
    across = (np.arange(columns, dtype=np.float32) + 0.5) / np.float32(FLAT_PX_PER_MM)
    down = (np.arange(rows, dtype=np.float32) + 0.5) / np.float32(FLAT_PX_PER_MM)
    x, y = np.meshgrid(across, down)
    for step, amount in ((ERROR_STEP * 2.5, smooth), (ERROR_STEP / 2.5, small)):
        grid = (math.ceil(tall / step) + 2, math.ceil(wide / step) + 2)
        off = [
            cv2.resize(
                rng.normal(0, amount, grid).astype(np.float32),
                (columns, rows),
                interpolation=cv2.INTER_CUBIC,
            )
            for _ in range(2)
        ]
        x, y = x + off[0], y + off[1]
    to = to_photo.astype(np.float32)
    depth = to[2, 0] * x + to[2, 1] * y + to[2, 2]
    # Integers are the centres of the photo's pixels.
    at_x = (to[0, 0] * x + to[0, 1] * y + to[0, 2]) / depth
    at_y = (to[1, 0] * x + to[1, 1] * y + to[1, 2]) / depth
    how = cv2.INTER_LINEAR if rng.random() < 0.7 else cv2.INTER_CUBIC
    return np.asarray(cv2.remap(photo, at_x, at_y, how, borderMode=cv2.BORDER_REPLICATE), np.uint8)
