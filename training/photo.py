"""Whole photographed pads with what is written on them, for choosing and calibrating.

A pad is filled in, bowed or folded, laid on a table, lit and photographed. Nothing is trained on
these photos, and the reader's code takes no part in making them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import EMPTY, Mark, Millimetres
from companion.games.catalog import SHEETS
from companion.vision.core import Corners
from training import digits, filling, optics, printed, stains
from training.games import sheet_training
from training.optics import Matrix
from training.pens import PX_PER_MM, Canvas
from training.writing import Rng, Scribes

AROUND: Final[Millimetres] = 8.0
"""Of the paper beyond the pad's cut edge: some pads are cut badly."""
GRID: Final[Millimetres] = 4.0
"""Between the places of the paper for which its shape is computed."""


@dataclass(frozen=True)
class Truth:
    """What a photo shows."""

    sheet: str
    board: str
    marks: Mapping[str, Mark]
    """Every field of the pad → what stands there."""
    corners: Corners
    """Of the pad in the photo, in pixels."""
    px_per_mm: float
    """Of the pad in the photo, about."""


def photograph(
    seed: int,
    sheet: str | None = None,
    board: str | None = None,
    marks: Mapping[str, Mark] | None = None,
    part: digits.Part = "choose",
    folder: Path = digits.FOLDER,
) -> tuple[npt.NDArray[np.uint8], Truth]:
    """A photo of one pad, BGR, upright more or less, and what it shows.

    Args:
        sheet: and `board`: any, where none is given.
        marks: field → what is written there; any that a game could leave, where none are given.
        part: whose writing it is.
    """
    rng = np.random.default_rng((seed, 20261121))
    sheet = sheet or str(rng.choice(list(SHEETS)))
    boards = SHEETS[sheet].boards
    board = (board or str(rng.choice(list(boards)))) if boards else ""
    pad = printed.printed(sheet, board)
    written = sheet_training(pad.sheet).random_marks(pad.fields, rng) if marks is None else marks
    full = {field.id: written.get(field.id, EMPTY[field.kind]) for field in pad.fields}
    hand = _scribes(folder, part).hand(rng)
    picture = _with_paper(optics.printed_otherwise(pad.picture, rng))
    canvas = Canvas(picture, -AROUND, -AROUND)
    stains.printed_on(canvas, rng)
    for field in pad.fields:
        filling.write(canvas, field, full[field.id], hand, rng)
    stains.used(canvas, rng)
    shot = optics.any_shot(rng, [hand.pen])
    photo, corners, scale = _taken(canvas, pad.width, pad.height, shot, rng)
    return photo, Truth(sheet, board, full, corners, scale)


@cache
def _scribes(folder: Path, part: digits.Part) -> Scribes:
    """Without MNIST, whose writers are not known: a sheet is written by one person."""
    hands = digits.load(folder, part)
    return Scribes({one: hands[one] for one in hands if not one.startswith("mnist:")})


# The photo


