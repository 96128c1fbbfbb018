"""A sheaf's pages as SVG, one drawing a page, in millimetres.

The shapes' ink ends exactly at their boxes' edges: lines are drawn inside, not astride. Nothing
here knows a sheet; colours and fonts are attributes, so that the same drawing stands in a page
under a strict Content-Security-Policy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Protocol, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from companion.core import markers
from companion.core.sheet import Band, Blank, Box, Field, Label, Millimetres, Paper
from companion.core.words import N_, Sentence, english
from companion.pads import aruco
from companion.pads.files import TEMPLATES
from companion.pads.geometry import RULER, Pad, Sheaf
from companion.pads.papers import Page
from companion.pads.text import LINE, fit, is_known, width, wrapped

INK: Final = "#2b2336"
SOFT: Final = "#6d6478"
PALE: Final = "#a79fb2"

COLORS: Final[Mapping[str, str]] = {
    "orange": "#f08a24",
    "yellow": "#f7c93e",
    "purple": "#9a6bd8",
    "green": "#3f9d58",
    "blue": "#3d7fd6",
    "red": "#dd4a40",
    "plain": SOFT,
}
"""Of bands and fields; those of the app's stylesheet."""
DARK: Final = frozenset({"purple", "green", "blue", "red"})
"""Colours on which white can be read better than ink."""
TINT: Final = 0.24
"""How much of its colour is left inside a field that is crossed: a pen must stand out from it."""

STAR: Final = "★"
"""Drawn, because Fredoka has none."""
SIGNS: Final = frozenset({STAR, "!"})
"""At the start of a label they stand in a column of their own."""

RUN_STEP: Final[Millimetres] = 14.0
"""Letters further apart than this are no run."""

THIN: Final[Millimetres] = 0.35
THICK: Final[Millimetres] = 0.9
EDGE: Final[Millimetres] = 0.15
"""The dark line around a coloured outline, which would be lost in a gray print."""


class Say(Protocol):
    """Says a sentence in some language."""

    def __call__(self, sentence: Sentence) -> str: ...


def in_english(sentence: Sentence) -> str:
    return sentence.said(english, " or ")


@dataclass(frozen=True)
class Text:
    """One line of text; `y` is its base line."""

    x: Millimetres
    y: Millimetres
    size: Millimetres
    content: str
    anchor: str = "middle"
    weight: int = 500
    fill: str = INK
    spacing: Millimetres = 0.0
    """Between its letters, beyond what is usual."""


@dataclass(frozen=True)
class Style:
    """How a shape is drawn."""

    line: Millimetres
    stroke: str
    fill: str = "#ffffff"


Shape: TypeAlias = tuple[Style, str]
"""A closed shape and its SVG path."""


def svg(sheaf: Sheaf, say: Say = in_english) -> tuple[Markup, ...]:
    """A drawing for each page. The pads' inside is drawn once and placed as often as needed."""
    paper = sheaf.pages[0][0].paper
    inside = _inside(sheaf, paper, say)
    template = _templates().get_template("page.svg")
    notice = say(Sentence(N_("100 mm. Print at 100 %%, not “fit to page”."), {}))
    ruler = _centered(notice, sheaf.ruler.x + RULER + 3, sheaf.ruler.y + 0.8, 2.2, SOFT, "start")
    return tuple(
        Markup(  # noqa: S704 - a template's output, already escaped
            template.render(
                page=sheaf.page,
                cuts=sheaf.cuts,
                ruler=sheaf.ruler,
                notice=ruler,
                pads=[(pad.box, tuple(_names(pad))) for pad in pads],
                inside=inside,
                ink=INK,
                soft=SOFT,
            )
        )
        for pads in sheaf.pages
    )


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
    environment.filters["n"] = _number
    return environment


