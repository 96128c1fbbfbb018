"""Charts of totals over time: places in an SVG that the page draws in its own type and colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from companion.core.game import Game
from companion.core.words import minus
from companion.games.catalog import GAMES
from companion.tables.history.people import PersonalResult
from companion.tables.ledger.names import SEAT_COLORS
from companion.web.page.formats import short_day

WIDTH: Final = 320
HEIGHT: Final = 150  # Units of the drawing, which a phone shows at about this many pixels
LEFT, RIGHT, TOP, BOTTOM = 36, 10, 10, 22  # margins around the lines, for numbers and dates

# Limit of the matches drawn, the last ones; a picture has no room for more points
SHOWN: Final = 60
STEPS: Final = 4  # Limit of the steps between the numbers at the left

FIRST_COLOR: Final = 5  # Index of the first game's colour among those of seats


@dataclass(frozen=True)
class Chart:
    """A chart of the totals of a person in one game."""

    path: str
    dots: tuple[tuple[float, float, bool], ...]  # (x, y, whether the match was won)
    levels: tuple[tuple[float, str], ...]  # (y, number) of the horizontal lines
    first: str
    last: str  # the days of the first and the last match
    count: int


def color_of(game: Game) -> str:
    """The class of a game's colour in app.css, the same on every page."""
    names = list(GAMES)
    place = names.index(game.name) if game.name in names else crc32(game.name.encode())
    return SEAT_COLORS[(place + FIRST_COLOR) % len(SEAT_COLORS)]


def chart_of(results: Sequence[PersonalResult]) -> Chart | None:
    """The chart of a game; None with fewer than two matches, which make no line.

    Args:
        results: of a person in the game, the oldest first.
    """
    shown = results[-SHOWN:]
    if len(shown) < 2:
        return None
    step = (WIDTH - LEFT - RIGHT) / (len(shown) - 1)
    levels = _levels([result.total for result in shown])
    scale = (HEIGHT - TOP - BOTTOM) / (levels[-1] - levels[0])

    def height(total: int) -> float:
        return round(HEIGHT - BOTTOM - (total - levels[0]) * scale, 1)

    dots = tuple(
        (round(LEFT + place * step, 1), height(result.total), result.won)
        for place, result in enumerate(shown)
    )
    return Chart(
        "M" + "L".join(f"{x} {y}" for x, y, _ in dots),
        dots,
        tuple((height(level), minus(level)) for level in levels),
        short_day(shown[0].ended_at),
        short_day(shown[-1].ended_at),
        len(shown),
    )


def _levels(totals: Sequence[int]) -> range:
    """Round numbers from below the lowest total to above the highest one."""
    # They include 0, so that small differences do not look great
    low, high = min(0, *totals), max(10, *totals)
    least = (high - low) / STEPS
    power: int = 10 ** math.floor(math.log10(least))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= least)
    start = low // step * step
    return range(start, start - (start - high) // step * step + 1, step)
