"""The dice of Encore! that can be rolled now: three of each kind, or two in the solo game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.rolling import Dice, Die, Face
from companion.core.words import N_, Sentence
from companion.games.encore.dice import COLOR_FACES, NUMBER_FACES
from companion.games.encore.rules import Encore


def dice(position: Encore) -> Dice | None:
    """See `Game.dice`."""
    if position.over or position.color_dice:
        return None
    colors = [f"colors.{index}" for index in range(position.dice)]
    numbers = [f"numbers.{index}" for index in range(position.dice)]

    def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
        shown = {"colors": [faces[part] for part in colors]}
        shown |= {"numbers": [faces[part] for part in numbers]}
        return {"do": "roll", "by": position.active, **shown}

    return Dice(
        (
            *(Die(part, Sentence(N_("color")), COLOR_FACES) for part in colors),
            *(Die(part, Sentence(N_("number")), NUMBER_FACES) for part in numbers),
        ),
        roll,
    )
