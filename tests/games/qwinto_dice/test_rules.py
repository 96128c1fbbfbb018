"""The rule text, sentence by sentence, and every refusal. Quotations are the rules'.

Whole games are compared with the referee in `tests/games/test_oracles.py`, sheets in
`tests/games/qwinto/test_sheet.py`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from companion.core.values import Document
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, QwintoSheet
from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit.games import SARAH, TIM, Action, document, roll, table, write
from tests.kit.play import NEXT, after, code, passes, told

FULL = (1, 2, 3, 4, 5, 6, 7, 8, 9)
OTHER_FULL = (2, 4, 6, 8, 10, 12, 14, 16, 17)
ALMOST = (*FULL[:8], None)
ONE_SHORT = document(yellow=(10, 11, 12, 13, 14, 15, 16, 17, 18), orange=ALMOST)
"""The yellow row is full, and the orange one but for its last field: a 9 or more ends the game."""

LINUS = after(table("Linus", "Tim", "Sarah"), roll("Linus", purple=2, yellow=4))
"""“In his first attempt, Linus rolls a 2 and a 4. He's not happy with his roll. …"""
NINE = after(LINUS, roll("Linus", purple=4, yellow=5))
"""… In his second attempt, he rolls a 4 and a 5. He calls out the sum of the dice: “nine!” ”"""


def ending(*actions: Action) -> QwintoDice:
    """Tim and Linus can fill their second row with a 12."""
    position = table("Tim", "Sarah", "Linus", Tim=ONE_SHORT, Linus=ONE_SHORT)
    return after(position, roll("Tim", orange=6, yellow=6), *actions)


def won_by(linus: Document) -> QwintoDice:
    """The end of a game in which Sarah has her sheet of the rule text, and Linus this one."""
    position = table("Tim", "Sarah", "Linus", Tim=document(failed=4), Sarah=SARAH, Linus=linus)
    return after(position, roll("Tim", orange=1), write("Tim", "orange", 1), NEXT)


def failing(turns: int) -> QwintoDice:
    """So many turns in which the active player passes."""
    position = table("Tim", "Sarah")
    for _ in range(turns):
        position = after(position, roll(position.active, orange=1), passes(position.active), NEXT)
    return position


EXAMPLES: dict[str, tuple[QwintoDice, dict[str, Any]]] = {
    "he is not happy with his roll": (LINUS, {"called": 6, "may_reroll": True}),
    # “Since Linus used the yellow and the purple dice, the sum of 9 can be entered into either
    # the purple or the yellow row only.”
    "he calls nine": (
        NINE,
        {"called": 9, "called_colors": ("yellow", "purple"), "may_reroll": False},
    ),
    # “Linus writes down the 9 in the yellow row. Tim also enters the 9 in the yellow row, but a
    # little further to the right. Sarah enters the 9 in the purple row.”
    "all players can write down the sum": (
        after(
            NINE,
            write("Linus", "yellow", 4),
            write("Tim", "yellow", 6),
            write("Sarah", "purple", 5),
        ),
        {
            "Linus": document(yellow=[None, None, None, 9, *[None] * 5]),
            "Tim": document(yellow=[*[None] * 5, 9, None, None, None]),
            "Sarah": document(purple=[*[None] * 4, 9, *[None] * 4]),
            **{"totals": {"Linus": 1, "Tim": 1, "Sarah": 1}, "turn": 2, "active": "Tim"},
        },
    ),
    # “Now all players can (but do not have to) write down the sum.” “Players not rolling the dice
    # never have to record a failed attempt.”
    "players can but do not have to write": (
        after(NINE, write("Linus", "yellow", 4), passes("Tim"), passes("Sarah")),
        {"Tim": document(), "Sarah": document()},
    ),
    "who has not acted when the turn is closed has passed": (
        after(NINE, write("Linus", "yellow", 4), NEXT),
        {"Tim": document(), "Sarah": document(), "turn": 2, "active": "Tim", "called": None},
    ),
    # “If the player rolling the dice cannot or does not want to enter a number, he has to record
    # a failed attempt on his score sheet.”
    "the active player records a failed attempt": (
        after(NINE, passes("Linus")),
        {"Linus": document(failed=1), "totals": {"Linus": -5, "Tim": 0, "Sarah": 0}},
    ),
    "an active player who has not acted is waited for": (
        after(NINE, passes("Tim"), passes("Sarah")),
        {"waiting": ("Linus",)},
    ),
    "every turn has its own second attempt": (
        after(NINE, passes("Linus"), NEXT, roll("Tim", orange=1), roll("Tim", orange=5)),
        {"called": 5, "waiting": ("Tim", "Sarah", "Linus")},
    ),
    # “The game is over when a player has two colored rows completely filled out.”
    "everybody finishes the turn that fills the second row": (
        ending(write("Linus", "orange", 9), write("Sarah", "yellow", 5)),
        {"over": False, "waiting": ("Tim",)},
    ),
    "anybody's second full row ends the game": (
        ending(write("Linus", "orange", 9), write("Sarah", "yellow", 5), write("Tim", "orange", 9)),
        {"over": True, "turn": 1, "active": "Tim", "waiting": (), "winners": ("Tim", "Linus")},
    ),
    "also where the turn is ended": (ending(write("Tim", "orange", 9), NEXT), {"over": True}),
    # “The game is also over when someone has recorded their fourth failed attempt.”
    "three failed attempts": (failing(6), {"over": False, "turn": 7}),
    "the fourth failed attempt": (
        failing(7),
        {"over": True, "turn": 7, "active": "Tim", "totals": {"Tim": -20, "Sarah": -15}},
    ),
    # “The player with the most points wins.” Ending the game is no merit; a tie is shared.
    "fewer points": (won_by(document()), {"winners": ("Sarah",)}),
    "a single point more": (
        won_by({**SARAH, "orange": [4, *SARAH["orange"][1:]]}),
        {"winners": ("Linus",)},
    ),
    "a tie": (won_by(SARAH), {"winners": ("Sarah", "Linus")}),
}


