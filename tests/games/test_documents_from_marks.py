"""What stands in the fields and the document that says so are the same, there and back."""

from __future__ import annotations

import random

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
        "board": chance.choice(SHEETS["encore"].boards),
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
def test_marks_and_documents_go_there_and_back(make: object) -> None:
    chance = random.Random(1)
    for _ in range(200):
        document = make(chance)  # type: ignore[operator]
        sheet = SHEETS[document["sheet"]]
        marks = sheet.marks(document)
        back = sheet.document(document.get("board", ""), marks)
        sheet.check(back)
        assert sheet.marks(back) == marks
        assert sheet.score(back)["total"] == sheet.score(document)["total"]
        assert sheet.slips(marks) == ()


@pytest.mark.parametrize("name", SHEETS)
def test_an_empty_pad_is_a_document_too(name: str) -> None:
    sheet = SHEETS[name]
    document = sheet.document(next(iter(sheet.boards), ""), {})
    sheet.check(document)
    assert sheet.problems(document) == ()


def test_a_joker_crossed_before_the_one_on_its_left_is_a_slip() -> None:
    marks: dict[str, Mark] = {"joker.1": True, "joker.3": True}
    assert SHEETS["encore"].slips(marks) == (("joker.2", "joker.3"),)
    assert SHEETS["encore"].document("black", marks)["jokers_used"] == 2


def test_two_circled_values_of_a_column_are_a_slip_and_claim_the_higher_one() -> None:
    marks: dict[str, Mark] = {"column.A.first": "circled", "column.A.later": "circled"}
    assert SHEETS["encore"].slips(marks) == (("column.A.first", "column.A.later"),)
    assert SHEETS["encore"].document("black", marks)["columns"] == {"A": "first"}


def test_a_player_without_a_number_in_a_round_is_a_slip() -> None:
    marks: dict[str, Mark] = {
        "round.1.player.1": 4,
        "round.1.player.2": 7,
        "round.2.player.1": 0,
        "round.2.player.3": None,
    }
    assert SHEETS["tally"].slips(marks) == (("round.2.player.2",),)
    document = SHEETS["tally"].document("", marks)
    assert document["players"] == ["1", "2"]
    assert document["rounds"] == [[4, 7], [0, None]]
