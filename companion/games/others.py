"""Games beyond the catalogue: the history keeps names and final scores of any, by its title."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from companion.core.game import AnyGame, Game, GameKind
from companion.core.refusal import Unusable
from companion.core.values import Columns, Document, Options, clean_title
from companion.games.catalog import GAMES
from companion.games.record import Record

PACKAGE: Final = "other"
# The beginnings of the public names, where the highest total wins and where the lowest one does
PREFIXES: Final = (f"{PACKAGE}/highest/", f"{PACKAGE}/lowest/")
# The game of the catalogue that stands for any game; an option has the title
ANY: Final = next(game for game in GAMES.values() if isinstance(game, AnyGame))


class OtherGame(GameKind[Any]):
    """A game without rules and sheets, equal to every other one of its title and winner."""

    has_sheet = False
    min_players = 1
    max_players = 12
    package = PACKAGE
    packages = ()
    sheet = ANY.sheet
    stands_for_any = True

    def __init__(self, title: str, *, lowest_wins: bool) -> None:
        self.title = title
        self.lowest_wins = lowest_wins
        self.name = f"{PREFIXES[lowest_wins]}{title}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OtherGame) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def start(self, players: tuple[str, ...], options: Options) -> NoReturn:
        """Raises `Unusable`: nothing is known of how it is played."""
        raise Unusable(f"{self.title} cannot be played here.")


def kept_game(game: Game, options: Options) -> Game:
    """The game under which the history keeps a match: one beyond the catalogue if it has a title.

    This keeps the matches of a title together, whether they were played here or only their totals
    are known.
    """
    known = game.known_as(options) if isinstance(game, AnyGame) else None
    return game if known is None else OtherGame(known[0], lowest_wins=known[1])


def any_game(title: str, *, lowest_wins: bool) -> Game:
    """The game of this title; for its own title, the catalogue's game that stands for any."""
    if title == ANY.title and not lowest_wins:
        return ANY
    return OtherGame(title, lowest_wins=lowest_wins)


def names_of(title: str) -> tuple[str, ...]:
    """The public names of the games of this title, whichever total wins."""
    return tuple(f"{prefix}{title}" for prefix in PREFIXES)


def record_of(game: Game, columns: Columns) -> Document:
    """The record of a game that continues in the app, from its players' points, round by round."""
    title = "" if game == ANY else game.title
    options, actions = ANY.begun(title, game.lowest_wins, columns)
    return Record(ANY, tuple(columns), options, tuple(actions), ANY.rules).document()


def stored_game(name: str) -> Game:
    """The game of a public name that was checked before it was stored."""
    if name in GAMES:
        return GAMES[name]
    _, rule, title = name.split("/", 2)
    return OtherGame(title, lowest_wins=rule == "lowest")


def find_game(name: object) -> Game | None:
    """The game of a public name, or None; the title of one beyond the catalogue is checked."""
    if not isinstance(name, str) or not name.startswith(PREFIXES):
        return GAMES.get(name) if isinstance(name, str) else None
    _, rule, title = name.split("/", 2)
    return OtherGame(title, lowest_wins=rule == "lowest") if title == clean_title(title) else None
