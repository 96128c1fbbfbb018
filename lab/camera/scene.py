"""The scene of a photo: sheets on the table, the camera above them, and the light on both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from lab.camera import lights
from lab.camera.camera import Camera, Placed
from lab.camera.conditions import Conditions
from lab.camera.lights import Light
from lab.camera.mesh import Bend, curl, fold, lifted_corner, mesh
from lab.camera.pieces import Piece

Floats = npt.NDArray[np.float32]

LARGEST: Final = 12.0  # megapixels of the largest photo, unless another size is asked for
COLUMNS: Final = (1, 1, 1, 2, 2, 2)  # in how many columns one to six sheets are laid out


def lay_out(
    prints: Sequence[Piece], conditions: Conditions, rng: np.random.Generator
) -> list[Placed]:
    """Lays one to six sheets on the table in rows, a little crooked, bent and folded."""
    columns = COLUMNS[len(prints) - 1]
    swing = 0.02 if conditions.roll < 5 else 0.12
    angles = [
        float(rng.normal(0, swing / 2) + (np.pi if rng.random() < 0.3 else 0.0))
        if len(prints) > 1
        else 0.0
        for _ in prints
    ]
    if len(prints) == 1 and conditions.turned and rng.random() < conditions.turned:
        angles = [float(rng.choice([0.5, 1.0, 1.5])) * np.pi]
    wide = max(paper.size[0] for paper in prints) + 12 + 130 * swing
    tall = max(paper.size[1] for paper in prints) + 10 + 190 * swing
    placed = []
    for index, (paper, angle) in enumerate(zip(prints, angles, strict=True)):
        x = (index % columns) * wide + rng.normal(0, 1.5)
        y = (index // columns) * tall + rng.normal(0, 1.5)
        width, height = paper.size
        bends: list[Bend] = []
        if (bow := float(rng.uniform(*conditions.bow))) > 1e-4:
            bends.append(curl(rng, width, height, bow))
        if rng.random() < conditions.fold:
            bends.append(fold(rng, width, height, float(np.radians(rng.uniform(5, 16)))))
        if rng.random() < conditions.corner:
            angle_up = float(np.radians(rng.uniform(8, 25)))
            bends.append(lifted_corner(rng, width, height, angle_up))
        placed.append(Placed(mesh(width, height, tuple(bends)), x, y, angle))
    return placed


def peeking_out(above: Placed, paper: Piece, rng: np.random.Generator) -> Placed:
    """Another piece of paper beneath one, of which up to a third can be seen."""
    width, height = paper.size
    angle = float(rng.normal(0, 0.15))
    shift = rng.uniform(0.05, 0.3, 2) * (width, height) * rng.choice([-1, 1], 2)
    x, y = np.array([above.x, above.y]) + about_z(above.angle)[:2, :2] @ shift
    return Placed(mesh(width, height, ()), float(x), float(y), above.angle + angle)


def outline_of(placed: Placed) -> npt.NDArray[np.float64]:
    """The paper's edge in world coordinates, (n, 3) millimetres."""
    points = placed.mesh.points[4:-4, 4:-4]
    edge = np.concatenate([points[0], points[:, -1], points[-1, ::-1], points[::-1, 0]])
    return placed.world(edge)


