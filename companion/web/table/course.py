"""The points of all players turn by turn, as the lines of a chart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from companion.core.panel import Totals
from companion.core.position import Position
from companion.tables import Table
from companion.web.table.all_turns import with_positions

SHORTEST_COURSE: Final = 3  # Fewer points than this make no useful line


@dataclass(frozen=True)
class CourseLine:
    """One player's points after each turn, in per cent of a chart's width and height."""

    color: str
    points: tuple[str, ...]  # the places "x y" of the line, from the left and from the top
    end: float  # the height of the last one


@dataclass(frozen=True)
class Course:
    """How the points of all players went, turn by turn."""

    lines: tuple[CourseLine, ...]
    most: int
    zero: float  # the height of 0
    turn: int  # the last one of the lines


def course_of(table: Table) -> Course | None:
    """The points after each turn, at the end; None if there are too few turns for a line."""
    if table.shown is None:
        return None
    totals = table.game.panel.course(table.shown)
    return _drawn(table, _played(table, table.shown) if totals is None else totals)


def course_so_far(table: Table) -> Course | None:
    """The same during a game, without playing its entries again; None if it shows no lines."""
    totals = None if table.shown is None else table.game.panel.course(table.shown)
    return None if totals is None else _drawn(table, totals)


def _drawn(table: Table, totals: Totals) -> Course | None:
    turns = max(map(len, totals.values()))
    if turns < SHORTEST_COURSE:
        return None
    known = [points for column in totals.values() for points in column if points is not None]
    most, least = max(1, *known), min(0, *known)

    def height(points: int) -> float:
        return round(100 * (most - points) / (most - least), 1)

    lines, colors = [], {seat.name: seat.color for seat in table.seats}
    for name, column in totals.items():
        places, end = [], None
        for at, points in enumerate(column):
            if points is not None:
                end = height(points)
                places.append(f"{100 * at / (turns - 1):.1f} {end}")
        if end is not None:
            lines.append(CourseLine(colors[name], tuple(places), end))
    return Course(tuple(lines), most, height(0), turns - 1)


def _played(table: Table, position: Position) -> Totals:
    """The totals of a game whose position does not know them, from all of its entries."""
    turn, rounds = 0, []
    for entry, before in with_positions(table):
        if entry.turn != turn:
            turn = entry.turn
            rounds.append(_totals(before))
    now = _totals(position)
    # A turn that has just begun has no entry yet.
    if position.over or rounds[-1:] != [now]:
        rounds.append(now)
    # Who joined later has no points before.
    return dict(zip(position.players, zip_longest(*rounds), strict=True))


def _totals(position: Position) -> tuple[int, ...]:
    """The points of all players, in their order."""
    return tuple(position.score(name)["total"] for name in position.players)
