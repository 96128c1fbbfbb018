"""Takes the photo: sheets on a table, a lamp, a phone, and the truth about what is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos import light as lights
from benchmarks.photos import sensor, tables
from benchmarks.photos.camera import Camera, Placed, sampled, upsampled, view
from benchmarks.photos.filling import Print, printed
from benchmarks.photos.hands import FOLDER, Hand, hands
from benchmarks.photos.light import Light
from benchmarks.photos.paper import Bend, curl, fold, lifted_corner, mesh
from benchmarks.photos.play import Filled, filled
from companion.core.sheet import Mark
from companion.core.values import Document

Floats = npt.NDArray[np.float32]
Picture = npt.NDArray[np.uint8]

DIFFICULTIES: Final = ("easy", "usual", "hard")
KINDS: Final = ("qwinto", "encore", "tally")
COLLECTIONS: Final[Mapping[str, float]] = {"unipen": 0.58, "swiss": 0.27, "mnist": 0.15}
"""How often each collection's writers write: scans of 20 pixels look least like a pen's line."""
LARGEST: Final = 12.0
"""Megapixels of a photo, where nothing else is asked for."""
STEP: Final = 4
"""Pixels between the places at which maps and light are worked out."""


@dataclass(frozen=True)
class Truth:
    """What is on one pad of the photo."""

    sheet: str
    board: str
    document: Document
    """The public sheet document."""
    marks: Mapping[str, Mark]
    """Every field → what is drawn there; a value crossed out for others is in no document."""
    total: int
    corners: tuple[tuple[float, float], ...]
    """Of the pad as printed, in pixels: top left, top right, bottom right, bottom left."""
    centers: Mapping[str, tuple[float, float]]
    """Every field's middle, in pixels."""
    writer: str
    pen: str


@dataclass(frozen=True)
class Shot:
    """A photo and all that there is to read in it."""

    seed: int
    difficulty: str
    photo: Picture
    """BGR, upright, before JPEG."""
    jpeg: bytes
    truths: tuple[Truth, ...]


@dataclass(frozen=True)
class Trouble:
    """How far things may go wrong."""

    tilt: tuple[float, float]
    """Degrees."""
    bow: tuple[float, float]
    fold: float
    """Probability."""
    corner: float
    roll: float
    """Degrees of deviation; 180 is any."""
    lamp: tuple[float, float]
    """The lamp's share of all light."""
    shadow: float
    penumbra: tuple[float, float]
    """Millimetres."""
    defocus: tuple[float, float]
    """Pixels at 8 pixels to the millimetre."""
    shake: tuple[float, float]
    electrons: tuple[float, float]
    quality: tuple[int, int]
    fill: tuple[float, float]
    gloss: float


TROUBLES: Final[Mapping[str, Trouble]] = {
    "easy": Trouble(
        tilt=(0, 7),
        bow=(0, 0.003),
        fold=0,
        corner=0,
        roll=3,
        lamp=(0.1, 0.4),
        shadow=0,
        penumbra=(40, 60),
        defocus=(0.4, 0.8),
        shake=(0, 0.5),
        electrons=(4000, 12000),
        quality=(85, 95),
        fill=(0.8, 0.95),
        gloss=0.01,
    ),
    "usual": Trouble(
        tilt=(3, 20),
        bow=(0, 0.015),
        fold=0.06,
        corner=0.1,
        roll=9,
        lamp=(0.25, 0.65),
        shadow=0.5,
        penumbra=(8, 45),
        defocus=(0.4, 1.2),
        shake=(0, 1.2),
        electrons=(1200, 6000),
        quality=(72, 95),
        fill=(0.72, 0.95),
        gloss=0.03,
    ),
    "hard": Trouble(
        tilt=(15, 40),
        bow=(0.01, 0.03),
        fold=0.5,
        corner=0.35,
        roll=180,
        lamp=(0.5, 0.8),
        shadow=0.9,
        penumbra=(1, 8),
        defocus=(0.6, 1.7),
        shake=(0, 2.2),
        electrons=(350, 2500),
        quality=(60, 90),
        fill=(0.7, 0.93),
        gloss=0.06,
    ),
}


