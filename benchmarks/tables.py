"""Measures the reading of ruled tables, and the refusal of what is none.

    python -m benchmarks.tables --tables 300 --start 1 --keep FILE      # may be stopped and resumed
    python -m benchmarks.tables --others 200                # pages of text, crosswords …
    python -m benchmarks.tables --fuzz 500                  # crops, scales, noise: none crashes
    python -m benchmarks.tables --photo FILE.jpg            # one photo, as it is read

The photos are simulated by `benchmarks.photos.tables`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.photos.tables import NOT_TABLES, simulate, simulate_other
from benchmarks.report import machine
from companion.games.ruled_table import field_name
from companion.vision.core import PhotoReading
from tests.kit.photos.spoiling import spoiled

SPOILED = 20
"""How many spoiled photos each photo is made into."""


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


def judge(seed: int) -> Judged:
    """Simulates a table and reads it; one of another size counts as not found."""
    from companion.vision.reading import read

    shot = simulate(seed)
    rows, columns = len(shot.values), len(shot.values[0])
    what = f"{shot.pen} on {shot.rules}"
    sheets = [sheet for sheet in read(shot.jpeg).sheets if sheet.sheet.kind.name == "table"]
    values = sheets[0].sheet.document["values"] if sheets else []
    if (len(values), len(values[0]) if values else 0) != (rows, columns):
        return Judged(seed, what, rows * columns, (), 0, 0, is_found=False)
    truth = {
        field_name(row, column): number
        for row, line in enumerate(shot.values)
        for column, number in enumerate(line)
    }
    fields, unsure = sheets[0].fields, {*sheets[0].unsure}
    wrong = [(name, truth[name], fields[name].value) for name in truth]
    wrong = [each for each in wrong if each[1] != each[2]]
    silent = sum(name not in unsure for name, *_ in wrong)
    return Judged(seed, what, len(truth), tuple(wrong), len(unsure), silent, is_found=True)


def is_refused(asked: tuple[str, int]) -> bool:
    """Whether a photo of one of `NOT_TABLES` shows no sheet."""
    from companion.vision.reading import read

    return not read(simulate_other(*asked)).sheets


def crashes(seed: int) -> list[int]:
    """The seeds of the spoiled photos on which the reader failed, among those of one photo."""
    from companion.vision.reading import read

    kind = [*NOT_TABLES][seed % len(NOT_TABLES)]
    photo = simulate_other(kind, seed) if seed % 4 == 0 else simulate(seed).jpeg
    seeds = range(seed * SPOILED, (seed + 1) * SPOILED)
    return [at for at in seeds if "crashed" in codes(read(spoiled(photo, at)))]


def codes(reading: PhotoReading) -> set[str]:
    """Why sheets of a photo were not read."""
    return {trouble.code for trouble in reading.troubles}


def measure(seeds: Sequence[int], jobs: int = 1, keep: Path | None = None) -> list[Judged]:
    """The readings of some tables; those in the file `keep` are not read again, and others added.

    Args:
        jobs: processes.
    """
    lines = keep.read_text("utf-8").splitlines() if keep and keep.is_file() else []
    found = [Judged(**json.loads(line)) for line in lines]
    found = [each for each in found if each.seed in seeds]
    left = sorted({*seeds} - {each.seed for each in found})
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for each in pool.imap_unordered(judge, left):
            found.append(each)
            print(each, flush=True)
            if keep:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(each)) + "\n")
    return found


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
        report(measure(seeds, asked.jobs, asked.keep))
    if asked.fuzz:
        with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
            seeds = range(asked.start, asked.start + asked.fuzz)
            crashed = [at for found in pool.imap_unordered(crashes, seeds) for at in found]
        print(f"{asked.fuzz * SPOILED} spoiled photos, of which the reader failed on {crashed}")
    if asked.others:
        names = [*NOT_TABLES]
        kinds = [(names[n % len(names)], asked.start + n) for n in range(asked.others)]
        with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
            are_refused = pool.map(is_refused, kinds)
        passed = Counter(
            kind for (kind, _), none in zip(kinds, are_refused, strict=True) if not none
        )
        print(f"refused {sum(are_refused)} of {len(kinds)}; passed: {dict(passed)}")


if __name__ == "__main__":
    main()
