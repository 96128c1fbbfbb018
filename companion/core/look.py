"""How sheets look: their colours, their lines and the layers that each of their parts is drawn in.

The screen, the printed pad and the photo reader all draw from here. Nothing here knows a game, and
nothing draws: a layer is a shape with a fill and a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from companion.core.shapes import Outline, Pentagon, Rounded, inset, lock_path, number, star_path
from companion.core.sheet import (
    Band,
    Blank,
    Box,
    Field,
    Kind,
    Label,
    Millimetres,
    Shape,
    Strength,
    Symbol,
)

Color: TypeAlias = str
"""`#rrggbb`."""

# Colours: the same on paper and on a screen, whether that is light or dark.

INK: Final[Color] = "#2b2336"
SOFT: Final[Color] = "#6d6478"
PALE: Final[Color] = "#a79fb2"
WHITE: Final[Color] = "#ffffff"
ON_COLOR: Final[Color] = "#140e1c"
"""Text and crosses on a colour: on each of `COLORS` with a contrast of at least 4.5 : 1."""

COLORS: Final[Mapping[str, Color]] = {
    "orange": "#f08a24",
    "yellow": "#f7c93e",
    "purple": "#9a6bd8",
    "green": "#3f9d58",
    "blue": "#3d7fd6",
    "red": "#dd4a40",
}
"""Name of a band's, field's or blank's colour → the colour. The name "plain" stands for none."""

TINT: Final = 0.24
"""The share of a colour's ink left inside a box on paper, from which a pen has to stand out."""


def gray(color: Color) -> int:
    """How light a colour is in a gray picture, 0 to 255: the luma of ITU-R BT.601, as in JPEG."""
    red, green, blue = _parts(color)
    return round(0.299 * red + 0.587 * green + 0.114 * blue)


def tinted(color: Color) -> Color:
    """The colour as on white paper with only `TINT` of its ink."""
    return "#" + "".join(f"{round(255 - (255 - part) * TINT):02x}" for part in _parts(color))


def _parts(color: Color) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


# Lines and corners.

EDGE: Final[Millimetres] = 0.15
"""The dark line around a coloured one, which would be lost in a gray print."""
FINE: Final[Millimetres] = 0.3
THIN: Final[Millimetres] = 0.35
MEDIUM: Final[Millimetres] = 0.45
THICK: Final[Millimetres] = 0.9

FIELD_CORNER: Final[Millimetres] = 1.6
"""The radius of a square field's corners, in the middle of its line; of the next three, too."""
TINT_CORNER: Final[Millimetres] = 1.1
LINE_CORNER: Final[Millimetres] = 2.0
BLANK_CORNER: Final[Millimetres] = 2.2
PILL_CORNER: Final[Millimetres] = 1.8
BAND_CORNER: Final = 1 / 3
"""The corners' radius, as a share of a band's height."""

RIM: Final = 0.13
"""The coloured rim around the tint of a box to be crossed, of its width."""
VALUE_RIM: Final = 0.1
"""The same of a printed value, which needs more room inside."""

EMBLEM_RADIUS: Final[Millimetres] = 1.9

SYMBOL_SIZES: Final[Mapping[Symbol, float]] = {"star": 0.24, "lock": 0.3}
"""Name → half of the symbol's height, of its field's width."""
LABEL_SYMBOL: Final = 0.48
"""Half of the height of a label's symbol, of the label's letters."""
BESIDE_LETTER: Final[tuple[Millimetres, Millimetres]] = (-0.45, -0.4)
"""How far a symbol is moved where a letter stands in the field's lower right corner."""

LETTER_PLACE: Final = (0.74, 0.745)
"""A letter's centre in its field on paper, of the field's width and height: where a pen's cross or
circle seldom covers it."""
LETTERS_END: Final = 0.85
"""Where two letters end, of the field's width. Some languages need two to tell colours apart."""

# On a screen alone.

SCREEN_SYMBOL_SIZE: Final = 0.36
"""Half of a symbol's height on a screen, of its field's width."""
SCREEN_BESIDE_LETTER: Final[tuple[Millimetres, Millimetres]] = (0.8, 0.8)

CROSS_REACH: Final = 0.28
"""Half the width and height of a cross on a screen, as shares of its field's width."""
STROKE_REACH: Final = 0.32
"""The same of the stroke through a value that is crossed out."""

# Texts.

WEIGHTS: Final[Mapping[Strength, int]] = {"soft": 500, "plain": 500, "strong": 600}
TEXT_COLORS: Final[Mapping[Strength, Color]] = {"soft": SOFT, "plain": INK, "strong": INK}


@dataclass(frozen=True)
class Style:
    """How a shape is drawn. Its line runs astride the shape's edge."""

    fill: Color | None
    line: Millimetres = 0.0
    """0 for none."""
    stroke: Color = INK


@dataclass(frozen=True)
class Layer:
    """A shape and how it is drawn."""

    shape: Outline
    style: Style

    @property
    def outer(self) -> Outline:
        """What is covered, up to the line's outer edge."""
        return self.shape.grown(self.style.line / 2)

    @property
    def inner(self) -> Outline:
        """What the fill covers and the line does not."""
        return self.shape.grown(-self.style.line / 2)


def _within(box: Box, line: Millimetres, radius: Millimetres) -> Rounded:
    """The shape whose line ends exactly at the box's edges."""
    return Rounded(inset(box, line / 2), radius)


def band_layer(band: Band) -> Layer:
    """The strip behind a row."""
    return Layer(Rounded(band.box, band.box.height * BAND_CORNER), Style(COLORS[band.color]))


