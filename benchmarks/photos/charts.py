"""Charts of the reader's errors as SVG: reliability and confusions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Final

INK, PALE, GRID = "#2b2340", "#6d6680", "#e3e0ea"
GOOD, BAD, LINE = "#3f7fd1", "#d94a4a", "#8a5fc7"
FONT: Final = "font-family='system-ui, sans-serif'"

Pair = tuple[float, bool]
"""(confidence, whether the value was right)."""


def _text(
    x: float, y: float, text: object, size: float = 12, anchor: str = "middle", **more: str
) -> str:
    extra = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    fill = "" if "fill" in more else f' fill="{INK}"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{fill}{extra}>'
        f"{escape(str(text))}</text>"
    )


def _page(width: float, height: float, parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" {FONT}>\n'
        f'<rect width="100%" height="100%" rx="10" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
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


DOUBTS: Final = (0.0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0001)
"""The edges of the bins in the chart of reliability."""

LOW: Final = -5.0
"""The smallest probability that is drawn, as a power of ten."""
PANEL: Final = 230.0
"""The side of a panel in pixels."""
COLORS: Final = (LINE, "#e08a1e", GOOD, "#3a9a62")


def _along(value: float) -> float:
    """A probability's position on a logarithmic axis, 0 to 1."""
    return (max(math.log10(max(value, 1e-9)), LOW) - LOW) / -LOW


def reliability(groups: Mapping[str, Sequence[Pair]], note: str) -> str:
    """The chart of reliability: observed against stated probability of error, both logarithmic.

    Args:
        groups: title of a panel → its pairs.
        note: printed below the title.
    """
    left, top, across = 84.0, 104.0, PANEL + 44
    parts = [
        _text(left, 36, "Reliability of the confidences", 18, "start", font_weight="700"),
        _text(left, 57, note, 12, "start", fill=PALE),
    ]
    for place, ((name, pairs), color) in enumerate(zip(groups.items(), COLORS, strict=False)):
        parts += _panel(left + place * across, top, name, pairs, color, is_first=not place)
    width = left + len(groups) * across
    middle = top + PANEL / 2
    parts += [
        _text(
            (left + width - 44) / 2,
            top + PANEL + 44,
            "stated probability of error: 1 − confidence",
            13,
        ),
        _text(22, middle, "wrong", 13, transform=f"rotate(-90 22 {middle:.0f})"),
        _text(
            left,
            top + PANEL + 70,
            "Bars: 95 % intervals; a hollow point: none was wrong. Above the dashed line the reader"
            " is overconfident, below it underconfident.",
            11,
            "start",
            fill=PALE,
        ),
    ]
    return _page(width, top + PANEL + 90, parts)


def _panel(
    left: float, top: float, name: str, pairs: Sequence[Pair], color: str, *, is_first: bool
) -> list[str]:
    bottom = top + PANEL
    summary = f"{len(pairs):,} fields, ECE {expected_calibration_error(pairs) * 100:.2f} %"
    parts = [
        _text(left, top - 22, name, 14, "start", font_weight="600"),
        _text(left, top - 7, summary, 11, "start", fill=PALE),
    ]
    for power in range(int(LOW), 1):
        value = 10.0**power
        at = _along(value) * PANEL
        parts.append(
            f'<path d="M{left:.1f} {bottom - at:.1f}h{PANEL}M{left + at:.1f} {top}v{PANEL}"'
            f' stroke="{GRID}" fill="none"/>'
        )
        label = f"{value * 100:g} %"
        if is_first:
            parts.append(_text(left - 8, bottom - at + 4, label, 10.5, "end", fill=PALE))
        if power % 2 == 0:
            parts.append(_text(left + at, bottom + 17, label, 10.5, fill=PALE))
    parts.append(
        f'<path d="M{left:.1f} {bottom}L{left + PANEL:.1f} {top}" stroke="{PALE}"'
        ' stroke-dasharray="5 5" fill="none"/>'
    )
    for doubt, count, errors in bins(pairs, DOUBTS):
        x, y = left + _along(doubt) * PANEL, bottom - _along(errors / count) * PANEL
        small, large = (bottom - _along(share) * PANEL for share in wilson(errors, count))
        # The size of a point grows with the number of its fields.
        radius = 2.2 + 1.2 * math.log10(count)
        parts.append(
            f'<path d="M{x:.1f} {small:.1f}V{large:.1f}" stroke="{color}" stroke-opacity=".28"'
            ' stroke-width="4" stroke-linecap="round"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" stroke="{color}"'
            f' stroke-width="1.6" fill="{color if errors else "#fff"}">'
            f"<title>{errors} of {count} wrong, stated {doubt:.4%}</title></circle>"
        )
    return parts


