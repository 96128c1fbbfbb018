"""The rule text's chapter "End of game and scoring", sentence by sentence."""

from __future__ import annotations

import pytest

from companion.core.values import Document
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, QwintoSheet
from tests.kit.games import (
    EMPTY,
    NEXT,
    SARAH,
    Action,
    after,
    document,
    passes,
    roll,
    table,
    write,
)

FULL = (1, 2, 3, 4, 5, 6, 7, 8, 9)
OTHER_FULL = (2, 4, 6, 8, 10, 12, 14, 16, 17)
ALMOST = (*FULL[:8], None)
ONE_SHORT = document(yellow=(10, 11, 12, 13, 14, 15, 16, 17, 18), orange=ALMOST)
"""The yellow row is full, and the orange one but for its last field: a 9 or more ends the game."""


def score(sheet: Document) -> Document:
    return QwintoSheet.from_document(sheet).score()


@pytest.mark.parametrize(
    ("sheet", "finished"),
    [
        # “The game is over when a player has two colored rows completely filled out.”
        (document(orange=FULL, yellow=OTHER_FULL), True),
        (document(orange=FULL, purple=OTHER_FULL), True),
        (document(yellow=FULL, purple=OTHER_FULL), True),
        (document(orange=FULL, yellow=ALMOST, purple=ALMOST, failed=3), False),
        (document(purple=FULL), False),
        *((document(orange=FULL, yellow=(*FULL[:gap], None, *FULL[gap + 1 :])), False)
          for gap in range(9)),
        # “The game is also over when someone has recorded their fourth failed attempt.”
        (document(failed=3), False),
        (document(failed=4), True),
    ],
)  # fmt: skip
def test_which_sheets_end_the_game(sheet: Document, finished: bool) -> None:
    assert qwinto.is_finished(QwintoSheet.from_document(sheet)) == finished


@pytest.mark.parametrize("last", [passes("Sarah"), NEXT], ids=["a pass", "next"])
def test_the_game_ends_when_the_turn_that_filled_the_second_row_closes(last: Action) -> None:
    position = table("Tim", "Sarah", Tim=ONE_SHORT)
    position = after(position, roll("Tim", orange=6, yellow=6), write("Tim", "orange", 9))
    assert not position.over
    position = after(position, last)
    assert (position.over, position.turn, position.active) == (True, 1, "Tim")
    assert position.waiting == ()
    assert position.open_fields("Sarah") == ()


def test_everybody_finishes_the_turn_that_ends_the_game() -> None:
    """“a player”: anybody's second full row counts, not the active player's alone."""
    position = table("Tim", "Sarah", "Linus", Tim=ONE_SHORT, Linus=ONE_SHORT)
    position = after(position, roll("Tim", orange=6, yellow=6), write("Linus", "orange", 9))
    assert len(position.open_fields("Sarah")) == 18
    position = after(position, write("Sarah", "yellow", 5), write("Tim", "orange", 9))
    assert position.over
    assert position.winners() == ("Tim", "Linus")
    assert position.score("Sarah")["total"] == 1


def test_the_fourth_failed_attempt_ends_the_game() -> None:
    """“The game is also over when someone has recorded their fourth failed attempt.”"""
    position = table("Tim", "Sarah")
    for turn in range(1, 8):
        who = position.active
        assert (position.turn, position.over) == (turn, False)
        position = after(position, roll(who, orange=1), passes(who))
        assert not position.over
        position = after(position, NEXT)
    assert (position.over, position.turn, position.active) == (True, 7, "Tim")
    assert [position.sheet(player)["failed"] for player in position.players] == [4, 3]
    assert position.winners() == ("Sarah",)


@pytest.mark.parametrize("color", COLORS)
def test_what_a_row_scores(color: str) -> None:
    """“If a colored row contains empty fields, each entered number in this row is scored as a
    single point.” “If a colored row contains no empty fields, the number showing on the far right
    (the largest number) is scored as points.”
    """
    for count in range(9):
        row = (*EMPTY[count:], *range(18 - count, 18))
        assert score(document(**{color: row}))["rows"][color] == count
    assert score(document(**{color: FULL}))["rows"][color] == 9
    assert score(document(**{color: OTHER_FULL}))["rows"][color] == 17