def simulate(
    seed: int,
    difficulty: str = "usual",
    sheets: Sequence[str] | None = None,
    *,
    megapixels: float | None = None,
    count: int | None = None,
    folder: Path = FOLDER,
) -> Shot:
    """A photo that depends on nothing but these arguments.

    Args:
        difficulty: one of `DIFFICULTIES`.
        sheets: kinds such as `qwinto`, `encore`, `encore:red` or `tally`; random ones if None.
        megapixels: of the photo. If None, as many as give 7 to 9.5 pixels to the millimetre.
        count: of random sheets; one if None.
        folder: where the handwriting lies.
    """
    rng = np.random.default_rng([seed, DIFFICULTIES.index(difficulty)])
    trouble = TROUBLES[difficulty]
    careful = difficulty == "easy"
    kinds = [*sheets] if sheets else [str(one) for one in rng.choice(KINDS, count or 1)]
    contents = [filled(kind, rng) for kind in kinds]
    writers = _writers(rng, len(kinds), folder)
    pens = [np.random.default_rng(rng.integers(1 << 62)) for _ in kinds]
    meshes_rng = np.random.default_rng(rng.integers(1 << 62))
    # The size of each paper is known only when it is cut, so the pads come first, at a scale that
    # fits what the photo will show of them.
    scale = 12.0 if megapixels is None or megapixels < 6 or len(kinds) > 1 else 16.0
    prints = [
        printed(one, hand, own, scale, careful)
        for one, (_, hand), own in zip(contents, writers, pens, strict=True)
    ]
    laid = _laid(prints, trouble, meshes_rng)
    camera = _camera(laid, trouble, rng, megapixels)
    light = _light(laid, camera, trouble, rng)
    radiance = _radiance(camera, light, laid, prints, int(rng.integers(1 << 20)))
    # How large a blur looks does not depend on how many pixels show it.
    finer = _pixels_per_mm(camera, laid) / 8
    exposure = _exposure(radiance, camera, light, trouble, rng, finer)
    photo = sensor.developed(sensor.blurred(radiance, exposure, rng), exposure, rng)
    orientation = int(rng.choice([1, 6, 8, 3], p=[0.7, 0.15, 0.1, 0.05]))
    truths = tuple(
        _truth(one, writer, paper, placed, camera)
        for one, (writer, _), paper, placed in zip(contents, writers, prints, laid, strict=True)
    )
    coded = sensor.jpeg(photo, exposure.quality, orientation)
    return Shot(seed, difficulty, photo, coded, truths)


def _writers(rng: np.random.Generator, count: int, folder: Path) -> list[tuple[str, Hand]]:
    """Different people."""
    known = hands(folder)
    names = sorted(known)
    of = [name.partition(":")[0] for name in names]
    weights = np.array([COLLECTIONS[one] / of.count(one) for one in of])
    chosen = rng.choice(len(names), count, replace=False, p=weights / weights.sum())
    return [(names[index], known[names[index]]) for index in chosen]


def _truth(one: Filled, writer: str, paper: Print, placed: Placed, camera: Camera) -> Truth:
    box = paper.pad
    corners = np.array(
        [
            (box.x, box.y),
            (box.x + box.width, box.y),
            (box.x + box.width, box.y + box.height),
            (box.x, box.y + box.height),
        ]
    )
    fields = one.sheet.paper(one.board).fields
    centers = np.array([field.box.center for field in fields]) + np.array([box.x, box.y])
    pixels = [
        (float(x), float(y))
        for x, y in _seen(np.concatenate([corners, centers]), paper, placed, camera)
    ]
    return Truth(
        one.sheet.name,
        one.board,
        one.document,
        one.marks,
        one.total,
        tuple(pixels[:4]),
        {field.id: pixel for field, pixel in zip(fields, pixels[4:], strict=True)},
        writer,
        paper.pen,
    )


