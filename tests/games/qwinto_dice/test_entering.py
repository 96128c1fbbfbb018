"""The rule text's chapter "Entering numbers", sentence by sentence. Quotations are the rules'."""

import pytest

from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, QwintoSheet
from tests.kit.games import SARAH, TIM, after, code, document, roll, table, write


def refused(sheet: dict[str, object], color: str, field: int, number: int) -> str | None:
    """The code against writing a number into a sheet, if any."""
    refusal = qwinto.refusal(QwintoSheet.from_document(sheet), color, field, number)
    return refusal.code if refusal else None


def fitting(sheet: dict[str, object], color: str, field: int) -> list[int]:
    return [number for number in range(1, 19) if refused(sheet, color, field, number) is None]


@pytest.mark.parametrize("color", COLORS)
@pytest.mark.parametrize("field", range(1, 10))
def test_every_number_fits_every_field_of_an_empty_sheet(color: str, field: int) -> None:
    assert fitting(document(), color, field) == list(range(1, 19))


def test_the_order_in_which_numbers_are_entered_is_up_to_the_player() -> None:
    """“you can first enter a number in the yellow row on the right, then in the middle of the
    purple row, and then on the left side in the purple row; then to the far right of the orange
    row, and then in the yellow row on the left side”
    """
    turns = [("yellow", 9, 6, 5), ("purple", 5, 4, 5), ("purple", 1, 1, 1)]
    turns += [("orange", 9, 6, 6), ("yellow", 1, 1, 2)]
    position = table("Tim", "Sarah")
    for color, field, value, other in turns:
        dice = {color: value, "yellow" if color != "yellow" else "purple": other}
        active = position.active
        position = after(position, roll(active, **dice), write("Tim", color, field))
        position = after(position, {"do": "pass", "by": "Sarah"})
    assert position.sheet("Tim") == document(
        orange=[*[None] * 8, 12],
        yellow=[3, *[None] * 7, 11],
        purple=[2, None, None, None, 9, None, None, None, None],
    )


@pytest.mark.parametrize("color", COLORS)
def test_numbers_in_a_row_ascend_from_left_to_right(color: str) -> None:
    """“the numbers must be in ascending order from left to right with the larger numbers to the
    right”
    """
    sheet = document(**{color: [None, None, 5, None, None, None, 12, None, None]})
    for field in (1, 2):
        assert fitting(sheet, color, field) == [1, 2, 3, 4]
    for field in (4, 5, 6):
        assert fitting(sheet, color, field) == [6, 7, 8, 9, 10, 11]
    for field in (8, 9):
        assert fitting(sheet, color, field) == [13, 14, 15, 16, 17, 18]


@pytest.mark.parametrize("color", COLORS)
@pytest.mark.parametrize("field", [1, 2, 4, 9])
def test_no_number_appears_more_than_once_in_the_same_row(color: str, field: int) -> None:
    sheet = document(**{color: [None, None, 7, None, None, None, None, None, None]})
    assert refused(sheet, color, field, 7) == "not-ascending"


def test_gaps_of_any_size_may_be_filled_later_with_the_right_numbers() -> None:
    """“You may have gaps of any size between the entered numbers in a row, which you can fill in
    later (with the right numbers).”
    """
    sheet = document(orange=[1, *[None] * 7, 18])
    for field in range(2, 9):
        assert fitting(sheet, "orange", field) == list(range(2, 18))


def test_a_smaller_number_far_away_with_gaps_between_still_counts() -> None:
    sheet = document(purple=[None, 9, None, None, None, None, None, None, None])
    assert refused(sheet, "purple", 9, 8) == "not-ascending"
    assert refused(sheet, "purple", 9, 10) is None


THREE_FIELD_COLUMNS = [
    {"orange": 1, "yellow": 2, "purple": 3},
    {"orange": 2, "yellow": 3, "purple": 4},
    {"orange": 5, "yellow": 6, "purple": 7},
    {"orange": 6, "yellow": 7, "purple": 8},
    {"orange": 7, "yellow": 8, "purple": 9},
]
TWO_FIELD_COLUMNS = [
    {"yellow": 1, "purple": 2},
    {"orange": 3, "yellow": 4},
    {"yellow": 5, "purple": 5},
    {"orange": 4, "purple": 6},
    {"orange": 8, "yellow": 9},
]


def with_number(color: str, field: int, number: int) -> dict[str, object]:
    row: list[int | None] = [None] * 9
    row[field - 1] = number
    return document(**{color: row})


