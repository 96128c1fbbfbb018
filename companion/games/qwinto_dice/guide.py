"""The rules of Qwinto with dice, in short."""

from __future__ import annotations

from typing import Final

from companion.core.words import N_, Sentence
from companion.games.qwinto.guide import guide

CALL: Final = Sentence(N_("Roll one, two or three dice; if you like, once more."))

GUIDE: Final = guide(
    (
        Sentence(
            N_(
                "In your turn, choose one, two or three dice and roll them. If you do not like the"
                " sum, roll the same dice once more."
            )
        ),
    ),
    Sentence(
        N_("Everybody may write the sum into a row whose color was rolled, and nobody has to.")
    ),
    lambda _: CALL,
)
