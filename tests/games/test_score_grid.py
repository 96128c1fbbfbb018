"""The table of a game that is not known: its sums, its problems, its document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.core.refusal import Unusable
from companion.games.grid_layout import SHEET, board_of
from companion.games.score_grid import ScoreGrid
from companion.games.scoring import filled_sheet

UPPER = [[1], [6], [9], [8], [15], [24], [63], [35], [98]]
LOWER = [[24], [0], [25], [30], [40], [0], [23], [142], [98], [240]]


@pytest.mark.parametrize(
    ("values", "totals", "sum_rows"),
    [
        ([[10, None], [5, 7], [15, 7]], [15, 7], [3]),
        ([[10, 30], [5, 7], [15, 38]], [15, 37], [3]),  # 38 is miscounted
        ([[10, 30], [5, 7], [16, 38]], [31, 75], []),
        ([[1], [2], [3]], [6], []),  # too small to be more than chance
        ([[20, 5], [30, 6], [50, 11], [4, 40], [54, 51]], [54, 51], [3, 5]),
        ([*UPPER, *LOWER], [240], [7, 9, 17, 18, 19]),
    ],
)
def test_rows_of_sums_are_found_and_not_added_again(
    values: list[list[int | None]], totals: list[int], sum_rows: list[int]
) -> None:
    filled = filled_sheet({"sheet": "table", "values": values})
    assert filled.score == {"totals": totals, "sum_rows": sum_rows}


def test_a_wrong_sum_and_a_number_too_large_are_problems() -> None:
    filled = filled_sheet({"sheet": "table", "values": [[10, 30], [5, 7], [15, 38], [1, 10_000]]})
    found = [(problem.code, problem.fields) for problem in filled.problems]
    assert ("wrong-sum", ("row.3.column.2",)) in found
    assert ("number-out-of-range", ("row.4.column.2",)) in found
    assert "You wrote 38, but it is 37." in [problem.message for problem in filled.problems]


@pytest.mark.parametrize(
    "values", [None, [], [[]], [[1], [1, 2]], [["1"]], [[1.5]], [[True]], [[10**9]], [[1]] * 61]
)
def test_documents_other_than_tables_are_unusable(values: object) -> None:
    with pytest.raises(Unusable):
        filled_sheet({"sheet": "table", "values": values})


def test_a_tables_fields_stand_beside_its_heads() -> None:
    paper = SHEET.paper(board_of(2, 3, head_rows=1, head_columns=1))
    names = [field.id for field in paper.fields]
    assert names[:2] == ["row.1.column.1", "row.1.column.2"]
    assert len(names) == 6
    marks = {"row.2.column.3": 5}
    assert SHEET.marked(board_of(2, 3), marks).document["values"] == [[None] * 3, [None, None, 5]]


SUMMED = [[12, 7, None], [5, 45, None], [17, 53, None], [2, 1, None]]  # 53 is miscounted


@pytest.mark.parametrize(
    ("row", "rounds"),
    [
        (None, [(12, 5, 2), (7, 45, 1)]),
        (0, [(12, 5, 2), (7, 45, 1)]),
        (3, [(12, 5), (7, 45)]),
        (4, [(2,), (1,)]),
    ],
)
def test_only_the_parts_of_the_row_with_the_totals_count(
    row: int | None, rounds: list[tuple[int, ...]]
) -> None:
    table = replace(ScoreGrid.from_document({"values": SUMMED}), total_row=row)
    assert table.chosen_row == row
    assert table.likely_rows == (3, 4)
    assert table.rounds == dict(zip("12", rounds, strict=True))
    named = table.named(["Ada", "Ben"])
    assert [(name, one.totals) for name, one in named.split()] == [
        (name, (sum(numbers),)) for name, numbers in zip(("Ada", "Ben"), rounds, strict=True)
    ]
    later = ScoreGrid.of_rounds({"Ben": (40,), "Cleo": (1,)})
    assert named.followed(later).rounds["Cleo"] == (*(None,) * len(rounds[0]), 1)
