"""The dice of the next roll, for players who have the app roll them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from companion.core.values import Action
from companion.core.words import Sentence

Face: TypeAlias = int | str

ROLLED: Final = "rolled"
BY_APP: Final = "app"
"""A roll with `"rolled": "app"` was drawn by the server. Rules and `replay` ignore the field."""


@dataclass(frozen=True)
class Die:
    """One die."""

    part: str
    """The die's name within the roll, as in a picker's parts."""
    name: Sentence
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Dice:
    """The dice that can be rolled now."""

    dice: tuple[Die, ...]
    roll: Callable[[Mapping[str, Face]], dict[str, Any]]
    """The faces shown, by part → the action."""
    is_chosen: bool = False
    """Whether the player chooses which of the dice to roll, at least one."""


def is_by_app(action: Action) -> bool:
    """Whether a roll was drawn by the server."""
    return action.get(ROLLED) == BY_APP


def describe_roll(action: Action, sentence: Sentence) -> Sentence:
    """The description of a roll, with the word that the app rolled, if it did."""
    if not is_by_app(action):
        return sentence
    return Sentence("%(what)s (rolled by the app)", {"what": sentence})
