"""What a game adds to the table page: which fields take a tap, and how its actions are told.

A panel says what is shown; the template that it names says how. It holds no rules: it asks the
position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from companion.games.core import Action, Player, Sentence
from companion.tables import Entry

FieldId: TypeAlias = str


@dataclass(frozen=True)
class FieldTap:
    """What a tap on a field sends, and whether the rules allow it now."""

    tap: str
    """The action but for `by`, as `do key=value …`; `static/app.js` reads it."""
    is_open: bool
    ghost: str
    """What would stand there."""

    def action(self, by: Player) -> dict[str, Any]:
        """The action that the tap sends, as `static/app.js` makes it."""
        do, *pairs = self.tap.split(" ")
        values = dict(pair.split("=", 1) for pair in pairs)
        whole = {name: int(text) for name, text in values.items() if text.isdigit()}
        return {"do": do, "by": by, **values, **whole}


@dataclass(frozen=True)
class Panel:
    """One game's part of the table page. A position given to it is one of its game."""

    template: str
    """The part of the page with the call and what the active player taps in."""

    facts: Callable[[Any, Sequence[Entry]], Mapping[str, object]]
    """(position, the game's entries) → what the template needs."""

    taps: Callable[[Any, Player], Mapping[FieldId, FieldTap]]
    """(position, player) → the fields of the player's sheet that can be tapped."""

    passing: Callable[[Any, Player], Sentence | None]
    """(position, player) → what the button for passing says; None where nobody may pass now."""

    describe: Callable[[Any, Action], Sentence]
    """(position before it or None, action) → the action in words."""

    hint: Callable[[Any], Sentence]
    """What the table waits for."""

    picker: Callable[[Any, Entry], Mapping[str, object] | None]
    """(position before it, entry) → what the template's `picker` macro needs to tap the entry in
    anew; None for an entry that is a tap on the sheet."""
