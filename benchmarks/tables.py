"""Measures the reading of ruled tables, and the refusal of what is none.

    python -m benchmarks.tables --tables 300 --start 1 --keep FILE      # may be stopped and resumed
    python -m benchmarks.tables --drawn 12                  # of each kind as people draw them
    python -m benchmarks.tables --others 200                # pages of text, crosswords …
    python -m benchmarks.tables --fuzz 100 --keep FILE      # crops, scales, noise: none crashes
    python -m benchmarks.tables --photo FILE.jpg            # one photo, as it is read

The photos are simulated by `benchmarks.photos.tables` and `benchmarks.photos.drawn`.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import cv2
import numpy as np

from benchmarks.photos import simulate as simulate_sheet
from benchmarks.photos.drawn import KINDS, simulate_drawn
from benchmarks.photos.shot import PUBLISHED
from benchmarks.photos.tables import NOT_TABLES, simulate, simulate_other
from benchmarks.photos.writing.hands import FOLDER
from benchmarks.report import machine
from companion.games.score_grid import Values, field_name
from companion.vision.core import PhotoReading
from lab.photos.spoiling import spoiled

Asked = TypeVar("Asked")
Place: TypeAlias = tuple[int, int]

PHOTOS = FOLDER.parent
"""The folder in whose folders real photos may lie."""

SPOILED = 20
"""How many spoiled photos each photo is made into."""
FUZZED = 1_500_000
"""The most pixels of a photo before it is spoiled: a small one fails as well as a large one."""


@dataclass(frozen=True)
class Judged:
    """The reading of one table."""

    seed: int
    what: str  # its pen and its lines
    cells: int
    wrong: tuple[tuple[str, object, object], ...]  # field, what is written there, what was read
    asked: int
    silent: int
    is_found: bool
    size: tuple[int, int] = (0, 0)
    """The rows and columns that were read."""
    notes: tuple[str, ...] = ()
    """The codes of what was said of a table that was read, or of why none was."""


def judge(seed: int) -> Judged:
    """Simulates a table and reads it; one of another size counts as not found."""
    shot = simulate(seed)
    return _judged(seed, f"{shot.pen} on {shot.rules}", shot.jpeg, shot.values)


def judge_drawn(asked: tuple[str, int]) -> Judged:
    """The same for a table of a kind as people draw it."""
    shot = simulate_drawn(*asked)
    return _judged(shot.seed, shot.kind, shot.jpeg, shot.values, shot.dashed)


def _judged(
    seed: int, what: str, jpeg: bytes, written: Values, dashed: frozenset[Place] = frozenset()
) -> Judged:
    from companion.vision.reading import read

    rows, columns = len(written), len(written[0])
    reading = read(jpeg)
    sheets = [sheet for sheet in reading.sheets if sheet.sheet.kind.name == "table"]
    notes = tuple(trouble.code for trouble in reading.troubles)
    values = sheets[0].sheet.document["values"] if sheets else []
    size = (len(values), len(values[0]) if values else 0)
    if size[1] == columns + 1 and all(line[-1] is None for line in values):
        size = (size[0], columns)  # An empty column may or may not be a player.s.
    if len(sheets) != 1 or size != (rows, columns):
        return Judged(seed, what, rows * columns, (), 0, 0, False, size, notes)
    truth = {
        field_name(row, column): (number, None if (row, column) in dashed else number)
        for row, line in enumerate(written)
        for column, number in enumerate(line)
    }
    fields, unsure = sheets[0].fields, {*sheets[0].unsure}
    wrong = tuple(
        (name, numbers[0], fields[name].value)
        for name, numbers in truth.items()
        if fields[name].value not in numbers
    )
    silent = sum(name not in unsure for name, *_ in wrong)
    return Judged(seed, what, len(truth), wrong, len(unsure), silent, True, size, notes)


def is_refused(asked: tuple[str, int]) -> bool:
    """Whether a photo of one of `NOT_TABLES` shows no sheet."""
    from companion.vision.reading import read

    return not read(simulate_other(*asked)).sheets


def crashes(seeds: range) -> list[int]:
    """The seeds of the spoiled photos, all made of one photo, on which the reader failed."""
    from companion.vision.core import Unreadable
    from companion.vision.reading import read

    logging.basicConfig()  # The traceback of a failure
    photo = _small(_any_photo(seeds.start // SPOILED))
    failed = []
    for seed in seeds:
        try:
            is_failed = "crashed" in codes(read(spoiled(photo, seed)))
        except Unreadable:
            is_failed = False
        except Exception:
            logging.exception("spoiled photo %s", seed)
            is_failed = True
        if is_failed:
            failed.append(seed)
    return failed


def _small(jpeg: bytes) -> bytes:
    photo = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    factor = min(1.0, (FUZZED / photo[..., 0].size) ** 0.5)
    small = cv2.resize(photo, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", small)[1])


def _any_photo(seed: int) -> bytes:
    """A table, printed or drawn, what is none, a publisher's sheet, an own pad, or a real photo."""
    real = sorted(PHOTOS.rglob("*.jpg"))
    turn = seed // 6
    photos = {
        0: lambda: simulate(seed).jpeg,
        1: lambda: simulate_drawn([*KINDS][turn % len(KINDS)], seed).jpeg,
        2: lambda: simulate_other([*NOT_TABLES][turn % len(NOT_TABLES)], seed),
        3: lambda: simulate_sheet(seed, sheets=[PUBLISHED[turn % len(PUBLISHED)]]).jpeg,
        4: lambda: simulate_sheet(seed).jpeg,
        5: lambda: real[turn % len(real)].read_bytes() if real else simulate(seed).jpeg,
    }
    return photos[seed % 6]()


