"""Training's knowledge of single sheets: one module for each sheet of the catalogue.

A module bears the name of its sheet's package in `companion/games` and defines `SHEET`, a
`SheetTraining`. A new sheet is a new module here; nothing else changes. Nothing is shared with
`benchmarks/games`, so that the reader is measured on sheets that differ from those it was
calibrated on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from companion.core.sheet import AnySheetKind, Field, Mark
from training import Rng


def random_numbers(fields: tuple[Field, ...], rng: Rng) -> dict[str, Mark]:
    """Random numbers in a random share of the fields, some of them struck out where they may be."""
    share = rng.uniform(0.2, 1.0)
    marks: dict[str, Mark] = {}
    for place in [place for place in fields if rng.random() < share]:
        is_struck = place.is_struck and rng.random() < 0.2
        marks[place.id] = 0 if is_struck else int(rng.choice(place.numbers))
    return marks


@dataclass(frozen=True)
class SheetTraining:
    """One kind of sheet, as training needs it."""

    random_marks: Callable[[tuple[Field, ...], Rng], dict[str, Mark]] = random_numbers
    """(the pad's fields, random generator) → field id → mark, of a game that may have ended at any
    point; fields that are left out are empty."""

    letters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Colour → the letter that is printed in its fields, in several languages. The ready-made PDFs
    are in English, so each board is drawn in one more of the languages, too; the first one is never
    drawn. Empty for a sheet whose fields show no letters."""

    outlined: tuple[str, ...] = ()
    """Fields around which many printings of the publisher's sheet have a white line."""


def sheet_training(sheet: AnySheetKind) -> SheetTraining:
    """The `SHEET` of a sheet's package.

    Raises:
        ModuleNotFoundError: the sheet has no module in `training/games`.
    """
    room = import_module(f"{__name__}.{sheet.name.replace('-', '_')}")
    found: SheetTraining = room.SHEET
    return found
