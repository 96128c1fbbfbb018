"""The dice of Qwinto that can be rolled now: any of the three, or the same ones again."""

from __future__ import annotations

from companion.core.rolling import Dice, Die
from companion.core.words import Sentence
from companion.games.qwinto.sheet import COLOR_WORDS, COLORS
from companion.games.qwinto_dice.rules import DIE_FACES, QwintoDice


def dice(position: QwintoDice) -> Dice | None:
    """See `Game.dice`."""
    if position.over or (position.rolls and not position.may_reroll):
        return None
    colors = position.called_colors or COLORS
    return Dice(
        tuple(Die(color, Sentence(COLOR_WORDS[color]), tuple(DIE_FACES)) for color in colors),
        lambda faces: {"do": "roll", "by": position.active, "dice": dict(faces)},
        is_chosen=not position.rolls,
    )
