"""The dice of Qwixx: two white ones and one for each row that is still open.

A roll may leave out colored dice that nobody entered: they lie on the table.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final, TypeAlias

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal
from companion.core.rolling import FACES, PlainDice, color_refusal
from companion.core.values import Action
from companion.core.words import Sentence
from companion.games.qwixx.sheet import COLORS, Color

WhiteDice: TypeAlias = tuple[int, ...]
ColoredDice: TypeAlias = tuple[tuple[Color, int], ...]  # (color, face), in the rows' order

WHITE: Final = PlainDice(2, "white", Sentence("white"))


def entered_dice(action: Action) -> Any:
    """The colored dice that somebody entered in a `roll`, not checked yet."""
    return action.get("dice", {})


def sums_with(white: WhiteDice, face: int | None) -> tuple[int, ...]:
    """The sums of one white die and a colored one, smallest first.

    Args:
        face: the face of the colored die; None for any, because nobody entered it.
    """
    faces = FACES if face is None else (face,)
    return tuple(sorted(set(map(sum, product(white, faces)))))


def die_refusal(color: object, open_rows: tuple[Color, ...]) -> Refusal | None:
    """Why no die of this color can be rolled, or None."""
    if color in open_rows:
        return None
    return color_refusal(color, COLORS) or Refusal(
        "bad-dice",
        "The %(color)s die is out of the game: its row is closed.",
        {"color": COLOR_WORDS[str(color)]},
    )
