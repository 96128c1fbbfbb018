"""The rules of the Qwinto card game, in short."""

from __future__ import annotations

from typing import Final

from companion.core.words import Sentence
from companion.games.qwinto.guide import QwintoGuide
from companion.games.qwinto_cards.rules import QwintoCards

DEAL: Final = Sentence("Lay four cards from the pile face up in a square.")
LAY: Final = Sentence("The two cards beside yours count, too.")


class QwintoCardsGuide(QwintoGuide[QwintoCards]):
    before_call = (
        Sentence(
            "On your turn, lay one of your three cards on one of the four in the middle. It is "
            "added to the two cards beside it; the one diagonally across does not count."
        ),
        Sentence("With two cards of the same value you may lay both, the second beside the first."),
    )
    everybody = Sentence(
        "Everybody may write the sum in a row in the color of one of these three cards, but "
        "nobody has to. There is no gray row."
    )
    more = (Sentence("Playing alone, you go through the cards once."),)

    def step_to_call(self, position: QwintoCards) -> Sentence:
        """Says to lay cards, or to deal while there is no grid."""
        return LAY if position.grid else DEAL
