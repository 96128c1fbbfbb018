"""`Game`: a game's description, as the rest of the program sees it."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from companion.core import turns
from companion.core.guide import Guide
from companion.core.panel import Panel
from companion.core.position import Position, Turn
from companion.core.refusal import Unusable
from companion.core.result import Result
from companion.core.rolling import Dice
from companion.core.sheet import AnySheetKind, FilledSheet
from companion.core.values import Action, Document, Player, is_whole
from companion.core.words import Sentence

P = TypeVar("P", bound=Position)


class GameKind(ABC, Generic[P]):
    """The description of a game whose positions are `P`; a game overrides what it does its way."""

    name: str  # the public name, as in a record's `game`
    title: str  # the name for people; marked for translation
    min_players: int
    max_players: int

    options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Option name → allowed values; the first one is the default."""

    position: Callable[..., P]
    sheet: AnySheetKind
    """The kind of sheet that the game is played on. Games may share one."""

    count_name: str = ""
    """The name of a player's count in documents of a game without sheets; "" where there are."""

    count_question: Sentence = Sentence("How many does everybody have at the end?")
    """The question for everybody's count."""

    most_counted: int = 0  # limit of that count
    panel: Panel[P]
    guide: Guide[P]

    close: Action | None = turns.CLOSE
    """The action that closes the step for all who have not acted; None where there is none.

    It is allowed once the active player has acted.
    """

    lowest_wins: bool = False
    bgg_id: int | None = None  # BoardGameGeek's number of the game, if it is known

    def start(self, players: tuple[Player, ...], options: Mapping[str, str]) -> P:
        """The first position: an empty sheet with these options for everybody."""
        sheet = self.sheet.written(*(options[name] for name in self.options))
        return self.position(now=Turn(players), sheets=(sheet,) * len(players))

    def skip(self, player: Player) -> dict[str, Any] | None:
        """The action by which a player lets the step go by; None where a step is not closed.

        It takes the place of an act that no longer fits after a correction and cannot be adapted.
        """
        return turns.skip(player) if self.close else None

    def adapt(self, position: P, action: Action) -> dict[str, Any] | None:
        """An action that does not fit the position, as it has to be there.

        A correction may change the shape of a later entry, such as the dice that are rolled again.
        None where the action alone does not tell.
        """
        return None

    def dice(self, position: P) -> Dice | None:
        """The dice that the active player may roll now, or None."""
        return None

    def best(self, totals: Iterable[int]) -> int:
        """The best of these totals, at least one."""
        return min(totals) if self.lowest_wins else max(totals)

    @property
    def has_dice(self) -> bool:
        """Whether it is a game of dice."""
        return type(self).dice is not GameKind.dice

    def rating(self, total: int) -> Sentence | None:
        """The rating by the rules of a game that was played alone; None without ratings."""
        return None

    @property
    def has_sheet(self) -> bool:
        """Whether each player has a sheet; else a player has a count."""
        return not self.count_name

    def read_count(self, document: Mapping[str, object]) -> tuple[Document, Result]:
        """(checked document, result) of `Position.sheet` in a game without sheets.

        Raises:
            Unusable: the count is missing, or nobody can have it.
        """
        name, most = self.count_name, self.most_counted
        count = document.get(name)
        if not is_whole(count) or not 0 <= count <= most:
            raise Unusable(f"'{name}' must be a whole number from 0 to {most}.")
        return {name: count}, Result(count)

    def filled(self, position: P, player: Player) -> FilledSheet | None:
        """The player's sheet; None in a game without sheets."""
        return FilledSheet(self.sheet, position.sheet_of(player)) if self.has_sheet else None

    @property
    def room(self) -> str:
        """The name of the game's folders in `companion`, `templates`, `static` and `tests`."""
        return self.name.replace("-", "_")

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms with the game's styles: its sheet's, which games may share, and its own."""
        return tuple(dict.fromkeys((self.sheet.name, self.room)))


Game: TypeAlias = GameKind[Any]
