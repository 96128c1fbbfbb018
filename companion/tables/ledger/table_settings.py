"""The settings of a table, a row each; events, fold, lobby, menu and log lines follow from it.

Only the host changes a setting, at any time. The code that reads a value decides what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, TypeAlias

from companion.core.game import Game
from companion.core.words import N_, Sentence

# The words of a setting's switch in the menu; None for a game whose menu lacks it
Label: TypeAlias = Callable[[Game], Sentence | None]

CONCEALED: Final = Sentence("Others' entries appear after your own")


def _row(
    default: Any,
    label: Label,
    log_texts: tuple[str, str],
    choices: tuple[Any, ...] = (False, True),
    key: str = "on",
) -> Any:
    """A setting.

    Args:
        log_texts: what the host did, for the log: when it was turned off, and when it was set.
        choices: the values that it may have.
        key: the field of its events' body; the events' kind is the setting's name with hyphens.
    """
    row = {"label": label, "log_texts": log_texts, "choices": choices, "key": key}
    return field(default=default, metadata=row)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """The host's choices for the whole table."""

    # Whether every player may write for every seat
    shared_entry: bool = _row(
        True,
        lambda game: Sentence("Every phone may write on every sheet"),
        (
            N_("lets everybody write on their own sheet only"),
            N_("lets everybody write on every sheet"),
        ),
    )
    # Whether pages show points before the end
    scores: bool = _row(
        True,
        lambda game: Sentence("Points are shown during the game"),
        (N_("hides the points until the end"), N_("lets everybody see the points")),
    )
    # Whether a device sees what others write in a step when its own players have acted
    concealed: bool = _row(
        False,
        lambda game: CONCEALED if game.all_act_at_once else None,
        (
            N_("shows everybody each entry right away"),
            N_("hides the others' entries until you have made your own"),
        ),
    )
    # Whether the app rolls dice for players who ask
    roller: bool = _row(
        False,
        lambda game: Sentence("The app can roll the dice") if game.has_dice else None,
        (N_("stops the app from rolling the dice"), N_("lets the app roll the dice")),
    )
    # Whether a phone of several players shows a page between two of them
    handing: bool = _row(
        False,
        lambda game: Sentence("One phone for all: a page says who gets it"),
        (
            N_("switched off the page that says who gets the phone"),
            N_("switched on the page that says who gets the phone"),
        ),
    )
    # Whether pages point out what the rules let a player miss
    hints: bool = _row(
        False,
        lambda game: game.panel.hint_name,
        (N_("switched the hints off"), N_("switched the hints on")),
    )
    # Whether pages ask for dice that a roll may leave out
    all_dice: bool = _row(
        False,
        lambda game: game.panel.full_roll_name,
        (
            N_("lets the phones ask only for the dice that everybody needs"),
            N_("lets the phones ask for all dice"),
        ),
    )
    # Seconds that pages count down in each turn; 0 without a timer, which has a list of its own in
    # the menu.
    turn_timer: int = _row(
        0,
        lambda game: None,
        (N_("switched the timer off"), N_("set the timer: %(seconds)s seconds a turn")),
        choices=(0, 30, 45, 60, 90, 120),
        key="seconds",
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of `TableSettings`."""

    name: str
    label: Label
    log_texts: tuple[str, str]
    choices: tuple[Any, ...]
    key: str  # the field of its events' body

    @property
    def kind(self) -> str:
        """The kind of the events that note a new value."""
        return self.name.replace("_", "-")

    def changes(self, _state: object, body: Mapping[str, Any]) -> dict[str, Any]:
        """The field of a state that an event changes, and its value."""
        return {self.name: body[self.key]}

    def description(self, body: Mapping[str, Any]) -> Sentence:
        """The host's act in an event."""
        return Sentence(self.log_texts[bool(body[self.key])], body)


# Name → setting, in the menu's order
SETTINGS: Final[Mapping[str, Setting]] = {
    row.name: Setting(row.name, **row.metadata) for row in fields(TableSettings)
}
SETTING_KINDS: Final[Mapping[str, Setting]] = {
    setting.kind: setting for setting in SETTINGS.values()
}


def settings_of(state: TableSettings) -> dict[str, Any]:
    return {name: getattr(state, name) for name in SETTINGS}