def aim_camera(
    laid: Sequence[Placed],
    conditions: Conditions,
    rng: np.random.Generator,
    megapixels: float | None,
) -> Camera:
    """A camera that shows all sheets.

    Args:
        megapixels: of the photo; if None, as many as give 7 to 9.5 pixels per millimetre.
    """
    tilt = float(np.radians(rng.uniform(*conditions.tilt)))
    around = rng.uniform(0, 2 * np.pi)
    if rng.random() < 0.7:
        # Most people stand on one side of the table and lean forward.
        around = rng.normal(0, 0.4)
    if conditions.roll >= 90:
        roll = rng.uniform(0, 2 * np.pi)
    else:
        roll = np.radians(rng.normal(0, conditions.roll))
        if rng.random() < 0.12:
            roll += float(rng.choice([np.pi / 2, np.pi, -np.pi / 2]))
    turn = about_z(roll + around) @ about_x(tilt) @ about_z(-around)
    outline = np.concatenate([outline_of(placed) for placed in laid])
    target = outline[:, :2].min(0) / 2 + outline[:, :2].max(0) / 2
    focal = float(rng.uniform(0.7, 0.8))
    bent = float(rng.normal(0, 0.02)), float(rng.normal(0, 0.01))
    at = (float(target[0]), float(target[1]))
    draft = Camera(1000, 1000, focal * 1000, *bent, turn, at, 900.0)
    fill = float(rng.uniform(*conditions.fill))
    # Portrait or landscape, whichever shows the sheets larger.
    trials = [
        fitted(replace(draft, columns=columns, rows=rows), outline, fill)
        for columns, rows in ((1000, 750), (750, 1000))
    ]
    camera = min(trials, key=lambda trial: trial.distance)
    if megapixels is None:
        fineness = float(rng.uniform(*conditions.fineness))
        if conditions.fineness[0] < 5:
            # As many small photos as large ones.
            fineness = float(np.exp(rng.uniform(*np.log(conditions.fineness))))
        size = fineness / pixels_per_mm(camera, laid)
        size = min(size, (LARGEST * 1e6 / 0.75) ** 0.5 / 1000)
    else:
        size = (megapixels * 1e6 / 0.75) ** 0.5 / 1000
    columns, rows = (int(side * size) // 8 * 8 for side in (camera.columns, camera.rows))
    return replace(
        camera, columns=columns, rows=rows, focal=camera.focal * columns / camera.columns
    )


def fitted(camera: Camera, outline: npt.NDArray[np.float64], fill: float) -> Camera:
    """The camera moved so that the sheets are centred and fill the share `fill` of the picture."""
    size = np.array([camera.columns, camera.rows])
    for _ in range(8):
        seen = camera.project(outline)
        low, high = seen.min(0), seen.max(0)
        shift = (low + high - (size - 1)) / 2 / camera.focal * camera.distance
        x, y, _ = camera.turn.T @ np.array([shift[0], shift[1], 0.0])
        share = float(((high - low) / size).max()) / fill
        distance = camera.distance * float(np.clip(share, 0.6, 1.6))
        target = (camera.target[0] + float(x), camera.target[1] + float(y))
        camera = replace(camera, target=target, distance=distance)
    return camera


def pixels_per_mm(camera: Camera, laid: Sequence[Placed]) -> float:
    """Pixels per millimetre of the sheet that is shown smallest, by area."""
    found = []
    for placed in laid:
        middle = np.array([placed.x, placed.y, 0.0])
        around = middle + np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        a, b, c = camera.project(around)
        across, down = b - a, c - a
        found.append(abs(across[0] * down[1] - across[1] * down[0]) ** 0.5)
    return float(min(found))


def about_z(angle: float) -> npt.NDArray[np.float64]:
    """A rotation (3, 3) about the third axis, in radians."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])


def about_x(angle: float) -> npt.NDArray[np.float64]:
    """A rotation (3, 3) about the first axis, in radians."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])


def place_light(laid: Sequence[Placed], conditions: Conditions, rng: np.random.Generator) -> Light:
    """A lamp, a window, and the shadows on the table: of a hand or phone, and of the paper."""
    outline = np.concatenate([outline_of(placed) for placed in laid])
    center = (float(outline[:, 0].mean()), float(outline[:, 1].mean()))
    angle = rng.uniform(0, 2 * np.pi)
    away = rng.uniform(100, 900)
    lamp = np.array(
        [center[0] + away * np.cos(angle), center[1] + away * np.sin(angle), rng.uniform(550, 1500)]
    )
    share = float(rng.uniform(*conditions.lamp))
    warm = lights.kelvin(float(rng.uniform(2600, 5500)))
    room = lights.kelvin(float(rng.uniform(3200, 7500)))
    side = rng.uniform(0, 2 * np.pi)
    window = np.array([np.cos(side), np.sin(side), 0.0]) * rng.uniform(0, 0.6)
    blocked = lights.plane()
    if rng.random() < conditions.shadow:
        _cast(blocked, center, outline, lamp, conditions, rng)
        blocked = lights.blur(blocked, float(rng.uniform(*conditions.penumbra)))
    own = lights.plane()
    for placed in laid:
        edge = outline_of(placed)
        drop = edge[:, 2:] / (lamp[2] - edge[:, 2:])
        lights.draw(own, center, edge[:, :2] + (edge[:, :2] - lamp[:2]) * drop)
    own = lights.blur(own, 1.6)
    return Light(
        lamp,
        warm * share,
        room * (1 - share),
        window,
        center,
        np.minimum(blocked, 1.0),
        own * 0.8,
        gloss=float(rng.uniform(0, conditions.gloss)),
        shine=float(rng.uniform(6, 30)),
    )


def _cast(
    blocked: Floats,
    center: tuple[float, float],
    outline: npt.NDArray[np.float64],
    lamp: npt.NDArray[np.float64],
    conditions: Conditions,
    rng: np.random.Generator,
) -> None:
    """Draws the shadow of a hand or of the phone, somewhere over the sheets, into `blocked`."""
    spread = (outline[:, :2].max(0) - outline[:, :2].min(0)) / 2
    spot = np.array(center) + rng.uniform(-0.9, 0.9, 2) * spread
    height = rng.uniform(120, 350)
    larger = lamp[2] / (lamp[2] - height)
    turn = rng.uniform(0, 2 * np.pi)
    for part in lights.hand(rng, holds_phone=rng.random() < 0.55):
        lights.draw(blocked, center, spot + part @ about_z(turn)[:2, :2].T * larger)
