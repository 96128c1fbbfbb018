"""Photos of pads whose every point is known: paper that bows, folds and curls, lamps and shadows.

A photo is made backwards. For each pixel the place on the paper is looked up by inverting the
known way from the paper to the picture, which is exact to a hundredth of a millimetre.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.core import markers
from companion.core.markers import Corner
from companion.core.sheet import AnySheetKind, Paper
from companion.games import catalog
from tests.kit.photos import empty_pads, paper

SOURCE_PX_PER_MM = 8.0

Shape = Callable[[np.ndarray], np.ndarray]
"""Bends paper: points (n, 3) in millimetres about the pad's middle → points (n, 3), z up."""


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
    name = "-".join(filter(None, [kind.sheet.name, kind.board, "a4"]))
    return np.asarray(empty_pads.printed(f"{name}.pdf") / np.float32(255), np.float32)


def written(kind: Kind, seed: int, share: float = 0.6) -> np.ndarray:
    """A pad with ink in so many of its fields."""
    rng = np.random.default_rng(seed)
    picture = printed(kind).copy()
    for place in kind.paper.fields:
        for box in place.cells or (place.box,):
            if rng.random() < share:
                _scribble(picture, box, place.kind, rng)
    return picture


def _scribble(picture: np.ndarray, box, kind: str, rng: np.random.Generator) -> None:
    s = SOURCE_PX_PER_MM
    pen = [int(c) for c in rng.choice([[40, 30, 30], [140, 60, 30], [60, 60, 70]])]
    width = int(rng.integers(4, 8))
    cx, cy = (np.array(box.center) + rng.normal(0, 0.5, 2)) * s
    reach = min(box.width, box.height) / 2 * s * rng.uniform(0.7, 1.15)

    def line(*points: tuple[float, float]) -> None:
        path = np.array(points) * reach + [cx, cy] + rng.normal(0, 1.5, (len(points), 2))
        cv2.polylines(picture, [path.round().astype(np.int32)], False, pen, width, cv2.LINE_AA)

    if kind in ("number", "digits"):
        text = str(rng.integers(1, 19 if kind == "number" else 10))
        size = 0.028 * reach * (1.0 if len(text) == 1 else 0.75)
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, width)
        at = (round(cx - wide / 2), round(cy + high / 2))
        cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, pen, width, cv2.LINE_AA)
    elif kind == "value" and rng.random() < 0.5:
        angles = np.linspace(0, 6.6, 24)
        line(*((1.05 * math.cos(angle), 0.95 * math.sin(angle)) for angle in angles))
    else:
        line((-0.8, -0.8), (0.8, 0.8))
        line((0.8, -0.8), (-0.8, 0.8))


# Shapes of paper


def bowed(share: float, degrees: float) -> Shape:
    """A cylinder; its height is `share` of the chord of 190 mm. Negative hangs down."""

    def shape(points: np.ndarray) -> np.ndarray:
        chord = 190.0
        height = abs(share) * chord
        radius = (chord**2 / 4 + height**2) / (2 * height)
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        along = points[:, 0] * c + points[:, 1] * s
        across = -points[:, 0] * s + points[:, 1] * c
        new = radius * np.sin(along / radius)
        up = math.copysign(1, share) * radius * (np.cos(along / radius) - 1)
        return np.stack([new * c - across * s, new * s + across * c, points[:, 2] + up], axis=1)

    return shape


def folded(degrees: float, at: float, along: float = 90.0) -> Shape:
    """A sharp crease at so many millimetres from the middle; beyond it the paper rises."""

    def shape(points: np.ndarray) -> np.ndarray:
        c, s = math.cos(math.radians(along - 90)), math.sin(math.radians(along - 90))
        across = points[:, 0] * c + points[:, 1] * s
        rest = -points[:, 0] * s + points[:, 1] * c
        beyond = np.maximum(across - at, 0)
        turn = math.radians(degrees)
        across = across - beyond + beyond * math.cos(turn)
        up = points[:, 2] + beyond * math.sin(turn)
        return np.stack([across * c - rest * s, across * s + rest * c, up], axis=1)

    return shape


def twisted(height: float) -> Shape:
    """Two opposite corners rise by so many millimetres, the others sink."""

    def shape(points: np.ndarray) -> np.ndarray:
        up = height * points[:, 0] * points[:, 1] / (95 * 50)
        return np.column_stack([points[:, :2], points[:, 2] + up])

    return shape


