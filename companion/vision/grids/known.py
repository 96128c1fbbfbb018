"""A table whose rows are known: each of its columns is a sheet, read by what its rows can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from companion.core.edition import Edition
from companion.core.sheet import Mark
from companion.games.editions import known_grids
from companion.games.known_grids import KnownGrid
from companion.vision.core import Chances
from companion.vision.evidence import among
from companion.vision.grids.grid import Grid
from companion.vision.grids.numbers import Writing
from companion.vision.weighing import WeighedSheet, weigh

FEWEST: Final = 4  # The fewest numbers by which a table is known
# The least share of its numbers that their rows can hold; by chance it is a sixth
POSSIBLE: Final = 0.5
CERTAIN: Final = 0.8  # The share of them from which nobody is asked whether it is this sheet
EMPTY: Final[Chances] = {None: 1.0}
# The share of ink in which no number is read that is a stroke; half as much is none at all
STRUCK: Final = 0.4
# The probability of a number that one of two cells with the same sum does not show
DOUBT: Final = 0.01


@dataclass(frozen=True, eq=False)
class KnownSheets:
    """The sheets in the columns of a known table."""

    edition: Edition
    grid: Grid  # its rows and columns without the heads, whatever is written in them
    columns: Mapping[int, WeighedSheet]  # Column with ink, from 0 → what stands there
    is_certain: bool


def find_known(found: Grid) -> KnownSheets | None:
    """The sheets of a table that is known by the number of its rows and what stands in them."""
    sheets = (sheet for table in known_grids() if (sheet := _matched(table, found)))
    return next(sheets, None)


def _matched(table: KnownGrid, found: Grid) -> KnownSheets | None:
    """The sheets of a table if it is this one."""
    rows, columns = (sorted({place[axis] for place in found.flat.places}) for axis in (0, 1))
    head = len(rows) - len(table.rows)
    if head not in (0, 1) or len(columns) != table.heads + table.columns:
        return None
    grid = replace(
        found,
        rows=tuple(rows[head:]),
        columns=tuple(columns[table.heads :]),
        head_rows=(),
        head_columns=tuple(columns[: table.heads]),
    )
    numbers = {field.id: field.numbers for field in table.paper.single.fields}
    fits = [
        writing.likeliest[0] in numbers[name]
        for column in range(table.columns)
        for name, writing in _column(table, grid, column)
        if name in numbers
    ]
    if len(fits) < FEWEST or sum(fits) < POSSIBLE * len(fits):
        return None
    sheets = {
        column: weighed
        for column in range(table.columns)
        if (weighed := _weighed(table, dict(numbers), [*_column(table, grid, column)]))
    }
    return KnownSheets(table.edition, grid, sheets, sum(fits) >= CERTAIN * len(fits))


def _column(table: KnownGrid, grid: Grid, column: int) -> Iterator[tuple[str, Writing]]:
    """The field or sum of each row with ink in a column, and the ink."""
    for row, name in zip(grid.rows, table.rows, strict=True):
        if writing := grid.written.get((row, grid.columns[column])):
            yield name, writing


def _weighed(
    table: KnownGrid, numbers: Mapping[str, range], column: list[tuple[str, Writing]]
) -> WeighedSheet | None:
    """A column as its sheet's rules and its sums read it; None for one without a number."""
    fields: dict[str, Chances] = dict.fromkeys(numbers, EMPTY)
    sums: dict[str, Chances] = {}
    for name, writing in column:
        if name in fields:
            fields[name] = _among(writing.chances, numbers[name])
        else:
            sums[name] = _both(sums[name], writing.chances) if name in sums else writing.chances
    if all(chances is EMPTY for chances in fields.values()):
        return None
    return weigh(table.edition.sheet, table.board, fields, sums)


def _among(chances: Chances, numbers: range) -> Chances:
    """The probabilities of those numbers; ink in which none is read may be any of them."""
    kept = among(chances, numbers)
    rest = max(1 - sum(kept.values()), 0.0)
    each = (1 - 1.5 * STRUCK) / (len(numbers) - 1)
    found: dict[Mark, float] = {
        number: kept.get(number, 0.0) + rest * (each if number else STRUCK) for number in numbers
    }
    return {**found, None: rest * STRUCK / 2}


def _both(one: Chances, other: Chances) -> Chances:
    """The probabilities of a sum that stands in two cells."""
    found = {
        mark: (one.get(mark, 0.0) + DOUBT) * (other.get(mark, 0.0) + DOUBT)
        for mark in {*one, *other}
    }
    whole = max(sum(found.values()), DOUBT)
    return {mark: part / whole for mark, part in found.items()}
