"""Dice: what they show, and those of the next roll, for players who have the app roll them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from companion.core.refusal import Refusal, bad_action
from companion.core.values import Action, is_whole
from companion.core.words import N_, Sentence

Face: TypeAlias = int | str

ROLLED: Final = "rolled"
BY_APP: Final = "app"
"""A roll with `"rolled": "app"` was drawn by the server. Rules and `replay` ignore the field."""


@dataclass(frozen=True)
class Die:
    """One die."""

    part: str  # the die's name within the roll, as in a picker's parts
    name: Sentence
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Dice:
    """The dice that can be rolled now."""

    dice: tuple[Die, ...]
    roll: Callable[[Mapping[str, Face]], dict[str, Any]]  # the faces shown, by part → the action
    is_chosen: bool = False  # whether the player chooses which of the dice to roll, at least one


FACES: Final = range(1, 7)


def face_refusal(value: object) -> Refusal | None:
    """Why this is no face of a die from 1 to 6, or None."""
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
    """Whether a roll was drawn by the server."""
    return action.get(ROLLED) == BY_APP


def describe_roll(action: Action, sentence: Sentence) -> Sentence:
    """The description of a roll, with the word that the app rolled, if it did."""
    if not is_by_app(action):
        return sentence
    return Sentence("%(what)s (rolled by the app)", {"what": sentence})
