"""Texts that people type: which names a seat may have, and how longer texts are cut."""

from __future__ import annotations

import unicodedata

import pytest

from companion.core.values import LONGEST_RAW_NAME, clean_name
from companion.tables.ledger.names import (
    LONGEST_NAME,
    LONGEST_TEXT,
    checked_seat_name,
    cleaned_line,
    cleaned_text,
)
from lab.tables import refused


@pytest.mark.parametrize(
    "name",
    [
        "", "  ", None, 7, "x" * (LONGEST_NAME + 1), "a\nb", "a\x00b", "a\u2028b", "\ud800",
        "a\u202eb",  # turns the writing direction round
        "\u200d", "\u3164", "\u0301",  # nothing is seen
        # Somebody would be Ada beside Ada,
        "A\u034fda", "Ad\u180ba", "Ada\U0001d159", "Ada\ufe01", "A\U000e0100da", "Ada\u3164",
        "Ada\u2800", "Ada\U00016fe4", "Ada\U00013441", "A\u00adda", "Ada\U000e0061", "Ada\ufff0",
        # or cover the lines above their own.
        "Ada\ue000", "A\u0301\u0302\u0304\u0305da", "Ad" + 9 * "\u0336" + "a",
        "A" + 4 * "\u20dd" + "da",
    ],
)  # fmt: skip
def test_bad_names(name: object) -> None:
    assert refused(checked_seat_name, name, []) == "bad-name"


@pytest.mark.parametrize(
    "name", ["Tim", "tim", "TIM", " Tim", "T\u200dim", "T im", "Ｔim", "Tim\ufe0f"]
)
def test_taken_names(name: str) -> None:
    assert refused(checked_seat_name, name, ["Sarah", "Tim"]) == "name-taken"


@pytest.mark.parametrize(
    "names",
    [
        ["x" * LONGEST_NAME, "<b>", "%(name)s", "6"],
        ["Ian", "Lan", "Jan"], ["Zoe", "Zo\u00eb", "Zo\u0113"], ["Anna", "Hanna", "Ann"],
        ["Oystein", "\u00d8ystein"], ["\u0410\u0434\u0430", "Ada", "\u0415\u0432\u0430", "Eva"],
        ["\u0628\u06cc\u200c\u062a\u0627",
         "\u0645\u062d\u0645\u062f", "\u0645\u062d\u0645\u0648\u062f"],
        ["\u0915\u0943\u0937\u094d\u0923", "\u0915\u094d\u200d\u0937", "\u0938\u0902\u091c\u092f"],
        ["Nguye\u0302\u0303n", "Tra\u0302\u0300n", "The\u0302\u0301"],
        ["\u0e01\u0e34\u0e15\u0e15\u0e34\u0e4c", "\u0e17\u0e35\u0e48", "\u0e19\u0e49\u0e33"],
        ["\uae40\ubbfc\uc900", "\uae40\ubbfc\uc218", "\u1100\u1161\u11a8"],
        ["\u05e9\u05c1\u05bc\u05b0\u05dc\u05de\u05d4", "\u05e9\u05e8\u05d4"],
        ["\u0f66\u0f90\u0fb1\u0f7a\u0f51", "\u1019\u103c\u102d\u102f\u1037"],
        ["\U0001f469\u200d\U0001f680 Ada", "\u2764\ufe0f", "1\ufe0f\u20e3", "\U0001f1e9\U0001f1ea"],
        ["\u674e", "\u5b63", "\u738b\u82b3", "\u3042\u308a\u3055"],
    ],
)  # fmt: skip
def test_names_in_many_scripts(names: list[str]) -> None:
    """Joiners of Persian, Hindi and emoji, decomposed Vietnamese, vowel points and tone marks."""
    for place, name in enumerate(names):
        others = names[:place] + names[place + 1 :]
        assert checked_seat_name(name, others) == unicodedata.normalize("NFC", name)


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
