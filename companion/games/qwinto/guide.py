"""The rules that both Qwinto games share, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from companion.core.guide import END, GOAL, TURN, Chapters, Guide
from companion.core.values import Document, Player
from companion.core.words import Sentence
from companion.games.qwinto.turn import QwintoTurn

GROW: Final = Sentence(
    "Write numbers in your three rows: they increase along each row, gaps are allowed, and no "
    "number appears twice in a column."
)
FAILED: Final = Sentence(
    "If you write nothing on your own turn, that is a failed attempt and costs 5 points."
)
LAST: Final = Sentence(
    "The game ends when somebody has two full rows or four failed attempts; everybody finishes"
    " the turn."
)
POINTS: Final = Sentence(
    "A full row scores its last number, any other row 1 point for each number. A pentagon scores "
    "its number if all fields of its column are filled."
)

JOIN: Final = Sentence("You may write the sum, too, in a row of a matching color.")
WRITE: Final = Sentence("Numbers increase along a row; none twice in a column.")
OWN_WRITE: Final = Sentence("Numbers increase along a row. No number on your turn: −5.")

EXAMPLE: Final[Document] = {
    "sheet": "qwinto",
    "orange": [None, 3, None, 8, None, 12, None, 15, None],
    "yellow": [2, None, 5, 7, None, 10, None, None, 16],
    "purple": [1, None, 4, None, 6, None, 9, 13, None],
    "failed": 1,
}


T = TypeVar("T", bound=QwintoTurn)


class QwintoGuide(Guide[T]):
    """The guide of a Qwinto; subclasses explain how a number is called."""

    before_call: Sequence[Sentence]  # what the active player does before the number is called
    everybody: Sentence  # who may write the number, and where
    more: Sequence[Sentence] = ()  # about the end of the game
    begins = Sentence("By the rules, a draw decides who starts.")
    example = EXAMPLE

    def step_to_call(self, position: T) -> Sentence:
        """How the active player calls the number."""
        raise NotImplementedError

    @property
    def chapters(self) -> Chapters:
        """The rules that both games share, with this game's own."""
        turn = (*self.before_call, self.everybody, FAILED)
        return ((GOAL, (GROW,)), (TURN, turn), (END, (LAST, *self.more, POINTS)))

    def now(self, position: T, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.over:
            return ()
        if position.called is None:
            return self.before_call if position.active in here else (self.everybody,)
        mine = self.awaited_here(position, here)
        if not mine:
            return ()
        if position.active in mine:
            return (self.everybody, GROW, FAILED)
        return (self.everybody, GROW)

    def step(self, position: T, here: Sequence[Player]) -> Sentence | None:
        if position.over or not here:
            return None
        if position.called is None:
            return self.step_to_call(position) if position.active in here else JOIN
        mine = self.awaited_here(position, here)
        if not mine or not position.open_fields(mine[0]):
            return None
        return OWN_WRITE if mine[0] == position.active else WRITE