def html(pages: tuple[Markup, ...], page: Page, scale: float, clip: Millimetres, sheet: str) -> str:
    """The pages as one document for a PDF engine.

    Args:
        scale: how much larger than it is everything is written.
        clip: millimetres cut off at the right and below, where nothing is printed.
        sheet: more CSS.
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
            sheet=Markup(sheet),  # noqa: S704 - our own numbers
        )
    )


def _number(value: float) -> str:
    """A length with no more digits than anybody can see."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _inside(sheaf: Sheaf, paper: Paper, say: Say) -> Markup:
    """All of a pad but the players' names, from the pad's top left corner."""
    order = sheaf.order
    layout = paper.layout
    headings = {label.box for label in layout.labels if label.strong}
    drawn = _templates().get_template("pad.svg")
    texts = [
        *_title(paper, say),
        *(text for band in layout.bands for text in _letter(band, paper, say)),
        *(text for field in layout.fields for text in _printed(_placed(field, paper), say)),
        *(text for label in layout.labels for text in _label(label, paper.at, say)),
        *(text for note in paper.notes for text in _label(note, (0, 0), say)),
        *_captions(paper, say),
    ]
    fields = [_placed(field, paper) for field in layout.fields]
    return Markup(  # noqa: S704 - a template's output, already escaped
        drawn.render(
            paper=paper,
            bands=[
                (COLORS[band.color], rounded(_shifted(band.box, *paper.at), band.box.height / 3))
                for band in layout.bands
            ],
            pills=[rounded(_inset_pill(_shifted(box, *paper.at)), 1.8) for box in headings],
            shapes=_shapes(fields, paper.blanks),
            stars=[
                *(star(*_star_place(field)) for field in fields if field.star),
                *(star(*place) for place in _star_signs(paper, say)),
            ],
            markers=[
                (marker.box, aruco.path(marker.id))
                for marker in markers.on_pad(
                    order.sheet.number, order.board_place, paper.width, paper.height
                )
            ],
            texts=_in_runs(texts),
            ink=INK,
        )
    )


def _shifted(box: Box, x: Millimetres, y: Millimetres) -> Box:
    return Box(box.x + x, box.y + y, box.width, box.height)


@dataclass(frozen=True)
class _Placed:
    """A field and where it lies on the pad."""

    field: Field
    box: Box
    cells: tuple[Box, ...]

    @property
    def star(self) -> bool:
        return self.field.star


def _placed(field: Field, paper: Paper) -> _Placed:
    cells = tuple(_shifted(cell, *paper.at) for cell in field.cells)
    return _Placed(field, _shifted(field.box, *paper.at), cells)


# Shapes


def _shapes(fields: Iterable[_Placed], blanks: Iterable[Blank]) -> Mapping[Style, str]:
    """Style → one path for all that is drawn so: a tenth of the size of one path for each."""
    grouped: dict[Style, list[str]] = {}
    for field in fields:
        for style, path in _field(field):
            grouped.setdefault(style, []).append(path)
    edges = []
    for blank in blanks:
        style, path = _blank(blank)
        grouped.setdefault(style, []).append(path)
        if blank.color != "plain" and not blank.strong and blank.shape != "line":
            edges.append(_blank_path(blank, EDGE))
    if edges:
        # Last, so that no colour covers them.
        grouped[Style(EDGE, INK, "none")] = edges
    return {style: "".join(paths) for style, paths in grouped.items()}


def _field(placed: _Placed) -> Iterator[Shape]:
    field, box = placed.field, placed.box
    if placed.cells:
        for cell in placed.cells:
            yield _square(cell, Style(THIN, SOFT))
    elif field.shape == "circle":
        yield Style(THIN, INK), rounded(_inset(box, THIN / 2), box.width)
    elif field.shape == "pentagon":
        yield Style(THICK, INK), pentagon(_inset(box, THICK / 2))
    elif field.color == "plain":
        yield _square(box, Style(0.45, INK if field.kind == "cross" else SOFT))
    else:
        color = COLORS[field.color]
        yield _square(box, Style(THIN, INK, color))
        inner = _inset(box, box.width * (0.13 if field.kind == "cross" else 0.1))
        yield _square(inner, Style(0, "none", _tinted(color)), 1.1)


def _square(box: Box, style: Style, radius: Millimetres = 1.6) -> Shape:
    return style, rounded(_inset(box, style.line / 2), radius)


def _blank(blank: Blank) -> Shape:
    if blank.shape == "line":
        return _square(blank.box, Style(0.3, PALE), 2.0)
    line = THICK if blank.strong or blank.color != "plain" else 0.45
    style = Style(line, INK if blank.strong else COLORS[blank.color])
    return style, _blank_path(blank, line)


def _blank_path(blank: Blank, line: Millimetres) -> str:
    box = _inset(blank.box, line / 2)
    return pentagon(box) if blank.shape == "pentagon" else rounded(box, 2.2)


