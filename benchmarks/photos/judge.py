"""Compares the reading of a simulated photo with its ground truth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np

from benchmarks.photos.shot import Shot, Truth
from companion.core.edition import OWN
from companion.core.sheet import EMPTY, Mark, column_of, in_column, of_column
from companion.games.catalog import SHEETS
from companion.games.editions import paper_of
from companion.vision.core import FieldReading, PhotoReading, SheetReading

NEAR: Final = 0.12
"""How far a pad may be read from its true place, as a share of the pad's diagonal."""


@dataclass(frozen=True)
class JudgedField:
    """One field: its ground truth, and what was read."""

    id: str
    kind: str
    truth: Mark
    value: Mark
    confidence: float
    unsure: bool
    hidden: bool = False  # whether the photo does not show all of it
    faint: bool = False  # whether nobody can see the mark
    covered: bool = False  # whether something lies on nearly all of it

    @property
    def right(self) -> bool:
        """Whether the value is right, and of the right type."""
        return self.truth == self.value and type(self.truth) is type(self.value)

    @property
    def silent(self) -> bool:
        """Whether a value that can be seen is wrong without being marked unsure."""
        return not self.right and not self.unsure and not self.faint


@dataclass(frozen=True)
class JudgedSum:
    """One place for a sum that somebody wrote into, or where something was read."""

    id: str
    truth: int | None  # None where nothing is written
    value: int | None  # None where nothing was read
    confidence: float


@dataclass(frozen=True)
class PadOutcome:
    """One pad or publisher's sheet of a photo: its fields, and whether its total is right."""

    seed: int
    difficulty: str
    place: int  # the pad's index in the photo's ground truths
    kinds: tuple[str, ...]  # the photo's sheets, as given to `simulate`
    sheet: str
    board: str
    writer: str
    pen: str
    found: bool
    fields: tuple[JudgedField, ...]
    # Whether the total is right once every unsure field, and every faint mark, is corrected.
    total_is_right: bool
    seconds: float  # the time for the whole photo
    trouble: str = ""  # the reader's codes or an exception, if the pad was not found
    # Pads that were read in the photo but are not there; counted with its first pad.
    ghosts: int = 0
    edition: str = OWN
    obstruction: str = ""  # as given to `simulate`
    mistold: str = ""  # what was read in its place instead, as `SHEET:BOARD@EDITION`
    sums: tuple[JudgedSum, ...] = ()
    is_asked: bool = False  # whether somebody is asked if it is this sheet at all

    @property
    def photo(self) -> tuple[int, str, tuple[str, ...], str]:
        """The photo, as (seed, difficulty, kinds, obstruction)."""
        return self.seed, self.difficulty, self.kinds, self.obstruction

    @property
    def seen(self) -> list[JudgedField]:
        """The fields that the photo shows, with their marks."""
        return [field for field in self.fields if not field.hidden and not field.faint]

    @property
    def all_right(self) -> bool:
        """Whether the pad was found and every field is right."""
        return self.found and all(field.right for field in self.seen)

    @property
    def right_after_checking(self) -> bool:
        """Whether every field is right once a person has corrected the unsure ones."""
        return self.found and not any(field.silent for field in self.fields)

    def line(self) -> str:
        """The outcome as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def parse_outcome(line: str) -> PadOutcome:
    """The outcome that `PadOutcome.line` wrote."""
    raw = json.loads(line)
    fields = tuple(JudgedField(**field) for field in raw.pop("fields"))
    sums = tuple(JudgedSum(**each) for each in raw.pop("sums", ()))
    return PadOutcome(fields=fields, sums=sums, **raw | {"kinds": tuple(raw["kinds"])})


def judge(
    shot: Shot,
    kinds: Sequence[str],
    reading: PhotoReading | None,
    seconds: float,
    error: str = "",
    obstruction: str = "",
) -> list[PadOutcome]:
    """One outcome for each pad of the photo.

    Args:
        kinds: the photo's sheets, as given to `simulate`.
        reading: None after an exception.
        seconds: the time for reading.
        error: the exception.
        obstruction: as given to `simulate`.
    """
    left = list(reading.sheets) if reading else []
    codes = ", ".join(trouble.code for trouble in reading.troubles) if reading else ""
    made = []
    for place, truth in enumerate(shot.truths):
        match = _match(truth, left)
        columns = [] if match is None else [match]
        if match is not None:
            columns = [one for one in left if one.corners == match.corners]
            left = [one for one in left if one not in columns]
            match = _joined(columns, truth)
        outcome = _outcome(shot, kinds, place, truth, match, seconds, error or codes)
        made.append(replace(outcome, obstruction=obstruction))
    for place, truth in enumerate(shot.truths):
        # What is left is no such sheet, or one that is not there at all.
        other = None if made[place].found else _match(truth, left, alike=False)
        if other is not None:
            left.remove(other)
            sheet, board, edition = identity(other)
            made[place] = replace(made[place], mistold=f"{sheet}:{board}@{edition}")
    if left and made:
        made[0] = replace(made[0], ghosts=len(left))
    return made


def _joined(columns: Sequence[SheetReading], truth: Truth) -> SheetReading:
    """The readings of a pad's columns as one; a column without a reading is empty."""
    sheet = SHEETS[truth.sheet]
    empty = {
        field.id: FieldReading(EMPTY[field.kind], 1.0)
        for field in paper_of(sheet, truth.board, truth.edition).fields
    }
    if len(columns) == 1 and not columns[0].column and len(columns[0].fields) == len(empty):
        return columns[0]
    fields, written, unsure = dict(empty), {}, []
    for one in columns:
        fields |= {in_column(name, one.column): read for name, read in one.fields.items()}
        written |= {in_column(name, one.column): read for name, read in one.written.items()}
        unsure += [in_column(name, one.column) for name in one.unsure]
    return replace(columns[0], fields=fields, written=written, unsure=tuple(unsure))


