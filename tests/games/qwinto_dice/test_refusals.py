"""Every refusal code of the public interface, one by one: when it comes, and when it does not."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.values import Document
from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit.games import NEXT, Action, after, code, document, passes, roll, table, write

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
        *refused("no-rolls-left", after(ROLLED, AGAIN), AGAIN),
        *refused("no-rolls-left", after(ROLLED, write("Sarah", "yellow", 1)), AGAIN),
        *refused("no-rolls-left", after(ROLLED, passes("Linus")), AGAIN),
        *refused(None, table("Zo\u00eb", "Tim"), roll("Zoe\u0308", orange=1)),
        # write and pass
        *refused("wrong-moment", START, write("Tim", "yellow", 1), passes("Tim"), passes("Linus")),
        *refused("wrong-moment", after(ROLLED, passes("Tim"), NEXT), write("Linus", "yellow", 5)),
        *refused("no-such-field", ROLLED, write("Tim", "yellow", 10)),
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


def test_a_refusal_says_in_words_what_is_wrong() -> None:
    refusal = holding(yellow=[None, 12, *[None] * 7]).refusal("Tim", "yellow", 5)
    assert refusal is not None
    assert "9" in refusal.message
    assert "12" in refusal.message
    assert "%(" not in refusal.message
