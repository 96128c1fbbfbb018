"""What every game has in common: refusals, the words in them, and the shape of a position.

Nothing here knows a single game, nor Flask, clocks, chance, files or databases.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self, TypeAlias, TypeGuard

Player: TypeAlias = str
"""A player's name: NFC, without outer blanks, unique at the table (see `clean_name`)."""

Action: TypeAlias = Mapping[str, Any]
"""One action of a game record, as it came from outside: nothing in it has been checked yet."""

Document: TypeAlias = dict[str, Any]
"""A JSON object of the public interface: a sheet, a score, a record."""

HUGEST: Final = 10**20
"""Numbers of a sheet may break the rules, but not be so long that their sum cannot be printed."""


def N_(text: str) -> str:
    """Marks `text` for the translators and returns it as it is; who shows it translates it."""
    return text


class Word(str):
    """A word inside a sentence that is itself translated, such as the name of a colour."""

    __slots__ = ()


@dataclass(frozen=True)
class Sentence:
    """A sentence for people, still to be translated.

    `text` is English with `%(name)s` places that `values` fills. A value that is a `Word` or a
    `Sentence` is translated before it is filled in, and so is each `Word` in a tuple.
    """

    text: str
    values: Mapping[str, object] = field(default_factory=dict)

    def said(self, translate: Callable[[str], str], joiner: str) -> str:
        """The sentence through `translate`; tuples are joined with ", " and `joiner` at the end."""
        filled = {name: _filled(value, translate, joiner) for name, value in self.values.items()}
        return translate(self.text) % filled


def _filled(value: object, translate: Callable[[str], str], joiner: str) -> object:
    if isinstance(value, Sentence):
        return value.said(translate, joiner)
    if isinstance(value, Word):
        return translate(value)
    if isinstance(value, tuple):
        parts = [translate(part) if isinstance(part, Word) else str(part) for part in value]
        return joiner.join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
    return value


def english(text: str) -> str:
    """The `translate` of `Sentence.said` that leaves a text as it is."""
    return text


@dataclass(frozen=True)
class Refusal:
    """Why something is not allowed: a public code, and a `Sentence` for people."""

    code: str
    text: str
    values: Mapping[str, object] = field(default_factory=dict)

    def said(self, translate: Callable[[str], str], joiner: str) -> str:
        """The sentence; see `Sentence.said`."""
        return Sentence(self.text, self.values).said(translate, joiner)

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.said(english, " or ")


@dataclass(frozen=True)
class Problem:
    """A fault of a filled-in sheet: a refusal's code and sentence, and the fields to look at."""

    refusal: Refusal
    fields: tuple[str, ...]

    def document(self) -> Document:
        return {
            "code": self.refusal.code,
            "fields": list(self.fields),
            "message": self.refusal.message,
        }


class Unusable(ValueError):
    """The input is not of the documented shape, so there is nothing to judge (exit status 2)."""


class Position(Protocol):
    """A game at one moment. Immutable: `play` returns another one and leaves this as it was."""

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody, clockwise; the first one started."""

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; after the end, the turn that ended the game."""

    @property
    def active(self) -> Player:
        """Whose turn it is."""

    @property
    def over(self) -> bool: ...

    @property
    def moment(self) -> str:
        """A token that changes with everything all players share (turn, roll, cards on the table).

        It does not change when one player writes on the own sheet. A tap made at another moment
        than the present one is stale: the person saw another call.
        """

    @property
    def waiting(self) -> tuple[Player, ...]:
        """Who may still act in this turn, the active player first; empty when the game is over."""

    def play(self, action: Action) -> Self | Refusal:
        """The position after `action`, or why the rules do not allow it."""

    def winners(self) -> tuple[Player, ...]:
        """Who has won; empty before the end."""

    def sheet(self, player: Player) -> Document:
        """The player's sheet as a public document."""

    def score(self, player: Player) -> Document:
        """The score object, with `total`, if the game ended now."""


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


def clean_name(name: object) -> str | None:
    """`name` as NFC without outer blanks, or None when it is no text or empty.

    Half of a surrogate pair, which JSON can smuggle in, is no text: nobody could print it.
    """
    if not isinstance(name, str) or any("\ud800" <= char <= "\udfff" for char in name):
        return None
    return unicodedata.normalize("NFC", name).strip() or None


def bad_action(text: str, **values: object) -> Refusal:
    """The refusal of an action that is not of the documented shape."""
    return Refusal("bad-action", text, values)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether `value` is a JSON whole number (Python's True and False are ints too)."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_huge(number: int | None) -> bool:
    """Whether nobody can have written this number, so long that a sum could not be printed."""
    return abs(number or 0) > HUGEST
