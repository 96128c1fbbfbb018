"""A publisher's printing of a sheet: the same fields in other places, read from a table.

The rules of marks and points are the sheet's (`SheetKind`); an edition only says where its fields
lie on the paper and roughly what is printed there. Lengths in a table are in the edition's unit,
from the centre of its first field; papers are in millimetres from their top left corner.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from companion.core.sheet import AnySheetKind, Blank, Box, Field, Layout, Millimetres, Paper, Shape
from companion.core.words import N_

# Red, green and blue as a phone's camera shows them in daylight, 0 to 255 each
Rgb: TypeAlias = tuple[int, int, int]

OWN: Final = "companion"  # The edition of the pads that this app prints
UNKNOWN: Final = ""  # The edition of a sheet from an unknown printer

# A table's `market` → what people call the sheet
TITLES: Final = {
    "": N_("the sheet from the box"),
    "german": N_("the sheet from the box (German)"),
    "english": N_("the sheet from the box (English)"),
    "american": N_("the sheet from the box (American or British)"),
}


@dataclass(frozen=True)
class Patch:
    """A printed area with nothing to write on, such as a bar behind a row."""

    box: Box  # its place in millimetres from the paper's top left corner
    color: Rgb
    is_landmark: bool = False  # whether the reader recognizes the sheet by it


@dataclass(frozen=True)
class Print:
    """The look of a field or blank, roughly: shades differ by year, lamp and camera."""

    fill: Rgb
    disc: Rgb | None = None  # the colour of a paler disc inside it
    text: str = ""
    ink: Rgb = (35, 30, 28)
    disc_size: float = 0.0  # the disc's diameter, as a share of the field's width
    star: bool = False  # whether it has a star in white outline
    ring: bool = False  # whether it has a ring in the colour of `text`


@dataclass(frozen=True, eq=False)
class Edition:
    """One printing of one kind of sheet."""

    name: str  # the public name, as in a reading's `edition`
    title: str  # what people call it, to be translated
    sheet: AnySheetKind
    # Board → the sheet with the edition's places; `""` where there are no boards. Its blanks are
    # the places for sums; it has none for a name.
    papers: Mapping[str, Paper]
    unit: Millimetres
    grounds: Mapping[str, Rgb]  # board → the colour of the unprinted paper
    prints: Mapping[str, Mapping[str, Print]]  # board → id of a field or blank → its look
    # The patches, the lowest first where they cover each other; all are below the fields
    patches: tuple[Patch, ...]
    # The fields by whose places and colours the reader recognizes and locates the sheet
    landmarks: tuple[str, ...]

    @property
    def bars(self) -> tuple[Box, ...]:
        """The patches by which it is recognized: long ones of one size, from the top."""
        return self.bars_by_length[0] if self.bars_by_length else ()

    @cached_property
    def bars_by_length(self) -> tuple[tuple[Box, ...], ...]:
        """The landmark patches by length: whole bars first, then those that a line may cut off."""
        sizes: dict[Millimetres, list[Box]] = {}
        for patch in self.patches:
            if patch.is_landmark:
                sizes.setdefault(patch.box.width, []).append(patch.box)
        return tuple(map(tuple, sizes.values()))

    def paper(self, board: str) -> Paper:
        """The sheet with the fields of a board where this edition prints them."""
        return self.papers[board]


class _Scale(NamedTuple):
    """An edition's unit and the edges of its paper; it converts places to millimetres."""

    unit: Millimetres
    left: Millimetres
    top: Millimetres
    right: Millimetres
    bottom: Millimetres

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> _Scale:
        """The scale of an edition's table."""
        unit = float(table["unit_mm"])
        return cls(unit, *(float(side) * unit for side in table["edge"]))

    @property
    def paper_size(self) -> tuple[Millimetres, Millimetres]:
        """(width, height) of the paper."""
        return self.right - self.left, self.bottom - self.top

    def box(self, x: float, y: float, width: float, height: float) -> Box:
        """The box around a centre, from the edition's units to millimetres on the paper."""
        return Box(
            round((x - width / 2) * self.unit - self.left, 3),
            round((y - height / 2) * self.unit - self.top, 3),
            round(width * self.unit, 3),
            round(height * self.unit, 3),
        )


class _Printed(NamedTuple):
    """The place of a field or blank on an edition's paper."""

    box: Box
    shape: Shape | None  # None for that of our own pad
    pitch: Millimetres  # the smallest distance to the next one of its row


