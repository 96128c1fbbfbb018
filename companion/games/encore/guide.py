"""The rules of Encore!, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Document, Player
from companion.core.words import Sentence
from companion.games.encore.rules import Encore

AIM: Final = Sentence(
    "Cross boxes: full columns and colors score points, and stars left open cost points."
)
ROLL: Final = Sentence(
    "On your turn, roll the dice, choose a color and a number, and cross exactly that many boxes "
    "of that color."
)
OTHERS: Final = Sentence(
    "In the first three turns, everybody chooses from all dice. After that, the others choose "
    "from the dice that the active player leaves."
)
BOXES: Final = Sentence(
    "The boxes of one turn must be joined side by side, and one of them must be in column H or "
    "beside an older cross."
)
WILD: Final = Sentence(
    "The black ✕ is any color and the ? any number from 1 to 5. Each costs one of your eight"
    " exclamation marks."
)
FIRST: Final = Sentence(
    "Whoever fills a column or a color first gets its higher value; the others get the lower one."
)
LAST: Final = Sentence(
    "The game ends when somebody has crossed all boxes of two colors; everybody finishes the turn."
)
ALONE: Final = Sentence("Playing alone, you roll two dice of each kind, thirty times.")
POINTS: Final = Sentence("Each exclamation mark you have left is worth 1 point, each open star −2.")
STEP_ROLL: Final = Sentence("Roll all dice: colors and numbers.")
STEP_ALL: Final = Sentence("In the first three turns, everybody chooses from all dice.")
STEP_REST: Final = Sentence("You choose from the dice that are left.")
STEP_CROSS: Final = Sentence(
    "Cross that many boxes of the color, joined to column H or an older cross."
)
EXAMPLE: Final[Document] = {
    "sheet": "encore",
    "board": "black",
    "crossed": ["H2", "G2", "H1", "H3", "I3", "H4", "G4", "H5", "G5", "H6", "I6", "H7", "I7"],
    "jokers_used": 2,
    "columns": {"H": "first"},
    "colors": {},
}


class EncoreGuide(Guide[Encore]):
    chapters = (
        (GOAL, (AIM,)),
        (TURN, (ROLL, OTHERS, BOXES, WILD)),
        (END, (FIRST, LAST, ALONE, POINTS)),
    )
    example = EXAMPLE

    def now(self, position: Encore, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.over:
            return ()
        is_own = position.active in here
        if not position.color_dice:
            return (ROLL,) if is_own else (OTHERS,)
        if position.active_comes_first and not position.now.active_has_acted and not is_own:
            return (OTHERS,)
        return (BOXES, WILD) if self.awaited_here(position, here) else ()

    def step(self, position: Encore, here: Sequence[Player]) -> Sentence | None:
        if position.over or not here:
            return None
        is_own = position.active in here
        if not position.color_dice:
            others = STEP_REST if position.active_comes_first else STEP_ALL
            return STEP_ROLL if is_own else others
        if position.active_comes_first and not position.now.active_has_acted and not is_own:
            return STEP_REST
        mine = self.awaited_here(position, here)
        return STEP_CROSS if mine and position.choices(mine[0]) else None
