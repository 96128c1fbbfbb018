"""Turns: who has acted and when a turn closes, and the positions of games that have them.

A game overrides what is different in it. Nothing here knows what an action does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, ClassVar, Final, Generic, Protocol, Self, TypeVar

from companion.core.refusal import Refusal, bad_action
from companion.core.result import Result, won
from companion.core.values import LONGEST_RAW_NAME, Action, Document, Player, clean_name
from companion.core.words import N_

SKIP: Final = "pass"
"""The name of the action by which a player lets the turn go by."""
CLOSE: Final[Action] = {"do": "next"}
"""The action that closes the turn for those who have not acted yet."""


def skip(player: Player) -> dict[str, Any]:
    """The action by which a player lets the turn go by."""
    return {"do": SKIP, "by": player}


@dataclass(frozen=True)
class Turn:
    """The turn's number (from 1), the active player's place, and the places that have acted."""

    players: tuple[Player, ...]
    number: int = 1
    active_place: int = 0
    acted: frozenset[int] = frozenset()

    @property
    def active(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.active_place]

    @property
    def active_has_acted(self) -> bool:
        """Whether the active player has written, passed or failed."""
        return self.active_place in self.acted

    @property
    def all_have_acted(self) -> bool:
        """Whether nobody is waited for."""
        return len(self.acted) == len(self.players)

    @property
    def waiting(self) -> tuple[Player, ...]:
        """The players who have not acted yet, clockwise from the active player."""
        count = len(self.players)
        order = [(self.active_place + step) % count for step in range(count)]
        return tuple(self.players[place] for place in order if place not in self.acted)

    def with_acted(self, player: Player) -> Turn:
        """The turn after an entry of the player."""
        return replace(self, acted=self.acted | {self.players.index(player)})

    def following(self) -> Turn:
        """The next player's turn, in which nobody has acted."""
        place = (self.active_place + 1) % len(self.players)
        return Turn(self.players, self.number + 1, place)


def actor(players: tuple[Player, ...], action: Action) -> Player | Refusal:
    """The player of an action, or the refusal when it is nobody at this table."""
    raw = action.get("by")
    if isinstance(raw, str) and len(raw) > LONGEST_RAW_NAME:
        return unknown_player(raw[:LONGEST_RAW_NAME])
    player = clean_name(raw)
    if player is None:
        return bad_action("The action does not say who did it.")
    return player if player in players else unknown_player(player)


def not_your_turn(turn: Turn) -> Refusal:
    """The refusal when another player rolls or lays."""
    return Refusal(
        "not-your-turn",
        "It is %(player)s's turn, so only they can do this.",
        {"player": turn.active},
    )


def game_over() -> Refusal:
    """The refusal of any action after the end."""
    return Refusal("game-over", "The game is over. Undo or correct an entry to change it.")


def unknown_player(name: object) -> Refusal:
    """The refusal of an action by a person who does not sit at this table."""
    return Refusal(
        "unknown-player", "Nobody called %(player)s plays in this game.", {"player": name}
    )


@dataclass(frozen=True, kw_only=True)
class TurnPosition(ABC):
    """A position of a game of turns; see `core.position.Position`."""

    ACTIONS: ClassVar[tuple[str, ...]]
    """The names of the game's actions."""
    UNSIGNED: ClassVar[tuple[str, ...]] = ()
    """Those among them that do not say who did them."""

    now: Turn
    over: bool = False

    @property
    def players(self) -> tuple[Player, ...]:
        """See `Position.players`."""
        return self.now.players

    @property
    def turn(self) -> int:
        """See `Position.turn`."""
        return self.now.number

    @property
    def step(self) -> int:
        """See `Position.step`: a turn is one step unless a game says otherwise."""
        return self.now.number

    @property
    def active(self) -> Player:
        """See `Position.active`."""
        return self.now.active

    @property
    def waiting(self) -> tuple[Player, ...]:
        """See `Position.waiting`."""
        return () if self.over else self.now.waiting

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """See `Position.fingerprint`."""

    @property
    def is_solo(self) -> bool:
        """Whether a player plays alone."""
        return len(self.now.players) == 1

    @abstractmethod
    def result_of(self, player: Player) -> Result:
        """The player's result if the game ended now."""

    def winners(self) -> tuple[Player, ...]:
        """Everybody with the greatest result; empty before the end."""
        if not self.over:
            return ()
        return tuple(compress(self.players, won(list(map(self.result_of, self.players)))))

    def play(self, action: Action) -> Self | Refusal:
        """The position after one of `ACTIONS`, or why it is not allowed."""
        do = action.get("do")
        if do not in self.ACTIONS:
            return bad_action("This game knows no action '%(do)s'.", do=str(do))
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
        """Why this player may not roll or lay, which the active player alone does; or None."""
        if self.over:
            return game_over()
        return not_your_turn(self.now) if player != self.active else None