def _with_paper(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    edge = round(AROUND * PX_PER_MM)
    return cv2.copyMakeBorder(
        picture, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(255, 255, 255)
    )


def _taken(
    canvas: Canvas, width: Millimetres, height: Millimetres, shot: optics.Shot, rng: Rng
) -> tuple[npt.NDArray[np.uint8], Corners, float]:
    """(the photo, the pad's corners in it, its pixels to the millimetre)."""
    scale = max(shot.px_per_mm, 4.0)
    share = rng.uniform(0.62, 0.94)
    columns = round(width * scale / share)
    rows = max(round(columns * 0.75), round((height + 20) * scale))
    to_photo = _camera(width, height, scale, (rows, columns), rng)
    lift = _lift(width, height, rng)
    at_x, at_y = _on_paper(to_photo, lift, (rows, columns), width, height)
    inside = cut_edge(width, height, rng)
    blurred = canvas.picture
    if scale < 9:
        # Taken from fewer pixels, a line must not fall between them.
        blurred = cv2.GaussianBlur(blurred, (0, 0), 0.35 * PX_PER_MM / scale)
    paper = cv2.remap(
        blurred,
        (at_x - canvas.x) * np.float32(PX_PER_MM),
        (at_y - canvas.y) * np.float32(PX_PER_MM),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    left, top, right, bottom = inside
    on = (at_x > left) & (at_x < right) & (at_y > top) & (at_y < bottom)
    edge = cv2.GaussianBlur(on.astype(np.float32), (0, 0), 0.8)[..., np.newaxis]
    scene = _table((rows, columns), scale, rng) * (1 - edge) + paper * (edge / 255)
    under = cv2.GaussianBlur(on.astype(np.float32), (0, 0), scale * rng.uniform(0.5, 2))
    scene *= 1 - rng.uniform(0, 0.4) * (under * (1 - edge[..., 0]))[..., np.newaxis]
    scene *= _slope_light(at_x, at_y, lift, width, height, on, rng)[..., np.newaxis]
    scene *= optics.light(rows, columns, scale, rng)[..., np.newaxis]
    scene *= _lamp(rng)
    photo = _developed(scene.astype(np.float32), shot, scale, rng)
    corners = tuple(
        _forward(to_photo, lift, x, y, width, height)
        for x, y in ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    )
    return photo, corners, scale  # type: ignore[return-value]


def cut_edge(
    width: Millimetres, height: Millimetres, rng: Rng
) -> tuple[Millimetres, Millimetres, Millimetres, Millimetres]:
    """Left, top, right, bottom of the paper: cut along the marks, badly, or hardly at all."""
    spread = float(rng.choice((0.4, 1.2, AROUND)))
    least = -0.8 if spread < AROUND else 0.0
    off = rng.uniform(least, min(spread, AROUND), 4)
    return -off[0], -off[1], width + off[2], height + off[3]


def _camera(
    width: Millimetres, height: Millimetres, scale: float, size: tuple[int, int], rng: Rng
) -> Matrix:
    """From the flat pad's millimetres to the photo's pixels."""
    rows, columns = size
    tilt = math.radians(min(abs(rng.normal(0, 13)), 35))
    around, turn = rng.uniform(0, math.tau), rng.normal(0, math.radians(5))
    axis = np.array((math.cos(around), math.sin(around), 0.0))
    tilted, _ = cv2.Rodrigues(axis * tilt)
    turned, _ = cv2.Rodrigues(np.array((0.0, 0.0, turn)))
    rotation = tilted @ turned
    distance = width * rng.uniform(1.3, 2.4)
    focal = distance * scale
    there = np.array(((1, 0, -width / 2), (0, 1, -height / 2), (0, 0, 1)))
    plane = np.stack((rotation[:, 0], rotation[:, 1], np.array((0, 0, distance))), axis=1)
    lens = np.array(((focal, 0, columns / 2), (0, focal, rows / 2), (0, 0, 1)))
    whole = lens @ plane @ there
    corners = np.array(((0, 0), (width, 0), (width, height), (0, height)), np.float64)
    moved = cv2.perspectiveTransform(corners[np.newaxis], whole)[0]
    low, high = moved.min(axis=0), moved.max(axis=0)
    # All four markers are in the photo.
    room = np.array((columns, rows)) - (high - low)
    shrink = min(1.0, float(((np.array((columns, rows)) - 6) / (high - low)).min()))
    place = np.maximum(room, 6) * rng.uniform(0.15, 0.85, 2) - low * shrink
    place = np.clip(place, 3 - low * shrink, np.array((columns, rows)) - 3 - high * shrink)
    return np.array(((shrink, 0, place[0]), (0, shrink, place[1]), (0, 0, 1))) @ whole


@dataclass(frozen=True)
class Lift:
    """How the paper stands off the table, and what that does to where its places seem to be."""

    dx: npt.NDArray[np.float32]
    dy: npt.NDArray[np.float32]
    """Millimetres on the table's plane, every `GRID` millimetres from `AROUND` outside the pad."""
    slope: npt.NDArray[np.float32]


def _lift(width: Millimetres, height: Millimetres, rng: Rng) -> Lift:
    """A bow of up to 3 % of the width, and sometimes a fold or two."""
    x, y = np.meshgrid(
        np.arange(-AROUND, width + AROUND + GRID, GRID),
        np.arange(-AROUND, height + AROUND + GRID, GRID),
    )
    angle = rng.choice((0.0, math.pi / 2)) + rng.normal(0, 0.25)
    along = ((x - width / 2) * math.cos(angle) + (y - height / 2) * math.sin(angle)) / width
    tall = width * (rng.uniform(0, 0.03) if rng.random() < 0.6 else rng.uniform(0, 0.006))
    z = tall * np.cos(along * math.pi * rng.uniform(0.6, 1.4) + rng.normal(0, 0.4))
    for _ in range(int(rng.choice((0, 1, 2), p=(0.7, 0.2, 0.1)))):
        turn = rng.choice((0.0, math.pi / 2)) + rng.normal(0, 0.06)
        off = (x - rng.uniform(0.25, 0.75) * width) * math.cos(turn)
        off = off + (y - rng.uniform(0.25, 0.75) * height) * math.sin(turn)
        z = z + rng.uniform(-0.03, 0.03) * np.sqrt(off**2 + 4)
    # Seen from a camera at an angle, what is higher seems to be further from it.
    view = rng.normal(0, 0.28, 2)
    dx = z * (view[0] + (x - width / 2) / (2 * width))
    dy = z * (view[1] + (y - height / 2) / (2 * width))
    slope = np.gradient(z, GRID, axis=1) * math.cos(angle) + np.gradient(
        z, GRID, axis=0
    ) * math.sin(angle)
    return Lift(*(part.astype(np.float32) for part in (dx - dx.mean(), dy - dy.mean(), slope)))


def _at(
    grid: npt.NDArray[np.float32], x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """A grid's values at places of the pad."""
    scaled = [((part + AROUND) / GRID).astype(np.float32) for part in (x, y)]
    return cv2.remap(grid, *scaled, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def _forward(
    to_photo: Matrix, lift: Lift, x: float, y: float, width: Millimetres, height: Millimetres
) -> tuple[float, float]:
    one = np.array([[x]], np.float32), np.array([[y]], np.float32)
    seen = np.array([[[x + _at(lift.dx, *one)[0, 0], y + _at(lift.dy, *one)[0, 0]]]], np.float64)
    there = cv2.perspectiveTransform(seen, to_photo)[0, 0]
    return float(there[0]), float(there[1])


def _on_paper(
    to_photo: Matrix,
    lift: Lift,
    size: tuple[int, int],
    width: Millimetres,
    height: Millimetres,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """For each pixel of the photo the place of the paper that is seen there."""
    rows, columns = size
    coarse = 6
    places = np.stack(
        np.meshgrid(
            np.arange(0, columns + coarse, coarse, dtype=np.float64),
            np.arange(0, rows + coarse, coarse, dtype=np.float64),
        ),
        axis=-1,
    )
    flat = cv2.perspectiveTransform(places, np.linalg.inv(to_photo)).astype(np.float32)
    seen_x, seen_y = flat[..., 0].copy(), flat[..., 1].copy()
    x, y = seen_x, seen_y
    for _ in range(4):
        x, y = seen_x - _at(lift.dx, x, y), seen_y - _at(lift.dy, x, y)
    across, down = np.meshgrid(
        np.arange(columns, dtype=np.float32) / coarse, np.arange(rows, dtype=np.float32) / coarse
    )
    return (
        cv2.remap(x, across, down, cv2.INTER_LINEAR),
        cv2.remap(y, across, down, cv2.INTER_LINEAR),
    )


def _slope_light(
    x: npt.NDArray[np.float32],
    y: npt.NDArray[np.float32],
    lift: Lift,
    width: Millimetres,
    height: Millimetres,
    on: npt.NDArray[np.bool_],
    rng: Rng,
) -> npt.NDArray[np.float32]:
    """What leans away from the lamp is darker."""
    slope = _at(lift.slope, x, y) * on
    return np.clip(1 + rng.normal(0, 1.2) * slope, 0.7, 1.15).astype(np.float32)


def _table(size: tuple[int, int], scale: float, rng: Rng) -> npt.NDArray[np.float32]:
    """A table top, 0 to 1: plain, wood or cloth."""
    rows, columns = size
    base = rng.uniform(0.12, 0.85)
    color = np.clip(base * np.array((rng.uniform(0.45, 1), rng.uniform(0.7, 1), 1.0)), 0, 1)
    small = (rows // 4 + 1, columns // 4 + 1)
    noise = rng.standard_normal(small).astype(np.float32)
    drawn = rng.random()
    if drawn < 0.45:
        along = scale * rng.uniform(4, 12)
        noise = cv2.GaussianBlur(noise, (0, 0), sigmaX=along, sigmaY=max(scale * 0.08, 0.5))
    elif drawn < 0.75:
        noise = cv2.GaussianBlur(noise, (0, 0), max(scale * 0.1, 0.5))
    else:
        noise = cv2.GaussianBlur(noise, (0, 0), scale * 2)
    noise *= rng.uniform(0.02, 0.1) / max(float(noise.std()), 1e-6)
    texture = cv2.resize(noise, (columns, rows), interpolation=cv2.INTER_LINEAR)
    return np.clip(color * (1 + texture[..., np.newaxis]), 0, 1).astype(np.float32)


def _lamp(rng: Rng) -> npt.NDArray[np.float32]:
    """The light's colour after a phone's white balance."""
    warm = rng.uniform(0, 0.4) if rng.random() < 0.4 else rng.uniform(0, 0.08)
    return np.array((1 - warm, 1 - 0.35 * warm, 1.0), np.float32)


def _developed(
    scene: npt.NDArray[np.float32], shot: optics.Shot, scale: float, rng: Rng
) -> npt.NDArray[np.uint8]:
    """Blur, noise, sharpening and JPEG."""
    sigma = math.hypot(shot.focus * scale, 0.35)
    scene = cv2.GaussianBlur(scene, (0, 0), sigma)
    if shot.motion * scale > 1.5:
        scene = cv2.filter2D(scene, -1, optics.motion(shot.motion * scale, rng))
    rows, columns, _ = scene.shape
    level = np.clip(scene * np.float32(shot.exposure), 0, 1.02)
    if shot.noise > 0.2:
        grain = rng.standard_normal((rows, columns, 3), np.float32)
        if rng.random() < 0.5:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.8) * np.float32(2)
        level += grain * np.sqrt(level * 0.7 + 0.1) * np.float32(shot.noise / 255)
    level = np.clip(level, 0, 1) ** np.float32(shot.gamma)
    if shot.sharpening > 0.05:
        soft = cv2.GaussianBlur(level, (0, 0), rng.uniform(0.7, 1.6))
        level = level + np.float32(shot.sharpening) * (level - soft)
    picture = np.asarray(np.clip(level * 255, 0, 255), np.uint8)
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, shot.quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
