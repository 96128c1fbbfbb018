"""Positions: a game at one moment, with the turn and the players who have acted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar, Self

from companion.core.refusal import Refusal, bad_action
from companion.core.result import Result, won
from companion.core.rolling import Dice
from companion.core.values import LONGEST_RAW_NAME, Action, Document, Player, changed, clean_name
from companion.core.words import N_


@dataclass(frozen=True)
class Turn:
    """The turn's number (from 1), the active player's place, and the places that have acted."""

    players: tuple[Player, ...]
    number: int = 1
    active_place: int = 0
    acted: frozenset[int] = frozenset()

    @property
    def active(self) -> Player:
        return self.players[self.active_place]

    @property
    def active_has_acted(self) -> bool:
        """Whether the active player has written, passed or failed."""
        return self.active_place in self.acted

    @property
    def all_have_acted(self) -> bool:
        return len(self.acted) == len(self.players)

    @property
    def awaited(self) -> tuple[Player, ...]:
        """The players who have not acted yet, clockwise from the active player."""
        places = [*range(self.active_place, len(self.players)), *range(self.active_place)]
        return tuple(self.players[place] for place in places if place not in self.acted)

    def with_acted(self, player: Player) -> Turn:
        """The turn after an entry of the player."""
        return changed(self, acted=self.acted | {self.players.index(player)})

    def following(self) -> Turn:
        """The next player's turn, before anybody has acted."""
        place = (self.active_place + 1) % len(self.players)
        return changed(self, number=self.number + 1, active_place=place, acted=frozenset())


def actor(players: tuple[Player, ...], action: Action) -> Player | Refusal:
    """The player of an action, or the refusal if nobody at this table has that name."""
    raw: Any = action.get("by")
    is_too_long = isinstance(raw, str) and len(raw) > LONGEST_RAW_NAME
    player = f"{raw[:LONGEST_RAW_NAME]}…" if is_too_long else clean_name(raw)
    if player is None:
        return bad_action("The action does not say who did it.")
    if player in players:
        return player
    text = N_("There is no player called %(player)s in this game.")
    return Refusal("unknown-player", text, {"player": player})


def not_your_turn(turn: Turn) -> Refusal:
    """The refusal of a roll or lay by a player whose turn it is not."""
    return Refusal(
        "not-your-turn",
        "It is %(player)s's turn, so only they can do this.",
        {"player": turn.active},
    )


def game_over() -> Refusal:
    """The refusal of any action after the end."""
    return Refusal("game-over", "The game is over. Undo or correct an entry to change it.")


@dataclass(frozen=True, kw_only=True)
class Position(ABC):
    """A game at one moment. Immutable: `play` returns another one and leaves this as it was."""

    ACTIONS: ClassVar[tuple[str, ...]]  # the names of the game's actions
    UNSIGNED: ClassVar[tuple[str, ...]] = ()  # those of them that name no player
    AFTER_END: ClassVar[tuple[str, ...]] = ()  # those that may be legal once the game is over
    now: Turn
    over: bool = False

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody, clockwise; the first one started. A game may let others join at the end."""
        return self.now.players

    @property
    def present(self) -> tuple[Player, ...]:
        """Those who have not left, in the players' order; in most games nobody leaves."""
        return self.players

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; after the end, the turn that ended the game."""
        return self.now.number

    @property
    def step(self) -> int:
        """The number of the step, from 1: in each one every awaited player may act once.

        In most games a turn is one step.
        """
        return self.now.number

    @property
    def active(self) -> Player:
        return self.now.active

    @property
    def awaited(self) -> tuple[Player, ...]:
        """The players who may still act in this step, the active one first; empty after the end."""
        return () if self.over else self.now.awaited

    @property
    def rollers(self) -> tuple[Player, ...]:
        """The players who may roll or lay for the turn, on whose devices it is entered."""
        return (self.active,)

    @property
    def next_roll(self) -> Dice | None:
        """The dice that one of `rollers` may roll now, or None."""
        return None

    @property
    def is_solo(self) -> bool:
        return len(self.now.players) == 1

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A token that changes with everything all players share (turn, roll, cards on the table).

        It does not change when a player writes on a sheet. A tap made at a position with another
        fingerprint is stale: the person saw another call.
        """

    @abstractmethod
    def sheet_of(self, player: Player) -> Any:
        """The player's sheet in the type of the game's kind; None in a game without sheets."""

    @abstractmethod
    def sheet(self, player: Player) -> Document:
        """The player's sheet as a public document."""

    @abstractmethod
    def score(self, player: Player) -> Document:
        """The score object, with `total`, if the game ended now."""

    @abstractmethod
    def result_of(self, player: Player) -> Result:
        """The player's result if the game ended now."""

    def winners(self) -> tuple[Player, ...]:
        """Everybody with the greatest result; empty before the end."""
        if not self.over:
            return ()
        return tuple(compress(self.players, won(list(map(self.result_of, self.players)))))

    @property
    def deciding(self) -> dict[Player, dict[str, Any]]:
        """The actions after the end that name one of the winners; in most games there are none."""
        return {}

    def play(self, action: Action) -> Self | Refusal:
        """The position after one of `ACTIONS`, or why the rules do not allow it."""
        do = action.get("do")
        if do not in self.ACTIONS:
            return bad_action("This game has no action '%(do)s'.", do=str(do))
        if do in self.UNSIGNED:
            return self._play_unsigned(action)
        player = actor(self.players, action)
        return player if isinstance(player, Refusal) else self._play_by(player, action)

    @abstractmethod
    def _play_by(self, player: Player, action: Action) -> Self | Refusal:
        """The position after a player's action."""

    @abstractmethod
    def _play_unsigned(self, action: Action) -> Self | Refusal:
        """The position after one of `UNSIGNED`."""

    def _cannot_begin(self, player: Player) -> Refusal | None:
        """Why this player cannot roll or lay, which only the active player may; or None."""
        if self.over:
            return game_over()
        return not_your_turn(self.now) if player != self.active else None
