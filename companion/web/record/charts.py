"""A chart of a person's totals over time: an SVG by pygal without scripts, fonts or links.

The page has the same numbers as a table beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companion.core import look

WIDTH, HEIGHT = 480, 300
"""Pixels; the page scales the picture."""

SHOWN: Final = 200
"""Limit of the matches drawn, the last ones; a picture has no room for more points."""

LIGHT: Final[Mapping[str, str]] = {"ground": "#fffdf8", "ink": look.INK, "soft": "#665d73"}
DARK: Final[Mapping[str, str]] = {"ground": "#28232f", "ink": "#f3eef8", "soft": "#b9aec7"}
COLORS: Final = (
    "#8a5cc6", "#d9771a", "#1d8a52", "#3d7fd6", "#d0508f", "#8a7d14", "#0e8a8f", "#d5523f",
)  # fmt: skip
"""Colours of the games' lines; each has a contrast of 3 : 1 or more with both grounds."""


def color_of(place: int) -> str:
    """The colour of a game, by its place among all games: the same in every chart."""
    return COLORS[place % len(COLORS)]


@dataclass(frozen=True)
class Line:
    """The line of one game."""

    name: str
    color: str
    points: Sequence[tuple[int, int]]
    """(number of the match among all matches of the person, total)"""


def draw_chart(lines: Sequence[Line], labels: Sequence[str], *, dark: bool) -> bytes:
    """The chart as an SVG document.

    Args:
        labels: the dates of the first and the last match.
        dark: whether the picture is for a dark page.
    """
    # Loaded late, because most pages have no chart.
    from pygal import XY, Config
    from pygal.style import Style

    # pygal leaves an import hook of an old kind, which Python warns of at every further import.
    sys.meta_path[:] = [finder for finder in sys.meta_path if hasattr(finder, "find_spec")]
    config = Config()
    config.js = []  # pygal would load its tooltips from another site
    config.pretty_print = False
    last = max((point[0] for line in lines for point in line.points), default=1)
    chart = XY(
        config,
        style=Style(**_style(lines, DARK if dark else LIGHT)),
        width=WIDTH,
        height=HEIGHT,
        explicit_size=False,
        show_legend=len(lines) > 1,
        legend_at_bottom=True,
        legend_box_size=14,
        dots_size=4,
        x_labels=[1, last] if last > 1 else [1],
        x_value_formatter=lambda value: labels[0 if value <= 1 else -1],
        value_formatter=lambda value: f"{value:.0f}",
        range=_range(lines),
        xrange=(0.5, last + 0.5),
        margin=10,
        margin_right=60,
        margin_left=30,
        truncate_legend=-1,
        no_data_text="",
    )
    chart.add_xml_filter(_without_scripts)
    for line in lines:
        chart.add(line.name, list(line.points))
    return bytes(chart.render())


def _style(lines: Sequence[Line], colors: Mapping[str, str]) -> dict[str, Any]:
    """The options of pygal's `Style`; the page behind the chart shows through."""
    return {
        "background": "transparent",
        "plot_background": "transparent",
        "foreground": colors["ink"],
        "foreground_strong": colors["ink"],
        "foreground_subtle": colors["soft"],
        "guide_stroke_color": colors["soft"],
        "major_guide_stroke_color": colors["soft"],
        "colors": tuple(line.color for line in lines) or COLORS,
        "font_family": "system-ui, sans-serif",
        "label_font_size": 14,
        "major_label_font_size": 14,
        "legend_font_size": 14,
        "opacity": ".95",
        "stroke_width": 3,
        "transition": "none",
    }


def _range(lines: Sequence[Line]) -> tuple[int, int]:
    """The range of the axis. It includes 0, so that small differences do not look great."""
    totals = [total for line in lines for _, total in line.points]
    return min(0, *totals, 0), max(10, *totals, 10)


def _without_scripts(root: Any) -> Any:
    """The picture without pygal's scripts, which an <img> would not run."""
    for parent in list(root.iter()):
        for child in list(parent):
            if str(child.tag).endswith("script"):
                parent.remove(child)
    return root
