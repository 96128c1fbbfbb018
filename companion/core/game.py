"""`Game`: a game's description, as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from companion.core.guide import Guide
from companion.core.panel import Panel
from companion.core.position import Position
from companion.core.result import Result
from companion.core.rolling import Dice
from companion.core.sheet import AnySheetKind, FilledSheet
from companion.core.values import Action, Document, Player
from companion.core.words import Sentence


@dataclass(frozen=True)
class Game:
    """The static description of a game."""

    name: str
    """The public name, as in a record's `game`."""

    title: str
    """The name for people; marked for translation."""

    min_players: int
    max_players: int

    start: Callable[[tuple[Player, ...], Mapping[str, str]], Position]
    """The first position. Players and options have been checked against this description."""

    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Option name → allowed values; the first one is the default."""

    _: KW_ONLY

    sheet: AnySheetKind
    """The kind of sheet that the game is played on. Games may share one."""

    panel: Panel

    skip: Callable[[Player], dict[str, Any]] | None = None
    """The action by which a player lets the step go by; None where nobody can.

    It takes the place of an entry that no longer fits after a correction and cannot be adapted.
    """

    adapt: Callable[[Any, Action], dict[str, Any] | None] | None = None
    """(position, an action that does not fit there) → the same action as it has to be there.

    A correction may change the shape of a later entry, such as the dice that are rolled again.
    None where the action alone does not tell.
    """

    close: Action | None = None
    """The action that closes the step for all who have not acted; None where there is none.

    It is allowed once the active player has acted.
    """

    read_result: Callable[[Mapping[str, object]], tuple[Document, Result]] | None = None
    """Parses `Position.sheet` of a game without paper; returns (checked document, result).

    None for a game with paper sheets. Raises `Unusable`.
    """

    rating: Callable[[int], Sentence] | None = None
    """(total of a game that was played alone) → its rating by the rules; None without ratings."""

    counted: Callable[[int], Document] | None = None
    """A player's final count → the document for `read_result`, for a game that is only counted.

    None where a count is no result. Raises `Unusable` for a count that nobody can have.
    """

    dice: Callable[[Any], Dice | None] | None = None
    """(position) → the dice that the active player may roll now, or None; None without dice."""

    guide: Guide = field(default_factory=Guide)
    """The rules in short."""

    bgg_id: int | None = None
    """BoardGameGeek's number of the game, if it is known."""

    def filled(self, position: Position, player: Player) -> FilledSheet | None:
        """The player's sheet; None in a game without sheets."""
        return FilledSheet(self.sheet, position.sheet_of(player)) if self.panel.has_sheet else None

    @property
    def room(self) -> str:
        """The name of the game's folders in `companion`, `templates`, `static` and `tests`."""
        return self.name.replace("-", "_")

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms with the game's styles: its sheet's, which games may share, and its own."""
        return tuple(dict.fromkeys((self.sheet.name, self.room)))
