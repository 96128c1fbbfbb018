"""A second, naive referee for Qwinto with dice, written from the rule text and never from our code.

The sheet is the printed picture with numbers drawn into it, and every question is answered by
looking at the picture: all pairs in a row, all pairs in a column. A game is nothing but the list of
what happened; who may do what is found by replaying the whole story. It is slow on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

Place = tuple[str, int]
"""A row's colour and the column (0–11) under the picture's heading."""

PICTURE = """\
col      0   1   2   3   4   5   6   7   8   9  10  11
orange           o  <o>  o   .   o  <o>  o   o   o   o
yellow       o   o   o   o   o   .   o  <o>  o   o
purple   o   o  <o>  o   .   o   o   o   o  <o>
"""
"""Facts, section 1: o is a field, <o> a pentagon, a dot the missing field."""


def picture_cells(picture: str) -> dict[str, list[str]]:
    """Row → the twelve columns' cells, each the four characters above or below its number."""
    lines = picture.splitlines()[1:]
    return {
        line.split()[0]: [line[7 + 4 * column :][:4].strip() for column in range(12)]
        for line in lines
    }


PRINTED = picture_cells(PICTURE)
PLACES: tuple[Place, ...] = tuple(
    (row, column)
    for row, cells in PRINTED.items()
    for column, cell in enumerate(cells)
    if "o" in cell
)
PENTAGONS = tuple((row, column) for row, column in PLACES if "<" in PRINTED[row][column])


@cache
def place_of(row: str, number: int) -> Place | None:
    """The printed place of the row's field of that number (1–9, without the missing field)."""
    count = 0
    for column, cell in enumerate(PRINTED[row]):
        count += "o" in cell
        if "o" in cell and count == number:
            return (row, column)
    return None


@cache
def name_of(place: Place) -> str:
    """The public field name, such as `orange.3`."""
    return next(f"{place[0]}.{n}" for n in range(1, 10) if place_of(place[0], n) == place)


@dataclass
class Paper:
    """One sheet of paper: what is written where, and the failed attempts crossed."""

    written: dict[Place, int] = field(default_factory=dict)
    failed: int = 0

    @classmethod
    def of(cls, document: dict[str, Any]) -> Paper:
        """The paper that a public sheet document describes."""
        paper = cls(failed=document["failed"])
        for row in PRINTED:
            for number, value in enumerate(document[row], start=1):
                place = place_of(row, number)
                if value is not None and place is not None:
                    paper.written[place] = value
        return paper

    def document(self) -> dict[str, Any]:
        """The public sheet document."""
        rows = {
            row: [self.written.get((row, column)) for r, column in PLACES if r == row]
            for row in PRINTED
        }
        return {"sheet": "qwinto", **rows, "failed": self.failed}

    def drawn(self) -> str:
        """The picture with the numbers in it, `o` where nothing is written."""
        lines = [PICTURE.splitlines()[0]]
        for row, cells in PRINTED.items():
            line = row.ljust(7)
            for column, cell in enumerate(cells):
                number = str(self.written.get((row, column), "o"))
                line += cell.replace("o", number).rjust(4)
            lines.append(line)
        return "\n".join(lines)

    def faults(self) -> set[tuple[str, str, frozenset[str]]]:
        """(code, row or column, fields) of every pair that breaks a rule, and every bad number.

        Two numbers of a row break rule 1 when the left one is not smaller; two of a column break
        rule 2 when they are equal.
        """
        found = set()
        for (a, left), (b, right) in combinations(self._by_column(), 2):
            if a[0] == b[0] and left >= right:
                found.add(("not-ascending", a[0], frozenset({name_of(a), name_of(b)})))
            if a[1] == b[1] and left == right:
                found.add(("repeated-in-column", str(a[1]), frozenset({name_of(a), name_of(b)})))
        for place, number in self.written.items():
            if not 1 <= number <= 18:
                found.add(("number-out-of-range", place[0], frozenset({name_of(place)})))
        return found

    def _by_column(self) -> list[tuple[Place, int]]:
        return sorted(self.written.items(), key=lambda item: item[0][1])

    def why_not(self, place: Place, number: int) -> set[str]:
        """Every reason against writing a number there: write it, then look for faults."""
        if place in self.written:
            return {"field-taken"}
        tried = Paper({**self.written, place: number})
        return {code for code, _, fields in tried.faults() if name_of(place) in fields}

    def score(self) -> dict[str, Any]:
        """The public score object, read off the drawn picture."""
        cells = picture_cells(self.drawn())
        rows = {}
        for row, line in cells.items():
            fields = [cell.strip("<>") for cell in line if cell not in ("", ".")]
            numbers = [int(text) for text in fields if text != "o"]
            rows[row] = len(numbers) if "o" in fields else numbers[-1]
        bonuses = []
        for stack in zip(*cells.values(), strict=True):
            if any("<" in cell for cell in stack):
                (bonus,) = [cell.strip("<>") for cell in stack if "<" in cell]
                bonuses.append(0 if "o" in "".join(stack) else int(bonus))
        minus = -5 * self.failed
        total = sum(rows.values()) + sum(bonuses) + minus
        return {"rows": rows, "bonuses": bonuses, "failed": minus, "total": total}

    def ends_the_game(self) -> bool:
        gaps = {row for row, column in PLACES if (row, column) not in self.written}
        return len(gaps) <= 1 or self.failed >= 4


