"""Qwixx: everybody may use the white dice, and the active player a colored one as well."""

from __future__ import annotations

from typing import Any, Final

from companion.core.game import GameKind
from companion.core.values import Action
from companion.core.words import Word
from companion.games.qwixx.dice import entered_dice
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
        """A roll without the dice that are out of the game now."""
        if action["do"] != "roll" or position.white or action.get("by") != position.active:
            return None
        entered = entered_dice(action)
        kept = {color: entered[color] for color in entered if color in position.open_rows}
        return {**action, "dice": kept}


GAME: Final = QwixxGame()
