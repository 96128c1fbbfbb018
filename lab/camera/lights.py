"""The light on the table: a lamp, the shadows in its light, and the light of the room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from lab.camera.camera import sampled
from lab.camera.pieces import Gloss

Floats = npt.NDArray[np.float32]

REACH: Final = 900.0  # how far from the picture's centre shadows are computed, in millimetres
COARSE: Final = 0.5  # pixels per millimetre of the shadow maps


@dataclass(frozen=True)
class Light:
    """All light that falls on the table."""

    lamp: npt.NDArray[np.float64]
    """The lamp's position: x, y, z in millimetres."""
    lamp_color: npt.NDArray[np.float64]
    """The lamp's light on the table in the picture's centre, BGR."""
    room_color: npt.NDArray[np.float64]
    """The room's diffuse light, BGR."""
    window: npt.NDArray[np.float64]
    """The main direction of the room's light; its length is how one-sided the light is."""
    center: tuple[float, float]
    """The point of the table in the picture's centre, in millimetres."""
    blocked: Floats
    """The share of the lamp's light that does not reach the table, 0 to 1, at `COARSE`."""
    paper_shadow: Floats
    """The share of light that the paper keeps from the table, 0 to 1, at `COARSE`."""
    gloss: float
    """The strength of the lamp's reflection on the paper."""
    shine: float
    """Blinn and Phong's exponent of the reflection."""

    def falls(
        self,
        points: npt.NDArray[np.floating],
        normals: npt.NDArray[np.floating] | None,
        eye: npt.NDArray[np.float64],
    ) -> Floats:
        """The light that points reflect towards a viewer, for a reflectance of 1.

        Args:
            points: (…, 3), in world coordinates.
            normals: (…, 3), of paper; None for points of the table.
            eye: the position of the viewer, (3,).

        Returns:
            (…, 3), BGR.
        """
        points = np.asarray(points, np.float32)
        to_lamp = self.lamp.astype(np.float32) - points
        far = np.sqrt((to_lamp**2).sum(-1))
        to_lamp /= far[..., None]
        up = np.array([0, 0, 1], np.float32)
        n = up if normals is None else np.asarray(normals, np.float32)
        facing = np.maximum((to_lamp * n).sum(-1), 0)
        usual = self._usual()
        lit = facing * (usual[0] / far) ** 2 / usual[1]
        # Seen from the lamp, a point above the table covers another point of the table.
        drop = points[..., 2] / np.maximum(self.lamp[2] - points[..., 2], 1)
        spot = (
            points[..., :2] + (points[..., :2] - self.lamp[:2].astype(np.float32)) * drop[..., None]
        )
        open_ = 1 - self._at(self.blocked, spot)
        if normals is None:
            open_ = open_ * (1 - self._at(self.paper_shadow, spot))
        sky = 0.5 + 0.5 * np.broadcast_to(n, points.shape)[..., 2]
        window = self.window.astype(np.float32)
        sky = np.maximum(sky + (np.broadcast_to(n, points.shape) - up) @ window, 0.05)
        # The table is lighter on the side of the window.
        sky = sky * (1 + ((points[..., :2] - self.center) @ window[:2]) / 1400)
        if normals is None:
            sky = sky * (1 - 0.6 * self._at(self.paper_shadow, spot))
        direct = lit * open_
        total = direct[..., None] * self.lamp_color.astype(np.float32) + sky[
            ..., None
        ] * self.room_color.astype(np.float32)
        if normals is not None and self.gloss:
            to_eye = eye.astype(np.float32) - points
            to_eye /= np.sqrt((to_eye**2).sum(-1))[..., None]
            half = to_lamp + to_eye
            half /= np.sqrt((half**2).sum(-1))[..., None]
            shine = np.maximum((half * n).sum(-1), 0) ** self.shine * self.gloss
            total = total + (shine * open_)[..., None] * self.lamp_color.astype(np.float32)
        return np.asarray(total, np.float32)

    def glints(
        self,
        points: Floats,
        normals: Floats,
        eye: npt.NDArray[np.float64],
        gloss: Gloss,
    ) -> Floats:
        """The light that the surface of card reflects like a mirror, whatever is printed on it.

        Args:
            points, normals: (…, 3), in world coordinates.

        Returns:
            (…, 3), BGR.
        """
        to_eye = eye.astype(np.float32) - points
        to_eye /= np.sqrt((to_eye**2).sum(-1))[..., None]
        to_lamp = self.lamp.astype(np.float32) - points
        to_lamp /= np.sqrt((to_lamp**2).sum(-1))[..., None]
        half = to_lamp + to_eye
        half /= np.sqrt((half**2).sum(-1))[..., None]
        open_ = 1 - self._at(self.blocked, points[..., :2])
        lamp = np.maximum((half * normals).sum(-1), 0) ** gloss.sharp * gloss.lamp * open_
        facing = (to_eye * normals).sum(-1)
        mirrored = 2 * facing[..., None] * normals - to_eye
        side = np.array([*self.window[:2], 0.0])
        side = side / max(float(np.linalg.norm(side)), 1e-6)
        across = np.array([-side[1], side[0], 0.0], np.float32)
        # The window is 30 to 75 degrees above the horizon, with a soft edge: no card is a mirror.
        width, high = mirrored @ across, mirrored[..., 2]
        near = mirrored @ side.astype(np.float32) > 0
        edge = np.float32(18.0)
        pane = 1 / (1 + np.exp((np.abs(width) - 0.35) * edge))
        pane = pane / (1 + np.exp((np.abs(high - 0.73) - 0.23) * edge)) * near
        veil = gloss.veil * (1 + 4 * (1 - np.clip(facing, 0, 1)) ** 2)
        room = (pane * gloss.window + veil)[..., None] * self.room_color.astype(np.float32)
        total = lamp[..., None] * self.lamp_color.astype(np.float32) + room
        return np.asarray(total, np.float32)

    def _usual(self) -> tuple[float, float]:
        """The lamp's distance and the cosine of its angle at the picture's centre."""
        to_lamp = self.lamp - np.array([*self.center, 0])
        far = float(np.linalg.norm(to_lamp))
        return far, max(float(to_lamp[2]) / far, 0.2)

    def _at(self, plane: Floats, spot: npt.NDArray[np.floating]) -> Floats:
        middle = np.asarray(self.center, np.float32)
        at = ((spot - middle + REACH) * COARSE).astype(np.float32)
        return np.asarray(sampled(plane, at), np.float32)


