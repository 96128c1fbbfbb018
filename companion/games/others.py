"""Games beyond the catalogue: the history keeps names and final scores of any game, by its title.

Their public names in files and rows are `other/highest/TITLE` and `other/lowest/TITLE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from companion.core.game import Game, GameKind
from companion.core.refusal import Unusable
from companion.core.values import clean_name
from companion.games.catalog import GAMES

ROOM: Final = "other"
PREFIXES: Final = (f"{ROOM}/highest/", f"{ROOM}/lowest/")
"""Beginnings of the public names: the highest total wins, or the lowest one."""
LONGEST_TITLE: Final = 40  # Limit of a title's characters, after NFC


class OtherGame(GameKind[Any]):
    """A game without rules and sheets, equal to every other one of its title and winner."""

    has_sheet = False
    min_players = 1
    max_players = 12
    room = ROOM
    rooms = ()

    def __init__(self, title: str, *, lowest_wins: bool) -> None:
        self.title = title
        self.lowest_wins = lowest_wins
        self.name = f"{PREFIXES[lowest_wins]}{title}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OtherGame) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def start(self, players: tuple[str, ...], options: Mapping[str, str]) -> NoReturn:
        """Raises `Unusable`: nothing is known of how it is played."""
        raise Unusable(f"{self.title} cannot be played here.")


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


def clean_title(raw: str) -> str | None:
    """The title as NFC on one line, or None where it is empty, too long or cannot be printed."""
    title = clean_name(" ".join(raw.split()))
    fits = title is not None and title.isprintable() and len(title) <= LONGEST_TITLE
    return title if fits else None
