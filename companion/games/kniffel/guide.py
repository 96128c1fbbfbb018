"""The rules of Kniffel, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Document, Player
from companion.core.words import Sentence
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.sheet import NO_JOKERS, UPPER, is_joker

AIM: Final = Sentence(
    "Fill the thirteen lines of your sheet, one in each turn, with as many points as you can."
)
ROLL: Final = Sentence(
    "In your turn, roll all five dice. Then you may roll any of them again, twice at most."
)
WRITE: Final = Sentence(
    "Then write the dice in a free line of your sheet. If they do not fit, strike a line out: it"
    " counts 0."
)
ABOVE: Final = Sentence(
    "Above, only the dice of the line's number count. From 63 points there, 35 are added."
)
BELOW: Final = Sentence(
    "Three and four of a kind and the chance count all five dice. A full house gives 25 points,"
    " four in a row 30, five in a row 40, and five alike 50."
)
JOKERS: Final = Sentence(
    "A further Kniffel gives 100 more where the first one counts 50. It goes to the line of its"
    " number; if that is filled, to any line below, with full points."
)
LAST: Final = Sentence("The game ends when every sheet is full. The most points win.")
STEP_ROLL: Final = Sentence("Roll up to three times, then tap what the dice show.")
STEP_WRITE: Final = Sentence("Tap a line: it shows the points that the dice give there.")
STEP_STRIKE: Final = Sentence("Nothing fits: tap the line that you can do without.")
EXAMPLE: Final[Document] = {
    "sheet": "kniffel",
    "jokers": NO_JOKERS,
    **dict(zip(UPPER, (2, 6, 9, 12, 20, 18), strict=True)),
    "three-of-a-kind": 23,
    "full-house": 25,
    "small-straight": 30,
    "large-straight": 0,
    "chance": 21,
}


class KniffelGuide(Guide[Kniffel]):
    chapters = ((GOAL, (AIM,)), (TURN, (ROLL, WRITE)), (END, (ABOVE, BELOW, JOKERS, LAST)))
    example = EXAMPLE

    def now(self, position: Kniffel, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.over or position.active not in here:
            return ()
        if not position.dice:
            return (ROLL, WRITE)
        is_further = is_joker(position.sheet_of(position.active), position.dice)
        return (JOKERS, WRITE) if is_further else (WRITE, ABOVE, BELOW)

    def step(self, position: Kniffel, here: Sequence[Player]) -> Sentence | None:
        if position.over or position.active not in here:
            return None
        fits = STEP_WRITE if position.scoring_fields else STEP_STRIKE
        return fits if position.dice else STEP_ROLL
