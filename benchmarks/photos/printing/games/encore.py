"""Encore! as its publisher prints it, in many variants, and sheets that only look like it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from benchmarks.photos.printing.fonts import Lettering, random_lettering
from benchmarks.photos.printing.press import Press, Rgb, mixed, star
from companion.core.edition import Edition
from companion.games.editions import find_edition
from companion.games.encore.boards import (
    BOARDS,
    BOXES,
    CLAIMS,
    COLORS,
    COLUMNS,
    LINES,
    Board,
)

_Places: TypeAlias = Callable[[float, float], tuple[float, float]]
"""Units from box A1's centre → millimetres."""

GLOSSY: Final = 0.85
FELT_TIPS: Final = 0.5
NEAREST: Final = 36.0
"""The least distance of the ground's colour from a box's."""
BOLD: Final = 0.04
"""About the weight of the letters beyond that of their typeface, as a share of their height."""

CAMERAS: Final[Mapping[str, tuple[tuple[Rgb, Rgb], tuple[Rgb, Rgb]]]] = {
    "green": (((94, 120, 64), (123, 141, 77)), ((133, 154, 63), (180, 197, 109))),
    "yellow": (((205, 151, 64), (205, 163, 77)), ((222, 183, 65), (234, 214, 138))),
    "blue": (((86, 141, 183), (121, 157, 189)), ((122, 174, 196), (153, 192, 213))),
    "red": (((193, 70, 75), (199, 95, 102)), ((179, 56, 78), (206, 111, 125))),
    "orange": (((195, 93, 62), (202, 122, 76)), ((193, 110, 54), (220, 166, 99))),
}
"""Colour → (rim, disc) as two cameras showed them on real sheets."""
GROUNDS: Final[Mapping[str, Rgb]] = {
    "black": (46, 40, 38),
    "red": (216, 84, 132),
    "blue": (62, 118, 176),
    "green": (92, 138, 60),
    "orange": (214, 116, 50),
    "purple": (110, 72, 142),
    "yellow": (224, 180, 56),
}
"""Board → the colour between the boxes. Only the first was measured."""
WHITE: Final[Rgb] = (236, 234, 230)
LETTER_RED: Final[Rgb] = (196, 38, 48)


class _Tones:
    """The inks of one printing."""

    def __init__(self, rng: np.random.Generator, board: str) -> None:
        between = float(rng.uniform(-0.25, 1.25))
        contrast = float(rng.uniform(0.45, 1.5))
        vivid = float(np.clip(rng.normal(1.08, 0.15), 0.75, 1.45))

        def jittered(color: Rgb, by: float = 7) -> Rgb:
            shaken = np.array(color) + rng.normal(0, by, 3)
            gray = shaken.mean()
            red, green, blue = np.clip(gray + (shaken - gray) * vivid, 8, 250).tolist()
            return red, green, blue

        self.rims: dict[str, Rgb] = {}
        self.discs: dict[str, Rgb] = {}
        self.darks: dict[str, Rgb] = {}
        for color, (first, second) in CAMERAS.items():
            rim = jittered(mixed(first[0], second[0], between))
            disc = jittered(mixed(first[1], second[1], between), 3)
            self.rims[color] = rim
            self.discs[color] = mixed(rim, disc, contrast)
            dark = mixed(rim, (30, 20, 30), float(rng.uniform(0.15, 0.45)))
            if color == "yellow":
                dark = mixed(rim, (214, 120, 20), float(rng.uniform(0.4, 1.0)))
            self.darks[color] = dark
        shift = 6 if board == "black" else 14
        self.ground = jittered(GROUNDS[board], shift)
        # No publisher prints boxes on their own colour.
        end: Rgb = (20, 15, 10) if rng.random() < 0.6 else (250, 245, 240)
        while min(map(self._far_from_ground, self.rims.values())) < NEAREST:
            self.ground = mixed(self.ground, end, 0.1)
        if board == "black":
            self.ground = mixed((24, 22, 22), (58, 52, 48), float(rng.random()))
        white = float(rng.uniform(-12, 12))
        warm = float(rng.normal(0, 4))
        self.white: Rgb = (
            min(WHITE[0] + white + warm, 252),
            min(WHITE[1] + white, 252),
            min(WHITE[2] + white - warm, 252),
        )
        self.ink = mixed((18, 16, 18), (52, 46, 44), float(rng.random()))
        self.letter_red = jittered(LETTER_RED, 9)

    def _far_from_ground(self, color: Rgb) -> float:
        return float(np.linalg.norm(np.subtract(color, self.ground)))


