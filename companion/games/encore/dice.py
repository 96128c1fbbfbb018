"""The dice of Encore!: their faces, a player's choice of two, and their names in a record.

Nobody needs to enter a roll's dice: they lie on the table. This file does not know which choices
are allowed. Source: the rule text of Encore!.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from companion.core.refusal import Refusal, bad_action
from companion.core.rolling import PlainDice
from companion.core.values import Action, is_whole
from companion.core.words import Sentence
from companion.games.encore.boards import BIGGEST_CROSSING, COLORS, BoxName, Color

JOKER: Final = "joker"

ColorDie: TypeAlias = str  # a colour, or the black X: "joker"

NumberDie: TypeAlias = int | Literal["joker"]  # 1–5, or the "?": "joker"

ColorDice: TypeAlias = tuple[ColorDie, ...]
NumberDice: TypeAlias = tuple[NumberDie, ...]
Die = TypeVar("Die", ColorDie, NumberDie)

# "They can specify a number between 1 and 5": a joker cannot be a 6.
COUNTS: Final = tuple(range(1, BIGGEST_CROSSING + 1))

COLOR_FACES: Final[ColorDice] = (*COLORS, JOKER)
NUMBER_FACES: Final[NumberDice] = (*COUNTS, JOKER)
DICE: Final = 3
SOLO_DICE: Final = 2


def kinds(count: int) -> tuple[PlainDice, PlainDice]:
    """The colour dice and the number dice of a roll with so many of each."""
    colors = PlainDice(count, "colors", Sentence("color"), COLOR_FACES)
    return colors, PlainDice(count, "numbers", Sentence("number"), NUMBER_FACES)


class DiceChoice(NamedTuple):
    """A colour die and a number die as they were rolled, and the colour to cross."""

    color_die: ColorDie
    number_die: NumberDie
    color: Color  # the die's, or the player's own when the die is the joker

    @property
    def jokers(self) -> int:
        """The number of exclamation marks that it costs."""
        return (self.color_die == JOKER) + (self.number_die == JOKER)

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of boxes that may be crossed with it."""
        return COUNTS if self.number_die == JOKER else (self.number_die,)


def is_entered(action: Action) -> bool:
    """Whether a `roll` has its dice; `"told": false` marks one whose dice nobody entered."""
    return action.get("told") is not False


def rolled(action: Action, count: int) -> tuple[ColorDice, NumberDice] | Refusal:
    """The dice of a `roll` with `count` of each kind; every face if they were not entered."""
    if not is_entered(action):
        if "colors" in action or "numbers" in action:
            return bad_action("A roll cannot show dice that nobody has entered.")
        return COLOR_FACES, NUMBER_FACES
    colors = _dice(action.get("colors"), count, _color_die)
    if isinstance(colors, Refusal):
        return colors
    numbers: NumberDice | Refusal = _dice(action.get("numbers"), count, _number_die)
    return numbers if isinstance(numbers, Refusal) else (colors, numbers)


def _dice(
    raw: object, count: int, face: Callable[[object], Die | Refusal]
) -> tuple[Die, ...] | Refusal:
    if not isinstance(raw, list | tuple) or len(raw) != count:
        if count == SOLO_DICE:
            return bad_action("In the solo game, a roll shows two colors and two numbers.")
        return bad_action("A roll shows three colors and three numbers.")
    dice: list[Die] = []
    for shown in raw:
        die = face(shown)
        if isinstance(die, Refusal):
            return die
        dice.append(die)
    return tuple(dice)


def _color_die(raw: object) -> ColorDie | Refusal:
    if not isinstance(raw, str):
        return bad_action("A color die shows a color or the joker.")
    if raw not in COLOR_FACES:
        return Refusal("bad-dice", "No color die shows '%(face)s'.", {"face": raw})
    return raw


def _number_die(raw: object) -> NumberDie | Refusal:
    for face in NUMBER_FACES:
        if raw == face and type(raw) is type(face):
            return face
    if not is_whole(raw) and not isinstance(raw, str):
        return bad_action("A number die shows a number or the joker.")
    return Refusal(
        "bad-dice",
        "A number die shows 1 to %(most)s or the joker, not %(face)s.",
        {"most": COUNTS[-1], "face": raw},
    )


def choice_of(action: Action) -> DiceChoice | Refusal:
    """The dice and the colour of a `cross`, or why they are not valid."""
    color_die = _color_die(action.get("color_die"))
    if isinstance(color_die, Refusal):
        return color_die
    number_die = _number_die(action.get("number_die"))
    if isinstance(number_die, Refusal):
        return number_die
    color = action.get("color")
    if not isinstance(color, str):
        return bad_action("The action does not say which color is crossed.")
    return DiceChoice(color_die, number_die, color)


def boxes_of(action: Action) -> tuple[BoxName, ...] | Refusal:
    """The boxes of a `cross`, in their order; the sheet might not have them."""
    raw = action.get("boxes")
    if not isinstance(raw, list | tuple) or not all(isinstance(box, str) for box in raw):
        return bad_action("Boxes are named by their column and row, as in 'H4'.")
    if len(set(raw)) < len(raw):
        return bad_action("A box can be crossed only once, and here one is named twice.")
    return tuple(raw)
