"""Filled-in sheets from their documents, for tests that write documents down."""

from __future__ import annotations

from typing import Any

from companion.core.sheet import Layout
from companion.core.values import Document
from companion.games import scoring, text


def scored(document: object) -> Document:
    """The `companion-score/1` object of a sheet document."""
    return scoring.scored(scoring.filled_sheet(document))


def as_text(document: object) -> str:
    return text.as_text(scoring.filled_sheet(document))


def layout(document: dict[str, Any]) -> Layout:
    return scoring.filled_sheet(document).layout
