"""A naive referee, written from Skeleton's rule text; nothing is imported from the rules."""

from __future__ import annotations

from typing import Any

FIELDS = ["A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3"]


def score_of(paper: dict[str, int]) -> dict[str, Any]:
    rows = {}
    for row in "ABC":
        one, two, three = (paper.get(row + place, 0) for place in "123")
        points = one + two + three if one and two and three else 0
        rows[row] = 2 * points if one < two < three else points
    return {"rows": rows, "total": rows["A"] + rows["B"] + rows["C"]}


class Referee:
    """Knows a game by its players, their papers and the dice."""

    def __init__(self, players: list[str]) -> None:
        self.players = players
        self.papers: dict[str, dict[str, int]] = {name: {} for name in players}
        self.turn, self.dice, self.done = 1, list[int](), set[str]()

    @property
    def active(self) -> str:
        return self.players[(self.turn - 1) % len(self.players)]

    @property
    def over(self) -> bool:
        return all(len(paper) == len(FIELDS) for paper in self.papers.values())

    def why_not(self, action: dict[str, Any]) -> set[str]:
        """Every code with which this may be refused; none when it is legal."""
        if action["do"] not in ("roll", "write"):
            return {"bad-action"}
        reasons = {"game-over"} if self.over else set()
        by = action["by"]
        if not isinstance(by, str):
            return reasons | {"bad-action"}
        if by not in self.players:
            return reasons | {"unknown-player"}
        if action["do"] == "roll":
            reasons |= {"not-your-turn"} if by != self.active else set()
            reasons |= {"wrong-moment"} if self.dice else set()
            dice = action["dice"]
            wrong = len(dice) != 2 or not all(1 <= value <= 6 for value in dice)
            return reasons | ({"bad-dice"} if wrong else set())
        reasons |= set() if self.dice else {"wrong-moment"}
        reasons |= {"already-acted"} if by in self.done else set()
        if not isinstance(action["field"], str):
            return reasons | {"bad-action"}
        if action["field"] not in FIELDS:
            return reasons | {"no-such-field"}
        return reasons | ({"field-taken"} if action["field"] in self.papers[by] else set())

    def happens(self, action: dict[str, Any]) -> None:
        assert not self.why_not(action)
        if action["do"] == "roll":
            self.dice = action["dice"]
            return
        self.papers[action["by"]][action["field"]] = sum(self.dice)
        self.done.add(action["by"])
        if len(self.done) == len(self.players) and not self.over:
            self.turn, self.dice, self.done = self.turn + 1, [], set()
