"""Figures of how well sheets were read: tables on standard output, and two"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from benchmarks.photos.judge import JudgedField, JudgedSum, PadOutcome
from benchmarks.report import line, median, quantile

Pair: TypeAlias = tuple[float, bool]
"""(confidence, whether the value was right)."""
DOUBTS: Final = (0.0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0001)
"""The edges of the bins of stated doubt."""


def _share(good: int, count: int) -> str:
    return f"{good / count * 100:7.2f} % ({count - good} of {count:,} not)" if count else "      –"


def _of_kinds(outcomes: Iterable[PadOutcome], *kinds: str) -> list[JudgedField]:
    return [field for pad in outcomes for field in pad.fields if field.kind in kinds]


def _written(fields: Iterable[JudgedField]) -> list[JudgedField]:
    """The fields that hold something, or were read as if they did."""
    return [field for field in fields if field.truth is not None or field.value is not None]


def _right_share(fields: Sequence[JudgedField]) -> str:
    return _share(sum(field.right for field in fields), len(fields))


def sums_share(sums: Sequence[JudgedSum]) -> str:
    """How many written sums were read right; after it, how many were read where there is none."""
    written = [each for each in sums if each.truth is not None]
    right = sum(each.truth == each.value for each in written)
    missed = sum(each.value is None for each in written)
    invented = sum(each.truth is None and each.value is not None for each in sums)
    return f"{_share(right, len(written))}, {missed} not read, {invented} read without ink"


def report(outcomes: Sequence[PadOutcome], title: str) -> None:
    """Prints the figures of some sheets."""
    found = [pad for pad in outcomes if pad.found]
    fields = [field for pad in found for field in pad.fields]
    print(f"\n{title}: {len(outcomes)} sheets, {len(fields):,} fields read")
    line("pads found", _share(len(found), len(outcomes)))
    if ghosts := sum(pad.ghosts for pad in outcomes):
        line("pads that are not there", ghosts)
    if not found:
        return
    numbers, digits = _of_kinds(found, "number"), _of_kinds(found, "digits")
    marks = _of_kinds(found, "cross", "value")
    if numbers:
        line("numbers written in number fields", _right_share(_written(numbers)))
    if digits:
        line("numbers written in digit boxes", _right_share(_written(digits)))
    if numbers or digits:
        empty = [field for field in numbers + digits if field.truth is None]
        line("number fields left empty", _right_share(empty))
    if marks:
        line("marks", _right_share(marks))
    line("sheets with every field right", _share(sum(pad.all_right for pad in found), len(found)))
    line(
        "the same after the unsure fields are corrected",
        _share(sum(pad.right_after_checking for pad in found), len(found)),
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
    if sums := [each for pad in found for each in pad.sums]:
        line("written sums", sums_share(sums))
    off = sum(not pad.total_is_right for pad in found)
    line("totals silently wrong", f"{off:7d}   of {len(found):,} sheets")
    corners = [pad.off for pad in found]
    line("corners off, median / p99", f"{median(corners):7.2f} / {quantile(corners, 0.99):.2f} mm")


def report_by(outcomes: Sequence[PadOutcome], name: str, key: Callable[[PadOutcome], str]) -> None:
    """Prints how many numbers and marks are wrong, grouped by a property of the sheets."""
    print(f"\n  by {name:<24} sheets   numbers wrong            marks wrong            unsure")
    groups: dict[str, list[PadOutcome]] = defaultdict(list)
    for pad in outcomes:
        if pad.found:
            groups[key(pad)].append(pad)
    for value, group in sorted(groups.items()):
        numbers = _written(_of_kinds(group, "number", "digits"))
        marks = _of_kinds(group, "cross", "value")
        fields = [field for pad in group for field in pad.fields]
        unsure = sum(field.unsure for field in fields) / max(len(fields), 1)
        wrong_numbers, wrong_marks = _wrong_share(numbers), _wrong_share(marks)
        print(
            f"  {value:<27} {len(group):>6}   {wrong_numbers:<24} {wrong_marks:<22} {unsure:6.2%}"
        )


def _wrong_share(fields: Sequence[JudgedField]) -> str:
    bad = sum(not field.right for field in fields)
    return f"{bad} of {len(fields):,} ({bad / len(fields):.2%})" if fields else "–"


def confusions(outcomes: Sequence[PadOutcome]) -> dict[str, Counter[tuple[object, object]]]:
    """Kind of field → (what is written, what was read) → how often; digits one by one."""
    found: dict[str, Counter[tuple[object, object]]] = defaultdict(Counter)
    for pad in outcomes:
        for field in pad.fields:
            if field.kind == "digits":
                found["digits"].update(_by_digit(field))
            else:
                found[field.kind][field.truth, field.value] += 1
    return found


def _by_digit(field: JudgedField) -> Iterator[tuple[object, object]]:
    """(written, read) for each of the printed digit boxes, from the left."""
    texts = ["" if value is None else str(value) for value in (field.truth, field.value)]
    yield from zip(
        *([int(char) if char.isdigit() else None for char in text[-3:].rjust(3)] for text in texts),
        strict=True,
    )


def wilson(errors: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's confidence interval of the true share of errors; 95 % for the default `z`."""
    if not count:
        return 0.0, 1.0
    share = errors / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    half /= 1 + z * z / count
    return max(middle - half, 0.0), min(middle + half, 1.0)


