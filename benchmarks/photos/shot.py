"""Simulates a photo: sheets on a table, a lamp, a phone, and the ground truth of every field."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.faint import Versions, faint_marks
from benchmarks.photos.filling import WrittenPad, written_card, written_pad
from benchmarks.photos.play import InkedSheet, random_sheet
from benchmarks.photos.writing.hands import FOLDER, Hand, hands
from companion.core.edition import OWN
from companion.core.sheet import EMPTY, Mark
from companion.core.values import Document
from companion.games.catalog import SHEETS
from companion.games.editions import editions, find_edition
from lab.camera import obstacles, rendering, scene, sensor
from lab.camera.camera import Camera, Placed
from lab.camera.conditions import CONDITIONS, DIFFICULTIES, Conditions
from lab.camera.conditions import PUBLISHED as PUBLISHED_CONDITIONS
from lab.camera.lights import Light

Picture = npt.NDArray[np.uint8]

KINDS: Final = tuple(SHEETS)  # the sheets that are drawn from when none are asked for: our own pads
PUBLISHED: Final = tuple(f"{edition.sheet.name}@{edition.name}" for edition in editions())
"""The publishers' sheets, as `simulate` takes them."""
COLLECTIONS: Final[Mapping[str, float]] = {"unipen": 0.58, "swiss": 0.27, "mnist": 0.15}
"""Collection → the share of sheets that its writers write. MNIST's scans of 20 pixels look least
like a pen's line, so it has the smallest share."""

COVERED: Final = 4
"""Of its middle and four corners, the points that are out of sight in a field that is covered."""


@dataclass(frozen=True)
class Truth:
    """The ground truth of one pad of the photo."""

    sheet: str
    board: str
    """`""` where the sheet has no boards."""
    document: Document
    """The public sheet document."""
    marks: Mapping[str, Mark]
    """Field id → mark as drawn, for every field; documents lack some of them."""
    total: int
    corners: tuple[tuple[float, float], ...]
    """The printed pad's corners in pixels: top left, top right, bottom right, bottom left."""
    centers: Mapping[str, tuple[float, float]]
    """Field id → the field's centre in pixels, for every field."""
    writer: str
    pen: str
    edition: str
    """As in a reading's `edition`."""
    written: Mapping[str, int]
    """Name of a sum → the number written there, penalties without their sign; right or wrong."""
    hidden: frozenset[str] = frozenset()
    """The fields that the photo does not show, or only a part of."""
    covered: frozenset[str] = frozenset()
    """Those of them on which something lies nearly everywhere."""
    faint: frozenset[str] = frozenset()
    """The fields and written sums whose marks nobody can see."""


@dataclass(frozen=True)
class Shot:
    """A photo and all that there is to read in it."""

    seed: int
    difficulty: str
    photo: Picture  # BGR, upright, before JPEG compression
    jpeg: bytes
    truths: tuple[Truth, ...]


