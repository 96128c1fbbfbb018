"""Measures reading: how often fields are right, and what a photo costs.

    python -m benchmarks reading                                          # a short run
    python -m benchmarks.reading --sheets 1000 --start 270000             # our own pads
    python -m benchmarks.reading --published --sheets 600 --start 270000  # publishers' sheets

The photos are simulated by `benchmarks.photos`, in handwriting that no network was trained on.
Every failure is printed with the arguments of `simulate` that reproduce it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks import reading_cost
from benchmarks import reading_figures as figures
from benchmarks.photos import judge
from benchmarks.photos.judge import PadOutcome
from benchmarks.photos.shot import KINDS, PUBLISHED, simulate
from benchmarks.photos.writing.hands import FOLDER
from benchmarks.photos.writing.pens import PENS
from benchmarks.report import heading, machine
from companion.games.editions import editions
from lab.camera.obstacles import OBSTRUCTIONS, THINGS

SHEETS_ALONE: Final = 60
"""The number of our own pads of a run without arguments; of publishers' sheets, less than half."""
DIFFICULTY_OF: Final = ("usual", "easy", "usual", "hard")
"""The difficulties of successive photos of our own pads, repeated."""
SEVERAL_EVERY: Final = 12  # every photo of this number shows three pads, the others one
PUBLISHED_DIFFICULTY_OF: Final = ("usual", "hard", "usual")
PUBLISHED_SEVERAL_EVERY: Final = 15
PUBLISHED_SEVERAL: Final = (2, 3, 6)
"""How many sheets such a photo shows in turn, half of them our own pads."""
OBSTRUCTED_FROM: Final = 500_000
COVERED_FROM: Final = 600_000
PENNED_FROM: Final = 700_000
"""The seeds of obstructed photos, of those with something on a field, and of pens that hardly
differ from the print, from those of others."""


@dataclass(frozen=True)
class PhotoTask:
    """A photo to be simulated and read."""

    seed: int
    difficulty: str
    kinds: tuple[str, ...]
    obstruction: str = ""
    pen: str = ""

    @property
    def photo(self) -> tuple[int, str, tuple[str, ...], str]:
        """All of it, as in `PadOutcome.photo`."""
        return self.seed, self.difficulty, self.kinds, self.obstruction


