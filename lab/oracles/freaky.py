"""A second, naive referee for Freaky, written from the rule text and never from our code.

Cards are texts, rows are lists of them, and every card has a place: pile, hand, row or pocket.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Action = dict[str, Any]

COLORS = ["red", "orange", "yellow", "green", "blue", "purple"]
DECK = [
    f"{background}/{circle}/{value}"
    for background in COLORS
    for circle in COLORS
    for value in range(1, 7)
]
"""Every card that may exist."""


def alike(card: str, other: str) -> bool:
    """Whether "at least one of the three features" is the same."""
    return any(a == b for a, b in zip(card.split("/"), other.split("/"), strict=True))


def complete(row: list[str]) -> bool:
    """Whether "any of the card features show up at least four times in the same row"."""
    kinds = zip(*(card.split("/") for card in row), strict=True)
    return any(kind.count(feature) >= 4 for kind in kinds for feature in kind)


@dataclass
class Referee:
    """The table; `happens` records an action that was allowed."""

    players: list[str]
    pile: int = 0
    hands: dict[str, int] = field(default_factory=dict)
    pockets: dict[str, list[str]] = field(default_factory=dict)
    """The cards that each player has collected."""
    rows: dict[int, list[str]] = field(default_factory=dict)
    rows_ever: int = 0
    took: bool = False
    turn: int = 1
    over: bool = False

    def __post_init__(self) -> None:
        for player in self.players:
            self.hands[player], self.pockets[player] = 3, []
        # Three to each, and the starting cards, turned over when the game starts.
        self.pile = 108 - 3 * len(self.players) - 3

    @property
    def active(self) -> str:
        return self.players[(self.turn - 1) % len(self.players)]

    @property
    def played(self) -> int:
        return 3 - self.hands[self.active]

    def happens(self, action: Action) -> None:
        do = action["do"]
        if do == "start":
            self.rows = {number: [card] for number, card in enumerate(action["cards"], start=1)}
            self.rows_ever = 3
        if do == "play":
            number = action["row"]
            if number == "new":
                self.rows_ever += 1
                number = self.rows_ever
            self.rows.setdefault(number, []).append(action["card"])
            self.hands[self.active] -= 1
        if do == "take":
            self.took = True
            for number in action["rows"]:
                self.pockets[self.active] += self.rows.pop(number)
        if do == "draw":
            self._draw()

    def _draw(self) -> None:
        """“The game ends immediately when a player can't draw enough cards.”"""
        if self.pile < self.played:
            self.over = True
            return
        while self.hands[self.active] < 3:
            self.hands[self.active] += 1
            self.pile -= 1
        self.turn += 1
        self.took = False

    def why_not(self, action: Action) -> set[str]:
        """Every code that could refuse the action; empty when it is allowed."""
        do, who = action["do"], action.get("by")
        reasons = {"game-over"} if self.over else set()
        if do not in ("start", "play", "take", "draw"):
            return reasons | {"bad-action"}
        if do == "start":
            cards = action["cards"]
            if self.rows_ever:
                reasons |= {"wrong-moment"}
            return reasons | ({"bad-action"} if len(cards) != 3 else self._no_card(*cards))
        if not isinstance(who, str):
            return reasons | {"bad-action"}
        if who not in self.players:
            return reasons | {"unknown-player"}
        if who != self.active and not self.over:
            reasons |= {"not-your-turn"}
        if not self.rows_ever:
            reasons |= {"wrong-moment"}
        if do == "play":
            return reasons | self._not_played(action["card"], action["row"])
        if not self.played and self.rows_ever:
            reasons |= {"must-play-first"}
        return reasons | (self._not_taken(action["rows"]) if do == "take" else set())

    @staticmethod
    def _no_card(*cards: str) -> set[str]:
        return set() if set(cards) <= set(DECK) else {"bad-card"}

    def _not_played(self, card: str, row: Any) -> set[str]:
        reasons = self._no_card(card)
        if self.took:
            reasons |= {"wrong-moment"}
        if self.played >= 3:
            reasons |= {"too-many-cards"}
        if row != "new" and type(row) is not int:
            return reasons | {"bad-action"}
        if "bad-card" in reasons:
            return reasons
        if row == "new":
            needless = any(alike(card, other[-1]) for other in self.rows.values())
            return reasons | ({"new-row-not-needed"} if needless else set())
        if row not in self.rows:
            return reasons | {"no-such-row"}
        return reasons | (set() if alike(card, self.rows[row][-1]) else {"no-match"})

    def _not_taken(self, rows: list[int]) -> set[str]:
        reasons = {"bad-action"} if not rows or len(set(rows)) < len(rows) else set()
        for row in rows:
            if row not in self.rows:
                reasons |= {"no-such-row"}
            elif not complete(self.rows[row]):
                reasons |= {"row-not-complete"}
        return reasons

    def everywhere(self) -> int:
        """All cards, wherever they are."""
        laid = sum(map(len, self.rows.values()))
        return self.pile + sum(self.hands.values()) + laid + sum(map(len, self.pockets.values()))
