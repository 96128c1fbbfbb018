"""Sentences about totals and refusals, and a sheet in plain characters."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.refusal import Refusal
from companion.core.words import english
from companion.games.encore import GAME
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import QwintoSheet
from companion.games.scoring import filled_sheet
from lab.games import SARAH, document
from lab.play import said
from lab.sheets import as_text


def notes(sheet: dict[str, Any]) -> list[str]:
    terms = filled_sheet(sheet).terms
    return [term.note.translated(english, " or ") if term.note else "" for term in terms]


def test_the_parts_of_a_total_in_words() -> None:
    column = "column full: the number in the pentagon"
    assert notes({**SARAH, "failed": 2}) == [
        "4 fields × 1",
        "row full: its last number, 16",
        "6 fields × 1",
        *("", column, column, column, ""),
        "2 × −5",
    ]
    crossed = [f"H{row}" for row in range(1, 8)]
    encore = {"sheet": "encore", "board": "black", "crossed": crossed, "jokers_used": 3}
    assert notes({**encore, "columns": {"H": "first"}}) == ["", "H*", "5 × 1", "14 × −2"]
    row = {"sheet": "qwixx", "red": [2, 3, 4, 5, 6, 12], "yellow": [2], "green": [], "blue": []}
    assert notes({**row, "locks": ["red"], "failed": 1}) == [
        "7 crosses, with the lock",
        "1 cross",
        "",
        "",
        "1 × −5",
    ]


@pytest.mark.parametrize(
    ("field", "number", "words", "fields"),
    [
        (4, 3, "The 3 is already in this row.", ("yellow.2",)),
        (1, 8, "Numbers in a row increase: the 8 cannot come before the 3.", ("yellow.2",)),
        (9, 8, "Numbers in a row increase: the 8 cannot come after the 9.", ("yellow.6",)),
        (2, 5, "There is already a 3 in this field.", ("yellow.2",)),
        (4, 4, "No number may appear twice in a column: there is already a 4 in the orange row.",
         ("orange.3",)),
    ],
)  # fmt: skip
def test_a_refusal_names_the_field_in_the_way(
    field: int, number: int, words: str, fields: tuple[str, ...]
) -> None:
    yellow = [None, 3, None, None, None, 9, None, None, None]
    orange = [None, None, 4, *[None] * 6]
    sheet = QwintoSheet.from_document(document(orange=orange, yellow=yellow))
    refused = qwinto.refusal(sheet, "yellow", field, number)
    assert isinstance(refused, Refusal)
    assert (refused.message, refused.fields) == (words, fields)


def test_jokers_are_shown() -> None:
    cross = {"do": "cross", "by": "Ada", "color": "red", "boxes": ["H4", "H5"]}
    ends = {("red", 2): ": H4, H5", ("joker", 2): "a joker", ("joker", "joker"): "two jokers"}
    for (color_die, number_die), end in ends.items():
        action = {**cross, "color_die": color_die, "number_die": number_die}
        assert said(GAME.panel.describe(None, action)).endswith(end)


def test_sarahs_sheet_looks_like_the_paper() -> None:
    assert [line.rstrip() for line in as_text(SARAH).splitlines()] == [
        "             .  <5>    .         . <10>   13    .   17    .",
        "        2    3    7    8   10        11 <12>   15   16",
        "   2    4    .    6         7    .    9   11    .",
        "   x    x    .    .",
    ]