def bins(pairs: Sequence[Pair], edges: Sequence[float]) -> list[tuple[float, int, int]]:
    """(mean doubt, fields, errors) of each nonempty bin of doubt (1 − confidence)."""
    found = []
    for low, high in pairwise(edges):
        inside = [pair for pair in pairs if low <= 1 - pair[0] < high]
        if inside:
            doubt = sum(1 - confidence for confidence, _ in inside) / len(inside)
            found.append((doubt, len(inside), sum(not right for _, right in inside)))
    return found


def expected_calibration_error(pairs: Sequence[Pair], count: int = 15) -> float:
    """The expected calibration error: mean distance between confidence and accuracy, by bins."""
    edges = [n / count for n in range(count)] + [1.0001]
    total = max(len(pairs), 1)
    return sum(
        size / total * abs(doubt - errors / size) for doubt, size, errors in bins(pairs, edges)
    )


def report_calibration(outcomes: Sequence[PadOutcome]) -> None:
    """Prints how well the confidences are calibrated."""
    fields = [field for pad in outcomes for field in pad.fields]
    pairs = [(field.confidence, field.right) for field in fields]
    line("expected calibration error", f"{expected_calibration_error(pairs):9.5f}")
    print("\n  stated error prob.  fields     wrong (95 %)")
    for doubt, count, errors in bins(pairs, DOUBTS):
        low, high = wilson(errors, count)
        print(
            f"  {doubt:>14.5%} {count:>10,} {errors:>6} = {errors / count:.4%}"
            f" ({low:.4%} to {high:.4%})"
        )


def report_confusions(outcomes: Sequence[PadOutcome]) -> None:
    """Prints the confusions, the most frequent first."""
    for kind, counts in confusions(outcomes).items():
        off = [(pair, count) for pair, count in counts.most_common() if pair[0] != pair[1]]
        listed = ", ".join(f"{a} → {b}: {count}" for (a, b), count in off[:12])
        line(f"confused: {kind}", listed or "nothing")


def report_failures(outcomes: Sequence[PadOutcome], most: int = 40) -> None:
    """Prints the photos with silent errors or missing pads, and how to simulate them again."""
    print("\n  simulate(seed, difficulty, kinds) [pad]: what")
    shown = 0
    for pad in outcomes:
        silent = [field for field in pad.fields if field.silent]
        if pad.found and not silent and pad.total_is_right:
            continue
        what = pad.trouble or "; ".join(
            f"{field.id} {field.truth} → {field.value} ({field.confidence:.4f})"
            for field in silent[:6]
        )
        total = "" if pad.total_is_right or not pad.found else "  TOTAL WRONG"
        print(f"  {pad.seed}, {pad.difficulty!r}, {list(pad.kinds)} [{pad.place}]: {what}{total}")
        shown += 1
        if shown == most:
            print("  …")
            break
    if not shown:
        print("  none")
