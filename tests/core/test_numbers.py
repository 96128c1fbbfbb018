"""Sheets of numbers: documents, marks, sums and problems of a square with points for each line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest

from companion.core.numbers import NumberSheet
from companion.core.refusal import Refusal, Unusable
from companion.core.sheet import (
    Blank,
    Box,
    Field,
    FilledSheet,
    Layout,
    NumberKind,
    Paper,
    Term,
    placed,
)
from companion.core.values import Document
from companion.core.words import Sentence
from companion.tables import Tables
from companion.web import create_app
from companion.web.table.sheet_drawing import differences, draw, drawn_fields, won_fields

ROWS: Final = {row: tuple(f"{row}.{column}" for column in (1, 2)) for row in "ab"}
RANGES: Final = dict.fromkeys((*ROWS["a"], *ROWS["b"]), range(2, 13))
FINE: Final = Sentence("Fine")


@dataclass(frozen=True)
class Square(NumberSheet):
    """Two rows of two numbers, and a fine of a point for each 7."""

    NAME = "square"

    @property
    def ranges(self) -> Mapping[str, range]:
        return RANGES

    def score(self) -> Document:
        fine = self.line(RANGES).count(7)
        return {"total": sum(self.total(row) for row in ROWS.values()) - fine, "fine": fine}


class SquareKind(NumberKind[Square]):
    name = "square"
    number = 6
    written = Square
    layout_: ClassVar = Layout(
        40,
        30,
        (),
        tuple(
            Field(name, "number", Box(5, 5, 8, 8), "square", "plain", Sentence(name))
            for name in RANGES
        ),
        sums=tuple(Blank(f"sum.{row}", Box(30, 5, 8, 8), FINE) for row in ROWS),
    )
    paper_: ClassVar = Paper(
        title=FINE,
        subtitle=None,
        width=190,
        height=60,
        layout=layout_,
        at=(10, 13),
        blanks=(
            *placed(layout_.sums, 10, 13),
            Blank("sum.both-rows", Box(0, 0, 5, 5), None),
            Blank("sum.fine", Box(0, 0, 5, 5), None, sign="−"),
            Blank("sum.total", Box(0, 0, 5, 5), None),
        ),
        names=(),
    )

    def paper(self, board: str) -> Paper:
        return self.paper_

    def terms(self, sheet: Square) -> tuple[Term, ...]:
        rows = (Term(FINE, sheet.total(row), row) for row in ROWS.values())
        return (*rows, Term(FINE, -sheet.score()["fine"], ()))


KIND: Final = SquareKind()
SHEET: Final = Square().write("a.1", 7).write("b.2", 5).write("a.2", 10)


def test_documents_and_marks_make_round_trips() -> None:
    document = {"sheet": "square", "a.1": 7, "a.2": 10, "b.1": None, "b.2": 5}
    assert SHEET.document() == document
    assert Square.from_document(document) == SHEET == KIND.from_marks("", KIND.marks(SHEET))
    assert KIND.from_marks("", {"a.1": 7, "b.1": True, "other": 3}) == Square().write("a.1", 7)
    assert SHEET.result().total == 21
    assert [SHEET.is_full, SHEET.write("b.1", 2).is_full] == [False, True]


@pytest.mark.parametrize("wrong", ["7", True, 1.5, [7], 10**30])
def test_a_field_holds_a_whole_number_or_none(wrong: Any) -> None:
    with pytest.raises(Unusable, match=r"'a\.1'"):
        Square.from_document({"a.1": wrong})


@pytest.mark.parametrize(
    ("field", "code"),
    [(None, "bad-action"), ("c.1", "no-such-field"), ("a.1", "field-taken"), ("b.1", None)],
)
def test_what_is_written_goes_to_an_open_field(field: object, code: str | None) -> None:
    found = SHEET.field_named(field)
    refused = found if isinstance(found, Refusal) else SHEET.taken(found)
    assert (refused.code if refused else None) == code


def test_a_number_out_of_its_range_is_a_problem() -> None:
    (problem,) = SHEET.write("b.1", 13).problems()
    assert (problem.code, problem.fields) == ("number-out-of-range", ("b.1",))
    assert problem.message == "Only numbers from 2 to 12 may be written, not 13."


def test_sums_come_from_the_terms_on_the_pad_and_on_the_screen() -> None:
    filled = FilledSheet(KIND, SHEET)
    assert filled.sums == {
        "sum.a": 17,
        "sum.b": 5,
        "sum.both-rows": 22,
        "sum.fine": 1,
        "sum.total": 21,
    }
    assert won_fields(filled) == {"sum.a": "17", "sum.b": "5"}


def test_sums_stay_upright_on_a_turned_sheet_and_a_moved_number_is_seen(tmp_path: Path) -> None:
    filled, tables = FilledSheet(KIND, SHEET), Tables(f"sqlite:///{tmp_path / 'sums.sqlite3'}")
    before, after = (FilledSheet(KIND, Square().write(name, 7)) for name in ("a.1", "b.1"))
    with create_app(tables).test_request_context():
        drawn = drawn_fields(filled, {}, won=won_fields(filled))
        corrected = draw(after, {}, "Square", changed=differences(before, after))
    assert ' class="sum" data-f="sum.a" aria-label="Fine: 17"' in drawn["sum.a"].markup
    assert '><g class="u"><g class="m"><text' in drawn["sum.a"].markup
    assert '"f gone number plain written" data-f="a.1" aria-label="a.1: 7"' in corrected
    tables.close()
