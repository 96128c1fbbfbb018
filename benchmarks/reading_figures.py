"""Figures of how well sheets were read, as tables on standard output."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from benchmarks.photos.judge import JudgedField, JudgedSum, PadOutcome
from benchmarks.report import line, median, ms, quantile
from companion.core.edition import OWN
from companion.core.sheet import EMPTY

Pair: TypeAlias = tuple[float, bool]
"""(confidence, whether the value was right)."""
DOUBTS: Final = (0.0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0001)
"""The edges of the bins of stated doubt."""


def _fields(pads: Sequence[PadOutcome], *kinds: str) -> list[JudgedField]:
    return [field for pad in pads for field in pad.seen if not kinds or field.kind in kinds]


def _percent(good: int, count: int) -> str:
    if not count:
        return "–"
    return f"{good / count * 100:.2f} % ({count - good} of {count:,} not)"


def _found(pads: Sequence[PadOutcome]) -> str:
    return _percent(sum(pad.found for pad in pads), len(pads))


def _right(*kinds: str) -> Callable[[Sequence[PadOutcome]], str]:
    def row(pads: Sequence[PadOutcome]) -> str:
        fields = _fields(pads, *kinds)
        return _percent(sum(field.right for field in fields), len(fields))

    return row


def _numbers_written(pads: Sequence[PadOutcome]) -> str:
    fields = [
        field
        for field in _fields(pads, "number", "digits")
        if field.truth is not None or field.value is not None
    ]
    return _percent(sum(field.right for field in fields), len(fields))


def _whole(pads: Sequence[PadOutcome]) -> str:
    read = [pad for pad in pads if pad.found]
    return _percent(sum(pad.all_right for pad in read), len(read))


def _whole_after(pads: Sequence[PadOutcome]) -> str:
    read = [pad for pad in pads if pad.found]
    return _percent(sum(pad.right_after_checking for pad in read), len(read))


def _unsure(pads: Sequence[PadOutcome]) -> str:
    fields = _fields(pads)
    if not fields:
        return "–"
    unsure = sum(field.unsure for field in fields)
    needless = sum(field.unsure and field.right for field in fields)
    return f"{unsure / len(fields) * 100:.2f} % ({unsure}, {needless} right)"


def _silent(pads: Sequence[PadOutcome]) -> str:
    fields = _fields(pads)
    return f"{sum(field.silent for field in fields)} of {len(fields):,}"


def _totals(pads: Sequence[PadOutcome]) -> str:
    read = [pad for pad in pads if pad.found]
    return f"{sum(not pad.total_is_right for pad in read)} of {len(read)}"


def _sums(pads: Sequence[PadOutcome]) -> str:
    return sums_share([each for pad in pads for each in pad.sums])


def _mistold(pads: Sequence[PadOutcome]) -> str:
    return f"{sum(bool(pad.mistold) for pad in pads)}; {sum(pad.ghosts for pad in pads)} not there"


def _corners(pads: Sequence[PadOutcome]) -> str:
    off = [pad.off for pad in pads if pad.found]
    return f"{median(off):.2f} / {quantile(off, 0.99):.2f} mm" if off else "–"


def sums_share(sums: Sequence[JudgedSum]) -> str:
    """How many written sums were read right; after it, how many were read where there is none."""
    written = [each for each in sums if each.truth is not None]
    right = sum(each.truth == each.value for each in written)
    missed = sum(each.value is None for each in written)
    invented = sum(each.truth is None and each.value is not None for each in sums)
    return f"{_percent(right, len(written))}, {missed} not read, {invented} read without ink"


ROWS: dict[str, Callable[[Sequence[PadOutcome]], str]] = {
    "found and told apart": _found,
    "read as another sheet": _mistold,
    "marks right": _right("cross", "value"),
    "numbers right, empty fields counted": _right("number", "digits"),
    "numbers written": _numbers_written,
    "sheets with every field right": _whole,
    "the same when the unsure fields are corrected": _whole_after,
    "fields marked unsure": _unsure,
    "wrong and not marked unsure": _silent,
    "totals silently wrong": _totals,
    "written sums right": _sums,
    "corners off, median / p99": _corners,
}
"""Name → figure of some sheets. Fields that the photo does not show, or whose mark nobody can
see, are left out."""


def table(groups: Mapping[str, Sequence[PadOutcome]]) -> None:
    """Prints a table with a column for each group of sheets that is not empty."""
    groups = {name: pads for name, pads in groups.items() if pads}
    if not groups:
        return
    print("\n| | " + " | ".join(f"{name} ({len(pads)})" for name, pads in groups.items()) + " |")
    print("|---" * (len(groups) + 1) + "|")
    for name, figure in ROWS.items():
        print(f"| {name} | " + " | ".join(figure(pads) for pads in groups.values()) + " |")


def _grouped(
    pads: Sequence[PadOutcome], key: Callable[[PadOutcome], str]
) -> dict[str, list[PadOutcome]]:
    groups: dict[str, list[PadOutcome]] = {}
    for pad in sorted(pads, key=key):
        groups.setdefault(key(pad), []).append(pad)
    return groups


def report(outcomes: Sequence[PadOutcome]) -> None:
    """Prints all figures of our own pads: by difficulty, sheet, handwriting and pen."""
    table({"all": outcomes} | _grouped(outcomes, lambda pad: pad.difficulty))
    table(_grouped(outcomes, lambda pad: pad.sheet))
    table(_grouped(outcomes, lambda pad: pad.writer.partition(":")[0]))
    table(_grouped(outcomes, lambda pad: pad.pen))
    print()
    report_calibration(outcomes)
    print()
    report_confusions(outcomes)
    report_failures(outcomes)


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


def report_editions(whole: Sequence[PadOutcome], obstructed: Sequence[PadOutcome]) -> None:
    """Prints all tables: of all publishers' sheets, each pen and edition, and obstructed ones."""
    published = [pad for pad in whole if pad.edition != OWN]

    def of(pads: Sequence[PadOutcome], difficulty: str) -> list[PadOutcome]:
        return [pad for pad in pads if pad.difficulty == difficulty]

    table(
        {
            "publishers', all": published,
            "usual": of(published, "usual"),
            "hard": of(published, "hard"),
            "several in a photo": [pad for pad in published if len(pad.kinds) > 1],
            "our own pads among them": [pad for pad in whole if pad.edition == OWN],
        }
    )
    table(_grouped(published, lambda pad: pad.pen))
    for sheet, edition in sorted({(pad.sheet, pad.edition) for pad in published}):
        name = f"{sheet}, {edition}"
        pads = [pad for pad in published if (pad.sheet, pad.edition) == (sheet, edition)]
        table({name: pads, "usual": of(pads, "usual"), "hard": of(pads, "hard")})
        boards = sorted({pad.board for pad in pads})
        if len(boards) > 1:
            for board in boards:
                line(f"found: {board}", _found([pad for pad in pads if pad.board == board]))
    faint = [sum(field.faint for field in pad.fields) for pad in published]
    line("marks that nobody can see, left out", f"{sum(faint)} on {sum(map(bool, faint))} sheets")
    if obstructed:
        kinds = sorted({pad.obstruction for pad in obstructed})
        table({kind: [pad for pad in obstructed if pad.obstruction == kind] for kind in kinds})
        hidden = [field for pad in obstructed for field in pad.fields if field.hidden]
        flagged = sum(field.unsure for field in hidden)
        line("hidden fields named as unsure", _percent(flagged, len(hidden)))
        codes = Counter(pad.trouble for pad in obstructed if not pad.found)
        line("not read", ", ".join(f"{code}: {count}" for code, count in codes.most_common()))
    report_failures([*published, *obstructed])


