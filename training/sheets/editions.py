"""Draws publishers' sheets in many variants, from an edition's table of places and rough colours.

Nobody here has their artwork, and it differs by edition and year. So fonts, tones, discs, stars,
outlines and trim are random for each sheet, but the same for all its fields that are printed alike.
"""

from __future__ import annotations

import math
import site
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition, Print, Rgb
from companion.core.shapes import Outline, Pentagon, Rounded, inset
from companion.core.sheet import Blank, Box, Field, Millimetres
from training import Rng
from training.games import sheet_training
from training.writing.pens import PX_PER_MM

Picture: TypeAlias = npt.NDArray[np.uint8]
Bgr: TypeAlias = tuple[int, int, int]

OWN_FONTS: Final = Path(__file__).parents[2] / "static" / "fonts" / "print"
FONT_FOLDERS: Final = (Path("/usr/share/fonts"), *map(Path, site.getsitepackages()))
"""Folders with more fonts: the system's, and those of packages such as `font-roboto`."""
GLYPH: Final = 96
"""The size at which letters are kept, in pixels."""
PATCH_TEXT: Final = "ABCDEFGHIJKLMNOPQR?!x=/"
"""Characters that are printed on patches; they only have to look like print."""
_FRACTION: Final = 4
"""Bits of a pixel's fraction in OpenCV's drawing."""


@cache
def fonts() -> tuple[Path, ...]:
    """Every font of this machine with digits and letters, the project's own first."""
    found = [
        path
        for folder in FONT_FOLDERS
        for path in sorted(folder.glob("**/*.[ot]tf"))
        if "Math" not in path.name and "Mono" not in path.name
    ]
    # Fonts of symbols print the same box for each digit.
    read = [path for path in found if not np.array_equal(_glyph(path, "2"), _glyph(path, "5"))]
    return (*sorted(OWN_FONTS.glob("*.ttf")), *read)


