"""Compares what was read in a simulated photo with what is in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np

from benchmarks.photos.shot import Shot, Truth
from companion.core.sheet import Mark
from companion.games.catalog import SHEETS
from companion.vision.core import PhotoReading, SheetReading

NEAR: Final = 0.12
"""How far, as a share of the pad's diagonal, a pad may be from where it really is."""


@dataclass(frozen=True)
class Judged:
    """One field."""

    id: str
    kind: str
    truth: Mark
    value: Mark
    confidence: float
    unsure: bool

    @property
    def right(self) -> bool:
        return self.truth == self.value and type(self.truth) is type(self.value)

    @property
    def silent(self) -> bool:
        """Wrong, and nobody is asked to look."""
        return not self.right and not self.unsure


@dataclass(frozen=True)
class Outcome:
    """One pad of a photo."""

    seed: int
    difficulty: str
    place: int
    """In the photo's truths."""
    kinds: tuple[str, ...]
    """Of the photo, as `simulate` took them."""
    sheet: str
    board: str
    writer: str
    pen: str
    found: bool
    off: float
    """Millimetres by which the corners are wrong, in the mean."""
    fields: tuple[Judged, ...]
    total_is_right: bool
    """Once every unsure field is corrected."""
    total_was_right: bool
    seconds: float
    """For the whole photo."""
    trouble: str = ""
    """What the reader said, or an exception, where the pad was not found."""
    ghosts: int = 0
    """Pads read in the photo that are not there; counted at its first pad."""

    @property
    def all_right(self) -> bool:
        return self.found and all(field.right for field in self.fields)

    @property
    def right_after_looking(self) -> bool:
        return self.found and not any(field.silent for field in self.fields)

    def line(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def outcome(line: str) -> Outcome:
    """Back from `Outcome.line`."""
    raw = json.loads(line)
    fields = tuple(Judged(**field) for field in raw.pop("fields"))
    return Outcome(fields=fields, **raw | {"kinds": tuple(raw["kinds"])})


def judged(
    shot: Shot, kinds: Sequence[str], reading: PhotoReading | None, seconds: float, error: str = ""
) -> list[Outcome]:
    """One outcome for each pad that is in the photo."""
    left = list(reading.sheets) if reading else []
    codes = ", ".join(trouble.code for trouble in reading.troubles) if reading else ""
    made = []
    for place, truth in enumerate(shot.truths):
        match = _match(truth, left)
        if match is not None:
            left.remove(match)
        made.append(_outcome(shot, kinds, place, truth, match, seconds, error or codes))
    if left and made:
        made[0] = replace(made[0], ghosts=len(left))
    return made


def _match(truth: Truth, readings: Sequence[SheetReading]) -> SheetReading | None:
    """The reading of this pad, the right way up."""
    corners = np.array(truth.corners)
    diagonal = float(np.linalg.norm(corners[2] - corners[0]))
    best: tuple[float, SheetReading] | None = None
    for reading in readings:
        if (reading.sheet.kind.name, reading.board) != (truth.sheet, truth.board):
            continue
        off = float(np.linalg.norm(np.array(reading.corners) - corners, axis=1).mean())
        if off < NEAR * diagonal and (best is None or off < best[0]):
            best = off, reading
    return best[1] if best else None


def _outcome(
    shot: Shot,
    kinds: Sequence[str],
    place: int,
    truth: Truth,
    reading: SheetReading | None,
    seconds: float,
    trouble: str,
) -> Outcome:
    sheet = SHEETS[truth.sheet]
    paper = sheet.paper(truth.board)
    fields: list[Judged] = []
    off, is_right, was_right = 0.0, False, False
    if reading is not None:
        unsure = frozenset(reading.unsure)
        for field in paper.fields:
            read = reading.fields.get(field.id)
            fields.append(
                Judged(
                    field.id,
                    field.kind,
                    truth.marks[field.id],
                    read.value if read else "missing",
                    float(read.confidence) if read else 0.0,
                    field.id in unsure,
                )
            )
        corners = np.array(truth.corners)
        pixels = float(np.linalg.norm(corners[1] - corners[0])) / paper.width
        off = float(np.linalg.norm(np.array(reading.corners) - corners, axis=1).mean()) / pixels
        corrected = {field.id: field.truth if field.unsure else field.value for field in fields}
        wanted = _totals(truth.sheet, truth.board, truth.marks)
        is_right = _totals(truth.sheet, truth.board, corrected) == wanted
        as_read = {field.id: field.value for field in fields}
        was_right = _totals(truth.sheet, truth.board, as_read) == wanted
    return Outcome(
        shot.seed,
        shot.difficulty,
        place,
        tuple(kinds),
        truth.sheet,
        truth.board,
        truth.writer,
        truth.pen,
        reading is not None,
        round(off, 3),
        tuple(fields),
        is_right,
        was_right,
        seconds,
        "" if reading is not None else trouble or "not found",
    )


def _totals(name: str, board: str, marks: Mapping[str, Mark]) -> list[int]:
    """What the sheet adds up to: a total, or one for each player."""
    sheet = SHEETS[name]
    known = {field: None if mark == "missing" else mark for field, mark in marks.items()}
    score = sheet.marked(board, known).score
    return [*score.get("totals", {}).values(), score["total"]]
