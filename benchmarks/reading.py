"""Reading photographed sheets: how often fields are right, how sure the reader is, and how fast.

    python -m benchmarks reading                             # a short run
    python -m benchmarks.reading --sheets 1000 --jobs 2      # a long one

The photos are made up by `benchmarks.photos`, with handwriting of people whom the networks have
never seen. Every failure is named by what `simulate` makes it anew from.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import reading_cost
from benchmarks.photos import charts, judge, wrong
from benchmarks.photos.conditions import DIFFICULTIES
from benchmarks.photos.hands import FOLDER
from benchmarks.photos.judge import Judged, Outcome
from benchmarks.photos.shot import KINDS, simulate
from benchmarks.report import heading, line, machine, median, quantile

PICTURES: Final = Path(__file__).parent / "pictures"
SHEETS_ALONE: Final = 60
"""Sheets of a run without arguments."""
DATA: Final = "READING_DATA"
"""The environment's name for the folder with the handwriting."""
DIFFICULTY_OF: Final = ("usual", "easy", "usual", "hard")
"""Photo by photo, over and over."""
SEVERAL_EVERY: Final = 12
"""So many photos of one sheet, and then one of three."""


@dataclass(frozen=True)
class Task:
    """One photo to be taken and read."""

    seed: int
    difficulty: str
    kinds: tuple[str, ...]


