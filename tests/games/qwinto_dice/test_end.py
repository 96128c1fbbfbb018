"""The rule text's chapter "End of game and scoring", sentence by sentence."""

import pytest

from companion.core.values import Document
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, QwintoSheet
from tests.kit.games import EMPTY, NEXT, SARAH, after, document, passes, roll, table, write

FULL = (1, 2, 3, 4, 5, 6, 7, 8, 9)
OTHER_FULL = (2, 4, 6, 8, 10, 12, 14, 16, 17)
ONE_SHORT = document(yellow=(10, 11, 12, 13, 14, 15, 16, 17, 18), orange=(*FULL[:8], None))
"""The yellow row is full, and the orange one but for its last field: a 9 or more ends the game."""


def score(sheet: Document) -> Document:
    return QwintoSheet.from_document(sheet).score()


def finished(sheet: Document) -> bool:
    return qwinto.is_finished(QwintoSheet.from_document(sheet))


@pytest.mark.parametrize("left_out", COLORS)
def test_the_game_is_over_when_a_player_has_two_full_rows(left_out: str) -> None:
    """“The game is over when a player has two colored rows completely filled out.”"""
    color, other = (color for color in COLORS if color != left_out)
    assert finished(document(**{color: FULL, other: OTHER_FULL}))


def test_one_full_row_does_not_end_the_game() -> None:
    almost = (*FULL[:8], None)
    assert not finished(document(orange=FULL, yellow=almost, purple=almost, failed=3))
    assert not finished(document(purple=FULL))


@pytest.mark.parametrize("gap", range(9))
def test_a_row_with_any_gap_is_not_full(gap: int) -> None:
    row = [None if index == gap else number for index, number in enumerate(OTHER_FULL)]
    assert not finished(document(orange=FULL, yellow=row))


def test_a_full_row_is_nine_fields_without_the_missing_one() -> None:
    assert finished(document(orange=FULL, purple=OTHER_FULL))
    assert [len(qwinto.COLUMNS[color]) for color in COLORS] == [9, 9, 9]


def test_the_game_ends_when_the_turn_that_filled_the_second_row_closes() -> None:
    position = table("Tim", "Sarah", Tim=ONE_SHORT)
    position = after(position, roll("Tim", orange=6, yellow=6), write("Tim", "orange", 9))
    assert not position.over
    position = after(position, passes("Sarah"))
    assert (position.over, position.turn, position.active) == (True, 1, "Tim")
    assert position.waiting == ()
    assert position.open_fields("Sarah") == ()


def test_a_player_who_is_not_active_ends_the_game_too() -> None:
    """“a player”: anybody's second full row counts."""
    position = after(table("Tim", "Sarah", Sarah=ONE_SHORT), roll("Tim", orange=6, purple=6))
    position = after(position, write("Sarah", "orange", 9), write("Tim", "purple", 5))
    assert position.over
    assert position.winners() == ("Sarah",)


def test_everybody_finishes_the_turn_that_ends_the_game() -> None:
    position = table("Tim", "Sarah", "Linus", Tim=ONE_SHORT, Linus=ONE_SHORT)
    position = after(position, roll("Tim", orange=6, yellow=6), write("Tim", "orange", 9))
    assert len(position.open_fields("Sarah")) == 18
    position = after(position, write("Sarah", "yellow", 5), write("Linus", "orange", 9))
    assert position.over
    assert position.winners() == ("Tim", "Linus")
    assert position.score("Sarah")["total"] == 1


def test_next_closes_the_last_turn_as_well() -> None:
    position = table("Tim", "Sarah", Tim=ONE_SHORT)
    position = after(position, roll("Tim", orange=6, yellow=6), write("Tim", "orange", 9), NEXT)
    assert (position.over, position.turn, position.active) == (True, 1, "Tim")


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


def test_three_failed_attempts_do_not_end_the_game() -> None:
    assert not finished(document(failed=3))
    assert finished(document(failed=4))


@pytest.mark.parametrize("color", COLORS)
@pytest.mark.parametrize("count", range(9))
def test_a_row_with_empty_fields_scores_a_point_a_number(color: str, count: int) -> None:
    """“If a colored row contains empty fields, each entered number in this row is scored as a
    single point.”
    """
    row = (*EMPTY[count:], *range(18 - count, 18))
    assert score(document(**{color: row}))["rows"][color] == count


