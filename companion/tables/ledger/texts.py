"""Free texts: a match's place, and notes about it.

Unlike names they are never refused; invisible characters are left out.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from companion.tables.ledger.names import JOINERS, REFUSED_CATEGORIES

LONGEST_LINE: Final = 80
LONGEST_TEXT: Final = 2_000
"""Limit of a text's characters, after NFC."""
RAW_SHARE: Final = 4
"""Characters before NFC for each one after it, at the most."""
MOST_MARKS: Final = 30
"""Limit of the combining marks on one letter, as in Unicode's Stream-Safe Text Format (UAX 15).

NFC sorts the marks of a letter, and takes a time that grows with the square of their number."""


def cleaned_line(raw: str) -> str:
    """The text as one line without control and bidi characters, cut to `LONGEST_LINE`."""
    return _clean(" ".join(raw.split()), "", LONGEST_LINE)


def cleaned_text(raw: str) -> str:
    """The text without control and bidi characters but line feeds, cut to `LONGEST_TEXT`."""
    return _clean("\n".join(raw.splitlines()), "\n", LONGEST_TEXT)


def _clean(raw: str, kept: str, longest: int) -> str:
    seen = "".join(
        char
        for char in raw[: RAW_SHARE * longest]
        if char in kept or char in JOINERS or unicodedata.category(char) not in REFUSED_CATEGORIES
    )
    # A second time, because NFC takes some marks apart: cleaning a clean text must not change it.
    return _thinned(unicodedata.normalize("NFC", _thinned(seen)))[:longest].strip()


def _thinned(text: str) -> str:
    """The text without the marks on a letter beyond `MOST_MARKS`."""
    kept: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)
