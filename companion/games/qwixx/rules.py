"""Qwixx: everybody may use the white dice, then the active player a colored one as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal, bad_action
from companion.core.rolling import Dice, Die, Face, colored_dice
from companion.core.turns import RolledTurn
from companion.core.values import Action, Player, changed, is_whole
from companion.core.words import N_, Sentence
from companion.games.qwixx import dice, sheet
from companion.games.qwixx.dice import ColoredDice, WhiteDice
from companion.games.qwixx.sheet import COLORS, NUMBERS, Color, QwixxSheet

CLOSED_ROWS_TO_END: Final = 2


@dataclass(frozen=True, kw_only=True)
class Qwixx(RolledTurn[QwixxSheet]):
    """A position of Qwixx, whose `now` is the step; see `core.position.Position`."""

    ACTIONS: ClassVar = ("roll", "cross", "pass", "next")
    NOT_ROLLED: ClassVar = N_(
        "There is nothing to cross yet: %(player)s has to roll the dice first."
    )
    HAS_ACTED: ClassVar = N_("%(player)s has already crossed a number or passed in this step.")
    MUST_ACT: ClassVar = N_(
        "The step cannot end yet: %(player)s has to cross a number or pass first."
    )

    closed: tuple[Color, ...] = ()  # from top to bottom, without rows locked in the present step
    white: WhiteDice = ()  # empty before the roll
    colored: ColoredDice = ()  # the entered ones of open rows
    in_color_step: bool = False
    has_crossed: bool = False  # whether the active player has, in the white step of this turn

    @property
    def step(self) -> int:
        """The number of the step, from 1. Each turn has two, and nobody acts twice in a step."""
        return 2 * self.turn - (not self.in_color_step)

    @property
    def awaited(self) -> tuple[Player, ...]:
        """All players in the white step, the active one in the color step."""
        if self.over:
            return ()
        return (self.active,) if self.in_color_step else self.now.awaited

    @property
    def fingerprint(self) -> str:
        white = "".join(map(str, self.white))
        colored = "".join(f"{color[0]}{value}" for color, value in self.colored)
        return f"{self.step}.{white}.{colored}{'.over' if self.over else ''}"

    @property
    def open_rows(self) -> tuple[Color, ...]:
        """The rows that are still in the game, and with them the dice to roll."""
        return tuple(color for color in COLORS if color not in self.closed)

    @property
    def locked(self) -> frozenset[Color]:
        """The rows that are closed, or will be with this step."""
        return frozenset(self.closed).union(*(written.locks for written in self.sheets))

    @property
    def _ends(self) -> bool:
        """Whether the game ends when the step closes now."""
        failed = any(map(sheet.has_failed, self.sheets))
        return failed or len(self.locked) >= CLOSED_ROWS_TO_END

    @property
    def passing_fails(self) -> bool:
        """Whether the active player takes a failed roll by passing now."""
        return not self.over and self.in_color_step and not self.has_crossed

    def sums(self, row: Color) -> tuple[int, ...]:
        """The numbers that the dice make for an open row in the present step, smallest first."""
        if not self.in_color_step:
            return (sum(self.white),) if self.white else ()
        return dice.sums_with(self.white, dict(self.colored).get(row))

    def open_crosses(self, player: Player) -> tuple[tuple[Color, int], ...]:
        """Every (row, number) that this player may cross now."""
        if self._cannot_act(player):
            return ()
        written = self.sheet_of(player)
        found = []
        for row in self.open_rows:
            for number in self.sums(row):
                if sheet.refusal(written, row, number) is None:
                    found.append((row, number))
        return tuple(found)

    @property
    def _dice(self) -> Dice:
        """Two white dice, and one for each open row."""
        rolled = list(dice.WHITE.to_roll())
        for color in self.open_rows:
            rolled.append(Die(f"dice.{color}", Sentence(COLOR_WORDS[color]), dice.WHITE.faces))

        def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
            colored = {}
            for color in self.open_rows:
                if f"dice.{color}" in faces:
                    colored[color] = faces[f"dice.{color}"]
            white = dice.WHITE.shown(faces)
            return {"do": "roll", "by": self.active, "white": white, "dice": colored}

        return Dice(tuple(rolled), roll)

    # Each refusal below is named in the public interface; the order is from the general one
    # (the game is over) to the special one (this number does not fit there).

    def _rolled(self, action: Action) -> Qwixx | Refusal:
        white = dice.WHITE.checked(action.get("white"))
        if isinstance(white, Refusal):
            return white
        colored = colored_dice(dice.entered_dice(action), self.open_rows, dice.die_refusal)
        if isinstance(colored, Refusal):
            return colored
        return changed(self, white=white, colored=colored)

    def _enter(self, player: Player, action: Action) -> Qwixx | Refusal:
        row, number = action.get("row"), action.get("number")
        if not isinstance(row, str) or row not in COLORS:
            return bad_action("There is no such row on the sheet.")
        if not is_whole(number):
            return bad_action("The number crossed must be a whole number.")
        refused = self._cannot_act(player) or self._misfit(player, row, number)
        if refused:
            return refused
        crossed = self.sheet_of(player).cross(row, number)
        is_active = player == self.active
        return changed(self, has_crossed=self.has_crossed or is_active)._acted(player, crossed)

    def _passed(self, player: Player) -> QwixxSheet:
        passed = self.sheet_of(player)
        return passed.fail() if self.passing_fails else passed

    def _too_early(self, player: Player) -> Refusal | None:
        if self.in_color_step and player != self.active:
            return Refusal(
                "not-your-turn",
                "Only %(player)s may use the colored dice in this turn.",
                {"player": self.active},
            )
        return super()._too_early(player)

    def _misfit(self, player: Player, row: Color, number: int) -> Refusal | None:
        if row in self.closed:
            return Refusal(
                "row-closed",
                "The %(color)s row is closed: nobody can cross a number there any more.",
                {"color": COLOR_WORDS[row]},
            )
        if number not in NUMBERS[row] or number not in self.sums(row):
            return self._not_the_sum(row, number)
        return sheet.refusal(self.sheet_of(player), row, number)

    def _not_the_sum(self, row: Color, number: int) -> Refusal:
        made = self.sums(row)
        values = {"color": COLOR_WORDS[row], "sums": tuple(map(str, made)), "number": number}
        if not self.in_color_step:
            text = N_("The white dice make %(sums)s, so the %(number)s cannot be crossed.")
        elif row in dict(self.colored):
            text = N_(
                "A white die and the %(color)s die make %(sums)s, so the %(number)s cannot be"
                " crossed."
            )
        else:
            values |= {"least": made[0], "most": made[-1]}
            text = N_(
                "A white die and the %(color)s die make from %(least)s to %(most)s, so the"
                " %(number)s cannot be crossed."
            )
        return Refusal("not-the-sum", text, values)

    @property
    def _all_have_acted(self) -> bool:
        return self.in_color_step or self.now.all_have_acted

    def _settled(self) -> Qwixx:
        """The position in which locked rows are closed and their dice are out."""
        closed = tuple(color for color in COLORS if color in self.locked)
        colored = tuple((color, value) for color, value in self.colored if color not in closed)
        return changed(self, closed=closed, colored=colored)

    def _following(self) -> Qwixx:
        if self.in_color_step:
            return Qwixx(now=self.now.following(), sheets=self.sheets, closed=self.closed)
        return changed(self, in_color_step=True, now=changed(self.now, acted=frozenset()))