def simulate(
    seed: int,
    difficulty: str = "usual",
    sheets: Sequence[str] | None = None,
    *,
    megapixels: float | None = None,
    obstruction: str = "",
    pen: str = "",
    folder: Path = FOLDER,
) -> Shot:
    """A photo that depends on nothing but these arguments, the catalogue and the fonts installed.

    Args:
        difficulty: one of `DIFFICULTIES`.
        sheets: kinds as `random_sheet` takes them; a random one of `KINDS` if None. `KIND@EDITION`
            is a publisher's sheet.
        megapixels: of the photo. If None, as many as give 7 to 9.5 pixels per millimetre, and a
            wider range for publishers' sheets.
        obstruction: one of `OBSTRUCTIONS` or `THINGS`, or "".
        pen: one of `PENS`, with which publishers' sheets are filled in; a random one if it is "".
        folder: the folder with the handwriting.
    """
    rng = np.random.default_rng([seed, DIFFICULTIES.index(difficulty)])
    careful = difficulty == "easy"
    asked = [*sheets] if sheets else [str(kind) for kind in rng.choice(KINDS, 1)]
    kinds = [kind.partition("@")[0] for kind in asked]
    names = [kind.partition("@")[2] or OWN for kind in asked]
    conditions = CONDITIONS[difficulty] if {*names} == {OWN} else PUBLISHED_CONDITIONS[difficulty]
    contents = [random_sheet(kind, rng) for kind in kinds]
    writers = random_writers(rng, len(kinds), folder)
    writing_rngs = [np.random.default_rng(rng.integers(1 << 62)) for _ in kinds]
    meshes_rng = np.random.default_rng(rng.integers(1 << 62))
    # A paper's size is known only after it is cut, so the pads are drawn first, at a scale that
    # suits the resolution at which the photo will show them.
    scale = 12.0 if megapixels is None or megapixels < 6 or len(kinds) > 1 else 16.0
    prints = [
        _print(filled, name, hand, writing_rng, scale, careful, pen)
        for filled, name, (_, hand), writing_rng in zip(
            contents, names, writers, writing_rngs, strict=True
        )
    ]
    laid = scene.lay_out(prints, conditions, meshes_rng)
    camera = scene.aim_camera(laid, conditions, rng, megapixels)
    if obstruction == obstacles.HALF:
        outline = np.concatenate([scene.outline_of(placed) for placed in laid])
        camera = obstacles.moved_aside(camera, outline, rng)
    light = scene.place_light(laid, conditions, rng)
    under: list[tuple[Placed, WrittenPad]] = []
    if obstruction == obstacles.BENEATH:
        filled = random_sheet(kinds[0], rng)
        other = _print(filled, names[0], writers[0][1], rng, scale, careful)
        under.append((scene.peeking_out(laid[0], other, rng), other))
    on_table = [*under, *zip(laid, prints, strict=True)]
    scenery = _Scenery(
        camera, light, conditions, obstruction, laid, _written_spots(contents[0], prints[0])
    )
    same = copy.deepcopy(rng)
    photo, exposure, covered = scenery.taken(on_table, rng)
    orientation = int(rng.choice([1, 6, 8, 3], p=[0.7, 0.15, 0.1, 0.05]))
    truths = [
        _truth(filled, writer, paper, placed, camera, covered)
        for filled, (writer, _), paper, placed in zip(contents, writers, prints, laid, strict=True)
    ]
    if any(paper.bare is not None for paper in prints):
        versions = scenery.versions(photo, on_table, same)
        truths = [
            replace(truth, faint=_faint(truth, paper, placed, camera, versions))
            for truth, paper, placed in zip(truths, prints, laid, strict=True)
        ]
    coded = sensor.jpeg(photo, exposure.quality, orientation)
    return Shot(seed, difficulty, photo, coded, tuple(truths))


@dataclass(frozen=True)
class _Scenery:
    """All of a photo but what lies on the table."""

    camera: Camera
    light: Light
    conditions: Conditions
    obstruction: str
    laid: Sequence[Placed]
    spots: npt.NDArray[np.float64]
    """Where something may lie on the first sheet; see `obstacles.lay`."""

    def taken(
        self,
        on_table: Sequence[tuple[Placed, WrittenPad]],
        rng: np.random.Generator,
        *,
        is_quiet: bool = False,
    ) -> tuple[Picture, sensor.Exposure, obstacles.Mask]:
        """(the photo, how it was taken, what is in its way).

        Args:
            is_quiet: without the sensor's noise.
        """
        number = int(rng.integers(1 << 20))
        radiance = rendering.render(self.camera, self.light, on_table, number)
        covered = obstacles.lay(
            self.obstruction, radiance, self.camera, self.light, self.laid[0], self.spots, rng
        )
        # A blur has the same size on the paper, however many pixels show it.
        finer = scene.pixels_per_mm(self.camera, self.laid) / 8
        exposure = rendering.expose(radiance, self.light, self.conditions, rng, finer)
        if is_quiet:
            exposure = replace(exposure, electrons=np.inf, read_noise=0.0)
        behind_lens = sensor.blurred(radiance, exposure, rng)
        return sensor.developed(behind_lens, exposure, rng), exposure, covered

    def versions(
        self,
        photo: Picture,
        on_table: Sequence[tuple[Placed, WrittenPad]],
        rng: np.random.Generator,
    ) -> Versions:
        """The photo beside those of the bare sheets.

        Args:
            rng: in the state in which the photo was taken; it is left so.
        """
        bare = [
            (placed, paper if paper.bare is None else replace(paper, picture=paper.bare))
            for placed, paper in on_table
        ]
        inked, noisy, quiet = (
            np.asarray(cv2.cvtColor(version, cv2.COLOR_BGR2GRAY), np.uint8)
            for version in (
                photo,
                self.taken(bare, copy.deepcopy(rng))[0],
                self.taken(bare, copy.deepcopy(rng), is_quiet=True)[0],
            )
        )
        return Versions(inked, noisy, quiet)


