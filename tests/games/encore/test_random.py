"""Random games of Encore!: nothing legal is refused, nothing illegal accepted, all scores agree."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companion.games.encore import GAME
from companion.games.encore.boards import BOARDS, BOXES, COLORS
from companion.games.encore.dice import COLOR_FACES, COUNTS, NUMBER_FACES, DiceChoice
from companion.games.encore.rules import Encore
from tests.kit.games import steady
from tests.kit.oracles.encore import BLACK, Action, Print, Referee
from tests.kit.play import code
from tests.kit.sheets import scored

NAMES = ["Ada", "Ben", "Cy", "Di", "Eva", "Flo"]


def printed(board: str) -> Print:
    """The referee's sheet: its own for the black board, else our colours with its points."""
    if board == "black":
        return BLACK
    own = BOARDS[board]
    return Print(dict(own.colors), own.stars, BLACK.first, BLACK.later)


def wild(referee: Referee, chance: random.Random) -> Action:
    """An action that may be illegal in any way."""
    color = chance.choice([*COLORS, *COLORS, "joker", "pink"])
    number = chance.choice([*COUNTS, "joker", 6, "2", None])
    boxes = chance.sample(BOXES, chance.randint(0, 5))
    if chance.random() < 0.7 and color in COLORS and number in COUNTS:
        boxes = sorted(chance.choice(BOARDS["black"].shapes(color, number)))
    return {
        "do": chance.choice(["roll", "cross", "cross", "cross", "pass", "next", "write"]),
        "by": chance.choice([*referee.players, "Nobody", None]),
        "colors": chance.choices([*COLOR_FACES, "pink"], k=chance.choice([3, 3, 3, 2])),
        "numbers": chance.choices([*NUMBER_FACES, 6], k=chance.choice([3, 3, 3, 4])),
        "color_die": chance.choice([color, color, "joker"]),
        "number_die": number,
        "color": color,
        "boxes": boxes + (boxes[:1] if chance.random() < 0.05 else []),
    }


def crossing(
    player: str, position: Encore, referee: Referee, chance: random.Random
) -> list[Action]:
    """One of the player's biggest crossings of some choice, if there is one."""
    choices = position.choices(player)
    if not choices:
        return []
    choice = chance.choice(choices)
    ways = position.crossings(player, choice)
    biggest = [way for way in ways if len(way) == max(map(len, ways))]
    boxes = sorted(chance.choice(sorted(biggest, key=sorted)))
    chance.shuffle(boxes)
    return [
        {
            "do": "cross",
            "by": player,
            "color_die": choice.color_die,
            "number_die": choice.number_die,
            "color": choice.color,
            "boxes": boxes,
        }
    ]


def sensible(position: Encore, referee: Referee, chance: random.Random) -> Action:
    """Something that a player who wants to get on would do."""
    if referee.roll is None:
        faces = (
            chance.choices(COLOR_FACES, k=position.dice),
            chance.choices(NUMBER_FACES, k=position.dice),
        )
        return {"do": "roll", "by": referee.active, "colors": faces[0], "numbers": faces[1]}
    waiting = [player for player in referee.players if player not in referee.acted]
    actions = [
        action for player in waiting for action in crossing(player, position, referee, chance)
    ]
    if not actions or chance.random() < 0.1:
        actions = [{"do": "pass", "by": player} for player in waiting]
        actions += [{"do": "next"}] if referee.active in referee.acted else []
    return chance.choice(actions)


def test_a_solo_game_is_the_referee_s() -> None:
    """Often enough for full columns and colours, and for the thirtieth roll."""
    for seed in range(6):
        test_a_whole_game_is_the_referee_s.hypothesis.inner_test(1, "black", seed)


@steady(14)
@given(players=st.integers(1, 6), board=st.sampled_from(list(BOARDS)), seed=st.integers(0, 2**32))
def test_a_whole_game_is_the_referee_s(players: int, board: str, seed: int) -> None:
    names, chance = NAMES[:players], random.Random(seed)
    referee = Referee(names, printed(board))
    position = GAME.start(tuple(names), {"board": board})
    assert isinstance(position, Encore)
    while not referee.over:
        for _ in range(3):
            action = wild(referee, chance)
            reasons, refused = referee.why_not(action), code(position, action)
            assert (refused in reasons) if reasons else (refused is None), action
        action = sensible(position, referee, chance)
        assert not referee.why_not(action), "what the position offers is allowed"
        referee.happens(action)
        result = position.play(action)
        assert isinstance(result, Encore), f"{action}: {result}"
        position = result
        assert (position.turn, position.active) == (referee.turn, referee.active)
        assert position.over == referee.over
        closed = referee.roll is None or referee.over
        for player in names if closed else [action["by"]]:
            same_as(referee, position, board, player)
    assert list(position.winners()) == referee.winners()


def same_as(referee: Referee, position: Encore, board: str, player: str) -> None:
    document = position.sheet(player)
    assert document == referee.document(player, board)
    assert position.score(player) == referee.score(player)
    assert scored(document) == {
        "format": "companion-score/1",
        "problems": [],
        "score": referee.score(player),
    }
    firsts = {name for paper in referee.papers.values() for name in paper.circled}
    own = referee.papers[player].circled
    firsts -= {name for name, claim in own.items() if claim == "first"}
    assert {name.split(".")[1] for name in position.crossed_out(player)} == firsts


def test_the_choices_are_those_with_a_crossing() -> None:
    """`choices` looks once at each colour; here every pair of dice is looked at by itself."""
    chance = random.Random(7)
    for _ in range(20):
        board = chance.choice(list(BOARDS))
        position: Any = GAME.start(("Ada", "Ben"), {"board": board})
        referee = Referee(["Ada", "Ben"], printed(board))
        for _ in range(chance.randrange(1, 40)):
            action = sensible(position, referee, chance)
            referee.happens(action)
            position = position.play(action)
            if referee.over:
                break
        every = [
            DiceChoice(color_die, number_die, color)
            for color_die in COLOR_FACES
            for number_die in NUMBER_FACES
            for color in COLORS
        ]
        for player in position.players:
            choices = position.choices(player)
            assert len(set(choices)) == len(choices)
            assert set(choices) == {
                choice for choice in every if position.crossings(player, choice)
            }
