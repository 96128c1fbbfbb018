"""The rules of a game in short, and the part of them that matters at one moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companion.core.values import Document, Player
from companion.core.words import N_, Sentence

GOAL: Final = Sentence(N_("The goal"))
TURN: Final = Sentence(N_("A turn"))
END: Final = Sentence(N_("The end and the points"))


def _nothing(position: Any, here: Sequence[Player]) -> Sequence[Sentence]:
    return ()


def _no_step(position: Any, here: Sequence[Player]) -> Sentence | None:
    return None


@dataclass(frozen=True)
class Guide:
    """A game explained to newcomers, in own words."""

    chapters: Sequence[tuple[Sentence, Sequence[Sentence]]] = ()
    """(heading, sentences), in the order in which they are read."""

    now: Callable[[Any, Sequence[Player]], Sequence[Sentence]] = _nothing
    """(position, the players on this phone) → what they can do now, and by which rules."""

    step: Callable[[Any, Sequence[Player]], Sentence | None] = _no_step
    """(position, the players on this phone) → how the present step is done, for a first game.

    One line on the smallest screen has room for about 60 letters.
    """

    facts: Mapping[str, object] = field(default_factory=dict)
    """The values for the template `rules.html` of the game's room, if it has one: a picture."""

    example: Document | None = None
    """A filled-in sheet to draw beside the rules; None for a game without sheets."""
