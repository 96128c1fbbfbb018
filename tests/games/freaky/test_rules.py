"""Freaky: the rule text's examples, and what the picker of a card shows."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from companion.core.refusal import Refusal
from companion.games.freaky import GAME
from companion.games.freaky.cards import CARDS, COLORS, VALUES, Card, Row, card_of
from companion.games.freaky.panel import FreakyPanel
from companion.games.freaky.rules import Freaky
from lab.oracles.freaky import DECK
from lab.play import after, code

Action = dict[str, Any]

DRAW: Action = {"do": "draw", "by": "Ada"}
COMPLETE = "blue/red/1 blue/red/1 blue/red/1 blue/red/1"


def game(*players: str) -> Freaky:
    """A game before the first three rows are laid out."""
    position = GAME.start(players, {})
    assert isinstance(position, Freaky)
    return position


def start(*cards: str) -> Action:
    return {"do": "start", "cards": list(cards)}


def play(card: str, row: int | str, by: str = "Ada") -> Action:
    return {"do": "play", "by": by, "card": card, "row": row}


def take(*rows: int, by: str = "Ada") -> Action:
    return {"do": "take", "by": by, "rows": list(rows)}


def table(*rows: str, played: int = 0, **more: Any) -> Freaky:
    """Ada's and Ben's table with these rows, each a text of cards."""
    cards = [tuple(map(card_of, row.split())) for row in rows]
    made = tuple(Row(number, row) for number, row in enumerate(cards, start=1))  # type: ignore[arg-type]
    return replace(game("Ada", "Ben"), rows=made, rows_made=len(made), played=played, **more)


BEGUN = after(game("Ada", "Ben"), start("red/red/1", "blue/blue/2", "green/green/3"))


# The rule text


def test_each_card_has_three_features() -> None:
    """“Each card has three features: background color, circle color, and value.”"""
    cards = product(COLORS, COLORS, VALUES)
    names = {f"{background}/{circle}/{value}" for background, circle, value in cards}
    assert names == set(DECK) == {str(card_of(name)) for name in DECK}
    assert CARDS == 108 == len(names) / 2


def test_alessandro_can_play_the_4() -> None:
    """“Alessandro can play the 4 from his hand either on the first row (same background color) or
    the second row (same circle color). He can't play it on the third row, because none of its
    features matches that card.”
    """
    position = table("yellow/red/2", "blue/green/6", "red/yellow/1")
    four = Card("yellow", "green", 4)
    assert position.playable_rows(four) == (1, 2)
    codes = [code(position, play("yellow/green/4", row)) for row in (1, 2, 3, "new")]
    assert codes == [None, None, "no-match", "new-row-not-needed"]


def test_ileana_takes_two_rows() -> None:
    """“The 3rd row has four cards with yellow circles and the 4th row has four cards with the value
    6. She takes all cards from both rows.”
    """
    third = "red/yellow/1 blue/yellow/2 green/yellow/3 purple/green/3 blue/yellow/3"
    fourth = "red/red/6 blue/red/6 green/blue/6 orange/purple/6"
    position = table("red/red/1", "blue/blue/2", third, fourth, played=2)
    assert position.complete_rows == (3, 4)
    position = after(position, take(3, 4))
    assert position.sheet("Ada") == {"cards": 9}
    assert position.score("Ada") == {"total": 9}
    assert [row.number for row in position.rows] == [1, 2], "a row keeps its number"


def test_four_cards_with_a_blue_background() -> None:
    """“(e.g., four cards with a blue background or four cards with the value 3)”"""
    backgrounds = "blue/red/1 blue/green/2 blue/green/4 blue/purple/4"
    mixed = "blue/red/1 blue/red/3 blue/blue/3 red/blue/3"
    position = table(backgrounds, mixed, played=1)
    assert position.complete_rows == (1,), "three blue backgrounds and a circle are not four"
    assert code(position, take(1)) is None
    assert code(position, take(1, 2)) == "row-not-complete"
    position = after(position, DRAW)
    assert code(position, take(1, by="Ben")) == "must-play-first"
    assert position.sheet("Ada") == {"cards": 0}, "tough luck for her"


# The fingerprint


def test_the_fingerprint_changes_with_the_table() -> None:
    position = table(COMPLETE, COMPLETE, "blue/red/1")
    fingerprints = [game("Ada", "Ben").fingerprint, position.fingerprint]
    for action in (play("blue/red/1", 1), play("blue/red/2", 1), take(1), take(2), DRAW):
        position = after(position, action)
        fingerprints.append(position.fingerprint)
    assert len(set(fingerprints)) == len(fingerprints)
    position, other = after(BEGUN, play("red/red/2", 1)), after(BEGUN, play("red/red/3", 1))
    assert position.fingerprint != other.fingerprint


def test_a_refusal_names_the_rows_that_fit() -> None:
    refused = table("red/blue/1", "red/green/1").play(play("red/purple/6", "new"))
    assert isinstance(refused, Refusal)
    assert refused.message == "The card fits row 1 or 2, so it cannot start a new one."


def test_a_taken_row_leaves_its_place_free_until_the_turn_ends() -> None:
    position = after(game("Ada", "Ben"), start("red/red/1", "blue/blue/2", "green/green/3"))
    red = [play(f"red/{circle}/{value}", 1) for circle, value in (("blue", 4), ("green", 5))]
    position = after(position, *red, play("red/purple/6", 1), take(1))
    assert _shown(position) == [None, 2, 3]
    assert _shown(after(position, DRAW)) == [2, 3]


def _shown(position: Freaky) -> list[int | None]:
    picker: Any = FreakyPanel().facts(position, ())["play"]
    return [row and row["number"] for row in picker["rows"]]
