"""The rule text's chapter "Entering numbers", sentence by sentence. Quotations are the rules'."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from companion.core.values import Document
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, QwintoSheet
from tests.kit.games import SARAH, TIM, after, code, document, roll, table, write

EVERY = list(range(1, 19))


def refused(sheet: Document, color: str, field: int, number: int) -> str | None:
    """The code against writing a number into a sheet, if any."""
    refusal = qwinto.refusal(QwintoSheet.from_document(sheet), color, field, number)
    return refusal.code if refusal else None


def fitting(sheet: Document, color: str, field: int) -> list[int]:
    return [number for number in EVERY if refused(sheet, color, field, number) is None]


def written(color: str, *places: tuple[int, int]) -> Document:
    """A sheet with (field, number) in one row."""
    numbers = dict(places)
    return document(**{color: [numbers.get(field) for field in range(1, 10)]})


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
def test_the_numbers_that_fit_a_field(color: str) -> None:
    """“the numbers must be in ascending order from left to right with the larger numbers to the
    right”, and none twice. “You may have gaps of any size between the entered numbers in a row,
    which you can fill in later (with the right numbers).”
    """
    two, ends = written(color, (3, 5), (7, 12)), written(color, (1, 1), (9, 18))
    for field in range(1, 10):
        assert fitting(document(), color, field) == EVERY
        if field not in (1, 9):
            assert fitting(ends, color, field) == EVERY[1:-1]
        if field not in (3, 7):
            expected = EVERY[:4] if field < 3 else EVERY[5:11] if field < 7 else EVERY[12:]
            assert fitting(two, color, field) == expected
            assert refused(two, color, field, 5) == refused(two, color, field, 12)
            assert refused(two, color, field, 5) == "not-ascending"


COLUMNS = [
    {"orange": 1, "yellow": 2, "purple": 3},
    {"orange": 2, "yellow": 3, "purple": 4},
    {"orange": 5, "yellow": 6, "purple": 7},
    {"orange": 6, "yellow": 7, "purple": 8},
    {"orange": 7, "yellow": 8, "purple": 9},
    {"yellow": 1, "purple": 2},
    {"orange": 3, "yellow": 4},
    {"yellow": 5, "purple": 5},
    {"orange": 4, "purple": 6},
    {"orange": 8, "yellow": 9},
]
"""The fields above each other; purple 1 and orange 9 have a column of their own, and under orange 3
and yellow 4 purple's missing field lies."""


def test_no_number_appears_more_than_once_in_a_column() -> None:
    """“Within a column (i.e. vertically from top to bottom) no number may appear more than once;
    the same goes for a 2-field column and a 3-field column.” Their order does not matter.
    """
    together = {pair for column in COLUMNS for pair in permutations(column.items(), 2)}
    places = list(product(COLORS, range(1, 10)))
    for (color, field), (other, other_field) in product(places, places):
        if color == other:
            continue
        sheet = written(color, (field, 8))
        expected = (
            "repeated-in-column" if ((color, field), (other, other_field)) in together else None
        )
        assert refused(sheet, other, other_field, 8) == expected
        assert refused(sheet, other, other_field, 7) is None
        assert refused(sheet, other, other_field, 9) is None


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


def test_what_the_text_says_of_tims_and_sarahs_sheets() -> None:
    """“In each colored row, the numbers get bigger as you move from left to right. Within the
    columns (2-field and 3-field columns) no number appears more than once. Everything is correct.”
    """
    tim, sarah = QwintoSheet.from_document(TIM), QwintoSheet.from_document(SARAH)
    assert tim.problems() == sarah.problems() == ()
    # “In the yellow row, Tim can enter only the number 1 in the field furthest to the left.”
    assert fitting(TIM, "yellow", 1) == [1]
    # “In the purple row, he can no longer enter a number between the 6 and 7.”
    assert fitting(TIM, "purple", 5) == []
    # “Tim has all three fields of two columns filled with numbers and has already recorded the
    # bonus points from the corresponding bonus fields”
    assert tim.score()["bonuses"] == [5, 0, 0, 13, 0]


def test_a_written_field_is_not_written_again() -> None:
    assert refused(SARAH, "orange", 2, 6) == "field-taken"
    assert refused(SARAH, "orange", 2, 5) == "field-taken"