@pytest.mark.parametrize(("position", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_sentences_of_the_rules(position: QwintoDice, expected: dict[str, Any]) -> None:
    assert told(position, expected) == expected


def test_the_fingerprint_changes_with_what_all_players_share() -> None:
    """Or a tap meant for one call would be taken for another one."""
    rolled = after(table("Tim", "Sarah"), roll("Tim", orange=4))
    again = after(rolled, roll("Tim", orange=4))
    assert (
        len({rolled.fingerprint, again.fingerprint, after(again, passes("Tim")).fingerprint}) == 2
    )


# Sheets


def fitting(sheet: Document, color: str, field: int) -> list[int]:
    """The numbers that may be written into a field."""
    written = QwintoSheet.from_document(sheet)
    return [n for n in range(1, 19) if qwinto.refusal(written, color, field, n) is None]


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


@pytest.mark.parametrize(
    ("sheet", "finished"),
    [
        *((document(**dict(zip(two, (FULL, OTHER_FULL), strict=True))), True)
          for two in combinations(COLORS, 2)),
        (document(orange=FULL, yellow=ALMOST, purple=ALMOST, failed=3), False),
        (document(failed=4), True),
    ],
)  # fmt: skip
def test_which_sheets_end_the_game(sheet: Document, finished: bool) -> None:
    assert qwinto.is_finished(QwintoSheet.from_document(sheet)) == finished


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


# Every refusal code of the public interface: when it comes, and when it does not


START = table("Tim", "Sarah", "Linus")
ROLLED = after(START, roll("Tim", purple=4, yellow=5))
"""Tim has called a 9 for purple or yellow."""
AGAIN = roll("Tim", purple=1, yellow=1)


def holding(**rows: Any) -> QwintoDice:
    """Tim has this sheet, and has called a 9 for purple or yellow."""
    sheet: Document = document(**rows)
    return after(table("Tim", "Sarah", Tim=sheet), roll("Tim", purple=4, yellow=5))


def refused(expected: str | None, position: QwintoDice, *actions: Action) -> list[tuple[Any, ...]]:
    return [(expected, position, action) for action in actions]


@pytest.mark.parametrize(
    ("expected", "position", "action"),
    [
        # roll
        *refused("bad-action", START, roll("Tim")),
        *refused("bad-dice", START, roll("Tim", orange=7), roll("Tim", orange=3, yellow=7)),
        *refused("not-your-turn", ROLLED, roll("Sarah", orange=1)),
        # “Nothing else closes it: the next player's `roll` in an open turn is refused.”
        *refused("not-your-turn", after(ROLLED, passes("Tim")), roll("Sarah", orange=1)),
        *refused(None, ROLLED, AGAIN, roll("Tim", yellow=1, purple=1)),
        # “you have to roll all the dice that you rolled on your first attempt”
        *refused("reroll-same-dice", ROLLED, roll("Tim", purple=4)),
        *refused("reroll-same-dice", ROLLED, roll("Tim", purple=4, orange=5)),
        *refused("row-not-called", ROLLED, write("Tim", "orange", 5), write("Sarah", "orange", 5)),
        *refused("no-rolls-left", after(ROLLED, AGAIN), AGAIN),
        *refused("no-rolls-left", after(ROLLED, write("Sarah", "yellow", 1)), AGAIN),
        *refused(None, table("Zo\u00eb", "Tim"), roll("Zoe\u0308", orange=1)),
        # write and pass
        *refused("wrong-moment", START, write("Tim", "yellow", 1), passes("Tim"), passes("Linus")),
        *refused("field-taken", holding(yellow=[*[None] * 4, 7, *[None] * 4]),
                 write("Tim", "yellow", 5)),
        *refused(None, holding(yellow=[*[None] * 4, 7, *[None] * 4]), write("Sarah", "yellow", 5)),
        *(("not-ascending", holding(yellow=[None, n, *[None] * 7]), write("Tim", "yellow", 9))
          for n in (9, 10)),
        *refused("repeated-in-column", holding(orange=[9, *[None] * 8]),
                 write("Tim", "yellow", 2), write("Tim", "purple", 3)),
        *refused(None, holding(orange=[9, *[None] * 8]), write("Tim", "yellow", 3)),
    ],
)  # fmt: skip
def test_refusals(expected: str | None, position: QwintoDice, action: Action) -> None:
    assert code(position, action) == expected