def codes(reading: PhotoReading) -> set[str]:
    """Why sheets of a photo were not read."""
    return {trouble.code for trouble in reading.troubles}


def measure(
    of: Callable[[Asked], Judged],
    asked: Sequence[Asked],
    jobs: int = 1,
    keep: Path | None = None,
) -> list[Judged]:
    """The readings of some photos; arguments as for `outcomes`."""
    return [Judged(**each) for each in outcomes(of, asked, jobs, keep)]


def outcomes(
    of: Callable[[Asked], object],
    asked: Sequence[Asked],
    jobs: int = 1,
    keep: Path | None = None,
) -> list[Any]:
    """What a function returns of each thing, as JSON has it, in their order.

    Nothing that is in the file `keep` is done again, and the rest is added to it.

    Args:
        jobs: processes.
    """
    lines = keep.read_text("utf-8").splitlines() if keep and keep.is_file() else []
    known = {line["asked"]: line["judged"] for line in map(json.loads, lines)}
    left = [each for each in asked if repr(each) not in known]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for each, found in zip(left, pool.imap(of, left), strict=True):
            outcome = asdict(found) if is_dataclass(found) else found
            known[repr(each)] = outcome
            print(each, found, flush=True)
            if keep:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"asked": repr(each), "judged": outcome}) + "\n")
    return [known[repr(each)] for each in asked]


def report_kinds(judged: Sequence[Judged]) -> None:
    """Prints a line for each kind, and one for all.

    `noted` are those of the right size with a note beside them, `unsaid` those of another size
    without one.
    """
    kinds = {each.what: [other for other in judged if other.what == each.what] for each in judged}
    print(
        f"{'kind':20} {'found':>9} {'right':>7} {'asked':>6} {'silent':>6} {'noted':>6}"
        f" {'other size':>10} {'unsaid':>6}"
    )
    for what, some in {**kinds, "all": judged}.items():
        found = [each for each in some if each.is_found]
        cells = max(sum(each.cells for each in found), 1)
        right = 1 - sum(len(each.wrong) for each in found) / cells
        asked = sum(each.asked for each in found) / cells
        silent = sum(each.silent for each in found)
        share = f"{len(found)} of {len(some)}"
        noted = sum(bool(each.notes) for each in found)
        others = [each for each in some if not each.is_found and any(each.size)]
        unsaid = sum(not each.notes for each in others)
        print(
            f"{what:20} {share:>9} {right:7.1%} {asked:6.1%} {silent:6} {noted:6}"
            f" {len(others):10} {unsaid:6}"
        )


def report(judged: Sequence[Judged]) -> None:
    """Prints how many were found, and how many of their cells are right, asked and silent."""
    found = [each for each in judged if each.is_found]
    cells = sum(each.cells for each in found)
    wrong, asked = sum(len(each.wrong) for each in found), sum(each.asked for each in found)
    print(f"tables found in their size {len(found)} of {len(judged)}, with {cells} cells")
    print(f"right {1 - wrong / max(cells, 1):.2%}, asked {asked / max(cells, 1):.1%}")
    print(f"silent {sum(each.silent for each in found)}")


def main() -> None:
    """`python -m benchmarks.tables`: a run with options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--tables", type=int, default=0)
    parser.add_argument("--drawn", type=int, default=0, help="drawn tables of each kind")
    parser.add_argument("--others", type=int, default=0)
    parser.add_argument("--fuzz", type=int, default=0, help="photos, each spoiled in many ways")
    parser.add_argument("--start", type=int, default=1, help="the first photo's seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="outcomes, to go on from later")
    parser.add_argument("--photo", type=Path, help="a photo, whose reading is printed")
    asked = parser.parse_args()
    print(machine(), flush=True)
    if asked.photo:
        from companion.vision.core import photo_document
        from companion.vision.reading import read

        print(json.dumps(photo_document(asked.photo.name, read(asked.photo.read_bytes()))))
    if asked.tables:
        seeds = range(asked.start, asked.start + asked.tables)
        report(measure(judge, seeds, asked.jobs, asked.keep))
    if asked.drawn:
        seeds = range(asked.start, asked.start + asked.drawn)
        some = [(kind, seed) for seed in seeds for kind in KINDS]
        report_kinds(measure(judge_drawn, some, asked.jobs, asked.keep))
    if asked.fuzz:
        seeds = range(asked.start, asked.start + asked.fuzz)
        photos = [range(seed * SPOILED, (seed + 1) * SPOILED) for seed in seeds]
        failed = [at for found in outcomes(crashes, photos, asked.jobs, asked.keep) for at in found]
        print(f"{asked.fuzz * SPOILED} spoiled photos, of which the reader failed on {failed}")
    if asked.others:
        names = [*NOT_TABLES]
        kinds = [(names[n % len(names)], asked.start + n) for n in range(asked.others)]
        are_refused = outcomes(is_refused, kinds, asked.jobs, asked.keep)
        passed = Counter(
            kind for (kind, _), none in zip(kinds, are_refused, strict=True) if not none
        )
        print(f"refused {sum(are_refused)} of {len(kinds)}; passed: {dict(passed)}")


if __name__ == "__main__":
    main()
