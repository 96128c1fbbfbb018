"""Games of Qwixx to test with: actions by name, sheets, and random actions and games."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from companion.core.position import Turn
from companion.games.qwixx.rules import Qwixx
from companion.games.qwixx.sheet import QwixxSheet
from lab.oracles.qwixx import PRINTED, Action, document_of, paper_of, strike_faults

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
    """A game before its first roll; players named with a sheet start with it filled in."""
    papers = tuple(QwixxSheet.from_document(sheets.get(player, document())) for player in players)
    closed = tuple(row for row in ROWS if any(row in paper.locks for paper in papers))
    return Qwixx(now=Turn(players), sheets=papers, closed=closed)


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
    """Sheets without a fault that end no game: at most one row is locked."""
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
