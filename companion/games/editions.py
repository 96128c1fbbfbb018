"""The publishers' editions of every sheet, from the tables in the rooms."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from companion.core.edition import OWN, UNKNOWN, Edition, edition
from companion.core.sheet import AnySheetKind, Paper
from companion.games.catalog import SHEETS

SUFFIX: Final = ".toml"


@cache
def editions() -> tuple[Edition, ...]:
    """All editions, in the order of the sheets and of their names."""
    return tuple(made for sheet in SHEETS.values() for made in _editions(sheet))


def _editions(sheet: AnySheetKind) -> Iterator[Edition]:
    folder = files(__package__) / sheet.name / "editions"
    if not folder.is_dir():
        return
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(SUFFIX):
            yield edition(sheet, tomllib.loads(file.read_text(encoding="utf-8")))


@cache
def _by_name() -> Mapping[tuple[str, str], Edition]:
    return {(made.sheet.name, made.name): made for made in editions()}


def find_edition(sheet: str, name: str) -> Edition:
    """The publisher's edition of a sheet; raises `KeyError`."""
    return _by_name()[sheet, name]


def paper_of(kind: AnySheetKind, board: str, name: str = OWN) -> Paper:
    """The paper of a sheet in an edition, our own pads among them; raises `KeyError`."""
    return (
        kind.paper(board) if name in (OWN, UNKNOWN) else find_edition(kind.name, name).paper(board)
    )
