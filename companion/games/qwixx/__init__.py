"""Qwixx: everybody may use the white dice, and the active player a colored one as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from companion.core.colors import COLOR_WORDS
from companion.core.game import GameKind
from companion.core.rolling import Dice, Die, Face
from companion.core.values import Action
from companion.core.words import Sentence, Word
from companion.games.qwixx.dice import WHITE, entered_dice
from companion.games.qwixx.guide import QwixxGuide
from companion.games.qwixx.layout import SHEET
from companion.games.qwixx.panel import QwixxPanel
from companion.games.qwixx.rules import Qwixx


class QwixxGame(GameKind[Qwixx]):
    name = "qwixx"
    title = Word("Qwixx")
    min_players = 2
    max_players = 5
    position = Qwixx
    sheet = SHEET
    panel = QwixxPanel()
    guide = QwixxGuide()
    bgg_id = 131260

    def adapt(self, position: Qwixx, action: Action) -> dict[str, Any] | None:
        """A roll without the dice that are out now."""
        if action["do"] != "roll" or position.white or action.get("by") != position.active:
            return None
        entered = entered_dice(action)
        kept = {color: entered[color] for color in entered if color in position.open_rows}
        return {**action, "dice": kept}

    def dice(self, position: Qwixx) -> Dice | None:
        """Two white ones, and one for each open row."""
        if position.over or position.white:
            return None
        dice = list(WHITE.awaited())
        for color in position.open_rows:
            dice.append(Die(f"dice.{color}", Sentence(COLOR_WORDS[color]), WHITE.faces))

        def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
            colored = {}
            for color in position.open_rows:
                if f"dice.{color}" in faces:
                    colored[color] = faces[f"dice.{color}"]
            white = WHITE.shown(faces)
            return {"do": "roll", "by": position.active, "white": white, "dice": colored}

        return Dice(tuple(dice), roll)


GAME: Final = QwixxGame()
