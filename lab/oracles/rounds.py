"""A naive referee of rounds: the log of all actions, from which everything is recounted."""

from __future__ import annotations

from typing import Any

Action = dict[str, Any]

MOST = {"to": 99_999, "rounds": 999}  # limits of numbers that are set
SWITCHES = ("lowest", "starter")


class Score:
    """A game's score as the log leaves it, kept as on paper."""

    def __init__(self, players: list[str], options: dict[str, Any], log: list[Action]) -> None:
        self.everybody = list(players)
        self.left: list[str] = []
        self.written: dict[str, list[int | None]] = {name: [] for name in players}
        self.open: dict[str, int] = {}  # the points of the round that is not complete yet
        self.closed = 0
        self.starter = players[0]
        self.reason = ""  # why the game is over; "" while it is not
        self.is_full = False  # whether the last round ended it, so that none was begun
        self.said: str | None = None
        self.set = {"lowest": False, "to": 0, "rounds": 0, "starter": True, **options}
        for action in log:
            getattr(self, f"_{action['do']}")(action)

    @property
    def here(self) -> list[str]:
        return [name for name in self.everybody if name not in self.left]

    def total(self, name: str) -> int:
        return sum(number for number in self.written[name] if number) + self.open.get(name, 0)

    @property
    def end(self) -> str:
        best = max(self.total(name) for name in self.here)
        if self.set["to"] and best >= self.set["to"]:
            return "points"
        return "rounds" if self.set["rounds"] and self.closed >= self.set["rounds"] else ""

    def pass_on(self) -> None:
        """The next person clockwise who is still there starts."""
        order = self.everybody
        place = order.index(self.starter)
        self.starter = next(name for name in (order[place + 1 :] + order) if name not in self.left)

    def _points(self, action: Action) -> None:
        self.open[action["by"]] = action["points"]
        if len(self.open) < len(self.here):
            return
        for name, number in self.open.items():
            self.written[name].append(number)
        self.open, self.closed = {}, self.closed + 1
        self.reason = self.end
        self.is_full = bool(self.reason)
        if not self.reason:
            self.pass_on()

    def _end(self, action: Action) -> None:
        self.reason = "by hand"

    def _won(self, action: Action) -> None:
        self.said = action["by"]

    def _set(self, action: Action) -> None:
        changed = {name: value for name, value in action.items() if name != "do"}
        if changed.get("lowest", self.set["lowest"]) != self.set["lowest"]:
            self.said = None
        self.set |= changed
        if self.reason == "by hand" or self.open or not {"to", "rounds"} & changed.keys():
            return
        was, self.reason = self.reason, self.end if self.closed else ""
        if was and not self.reason:
            self.said = None
            if self.is_full:
                self.pass_on()
                self.is_full = False

    def _join(self, action: Action) -> None:
        name = action["player"]
        totals = [self.total(other) for other in self.here]
        if name in self.left:
            self.left.remove(name)
        elif name not in self.everybody:
            self.everybody.append(name)
        numbers = self.written.setdefault(name, [])
        missed = self.closed - len(numbers)
        begins_at = None
        if action["points"] == "mean" and missed:
            begins_at = round_half_up(sum(totals), len(totals)) - self.total(name)
        numbers += [None] * (missed - 1) + [begins_at] * (missed > 0)

    def _leave(self, action: Action) -> None:
        self.left.append(action["player"])
        if self.starter in self.left:
            self.pass_on()


def round_half_up(total: int, count: int) -> int:
    whole, rest = divmod(total, count)
    return whole + (2 * rest >= count)


class Referee:
    """A game as the list of what was accepted."""

    def __init__(
        self,
        players: list[str],
        log: list[Action] | None = None,
        already: dict[str, Any] | None = None,
    ) -> None:
        """A game; `already` are its options."""
        self.players = players
        self.log = log or []
        self.already = already or {}

    @property
    def score(self) -> Score:
        return Score(self.players, self.already, self.log)

    @property
    def winners(self) -> list[str]:
        """The players with the most or fewest points, once it is over; or who won a tie of them."""
        score = self.score
        if score.said:
            return [score.said]
        totals = [score.total(name) for name in score.here]
        best = min(totals) if score.set["lowest"] else max(totals)
        return [name for name in score.here if score.reason and score.total(name) == best]

    def why_not(self, action: Any) -> set[str]:
        """The codes for which an action may be refused; none where it is legal."""
        score = self.score
        do, by, points = action.get("do"), action.get("by"), action.get("points")
        if do == "set":
            return self._why_not_set(action, score)
        if do in ("join", "leave"):
            return self._why_not_come_or_go(action, score)
        if do not in ("points", "end", "won"):
            return {"bad-action"}
        if do == "end":
            if score.reason:
                return {"game-over"}
            return {"wrong-moment"} if score.open or not score.closed else set()
        if not isinstance(by, str):
            return {"bad-action"}
        found = set() if by in score.everybody else {"unknown-player"}
        if by in score.left:
            found |= {"wrong-moment"}
        if score.reason:
            found |= {"game-over"}
        if do == "won":
            is_tied = len(self.winners) > 1 and by in self.winners
            return found - {"game-over"} if is_tied else found | {"wrong-moment", "already-acted"}
        if by in score.open:
            found |= {"already-acted"}
        if isinstance(points, bool) or not isinstance(points, int):
            found |= {"bad-action"}
        elif points < -99999 or points > 99999:
            found |= {"points-out-of-range"}
        return found

    def _why_not_set(self, action: Any, score: Score) -> set[str]:
        found = set() if len(action) > 1 else {"bad-action"}
        for name, value in action.items():
            if name in SWITCHES:
                is_right = isinstance(value, bool)
            elif name in MOST:
                is_number = isinstance(value, int) and not isinstance(value, bool)
                is_right = is_number and 0 <= value <= MOST[name]
            else:
                is_right = name == "do"
            found |= set() if is_right else {"bad-action"}
        is_new = any(score.set.get(name) != value for name, value in action.items() if name != "do")
        return found if is_new else found | {"already-acted"}

    def _why_not_come_or_go(self, action: Any, score: Score) -> set[str]:
        name, points = action.get("player"), action.get("points")
        if not isinstance(name, str):
            return {"bad-action"}
        found = {"game-over"} if score.reason else set()
        if score.open:
            found |= {"wrong-moment"}
        if action["do"] == "leave":
            if name not in score.everybody:
                found |= {"unknown-player"}
            if name in score.left or len(score.here) == 1:
                found |= {"wrong-moment"}
            return found
        if points != "mean" and (points != 0 or isinstance(points, (bool, float))):
            found |= {"bad-action"}
        if name in score.here:
            found |= {"already-acted"}
        if name not in score.everybody and len(score.everybody) == 12:
            found |= {"wrong-moment"}
        return found

    def happens(self, action: Action) -> None:
        self.log.append(action)
