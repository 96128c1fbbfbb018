"""Texts that people type: what is cut, and what is kept as they wrote it."""

from __future__ import annotations

import unicodedata

import pytest

from companion.core.values import LONGEST_RAW_NAME, clean_name
from companion.tables.ledger.names import LONGEST_TEXT, cleaned_line, cleaned_text


def test_a_name_that_is_too_long_is_refused_and_not_cut() -> None:
    assert clean_name("a" * LONGEST_RAW_NAME) == "a" * LONGEST_RAW_NAME
    assert clean_name("a" * (LONGEST_RAW_NAME + 1)) is None


@pytest.mark.parametrize("clean", [cleaned_line, cleaned_text])
@pytest.mark.parametrize("text", ["a\u0301" * 9_000, "\ufdfa" * 9_000, "\n" * 9_000, " " * 9_000])
def test_a_cleaned_text_is_clean(clean: type[str], text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_a_text_keeps_the_marks_that_people_write() -> None:
    text = "Crème brûlée, Vie\u0323\u0302t, हिन्दी, \u05d1\u05bc\u05e8\u05d0\u05e9\u05c1\u05d9\u05ea"
    assert cleaned_text(text) == unicodedata.normalize("NFC", text)
    assert len(cleaned_text("e\u0301" * LONGEST_TEXT)) == LONGEST_TEXT
