"""The Qwinto card game: the rule text's examples, and what a page needs to know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto_cards import GAME
from companion.games.qwinto_cards.rules import DECK, QwintoCards
from lab.oracles.qwinto_cards import DECK as ALL_CARDS
from lab.play import NEXT, after, code, passes, said

Action = dict[str, Any]

GRID = {"tl": "g3", "tr": "y3", "bl": "g-2", "br": "p5"}
EMPTY = qwinto.QwintoSheet()


def game(*players: str) -> QwintoCards:
    """A game before its deal."""
    position = GAME.start(players, {})
    assert isinstance(position, QwintoCards)
    return position


def deal(**grid: str) -> Action:
    return {"do": "deal", "grid": {**GRID, **grid}}


def lay(by: str, *cards: str) -> Action:
    """`lay("Tim", "o4 br")`."""
    return {"do": "lay", "by": by, "cards": [card.split() for card in cards]}


def write(by: str, row: str, field: int) -> Action:
    return {"do": "write", "by": by, "row": row, "field": field}


# The rule text's examples


def test_the_deck_has_32_cards() -> None:
    """“32 cards (0-6 and -2, each in the colors orange, yellow, purple and gray)”"""
    assert list(DECK) == ALL_CARDS
    assert len(DECK) == 32


def test_tim_lays_the_orange_4() -> None:
    """“Tim lays down the orange 4 on the bottom right purple 5. The orange 4 and both neighboring
    cards are added up (4+3+3=10). The three cards consist of orange and yellow (gray is not
    considered). Tim says: 'A 10 in orange or yellow.'”
    """
    position = after(game("Tim", "Sarah"), deal(tl="o1", bl="g3"), lay("Tim", "o4 br"))
    assert (position.called, position.called_colors) == (10, ("orange", "yellow"))
    assert code(position, write("Sarah", "purple", 5)) == "row-not-called"
    assert code(position, write("Sarah", "yellow", 5)) is None


def test_sarah_lays_two_cards() -> None:
    """“She first lays down the purple 1 on the bottom left of the grid. Then she lays the orange 1
    on the orange 2. The orange 1 and both neighboring cards are added up (1+1+3=5). [...] Sarah
    says: 'A 5 in orange, yellow or purple.'”
    """
    position = after(game("Sarah", "Tim"), deal(tl="o2"), lay("Sarah", "p1 bl", "o1 tl"))
    assert (position.called, position.called_colors) == (5, ("orange", "yellow", "purple"))
    assert position.grid == ("o1", "y3", "p1", "p5")
    assert position.covered == {"o2", "g-2"}


@pytest.mark.parametrize(
    ("grid", "card"),
    [({"tl": "g0", "br": "g1"}, "g6 bl"), ({"tl": "y0", "br": "p-2"}, "o0 bl")],
)
def test_nobody_can_record_anything(grid: dict[str, str], card: str) -> None:
    """“If you lay a gray card and the neighboring cards are also gray, then no one can record
    anything in this round and you have to record a failed attempt. The same applies if the sum is 0
    or a negative number.”
    """
    position = after(game("Tim", "Sarah"), deal(**grid), lay("Tim", card))
    for row in qwinto.COLORS:
        assert code(position, write("Sarah", row, 1)) == "nothing-to-write"
    assert code(position, NEXT) == "active-must-act"
    closed = after(position, passes("Tim"), NEXT)
    assert [closed.sheet(player)["failed"] for player in ("Tim", "Sarah")] == [1, 0]


# What a page needs to know


def test_the_fingerprint_is_what_all_players_share() -> None:
    dealt = after(game("Tim", "Sarah"), deal())
    lays = (["y5 br"], ["y5 bl"], ["y1 bl", "o1 br"], ["o1 br", "y1 bl"])
    laid = [after(dealt, lay("Tim", *cards)) for cards in lays]
    assert laid[2].grid == laid[3].grid, "the last card makes the call"
    assert len({position.fingerprint for position in (dealt, *laid)}) == 5


def test_cards_for_the_picker() -> None:
    position = after(game("Tim", "Sarah"), deal())
    assert len(position.available) == 28
    assert position.second_cards("o1") == ("y1", "p1", "g1")
    assert position.second_cards("o3") == ("p3",), "y3 and g3 lie in the grid"
    refused = position.hand_refusal("y3")
    assert (
        said(refused)
        == "The yellow 3 lies face up in the middle of the table, so nobody can hold it."
    )
    ended = replace(after(game("Ann"), deal()), draw_pile=0, covered=frozenset({"o4"}))
    assert "only once" in said(ended.hand_refusal("o4")), "a solo game's deck"
