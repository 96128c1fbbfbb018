"""The Qwixx sheet's description: its fields, where they lie, their marks and their points."""

from __future__ import annotations

from itertools import pairwise

import pytest

from companion.core import look
from companion.core.sheet import HEADER, PAD_WIDTH, Field, Layout
from companion.core.words import english
from companion.games.qwixx import layout as qwixx
from companion.games.qwixx.layout import SHEET
from tests.kit.oracles.qwixx import PRINTED
from tests.kit.qwixx import ROWS, document
from tests.kit.sheets import inside, overlap

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


def test_there_are_52_fields_with_their_public_names(layout: Layout) -> None:
    assert [field.id for field in layout.fields] == FIELDS
    assert len(FIELDS) == 52
    assert FIELDS[0] == "red.2"
    assert FIELDS[11] == "red.lock"
    assert FIELDS[24] == "green.12"


def test_the_numbers_are_printed_in_their_fields(fields: dict[str, Field]) -> None:
    for row, printed in PRINTED.items():
        assert [fields[f"{row}.{number}"].print for number in printed] == list(map(str, printed))
    assert {fields[name].print for name in FAILED} == {"−5"}


def test_a_lock_is_drawn_before_its_field(layout: Layout, fields: dict[str, Field]) -> None:
    """Not in it, where the photo reader would take it for ink."""
    assert [label.symbol for label in layout.labels] == ["lock"] * 4
    for label, band, row in zip(layout.labels, layout.bands, ROWS, strict=True):
        assert inside(label.box, band.box)
        assert not any(overlap(label.box, field.box) for field in fields.values())
        assert label.box.x < fields[f"{row}.lock"].box.x
        assert label.text is None


def test_every_field_has_its_rows_color(fields: dict[str, Field]) -> None:
    for name, field in fields.items():
        assert field.color == ("plain" if name in FAILED else name.split(".")[0])


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
    for place in range(11):
        assert len({fields[f"{row}.{PRINTED[row][place]}"].box.x for row in ROWS}) == 1
    assert len({fields[name].box.x for name in LOCKS}) == 1
    downs = [fields[name].box.y for name in LOCKS]
    assert downs == sorted(downs)
    assert len({round(after - before, 6) for before, after in pairwise(downs)}) == 1


def test_every_field_takes_a_ballpoints_cross(layout: Layout) -> None:
    for field in layout.fields:
        assert field.box.width == field.box.height >= 9


def test_the_round_end_of_a_band_cuts_no_corner_of_the_lock(
    layout: Layout, fields: dict[str, Field]
) -> None:
    for band, name in zip(layout.bands, LOCKS, strict=True):
        lock, corner = fields[name].box, look.FIELD_CORNER
        radius = band.box.height * look.BAND_CORNER
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
