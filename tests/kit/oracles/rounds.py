"""A naive referee of rounds: the log of all actions, from which everything is counted anew."""

from __future__ import annotations

from typing import Any

Action = dict[str, Any]


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

    def points(self, name: str) -> list[int]:
        """All that a player has typed, round by round."""
        typed = [action for action in self.log if action["do"] == "points"]
        return [action["points"] for action in typed if action["by"] == name]

    @property
    def closed(self) -> int:
        """How many rounds everybody has points in."""
        return min(len(self.points(name)) for name in self.players)

    @property
    def open(self) -> list[str]:
        """The players with points in a round that others have none in."""
        return [name for name in self.players if len(self.points(name)) > self.closed]

    def total(self, name: str) -> int:
        return sum(self.points(name))

    @property
    def reason(self) -> str:
        """Why the game is over; "" while it is not."""
        if any(action["do"] == "end" for action in self.log):
            return "by hand"
        if self.open or not self.closed:
            return ""
        to, last = self.already.get("to", 0), self.already.get("rounds", 0)
        if to and any(self.total(name) >= to for name in self.players):
            return "points"
        return "rounds" if last and self.closed >= last else ""

    @property
    def winners(self) -> list[str]:
        """Who has the most or the fewest, once it is over; or who has won that tie."""
        if self.log and self.log[-1]["do"] == "won":
            return [self.log[-1]["by"]]
        totals = [self.total(name) for name in self.players]
        best = min(totals) if self.already.get("lowest") else max(totals)
        return [name for name in self.players if self.reason and self.total(name) == best]

    def why_not(self, action: Any) -> set[str]:
        """The codes for which an action may be refused; none where it is legal."""
        do, by, points = action.get("do"), action.get("by"), action.get("points")
        if do not in ("points", "end", "won"):
            return {"bad-action"}
        if do == "end":
            if self.reason:
                return {"game-over"}
            return {"wrong-moment"} if self.open or not self.closed else set()
        if not isinstance(by, str):
            return {"bad-action"}
        found = set() if by in self.players else {"unknown-player"}
        if self.reason:
            found |= {"game-over"}
        if do == "won":
            is_tied = len(self.winners) > 1 and by in self.winners
            return found - {"game-over"} if is_tied else found | {"wrong-moment", "already-acted"}
        if by in self.open:
            found |= {"already-acted"}
        if isinstance(points, bool) or not isinstance(points, int):
            found |= {"bad-action"}
        elif points < -99999 or points > 99999:
            found |= {"points-out-of-range"}
        return found

    def happens(self, action: Action) -> None:
        self.log.append(action)
