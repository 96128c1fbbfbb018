"""How publishers print the sheets of single games.

A module bears the name of its package, as in `benchmarks/games`, and is found by that name. It may
define

* `draw(press)`: prints the press's edition of the sheet, with everything beside the fields;
* `GLOSSY`: the share of such sheets on glossy card;
* `FELT_TIPS`: the share of sheets that are filled in with the felt-tip pens of the game's box.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def printing_of(sheet: str) -> ModuleType:
    """The module of a sheet; raises `ModuleNotFoundError`."""
    return import_module(f"{__name__}.{sheet.replace('-', '_')}")
