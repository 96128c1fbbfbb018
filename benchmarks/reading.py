"""Measures reading: how often fields are right, how well calibrated the reader is, and its cost.

    python -m benchmarks reading                             # a short run
    python -m benchmarks.reading --sheets 1000 --jobs 2      # a long one

The photos are simulated by `benchmarks.photos`, in handwriting that no network was trained on.
Every failure is printed with the arguments of `simulate` that reproduce it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from benchmarks import reading_cost
from benchmarks import reading_figures as figures
from benchmarks.photos import judge
from benchmarks.photos.judge import PadOutcome
from benchmarks.photos.shot import KINDS, simulate
from benchmarks.photos.writing.hands import FOLDER
from benchmarks.report import heading, machine
from tests.kit.camera.conditions import DIFFICULTIES

Task = TypeVar("Task")
Result = TypeVar("Result")
SHEETS_ALONE: Final = 60
"""The number of sheets of a run without arguments."""
DATA: Final = "READING_DATA"
"""The environment variable with the folder of the handwriting."""
DIFFICULTY_OF: Final = ("usual", "easy", "usual", "hard")
"""The difficulties of successive photos, repeated."""
SEVERAL_EVERY: Final = 12
"""Every photo of this number shows three sheets, the others one."""


@dataclass(frozen=True)
class PhotoTask:
    """A photo to be simulated and read."""

    seed: int
    difficulty: str
    kinds: tuple[str, ...]
    obstruction: str = ""

    @property
    def photo(self) -> tuple[int, str, tuple[str, ...], str]:
        """All of it, as in `PadOutcome.photo`."""
        return self.seed, self.difficulty, self.kinds, self.obstruction


def tasks(
    sheets: int, start: int, only: Sequence[str], kinds: Sequence[str]
) -> Iterator[PhotoTask]:
    """Photos that together show at least `sheets` sheets.

    Args:
        start: the first photo's seed.
        only: the difficulties, in turn.
        kinds: the sheets, in turn.
    """
    made = number = 0
    while made < sheets:
        seed = start + number
        difficulty = only[number % len(only)]
        kind = kinds[number // len(only) % len(kinds)]
        shown: tuple[str, ...] = (kind,)
        if number % SEVERAL_EVERY == SEVERAL_EVERY - 1:
            shown = tuple(kinds[(number + place) % len(kinds)] for place in range(3))
        yield PhotoTask(seed, difficulty, shown)
        made += len(shown)
        number += 1


# Reading photos, in several processes


def _prepare() -> None:
    """Initializes a worker process."""
    import cv2

    cv2.setNumThreads(1)


def measure_photo(task: PhotoTask, folder: Path = FOLDER) -> list[PadOutcome]:
    """Simulates, reads and judges a photo; after an exception no pad counts as found."""
    from companion.vision.reading import read

    shot = simulate(
        task.seed,
        task.difficulty,
        task.kinds,
        obstruction=task.obstruction,
        folder=folder,
    )
    started = time.perf_counter()
    error, reading = "", None
    try:
        reading = read(shot.jpeg)
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"[:200]
    spent = time.perf_counter() - started
    return judge.judge(shot, task.kinds, reading, spent, error, task.obstruction)


def in_processes(
    do: Callable[[Task], Result],
    left: Sequence[Task],
    jobs: int,
    minutes: float | None = None,
) -> Iterator[Result]:
    """What `do` makes of each task, as soon as it is there.

    Args:
        jobs: the number of processes.
        minutes: after which no more results are waited for.
    """
    context = multiprocessing.get_context("spawn")
    started = time.perf_counter()
    with context.Pool(min(jobs, max(len(left), 1)), _prepare) as pool:
        for number, result in enumerate(pool.imap_unordered(do, left), start=1):
            yield result
            spent = time.perf_counter() - started
            if number % 50 == 0:
                print(f"  … {number} of {len(left)} photos, {spent:.0f} s", file=sys.stderr)
            if minutes is not None and spent > minutes * 60:
                print(f"  … stopped after {number} of {len(left)} photos", file=sys.stderr)
                return


def measure(
    wanted: Sequence[PhotoTask],
    jobs: int,
    folder: Path | None,
    keep: Path | None,
    minutes: float | None = None,
) -> list[PadOutcome]:
    """The outcomes of all tasks.

    Args:
        keep: a file to which outcomes are appended; photos that it has are not read again.
        folder: of the handwriting.
        jobs, minutes: as of `in_processes`.
    """
    found: list[PadOutcome] = []
    if keep and keep.is_file():
        found = [judge.parse_outcome(text) for text in keep.read_text("utf-8").splitlines()]
    known = {outcome.photo for outcome in found}
    asked = {task.photo for task in wanted}
    found = [outcome for outcome in found if outcome.photo in asked]
    left = [task for task in wanted if task.photo not in known]
    do = partial(measure_photo, folder=folder or FOLDER)
    for outcomes in in_processes(do, left, jobs, minutes):
        found += outcomes
        if keep:
            with keep.open("a", encoding="utf-8") as file:
                file.writelines(f"{outcome.line()}\n" for outcome in outcomes)
    return sorted(found, key=lambda outcome: (outcome.seed, outcome.place))


# The commands


def run() -> None:
    """`python -m benchmarks reading`: a short run."""
    folder = os.environ.get(DATA)
    _run(
        list(tasks(SHEETS_ALONE, 1, DIFFICULTY_OF, KINDS)),
        os.cpu_count() or 1,
        Path(folder) if folder else None,
    )


def _run(
    wanted: Sequence[PhotoTask],
    jobs: int,
    folder: Path | None,
    keep: Path | None = None,
    accuracy: bool = True,
    cost: bool = True,
) -> None:
    heading(
        "reading",
        "simulated photos of filled-in sheets, handwriting that no network has seen",
        "found ≥ 99.5 %, numbers ≥ 99.5 %, marks ≥ 99.9 %, whole sheets ≥ 99 %, unsure ≤ 0.7 %,\n"
        "     silently wrong ≤ 1 in 20,000 fields, no total in 1,000 sheets;\n"
        "     12 MP ≤ 110 ms on one core, six sheets ≤ 3.5 ×, 48 MP ≤ 300 MB",
    )
    if accuracy:
        outcomes = measure(wanted, jobs, folder, keep)
        figures.report(outcomes)
    if cost:
        print()
        reading_cost.speed(folder)
        reading_cost.memory(folder)


def main() -> None:
    """`python -m benchmarks.reading`: a run with options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--sheets", type=int, default=SHEETS_ALONE)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--start", type=int, default=1, help="the first photo's seed")
    parser.add_argument("--data", type=Path, help="the folder with the handwriting")
    parser.add_argument("--difficulty", choices=DIFFICULTIES, action="append")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="outcomes, to continue from later"
    )
    parser.add_argument("--no-cost", action="store_true", help="neither times nor memory")
    parser.add_argument("--only-cost", action="store_true", help="times and memory alone")
    asked = parser.parse_args()
    print(machine(), flush=True)
    _run(
        list(
            tasks(asked.sheets, asked.start, asked.difficulty or DIFFICULTY_OF, asked.kind or KINDS)
        ),
        asked.jobs,
        asked.data,
        asked.keep,
        accuracy=not asked.only_cost,
        cost=not asked.no_cost,
    )


if __name__ == "__main__":
    main()
