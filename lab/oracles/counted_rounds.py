"""A naive referee of one round of each known game, from a short form of the usual rules.

It has its own numbers, and reads nothing from the table of known games.
"""

from __future__ import annotations

from typing import Any

Action = dict[str, Any]

BIDS, TAKES, LOSES, CLOSES, ADDS_UP, PHASES = (
    "bids",
    "takes",
    "loses",
    "closes",
    "adds up",
    "phases",
)

HOW = {
    "wizard": BIDS,
    "skull-king": BIDS,
    "uno": TAKES,
    "rummy": TAKES,
    "rummikub": LOSES,
    "skyjo": CLOSES,
    "hearts": ADDS_UP,
    "doppelkopf": ADDS_UP,
    "skat": ADDS_UP,
    "phase-10": PHASES,
}


class Round:
    """The answers of one round, as they were given."""

    def __init__(self, game: str, players: list[str], number: int) -> None:
        self.game, self.how, self.players, self.number = game, HOW[game], players, number
        self.said: dict[str, dict[str, int]] = {
            what: {} for what in ("bid", "tricks", "bonus", "phase", "points")
        }
        self.out: str | None = None

    def asks(self) -> tuple[str, list[str]]:
        """The next question, and its players; none when the round is over."""
        said = self.said
        if self.how == BIDS:
            for what in ("bid", "tricks"):
                if left := [name for name in self.players if name not in said[what]]:
                    return what, left
            right = [name for name in self.players if said["bid"][name] == said["tricks"][name]]
            left = [name for name in right if name not in said["bonus"]]
            return "bonus", left if self.game == "skull-king" else []
        if self.how == PHASES and len(said["phase"]) < len(self.players):
            return "phase", [name for name in self.players if name not in said["phase"]]
        if self.how in (TAKES, LOSES, CLOSES) and self.out is None:
            return "closed", self.players
        counted = [self.out] if self.how in (TAKES, LOSES) else []
        left = [name for name in self.players if name not in said["points"] and name not in counted]
        return "points", left

    def limits(self, what: str) -> tuple[int, int]:
        if what in ("bid", "tricks"):
            return 0, self.number
        if self.game == "skyjo":
            return -17, 140
        if self.game == "hearts":
            return 0, 26
        return -99 if self.game in ("doppelkopf", "skat") else 0, 99

    def total(self, what: str) -> int | None:
        """The expected sum of the answers."""
        if what == "points" and self.how == ADDS_UP:
            return 26 if self.game == "hearts" else 0
        return self.number if what == "tricks" else None

    def adds_up(self, what: str, name: str, number: int) -> bool:
        """Whether the others can still answer so that the sum is right."""
        total = self.total(what)
        if total is None:
            return True
        so_far = sum(self.said[what].values()) + number
        others = [other for other in self.asks()[1] if other != name]
        if self.game == "skull-king":
            return so_far <= total
        if not others:
            return so_far == total
        if self.game in ("doppelkopf", "skat"):
            return True
        return so_far <= total <= so_far + len(others) * self.limits(what)[1]

    def answers(self, what: str, name: str, number: int) -> None:
        if what == "closed":
            self.out = name
            return
        self.said[what][name] = number
        total, left = self.total(what), [n for n in self.players if n not in self.said[what]]
        if total is None or self.game == "skull-king":
            return
        missing = total - sum(self.said[what].values())
        if len(left) == 1:
            self.said[what][left[0]] = missing
        elif missing == 0 and self.game not in ("doppelkopf", "skat"):
            for other in left:
                self.said[what][other] = 0

    def points(self) -> dict[str, int]:
        return {
            name: getattr(self, f"_{self.how.replace(' ', '_')}")(name) for name in self.players
        }

    def _bids(self, name: str) -> int:
        bid, tricks = self.said["bid"][name], self.said["tricks"][name]
        off = abs(bid - tricks)
        if self.game == "wizard":
            return -10 * off if off else 20 + 10 * tricks
        if bid == 0:
            points = -10 * self.number if off else 10 * self.number
        else:
            points = -10 * off if off else 20 * tricks
        return points + self.said["bonus"].get(name, 0)

    def _takes(self, name: str) -> int:
        return sum(self.said["points"].values()) if name == self.out else 0

    def _loses(self, name: str) -> int:
        return self._takes(name) if name == self.out else -self.said["points"][name]

    def _closes(self, name: str) -> int:
        own = self.said["points"][name]
        others = [n for other, n in self.said["points"].items() if other != name]
        is_lowest = all(own < number for number in others)
        return own if name != self.out or is_lowest or own <= 0 else own * 2

    def _adds_up(self, name: str) -> int:
        written = self.said["points"]
        if self.game == "hearts" and max(written.values()) == 26:
            return 0 if written[name] == 26 else 26
        return written[name]

    def _phases(self, name: str) -> int:
        return self.said["points"][name]
