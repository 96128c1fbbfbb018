"""Games on paper, to put into a history."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from companion.core.values import Document
from companion.games.standings import KeptSheet
from companion.tables import Tables
from companion.tables.history.paper import paper_match
from companion.tables.history.people import Person
from companion.tables.history.restoring import Restored
from lab.games import SARAH
from lab.sheets import kept

EMPTY: dict[str, Any] = {**SARAH, **dict.fromkeys(("orange", "yellow", "purple"), [None] * 9)}
"""A Qwinto sheet with two failed attempts and nothing else: -10 points."""
TALLY: dict[str, Any] = {"sheet": "tally", "players": ["Ada", "Ben"], "rounds": [[12, 30], [7, 0]]}


def add(
    tables: Tables, who: str, game: str, sheets: Iterable[tuple[str, Document]], **more: Any
) -> str:
    """A game on paper; a shared sheet says its players itself."""
    return put(tables, who, game, kept(game, *sheets), **more)


def put(
    tables: Tables, who: str, game: str, sheets: Sequence[tuple[str | None, KeptSheet]], **more: Any
) -> str:
    """A game of finished sheets, with the players' names."""
    match = paper_match(game, sheets, tables.now(), **more)
    tables.history.add_paper_match(who, match, again=True)
    return match.identity


def paper(tables: Tables, who: str, *names: str, **more: Any) -> str:
    """A game of Qwinto on paper, won by the first one."""
    sheets = [(name, EMPTY if place else SARAH) for place, name in enumerate(names)]
    return add(tables, who, "qwinto-dice", sheets, **more)


def people(tables: Tables, who: str) -> list[Person]:
    """All people in a device's history, those with the most matches first."""
    return [tables.history.person(who, line.id) for line in tables.history.people_page(who).people]


def take_in(tables: Tables, who: str, raw: bytes, *, deleted: bool = False) -> int:
    """Restores a backup; returns how many games were added."""
    return restore(tables, who, raw, deleted=deleted).new


def restore(tables: Tables, who: str, raw: bytes, **ticks: bool) -> Restored:
    """Restores a backup."""
    with upload(raw) as file:
        return tables.history.restore(who, file, **ticks)


@contextmanager
def upload(raw: bytes) -> Iterator[IO[bytes]]:
    """The file that a request has sent."""
    with tempfile.TemporaryFile() as file:
        file.write(raw)
        file.seek(0)
        yield file
