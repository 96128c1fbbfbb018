"""The rules of a game in short, and the part of them that matters in a position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Generic, TypeAlias, TypeVar

from companion.core.position import Position
from companion.core.values import Document, Player
from companion.core.words import Sentence

GOAL: Final = Sentence("The goal")
TURN: Final = Sentence("A turn")
END: Final = Sentence("The end and the points")

Chapters: TypeAlias = Sequence[tuple[Sentence, Sequence[Sentence]]]  # (heading, sentences)

P = TypeVar("P", bound=Position)


class Guide(ABC, Generic[P]):
    """A game explained to newcomers, in our own words."""

    facts: ClassVar[Mapping[str, object]] = {}  # for the package's picture `rules.html`, if any
    example: Document | None = None  # a filled-in sheet to draw beside the rules
    demo: Document | None = None  # a record whose last turn the first page may show
    begins: Sentence | None = None  # who starts; None where the rules leave it open

    @property
    @abstractmethod
    def chapters(self) -> Chapters:
        """The rules in short."""

    def now(self, position: P, here: Sequence[Player]) -> Sequence[Sentence]:
        """The choices of the players on this phone now, with the rules for them."""
        return ()

    def step(self, position: P, here: Sequence[Player]) -> Sentence | None:
        """How the first awaited player on this phone does the present step, in about 60 letters."""
        return None

    @staticmethod
    def awaited_here(position: P, here: Sequence[Player]) -> list[Player]:
        """The awaited players on this phone, in the order of `here`."""
        awaited = position.awaited
        return [player for player in here if player in awaited]
