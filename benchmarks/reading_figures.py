"""Figures of how well sheets were read, as tables on standard output."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from benchmarks.photos.judge import JudgedField, PadOutcome
from benchmarks.report import line
from companion.core.edition import OWN
from companion.core.sheet import EMPTY
from lab.camera.obstacles import OBSTRUCTIONS, THINGS

Pads = Sequence[PadOutcome]
MOST_FAILURES: Final = 40


def _fields(pads: Pads, *kinds: str) -> list[JudgedField]:
    return [field for pad in pads for field in pad.seen if not kinds or field.kind in kinds]


def _read(pads: Pads) -> list[PadOutcome]:
    return [pad for pad in pads if pad.found]


def _share(are: Sequence[bool]) -> str:
    """The share of those that are true, with the interval of 95 %, and the number of the others."""
    if not are:
        return "–"
    low, high = wilson(sum(are), len(are))
    text = f"{sum(are) / len(are):.2%} ({low:.1%}–{high:.1%})".replace("%", " %")
    return f"{text}; {len(are) - sum(are)} of {len(are):,} not"


def wilson(count: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's confidence interval of a share; 95 % for the default `z`."""
    share = count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _right(*kinds: str) -> Callable[[Pads], str]:
    return lambda pads: _share([field.right for field in _fields(pads, *kinds)])


def _numbers_written(pads: Pads) -> str:
    fields = _fields(pads, "number", "digits")
    return _share([f.right for f in fields if f.truth is not None or f.value is not None])


def _count(are: Sequence[bool]) -> str:
    return f"{sum(are)} of {len(are):,}"


def _sums(pads: Pads) -> str:
    sums = [each for pad in pads for each in pad.sums]
    written = [each for each in sums if each.truth is not None]
    missed = sum(each.value is None for each in written)
    invented = len([each for each in sums if each.truth is None and each.value is not None])
    right = _share([each.truth == each.value for each in written])
    return f"{right}, {missed} not read, {invented} read without ink"


ROWS: Final[Mapping[str, Callable[[Pads], str]]] = {
    "found and told apart": lambda pads: _share([pad.found for pad in pads]),
    "asked whether it is this sheet": lambda pads: _count([pad.is_asked for pad in _read(pads)]),
    "read as another sheet": lambda pads: _count([bool(pad.mistold) for pad in pads]),
    "read and not there": lambda pads: str(sum(pad.ghosts for pad in pads)),
    "marks right": _right("cross", "value"),
    "numbers right, empty fields counted": _right("number", "digits"),
    "numbers written": _numbers_written,
    "sheets with every field right": lambda pads: _share([pad.all_right for pad in _read(pads)]),
    "the same when the unsure fields are corrected": lambda pads: _share(
        [pad.right_after_checking for pad in _read(pads)]
    ),
    "fields not unsure": lambda pads: _share([not field.unsure for field in _fields(pads)]),
    "wrong and not marked unsure": lambda pads: _count([f.silent for f in _fields(pads)]),
    "totals silently wrong": lambda pads: _count([not pad.total_is_right for pad in _read(pads)]),
    "written sums right": _sums,
}
"""Name → figure of some sheets. Fields that the photo does not show, or whose mark nobody can
see, are left out."""


def table(groups: Mapping[str, Pads]) -> None:
    """Prints a table with a column for each group of sheets that is not empty."""
    groups = {name: pads for name, pads in groups.items() if pads}
    if not groups:
        return
    print("\n| | " + " | ".join(f"{name} ({len(pads)})" for name, pads in groups.items()) + " |")
    print("|---" * (len(groups) + 1) + "|")
    for name, figure in ROWS.items():
        print(f"| {name} | " + " | ".join(figure(pads) for pads in groups.values()) + " |")


def _grouped(pads: Pads, key: Callable[[PadOutcome], str]) -> dict[str, Pads]:
    groups: dict[str, list[PadOutcome]] = {}
    for pad in sorted(pads, key=key):
        groups.setdefault(key(pad), []).append(pad)
    return dict(groups)


def report(outcomes: Pads) -> None:
    """Prints all figures: by difficulty, sheet and pen; and of obstructed photos.

    Where there are publishers' sheets, our own pads are a column beside them.
    """
    whole = [pad for pad in outcomes if not pad.obstruction]
    covered = [pad for pad in outcomes if pad.obstruction in THINGS]
    obstructed = [pad for pad in outcomes if pad.obstruction in OBSTRUCTIONS]
    published = [pad for pad in whole if pad.edition != OWN]
    judged = published or whole
    beside = [pad for pad in whole if published and pad.edition == OWN]
    table({"all": judged, **_grouped(judged, lambda pad: pad.difficulty), "own beside": beside})
    table(_grouped(judged, lambda pad: f"{pad.sheet}, {pad.edition}"))
    table(_grouped(judged, lambda pad: pad.pen))
    table(_grouped(obstructed, lambda pad: pad.obstruction))
    print()
    faint = [sum(field.faint for field in pad.fields) for pad in judged]
    line("marks that nobody can see, left out", f"{sum(faint)} on {sum(map(bool, faint))} sheets")
    hidden = [field.unsure for pad in obstructed for field in pad.fields if field.hidden]
    if hidden:
        line("hidden fields named as unsure", _share(hidden))
    things = {"anything": covered, **_grouped(covered, lambda pad: pad.obstruction)}
    for thing, scenes in things.items():
        under = [field for pad in scenes for field in pad.fields if field.covered]
        empty = [field.value in EMPTY.values() and not field.unsure for field in under]
        silent = f"{sum(empty)} silently empty, {sum(f.silent for f in under)} silently wrong"
        line(f"fields under {thing}: asked", _share([f.unsure for f in under]), silent)
    codes = Counter(pad.trouble for pad in outcomes if not pad.found)
    line("not read", ", ".join(f"{code}: {count}" for code, count in codes.most_common()))
    report_failures([*judged, *obstructed])


def report_failures(outcomes: Pads) -> None:
    """Prints the photos with silent errors or missing pads, and how to simulate them again."""
    print("\n  simulate(seed, difficulty, kinds) [pad]: what")
    failed = [p for p in outcomes if not (p.right_after_checking and p.total_is_right)]
    for pad in failed[:MOST_FAILURES]:
        what = pad.trouble or "; ".join(
            f"{field.id} {field.truth} → {field.value} ({field.confidence:.4f})"
            for field in [field for field in pad.fields if field.silent][:6]
        )
        total = "" if pad.total_is_right or not pad.found else "  TOTAL WRONG"
        obstructed = f" {pad.obstruction}" if pad.obstruction else ""
        print(
            f"  {pad.seed}, {pad.difficulty!r}, {list(pad.kinds)}{obstructed} [{pad.place}]:"
            f" {what}{total}"
        )
    if not failed or len(failed) > MOST_FAILURES:
        print("  …" if failed else "  none")
