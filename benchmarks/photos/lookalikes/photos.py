"""Lays such a thing on a table, and photographs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.lookalikes import grids, screens, things
from benchmarks.photos.lookalikes.tones import Drawer
from benchmarks.photos.printing import games
from tests.kit.camera import rendering, scene, sensor
from tests.kit.camera.conditions import PUBLISHED
from tests.kit.camera.pieces import Piece, random_gloss

Picture = npt.NDArray[np.uint8]
Rng: TypeAlias = np.random.Generator

MEGAPIXELS: Final = (0.6, 2.0)
SCALE: Final = 5.0
"""Pixels per millimetre of what lies on the table."""
TABLES: Final = 20
"""Different table tops in a run of `RUN` seeds: making one takes longer than the photo."""
RUN: Final = 250
CLOSE: Final = 0.2
"""The share of photos that show only a part of the thing."""
SCREENS: Final = 4
"""How much more frequent a screen is than each other thing."""


SCREEN: Final = "screen"
PLAIN: Final = "table"


@dataclass(frozen=True)
class Lookalike:
    """A photo without any sheet."""

    seed: int
    name: str
    """What it shows."""
    photo: Picture
    """BGR, upright, before JPEG compression."""
    jpeg: bytes


def simulate(seed: int, name: str = "", megapixels: float | None = None) -> Lookalike:
    """A photo that depends on nothing but these arguments and the fonts installed.

    Args:
        name: one of `names()`; a random one if "".
        megapixels: of the photo; 0.6 to 2 if None.
    """
    rng = np.random.default_rng([seed, 77])
    known = names()
    weights = np.array([SCREENS if each == SCREEN else 1 for each in known], float)
    name = name or str(rng.choice(known, p=weights / weights.sum()))
    difficulty = "hard" if rng.random() < 0.25 else "usual"
    conditions = PUBLISHED[difficulty]
    pieces = [] if name == PLAIN else [_piece(name, rng)]
    if rng.random() < CLOSE:
        # So close that parts are out of the picture.
        conditions = replace(conditions, fill=(1.1, 2.2))
    laid = scene.lay_out(pieces or [_nothing()], conditions, rng)
    megapixels = megapixels or float(rng.uniform(*MEGAPIXELS))
    camera = scene.aim_camera(laid, conditions, rng, megapixels)
    light = scene.place_light(laid, conditions, rng)
    if not pieces:
        light = replace(light, paper_shadow=np.zeros_like(light.paper_shadow))
    number = seed // RUN * TABLES + int(rng.integers(TABLES))
    on_table = list(zip(laid, pieces, strict=False))
    radiance = rendering.render(camera, light, on_table, number * 401)
    finer = scene.pixels_per_mm(camera, laid) / 8
    exposure = rendering.expose(radiance, light, conditions, rng, finer)
    photo = sensor.developed(sensor.blurred(radiance, exposure, rng), exposure, rng)
    return Lookalike(seed, name, photo, sensor.jpeg(photo, exposure.quality))


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Everything that can be drawn, in a fixed order."""
    return (*sorted(_drawers()), PLAIN, SCREEN)


@lru_cache(maxsize=1)
def _drawers() -> Mapping[str, Drawer]:
    found: dict[str, Drawer] = {**grids.DRAWERS, **things.DRAWERS}
    for room, module in games.rooms().items():
        for name, draw in getattr(module, "LOOKALIKES", {}).items():
            found[f"{room}-{name}"] = draw
    return found


def _nothing() -> Piece:
    """An invisible piece, for the camera to look at."""
    return Piece(picture=np.zeros((600, 900, 3), np.float32), scale=SCALE)


def _piece(name: str, rng: Rng) -> Piece:
    if name == SCREEN:
        return screens.screen(rng)
    press = _drawers()[name](rng, SCALE)
    level = np.linspace(0, 1, 256, dtype=np.float32)
    linear = (level**2.2 * np.float32(rng.uniform(0.8, 1.0))).astype(np.float32)
    picture = cv2.GaussianBlur(press.picture, (0, 0), 0.5)
    reflectance = np.asarray(cv2.LUT(picture, linear.reshape(1, 256, 1)), np.float32)
    reflectance *= 1 + rng.normal(0, 0.02, (*picture.shape[:2], 1)).astype(np.float32)
    gloss = random_gloss(rng, bool(rng.random() < 0.5))
    return Piece(
        picture=np.clip(reflectance, 0.004, 0.97),
        scale=press.scale,
        radius=float(rng.choice([0.0, rng.uniform(1, 6)])),
        gloss=gloss,
    )
