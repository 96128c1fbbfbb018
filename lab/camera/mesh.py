"""Paper that does not lie flat: curled, folded, with a lifted corner.

Every bend rolls the sheet along one direction, which preserves lengths on the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres

STEP: Final[Millimetres] = 1.5  # the distance between points of the mesh
BEYOND: Final[Millimetres] = 6.0
"""How far the mesh extends beyond the paper, so that Newton's method converges at its edge."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Bend:
    """A bend along one direction."""

    direction: float  # angle in the paper's plane in radians; 0 is to the right
    # Curvature in 1/mm at evenly spaced positions from -`reach` to `reach` along the direction.
    curvature: npt.NDArray[np.float64]
    reach: Millimetres

    def __call__(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The points, (rows, columns, 3), after the bend."""
        along = np.array([np.cos(self.direction), np.sin(self.direction)])
        s = points[:, :, :2] @ along
        t = points[:, :, :2] @ np.array([-along[1], along[0]])
        grid = np.linspace(-self.reach, self.reach, len(self.curvature))
        step = grid[1] - grid[0]
        angle = np.cumsum(self.curvature) * step
        angle -= np.interp(0, grid, angle)
        forth, up = np.cumsum(np.cos(angle)) * step, np.cumsum(np.sin(angle)) * step
        forth -= np.interp(0, grid, forth)
        up -= np.interp(0, grid, up)
        turned = np.interp(s, grid, angle)
        z = points[:, :, 2]
        far = np.interp(s, grid, forth) - z * np.sin(turned)
        made = np.empty_like(points)
        made[:, :, 0] = far * along[0] - t * along[1]
        made[:, :, 1] = far * along[1] + t * along[0]
        made[:, :, 2] = np.interp(s, grid, up) + z * np.cos(turned)
        return made


Shape: TypeAlias = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""Moves points (rows, columns, 3) of a piece of paper; a `Bend` is one."""


@dataclass(frozen=True)
class Mesh:
    """A bent piece of paper. The origin is its centre; z points up from the table."""

    width: Millimetres
    height: Millimetres
    points: Floats  # (rows, columns, 3) in millimetres, evenly spaced on the paper
    normals: Floats  # (rows, columns, 3), unit vectors

    def places(self) -> tuple[Floats, Floats]:
        """Positions of the mesh's columns and rows on the paper, in millimetres from its centre."""
        rows, columns = self.points.shape[:2]
        return (
            np.linspace(-1, 1, columns, dtype=np.float32) * (self.width / 2 + BEYOND),
            np.linspace(-1, 1, rows, dtype=np.float32) * (self.height / 2 + BEYOND),
        )


def mesh(width: Millimetres, height: Millimetres, bends: tuple[Shape, ...]) -> Mesh:
    """A piece of paper after all bends, resting on the table."""
    columns = int((width + 2 * BEYOND) / STEP) + 2
    rows = int((height + 2 * BEYOND) / STEP) + 2
    xs = np.linspace(-1, 1, columns) * (width / 2 + BEYOND)
    ys = np.linspace(-1, 1, rows) * (height / 2 + BEYOND)
    points = np.zeros((rows, columns, 3))
    points[:, :, 0], points[:, :, 1] = xs[None, :], ys[:, None]
    for bend in bends:
        points = bend(points)
    flat = points.reshape(-1, 3)
    # It rests on the table: horizontal on average, and nowhere below the table.
    plane = np.column_stack([flat[:, 0], flat[:, 1], np.ones(len(flat))])
    slope = np.linalg.lstsq(plane, flat[:, 2], rcond=None)[0]
    points[:, :, 2] -= (plane @ slope).reshape(rows, columns)
    inside = points[4:-4, 4:-4, 2]
    points[:, :, 2] = np.maximum(points[:, :, 2] - inside.min(), 0) + 0.15
    across, down = np.gradient(points, axis=1), np.gradient(points, axis=0)
    normals = np.cross(across, down)
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return Mesh(width, height, points.astype(np.float32), normals.astype(np.float32))


def curl(rng: np.random.Generator, width: Millimetres, height: Millimetres, bow: float) -> Bend:
    """A curl over the whole paper; `bow` is the height of the arc divided by its chord."""
    direction = float(
        rng.choice([0.0, np.pi / 2, rng.uniform(0, np.pi)], p=[0.4, 0.35, 0.25])
        + rng.normal(0, 0.08)
    )
    length = abs(width * np.cos(direction)) + abs(height * np.sin(direction))
    reach = float(np.hypot(width, height))
    grid = np.linspace(-reach, reach, 600) / length
    shape = (
        1
        + rng.normal(0, 0.35) * grid
        + rng.normal(0, 0.5) * np.cos(2 * np.pi * grid * rng.uniform(0.7, 1.5) + rng.uniform(0, 6))
    )
    curvature = 8 * bow / length * shape * (1 if rng.random() < 0.6 else -1)
    return Bend(direction, curvature, reach)


def fold(rng: np.random.Generator, width: Millimetres, height: Millimetres, angle: float) -> Bend:
    """A rounded crease across the paper by `angle` radians."""
    upright = rng.random() < 0.65
    direction = float((0.0 if upright else np.pi / 2) + rng.normal(0, 0.03))
    side = width if upright else height
    at = float(rng.choice([0.0, rng.uniform(-0.3, 0.3)])) * side + rng.normal(0, 2)
    reach = float(np.hypot(width, height))
    grid = np.linspace(-reach, reach, 3000)
    soft = rng.uniform(1.5, 3.0)
    bump = np.exp(-(((grid - at) / soft) ** 2) / 2) / (soft * np.sqrt(2 * np.pi))
    return Bend(direction, bump * angle * (1 if rng.random() < 0.5 else -1), reach)


def lifted_corner(
    rng: np.random.Generator, width: Millimetres, height: Millimetres, angle: float
) -> Bend:
    """A corner that bends up from the table, by `angle` radians at its end."""
    right, down = rng.choice([-1, 1], 2)
    direction = float(np.arctan2(down * width, right * height) + rng.normal(0, 0.2))
    corner = abs(width / 2 * np.cos(direction)) + abs(height / 2 * np.sin(direction))
    length = rng.uniform(25, 55)
    reach = float(np.hypot(width, height))
    grid = np.linspace(-reach, reach, 1200)
    rise = np.clip((grid - corner + length) / length, 0, 1)
    return Bend(direction, np.where(rise > 0, angle / length, 0.0) * np.minimum(rise * 4, 1), reach)