def _seen(
    points: npt.NDArray[np.float64], paper: Print, placed: Placed, camera: Camera
) -> npt.NDArray[np.float64]:
    """Pixels of places on the paper, (n, 2) millimetres from its top left corner."""
    xs, ys = placed.mesh.places()
    width, height = paper.size
    at = np.stack(
        [
            (points[:, 0] - width / 2 - xs[0]) / (xs[1] - xs[0]),
            (points[:, 1] - height / 2 - ys[0]) / (ys[1] - ys[0]),
        ],
        -1,
    ).astype(np.float32)
    on_mesh = sampled(placed.mesh.points, at[None])[0]
    return camera.project(placed.world(on_mesh))


# Sheets on the table


def _laid(prints: Sequence[Print], trouble: Trouble, rng: np.random.Generator) -> list[Placed]:
    columns = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2}[len(prints)]
    swing = 0.02 if trouble.roll < 5 else 0.12
    angles = [
        float(rng.normal(0, swing / 2) + (np.pi if rng.random() < 0.3 else 0.0))
        if len(prints) > 1
        else 0.0
        for _ in prints
    ]
    wide = max(paper.size[0] for paper in prints) + 12 + 130 * swing
    tall = max(paper.size[1] for paper in prints) + 10 + 190 * swing
    placed = []
    for index, (paper, angle) in enumerate(zip(prints, angles, strict=True)):
        x = (index % columns) * wide + rng.normal(0, 1.5)
        y = (index // columns) * tall + rng.normal(0, 1.5)
        width, height = paper.size
        bends: list[Bend] = []
        if (bow := float(rng.uniform(*trouble.bow))) > 1e-4:
            bends.append(curl(rng, width, height, bow))
        if rng.random() < trouble.fold:
            bends.append(fold(rng, width, height, float(np.radians(rng.uniform(5, 16)))))
        if rng.random() < trouble.corner:
            angle_up = float(np.radians(rng.uniform(8, 25)))
            bends.append(lifted_corner(rng, width, height, angle_up))
        placed.append(Placed(mesh(width, height, tuple(bends)), x, y, angle))
    return placed


def _outline(placed: Placed) -> npt.NDArray[np.float64]:
    """The paper's edge in the world, all around."""
    points = placed.mesh.points[4:-4, 4:-4]
    edge = np.concatenate([points[0], points[:, -1], points[-1, ::-1], points[::-1, 0]])
    return placed.world(edge)


# The camera


def _camera(
    laid: Sequence[Placed],
    trouble: Trouble,
    rng: np.random.Generator,
    megapixels: float | None,
) -> Camera:
    tilt = float(np.radians(rng.uniform(*trouble.tilt)))
    around = rng.uniform(0, 2 * np.pi)
    if rng.random() < 0.7:
        # Most people stand on one side of the table and lean forward.
        around = rng.normal(0, 0.4)
    roll = (
        rng.uniform(0, 2 * np.pi) if trouble.roll >= 90 else np.radians(rng.normal(0, trouble.roll))
    )
    if trouble.roll < 90 and rng.random() < 0.12:
        roll += float(rng.choice([np.pi / 2, np.pi, -np.pi / 2]))
    turn = _about_z(roll + around) @ _about_x(tilt) @ _about_z(-around)
    outline = np.concatenate([_outline(one) for one in laid])
    target = outline[:, :2].min(0) / 2 + outline[:, :2].max(0) / 2
    focal = float(rng.uniform(0.7, 0.8))
    draft = Camera(
        1000,
        1000,
        focal * 1000,
        float(rng.normal(0, 0.02)),
        float(rng.normal(0, 0.01)),
        turn,
        (float(target[0]), float(target[1])),
        900.0,
    )
    fill = float(rng.uniform(*trouble.fill))
    # Upright or lying, whichever shows the sheets larger.
    trials = [
        _fitted(replace(draft, columns=columns, rows=rows), outline, fill)
        for columns, rows in ((1000, 750), (750, 1000))
    ]
    camera = min(trials, key=lambda trial: trial.distance)
    if megapixels is None:
        size = float(rng.uniform(7.0, 9.5)) / _pixels_per_mm(camera, laid)
        size = min(size, (LARGEST * 1e6 / 0.75) ** 0.5 / 1000)
    else:
        size = (megapixels * 1e6 / 0.75) ** 0.5 / 1000
    columns, rows = (int(side * size) // 8 * 8 for side in (camera.columns, camera.rows))
    return replace(
        camera, columns=columns, rows=rows, focal=camera.focal * columns / camera.columns
    )


def _fitted(camera: Camera, outline: npt.NDArray[np.float64], fill: float) -> Camera:
    """The sheets in the picture's middle, at the distance from which they fill a share of it."""
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


def _pixels_per_mm(camera: Camera, laid: Sequence[Placed]) -> float:
    """Of the sheet that is shown smallest, by area."""
    found = []
    for one in laid:
        middle = np.array([one.x, one.y, 0.0])
        around = middle + np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        a, b, c = camera.project(around)
        across, down = b - a, c - a
        found.append(abs(across[0] * down[1] - across[1] * down[0]) ** 0.5)
    return float(min(found))


def _about_z(angle: float) -> npt.NDArray[np.float64]:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])


