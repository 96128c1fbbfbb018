"""The Qwinto sheet's description: its fields, where they lie, and what they are called."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from companion.core.sheet import Field, Layout
from tests.kit import sheets
from tests.kit.games import document
from tests.kit.oracles.qwinto import PENTAGONS, PLACES, PRINTED, name_of

NUMBERS = {name_of(place): place for place in PLACES}
FAILED = [f"failed.{number}" for number in range(1, 5)]
PENTAGON_NAMES = {name_of(place) for place in PENTAGONS}


@pytest.fixture
def layout() -> Layout:
    return sheets.layout(document())


@pytest.fixture
def fields(layout: Layout) -> dict[str, Field]:
    return {field.id: field for field in layout.fields}


def test_there_are_31_fields_with_their_public_names(layout: Layout) -> None:
    names = [field.id for field in layout.fields]
    assert len(names) == 31
    assert names == [
        *(f"{color}.{number}" for color in PRINTED for number in range(1, 10)),
        *FAILED,
    ]


def test_numbers_are_written_in_the_rows_and_failed_attempts_crossed(
    fields: dict[str, Field],
) -> None:
    assert {name for name, field in fields.items() if field.kind == "number"} == set(NUMBERS)
    assert {name for name, field in fields.items() if field.kind == "cross"} == set(FAILED)


def test_every_field_has_its_rows_color(fields: dict[str, Field]) -> None:
    assert all(fields[name].color == row for name, (row, _) in NUMBERS.items())
    assert {fields[name].color for name in FAILED} == {"plain"}


def test_five_fields_are_pentagons(fields: dict[str, Field]) -> None:
    assert {name for name, field in fields.items() if field.shape == "pentagon"} == PENTAGON_NAMES
    assert Counter(field.shape for field in fields.values()) == {
        "circle": 22,
        "pentagon": 5,
        "square": 4,
    }


def test_fields_of_a_column_stand_exactly_above_each_other(fields: dict[str, Field]) -> None:
    for (name, place), (other, other_place) in combinations(NUMBERS.items(), 2):
        center, other_center = fields[name].box.center, fields[other].box.center
        assert (center[0] == pytest.approx(other_center[0])) == (place[1] == other_place[1])
        assert (center[1] == pytest.approx(other_center[1])) == (place[0] == other_place[0])


def test_columns_and_rows_follow_each_other_in_even_steps(fields: dict[str, Field]) -> None:
    columns = {column: fields[name].box.center[0] for name, (_, column) in NUMBERS.items()}
    assert sorted(columns) == list(range(12))
    steps = [columns[column + 1] - columns[column] for column in range(11)]
    assert steps[0] > 0
    assert steps == pytest.approx([steps[0]] * 11)
    rows = [fields[f"{color}.1"].box.center[1] for color in PRINTED]
    assert rows[0] < rows[1] < rows[2]
    assert rows[2] - rows[1] == pytest.approx(rows[1] - rows[0])


def test_a_missing_field_leaves_room_for_a_field(fields: dict[str, Field]) -> None:
    """The facts: after orange's third, yellow's fifth and purple's fourth field."""
    gaps = {"orange": 3, "yellow": 5, "purple": 4}
    for color, gap in gaps.items():
        lefts = [fields[f"{color}.{number}"].box.x for number in range(1, 10)]
        steps = [after - before for before, after in pairwise(lefts)]
        step = steps[0]
        assert steps == pytest.approx([step * (1 + (place == gap)) for place in range(1, 9)])


def test_a_number_field_has_room_for_a_ballpoint(fields: dict[str, Field]) -> None:
    for name in NUMBERS:
        assert fields[name].box.width >= 10.5
        assert fields[name].box.height >= 10.5