def kelvin(temperature: float) -> npt.NDArray[np.float64]:
    """The colour of a black body, BGR with green 1; an approximation for 2500 to 9000 K."""
    warm = (6500 - temperature) / 1000
    return np.array([np.exp(-0.20 * warm), 1.0, np.exp(0.10 * warm)])


def plane() -> Floats:
    """An empty shadow map."""
    side = int(2 * REACH * COARSE)
    return np.zeros((side, side), np.float32)


def blur(mask: Floats, sigma: float) -> Floats:
    """A shadow map blurred by a standard deviation of `sigma` millimetres."""
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), max(sigma * COARSE, 0.6)), np.float32)


def draw(
    mask: Floats, center: tuple[float, float], outline: npt.NDArray[np.floating], value: float = 1.0
) -> None:
    """Fills an outline, (n, 2) millimetres on the table, in a shadow map.

    Args:
        center: the map's centre on the table.
    """
    at = (np.asarray(outline) - np.asarray(center) + REACH) * COARSE
    cv2.fillPoly(mask, [np.round(at * 16).astype(np.int32)], value, cv2.LINE_AA, 4)


def hand(rng: np.random.Generator, *, holds_phone: bool) -> Sequence[npt.NDArray[np.float64]]:
    """Outlines of a hand and the arm, with a phone or fingers, in millimetres around the origin."""
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    palm = np.stack([44 * np.cos(turns), 42 * np.sin(turns)], 1)
    arm = np.array([(-32, 20), (32, 20), (45, 420), (-40, 420)], float)
    if holds_phone:
        phone = np.array([(-37, -77), (37, -77), (37, 77), (-37, 77)], float)
        return [phone, np.add(palm, (28, 30)), np.add(arm, (40, 10))]
    finger = np.array([(-8, -30), (8, -30), (7, -105), (0, -112), (-7, -105)], float)
    leans = ((number - 1.5) * 0.14 + rng.normal(0, 0.06) for number in range(4))
    fingers = [
        finger @ np.array([[np.cos(lean), np.sin(lean)], [-np.sin(lean), np.cos(lean)]])
        + ((number - 1.5) * 18, 0)
        for number, lean in enumerate(leans)
    ]
    return [palm, *fingers, arm]
