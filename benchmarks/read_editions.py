"""Measures reading of publishers' sheets and refusal of what only looks like a sheet.

    python -m benchmarks.read_editions --count 600 --lookalikes 2000 --seed 1 --keep DIR

Prints tables, and what was read wrongly with the seed that reproduces it. Started again with the
same arguments, it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks import reading_cost
from benchmarks import reading_figures as figures
from benchmarks.photos import judge, lookalikes
from benchmarks.photos.shot import KINDS, PUBLISHED
from benchmarks.reading import DATA, PhotoTask, in_processes, measure
from benchmarks.report import heading, machine
from companion.games.editions import editions
from tests.kit.camera.obstacles import OBSTRUCTIONS, THINGS

DIFFICULTY_OF: Final = ("usual", "hard", "usual")
"""The difficulties of successive photos, repeated."""
SEVERAL_EVERY: Final = 15
"""Every photo of this number shows several sheets, some of them our own pads; the others one."""
SEVERAL: Final = (2, 3, 6)
"""How many, in turn."""
OBSTRUCTED_FROM: Final = 500_000
COVERED_FROM: Final = 600_000
LOOKALIKES_FROM: Final = 700_000
"""The distance of the seeds of obstructed photos, of those with something on a field, and of
look-alikes from those of whole sheets."""


def kinds_in_turn() -> list[str]:
    """The publishers' sheets; those with several boards before each of the others."""
    boards = [len(edition.papers) for edition in editions()]
    several = [kind for kind, count in zip(PUBLISHED, boards, strict=True) if count > 1]
    single = [kind for kind, count in zip(PUBLISHED, boards, strict=True) if count == 1]
    return [each for kind in single for each in (*several, kind)] or several


def tasks(count: int, seed: int) -> Iterator[PhotoTask]:
    """Photos that together show at least `count` publishers' sheets."""
    kinds = kinds_in_turn()
    made = number = several = 0
    while made < count:
        difficulty = DIFFICULTY_OF[number % len(DIFFICULTY_OF)]
        shown: tuple[str, ...] = (kinds[number % len(kinds)],)
        if number % SEVERAL_EVERY == SEVERAL_EVERY - 1:
            # Publishers' sheets and our own pads in turn.
            both = [
                own if place % 2 else published
                for place, (published, own) in enumerate(
                    zip(
                        (kinds[(number + place) % len(kinds)] for place in range(6)),
                        (KINDS[(number + place) % len(KINDS)] for place in range(6)),
                        strict=True,
                    )
                )
            ]
            shown = tuple(both[: SEVERAL[several % len(SEVERAL)]])
            several += 1
        yield PhotoTask(seed + number, difficulty, shown)
        made += sum("@" in kind for kind in shown)
        number += 1


def obstructed_tasks(count: int, seed: int) -> Iterator[PhotoTask]:
    """Photos of one publisher's sheet each that is not wholly in view."""
    for number in range(count):
        obstruction = OBSTRUCTIONS[number % len(OBSTRUCTIONS)]
        kind = PUBLISHED[number // len(OBSTRUCTIONS) % len(PUBLISHED)]
        yield PhotoTask(seed + OBSTRUCTED_FROM + number, "usual", (kind,), obstruction)


def covered_tasks(count: int, seed: int) -> Iterator[PhotoTask]:
    """Photos of one sheet each, our own pads among them, with something on a field."""
    kinds = (*KINDS, *PUBLISHED)
    for number in range(count):
        kind = kinds[number // len(THINGS) % len(kinds)]
        yield PhotoTask(
            seed + COVERED_FROM + number, "usual", (kind,), THINGS[number % len(THINGS)]
        )


# Look-alikes


@dataclass(frozen=True)
class Refusal:
    """What a reader made of a photo without any sheet."""

    seed: int
    name: str
    """What the photo shows."""
    misread: tuple[str, ...]
    """The sheets that were read in it, as `SHEET:BOARD@EDITION`; none is right."""
    codes: tuple[str, ...]
    seconds: float


def look(seed: int) -> Refusal:
    """Simulates and reads a photo without any sheet."""
    from companion.vision.reading import read

    alike = lookalikes.simulate(seed)
    started = time.perf_counter()
    try:
        reading = read(alike.jpeg)
    except Exception as raised:
        return Refusal(seed, alike.name, (), (f"{type(raised).__name__}: {raised}"[:200],), 0.0)
    spent = time.perf_counter() - started
    misread = []
    for sheet in reading.sheets:
        kind, board, edition = judge.identity(sheet)
        misread.append(f"{kind}:{board}@{edition}")
    codes = tuple(trouble.code for trouble in reading.troubles)
    return Refusal(seed, alike.name, tuple(misread), codes, round(spent, 4))


def look_at(
    seeds: Sequence[int], jobs: int, keep: Path | None, minutes: float | None
) -> list[Refusal]:
    """What was made of every seed; arguments as of `reading.measure`."""
    found: dict[int, Refusal] = {}
    if keep and keep.is_file():
        for text in keep.read_text("utf-8").splitlines():
            raw = json.loads(text)
            raw |= {"misread": tuple(raw["misread"]), "codes": tuple(raw["codes"])}
            found[raw["seed"]] = Refusal(**raw)
    left = [seed for seed in seeds if seed not in found]
    for refusal in in_processes(look, left, jobs, minutes):
        found[refusal.seed] = refusal
        if keep:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(refusal)) + "\n")
    return [found[seed] for seed in seeds if seed in found]