def draw(press: Press, edition: Edition, board: str) -> None:
    """Prints the sheet of a board."""
    _printed(press, edition, board, BOARDS[board])


def _printed(press: Press, edition: Edition, board: str, face: Board) -> None:
    """Prints a sheet on the ground of a board, with the boxes of `face`."""
    rng, unit = press.rng, edition.unit
    paper = edition.paper(board)
    places = {field.id: field.box.center for field in paper.fields}
    places |= {blank.id: blank.box.center for blank in paper.blanks}
    sizes = {field.id: field.box.width for field in paper.fields}
    tones = _Tones(rng, board)
    press.ground = tones.ground
    press.box(paper.width / 2, paper.height / 2, paper.width * 2, paper.height * 2, tones.ground)
    digits = random_lettering(rng, float(rng.choice([0.0, 0.05])), BOLD)
    words = digits
    if rng.random() < 0.5:
        words = random_lettering(rng, float(rng.choice([0.0, 0.07])), BOLD)
    left, top = places["A1"]

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * unit, top + y * unit

    _grid(press, unit, face, places, tones, sizes["A1"] / unit)
    _points(press, unit, places, tones, digits, at)
    _bonuses(press, places, sizes["color.green.first"], tones, digits)
    _sums(press, unit, places, tones, words, at)
    _jokers(press, unit, places, tones, words, at)
    _mark(press, unit, rng, *at(17.77 + rng.normal(0, 0.1), 10.27 + rng.normal(0, 0.1)))
    if rng.random() < 0.8:
        x, y = at(float(rng.uniform(14.4, 15.8)), float(rng.uniform(10.9, 11.2)))
        imprint = "".join(rng.choice(list("abcdeghimnorstuw .,"), 38))
        pale = mixed(tones.ground, tones.white, 0.55)
        press.text(imprint, x, y, 0.17 * unit, pale, random_lettering(rng), "right")


def _grid(
    press: Press,
    unit: float,
    face: Board,
    places: Mapping[str, tuple[float, float]],
    tones: _Tones,
    share: float,
) -> None:
    rng = press.rng
    size = share * unit * float(rng.uniform(0.985, 1.012))
    radius = unit * float(rng.uniform(0.05, 0.13))
    disc = unit * float(rng.uniform(0.68, 0.85))
    shape = 0.38 * unit * float(rng.uniform(0.9, 1.12))
    outline = unit * float(rng.uniform(0.03, 0.06))
    notch = float(rng.uniform(0.42, 0.52))
    star_on_disc = rng.random() < 0.3
    around = unit * float(rng.uniform(1.0, 1.05))
    stars = face.stars
    press.layer()
    if rng.random() < 0.12:
        # One frame around the whole column instead of one around each box.
        (x, y), (_, bottom) = places["H1"], places["H7"]
        press.box(x, (y + bottom) / 2, around, bottom - y + around, tones.white, radius * 1.3)
    else:
        for row in range(1, 8):
            press.box(*places[f"H{row}"], around, around, tones.white, radius * 1.5)
    press.layer()
    boxes = [f"{column}{row}" for column in COLUMNS for row in range(1, 8)]
    for box in boxes:
        press.box(*places[box], size, size, tones.rims[face.colors[box]], radius)
    press.layer()
    for box in boxes:
        color = face.colors[box]
        if box not in stars or star_on_disc:
            press.disc(*places[box], disc, tones.discs[color])
    press.layer()
    for box in sorted(stars):
        x, y = places[box]
        tone = tones.discs[face.colors[box]]
        press.polygon(star(x, y, shape + outline, notch), tones.white)
        inner = mixed(tone, tones.white, 0.0 if star_on_disc else float(rng.uniform(0, 0.2)))
        press.polygon(star(x, y, shape - outline * 0.9, notch), inner)


