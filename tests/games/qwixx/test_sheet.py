"""The Qwixx sheet: where its fields lie, its document, its problems and its points."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core import sheet_style
from companion.core.refusal import Unusable
from companion.core.sheet import HEADER, PAD_WIDTH, Field, Layout
from companion.core.words import english
from companion.games.qwixx import layout as qwixx
from companion.games.qwixx import sheet
from companion.games.qwixx.layout import SHEET
from companion.games.qwixx.sheet import QwixxSheet
from tests.games.qwixx.actions import ROWS, document, lawful_sheets, written_sheets
from tests.kit.oracles.qwixx import PRINTED, faults_of, paper_of, score_of, strike_faults
from tests.kit.sheets import inside, overlap
from tests.kit.wide import steady

# Its fields, and where they lie


LOCKS = [f"{row}.lock" for row in ROWS]
FAILED = [f"failed.{number}" for number in range(1, 5)]
FIELDS = [
    *(
        name
        for row, printed in PRINTED.items()
        for name in [*(f"{row}.{number}" for number in printed), f"{row}.lock"]
    ),
    *FAILED,
]


@pytest.fixture
def layout() -> Layout:
    return SHEET.filled(document()).layout


@pytest.fixture
def fields(layout: Layout) -> dict[str, Field]:
    return {field.id: field for field in layout.fields}


def test_there_are_52_fields_with_their_public_names_and_numbers(
    layout: Layout, fields: dict[str, Field]
) -> None:
    assert [field.id for field in layout.fields] == FIELDS
    assert len(FIELDS) == 52
    for row, printed in PRINTED.items():
        assert [fields[f"{row}.{number}"].print for number in printed] == list(map(str, printed))
    assert {fields[name].print for name in FAILED} == {"−5"}
    for name, field in fields.items():
        assert field.color == ("plain" if name in FAILED else name.split(".")[0])
        assert field.box.width == field.box.height >= 9, "a ballpoint's cross"


def test_a_lock_is_drawn_before_its_field(layout: Layout, fields: dict[str, Field]) -> None:
    """Not in it, where the photo reader would take it for ink."""
    assert [label.symbol for label in layout.labels] == ["lock"] * 4
    for label, band, row in zip(layout.labels, layout.bands, ROWS, strict=True):
        assert inside(label.box, band.box)
        assert not any(overlap(label.box, field.box) for field in fields.values())
        assert label.box.x < fields[f"{row}.lock"].box.x
        assert label.text is None


def test_rows_run_from_left_to_right_in_even_steps_and_end_with_the_lock(
    fields: dict[str, Field],
) -> None:
    for row, printed in PRINTED.items():
        lefts = [fields[f"{row}.{number}"].box.x for number in printed]
        steps = [after - before for before, after in pairwise(lefts)]
        assert steps == pytest.approx([steps[0]] * 10)
        assert fields[f"{row}.lock"].box.x > lefts[-1] + steps[0]
        assert len({fields[f"{row}.{number}"].box.y for number in printed}) == 1


def test_fields_of_a_column_stand_exactly_above_each_other(fields: dict[str, Field]) -> None:
    for names in (
        *([f"{row}.{PRINTED[row][place]}" for row in ROWS] for place in range(11)),
        LOCKS,
    ):
        assert len({fields[name].box.x for name in names}) == 1
    downs = [fields[name].box.y for name in LOCKS]
    assert downs == sorted(downs)
    assert len({round(after - before, 6) for before, after in pairwise(downs)}) == 1


def test_the_round_end_of_a_band_cuts_no_corner_of_the_lock(
    layout: Layout, fields: dict[str, Field]
) -> None:
    for band, name in zip(layout.bands, LOCKS, strict=True):
        lock, corner = fields[name].box, sheet_style.FIELD_CORNER
        radius = band.box.height * sheet_style.BAND_CORNER
        across = band.box.x + band.box.width - radius - (lock.x + lock.width - corner)
        down = lock.y + corner - (band.box.y + radius)
        reach = (max(-across, 0) ** 2 + max(-down, 0) ** 2) ** 0.5
        assert reach + corner <= radius


def test_upright_on_a_phone_the_numbers_are_as_large_as_a_finger(layout: Layout) -> None:
    """360 × 640 pixels. The rows run down, and 11 numbers of 44 pixels fit below the bar.

    A target is a millimetre larger than its field, and the locks, which are not tapped, may lie
    below the fold.
    """
    scale = 44 / (qwixx.FIELD + 1)
    assert qwixx.PITCH >= qwixx.FIELD + 1
    assert qwixx.ROW_PITCH >= qwixx.FIELD + 1
    assert layout.height * scale <= 240, "a third of the width is left for the dice"
    last = max(field.box.x + field.box.width for field in layout.fields if field.print)
    assert last * scale <= 640 - 104, "the bar and the players' names"
    assert layout.upright_width is None


# The pad


def test_the_pad_prints_the_screens_sheet(layout: Layout) -> None:
    paper = SHEET.paper("")
    assert paper.layout is layout
    assert paper.width == PAD_WIDTH
    assert paper.at[1] >= HEADER
    assert 3 * paper.height <= 279.4 - 14, "three on a page, also on Letter"
    assert paper.names == ("name",)


def test_the_sums_have_their_public_names_in_the_order_of_the_score_line() -> None:
    blanks = {blank.id: blank for blank in SHEET.paper("").blanks}
    assert list(blanks) == [
        "name",
        "date",
        *(f"sum.{row}" for row in ROWS),
        "sum.failed",
        "sum.total",
    ]
    assert [blank.sign for blank in blanks.values()] == ["", "", "", "+", "+", "+", "−", "="]
    lefts = [blank.box.x for blank in list(blanks.values())[2:]]
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


FIVE = {"red": [2, 3, 4, 5, 6], "green": [12, 11, 10, 9, 8]}


def problems(given: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    found = QwixxSheet.from_document(given).problems()
    return [(problem.code, problem.fields) for problem in found]


def test_the_example_of_the_interface() -> None:
    given = document(red=[2, 3, 5], green=[12, 9], locks=["red"], failed=1)
    assert QwixxSheet.from_document(given).score() == {
        "rows": {"red": 6, "yellow": 0, "green": 3, "blue": 0},
        "failed": -5,
        "total": 4,
    }
    assert problems(given) == [("lock-without-last", ("red.12", "red.lock"))]


@pytest.mark.parametrize(
    ("given", "found", "total"),
    [
        (document(red=[2, 3, 4, 9, 11, 12], locks=["red"], failed=4), [], 8),
        (
            document(yellow=[2, 3, 4, 5, 12], locks=["yellow"]),
            [("needs-five", tuple(f"yellow.{number}" for number in (2, 3, 4, 5, 12)))],
            21,
        ),
        # A lock without the last number scores nothing.
        (
            document(green=FIVE["green"], locks=["green"]),
            [("lock-without-last", ("green.2", "green.lock"))],
            15,
        ),
        # A missing lock counts as crossed.
        (document(red=[*FIVE["red"], 12]), [("lock-missing", ("red.12", "red.lock"))], 28),
        (
            document(blue=[12, 2]),
            [("needs-five", ("blue.12", "blue.2")), ("lock-missing", ("blue.2", "blue.lock"))],
            6,
        ),
    ],
)
def test_problems_and_what_such_a_sheet_scores(
    given: dict[str, Any], found: list[tuple[str, tuple[str, ...]]], total: int
) -> None:
    assert problems(given) == found
    assert QwixxSheet.from_document(given).score()["total"] == total


def test_the_sentences_name_what_is_wrong() -> None:
    given = document(red=[2, 12], yellow=[2], locks=["yellow"])
    told = [problem.document()["message"] for problem in QwixxSheet.from_document(given).problems()]
    assert told == [
        "The 12 in the red row needs 5 other crosses first, and the row has only 1.",
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


def test_locks_stand_in_the_rows_order() -> None:
    given = document(locks=["blue", "red"])
    assert QwixxSheet.from_document(given).document()["locks"] == ["red", "blue"]


def test_a_fifth_failed_roll_is_not_written() -> None:
    full = QwixxSheet.from_document(document(failed=4))
    assert full.fail() == full
    assert sheet.has_failed(full)
    assert not sheet.has_failed(QwixxSheet.from_document(document(failed=3)))


def test_what_need_not_be_said_is_left_out() -> None:
    given = {row: [] for row in ROWS}
    assert QwixxSheet.from_document(given).document() == document()


UNUSABLE: dict[str, dict[str, Any]] = {
    "a row is missing": {key: value for key, value in document().items() if key != "blue"},
    "red falls": document(red=[3, 2]),
    "green grows": document(green=[2, 12]),
}


@pytest.mark.parametrize("given", UNUSABLE.values(), ids=UNUSABLE)
def test_a_document_of_another_shape_is_unusable(given: dict[str, Any]) -> None:
    with pytest.raises(Unusable) as unusable:
        QwixxSheet.from_document(given)
    assert str(unusable.value).endswith(".")
