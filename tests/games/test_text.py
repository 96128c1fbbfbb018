"""A sheet in plain characters: every number stands under and above those of its column."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from tests.kit.games import SARAH, document, lawful_sheets, steady
from tests.kit.sheets import as_text


def test_sarahs_sheet_looks_like_the_paper() -> None:
    assert [line.rstrip() for line in as_text(SARAH).splitlines()] == [
        "             .  <5>    .         . <10>   13    .   17    .",
        "        2    3    7    8   10        11 <12>   15   16",
        "   2    4    .    6         7    .    9   11    .",
        "   x    x    .    .",
    ]


def test_an_empty_sheet_is_dots_only() -> None:
    lines = as_text(document()).splitlines()
    assert [line.split() for line in lines] == [["."] * 9] * 3 + [["."] * 4]


@given(lawful_sheets())
@steady(100)
def test_every_number_is_in_its_row_and_every_failed_attempt_crossed(sheet: dict[str, Any]) -> None:
    lines = as_text(sheet).splitlines()
    for line, color in zip(lines, ("orange", "yellow", "purple"), strict=False):
        cells = [cell.strip("<>") for cell in line.split()]
        assert cells == ["." if number is None else str(number) for number in sheet[color]]
    assert lines[3].split().count("x") == sheet["failed"]