def _points(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    tones: _Tones,
    digits: Lettering,
    at: _Places,
) -> None:
    """The letters above the grid and the values below it."""
    rng = press.rng
    radius = unit * float(rng.uniform(0.1, 0.22))
    size = 0.938 * unit * float(rng.uniform(0.97, 1.01))
    height = unit * float(rng.uniform(0.4, 0.54))
    press.layer()
    for number, column in enumerate(COLUMNS):
        press.box(*at(number, -1.275), size, size, tones.white, radius)
        for claim in CLAIMS:
            press.box(*places[f"column.{column}.{claim}"], size, size, tones.white, radius)
    press.layer()
    for number, column in enumerate(COLUMNS):
        ink = tones.letter_red if column == "H" else tones.ink
        press.text(column, *at(number, -1.275), height, ink, digits)
        for claim in CLAIMS:
            line = LINES[f"column.{column}"]
            value = str(line.points[claim])
            press.text(value, *places[f"{line.id}.{claim}"], height, ink, digits)


def _bonuses(
    press: Press,
    places: Mapping[str, tuple[float, float]],
    size: float,
    tones: _Tones,
    digits: Lettering,
) -> None:
    rng = press.rng
    radius = size * float(rng.uniform(0.0, 0.14))
    height = size * float(rng.uniform(0.42, 0.56))
    side = size * float(rng.uniform(0.98, 1.05))
    has_disc = rng.random() < 0.2
    press.layer()
    for color in COLORS:
        for name in ("first", "later"):
            press.box(*places[f"color.{color}.{name}"], side, side, tones.rims[color], radius)
            if has_disc:
                press.disc(*places[f"color.{color}.{name}"], side * 0.8, tones.discs[color])
    press.layer()
    for color in COLORS:
        for name, value in (("first", 5), ("later", 3)):
            place = places[f"color.{color}.{name}"]
            press.text(str(value), *place, height, tones.darks[color], digits)


def _sums(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    tones: _Tones,
    words: Lettering,
    at: _Places,
) -> None:
    """The write-in boxes and the words before them."""
    rng = press.rng
    radius = unit * float(rng.uniform(0.1, 0.25))
    names = ("colors", "columns", "jokers", "stars", "total")
    press.layer()
    for name in names:
        press.box(*places[f"sum.{name}"], 1.939 * unit, 0.935 * unit, tones.white, radius)
    press.layer()
    height = unit * float(rng.uniform(0.3, 0.42))
    leaf = mixed(tones.rims["green"], (90, 150, 20), 0.5)
    inks = (tones.ink, leaf, leaf, tones.letter_red, tones.ink)
    aside = float(rng.uniform(0.6, 0.72)) * unit
    for name, sign, ink in zip(names, "=++-=", inks, strict=True):
        x, y = places[f"sum.{name}"]
        _sign(press, sign, x - aside, y, height * 0.85, ink)
    end = 16.6
    first, letters, jokers, stars, total = (
        (places[f"sum.{name}"][1] - at(0, 0)[1]) / unit for name in names
    )
    if rng.random() < 0.85:
        # A word whose letters have the five colours.
        word = str(rng.choice(["BONUS", "BONUS", "FARBE"]))
        for number, (letter, color) in enumerate(zip(word, COLORS, strict=True)):
            x, y = at(end - 1.62 + number * 0.37, first)
            press.text(letter, x, y, height * 1.35, tones.white, words)
            press.text(letter, x, y, height * 1.12, tones.rims[color], words)
    else:
        press.text("BONUS", *at(end, first), height * 1.2, tones.white, words, "right")
    press.text("A-O", *at(end, letters), height * 1.1, tones.white, words, "right")
    for y, value, drawn in ((jokers, "(+1)", "!"), (stars, "(-2)", "")):
        press.text(value, *at(end, y), height * 0.85, tones.white, words, "right", unit)
        x, down = at(15.45, y)
        if drawn:
            press.disc(x, down, unit * 0.7, tones.white)
            press.text(drawn, x, down, height, tones.ink, replace(words, bold=0.03, soft=0.0))
        else:
            press.polygon(star(x, down, unit * 0.36, 0.5), tones.white)
    press.dots(at(14.7, 7.62), at(18.6, 7.62), tones.white, unit * 0.14)
    word = str(rng.choice(["TOTAL", "TOTAL", "SUMME", "TOTALE"]))
    press.text(word, *at(end, total), height * 1.25, tones.white, words, "right", 1.9 * unit)


