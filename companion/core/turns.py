"""Games whose players may write on a sheet or pass once a step; the end of a step.

A game overrides what is different in it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from companion.core.position import Position, game_over, not_your_turn
from companion.core.refusal import Refusal
from companion.core.result import Result, Written
from companion.core.rolling import Dice, Face, PlainDice
from companion.core.values import Action, Document, Player, changed
from companion.core.words import N_

PASS: Final = "pass"  # noqa: S105 - the action of a player who does nothing in a step
CLOSE: Final[Action] = {"do": "next"}  # It closes the turn for those who have not acted yet


def pass_action(player: Player) -> dict[str, Any]:
    """The action of a player who does nothing in this step.

    >>> pass_action("Ada")
    {'do': 'pass', 'by': 'Ada'}
    """
    return {"do": PASS, "by": player}


S = TypeVar("S", bound=Written)


@dataclass(frozen=True, kw_only=True)
class SheetPosition(Position, Generic[S]):
    """A position of a game whose players may write on a sheet or pass once a step.

    The step closes when all have acted, or by `next` once the active player has.
    """

    UNSIGNED: ClassVar[tuple[str, ...]] = ("next",)
    # The refusal of a second entry in one step
    HAS_ACTED: ClassVar[str] = N_("%(player)s has already written or passed in this turn.")
    # The refusal of `next` before the active player has written, passed or failed
    MUST_ACT: ClassVar[str] = N_("The turn cannot end yet: %(player)s has to write or pass first.")

    sheets: tuple[S, ...]  # the sheets in the players' order

    @property
    def is_last_turn(self) -> bool:
        """Whether the game ends with this turn."""
        return not self.over and self._ends

    @property
    @abstractmethod
    def _ends(self) -> bool:
        """Whether the game ends when the turn closes now."""

    @property
    def must_roll(self) -> bool:
        """Whether the turn's first roll is missing, before which nobody may enter anything."""
        return False

    def _following(self) -> Self:
        """The next player's turn, with the dice or cards that this turn leaves on the table."""
        return changed(self, now=self.now.following())

    def _too_early(self, player: Player) -> Refusal | None:
        """Why this player must wait for something else before writing or passing."""
        return None

    def result_of(self, player: Player) -> Result:
        return self.sheet_of(player).result()

    def sheet_of(self, player: Player) -> S:
        """The player's sheet, in the type of the game's kind."""
        return self.sheets[self.players.index(player)]

    def sheet(self, player: Player) -> Document:
        return self.sheet_of(player).document()

    def score(self, player: Player) -> Document:
        return self.sheet_of(player).score()

    def can_act(self, player: Player) -> bool:
        """Whether this player may write or pass now.

        >>> from companion.games.catalog import GAMES
        >>> start = next(iter(GAMES.values())).start(("Ada", "Ben"), {})
        >>> start.can_act("Ada"), start.play(pass_action("Ada")).code, start.play(CLOSE).code
        (False, 'wrong-moment', 'active-must-act')
        """
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

    def _play_by(self, player: Player, action: Action) -> Self | Refusal:
        return self._pass(player) if action["do"] == PASS else self._enter(player, action)

    @abstractmethod
    def _enter(self, player: Player, action: Action) -> Self | Refusal:
        """The position after a player's entry that is not a pass."""

    def _pass(self, player: Player) -> Self | Refusal:
        return self._cannot_act(player) or self._acted(player, self._passed(player))

    def _passed(self, player: Player) -> S:
        return self.sheets[self.players.index(player)]

    def _acted(self, player: Player, sheet: S) -> Self:
        """The position after an entry that leaves the player with this sheet."""
        place = self.players.index(player)
        sheets = (*self.sheets[:place], sheet, *self.sheets[place + 1 :])
        acted = changed(self, sheets=sheets, now=self.now.with_acted(player))
        return acted._closed() if acted._all_have_acted else acted

    @property
    def _all_have_acted(self) -> bool:
        return self.now.all_have_acted

    def _settled(self) -> Self:
        """The position with everything that the end of a turn enters automatically."""
        return self

    def _closed(self) -> Self:
        """The position after the turn; the end is checked only now, so everybody finishes it."""
        settled = self._settled()
        return changed(settled, over=True) if settled._ends else settled._following()


@dataclass(frozen=True, kw_only=True)
class OwnTurn(SheetPosition[S]):
    """A position of a game in which only the active player acts, and an entry closes the turn."""

    UNSIGNED: ClassVar[tuple[str, ...]] = ()

    @property
    def awaited(self) -> tuple[Player, ...]:
        """The active player; nobody after the end."""
        return () if self.over else (self.active,)

    @property
    def _all_have_acted(self) -> bool:
        return True

    def _too_early(self, player: Player) -> Refusal | None:
        return None if player == self.active else not_your_turn(self.now)


