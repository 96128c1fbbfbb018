"""A real table for the Qwinto card game: cards in hands, stacks and a pile, each of them known.

Written from the rule text and never from our code. Our code only counts the pile and knows which
cards lie in the grid; here every card is somewhere, so both must come to the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from lab.oracles.qwinto import PLACES as FIELDS
from lab.oracles.qwinto import PRINTED, Paper, name_of, place_of

Action = dict[str, Any]

DECK = [f"{color}{value}" for color in "oypg" for value in (-2, 0, 1, 2, 3, 4, 5, 6)]
PLACES = {"tl": (0, 0), "tr": (0, 1), "bl": (1, 0), "br": (1, 1)}
"""Where the four stacks lie, as (row, column)."""


def beside(place: str, other: str) -> bool:
    """Whether two places touch with a side: one step apart, across or down."""
    (a, b), (c, d) = PLACES[place], PLACES[other]
    return abs(a - c) + abs(b - d) == 1


def value(card: str) -> int:
    return int(card[1:])


@dataclass
class Table:
    """The table, after everything that has happened; `happens` changes it."""

    players: list[str]
    seed: int
    hands: dict[str, list[str]] = field(default_factory=dict)
    stacks: dict[str, list[str]] = field(default_factory=dict)
    pile: list[str] = field(default_factory=list)
    laid: list[list[str]] = field(default_factory=list)
    acted: set[str] = field(default_factory=set)
    papers: dict[str, Paper] = field(default_factory=dict)
    turn: int = 1
    over: bool = False

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.pile = list(DECK)
        self.chance.shuffle(self.pile)
        for player in self.players:
            self.hands[player] = [self.pile.pop() for _ in range(3)]
            self.papers[player] = Paper()

    @property
    def active(self) -> str:
        return self.players[(self.turn - 1) % len(self.players)]

    def call(self) -> tuple[int, set[str]]:
        """The sum, and the first letters of the colours that are said aloud."""
        place = self.laid[-1][1]
        seen = [self.stacks[place][-1]]
        seen += [self.stacks[other][-1] for other in PLACES if beside(place, other)]
        return sum(map(value, seen)), {card[0] for card in seen} - {"g"}

    def happens(self, action: Action) -> None:
        """Does what an allowed action says."""
        do, who = action["do"], action.get("by", "")
        if do == "deal":
            for place, card in action["grid"].items():
                self.pile.remove(card)
                self.stacks[place] = [card]
        if do == "lay":
            self.laid = action["cards"]
            for card, place in action["cards"]:
                self.hands[who].remove(card)
                self.stacks[place].append(card)
        if do == "write":
            place = place_of(action["row"], action["field"])
            assert place is not None
            self.papers[who].written[place] = self.call()[0]
        if do == "pass" and who == self.active:
            self.papers[who].failed += 1
        if do in ("write", "pass"):
            self.acted.add(who)
        if do == "next" or (do in ("write", "pass") and self.acted == set(self.players)):
            self._close()

    def _close(self) -> None:
        solo = len(self.players) == 1
        out_of_cards = solo and not self.hands[self.active] and not self.pile
        if out_of_cards or any(paper.ends_the_game() for paper in self.papers.values()):
            self.over = True
            return
        for _ in self.laid:
            if self.pile:
                self.hands[self.active].append(self.pile.pop())
            if not self.pile and not solo:
                for place, stack in self.stacks.items():
                    self.pile += stack[:-1]
                    self.stacks[place] = stack[-1:]
                self.chance.shuffle(self.pile)
        self.turn += 1
        self.laid, self.acted = [], set()

    def why_not(self, action: Any) -> set[str]:
        """Every code that could refuse the action; empty when it is allowed."""
        do, who = action.get("do"), action.get("by")
        reasons = {"game-over"} if self.over else set()
        if do not in ("deal", "lay", "write", "pass", "next"):
            return reasons | {"bad-action"}
        if do == "deal":
            return reasons | ({"wrong-moment"} if self.stacks else set())
        if do == "next":
            waits = not self.over and self.active not in self.acted
            return reasons | ({"active-must-act", "wrong-moment"} if waits else set())
        if not isinstance(who, str):
            return reasons | {"bad-action"}
        if who not in self.players:
            return reasons | {"unknown-player"}
        if do == "lay":
            return reasons | self._not_laid(who, action.get("cards"))
        if not self.laid:
            reasons |= {"wrong-moment"}
        if who in self.acted:
            reasons |= {"already-acted"}
        if do == "write":
            reasons |= self._not_written(who, action.get("row"), action.get("field"))
        return reasons

    def _not_laid(self, who: str, cards: Any) -> set[str]:
        reasons = {"wrong-moment"} if not self.stacks or self.laid else set()
        if not self.over and who != self.active:
            reasons |= {"not-your-turn"}
        if len(cards) not in (1, 2):
            return reasons | {"bad-action"}
        for card, place in cards:
            if place not in PLACES or not isinstance(card, str):
                return reasons | {"bad-action"}
        for card, _ in cards:
            if card not in DECK:
                return reasons | {"bad-card"}
            if any(card in stack for stack in self.stacks.values()):
                reasons |= {"card-not-available"}
        if len(cards) == 2:
            (first, here), (second, there) = cards
            if first == second:
                reasons |= {"bad-action"}
            if value(first) != value(second):
                reasons |= {"not-same-value"}
            if not beside(here, there):
                reasons |= {"not-neighbors"}
        return reasons

    def _not_written(self, who: str, row: Any, number: Any) -> set[str]:
        if row not in PRINTED or type(number) is not int:
            return {"bad-action"}
        place = place_of(row, number)
        if place is None:
            return {"no-such-field"}
        called, letters = self.call() if self.laid else (1, set(row[0]))
        reasons = self.papers[who].why_not(place, called) - {"number-out-of-range"}
        if called < 1 or not letters:
            reasons |= {"nothing-to-write"}
        if row[0] not in letters:
            reasons |= {"row-not-called"}
        return reasons

    def sensible(self) -> list[Action]:
        """Actions that the players could do now with the cards that they really hold."""
        if not self.stacks:
            return [{"do": "deal", "grid": dict(zip(PLACES, self.pile[-4:], strict=True))}]
        actions: list[Action] = [{"do": "next"}]
        if not self.laid:
            hand = self.hands[self.active]
            laid = [[card, place] for card in hand for place in PLACES]
            tries = [[first] for first in laid] + [
                [first, second] for first in laid for second in laid
            ]
            actions += [{"do": "lay", "by": self.active, "cards": cards} for cards in tries]
        for player in self.players:
            actions.append({"do": "pass", "by": player})
            fields = (name_of(place).split(".") for place in FIELDS)
            actions += [
                {"do": "write", "by": player, "row": row, "field": int(n)} for row, n in fields
            ]
        return [action for action in actions if not self.why_not(action)]
