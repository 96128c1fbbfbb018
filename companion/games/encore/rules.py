"""Encore!: six dice, a colour and a number for each player, and boxes crossed in clumps.

The sheet is in `sheet.py`, what may be crossed on it in `crossing.py`. Source: the
rule text of Encore!; the solo game's is in the German rules only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final

from companion.core import turns
from companion.core.refusal import Refusal, bad_action
from companion.core.result import won
from companion.core.turns import Turn
from companion.core.values import Action, Document, Player
from companion.core.words import N_
from companion.games.encore import crossing as encore_crossing
from companion.games.encore import dice as encore_dice
from companion.games.encore import sheet as encore_sheet
from companion.games.encore.boards import BOXES, COLOR_WORDS, COLORS, Boxes, BoxName
from companion.games.encore.crossing import Tapped
from companion.games.encore.dice import (
    COUNTS,
    DICE,
    JOKER,
    SOLO_DICE,
    ColorDie,
    DiceChoice,
    NumberDie,
)
from companion.games.encore.sheet import EncoreSheet

OPEN_TURNS: Final = 3
""""For the first three turns" the active player takes no dice away."""

SOLO_ROLLS: Final = 30
"""The number of the roll that ends the solo game."""


@dataclass(frozen=True)
class Encore:
    """A game of Encore! at one moment; see `core.position.Position`."""

    now: Turn
    sheets: tuple[EncoreSheet, ...]
    """The sheets in the players' order; claims are written on them when a turn closes."""
    color_dice: tuple[ColorDie, ...] = ()
    number_dice: tuple[NumberDie, ...] = ()
    """The number dice of this turn; empty before the roll."""
    taken: DiceChoice | None = None
    """The dice that the active player has used in this turn."""
    over: bool = False
    completed: tuple[tuple[Player, str], ...] = ()
    """The columns that were completed in the turn before, each with its player."""

    @property
    def players(self) -> tuple[Player, ...]:
        return self.now.players

    @property
    def turn(self) -> int:
        return self.now.number

    @property
    def step(self) -> int:
        return self.now.number

    @property
    def active(self) -> Player:
        return self.now.active

    @property
    def waiting(self) -> tuple[Player, ...]:
        return () if self.over else self.now.waiting

    @property
    def is_solo(self) -> bool:
        return len(self.players) == 1

    @property
    def dice(self) -> int:
        """The dice of each kind in a roll."""
        return SOLO_DICE if self.is_solo else DICE

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

    def winners(self) -> tuple[Player, ...]:
        """Most points; a tie goes to more unused jokers, then the win is shared."""
        if not self.over:
            return ()
        results = [encore_sheet.result(self.sheet_of(player)) for player in self.players]
        return tuple(compress(self.players, won(results)))

    def sheet_of(self, player: Player) -> EncoreSheet:
        """The player's sheet with the claims it would have if the turn closed now."""
        columns = frozenset(column for sheet in self.sheets for column, _ in sheet.columns)
        colors = frozenset(color for sheet in self.sheets for color, _ in sheet.colors)
        return self._written(player).claim(columns, colors)

    def sheet(self, player: Player) -> Document:
        return self.sheet_of(player).document()

    def score(self, player: Player) -> Document:
        return encore_sheet.score(self.sheet_of(player))

    def crossed_out(self, player: Player) -> tuple[str, ...]:
        """The first values that others have circled in earlier turns, as field names.

        The player has to cross them out: only the later value can still be reached there.
        """
        own = self._written(player)
        columns = {name for sheet in self.sheets for name, _ in sheet.columns}
        colors = {name for sheet in self.sheets for name, _ in sheet.colors}
        columns -= {name for name, claim in own.columns if claim == "first"}
        colors -= {name for name, claim in own.colors if claim == "first"}
        return (
            *(f"column.{name}.first" for name in sorted(columns)),
            *(f"color.{name}.first" for name in COLORS if name in colors),
        )

    def dice_left(self, player: Player) -> tuple[tuple[ColorDie, ...], tuple[NumberDie, ...]]:
        """The colour dice and the number dice from which this player may choose."""
        colors, numbers = list(self.color_dice), list(self.number_dice)
        if self.active_comes_first and self.taken and player != self.active:
            colors.remove(self.taken.color_die)
            numbers.remove(self.taken.number_die)
        return tuple(colors), tuple(numbers)

    def choices(self, player: Player) -> tuple[DiceChoice, ...]:
        """The choices with which this player may cross at least one box now."""
        if self.cross_refusal(player):
            return ()
        sheet = self._written(player)
        reached = {
            (color, len(way))
            for color in COLORS
            for way in encore_crossing.crossings(sheet, color, COUNTS)
        }
        color_dice, number_dice = self.dice_left(player)
        choices = (
            DiceChoice(color_die, number_die, color)
            for color_die in dict.fromkeys(color_dice)
            for number_die in dict.fromkeys(number_dice)
            for color in (COLORS if color_die == JOKER else (color_die,))
        )
        return tuple(
            choice
            for choice in choices
            if choice.jokers <= sheet.jokers_left
            and any((choice.color, count) in reached for count in choice.counts)
        )

    def crossings(self, player: Player, choice: DiceChoice) -> tuple[Boxes, ...]:
        """Every set of boxes that this player may cross with a choice now."""
        if self.cross_refusal(player) or self.choice_refusal(player, choice):
            return ()
        return encore_crossing.crossings(self._written(player), choice.color, choice.counts)

    def reach(self, player: Player, choice: DiceChoice) -> Boxes:
        """The boxes that are part of some crossing with this choice."""
        return frozenset().union(*self.crossings(player, choice))

    def tapped(
        self, player: Player, choice: DiceChoice, boxes: tuple[BoxName, ...]
    ) -> Tapped | Refusal:
        """The ways to complete the boxes tapped so far, or why no crossing has them all."""
        refused = self.cross_refusal(player) or self.choice_refusal(player, choice)
        return refused or encore_crossing.tapped(
            self._written(player), choice.color, choice.counts, boxes
        )

    def refusal(
        self, player: Player, choice: DiceChoice, boxes: tuple[BoxName, ...]
    ) -> Refusal | None:
        """Why this player may not cross these boxes with this choice now, or None."""
        return (
            self.cross_refusal(player)
            or self.choice_refusal(player, choice)
            or encore_crossing.refusal(
                self._written(player), choice.color, choice.counts, frozenset(boxes)
            )
        )

    def cross_refusal(self, player: Player) -> Refusal | None:
        """Why this player may not cross anything now, or None."""
        refused = self._cannot_act(player)
        if refused or player == self.active:
            return refused
        if self.active_comes_first and not self.now.active_has_acted:
            return Refusal(
                "active-first",
                N_("%(player)s chooses two dice first; the others cross after that."),
                {"player": self.active},
            )
        return None

    def choice_refusal(self, player: Player, choice: DiceChoice) -> Refusal | None:
        """Why this player may not choose these dice and this colour, or None."""
        color_dice, number_dice = self.dice_left(player)
        if choice.color_die not in color_dice or choice.number_die not in number_dice:
            return self._not_available(choice)
        if choice.color not in COLORS:
            return Refusal(
                "wrong-color",
                N_("There are no %(color)s boxes in this game."),
                {"color": choice.color},
            )
        if choice.color_die not in (JOKER, choice.color):
            return Refusal(
                "wrong-color",
                N_("The die is %(die)s, so %(color)s boxes may not be crossed with it."),
                {
                    "die": COLOR_WORDS[choice.color_die],
                    "color": COLOR_WORDS[choice.color],
                },
            )
        left = self._written(player).jokers_left
        if choice.jokers > left:
            return Refusal(
                "no-jokers-left",
                N_(
                    "Each joker costs an exclamation mark: this takes %(needed)s of them, and"
                    " there are %(left)s left."
                ),
                {"needed": choice.jokers, "left": left},
            )
        return None

    def play(self, action: Action) -> Encore | Refusal:
        """The position after a `roll`, `cross`, `pass` or `next`, or why it is not allowed."""
        do = action.get("do")
        if do not in ("roll", "cross", "pass", "next"):
            return bad_action(N_("This game knows no action '%(do)s'."), do=str(do))
        if do == "next":
            return self._next()
        player = turns.actor(self.players, action)
        if isinstance(player, Refusal):
            return player
        if do == "roll":
            return self._roll(player, action.get("colors"), action.get("numbers"))
        if do == "cross":
            return self._cross(player, action)
        return self._pass(player)

    # Each refusal below is named in the public interface; the order is from the general one
    # (the game is over) to the special one (these boxes do not fit).

    def _roll(self, player: Player, raw_colors: object, raw_numbers: object) -> Encore | Refusal:
        color_dice = encore_dice.color_dice(raw_colors, self.dice)
        if isinstance(color_dice, Refusal):
            return color_dice
        number_dice = encore_dice.number_dice(raw_numbers, self.dice)
        if isinstance(number_dice, Refusal):
            return number_dice
        if self.over:
            return turns.game_over()
        if player != self.active:
            return turns.not_your_turn(self.now)
        if self.color_dice:
            return Refusal("wrong-moment", N_("The dice are rolled only once in a turn."))
        return replace(self, color_dice=color_dice, number_dice=number_dice)

    def _cross(self, player: Player, action: Action) -> Encore | Refusal:
        choice = encore_dice.choice_of(action)
        if isinstance(choice, Refusal):
            return choice
        boxes = encore_dice.boxes_of(action)
        if isinstance(boxes, Refusal):
            return boxes
        refused = self.refusal(player, choice, boxes)
        if refused:
            return refused
        taken = choice if player == self.active else self.taken
        sheet = self._written(player).cross(boxes, choice.jokers)
        return replace(self, taken=taken)._acted(player, sheet)

    def _pass(self, player: Player) -> Encore | Refusal:
        return self._cannot_act(player) or self._acted(player, self._written(player))

    def _cannot_act(self, player: Player) -> Refusal | None:
        if self.over:
            return turns.game_over()
        if not self.color_dice:
            return Refusal(
                "wrong-moment",
                N_("There is nothing to cross yet: %(player)s has to roll the dice first."),
                {"player": self.active},
            )
        if player not in self.now.waiting:
            return Refusal(
                "already-acted",
                N_("%(player)s has already crossed boxes or passed in this turn."),
                {"player": player},
            )
        return None

    def _not_available(self, choice: DiceChoice) -> Refusal:
        rolled = choice.color_die in self.color_dice and choice.number_die in self.number_dice
        text = (
            N_("%(player)s has taken one of these dice, so nobody else can use it in this turn.")
            if rolled
            else N_("The dice on the table do not show this.")
        )
        return Refusal("die-not-available", text, {"player": self.active})

    def _next(self) -> Encore | Refusal:
        if self.over:
            return turns.game_over()
        if not self.now.active_has_acted:
            return Refusal(
                "active-must-act",
                N_("The turn cannot end yet: %(player)s has to cross boxes or pass first."),
                {"player": self.active},
            )
        return self._closed()

    def _written(self, player: Player) -> EncoreSheet:
        """The player's sheet with the claims of earlier turns only."""
        return self.sheets[self.players.index(player)]

    def _acted(self, player: Player, sheet: EncoreSheet) -> Encore:
        place = self.players.index(player)
        sheets = (*self.sheets[:place], sheet, *self.sheets[place + 1 :])
        acted = replace(self, sheets=sheets, now=self.now.with_acted(player))
        return acted._closed() if acted.now.all_have_acted else acted

    def _closed(self) -> Encore:
        """The position after the turn: columns and colours are claimed, then the end is checked."""
        sheets = tuple(self.sheet_of(player) for player in self.players)
        if self._is_last_turn(sheets):
            return replace(self, sheets=sheets, over=True)
        completed = tuple(
            (player, column)
            for player, before, after in zip(self.players, self.sheets, sheets, strict=True)
            for column, _ in after.columns
            if column not in dict(before.columns)
        )
        return Encore(now=self.now.following(), sheets=sheets, completed=completed)

    @property
    def is_last_turn(self) -> bool:
        """Whether the game is to end with this turn."""
        return not self.over and self._is_last_turn(self.sheets)

    def _is_last_turn(self, sheets: tuple[EncoreSheet, ...]) -> bool:
        if self.is_solo:
            return self.turn >= SOLO_ROLLS or len(sheets[0].crossed) == len(BOXES)
        return any(encore_sheet.is_finished(sheet) for sheet in sheets)


def start(players: tuple[Player, ...], options: Mapping[str, str]) -> Encore:
    """The first position, in which everybody has an empty sheet of the option `board`."""
    return Encore(now=Turn(players), sheets=(EncoreSheet(options["board"]),) * len(players))