def report_covered(pads: Sequence[PadOutcome]) -> None:
    """Prints how many fields under something are asked for, and how many are silently wrong."""
    for thing, scenes in (
        {"anything": [*pads]} | _grouped(pads, lambda pad: pad.obstruction)
    ).items():
        fields = [field for pad in scenes for field in pad.fields if field.covered]
        silent = [field for field in fields if not field.unsure]
        empty = sum(field.value in EMPTY.values() for field in silent)
        line(
            f"covered by {thing}: asked ({len(scenes)} scenes)",
            _percent(len(fields) - len(silent), len(fields)),
            f"{empty} silently empty, {sum(field.silent for field in fields)} silently wrong",
        )


def report_lookalikes(seen: Sequence[tuple[str, tuple[str, ...], float]]) -> None:
    """Prints how many look-alikes were misread, and how long refusing took.

    Args:
        seen: (what the photo shows, the sheets read in it, seconds) for each photo.
    """
    if not seen:
        return
    print()
    wrong = [(name, sheets) for name, sheets, _ in seen if sheets]
    line("look-alikes misread as a sheet", f"{len(wrong)} of {len(seen):,}")
    for (name, sheets), count in Counter(wrong).most_common():
        print(f"    {name} read as {', '.join(sheets)}: {count}")
    times = [seconds for _, _, seconds in seen]
    line(
        "time for each, median / p99",
        f"{ms(median(times))} / {ms(quantile(times, 0.99))}",
        "(photos of 0.6 to 2 MP)",
    )
