"""Publishers' sheets that are ruled tables: a sheet a column, and each row's field or sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.core.edition import TITLES, Edition, Print, printed_paper
from companion.core.sheet import AnySheetKind, Blank, Box, Paper
from companion.games.grid_layout import HEAD, HEIGHT, WIDTH

WHITE = (246, 246, 245)


@dataclass(frozen=True, eq=False)
class KnownGrid:
    """One printing of a sheet as a ruled table."""

    edition: Edition
    # The field or sum of each row, without heads and gaps; a sum may be there twice
    rows: tuple[str, ...]
    heads: int  # the printed columns, left of the free ones

    @property
    def board(self) -> str:
        return self.edition.sheet.usual_board

    @property
    def paper(self) -> Paper:
        return self.edition.paper(self.board)

    @property
    def columns(self) -> int:
        """The free columns, each of which is a sheet."""
        return len(self.paper.columns)


def known_grid(kind: AnySheetKind, table: Mapping[str, Any]) -> KnownGrid:
    """The table that a file describes.

    Args:
        kind: the sheet's kind.
        table: of the shape that `docs/editions.md` describes.

    Raises:
        KeyError, ValueError: the file lacks something, or its rows are not the sheet's fields.
    """
    rows, heads = tuple(table["rows"]), int(table["heads"])
    board = kind.usual_board
    own, places = kind.paper(board), dict(_places(rows, heads))
    fields, missing = [], []
    for field in own.layout.fields:
        if field.id in places:
            fields.append(replace(field, box=places.pop(field.id), cells=(), touch_margin=0.0))
        else:
            missing.append(field.id)
    if missing:
        raise ValueError(f"the table has no rows {sorted(missing)}")
    columns = tuple(number * WIDTH for number in range(int(table["columns"])))
    size = heads * HEAD + len(columns) * WIDTH, len(rows) * HEIGHT
    blanks = tuple(Blank(name, box, None) for name, box in places.items())
    paper = printed_paper(own, size, tuple(fields), blanks, columns)
    edition = Edition(
        name=table["name"],
        title=TITLES[table.get("market", "")],
        sheet=kind,
        papers={board: paper},
        unit=HEIGHT,
        grounds={board: WHITE},
        prints={board: dict.fromkeys(paper.places, Print(WHITE))},
        patches=(),
        landmarks=(),
    )
    return KnownGrid(edition, rows, heads)


def _places(rows: tuple[str, ...], heads: int) -> Iterator[tuple[str, Box]]:
    """The first place of each field and sum, in the first column."""
    for row in reversed(range(len(rows))):
        yield rows[row], Box(heads * HEAD, row * HEIGHT, WIDTH, HEIGHT)