@dataclass
class Story:
    """The state after a list of actions; `rolls` and `acted` are those of the present turn."""

    papers: dict[str, Paper]
    turn: int = 1
    active: str = ""
    rolls: list[dict[str, int]] = field(default_factory=list)
    acted: set[str] = field(default_factory=set)
    over: bool = False


@dataclass
class Referee:
    """A game as a list of accepted actions; `players` sit clockwise and the first one starts."""

    players: list[str]
    log: list[dict[str, Any]] = field(default_factory=list)
    already: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Sheet documents that somebody starts with, for a game looked at in the middle."""
    _replayed: tuple[int, Story] | None = None

    def story(self) -> Story:
        """The game replayed from the beginning (again only after something new has happened)."""
        if self._replayed is None or self._replayed[0] != len(self.log):
            self._replayed = (len(self.log), self._replay())
        return self._replayed[1]

    def _replay(self) -> Story:
        blank = Paper().document()
        papers = {player: Paper.of(self.already.get(player, blank)) for player in self.players}
        story = Story(papers, active=self.players[0])
        for action in self.log:
            who = action.get("by", "")
            if action["do"] == "roll":
                story.rolls.append(action["dice"])
            if action["do"] == "write":
                place = place_of(action["row"], action["field"])
                assert place is not None
                story.papers[who].written[place] = sum(story.rolls[-1].values())
            if action["do"] == "pass" and who == story.active:
                story.papers[who].failed += 1
            if action["do"] in ("write", "pass"):
                story.acted.add(who)
            if action["do"] == "next" or story.acted == set(self.players):
                self._close(story)
        return story

    def _close(self, story: Story) -> None:
        if any(paper.ends_the_game() for paper in story.papers.values()):
            story.over = True
            return
        story.turn += 1
        story.active = self.players[(story.turn - 1) % len(self.players)]
        story.rolls, story.acted = [], set()

    def happens(self, action: dict[str, Any]) -> None:
        """Records an action that was allowed."""
        self.log.append(action)

    def why_not(self, action: dict[str, Any]) -> set[str]:
        """Every code that could refuse the action; empty when it is allowed."""
        story = self.story()
        reasons = {"game-over"} if story.over else set()
        if action["do"] not in ("roll", "write", "pass", "next"):
            return reasons | {"bad-action"}
        if action["do"] == "next":
            if not story.over and story.active not in story.acted:
                reasons |= {"active-must-act"} | ({"wrong-moment"} if not story.rolls else set())
            return reasons
        player = action["by"]
        if player not in self.players:
            reasons |= {"unknown-player" if isinstance(player, str) else "bad-action"}
        if action["do"] == "roll":
            return reasons | self._not_rolled(story, player, action["dice"])
        if not story.rolls:
            reasons |= {"wrong-moment"}
        if player in story.acted:
            reasons |= {"already-acted"}
        if action["do"] == "write":
            reasons |= self._not_written(story, player, action["row"], action["field"])
        return reasons

    def _not_rolled(self, story: Story, player: str, dice: dict[str, int]) -> set[str]:
        reasons = set()
        if player in self.players and player != story.active:
            reasons |= {"not-your-turn"}
        if len(story.rolls) >= 2 or (story.rolls and story.acted):
            reasons |= {"no-rolls-left"}
        if story.rolls and set(dice) != set(story.rolls[-1]):
            reasons |= {"reroll-same-dice"}
        if any(not 1 <= value <= 6 for value in dice.values()):
            reasons |= {"bad-dice"}
        return reasons

    def _not_written(self, story: Story, player: str, row: str, number: object) -> set[str]:
        reasons = set()
        if row not in PRINTED or type(number) is not int:
            return {"bad-action"}
        place = place_of(row, number)
        if place is None:
            return {"no-such-field"}
        if story.rolls and row not in story.rolls[-1]:
            reasons |= {"row-not-called"}
        if story.rolls and player in self.players:
            called = sum(story.rolls[-1].values())
            reasons |= story.papers[player].why_not(place, called)
        return reasons

    def open_fields(self, player: str) -> set[tuple[str, int]]:
        """Every (row, field) in which the player may write now, by trying all twenty-seven."""
        return {
            (row, number)
            for row in PRINTED
            for number in range(1, 10)
            if not self.why_not({"do": "write", "by": player, "row": row, "field": number})
        }

    def every_action(self) -> list[dict[str, Any]]:
        """Everything that could ever be legal in any position, legal now or not."""
        faces = range(1, 7)
        throws: list[dict[str, int]] = [{}]
        for row in PRINTED:
            throws += [{**throw, row: value} for throw in throws for value in faces]
        actions: list[dict[str, Any]] = [{"do": "next"}]
        for player in self.players:
            actions.append({"do": "pass", "by": player})
            actions += [{"do": "roll", "by": player, "dice": throw} for throw in throws if throw]
            actions += [
                {"do": "write", "by": player, "row": row, "field": number}
                for row in PRINTED
                for number in range(1, 10)
            ]
        return actions

    def winners(self) -> list[str]:
        story = self.story()
        if not story.over:
            return []
        totals = {player: paper.score()["total"] for player, paper in story.papers.items()}
        return [player for player in self.players if totals[player] == max(totals.values())]
