"""The panel of Qwinto with dice: the dice to tap, and the part that both Qwinto games share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from companion.core.colors import COLOR_WORDS, color_view
from companion.core.panel import (
    OPEN_CALL,
    EnteredAction,
    colored_picker,
    entry_of_turn,
    is_rolled_by_app,
)
from companion.core.rolling import describe_roll
from companion.core.signs import Sign, dice
from companion.core.values import Action
from companion.core.words import N_, Sentence, joined
from companion.games.qwinto import panel as shared
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.panel import QwintoPanel
from companion.games.qwinto_dice.rules import QwintoDice


def _picker(
    position: QwintoDice, picks: Mapping[str, int], replaces: str, *, is_reroll: bool
) -> Mapping[str, object]:
    """The values for the grid of dice in `templates/games/qwinto_dice/panel.html`.

    Args:
        is_reroll: whether exactly the dice of the first roll are needed; else any will do.
    """
    colors = position.called_colors if is_reroll else qwinto.COLORS
    action = {"do": "roll", "by": position.active, "dice": "$dice"}
    dice = {f"dice.{color}": color for color in colors}
    return colored_picker(action, dice, picks, replaces, () if is_reroll else ["dice"])


def _dice(dice: Mapping[str, int]) -> Sentence:
    """The dice as "yellow 4 + purple 5"."""
    words = []
    for color in qwinto.COLORS:
        if color in dice:
            words.append(joined((COLOR_WORDS[color], dice[color]), " "))
    return joined(words, " + ")


def _picks(dice: Mapping[str, int]) -> dict[str, int]:
    return {f"dice.{color}": value for color, value in dice.items()}


class QwintoDicePanel(QwintoPanel[QwintoDice]):
    actions: ClassVar = {"roll": OPEN_CALL, **QwintoPanel.actions}
    under_way = N_("%(player)s is rolling … %(number)s?")
    again = N_("%(player)s rolls again")

    def facts(self, position: QwintoDice, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/qwinto_dice/panel.html`; see `Panel.facts`."""
        picks = _picks(dict(position.dice))
        roll = entry_of_turn(position.turn, entries, "roll")
        return {
            **shared.call_facts(position),
            "dice": [{**color_view(color), "value": value} for color, value in position.dice],
            "may_roll": not position.over and position.active in position.awaited,
            "may_reroll": position.may_reroll,
            "is_by_app": is_rolled_by_app(position.turn, entries),
            "picker": _picker(position, picks, roll, is_reroll=position.rolls > 1),
            "reroll": _picker(position, {}, "", is_reroll=True),
            "dock": {"replaces": roll, "called": position.called} if position.may_reroll else None,
        }

    def picker(self, position: QwintoDice, entry: EnteredAction) -> Mapping[str, object] | None:
        """The controls for correcting a roll; `position` is the one before it."""
        if entry.action["do"] != "roll":
            return None
        picks = _picks(entry.action["dice"])
        return _picker(position, picks, "", is_reroll=position.rolls > 0)

    def on_table(self, action: Action) -> tuple[Sign, ...]:
        rolled = action.get("dice", {})
        return dice((color, rolled[color]) for color in qwinto.COLORS if color in rolled)

    def may_reroll(self, position: QwintoDice) -> bool:
        """Whether the dice may be rolled once more."""
        return position.may_reroll

    def describe(self, position: QwintoDice | None, action: Action) -> Sentence:
        """A `roll` in words, or an action that both Qwinto games share; see `Panel.describe`."""
        if action["do"] != "roll":
            return super().describe(position, action)
        again = position is not None and position.rolls
        dice: Mapping[str, int] = action["dice"]
        if len(dice) == 1:
            text = (
                N_("%(player)s rolled again: %(dice)s")
                if again
                else N_("%(player)s rolled: %(dice)s")
            )
        else:
            text = (
                N_("%(player)s rolled again: %(dice)s = %(sum)s")
                if again
                else N_("%(player)s rolled: %(dice)s = %(sum)s")
            )
        return describe_roll(action, _dice(dice), text, sum=sum(dice.values()))
