"""Encore!: the rule text's examples, what taps become, rare refusals, and the solo game."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.core.position import Turn
from companion.core.refusal import Refusal
from companion.games.encore import GAME
from companion.games.encore.boards import BOARDS
from companion.games.encore.dice import DiceChoice
from companion.games.encore.rules import Encore
from lab.play import after, code, passes, said

Action = dict[str, Any]

BLACK = BOARDS["black"]


def game(*players: str, turn: int = 1) -> Encore:
    """A game before the roll of a turn; everybody's sheet is empty and the first is active."""
    position = GAME.start(players, {"board": "black"})
    assert isinstance(position, Encore)
    return replace(position, now=Turn(players, turn))


def crossed(position: Encore, player: str, boxes: str = "", **more: Any) -> Encore:
    """The position with other crosses, or more, on a player's sheet."""
    place = position.players.index(player)
    sheets = list(position.sheets)
    sheets[place] = replace(sheets[place], crossed=tuple(boxes.split()), **more)
    return replace(position, sheets=tuple(sheets))


def die(face: str) -> int | str:
    return int(face) if face.isdigit() else face


def roll(by: str, colors: str, numbers: str) -> Action:
    """`roll("Ada", "blue blue joker", "1 2 joker")`."""
    faces = [die(face) for face in numbers.split()]
    return {"do": "roll", "by": by, "colors": colors.split(), "numbers": faces}


def cross(by: str, dice: str, boxes: str, paint: str | None = None) -> Action:
    """`cross("Ada", "blue 2", "H4 G4")`; `paint` is the colour when the die is the joker."""
    color, number = dice.split()
    return {
        "do": "cross",
        "by": by,
        "color_die": color,
        "number_die": die(number),
        "color": paint or color,
        "boxes": boxes.split(),
    }


def sets(*boxes: str) -> set[frozenset[str]]:
    return {frozenset(names.split()) for names in boxes}


# The rule text's examples, and its sentences

DAVEBO = after(game("Davebo", "Ann"), roll("Davebo", "yellow orange blue", "5 2 1"))


@pytest.mark.parametrize(
    ("crosses", "dice", "ways"),
    [
        # “One choice (A) is to choose and check off five yellow boxes, which he can do because at
        # least one of the checked boxes is in the 'H' column.”
        ("", "yellow 5", sets("H6 I6 H7 I7 J7")),
        # “[Orange and 5] could not be chosen, for, there's no space along the H column to check off
        # 5 orange boxes.”
        ("", "orange 2", sets("G2 H2")),
        ("", "orange 5", set()),
        # “The player chooses 'blue' and '2'. He must now check two adjacent blue boxes.”
        ("", "blue 2", sets("H4 G4", "H4 H5", "H5 G5")),
        # “If Davebo chose Option C, in order to complete the 4-blue color block, he would later
        # need to choose [2] again, or [1] in two separate turns.”
        ("H4 G4", "blue 2", sets("H5 G5")),
        ("H4 G4", "blue 1", sets("H5", "G5")),
        # “All checks made in a turn must connect to each other, in one 'clump'”: an older cross
        # does not join G4 and H5.
        ("H4", "blue 2", sets("H5 G5", "G4 G5")),
        # “[...] adjacent to at least one already checked box, or start in the Start Column (H).”
        ("H6", "blue 1", sets("H4", "H5")),
    ],
)
def test_ways_to_cross(crosses: str, dice: str, ways: set[frozenset[str]]) -> None:
    position = crossed(DAVEBO, "Davebo", crosses)
    color, number = dice.split()
    choice = DiceChoice(color, int(number), color)
    assert set(position.crossings("Davebo", choice)) == ways
    assert (choice in position.choices("Davebo")) == bool(ways)
    for way in ways:
        assert code(position, cross("Davebo", dice, " ".join(way))) is None


# What the boxes tapped so far can become


@pytest.mark.parametrize(
    ("dice", "boxes", "expected"),
    [
        ("blue 2", "H4 L6", "not-connected"),
        ("blue 2", "L6 M6", "not-adjacent"),
        ("blue 5", "H4", "wrong-count"),
        ("orange 5", "", "wrong-count"),
        ("blue 2", "H1", "wrong-color"),
        ("blue 2", "H5 G4 H5 A1", "wrong-color"),
        ("red 2", "H3", "die-not-available"),
    ],
)
def test_taps_that_lead_nowhere(dice: str, boxes: str, expected: str) -> None:
    color, number = dice.split()
    choice = DiceChoice(color, int(number), color)
    refused = DAVEBO.dead_end("Davebo", choice, frozenset(boxes.split()))
    assert refused is not None
    assert refused.code == expected
    assert refused.message


