"""Pads that bow, fold and curl, to be photographed by `lab.photos.taking`."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.core import markers
from companion.core.markers import Corner
from companion.core.sheet import AnySheetKind, Field, Mark, Paper
from companion.games import catalog
from companion.vision.core import FLAT_PX_PER_MM
from lab import pdf
from lab.camera.mesh import Bend, Shape
from lab.photos import paper, taking
from lab.photos.paper import PX_PER_MM


@dataclass(frozen=True)
class Kind:
    sheet: AnySheetKind
    board: str

    @property
    def paper(self) -> Paper:
        return self.sheet.paper(self.board)


QWINTO = Kind(catalog.SHEETS["qwinto"], "")
ENCORE = Kind(catalog.SHEETS["encore"], "black")
TALLY = Kind(catalog.SHEETS["tally"], "")
KINDS = [Kind(sheet, sheet.usual_board) for sheet in catalog.SHEETS.values()]


def printed(kind: Kind) -> np.ndarray:
    """An empty pad in colour, as its PDF shows it."""
    return paper.printed(kind.sheet.name, kind.board).picture


def even(kind: Kind) -> np.ndarray:
    """An empty pad as its PDF shows it, in gray from 0 to 1, flattened and evenly lit."""
    pad = pdf.first_pad(kind.sheet.name, kind.board, FLAT_PX_PER_MM)
    return np.asarray(gray(pad) / np.float32(255), np.float32)


def written(kind: Kind, seed: int, share: float = 0.6) -> np.ndarray:
    """A pad with ink in a share of its fields."""
    chance = random.Random(seed)
    marks = {
        place.id: _mark(place, chance) for place in kind.paper.fields if chance.random() < share
    }
    return paper.filled(kind.sheet.name, marks, kind.board, seed).picture


def _mark(place: Field, chance: random.Random) -> Mark:
    if place.kind == "digits":
        return chance.randrange(10 ** len(place.cells))
    if place.kind == "value":
        return chance.choice(("crossed", "circled"))
    return chance.choice(place.numbers) if place.is_number else True


# Shapes of paper


REACH = 250.0
"""How far from its middle, in millimetres, a pad is bent."""


def bowed(share: float, degrees: float) -> Shape:
    """A cylinder; its height is `share` of the chord of 190 mm. A negative one hangs down."""
    radius = 190 * (1 / (8 * share) + share / 2)
    return Bend(math.radians(degrees), np.full(600, -1 / radius), REACH)


def folded(degrees: float, at: float, along: float = 90.0) -> Shape:
    """A sharp crease at a distance from the middle, in millimetres; beyond it the paper rises."""
    curvature = np.zeros(5001)
    step = 2 * REACH / (len(curvature) - 1)
    curvature[round((at + REACH) / step)] = math.radians(degrees) / step
    return Bend(math.radians(along - 90), curvature, REACH)


def twisted(height: float) -> Shape:
    """Two opposite corners rise by a height in millimetres, the others sink."""

    def shape(points: np.ndarray) -> np.ndarray:
        up = height * points[..., 0] * points[..., 1] / (95 * 50)
        return points + up[..., np.newaxis] * [0, 0, 1]

    return shape


def curled(height: float) -> Shape:
    """The corner at the lower right rises in a curve: by this height 50 mm from where it begins."""
    grid = np.linspace(-REACH, REACH, 600)
    return Bend(math.radians(45), np.where(grid > 40, 2 * height / 50**2, 0.0), REACH)


class Lying(taking.Lying):
    """A pad on the table."""

    def __init__(self, kind: Kind, *lies: Any, **how: Any) -> None:
        super().__init__(*lies, **how)
        self.kind = kind


def gray(picture: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


# Pads with something wrong


def covered(kind: Kind, *corners: Corner) -> np.ndarray:
    """A pad with thumbs on some of its markers."""
    picture = written(kind, 0)
    for marker in markers.on_pad(0, 0, kind.paper.width, kind.paper.height):
        if marker.corner in corners:
            middle = tuple(round(at * PX_PER_MM) for at in marker.box.center)
            cv2.circle(picture, middle, round(10 * PX_PER_MM), (130, 150, 200), -1)
    return picture


def marked(kind: Kind, sheet: int, board: int = 0) -> np.ndarray:
    """A pad with the markers of another one."""
    picture = printed(kind).copy()
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_250)
    side = round(markers.MARKER * PX_PER_MM)
    for marker in markers.on_pad(sheet, board, kind.paper.width, kind.paper.height):
        left, top = round(marker.box.x * PX_PER_MM), round(marker.box.y * PX_PER_MM)
        image = cv2.aruco.generateImageMarker(dictionary, marker.id, side)
        picture[top : top + side, left : left + side] = image[..., np.newaxis]
    return picture
