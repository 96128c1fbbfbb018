"""Photos for tests, taken by the camera that judges the reader (`lab/camera/`).

Everything is given instead of drawn at random, and each point of the paper is known in the photo.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from lab.camera import lights, rendering, scene, sensor
from lab.camera.camera import Camera, Placed
from lab.camera.mesh import Shape, mesh
from lab.camera.pieces import Piece
from lab.photos.paper import PX_PER_MM, Pad, Picture

TABLE: Final = 11  # the number of the table top, which is of wood
GAMMA: Final = 2.2
BLACK: Final = np.float32(0.05)  # the reflectance of black ink
GAP: Final = 8.0  # millimetres between pads of one photo


@dataclass(frozen=True)
class Light:
    """How bright it is, and what is wrong with the picture."""

    color: tuple[float, float, float] = (1.0, 1.0, 1.0)  # blue, green, red
    level: float = 0.8  # the brightness of white paper in the photo's middle
    # Millimetres from the middle of the table; z up.
    lamp: tuple[float, float, float] = (300.0, -200.0, 700.0)
    # How bright a hard shadow over a part of the picture is; None is no shadow.
    shadow: float | None = None
    blur: float = 0.5  # radius in pixels
    motion: float = 0.0  # pixels by which the camera shakes
    electrons: float = 5000.0  # electrons of a white pixel; few mean much noise


DAYLIGHT: Final = Light()


@dataclass
class Lying:
    """A piece of paper on the table; its picture is BGR, at `PX_PER_MM`."""

    picture: npt.NDArray[np.uint8]
    x: float = 0.0  # of its middle, in millimetres on the table
    y: float = 0.0
    turn: float = 0.0  # degrees, with the clock
    shapes: Sequence[Shape] = ()

    @cached_property
    def placed(self) -> Placed:
        rows, columns = self.picture.shape[:2]
        bent = mesh(columns / PX_PER_MM, rows / PX_PER_MM, tuple(self.shapes))
        return Placed(bent, self.x, self.y, math.radians(self.turn))

    def seen(self, camera: Camera, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Millimetres on the paper, (n, 2) → pixels: the expected places."""
        return self.placed.seen(np.asarray(points, float), camera)


def looking(
    width: int,
    height: int,
    *,
    px_per_mm: float = 6.0,
    tilt: float = 0.0,
    turn: float = 0.0,
    from_side: float = 0.0,
) -> Camera:
    """A camera that looks at the table's middle.

    Args:
        px_per_mm: in the middle.
        tilt: degrees from straight above.
        turn: degrees that the picture is turned.
        from_side: degrees: from where the camera looks.
    """
    focal = 0.8 * max(width, height)
    side = math.radians(from_side)
    turned = scene.about_z(math.radians(turn) - side) @ scene.about_x(-math.radians(tilt))
    rotation = turned @ scene.about_z(side)
    return Camera(width, height, focal, 0.0, 0.0, rotation, (0.0, 0.0), focal / px_per_mm)


def taken(
    pieces: Sequence[Lying], camera: Camera, light: Light = DAYLIGHT, seed: int = 0
) -> Picture:
    """The photo, BGR, as a phone saves it."""
    rng = np.random.default_rng(seed)
    level = BLACK + (1 - BLACK) * np.linspace(0, 1, 256, dtype=np.float32) ** np.float32(GAMMA)
    laid = [
        (piece.placed, Piece(picture=cv2.LUT(piece.picture, level), scale=PX_PER_MM))
        for piece in pieces
    ]
    radiance = rendering.render(camera, _falling(light, camera), laid, TABLE)
    exposure = sensor.Exposure(
        defocus=light.blur,
        shake=light.motion,
        electrons=light.electrons,
        read_noise=4.0,
        gain=1.0,
        balance=(1.0, 1.0, 1.0),
        contrast=0.0,
        denoise=0.3,
        sharpen=0.5,
        vignette=0.05,
        quality=88,
    )
    photo = sensor.developed(sensor.blurred(radiance, exposure, rng), exposure, rng)
    file = np.frombuffer(sensor.jpeg(photo, exposure.quality), np.uint8)
    return cv2.imdecode(file, cv2.IMREAD_COLOR)


def _falling(light: Light, camera: Camera) -> lights.Light:
    color = (np.array(light.color) * light.level) ** GAMMA
    share = 0.6 if light.shadow is None else 1 - light.shadow**GAMMA
    blocked = lights.plane()
    if light.shadow is not None:
        wide = camera.columns * camera.distance / camera.focal
        at = 0.18 * wide
        edge = np.array([(at + 270, -800), (800, -800), (800, 800), (at - 270, 800)])
        lights.draw(blocked, camera.target, edge)
        blocked = lights.blur(blocked, 1.5)
    return lights.Light(
        lamp=np.add(light.lamp, (*camera.target, 0.0)),
        lamp_color=color * share,
        room_color=color * (1 - share),
        window=np.zeros(3),
        center=camera.target,
        blocked=blocked,
        paper_shadow=lights.plane(),
        gloss=0.0,
        shine=10.0,
    )


def fitted(
    pieces: Sequence[Lying],
    size: tuple[int, int],
    *,
    turn: float = 0.0,
    tilt: float = 0.0,
    fill: float = 0.95,
) -> Camera:
    """A camera that shows all pieces, which take up a share of the photo's width or height.

    Args:
        turn: degrees by which the camera is turned.
        tilt: degrees from straight above.
    """
    outline = np.concatenate([scene.outline_of(piece.placed) for piece in pieces])
    return scene.fitted(looking(*size, px_per_mm=4, turn=turn, tilt=tilt), outline, fill)


def photo(
    *pads: Pad,
    turn: float = 0.0,
    tilt: float = 10.0,
    size: tuple[int, int] = (1600, 1200),
    blur: float = 1.0,
    seed: int = 0,
) -> Picture:
    """A photo of pads lying below each other on a table, a part of them in the shade.

    Args:
        turn: degrees by which the camera is turned.
        tilt: degrees from straight above.
        size: of the photo, width and height.
        blur: of the lens, in pixels.
    """
    pieces, down = [], 0.0
    for pad in pads:
        height = pad.picture.shape[0] / PX_PER_MM
        pieces.append(Lying(pad.picture, y=down + height / 2))
        down += height + GAP
    camera = fitted(pieces, size, turn=turn, tilt=tilt)
    return taken(pieces, camera, Light(level=0.9, shadow=0.65, blur=blur), seed)


def jpeg(picture: Picture, quality: int = 88) -> bytes:
    """The picture as a phone saves it."""
    return sensor.jpeg(picture, quality)
