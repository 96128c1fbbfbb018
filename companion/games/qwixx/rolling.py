"""The dice of Qwixx that can be rolled now: two white ones, and one for each open row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.rolling import Dice, Die, Face
from companion.core.words import N_, Sentence
from companion.games.qwixx.dice import FACES, WHITE_DICE
from companion.games.qwixx.rules import Qwixx
from companion.games.qwixx.sheet import COLOR_WORDS


def dice(position: Qwixx) -> Dice | None:
    """See `Game.dice`."""
    if position.over or position.white:
        return None
    white = [f"white.{index}" for index in range(WHITE_DICE)]
    names = {part: Sentence(N_("white")) for part in white}
    names |= {f"dice.{color}": Sentence(COLOR_WORDS[color]) for color in position.open_rows}

    def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
        colored = {color: faces[f"dice.{color}"] for color in position.open_rows}
        shown = [faces[part] for part in white]
        return {"do": "roll", "by": position.active, "white": shown, "dice": colored}

    return Dice(tuple(Die(part, name, tuple(FACES)) for part, name in names.items()), roll)