def pill_layer(label: Label) -> Layer:
    """The dark ground behind a label that has one."""
    box = label.box
    ground = Box(box.x + 1.6, box.y + 0.3, box.width - 3.2, box.height - 0.8)
    return Layer(Rounded(ground, PILL_CORNER), Style(INK))


def field_layers(field: Field) -> tuple[Layer, ...]:
    """What a field is drawn in, the lowest layer first.

    A field with cells is one box a cell, side by side. A field that is full of its colour has a
    second layer, the tint, on which a pen stands out.
    """
    if field.cells:
        style = Style(WHITE, THIN, SOFT)
        return tuple(Layer(_within(cell, THIN, FIELD_CORNER), style) for cell in field.cells)
    outline = _outline(field.shape, field.kind, field.color, field.box)
    if not is_full(field):
        return (outline,)
    rim = field.box.width * (RIM if field.kind == "cross" else VALUE_RIM)
    tint = Style(tinted(COLORS[field.color]))
    return (outline, Layer(Rounded(inset(field.box, rim), TINT_CORNER), tint))


def is_full(field: Field) -> bool:
    """Whether a field is full of its colour; a round one shows it only by the band behind it."""
    return field.shape == "square" and field.color != "plain"


def _outline(shape: Shape, kind: Kind, color: str, box: Box) -> Layer:
    if shape == "circle":
        return Layer(_within(box, THIN, box.width), Style(WHITE, THIN))
    if shape == "pentagon":
        return Layer(Pentagon(inset(box, THICK / 2)), Style(WHITE, THICK))
    if color == "plain":
        style = Style(WHITE, MEDIUM, INK if kind == "cross" else SOFT)
        return Layer(_within(box, MEDIUM, FIELD_CORNER), style)
    return Layer(_within(box, THIN, FIELD_CORNER), Style(COLORS[color], THIN))


@lru_cache(maxsize=64)
def _centered_outline(shape: Shape, kind: Kind, color: str, width: float, height: float) -> Layer:
    return _outline(shape, kind, color, Box(-width / 2, -height / 2, width, height))


def screen_layer(field: Field) -> Layer:
    """What a screen draws a field in: its lowest layer, about the field's centre.

    A screen shows the cells of a number as one box, and no tint.
    """
    box = field.box
    return _centered_outline(field.shape, field.kind, field.color, box.width, box.height)


def blank_layers(blank: Blank) -> tuple[Layer, ...]:
    """What a blank is drawn in, the lowest layer first."""
    if blank.shape == "line":
        return (Layer(_within(blank.box, FINE, LINE_CORNER), Style(WHITE, FINE, PALE)),)
    is_colored = blank.color != "plain" and not blank.strong
    line = THICK if is_colored or blank.strong else MEDIUM
    stroke = INK if blank.strong else COLORS.get(blank.color, SOFT)
    outline = Layer(_blank_shape(blank, line), Style(WHITE, line, stroke))
    edge = Layer(_blank_shape(blank, EDGE), Style(None, EDGE))
    return (outline, edge) if is_colored else (outline,)


def _blank_shape(blank: Blank, line: Millimetres) -> Outline:
    box = inset(blank.box, line / 2)
    return Pentagon(box) if blank.shape == "pentagon" else Rounded(box, BLANK_CORNER)


SYMBOL_STYLE: Final = Style(WHITE, THIN)

EMBLEM: Final[tuple[Layer, ...]] = tuple(
    Layer(Rounded(inset(Box(x, y, 0, 0), -EMBLEM_RADIUS), EMBLEM_RADIUS), Style(COLORS[color]))
    for x, y, color in ((18.6, 5.6, "orange"), (19.8, 8.2, "yellow"), (21.0, 10.8, "purple"))
)
"""The three dots before a pad's title, from the pad's top left corner."""


def symbol_path(symbol: Symbol, x: Millimetres, y: Millimetres, radius: Millimetres) -> str:
    """SVG path of a symbol about (x, y); empty for no symbol."""
    if symbol == "star":
        return star_path(x, y, radius)
    return lock_path(x, y, radius) if symbol == "lock" else ""


def field_symbol(field: Field) -> str:
    """SVG path of the symbol printed in a field; empty for no symbol."""
    if not field.symbol:
        return ""
    x, y = field.box.center
    if field.letter:
        x, y = x + BESIDE_LETTER[0], y + BESIDE_LETTER[1]
    return symbol_path(field.symbol, x, y, field.box.width * SYMBOL_SIZES[field.symbol])


def label_symbol(label: Label) -> str:
    """SVG path of the symbol printed before a label; empty for no symbol."""
    x, y = label.box.x + label.size / 2, label.box.center[1]
    return symbol_path(label.symbol, x, y, label.size * LABEL_SYMBOL)


def screen_symbol(field: Field) -> str:
    """SVG path of the symbol that a screen shows in a field, about the field's centre.

    Larger than on paper, where the networks have learned to tell it from a cross, and beside the
    letter, which stands in the upper left corner there.
    """
    if not field.symbol:
        return ""
    x, y = SCREEN_BESIDE_LETTER if field.letter else (0.0, 0.0)
    return _screen_symbol(field.symbol, x, y, field.box.width * SCREEN_SYMBOL_SIZE)


_screen_symbol = lru_cache(maxsize=16)(symbol_path)


def cross_path(field: Field) -> str:
    """SVG path of the cross that a screen writes in a field, about the field's centre."""
    reach = number(field.box.width * CROSS_REACH)
    return f"M-{reach}-{reach} {reach} {reach}M{reach}-{reach}-{reach} {reach}"


def stroke_path(field: Field) -> str:
    """SVG path of the stroke through a value, about the field's centre."""
    reach = number(field.box.width * STROKE_REACH)
    return f"M-{reach}-{reach} {reach} {reach}"
