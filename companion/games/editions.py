"""The publishers' editions of every sheet, from the tables in the rooms."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

from companion.core.edition import EDITIONS_KEPT, OWN, Edition, edition
from companion.core.sheet import AnySheetKind, Paper
from companion.games.catalog import SHEETS

SUFFIX: Final = ".toml"


@cache
def editions() -> tuple[Edition, ...]:
    """All editions, in the order of the sheets and of their names."""
    return tuple(edition(SHEETS[sheet], table) for (sheet, _), table in tables().items())


@cache
def tables() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Name of a sheet, name of an edition → its table, in the order of `editions`."""
    return {
        (sheet.name, table["name"]): table for sheet in SHEETS.values() for table in _tables(sheet)
    }


def _tables(sheet: AnySheetKind) -> Iterator[Mapping[str, Any]]:
    folder = files(__package__) / sheet.name / "editions"
    if not folder.is_dir():
        return
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(SUFFIX):
            yield tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def bases() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Those of `tables` that a further printing can be described from.

    Fields on the bars that tell an edition touch each other, and are not found one by one.
    """
    return {
        names: table
        for names, table in tables().items()
        if not edition(SHEETS[table["sheet"]], table).bars
    }


@cache
def _by_name() -> Mapping[tuple[str, str], Edition]:
    return {(made.sheet.name, made.name): made for made in editions()}


def find_edition(sheet: str, name: str) -> Edition:
    """The publisher's edition of a sheet; raises `KeyError`."""
    return _by_name()[sheet, name]


def paper_of(kind: AnySheetKind, board: str, name: str = OWN, table: str = "") -> Paper:
    """The paper of a sheet in an edition, our own pads among them.

    Args:
        table: that of an edition that a person has described.

    Raises:
        KeyError, ValueError: there is no such edition, or the table describes none.
    """
    if table:
        return described_edition(table).paper(board)
    return kind.paper(board) if name == OWN else find_edition(kind.name, name).paper(board)


@lru_cache(EDITIONS_KEPT)
def described_edition(table: str) -> Edition:
    """The edition of a TOML text that names its sheet; raises `KeyError` or `ValueError`."""
    document = tomllib.loads(table)
    return replace(edition(SHEETS[document["sheet"]], document), table=table)


def toml_text(table: Mapping[str, Any]) -> str:
    """An edition's table as its file has it."""
    lines: list[str] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{key}]", *_entries(value)]
        elif value and isinstance(value, list) and isinstance(value[0], Mapping):
            for row in value:
                lines += ["", f"[[{key}]]", *_entries(row)]
        else:
            lines += _entries({key: value})
    return "\n".join(lines) + "\n"


def _entries(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        # JSON's numbers, texts and lists of these are TOML's, too.
        yield f"{key} = {json.dumps(value)}"