def edition(kind: AnySheetKind, table: Mapping[str, Any]) -> Edition:
    """The edition that a table describes.

    Args:
        kind: the sheet's kind.
        table: of the shape that `docs/editions.md` describes.

    Raises:
        KeyError, ValueError: the table lacks something, or names a field that the sheet lacks.
    """
    scale = _Scale.of(table)
    places: dict[str, _Printed] = {}
    for row in (*table["fields"], *table["blanks"]):
        pitch = _pitch(row) * scale.unit
        for name, x, y in _places(row):
            places[name] = _Printed(scale.box(x, y, *row["size"]), row.get("shape"), pitch)
    blanks: list[Blank] = []
    for row in table["blanks"]:
        for name, _, _ in _places(row):
            blanks.append(Blank(name, places[name].box, None, row.get("shape", "square")))
    size, boards = scale.paper_size, kind.every_board
    papers = {board: _paper(kind.paper(board), places, tuple(blanks), size) for board in boards}
    return Edition(
        name=table["name"],
        title=TITLES[table.get("market", "")],
        sheet=kind,
        papers=papers,
        unit=scale.unit,
        grounds={board: _rgb(table["grounds"][board or "all"]) for board in boards},
        prints={board: dict(_prints(table, papers[board])) for board in boards},
        patches=tuple(_patches(table, scale)),
        landmarks=tuple(_landmarks(table)),
    )


def _patches(table: Mapping[str, Any], scale: _Scale) -> Iterator[Patch]:
    for patch in table.get("patches", ()):
        area = scale.box(*patch["at"], *patch["size"])
        yield Patch(area, _rgb(patch["color"]), bool(patch.get("landmark", False)))


def _landmarks(table: Mapping[str, Any]) -> Iterator[str]:
    """The ids of the fields by which the reader recognizes the sheet."""
    for row in table["fields"]:
        if row.get("landmark"):
            yield from (name for name, _, _ in _places(row))


def _places(row: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """(id, x, y) of each place in a row of the table, in units."""
    each: Sequence[str] = row["each"]
    for number, part in enumerate(each):
        x, y = _at(row["x"], number), _at(row["y"], number)
        yield row["id"].format(part), float(x), float(y)


def _at(values: Any, number: int) -> Any:
    """A place's value in a row of the table, which may have one value for all its places."""
    return values[number] if isinstance(values, list) else values


def _pitch(row: Mapping[str, Any]) -> float:
    """The smallest distance between two successive places of a row; at most one unit."""
    at = [(x, y) for _, x, y in _places(row)]
    distances = [math.dist(*both) for both in pairwise(at)]
    return min([1.0, *distances])


def _paper(
    own: Paper,
    places: Mapping[str, _Printed],
    blanks: tuple[Blank, ...],
    size: tuple[Millimetres, Millimetres],
) -> Paper:
    """Our own pad's fields at the edition's places."""
    unknown = places.keys() - {field.id for field in own.fields} - {blank.id for blank in blanks}
    if unknown:
        raise ValueError(f"the sheet has no fields {sorted(unknown)}")
    fields = tuple(_placed(field, places[field.id]) for field in own.fields)
    return printed_paper(own, (round(size[0], 3), round(size[1], 3)), fields, blanks)


def printed_paper(
    own: Paper,
    size: tuple[Millimetres, Millimetres],
    fields: tuple[Field, ...],
    blanks: tuple[Blank, ...],
    columns: tuple[Millimetres, ...] = (0.0,),
) -> Paper:
    """A publisher's paper, which has only fields and blanks; `own` is our pad of that sheet."""
    return Paper(
        own.title,
        own.subtitle,
        *size,
        layout=Layout(*size, bands=(), fields=fields),
        at=(0.0, 0.0),
        blanks=blanks,
        names=(),
        columns=columns,
    )


def _placed(field: Field, place: _Printed) -> Field:
    """The field in another place; a finger's targets are as far apart as the fields."""
    margin = max(place.pitch - max(place.box.width, place.box.height), 0.0)
    shape = place.shape or field.shape
    return replace(field, box=place.box, shape=shape, cells=(), touch_margin=round(margin, 3))


def _prints(table: Mapping[str, Any], paper: Paper) -> Iterator[tuple[str, Print]]:
    colors: Mapping[str, Any] = table["colors"]
    fields: Mapping[str, Field] = {field.id: field for field in paper.fields}
    for row in (*table["fields"], *table["blanks"]):
        for number, (name, _, _) in enumerate(_places(row)):
            field = fields.get(name)
            fill = row.get("fill", "field")
            color = field.color if fill == "field" and field else fill
            ink = _at(row.get("ink", "ink"), number)
            printed = Print(
                fill=_rgb(colors[color]),
                disc=_rgb(colors[f"{color}-disc"]) if row.get("disc") else None,
                disc_size=float(row.get("disc", 0.0)),
                text=str(_at(row.get("print", ""), number)),
                ink=_rgb(colors.get(f"{color}-{ink}") or colors[ink]),
                star=bool(field and field.symbol == "star"),
                ring=bool(row.get("ring", False)),
            )
            yield name, printed


def _rgb(parts: Sequence[int]) -> Rgb:
    red, green, blue = map(int, parts)
    return (red, green, blue)