def identity(reading: SheetReading) -> tuple[str, str, str]:
    """Sheet, board and edition of a reading."""
    return reading.sheet.kind.name, reading.board, reading.edition


def _match(
    truth: Truth, readings: Sequence[SheetReading], alike: bool = True
) -> SheetReading | None:
    """The reading of this pad, upright and in its place; None if there is none.

    Args:
        alike: whether it must be the same sheet, board and edition; else only its middle counts.
    """
    corners = np.array(truth.corners)
    diagonal = float(np.linalg.norm(corners[2] - corners[0]))
    best: tuple[float, SheetReading] | None = None
    for reading in readings:
        if alike and identity(reading) != (truth.sheet, truth.board, truth.edition):
            continue
        if not alike:
            apart = np.array(reading.corners).mean(0) - corners.mean(0)
            if float(np.linalg.norm(apart)) < 0.3 * diagonal:
                return reading
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
) -> PadOutcome:
    sheet = SHEETS[truth.sheet]
    paper = paper_of(sheet, truth.board, truth.edition)
    fields: list[JudgedField] = []
    sums: list[JudgedSum] = []
    is_right = False
    if reading is not None:
        unsure = frozenset(reading.unsure)
        for field in paper.fields:
            read = reading.fields.get(field.id)
            fields.append(
                JudgedField(
                    field.id,
                    field.kind,
                    truth.marks[field.id],
                    read.value if read else "missing",
                    float(read.confidence) if read else 0.0,
                    field.id in unsure,
                    field.id in truth.hidden,
                    field.id in truth.faint,
                    field.id in truth.covered,
                )
            )
        sums = _sums(truth, reading)
        corrected = {
            field.id: field.truth if field.unsure or field.faint else field.value
            for field in fields
        }
        wanted = _totals(truth.sheet, truth.board, truth.marks)
        is_right = _totals(truth.sheet, truth.board, corrected) == wanted
    return PadOutcome(
        shot.seed,
        shot.difficulty,
        place,
        tuple(kinds),
        truth.sheet,
        truth.board,
        truth.writer,
        truth.pen,
        reading is not None,
        tuple(fields),
        is_right,
        seconds,
        "" if reading is not None else trouble or "not found",
        edition=truth.edition,
        sums=tuple(sums),
        is_asked=reading is not None and reading.unsure_edition,
    )


def _sums(truth: Truth, reading: SheetReading) -> list[JudgedSum]:
    """All sums that are written or were read; not those that nobody can see."""
    read = reading.written
    found = []
    for name in sorted({*truth.written, *read} - truth.faint):
        value, confidence = (read[name].value, read[name].confidence) if name in read else (None, 1)
        number = value if isinstance(value, int) else None
        found.append(JudgedSum(name, truth.written.get(name), number, float(confidence)))
    return found


def _totals(name: str, board: str, marks: Mapping[str, Mark]) -> list[int]:
    """The sheet's totals: the total, after those of single players if there are any."""
    sheet = SHEETS[name]
    known = {field: None if mark == "missing" else mark for field, mark in marks.items()}
    found = []
    for column in range(1 + max(column_of(field)[0] for field in known)):
        score = sheet.marked(board, of_column(known, column)).score
        found += [*score.get("totals", {}).values(), score["total"]]
    return found
