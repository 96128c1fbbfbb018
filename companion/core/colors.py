"""The colours of sheets, dice and cards in words, and as letters for people who cannot see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.core.words import N_, Word

COLOR_WORDS: Final[Mapping[str, Word]] = {
    "red": Word("red"),
    "orange": Word("orange"),
    "yellow": Word("yellow"),
    "green": Word("green"),
    "blue": Word("blue"),
    "purple": Word("purple"),
    "gray": Word("gray"),
    "white": Word("white"),
}

COLOR_LETTERS: Final[Mapping[str, Word]] = {
    # Translators: the one letter that stands for the color, for people who do not see it.
    "red": Word("R"),
    "orange": Word("O"),
    "yellow": Word("Y"),
    "green": Word("G"),
    "blue": Word("B"),
    "purple": Word("P"),
    "gray": Word("Gy"),
}

ROW_NAMES: Final[Mapping[str, str]] = {
    "red": N_("Red row"),
    "orange": N_("Orange row"),
    "yellow": N_("Yellow row"),
    "green": N_("Green row"),
    "blue": N_("Blue row"),
    "purple": N_("Purple row"),
}


def color_view(color: str) -> dict[str, str]:
    """A colour as templates show it: its name, its word and its letter."""
    return {
        "name": color,
        "word": COLOR_WORDS[color],
        "letter": COLOR_LETTERS.get(color, ""),
    }