def _about_x(angle: float) -> npt.NDArray[np.float64]:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])


# Light


def _light(
    laid: Sequence[Placed], camera: Camera, trouble: Trouble, rng: np.random.Generator
) -> Light:
    outline = np.concatenate([_outline(one) for one in laid])
    center = (float(outline[:, 0].mean()), float(outline[:, 1].mean()))
    angle = rng.uniform(0, 2 * np.pi)
    away = rng.uniform(100, 900)
    lamp = np.array(
        [center[0] + away * np.cos(angle), center[1] + away * np.sin(angle), rng.uniform(550, 1500)]
    )
    share = float(rng.uniform(*trouble.lamp))
    warm = lights.kelvin(float(rng.uniform(2600, 5500)))
    room = lights.kelvin(float(rng.uniform(3200, 7500)))
    side = rng.uniform(0, 2 * np.pi)
    window = np.array([np.cos(side), np.sin(side), 0.0]) * rng.uniform(0, 0.6)
    blocked = lights.plane()
    if rng.random() < trouble.shadow:
        _cast(blocked, center, outline, lamp, trouble, rng)
        blocked = lights.blur(blocked, float(rng.uniform(*trouble.penumbra)))
    own = lights.plane()
    for one in laid:
        edge = _outline(one)
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
        gloss=float(rng.uniform(0, trouble.gloss)),
        shine=float(rng.uniform(6, 30)),
    )


def _cast(
    blocked: Floats,
    center: tuple[float, float],
    outline: npt.NDArray[np.float64],
    lamp: npt.NDArray[np.float64],
    trouble: Trouble,
    rng: np.random.Generator,
) -> None:
    """The shadow of a hand or of the phone, somewhere over the sheets."""
    spread = (outline[:, :2].max(0) - outline[:, :2].min(0)) / 2
    spot = np.array(center) + rng.uniform(-0.9, 0.9, 2) * spread
    kind = lights.phone_and_hand if rng.random() < 0.55 else lights.hand
    height = rng.uniform(120, 350)
    larger = lamp[2] / (lamp[2] - height)
    turn = rng.uniform(0, 2 * np.pi)
    cos, sin = np.cos(turn), np.sin(turn)
    for part in kind(rng):
        turned = part @ np.array([[cos, sin], [-sin, cos]])
        lights.draw(blocked, center, spot + turned * larger, 1.0)