def curled(height: float) -> Shape:
    """The corner at the lower right rises in a curve."""

    def shape(points: np.ndarray) -> np.ndarray:
        beyond = np.maximum((points[:, 0] + points[:, 1]) / math.sqrt(2) - 40, 0)
        return np.column_stack([points[:, :2], points[:, 2] + height * (beyond / 50) ** 2])

    return shape


# Photos


@dataclass(frozen=True)
class Lying:
    """A pad on the table."""

    kind: Kind
    picture: np.ndarray
    x: float = 0.0
    """Of its middle, in millimetres on the table."""
    y: float = 0.0
    turn: float = 0.0
    """Degrees, with the clock."""
    shapes: Sequence[Shape] = ()


@dataclass(frozen=True)
class Camera:
    """Looks at the table's middle."""

    width: int = 1600
    height: int = 1200
    px_per_mm: float = 6.0
    """In the middle."""
    tilt: float = 0.0
    """Degrees from straight above."""
    turn: float = 0.0
    """Degrees that the picture is turned."""
    from_side: float = 0.0
    """Degrees: from where the camera looks."""

    def project(self, points: np.ndarray) -> np.ndarray:
        """Points (n, 3) on the table, z up → pixels (n, 2)."""
        focal = 0.8 * max(self.width, self.height)
        far = focal / self.px_per_mm
        points = points @ _turning(self.from_side).T
        t = math.radians(self.tilt)
        x = points[:, 0]
        y = points[:, 1] * math.cos(t) - points[:, 2] * math.sin(t)
        depth = far - (points[:, 2] * math.cos(t) + points[:, 1] * math.sin(t))
        seen = np.stack([x, y], axis=1) / depth[:, np.newaxis] * focal
        seen = seen @ _turning(self.turn - self.from_side)[:2, :2].T
        return seen + np.array([self.width - 1, self.height - 1]) / 2


def _turning(degrees: float) -> np.ndarray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def to_pixels(lying: Lying, camera: Camera, points: np.ndarray) -> np.ndarray:
    """Millimetres on the pad, (n, 2) → pixels: the truth."""
    paper = lying.kind.paper
    flat = np.asarray(points, float) - [paper.width / 2, paper.height / 2]
    solid = np.column_stack([flat, np.zeros(len(flat))])
    for shape in lying.shapes:
        solid = shape(solid)
    solid = solid @ _turning(lying.turn).T + [lying.x, lying.y, 0]
    return camera.project(solid)


