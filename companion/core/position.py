"""The shape of a game at one moment, which every game's rules fill."""

from __future__ import annotations

from typing import Any, Protocol, Self

from companion.core.refusal import Refusal
from companion.core.values import Action, Document, Player


class Position(Protocol):
    """A game at one moment. Immutable: `play` returns another one and leaves this as it was."""

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody, clockwise; the first one started."""

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; after the end, the turn that ended the game."""

    @property
    def step(self) -> int:
        """The number of the step, from 1: in each one everybody who is waited for may act once.

        In most games a turn is one step.
        """

    @property
    def active(self) -> Player:
        """The player whose turn it is."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def fingerprint(self) -> str:
        """A token that changes with everything all players share (turn, roll, cards on the table).

        It does not change when one player writes on the own sheet. A tap made at a
        position with another fingerprint is stale: the person saw another call.
        """

    @property
    def waiting(self) -> tuple[Player, ...]:
        """The players who may still act in this step, the active one first; empty after the end."""

    def play(self, action: Action) -> Self | Refusal:
        """The position after `action`, or why the rules do not allow it."""

    def winners(self) -> tuple[Player, ...]:
        """The players who have won; empty before the end."""

    def sheet_of(self, player: Player) -> Any:
        """The player's sheet in the type of the game's kind; None in a game without sheets."""

    def sheet(self, player: Player) -> Document:
        """The player's sheet as a public document."""

    def score(self, player: Player) -> Document:
        """The score object, with `total`, if the game ended now."""