def _radiance(
    camera: Camera, light: Light, laid: Sequence[Placed], prints: Sequence[Print], number: int
) -> Floats:
    """What reaches the lens: (rows, columns, 3), linear BGR."""
    spots = camera.table(STEP)
    points = np.concatenate([spots, np.zeros_like(spots[..., :1])], -1)
    falls = light.falls(points, None, camera.center)
    surface = tables.table(number % 400)
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
    for placed, paper in zip(laid, prints, strict=True):
        _lay(radiance, camera, light, placed, paper)
    return radiance


def _lay(radiance: Floats, camera: Camera, light: Light, placed: Placed, paper: Print) -> None:
    """Puts one piece of paper into the picture."""
    seen = view(camera, placed, STEP)
    world = placed.world(placed.mesh.points).astype(np.float32)
    both = np.concatenate([world, placed.normals().astype(np.float32)], -1)
    world_there, normals_there = (
        sampled(np.ascontiguousarray(both[..., part]), seen.on_mesh)
        for part in (slice(0, 3), slice(3, 6))
    )
    falls = light.falls(world_there, normals_there, camera.center)
    width, height = paper.size
    place = upsampled(seen.on_paper, STEP, seen.columns, seen.rows)
    # Shrinking by remap alone would alias, so the picture is first made about as fine as the photo.
    finest = (
        float(
            np.abs(np.diff(seen.on_paper, axis=1)).max(-1).mean()
            + np.abs(np.diff(seen.on_paper, axis=0)).max(-1).mean()
        )
        / 2
        / STEP
    )
    picture, scale = paper.picture, paper.scale
    if finest * scale > 1.15:
        share = 1 / (finest * scale)
        small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        picture = np.asarray(small, np.float32)
    sx, sy = picture.shape[1] / width, picture.shape[0] / height
    at = place * np.array([sx, sy], np.float32) - 0.5
    colors = sampled(picture, at)
    x, y = place[..., 0], place[..., 1]
    inside = np.minimum(np.minimum(x, width - x), np.minimum(y, height - y))
    alpha = np.clip(inside / max(finest, 1e-3) + 0.5, 0, 1)[..., None]
    lit = colors * upsampled(falls, STEP, seen.columns, seen.rows)
    region = radiance[seen.top : seen.top + seen.rows, seen.left : seen.left + seen.columns]
    region += (lit - region) * alpha


def _exposure(
    radiance: Floats,
    camera: Camera,
    light: Light,
    trouble: Trouble,
    rng: np.random.Generator,
    finer: float,
) -> sensor.Exposure:
    """The phone's automatic, which is never quite right."""
    small = cv2.resize(radiance, None, fx=1 / 16, fy=1 / 16, interpolation=cv2.INTER_AREA)
    bright = float(np.percentile(small[:, :, 1], 97))
    balance = light.lamp_color + light.room_color
    balance = balance / balance[1]
    # Phones leave some of the warmth of a lamp.
    balance = balance ** rng.uniform(0.6, 1.0) * rng.uniform(0.97, 1.03, 3)
    electrons = float(np.exp(rng.uniform(*np.log(trouble.electrons))))
    return sensor.Exposure(
        defocus=float(rng.uniform(*trouble.defocus)) * finer,
        shake=float(rng.uniform(*trouble.shake)) * finer,
        # More pixels share the same light.
        electrons=electrons / finer**2,
        read_noise=float(rng.uniform(2, 7)),
        gain=float(rng.uniform(0.7, 0.97)) / bright,
        balance=(float(balance[0]), float(balance[1]), float(balance[2])),
        contrast=float(rng.uniform(0.0, 0.8)),
        denoise=float(rng.uniform(0.3, 0.9)),
        sharpen=float(rng.uniform(0.2, 1.0)),
        vignette=float(rng.uniform(0.02, 0.25)),
        quality=int(rng.integers(trouble.quality[0], trouble.quality[1] + 1)),
    )
