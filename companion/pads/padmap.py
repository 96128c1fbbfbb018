"""The map of a printed page as the public `companion-pad/1` document."""

from __future__ import annotations

from itertools import chain
from typing import Final

from companion.core import markers as corners
from companion.core.sheet import Box, Field, column_of, moved
from companion.core.values import Document
from companion.pads.geometry import Pad, Printout

FORMAT: Final = "companion-pad/1"


def document(printout: Printout) -> Document:
    """The map of all pads on all pages; lengths are millimetres from the page's top left corner.

    Beyond the public fields it has the markers, the blanks for names and sums, the ruler, and the
    board where the sheet has several.
    """
    order = printout.order
    board = {"board": order.board} if order.board else {}
    return {
        "format": FORMAT,
        "sheet": order.sheet.name,
        **board,
        "paper": order.paper,
        "page_mm": [printout.page.width, printout.page.height],
        "marker_dictionary": corners.DICTIONARY,
        "ruler_mm": box_mm(printout.ruler),
        "pads": _pads(printout),
    }


def box_mm(box: Box) -> list[float]:
    """(x, y, width, height) to a thousandth of a millimetre."""
    return [round(part, 3) for part in (box.x, box.y, box.width, box.height)]


def _pads(printout: Printout) -> list[Document]:
    """All pads. Each place is computed once, because it is the same on every page."""
    places: dict[Box, list[Document]] = {}
    pads: list[Document] = []
    for pad in chain.from_iterable(printout.pages):
        if pad.box not in places:
            places[pad.box] = [_place(pad, column) for column in range(len(pad.paper.columns))]
        for place in places[pad.box]:
            pads.append({"page": pad.page, **place})
    return pads


def _place(pad: Pad, column: int) -> Document:
    """A pad, or a column of it with a sheet of its own."""
    markers = []
    for marker in pad.markers:
        box = box_mm(marker.box)
        markers.append({"id": marker.id, "corner": marker.corner, "box_mm": box})
    blanks = []
    for blank in pad.paper.blanks:
        at, name = column_of(blank.id)
        if at == column or blank.shape == "line":
            box = box_mm(moved(blank.box, pad.box.x, pad.box.y))
            blanks.append({"id": name, "box_mm": box})
    fields = [_field(field) for field in pad.fields if column_of(field.id)[0] == column]
    return {"box_mm": box_mm(pad.box), "fields": fields, "markers": markers, "blanks": blanks}


def _field(field: Field) -> Document:
    cells = {"cells_mm": list(map(box_mm, field.cells))} if field.cells else {}
    kind = "number" if field.kind == "points" else field.kind
    name = column_of(field.id)[1]
    return {"id": name, "kind": kind, "box_mm": box_mm(field.box), **cells}
