"""How sheets look: colours, line widths, and the layers of each part of a sheet.

The screen, the printed pad and the photo reader all draw from this module. It knows no game and
draws nothing itself: a layer is a shape with a fill and a line.
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

Color: TypeAlias = str  # `#rrggbb`

# Colours: the same on paper and on a screen, whether that is light or dark.

INK: Final[Color] = "#2b2336"
SOFT: Final[Color] = "#6d6478"
PALE: Final[Color] = "#a79fb2"
WHITE: Final[Color] = "#ffffff"
# Text and crosses on a colour; the contrast with each of `COLORS` is at least 4.5 : 1
ON_COLOR: Final[Color] = "#140e1c"

# Name → colour of a band, field or blank. The name "plain", for no colour, is not among them.
COLORS: Final[Mapping[str, Color]] = {
    "orange": "#f08a24",
    "yellow": "#f7c93e",
    "purple": "#9a6bd8",
    "green": "#3f9d58",
    "blue": "#3d7fd6",
    "red": "#dd4a40",
}

# The share of a colour's ink inside a box on paper, light enough for a pen to stand out
TINT: Final = 0.24


def gray(color: Color) -> int:
    """The brightness of a colour in a gray picture, 0 to 255: the luma of ITU-R BT.601 (JPEG)."""
    red, green, blue = _parts(color)
    return round(0.299 * red + 0.587 * green + 0.114 * blue)


def tinted(color: Color) -> Color:
    """The colour on white paper when only the share `TINT` of its ink is printed."""
    return "#" + "".join(f"{round(255 - (255 - part) * TINT):02x}" for part in _parts(color))


def _parts(color: Color) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


# Lines and corners.

# The width of the dark line around a coloured line, which would be lost in a gray print
EDGE: Final[Millimetres] = 0.15
FINE: Final[Millimetres] = 0.3
THIN: Final[Millimetres] = 0.35
MEDIUM: Final[Millimetres] = 0.45
THICK: Final[Millimetres] = 0.9

# Corner radius of a square field, measured in the middle of its line
FIELD_CORNER: Final[Millimetres] = 1.6
TINT_CORNER: Final[Millimetres] = 1.1  # corner radius of the tint inside a field
LINE_CORNER: Final[Millimetres] = 2.0  # corner radius of a blank for a name or a date
BLANK_CORNER: Final[Millimetres] = 2.2  # corner radius of a square blank
PILL_CORNER: Final[Millimetres] = 1.8  # corner radius of the dark ground behind a label
BAND_CORNER: Final = 1 / 3  # corner radius of a band, as a share of its height

RIM: Final = 0.13  # coloured rim around the tint of a cross box, as a share of its width
# Rim of a printed value's box, as a share of its width. A value needs more room inside.
VALUE_RIM: Final = 0.1

EMBLEM_RADIUS: Final[Millimetres] = 1.9  # radius of a dot before a pad's title

# Symbol → half of its height, as a share of its field's width
SYMBOL_SIZES: Final[Mapping[Symbol, float]] = {"star": 0.24, "lock": 0.3}
# Half the height of a label's symbol, as a share of the size of the label's letters
LABEL_SYMBOL: Final = 0.48
# Shift of a symbol that shares its field with a letter in the lower right corner
BESIDE_LETTER: Final[tuple[Millimetres, Millimetres]] = (-0.45, -0.4)

# A letter's centre in its field on paper, as shares of the field's width and height
LETTER_PLACE: Final = (0.74, 0.745)
LETTERS_END: Final = 0.85  # Right end of two letters, as a share of the field's width

# Only on a screen.

# Half the height of a symbol on a screen, as a share of its field's width
SCREEN_SYMBOL_SIZE: Final = 0.36
# Shift of a symbol that shares its field with a letter in the upper left corner
SCREEN_BESIDE_LETTER: Final[tuple[Millimetres, Millimetres]] = (0.8, 0.8)

# Start of a letter's baseline on a screen, from its field's upper left corner
SCREEN_LETTER_PLACE: Final[tuple[Millimetres, Millimetres]] = (0.9, 3.05)

# The arrow of a row that is filled in one direction, around its centre
ARROW_PATH: Final = "M-1.4 0H1.3M.1-1.2 1.3 0 .1 1.2"

# Half the width and height of a cross on a screen, as shares of its field's width
CROSS_REACH: Final = 0.28
# Half the width and height of the stroke through a crossed-out value, as shares of its width
STROKE_REACH: Final = 0.32
LEAST_FINGER: Final = 27  # least side of a field's tap target, in CSS pixels
LEAST_OF_MANY: Final = 22.5  # the same on a sheet of `MANY_FIELDS`, where one stroke taps several
STRIP: Final[Millimetres] = 9.5  # the width of a column that a lying phone folds for another player
MANY_FIELDS: Final = 120
# Distance of the ring around a circled value from its field's edge
RING_INSET: Final[Millimetres] = 0.4

# The layers of a review over the fields of a sheet.

FRAME_GAP: Final[Millimetres] = 0.3  # distance between a field and the frame around it
FRAME_CORNER: Final[Millimetres] = 1.8

# Height of the badge with the number that was read, at its field's lower right corner
BADGE_HEIGHT: Final[Millimetres] = 5.0
BADGE_DIGIT: Final[Millimetres] = 2.6  # width of the badge for each digit
BADGE_PADDING: Final[Millimetres] = 0.9  # room in the badge left and right of the digits
# Kind of field → shift of the badge's centre from the field's lower right corner
BADGE_PLACES: Final[Mapping[Kind, tuple[Millimetres, Millimetres]]] = {
    "number": (-0.2, 0.0),
    "digits": (-2.0, 0.9),
    "points": (-2.0, 0.9),
}

# Radius of the sign for an unsure or wrong field, at its upper left corner
SIGN_RADIUS: Final[Millimetres] = 2.4
# Distance of the sign's centre from each edge at that corner, inwards
SIGN_INSET: Final[Millimetres] = 0.4

# Texts.

WEIGHTS: Final[Mapping[Strength, int]] = {"soft": 500, "plain": 500, "strong": 600}
TEXT_COLORS: Final[Mapping[Strength, Color]] = {"soft": SOFT, "plain": INK, "strong": INK}


@dataclass(frozen=True)
class Style:
    """How a shape is drawn. Its line runs astride the shape's edge."""

    fill: Color | None
    line: Millimetres = 0.0  # width of the line; 0 for none
    stroke: Color = INK


