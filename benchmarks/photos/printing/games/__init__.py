"""How publishers print the sheets of single rooms, and what only looks like them.

A module bears the name of its room, as in `benchmarks/games`, and is found by that name. It may
define

* `draw(press, edition, board)`: prints an edition of the sheet, with everything beside the fields;
* `GLOSSY`: the share of such sheets on glossy card;
* `FELT_TIPS`: the share of sheets that are filled in with the felt-tip pens of the game's box;
* `LOOKALIKES`: name → `draw(rng, scale)`, which returns a `Press` with something that must not be
  read as a sheet.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def room(sheet: str) -> ModuleType:
    """The room of a sheet; raises `ModuleNotFoundError`."""
    return import_module(f"{__name__}.{sheet.replace('-', '_')}")


def rooms() -> dict[str, ModuleType]:
    """All rooms by name."""
    return {
        found.name: import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)
    }