@pytest.mark.parametrize(
    ("place", "column", "pentagon"),
    [
        (0, {"orange": 1, "yellow": 2, "purple": 3}, "purple"),
        (1, {"orange": 2, "yellow": 3, "purple": 4}, "orange"),
        (2, {"orange": 5, "yellow": 6, "purple": 7}, "orange"),
        (3, {"orange": 6, "yellow": 7, "purple": 8}, "yellow"),
        (4, {"orange": 7, "yellow": 8, "purple": 9}, "purple"),
    ],
)
def test_a_full_column_scores_the_number_in_its_bonus_field(
    place: int, column: dict[str, int], pentagon: str
) -> None:
    """“If all three fields in the column are filled with numbers, the number in the bonus field is
    scored as bonus points. If there are empty fields in a column, no bonus points are rewarded for
    this column.”
    """
    numbers = {"orange": 11, "yellow": 12, "purple": 13}
    sheet = document()
    for color, field in column.items():
        sheet[color][field - 1] = numbers[color]
    bonuses = [0, 0, 0, 0, 0]
    bonuses[place] = numbers[pentagon]
    assert score(sheet) == {
        "rows": {"orange": 1, "yellow": 1, "purple": 1},
        "bonuses": bonuses,
        "failed": 0,
        "total": 3 + numbers[pentagon],
    }
    for color, field in column.items():
        lacking = {**sheet, color: [None if at == field - 1 else n
                                    for at, n in enumerate(sheet[color])]}  # fmt: skip
        assert (score(lacking)["bonuses"], score(lacking)["total"]) == ([0] * 5, 2)


def test_a_full_column_of_two_fields_scores_no_bonus() -> None:
    sheet = document(yellow=(3, *EMPTY[1:]), purple=(None, 4, *EMPTY[2:]))
    assert score(sheet)["bonuses"] == [0, 0, 0, 0, 0]


def test_each_failed_attempt_costs_five_points() -> None:
    """“From this sum, subtract points for each failed attempt (-5 each).”"""
    for failed in range(5):
        scored = score(document(failed=failed))
        assert (scored["failed"], scored["total"]) == (-5 * failed, -5 * failed)


def test_sarahs_final_point_total_is_43() -> None:
    """“Sarah has entered 4 numbers in the orange row. This row is worth 4 points. In the yellow
    row, she entered a number in every field. For this row, she gets 16 points [...]. In the purple
    row, she entered 6 numbers. She receives 6 points for this row. [...] 5, 10 and 12 points. Her
    two failed attempts amount to 10 minus points. Therefore, Sarah's final point total is 43
    points.”
    """
    assert score(SARAH) == {
        "rows": {"orange": 4, "yellow": 16, "purple": 6},
        "bonuses": [0, 5, 10, 12, 0],
        "failed": -10,
        "total": 43,
    }


@pytest.mark.parametrize(
    ("linus", "winners"),
    [
        (document(), ("Sarah",)),
        ({**SARAH, "orange": [4, *SARAH["orange"][1:]]}, ("Linus",)),
        (SARAH, ("Sarah", "Linus")),
    ],
    ids=["fewer", "a single point more", "a tie"],
)
def test_the_player_with_the_most_points_wins(linus: Document, winners: tuple[str, ...]) -> None:
    """“The player with the most points wins.” Ending the game is no merit; a tie is shared."""
    position = table("Tim", "Sarah", "Linus", Tim=document(failed=4), Sarah=SARAH, Linus=linus)
    position = after(position, roll("Tim", orange=1), write("Tim", "orange", 1), NEXT)
    assert [position.score(player)["total"] for player in ("Tim", "Sarah")] == [-19, 43]
    assert position.winners() == winners
