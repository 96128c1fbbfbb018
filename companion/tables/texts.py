"""Free texts: a match's place, and notes about it.

Unlike names they are never refused; invisible characters are left out.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from companion.tables.names import JOINERS, REFUSED_CATEGORIES

LONGEST_LINE: Final = 80
LONGEST_TEXT: Final = 2_000
"""Limit of a text's characters, after NFC."""


def cleaned_line(raw: str) -> str:
    """The text as one line without control and bidi characters, cut to `LONGEST_LINE`."""
    return _clean(" ".join(raw.split()), "")[:LONGEST_LINE].strip()


def cleaned_text(raw: str) -> str:
    """The text without control and bidi characters but line feeds, cut to `LONGEST_TEXT`."""
    return _clean("\n".join(raw.splitlines()), "\n")[:LONGEST_TEXT].strip()


def _clean(raw: str, kept: str) -> str:
    seen = (
        char
        for char in raw
        if char in kept or char in JOINERS or unicodedata.category(char) not in REFUSED_CATEGORIES
    )
    return unicodedata.normalize("NFC", "".join(seen))
