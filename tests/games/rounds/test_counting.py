"""Known games: an example of each way to count, what does not add up, and random rounds.

The examples follow the ways to count that docs/rules.md describes, with its sources.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from companion.games.rounds import GAME
from companion.games.rounds.counting import KNOWN, known_by_title
from lab.oracles.counted_rounds import HOW, Round
from lab.play import after, code

ADA, BEN, CLEO = "Ada", "Ben", "Cleo"
NAMES = (ADA, BEN, CLEO, "Dora", "Emil")
Action = dict[str, Any]


def begun(game: str, *names: str, **options: Any) -> Any:
    return GAME.start(names or (ADA, BEN, CLEO), {**KNOWN[game].options, **options})


def said(what: str, *numbers: Any) -> list[Action]:
    """Answers of Ada, Ben and so on; None for a player who is not awaited."""
    pairs = zip(NAMES, numbers, strict=False)
    return [{"do": what, "by": name, what: n} for name, n in pairs if n is not None]


def closed(player: str) -> list[Action]:
    return [{"do": "closed", "player": player}]


@pytest.mark.parametrize(
    ("game", "actions", "totals"),
    [
        # Made: 20 and 10 a trick; missed: 10 for each trick off. Cleo has the trick that is left.
        ("wizard", [*said("bid", 0, 1, 1), *said("tricks", 0, 0)], [20, -10, 30]),
        # The only trick is Ada's, so nobody else is awaited.
        ("wizard", [*said("bid", 1, 1, 0), *said("tricks", 1)], [30, -10, 20]),
        # 10 a card for a bid of 0, and the bonus only for a bid that was made.
        (
            "skull-king",
            [*said("bid", 0, 1, 1), *said("tricks", 0, 1, 0), *said("bonus", 0, 30)],
            [10, 50, -10],
        ),
        ("skull-king", [*said("bid", 0, 0, 1), *said("tricks", 1, 0, 0), *said("bonus", None, 0)],
         [-10, 10, -10]),
        # The closer has twice the points, unless they are the lowest of all or not positive.
        ("skyjo", [*closed(ADA), *said("points", 12, 12, 30)], [24, 12, 30]),
        ("skyjo", [*closed(ADA), *said("points", 11, 12, 30)], [11, 12, 30]),
        ("skyjo", [*closed(ADA), *said("points", -2, -3, 30)], [-2, -3, 30]),
        ("hearts", said("points", 20, 5), [20, 5, 1]),
        ("hearts", said("points", 0, 26), [26, 0, 26]),
        ("uno", [*closed(BEN), *said("points", 20, None, 57)], [0, 77, 0]),
        ("rummy", [*closed(BEN), *said("points", 20, None, 57)], [0, 77, 0]),
        ("rummikub", [*closed(BEN), *said("points", 5, None, 16)], [-5, 21, -16]),
        ("doppelkopf", said("points", 2, -4), [2, -4, 2]),
        ("skat", said("points", 30, -15), [30, -15, -15]),
        ("phase-10", [*said("phase", True, False, True), *said("points", 0, 45, 5)], [0, 45, 5]),
        ("take-5", said("points", 0, 12, 7), [0, 12, 7]),
        ("flip-7", said("points", 0, 33, 61), [0, 33, 61]),
        ("canasta", said("points", -120, 1500, 300), [-120, 1500, 300]),
        ("farkle", said("points", 0, 500, 1050), [0, 500, 1050]),
        ("golf", said("points", -5, 12, 7), [-5, 12, 7]),
        ("mexican-train", said("points", 0, 12, 50), [0, 12, 50]),
        ("qwirkle", said("points", 12, 4, 0), [12, 4, 0]),
        ("scrabble", said("points", 50, 8, -3), [50, 8, -3]),
    ],
)  # fmt: skip
def test_a_round_is_counted_by_the_games_rules(
    game: str, actions: list[Action], totals: list[int]
) -> None:
    position = after(begun(game), *actions)
    assert position.turn == 2
    assert list(position.totals.values()) == totals


def test_every_known_game_has_an_example_and_is_found_by_its_names() -> None:
    for game in KNOWN.values():
        assert all(known_by_title(name.upper()) is game for name in game.names)
    assert {game.key for game in KNOWN.values() if not game.counting.is_plain} == set(HOW)
    assert known_by_title("Sky") is None


@pytest.mark.parametrize(("names", "rounds"), [(3, 20), (4, 15), (5, 12)])
def test_wizard_ends_when_all_cards_were_dealt(names: int, rounds: int) -> None:
    assert begun("wizard", *NAMES[:names]).most_rounds == rounds
    assert begun("wizard", rounds=3).most_rounds == 3, "as was agreed"


@pytest.mark.parametrize(
    ("game", "before", "wrong", "right"),
    [
        ("hearts", said("points", 20), ("points", 7), 6),
        ("wizard", [*said("bid", 0, 0, 0)], ("tricks", 2), 1),
        ("skyjo", closed(ADA), ("points", 141), 140),
    ],
)
def test_numbers_that_do_not_add_up_are_refused_and_can_be_typed_again(
    game: str, before: list[Action], wrong: tuple[str, int], right: int
) -> None:
    position, (what, number) = after(begun(game), *before), wrong
    refused = code(position, {"do": what, "by": BEN, what: number})
    assert refused in ("does-not-add-up", "points-out-of-range")
    assert code(position, {"do": what, "by": BEN, what: right}) is None


def test_phase_10_is_won_by_the_lowest_of_those_who_did_the_last_phase() -> None:
    """Ada has fewer points, but only nine phases."""
    position = begun("phase-10", ADA, BEN)
    for number in range(1, 11):
        position = after(position, *said("phase", number > 1, True), *said("points", 0, 50))
    assert (position.over, position.winners()) == (True, (BEN,))
    assert position.totals == {ADA: 0, BEN: 500}


def test_nobody_joins_while_a_round_is_open() -> None:
    join = {"do": "join", "player": "Zoe", "points": 0}
    open_ = after(begun("uno"), *closed(ADA))
    assert code(open_, join) == "wrong-moment"
    closed_ = after(open_, *said("points", None, 1, 2), join)
    assert closed_.awaited == (BEN, CLEO, "Zoe", ADA)


@pytest.mark.parametrize("game", HOW)
def test_rules_and_referee_agree_on_random_rounds(game: str) -> None:
    """Some answers are of another kind, too early, or too large a number."""
    for seed in range(40):
        chance = random.Random(seed)
        names = NAMES[: chance.choice([2, 3, 5])]
        position = begun(game, *names, to=0, rounds=0)
        totals, shown = dict.fromkeys(names, 0), 0
        while shown < 6 and not position.over:
            number = position.turn
            referee = Round(game, list(names), number)
            while (asked := referee.asks())[1]:
                what, left = asked
                assert (position.step_name, set(position.awaited)) == (what, set(left))
                position = _answer(position, referee, chance)
            totals = {name: totals[name] + points for name, points in referee.points().items()}
            assert position.totals == totals
            assert position.over or position.turn == number + 1
            shown += 1


def _answer(position: Any, referee: Round, chance: random.Random) -> Any:
    """The position after an answer that the referee takes, and after some that it refuses."""
    what, left = referee.asks()
    least, most = referee.limits(what)
    while True:
        name = chance.choice(left)
        number: Any = chance.randint(least - 1, min(most, 30) + 1)
        if what == "closed":
            action = {"do": what, "player": name}
        elif what == "phase":
            number = chance.random() < 0.6
            action = {"do": what, "by": name, what: number}
        else:
            action = {"do": what, "by": name, what: number}
        if what in ("closed", "phase"):
            is_legal = True
        elif what == "bonus" or (least != -99 and what == "points" and most == 99):
            is_legal = number >= 0  # the only limit that a typed number can break here
        elif least == -99:
            is_legal = referee.adds_up(what, name, number)
        else:
            is_legal = least <= number <= most and referee.adds_up(what, name, number)
        assert (code(position, action) is None) == is_legal, (action, position.typed)
        for other in ("bid", "tricks", "phase", "bonus"):
            if other != what:
                assert code(position, {"do": other, "by": name, other: 0}) is not None
        if is_legal:
            referee.answers(what, name, int(number))
            return after(position, action)
