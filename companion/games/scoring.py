"""Filled-in sheets of any kind, from their public documents: problems and scores."""

from __future__ import annotations

from typing import Final

from companion.core.refusal import Unusable
from companion.core.sheet import FilledSheet
from companion.core.values import Document
from companion.games.catalog import KINDS, SHEETS

SCORE_FORMAT: Final = "companion-score/1"
READING_FORMAT: Final = "companion-reading/1"


def filled_sheet(document: object) -> FilledSheet:
    """The sheet in a JSON document, of any kind.

    Raises:
        Unusable: not an object, an unknown sheet, or not of that sheet's shape.
    """
    if not isinstance(document, dict):
        raise Unusable("A sheet is a JSON object.")
    name = document.get("sheet")
    if not isinstance(name, str) or name not in KINDS:
        raise Unusable(f"Unknown sheet. The sheets are: {', '.join(SHEETS)}.")
    return KINDS[name].filled(document)


def filled_sheets(document: object) -> list[FilledSheet] | None:
    """The sheets in a `companion-reading/1` document; None for any other document.

    Raises:
        Unusable: not of that document's shape.
    """
    if not isinstance(document, dict) or document.get("format") != READING_FORMAT:
        return None
    try:
        found = []
        for photo in document["photos"]:
            found += [sheet["sheet"] for sheet in photo["sheets"]]
    except (KeyError, TypeError) as error:
        raise Unusable(f"This is not what a {READING_FORMAT} document looks like.") from error
    return list(map(filled_sheet, found))


def scored(filled: FilledSheet) -> Document:
    """The `companion-score/1` object."""
    return {
        "format": SCORE_FORMAT,
        "problems": [problem.document() for problem in filled.problems],
        "score": filled.score,
    }