def _print(
    filled: InkedSheet,
    edition: str,
    hand: Hand,
    rng: np.random.Generator,
    scale: float,
    careful: bool,
    pen: str = "",
) -> WrittenPad:
    """The sheet as our own pad or in a publisher's edition, filled in."""
    if edition == OWN:
        return written_pad(filled, hand, rng, scale, careful)
    found = find_edition(filled.sheet.name, edition)
    return written_card(filled, found, hand, rng, scale, careful, pen)


def _written_spots(filled: InkedSheet, paper: WrittenPad) -> npt.NDArray[np.float64]:
    """The fields in which something is written, all if there are none, from the paper's middle."""
    fields = paper.paper.fields
    written = [field for field in fields if filled.marks[field.id] != EMPTY[field.kind]]
    centers = np.array([field.box.center for field in written or fields])
    return np.asarray(centers + np.array((paper.pad.x, paper.pad.y)) - np.array(paper.size) / 2)


def random_writers(rng: np.random.Generator, count: int, folder: Path) -> list[tuple[str, Hand]]:
    """(name, hand) of as many different people."""
    known = hands(folder)
    names = sorted(known)
    collections = [name.partition(":")[0] for name in names]
    weights = np.array([COLLECTIONS[name] / collections.count(name) for name in collections])
    chosen = rng.choice(len(names), count, replace=False, p=weights / weights.sum())
    return [(names[index], known[names[index]]) for index in chosen]


def _truth(
    filled: InkedSheet,
    writer: str,
    paper: WrittenPad,
    placed: Placed,
    camera: Camera,
    covered: obstacles.Mask,
) -> Truth:
    box = paper.pad
    corners = np.array(
        [
            (box.x, box.y),
            (box.x + box.width, box.y),
            (box.x + box.width, box.y + box.height),
            (box.x, box.y + box.height),
        ]
    )
    fields = paper.paper.fields
    spread = np.array([(0, 0), (-1, -1), (1, -1), (1, 1), (-1, 1)]) * obstacles.SEEN
    parts = np.array(
        [
            np.array(field.box.center) + spread * (field.box.width, field.box.height)
            for field in fields
        ]
    ) + np.array([box.x, box.y])
    on_pad = placed.seen(corners, camera)
    in_fields = placed.seen(parts.reshape(-1, 2), camera).reshape(parts.shape)
    unseen = obstacles.hidden_mask(in_fields, covered)
    names = np.array([field.id for field in fields])
    return Truth(
        filled.sheet.name,
        filled.board,
        filled.document,
        filled.marks,
        filled.total,
        tuple((float(x), float(y)) for x, y in on_pad),
        {
            field.id: (float(points[0, 0]), float(points[0, 1]))
            for field, points in zip(fields, in_fields, strict=True)
        },
        writer,
        paper.pen,
        paper.edition,
        paper.written,
        frozenset(names[unseen.any(axis=1)].tolist()),
        frozenset(names[unseen.sum(axis=1) >= COVERED].tolist()),
    )


_CORNERS: Final = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.6
"""The corners of the area around a mark, from its box's centre, as shares of its sides."""


def _faint(
    truth: Truth, paper: WrittenPad, placed: Placed, camera: Camera, versions: Versions
) -> frozenset[str]:
    """The fields and written sums of a sheet whose marks nobody can see."""
    if paper.bare is None:
        return frozenset()
    fields = paper.paper.fields
    boxes = {
        field.id: field.box
        for field in fields
        if truth.marks[field.id] != EMPTY[field.kind] and field.id not in truth.hidden
    }
    boxes |= {blank.id: blank.box for blank in paper.paper.blanks if blank.id in truth.written}
    areas = {
        name: placed.seen(
            np.array(box.center)
            + _CORNERS * (box.width, box.height)
            + np.array([paper.pad.x, paper.pad.y]),
            camera,
        )
        for name, box in boxes.items()
    }
    size = np.array(versions.bare.shape[::-1])
    areas = {name: at for name, at in areas.items() if (at >= 0).all() and (at < size).all()}
    return frozenset(faint_marks(versions, areas, scene.pixels_per_mm(camera, [placed])))
