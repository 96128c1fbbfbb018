"""The Qwinto sheet: where its fields lie, its marks, every fault at once, its terms and score."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.refusal import Unusable
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import QwintoSheet
from companion.games.scoring import filled_sheet
from lab.games import SARAH, document, lawful_sheets, written_sheets
from lab.oracles.qwinto import PENTAGONS, PLACES, PRINTED, Paper, name_of, place_of
from lab.sheets import layout, scored
from lab.wide import steady

NUMBERS = {name_of(place): place for place in PLACES}
FAILED = [f"failed.{number}" for number in range(1, 5)]
PENTAGON_NAMES = {name_of(place) for place in PENTAGONS}


def test_the_fields_have_their_public_names_and_stand_in_even_rows_and_columns() -> None:
    """A missing field leaves a gap of one field."""
    fields = {field.id: field for field in layout(document()).fields}
    names = [f"{color}.{number}" for color in PRINTED for number in range(1, 10)]
    assert [*fields] == [*names, *FAILED]
    assert NUMBERS.keys() == {*names}
    for name, field in fields.items():
        is_number = name in NUMBERS
        assert field.kind == ("number" if is_number else "cross")
        assert field.color == (NUMBERS[name][0] if is_number else "plain")
        shape = "pentagon" if name in PENTAGON_NAMES else "circle" if is_number else "square"
        assert field.shape == shape
        assert not is_number or min(field.box.width, field.box.height) >= 10.5, "a ballpoint's room"
    left, top = fields["purple.1"].box.center[0], fields["orange.1"].box.center[1]
    across = fields["purple.2"].box.center[0] - left
    down = fields["yellow.1"].box.center[1] - top
    assert across > 0
    assert down > 0
    for name, (color, column) in NUMBERS.items():
        row = list(PRINTED).index(color)
        there = (left + column * across, top + row * down)
        assert fields[name].box.center == pytest.approx(there)


# A filled-in sheet


NAMES = {*NUMBERS, *FAILED}


def problems(sheet: dict[str, Any]) -> list[tuple[str, set[str]]]:
    found = scored(sheet)["problems"]
    assert all(problem["message"] and "%(" not in problem["message"] for problem in found)
    return [(problem["code"], set(problem["fields"])) for problem in found]


def test_a_number_that_three_dice_cannot_show_is_a_problem() -> None:
    for number in (0, 19, 10**18):
        found = problems(document(purple=[None] * 8 + [number]))
        assert found == [("number-out-of-range", {"purple.9"})]
    assert problems(document(purple=[1, *[None] * 7, 18])) == []


@given(written_sheets() | lawful_sheets())
@steady(400)
def test_problems_score_and_terms_are_what_the_referee_sees(sheet: dict[str, Any]) -> None:
    """The referee names all pairs; a problem may stand for several, but each must be one of them
    and every row, column and field with a fault must be named.
    """
    paper = Paper.of(sheet)
    faults, score = paper.faults(), paper.score()
    assert scored(sheet)["score"] == score, "of the sheet as written, whatever its faults"
    assert [term.points for term in filled_sheet(sheet).terms] == [
        *score["rows"].values(),
        *score["bonuses"],
        score["failed"],
    ]
    found = problems(sheet)
    assert len({(code, *sorted(fields)) for code, fields in found}) == len(found)
    covered = set()
    for code, fields in found:
        assert fields <= NAMES
        pairs = {fault for fault in faults if fault[0] == code and fault[2] <= fields}
        assert pairs, f"{code} on {fields} is no fault"
        assert set().union(*(fault[2] for fault in pairs)) == fields
        covered |= {fault[:2] for fault in pairs}
    assert covered == {fault[:2] for fault in faults}
    single = [fields for code, _, fields in faults if code == "number-out-of-range"]
    assert sorted(map(sorted, single)) == sorted(
        sorted(fields) for code, fields in found if code == "number-out-of-range"
    )


@given(written_sheets() | lawful_sheets())
@steady(200)
def test_a_term_names_the_fields_that_make_it(sheet: dict[str, Any]) -> None:
    written = {name_of(place) for place in Paper.of(sheet).written}
    terms = filled_sheet(sheet).terms
    for term, color in zip(terms[:3], ("orange", "yellow", "purple"), strict=True):
        assert set(term.fields) == {name for name in written if name.startswith(color)}
    for term in terms[3:8]:
        assert set(term.fields) <= written
        assert len(term.fields) == (3 if term.points else len(term.fields))
    assert len(terms[8].fields) == sheet["failed"]
    for term in terms:
        assert len(set(term.fields)) == len(term.fields)
        assert "%" not in term.name.translated(lambda text: text, " or ")


@given(written_sheets())
@steady(100)
def test_the_marks_are_what_is_written(sheet: dict[str, Any]) -> None:
    marks = filled_sheet(sheet).marks
    assert set(marks) <= NAMES
    for color in ("orange", "yellow", "purple"):
        assert [marks.get(f"{color}.{field}") for field in range(1, 10)] == sheet[color]
    crosses = [bool(marks.get(f"failed.{number}")) for number in range(1, 5)]
    assert crosses == [number <= sheet["failed"] for number in range(1, 5)]


@given(lawful_sheets(), st.sampled_from(qwinto.COLORS), st.integers(1, 9), st.integers(1, 18))
@steady(300)
def test_a_number_fits_where_the_sheet_stays_without_a_fault(
    sheet: dict[str, Any], color: str, field: int, number: int
) -> None:
    place = place_of(color, field)
    assert place is not None
    reasons = Paper.of(sheet).why_not(place, number)
    mine = QwintoSheet.from_document(sheet)
    refusal = qwinto.refusal(mine, color, field, number)
    assert (refusal.code in reasons) if refusal else not reasons
    assert (field in qwinto.open_fields(mine, color, number)) == (not reasons)
    if not reasons:
        assert mine.write(qwinto.ROWS[color][field - 1], number).problems() == ()


@pytest.mark.parametrize(
    ("says", "sheet"),
    [
        *((color, {name: value for name, value in SARAH.items() if name != color})
          for color in ("orange", "yellow", "purple")),
        ("orange", {**SARAH, "orange": [None] * 8}),
        ("failed", document(failed=5)),
        ("failed", document(failed=-1)),
        ("failed", document(failed=None)),
        ("qwinto", {**SARAH, "sheet": "qwinto-dice"}),
        *((".", sheet) for sheet in (None, True, 5, "qwinto", [], [SARAH], {}, {"orange": []})),
    ],
)  # fmt: skip
def test_documents_other_than_sheets_are_unusable(says: str, sheet: Any) -> None:
    with pytest.raises(Unusable, match=says):
        scored(sheet)