@dataclass(frozen=True)
class Light:
    """How bright it is, and what is wrong with the picture."""

    color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Blue, green, red."""
    level: float = 0.8
    slope: float = 0.3
    """How much darker it gets from one side to the other."""
    shadow: float | None = None
    """How bright a hard shadow over a part of the picture is; None is no shadow."""
    blur: float = 0.6
    """Pixels."""
    motion: int = 0
    noise: float = 2.0
    table: tuple[int, int, int] = (70, 95, 120)


def photo(
    pads: Sequence[Lying],
    camera: Camera,
    light: Light = Light(),
    seed: int = 0,
) -> np.ndarray:
    """A photo in colour."""
    rng = np.random.default_rng(seed)
    size = (camera.height, camera.width)
    picture = np.empty((*size, 3), np.uint8)
    picture[:] = light.table
    grain = rng.normal(0, 12, (camera.height // 8 + 1, camera.width // 8 + 1)).astype(np.float32)
    grain = cv2.resize(grain, (camera.width, camera.height))
    picture = np.clip(picture + grain[..., np.newaxis], 0, 255).astype(np.uint8)
    for pad in pads:
        _put(picture, pad, camera)
    y, x = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32)
    side = rng.uniform(0, 2 * math.pi)
    along = (x / size[1] - 0.5) * math.cos(side) + (y / size[0] - 0.5) * math.sin(side)
    gain = light.level * (1 - light.slope * along)
    if light.shadow is not None:
        edge = 0.12 * size[1] + (x - 0.45 * size[1]) * 0.8 + (y - size[0] / 2) * 0.6
        gain = gain * (
            light.shadow + (1 - light.shadow) / (1 + np.exp(np.clip(-edge / 2, -50, 50)))
        )
    lit = picture * gain[..., np.newaxis] * np.array(light.color, np.float32)
    lit = cv2.GaussianBlur(lit, (0, 0), light.blur) if light.blur else lit
    if light.motion:
        lit = cv2.filter2D(lit, -1, np.eye(light.motion, dtype=np.float32) / light.motion)
    lit = lit + rng.normal(0, light.noise, lit.shape).astype(np.float32)
    done, data = cv2.imencode(
        ".jpg", np.clip(lit, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 88]
    )
    assert done
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def gray(picture: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


def _put(picture: np.ndarray, pad: Lying, camera: Camera) -> None:
    """Draws a pad into the photo."""
    paper = pad.kind.paper
    height, width = picture.shape[:2]
    step = 8
    x, y = np.meshgrid(
        np.arange(width // step + 2) * step - step, np.arange(height // step + 2) * step - step
    )
    pixels = np.stack([x.ravel(), y.ravel()], axis=1).astype(float)
    corners = np.array(
        [[0, 0], [paper.width, 0], [paper.width, paper.height], [0, paper.height]], float
    )
    rough, _ = cv2.findHomography(to_pixels(pad, camera, corners), corners)
    inside = np.array([paper.width, paper.height])

    def flat(points: np.ndarray) -> np.ndarray:
        at = np.column_stack([points, np.ones(len(points))]) @ rough.T
        depth = at[:, 2:]
        return at[:, :2] / np.where(np.abs(depth) < 1e-3, 1e-3, depth)

    aim = flat(pixels)
    near = np.all((aim > -60) & (aim < inside + 60), axis=1)
    places = np.full(aim.shape, -100.0)
    found = aim[near]
    for _ in range(14):
        found = found + 0.8 * (aim[near] - flat(to_pixels(pad, camera, found)))
    places[near] = found
    grid = places.reshape(*x.shape, 2).astype(np.float32)
    fine = cv2.resize(grid, (x.shape[1] * step, x.shape[0] * step), interpolation=cv2.INTER_LINEAR)
    # The coarse places are those of whole pixels; resize takes them for blocks' middles.
    shift = step + (step - 1) / 2
    moved = np.float32([[1, 0, -shift], [0, 1, -shift]])
    fine = cv2.warpAffine(fine, moved, (width, height), flags=cv2.INTER_LINEAR)
    scale = SOURCE_PX_PER_MM / min(SOURCE_PX_PER_MM, 1.6 * camera.px_per_mm)
    source = pad.picture
    if scale > 1:
        source = cv2.resize(source, None, fx=1 / scale, fy=1 / scale, interpolation=cv2.INTER_AREA)
    ratio = [SOURCE_PX_PER_MM * source.shape[axis] / pad.picture.shape[axis] for axis in (1, 0)]
    seen = cv2.remap(
        source,
        fine[..., 0] * np.float32(ratio[0]) - 0.5,
        fine[..., 1] * np.float32(ratio[1]) - 0.5,
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    on = np.all((fine >= 0) & (fine <= inside.astype(np.float32)), axis=2)
    picture[on] = seen[on]


# Pads with something wrong


def covered(kind: Kind, corner: Corner, seed: int = 0) -> np.ndarray:
    """A pad with a thumb on one marker."""
    picture = written(kind, seed)
    (box,) = (
        marker.box
        for marker in markers.on_pad(0, 0, kind.paper.width, kind.paper.height)
        if marker.corner == corner
    )
    middle = tuple(round(at * SOURCE_PX_PER_MM) for at in box.center)
    cv2.circle(picture, middle, round(10 * SOURCE_PX_PER_MM), (130, 150, 200), -1)
    return picture


def marked(kind: Kind, sheet: int, board: int = 0) -> np.ndarray:
    """A pad with the markers of another one."""
    picture = printed(kind).copy()
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_250)
    side = round(markers.MARKER * SOURCE_PX_PER_MM)
    for marker in markers.on_pad(sheet, board, kind.paper.width, kind.paper.height):
        left, top = round(marker.box.x * SOURCE_PX_PER_MM), round(marker.box.y * SOURCE_PX_PER_MM)
        image = cv2.aruco.generateImageMarker(dictionary, marker.id, side)
        picture[top : top + side, left : left + side] = image[..., np.newaxis]
    return picture
