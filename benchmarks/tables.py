"""Measures the reading of ruled tables, and the refusal of what is none.

    python -m benchmarks.tables --tables 300 --start 1      # tables
    python -m benchmarks.tables --others 200                # pages of text, crosswords …
    python -m benchmarks.tables --photo FILE.jpg            # one photo, as it is read

The photos are simulated by `benchmarks.photos.tables`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.photos.tables import NOT_TABLES, simulate, simulate_other
from benchmarks.report import machine
from companion.games.ruled_table import field_name


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


def main() -> None:
    """`python -m benchmarks.tables`: a run with options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--tables", type=int, default=0)
    parser.add_argument("--others", type=int, default=0)
    parser.add_argument("--start", type=int, default=1, help="the first photo's seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--photo", type=Path, help="a photo, whose reading is printed")
    asked = parser.parse_args()
    print(machine(), flush=True)
    if asked.photo:
        from companion.vision.core import photo_document
        from companion.vision.reading import read

        print(json.dumps(photo_document(asked.photo.name, read(asked.photo.read_bytes()))))
    seeds = range(asked.start, asked.start + asked.tables)
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        judged = []
        for each in pool.imap_unordered(judge, seeds):
            judged.append(each)
            print(each, flush=True)
        kinds = [(NOT_TABLES[n % len(NOT_TABLES)], asked.start + n) for n in range(asked.others)]
        refused = Counter(
            kind
            for (kind, _), is_none in zip(kinds, pool.map(is_refused, kinds), strict=True)
            if is_none
        )
    if judged:
        cells = sum(each.cells for each in judged)
        found = [each for each in judged if each.is_found]
        inside = sum(each.cells for each in found)
        wrong = sum(len(each.wrong) for each in found)
        print(f"tables found {len(found)} of {len(judged)}; cells {cells}, in these {inside}")
        print(f"wrong {wrong}, silent {sum(each.silent for each in found)}")
        print(f"asked {sum(each.asked for each in found)}")
    if kinds:
        print(f"refused {refused.total()} of {len(kinds)}: {dict(refused)}")


if __name__ == "__main__":
    main()