@dataclass(frozen=True)
class Run:
    """What is measured, and where it is kept."""

    count: int
    """Publishers' sheets."""
    obstructed: int
    """Photos of sheets that are not wholly in view."""
    covered: int
    """Photos of sheets with something on a field."""
    lookalikes: int
    """Photos without any sheet."""
    seed: int = 1
    jobs: int = 2
    minutes: float | None = None
    """The longest time for each of the four parts."""
    data: Path | None = None
    """The folder with the handwriting."""
    keep: Path | None = None
    """A folder for outcomes; what it has is not measured again."""
    cost: bool = True
    """Whether times are measured, too."""

    def kept(self, name: str) -> Path | None:
        """The file for the outcomes of a part."""
        return self.keep / f"{name}-{self.seed}.jsonl" if self.keep else None


def run() -> None:
    """`python -m benchmarks editions`: a short run."""
    folder = os.environ.get(DATA)
    _run(Run(24, 8, 10, 40, jobs=os.cpu_count() or 1, data=Path(folder) if folder else None))


def _run(asked: Run) -> None:
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
    heading(
        "editions",
        "simulated photos of publishers' sheets, and of what only looks like them",
        "found and told apart ≥ 99.5 % usual, ≥ 97 % hard; marks ≥ 99.8 %, numbers ≥ 99.5 %;\n"
        "     whole sheets ≥ 90 / 75 %, unsure ≤ 2 / 4 %, silently wrong ≤ 1 in 20,000, no total;\n"
        "     no look-alike of 2,000 misread; 12 MP ≤ 350 ms, refused ≤ 400 ms on one core",
    )
    limits = (asked.jobs, asked.data)
    whole = measure(
        list(tasks(asked.count, asked.seed)), *limits, asked.kept("sheets"), asked.minutes
    )
    obstructed = measure(
        list(obstructed_tasks(asked.obstructed, asked.seed)),
        *limits,
        asked.kept("obstructed"),
        asked.minutes,
    )
    covered = measure(
        list(covered_tasks(asked.covered, asked.seed)),
        *limits,
        asked.kept("covered"),
        asked.minutes,
    )
    seeds = [asked.seed + LOOKALIKES_FROM + number for number in range(asked.lookalikes)]
    refusals = look_at(seeds, asked.jobs, asked.kept("lookalikes"), asked.minutes)
    figures.report_editions(whole, obstructed)
    figures.report_covered(covered)
    figures.report_lookalikes([(each.name, each.misread, each.seconds) for each in refusals])
    for each in refusals:
        if each.misread:
            print(f"  lookalikes.simulate({each.seed}): {each.name} as {', '.join(each.misread)}")
    if asked.cost:
        print()
        reading_cost.editions_speed(asked.data)


def main() -> None:
    """`python -m benchmarks.read_editions`: a run with options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.read_editions", description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="publishers' sheets")
    parser.add_argument("--obstructed", type=int, help="photos; a tenth of the sheets if left out")
    parser.add_argument("--covered", type=int, default=20, help="photos with something on a field")
    parser.add_argument("--lookalikes", type=int, default=100, help="photos without any sheet")
    parser.add_argument("--seed", type=int, default=1, help="the first photo's seed")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--minutes", type=float, help="for each of the four parts at most")
    parser.add_argument("--data", type=Path, help="the folder with the handwriting")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="outcomes, to go on from later")
    parser.add_argument("--no-cost", action="store_true", help="no times")
    asked = parser.parse_args()
    print(machine(), flush=True)
    _run(
        Run(
            asked.count,
            asked.count // 10 if asked.obstructed is None else asked.obstructed,
            asked.covered,
            asked.lookalikes,
            asked.seed,
            asked.jobs,
            asked.minutes,
            asked.data,
            asked.keep,
            not asked.no_cost,
        )
    )


if __name__ == "__main__":
    main()
