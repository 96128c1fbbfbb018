"""The publishers' editions of every sheet, from the tables in the games' packages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import starmap
from typing import Any, Final

from companion.core.edition import OWN, UNKNOWN, Edition, edition
from companion.core.sheet import AnySheetKind, Paper
from companion.games.catalog import SHEETS
from companion.games.known_grids import KnownGrid, known_grid

SUFFIX: Final = ".toml"


@cache
def editions() -> tuple[Edition, ...]:
    """All editions, in the order of the sheets and of their names."""
    return tuple(starmap(edition, _described("editions")))


@cache
def known_grids() -> tuple[KnownGrid, ...]:
    """All sheets that are ruled tables, in the same order; each has an edition, too."""
    return tuple(starmap(known_grid, _described("tables")))


def _described(folder_name: str) -> Iterator[tuple[AnySheetKind, Mapping[str, Any]]]:
    """Each sheet's files in a folder of that name."""
    for sheet in SHEETS.values():
        folder = files(__package__) / sheet.name / folder_name
        found = [*folder.iterdir()] if folder.is_dir() else []
        for file in sorted(found, key=lambda file: file.name):
            if file.name.endswith(SUFFIX):
                yield sheet, tomllib.loads(file.read_text(encoding="utf-8"))


def every_edition() -> tuple[Edition, ...]:
    """All editions: those of drawn sheets, then those of ruled tables."""
    return (*editions(), *(table.edition for table in known_grids()))


@cache
def _by_name() -> Mapping[tuple[str, str], Edition]:
    return {(made.sheet.name, made.name): made for made in every_edition()}


def find_edition(sheet: str, name: str) -> Edition:
    """The publisher's edition of a sheet; raises `KeyError`."""
    return _by_name()[sheet, name]


def paper_of(kind: AnySheetKind, board: str, name: str = OWN) -> Paper:
    """The paper of a sheet in an edition, our own pads among them; raises `KeyError`."""
    return (
        kind.paper(board) if name in (OWN, UNKNOWN) else find_edition(kind.name, name).paper(board)
    )
