"""The settings of a table: one row each, from which its events, the fold and the lobby follow.

Only the host changes a setting, at any time. The code that reads a value decides what it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

_SWITCH: Final = (False, True)


def _row(default: Any, choices: tuple[Any, ...] = _SWITCH, key: str = "on") -> Any:
    """A setting.

    Args:
        choices: the values that it may have.
        key: the field of its events' body; the events' kind is the setting's name with hyphens.
    """
    return field(default=default, metadata={"choices": choices, "key": key})


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """The host's choices for the whole table."""

    shared_entry: bool = _row(True)
    """Whether every player may write for every seat."""
    hints: bool = _row(False)
    """Whether pages point out what the rules let a player miss."""
    scores: bool = _row(True)
    """Whether pages show points before the end."""
    roller: bool = _row(False)
    """Whether the app rolls dice for players who ask."""
    turn_timer: int = _row(0, (0, 30, 45, 60, 90, 120), key="seconds")
    """Seconds that pages count down in each turn; 0 without a timer."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of `TableSettings`."""

    name: str
    choices: tuple[Any, ...]
    key: str
    """The field of its events' body."""

    @property
    def kind(self) -> str:
        """The kind of the events that note a new value."""
        return self.name.replace("_", "-")

    def changes(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The field of a state that an event changes, and its value."""
        return {self.name: body[self.key]}


SETTINGS: Final[Mapping[str, Setting]] = {
    row.name: Setting(row.name, **row.metadata) for row in fields(TableSettings)
}
"""Name → setting."""


def settings_of(state: TableSettings) -> dict[str, Any]:
    """The values of all settings by name."""
    return {name: getattr(state, name) for name in SETTINGS}
