"""Photos of whole pads with their ground truth, for choosing parameters and calibrating.

A pad is filled in, bent, laid on a table, lit and photographed. Nothing is trained on these photos,
and none of the reader's code is used to make them. `python -m training.photo FOLDER` writes some.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final, get_args

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import EMPTY, Mark, Millimetres
from companion.games.catalog import SHEETS
from companion.vision.core import Corners
from training import digits, filling, optics, printed, stains, sum_boxes
from training.bent_paper import AROUND, paper_points, random_bend, slope_light, to_pixel
from training.games import sheet_training
from training.hands import Rng, Scribes
from training.optics import Matrix
from training.pens import PX_PER_MM, Canvas


@dataclass(frozen=True)
class GroundTruth:
    """The pad that a photo shows."""

    sheet: str
    board: str
    marks: Mapping[str, Mark]
    """Field id → mark, for every field of the pad."""
    written: Mapping[str, int]
    """Id of a blank for a sum → the number written in it, right or wrong."""
    corners: Corners
    """The pad's corners in the photo, in pixels."""
    px_per_mm: float
    """Pixels per millimetre of the pad in the photo, about."""


def photograph(
    seed: int,
    sheet: str | None = None,
    board: str | None = None,
    marks: Mapping[str, Mark] | None = None,
    part: digits.Part = "choose",
    folder: Path = digits.FOLDER,
) -> tuple[npt.NDArray[np.uint8], GroundTruth]:
    """A photo of one pad, BGR and about upright, and its ground truth.

    Args:
        sheet: the sheet's name; a random one if None.
        board: a random one if None.
        marks: field id → mark; if None, random ones that a game could leave.
        part: whose handwriting it is.
        folder: the folder with the handwriting.
    """
    rng = np.random.default_rng((seed, 20261121))
    sheet = sheet or str(rng.choice(list(SHEETS)))
    boards = SHEETS[sheet].boards
    board = (board or str(rng.choice(list(boards)))) if boards else ""
    pad = printed.printed_pad(sheet, board)
    written = sheet_training(pad.sheet).random_marks(pad.fields, rng) if marks is None else marks
    full = {field.id: written.get(field.id, EMPTY[field.kind]) for field in pad.fields}
    hand = _scribes(folder, part).hand(rng)
    picture = _with_paper(optics.reprinted(pad.picture, rng))
    canvas = Canvas(picture, -AROUND, -AROUND)
    stains.add_show_through(canvas, rng)
    for field in pad.fields:
        filling.write(canvas, field, full[field.id], hand, rng)
    written_sums = _random_sums(pad, board, full, rng)
    for blank in pad.blanks:
        if blank.id in written_sums:
            value = written_sums[blank.id]
            sum_boxes.write_sum(canvas, blank.box, hand, rng, value=value, what="number")
    stains.add_stains(canvas, rng)
    settings = optics.random_settings(rng, [hand.pen])
    photo, corners, scale = _taken(canvas, pad.width, pad.height, settings, rng)
    return photo, GroundTruth(sheet, board, full, written_sums, corners, scale)


def _random_sums(
    pad: printed.PrintedPad, board: str, marks: Mapping[str, Mark], rng: Rng
) -> dict[str, int]:
    """What a writer sums up: everything, only totals, or nothing, now and then wrongly."""
    right = pad.sheet.marked(board, marks).sums
    drawn = rng.random()
    if drawn < NO_SUMS:
        return {}
    written = {}
    for name, value in right.items():
        if drawn > ALL_SUMS and not _is_total(name):
            continue
        # Many leave out a sum of 0.
        if rng.random() < (0.35 if value == 0 else 0.06):
            continue
        is_wrong = rng.random() < MISCOUNTED
        slip = int(rng.choice((-10, -5, -2, -1, 1, 2, 5, 10))) if is_wrong else 0
        written[name] = min(abs(value + slip), 999)
    return written


def _is_total(name: str) -> bool:
    """Whether a blank is for a total rather than for a part of it."""
    return name.endswith(".total") or ".player." in name


NO_SUMS: Final = 0.4
"""The share of sheets on which nothing is summed up yet."""
ALL_SUMS: Final = 0.88
"""Up to this share, all sums are written; on the rest, totals only."""
MISCOUNTED: Final = 0.04
"""The share of sums that are wrong."""


@cache
def _scribes(folder: Path, part: digits.Part) -> Scribes:
    """The writers of a part without MNIST, because one person writes a sheet."""
    hands = digits.load(folder, part)
    return Scribes({name: hands[name] for name in hands if not name.startswith("mnist:")})


# The photo


