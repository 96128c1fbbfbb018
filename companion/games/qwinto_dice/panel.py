"""The panel of Qwinto with dice: the dice to tap, and the part that both Qwinto games share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from companion.core.colors import COLOR_WORDS, color_view
from companion.core.panel import (
    OPEN_CALL,
    CallTexts,
    EnteredAction,
    entry_of_turn,
    picking,
    roll_hint,
)
from companion.core.rolling import describe_roll
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, joined
from companion.games.qwinto import panel as shared
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.panel import QwintoPanel
from companion.games.qwinto_dice.rules import DIE_FACES, QwintoDice


def _needs(is_reroll: bool, position: QwintoDice) -> str:
    """The dice that a roll needs: all that lie there for a re-roll, any for a first roll."""
    return _same_dice(position) if is_reroll else "dice"


def _same_dice(position: QwintoDice) -> str:
    return " ".join(f"dice.{color}" for color in position.called_colors)


def _picker(
    player: Player, picks: Mapping[str, int], replaces: str, needs: str
) -> Mapping[str, object]:
    """The values for the grid of dice in `templates/games/qwinto_dice/panel.html`.

    Args:
        needs: the parts without which nothing is sent; "dice" for any die at all.
    """
    wanted = {part.removeprefix("dice.") for part in needs.split()}
    colors = [color for color in qwinto.COLORS if needs == "dice" or color in wanted]
    return picking(
        {"do": "roll", "by": player, "dice": "$dice"},
        needs.split(),
        picks,
        rows=[color_view(color) for color in colors],
        faces=list(DIE_FACES),
        replaces=replaces,
    )


def _dice(dice: Mapping[str, int]) -> Sentence:
    """The dice as "yellow 4 + purple 5"."""
    return joined(
        (
            joined((COLOR_WORDS[color], dice[color]), " ")
            for color in qwinto.COLORS
            if color in dice
        ),
        " + ",
    )


class QwintoDicePanel(QwintoPanel[QwintoDice]):
    """The table page of Qwinto with dice."""

    actions: ClassVar = {"roll": OPEN_CALL, **QwintoPanel.actions}

    def facts(self, position: QwintoDice, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/qwinto_dice/panel.html`; see `Panel.facts`."""
        picks = {f"dice.{color}": value for color, value in position.dice}
        roll = entry_of_turn(position.turn, entries, "roll")
        return {
            **shared.call(position),
            "dice": [{**color_view(color), "value": value} for color, value in position.dice],
            "may_roll": not position.over and position.active in position.waiting,
            "may_reroll": position.may_reroll,
            "picker": _picker(position.active, picks, roll, _needs(position.rolls > 1, position)),
            "reroll": _picker(position.active, {}, "", _same_dice(position)),
        }

    def picker(self, position: QwintoDice, entry: EnteredAction) -> Mapping[str, object] | None:
        """The controls for correcting a roll; `position` is the one before it."""
        if entry.action["do"] != "roll":
            return None
        picks = {f"dice.{color}": value for color, value in entry.action["dice"].items()}
        return _picker(position.active, picks, "", _needs(position.rolls > 0, position))

    def hint(self, position: QwintoDice, here: Sequence[Player] = ()) -> Sentence:
        """The active player's roll, or who may write."""
        if not position.rolls and not position.over:
            return roll_hint(position.active, here)
        return super().hint(position, here)

    def may_reroll(self, position: QwintoDice) -> bool:
        """Whether the dice may be rolled once more."""
        return position.may_reroll

    def calling(self, position: QwintoDice) -> CallTexts:
        """The sentences about a roll that may still be corrected or rolled again."""
        values = {"player": position.active, "number": shared.signed(position.called)}
        return CallTexts(
            under_way=Sentence("%(player)s is rolling … %(number)s?", values),
            again=Sentence("%(player)s rolls again", values),
            go_on=Sentence("Go on with %(number)s", values),
        )

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
        values = {"player": action.get("by", ""), "dice": _dice(dice), "sum": sum(dice.values())}
        return describe_roll(action, Sentence(text, values))
