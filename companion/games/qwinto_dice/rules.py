"""Qwinto with dice: roll one to three dice, perhaps once more, and everybody may write the sum.

Writing and passing are in `qwinto/turn.py`, the sheet's own rules in `qwinto/sheet.py`. Source: the
rule text "Qwinto", chapter "How to play".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal, bad_action
from companion.core.rolling import FACES, Dice, Die, colored_dice
from companion.core.turns import RolledTurn
from companion.core.values import Action, changed
from companion.core.words import Sentence
from companion.games.qwinto.sheet import COLORS, Color, QwintoSheet
from companion.games.qwinto.turn import QwintoTurn


@dataclass(frozen=True, kw_only=True)
class QwintoDice(RolledTurn[QwintoSheet], QwintoTurn):
    """A position of Qwinto with dice; see `core.position.Position`."""

    ACTIONS: ClassVar = ("roll", "write", "pass", "next")
    ROLLS: ClassVar = 2  # A roll and one re-roll, with the same dice

    dice: tuple[tuple[Color, int], ...] = ()  # (colour, face) in the rows' order, after the roll

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
        return self.rolls > 0 and not self._cannot_roll()

    @property
    def fingerprint(self) -> str:
        dice = "".join(f"{color[0]}{value}" for color, value in self.dice)
        return f"{self.turn}.{self.rolls}.{dice}{'.over' if self.over else ''}"

    @property
    def _dice(self) -> Dice:
        """Any of the three dice, or the same ones again."""
        colors, faces_of_die = self.called_colors or COLORS, tuple(FACES)
        dice = (Die(color, Sentence(COLOR_WORDS[color]), faces_of_die) for color in colors)
        return Dice(
            tuple(dice),
            lambda faces: {"do": "roll", "by": self.active, "dice": dict(faces)},
            is_chosen=not self.rolls,
            left=1 if self.rolls else 0,
        )

    def _cannot_roll(self) -> Refusal | None:
        if self.rolls and self.now.acted and not self.over:
            return Refusal(
                "no-rolls-left",
                "The dice cannot be rolled again once somebody has written or passed.",
            )
        return super()._cannot_roll()

    def _rolled(self, action: Action) -> QwintoDice | Refusal:
        dice = colored_dice(action.get("dice"), COLORS)
        if isinstance(dice, Refusal):
            return dice
        if not dice:
            return bad_action("Roll one, two or three dice.")
        if self.rolls and tuple(dict(dice)) != self.called_colors:
            return Refusal(
                "reroll-same-dice",
                "Roll all the dice of the first roll again, and no others.",
            )
        return changed(self, dice=dice)

    def _row_not_called(self) -> Refusal:
        rows = tuple(COLOR_WORDS[called] for called in self.called_colors)
        return Refusal(
            "row-not-called",
            "The %(number)s may only be written in a row of the dice's colors: %(rows)s.",
            {"number": self.called, "rows": rows},
        )

    def _following(self) -> QwintoDice:
        return QwintoDice(now=self.now.following(), sheets=self.sheets)
