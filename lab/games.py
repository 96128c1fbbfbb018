"""Games of Qwinto with dice to test with: actions by name, and random sheets, actions and games."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from companion.core.position import Turn
from companion.games.qwinto.sheet import QwintoSheet
from companion.games.qwinto_dice.rules import QwintoDice
from lab.oracles.qwinto import PLACES, Paper, name_of
from lab.play import NEXT, after, code, passes, record_of

__all__ = ["NEXT", "after", "code", "passes"]

Json = Any
Action = dict[str, Any]

NAMES = ("Tim", "Sarah", "Linus", "Zoë", "Ben & Jo", "6")
EMPTY: tuple[None, ...] = (None,) * 9

SARAH: dict[str, Any] = {
    "sheet": "qwinto",
    "orange": [None, 5, None, None, 10, 13, None, 17, None],
    "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],
    "purple": [2, 4, None, 6, 7, None, 9, 11, None],
    "failed": 2,
}
"""Sarah's sheet in the rule text, as the official picture has it."""


def roll(by: str, **dice: int) -> Action:
    return {"do": "roll", "by": by, "dice": dice}


def write(by: str, row: str, field: int) -> Action:
    return {"do": "write", "by": by, "row": row, "field": field}


def document(
    orange: Json = EMPTY, yellow: Json = EMPTY, purple: Json = EMPTY, failed: Json = 0
) -> dict[str, Any]:
    """A sheet document; rows that are left out are empty."""
    rows = {"orange": list(orange), "yellow": list(yellow), "purple": list(purple)}
    return {"sheet": "qwinto", **rows, "failed": failed}


TIM = document(
    orange=[3, None, None, 9, None, 12, None, None, 17],
    yellow=[None, 2, None, 8, None, None, 13, None, None],
    purple=[None, None, 5, 6, None, 7, None, 11, None],
)
"""A sheet on which all that the text says of Tim's picture is true; the picture itself is lost."""


def table(*players: str, **sheets: dict[str, Any]) -> QwintoDice:
    """A game before its first roll; players named with a sheet start with it filled in."""
    papers = (QwintoSheet.from_document(sheets.get(player, document())) for player in players)
    return QwintoDice(now=Turn(players), sheets=tuple(papers))


@st.composite
def written_sheets(draw: st.DrawFn) -> dict[str, Any]:
    """Sheets of random numbers, right and wrong, of at most two characters each."""
    numbers = draw(st.sampled_from([st.integers(1, 18), st.integers(-9, 99), st.integers(4, 6)]))
    row = st.lists(st.none() | numbers, min_size=9, max_size=9)
    return document(draw(row), draw(row), draw(row), draw(st.integers(0, 4)))


@st.composite
def lawful_sheets(draw: st.DrawFn) -> dict[str, Any]:
    """Sheets without a fault: numbers are written one by one, wherever the referee allows."""
    paper = Paper(failed=draw(st.integers(0, 4)))
    chance = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 60))):
        place = chance.choice(PLACES)
        number = int(name_of(place)[-1]) * 2 + chance.randint(-3, 1)
        if 1 <= number <= 18 and not paper.why_not(place, number):
            paper.written[place] = number
    return paper.document()


def finished(names: tuple[str, ...] = ("Tim", "Sarah")) -> dict[str, Any]:
    """A record that the first player ends with four failed attempts; the others share the win."""
    first, *others = names
    actions: list[Action] = []
    for number in (1, 2, 3, 4):
        actions += [roll(first, orange=number), passes(first), NEXT]
        for name in others if number < 4 else ():
            dice = {"orange": 2 * number, "yellow": number}
            actions += [roll(name, **dice), write(name, "orange", number), NEXT]
    return record_of(names, actions)