# The fingerprint


def test_the_fingerprint_is_what_all_players_share() -> None:
    """From the fourth turn on, the active player's cross takes dice from the others."""
    for turn, shared in ((3, False), (4, True)):
        start = game("Ada", "Ben", "Cy", turn=turn)
        rolled = after(start, roll("Ada", "blue red red", "2 4 4"))
        took = after(rolled, cross("Ada", "blue 2", "H4 G4"))
        passed = after(rolled, passes("Ada"))
        other = after(start, roll("Ada", "blue red red", "2 4 5"))
        known = {position.fingerprint for position in (start, rolled, took, passed, other)}
        assert len(known) == (5 if shared else 3)


ROLLED = after(game("Ada", "Ben"), roll("Ada", "blue red joker", "2 1 joker"))


JOKERS = after(game("Ada", "Ben"), roll("Ada", "joker yellow red", "joker 1 1"))


@pytest.mark.parametrize(
    ("expected", "position", "action"),
    [
        # “Checking off all 4 blue boxes would not have been possible [...] because the entire value
        # must be used.”
        ("wrong-count", DAVEBO, cross("Davebo", "blue 2", "H4 G4 H5 G5")),
        # “You may not choose '6' even if you wish to fill in a block of 6 boxes.”
        ("wrong-count", crossed(JOKERS, "Ada", "C1"),
         cross("Ada", "yellow joker", "D1 E1 E2 F1 F2 G1")),
        # “If they no longer have any exclamation points, they can no longer use jokers.”
        *(("no-jokers-left", crossed(JOKERS, "Ada", jokers_used=used),
           cross("Ada", dice, "H3", "red"))
          for used, dice in ((8, "joker 1"), (8, "red joker"), (7, "joker joker"))),
        ("wrong-color", ROLLED, cross("Ada", "blue 1", "H3", "red")),
        ("not-adjacent", crossed(DAVEBO, "Davebo", "H6"), cross("Davebo", "blue 1", "G5")),
        ("not-connected", crossed(DAVEBO, "Davebo", "H4"), cross("Davebo", "blue 2", "G4 H5")),
        ("box-taken", crossed(ROLLED, "Ada", "H4"), cross("Ada", "blue 1", "H4")),
    ],
)  # fmt: skip
def test_refusals_that_the_referee_rarely_meets(
    expected: str, position: Encore, action: Action
) -> None:
    assert code(position, action) == expected


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (cross("Ada", "blue 1", "H3"), "H3 is red, but only blue boxes can be crossed."),
        (cross("Ada", "blue 2", "H4"),
         "The die shows 2: cross exactly that many boxes, not 1."),
        (cross("Ada", "blue joker", ""), "With the ?, cross from 1 to 5 boxes, not 0."),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_do(action: Action, message: str) -> None:
    refused = ROLLED.play(action)
    assert isinstance(refused, Refusal)
    assert refused.message == message


# The solo game, which only the German rules have


def test_a_solo_game_ends_with_the_thirtieth_roll() -> None:
    """Two complete colors do not end it."""
    both = BLACK.by_color["blue"] | BLACK.by_color["red"]
    position = crossed(game("Ada", turn=29), "Ada", " ".join(both))
    position = after(position, roll("Ada", "blue red", "1 2"), passes("Ada"))
    assert not position.over
    assert position.score("Ada")["colors"] == 10
    position = after(position, roll("Ada", "blue red", "1 2"), passes("Ada"))
    assert (position.over, position.turn, position.winners()) == (True, 30, ("Ada",))


def test_a_solo_game_ends_when_no_box_is_left() -> None:
    boxes = sorted(set(BLACK.colors) - {"O7"})
    position = crossed(game("Ada"), "Ada", " ".join(boxes))
    position = after(position, roll("Ada", "orange red", "1 2"), cross("Ada", "orange 1", "O7"))
    assert position.over
    assert [said(text) for text in GAME.panel.ended(position)] == ["Every box is crossed."]


@pytest.mark.parametrize(
    ("total", "stars"),
    [(60, "4"), (41, "4"), (40, "3½"), (33, "3½"), (32, "3"), (28, "2½"), (21, "2½"), (20, "2"),
     (16, "1½"), (9, "1½"), (8, "1"), (4, "½"), (1, "½"), (0, "0")],
)  # fmt: skip
def test_the_rating_of_a_solo_game(total: int, stars: str) -> None:
    assert said(GAME.rating(total)) == f"Rating: {stars} of 4 stars"
    assert "lightning" in said(GAME.rating(-1))
