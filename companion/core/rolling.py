"""Dice: their faces, and those of the next roll, for players who let the app roll."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from companion.core.refusal import Refusal, bad_action
from companion.core.values import Action, is_whole
from companion.core.words import N_, Sentence

Face: TypeAlias = int | str

ROLLED: Final = "rolled"
# A roll with `"rolled": "app"` was drawn by the server. Rules and `replay` ignore the field.
BY_APP: Final = "app"


@dataclass(frozen=True)
class Die:
    part: str  # the die's name within the roll, as in a picker's parts
    name: Sentence
    faces: tuple[Face, ...]
    lies: Face | None = None  # the face of a die that lies and may be held


@dataclass(frozen=True)
class Dice:
    """The dice that can be rolled now."""

    dice: tuple[Die, ...]
    # (part → face) → the action of the roll; with some of the faces, as much of it as they give
    roll: Callable[[Mapping[str, Face]], dict[str, Any]]
    is_chosen: bool = False  # whether the player chooses which of the dice to roll, at least one
    left: int = 0  # the rolls that are left in the turn; 0 before its first roll

    @property
    def is_held(self) -> bool:
        """Whether the player holds some of the dice that lie, and rolls the others."""
        return self.is_chosen and all(die.lies is not None for die in self.dice)


FACES: Final = range(1, 7)


def face_refusal(value: object) -> Refusal | None:
    """Why this is not a face of a die from 1 to 6, or None."""
    if not is_whole(value):
        return bad_action("A die shows a number from 1 to 6.")
    if value not in FACES:
        text = N_("A die shows a number from 1 to 6, not %(value)s.")
        return Refusal("bad-dice", text, {"value": value})
    return None


def color_refusal(color: object, colors: tuple[str, ...]) -> Refusal | None:
    """Why there is no die of this color, or None."""
    if color in colors:
        return None
    return Refusal("bad-dice", "There is no %(color)s die in this game.", {"color": str(color)})


def is_by_app(action: Action) -> bool:
    return action.get(ROLLED) == BY_APP


def describe_roll(
    action: Action, dice: object, text: str = N_("%(player)s rolled: %(dice)s"), **values: object
) -> Sentence:
    """A roll in words, which say so if the app rolled."""
    # A roll names nobody where any player may roll.
    words = text if "by" in action else N_("Rolled: %(dice)s")
    what = Sentence(words, {"player": action.get("by", ""), "dice": dice, **values})
    if is_by_app(action):
        return Sentence("%(what)s (rolled by the app)", {"what": what})
    return what


ANY: Final = Sentence("a die")


@dataclass(frozen=True)
class PlainDice:
    """Dice that look alike and are rolled together."""

    count: int
    name: str = "dice"  # the action's field that has their faces
    word: Sentence = ANY
    faces: tuple[Face, ...] = tuple(FACES)

    @property
    def parts(self) -> tuple[str, ...]:
        """The dice as parts of a picker."""
        return tuple(f"{self.name}.{number}" for number in range(self.count))

    def picks(self, faces: Iterable[Face]) -> dict[str, Face]:
        """Part → face; the parts without a face are left out."""
        return dict(zip(self.parts, faces, strict=False))

    def shown(self, faces: Mapping[str, Face]) -> list[Face]:
        """The faces as a roll lists them, in the order of the parts."""
        return [faces[part] for part in self.parts if part in faces]

    def checked(self, raw: object) -> tuple[int, ...] | Refusal:
        """The numbers of a roll in their order, or why they are not valid."""
        if not isinstance(raw, list | tuple):
            return bad_action("A roll must say what the dice show.")
        for face in raw:
            if refused := face_refusal(face):
                return refused
        if len(raw) != self.count:
            values = {"dice": self.count, "count": len(raw)}
            text = N_("This game has %(dice)s of these dice, not %(count)s.")
            one = N_("This game has one of these dice, not %(count)s.")
            return Refusal("bad-dice", one if self.count == 1 else text, values)
        return tuple(raw)

    def to_roll(self, lying: Iterable[Face] = ()) -> tuple[Die, ...]:
        """The dice of the next roll, named by the faces that they show, or by their word."""
        if faces := tuple(lying):
            names = [Sentence("%(face)s", {"face": face}) for face in faces]
            return tuple(map(Die, self.parts, names, [self.faces] * self.count, faces))
        return tuple(Die(part, self.word, self.faces) for part in self.parts)


def colored_dice(
    raw: object,
    colors: tuple[str, ...],
    refusal: Callable[[object, tuple[str, ...]], Refusal | None] = color_refusal,
) -> tuple[tuple[str, int], ...] | Refusal:
    """The colored dice of a roll in the order of `colors`, or why they are not valid.

    Args:
        refusal: (color, colors) → why there is no die of this color, or None.
    """
    if not isinstance(raw, Mapping):
        return bad_action("A roll must say what each colored die shows.")
    for color, value in raw.items():
        refused = refusal(color, colors) or face_refusal(value)
        if refused:
            return refused
    return tuple((color, raw[color]) for color in colors if color in raw)
