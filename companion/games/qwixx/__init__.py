"""Qwixx: everybody may use the white dice, and the active player a colored one as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from companion.core.colors import COLOR_WORDS
from companion.core.game import GameKind
from companion.core.position import Turn
from companion.core.rolling import FACES, Dice, Die, Face
from companion.core.values import Action, Player
from companion.core.words import Sentence, Word
from companion.games.qwixx.dice import WHITE_DICE, told_dice
from companion.games.qwixx.guide import QwixxGuide
from companion.games.qwixx.layout import SHEET
from companion.games.qwixx.panel import QwixxPanel
from companion.games.qwixx.rules import Qwixx
from companion.games.qwixx.sheet import QwixxSheet


class QwixxGame(GameKind[Qwixx]):
    """The description of Qwixx."""

    name = "qwixx"
    title = Word("Qwixx")
    min_players = 2
    max_players = 5
    sheet = SHEET
    panel = QwixxPanel()
    guide = QwixxGuide()
    bgg_id = 131260

    def start(self, players: tuple[Player, ...], options: Mapping[str, str]) -> Qwixx:
        """Empty sheets, and the first player is active."""
        return Qwixx(now=Turn(players), sheets=(QwixxSheet(),) * len(players))

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
        white = [f"white.{index}" for index in range(WHITE_DICE)]
        names = {part: Sentence("white") for part in white}
        names |= {f"dice.{color}": Sentence(COLOR_WORDS[color]) for color in position.open_rows}

        def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
            colored = {color: faces[f"dice.{color}"] for color in position.open_rows}
            shown = [faces[part] for part in white]
            return {"do": "roll", "by": position.active, "white": shown, "dice": colored}

        return Dice(tuple(Die(part, name, tuple(FACES)) for part, name in names.items()), roll)


GAME: Final = QwixxGame()
