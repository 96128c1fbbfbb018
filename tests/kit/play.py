"""Playing actions of any game, one by one, and what is said of them."""

from __future__ import annotations

from collections.abc import Container
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

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


class Judge(Protocol):
    """The part of a referee that knows what is legal."""

    def why_not(self, action: Any) -> Container[str]:
        """The codes with which an action may be refused; empty when it is legal."""

    def happens(self, action: Any) -> None:
        """Takes a legal action down."""


def play_both(position: P, referee: Judge, action: Any, codes: Container[str]) -> P:
    """Plays on both sides; they must agree on what is legal, and on the code if it is not."""
    reasons, refused = referee.why_not(action), code(position, action)
    if refused is not None:
        assert refused in reasons, f"{refused}, but {reasons or 'legal'}: {action}"
        assert refused in codes
        return position
    assert not reasons, f"illegal action accepted, in spite of {reasons}: {action}"
    referee.happens(action)
    return after(position, action)


def said(sentence: Any) -> str:
    """A sentence or refusal in English."""
    return str(sentence.translated(english, " or "))


def entry(action: Action, turn: int = 1, name: str = "an-entry") -> Entry:
    """An action as a table has it."""
    return Entry(name, action, action.get("by"), turn, "", "", datetime.now(UTC), False)
