"""Marks as forms say them."""

from __future__ import annotations

import pytest

from companion.core.sheet import EMPTY, Field, Mark
from companion.games.catalog import SHEETS
from companion.paper.form_marks import is_empty, is_same, mark_text, parse_mark, possible_marks
from companion.tables import Refused

FIELDS = {
    field.kind: field
    for sheet in SHEETS.values()
    for field in sheet.paper(sheet.usual_board).fields
}
"""A field of each kind."""


@pytest.mark.parametrize("kind", EMPTY)
def test_every_choice_goes_there_and_back(kind: str) -> None:
    field = FIELDS[kind]  # type: ignore[index]
    for mark in (*possible_marks(field), EMPTY[field.kind]):
        back = parse_mark(field, mark_text(mark))
        assert is_same(back, mark)


def test_a_number_field_offers_the_numbers_of_its_sheet() -> None:
    field = FIELDS["number"]
    assert possible_marks(field) == (*range(1, 19), None)


@pytest.mark.parametrize("name", SHEETS)
def test_a_field_for_numbers_says_which(name: str) -> None:
    kind = SHEETS[name]
    for field in kind.paper(kind.usual_board).fields:
        assert bool(field.numbers) == (field.kind in ("number", "digits"))
        if field.cells:
            assert field.most_digits == len(field.cells)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number", "100"),
        ("number", "-1"),
        ("number", "٣"),
        ("number", "true"),
        ("digits", "1000"),
        ("cross", "1"),
        ("cross", ""),
        ("value", "written"),
    ],
)
def test_what_no_field_can_hold_is_refused(kind: str, text: str) -> None:
    field: Field = FIELDS[kind]  # type: ignore[index]
    with pytest.raises(Refused):
        parse_mark(field, text)


@pytest.mark.parametrize(
    ("mark", "empty"),
    [(None, True), (False, True), ("open", True), (0, False), (True, False), ("crossed", False)],
)
def test_what_is_empty(mark: Mark, empty: bool) -> None:
    assert is_empty(mark) is empty
    assert not is_same(True, 1), "a cross is not a one"