def _sign(press: Press, sign: str, x: float, y: float, size: float, ink: Rgb) -> None:
    thick = size * float(press.rng.uniform(0.2, 0.34))
    if sign == "=":
        press.box(x, y - size * 0.27, size, thick, ink)
        press.box(x, y + size * 0.27, size, thick, ink)
    else:
        press.box(x, y, size, thick, ink)
        if sign == "+":
            press.box(x, y, thick, size, ink)


def _jokers(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    tones: _Tones,
    words: Lettering,
    at: _Places,
) -> None:
    rng = press.rng
    # A mark that is too fat would lose its dot.
    fat = replace(words, bold=float(np.clip(words.bold, 0.02, 0.06)), soft=0.0)
    press.layer()
    press.box(
        *at(6.43, 9.78), 13.8 * unit, 1.22 * unit, tones.white, unit * float(rng.uniform(0.05, 0.3))
    )
    press.layer()
    dark = float(rng.uniform(0.7, 0.88)) * unit
    x, y = at(0.15, 9.777)
    press.box(x, y, dark, dark, tones.ink, dark * 0.15)
    press.text("?", x, y, dark * 0.6, tones.white, fat)
    press.text("/", *at(1.0, 9.78), unit * 0.75, tones.ink, words)
    x, y = at(1.777, 9.777)
    press.box(x, y, dark, dark, tones.ink, dark * 0.15)
    arm, cross = dark * 0.3, tones.white
    if rng.random() < 0.6:
        press.box(x, y, dark * 0.8, dark * 0.8, tones.white, dark * 0.1)
        cross = tones.ink
    for sign in (-1, 1):
        press.line([(x - arm, y - sign * arm), (x + arm, y + sign * arm)], cross, dark * 0.2)
    _sign(press, "=", *at(2.58, 9.78), unit * 0.42, tones.ink)
    line = unit * float(rng.uniform(0.03, 0.07))
    diameter = unit * float(rng.uniform(0.9, 1.02))
    height = unit * float(rng.uniform(0.48, 0.62))
    for number in range(1, 9):
        place = places[f"joker.{number}"]
        press.ring(*place, diameter, tones.ink, line)
        press.text("!", *place, height, tones.ink, fat)


def _mark(press: Press, unit: float, rng: np.random.Generator, x: float, y: float) -> None:
    """A publisher's mark, invented: nobody's, in about the usual place."""
    if rng.random() < 0.08:
        return
    press.layer()
    red = mixed((200, 36, 40), (170, 24, 36), float(rng.random()))
    width, height = 1.75 * unit, 2.1 * unit
    shape = int(rng.integers(3))
    if shape == 0:
        press.disc(x, y - height * 0.08, width, red)
        press.box(x, y + height * 0.22, width, height * 0.56, red)
        press.disc(x, y - height * 0.02, width * 0.72, WHITE)
        press.box(x, y + height * 0.2, width * 0.72, height * 0.45, WHITE)
    elif shape == 1:
        press.box(x, y, width, height, red, unit * 0.3)
        press.box(x, y + height * 0.12, width * 0.8, height * 0.55, WHITE, unit * 0.2)
    else:
        press.box(x, y, width, height, WHITE, unit * 0.2)
        press.polygon([(x - width / 2, y), (x + width / 2, y), (x, y - height * 0.48)], red)
    tones = [(30, 60, 140), (240, 190, 30), (40, 140, 200)]
    for number, tone in enumerate(tones):
        t = np.linspace(0, 1, 14)
        wave = np.stack(
            [
                x + width * 0.22 * np.sin(2 * np.pi * t + number * 0.4),
                y + height * (t - 0.75) * 0.4 + number * 0.02 * unit,
            ],
            1,
        )
        press.line(wave, tone, unit * 0.08)
    name = str(rng.choice(["Spielehaus", "Schmitz", "Lindner", "Ludo", "Schneider"]))
    press.text(
        name, x, y + height * 0.33, unit * 0.26, (40, 40, 90), random_lettering(rng), widest=width
    )


