"""A game as everybody but its own rules knows it: what it is called, who may play it, its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from companion.core.panel import Panel
from companion.core.position import Position
from companion.core.result import Result
from companion.core.sheet import AnySheetKind, FilledSheet
from companion.core.values import Action, Document, Player


@dataclass(frozen=True)
class Game:
    """What there is to know about a game before it begins."""

    name: str
    """The public name, as in a record's `game`."""

    title: str
    """What people call it; marked for translation."""

    min_players: int
    max_players: int

    start: Callable[[tuple[Player, ...], Mapping[str, str]], Position]
    """The first position. Players and options have been checked against this description."""

    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Option name → allowed values; the first one is the default."""

    _: KW_ONLY

    sheet: AnySheetKind
    """The kind of sheet that is written on. Games may share one."""

    panel: Panel

    skip: Callable[[Player], dict[str, Any]] | None = None
    """The action by which a player lets the step go by; None where nobody can.

    It takes the place of an entry that no longer fits after a correction and cannot be adapted.
    """

    adapt: Callable[[Any, Action], dict[str, Any] | None] | None = None
    """(position, an action that does not fit there) → what the same action has to be there.

    A correction may change what a later entry has to look like, such as which dice are rolled.
    None where nothing follows from the action alone.
    """

    close: Action | None = None
    """The action that closes the step for all who have not acted; None where there is none.

    It is allowed once the active player has acted.
    """

    read_result: Callable[[Mapping[str, object]], tuple[Document, Result]] | None = None
    """What `Position.sheet` gives, where that is no sheet → the same checked, and its result.

    None where every player has a sheet. Raises `Unusable`.
    """

    bgg_id: int | None = None
    """BoardGameGeek's number, where somebody has looked it up."""

    def filled(self, position: Position, player: Player) -> FilledSheet | None:
        """The player's sheet; None in a game without sheets."""
        return FilledSheet(self.sheet, position.sheet_of(player)) if self.panel.has_sheet else None

    @property
    def room(self) -> str:
        """The name of the game's folders in `companion`, `templates`, `static` and `tests`."""
        return self.name.replace("-", "_")

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms that say how it looks: its sheet's, which games may share, and its own."""
        return tuple(dict.fromkeys((self.sheet.name, self.room)))
