"""The panel of Qwinto with dice: the dice to tap, the call, and the fields that glow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from companion.games import qwinto
from companion.games.core import N_, Action, Player, Sentence
from companion.games.qwinto_dice import DIE_FACES, QwintoDice
from companion.sheets.qwinto import LETTERS
from companion.tables import Entry
from companion.web.panels.core import FieldTap, Panel


def facts(position: QwintoDice, entries: Sequence[Entry]) -> Mapping[str, object]:
    rolls = [entry for entry in entries if entry.turn == position.turn and _is_roll(entry.action)]
    picks = {f"dice.{color}": value for color, value in position.dice}
    return {
        "called": position.called,
        "called_colors": [_color(color) for color in position.called_colors],
        "may_roll": not position.over and position.active in position.waiting,
        "may_reroll": position.may_reroll,
        "picker": _picker(picks, rolls[-1].id if rolls and position.rolls else "", "dice"),
        "reroll": _picker({}, "", _same_dice(position)),
    }


def picker(position: QwintoDice, entry: Entry) -> Mapping[str, object] | None:
    """The dice to tap when a roll is corrected; `position` is the one before it."""
    if not _is_roll(entry.action):
        return None
    picks = {f"dice.{color}": value for color, value in entry.action["dice"].items()}
    return _picker(picks, "", _same_dice(position) if position.rolls else "dice")


def _is_roll(action: Action) -> bool:
    return bool(action["do"] == "roll")


def _same_dice(position: QwintoDice) -> str:
    return " ".join(f"dice.{color}" for color in position.called_colors)


def _picker(picks: Mapping[str, int], replaces: str, needs: str) -> Mapping[str, object]:
    """What `templates/panels/qwinto_dice.html` makes a grid of dice from.

    `needs` are the parts without which nothing is sent: "dice" is any die at all.
    """
    wanted = {part.removeprefix("dice.") for part in needs.split()}
    colors = [color for color in qwinto.COLORS if needs == "dice" or color in wanted]
    return {
        "rows": [_color(color) for color in colors],
        "faces": list(DIE_FACES),
        "picks": picks,
        "json": json.dumps(picks),
        "replaces": replaces,
        "needs": needs,
    }


def _color(color: str) -> Mapping[str, str]:
    return {"name": color, "word": qwinto.COLOR_WORDS[color], "letter": LETTERS[color]}


def taps(position: QwintoDice, player: Player) -> Mapping[str, FieldTap]:
    """Every field can be tapped while the player may write: the wrong ones answer why not."""
    if position.called is None or player not in position.waiting:
        return {}
    ghost = str(position.called)
    allowed = set(position.open_fields(player))
    return {
        f"{color}.{field}": FieldTap(
            f"write row={color} field={field}", (color, field) in allowed, ghost
        )
        for color in qwinto.COLORS
        for field in range(1, qwinto.FIELDS + 1)
    }


def passing(position: QwintoDice, player: Player) -> Sentence | None:
    if not position.rolls or player not in position.waiting:
        return None
    if player == position.active:
        return Sentence(N_("Failed attempt −5"))
    return Sentence(N_("Pass"))


def hint(position: QwintoDice) -> Sentence:
    if position.over:
        return Sentence(N_("The game is over."))
    if not position.rolls:
        return Sentence(N_("%(player)s rolls the dice"), {"player": position.active})
    return Sentence(N_("Waiting for %(players)s"), {"players": ", ".join(position.waiting)})


def describe(position: QwintoDice | None, action: Action) -> Sentence:
    """The action in words. Without the position before it, less is known about it."""
    player = action.get("by", "")
    if action["do"] == "roll":
        again = position is not None and position.rolls
        text = (
            N_("%(player)s rolled again: %(dice)s = %(sum)s")
            if again
            else N_("%(player)s rolled: %(dice)s = %(sum)s")
        )
        dice: Mapping[str, int] = action["dice"]
        return Sentence(text, {"player": player, "dice": _dice(dice), "sum": sum(dice.values())})
    if action["do"] == "write":
        number = position.called if position else None
        values = {
            "player": player,
            "number": number,
            "color": qwinto.COLOR_WORDS[action["row"]],
            "field": action["field"],
        }
        if number is None:
            return Sentence(N_("%(player)s in %(color)s, field %(field)s"), values)
        return Sentence(N_("%(player)s wrote %(number)s in %(color)s, field %(field)s"), values)
    if action["do"] == "pass":
        if position is not None and player == position.active:
            return Sentence(N_("%(player)s has a failed attempt"), {"player": player})
        return Sentence(N_("%(player)s passed"), {"player": player})
    return Sentence(N_("The turn was ended"))


def _dice(dice: Mapping[str, int]) -> Sentence:
    """The dice as "yellow 4 + purple 5"."""
    colors = [color for color in qwinto.COLORS if color in dice]
    words = {color: qwinto.COLOR_WORDS[color] for color in colors}
    return Sentence(" + ".join(f"%({color})s {dice[color]}" for color in colors), words)


PANEL: Final = Panel(
    template="panels/qwinto_dice.html",
    facts=facts,
    taps=taps,
    passing=passing,
    describe=describe,
    hint=hint,
    picker=picker,
)
