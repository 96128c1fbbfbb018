"""A naive referee for Qwixx, written only from the facts, to judge the real rules.

It keeps the list of actions, and replays them from the first one on. Papers are dicts of sets of
struck numbers, and nothing is imported from the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

Action = dict[str, Any]
Paper = dict[str, Any]
"""`{"red": {2, 3}, …, "locks": {"red"}, "failed": 0}`"""

PRINTED = {
    "red": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    "yellow": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    "green": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
    "blue": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
}
WORTH = [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78]
"""Points by the number of crosses, as the facts list them."""


def paper_of(document: dict[str, Any]) -> Paper:
    return {
        **{row: set(document[row]) for row in PRINTED},
        "locks": set(document["locks"]),
        "failed": document["failed"],
    }


def document_of(paper: Paper) -> dict[str, Any]:
    rows = {row: [n for n in printed if n in paper[row]] for row, printed in PRINTED.items()}
    locks = [row for row in PRINTED if row in paper["locks"]]
    return {"sheet": "qwixx", **rows, "locks": locks, "failed": paper["failed"]}


def score_of(paper: Paper) -> dict[str, Any]:
    rows = {}
    for row, printed in PRINTED.items():
        # The lock without the last number scores nothing, and goes with it by itself.
        rows[row] = WORTH[len(paper[row]) + (1 if printed[10] in paper[row] else 0)]
    minus = paper["failed"] * 5
    return {"rows": rows, "failed": 0 - minus, "total": sum(rows.values()) - minus}


def faults_of(document: dict[str, Any]) -> set[tuple[str, str]]:
    """(code, row) of every problem of a sheet document."""
    found = set()
    for row, printed in PRINTED.items():
        ends = printed[10] in document[row]
        if ends and len([n for n in document[row] if n != printed[10]]) < 5:
            found.add(("needs-five", row))
        if ends and row not in document["locks"]:
            found.add(("lock-missing", row))
        if not ends and row in document["locks"]:
            found.add(("lock-without-last", row))
    return found


def strike_faults(paper: Paper, row: str, number: int) -> set[str]:
    """Why a printed number cannot be struck on this paper, dice and other players aside."""
    faults = set()
    order = PRINTED[row].index(number)
    if any(PRINTED[row].index(struck) >= order for struck in paper[row]):
        faults.add("not-ascending")
    if order == 10 and len(paper[row]) < 5:
        faults.add("needs-five")
    return faults


class Referee:
    """A game, known by its players and the list of what has happened."""

    def __init__(
        self,
        players: list[str],
        log: list[Action] | None = None,
        already: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        self.players = list(players)
        self.log = list(log or [])
        self.already = already or {}
        """Sheet documents with which a player starts; their locked rows are shut."""
        self._state, self._replayed = self._beginning(), 0

    def happens(self, action: Action) -> None:
        assert not self.why_not(action)
        self.log.append(action)

    def story(self) -> dict[str, Any]:
        """The state of the game; only the actions since the last time are replayed."""
        for action in self.log[self._replayed :]:
            self._apply(self._state, action)
        self._replayed = len(self.log)
        return self._state

    def _beginning(self) -> dict[str, Any]:
        blank = document_of({**dict.fromkeys(PRINTED, ()), "locks": (), "failed": 0})
        papers = {name: paper_of(self.already.get(name, blank)) for name in self.players}
        return {
            "papers": papers,
            "shut": {row for paper in papers.values() for row in paper["locks"]},
            **self._turn(1),
        }

    def _turn(self, number: int) -> dict[str, Any]:
        """A turn before its roll."""
        active = self.players[(number - 1) % len(self.players)]
        turn = {"turn": number, "active": active, "active crossed": False}
        return turn | {"phase": "roll", "white": [], "dice": {}, "done": []}

    def _apply(self, state: dict[str, Any], action: Action) -> None:
        what, who = action["do"], action.get("by", "")
        if what == "roll":
            entered = dict(action.get("dice", {}))
            state.update(phase="white", white=list(action["white"]), dice=entered)
            return
        if what == "cross":
            paper = state["papers"][who]
            paper[action["row"]].add(action["number"])
            if action["number"] == PRINTED[action["row"]][10]:
                paper["locks"].add(action["row"])
            if who == state["active"]:
                state["active crossed"] = True
        if what == "pass" and state["phase"] == "color" and not state["active crossed"]:
            state["papers"][who]["failed"] += 1
        if what in ("cross", "pass"):
            state["done"].append(who)
        everybody = len(state["done"]) == len(self.players)
        if what == "next" or state["phase"] == "color" or everybody:
            self._end_of_step(state)

    def _end_of_step(self, state: dict[str, Any]) -> None:
        for paper in state["papers"].values():
            state["shut"] |= paper["locks"]
        for row in state["shut"]:
            state["dice"].pop(row, None)
        four = any(paper["failed"] == 4 for paper in state["papers"].values())
        if four or len(state["shut"]) >= 2:
            state["phase"] = "over"
        elif state["phase"] == "white":
            state.update(phase="color", done=[])
        else:
            state.update(self._turn(state["turn"] + 1))

    def awaited(self) -> list[str]:
        """The players who may still act, the active one first and then clockwise."""
        state = self.story()
        if state["phase"] == "over":
            return []
        if state["phase"] == "color":
            return [state["active"]]
        at = self.players.index(state["active"])
        round_ = self.players[at:] + self.players[:at]
        return [name for name in round_ if name not in state["done"]]

    def winners(self) -> list[str]:
        state = self.story()
        if state["phase"] != "over":
            return []
        totals = {name: score_of(paper)["total"] for name, paper in state["papers"].items()}
        return [name for name in self.players if totals[name] >= max(totals.values())]

    def why_not(self, action: Any) -> set[str]:
        """Every code with which this may be refused; none when it is legal."""
        what, state = action["do"], self.story()
        if what not in ("roll", "cross", "pass", "next"):
            return {"bad-action"}
        reasons = {"game-over"} if state["phase"] == "over" else set()
        if what == "next":
            if state["active"] not in state["done"]:
                reasons.add("active-must-act")
            return reasons
        who = action["by"]
        if not isinstance(who, str):
            return reasons | {"bad-action"}
        if who not in self.players:
            return reasons | {"unknown-player"}
        if what == "roll":
            return reasons | self._why_not_roll(state, who, action)
        if state["phase"] == "roll":
            reasons.add("wrong-moment")
        if state["phase"] == "color" and who != state["active"]:
            reasons.add("not-your-turn")
        if state["phase"] == "white" and who in state["done"]:
            reasons.add("already-acted")
        return reasons | (self._why_not_cross(state, who, action) if what == "cross" else set())

    def _why_not_roll(self, state: dict[str, Any], who: str, action: Action) -> set[str]:
        reasons = set()
        if who != state["active"]:
            reasons.add("not-your-turn")
        if state["phase"] != "roll":
            reasons.add("wrong-moment")
        white, dice = action["white"], action.get("dice", {})
        shown = [*white, *dice.values()]
        if any(not 1 <= value <= 6 for value in shown):
            reasons.add("bad-dice")
        if len(white) != 2 or set(dice) - (set(PRINTED) - state["shut"]):
            reasons.add("bad-dice")
        return reasons

    def _why_not_cross(self, state: dict[str, Any], who: str, action: Action) -> set[str]:
        row, number = action["row"], action["number"]
        if row not in PRINTED or type(number) is not int:
            return {"bad-action"}
        reasons = {"row-closed"} if row in state["shut"] else set()
        if number not in self._sums(state, row):
            reasons.add("not-the-sum")
        if number in PRINTED[row]:
            reasons |= strike_faults(state["papers"][who], row, number)
        return reasons

    def _sums(self, state: dict[str, Any], row: str) -> set[int]:
        if state["phase"] == "white":
            return {sum(state["white"])}
        if state["phase"] == "color" and row in state["dice"]:
            return {state["dice"][row] + white for white in state["white"]}
        if state["phase"] == "color" and row not in state["shut"]:
            # Nobody entered the die: it may show anything.
            return {die + white for white in state["white"] for die in range(1, 7)}
        return set()

    def every_entry(self) -> Iterator[Action]:
        """Everything but a roll that could ever be legal."""
        yield {"do": "next"}
        for who in self.players:
            yield {"do": "pass", "by": who}
            for row, number in product(PRINTED, range(2, 13)):
                yield {"do": "cross", "by": who, "row": row, "number": number}