def rounded(box: Box, radius: Millimetres) -> str:
    """SVG path of a rectangle with round corners; a circle where the radius is large enough."""
    radius = min(radius, box.width / 2, box.height / 2)
    across, down, r = (
        _number(part) for part in (box.width - 2 * radius, box.height - 2 * radius, radius)
    )
    start = f"M{_number(box.x + radius)} {_number(box.y)}"
    arc = f"a{r} {r} 0 0 1"
    top_and_right = f"h{across}{arc} {r} {r}v{down}{arc}-{r} {r}"
    return f"{start}{top_and_right}h-{across}{arc}-{r}-{r}v-{down}{arc} {r}-{r}z"


def _inset_pill(box: Box) -> Box:
    """Behind a heading that stands out."""
    return Box(box.x + 1.6, box.y + 0.3, box.width - 3.2, box.height - 0.8)


def _inset(box: Box, by: Millimetres) -> Box:
    return Box(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by)


def _tinted(color: str) -> str:
    """The colour as on white paper with only `TINT` of the ink."""
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * TINT):02x}" for part in parts)


def pentagon(box: Box) -> str:
    """SVG path of a pentagon, point up, that touches all four sides of the box."""
    angles = [math.radians(72 * corner - 90) for corner in range(5)]
    wide, low = math.cos(math.radians(18)), math.cos(math.radians(36))
    corners = [
        (
            box.x + box.width * (math.cos(angle) / wide + 1) / 2,
            box.y + box.height * (math.sin(angle) + 1) / (1 + low),
        )
        for angle in angles
    ]
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in corners) + "z"


def star(x: Millimetres, y: Millimetres, radius: Millimetres) -> str:
    """SVG path of a five-pointed star about (x, y)."""
    corners = [
        (radius if corner % 2 == 0 else radius * 0.47, math.radians(36 * corner - 90))
        for corner in range(10)
    ]
    points = [(x + r * math.cos(angle), y + r * math.sin(angle)) for r, angle in corners]
    return "M" + "L".join(f"{_number(px)} {_number(py)}" for px, py in points) + "z"


def _star_place(placed: _Placed) -> tuple[Millimetres, Millimetres, Millimetres]:
    x, y = placed.box.center
    # Up and to the left, where the letter in the corner leaves it room.
    return x - 0.45, y - 0.4, placed.box.width * 0.24


# Texts


def _centered(
    content: str,
    x: Millimetres,
    y: Millimetres,
    size: Millimetres,
    fill: str = INK,
    anchor: str = "middle",
    weight: int = 500,
) -> Text:
    """A line whose capitals stand about `y`."""
    if len(content) == 1 and anchor == "middle" and is_known(content):
        # A sheet has hundreds of letters, and WeasyPrint packs each that is centred.
        x, anchor = x - width(content, size) / 2, "start"
    return Text(x, y + size * 0.35, size, content, anchor, weight, fill)


def _in_runs(texts: Iterable[Text]) -> list[Text]:
    """The texts, with equal single letters that stand evenly beside each other made one.

    A sheet has hundreds of single letters, and an engine takes longer for a text than for a shape.
    """
    joined: list[Text] = []
    rows: dict[Text, list[Millimetres]] = {}
    for text in texts:
        if len(text.content) == 1 and text.anchor == "start":
            rows.setdefault(replace(text, x=0), []).append(text.x)
        else:
            joined.append(text)
    for text, places in rows.items():
        run: list[Millimetres] = []
        for x in [*sorted(places), math.inf]:
            step = run[1] - run[0] if len(run) > 1 else RUN_STEP
            is_next = not run or (
                x - run[-1] < RUN_STEP
                and (len(run) == 1 or math.isclose(x - run[-1], step, abs_tol=1e-3))
            )
            if is_next:
                run.append(x)
                continue
            spacing = step - width(text.content, text.size) if len(run) > 1 else 0.0
            content = text.content * len(run)
            joined.append(replace(text, x=run[0], content=content, spacing=spacing))
            run = [x]
    return joined


def _title(paper: Paper, say: Say) -> Iterator[Text]:
    room = paper.blanks[0].box.x - 26
    title, size = fit(say(paper.title), room, 8.2)
    if paper.subtitle is None:
        yield _centered(title, 24.5, 8, size, anchor="start", weight=600)
        return
    yield _centered(title, 24.5, 6.4, min(size, 7.4), anchor="start", weight=600)
    subtitle, small = fit(say(paper.subtitle), room, 3.2)
    yield _centered(subtitle, 24.6, 11.7, small, SOFT, "start")