@pytest.mark.parametrize("column", THREE_FIELD_COLUMNS + TWO_FIELD_COLUMNS, ids=str)
def test_no_number_appears_more_than_once_in_a_column(column: dict[str, int]) -> None:
    """“Within a column (i.e. vertically from top to bottom) no number may appear more than once;
    the same goes for a 2-field column and a 3-field column.”
    """
    for color, field in column.items():
        sheet = with_number(color, field, 8)
        for other, other_field in column.items():
            if other != color:
                assert refused(sheet, other, other_field, 8) == "repeated-in-column"
                assert 8 not in fitting(sheet, other, other_field)
                assert len(fitting(sheet, other, other_field)) == 17


@pytest.mark.parametrize("column", THREE_FIELD_COLUMNS + TWO_FIELD_COLUMNS, ids=str)
def test_the_order_of_the_numbers_in_a_column_does_not_matter(column: dict[str, int]) -> None:
    for color, field in column.items():
        for other, other_field in column.items():
            if other != color:
                assert refused(with_number(color, field, 8), other, other_field, 7) is None
                assert refused(with_number(color, field, 8), other, other_field, 9) is None


def test_a_number_may_be_repeated_in_another_row_and_another_column() -> None:
    columns = THREE_FIELD_COLUMNS + TWO_FIELD_COLUMNS
    for color in COLORS:
        for field in range(1, 10):
            together = [c for c in columns if c.get(color) == field]
            for other in COLORS:
                for other_field in range(1, 10):
                    if other != color and not any(c.get(other) == other_field for c in together):
                        assert refused(with_number(color, field, 8), other, other_field, 8) is None


@pytest.mark.parametrize(("color", "field"), [("purple", 1), ("orange", 9)])
def test_the_two_outermost_fields_have_a_column_of_their_own(color: str, field: int) -> None:
    full = document(orange=[8, *[None] * 8], yellow=[8, *[None] * 8], purple=[None] * 9)
    if color == "orange":
        full = document(yellow=[*[None] * 8, 8], purple=[*[None] * 8, 8])
    assert refused(full, color, field, 8) is None


def test_the_missing_field_is_no_field_and_is_not_counted() -> None:
    """“Each colored row has one missing field. Do not enter a number in this field. It stays empty
    and serves no further purpose.” Nine fields remain in a row, and there is no tenth.
    """
    assert qwinto.COLUMNS == {
        "orange": (2, 3, 4, 6, 7, 8, 9, 10, 11),
        "yellow": (1, 2, 3, 4, 5, 7, 8, 9, 10),
        "purple": (0, 1, 2, 3, 5, 6, 7, 8, 9),
    }
    rolled = after(table("Tim", "Sarah"), roll("Tim", orange=1, yellow=1, purple=1))
    for color in COLORS:
        assert code(rolled, write("Tim", color, 9)) is None
        assert code(rolled, write("Tim", color, 10)) == "no-such-field"


def test_the_number_above_or_below_a_missing_field_has_only_its_own_column() -> None:
    """Purple's missing field is under orange 3 and yellow 4, so purple 4 and 5 do not meet them."""
    sheet = document(purple=[None, None, None, 6, 8, None, None, None, None])
    for number in (6, 8):
        assert refused(sheet, "orange", 3, number) is None
        assert refused(sheet, "yellow", 4, number) is None


def test_tims_sheet_is_correct() -> None:
    """“In each colored row, the numbers get bigger as you move from left to right. Within the
    columns (2-field and 3-field columns) no number appears more than once. Everything is correct.”
    """
    assert QwintoSheet.from_document(TIM).problems() == ()


def test_tim_can_enter_only_the_1_furthest_to_the_left_in_the_yellow_row() -> None:
    """“In the yellow row, Tim can enter only the number 1 in the field furthest to the left.”"""
    assert fitting(TIM, "yellow", 1) == [1]


def test_tim_can_enter_nothing_between_the_6_and_the_7() -> None:
    """“In the purple row, he can no longer enter a number between the 6 and 7. He is allowed to
    leave the field empty, but it will have to remain empty until the end.”
    """
    assert fitting(TIM, "purple", 5) == []


def test_tim_has_recorded_the_bonus_points_of_two_columns() -> None:
    """“Tim has all three fields of two columns filled with numbers and has already recorded the
    bonus points from the corresponding bonus fields”
    """
    assert QwintoSheet.from_document(TIM).score()["bonuses"] == [5, 0, 0, 13, 0]


def test_sarahs_sheet_is_correct() -> None:
    assert QwintoSheet.from_document(SARAH).problems() == ()


def test_a_written_field_is_not_written_again() -> None:
    assert refused(SARAH, "orange", 2, 6) == "field-taken"
    assert refused(SARAH, "orange", 2, 5) == "field-taken"
