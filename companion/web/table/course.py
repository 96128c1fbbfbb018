"""The points of all players turn by turn, as the lines of a chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.core.position import Position
from companion.tables import Table
from companion.web.table.story import with_positions

SHORTEST_COURSE: Final = 4  # Points on a line below which it would say nothing


@dataclass(frozen=True)
class CourseLine:
    """One player's points after each turn, drawn on a chart of 320 by 132."""

    color: str
    points: tuple[str, ...]  # the places "x y" of the line
    end: float


@dataclass(frozen=True)
class Course:
    """How the points of all players went, turn by turn."""

    lines: tuple[CourseLine, ...]
    most: int
    zero: float  # the height of 0, from the top


def course_of(table: Table) -> Course | None:
    """The points after each turn; None if there are too few turns for a line."""
    position = table.position
    if position is None:
        return None
    turn, rounds = 0, []
    for _, before in with_positions(table):
        if before.turn != turn:
            turn = before.turn
            rounds.append(_totals(before))
    rounds.append(_totals(position))
    if len(rounds) < SHORTEST_COURSE:
        return None
    most, least = max(1, *map(max, rounds)), min(0, *map(min, rounds))
    lines, colors = [], {seat.name: seat.color for seat in table.seats}
    heights = [[round(10 + 112 * (most - n) / (most - least), 1) for n in row] for row in rounds]
    for name, line in zip(position.players, zip(*heights, strict=True), strict=True):
        places = (f"{30 + 284 * at / (len(line) - 1):.1f} {y}" for at, y in enumerate(line))
        lines.append(CourseLine(colors[name], tuple(places), line[-1]))
    return Course(tuple(lines), most, round(10 + 112 * most / (most - least), 1))


def _totals(position: Position) -> tuple[int, ...]:
    """The points of all players, in their order."""
    return tuple(position.score(name)["total"] for name in position.players)
