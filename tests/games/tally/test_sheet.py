"""The tally: what is added up, what is no tally, and where the digits stand on the paper."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.games.freaky import GAME
from companion.games.scoring import filled_sheet
from companion.games.tally.layout import DIGIT_GAP, SHEET
from companion.games.tally.sheet import Tally
from lab.play import said
from lab.sheets import as_text, layout, scored

ADA_BEN: dict[str, Any] = {
    "sheet": "tally",
    "players": ["Ada", "Ben"],
    "rounds": [[12, 30], [7, 0]],
}


def tally(*rounds: list[int | None]) -> dict[str, Any]:
    return {**ADA_BEN, "rounds": list(rounds)}


@pytest.mark.parametrize(
    ("rounds", "totals"),
    [
        ([[12, 30], [7, 0]], {"Ada": 19, "Ben": 30}),
        ([], {"Ada": 0, "Ben": 0}),
        # A place where nothing is written yet.
        ([[12, None], [None, None]], {"Ada": 12, "Ben": 0}),
    ],
)
def test_what_a_tally_scores(rounds: list[list[int | None]], totals: dict[str, int]) -> None:
    """The same sheet in plain characters."""
    assert scored(tally(*rounds)) == {
        "format": "companion-score/1",
        "problems": [],
        "score": {"totals": totals, "total": sum(totals.values())},
    }
    lines = [["." if number is None else str(number) for number in line] for line in rounds]
    assert [line.split() for line in as_text(tally(*rounds)).splitlines()] == lines


def test_numbers_of_up_to_five_digits() -> None:
    result = scored(tally([-99_999, 99_999], [100_000, -100_000]))
    assert [(problem["code"], problem["fields"]) for problem in result["problems"]] == [
        ("number-out-of-range", ["round.2.player.1"]),
        ("number-out-of-range", ["round.2.player.2"]),
    ]
    said_of = "A round scores from -99999 to 99999 points, not 100000."
    assert result["problems"][0]["message"] == said_of
    assert result["score"]["totals"] == {"Ada": 1, "Ben": -1}, "as written"


def test_freaky_has_from_0_to_108_cards_on_it() -> None:
    problems = GAME.problems(filled_sheet(tally([0, 108], [109, -1])))
    assert [problem.fields for problem in problems] == [
        ("round.2.player.1",),
        ("round.2.player.2",),
    ]
    assert problems[0].message == "A player has from 0 to 108 cards, not 109."


@pytest.mark.parametrize(
    "broken",
    [
        {"players": []},
        {"players": ["Ada", "  "]},
        {"players": ["Ada", "Ada "]},
        {"players": ["Ada"]},
        {"rounds": [[12]]},
    ],
)
def test_documents_other_than_tallies_are_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        scored({**ADA_BEN, **broken})


def test_names_are_compared_as_everywhere() -> None:
    document = {**ADA_BEN, "players": [" Zoe\u0308", "Ben"]}
    assert scored(document)["score"]["totals"] == {"Zoë": 19, "Ben": 30}


def test_the_terms_are_the_players() -> None:
    terms = filled_sheet(tally([12, 30], [7, None])).terms
    assert [(term.points, term.fields) for term in terms] == [
        (19, ("round.1.player.1", "round.2.player.1")),
        (30, ("round.1.player.2",)),
    ]


def test_the_geometry() -> None:
    paper = layout({**ADA_BEN, "rounds": [[None] * 2] * 10})
    assert paper is layout({**ADA_BEN, "rounds": [[3, 4]] * 10}), "the numbers change nothing"
    assert [field.id for field in paper.fields][:3] == [
        "round.1.player.1",
        "round.1.player.2",
        "round.2.player.1",
    ]
    assert (len(paper.fields), len(paper.labels)) == (20, 12)
    for field in paper.fields:
        first, *_, last = field.cells
        assert (field.kind, len(field.cells)) == ("digits", len("108"))
        assert (first.x, first.y, first.height) == (field.box.x, field.box.y, field.box.height)
        assert last.x + last.width == pytest.approx(field.box.x + field.box.width)
        for left, right in pairwise(field.cells):
            assert right.x == pytest.approx(left.x + left.width + DIGIT_GAP)


# Shared by its players

SHARING = SHEET.sharing


def shared(*rounds: list[int | None], players: tuple[str, ...] = ("Ada", "Ben")) -> Tally:
    return Tally(players, tuple(map(tuple, rounds)))


def test_split_and_followed_make_round_trips() -> None:
    first, second = shared([12, 30], [7, None]), shared([None, 4])
    assert SHARING is not None
    whole = SHARING.followed(first, second)
    assert whole == shared([12, 30], [7, None], [None, 4])
    assert SHARING.columns(whole) == ((12, 7, None), (30, None, 4))
    assert SHARING.place("round.12.player.3") == 2
    assert said(SHARING.line("round.12.player.3")) == "Round 12"
    parts = SHARING.split(whole)
    assert [name for name, _ in parts] == ["Ada", "Ben"]
    assert [SHARING.columns(part) for _, part in parts] == [((12, 7, None),), ((30, None, 4),)]


def test_columns_of_the_next_pad_are_matched_by_name() -> None:
    later = shared([1, 2], [3, 4], players=("Ben", "Cleo"))
    whole = shared([12, 30]).followed(later)
    assert whole == shared(
        [12, 30, None], [None, 1, 2], [None, 3, 4], players=("Ada", "Ben", "Cleo")
    )


def test_names_are_given_from_the_left() -> None:
    numbered = shared([4, 7], players=("1", "2"))
    assert numbered.named(["Ada"]).players == ("Ada", "2")
    all_named = numbered.named(["Ada", "Ben", "Cleo"])
    assert all_named == shared([4, 7, None], players=("Ada", "Ben", "Cleo"))
