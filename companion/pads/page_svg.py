"""The pages of an order as SVG, one drawing a page, in millimetres.

Fills and lines come from `companion.core.sheet_style`, and texts from `companion.pads.lettering`.
No sheet is named here; colours and fonts are attributes, so that the same drawing works in a
page under a strict Content-Security-Policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from companion.core import markers, sheet_style
from companion.core.shapes import Outline, number
from companion.core.sheet import Field, Millimetres, Paper, moved_exactly
from companion.core.sheet_style import Layer, Style, field_symbol, label_symbol
from companion.core.words import Sentence
from companion.folders import TEMPLATES
from companion.pads import aruco
from companion.pads.geometry import RULER, RULER_WIDTH, Pad, Printout
from companion.pads.languages import Say, in_english
from companion.pads.lettering import Text, centered, names, numbers, pad_texts, placed
from companion.pads.name_code import name_code
from companion.pads.papers import Page

K = TypeVar("K")


def svg(
    printout: Printout, say: Say = in_english, *, on_screen: bool = False
) -> tuple[Markup, ...]:
    """A drawing for each page. The pads' inside is drawn once and placed as often as needed.

    Args:
        on_screen: whether a browser shows it and may print it without colours: it gets the patterns
            for that, and a style sheet shows them.

    >>> from companion.games.catalog import SHEETS
    >>> from companion.pads.geometry import pages_of_order
    >>> from companion.pads.order import checked_order
    >>> [page] = svg(pages_of_order(checked_order(next(iter(SHEETS)), players=["Ada"])))
    >>> page.lstrip().startswith("<svg"), "Ada" in page
    (True, True)
    """
    paper = printout.pages[0][0].paper
    inside = _inside(printout, paper, say, on_screen=on_screen)
    template = _templates().get_template("page.svg")
    text = say(Sentence("100 mm. Print at 100 %%, not “fit to page”."))
    notice = centered(text, RULER + 3, RULER_WIDTH / 2, 2.2, sheet_style.SOFT, "start")
    drawings = []
    for pads in printout.pages:
        drawing = template.render(
            page=printout.page,
            cuts=printout.cuts,
            ruler=printout.ruler,
            ruler_length=RULER,
            ruler_width=RULER_WIDTH,
            notice=notice,
            pads=[(pad.box, [*_written(pad)], name_code(pad)) for pad in pads],
            inside=inside,
            sheet_style=sheet_style,
        )
        drawings.append(Markup(drawing))  # noqa: S704 - a template's output, already escaped
    return tuple(drawings)


def _written(pad: Pad) -> Iterator[Text]:
    """The players' names and numbers on a pad."""
    for _, lines in names(pad):
        yield from lines
    yield from numbers(pad)


@cache
def _templates() -> Environment:
    """The pads' own templates: everything is escaped, and a name that is missing is an error."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["n"] = number
    return environment


def html(pages: tuple[Markup, ...], page: Page, scale: float, clip: Millimetres) -> str:
    """The pages as one document for a browser's engine.

    Args:
        scale: how much larger than its true size everything is written.
        clip: millimetres cut off at the right and below, where nothing is printed.
    """
    return (
        _templates()
        .get_template("page.html")
        .render(
            pages=pages,
            width=f"{page.width * scale:.4f}mm",
            height=f"{page.height * scale:.4f}mm",
            box_width=f"{(page.width - clip) * scale:.4f}mm",
            box_height=f"{(page.height - clip) * scale:.4f}mm",
        )
    )


def _inside(printout: Printout, paper: Paper, say: Say, *, on_screen: bool) -> Markup:
    """All of a pad but the players' names, from the pad's top left corner."""
    order = printout.order
    place = order.board_place
    corners = markers.on_pad(order.sheet.number, place, paper.width, paper.height)
    fields = [_placed_field(field, paper) for field in (*paper.sheet_fields, *paper.examples)]
    labels = [placed(label, paper) for label in paper.layout.labels]
    patterns = filter(None, map(sheet_style.pattern_layer, fields))
    return Markup(  # noqa: S704 - a template's output, already escaped
        _templates()
        .get_template("pad.svg")
        .render(
            sheet_style=sheet_style,
            grounds=_layers(_grounds(paper)),
            shapes=_layers(_shapes(fields, paper)),
            patterns=_joined((p, at) for at, p in patterns) if order.mono or on_screen else {},
            always=order.mono,
            symbols=[*map(field_symbol, fields), *map(label_symbol, labels)],
            markers=[(marker.box, aruco.path(marker.id)) for marker in corners],
            texts=pad_texts(paper, say),
        )
    )


def _placed_field(field: Field, paper: Paper) -> Field:
    cells = tuple(moved_exactly(cell, *paper.at) for cell in field.cells)
    return replace(placed(field, paper), cells=cells)


def _joined(shapes: Iterable[tuple[K, Outline]]) -> Mapping[K, str]:
    """Style → one path for all its shapes: a tenth of the size of a path for each."""
    paths: dict[K, list[str]] = {}
    for style, shape in shapes:
        paths.setdefault(style, []).append(shape.path)
    return {style: "".join(parts) for style, parts in paths.items()}


def _layers(layers: Iterable[Layer]) -> Mapping[Style, str]:
    return _joined((layer.style, layer.shape) for layer in layers)


def _grounds(paper: Paper) -> Iterator[Layer]:
    """The rows' bands and the labels' pills."""
    for band in paper.layout.bands:
        yield sheet_style.band_layer(placed(band, paper))
    for label in paper.layout.labels:
        if label.has_pill:
            yield sheet_style.pill_layer(placed(label, paper))


def _shapes(fields: Iterable[Field], paper: Paper) -> Iterator[Layer]:
    for field in fields:
        yield from sheet_style.field_layers(field)
    edges: list[Layer] = []
    for blank in paper.blanks:
        outline, *above = sheet_style.blank_layers(blank)
        yield outline
        edges += above
    # Last, so that no colour covers a coloured outline's edge.
    yield from edges
