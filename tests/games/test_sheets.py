"""Sheets, what stands in their fields, their documents, and the sums that belong on them."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest

from companion.core.edition import OWN, Edition
from companion.core.sheet import AnySheetKind, Box, Field, Mark
from companion.games.catalog import SHEETS
from companion.games.editions import editions, find_edition, known_grids, paper_of
from lab.sheets import KINDS, inside, overlap, written

SHEETS_AND_BOARDS = [pytest.param(*pair, id="-".join((pair[0].name, pair[1]))) for pair in KINDS]

# There and back


def any_mark(field: Field, chance: random.Random) -> Mark:
    """A mark that somebody could have made, or none."""
    if field.kind == "cross":
        return chance.random() < 0.4
    if field.kind == "value":
        return chance.choice(["open", "circled", "crossed"])
    return chance.choice([None, chance.choice(field.numbers)])


@pytest.mark.parametrize("name", SHEETS)
def test_documents_sheets_marks_and_terms_agree(name: str) -> None:
    kind, chance = SHEETS[name], random.Random(1)
    for _ in range(200):
        board = chance.choice(kind.every_board)
        fields = kind.paper(board).fields
        marked = kind.marked(board, {field.id: any_mark(field, chance) for field in fields})
        assert kind.filled(marked.document) == marked
        assert kind.filled(marked.document).document == marked.document
        # Marks that no document can express are left out, so the sheet's own marks make it again.
        assert kind.marked(board, marked.marks) == marked
        assert set(marked.marks) <= {field.id for field in fields}
        assert sum(term.points for term in marked.terms) == marked.result.total
        assert marked.result.total == marked.score["total"]
        for blank, most in kind.most_sums.items():
            assert abs(marked.sums[blank]) <= most
        for term in marked.terms:
            assert len(set(term.fields)) == len(term.fields)
            assert {*term.fields} <= {field.id for field in fields}
        if kind.sharing is None:
            assert kind.slips(marked.marks) == ()


@pytest.mark.parametrize(("kind", "board"), SHEETS_AND_BOARDS)
def test_values_of_a_sheet_are_computed_once(kind: AnySheetKind, board: str) -> None:
    """An empty pad is a document, too."""
    filled = kind.filled(written(kind, board))
    for what in ("layout", "marks", "terms", "sums", "document", "problems"):
        assert getattr(filled, what) is getattr(filled, what)
    empty = kind.marked(board, {})
    assert kind.filled(empty.document) == empty
    assert empty.problems == ()


TALLY = {"round.1.player.1": 4, "round.1.player.2": 7, "round.2.player.1": 0}


@pytest.mark.parametrize(
    ("kind", "marks", "slip", "read"),
    [
        # A joker crossed before the one on its left.
        ("encore", {"joker.1": True, "joker.3": True}, ("joker.2", "joker.3"), {"jokers_used": 2}),
        # Two circled values of a column claim the higher one.
        ("encore", dict.fromkeys(("column.A.first", "column.A.later"), "circled"),
         ("column.A.first", "column.A.later"), {"columns": {"A": "first"}}),
        # A player without a number in a round.
        ("tally", TALLY, ("round.2.player.2",),
         {"players": ["1", "2"], "rounds": [[4, 7], [0, None]]}),
    ],
)  # fmt: skip
def test_a_slip_of_the_pen(
    kind: str, marks: dict[str, Mark], slip: tuple[str, ...], read: dict[str, Any]
) -> None:
    sheet = SHEETS[kind]
    assert sheet.slips(marks) == (slip,)
    document = sheet.marked(sheet.usual_board, marks).document
    assert {**document, **read} == document


# Sums have public names, and are what the score says


@pytest.mark.parametrize(("kind", "board"), SHEETS_AND_BOARDS)
def test_every_sum_has_a_blank_on_the_pad_and_is_that_of_its_term(
    kind: AnySheetKind, board: str
) -> None:
    blanks, filled = kind.paper(board).sums, kind.filled(written(kind, board))
    assert filled.sums.keys() <= {blank.id for blank in blanks}
    # Another column has the same sums, and a subtotal is no term.
    columns = len(kind.paper(board).columns)
    blanks = tuple(blank for blank in blanks[: len(blanks) // columns] if "-" not in blank.id)
    of_terms = [abs(term.points) for term in filled.terms]
    if kind.sharing is not None:
        assert list(filled.sums.values()) == of_terms
        return
    assert [filled.sums[blank.id] for blank in blanks] == [*of_terms, filled.result.total]
    assert {name for name in filled.sums if "-" not in name} == {blank.id for blank in blanks}
    assert min(points for name, points in filled.sums.items() if name != "sum.total") >= 0
    signs = {blank.id: -1 if blank.sign == "−" else 1 for blank in blanks}
    together = sum(sign * filled.sums[name] for name, sign in signs.items())
    assert together / 2 == filled.sums["sum.total"] == filled.result.total


# The publishers' editions


PRINTED = [*editions(), *(table.edition for table in known_grids())]
EDITIONS = [pytest.param(made, id=f"{made.sheet.name}-{made.name}") for made in PRINTED]


def touched(field: Field) -> Box:
    box, more = field.box, field.touch_margin
    return Box(box.x - more / 2, box.y - more / 2, box.width + more, box.height + more)


@pytest.mark.parametrize("made", EDITIONS)
def test_every_field_of_every_board_has_a_place_on_the_paper(made: Edition) -> None:
    """Nothing covers anything else, and no targets overlap by more than a finger notices."""
    for board in made.papers:
        paper, own = made.paper(board), made.sheet.paper(board)
        assert [field.id for field in paper.fields] == [field.id for field in own.fields]
        assert {blank.id for blank in paper.blanks} == set(made.sheet.marked(board, {}).sums)
        boxes = [thing.box for thing in (*paper.fields, *paper.blanks)]
        whole = Box(0, 0, paper.width, paper.height)
        assert all(inside(box, whole) for box in boxes)
        assert not [pair for pair in combinations(boxes, 2) if overlap(*pair, 0.01)]
        targets = [touched(field) for field in paper.fields]
        assert not [pair for pair in combinations(targets, 2) if overlap(*pair, 0.5)]


@pytest.mark.parametrize("made", EDITIONS)
def test_everything_printed_is_described_for_every_board(made: Edition) -> None:
    for board in made.papers:
        paper = made.paper(board)
        names = {field.id for field in paper.fields} | {blank.id for blank in paper.blanks}
        assert made.prints[board].keys() == names
        assert board in made.grounds
        assert set(made.landmarks) <= names


@pytest.mark.every_game
def test_an_edition_is_found_by_its_name_and_our_own_pads_are_one_too() -> None:
    for made in PRINTED:
        assert find_edition(made.sheet.name, made.name) is made
    for sheet in SHEETS.values():
        assert paper_of(sheet, sheet.usual_board, OWN) is sheet.paper(sheet.usual_board)