@dataclass(frozen=True, kw_only=True)
class RolledTurn(SheetPosition[S]):
    """A position in which dice are rolled before the entries.

    The first of `ACTIONS` is the roll. Where it is one of `UNSIGNED`, any player may roll, else the
    active one.
    """

    ROLLS: ClassVar[int] = 1  # limit of the rolls in a turn
    # The refusal of an entry before the active player's roll
    NOT_ROLLED: ClassVar[str] = N_(
        "There is nothing to write yet: %(player)s has to roll the dice first."
    )

    rolls: int = 0  # in this turn

    @property
    @abstractmethod
    def _dice(self) -> Dice:
        """The dice of the next roll."""

    @abstractmethod
    def _rolled(self, action: Action) -> Self | Refusal:
        """The position with the dice of a roll."""

    @property
    def rollers(self) -> tuple[Player, ...]:
        return self.players if self.ACTIONS[0] in self.UNSIGNED else super().rollers

    @property
    def must_roll(self) -> bool:
        return not self.over and not self.rolls

    @property
    def next_roll(self) -> Dice | None:
        return None if self._cannot_roll() else self._dice

    def _cannot_roll(self) -> Refusal | None:
        """Why nobody may roll now, or None."""
        if self.over:
            return game_over()
        if self.rolls < self.ROLLS:
            return None
        if self.ROLLS == 1:
            return Refusal("wrong-moment", "You can roll the dice only once in a turn.")
        text = N_("You can roll the dice at most %(rolls)s times in a turn.")
        return Refusal("no-rolls-left", text, {"rolls": self.ROLLS})

    def _too_early(self, player: Player) -> Refusal | None:
        refused = super()._too_early(player)
        if refused or self.rolls:
            return refused
        if len(self.rollers) > 1:
            return Refusal("wrong-moment", "The dice have to be rolled first.")
        return Refusal("wrong-moment", self.NOT_ROLLED, {"player": self.active})

    def _play_by(self, player: Player, action: Action) -> Self | Refusal:
        if action["do"] == self.ACTIONS[0]:
            return self._cannot_begin(player) or self._roll(action)
        return super()._play_by(player, action)

    def _play_unsigned(self, action: Action) -> Self | Refusal:
        if action["do"] == self.ACTIONS[0]:
            return self._roll(action)
        return super()._play_unsigned(action)

    def _roll(self, action: Action) -> Self | Refusal:
        rolled = self._cannot_roll() or self._rolled(action)
        return rolled if isinstance(rolled, Refusal) else changed(rolled, rolls=self.rolls + 1)


@dataclass(frozen=True, kw_only=True)
class PlainRoll(RolledTurn[S]):
    """A position in which dice that look alike are rolled before the entries.

    A roll says how all of them lie; where there are several rolls, some may stay as they lie.
    """

    DICE: ClassVar[PlainDice]

    dice: tuple[int, ...] = ()  # as they lie; empty before the first roll of the turn

    @property
    def fingerprint(self) -> str:
        """Turn, roll and dice."""
        dice = "".join(map(str, self.dice))
        return f"{self.turn}.{self.rolls}.{dice}{'.over' if self.over else ''}"

    def roll(self, dice: object) -> dict[str, Any]:
        """The action that enters the dice as they lie.

        >>> from companion.games.catalog import GAMES
        >>> from companion.games.record import checked_options
        >>> begin = lambda game: game.start(("Ada", "Ben"), checked_options(game, {}))
        >>> start = next(at for at in map(begin, GAMES.values()) if isinstance(at, PlainRoll))
        >>> start.play(start.roll([1] * start.DICE.count)).rolls
        1
        """
        do = self.ACTIONS[0]
        by = {} if do in self.UNSIGNED else {"by": self.active}
        return {"do": do, **by, self.DICE.name: dice}

    @property
    def _dice(self) -> Dice:
        """All dice before the first roll, then any of those that lie on the table."""
        lying = self.DICE.picks(self.dice)

        def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
            return self.roll(self.DICE.shown({**lying, **faces}))

        left = self.ROLLS - self.rolls if lying else 0
        return Dice(self.DICE.to_roll(self.dice), roll, is_chosen=bool(lying), left=left)

    def _following(self) -> Self:
        return changed(self, now=self.now.following(), dice=(), rolls=0)

    def _rolled(self, action: Action) -> Self | Refusal:
        dice = self.DICE.checked(action.get(self.DICE.name))
        return dice if isinstance(dice, Refusal) else changed(self, dice=dice)


@dataclass(frozen=True, kw_only=True)
class DiceTurn(PlainRoll[S], OwnTurn[S]):
    """A position in which the active player rolls dice that look alike before the entry."""
