"""Sheets, what stands in their fields, their documents, and the sums that belong on them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from companion.core.edition import OWN, Edition
from companion.core.sheet import AnySheetKind, Box, Field, Mark
from companion.games.catalog import SHEETS
from companion.games.editions import editions, find_edition, paper_of
from tests.kit.sheets import KINDS, overlap, written

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
        # Marks that no document can say are left out, so a sheet's own marks make it again.
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


@pytest.mark.parametrize("name", SHEETS)
def test_an_empty_pad_is_a_document_too(name: str) -> None:
    kind = SHEETS[name]
    for board in kind.every_board:
        empty = kind.marked(board, {})
        assert kind.filled(empty.document) == empty
        assert empty.problems == ()


@pytest.mark.parametrize("name", SHEETS)
def test_what_a_sheet_says_is_worked_out_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()
    kind = SHEETS[name]
    asked = {what: type(kind) for what in ("layout", "marks", "terms", "sums")}
    asked |= dict.fromkeys(("document", "problems"), kind.written)

    def counted(what: str) -> Callable[..., object]:
        original = getattr(asked[what], what)

        def ask(*given: object) -> object:
            counts[what] += 1
            return original(*given)

        return ask

    for what, owner in asked.items():
        monkeypatch.setattr(owner, what, counted(what))
    filled = kind.marked(kind.usual_board, {})
    first = {what: getattr(filled, what) for what in asked}
    assert counts.keys() == asked.keys()
    worked_out = counts.copy()
    assert {what: getattr(filled, what) for what in asked} == first
    assert counts == worked_out


def test_a_joker_crossed_before_the_one_on_its_left_is_a_slip() -> None:
    marks: dict[str, Mark] = {"joker.1": True, "joker.3": True}
    assert SHEETS["encore"].slips(marks) == (("joker.2", "joker.3"),)
    assert SHEETS["encore"].marked("black", marks).document["jokers_used"] == 2


def test_two_circled_values_of_a_column_are_a_slip_and_claim_the_higher_one() -> None:
    marks: dict[str, Mark] = {"column.A.first": "circled", "column.A.later": "circled"}
    assert SHEETS["encore"].slips(marks) == (("column.A.first", "column.A.later"),)
    assert SHEETS["encore"].marked("black", marks).document["columns"] == {"A": "first"}


def test_a_player_without_a_number_in_a_round_is_a_slip() -> None:
    marks: dict[str, Mark] = {
        "round.1.player.1": 4,
        "round.1.player.2": 7,
        "round.2.player.1": 0,
        "round.2.player.3": None,
    }
    assert SHEETS["tally"].slips(marks) == (("round.2.player.2",),)
    document = SHEETS["tally"].marked("", marks).document
    assert document["players"] == ["1", "2"]
    assert document["rounds"] == [[4, 7], [0, None]]


# Sums have public names, and are what the score says


SHEETS_AND_BOARDS = [pytest.param(*pair, id="-".join((pair[0].name, pair[1]))) for pair in KINDS]


@pytest.mark.parametrize(("kind", "board"), SHEETS_AND_BOARDS)
def test_every_sum_has_a_blank_on_the_pad(kind: AnySheetKind, board: str) -> None:
    blanks = {blank.id for blank in kind.paper(board).sums}
    sums = kind.filled(written(kind, board)).sums
    assert sums
    assert set(sums) <= blanks
    if kind.sharing is None:
        assert set(sums) == blanks


@pytest.mark.parametrize(("kind", "board"), SHEETS_AND_BOARDS)
def test_the_sums_make_the_total(kind: AnySheetKind, board: str) -> None:
    filled = kind.filled(written(kind, board))
    totals = {name: points for name, points in filled.sums.items() if name.startswith("sum.player")}
    if kind.sharing is not None:
        assert sum(totals.values()) == filled.result.total
        return
    signs = {blank.id: blank.sign for blank in kind.paper(board).blanks}
    parts = {name: points for name, points in filled.sums.items() if name != "sum.total"}
    assert all(points >= 0 for points in parts.values())
    together = sum(-points if signs[name] == "−" else points for name, points in parts.items())
    assert together == filled.sums["sum.total"] == filled.result.total


@pytest.mark.parametrize(
    ("document", "sums"),
    [
        (
            {
                "sheet": "qwinto",
                "orange": [None, 5, None, None, 10, 13, None, 17, None],
                "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],
                "purple": [2, 4, None, 6, 7, None, 9, 11, None],
                "failed": 2,
            },
            {
                "sum.orange": 4,
                "sum.yellow": 16,
                "sum.purple": 6,
                "sum.bonus.1": 0,
                "sum.bonus.2": 5,
                "sum.bonus.3": 10,
                "sum.bonus.4": 12,
                "sum.bonus.5": 0,
                "sum.failed": 10,
                "sum.total": 43,
            },
        ),
        (
            {"sheet": "encore", "board": "black", "crossed": ["H4", "G4"], "jokers_used": 3},
            {
                "sum.colors": 0,
                "sum.columns": 0,
                "sum.jokers": 5,
                "sum.stars": 30,
                "sum.total": -25,
            },
        ),
        (
            {"sheet": "tally", "players": ["Ada", "Ben"], "rounds": [[12, 30], [7, 0]]},
            {"sum.player.1": 19, "sum.player.2": 30},
        ),
        (
            {
                "sheet": "qwixx",
                "red": [2, 3],
                "yellow": [],
                "green": [12],
                "blue": [],
                "failed": 1,
            },
            {
                "sum.red": 3,
                "sum.yellow": 0,
                "sum.green": 1,
                "sum.blue": 0,
                "sum.failed": 5,
                "sum.total": -1,
            },
        ),
    ],
    ids=["qwinto", "encore", "tally", "qwixx"],
)
def test_the_sums_of_a_sheet(document: dict[str, Any], sums: dict[str, int]) -> None:
    assert dict(SHEETS[document["sheet"]].filled(document).sums) == sums


# The publishers' editions


EDITIONS = [pytest.param(made, id=f"{made.sheet.name}-{made.name}") for made in editions()]


@pytest.mark.parametrize("made", EDITIONS)
def test_every_field_of_every_board_has_a_place_on_the_paper(made: Edition) -> None:
    for board in made.sheet.every_board:
        paper, own = made.paper(board), made.sheet.paper(board)
        assert [field.id for field in paper.fields] == [field.id for field in own.fields]
        assert {blank.id for blank in paper.blanks} == set(made.sheet.marked(board, {}).sums)
        for box in (*(f.box for f in paper.fields), *(b.box for b in paper.blanks)):
            assert min(box.x, box.y) >= 0
            assert box.x + box.width <= paper.width
            assert box.y + box.height <= paper.height


@pytest.mark.parametrize("made", EDITIONS)
def test_nothing_covers_anything_else(made: Edition) -> None:
    """And no two targets of fingers overlap by more than anybody feels."""
    paper = made.paper(made.sheet.usual_board)
    boxes = [field.box for field in paper.fields] + [blank.box for blank in paper.blanks]
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair, 0.01)]
    targets = [
        Box(
            field.box.x - field.touch_margin / 2,
            field.box.y - field.touch_margin / 2,
            field.box.width + field.touch_margin,
            field.box.height + field.touch_margin,
        )
        for field in paper.fields
    ]
    assert not [pair for pair in combinations(targets, 2) if overlap(*pair, 0.5)]


@pytest.mark.parametrize("made", EDITIONS)
def test_everything_printed_is_described_for_every_board(made: Edition) -> None:
    for board in made.sheet.every_board:
        paper = made.paper(board)
        names = {field.id for field in paper.fields} | {blank.id for blank in paper.blanks}
        assert made.prints[board].keys() == names
        assert board in made.grounds
        assert set(made.landmarks) <= names


def test_an_edition_is_found_by_its_name_and_our_own_pads_are_one_too() -> None:
    for made in editions():
        assert find_edition(made.sheet.name, made.name) is made
    for sheet in SHEETS.values():
        assert paper_of(sheet, sheet.usual_board, OWN) is sheet.paper(sheet.usual_board)