@cache
def _glyph(font: Path, text: str) -> Picture:
    """A text in white on black, cropped to its ink; `lock` is an open padlock."""
    if text == "lock":
        return _padlock()
    from PIL import Image, ImageDraw, ImageFont

    face = ImageFont.truetype(str(font), GLYPH)
    page = Image.new("L", (GLYPH * (len(text) + 1), GLYPH * 2))
    ImageDraw.Draw(page).text((GLYPH // 2, GLYPH // 3), text, 255, font=face)
    picture = np.asarray(page)
    if not picture.any():
        return np.full((GLYPH // 2, GLYPH // 3), 255, np.uint8)
    left, top, width, height = cv2.boundingRect((picture > 20).astype(np.uint8))
    return np.ascontiguousarray(picture[top : top + height, left : left + width])


def _padlock() -> Picture:
    mask = np.zeros((GLYPH, GLYPH), np.uint8)
    middle, top, radius = GLYPH // 2, GLYPH // 3, GLYPH // 5
    cv2.ellipse(mask, (middle, top), (radius, radius), 0, 180, 360, 255, GLYPH // 12)
    cv2.line(mask, (middle - radius, top), (middle - radius, GLYPH // 2), 255, GLYPH // 12)
    cv2.rectangle(mask, (GLYPH // 5, GLYPH // 2), (GLYPH * 4 // 5, GLYPH - 4), 255, cv2.FILLED)
    return mask


@dataclass(frozen=True, eq=False)
class Style:
    """The print of one sheet, where its table leaves room."""

    font: Path
    weight: float
    """Thicker or thinner letters, as a share of their height."""
    slant: float
    stretch: float
    text_size: float
    """The height of printed values, as a share of the field's."""
    small_size: float
    """The height of what is printed in a number's field."""
    small_place: tuple[float, float]
    small_pale: float
    grown: Millimetres
    """Growth of fields over the table, on each side."""
    corner: float
    """Radius of fields' corners, as a share of their width."""
    frame: float
    """Width of a line around fields, as a share of their width; 0 for none."""
    frame_color: Bgr
    disc: float
    """Contrast of discs with their fields, as a share of the table's."""
    disc_size: float
    disc_corner: float
    """1 for round discs, less for rounded squares."""
    star_size: float
    star_line: float
    """Width of a star's outline; 0 for a filled star."""
    star_disc: bool
    """Whether fields with a star have a disc, too."""
    star_fill: float
    ring: float
    outlined: float
    """Width of the line around special fields; 0 for none."""
    shift: tuple[Millimetres, Millimetres]
    """Offset of the ink of letters and stars from that of areas, (x, y)."""
    circle_line: Millimetres
    """Width of the dark outline of fields on a patch."""
    dividers: bool
    texts: str
    contrast: float
    """Of a value on a colour: 1 as the table has it, less is paler and more is darker."""
    value_disc: float
    """Diameter of a paler disc behind a value on a colour, as a share of the width; 0 for none."""


def _style(rng: Rng) -> Style:
    every = fonts()
    font = every[int(rng.integers(min(2, len(every))))]
    if rng.random() < 0.85:
        font = every[int(rng.integers(len(every)))]
    framed = rng.random()
    light = rng.random() < 0.5
    return Style(
        font=font,
        weight=max(rng.normal(0.05, 0.05), 0.0),
        slant=rng.normal(0, 0.1),
        stretch=math.exp(rng.normal(0, 0.12)),
        text_size=rng.uniform(0.42, 0.7),
        small_size=rng.uniform(0.18, 0.5),
        small_place=(rng.normal(0, 0.03), float(rng.choice((0.0, 0.06, 0.25, -0.2)))),
        small_pale=rng.uniform(-0.6, 0.75),
        grown=rng.normal(0, 0.1),
        corner=rng.uniform(0.02, 0.2),
        frame=rng.uniform(0.012, 0.05) if framed < 0.25 else 0.0,
        frame_color=_gray(rng.uniform(200, 255) if light else rng.uniform(15, 90)),
        disc=rng.uniform(0.0, 0.3) if rng.random() < 0.12 else rng.uniform(0.5, 1.7),
        disc_size=rng.uniform(0.86, 1.1),
        disc_corner=1.0 if rng.random() < 0.9 else rng.uniform(0.3, 0.8),
        star_size=rng.uniform(0.3, 0.43),
        star_line=rng.uniform(0.025, 0.075) if rng.random() < 0.85 else 0.0,
        star_disc=rng.random() < 0.35,
        star_fill=rng.uniform(0, 1.2),
        ring=rng.uniform(0.025, 0.07),
        outlined=rng.uniform(0.025, 0.06) if rng.random() < 0.7 else 0.0,
        shift=(rng.normal(0, 0.06), rng.normal(0, 0.06)),
        circle_line=rng.uniform(0.15, 0.5) if rng.random() < 0.35 else 0.0,
        dividers=rng.random() < 0.4,
        texts="".join(rng.permutation(list(PATCH_TEXT))),
        contrast=math.exp(rng.normal(0.3, 0.5)),
        value_disc=rng.uniform(0.7, 0.85) if rng.random() < 0.15 else 0.0,
    )


def _gray(level: float) -> Bgr:
    return (int(level), int(level), int(level))


class _Tones:
    """The colours of one sheet: those of the table, as this printing has them."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._known: dict[Rgb, Bgr] = {}
        self._strength = math.exp(rng.normal(0, 0.16))
        self._light = rng.normal(0, 0.06)

    def of(self, color: Rgb) -> Bgr:
        """The colour, BGR; the same for the same color."""
        if color not in self._known:
            self._known[color] = self._toned(color)
        return self._known[color]

    def _toned(self, color: Rgb) -> Bgr:
        rng = self._rng
        values = np.array(color, np.float64) / 255
        luma = float(values @ (0.299, 0.587, 0.114))
        chroma = (values - luma) * self._strength * math.exp(rng.normal(0, 0.12))
        # A turn of the hue: a rotation about the gray axis.
        turn = rng.normal(0, 0.08)
        axis = np.ones(3) / math.sqrt(3)
        turned = chroma * math.cos(turn) + np.cross(axis, chroma) * math.sin(turn)
        room = 1.0 if luma > 0.8 else 2.2
        light = luma * math.exp(room * (self._light + rng.normal(0, 0.06)))
        red, green, blue = np.clip((light + turned) * 255, 8, 250)
        return (int(blue), int(green), int(red))


def _mixed(first: Bgr, second: Bgr, share: float) -> Bgr:
    """From the first colour (0) to the second (1), and beyond."""
    blue, green, red = (
        int(np.clip(a + (b - a) * share, 4, 252)) for a, b in zip(first, second, strict=True)
    )
    return (blue, green, red)


def drawn(edition: Edition, board: str, rng: Rng) -> Picture:
    """An empty sheet as some publisher might print it: BGR at `PX_PER_MM`."""
    style, tones = _style(rng), _Tones(rng)
    paper = edition.paper(board)
    prints = edition.prints[board]
    rows, columns = round(paper.height * PX_PER_MM), round(paper.width * PX_PER_MM)
    ground = _ground(edition, board, tones, rng)
    picture = np.empty((rows, columns, 3), np.uint8)
    cv2.rectangle(picture, (0, 0), (columns, rows), ground, cv2.FILLED)
    places = (*paper.fields, *paper.blanks)
    for patch in edition.patches:
        _patch(picture, patch.box, tones.of(patch.color), style, places, rng)
    for blank in paper.blanks:
        _area(picture, _shape(blank, style), tones.of(prints[blank.id].fill))
        printed = prints[blank.id]
        if printed.text:
            box = blank.box
            left = Box(box.x, box.y, box.width / 3, box.height)
            _text(picture, printed.text, left, 0.4, tones.of(printed.ink), style)
    special = set(sheet_training(edition.sheet).outlined) if style.outlined else set()
    needs_line = _distance(ground, tones.of((246, 246, 244))) < 60
    for field in paper.fields:
        if field.id in special:
            by = style.outlined * field.box.width
            around = Rounded(inset(field.box, -by * 0.6), style.corner * field.box.width + by / 2)
            _area(picture, around, (240, 242, 242))
        _field(picture, field, prints[field.id], style, tones, needs_line)
    return picture


def _ground(edition: Edition, board: str, tones: _Tones, rng: Rng) -> Bgr:
    """The colour between the fields: about the table's, any, or nearly that of some fields."""
    own = tones.of(edition.grounds[board])
    drawn = rng.random()
    if drawn < 0.55:
        return own
    if drawn < 0.7:
        fills = sorted({printed.fill for printed in edition.prints[board].values()})
        near = tones.of(fills[int(rng.integers(len(fills)))])
        return _mixed(near, _gray(rng.uniform(0, 255)), rng.uniform(0, 0.2))
    if drawn < 0.85:
        return _mixed(own, _gray(rng.choice((20, 245))), rng.uniform(0.2, 1))
    blue, green, red = rng.uniform(20, 240, 3).astype(int)
    return (int(blue), int(green), int(red))


def _distance(first: Bgr, second: Bgr) -> float:
    return float(np.abs(np.subtract(first, second)).max())


def _shape(place: Field | Blank, style: Style) -> Outline:
    if place.shape == "pentagon":
        return Pentagon(place.box).grown(style.grown)
    corner = place.box.width if place.shape == "circle" else style.corner * place.box.height
    return Rounded(place.box, corner).grown(style.grown)


def _field(
    picture: Picture,
    field: Field,
    printed: Print,
    style: Style,
    tones: _Tones,
    needs_line: bool,
) -> None:
    """Draws one empty field."""
    box, fill = field.box, tones.of(printed.fill)
    shape = _shape(field, style)
    if printed.ring:
        _ring(picture, field, printed, style, tones)
    else:
        line = 0.0
        color = style.frame_color
        if style.frame and field.shape == "square":
            line = style.frame * box.width
        elif field.shape != "square":
            line, color = style.circle_line, tones.of(printed.ink)
        if needs_line and field.shape == "square" and not printed.disc and not field.letter:
            line, color = max(line, 0.3), tones.of((60, 56, 58))
        if line:
            _area(picture, shape, color)
            shape = shape.grown(-line)
        _area(picture, shape, fill)
    if printed.disc and (not printed.star or style.star_disc):
        side = box.width * printed.disc_size * style.disc_size
        x, y = box.center
        disc = Box(x - side / 2, y - side / 2, side, side)
        paler = _mixed(fill, tones.of(printed.disc), style.disc)
        _area(picture, Rounded(disc, side / 2 * style.disc_corner), paler)
    if printed.star:
        _star(picture, box, fill, tones.of(printed.disc or printed.fill), style)
    if printed.text and not printed.ring:
        _printed_text(picture, field, printed, style, tones)


def _ring(picture: Picture, field: Field, printed: Print, style: Style, tones: _Tones) -> None:
    """Draws a ring with its sign."""
    ink, box = tones.of(printed.ink), field.box
    line = style.ring * box.width
    _area(picture, Rounded(inset(box, -line / 2), box.width), ink)
    _area(picture, Rounded(inset(box, line / 2), box.width), tones.of(printed.fill))
    _text(picture, printed.text, box, max(style.text_size, 0.55), ink, style)


def _printed_text(
    picture: Picture, field: Field, printed: Print, style: Style, tones: _Tones
) -> None:
    box, ink = field.box, tones.of(printed.ink)
    if field.kind == "number":
        dx, dy = style.small_place
        box = Box(box.x + dx * box.width, box.y + dy * box.height, box.width, box.height)
        ink = _mixed(ink, tones.of(printed.fill), style.small_pale)
        _text(picture, printed.text, box, style.small_size, ink, style)
    else:
        if field.letter:
            fill = tones.of(printed.fill)
            ink = _mixed(fill, ink, style.contrast)
            if style.value_disc:
                around = inset(box, box.width * (1 - style.value_disc) / 2)
                paler = _mixed(fill, (250, 250, 250), 0.25 * style.disc)
                _area(picture, Rounded(around, box.width), paler)
        _text(picture, printed.text, box, style.text_size, ink, style)


def _patch(
    picture: Picture, box: Box, color: Bgr, style: Style, places: Sequence[Field | Blank], rng: Rng
) -> None:
    """Draws a printed area, some with print on them where there is no field."""
    radius = rng.uniform(0, 0.3) * min(box.width, box.height)
    shape = Rounded(box, radius)
    if style.circle_line:
        _area(picture, shape, (30, 28, 30))
        shape = shape.grown(-style.circle_line)
    _area(picture, shape, color)
    inside = [
        place
        for place in places
        if abs(place.box.center[1] - box.center[1]) < box.height / 2
        and abs(place.box.center[0] - box.center[0]) < box.width / 2
    ]
    dark = sum(color) < 300
    if inside:
        if style.dividers and style.circle_line:
            for x in np.arange(box.x, box.x + box.width, inside[0].box.width * 1.3):
                line = Box(float(x), box.y, style.circle_line, box.height)
                _area(picture, Rounded(line, 0), (30, 28, 30))
        return
    if box.width < 4 * box.height:
        return
    ink = _gray(rng.uniform(200, 250) if dark else rng.uniform(10, 70))
    step = box.width / 15
    for number in range(15):
        there = Box(box.x + number * step, box.y, step, box.height)
        _text(picture, style.texts[number], there, style.text_size, ink, style)


def _star(picture: Picture, box: Box, fill: Bgr, disc: Bgr, style: Style) -> None:
    """Draws a five-pointed star, in outline or filled."""
    x, y = box.center
    x, y = x + style.shift[0], y + style.shift[1] + 0.02 * box.height
    radius = style.star_size * box.width
    white = (236, 240, 240)
    _polygon(picture, _star_points(x, y, radius), white)
    if style.star_line:
        inner = radius - style.star_line * box.width * 2.2
        _polygon(picture, _star_points(x, y, inner), _mixed(fill, disc, style.star_fill))


def _star_points(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    turns = [math.radians(36 * corner - 90) for corner in range(10)]
    radii = [radius if corner % 2 == 0 else radius * 0.47 for corner in range(10)]
    return [
        (x + r * math.cos(turn), y + r * math.sin(turn))
        for r, turn in zip(radii, turns, strict=True)
    ]


def _area(picture: Picture, shape: Outline, color: Bgr) -> None:
    _polygon(picture, _points(shape), color)


def _points(shape: Outline) -> npt.ArrayLike:
    """The corners of a shape; for rounded ones as `Rounded.points`, but many times faster."""
    if isinstance(shape, Pentagon):
        return shape.points
    room = np.array((shape.box.width, shape.box.height)) / 2 - shape.corner
    return np.array(shape.box.center) + np.sign(_ROUND) * room + _ROUND * shape.corner


_ROUND: Final = np.array(
    [
        (math.cos(math.tau * (step + 0.5) / 64), math.sin(math.tau * (step + 0.5) / 64))
        for step in range(64)
    ]
)
"""Points on the unit circle."""


def _polygon(picture: Picture, points: npt.ArrayLike, color: Bgr) -> None:
    fixed = np.round((np.asarray(points) * PX_PER_MM - 0.5) * 2**_FRACTION).astype(np.int32)
    cv2.fillPoly(picture, [fixed], color, cv2.LINE_AA, _FRACTION)


def _text(picture: Picture, text: str, box: Box, size: float, ink: Bgr, style: Style) -> None:
    """Prints a text in the middle of a box; `size` is its height as a share of the box's."""
    height = size * box.height * PX_PER_MM
    if text in "=+-/":
        height *= 0.5
    mask = _lettering(style.font, text, round(height), style.weight, style.slant, style.stretch)
    limit = box.width * PX_PER_MM * 0.9
    if mask.shape[1] > limit:
        mask = cv2.resize(mask, None, fx=limit / mask.shape[1], fy=1, interpolation=cv2.INTER_AREA)
    high, wide = mask.shape
    x, y = box.center
    left = round((x + style.shift[0]) * PX_PER_MM - wide / 2)
    top = round((y + style.shift[1]) * PX_PER_MM - high / 2)
    rows, columns = picture.shape[:2]
    if left < 0 or top < 0 or left + wide > columns or top + high > rows:
        return
    part = picture[top : top + high, left : left + wide]
    alpha = mask[..., np.newaxis] * np.float32(1 / 255)
    part[...] = part * (1 - alpha) + np.array(ink, np.float32) * alpha


def _lettering(
    font: Path, text: str, height: int, weight: float, slant: float, stretch: float
) -> Picture:
    """A text, `height` pixels high, thickened and slanted."""
    glyph = _glyph(font, text)
    rows, columns = glyph.shape
    # Signs that are no higher than wide keep their shape.
    scale = max(height, 4) / max(rows, 0.5 * columns)
    wide, high = max(round(columns * scale * stretch), 2), max(round(rows * scale), 2)
    edge = 3 + round(abs(weight) * height) + round(abs(slant) * high / 2)
    mask = cv2.resize(glyph, (wide, high), interpolation=cv2.INTER_AREA)
    mask = cv2.copyMakeBorder(mask, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=0)
    by = round(abs(weight) * height)
    if by:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * by + 1, 2 * by + 1))
        mask = cv2.dilate(mask, kernel) if weight > 0 else cv2.erode(mask, kernel)
    if abs(slant) > 0.01:
        middle = mask.shape[0] / 2
        shear = np.array(((1, -slant, slant * middle), (0, 1, 0)))
        mask = cv2.warpAffine(mask, shear, (mask.shape[1], mask.shape[0]))
    return np.asarray(mask, np.uint8)


def boards() -> Iterator[tuple[Edition, str]]:
    """Every board of every edition."""
    from companion.games.editions import editions

    for edition in editions():
        for board in edition.sheet.every_board:
            yield edition, board
