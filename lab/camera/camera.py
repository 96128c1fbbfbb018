"""A phone's camera: pinhole, Brown's distortion, and dense maps back from pixels to paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from lab.camera.mesh import BEYOND, Mesh

Floats = npt.NDArray[np.float32]


def sampled(
    picture: npt.NDArray[Any], at: npt.NDArray[Any], border: int = cv2.BORDER_REPLICATE
) -> npt.NDArray[Any]:
    """A picture sampled bilinearly at positions (rows, columns, 2), in its pixels."""
    x, y = cv2.split(np.asarray(at, np.float32))
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=border))


@dataclass(frozen=True)
class Camera:
    """A camera above the table.

    World coordinates are in millimetres. Seen from above, x points to the right and y down on the
    table; z points upwards.
    """

    columns: int
    rows: int
    focal: float  # focal length in pixels
    k1: float
    k2: float  # coefficients of the radial distortion
    # Rotation (3, 3) from (x, y, -z) of the world to (right, down, forward) of the camera.
    turn: npt.NDArray[np.float64]
    # The point on the table that is shown in the picture's centre.
    target: tuple[float, float]
    distance: float  # from the target to the lens, in millimetres

    @property
    def center(self) -> npt.NDArray[np.float64]:
        """The centre of the lens in world coordinates, (3,)."""
        back = self.turn.T @ np.array([0, 0, -self.distance])
        return np.array([self.target[0] + back[0], self.target[1] + back[1], -back[2]])

    def depth(self, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """Distances (…) of points (…, 3) from the camera, along its axis."""
        return np.asarray(self._in_camera(points)[..., 2])

    def _in_camera(self, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        flipped = np.stack(
            [points[..., 0] - self.target[0], points[..., 1] - self.target[1], -points[..., 2]], -1
        )
        seen = flipped @ self.turn.T
        seen[..., 2] += self.distance
        return np.asarray(seen)

    def project(self, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """Pixels (…, 2) of points (…, 3); the first pixel's centre is at 0, 0."""
        seen = self._in_camera(points)
        xy = seen[..., :2] / seen[..., 2:]
        r2 = (xy**2).sum(-1, keepdims=True)
        xy = xy * (1 + self.k1 * r2 + self.k2 * r2**2)
        return np.asarray(xy * self.focal + np.array([self.columns - 1, self.rows - 1]) / 2)

    def table(self, step: int) -> Floats:
        """The points on the table that every `step`-th pixel shows, (rows, columns, 2)."""
        x = (np.arange(0, self.columns + step, step) - (self.columns - 1) / 2) / self.focal
        y = (np.arange(0, self.rows + step, step) - (self.rows - 1) / 2) / self.focal
        bent = np.stack(np.meshgrid(x, y), -1)
        xy = bent
        for _ in range(4):
            r2 = (xy**2).sum(-1, keepdims=True)
            xy = bent / (1 + self.k1 * r2 + self.k2 * r2**2)
        rays = np.concatenate([xy, np.ones_like(xy[..., :1])], -1) @ self.turn
        center = self.center
        # The horizon is never in the picture; nearly horizontal rays are clipped.
        far = center[2] / np.maximum(rays[..., 2], 1e-3)
        at = center[:2] + rays[..., :2] * far[..., None]
        return np.asarray(at, np.float32)


@dataclass(frozen=True)
class Placed:
    """A bent piece of paper on the table, at (x, y), rotated by `angle` radians."""

    mesh: Mesh
    x: float
    y: float
    angle: float

    def world(self, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """World coordinates of points (…, 3) of the mesh."""
        return self._turned(points) + np.array((self.x, self.y, 0))

    def seen(self, points: npt.NDArray[np.floating], camera: Camera) -> npt.NDArray[np.float64]:
        """Pixels (n, 2) of points on the paper, (n, 2) millimetres from its top left corner."""
        xs, ys = self.mesh.places()
        steps = (xs[1] - xs[0], ys[1] - ys[0])
        at = ((points + BEYOND) / steps).astype(np.float32)
        return camera.project(self.world(sampled(self.mesh.points, at[None])[0]))

    def normals(self) -> npt.NDArray[np.float64]:
        """The mesh's normals in world coordinates, (rows, columns, 3)."""
        return self._turned(self.mesh.normals)

    def _turned(self, vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return np.asarray(vectors @ np.array([(cos, sin, 0), (-sin, cos, 0), (0, 0, 1)]))


@dataclass(frozen=True)
class View:
    """Maps for a piece of paper at every `step`-th pixel of a part of the picture."""

    left: int
    top: int
    columns: int
    rows: int
    # The point of the paper at each pixel, (…, 2), in millimetres from its top left corner.
    on_paper: Floats
    on_mesh: Floats  # the position in the mesh at each pixel, (…, 2), for sampling the mesh


def view(camera: Camera, placed: Placed, step: int) -> View:
    """The dense inverse map of the projection, by Newton's method, starting from a homography."""
    mesh = placed.mesh
    pixels = camera.project(placed.world(mesh.points)).astype(np.float32)
    xs, ys = mesh.places()
    low = np.floor(pixels.reshape(-1, 2).min(0)).astype(int)
    high = np.ceil(pixels.reshape(-1, 2).max(0)).astype(int)
    left, top = (max(int(part), 0) for part in low)
    right, bottom = min(int(high[0]), camera.columns - 1), min(int(high[1]), camera.rows - 1)
    left, top = left - left % 2, top - top % 2
    columns, rows = max(right - left + 1, step), max(bottom - top + 1, step)
    x = np.arange(left, left + columns + step, step, dtype=np.float32)
    y = np.arange(top, top + rows + step, step, dtype=np.float32)
    wanted = np.stack(np.meshgrid(x, y), -1).astype(np.float32)
    corners = pixels[[0, 0, -1, -1], [0, -1, -1, 0]]
    right_end, bottom_end = limit = np.array([len(xs) - 1, len(ys) - 1], np.float32)
    ends = np.array([(0, 0), (right_end, 0), limit, (0, bottom_end)], np.float32)
    at = cv2.perspectiveTransform(
        wanted.reshape(1, -1, 2), cv2.getPerspectiveTransform(corners, ends)
    ).reshape(wanted.shape)
    across, down = np.gradient(pixels, axis=1), np.gradient(pixels, axis=0)
    slopes = np.concatenate([across, down], -1).astype(np.float32)
    for _ in range(5):
        at = np.clip(at, 0, limit)
        here = sampled(pixels, at)
        slope = sampled(slopes, at)
        miss = wanted - here
        a, b, c, d = (slope[..., n] for n in range(4))
        det = a * d - b * c
        det = np.where(np.abs(det) < 1e-3, 1e-3, det)
        x, y = miss[..., 0], miss[..., 1]
        at = at + np.stack([(x * d - y * c) / det, (y * a - x * b) / det], -1)
    on_mesh = np.asarray(np.clip(at, 0, limit), np.float32)
    steps = np.array([xs[1] - xs[0], ys[1] - ys[0]], np.float32)
    on_paper = np.asarray(on_mesh * steps - np.float32(BEYOND), np.float32)
    return View(left, top, columns, rows, on_paper, on_mesh)


def upsampled(coarse: Floats, step: int, columns: int, rows: int) -> Floats:
    """Values at every pixel, interpolated bilinearly from those at every `step`-th pixel."""
    scale = np.array([[1 / step, 0, 0], [0, 1 / step, 0]], np.float32)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    made = cv2.warpAffine(
        coarse, scale, (columns, rows), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(made, np.float32)
