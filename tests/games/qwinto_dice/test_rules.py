"""The rule text's examples. Quotations are the rules'.

Whole games and every refusal are compared with the referee in `tests/games/test_oracles.py`,
sheets in `tests/games/qwinto/test_sheet.py`.
"""

from __future__ import annotations

from companion.core.values import Document
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import QwintoSheet
from lab.games import SARAH, TIM, document, roll, table, write
from lab.play import after, passes

LINUS = after(table("Linus", "Tim", "Sarah"), roll("Linus", purple=2, yellow=4))
"""“In his first attempt, Linus rolls a 2 and a 4. He's not happy with his roll. …"""
NINE = after(LINUS, roll("Linus", purple=4, yellow=5))
"""… In his second attempt, he rolls a 4 and a 5. He calls out the sum of the dice: “nine!” ”"""


def test_linus_calls_nine() -> None:
    """“Since Linus used the yellow and the purple dice, the sum of 9 can be entered into either the
    purple or the yellow row only.” “Linus writes down the 9 in the yellow row. Tim also enters the
    9 in the yellow row, but a little further to the right. Sarah enters the 9 in the purple row.”
    """
    assert (LINUS.called, LINUS.may_reroll, NINE.may_reroll) == (6, True, False)
    assert (NINE.called, NINE.called_colors) == (9, ("yellow", "purple"))
    written = [write("Linus", "yellow", 4), write("Tim", "yellow", 6), write("Sarah", "purple", 5)]
    position = after(NINE, *written)
    assert (position.turn, position.active) == (2, "Tim")
    assert [position.sheet(player) for player in ("Linus", "Tim", "Sarah")] == [
        document(yellow=[None, None, None, 9, *[None] * 5]),
        document(yellow=[*[None] * 5, 9, None, None, None]),
        document(purple=[*[None] * 4, 9, *[None] * 4]),
    ]
    assert {position.score(player)["total"] for player in position.players} == {1}


def test_the_fingerprint_changes_with_what_all_players_share() -> None:
    """Otherwise a tap meant for one call would be mistaken for one for another."""
    rolled = after(table("Tim", "Sarah"), roll("Tim", orange=4))
    again = after(rolled, roll("Tim", orange=4))
    passed = after(again, passes("Tim"))
    assert rolled.fingerprint != again.fingerprint == passed.fingerprint


# Sheets


def fitting(sheet: Document, color: str, field: int) -> list[int]:
    """The numbers that may be written into a field."""
    written = QwintoSheet.from_document(sheet)
    return [n for n in range(1, 19) if qwinto.refusal(written, color, field, n) is None]


def test_tims_and_sarahs_sheets_as_in_the_rule_text() -> None:
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


def test_sarahs_final_point_total_is_43() -> None:
    """“Sarah has entered 4 numbers in the orange row. This row is worth 4 points. In the yellow
    row, she entered a number in every field. For this row, she gets 16 points [...]. In the purple
    row, she entered 6 numbers. She receives 6 points for this row. [...] 5, 10 and 12 points. Her
    two failed attempts amount to 10 minus points. Therefore, Sarah's final point total is 43
    points.”
    """
    assert QwintoSheet.from_document(SARAH).score() == {
        "rows": {"orange": 4, "yellow": 16, "purple": 6},
        "bonuses": [0, 5, 10, 12, 0],
        "failed": -10,
        "total": 43,
    }
