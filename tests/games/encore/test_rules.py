"""Encore!: the rule text's examples, who may use which dice, claims, the end, every refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.core.position import Turn
from companion.core.refusal import Refusal
from companion.core.words import english
from companion.games.encore import GAME
from companion.games.encore.boards import BOARDS, BY_COLUMN
from companion.games.encore.dice import DiceChoice
from companion.games.encore.rules import Encore
from tests.kit.play import NEXT, after, code, passes

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


# The rule text's examples

DAVEBO = after(game("Davebo", "Ann"), roll("Davebo", "yellow orange blue", "5 2 1"))


def test_choice_a_five_yellow_boxes() -> None:
    """“One choice (A) is to choose and check off five yellow boxes, which he can do because at
    least one of the checked boxes is in the 'H' column.”
    """
    ways = DAVEBO.crossings("Davebo", DiceChoice("yellow", 5, "yellow"))
    assert set(ways) == sets("H6 I6 H7 I7 J7")
    assert code(DAVEBO, cross("Davebo", "yellow 5", "J7 I7 I6 H6 H7")) is None


def test_choice_b_two_orange_boxes() -> None:
    """“He would have crossed off the entire 2-orange color block, which he can do because it is at
    least partially in Column 'H'. [Orange and 5] could not be chosen, for, there's no space along
    the H column to check off 5 orange boxes.”
    """
    assert set(DAVEBO.crossings("Davebo", DiceChoice("orange", 2, "orange"))) == sets("G2 H2")
    assert code(DAVEBO, cross("Davebo", "orange 2", "H2 G2")) is None
    assert DAVEBO.crossings("Davebo", DiceChoice("orange", 5, "orange")) == ()
    assert DiceChoice("orange", 5, "orange") not in DAVEBO.choices("Davebo")


def test_choice_c_two_of_four_blue_boxes() -> None:
    """“He can do this because one of the boxes was in the 'H' column, and both checks made were
    connected. Checking off all 4 blue boxes would not have been possible [...] because the entire
    value must be used.”
    """
    assert code(DAVEBO, cross("Davebo", "blue 2", "H4 G4")) is None
    assert code(DAVEBO, cross("Davebo", "blue 2", "H4 G4 H5 G5")) == "wrong-count"


def test_the_rest_of_the_block_needs_another_2_or_two_1s() -> None:
    """“If Davebo chose Option C, in order to complete the 4-blue color block, he would later need
    to choose [2] again, or [1] in two separate turns.”
    """
    position = crossed(DAVEBO, "Davebo", "H4 G4")
    assert set(position.crossings("Davebo", DiceChoice("blue", 2, "blue"))) == sets("H5 G5")
    assert set(position.crossings("Davebo", DiceChoice("blue", 1, "blue"))) == sets("H5", "G5")


def test_blue_and_2_are_two_adjacent_blue_boxes() -> None:
    """“The player chooses 'blue' and '2'. He must now check two adjacent blue boxes.”"""
    ways = DAVEBO.crossings("Davebo", DiceChoice("blue", 2, "blue"))
    assert set(ways) == sets("H4 G4", "H4 H5", "H5 G5")
    assert code(DAVEBO, cross("Davebo", "blue 2", "H4 G5")) == "not-connected"


COLUMN_E = "E1 E2 E3 E4 E5 E6"


def test_column_e_is_full() -> None:
    """“Davebo just checked the 3 blue boxes and filled a column. He lets the other players know
    'Column E is full' and circles the 2 points. The other players cross out the 2, they can only
    reach 1 point in column E.”
    """
    position = crossed(game("Davebo", "Ann"), "Davebo", COLUMN_E)
    position = crossed(position, "Ann", COLUMN_E)
    position = after(position, roll("Davebo", "blue red red", "3 4 4"))
    position = after(position, cross("Davebo", "blue 3", "D7 E7 F7"))
    assert position.sheet("Davebo")["columns"] == {"E": "first"}, "as if the turn closed now"
    assert position.score("Davebo")["columns"] == 2
    assert position.crossed_out("Ann") == (), "she may still fill it in the same turn"
    position = after(position, NEXT)
    assert position.sheet("Davebo")["columns"] == {"E": "first"}
    assert position.crossed_out("Ann") == ("column.E.first",)
    assert position.crossed_out("Davebo") == ()
    position = after(position, roll("Ann", "blue red red", "3 4 4"))
    position = after(position, cross("Ann", "blue 3", "D7 E7 F7"), NEXT)
    assert position.sheet("Ann")["columns"] == {"E": "later"}
    assert position.score("Ann")["columns"] == 1
    assert position.crossed_out("Ann") == ("column.E.first",)


# Claims


def test_who_fills_a_column_in_the_same_turn_gets_the_higher_value_too() -> None:
    """“If multiple players complete a column on the same turn, all receive the higher points.”"""
    position = game("Ada", "Ben", "Cy")
    for player in position.players:
        position = crossed(position, player, COLUMN_E)
    position = after(position, roll("Ada", "blue red red", "1 4 4"))
    position = after(position, cross("Ada", "blue 1", "E7"), cross("Ben", "blue 1", "E7"), NEXT)
    assert position.sheet("Ada")["columns"] == {"E": "first"}
    assert position.sheet("Ben")["columns"] == {"E": "first"}
    assert position.sheet("Cy")["columns"] == {}
    assert position.crossed_out("Cy") == ("column.E.first",)


def test_several_columns_in_one_turn() -> None:
    """“In one turn, a player may complete multiple columns, and claim multiple points.”"""
    boxes = [*BY_COLUMN["D"] - {"D7"}, *BY_COLUMN["E"] - {"E7"}]
    position = crossed(game("Ada", "Ben"), "Ada", " ".join(boxes))
    position = after(position, roll("Ada", "blue red red", "2 4 4"))
    position = after(position, cross("Ada", "blue 2", "D7 E7"))
    assert position.sheet("Ada")["columns"] == {"D": "first", "E": "first"}
    assert position.score("Ada")["columns"] == 3 + 2


def test_color_bonus() -> None:
    """“If they are the first to do so, they circle the higher value. [...] All other players that
    accomplish that color get the lower value, it is never crossed out.”
    """
    blue = " ".join(BLACK.by_color["blue"] - {"O4"})
    position = crossed(crossed(game("Ada", "Ben"), "Ada", f"{blue} O3"), "Ben", f"{blue} O3")
    position = after(position, roll("Ada", "blue red red", "1 4 4"), cross("Ada", "blue 1", "O4"))
    assert position.sheet("Ada")["colors"] == {"blue": "first"}
    position = after(position, NEXT)
    assert position.score("Ada")["colors"] == 5
    assert position.crossed_out("Ben") == ("color.blue.first",)
    position = after(position, roll("Ben", "blue red red", "1 4 4"), cross("Ben", "blue 1", "O4"))
    assert position.sheet("Ben")["colors"] == {"blue": "later"}
    assert position.score("Ben")["colors"] == 3


# The dice


def test_in_the_first_three_turns_everybody_has_all_six_dice() -> None:
    """“For the first three turns (the first three active players), all players may choose a
    combination [...] from all six of the thrown dice. Players may choose the same combinations.”
    """
    for turn in (1, 2, 3):
        position = after(game("Ada", "Ben", turn=turn), roll("Ada", "blue red red", "2 4 4"))
        assert code(position, cross("Ben", "blue 2", "H4 G4")) is None, "not even after Ada"
        position = after(position, cross("Ada", "blue 2", "H4 G4"))
        assert code(position, cross("Ben", "blue 2", "H4 G4")) is None


def test_from_the_fourth_turn_on_the_active_player_takes_two_dice_away() -> None:
    """“The only dice 'removed' are those selected by the active player.”"""
    position = after(game("Ada", "Ben", turn=4), roll("Ada", "blue red joker", "2 4 joker"))
    assert code(position, cross("Ben", "blue 2", "H4 G4")) == "active-first"
    assert position.choices("Ben") == ()
    assert code(position, passes("Ben")) is None, "who passes needs no dice"
    position = after(position, cross("Ada", "blue 2", "H4 G4"))
    assert position.dice_left("Ben") == (("red", "joker"), (4, "joker"))
    assert position.dice_left("Ada") == (("blue", "red", "joker"), (2, 4, "joker"))
    assert code(position, cross("Ben", "blue joker", "H4 G4")) == "die-not-available"
    assert code(position, cross("Ben", "joker 2", "H4 G4", "blue")) == "die-not-available"
    assert code(position, cross("Ben", "joker joker", "H4 G4", "blue")) is None


def test_of_two_equal_dice_one_stays() -> None:
    position = after(game("Ada", "Ben", turn=9), roll("Ada", "blue blue red", "2 2 4"))
    position = after(position, cross("Ada", "blue 2", "H4 G4"))
    assert position.dice_left("Ben") == (("blue", "red"), (2, 4))
    assert code(position, cross("Ben", "blue 2", "H4 G4")) is None


def test_a_joker_that_the_active_player_takes_is_gone_too() -> None:
    position = after(game("Ada", "Ben", turn=4), roll("Ada", "blue red joker", "2 4 joker"))
    position = after(position, cross("Ada", "joker joker", "H4 G4", "blue"))
    assert position.dice_left("Ben") == (("blue", "red"), (2, 4))


def test_who_passes_takes_no_dice() -> None:
    """“If the active player chooses to take no dice, the other players may choose a combination
    from all of the six dice.”
    """
    position = after(game("Ada", "Ben", turn=4), roll("Ada", "blue red red", "2 4 4"))
    position = after(position, passes("Ada"))
    assert position.dice_left("Ben") == (("blue", "red", "red"), (2, 4, 4))
    assert code(position, cross("Ben", "blue 2", "H4 G4")) is None


def test_the_fourth_turn_is_the_fourth_of_the_game() -> None:
    position = game("Ada", "Ben")
    for turn in range(1, 6):
        position = after(position, roll(position.active, "blue red red", "2 4 4"))
        assert position.active_comes_first == (turn > 3)
        position = after(position, passes(position.active), NEXT)


# Jokers


def test_a_joker_costs_an_exclamation_mark() -> None:
    """“For each joker which a player uses, they must cross out an exclamation mark.”"""
    position = after(game("Ada", "Ben"), roll("Ada", "joker red red", "joker 1 1"))
    position = after(position, cross("Ada", "joker joker", "H2 G2", "orange"))
    position = after(position, cross("Ben", "joker 1", "H2", "orange"))
    assert position.sheet("Ada")["jokers_used"] == 2
    assert position.sheet("Ben")["jokers_used"] == 1
    assert position.score("Ada")["jokers"] == 6


@pytest.mark.parametrize(("used", "dice"), [(8, "joker 1"), (8, "red joker"), (7, "joker joker")])
def test_no_exclamation_marks_left(used: int, dice: str) -> None:
    """“If they no longer have any exclamation points, they can no longer use jokers.”"""
    position = crossed(game("Ada", "Ben"), "Ada", jokers_used=used)
    position = after(position, roll("Ada", "joker red red", "joker 1 1"))
    assert code(position, cross("Ada", dice, "H3", "red")) == "no-jokers-left"
    assert DiceChoice(*dice.split(), "red") not in position.choices("Ada")
    assert code(position, cross("Ada", "red 1", "H3")) is None


def test_a_joker_is_no_6() -> None:
    """“You may not choose '6' even if you wish to fill in a block of 6 boxes.”"""
    position = crossed(game("Ada", "Ben"), "Ada", "C1")
    position = after(position, roll("Ada", "joker yellow red", "joker 1 1"))
    block = "D1 E1 E2 F1 F2 G1"
    assert code(position, cross("Ada", "yellow joker", block)) == "wrong-count"
    assert code(position, cross("Ada", "yellow joker", block.removesuffix(" G1"))) is None


# Where crosses may go


def test_a_later_crossing_may_start_in_column_h_again() -> None:
    """“[...] adjacent to at least one already checked box, or start in the Start Column (H).”"""
    position = crossed(DAVEBO, "Davebo", "H7")
    assert code(position, cross("Davebo", "blue 1", "H4")) is None
    assert code(position, cross("Davebo", "blue 1", "G4")) == "not-adjacent"


def test_older_crosses_do_not_join_the_boxes_of_a_crossing() -> None:
    """“All checks made in a turn must connect to each other, in one 'clump'.”"""
    position = crossed(DAVEBO, "Davebo", "H4")
    assert code(position, cross("Davebo", "blue 2", "G4 H5")) == "not-connected"


def test_diagonals_do_not_count() -> None:
    position = crossed(DAVEBO, "Davebo", "H6")
    assert code(position, cross("Davebo", "blue 1", "G5")) == "not-adjacent"


# What the boxes tapped so far can become


@pytest.mark.parametrize("boxes", ["", "H4", "G4", "G4 H4"])
def test_tapping_towards_a_crossing(boxes: str) -> None:
    blue = DiceChoice("blue", 2, "blue")
    assert DAVEBO.dead_end("Davebo", blue, frozenset(boxes.split())) is None


@pytest.mark.parametrize(
    ("dice", "boxes", "expected"),
    [
        ("blue 2", "H4 L6", "not-connected"),
        ("blue 2", "L6", "not-adjacent"),
        ("blue 2", "L6 M6", "not-adjacent"),
        ("blue 2", "H4 G4 G5", "wrong-count"),
        ("blue 5", "H4", "wrong-count"),
        ("orange 5", "", "wrong-count"),
        ("blue 2", "H1", "wrong-color"),
        ("blue 2", "P1", "no-such-box"),
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


def test_taps_on_a_crossed_box() -> None:
    position, blue = crossed(DAVEBO, "Davebo", "H4"), DiceChoice("blue", 2, "blue")
    refused = position.dead_end("Davebo", blue, frozenset({"H4"}))
    assert refused is not None
    assert refused.code == "box-taken"


# The fingerprint


def test_the_fingerprint_is_what_all_players_share() -> None:
    for turn, shared in ((3, False), (4, True)):
        start = game("Ada", "Ben", "Cy", turn=turn)
        rolled = after(start, roll("Ada", "blue red red", "2 4 4"))
        took = after(rolled, cross("Ada", "blue 2", "H4 G4"))
        passed = after(rolled, passes("Ada"))
        following = after(passed, NEXT)
        assert len({position.fingerprint for position in (start, rolled, following)}) == 3
        assert (took.fingerprint != rolled.fingerprint) == shared, "it takes dice from the others"
        assert (passed.fingerprint != rolled.fingerprint) == shared
        if shared:
            assert took.fingerprint != passed.fingerprint
        assert after(took, passes("Ben")).fingerprint == took.fingerprint
        assert after(rolled, passes("Ben")).fingerprint == rolled.fingerprint
        other = after(start, roll("Ada", "blue red red", "2 4 5"))
        assert other.fingerprint != rolled.fingerprint


# The end


def ready(player: str, position: Encore, *colors: str) -> Encore:
    """All of these colours crossed but O4 (blue) or K6 (red), with a neighbour to start from."""
    boxes = {box for color in colors for box in BLACK.by_color[color]} - {"O4", "K6"}
    return crossed(position, player, " ".join(sorted(boxes | {"O3", "J6"})))


def test_the_second_color_ends_the_game_after_the_turn() -> None:
    """“The game ends immediately after the turn in which (at least) one player succeeds in circling
    his second Color Bonus. [...] If the active player is the one to end the game, all other players
    still get a turn as usual.”
    """
    position = ready("Ada", game("Ada", "Ben"), "blue", "green")
    position = after(position, roll("Ada", "blue red red", "1 4 4"), cross("Ada", "blue 1", "O4"))
    assert not position.over
    assert position.score("Ada")["colors"] == 10, "as if the turn closed now"
    position = after(position, cross("Ben", "blue 1", "H4"))
    assert (position.over, position.turn, position.active) == (True, 1, "Ada")
    assert position.winners() == ("Ada",)
    assert position.waiting == ()
    for action in (
        roll("Ben", "blue red red", "1 4 4"),
        NEXT,
        passes("Ben"),
        cross("Ben", "red 4", "H3"),
    ):
        assert code(position, action) == "game-over"


def test_one_color_does_not_end_the_game() -> None:
    position = ready("Ada", game("Ada", "Ben"), "blue")
    position = after(position, roll("Ada", "blue red red", "1 4 4"), cross("Ada", "blue 1", "O4"))
    position = after(position, NEXT)
    assert (position.over, position.winners()) == (False, ())


def test_a_later_value_ends_it_too() -> None:
    """“(the value does not matter, either high or low)”"""
    position = ready("Ada", game("Ada", "Ben"), "blue", "green")
    position = crossed(position, "Ben", claims=(("color.blue", "first"), ("color.green", "first")))
    position = after(position, roll("Ada", "blue red red", "1 4 4"), cross("Ada", "blue 1", "O4"))
    position = after(position, NEXT)
    assert position.sheet("Ada")["colors"] == {"green": "later", "blue": "later"}
    assert position.over


@pytest.mark.parametrize(("used", "winners"), [(0, ("Ada", "Ben")), (1, ("Ben",))])
def test_a_tie_goes_to_more_jokers_then_it_is_shared(used: int, winners: tuple[str, ...]) -> None:
    """“If there is a tie, the player who has the most exclamation points wins. If there is still a
    tie, victory is shared.”
    """
    position = game("Ada", "Ben")
    for player in position.players:
        position = ready(player, position, "blue", "green")
    # A joker fewer, and a point more for it: column H, first to fill it.
    if used:
        sheet = position.sheets[0]
        boxes = " ".join({*sheet.crossed, *BY_COLUMN["H"]})
        position = crossed(position, "Ada", boxes, jokers_used=1)
        sheet = position.sheets[1]
        boxes = " ".join({*sheet.crossed, *BY_COLUMN["H"]} - {"H2"})
        position = crossed(position, "Ben", boxes)
    position = after(position, roll("Ada", "blue red red", "1 4 4"))
    position = after(position, cross("Ada", "blue 1", "O4"), cross("Ben", "blue 1", "O4"))
    assert position.over
    assert position.score("Ada")["total"] == position.score("Ben")["total"]
    assert position.winners() == winners


# Every refusal

NEW = game("Ada", "Ben")
ROLLED = after(NEW, roll("Ada", "blue red joker", "2 1 joker"))
LATE = after(game("Ada", "Ben", turn=4), roll("Ada", "blue red joker", "2 1 joker"))
FAIR = cross("Ada", "blue 2", "H4 G4")


@pytest.mark.parametrize(
    ("expected", "position", "action"),
    [
        ("bad-action", NEW, roll("Ada", "blue red", "1 2 3")),
        ("bad-action", NEW, roll("Ada", "blue red red", "1 2 3 4")),
        ("not-your-turn", NEW, roll("Ben", "blue red red", "1 2 3")),
        ("wrong-moment", NEW, FAIR),
        ("wrong-moment", NEW, passes("Ada")),
        ("wrong-moment", ROLLED, roll("Ada", "blue red red", "1 2 3")),
        ("already-acted", after(ROLLED, FAIR), FAIR),
        ("already-acted", after(ROLLED, passes("Ben")), passes("Ben")),
        ("active-must-act", ROLLED, NEXT),
        ("active-must-act", NEW, NEXT),
        ("active-must-act", after(LATE, passes("Ben")), NEXT),
        ("bad-dice", NEW, roll("Ada", "blue red red", "1 2 6")),
        ("die-not-available", ROLLED, cross("Ada", "green 1", "H1")),
        ("die-not-available", ROLLED, cross("Ada", "blue 3", "H4 G4 G5")),
        ("active-first", LATE, {**FAIR, "by": "Ben"}),
        ("wrong-color", ROLLED, cross("Ada", "blue 1", "H3", "red")),
        ("wrong-color", ROLLED, cross("Ada", "blue 1", "H3")),
        ("wrong-color", ROLLED, cross("Ada", "joker 1", "H3", "blue")),
        ("wrong-color", ROLLED, cross("Ada", "joker 1", "H3", "joker")),
        ("wrong-count", ROLLED, cross("Ada", "blue 2", "H4")),
        ("wrong-count", ROLLED, cross("Ada", "blue 2", "")),
        ("wrong-count", ROLLED, cross("Ada", "blue joker", "")),
        ("no-such-box", ROLLED, cross("Ada", "blue 1", "P1")),
        ("no-such-box", ROLLED, cross("Ada", "blue 1", "H8")),
        ("box-taken", crossed(ROLLED, "Ada", "H4"), cross("Ada", "blue 1", "H4")),
        ("not-connected", ROLLED, cross("Ada", "blue 2", "H4 G5")),
        ("not-adjacent", ROLLED, cross("Ada", "blue 1", "G4")),
    ],
)
def test_refusals(expected: str, position: Encore, action: Action) -> None:
    assert code(position, action) == expected


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (cross("Ada", "blue 1", "H3"), "H3 is red, but only blue boxes may be crossed."),
        (
            cross("Ada", "blue 2", "H4"),
            "The die shows 2: exactly as many boxes must be crossed, not 1.",
        ),
        (
            cross("Ada", "blue joker", ""),
            "With the ? a player crosses from 1 to 5 boxes, not 0.",
        ),
    ],
)
def test_a_refusal_says_what_to_do(action: Action, message: str) -> None:
    refused = ROLLED.play(action)
    assert isinstance(refused, Refusal)
    assert refused.message == message


# The solo game, which only the German rules have


def solo(turn: int = 1) -> Encore:
    return game("Ada", turn=turn)


def test_a_solo_roll_shows_two_colors_and_two_numbers() -> None:
    assert code(solo(), roll("Ada", "blue blue", "1 2")) is None
    assert code(solo(), roll("Ada", "blue blue red", "1 2 3")) == "bad-action"
    assert code(game("Ada", "Ben"), roll("Ada", "blue blue", "1 2")) == "bad-action"
    rolled = after(solo(), roll("Ada", "blue joker", "1 2"))
    assert code(rolled, cross("Ada", "red 1", "H3")) == "die-not-available"
    assert after(rolled, cross("Ada", "blue 2", "H4 H5")).turn == 2


def test_every_solo_claim_has_the_higher_value() -> None:
    boxes = sorted(BY_COLUMN["H"] - {"H4"})
    position = crossed(solo(), "Ada", " ".join(boxes))
    position = after(position, roll("Ada", "blue red", "1 2"), cross("Ada", "blue 1", "H4"))
    assert position.sheet("Ada")["columns"] == {"H": "first"}
    assert position.crossed_out("Ada") == ()


def test_two_complete_colors_do_not_end_a_solo_game() -> None:
    both = BLACK.by_color["blue"] | BLACK.by_color["red"]
    position = crossed(solo(), "Ada", " ".join(sorted(both)))
    position = after(position, roll("Ada", "blue red", "1 2"), passes("Ada"))
    assert not position.over
    assert position.score("Ada")["colors"] == 10


def test_a_solo_game_ends_with_the_thirtieth_roll() -> None:
    position = after(solo(29), roll("Ada", "blue red", "1 2"), passes("Ada"))
    assert not position.over
    position = after(position, roll("Ada", "blue red", "1 2"), passes("Ada"))
    assert (position.over, position.turn, position.winners()) == (True, 30, ("Ada",))


def test_a_solo_game_ends_when_no_box_is_left() -> None:
    boxes = sorted(set(BLACK.colors) - {"O7"})
    position = crossed(solo(), "Ada", " ".join(boxes))
    position = after(position, roll("Ada", "orange red", "1 2"), cross("Ada", "orange 1", "O7"))
    assert position.over
    assert [text.translated(english, "") for text in GAME.panel.ended(position)] == [
        "Every box is crossed."
    ]


@pytest.mark.parametrize(
    ("total", "stars"),
    [(60, "4"), (41, "4"), (40, "3½"), (33, "3½"), (32, "3"), (28, "2½"), (21, "2½"), (20, "2"),
     (16, "1½"), (9, "1½"), (8, "1"), (4, "½"), (1, "½"), (0, "0")],
)  # fmt: skip
def test_the_rating_of_a_solo_game(total: int, stars: str) -> None:
    assert GAME.rating is not None
    assert GAME.rating(total).translated(english, "") == f"Rating: {stars} of 4 stars"
    assert "lightning" in GAME.rating(-1).translated(english, "")