def tasks(sheets: int, start: int) -> Iterator[PhotoTask]:
    """Photos that together show at least `sheets` of our own pads; `start` is the first's seed."""
    made = number = 0
    while made < sheets:
        shown: tuple[str, ...] = (KINDS[number // len(DIFFICULTY_OF) % len(KINDS)],)
        if number % SEVERAL_EVERY == SEVERAL_EVERY - 1:
            shown = tuple(KINDS[(number + place) % len(KINDS)] for place in range(3))
        yield PhotoTask(start + number, DIFFICULTY_OF[number % len(DIFFICULTY_OF)], shown)
        made += len(shown)
        number += 1


def published_tasks(sheets: int, start: int) -> Iterator[PhotoTask]:
    """Photos that together show at least `sheets` publishers' sheets."""
    kinds = _published_in_turn()
    made = number = several = 0
    while made < sheets:
        shown: tuple[str, ...] = (kinds[number % len(kinds)],)
        if number % PUBLISHED_SEVERAL_EVERY == PUBLISHED_SEVERAL_EVERY - 1:
            # Publishers' sheets and our own pads in turn.
            count = PUBLISHED_SEVERAL[several % len(PUBLISHED_SEVERAL)]
            turns = ((KINDS if place % 2 else kinds, number + place) for place in range(count))
            shown = tuple(of[at % len(of)] for of, at in turns)
            several += 1
        difficulty = PUBLISHED_DIFFICULTY_OF[number % len(PUBLISHED_DIFFICULTY_OF)]
        yield PhotoTask(start + number, difficulty, shown)
        made += sum("@" in kind for kind in shown)
        number += 1


def _published_in_turn() -> list[str]:
    """The publishers' sheets; those with several boards before each of the others."""
    boards = [len(edition.papers) for edition in editions()]
    several = [kind for kind, count in zip(PUBLISHED, boards, strict=True) if count > 1]
    single = [kind for kind, count in zip(PUBLISHED, boards, strict=True) if count == 1]
    return [each for kind in single for each in (*several, kind)] or several


def obstructed_tasks(count: int, start: int) -> Iterator[PhotoTask]:
    """Photos of one publisher's sheet each that is not wholly in view."""
    return _in_the_way(count, start + OBSTRUCTED_FROM, OBSTRUCTIONS, PUBLISHED)


def covered_tasks(count: int, start: int) -> Iterator[PhotoTask]:
    """Photos of one sheet each, our own pads among them, with something on a field."""
    return _in_the_way(count, start + COVERED_FROM, THINGS, (*KINDS, *PUBLISHED))


def penned_tasks(count: int, start: int) -> Iterator[PhotoTask]:
    """Photos of sheets in many colours, in turn in each of `PENS`; pencil in dim light."""
    kind = _published_in_turn()[0]  # with several boards
    for number in range(count):
        pen = [*PENS][number % len(PENS)]
        light = "dim" if PENS[pen].kind == "pencil" else "usual"
        yield PhotoTask(start + PENNED_FROM + number, light, (kind,), pen=pen)


def _in_the_way(
    count: int, start: int, things: Sequence[str], kinds: Sequence[str]
) -> Iterator[PhotoTask]:
    for number in range(count):
        kind, thing = kinds[number // len(things) % len(kinds)], things[number % len(things)]
        yield PhotoTask(start + number, "usual", (kind,), thing)


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
        pen=task.pen,
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


def measure(
    wanted: Sequence[PhotoTask], jobs: int = 2, folder: Path = FOLDER, keep: Path | None = None
) -> list[PadOutcome]:
    """The outcomes of all tasks.

    Args:
        jobs: the number of processes.
        folder: of the handwriting.
        keep: a file to which outcomes are appended; photos that it has are not read again.
    """
    found: list[PadOutcome] = []
    if keep and keep.is_file():
        asked = {task.photo for task in wanted}
        kept = map(judge.parse_outcome, keep.read_text("utf-8").splitlines())
        found = [outcome for outcome in kept if outcome.photo in asked]
    known = {outcome.photo for outcome in found}
    left = [task for task in wanted if task.photo not in known]
    do = partial(measure_photo, folder=folder)
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, max(len(left), 1)), _prepare) as pool:
        for number, outcomes in enumerate(pool.imap_unordered(do, left), start=1):
            found += outcomes
            if keep:
                with keep.open("a", encoding="utf-8") as file:
                    file.writelines(f"{outcome.line()}\n" for outcome in outcomes)
            if number % 50 == 0:
                print(f"  … {number} of {len(left)} photos", file=sys.stderr)
    return sorted(found, key=lambda outcome: (outcome.obstruction, outcome.seed, outcome.place))


# The commands


def run() -> None:
    """`python -m benchmarks reading`: a short run of all of it."""
    _report("our own pads", OWN_AIM, measure([*tasks(SHEETS_ALONE, 1)]))
    published = [*published_tasks(SHEETS_ALONE // 2, 1), *obstructed_tasks(8, 1)]
    published += covered_tasks(10, 1)
    _report("publishers' sheets", PUBLISHED_AIM, measure(published))
    reading_cost.report(FOLDER)


OWN_AIM: Final = (
    "found ≥ 99.5 %, numbers ≥ 99.5 %, marks ≥ 99.9 %, whole sheets ≥ 99 %, unsure ≤ 0.7 %,\n"
    "     silently wrong ≤ 1 in 20,000 fields, no total in 1,000 sheets"
)
PUBLISHED_AIM: Final = (
    "found and told apart ≥ 99.5 % usual, ≥ 97 % hard; marks ≥ 99.8 %, numbers ≥ 99.5 %;\n"
    "     whole sheets ≥ 90 / 75 %, unsure ≤ 2 / 4 %, silently wrong ≤ 1 in 20,000, no total"
)


def _report(what: str, aim: str, outcomes: Sequence[PadOutcome]) -> None:
    heading("reading", f"simulated photos of {what}, in handwriting that no network has seen", aim)
    figures.report(outcomes)


def main() -> None:
    """`python -m benchmarks.reading`: a run with options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--published", action="store_true", help="publishers' sheets")
    parser.add_argument("--sheets", type=int, default=SHEETS_ALONE)
    parser.add_argument("--obstructed", type=int, default=0, help="photos of covered ones besides")
    parser.add_argument("--covered", type=int, default=0, help="photos with a thing on a field")
    parser.add_argument("--penned", type=int, default=0, help="photos with pens like the print")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--start", type=int, default=1, help="the first photo's seed")
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of the handwriting")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="outcomes, to go on from later")
    parser.add_argument("--cost", action="store_true", help="times and memory instead")
    asked = parser.parse_args()
    print(machine(), flush=True)
    if asked.cost:
        reading_cost.report(asked.data)
        return
    own_or_published = published_tasks if asked.published else tasks
    wanted = [*own_or_published(asked.sheets, asked.start)]
    wanted += obstructed_tasks(asked.obstructed, asked.start)
    wanted += covered_tasks(asked.covered, asked.start)
    wanted += penned_tasks(asked.penned, asked.start)
    what = ("publishers' sheets", PUBLISHED_AIM) if asked.published else ("our own pads", OWN_AIM)
    _report(*what, measure(wanted, asked.jobs, asked.data, asked.keep))


if __name__ == "__main__":
    main()
