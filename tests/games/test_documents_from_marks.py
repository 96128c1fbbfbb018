"""A sheet, what stands in its fields and its document are the same, there and back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from companion.core.sheet import Field, Mark
from companion.games.catalog import SHEETS


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