@dataclass(frozen=True)
class Layer:
    """A shape and how it is drawn."""

    shape: Outline
    style: Style

    @property
    def outer(self) -> Outline:
        """The area covered, including the line."""
        return self.shape.grown(self.style.line / 2)

    @property
    def inner(self) -> Outline:
        """The area filled, without the line."""
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
    """The layers of a field, lowest first.

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


@dataclass(frozen=True)
class Pattern:
    """A line in a field's coloured rim, which identifies the colour in a gray print."""

    stroke: Color
    dashes: tuple[Millimetres, ...]  # lengths of dashes and gaps; empty for a line without gaps
    width: Millimetres = 0.0


# Colour → the line in its rim. The other colours have none: in gray, red is dark and yellow pale.
# Red, green and blue are equally gray (117, 121, 117).
PATTERNS: Final[Mapping[str, Pattern]] = {
    "green": Pattern(WHITE, ()),
    "blue": Pattern(WHITE, (1.0, 1.2)),
    "orange": Pattern(INK, (0.8, 1.6)),
}
PATTERN_WIDTH: Final = 0.38  # width of that line, as a share of the rim's


def pattern_layer(field: Field) -> tuple[Outline, Pattern] | None:
    """(shape, pattern) of the line in the rim of a field; None where there is no rim or line."""
    if not is_full(field) or field.color not in PATTERNS:
        return None
    rim = field.box.width * (RIM if field.kind == "cross" else VALUE_RIM)
    shape = Rounded(inset(field.box, (THIN + rim) / 2), FIELD_CORNER * 0.85)
    pattern = PATTERNS[field.color]
    width = round((rim - THIN) * PATTERN_WIDTH, 3)
    return shape, Pattern(pattern.stroke, pattern.dashes, width)


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
    """The lowest layer of a field, centred on the origin.

    A screen draws nothing else of a field: neither the cells of a number nor the tint.
    """
    box = field.box
    return _centered_outline(field.shape, field.kind, field.color, box.width, box.height)


def blank_layers(blank: Blank) -> tuple[Layer, ...]:
    """The layers of a blank, lowest first."""
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

# The three dots before a pad's title, from the pad's top left corner
EMBLEM: Final[tuple[Layer, ...]] = tuple(
    Layer(Rounded(inset(Box(x, y, 0, 0), -EMBLEM_RADIUS), EMBLEM_RADIUS), Style(COLORS[color]))
    for x, y, color in ((18.6, 5.6, "orange"), (19.8, 8.2, "yellow"), (21.0, 10.8, "purple"))
)


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
    """SVG path of the symbol printed before a label, or alone; empty for no symbol."""
    x, y = label.box.center
    if label.text:
        x = label.box.x + label.size / 2
    return symbol_path(label.symbol, x, y, label.size * LABEL_SYMBOL)


def lone_symbol(label: Label) -> str:
    """SVG path of the symbol of a label without a text, about the label's centre."""
    return "" if label.text else symbol_path(label.symbol, 0, 0, label.size * LABEL_SYMBOL)


def screen_symbol(field: Field) -> str:
    """SVG path of the symbol that a screen shows in a field, about the field's centre."""
    # Larger than on paper, where the networks have learned to distinguish a small one from a cross
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