def _with_paper(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The pad with `AROUND` of white paper on each side."""
    edge = round(AROUND * PX_PER_MM)
    return cv2.copyMakeBorder(
        picture, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(255, 255, 255)
    )


def _taken(
    canvas: Canvas,
    width: Millimetres,
    height: Millimetres,
    settings: optics.CameraSettings,
    rng: Rng,
) -> tuple[npt.NDArray[np.uint8], Corners, float]:
    """(the photo, the pad's corners in it, pixels per millimetre)."""
    scale = max(settings.px_per_mm, 4.0)
    share = rng.uniform(0.62, 0.94)
    columns = round(width * scale / share)
    rows = max(round(columns * 0.75), round((height + 20) * scale))
    to_photo = _camera(width, height, scale, (rows, columns), rng)
    bend = random_bend(width, height, rng)
    at_x, at_y = paper_points(to_photo, bend, (rows, columns))
    inside = cut_edge(width, height, rng)
    blurred = canvas.picture
    if scale < 9:
        # Against aliasing where the photo has fewer pixels than the canvas.
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
    scene *= slope_light(at_x, at_y, bend, on, rng)[..., np.newaxis]
    scene *= optics.random_light(rows, columns, scale, rng)[..., np.newaxis]
    scene *= _lamp(rng)
    photo = _developed(scene.astype(np.float32), settings, scale, rng)
    corners = tuple(
        to_pixel(to_photo, bend, x, y)
        for x, y in ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    )
    return photo, corners, scale  # type: ignore[return-value]


def cut_edge(
    width: Millimetres, height: Millimetres, rng: Rng
) -> tuple[Millimetres, Millimetres, Millimetres, Millimetres]:
    """Left, top, right and bottom edge of the paper: cut along the marks, badly, or barely."""
    spread = float(rng.choice((0.4, 1.2, AROUND)))
    least = -0.8 if spread < AROUND else 0.0
    off = rng.uniform(least, min(spread, AROUND), 4)
    return -off[0], -off[1], width + off[2], height + off[3]


def _camera(
    width: Millimetres, height: Millimetres, scale: float, size: tuple[int, int], rng: Rng
) -> Matrix:
    """A random homography from millimetres on the flat pad to pixels; the whole pad is in view."""
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
    # Scaled and shifted so that all four markers are in the photo.
    room = np.array((columns, rows)) - (high - low)
    shrink = min(1.0, float(((np.array((columns, rows)) - 6) / (high - low)).min()))
    place = np.maximum(room, 6) * rng.uniform(0.15, 0.85, 2) - low * shrink
    place = np.clip(place, 3 - low * shrink, np.array((columns, rows)) - 3 - high * shrink)
    return np.array(((shrink, 0, place[0]), (0, shrink, place[1]), (0, 0, 1))) @ whole


def _table(size: tuple[int, int], scale: float, rng: Rng) -> npt.NDArray[np.float32]:
    """A table top, BGR, 0 to 1: plain, wood or cloth."""
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
    """The colour of the light after a phone's white balance, BGR."""
    warm = rng.uniform(0, 0.4) if rng.random() < 0.4 else rng.uniform(0, 0.08)
    return np.array((1 - warm, 1 - 0.35 * warm, 1.0), np.float32)


def _developed(
    scene: npt.NDArray[np.float32], settings: optics.CameraSettings, scale: float, rng: Rng
) -> npt.NDArray[np.uint8]:
    """The photo of a scene: blur, noise, tone curve, sharpening and JPEG."""
    sigma = math.hypot(settings.focus * scale, 0.35)
    scene = cv2.GaussianBlur(scene, (0, 0), sigma)
    if settings.motion * scale > 1.5:
        scene = cv2.filter2D(scene, -1, optics.motion_kernel(settings.motion * scale, rng))
    rows, columns, _ = scene.shape
    level = np.clip(scene * np.float32(settings.exposure), 0, 1.02)
    if settings.noise > 0.2:
        grain = rng.standard_normal((rows, columns, 3), np.float32)
        if rng.random() < 0.5:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.8) * np.float32(2)
        level += grain * np.sqrt(level * 0.7 + 0.1) * np.float32(settings.noise / 255)
    level = np.clip(level, 0, 1) ** np.float32(settings.gamma)
    if settings.sharpening > 0.05:
        soft = cv2.GaussianBlur(level, (0, 0), rng.uniform(0.7, 1.6))
        level = level + np.float32(settings.sharpening) * (level - soft)
    picture = np.asarray(np.clip(level * 255, 0, 255), np.uint8)
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, settings.quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes photos as `<seed>.jpg`, each with its ground truth as `<seed>.json`."""
    parser = argparse.ArgumentParser(prog="python -m training.photo", description=__doc__)
    parser.add_argument("out", type=Path, help="the folder for the photos")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the first photo")
    parser.add_argument("--sheet", choices=list(SHEETS), help="random ones by default")
    parser.add_argument("--part", choices=get_args(digits.Part), default="choose")
    parser.add_argument("--data", type=Path, default=digits.FOLDER, help="the handwritten digits")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for seed in range(options.seed, options.seed + options.count):
        photo, truth = photograph(seed, options.sheet, part=options.part, folder=options.data)
        cv2.imwrite(str(options.out / f"{seed}.jpg"), photo)
        text = json.dumps(asdict(truth), ensure_ascii=False)
        (options.out / f"{seed}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
