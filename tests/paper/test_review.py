"""A review as data: whose sheets they are, their totals, and their contradictions."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import pytest

from companion.core.sheet import EMPTY, Kind, Mark
from companion.games.catalog import GAMES, SHEETS
from companion.games.editions import paper_of
from companion.paper.form_marks import is_empty, is_same, mark_text, parse_mark, possible_marks
from companion.paper.paper_game import PaperGame
from companion.paper.review import MOST_SHEETS, Photo, Review
from companion.paper.review_sheet import ReviewSheet
from companion.tables import Refused
from lab.photos import standin


def write(sheet: ReviewSheet, **marks: Mark) -> ReviewSheet:
    """Marks by field name, with `_` for a dot."""
    for name, mark in marks.items():
        sheet.set(name.replace("_", "."), mark)
    return sheet


def named(review: Review, sheet: str, board: str = "") -> ReviewSheet:
    """Adds a sheet of the next known player."""
    added = review.add(sheet, board)
    place = len(review.sheets) - 1
    if place < len(review.names):
        added.set_name(0, review.names[place])
    return added


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


def only(review: Review) -> PaperGame:
    """The only game in a review."""
    (game,) = review.games
    return game


def totals(review: Review) -> list[tuple[str, int, int]]:
    return [
        (player.name, player.pads[0][1] + 1, player.filled.result.total)
        for player in only(review).players()
    ]


# Printed names


def printed(*names: str) -> Review:
    """A review of sheets with these names printed on them."""
    review = Review()
    for name in names:
        review.add("qwinto", "").printed = {"0": name}
    return review


def test_a_review_of_an_earlier_version_opens() -> None:
    before = Review(photos=[Photo("a", 1)])
    sheet = write(before.add("qwinto", "", photo="a"), orange_1=5)
    body = before.dump() | {"links": ["x"], "absent": {"qwinto": ["y"]}}
    body["photos"][0]["description"] = {}
    (after,) = Review.load(json.loads(json.dumps(body))).sheets
    assert (after.marks, after.photo) == (sheet.marks, "a")


def test_a_printed_name_is_taken_unless_two_sheets_have_it() -> None:
    review = printed("Ada", "Ben", "Ada")
    review.take_printed()
    assert [sheet.player() for sheet in review.sheets] == ["", "Ben", ""]
    review.remove("3")
    assert [sheet.player() for sheet in review.sheets] == ["Ada", "Ben"]
    review = printed("Ada", "Ben")
    review.name_sheet("2", 0, "Ada")
    review.leave_nameless("1", 0)
    review.take_printed()
    assert [sheet.player() for sheet in review.sheets] == ["", "Ada"], "somebody has said so"
    pad = (review := Review()).add("tally", "", has_picture=True)
    pad.printed = {"0": "Ada", "1": "Ben"}
    review.take_printed()
    assert pad.players == ["Ada", "Ben"]


def test_a_cut_off_name_in_a_code_is_the_only_known_one_with_that_start() -> None:
    review = printed()
    review.names = ["Anastasia Maria", "Anna", "Annabel"]
    assert [review._full_name(name) for name in ("Anastasia…", "Ann…", "Anna", "Ben…")] == [
        "Anastasia Maria",
        "Ann…",
        "Anna",
        "Ben…",
    ]


def test_a_printed_code_gives_no_impossible_name() -> None:
    reading = standin.read(standin.picture(standin.TALLY)).sheets[0]
    review = Review()
    review.add_reading(replace(reading, names={0: "Ada\u202e", 1: "B" * 25, 2: " Cleo"}), "a")
    assert review.sheets[0].printed == {"2": "Cleo"}


@pytest.mark.every_game
def test_computed_values_are_not_stored() -> None:
    for name, kind in SHEETS.items():
        review = Review(names=["Ada", "Ben"])
        review.add_empty(name, kind.usual_board)
        before = review.dump()
        assert only(review).standings()
        assert review.dump() == before
        assert Review.load(json.loads(json.dumps(before))) == review


# One sheet of each player


def test_a_tie_goes_to_more_unused_jokers() -> None:
    """A star is two points and a joker one, so a star and two jokers are a tie."""
    review = Review(names=["Ada", "Ben", "Cleo"])
    write(named(review, "encore", "black"), A1=True)
    write(named(review, "encore", "black"), A3=True, joker_1=True, joker_2=True)
    write(named(review, "encore", "black"), A1=True, joker_1=True)
    standings = only(review).standings()
    assert [one.player.filled.result.tie for one in standings] == [8, 6, 7]
    assert winners(review) == [True, False, False]
    assert [one.breaks_tie for one in standings] == [True, True, False]


def winners(review: Review) -> list[bool]:
    return [standing.is_winner for standing in only(review).standings()]


def test_nobody_wins_while_something_is_to_be_looked_at() -> None:
    review = Review(game="qwinto-dice", names=["Ada", "Ben"])
    first, second = named(review, "qwinto"), named(review, "qwinto")
    write(first, orange_1=5)
    assert not any(winners(review)), "one sheet is blank"
    write(second, failed_1=True)
    assert winners(review) == [True, False]
    first.unsure = ["orange.1"]
    assert not any(winners(review))
    write(first, orange_1=5)
    second.set_name(0, "")
    assert not any(winners(review)), "nobody has said whose the second sheet is"
    review.leave_nameless(second.id, 0)
    assert winners(review) == [True, False]
    second.unsure_edition = True
    again = Review.load(review.dump())
    assert not any(winners(again))
    again.sheets[1].confirm_edition()
    assert winners(again) == [True, False]


def test_problems_and_doubts_are_counted_by_player() -> None:
    review = tallies((["Ada", "Ben"], [[5, 200], [6, 300]]))
    review.sheets[0].unsure = ["round.1.player.1", "round.1.player.2", "round.2.player.2"]
    game = only(review)
    ada, ben = game.players()
    assert (ada.unsure, game.problems(ada)) == (1, 0)
    assert (ben.unsure, game.problems(ben)) == (2, 2)


# Shared sheets


def test_a_shared_sheet_is_of_all_its_players() -> None:
    pad = tallies((["Ada", "", "Cleo"], [[1, 2, 3], [4, 5, 6]]))
    assert totals(pad) == [("Ada", 1, 5), ("", 2, 7), ("Cleo", 3, 9)]
    # The next pad continues by place; a column without a name belongs to the same player.
    pads = tallies((["", "2"], [[1, 2]]), ([], [[10, 20]]))
    assert totals(pads) == [("", 1, 11), ("2", 2, 2), ("", 2, 20)]
    # A name twice on one pad is two players; one without a number is a player, too.
    assert totals(tallies((["Ada", "ada"], [[1, 2]]))) == [("Ada", 1, 1), ("ada", 2, 2)]
    assert totals(tallies((["Ada", "Ben"], [[1]]))) == [("Ada", 1, 1), ("Ben", 2, 0)]


def test_the_next_pad_continues_by_names_in_any_place() -> None:
    review = tallies((["Ada", "Ben"], [[1, 2], [3, 4]]), (["ben", "Cleo", "ADA"], [[10, 20, 30]]))
    assert totals(review) == [("Ada", 1, 34), ("Ben", 2, 16), ("Cleo", 2, 20)]
    cleo = only(review).players()[2].filled
    assert cleo.document["rounds"] == [[None], [None], [20]]
    assert [term.name.values["player"] for term in review.sheets[1].terms] == ["ben", "Cleo", "ADA"]
    (pad,) = tallies((["Ada", "Ada", ""], [[1, 2, 3]])).sheets
    assert [term.name.values["player"] for term in pad.terms] == ["Ada", "Ada 2", "3"]


# Between sheets


def test_a_value_claimed_twice_is_reported_with_its_fields() -> None:
    review = Review(names=["Ada"])
    for _ in range(2):
        write(named(review, "encore", "black"), column_H_first="circled")
    ((sentence, places),) = only(review).notices()
    assert places == [("1", "column.H.first"), ("2", "column.H.first")]
    assert sentence.values["one"] == "Ada"


# Doubts


def doubted(**read: tuple[int, float, int]) -> ReviewSheet:
    """A sheet with unsure fields: (the number that was read, confidence, another number)."""
    sheet = Review().add("qwinto", "")
    for field, (value, confidence, other) in read.items():
        name = field.replace("_", ".")
        sheet.marks[name] = value
        sheet.unsure.append(name)
        sheet.read[name] = [value, confidence, [[other, 1 - confidence], [None, 0.01]]]
    return sheet


def test_a_number_that_cannot_stand_beside_sure_ones_is_not_offered() -> None:
    sheet = write(doubted(yellow_3=(10, 0.6, 16)), yellow_2=7, yellow_4=12)
    assert sheet.likeliest("yellow.3") == [10, None]
    sheet.unsure.append("yellow.4")
    assert sheet.likeliest("yellow.3") == [10, 16, None], "the 12 may be wrong"
    sheet = write(doubted(yellow_3=(16, 0.6, 10)), yellow_2=7, yellow_4=12)
    assert sheet.likeliest("yellow.3") == [16, 10, None], "it was read, and people break rules"


def test_a_doubted_digit_that_was_confirmed_counts_for_those_that_look_like_it() -> None:
    doubts = {
        "orange_1": (1, 0.7, 7),
        "orange_3": (11, 0.8, 17),
        "orange_4": (12, 0.8, 10),
        "purple_1": (1, 0.6, 7),
        "purple_4": (7, 0.8, 1),
        "yellow_2": (1, 0.8, 11),
    }
    sheet = doubted(**doubts)
    sheet.set("orange.1", 1)
    assert sheet.unsure == ["orange.4", "purple.1", "purple.4", "yellow.2"]
    sheet = doubted(**doubts)
    sheet.set("orange.1", 7)
    assert len(sheet.unsure) == len(doubts) - 1, "another hand, or another seven"
    sheet = write(doubted(**doubts), orange_2=11)
    sheet.set("orange.1", 1)
    assert "orange.3" in sheet.unsure, "it breaks a rule"


@pytest.mark.every_game
def test_a_game_that_is_given_says_which_sheets_count() -> None:
    for game in GAMES:
        part = only(Review(game=game))
        assert (part.sheet_name, part.played) == (GAMES[game].sheet.name, game)


def test_the_number_of_sheets_is_limited() -> None:
    review = Review()
    for _ in range(MOST_SHEETS):
        review.add("qwinto", "")
    with pytest.raises(Refused, match="24 sheets"):
        review.add("qwinto", "")


def test_a_publishers_sheet_has_its_fields_where_its_edition_has_them() -> None:
    review = Review()
    photo = standin.picture(standin.PUBLISHERS)
    for reading in standin.read(photo, pictures=True).sheets:
        sheet = review.add_reading(reading, "p1")
        assert sheet.paper is paper_of(sheet.kind, sheet.board, sheet.edition)
        assert sheet.fields == {field.id: field for field in sheet.paper.fields}
        assert sheet.layout is sheet.kind.paper(sheet.board).layout
        review.name_sheet(sheet.id, 0, f"Ada {sheet.id}")
    stored = Review.load(json.loads(json.dumps(review.dump())))
    assert [sheet.edition for sheet in stored.sheets] == ["schmidt", "nsv", "english"]
    assert [sheet.player() for sheet in stored.sheets] == ["Ada 1", "Ada 2", "Ada 3"]


# Sums on the paper


def sums(review: Review, sheet: ReviewSheet) -> dict[str, tuple[int, int, bool]]:
    return {
        found.blank: (found.written, found.counted, found.is_right)
        for found in only(review).sums_of(sheet)
    }


def test_sums_follow_every_correction() -> None:
    review = Review()
    sheet = review.add("qwinto", "")
    sheet.written = {"sum.orange": [1, 0.99], "sum.failed": [5, 0.95], "sum.total": [3, 0.99]}
    write(sheet, orange_1=5, failed_1=True)
    assert sums(review, sheet) == {
        "sum.orange": (1, 1, True),
        "sum.failed": (5, 5, True),
        "sum.total": (-3, -4, False),
    }
    write(sheet, failed_1=False, orange_3=7, orange_4=8)
    assert sums(review, sheet)["sum.total"] == (3, 3, True)
    sheet.forget_sum("sum.total")
    sheet.forget_sum("sum.total")
    assert sums(review, sheet) == {"sum.orange": (1, 3, False), "sum.failed": (5, 0, False)}


def test_what_a_sum_says() -> None:
    """A negative total is right without its sign; what is unsure or unknown says nothing."""
    review = Review()
    sheet = write(review.add("qwinto", ""), failed_1=True)
    for written in (5, -5):
        sheet.written = {"sum.total": [written, 0.99]}
        assert sums(review, sheet) == {"sum.total": (-5, -5, True)}
    for silent in ([5, 0.5], [None, 0.99], [True, 0.99]):
        sheet.written = {"sum.total": silent, "sum.of-another-version": [5, 0.99]}
        assert sums(review, sheet) == {}


def test_a_continued_tally_has_no_sums_of_its_own() -> None:
    """The second pad's totals may go on from the first one's."""
    review = tallies((["Ada"], [[5]]), (["Ada"], [[6]]))
    for sheet in review.sheets:
        sheet.written = {"sum.player.1": [11, 0.99]}
        assert sums(review, sheet) == {}
    review.remove("1")
    assert sums(review, review.sheets[0]) == {"sum.player.1": (11, 6, False)}


def test_a_field_is_hidden_while_it_is_unsure_and_read_as_empty() -> None:
    sheet = Review().add("qwinto", "")
    sheet.read = {
        "orange.1": [None, 0.5, []],
        "orange.2": [None, 0.8, [[4, 0.2]]],
        "orange.3": [5, 0.5, []],
    }
    sheet.unsure = list(sheet.read)
    hidden = [name for name in sheet.fields if sheet.is_hidden(name)]
    assert hidden == ["orange.1"]
    write(sheet, orange_1=None)
    assert not sheet.is_hidden("orange.1")


# Whose sheets they are


def test_known_names_are_not_put_on_sheets() -> None:
    review = Review(game="qwinto-dice", names=["Ada", "Ben"])
    for _ in range(2):
        review.add("qwinto", "", photo="a")
    assert [sheet.players for sheet in review.sheets] == [[], []]
    assert only(review).undecided() == [(sheet, 0) for sheet in review.sheets]
    review.name_sheet("1", 0, "Ben")
    review.leave_nameless("2", 0)
    assert only(review).undecided() == []
    assert [player.is_nameless for player in only(review).players()] == [False, True]
    review.name_sheet("2", 0, "ben")
    assert [sheet.player() for sheet in review.sheets] == ["", "ben"], "one person, one sheet"
    assert only(review).undecided() == [(review.sheets[0], 0)]


def test_the_players_of_a_pad_continue_on_the_next() -> None:
    review = tallies((["Ada", "", "Cleo"], [[1, 2, 3]]), ([], [[4, 5]]))
    first, second = review.sheets
    assert only(review).undecided() == [(first, 1), (second, 0), (second, 1)]
    review.name_sheet("2", 0, "Ada")
    for sheet in review.sheets:
        review.leave_nameless(sheet.id, 1)
    assert only(review).undecided() == []
    assert totals(review) == [("Ada", 1, 5), ("", 2, 7), ("Cleo", 3, 3)]


def test_a_shared_sheet_that_is_typed_in_has_a_column_for_each_player() -> None:
    review = Review(game="freaky", names=["Ada", "Ben", "Cleo"])
    review.add_empty("tally", "")
    (sheet,) = review.sheets
    assert {sheet.place_of(name) for name in sheet.fields} == {0, 1, 2}
    headings = [label.text.values["player"] for label in sheet.layout.labels[:3] if label.text]
    assert headings == ["Ada", "Ben", "Cleo"]
    assert Review().add("tally", "").places == 2


def numbers(review: Review) -> dict[str, int]:
    return {sheet.id: sheet.number for sheet in review.sheets}


def test_sheets_keep_their_numbers_when_others_go() -> None:
    """Sheets are in the order of their photos, whichever is read first."""
    review = Review(photos=[Photo("a", 0), Photo("b", 0)])
    for photo in ("", "b", "a", "a"):
        review.add("qwinto", "", photo=photo)
    assert numbers(review) == {"3": 1, "4": 2, "2": 3, "1": 4}
    review.remove("3")
    review.remove("4")
    for photo in ("a", "b"):
        review.add("qwinto", "", photo=photo)
    assert numbers(review) == {"5": 1, "2": 3, "6": 4, "1": 5}


# Several games


def test_sheets_of_another_kind_or_board_belong_to_another_game() -> None:
    review = Review(game="encore", is_given=True)
    for sheet, board in (("encore", "black"), ("qwinto", ""), ("encore", "blue"), ("qwinto", "")):
        review.add(sheet, board)
    assert [(part.key, len(part.sheets), part.played) for part in review.games] == [
        ("encore-black", 1, "encore"),
        ("qwinto", 2, ""),
        ("encore-blue", 1, "encore"),
    ]
    review.move("3", "encore-black")
    assert [len(part.sheets) for part in review.games] == [2, 2]
    review.name_sheet("2", 0, "Ada")
    review.name_sheet("4", 0, "Ben")
    review.move("4", "")
    assert [part.key for part in review.games] == ["encore-black", "qwinto", "qwinto-2"]
    review.name_sheet("4", 0, "Ada")
    assert review.sheet("2").player() == "Ada", "she played both games"
    review.move("4", "qwinto")
    assert [sheet.player() for sheet in review.game_with("qwinto").sheets] == ["Ada", ""]
    assert json.loads(json.dumps(review.dump())) == review.dump()


def test_one_of_two_equal_sheets_is_kept() -> None:
    """A third one, which differs in some fields, is no double."""
    review = Review(photos=[Photo("a", 0), Photo("b", 0)])
    reading = standin.read(standin.picture(standin.CLEAN)).sheets[0]
    first, again, third = (review.add_reading(reading, photo) for photo in "abb")
    for name in list(third.marks)[:27]:
        third.set(name, 17)
    again.set_name(0, "Ada")
    assert only(review).doubles() == [[first, again]]
    first.unsure = ["orange.1"]
    assert only(review).doubles() == [[again, first]], "the surer one is kept"
    again.set("orange.1", None)
    assert only(review).doubles() == [[first, again]], "the one with more on it is kept"
    again.is_distinct = True
    assert only(review).doubles() == []
    again.written = {"sum.total": [46, 0.9]}
    review.keep_one(first.id, again.id)
    assert first.written["sum.total"] == [46, 0.9], "the sum on the other one is not lost"
    assert [(sheet.id, sheet.player()) for sheet in review.sheets] == [("1", "Ada"), ("3", "")]


# Marks as forms say them

FIELDS = {
    field.kind: field
    for sheet in SHEETS.values()
    for field in sheet.paper(sheet.usual_board).fields
}
"""A field of each kind."""


def test_every_choice_survives_a_round_trip() -> None:
    for kind, empty in EMPTY.items():
        for mark in (*possible_marks(FIELDS[kind]), empty):
            assert is_same(parse_mark(FIELDS[kind], mark_text(mark)), mark)
    assert possible_marks(FIELDS["number"]) == (*range(1, 19), None)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *product(["number"], ["100", "-1", "٣", "true"]),
        ("digits", "100000"),
        *product(["cross"], ["1", ""]),
        ("value", "written"),
    ],
)
def test_numbers_that_no_field_can_hold_are_refused(kind: Kind, text: str) -> None:
    with pytest.raises(Refused):
        parse_mark(FIELDS[kind], text)


def test_empty_marks() -> None:
    assert all(map(is_empty, (None, False, "open")))
    assert not any(map(is_empty, (0, True, "crossed")))
    assert not is_same(True, 1), "a cross is not a one"
