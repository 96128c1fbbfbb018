"""A second, naive referee for Encore!, written from the rule text and never from our code.

A sheet is a picture of letters; a crossing is judged sentence by sentence of the rule text, and all
legal ones are found by trying every set of boxes. It is slow on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

Action = dict[str, Any]

PICTURE = """\
  A B C D E F G H I J K L M N O
1 g g g y y y y G b b b O y y y
2 o g Y g Y y o o r B b o o g g
3 B g r g g g G r r r y y o g g
4 b r r g o O b b g g y y o R b
5 r o o o o r b b o o o r r r r
6 r B b R r r r y Y o R b b b O
7 y y b b b b r y y y g g G o o
1 5 3 3 3 2 2 2 1 2 2 2 3 3 3 5
0 3 2 2 2 1 1 1 0 1 1 1 2 2 2 3
"""
"""The sheet of the rule text: capitals are stars, the last lines the first and later points."""

LETTERS = {"g": "green", "y": "yellow", "b": "blue", "r": "red", "o": "orange"}
COLORS = list(LETTERS.values())
COLOR_DIE: list[Any] = [*COLORS, "joker"]
NUMBER_DIE: list[Any] = [1, 2, 3, 4, 5, "joker"]


def touch(box: str, other: str) -> bool:
    """“Boxes that touch only diagonally do not count as adjacent.”"""
    return abs(ord(box[0]) - ord(other[0])) + abs(int(box[1:]) - int(other[1:])) == 1


@dataclass(frozen=True)
class Print:
    """The print on a sheet."""

    colors: dict[str, str]
    stars: frozenset[str]
    first: dict[str, int]
    later: dict[str, int]

    def boxes(self, color: str) -> list[str]:
        return [box for box, found in self.colors.items() if found == color]

    def column(self, letter: str) -> list[str]:
        return [box for box in self.colors if box[0] == letter]


def read_print(picture: str) -> Print:
    """The print of a picture drawn as above."""
    head, *lines = (line.split() for line in picture.splitlines())
    colors, stars = {}, set()
    for number, *letters in lines[:7]:
        for column, letter in zip(head, letters, strict=True):
            colors[column + number] = LETTERS[letter.lower()]
            if letter.isupper():
                stars.add(column + number)
    first, later = (dict(zip(head, map(int, line[1:]), strict=True)) for line in lines[7:])
    return Print(colors, frozenset(stars), first, later)


BLACK = read_print(PICTURE)


def one_clump(boxes: list[str]) -> bool:
    """“All checks made in a turn must connect to each other, in one 'clump'.”"""
    if not boxes:
        return True
    found, edge = [boxes[0]], [boxes[0]]
    while edge:
        here = edge.pop()
        for box in boxes:
            if box not in found and touch(here, box):
                found.append(box)
                edge.append(box)
    return len(found) == len(boxes)


def misfits(
    printed: Print, crossed: list[str], color: str, counts: list[int], boxes: list[str]
) -> set[str]:
    """Every rule that crossing these boxes would break, as codes."""
    reasons = set()
    if any(box not in printed.colors for box in boxes):
        return {"no-such-box"}
    if any(box in crossed for box in boxes):
        reasons |= {"box-taken"}
    if any(printed.colors[box] != color for box in boxes):
        reasons |= {"wrong-color"}
    if len(boxes) not in counts:
        reasons |= {"wrong-count"}
    if not one_clump(boxes):
        reasons |= {"not-connected"}
    if not any(box[0] == "H" or any(touch(box, old) for old in crossed) for box in boxes):
        reasons |= {"not-adjacent"}
    return reasons


def every_crossing(
    printed: Print, crossed: list[str], color: str, counts: list[int]
) -> set[frozenset[str]]:
    """All legal sets, by trying every set of open boxes of the colour."""
    open_boxes = [box for box in printed.boxes(color) if box not in crossed]
    return {
        frozenset(boxes)
        for count in counts
        for boxes in combinations(open_boxes, count)
        # The clump is checked first, because nearly all sets fail there.
        if one_clump(list(boxes)) and not misfits(printed, crossed, color, counts, list(boxes))
    }


@dataclass
class Paper:
    """One player's sheet."""

    crossed: list[str] = field(default_factory=list)
    jokers: int = 8
    circled: dict[str, str] = field(default_factory=dict)
    """Column letter or colour → "first" or "later"."""


