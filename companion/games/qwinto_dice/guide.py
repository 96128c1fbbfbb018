"""The rules of Qwinto with dice, in short."""

from __future__ import annotations

from typing import Final

from companion.core.words import Sentence
from companion.games.qwinto.guide import QwintoGuide
from companion.games.qwinto_dice.demo import DEMO
from companion.games.qwinto_dice.rules import QwintoDice

CALL: Final = Sentence("Roll one, two or three dice, and once more if you like.")


class QwintoDiceGuide(QwintoGuide[QwintoDice]):
    demo = DEMO
    before_call = (
        Sentence(
            "On your turn, choose one, two or three dice and roll them. If you do not like the "
            "sum, roll the same dice once more."
        ),
    )
    everybody = Sentence(
        "Everybody may write the sum in a row whose color was rolled, but nobody has to."
    )

    def step_to_call(self, position: QwintoDice) -> Sentence:
        """Says to roll; the position makes no difference."""
        return CALL
