"""Kniffel and its variants by examples from the facts: what fields are worth, jokers, the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from companion.core.position import Turn
from companion.core.refusal import Unusable
from companion.core.signs import brought
from companion.games.kniffel import GAME
from companion.games.kniffel.sheet import KniffelSheet, worth
from companion.games.kniffel.variants import variant_of
from companion.games.record import checked_options
from companion.games.scoring import filled_sheet
from companion.web.table.sheet_drawing import won_fields
from lab.oracles.kniffel import (
    CAN_BE,
    EVERY_ROLL,
    GAMES,
    PRINTED,
    Referee,
    document_of,
    plain_points,
    printed,
)
from lab.play import after, by_rules, code, counts
from tests.games.kniffel.oracle import table

ANNA, BEN = "Anna", "Ben"


def roll(*dice: int, by: str = ANNA) -> dict[str, Any]:
    return {"do": "roll", "by": by, "dice": list(dice)}


def write(field: str, by: str = ANNA, **typed: Any) -> dict[str, Any]:
    return {"do": "write", "by": by, "field": field, **typed}


@pytest.mark.parametrize(
    ("dice", "field", "points"),
    [
        ((1, 1, 4, 5, 1), "ones", 3),
        ((2, 3, 4, 5, 6), "ones", 0),
        ((6, 6, 6, 2, 1), "sixes", 18),
        ((3, 3, 3, 2, 6), "three-of-a-kind", 17),
        ((3, 3, 2, 2, 6), "three-of-a-kind", 0),
        ((5, 5, 5, 5, 1), "four-of-a-kind", 21),
        ((5, 5, 5, 2, 2), "full-house", 25),
        ((5, 5, 5, 5, 5), "full-house", 0),
        ((1, 3, 4, 5, 6), "small-straight", 30),
        ((1, 2, 3, 4, 4), "small-straight", 30),
        ((1, 2, 3, 5, 6), "small-straight", 0),
        ((2, 3, 4, 5, 6), "large-straight", 40),
        ((1, 2, 3, 4, 6), "large-straight", 0),
        ((4, 4, 4, 4, 4), "kniffel", 50),
        ((1, 2, 3, 5, 6), "chance", 17),
    ],
)
def test_dice_are_worth_what_the_table_says(dice: tuple[int, ...], field: str, points: int) -> None:
    assert worth(KniffelSheet(), field, dice) == points


@pytest.mark.parametrize(
    ("dice", "field", "points"),
    [
        ((6, 6, 6, 2, 1), "sixes", 18),
        ((3, 3, 3, 4, 4), "one-pair", 8),
        ((5, 5, 5, 5, 1), "one-pair", 10),
        ((1, 2, 3, 4, 6), "one-pair", 0),
        ((1, 1, 2, 3, 3), "two-pairs", 8),
        ((2, 2, 2, 3, 3), "two-pairs", 10),
        ((3, 3, 3, 3, 1), "two-pairs", 0),
        ((3, 3, 3, 4, 5), "three-of-a-kind", 9),
        ((2, 2, 2, 2, 2), "four-of-a-kind", 8),
        ((1, 2, 3, 4, 5), "small-straight", 15),
        ((1, 2, 3, 4, 4), "small-straight", 0),
        ((2, 3, 4, 5, 6), "small-straight", 0),
        ((2, 3, 4, 5, 6), "large-straight", 20),
        ((1, 2, 3, 4, 5), "large-straight", 0),
        ((1, 1, 2, 2, 2), "full-house", 8),
        ((2, 2, 2, 2, 2), "full-house", 0),
        ((4, 4, 4, 4, 4), "kniffel", 50),
        ((1, 2, 3, 5, 6), "chance", 17),
    ],
)
def test_dice_of_yatzy_are_worth_what_the_table_says(
    dice: tuple[int, ...], field: str, points: int
) -> None:
    assert worth(KniffelSheet(variant_of({"variant": "yatzy"})), field, dice) == points


@pytest.mark.parametrize("game", GAMES)
def test_every_roll_is_worth_what_the_referee_counts(game: str) -> None:
    sheet = KniffelSheet(variant_of(GAMES[game]))
    assert sheet.variant.fields == tuple(printed(game))
    for dice in EVERY_ROLL[::7]:
        for field in printed(game):
            assert worth(sheet, field, dice) == plain_points(field, list(dice), game)


@pytest.mark.parametrize(("game", "bonus"), [("kniffel", 35), ("yahtzee", 35), ("yatzy", 50)])
def test_the_bonus_comes_with_63_points_above(game: str, bonus: int) -> None:
    upper = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
    for sixes, added in ((12, 0), (18, bonus)):
        sheet = {"sheet": "kniffel", **GAMES[game], **upper, "sixes": sixes}
        assert filled_sheet(sheet).score["bonus"] == added


SAID: dict[str, tuple[dict[str, str], dict[str, str] | None]] = {
    "nothing": ({}, {"jokers": "none"}),
    "an old record with jokers": ({"jokers": "forced"}, {"jokers": "forced"}),
    "the usual one by its name": ({"variant": "kniffel"}, {"jokers": "none"}),
    "a variant alone": ({"variant": "yahtzee"}, GAMES["yahtzee"]),
    "a variant with its jokers": ({"variant": "yatzy", "jokers": "none"}, GAMES["yatzy"]),
    "jokers where there are none": ({"variant": "yatzy", "jokers": "forced"}, None),
    "no jokers where there are some": ({"variant": "yahtzee", "jokers": "none"}, None),
    "forced ones where they are free": ({"variant": "yahtzee-free", "jokers": "forced"}, None),
    "an unknown one": ({"variant": "maxi"}, None),
}


@pytest.mark.parametrize("case", SAID)
def test_a_record_names_one_variant_or_is_refused(case: str) -> None:
    said, kept = SAID[case]
    if kept is None:
        with pytest.raises(Unusable):
            checked_options(GAME, said)
        with pytest.raises(Unusable):
            filled_sheet({"sheet": "kniffel", **said})
        return
    options = checked_options(GAME, said)
    assert options == checked_options(GAME, options) == kept
    document = GAME.start((ANNA,), options).sheet(ANNA)
    assert {word: document[word] for word in options} == kept
    assert filled_sheet(document).document == document


def test_the_write_closes_the_turn_and_the_last_roll_counts() -> None:
    position = after(table(ANNA, BEN), roll(1, 1, 1, 2, 3), roll(1, 1, 1, 1, 3), write("ones"))
    assert position.sheet_of(ANNA).at("ones") == 4
    assert (position.turn, position.active, position.dice) == (2, BEN, ())


REFUSED: dict[str, tuple[tuple[dict[str, Any], ...], dict[str, Any], str]] = {
    "another player's turn": ((), roll(1, 2, 3, 4, 5, by=BEN), "not-your-turn"),
    "a fourth roll": ((roll(1, 2, 3, 4, 5),) * 3, roll(1, 2, 3, 4, 5), "no-rolls-left"),
    "four dice": ((), roll(1, 2, 3, 4), "bad-dice"),
    "a seven": ((), roll(1, 2, 3, 4, 7), "bad-dice"),
    "writing before a roll": ((), write("ones"), "wrong-moment"),
    "passing": ((roll(1, 2, 3, 4, 5),), {"do": "pass", "by": ANNA}, "bad-action"),
    "closing the turn": ((roll(1, 2, 3, 4, 5),), {"do": "next"}, "bad-action"),
    "a sum": ((roll(1, 2, 3, 4, 5),), write("sum.upper"), "no-such-field"),
    "points that no dice give": ((), write("twos", points=3), "points-impossible"),
    "24 for a full house": ((), write("full-house", points=24), "points-impossible"),
    "a chance of nothing": ((), write("chance", points=0), "points-impossible"),
    "a field twice": (
        (write("ones", points=3), write("ones", by=BEN, points=0)),
        write("ones", points=2),
        "field-taken",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_actions_against_the_rules_are_refused(case: str) -> None:
    before, action, refused = REFUSED[case]
    assert code(after(table(ANNA, BEN), *before), action) == refused


def joker_table(**filled: int) -> Any:
    """Anna alone, with these fields filled by typed points."""
    position = table(ANNA, jokers="forced")
    for field, points in filled.items():
        position = after(position, write(field.replace("_", "-"), points=points))
    return position


FIVES = roll(5, 5, 5, 5, 5)
LOWER = {
    "three_of_a_kind": 5,
    "four_of_a_kind": 5,
    "full_house": 0,
    "small_straight": 0,
    "large_straight": 0,
    "chance": 5,
}


def test_a_joker_goes_to_the_upper_field_of_its_number_first() -> None:
    position = after(joker_table(kniffel=50), FIVES)
    assert code(position, write("full-house")) == "joker-first"
    written = after(position, write("fives"))
    assert written.score(ANNA) == {
        "upper": 25,
        "bonus": 0,
        "lower": 50,
        "extra": 100,
        "total": 175,
    }


@pytest.mark.parametrize(
    ("field", "points"), [("full-house", 25), ("small-straight", 30), ("large-straight", 40)]
)
def test_a_joker_has_full_points_below_where_its_number_is_taken(field: str, points: int) -> None:
    written = after(joker_table(kniffel=50, fives=20), FIVES, write(field))
    assert written.sheet_of(ANNA).at(field) == points
    assert written.score(ANNA)["extra"] == 100


def test_a_joker_is_struck_out_above_only_where_nothing_is_open_below() -> None:
    position = after(joker_table(kniffel=50, fives=20), FIVES)
    assert code(position, write("ones")) == "joker-first"
    full_below = after(joker_table(kniffel=50, fives=20, **LOWER), FIVES, write("ones"))
    assert full_below.sheet_of(ANNA).at("ones") == 0


def test_a_kniffel_that_was_struck_out_brings_a_joker_without_extra_points() -> None:
    written = after(joker_table(kniffel=0, fives=20), FIVES, write("full-house"))
    assert (written.sheet_of(ANNA).at("full-house"), written.score(ANNA)["extra"]) == (25, 0)


def test_a_typed_joker_says_that_it_brings_extra_points() -> None:
    position = joker_table(kniffel=50, fives=20)
    assert code(position, write("three-of-a-kind", points=24, extra=True)) == "points-impossible"
    typed = after(position, write("three-of-a-kind", points=25, extra=True))
    assert typed.score(ANNA)["extra"] == 100
    assert after(position, write("three-of-a-kind", points=25)).score(ANNA)["extra"] == 0


def test_a_free_joker_goes_to_any_line() -> None:
    position = table(ANNA, variant="yahtzee-free")
    position = after(position, write("kniffel", points=50), FIVES)
    for field, points in (("fives", 25), ("ones", 0), ("large-straight", 40), ("chance", 25)):
        written = after(position, write(field))
        assert (written.sheet_of(ANNA).at(field), written.score(ANNA)["extra"]) == (points, 100)


def test_five_of_a_kind_is_not_a_joker_without_the_joker_rule() -> None:
    position = after(table(ANNA), write("kniffel", points=50), FIVES, write("full-house"))
    assert position.score(ANNA)["total"] == 50


OPEN = ("ones", "fives", "full-house", "chance")
ROLLED = [roll(5, 5, 5, 5, 5), *(write(field) for field in PRINTED)]
TYPED = [
    write(field, points=points, extra=extra)
    for field in OPEN
    for points in (0, 5, 25)
    for extra in (False, True)
]
TREES: dict[str, tuple[str, int, list[dict[str, Any]], list[int]]] = {
    # A turn is one to three rolls and a write. The writes of the turns: 4, 3, 2 and 1.
    "five fives are any dice": ("none", 50, ROLLED, [1, 5, 9, 24]),
    # 1 (fives), 2 (full house or chance), 1 (the other), and 1 at last (ones, struck out).
    "five fives are a joker": ("forced", 50, ROLLED, [1, 2, 3, 5]),
    "also where the first was struck out": ("forced", 0, ROLLED, [1, 2, 3, 5]),
    # Ones 0, 5; fives 0, 5, 25; full house 0, 25; chance 5, 25, each with and without the word.
    "points are typed": ("none", 50, TYPED, [18, 240, 2_112]),
    # The same without the word, since no further Kniffel is worth more: 9, 9² − 4 − 9 − 4 − 4, …
    "points are typed without extras": ("forced", 0, TYPED, [9, 60, 264]),
    # The word goes with ones 5, fives 25, full house 25; with chance 5 after the ones, 25 after the
    # fives; with ones 0 and fives 0 after both lower ones. 12; 30 + 36 + 27 + 20; 210 + 228 + 189
    # + 144 by the field that comes first.
    "points are typed with extras": ("forced", 50, TYPED, [12, 113, 771]),
}  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_the_rules_allow_as_many_late_games_as_the_referee(name: str) -> None:
    """Both joker rules, when four fields of a sheet are open."""
    jokers, kniffel, tries, counted = TREES[name]
    filled = {field: min(CAN_BE[field]) for field in PRINTED if field not in OPEN}
    referee = Referee([ANNA], {"none": "kniffel", "forced": "kniffel with jokers"}[jokers])
    referee.papers[ANNA].update({**filled, "kniffel": kniffel})
    referee.writes = len(filled)
    sheet = KniffelSheet.from_document(document_of(referee.papers[ANNA]))
    first = replace(table(ANNA), now=Turn((ANNA,), len(filled) + 1), sheets=(sheet,))
    assert counts(first, by_rules(tries), len(counted)) == counted
    assert counts(referee, by_copies(tries), len(counted)) == counted


def by_copies(tries: list[dict[str, Any]]) -> Callable[[Referee], Iterator[Referee]]:
    def following(referee: Referee) -> Iterator[Referee]:
        for action in tries:
            if not referee.why_not(action):
                after_it = deepcopy(referee)
                after_it.happens(action)
                yield after_it

    return following


def test_the_sheet_shows_how_far_the_bonus_is() -> None:
    sheet = {"sheet": "kniffel", "ones": 3, "sixes": 24, "chance": 30}
    assert won_fields(filled_sheet(sheet)) == {"sum.upper": "27/63", "sum.lower": "30"}
    reached = {**sheet, "fives": 25, "fours": 16}
    assert won_fields(filled_sheet(reached)) == {"sum.upper": "68 + 35", "sum.lower": "30"}


PROBLEMS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "none": ({"ones": 3, "kniffel": 50}, []),
    "points that no dice give": ({"twos": 3, "full-house": 24}, ["number-out-of-range"] * 2),
    "an extra without a Kniffel": ({"jokers": "forced", "extra": 1}, ["extra-without-kniffel"]),
    "an extra where none is played": ({"kniffel": 50, "extra": 1}, ["extra-without-kniffel"]),
    "an extra": ({"jokers": "forced", "kniffel": 50, "extra": 2}, []),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_a_sheet_reports_all_its_problems(case: str) -> None:
    document, codes = PROBLEMS[case]
    sheet = KniffelSheet.from_document({"sheet": "kniffel", **document})
    assert [problem.code for problem in sheet.problems()] == codes


def test_a_struck_out_line_is_shown_as_what_the_turn_brought() -> None:
    struck = {"sheet": "kniffel", "jokers": "none", "sixes": 0}
    signs = brought(filled_sheet({**struck, "sixes": None}), filled_sheet(struck))
    assert [sign.text for sign in signs] == ["0"]
