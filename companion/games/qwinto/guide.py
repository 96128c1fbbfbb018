"""The rules that both Qwinto games share, in short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Document, Player
from companion.core.words import N_, Sentence
from companion.games.qwinto.turn import QwintoTurn

GROW: Final = Sentence(
    N_(
        "Write numbers into your three rows: they grow along each row, gaps may stay, and no number"
        " stands twice in a column."
    )
)
FAILED: Final = Sentence(
    N_("If you do not write in your own turn, it is a failed attempt and costs 5 points.")
)
LAST: Final = Sentence(
    N_(
        "The game ends when somebody has two full rows or four failed attempts; everybody finishes"
        " the turn."
    )
)
POINTS: Final = Sentence(
    N_(
        "A full row scores its last number, any other row 1 point for each number. A pentagon"
        " scores its number when all fields of its column are filled."
    )
)

JOIN: Final = Sentence(N_("You may write the sum, too, in a row of such a color."))
WRITE: Final = Sentence(N_("Numbers grow along a row; none twice in a column."))
OWN_WRITE: Final = Sentence(N_("Numbers grow along a row. No number in your turn: −5."))

EXAMPLE: Final[Document] = {
    "sheet": "qwinto",
    "orange": [None, 3, None, 8, None, 12, None, 15, None],
    "yellow": [2, None, 5, 7, None, 10, None, None, 16],
    "purple": [1, None, 4, None, 6, None, 9, 13, None],
    "failed": 1,
}


def guide(
    turn: Sequence[Sentence],
    everybody: Sentence,
    call: Callable[[Any], Sentence],
    *more: Sentence,
) -> Guide:
    """The guide of a game whose number is called in its own way.

    Args:
        turn: what the active player does before the number is called.
        everybody: who may write it, and where.
        call: position → how the active player calls the number.
        more: what else belongs to the end.
    """

    def now(position: QwintoTurn, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.over:
            return ()
        if position.called is None:
            return turn if position.active in here else (everybody,)
        if not any(player in here for player in position.waiting):
            return ()
        own = position.active in position.waiting and position.active in here
        return (everybody, GROW, FAILED) if own else (everybody, GROW)

    def step(position: QwintoTurn, here: Sequence[Player]) -> Sentence | None:
        if position.over or not here:
            return None
        if position.called is None:
            return call(position) if position.active in here else JOIN
        waiting = [player for player in position.waiting if player in here]
        if not any(position.open_fields(player) for player in waiting):
            return None
        return OWN_WRITE if waiting == [position.active] else WRITE

    chapters = ((GOAL, (GROW,)), (TURN, (*turn, everybody, FAILED)), (END, (LAST, *more, POINTS)))
    return Guide(chapters, now, step, example=EXAMPLE)