# Sheets that only look like it


def _crossed(press: Press, places: list[tuple[float, float]], size: float) -> None:
    """Somebody's crosses on some boxes."""
    rng = press.rng
    ink: Rgb = ((24, 34, 120), (26, 24, 26))[int(rng.integers(2))]
    wide, share = float(rng.uniform(0.4, 1.1)), float(rng.uniform(0, 0.7))
    for x, y in places:
        if rng.random() > share:
            continue
        for sign in (-1, 1):
            a, b, c, d = rng.normal(0, size * 0.06, 4).tolist()
            start = (x - size / 2 + a, y - sign * size / 2 + b)
            press.line([start, (x + size / 2 + c, y + sign * size / 2 + d)], ink, wide)


def _clustered(rng: np.random.Generator) -> Board:
    """Fifteen by seven boxes whose five colours form clumps, as no board has them."""
    seeds = rng.uniform((0, 0), (15, 7), (34, 2))
    tones = [COLORS[int(rng.integers(5))] for _ in seeds]
    lines = [
        "".join(
            tones[int(np.hypot(seeds[:, 0] - x, seeds[:, 1] - y).argmin())][0] for x in range(15)
        )
        for y in range(7)
    ]
    stars = rng.choice(BOXES, 15, replace=False)
    return Board("", " ".join(lines), " ".join(map(str, stars)))


def _like_a_board(rng: np.random.Generator) -> Board:
    """A board mirrored, with other colours in their place, or with many boxes changed."""
    face = BOARDS[str(rng.choice(sorted(BOARDS)))]
    lines = face.picture.split()
    way = int(rng.integers(4))
    if way == 0:
        lines = [line[::-1] for line in lines]
    elif way == 1:
        lines = lines[::-1]
    elif way == 2:
        letters = [color[0] for color in COLORS]
        shift = int(rng.integers(1, 5))
        other = {letter: letters[(n + shift) % 5] for n, letter in enumerate(letters)}
        lines = ["".join(other[letter] for letter in line) for line in lines]
    else:
        share = float(rng.uniform(0.35, 0.8))
        letters = [color[0] for color in COLORS]
        lines = [
            "".join(str(rng.choice(letters)) if rng.random() < share else old for old in line)
            for line in lines
        ]
    return Board("", " ".join(lines), face.starred)


def _unknown_board(rng: np.random.Generator, scale: float) -> Press:
    """The publisher's sheet, but with a board that there is none of."""
    edition = find_edition("encore", "schmidt")
    ground = str(rng.choice(sorted(BOARDS)))
    face = _clustered(rng) if rng.random() < 0.5 else _like_a_board(rng)
    paper = edition.paper(ground)
    press = Press(paper.width, paper.height, scale, rng, (0, 0, 0))
    _printed(press, edition, ground, face)
    places = {field.id: field.box.center for field in paper.fields}
    _crossed(press, [places[box] for box in BOXES], edition.unit * 0.7)
    return press