@pytest.mark.parametrize("color", COLORS)
def test_a_full_row_scores_the_number_on_the_far_right(color: str) -> None:
    """“If a colored row contains no empty fields, the number showing on the far right (the largest
    number) is scored as points.”
    """
    assert score(document(**{color: FULL}))["rows"][color] == 9
    assert score(document(**{color: OTHER_FULL}))["rows"][color] == 17


BONUS_FIELDS = [
    ({"orange": 1, "yellow": 2, "purple": 3}, "purple"),
    ({"orange": 2, "yellow": 3, "purple": 4}, "orange"),
    ({"orange": 5, "yellow": 6, "purple": 7}, "orange"),
    ({"orange": 6, "yellow": 7, "purple": 8}, "yellow"),
    ({"orange": 7, "yellow": 8, "purple": 9}, "purple"),
]
"""Each column of three fields (row → field), and the row that holds its pentagon."""


def with_column(column: dict[str, int]) -> Document:
    sheet = document()
    for (color, field), number in zip(column.items(), (11, 12, 13), strict=True):
        sheet[color][field - 1] = number
    return sheet


@pytest.mark.parametrize("place", range(5))
def test_a_full_column_scores_the_number_in_its_bonus_field(place: int) -> None:
    """“If all three fields in the column are filled with numbers, the number in the bonus field is
    scored as bonus points.”
    """
    column, pentagon = BONUS_FIELDS[place]
    number = {"orange": 11, "yellow": 12, "purple": 13}[pentagon]
    expected = [0, 0, 0, 0, 0]
    expected[place] = number
    assert score(with_column(column)) == {
        "rows": {"orange": 1, "yellow": 1, "purple": 1},
        "bonuses": expected,
        "failed": 0,
        "total": 3 + number,
    }


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("empty", COLORS)
def test_a_column_with_an_empty_field_scores_no_bonus(place: int, empty: str) -> None:
    """“If there are empty fields in a column, no bonus points are rewarded for this column.”"""
    column, _ = BONUS_FIELDS[place]
    sheet = with_column(column)
    sheet[empty][column[empty] - 1] = None
    assert score(sheet)["bonuses"] == [0, 0, 0, 0, 0]
    assert score(sheet)["total"] == 2


def test_a_full_column_of_two_fields_scores_no_bonus() -> None:
    sheet = document(yellow=(3, *EMPTY[1:]), purple=(None, 4, *EMPTY[2:]))
    assert score(sheet)["bonuses"] == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("failed", range(5))
def test_each_failed_attempt_costs_five_points(failed: int) -> None:
    """“From this sum, subtract points for each failed attempt (-5 each).”"""
    assert score(document(failed=failed)) == {
        "rows": {"orange": 0, "yellow": 0, "purple": 0},
        "bonuses": [0, 0, 0, 0, 0],
        "failed": -5 * failed,
        "total": -5 * failed,
    }


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


def test_the_player_with_the_most_points_wins() -> None:
    """“The player with the most points wins.” Ending the game is no merit."""
    losing = document(failed=4)
    position = table("Tim", "Sarah", "Linus", Tim=losing, Linus=SARAH)
    position = after(position, roll("Tim", orange=1), passes("Sarah"), write("Tim", "orange", 1))
    position = after(position, passes("Linus"))
    assert position.over
    assert position.winners() == ("Linus",)


def test_a_single_point_decides() -> None:
    one_more = {**SARAH, "orange": [4, *SARAH["orange"][1:]]}
    position = table("Tim", "Sarah", "Linus", Tim=document(failed=4), Sarah=SARAH, Linus=one_more)
    position = after(position, roll("Tim", orange=1), write("Tim", "orange", 1), NEXT)
    assert [position.score(player)["total"] for player in position.players] == [-19, 43, 44]
    assert position.winners() == ("Linus",)


def test_a_tie_is_shared() -> None:
    position = table("Tim", "Sarah", "Linus", Tim=document(failed=4), Sarah=SARAH, Linus=SARAH)
    position = after(position, roll("Tim", orange=1), write("Tim", "orange", 1), NEXT)
    assert position.winners() == ("Sarah", "Linus")


def test_everybody_wins_when_all_have_the_same_points() -> None:
    position = table("Tim", "Sarah", Tim=document(failed=4), Sarah=document(failed=4))
    position = after(position, roll("Tim", orange=1), write("Tim", "orange", 1))
    position = after(position, write("Sarah", "orange", 1))
    assert position.winners() == ("Tim", "Sarah")
