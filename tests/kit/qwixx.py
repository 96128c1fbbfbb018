"""Games of Qwixx to test with: actions by name, sheets, and random actions and games."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from companion.core.position import Turn
from companion.games.qwixx.rules import Qwixx
from companion.games.qwixx.sheet import QwixxSheet
from tests.kit.oracles.qwixx import (
    PRINTED,
    Action,
    Referee,
    document_of,
    paper_of,
    score_of,
    strike_faults,
)
from tests.kit.play import NEXT, after, code, passes

__all__ = ["NEXT", "after", "code", "passes"]

Json = Any

ROWS = tuple(PRINTED)


def roll(by: str, white: Json = (1, 2), **dice: Json) -> Action:
    """A roll; coloured dice that are not named show a 1. A die that is None is left out."""
    shown = {**dict.fromkeys(ROWS, 1), **dice}
    named = {color: value for color, value in shown.items() if value is not None}
    return {"do": "roll", "by": by, "white": list(white), "dice": named}


def cross(by: str, row: Json, number: Json) -> Action:
    return {"do": "cross", "by": by, "row": row, "number": number}


def document(
    red: Json = (),
    yellow: Json = (),
    green: Json = (),
    blue: Json = (),
    locks: Json = (),
    failed: Json = 0,
) -> dict[str, Any]:
    """A sheet document; rows that are left out are empty."""
    rows = {"red": list(red), "yellow": list(yellow), "green": list(green), "blue": list(blue)}
    return {"sheet": "qwixx", **rows, "locks": list(locks), "failed": failed}


def table(*players: str, **sheets: dict[str, Any]) -> Qwixx:
    """A game before its first roll; whoever is named with a sheet starts with it filled in."""
    papers = tuple(QwixxSheet.from_document(sheets.get(player, document())) for player in players)
    closed = tuple(row for row in ROWS if any(row in paper.locks for paper in papers))
    return Qwixx(now=Turn(players), sheets=papers, closed=closed)


def compare(position: Qwixx, referee: Referee) -> None:
    """Both see the same game."""
    story = referee.story()
    assert (position.turn, position.active) == (story["turn"], story["active"])
    assert position.over == (story["phase"] == "over")
    assert list(position.waiting) == referee.waiting()
    assert list(position.winners()) == referee.winners()
    assert set(position.closed) == story["shut"]
    assert list(position.white) == story["white"]
    assert dict(position.colored) == story["dice"]
    if not position.over:
        assert position.in_color_step == (story["phase"] == "color")
    for player in referee.players:
        assert position.sheet(player) == document_of(story["papers"][player])
        assert position.score(player) == score_of(story["papers"][player])


def compare_open_crosses(position: Qwixx, referee: Referee, player: str) -> None:
    """What the position offers is exactly what the referee would allow."""
    legal = [
        (row, number)
        for row in ROWS
        for number in range(2, 13)
        if not referee.why_not(cross(player, row, number))
    ]
    assert sorted(position.open_crosses(player)) == sorted(legal)


@st.composite
def written_sheets(draw: st.DrawFn) -> dict[str, Any]:
    """Sheets of the documented shape, right and wrong."""
    rows = {
        row: [number for number in printed if draw(st.booleans())]
        for row, printed in PRINTED.items()
    }
    locks = [row for row in ROWS if draw(st.booleans())]
    return document(**rows, locks=locks, failed=draw(st.integers(0, 4)))


@st.composite
def lawful_sheets(draw: st.DrawFn) -> dict[str, Any]:
    """Sheets without a fault that end no game: one row is locked at the most."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    paper = paper_of(document(failed=draw(st.integers(0, 3))))
    for _ in range(draw(st.integers(0, 40))):
        row = chance.choice(ROWS)
        left = [n for n in PRINTED[row] if not strike_faults(paper, row, n)]
        near = left[: chance.choice([1, 1, 2, 3])]
        if near and not (paper["locks"] and near[-1] == PRINTED[row][10]):
            paper[row].add(near[-1])
            if near[-1] == PRINTED[row][10]:
                paper["locks"].add(row)
    return document_of(paper)


def sensible(referee: Referee, chance: random.Random, careless: float) -> Action:
    """A legal action that gets on."""
    story = referee.story()
    if story["phase"] == "roll":
        return _lucky_roll(story, chance)
    if story["active"] in story["done"] and chance.random() < 0.1:
        return NEXT
    return _entry(referee, story, chance.choice(referee.waiting()), careless, chance)


def _lucky_roll(story: dict[str, Any], chance: random.Random) -> Action:
    """A roll whose white dice often make the number that somebody needs next."""
    open_rows = [row for row in ROWS if row not in story["shut"]]
    told = chance.sample(open_rows, chance.choice([0, 1, len(open_rows), len(open_rows)]))
    dice = {row: chance.randint(1, 6) for row in told}
    white = [chance.randint(1, 6), chance.randint(1, 6)]
    if chance.random() < 0.6:
        paper, row = story["papers"][chance.choice(list(story["papers"]))], chance.choice(open_rows)
        left = [n for n in PRINTED[row] if not strike_faults(paper, row, n)]
        if left:
            first = chance.randint(max(1, left[0] - 6), min(6, left[0] - 1))
            white = [first, left[0] - first]
    rolled = {"do": "roll", "by": story["active"], "white": white}
    return {**rolled, "dice": dice} if dice or chance.random() < 0.5 else rolled


def _entry(
    referee: Referee, story: dict[str, Any], player: str, careless: float, chance: random.Random
) -> Action:
    """The cross that skips fewest numbers, or a pass where all skip too many."""
    ways = []
    for row, printed in PRINTED.items():
        struck = story["papers"][player][row]
        at = max((printed.index(number) for number in struck), default=-1)
        for number in printed[at + 1 :]:
            if not referee.why_not(cross(player, row, number)):
                ways.append((printed.index(number) - at - 1, row, number))
    skipped, row, number = min(ways, default=(99, "", 0))
    if chance.random() < careless / 2 or skipped > 2 + 6 * careless:
        return passes(player)
    return cross(player, row, number)