Confusions = tuple[str, Sequence[object], Counter[tuple[object, object]]]
"""(title, labels, (written, read) → how often)."""


def confusion(columns: Sequence[Sequence[Confusions]]) -> str:
    """Confusion matrices: what is written in rows, what was read in columns."""
    parts: list[str] = []
    x = widest = 36.0
    height = 0.0
    for column in columns:
        y = 40.0
        for title, labels, counts in column:
            drawn, wide, tall = _table(x, y, title, labels, counts)
            parts += drawn
            y += tall + 46
            widest = max(widest, x + wide)
        height = max(height, y - 46)
        x = widest + 44
    legend = "Rows: what is written. Columns: what was read. –: empty."
    parts.append(_text(36, height + 34, legend, 12, "start", fill=PALE))
    return _page(widest + 36, height + 54, parts)


def _table(
    x: float, y: float, title: str, labels: Sequence[object], counts: Counter[tuple[object, object]]
) -> tuple[list[str], float, float]:
    """(the matrix as SVG elements, its width, its height)."""
    cell, gutter = (25.0, 26.0) if len(labels) > 4 else (52.0, 54.0)
    left, top = x + gutter, y + 44
    errors = sum(count for (written, read), count in counts.items() if written != read)
    summary = f"{errors:,} of {sum(counts.values()):,} wrong"
    parts = [
        _text(x, y, title, 15, "start", font_weight="700"),
        _text(x, y + 18, summary, 11, "start", fill=PALE),
    ]
    for row, written in enumerate(labels):
        middle = (row + 0.5) * cell
        parts += [
            _text(left - 7, top + middle + 4, _short(written), 11, "end", fill=PALE),
            _text(left + middle, top - 6, _short(written), 11, fill=PALE),
        ]
        for column, read in enumerate(labels):
            count = counts.get((written, read), 0)
            parts += _cell(left + column * cell, top + row * cell, cell, count, row == column)
    side = cell * len(labels)
    parts.append(
        f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" stroke="{PALE}"'
        ' stroke-opacity=".5"/>'
    )
    return parts, gutter + side, 44 + side


def _cell(x: float, y: float, size: float, count: int, right: bool) -> list[str]:
    color = GOOD if right else BAD
    strength = (
        0.0 if not count else min(0.15 + 0.17 * math.log10(count + 1) * (1 if right else 3), 1)
    )
    drawn = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{size}" height="{size}" fill="{color}"'
        f' fill-opacity="{strength:.2f}" stroke="{GRID}" stroke-width=".6"/>'
    ]
    if count:
        text = f"{count}" if count < 10_000 else f"{count / 1000:.0f}k"
        tight = 9.0 if size < 40 and len(text) > 3 else 10.5
        drawn.append(
            _text(
                x + size / 2, y + size / 2 + 4, text, tight, fill="#fff" if strength > 0.55 else INK
            )
        )
    return drawn


def _short(label: object) -> str:
    if label is None:
        return "–"
    if isinstance(label, bool):
        return "cross" if label else "empty"
    return str(label)
