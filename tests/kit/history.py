"""Games on paper, to put into a history."""

from __future__ import annotations

from typing import Any

from companion.tables import Tables
from tests.kit.games import SARAH

EMPTY: dict[str, Any] = {**SARAH, **dict.fromkeys(("orange", "yellow", "purple"), [None] * 9)}
"""A Qwinto sheet with two failed attempts and nothing else: -10 points."""
TALLY: dict[str, Any] = {
    "sheet": "tally",
    "players": ["Ada", "Ben"],
    "rounds": [[12, 30], [7, 0]],
}


def paper(tables: Tables, who: str, *names: str, **more: Any) -> str:
    """A game of Qwinto on paper, won by the first one."""
    sheets = [(name, EMPTY if place else SARAH) for place, name in enumerate(names)]
    return tables.history.add_paper_game(who, "qwinto-dice", sheets, **more)
