"""Figures of how well publishers' sheets were read, as tables on standard output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.photos.judge import JudgedField, PadOutcome
from benchmarks.reading_figures import report_failures, sums_share
from benchmarks.report import line, median, ms, quantile
from companion.core.edition import OWN


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
    return sums_share([each for pad in pads for each in pad.sums]).strip()


def _mistold(pads: Sequence[PadOutcome]) -> str:
    return f"{sum(bool(pad.mistold) for pad in pads)}; {sum(pad.ghosts for pad in pads)} not there"


def _corners(pads: Sequence[PadOutcome]) -> str:
    off = [pad.off for pad in pads if pad.found]
    return f"{median(off):.2f} / {quantile(off, 0.99):.2f} mm" if off else "–"


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
"""Name → figure of some sheets. Fields that the photo does not show are left out."""


def _table(groups: dict[str, list[PadOutcome]]) -> None:
    groups = {name: pads for name, pads in groups.items() if pads}
    if not groups:
        return
    print("\n| | " + " | ".join(f"{name} ({len(pads)})" for name, pads in groups.items()) + " |")
    print("|---" * (len(groups) + 1) + "|")
    for name, figure in ROWS.items():
        print(f"| {name} | " + " | ".join(figure(pads) for pads in groups.values()) + " |")


def report(whole: Sequence[PadOutcome], obstructed: Sequence[PadOutcome]) -> None:
    """Prints all tables: of all publishers' sheets, of each edition, of obstructed ones."""
    published = [pad for pad in whole if pad.edition != OWN]

    def of(pads: Sequence[PadOutcome], difficulty: str) -> list[PadOutcome]:
        return [pad for pad in pads if pad.difficulty == difficulty]

    _table(
        {
            "publishers', all": published,
            "usual": of(published, "usual"),
            "hard": of(published, "hard"),
            "several in a photo": [pad for pad in published if len(pad.kinds) > 1],
            "our own pads among them": [pad for pad in whole if pad.edition == OWN],
        }
    )
    for sheet, edition in sorted({(pad.sheet, pad.edition) for pad in published}):
        name = f"{sheet}, {edition}"
        pads = [pad for pad in published if (pad.sheet, pad.edition) == (sheet, edition)]
        _table({name: pads, "usual": of(pads, "usual"), "hard": of(pads, "hard")})
        boards = sorted({pad.board for pad in pads})
        if len(boards) > 1:
            for board in boards:
                line(f"found: {board}", _found([pad for pad in pads if pad.board == board]))
    if obstructed:
        kinds = sorted({pad.obstruction for pad in obstructed})
        _table({kind: [pad for pad in obstructed if pad.obstruction == kind] for kind in kinds})
        hidden = [field for pad in obstructed for field in pad.fields if field.hidden]
        flagged = sum(field.unsure for field in hidden)
        line("hidden fields named as unsure", _percent(flagged, len(hidden)))
        codes = Counter(pad.trouble for pad in obstructed if not pad.found)
        line("not read", ", ".join(f"{code}: {count}" for code, count in codes.most_common()))
    report_failures([*published, *obstructed])


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
