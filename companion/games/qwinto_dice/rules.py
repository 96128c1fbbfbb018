"""Qwinto with dice: roll one to three dice, perhaps once more, and everybody may write the sum.

Writing and passing are in `qwinto/turn.py`, the sheet's own rules in `qwinto/sheet.py`. Source: the
rule text "Qwinto", chapter "How to play".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal, bad_action
from companion.core.rolling import colored_dice
from companion.core.values import Action, Player, changed
from companion.games.qwinto.sheet import COLORS, Color
from companion.games.qwinto.turn import QwintoTurn

ROLLS: Final = 2  # A roll and one re-roll, with the same dice


@dataclass(frozen=True, kw_only=True)
class QwintoDice(QwintoTurn):
    """A position of Qwinto with dice; see `core.position.Position`."""

    ACTIONS: ClassVar = ("roll", "write", "pass", "next")

    dice: tuple[tuple[Color, int], ...] = ()  # (colour, face) in the rows' order, after the roll
    rolls: int = 0

    @cached_property
    def called(self) -> int | None:
        """The sum that everybody may write, or None before the roll."""
        return sum(dict(self.dice).values()) if self.dice else None

    @cached_property
    def called_colors(self) -> tuple[Color, ...]:
        """The rows in which the sum may be written."""
        return tuple(dict(self.dice))

    @property
    def may_reroll(self) -> bool:
        """Whether the active player may roll again, because nobody has used the first roll yet."""
        return not self.over and 0 < self.rolls < ROLLS and not self.now.acted

    @property
    def fingerprint(self) -> str:
        dice = "".join(f"{color[0]}{value}" for color, value in self.dice)
        return f"{self.turn}.{self.rolls}.{dice}{'.over' if self.over else ''}"

    def _play_by(self, player: Player, action: Action) -> QwintoDice | Refusal:
        if action["do"] == "roll":
            return self._roll(player, action.get("dice"))
        return super()._play_by(player, action)

    def _roll(self, player: Player, raw_dice: object) -> QwintoDice | Refusal:
        dice = colored_dice(raw_dice, COLORS)
        if isinstance(dice, Refusal):
            return dice
        if not dice:
            return bad_action("Roll one, two or three dice.")
        refused = self._cannot_begin(player)
        if refused:
            return refused
        if self.rolls == ROLLS:
            return Refusal(
                "no-rolls-left", "The dice may be rolled twice in a turn, not a third time."
            )
        if self.rolls and self.now.acted:
            return Refusal(
                "no-rolls-left",
                "The dice cannot be rolled again once somebody has written or passed.",
            )
        if self.rolls and tuple(dict(dice)) != self.called_colors:
            return Refusal(
                "reroll-same-dice",
                "Roll all the dice of the first roll again, and no others.",
            )
        return changed(self, dice=dice, rolls=self.rolls + 1)

    def _nothing_called(self) -> Refusal:
        return Refusal(
            "wrong-moment",
            "There is nothing to write yet: %(player)s has to roll the dice first.",
            {"player": self.active},
        )

    def _row_not_called(self) -> Refusal:
        rows = tuple(COLOR_WORDS[called] for called in self.called_colors)
        return Refusal(
            "row-not-called",
            "The %(number)s may only be written in a row of the dice's colors: %(rows)s.",
            {"number": self.called, "rows": rows},
        )

    def _following(self) -> QwintoDice:
        return QwintoDice(now=self.now.following(), sheets=self.sheets)