def _letter(band: Band, paper: Paper, say: Say) -> Iterator[Text]:
    x, y = band.letter_at[0] + paper.at[0], band.letter_at[1] + paper.at[1]
    fill = "#ffffff" if band.color in DARK else INK
    yield _centered(say(Sentence(band.letter)), x, y, 5, fill, weight=600)


def _printed(placed: _Placed, say: Say) -> Iterator[Text]:
    field, box = placed.field, placed.box
    x, y = box.center
    letter = say(Sentence(field.letter)) if field.letter else ""
    if field.kind == "value":
        strong = 600 if field.id.endswith("first") else 500
        yield _centered(field.print, x - (0.9 if letter else 0), y, 5.2, weight=strong)
    elif field.print == "!":
        yield _centered(field.print, x, y, 6.4, weight=600)
    elif field.print:
        yield _centered(field.print, x, y, 3.4, SOFT)
    if letter:
        # In the corner, so that a cross or a circle does not cover it.
        x, y = box.x + box.width * 0.74, box.y + box.height * 0.745
        if len(letter) == 1:
            yield _centered(letter, x, y, 2.6, weight=600)
        else:
            # Some languages need two letters to tell green from yellow, or blue.
            x = box.x + box.width * 0.85
            yield _centered(letter, x, y + 0.15, 2.2, INK, "end", 600)


def _label(label: Label, at: tuple[Millimetres, Millimetres], say: Say) -> Iterator[Text]:
    box = _shifted(label.box, *at)
    said = say(label.text)
    indent = 0.0
    if said[:1] in SIGNS:
        sign, said, indent = said[0], said[1:].strip(), label.size * 1.3
        if sign != STAR:
            yield _centered(sign, box.x + label.size / 2, box.center[1], label.size, weight=600)
    lines, size = wrapped(said, box.width - indent, box.height, label.size)
    x, y = box.center
    y -= (len(lines) - 1) * size * LINE / 2
    fill = "#ffffff" if label.strong and at != (0, 0) else INK if label.size > 4 else SOFT
    weight = 600 if label.strong else 500
    start = label.align == "start"
    for number, line in enumerate(lines):
        place = y + number * size * LINE
        x = box.x + indent if start else box.center[0] + indent / 2
        yield _centered(line, x, place, size, fill, "start" if start else "middle", weight)


def _star_signs(paper: Paper, say: Say) -> Iterator[tuple[Millimetres, Millimetres, Millimetres]]:
    """Stars that stand in a label."""
    for label in paper.layout.labels:
        said = say(label.text)
        if said.startswith(STAR):
            box = _shifted(label.box, *paper.at)
            yield box.x + label.size / 2, box.center[1], label.size * 0.48


def _captions(paper: Paper, say: Say) -> Iterator[Text]:
    before: Blank | None = None
    for blank in paper.blanks:
        box, said = blank.box, say(blank.caption) if blank.caption else ""
        said = said[:1].upper() + said[1:]
        if blank.shape == "line":
            if said:
                content, size = fit(said, box.width - 4, 2.3)
                yield Text(box.x + 1.8, box.y + 2.9, size, content, "start", 500, SOFT)
        elif said:
            content, size = fit(said, box.width + 1.6, 2.2)
            yield Text(box.center[0], box.y - 0.8, size, content, "middle", 500, SOFT)
        if blank.sign and before:
            middle = (before.box.x + before.box.width + box.x) / 2
            size = min(6.0, (box.x - before.box.x - before.box.width) * 1.3)
            yield _centered(blank.sign, middle, box.center[1], size, weight=600)
        before = blank


def _names(pad: Pad) -> Iterator[Text]:
    """The players' names, in their blanks."""
    blanks = {blank.id: blank for blank in pad.paper.blanks}
    for place, name in zip(pad.paper.names, pad.names, strict=False):
        box, caption = blanks[place].box, blanks[place].caption
        if caption:
            content, size = fit(name, box.width - 4, 4.8)
            yield Text(box.x + 2, box.y + box.height - 1.7, size, content, "start")
        else:
            lines, size = wrapped(name, box.width - 2, box.height - 1, 4.2)
            first = box.center[1] - (len(lines) - 1) * size * LINE / 2
            for number, line in enumerate(lines):
                yield _centered(line, box.center[0], first + number * size * LINE, size)
