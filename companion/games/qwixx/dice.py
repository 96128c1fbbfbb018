"""The dice of Qwixx: two white ones and one for each row that is still open.

A roll may leave out colored dice: they lie on the table, and nobody told them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal, bad_action
from companion.core.rolling import FACES, color_refusal, face_refusal
from companion.core.values import Action
from companion.games.qwixx.sheet import COLORS, Color

WhiteDice: TypeAlias = tuple[int, ...]
ColoredDice: TypeAlias = tuple[tuple[Color, int], ...]
"""(color, the die's face) of the dice that were told, in the rows' order."""

WHITE_DICE: Final = 2


def white_dice(raw: object) -> WhiteDice | Refusal:
    """The white dice of a `roll`, as they were named, or why they are none."""
    if not isinstance(raw, list | tuple):
        return bad_action("A roll says what the two white dice show.")
    refused = next(filter(None, map(face_refusal, raw)), None)
    if refused:
        return refused
    if len(raw) != WHITE_DICE:
        return Refusal(
            "bad-dice",
            "There are %(dice)s white dice, not %(count)s.",
            {"dice": WHITE_DICE, "count": len(raw)},
        )
    return tuple(raw)


def told_dice(action: Action) -> Any:
    """The colored dice that a `roll` tells, as it names them."""
    return action.get("dice", {})


def colored_dice(raw: object, open_rows: tuple[Color, ...]) -> ColoredDice | Refusal:
    """The colored dice that a `roll` tells, or the refusal of one that is not rolled any more."""
    if not isinstance(raw, Mapping):
        return bad_action("A roll says what each colored die shows.")
    for color, value in raw.items():
        refused = _color_refusal(color, open_rows) or face_refusal(value)
        if refused:
            return refused
    return tuple((color, raw[color]) for color in open_rows if color in raw)


def sums_with(white: WhiteDice, face: int | None) -> tuple[int, ...]:
    """The sums of one white die and a colored one, smallest first.

    Args:
        face: the face of the colored die; None for one that was not told, which may be any.
    """
    faces = FACES if face is None else (face,)
    return tuple(sorted({one + other for one in white for other in faces}))


def _color_refusal(color: object, open_rows: tuple[Color, ...]) -> Refusal | None:
    if color in open_rows:
        return None
    return color_refusal(color, COLORS) or Refusal(
        "bad-dice",
        "The %(color)s die is out of the game: its row is closed.",
        {"color": COLOR_WORDS[str(color)]},
    )
