"""A sheet, what stands in its fields and its document are the same, there and back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from companion.core.sheet import Mark
from companion.core.values import Document
from companion.games.catalog import SHEETS


def qwinto(chance: random.Random) -> Document:
    rows = {
        color: [chance.choice([None, chance.randint(1, 18)]) for _ in range(9)]
        for color in ("orange", "yellow", "purple")
    }
    return {"sheet": "qwinto", **rows, "failed": chance.randint(0, 4)}


def encore(chance: random.Random) -> Document:
    boxes = [f"{column}{row}" for column in "ABCDEFGHIJKLMNO" for row in range(1, 8)]
    claims = ["first", "later"]
    return {
        "sheet": "encore",
        "board": chance.choice(SHEETS["encore"].every_board),
        "crossed": [box for box in boxes if chance.random() < 0.4],
        "jokers_used": chance.randint(0, 8),
        "columns": {c: chance.choice(claims) for c in "ABCDEFGHIJKLMNO" if chance.random() < 0.3},
        "colors": {c: chance.choice(claims) for c in ("green", "red") if chance.random() < 0.5},
    }


def tally(chance: random.Random) -> Document:
    players = chance.randint(1, 6)
    return {
        "sheet": "tally",
        "players": [str(place + 1) for place in range(players)],
        "rounds": [
            [chance.randint(0, 108) for _ in range(players)] for _ in range(chance.randint(1, 8))
        ],
    }


@pytest.mark.parametrize("make", [qwinto, encore, tally])
def test_documents_sheets_and_marks_go_there_and_back(
    make: Callable[[random.Random], Document],
) -> None:
    chance = random.Random(1)
    for _ in range(200):
        document = make(chance)
        kind = SHEETS[document["sheet"]]
        parsed = kind.filled(document)
        assert parsed.document == document
        assert kind.filled(parsed.document) == parsed
        marked = kind.marked(document.get("board", ""), parsed.marks)
        assert marked == parsed
        assert kind.slips(parsed.marks) == ()


def test_every_kind_of_sheet_goes_there_and_back_above() -> None:
    assert set(SHEETS) == {"qwinto", "encore", "tally"}, "a new sheet goes into the loop above"


@pytest.mark.parametrize("name", SHEETS)
def test_an_empty_pad_is_a_document_too(name: str) -> None:
    kind = SHEETS[name]
    for board in kind.every_board:
        empty = kind.marked(board, {})
        assert kind.filled(empty.document) == empty
        assert empty.problems == ()


@pytest.mark.parametrize("name", SHEETS)
def test_what_a_sheet_says_is_worked_out_once(name: str) -> None:
    counts: Counter[str] = Counter()
    kind = SHEETS[name]

    def counted(what: str) -> Callable[[object], object]:
        def ask(sheet: object) -> object:
            counts[what] += 1
            return getattr(kind, what)(sheet)

        return ask

    asked = ("document", "layout", "marks", "problems", "score", "terms", "result")
    counting = replace(kind, **{what: counted(what) for what in asked})
    filled = counting.marked(kind.usual_board, {})
    for _ in range(2):
        for what in asked:
            assert getattr(filled, what) == getattr(kind, what)(filled.sheet)
    assert counts == dict.fromkeys(asked, 1)


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
