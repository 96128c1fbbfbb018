"""Qwixx: everybody may use the white dice, and the active player a colored one as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from companion.core.colors import COLOR_WORDS
from companion.core.game import GameKind
from companion.core.rolling import Dice, Die, Face
from companion.core.values import Action
from companion.core.words import Sentence, Word
from companion.games.qwixx.dice import WHITE, told_dice
from companion.games.qwixx.guide import QwixxGuide
from companion.games.qwixx.layout import SHEET
from companion.games.qwixx.panel import QwixxPanel
from companion.games.qwixx.rules import Qwixx


class QwixxGame(GameKind[Qwixx]):
    """The description of Qwixx."""

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
        told = told_dice(action).items()
        known = {color: value for color, value in told if color in position.open_rows}
        return {**action, "dice": known}

    def dice(self, position: Qwixx) -> Dice | None:
        """Two white ones, and one for each open row."""
        if position.over or position.white:
            return None
        parts = {f"dice.{color}": color for color in position.open_rows}
        words = {part: Sentence(COLOR_WORDS[color]) for part, color in parts.items()}
        colored = (Die(part, word, WHITE.faces) for part, word in words.items())

        def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
            dice = {color: faces[part] for part, color in parts.items() if part in faces}
            return {"do": "roll", "by": position.active, "white": WHITE.shown(faces), "dice": dice}

        return Dice((*WHITE.awaited(), *colored), roll)


GAME: Final = QwixxGame()