class ScoredSheet(Protocol):
    """The part of a filled-in sheet that a position asks for."""

    def document(self) -> Document:
        """The sheet as a public document."""

    def score(self) -> Document:
        """The score object, with `total`."""

    def result(self) -> Result:
        """The total, and what breaks a tie."""


S = TypeVar("S", bound=ScoredSheet)


@dataclass(frozen=True, kw_only=True)
class SheetPosition(TurnPosition, Generic[S]):
    """A position of a game in which everybody may write on a sheet once a step, or pass.

    The step closes when all have acted, or by `next` once the active player has.
    """

    UNSIGNED: ClassVar[tuple[str, ...]] = ("next",)
    HAS_ACTED: ClassVar[str] = N_("%(player)s has already written or passed in this turn.")
    """The refusal of a second entry in one step."""
    MUST_ACT: ClassVar[str] = N_("The turn cannot end yet: %(player)s has to write or pass first.")
    """The refusal of `next` before the active player has written, passed or failed."""

    sheets: tuple[S, ...]
    """The sheets in the players' order."""

    @property
    def is_last_turn(self) -> bool:
        """Whether the game is to end with this turn."""
        return not self.over and self._ends

    @property
    @abstractmethod
    def _ends(self) -> bool:
        """Whether the game ends when the turn closes now."""

    @abstractmethod
    def _following(self) -> Self:
        """The next player's turn, with the dice or cards that this turn leaves on the table."""

    @abstractmethod
    def _too_early(self, player: Player) -> Refusal | None:
        """Why this player can neither write nor pass before something else has happened."""

    def result_of(self, player: Player) -> Result:
        """The result of the player's sheet."""
        return self.sheet_of(player).result()

    def sheet_of(self, player: Player) -> S:
        """The player's sheet; see `Position.sheet_of`."""
        return self.sheets[self.players.index(player)]

    def sheet(self, player: Player) -> Document:
        """See `Position.sheet`."""
        return self.sheet_of(player).document()

    def score(self, player: Player) -> Document:
        """See `Position.score`."""
        return self.sheet_of(player).score()

    def can_act(self, player: Player) -> bool:
        """Whether this player may write or pass now."""
        return self._cannot_act(player) is None

    # Refusals go from the general one (the game is over) to the special one (this does not fit).

    def _cannot_act(self, player: Player) -> Refusal | None:
        """Why this player can neither write nor pass now, or None."""
        if self.over:
            return game_over()
        refused = self._too_early(player)
        if refused or self.players.index(player) not in self.now.acted:
            return refused
        return Refusal("already-acted", self.HAS_ACTED, {"player": player})

    def _play_unsigned(self, action: Action) -> Self | Refusal:
        if self.over:
            return game_over()
        if not self.now.active_has_acted:
            return Refusal("active-must-act", self.MUST_ACT, {"player": self.active})
        return self._closed()

    def _pass(self, player: Player) -> Self | Refusal:
        refused = self._cannot_act(player)
        return refused or self._acted(player, self._passed(player))

    def _passed(self, player: Player) -> S:
        """The player's sheet after passing."""
        return self.sheets[self.players.index(player)]

    def _acted(self, player: Player, sheet: S) -> Self:
        """The position after an entry that leaves the player with this sheet."""
        place = self.players.index(player)
        sheets = (*self.sheets[:place], sheet, *self.sheets[place + 1 :])
        acted = replace(self, sheets=sheets, now=self.now.with_acted(player))
        return acted._closed() if acted._all_have_acted else acted

    @property
    def _all_have_acted(self) -> bool:
        return self.now.all_have_acted

    def _settled(self) -> Self:
        """The position with all that the closing of a turn enters by itself."""
        return self

    def _closed(self) -> Self:
        """The position after the turn; the end is checked only now, so everybody finishes it."""
        settled = self._settled()
        return replace(settled, over=True) if settled._ends else settled._following()
