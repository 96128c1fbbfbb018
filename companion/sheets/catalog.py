"""Every kind of sheet, by its public name. A new sheet is one more line here."""

from collections.abc import Mapping
from typing import Final

from companion.games.core import Document, Unusable
from companion.sheets import encore, qwinto, tally
from companion.sheets.core import Sheet

SHEETS: Final[Mapping[str, Sheet]] = {
    sheet.name: sheet
    for sheet in (
        qwinto.SHEET,
        encore.SHEET,
        tally.SHEET,
    )
}

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
