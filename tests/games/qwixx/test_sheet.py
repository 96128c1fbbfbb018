"""The Qwixx sheet: where its fields lie, its document, its problems and its points."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.refusal import Unusable
from companion.core.sheet import HEADER, PAD_WIDTH, Field, Layout
from companion.core.words import english
from companion.games.qwixx import sheet
from companion.games.qwixx.layout import SHEET
from companion.games.qwixx.sheet import QwixxSheet
from lab.oracles.qwixx import PRINTED, faults_of, paper_of, score_of, strike_faults
from lab.sheets import inside
from lab.wide import steady
from tests.games.qwixx.actions import ROWS, document, lawful_sheets, written_sheets

# Its fields, and where they lie


LOCKS = [f"{row}.lock" for row in ROWS]
FAILED = [f"failed.{number}" for number in range(1, 5)]
ROW_FIELDS = {
    row: [*(f"{row}.{number}" for number in printed), f"{row}.lock"]
    for row, printed in PRINTED.items()
}


@pytest.fixture
def layout() -> Layout:
    return SHEET.filled(document()).layout


@pytest.fixture
def fields(layout: Layout) -> dict[str, Field]:
    return {field.id: field for field in layout.fields}


def test_there_are_52_fields_with_their_public_names_and_numbers(fields: dict[str, Field]) -> None:
    assert [*fields] == [*(name for names in ROW_FIELDS.values() for name in names), *FAILED]
    assert len(fields) == 52
    for row, printed in PRINTED.items():
        assert [fields[f"{row}.{number}"].print for number in printed] == list(map(str, printed))
    assert {fields[name].print for name in FAILED} == {"−5"}
    for name, field in fields.items():
        assert field.color == ("plain" if name in FAILED else name.split(".")[0])
        assert field.box.width == field.box.height >= 9, "a ballpoint's cross"


def test_rows_and_columns_follow_each_other_in_even_steps(
    layout: Layout, fields: dict[str, Field]
) -> None:
    """A lock is drawn before its field, where the photo reader does not take it for ink."""
    for names in ROW_FIELDS.values():
        assert len({fields[name].box.y for name in names}) == 1
        lefts = [fields[name].box.x for name in names]
        assert lefts == [fields[name].box.x for name in ROW_FIELDS["red"]]
        steps = [after - before for before, after in pairwise(lefts)]
        assert steps[:-1] == pytest.approx([steps[0]] * 10)
        assert steps[-1] > steps[0]
    downs = [fields[name].box.y for name in LOCKS]
    assert downs == sorted(downs)
    assert len({round(after - before, 6) for before, after in pairwise(downs)}) == 1
    for label, band, name in zip(layout.labels, layout.bands, LOCKS, strict=True):
        assert inside(label.box, band.box)
        assert label.box.x < fields[name].box.x
        assert (label.symbol, label.text) == ("lock", None)


# The pad


def test_the_pad_prints_the_screens_sheet(layout: Layout) -> None:
    paper = SHEET.paper("")
    assert paper.layout is layout
    assert paper.width == PAD_WIDTH
    assert paper.at[1] >= HEADER
    assert 3 * paper.height <= 279.4 - 14, "three on a page, also on Letter"
    assert paper.names == ("name",)


def test_the_sums_have_their_public_names_in_the_order_of_the_score_line() -> None:
    blanks = [(blank.id, blank.sign) for blank in SHEET.paper("").blanks]
    rows = [(f"sum.{row}", "+" if row != "red" else "") for row in ROWS]
    ends = [("sum.failed", "−"), ("sum.total", "=")]
    assert blanks == [("name", ""), ("date", ""), *rows, *ends]
    lefts = [blank.box.x for blank in SHEET.paper("").blanks[2:]]
    assert lefts == sorted(lefts)


def test_the_pad_says_what_so_many_crosses_are_worth() -> None:
    said = [note.text.translated(english, " or ") for note in SHEET.paper("").notes]
    counts, points = said.index("Crosses"), said.index("Points")
    assert said[counts + 1 : counts + 13] == [str(count) for count in range(1, 13)]
    assert said[points + 1 : points + 13] == [
        str(count * (count + 1) // 2) for count in range(1, 13)
    ]


# Marks, documents, terms


def test_a_lock_alone_is_part_of_no_term() -> None:
    terms = SHEET.filled(document(red=[2, 3], locks=["red"], failed=2)).terms
    assert [(term.points, term.fields) for term in terms] == [
        (3, ("red.2", "red.3")),
        (0, ()),
        (0, ()),
        (0, ()),
        (-10, ("failed.1", "failed.2")),
    ]
    (red, *_) = SHEET.filled(document(red=[12])).terms
    assert (red.points, red.fields) == (3, ("red.12", "red.lock"))


# The filled-in sheet


def problems(given: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    found = QwixxSheet.from_document(given).problems()
    return [(problem.code, problem.fields) for problem in found]


@pytest.mark.parametrize(
    ("given", "found", "total"),
    [
        (document(yellow=[2, 3, 4, 5, 12], locks=["yellow"]),
         [("needs-five", tuple(f"yellow.{number}" for number in (2, 3, 4, 5, 12)))], 21),
        # A lock without the last number scores nothing.
        (document(red=[2, 3, 5], green=[12, 9], locks=["red"], failed=1),
         [("lock-without-last", ("red.12", "red.lock"))], 4),
        # A missing lock counts as crossed.
        (document(red=[2, 3, 4, 5, 6, 12]), [("lock-missing", ("red.12", "red.lock"))], 28),
        (document(blue=[12, 2]),
         [("needs-five", ("blue.12", "blue.2")), ("lock-missing", ("blue.2", "blue.lock"))], 6),
    ],
)  # fmt: skip
def test_problems_and_what_such_a_sheet_scores(
    given: dict[str, Any], found: list[tuple[str, tuple[str, ...]]], total: int
) -> None:
    assert problems(given) == found
    assert QwixxSheet.from_document(given).score()["total"] == total


def test_the_sentences_name_what_is_wrong() -> None:
    given = document(red=[2, 12], yellow=[2], locks=["yellow"])
    messages = [
        problem.document()["message"] for problem in QwixxSheet.from_document(given).problems()
    ]
    assert messages == [
        "The 12 in the red row needs 5 other crosses first, but the row has only 1.",
        "The 12 in the red row is crossed, but the lock is not.",
        "The lock of the yellow row is crossed, but the 12 is not.",
    ]


@given(written_sheets())
@steady(150)
def test_all_problems_are_found_and_the_points_are_the_referees(given: dict[str, Any]) -> None:
    found = {(code, fields[0].split(".")[0]) for code, fields in problems(given)}
    assert found == faults_of(given)
    mine = QwixxSheet.from_document(given)
    assert mine.score() == score_of(paper_of(given))
    assert mine.document() == given


@given(lawful_sheets(), st.sampled_from(ROWS), st.integers(2, 12))
@steady(150)
def test_a_number_fits_where_the_sheet_stays_without_a_fault(
    given: dict[str, Any], row: str, number: int
) -> None:
    mine = QwixxSheet.from_document(given)
    assert mine.problems() == ()
    reasons = strike_faults(paper_of(given), row, number)
    refused = sheet.refusal(mine, row, number)
    assert (refused.code in reasons) if refused else not reasons
    if not reasons:
        crossed = mine.cross(row, number)
        assert crossed.problems() == ()
        assert QwixxSheet.from_document(crossed.document()) == crossed


def test_optional_and_forbidden_parts_of_a_document() -> None:
    assert QwixxSheet.from_document({row: [] for row in ROWS}).document() == document()
    locks = QwixxSheet.from_document(document(locks=["blue", "red"])).document()["locks"]
    assert locks == ["red", "blue"], "in the order of the rows"
    lacking = {name: value for name, value in document().items() if name != "blue"}
    for wrong in (lacking, document(red=[3, 2]), document(green=[2, 12])):
        with pytest.raises(Unusable, match=r"\.$"):
            QwixxSheet.from_document(wrong)
