"""Free texts: where a game was played, and what is noted about it.

Unlike a name they are not refused: what nobody can see is left out.
"""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST_LINE: Final = 80
LONGEST_TEXT: Final = 2_000
"""Characters, after NFC."""

_JOINERS: Final = "\u200c\u200d\ufe0e\ufe0f"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def line(raw: str) -> str:
    """One line without control and bidi characters, cut where it is too long."""
    return _clean(" ".join(raw.split()), "")[:LONGEST_LINE].strip()


def text(raw: str) -> str:
    """Some lines, likewise; a line ends with a line feed."""
    return _clean("\n".join(raw.splitlines()), "\n")[:LONGEST_TEXT].strip()


def _clean(raw: str, kept: str) -> str:
    seen = (
        char
        for char in raw
        if char in kept or char in _JOINERS or unicodedata.category(char) not in _UNSEEN
    )
    return unicodedata.normalize("NFC", "".join(seen))
