"""The filled-in sheet: its document, its problems and its points."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.refusal import Unusable
from companion.games.qwixx import sheet
from companion.games.qwixx.sheet import QwixxSheet
from tests.kit.games import steady
from tests.kit.oracles.qwixx import PRINTED, faults_of, paper_of, score_of, strike_faults
from tests.kit.qwixx import ROWS, document, lawful_sheets, written_sheets

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


def test_a_sheet_without_a_fault_has_no_problems() -> None:
    assert problems(document()) == []
    assert problems(document(red=[2, 3, 4, 9, 11, 12], locks=["red"], failed=4)) == []


@pytest.mark.parametrize("row", ROWS)
def test_the_last_number_with_fewer_than_five_crosses_before_it(row: str) -> None:
    numbers = [*PRINTED[row][:4], PRINTED[row][10]]
    fields = tuple(f"{row}.{number}" for number in numbers)
    assert problems(document(**{row: numbers}, locks=[row])) == [("needs-five", fields)]


def test_a_lock_without_the_last_number_scores_nothing() -> None:
    given = document(green=FIVE["green"], locks=["green"])
    assert problems(given) == [("lock-without-last", ("green.2", "green.lock"))]
    assert QwixxSheet.from_document(given).score()["total"] == 15


def test_a_missing_lock_counts_as_crossed() -> None:
    given = document(red=[*FIVE["red"], 12])
    assert problems(given) == [("lock-missing", ("red.12", "red.lock"))]
    assert QwixxSheet.from_document(given).score()["total"] == 28


def test_too_few_crosses_and_no_lock_are_two_problems() -> None:
    found = problems(document(blue=[12, 2]))
    assert found == [
        ("needs-five", ("blue.12", "blue.2")),
        ("lock-missing", ("blue.2", "blue.lock")),
    ]
    assert QwixxSheet.from_document(document(blue=[12, 2])).score()["total"] == 6


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
    "a row holds null": document(red=[None]),
    "a number below 2": document(red=[1, 2]),
    "a number above 12": document(blue=[13, 12]),
    "red falls": document(red=[3, 2]),
    "green grows": document(green=[2, 12]),
    "five failed rolls": document(failed=5),
}


@pytest.mark.parametrize("given", UNUSABLE.values(), ids=UNUSABLE)
def test_a_document_of_another_shape_is_unusable(given: dict[str, Any]) -> None:
    with pytest.raises(Unusable) as unusable:
        QwixxSheet.from_document(given)
    assert str(unusable.value).endswith(".")
