"""Games of Qwinto with dice to test with: actions by name, and random sheets, actions and games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from companion.core.position import Turn
from companion.games.qwinto.sheet import QwintoSheet
from companion.games.qwinto_dice import GAME
from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit import play
from tests.kit.oracles.qwinto import PLACES, PRINTED, Paper, Referee, name_of
from tests.kit.play import NEXT, after, code, passes
from tests.kit.wide import examples

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


def steady(number: int, **more: Any) -> settings:
    """The same examples on every run, so that a failure in CI is a failure here."""
    return settings(
        max_examples=examples(number),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        **more,
    )


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
    """A game before its first roll; whoever is named with a sheet starts with it filled in."""
    papers = (QwintoSheet.from_document(sheets.get(player, document())) for player in players)
    return QwintoDice(now=Turn(players), sheets=tuple(papers))


def compare(position: QwintoDice, referee: Referee) -> None:
    """Everything that a position tells must be what the referee tells."""
    story = referee.story()
    assert position.turn == story.turn
    assert position.active == story.active
    assert position.over == story.over
    assert set(position.waiting) == (set() if story.over else set(referee.players) - story.acted)
    assert list(position.winners()) == referee.winners()
    if not story.over:
        assert position.called == (sum(story.rolls[-1].values()) if story.rolls else None)
        assert position.may_reroll == (len(story.rolls) == 1 and not story.acted)
    for player in referee.players:
        assert position.sheet(player) == story.papers[player].document()
        assert position.score(player) == story.papers[player].score()


def compare_open_fields(position: QwintoDice, referee: Referee, player: str) -> None:
    fields = position.open_fields(player)
    assert len(fields) == len(set(fields))
    assert set(fields) == referee.open_fields(player)


# Random values, none of them weighted by what is legal.

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    # No 6.0: JSON knows one kind of number, and the interface does not say what a 6.0 is.
    st.floats().filter(lambda value: not value.is_integer()),
    st.text(max_size=5),
    st.sampled_from(["\ud800", "", " ", "orange", "6", "%(player)s", 10**40, -1, 0]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


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


# Whole games.


def whole_game(referee: Referee, chance: random.Random) -> Iterator[Action]:
    """Legal actions until the game is over; the caller has the referee take each one down."""
    careless = chance.choice([0.0, 0.3])
    while not referee.story().over:
        yield sensible(referee, chance, careless)


def sensible(referee: Referee, chance: random.Random, careless: float) -> Action:
    """A legal action that gets on.

    The dice are lucky: they often show what somebody lacks, or no row would ever be full.
    """
    story = referee.story()
    if not story.rolls or (not story.acted and len(story.rolls) < 2 and chance.random() < 0.2):
        return _lucky_roll(referee, chance)
    if story.active in story.acted and chance.random() < 0.1:
        return NEXT
    player = chance.choice([name for name in referee.players if name not in story.acted])
    return _entry(referee, player, careless, chance)


def _lucky_roll(referee: Referee, chance: random.Random) -> Action:
    """A roll of a number that the active player lacks in some row."""
    story = referee.story()
    paper = story.papers[story.active]
    gaps = [place for place in PLACES if place not in paper.written]
    if story.rolls:
        gaps = [place for place in gaps if place[0] in story.rolls[0]] or gaps
    row, field = name_of(chance.choice(gaps)).split(".")
    number = int(field) * 2 - chance.randint(0, 1)
    colors = set(story.rolls[0]) if story.rolls else {row}
    while not story.rolls and (len(colors) * 6 < number or chance.random() < 0.2):
        colors.add(chance.choice(sorted(PRINTED)))
    dice = {color: chance.randint(1, 6) for color in sorted(colors)}
    for color, value in dice.items():
        dice[color] = min(6, max(1, value + number - sum(dice.values())))
    return roll(story.active, **dice)


def _entry(referee: Referee, player: str, careless: float, chance: random.Random) -> Action:
    called = sum(referee.story().rolls[-1].values())
    fields = sorted(referee.open_fields(player))
    near = [entry for entry in fields if entry[1] * 2 - 2 <= called <= entry[1] * 2 + 1]
    if not fields or chance.random() < careless / 2 or (not near and chance.random() >= careless):
        return passes(player)
    return write(player, *chance.choice(near or fields))


def record_of(players: list[str], actions: list[Any], game: str = GAME.name) -> dict[str, Any]:
    """A record document."""
    return play.record_of(game, actions, players)
