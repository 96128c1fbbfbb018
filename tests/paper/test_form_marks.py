"""Marks as forms say them."""

from __future__ import annotations

import pytest

from companion.core.sheet import EMPTY, Kind
from companion.games.catalog import SHEETS
from companion.paper.form_marks import is_empty, is_same, mark_text, parse_mark, possible_marks
from companion.tables import Refused

FIELDS = {
    field.kind: field
    for sheet in SHEETS.values()
    for field in sheet.paper(sheet.usual_board).fields
}
"""A field of each kind."""


def test_every_choice_goes_there_and_back() -> None:
    for kind, empty in EMPTY.items():
        for mark in (*possible_marks(FIELDS[kind]), empty):
            assert is_same(parse_mark(FIELDS[kind], mark_text(mark)), mark)
    assert possible_marks(FIELDS["number"]) == (*range(1, 19), None)


def test_a_field_for_numbers_says_which() -> None:
    for kind in SHEETS.values():
        for field in kind.paper(kind.usual_board).fields:
            assert bool(field.numbers) == (field.kind in ("number", "digits"))
            if field.cells:
                assert field.most_digits == len(field.cells)


WRONG: dict[Kind, tuple[str, ...]] = {
    "number": ("100", "-1", "٣", "true"),
    "digits": ("1000",),
    "cross": ("1", ""),
    "value": ("written",),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_no_field_can_hold_is_refused(kind: Kind) -> None:
    for text in WRONG[kind]:
        with pytest.raises(Refused):
            parse_mark(FIELDS[kind], text)


def test_what_is_empty() -> None:
    assert all(map(is_empty, (None, False, "open")))
    assert not any(map(is_empty, (0, True, "crossed")))
    assert not is_same(True, 1), "a cross is not a one"