def _replica(rng: np.random.Generator, scale: float) -> Press:
    """A print-it-yourself sheet of a known board: the same boxes, everything else elsewhere."""
    unit = float(rng.uniform(8, 11))
    board = str(rng.choice(sorted(BOARDS)))
    face, tones = BOARDS[board], _Tones(rng, board)
    across, down = (
        unit,
        unit * float(rng.choice([1.0, rng.uniform(0.72, 0.85), rng.uniform(1.18, 1.4)])),
    )
    share = float(rng.uniform(0.68, 0.84))
    top = float(rng.choice([1.2, 2.5, 5.0])) * unit
    left = float(rng.choice([1.0, 4.0])) * unit
    width = left + (15 + float(rng.choice([1.0, 3.5]))) * across
    height = top + 7 * down + float(rng.uniform(0.5, 3.5)) * unit
    ground = tones.ground if rng.random() < 0.5 else tones.white
    press = Press(width, height, scale, rng, ground)
    places = {
        f"{column}{row}": (left + n * across, top + (row - 1) * down)
        for n, column in enumerate(COLUMNS)
        for row in range(1, 8)
    }
    size = min(across, down) * share
    discs = rng.random() < 0.5
    for box in BOXES:
        tone = tones.rims[face.colors[box]]
        press.box(*places[box], size, size, tone, size * float(0.1 if discs else 0))
        if discs:
            press.disc(*places[box], size * 0.75, tones.discs[face.colors[box]])
        if box in face.stars:
            press.polygon(star(*places[box], size * 0.4), tones.white)
    letters = random_lettering(rng)
    ink = tones.ink if ground == tones.white else tones.white
    points = [line.points for line in LINES.values() if line.kind == "column"]
    rows = [COLUMNS, *([str(point[claim]) for point in points] for claim in CLAIMS)]
    # Letters and values above or below the grid, in another order and at other distances.
    for number, row in enumerate(rows):
        y = top - (1.1 + 0.8 * (2 - number)) * unit if top > 3 * unit else 0.0
        if not y:
            y = top + 6 * down + (0.9 + 0.8 * number) * unit
        for n, text in enumerate(row):
            press.text(text, left + n * across, y, unit * 0.35, ink, letters)
    values = list(COLORS)
    rng.shuffle(values)
    for number, color in enumerate(values):
        x = 1.6 * unit if left > 2 * unit else width - 1.6 * unit
        y = top + number * unit * 0.8
        press.box(x, y, unit * 1.5, unit * 0.6, tones.rims[color], unit * 0.1)
        press.text("5 | 3", x, y, unit * 0.3, tones.darks[color], letters, widest=unit)
    _crossed(press, [places[box] for box in BOXES], size * 0.8)
    return press


def _other_grid(rng: np.random.Generator, scale: float) -> Press:
    """Such as the game's sequel: another grid, hearts or locks in boxes, a second block beside."""
    unit = float(rng.uniform(7, 10))
    while True:
        columns, rows = int(rng.integers(11, 19)), int(rng.integers(5, 11))
        if (columns, rows) != (15, 7):
            break
    tones = _Tones(rng, str(rng.choice(sorted(BOARDS))))
    beside = float(rng.uniform(1, 5)) * unit
    press = Press((columns + 1) * unit + beside, (rows + 5) * unit, scale, rng, tones.ground)
    letters = random_lettering(rng)
    seeds = rng.uniform((0, 0), (columns, rows), (columns * rows // 3, 2))
    colors = [COLORS[int(rng.integers(5))] for _ in seeds]
    size, disc = unit * float(rng.uniform(0.85, 0.96)), float(rng.uniform(0.6, 0.85))
    places = []
    for row in range(rows):
        for column in range(columns):
            x, y = (column + 1) * unit, (row + 2) * unit
            near = int(np.hypot(seeds[:, 0] - column, seeds[:, 1] - row).argmin())
            press.box(x, y, size, size, tones.rims[colors[near]], size * 0.1)
            if rng.random() < 0.15:
                press.polygon(star(x, y, size * 0.4, 0.8, 4), tones.white)
            else:
                press.disc(x, y, size * disc, tones.discs[colors[near]])
            places.append((x, y))
    for column in range(columns):
        x = (column + 1) * unit
        for y, text in (
            (0.7, chr(65 + column)),
            (rows + 2.3, str(column % 5 + 1)),
            (rows + 3.3, "2"),
        ):
            press.box(x, y * unit, size, size, tones.white, size * 0.15)
            press.text(text, x, y * unit, unit * 0.45, tones.ink, letters)
    _crossed(press, places, size * 0.75)
    return press


LOOKALIKES: Final[Mapping[str, Callable[[np.random.Generator, float], Press]]] = {
    "other-grid": _other_grid,
    "replica": _replica,
    "unknown-board": _unknown_board,
}
