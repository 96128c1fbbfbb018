"""Renders the light that reaches the camera, and the phone's automatic exposure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from lab.camera import sensor, tables
from lab.camera.camera import Camera, Placed, sampled, upsampled, view
from lab.camera.conditions import Conditions
from lab.camera.lights import Light
from lab.camera.pieces import Piece

Floats = npt.NDArray[np.float32]

TABLES: Final = 400  # the number of table tops
STEP: Final = 4
"""Pixels between the places at which maps and light are computed; between them, interpolation."""


def render(
    camera: Camera, light: Light, laid: Sequence[tuple[Placed, Piece]], number: int
) -> Floats:
    """The light that reaches the lens, (rows, columns, 3), linear BGR.

    Args:
        laid: what lies on the table; each covers those before it.
        number: picks the table top and how it is turned.
    """
    spots = camera.table(STEP)
    points = np.concatenate([spots, np.zeros_like(spots[..., :1])], -1)
    falls = light.falls(points, None, camera.center)
    surface = tables.table(number % TABLES)
    turn = number % 628 / 100
    cos, sin = np.cos(turn), np.sin(turn)
    off = spots - np.asarray(light.center, np.float32)
    at = np.stack(
        [off[..., 0] * cos - off[..., 1] * sin, off[..., 0] * sin + off[..., 1] * cos], -1
    )
    at = ((at + tables.SIDE / 2) * tables.SCALE).astype(np.float32)
    columns, rows = camera.columns, camera.rows
    under = sampled(surface, upsampled(at, STEP, columns, rows), cv2.BORDER_REFLECT)
    radiance = upsampled((falls / 255).astype(np.float32), STEP, columns, rows)
    radiance *= under
    for placed, paper in laid:
        _draw_paper(radiance, camera, light, placed, paper)
    return radiance


def _draw_paper(
    radiance: Floats, camera: Camera, light: Light, placed: Placed, paper: Piece
) -> None:
    """Draws one piece of paper into the picture."""
    seen = view(camera, placed, STEP)
    world = placed.world(placed.mesh.points).astype(np.float32)
    both = np.concatenate([world, placed.normals().astype(np.float32)], -1)
    world_there, normals_there = (
        sampled(np.ascontiguousarray(both[..., part]), seen.on_mesh)
        for part in (slice(0, 3), slice(3, 6))
    )
    falls = light.falls(world_there, normals_there, camera.center)
    width, height = paper.size
    # Shrinking by remap alone would alias, so the picture is first made about as fine as the photo.
    finest = sum(
        float(np.abs(np.diff(seen.on_paper, axis=axis)).max(-1).mean()) for axis in (0, 1)
    ) / (2 * STEP)
    picture = paper.picture
    if finest * paper.scale > 1.15:
        share = 1 / (finest * paper.scale)
        picture = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    size = np.array(picture.shape[1::-1], np.float32)

    def everywhere(coarse: Floats) -> Floats:
        return upsampled(coarse, STEP, seen.columns, seen.rows)

    place = seen.on_paper
    colors = sampled(picture, everywhere(place * (size / np.float32((width, height))) - 0.5))
    # How far each place is inside of the edge, whose corners may be round.
    beyond = np.abs(place - np.float32((width, height)) / 2)
    beyond -= np.float32((width, height)) / 2 - np.float32(paper.radius)
    away = np.hypot(*np.moveaxis(np.maximum(beyond, 0), -1, 0)) + np.minimum(beyond.max(-1), 0)
    inside = np.asarray((paper.radius - away) / max(finest, 1e-3) + 0.5, np.float32)
    alpha = np.clip(everywhere(inside), 0, 1)
    lit = cv2.multiply(colors, everywhere(falls))
    if paper.gloss:
        glints = light.glints(world_there, normals_there, camera.center, paper.gloss)
        shine = everywhere(glints)
        if paper.gloss.linen:
            shine *= 1 + paper.gloss.linen * _linen(everywhere(place), finest)[..., None]
        lit += shine
    region = radiance[seen.top : seen.top + seen.rows, seen.left : seen.left + seen.columns]
    region[:] = cv2.blendLinear(lit, region, alpha, 1 - alpha)


def _linen(place: Floats, finest: float) -> Floats:
    """The roughness of card at places on it, (…, 2) millimetres; about -1 to 1."""
    rng = np.random.default_rng(0)
    grain = 3.0
    side = 256
    noise = cv2.GaussianBlur(rng.standard_normal((side, side)), (0, 0), sigmaX=1.6, sigmaY=0.6)
    tile = noise / (noise.std() * (1 + 4 * max(finest * grain - 1, 0)))
    at = np.asarray(place * np.float32(grain) % (side - 1), np.float32)
    return np.asarray(np.clip(sampled(tile.astype(np.float32), at), -1.5, 1.5), np.float32)


def expose(
    radiance: Floats,
    light: Light,
    conditions: Conditions,
    rng: np.random.Generator,
    finer: float,
) -> sensor.Exposure:
    """The phone's automatic exposure and white balance, which are never quite right.

    Args:
        finer: how many times more pixels per millimetre the photo has than 8, to which the
            conditions refer.
    """
    small = cv2.resize(radiance, None, fx=1 / 16, fy=1 / 16, interpolation=cv2.INTER_AREA)
    bright = float(np.percentile(small[:, :, 1], 97))
    balance = light.lamp_color + light.room_color
    balance = balance / balance[1]
    # Phones keep some of a lamp's warmth.
    balance = balance ** rng.uniform(0.6, 1.0) * rng.uniform(0.97, 1.03, 3)
    electrons = float(np.exp(rng.uniform(*np.log(conditions.electrons))))
    return sensor.Exposure(
        defocus=float(rng.uniform(*conditions.defocus)) * finer,
        shake=float(rng.uniform(*conditions.shake)) * finer,
        # More pixels share the same light.
        electrons=electrons / finer**2,
        read_noise=float(rng.uniform(2, 7)),
        gain=float(rng.uniform(0.7, 0.97)) / bright,
        balance=(float(balance[0]), float(balance[1]), float(balance[2])),
        contrast=float(rng.uniform(0.0, 0.8)),
        denoise=float(rng.uniform(0.3, 0.9)),
        sharpen=float(rng.uniform(0.2, 1.0)),
        vignette=float(rng.uniform(0.02, 0.25)),
        quality=int(rng.integers(conditions.quality[0], conditions.quality[1] + 1)),
        saturation=float(rng.uniform(*conditions.saturation)),
    )
