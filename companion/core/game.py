"""`Game`: a game's description, as the rest of the program sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from companion.core import turns
from companion.core.guide import Guide
from companion.core.numbers import out_of_range
from companion.core.panel import Panel
from companion.core.position import Position, Turn
from companion.core.refusal import NewerRules, Refusal, Unusable
from companion.core.result import Result
from companion.core.sheet import AnySheetKind, FilledSheet
from companion.core.values import Action, Columns, Document, Options, Player, is_whole
from companion.core.words import Sentence

P = TypeVar("P", bound=Position)

MOST_DIGITS: Final = 6  # in the text of an option that is a number


class GameKind(ABC, Generic[P]):
    """The description of a game with positions `P`; a game overrides its differences."""

    name: str  # the public name, as in a record's `game`
    title: str  # the name for people; marked for translation
    min_players: int
    max_players: int

    # Option name → allowed values, as a tuple or a range whose first one is the default. A function
    # stands for any text that it leaves as it is, and "" is the default.
    options: ClassVar[Mapping[str, Any]] = {}

    # The same for options that a record leaves out unless they differ from the default
    more_options: ClassVar[Mapping[str, Any]] = {}

    position: Callable[..., P]
    # The kind of sheet that the game is played on. Games may share one.
    sheet: AnySheetKind

    numbers: range | None = None  # those written on its sheet; None for all that it takes
    numbers_text: str  # the problem of any other number; marked for translation
    has_sheet: bool = True  # whether each player has a sheet while the game is played
    panel: Panel[P]
    guide: Guide[P]

    # The action that closes the step for all who have not acted; None where there is none. It is
    # allowed once the active player has acted.
    close: Action | None = turns.CLOSE

    # The number of its rules, and the game by those former ones whose records today's would refuse.
    # What to do when a rule changes is in docs/rules.md.
    rules: int = 1
    earlier: ClassVar[Mapping[int, Game]] = {}

    # The key of a sheet's document that names the variant: totals are compared within a variant
    variant_word: str = ""
    lowest_wins: bool = False
    stands_for_any: bool = False  # whether it stands for any other game; see `AnyGame`
    bgg_id: int | None = None  # BoardGameGeek's number of the game, if it is known

    def start(self, players: tuple[Player, ...], options: Options) -> P:
        """The first position: an empty sheet with these options for everybody."""
        sheet = self.sheet.written(*(options[name] for name in self.options))
        return self.position(now=Turn(players), sheets=(sheet,) * len(players))

    def pass_action(self, player: Player) -> dict[str, Any] | None:
        """The action by which a player passes; None in a game whose steps are not closed.

        It replaces an act that no longer fits after a correction and cannot be adapted.
        """
        return turns.pass_action(player) if self.close else None

    def adapt(self, position: P, action: Action) -> dict[str, Any] | None:
        """An action that does not fit the position, adapted to it; None if it cannot be."""
        # A correction may change the shape of a later entry, such as the dice that are rolled again
        return None

    def is_needless(self, position: P, action: Action) -> bool:
        """Whether an action that does not fit the position is not needed there either.

        After a correction in the same turn it is dropped, and the players who are awaited then act.
        """
        return False

    def by_rules(self, number: int) -> Game:
        """The game by the rules of this number; raises `NewerRules` for a later one."""
        if number > self.rules:
            raise NewerRules(
                f"It was played by rules {number} of {self.name}, and this version knows them up to"
                f" {self.rules}. Update the companion."
            )
        return self.earlier.get(number, self)

    def best(self, totals: Iterable[int]) -> int:
        """The best of these totals, at least one."""
        return min(totals) if self.lowest_wins else max(totals)

    @cached_property
    def all_act_at_once(self) -> bool:
        """Whether all players act in the same step, and not only the active one."""
        return len(self._first_position.awaited) > 1

    @cached_property
    def has_dice(self) -> bool:
        return type(self._first_position).next_roll is not Position.next_roll

    @property
    def _first_position(self) -> P:
        """The first position of two players with the default options."""
        defaults = {name: values[0] for name, values in self.options.items()}
        return self.start(("1", "2"), defaults)

    def agreed(self, options: Options) -> Options:
        """The given options, with those that follow from them.

        Raises:
            Unusable: they contradict each other.
        """
        return options

    def board(self, options: Options) -> str:
        """The board on the players' sheets; `""` where there are no boards."""
        filled = self.filled(self.start(("",), options), "")
        return filled.board if filled else ""

    def title_of(self, said: Mapping[str, object]) -> str:
        """The title of the game with these options, or of the one on this document's sheet."""
        return self.title

    def guide_to(self, options: Options) -> Guide[P]:
        """The guide to the game as it is played with these options."""
        return self.guide

    def read_option(self, name: str, text: str) -> object:
        """The value of an option from a form's text; an empty input gives the default."""
        allowed = {**self.options, **self.more_options}.get(name, ())
        if callable(allowed):
            return allowed(text) or ""
        if isinstance(allowed, range):
            is_number = text.isdecimal() and len(text) <= MOST_DIGITS
            return int(text) if is_number else text or allowed[0]
        return next((value for value in allowed if str(value) == text), text)

    def options_at(self, position: P, options: Options) -> Options:
        """The options as they are at a position of a game that began with `options`."""
        return options

    def problems(self, filled: FilledSheet) -> tuple[Refusal, ...]:
        """Every fault of a sheet of this game; a game may be stricter than its sheet."""
        found = list(filled.problems)
        known = {field for problem in filled.problems for field in problem.fields}
        for name, mark in filled.marks.items() if self.numbers else ():
            if is_whole(mark) and name not in known:
                found += out_of_range(name, mark, self.numbers or (), self.numbers_text)
        return tuple(found)

    def rating(self, total: int) -> Sentence | None:
        """The rating of a solo game by the rules; None without ratings."""
        return None

    def read_count(self, document: Mapping[str, object]) -> tuple[Document, Result]:
        """(checked document, result) of a player without a sheet; raises `Unusable`."""
        raise Unusable(f"This is not a sheet of {self.name}.")

    def filled(self, position: P, player: Player) -> FilledSheet | None:
        """The player's sheet; None in a game without sheets."""
        return FilledSheet(self.sheet, position.sheet_of(player)) if self.has_sheet else None

    @property
    def package(self) -> str:
        """The name of the game's folders in `companion`, `templates`, `static` and `tests`."""
        return self.name.replace("-", "_")

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages with the game's styles: its sheet's, which games may share, and its own."""
        return tuple(dict.fromkeys((self.sheet.name, self.package)))


class AnyGame(GameKind[P]):
    """A game that stands for any other one, under that one's title."""

    stands_for_any = True
    known_titles: tuple[str, ...] = ()  # those whose options it knows; see `chosen`

    @abstractmethod
    def chosen(self, title: str, former: Options | None) -> Options:
        """The options that go with a title; `former` are those of the last game of that title."""

    @abstractmethod
    def known_as(self, options: Options) -> tuple[str, bool] | None:
        """(title, whether the lowest total wins) of the game that is played; None for its own."""

    @abstractmethod
    def begun(self, title: str, lowest_wins: bool, columns: Columns) -> tuple[Options, Any]:
        """The options and actions of a game of this title after these rounds."""


Game: TypeAlias = GameKind[Any]
