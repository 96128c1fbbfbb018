"""A naive referee for Kniffel and its variants, written only from the facts, to judge the rules.

Papers are dicts of field → points; nothing is imported from the rules. The points of dice are found
by going through all possible dice, not by the rules' formulas.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

Action = dict[str, Any]
Paper = dict[str, Any]

NUMBERS = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
BELOW = {
    "kniffel": [
        "three-of-a-kind",
        "four-of-a-kind",
        "full-house",
        "small-straight",
        "large-straight",
        "kniffel",
        "chance",
    ],
    "yatzy": [
        "one-pair",
        "two-pairs",
        "three-of-a-kind",
        "four-of-a-kind",
        "small-straight",
        "large-straight",
        "full-house",
        "chance",
        "kniffel",
    ],
}
GAMES = {
    "kniffel": {"jokers": "none"},
    "kniffel with jokers": {"jokers": "forced"},
    "yahtzee": {"jokers": "forced", "variant": "yahtzee"},
    "yahtzee-free": {"jokers": "none", "variant": "yahtzee-free"},
    "yatzy": {"jokers": "none", "variant": "yatzy"},
}
"""Game → what its documents say about it."""
EVERY_ROLL = list(product(range(1, 7), repeat=5))


def below(game: str) -> list[str]:
    return BELOW["yatzy" if game == "yatzy" else "kniffel"]


def printed(game: str) -> list[str]:
    return [*NUMBERS, *below(game)]


PRINTED = printed("kniffel")


def plain_points(field: str, dice: list[int], game: str = "kniffel") -> int:
    """The points by the table in the rules, without jokers."""
    if field in NUMBERS:
        return sum(die for die in dice if die == NUMBERS[field])
    return _yatzy(field, dice) if game == "yatzy" else _kniffel(field, dice)


def _kniffel(field: str, dice: list[int]) -> int:
    most = max(dice.count(die) for die in dice)
    kinds = sorted(set(dice))
    row = "".join(map(str, kinds))
    fits = {
        "three-of-a-kind": most >= 3,
        "four-of-a-kind": most >= 4,
        "full-house": most == 3 and len(kinds) == 2,
        "small-straight": any(part in row for part in ("1234", "2345", "3456")),
        "large-straight": row in ("12345", "23456"),
        "kniffel": most == 5,
        "chance": True,
    }
    fixed = {"full-house": 25, "small-straight": 30, "large-straight": 40, "kniffel": 50}
    return fixed.get(field, sum(dice)) if fits[field] else 0


def _yatzy(field: str, dice: list[int]) -> int:
    """The points in Yatzy, found by trying what could be taken out of the dice."""
    several = {"one-pair": 2, "three-of-a-kind": 3, "four-of-a-kind": 4}
    if field in several:
        count = several[field]
        return max(count * die if dice.count(die) >= count else 0 for die in range(1, 7))
    if field == "two-pairs":
        pairs = [die for die in range(1, 7) if dice.count(die) >= 2]
        return 2 * sum(pairs) if len(pairs) > 1 else 0
    if field == "full-house":
        for three, two in product(range(1, 7), repeat=2):
            if three != two and sorted(dice) == sorted([three] * 3 + [two] * 2):
                return sum(dice)
        return 0
    shown = "".join(map(str, sorted(dice)))
    if field == "small-straight":
        return 15 if shown == "12345" else 0
    if field == "large-straight":
        return 20 if shown == "23456" else 0
    if field == "kniffel":
        return 50 if shown == shown[0] * 5 else 0
    return sum(dice)


def can_be(game: str) -> dict[str, set[int]]:
    """Field → the points that some dice give in it."""
    return {
        field: {plain_points(field, list(dice), game) for dice in EVERY_ROLL}
        for field in printed(game)
    }


KNIFFEL_CAN_BE, YATZY_CAN_BE = can_be("kniffel"), can_be("yatzy")
CAN_BE = KNIFFEL_CAN_BE


def blank(game: str) -> Paper:
    return {**GAMES[game], "extra": 0, **dict.fromkeys(printed(game))}


def document_of(paper: Paper) -> dict[str, Any]:
    return {"sheet": "kniffel", **paper}


def game_of(paper: Paper) -> str:
    said = {word: paper[word] for word in ("jokers", "variant") if word in paper}
    return next(game for game, words in GAMES.items() if words == said)


def score_of(paper: Paper) -> dict[str, Any]:
    game = game_of(paper)
    upper = sum(paper[field] or 0 for field in NUMBERS)
    lower = sum(paper[field] or 0 for field in below(game))
    bonus = (50 if game == "yatzy" else 35) if upper > 62 else 0
    extra = 100 * paper["extra"]
    total = upper + bonus + lower + extra
    return {"upper": upper, "bonus": bonus, "lower": lower, "extra": extra, "total": total}


def entry(paper: Paper, field: str, dice: list[int]) -> tuple[str, int, int]:
    """(code or "", points, extra five alike) of writing these dice."""
    game = game_of(paper)
    if paper[field] is not None:
        return "field-taken", 0, 0
    is_further = dice == [dice[0]] * 5 and paper["kniffel"] is not None
    if not is_further or game in ("kniffel", "yatzy"):
        return "", plain_points(field, dice, game), 0
    extra = 1 if paper["kniffel"] == 50 else 0
    as_joker = {"full-house": 25, "small-straight": 30, "large-straight": 40}
    if game == "yahtzee-free":
        return "", as_joker.get(field, plain_points(field, dice)), extra
    own = next(name for name, number in NUMBERS.items() if number == dice[0])
    if paper[own] is None:
        return ("" if field == own else "joker-first"), 5 * dice[0], extra
    if field in below(game):
        return "", as_joker.get(field, sum(dice)), extra
    if any(paper[name] is None for name in below(game)):
        return "joker-first", 0, extra
    return "", 0, extra


class Referee:
    """A game, known by what has happened in it."""

    def __init__(self, players: list[str], game: str) -> None:
        self.players = list(players)
        self.papers = {name: blank(game) for name in players}
        self.printed = printed(game)
        self.can_be = YATZY_CAN_BE if game == "yatzy" else KNIFFEL_CAN_BE
        self.has_extra = game not in ("kniffel", "yatzy")
        self.writes = 0
        self.rolls: list[list[int]] = []

    @property
    def over(self) -> bool:
        return self.writes == len(self.printed) * len(self.players)

    @property
    def turn(self) -> int:
        return self.writes + (0 if self.over else 1)

    @property
    def active(self) -> str:
        return self.players[(self.turn - 1) % len(self.players)]

    def winners(self) -> list[str]:
        if not self.over:
            return []
        totals = {name: score_of(paper)["total"] for name, paper in self.papers.items()}
        return [name for name in self.players if totals[name] == max(totals.values())]

    def happens(self, action: Action) -> None:
        assert not self.why_not(action)
        if action["do"] == "roll":
            self.rolls.append(list(action["dice"]))
            return
        paper, field = self.papers[action["by"]], action["field"]
        if self.rolls:
            _, points, extra = entry(paper, field, self.rolls[-1])
        else:
            points = action["points"]
            extra = int(self.has_extra and action.get("extra") is True)
        paper[field] = points
        paper["extra"] += extra
        self.writes += 1
        if not self.over:
            self.rolls = []

    def why_not(self, action: Any) -> set[str]:
        """Every code with which this may be refused; none when it is legal."""
        if action["do"] not in ("roll", "write"):
            return {"bad-action"}
        reasons = {"game-over"} if self.over else set()
        if not isinstance(action["by"], str):
            return reasons | {"bad-action"}
        if action["by"] not in self.players:
            return reasons | {"unknown-player"}
        if action["by"] != self.active:
            reasons.add("not-your-turn")
        if action["do"] == "roll":
            return reasons | self._why_not_roll(action["dice"])
        return reasons | self._why_not_write(action)

    def _why_not_roll(self, dice: Any) -> set[str]:
        reasons = set()
        if len(dice) != 5 or any(die not in range(1, 7) for die in dice):
            reasons.add("bad-dice")
        if len(self.rolls) == 3:
            reasons.add("no-rolls-left")
        return reasons

    def _why_not_write(self, action: Action) -> set[str]:
        field, paper = action["field"], self.papers[self.active]
        if not isinstance(field, str):
            return {"bad-action"}
        if field not in self.printed:
            return {"no-such-field"}
        if self.rolls:
            return {entry(paper, field, self.rolls[-1])[0]} - {""}
        if "points" not in action:
            return {"wrong-moment"}
        points = action["points"]
        if type(points) is not int:
            return {"bad-action"}
        reasons = set() if paper[field] is None else {"field-taken"}
        if points not in self.can_be[field]:
            reasons.add("points-impossible")
        if action.get("extra") is True and self.has_extra:
            made = [entry(paper, field, [number] * 5) for number in NUMBERS.values()]
            if ("", points, 1) not in made:
                reasons.add("points-impossible")
        return reasons

    def every_entry(self) -> Iterator[Action]:
        """Every entry of dice or points that could ever be legal."""
        for field in self.printed:
            yield {"do": "write", "by": self.active, "field": field}
            for points in range(-1, 52):
                write = {"do": "write", "by": self.active, "field": field, "points": points}
                yield write
                yield {**write, "extra": True}
