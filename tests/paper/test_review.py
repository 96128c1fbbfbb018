"""A review as data: whose sheets they are, what they come to, what they say against each other."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from companion.core.sheet import Mark
from companion.games.catalog import GAMES, SHEET_GAMES, SHEETS
from companion.paper import sheets
from companion.paper.review import MOST_SHEETS, Review
from companion.paper.sheets import ReviewSheet
from companion.tables import Refused
from tests.kit import standin

OLD = Path(__file__).parent / "old" / "review.json"
"""A review as the first version with reviews stored it."""


def write(sheet: ReviewSheet, **marks: Mark) -> ReviewSheet:
    """Marks by field name, with `_` for a dot."""
    for name, mark in marks.items():
        sheet.set(name.replace("_", "."), mark)
    return sheet


def tallies(*pads: tuple[list[str], list[list[int]]]) -> Review:
    """A review of (names, rounds) on pads that follow each other."""
    review = Review(game="freaky")
    for names, rounds in pads:
        pad = review.add("tally", "")
        pad.players = names
        for row, numbers in enumerate(rounds, 1):
            for place, number in enumerate(numbers, 1):
                pad.set(f"round.{row}.player.{place}", number)
    return review


def totals(review: Review) -> list[tuple[str, int, int]]:
    return [(player.name, player.number, player.filled.result.total) for player in review.players()]


# Stored


def test_an_old_review_is_read_and_stored_the_same() -> None:
    body = json.loads(OLD.read_text())
    review = Review.load(body)
    assert review.dump() == body
    assert totals(review) == [("Ada", 1, 34), ("Ben", 2, 41), ("", 3, 38)]


@pytest.mark.parametrize("name", SHEETS)
def test_what_has_been_worked_out_is_not_stored(name: str) -> None:
    review = Review(names=["Ada", "Ben"])
    review.add_empty(name, SHEETS[name].usual_board)
    before = review.dump()
    assert review.standings()
    assert review.dump() == before
    assert Review.load(json.loads(json.dumps(before))) == review


# One sheet of each player


def test_a_sheet_is_parsed_once_until_a_mark_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()
    kind = SHEETS["qwinto"]

    def from_marks(board: str, marks: object) -> object:
        counts["from_marks"] += 1
        return kind.from_marks(board, marks)  # type: ignore[arg-type]

    def score(sheet: object) -> object:
        counts["score"] += 1
        return kind.score(sheet)

    counting = replace(kind, from_marks=from_marks, score=score)  # type: ignore[arg-type]
    monkeypatch.setattr(sheets, "SHEETS", {**SHEETS, "qwinto": counting})
    review = Review(game="qwinto-dice", names=["Ada"])
    sheet = write(review.add("qwinto", ""), orange_1=5)
    for _ in range(3):
        assert sheet.filled.score["total"] == 1
        assert sheet.filled.problems == ()
        review.standings()
    assert counts == {"from_marks": 1, "score": 1}
    write(sheet, orange_1=5)
    assert sheet.filled.score["total"] == 1
    assert counts == {"from_marks": 1, "score": 1}, "it was confirmed, not changed"
    write(sheet, failed_1=True)
    assert sheet.filled.score["total"] == -4
    assert counts == {"from_marks": 2, "score": 2}


def test_a_tie_goes_to_more_unused_jokers() -> None:
    """A star is two points and a joker one, so a star and two jokers are a tie."""
    review = Review(names=["Ada", "Ben", "Cleo"])
    write(review.add("encore", "black"), A1=True)
    write(review.add("encore", "black"), A3=True, joker_1=True, joker_2=True)
    write(review.add("encore", "black"), A1=True, joker_1=True)
    first, second, third = review.standings()
    assert [standing.name for standing in (first, second, third)] == ["Ada", "Ben", "Cleo"]
    assert first.result.total == second.result.total == third.result.total + 1
    assert (first.result.tie, second.result.tie) == (8, 6)
    assert [standing.is_winner for standing in (first, second, third)] == [True, False, False]
    assert [standing.breaks_tie for standing in (first, second, third)] == [True, True, False]


def test_players_without_a_name_have_the_same_number_everywhere() -> None:
    """Whatever other sheets were in the photos."""
    review = Review(game="qwinto-dice")
    for sheet, board in (("encore", "blue"), ("qwinto", ""), ("qwinto", "")):
        review.add(sheet, board)
    assert [standing.player.number for standing in review.standings()] == [1, 2]
    assert [review.number_of(sheet) for sheet in review.counted] == [1, 2]
    assert [player.number for player in review.players()] == [1, 2]


def test_nobody_wins_while_something_is_to_be_looked_at() -> None:
    review = Review(game="qwinto-dice", names=["Ada", "Ben"])
    first, second = review.add("qwinto", ""), review.add("qwinto", "")
    write(first, orange_1=5)
    assert not any(standing.is_winner for standing in review.standings()), "one sheet is blank"
    write(second, failed_1=True)
    assert [standing.is_winner for standing in review.standings()] == [True, False]
    first.unsure = ["orange.1"]
    assert not any(standing.is_winner for standing in review.standings())
    write(first, orange_1=5)
    assert [standing.is_winner for standing in review.standings()] == [True, False]


def test_problems_and_doubts_are_counted_by_player() -> None:
    review = tallies((["Ada", "Ben"], [[5, 200], [6, 300]]))
    review.sheets[0].unsure = ["round.1.player.1", "round.1.player.2", "round.2.player.2"]
    ada, ben = review.players()
    assert (ada.unsure, ada.problems) == (1, 0)
    assert (ben.unsure, ben.problems) == (2, 2)


# Shared sheets


def test_a_shared_sheet_is_of_all_its_players() -> None:
    review = tallies((["Ada", "", "Cleo"], [[1, 2, 3], [4, 5, 6]]))
    assert totals(review) == [("Ada", 1, 5), ("", 2, 7), ("Cleo", 3, 9)]


def test_the_next_pad_goes_on_by_names_wherever_they_stand() -> None:
    review = tallies((["Ada", "Ben"], [[1, 2], [3, 4]]), (["ben", "Cleo", "ADA"], [[10, 20, 30]]))
    assert totals(review) == [("Ada", 1, 34), ("Ben", 2, 16), ("Cleo", 2, 20)]
    cleo = review.players()[2].filled
    assert cleo.document["rounds"] == [[None], [None], [20]]


def test_columns_without_a_name_go_on_by_their_place_and_are_nobody_elses() -> None:
    review = tallies((["", "2"], [[1, 2]]), ([], [[10, 20]]))
    assert totals(review) == [("", 1, 11), ("2", 2, 2), ("", 2, 20)]


def test_a_name_twice_on_one_pad_is_two_players() -> None:
    review = tallies((["Ada", "ada"], [[1, 2]]))
    assert totals(review) == [("Ada", 1, 1), ("ada", 2, 2)]


def test_a_name_without_a_number_is_a_player() -> None:
    review = tallies((["Ada", "Ben", "Cleo"], [[1, 2]]))
    assert totals(review) == [("Ada", 1, 1), ("Ben", 2, 2), ("Cleo", 3, 0)]


def test_the_terms_of_a_shared_sheet_have_names() -> None:
    review = tallies((["Ada", "Ada", ""], [[1, 2, 3]]))
    names = [term.name.values["player"] for term in review.sheets[0].terms]
    assert names == ["Ada", "Ada 2", "3"]


# Between sheets


def test_a_value_that_two_claim_is_a_notice_with_its_places() -> None:
    review = Review(names=["Ada"])
    for _ in range(2):
        write(review.add("encore", "black"), column_H_first="circled")
    (notice,) = review.notices()
    assert notice.places == (("1", "column.H.first"), ("2", "column.H.first"))
    assert notice.sentence.values["one"] == "Ada"


@pytest.mark.parametrize("name", [name for name in SHEETS if name != "encore"])
def test_other_sheets_say_nothing_against_each_other(name: str) -> None:
    review = Review()
    assert list(review.notices()) == []
    for _ in range(2):
        review.add(name, SHEETS[name].usual_board)
    assert list(review.notices()) == []


def test_a_sheet_that_was_photographed_twice() -> None:
    review = Review()
    reading = standin.read(standin.picture(standin.CLEAN)).sheets[0]
    first, again = review.add_reading(reading, "a"), review.add_reading(reading, "b")
    assert review.double_of(first) is None
    assert review.double_of(again) is first
    for name in list(again.marks)[:27]:
        again.set(name, 17)
    assert review.double_of(again) is None


# Games


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_is_given_says_which_sheets_count(game: str) -> None:
    review = Review(game=game)
    assert review.sheet_name == GAMES[game].sheet.name
    assert review.played == game
    assert game in SHEET_GAMES[review.sheet_name]


def test_so_many_sheets_and_no_more() -> None:
    review = Review()
    for _ in range(MOST_SHEETS):
        review.add("qwinto", "")
    with pytest.raises(Refused, match="16 sheets"):
        review.add("qwinto", "")