@dataclass
class Referee:
    """A game; `happens` records an action that was allowed."""

    players: list[str]
    printed: Print
    papers: dict[str, Paper] = field(default_factory=dict)
    roll: Action | None = None
    pair: tuple[Any, Any] | None = None
    """The active player's dice of this turn."""
    acted: set[str] = field(default_factory=set)
    turn: int = 1
    over: bool = False

    def __post_init__(self) -> None:
        for player in self.players:
            self.papers.setdefault(player, Paper())

    @property
    def active(self) -> str:
        return self.players[(self.turn - 1) % len(self.players)]

    def full(self, player: str) -> list[str]:
        """The columns and colours with every box crossed."""
        crossed = self.papers[player].crossed
        names = {letter: self.printed.column(letter) for letter in self.printed.first}
        names |= {color: self.printed.boxes(color) for color in COLORS}
        return [name for name, boxes in names.items() if all(box in crossed for box in boxes)]

    def circles(self, player: str) -> dict[str, str]:
        """The circled values, as if the turn closed now."""
        circled = dict(self.papers[player].circled)
        gone = {name for paper in self.papers.values() for name in paper.circled}
        for name in self.full(player):
            circled.setdefault(name, "later" if name in gone else "first")
        return circled

    def happens(self, action: Action) -> None:
        do, who = action["do"], action.get("by", "")
        if do == "roll":
            self.roll = action
        if do == "cross":
            paper = self.papers[who]
            paper.crossed += action["boxes"]
            dice = [action["color_die"], action["number_die"]]
            paper.jokers -= dice.count("joker")
            if who == self.active:
                self.pair = (dice[0], dice[1])
        if do in ("cross", "pass"):
            self.acted.add(who)
        if do == "next" or (do in ("cross", "pass") and self.acted == set(self.players)):
            self._close()

    def _close(self) -> None:
        circles = {player: self.circles(player) for player in self.players}
        for player, circled in circles.items():
            self.papers[player].circled = circled
        bonuses = [sum(name in COLORS for name in circled) for circled in circles.values()]
        if len(self.players) == 1:
            # “The game ends after 30 rolls”, or where no box is left.
            (paper,) = self.papers.values()
            self.over = self.turn == 30 or len(paper.crossed) == 105
        else:
            self.over = max(bonuses) >= 2
        if self.over:
            return
        self.turn += 1
        self.roll, self.pair, self.acted = None, None, set()

    def dice(self, player: str) -> tuple[list[Any], list[Any]]:
        """The faces from which a player chooses; all of a die's, if nobody entered the dice."""
        assert self.roll is not None
        if self.roll.get("told") is False:
            return COLOR_DIE, NUMBER_DIE
        colors, numbers = list(self.roll["colors"]), list(self.roll["numbers"])
        if self.turn > 3 and player != self.active and self.pair:
            colors.remove(self.pair[0])
            numbers.remove(self.pair[1])
        return colors, numbers

    def why_not(self, action: Action) -> set[str]:
        """Every code that could refuse the action; empty when it is allowed."""
        do, who = action["do"], action.get("by")
        reasons = {"game-over"} if self.over else set()
        if do not in ("roll", "cross", "pass", "next"):
            return reasons | {"bad-action"}
        if do == "next":
            waits = not self.over and self.active not in self.acted
            return reasons | ({"active-must-act", "wrong-moment"} if waits else set())
        if not isinstance(who, str):
            return reasons | {"bad-action"}
        if who not in self.players:
            return reasons | {"unknown-player"}
        if do == "roll":
            return reasons | self._not_rolled(who, action)
        if self.roll is None:
            reasons |= {"wrong-moment"}
        if who in self.acted:
            reasons |= {"already-acted"}
        if do == "cross":
            if self.turn > 3 and who != self.active and self.active not in self.acted:
                reasons |= {"active-first"}
            reasons |= self._not_crossed(who, action)
        return reasons

    def _not_rolled(self, who: str, action: Action) -> set[str]:
        reasons = {"wrong-moment"} if self.roll else set()
        if not self.over and who != self.active:
            reasons |= {"not-your-turn"}
        if action.get("told") is False:
            return reasons | {"bad-action"} if {"colors", "numbers"} & action.keys() else reasons
        for faces, known in ((action["colors"], COLOR_DIE), (action["numbers"], NUMBER_DIE)):
            if len(faces) != (2 if len(self.players) == 1 else 3):
                return reasons | {"bad-action"}
            if any(face not in known for face in faces):
                reasons |= {"bad-dice", "bad-action"}
        return reasons

    def _not_crossed(self, who: str, action: Action) -> set[str]:
        reasons: set[str] = set()
        color_die, number_die = action["color_die"], action["number_die"]
        color, boxes = action["color"], action["boxes"]
        if color_die not in COLOR_DIE or number_die not in NUMBER_DIE:
            reasons |= {"bad-action", "bad-dice", "die-not-available"}
        if len(set(boxes)) < len(boxes):
            reasons |= {"bad-action"}
        if color not in COLORS or color_die not in ("joker", color):
            reasons |= {"wrong-color"}
        if self.roll is not None:
            colors, numbers = self.dice(who)
            if color_die not in colors or number_die not in numbers:
                reasons |= {"die-not-available"}
        if [color_die, number_die].count("joker") > self.papers[who].jokers:
            reasons |= {"no-jokers-left"}
        counts = [1, 2, 3, 4, 5] if number_die == "joker" else [number_die]
        return reasons | misfits(self.printed, self.papers[who].crossed, color, counts, boxes)

    def document(self, player: str, board: str) -> dict[str, Any]:
        """The public sheet document."""
        circled = self.circles(player)
        return {
            "sheet": "encore",
            "board": board,
            "crossed": self.papers[player].crossed,
            "jokers_used": 8 - self.papers[player].jokers,
            "columns": {name: circled[name] for name in circled if name not in COLORS},
            "colors": {name: circled[name] for name in circled if name in COLORS},
        }

    def score(self, player: str) -> dict[str, int]:
        """The public score object."""
        circled, paper = self.circles(player), self.papers[player]
        parts = {"colors": 0, "columns": 0, "jokers": paper.jokers}
        for name, claim in circled.items():
            if name in COLORS:
                parts["colors"] += 5 if claim == "first" else 3
            else:
                points = self.printed.first if claim == "first" else self.printed.later
                parts["columns"] += points[name]
        parts["stars"] = -2 * len(self.printed.stars - set(paper.crossed))
        return {**parts, "total": sum(parts.values())}

    def winners(self) -> list[str]:
        if not self.over:
            return []
        results = {p: (self.score(p)["total"], self.papers[p].jokers) for p in self.players}
        return [p for p in self.players if results[p] == max(results.values())]
