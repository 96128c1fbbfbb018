"""Refusals and conflicts: why something is not allowed, and what contradicts itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from companion import __version__
from companion.core.values import Document, is_whole
from companion.core.words import Sentence, english


@dataclass(frozen=True)
class Refusal:
    """The reason why something is not allowed: a public code, and a `Sentence` for people.

    The faults of a filled-in sheet are refusals, too, with the fields to look at.
    """

    code: str
    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    fields: tuple[str, ...] = ()  # names of the fields that cause it, on the player's sheet

    def translated(self, translate: Callable[[str], str], joiner: str) -> str:
        return Sentence(self.text, self.values).translated(translate, joiner)

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.translated(english, " or ")

    def document(self) -> Document:
        """A sheet's fault as `companion score` prints it."""
        return {"code": self.code, "fields": list(self.fields), "message": self.message}


@dataclass(frozen=True)
class Conflict:
    """A contradiction between the sheets of one game, which may be intended."""

    sentence: Sentence
    # (index of the sheet in the list that was checked, field name)
    places: tuple[tuple[int, str], ...]


class Unusable(ValueError):
    """The input is not of the documented shape (exit status 2)."""


class NewerRules(Unusable):
    """A game was played by rules that only a later version of the program knows."""


def missing_package(work: str, module: str, extra: str) -> Unusable:
    """The refusal of work that needs an optional package, with the commands that install it."""
    pip = f"{sys.executable} -m pip"
    return Unusable(
        f"{work} needs the module {module}, which is not installed here. In the folder of the"
        f' companion\'s source, type: {pip} install -e ".[{extra}]"; or beside its wheel: {pip}'
        f' install "./score_sheet_companion-{__version__}-py3-none-any.whl[{extra}]"'
    )


def counted(document: Mapping[str, object], name: str, most: int) -> int:
    """A document's count from 0 to `most`, 0 where it has none; raises `Unusable`."""
    count = document.get(name, 0)
    if not is_whole(count):
        raise Unusable(f"'{name}' must be a whole number.")
    if not 0 <= count <= most:
        raise Unusable(f"'{name}' must be from 0 to {most}.")
    return count


def bad_action(text: str, **values: object) -> Refusal:
    """The refusal of an action that is not of the documented shape."""
    return Refusal("bad-action", text, values)
