"""Playing actions of any game, one by one, and what is said of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.words import english
from companion.games.record import play_action
from companion.tables import Entry

Action = dict[str, Any]
P = TypeVar("P", bound=Position)

NEXT: Action = {"do": "next"}


def passes(by: str) -> Action:
    return {"do": "pass", "by": by}


def after(position: P, *actions: Action) -> P:
    """The position after actions that must all be allowed."""
    for action in actions:
        result = position.play(action)
        assert not isinstance(result, Refusal), f"{action} was refused: {result.message}"
        position = result
    return position


def code(position: Position, action: object) -> str | None:
    """The code with which the action is refused, or None when it is allowed."""
    result = play_action(position, action)
    if not isinstance(result, Refusal):
        return None
    assert result.message.strip(), "every refusal can be said"
    return result.code


def said(sentence: Any) -> str:
    """A sentence or refusal in English."""
    return str(sentence.translated(english, " or "))


def entry(action: Action, turn: int = 1, name: str = "an-entry") -> Entry:
    """An action as a table has it."""
    return Entry(name, action, action.get("by"), turn, "", "", datetime.now(UTC), False)
