"""Filled-in sheets of any kind, from their public documents: what is wrong, what they are worth."""

from __future__ import annotations

from typing import Final

from companion.core.refusal import Unusable
from companion.core.sheet import Sheet
from companion.core.values import Document
from companion.games.catalog import SHEETS

SCORE_FORMAT: Final = "companion-score/1"


def sheet_of(document: object) -> Sheet:
    """The kind of sheet that a document is of, after checking its shape.

    Raises:
        Unusable: not an object, an unknown sheet, or not of that sheet's shape.
    """
    if not isinstance(document, dict):
        raise Unusable("A sheet is a JSON object.")
    name = document.get("sheet")
    if not isinstance(name, str) or name not in SHEETS:
        raise Unusable(f"Unknown sheet. The sheets are: {', '.join(SHEETS)}.")
    sheet = SHEETS[name]
    sheet.check(document)
    return sheet


def scored(document: Document) -> Document:
    """The `companion-score/1` object; raises `Unusable` as `sheet_of` does."""
    sheet = sheet_of(document)
    return {
        "format": SCORE_FORMAT,
        "problems": [problem.document() for problem in sheet.problems(document)],
        "score": sheet.score(document),
    }