def tasks(sheets: int, start: int, only: Sequence[str], kinds: Sequence[str]) -> Iterator[Task]:
    """Photos with `sheets` sheets in all; the same for the same start."""
    made = number = 0
    while made < sheets:
        seed = start + number
        difficulty = only[number % len(only)]
        kind = kinds[number // len(only) % len(kinds)]
        shown: tuple[str, ...] = (kind,)
        if number % SEVERAL_EVERY == SEVERAL_EVERY - 1:
            shown = tuple(kinds[(number + place) % len(kinds)] for place in range(3))
        yield Task(seed, difficulty, shown)
        made += len(shown)
        number += 1


# One photo, in a process of its own


_folder: Path | None = None
_save: Path | None = None


def _prepare(folder: Path | None, save: Path | None) -> None:
    global _folder, _save
    import cv2

    cv2.setNumThreads(1)
    _folder, _save = folder, save


def one_photo(task: Task) -> list[Outcome]:
    """Takes, reads and judges a photo; an exception counts as pads that were not found."""
    from companion.vision import reader

    shot = simulate(task.seed, task.difficulty, task.kinds, folder=_folder or FOLDER)
    started = time.perf_counter()
    error, reading = "", None
    try:
        reading = reader.read(shot.jpeg)
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"[:200]
    outcomes = judge.judged(shot, task.kinds, reading, time.perf_counter() - started, error)
    if _save:
        wrong.save(shot, outcomes, _save)
    return outcomes


def measure(
    wanted: Sequence[Task],
    jobs: int,
    folder: Path | None,
    save: Path | None,
    keep: Path | None,
) -> list[Outcome]:
    """All the outcomes; those that `keep` has from a run before are not made again."""
    found: list[Outcome] = []
    if keep and keep.is_file():
        found = [judge.outcome(text) for text in keep.read_text("utf-8").splitlines()]
    known = {(one.seed, one.difficulty, one.kinds) for one in found}
    asked = {(task.seed, task.difficulty, task.kinds) for task in wanted}
    found = [one for one in found if (one.seed, one.difficulty, one.kinds) in asked]
    left = [task for task in wanted if (task.seed, task.difficulty, task.kinds) not in known]
    context = multiprocessing.get_context("spawn")
    started = time.perf_counter()
    with context.Pool(min(jobs, max(len(left), 1)), _prepare, (folder, save)) as pool:
        for number, outcomes in enumerate(pool.imap_unordered(one_photo, left), start=1):
            found += outcomes
            if keep:
                with keep.open("a", encoding="utf-8") as file:
                    file.writelines(f"{one.line()}\n" for one in outcomes)
            if number % 50 == 0:
                spent = time.perf_counter() - started
                print(f"  … {number} of {len(left)} photos, {spent:.0f} s", file=sys.stderr)
    return sorted(found, key=lambda one: (one.seed, one.place))


# What came out


def _share(good: int, count: int) -> str:
    return f"{good / count * 100:7.2f} % ({count - good} of {count:,} not)" if count else "      –"


def _kinds(outcomes: Iterable[Outcome], *kinds: str) -> list[Judged]:
    return [field for one in outcomes for field in one.fields if field.kind in kinds]


def _written(fields: Iterable[Judged]) -> list[Judged]:
    """Those with something in them, or read as if."""
    return [field for field in fields if field.truth is not None or field.value is not None]


def _right(fields: Sequence[Judged]) -> str:
    return _share(sum(field.right for field in fields), len(fields))


def report(outcomes: Sequence[Outcome], title: str) -> None:
    """The figures of some sheets."""
    found = [one for one in outcomes if one.found]
    fields = [field for one in found for field in one.fields]
    print(f"\n{title}: {len(outcomes)} sheets, {len(fields):,} fields read")
    line("pads found", _share(len(found), len(outcomes)))
    if ghosts := sum(one.ghosts for one in outcomes):
        line("pads that are not there", ghosts)
    if not found:
        return
    numbers, digits = _kinds(found, "number"), _kinds(found, "digits")
    marks = _kinds(found, "cross", "value")
    if numbers:
        line("numbers written in number fields", _right(_written(numbers)))
    if digits:
        line("numbers written in digit boxes", _right(_written(digits)))
    if numbers or digits:
        empty = [one for one in numbers + digits if one.truth is None]
        line("number fields left empty", _right(empty))
    if marks:
        line("marks", _right(marks))
    line("sheets with every field right", _share(sum(one.all_right for one in found), len(found)))
    line(
        "the same after the unsure ones are corrected",
        _share(sum(one.right_after_looking for one in found), len(found)),
    )
    unsure = sum(field.unsure for field in fields)
    needless = sum(field.unsure and field.right for field in fields)
    line(
        "fields marked unsure",
        f"{unsure / len(fields) * 100:7.2f} % ({unsure}, {needless} of them right)",
    )
    silent = sum(field.silent for field in fields)
    often = f"1 in {len(fields) / silent:,.0f}" if silent else f"none in {len(fields):,}"
    line("wrong and not marked unsure", f"{silent:7d}   {often}")
    off = sum(not one.total_is_right for one in found)
    line("totals silently wrong", f"{off:7d}   of {len(found):,} sheets")
    corners = [one.off for one in found]
    line("corners off, median / p99", f"{median(corners):7.2f} / {quantile(corners, 0.99):.2f} mm")


def _by(outcomes: Sequence[Outcome], name: str, key: Callable[[Outcome], str]) -> None:
    """Numbers and marks that are wrong, by some property of the sheets."""
    print(f"\n  by {name:<24} sheets   numbers wrong            marks wrong            unsure")
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        if one.found:
            groups[key(one)].append(one)
    for group, some in sorted(groups.items()):
        numbers = _written(_kinds(some, "number", "digits"))
        marks = _kinds(some, "cross", "value")
        fields = [field for one in some for field in one.fields]
        unsure = sum(field.unsure for field in fields) / max(len(fields), 1)
        print(f"  {group:<27} {len(some):>6}   {_bad(numbers):<24} {_bad(marks):<22} {unsure:6.2%}")


def _bad(fields: Sequence[Judged]) -> str:
    bad = sum(not field.right for field in fields)
    return f"{bad} of {len(fields):,} ({bad / len(fields):.2%})" if fields else "–"


def confusions(outcomes: Sequence[Outcome]) -> dict[str, Counter[tuple[object, object]]]:
    """Table → (what is written, what was read) → how often."""
    found: dict[str, Counter[tuple[object, object]]] = defaultdict(Counter)
    for one in outcomes:
        for field in one.fields:
            if field.kind == "digits":
                found["digits"].update(_by_digit(field))
            else:
                found[field.kind][field.truth, field.value] += 1
    return found


def _by_digit(field: Judged) -> Iterator[tuple[object, object]]:
    """What is in each of the printed boxes, from the left."""
    texts = ["" if value is None else str(value) for value in (field.truth, field.value)]
    yield from zip(
        *([int(char) if char.isdigit() else None for char in text[-3:].rjust(3)] for text in texts),
        strict=True,
    )


def pictures(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Writes the two charts."""
    folder.mkdir(exist_ok=True)
    fields = [field for one in outcomes for field in one.fields]
    groups = {
        "numbers in circles": [f for f in fields if f.kind == "number"],
        "numbers in boxes": [f for f in fields if f.kind == "digits"],
        "crosses": [f for f in fields if f.kind == "cross"],
        "values": [f for f in fields if f.kind == "value"],
    }
    pairs = {
        name: [(field.confidence, field.right) for field in some]
        for name, some in groups.items()
        if some
    }
    note = f"{len(fields):,} fields of {len(outcomes):,} simulated sheets"
    (folder / "reading-reliability.svg").write_text(charts.reliability(pairs, note), "utf-8")
    counts = confusions(outcomes)
    highest = max((value for pair in counts["number"] for value in pair if value), default=1)
    columns: list[list[charts.Confusions]] = [
        [("Numbers in circles", [None, *range(1, highest + 1)], counts["number"])],
        [("Digits in boxes", [None, *range(10)], counts["digits"])],
        [
            ("Crosses", [False, True], counts["cross"]),
            ("Values", ["open", "circled", "crossed"], counts["value"]),
        ],
    ]
    (folder / "reading-confusion.svg").write_text(charts.confusion(columns), "utf-8")


def calibration(outcomes: Sequence[Outcome]) -> None:
    """How far the confidences can be trusted."""
    fields = [field for one in outcomes for field in one.fields]
    pairs = [(field.confidence, field.right) for field in fields]
    line("expected calibration error", f"{charts.expected_calibration_error(pairs):9.5f}")
    print("\n  said to be wrong    fields     wrong (95 %)")
    for doubt, count, errors in charts.bins(pairs, charts.DOUBTS):
        low, high = charts.wilson(errors, count)
        print(
            f"  {doubt:>14.5%} {count:>10,} {errors:>6} = {errors / count:.4%}"
            f" ({low:.4%} to {high:.4%})"
        )


def confused(outcomes: Sequence[Outcome]) -> None:
    """The confusions, the commonest first."""
    for kind, counts in confusions(outcomes).items():
        off = [(pair, count) for pair, count in counts.most_common() if pair[0] != pair[1]]
        said = ", ".join(f"{a} → {b}: {count}" for (a, b), count in off[:12])
        line(f"confused: {kind}", said or "nothing")


def failures(outcomes: Sequence[Outcome], most: int = 40) -> None:
    """How to make the worst photos again."""
    print("\n  simulate(seed, difficulty, kinds) [pad]: what")
    shown = 0
    for one in outcomes:
        silent = [field for field in one.fields if field.silent]
        if one.found and not silent and one.total_is_right:
            continue
        what = one.trouble or "; ".join(
            f"{field.id} {field.truth} → {field.value} ({field.confidence:.4f})"
            for field in silent[:6]
        )
        total = "" if one.total_is_right or not one.found else "  TOTAL WRONG"
        print(f"  {one.seed}, {one.difficulty!r}, {list(one.kinds)} [{one.place}]: {what}{total}")
        shown += 1
        if shown == most:
            print("  …")
            break
    if not shown:
        print("  none")


# The commands


def run() -> None:
    """`python -m benchmarks reading`: a short run."""
    folder = os.environ.get(DATA)
    _everything(
        list(tasks(SHEETS_ALONE, 1, DIFFICULTY_OF, KINDS)),
        os.cpu_count() or 1,
        Path(folder) if folder else None,
    )


def _everything(
    wanted: Sequence[Task],
    jobs: int,
    folder: Path | None,
    save: Path | None = None,
    keep: Path | None = None,
    accuracy: bool = True,
    cost: bool = True,
) -> None:
    heading(
        "reading",
        "simulated photos of filled-in sheets, handwriting that no network has seen",
        "found ≥ 99.5 %, numbers ≥ 99.5 %, marks ≥ 99.9 %, whole sheets ≥ 95 %, unsure ≤ 1 %,\n"
        "     silently wrong ≤ 1 in 20,000 fields, no total in 1,000 sheets;\n"
        "     12 MP ≤ 350 ms on one core, six sheets ≤ 3 ×, 48 MP ≤ 300 MB",
    )
    if accuracy:
        outcomes = measure(wanted, jobs, folder, save, keep)
        report(outcomes, "all")
        for difficulty in DIFFICULTIES:
            if some := [one for one in outcomes if one.difficulty == difficulty]:
                report(some, difficulty)
        for kind in KINDS:
            if some := [one for one in outcomes if one.sheet == kind]:
                report(some, kind)
        _by(outcomes, "collection of handwriting", lambda one: one.writer.partition(":")[0])
        _by(outcomes, "pen", lambda one: one.pen)
        print()
        calibration(outcomes)
        print()
        confused(outcomes)
        failures(outcomes)
        pictures(outcomes, save or PICTURES)
        if save:
            for kind in ("silent", "wrong", "right"):
                wrong.contact_sheet(save, kind)
    if cost:
        print()
        reading_cost.speed(folder)
        reading_cost.memory(folder)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--sheets", type=int, default=SHEETS_ALONE)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--start", type=int, default=1, help="the first photo's seed")
    parser.add_argument("--data", type=Path, help="the folder with the handwriting")
    parser.add_argument("--difficulty", choices=DIFFICULTIES, action="append")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument(
        "--save-wrong", type=Path, metavar="DIR", help="pictures of doubtful fields"
    )
    parser.add_argument("--keep", type=Path, metavar="FILE", help="outcomes, to go on from later")
    parser.add_argument("--no-cost", action="store_true", help="neither times nor memory")
    parser.add_argument("--only-cost", action="store_true", help="times and memory alone")
    asked = parser.parse_args()
    print(machine(), flush=True)
    _everything(
        list(
            tasks(asked.sheets, asked.start, asked.difficulty or DIFFICULTY_OF, asked.kind or KINDS)
        ),
        asked.jobs,
        asked.data,
        asked.save_wrong,
        asked.keep,
        accuracy=not asked.only_cost,
        cost=not asked.no_cost,
    )


if __name__ == "__main__":
    main()
