"""Encore!: six dice, a colour and a number for each player, and boxes crossed in clumps.

The sheet is in `sheet.py`, what may be crossed on it in `crossing.py`. Source: the
rule text of Encore!; the solo game's is in the German rules only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal
from companion.core.rolling import Dice, Face
from companion.core.turns import RolledTurn
from companion.core.values import Action, Player, changed
from companion.core.words import N_
from companion.games.encore import crossing as encore_crossing
from companion.games.encore import dice as encore_dice
from companion.games.encore import sheet as encore_sheet
from companion.games.encore.boards import BOXES, COLORS, LINES, Boxes, Color, Column, LineId
from companion.games.encore.dice import (
    COUNTS,
    DICE,
    JOKER,
    SOLO_DICE,
    ColorDice,
    DiceChoice,
    NumberDice,
)
from companion.games.encore.sheet import EncoreSheet

OPEN_TURNS: Final = 3  # "For the first three turns" the active player takes no dice away

SOLO_ROLLS: Final = 30  # The number of the roll that ends the solo game


@dataclass(frozen=True, kw_only=True)
class Encore(RolledTurn[EncoreSheet]):
    """A position of Encore!, on whose sheets claims are written when a turn closes.

    See `core.position.Position`.
    """

    ACTIONS: ClassVar = ("roll", "cross", "pass", "next")
    NOT_ROLLED: ClassVar = N_(
        "There is nothing to cross yet: %(player)s has to roll the dice first."
    )
    HAS_ACTED: ClassVar = N_("%(player)s has already crossed boxes or passed in this turn.")
    MUST_ACT: ClassVar = N_("The turn cannot end yet: %(player)s has to cross boxes or pass first.")
    color_dice: ColorDice = ()
    # Empty before the roll. Every face if nobody entered the dice: any may have been rolled, even
    # twice.
    number_dice: NumberDice = ()
    taken: DiceChoice | None = None  # by the active player in this turn, if dice were entered
    completed: tuple[tuple[Player, str], ...] = ()  # (player, column) of the turn before

    @property
    def dice(self) -> int:
        """The dice of each kind in a roll."""
        return SOLO_DICE if self.is_solo else DICE

    @property
    def is_entered(self) -> bool:
        return len(self.color_dice) == self.dice

    @property
    def active_comes_first(self) -> bool:
        """Whether the active player's dice are gone for the others: from the fourth turn on."""
        return self.turn > OPEN_TURNS

    @property
    def fingerprint(self) -> str:
        """Turn, dice, and from the fourth turn on the dice that are gone."""
        dice = ",".join(map(str, (*self.color_dice, *self.number_dice)))
        gone = ""
        # In the first three turns the active player's cross changes nothing for the others.
        if self.active_comes_first and self.now.active_has_acted:
            gone = f"{self.taken.color_die},{self.taken.number_die}" if self.taken else "pass"
        return f"{self.turn}.{dice}.{gone}{'.over' if self.over else ''}"

    def sheet_of(self, player: Player) -> EncoreSheet:
        """The player's sheet with the claims it would have if the turn closed now."""
        return self._written(player).claim(self._claimed)

    def _written(self, player: Player) -> EncoreSheet:
        """The player's sheet with the claims of earlier turns only."""
        return super().sheet_of(player)

    @cached_property
    def _claimed(self) -> frozenset[LineId]:
        """The lines that somebody has claimed in earlier turns."""
        claimed: set[LineId] = set()
        for sheet in self.sheets:
            claimed.update(line for line, _ in sheet.claims)
        return frozenset(claimed)

    def crossed_out(self, player: Player) -> tuple[str, ...]:
        """The higher values that others have circled in earlier turns, as field names."""
        # The player has to cross them out: only the later value can still be reached there
        own = dict(self._written(player).claims)
        claimed = self._claimed
        lost = [line for line in LINES if line in claimed and own.get(line) != "first"]
        return tuple(f"{line}.first" for line in lost)

    def dice_left(self, player: Player) -> tuple[ColorDice, NumberDice]:
        """The colour dice and the number dice from which this player may choose."""
        colors, numbers = list(self.color_dice), list(self.number_dice)
        if self.active_comes_first and self.taken and player != self.active:
            colors.remove(self.taken.color_die)
            numbers.remove(self.taken.number_die)
        return tuple(colors), tuple(numbers)

    def choices(self, player: Player) -> tuple[DiceChoice, ...]:
        """The choices with which this player may cross at least one box now."""
        if player not in self._choices:
            self._choices[player] = self._choices_of(player)
        return self._choices[player]

    @cached_property
    def _choices(self) -> dict[Player, tuple[DiceChoice, ...]]:
        """The choices computed so far at this position; a page needs them many times."""
        return {}

    def _choices_of(self, player: Player) -> tuple[DiceChoice, ...]:
        if self.cross_refusal(player):
            return ()
        sheet = self._written(player)
        reached: dict[Color, set[int]] = {}
        for color in COLORS:
            reached[color] = set(map(len, encore_crossing.crossings(sheet, color, COUNTS)))
        found = []
        for choice in self._dice_choices(player):
            fits = not reached[choice.color].isdisjoint(choice.counts)
            if fits and choice.jokers <= sheet.jokers_left:
                found.append(choice)
        return tuple(found)

    def _dice_choices(self, player: Player) -> Iterator[DiceChoice]:
        """Every choice of two dice and a colour, whether or not a box fits."""
        color_dice, number_dice = self.dice_left(player)
        for color_die in dict.fromkeys(color_dice):
            for number_die in dict.fromkeys(number_dice):
                for color in COLORS if color_die == JOKER else (color_die,):
                    yield DiceChoice(color_die, number_die, color)

    def crossings(self, player: Player, choice: DiceChoice) -> tuple[Boxes, ...]:
        """Every set of boxes that this player may cross with a choice now."""
        if self.choice_refusal(player, choice):
            return ()
        return encore_crossing.crossings(self._written(player), choice.color, choice.counts)

    def dead_end(self, player: Player, choice: DiceChoice, boxes: Boxes) -> Refusal | None:
        """Why no crossing has all the boxes tapped so far, or None."""
        return self.choice_refusal(player, choice) or encore_crossing.dead_end(
            self._written(player), choice.color, choice.counts, boxes
        )

    def cross_refusal(self, player: Player) -> Refusal | None:
        """Why this player cannot cross anything now, or None."""
        refused = self._cannot_act(player)
        if refused or player == self.active:
            return refused
        if self.active_comes_first and not self.now.active_has_acted:
            return Refusal(
                "active-first",
                "%(player)s chooses two dice first; the others cross after that.",
                {"player": self.active},
            )
        return None

    def choice_refusal(self, player: Player, choice: DiceChoice) -> Refusal | None:
        """Why this player cannot choose these dice and this colour now, or None."""
        refused = self.cross_refusal(player)
        if refused:
            return refused
        color_dice, number_dice = self.dice_left(player)
        if choice.color_die not in color_dice or choice.number_die not in number_dice:
            return self._not_available(choice)
        if choice.color not in COLORS:
            return Refusal(
                "wrong-color", "There are no %(color)s boxes in this game.", {"color": choice.color}
            )
        if choice.color_die not in (JOKER, choice.color):
            return Refusal(
                "wrong-color",
                "The die shows %(die)s, so it cannot be used for %(color)s boxes.",
                {
                    "die": COLOR_WORDS[choice.color_die],
                    "color": COLOR_WORDS[choice.color],
                },
            )
        left = self._written(player).jokers_left
        if choice.jokers > left:
            return Refusal(
                "no-jokers-left",
                "Each joker costs an exclamation mark. Needed: %(needed)s, left: %(left)s.",
                {"needed": choice.jokers, "left": left},
            )
        return None

    # Each refusal below is named in the public interface; the order is from the general one
    # (the game is over) to the special one (these boxes do not fit).

    @property
    def _dice(self) -> Dice:
        """Three dice of each kind, or two in the solo game."""
        colors, numbers = encore_dice.kinds(self.dice)

        def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
            shown = {"colors": colors.shown(faces), "numbers": numbers.shown(faces)}
            return {"do": "roll", "by": self.active, **shown}

        return Dice((*colors.to_roll(), *numbers.to_roll()), roll)

    def _rolled(self, action: Action) -> Encore | Refusal:
        dice = encore_dice.rolled(action, self.dice)
        if isinstance(dice, Refusal):
            return dice
        color_dice, number_dice = dice
        return changed(self, color_dice=color_dice, number_dice=number_dice)

    def _enter(self, player: Player, action: Action) -> Encore | Refusal:
        choice = encore_dice.choice_of(action)
        if isinstance(choice, Refusal):
            return choice
        boxes = encore_dice.boxes_of(action)
        if isinstance(boxes, Refusal):
            return boxes
        sheet = self._written(player)
        refused = self.choice_refusal(player, choice) or encore_crossing.refusal(
            sheet, choice.color, choice.counts, frozenset(boxes)
        )
        if refused:
            return refused
        taken = choice if self.is_entered and player == self.active else self.taken
        return changed(self, taken=taken)._acted(player, sheet.cross(boxes, choice.jokers))

    def _not_available(self, choice: DiceChoice) -> Refusal:
        rolled = choice.color_die in self.color_dice and choice.number_die in self.number_dice
        text = (
            N_("%(player)s has taken one of these dice, so nobody else can use it in this turn.")
            if rolled
            else N_("The dice on the table do not show this.")
        )
        return Refusal("die-not-available", text, {"player": self.active})

    @property
    def _ends(self) -> bool:
        if self.is_solo:
            return self.turn >= SOLO_ROLLS or len(self.sheets[0].crossed) == len(BOXES)
        return any(map(encore_sheet.is_finished, self.sheets))

    def _settled(self) -> Encore:
        """The position with the claims of all full columns and colours."""
        sheets = tuple(map(self.sheet_of, self.players))
        completed: list[tuple[Player, Column]] = []
        for player, before, after in zip(self.players, self.sheets, sheets, strict=True):
            known = before.claimed("column")
            for column in after.claimed("column"):
                if column not in known:
                    completed.append((player, column))
        return changed(self, sheets=sheets, completed=tuple(completed))

    def _following(self) -> Encore:
        return Encore(now=self.now.following(), sheets=self.sheets, completed=self.completed)
