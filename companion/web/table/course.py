"""The points of all players turn by turn, as the lines of a chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.core.position import Position
from companion.tables import Table
from companion.tables.ledger.match import Entry
from companion.web.table.all_turns import with_positions

SHORTEST_COURSE: Final = 3  # Points on a line below which it would say nothing


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


@dataclass(frozen=True)
class TurnStarts:
    """The points of all players before each turn's first entry."""

    entries: tuple[Entry, ...]  # all entries of the match from which they follow
    totals: tuple[tuple[int, ...], ...]


def turn_starts(table: Table, known: TurnStarts | None = None) -> TurnStarts:
    """The points before each turn; only what came after the entries of `known` is looked at."""
    match = table.state.match
    if match is None:
        return TurnStarts((), ())
    entries = match.entries
    count = len(known.entries) if known is not None else 0
    if known is None or not count or entries[:count] != known.entries:
        turn, totals = 0, []
        for entry, before in with_positions(table):
            if entry.turn != turn:
                turn = entry.turn
                totals.append(_totals(before))
        return TurnStarts(entries, tuple(totals))
    turn, totals = known.entries[-1].turn, list(known.totals)
    for index in range(count, len(entries)):
        if entries[index].turn != turn:
            turn = entries[index].turn
            totals.append(_totals(match.position_before(index)))
    return TurnStarts(entries, tuple(totals))


def course_of(table: Table, starts: TurnStarts | None = None) -> Course | None:
    """The points after each turn; None if there are too few turns for a line.

    Args:
        starts: the table's `turn_starts`, if they are known.
    """
    position = table.shown
    if position is None:
        return None
    rounds = list((starts or turn_starts(table)).totals)
    now = _totals(position)
    # A turn that has just begun has no entry yet, and the bids of one change no points.
    if position.over or rounds[-1:] != [now]:
        rounds.append(now)
    if len(rounds) < SHORTEST_COURSE:
        return None
    most, least = max(1, *map(max, rounds)), min(0, *map(min, rounds))

    def height(points: int) -> float:
        return round(100 * (most - points) / (most - least), 1)

    lines, colors = [], {seat.name: seat.color for seat in table.seats}
    for place, name in enumerate(position.players):
        # Who joined later has no points before.
        points = [totals[place] for totals in rounds if place < len(totals)]
        if not points:
            continue
        heights = list(map(height, points))
        last = len(rounds) - 1
        first = len(rounds) - len(points)
        places = [f"{100 * at / last:.1f} {y}" for at, y in enumerate(heights, first)]
        lines.append(CourseLine(colors[name], tuple(places), heights[-1]))
    return Course(tuple(lines), most, height(0), len(rounds) - 1)


def _totals(position: Position) -> tuple[int, ...]:
    """The points of all players, in their order."""
    return tuple(position.score(name)["total"] for name in position.players)
