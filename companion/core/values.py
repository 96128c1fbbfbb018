"""Names, actions and JSON values from outside, and the first checks of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypeAlias, TypeGuard, TypeVar

# A player's name: NFC, without outer blanks, unique at the table (see `clean_name`)
Player: TypeAlias = str

# One action of a game record from outside: nothing in it has been checked yet
Action: TypeAlias = Mapping[str, Any]

# The options of a game: name → text, number, True or False. They have been checked.
Options: TypeAlias = Mapping[str, Any]

# Each player's points, round by round; None where nothing is written
Columns: TypeAlias = Mapping[Player, Sequence[int | None]]

# A JSON object of the public interface: a sheet, a score, a record
Document: TypeAlias = dict[str, Any]

# Limit of a name's characters before NFC; real names stay far below. The time of NFC grows with the
# square of a run of combining marks, and it holds the interpreter's lock meanwhile.
LONGEST_RAW_NAME: Final = 1_000

HUGEST: Final = 10**20  # Limit for numbers on a sheet, so that their sums can be printed


def clean_name(name: object) -> str | None:
    """`name` as NFC without outer blanks; None if it is not text, is empty or is far too long.

    None, too, for half of a surrogate pair: JSON can contain it, and it cannot be printed.
    """
    if not isinstance(name, str) or len(name) > LONGEST_RAW_NAME:
        return None
    if name.isascii():  # then it is NFC; a shortcut, because each action of a game comes here
        return name.strip() or None
    if any("\ud800" <= char <= "\udfff" for char in name):
        return None
    return unicodedata.normalize("NFC", name).strip() or None


LONGEST_TITLE: Final = 40  # Limit of a game's title, in characters after NFC


def clean_title(raw: str) -> str | None:
    """The title as NFC on one line, or None where it is empty, too long or cannot be printed."""
    title = clean_name(" ".join(raw.split()))
    fits = title is not None and title.isprintable() and len(title) <= LONGEST_TITLE
    return title if fits else None


def is_whole(value: object) -> TypeGuard[int]:
    """Whether `value` is a JSON whole number (Python's True and False are ints too)."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_huge(number: int | None) -> bool:
    """Whether a number exceeds `HUGEST`, so that its sums could not be printed."""
    return abs(number or 0) > HUGEST


T = TypeVar("T")

# What `dataclasses.fields` reads, class variables included
_FIELDS: Final = attrgetter("__dataclass_fields__")


def changed(item: T, **changes: Any) -> T:
    """A copy of a frozen dataclass with other values for some fields.

    As `dataclasses.replace`, in a quarter of its time: no `__init__` runs, and no field is checked.

    >>> from companion.core.position import Turn
    >>> changed(Turn(("Ada", "Ben")), number=2) == Turn(("Ada", "Ben"), number=2)
    True
    """
    copy = object.__new__(type(item))
    values = copy.__dict__
    values.update(item.__dict__)
    # The item's cached properties do not hold for the copy.
    for name in values.keys() - _FIELDS(item).keys():
        del values[name]
    values.update(changes)
    return copy
