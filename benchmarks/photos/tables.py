"""Simulates photos of ruled tables of numbers, and of ruled things that are none.

A table is printed in blue, gray or black, or drawn by pen and ruler; it has heads, sums, struck
fields and negative numbers, on paper that is bent and lies in shadows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.filling import inked, toner
from benchmarks.photos.play import InkedSheet
from benchmarks.photos.printing.fonts import Lettering, random_lettering
from benchmarks.photos.shot import random_writers
from benchmarks.photos.writing.blanks import write_name
from benchmarks.photos.writing.fields import draw_cross
from benchmarks.photos.writing.hands import FOLDER
from benchmarks.photos.writing.pens import InkLayer, Pen
from benchmarks.photos.writing.writer import Writer, random_style
from companion.core.sheet import Box, Millimetres
from companion.games.catalog import SHEETS
from companion.vision.grids import numbers
from lab.camera import rendering, scene, sensor
from lab.camera.conditions import CONDITIONS
from lab.camera.pieces import Piece

Values: TypeAlias = tuple[tuple[int | None, ...], ...]
Rng: TypeAlias = np.random.Generator

SCALE: Final = 12.0  # pixels per millimetre of the drawn paper
SMALL: Final = 1100  # pixels of a small photo's sides
BENT: Final = replace(CONDITIONS["usual"], bow=(0.0, 0.03), fold=0.0, corner=0.0)
"""The photos' conditions: up to three per cent of bend, half of them with a shadow."""
PRINTS: Final[Mapping[str, tuple[int, int, int]]] = {
    "ink": (120, 50, 30),
    "pale": (150, 150, 150),
    "dark": (30, 30, 30),
}
"""How tables are printed → BGR."""
WORDS: Final = (
    *("Einser", "Gold", "Runde", "Military", "Punkte", "Wonder", "Total", "Bonus", "Karten"),
    *("Science", "Straße", "Chance", "Summe", "Guilds", "Münzen", "Spieler"),
)


@dataclass(frozen=True)
class TableShot:
    """A photo of a table and what is written in it."""

    seed: int
    jpeg: bytes
    values: Values
    """From the top and from the left, without heads; a struck field is 0, an empty one None."""
    sum_rows: tuple[int, ...]
    """The rows of sums, from 1."""
    pen: str
    rules: str
    """A colour of `PRINTS`, or the pen by which the table was drawn."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A table before anything is written in it."""

    across: npt.NDArray[np.float64]
    """Where its upright lines stand, in millimetres."""
    down: npt.NDArray[np.float64]
    heads: tuple[int, int]
    """Rows and columns of heads."""

    def box(self, row: int, column: int) -> Box:
        """A cell, counted with the heads."""
        x, y = self.across[column], self.down[row]
        return Box(x, y, self.across[column + 1] - x, self.down[row + 1] - y)


def random_plan(rng: Rng) -> Plan:
    """As many lines and as wide cells as people draw and publishers print."""
    columns, rows = int(rng.integers(2, 8)), int(rng.integers(4, 17))
    heads = (1, int(rng.choice([0, 1, 2], p=[0.15, 0.65, 0.2])))
    width, height = float(rng.uniform(10, 20)), float(rng.uniform(7, 10.5))
    labels = rng.uniform(16, 30, heads[1])
    across = np.concatenate([labels, np.full(columns, width)])
    down = np.concatenate([[height * rng.uniform(0.8, 1.4)], np.full(rows, height)])
    left, top = rng.uniform(8, 15, 2)
    return Plan(
        np.concatenate([[left], left + np.cumsum(across)]),
        np.concatenate([[top], top + np.cumsum(down)]),
        heads,
    )


def random_values(rng: Rng, rows: int, columns: int) -> tuple[Values, tuple[int, ...]]:
    """(the numbers of a game, the rows of sums among them from 1)."""
    most = int(rng.choice([20, 60, 150, 1200], p=[0.4, 0.35, 0.2, 0.05]))
    negative = rng.random() < 0.3
    struck = 0.12 if rng.random() < 0.5 else 0.0
    filled = rng.uniform(0.6, 1.0)
    sums: list[int] = []
    if rows >= 4 and rng.random() < 0.7:
        sums.append(rows)
        if rows >= 9 and rng.random() < 0.3:
            sums.insert(0, rows // 2)
    grid = np.full((rows, columns), np.nan)
    for column in range(columns):
        if rng.random() < 0.06:
            continue
        since = total = 0
        for row in range(rows):
            if row + 1 in sums:
                grid[row, column] = since if row + 1 < rows else total
                since = 0
            elif rng.random() < filled:
                number = int(rng.integers(0, most + 1))
                number = -number if negative and rng.random() < 0.2 else number
                number = 0 if rng.random() < struck else number
                grid[row, column] = number
                since, total = since + number, total + number
    known = np.nan_to_num(grid)
    if known.min() < numbers.LEAST or known.max() > numbers.MOST:
        return random_values(rng, rows, columns)
    values = tuple(tuple(None if np.isnan(n) else int(n) for n in line) for line in grid)
    return values, tuple(sums)


class Sheet:
    """A piece of paper on which a table is printed or drawn and filled in."""

    def __init__(self, size: tuple[Millimetres, Millimetres], rng: Rng, folder: Path) -> None:
        self.rng = rng
        columns, rows = (round(side * SCALE) for side in size)
        self.page = np.full((rows, columns, 3), 255, np.uint8)
        self.layer, self.ghost = (InkLayer(*size, SCALE) for _ in range(2))
        ((self.who, hand),) = random_writers(rng, 1, folder)
        self.style = random_style(hand, rng, careful=True)
        nothing = InkedSheet(next(iter(SHEETS.values())), "", {})
        paper = nothing.sheet.paper(nothing.sheet.usual_board)
        self.writer = Writer(
            nothing, paper, self.style, self.layer, self.ghost, (0, 0), rng, careful=True
        )

    def line(
        self, start: Sequence[float], end: Sequence[float], color: Sequence[int], width: float
    ) -> None:
        """Prints a line."""
        ends = [tuple(round(part * SCALE * 16) for part in point) for point in (start, end)]
        thick = max(round(width * SCALE), 1)
        cv2.line(self.page, ends[0], ends[1], tuple(color), thick, cv2.LINE_AA, 4)

    def text(
        self, text: str, box: Box, letters: Lettering, size: float, color: Sequence[int]
    ) -> None:
        """Prints a text in the middle of a box, smaller if it is too wide."""
        mask = letters.mask(text, size * SCALE)
        fit = min(1.0, (box.width * 0.9 * SCALE) / mask.shape[1])
        if fit < 1:
            mask = cv2.resize(mask, None, fx=fit, fy=fit, interpolation=cv2.INTER_AREA)
        x, y = (round(at * SCALE) for at in box.center)
        top, left = max(y - mask.shape[0] // 2, 0), max(x - mask.shape[1] // 2, 0)
        part = self.page[top : top + mask.shape[0], left : left + mask.shape[1]]
        mask = mask[: part.shape[0], : part.shape[1], None]
        part[:] = (part * (1 - mask) + np.array(color) * mask).astype(np.uint8)

    def rule(self, start: Sequence[float], end: Sequence[float], pen: Pen) -> None:
        """Draws a line along a ruler: it wavers little, begins too early and ends too late."""
        rng = self.rng
        a, b = np.array(start), np.array(end)
        along = (b - a) / np.linalg.norm(b - a)
        a, b = a - along * rng.normal(0.5, 1.0), b + along * rng.normal(0.5, 1.0)
        off = np.array([-along[1], along[0]]) * rng.normal(0, 0.25, (2, 1))
        at = np.linspace(0, 1, 60)[:, None]
        points = (a + off[0]) * (1 - at) + (b + off[1]) * at
        self.layer.stroke(points.astype(np.float32), pen, rng)

    def number(self, number: int, box: Box) -> None:
        """Writes a number into a cell; a minus sign is a short stroke before it."""
        rng, style = self.rng, self.style
        size = min(float(rng.normal(0.72, 0.06)), 0.9) * box.height / style.height
        x, y = box.center
        x, y = x + rng.normal(0, 0.05) * box.width, y + rng.normal(0, 0.03) * box.height
        if number < 0:
            dash = 0.3 * box.height
            x += dash / 2
        before = self.layer.density.copy() if number < 0 else None
        self.writer.number(abs(number), x, y, size, box.width * (0.8 if number >= 0 else 0.6))
        if before is not None:
            digits = np.flatnonzero((self.layer.density > before + 0.05).any(axis=0))
            left = digits[0] / SCALE - 0.6
            ends = np.array([(left - dash, y), (left, y + rng.normal(0, 0.2))])
            self.writer.stroke(ends.astype(np.float32))

    def piece(self) -> Piece:
        """The paper, to be laid on a table."""
        picture = inked(
            toner(self.page, self.rng), self.layer, self.ghost, self.style.pen, self.rng
        )
        return Piece(picture=picture, scale=SCALE)


def simulate(seed: int, folder: Path = FOLDER) -> TableShot:
    """A photo of a table that depends on nothing but these arguments and the fonts installed."""
    rng = np.random.default_rng([seed, 53])
    plan = random_plan(rng)
    rows, columns = len(plan.down) - 1 - plan.heads[0], len(plan.across) - 1 - plan.heads[1]
    values, sums = random_values(rng, rows, columns)
    size = (plan.across[-1] + float(rng.uniform(8, 15)), plan.down[-1] + float(rng.uniform(8, 15)))
    sheet = Sheet(size, rng, folder)
    is_drawn = rng.random() < 0.4
    rules = "drawn" if is_drawn else str(rng.choice(list(PRINTS)))
    _rule(sheet, plan, rules, sums)
    _heads(sheet, plan, rules)
    strike = str(rng.choice(["slash", "line", "x"]))
    for row, line in enumerate(values):
        for column, number in enumerate(line):
            box = plan.box(row + plan.heads[0], column + plan.heads[1])
            if number == 0 and row + 1 not in sums and rng.random() < 0.6:
                side = min(box.height, box.width) * 0.8
                x, y = box.center
                draw_cross(sheet.writer, Box(x - side / 2, y - side / 2, side, side), strike)
            elif number is not None:
                sheet.number(number, box)
    jpeg = photo_of(sheet.piece(), rng)
    return TableShot(seed, jpeg, values, sums, sheet.style.pen.kind, rules)


def _rule(sheet: Sheet, plan: Plan, rules: str, sums: Sequence[int]) -> None:
    """The table's lines: all, or without its outermost; sums may have double lines above."""
    rng = sheet.rng
    is_open = rng.random() < 0.25
    doubled = rng.random() < 0.4
    width = float(rng.uniform(0.18, 0.5))
    inner_x, inner_y = (plan.across, plan.down)
    if is_open:
        inner_x, inner_y = plan.across[1:-1], plan.down[1:-1]
    lines = [((x, plan.down[0]), (x, plan.down[-1])) for x in inner_x]
    lines += [((plan.across[0], y), (plan.across[-1], y)) for y in inner_y]
    if doubled:
        above = [plan.down[row - 1 + plan.heads[0]] + 0.9 for row in sums]
        lines += [((plan.across[0], y), (plan.across[-1], y)) for y in above]
    pencil = replace(sheet.style.pen, kind="pencil", width=float(rng.uniform(0.3, 0.5)))
    for start, end in lines:
        if rules == "drawn":
            sheet.rule(start, end, pencil)
        else:
            sheet.line(start, end, PRINTS[rules], width)


def _heads(sheet: Sheet, plan: Plan, rules: str) -> None:
    """Names above the columns and words before the rows: written in a drawn table, else printed."""
    rng = sheet.rng
    letters = random_lettering(rng)
    rows, columns = len(plan.down) - 1, len(plan.across) - 1
    cells = [(0, column) for column in range(plan.heads[1], columns)]
    cells += [(row, column) for row in range(1, rows) for column in range(plan.heads[1])]
    for row, column in cells:
        box = plan.box(row, column)
        if rules == "drawn":
            write_name(sheet.writer, box, short=True)
            continue
        two = box.height > 8 and rng.random() < 0.4
        for line in range(1 + two):
            part = Box(box.x, box.y + line * box.height / 2, box.width, box.height / (1 + two))
            text = str(rng.choice(WORDS))
            sheet.text(text, part, letters, float(rng.uniform(1.7, 2.3)), PRINTS[rules])


def photo_of(piece: Piece, rng: Rng, **conditions: Any) -> bytes:
    """A photo of a piece of paper; `conditions` other than those of `BENT`."""
    bent = replace(BENT, **conditions)
    laid = scene.lay_out([piece], bent, rng)
    camera = scene.aim_camera(laid, bent, rng, None)
    light = scene.place_light(laid, bent, rng)
    radiance = rendering.render(camera, light, [(laid[0], piece)], int(rng.integers(1 << 20)))
    finer = scene.pixels_per_mm(camera, laid) / 8
    exposure = rendering.expose(radiance, light, bent, rng, finer)
    photo = sensor.developed(sensor.blurred(radiance, exposure, rng), exposure, rng)
    return sensor.jpeg(photo, exposure.quality, 1)


# Anything but tables of numbers


def simulate_other(kind: str, seed: int, folder: Path = FOLDER) -> bytes:
    """A small photo of one of `NOT_TABLES`; they are many, so its camera is a simple one."""
    rng = np.random.default_rng([seed, [*NOT_TABLES].index(kind), 54])
    size = (75.0, 180.0) if kind == "receipt" else (120.0, 160.0)
    sheet = Sheet(size, rng, folder)
    NOT_TABLES[kind](sheet, random_lettering(rng))
    page = (255 * np.clip(sheet.piece().picture, 0, 1) ** (1 / 2.2)).astype(np.uint8)
    height, width = page.shape[:2]
    page_corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    side = SMALL / max(width, height)
    off = rng.uniform(0.03, 0.12, (4, 2)) * SMALL * np.sign(0.5 - page_corners / (width, height))
    seen = (page_corners * side + off).astype(np.float32)
    to_photo = cv2.getPerspectiveTransform(page_corners, seen)
    desk = rng.uniform(40, 120, 3)
    photo = cv2.warpPerspective(page, to_photo, (SMALL, SMALL), None, cv2.INTER_AREA, 0, desk)
    shade = np.linspace(rng.uniform(0.6, 1), rng.uniform(0.6, 1), SMALL)[:, None, None]
    noisy = photo * shade + rng.normal(0, 3, photo.shape)
    quarters = int(rng.integers(4))
    return sensor.jpeg(np.rot90(np.clip(noisy, 0, 255).astype(np.uint8), quarters), 88, 1)


def _lines_of_text(sheet: Sheet, letters: Lettering) -> None:
    size = float(sheet.rng.uniform(1.8, 2.6))
    for y in np.arange(12, 150, size * 2.2):
        words = " ".join(sheet.rng.choice(WORDS, 9))
        sheet.text(words, Box(10, y, 100, size), letters, size, (30, 30, 30))


def _grid(sheet: Sheet, count: tuple[int, int], side: tuple[float, float], top: float) -> Plan:
    columns, rows = count
    plan = Plan(10 + np.arange(columns + 1) * side[0], top + np.arange(rows + 1) * side[1], (0, 0))
    for x in plan.across:
        sheet.line((x, plan.down[0]), (x, plan.down[-1]), (40, 40, 40), 0.25)
    for y in plan.down:
        sheet.line((plan.across[0], y), (plan.across[-1], y), (40, 40, 40), 0.25)
    return plan


def _fill(sheet: Sheet, box: Box, color: Sequence[int]) -> None:
    x, y, right, bottom = (
        round(at * SCALE) for at in (box.x, box.y, box.x + box.width, box.y + box.height)
    )
    sheet.page[y:bottom, x:right] = color


def _crossword(sheet: Sheet, letters: Lettering) -> None:
    rng = sheet.rng
    count = int(rng.integers(9, 14))
    side = 100 / count
    plan, number = _grid(sheet, (count, count), (side, side), 15), 0
    is_solved = rng.random() < 0.5
    for row in range(count):
        for column in range(count):
            box = plan.box(row, column)
            if rng.random() < 0.2:
                _fill(sheet, box, (20, 20, 20))
            else:
                if rng.random() < 0.35:
                    number += 1
                    corner = Box(box.x + 0.3, box.y + 0.3, 2.6, 2.2)
                    sheet.text(str(number), corner, letters, 1.4, (30, 30, 30))
                if is_solved:
                    letter = chr(65 + int(rng.integers(26)))
                    sheet.text(letter, box, letters, side * 0.5, (60, 40, 30))


def _chessboard(sheet: Sheet, letters: Lettering) -> None:
    plan = _grid(sheet, (8, 8), (12, 12), 20)
    for row in range(8):
        for column in range(8):
            if (row + column) % 2:
                _fill(sheet, plan.box(row, column), sheet.rng.choice([30, 90, 140], 1).repeat(3))
            elif sheet.rng.random() < 0.2:
                sheet.text("RNBQK"[column % 5], plan.box(row, column), letters, 6, (60, 60, 60))


def _calendar(sheet: Sheet, letters: Lettering) -> None:
    rng = sheet.rng
    plan = _grid(sheet, (7, 6), (14, float(rng.uniform(10, 20))), 30)
    sheet.text("November 2026", Box(10, 12, 98, 10), letters, 5, (40, 40, 40))
    for column, day in enumerate(("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So")):
        sheet.text(day, plan.box(0, column), letters, 3, (40, 40, 40))
    first = int(rng.integers(0, 5))
    size = float(rng.uniform(2.5, 5.5))
    for day in range(31):
        place = first + day
        if place < 35:
            sheet.text(
                str(day + 1), plan.box(1 + place // 7, place % 7), letters, size, (40, 40, 40)
            )


def _receipt(sheet: Sheet, letters: Lettering) -> None:
    rng = sheet.rng
    for y in np.arange(12, 165, 5.5):
        sheet.text(str(rng.choice(WORDS)), Box(6, y, 30, 3), letters, 2.4, (60, 60, 60))
        price = f"{rng.uniform(0, 40):.2f}"
        sheet.text(price, Box(50, y, 18, 3), letters, 2.4, (60, 60, 60))


def _sudoku(sheet: Sheet, letters: Lettering) -> None:
    plan = _grid(sheet, (9, 9), (11, 11), 25)
    for at in range(0, 10, 3):
        x, y = plan.across[at], plan.down[at]
        sheet.line((x, plan.down[0]), (x, plan.down[-1]), (20, 20, 20), 0.8)
        sheet.line((plan.across[0], y), (plan.across[-1], y), (20, 20, 20), 0.8)
    printed, written = sheet.rng.uniform((0.25, 0.0), (0.5, 1.0))
    order = sheet.rng.permutation(9)
    for row in range(9):
        for column in range(9):
            digit = int(order[(row * 3 + row // 3 + column) % 9]) + 1
            if sheet.rng.random() < printed:
                sheet.text(str(digit), plan.box(row, column), letters, 6, (30, 30, 30))
            elif sheet.rng.random() < written:
                sheet.number(digit, plan.box(row, column))


def _squared_paper(sheet: Sheet, letters: Lettering) -> None:
    """Squares of 5 mm, with notes between their lines."""
    plan = _grid(sheet, (20, 28), (5, 5), 10)
    for row in range(2, 27, 2):
        if sheet.rng.random() < 0.6:
            box = Box(plan.across[1], plan.down[row], 90, 8)
            sheet.text(" ".join(sheet.rng.choice(WORDS, 4)), box, letters, 4, (120, 50, 30))


def _keyboard(sheet: Sheet, letters: Lettering) -> None:
    keys = sheet.rng.choice([30, 200], 1).repeat(3)
    sheet.page[:] = 235 - keys
    for row, signs in enumerate(("1234567890ß", "QWERTZUIOPÜ", "ASDFGHJKLÖÄ", "<YXCVBNM,.-")):
        for column, sign in enumerate(signs):
            box = Box(6 + column * 10 + row * 0.8, 40 + row * 10, 9, 9)
            _fill(sheet, box, keys)
            sheet.text(sign, box, letters, 4, 235 - keys)


def _tiles(sheet: Sheet, letters: Lettering) -> None:
    """A floor: tiles of several shades, and joints between them."""
    count = int(sheet.rng.integers(5, 12))
    plan = _grid(sheet, (count, count), (100 / count, 100 / count), 20)
    for row in range(count):
        for column in range(count):
            box = plan.box(row, column)
            inside = Box(box.x + 0.4, box.y + 0.4, box.width - 0.8, box.height - 0.8)
            _fill(sheet, inside, sheet.rng.normal(185, 18, 1).repeat(3).clip(0, 255))


def _windows(sheet: Sheet, letters: Lettering) -> None:
    """The front of a house: dark panes with frames and crosses of bars."""
    sheet.page[:] = (170, 190, 205)
    for x in np.arange(10, 100, 22):
        for y in np.arange(12, 140, 26):
            _fill(sheet, Box(x, y, 16, 20), (240, 240, 240))
            for number in range(4):
                pane = Box(x + 1 + number % 2 * 7.5, y + 1 + number // 2 * 9.5, 6.5, 8.5)
                _fill(sheet, pane, sheet.rng.normal(90, 25, 3).clip(0, 255))


def _score_sheet(sheet: Sheet, letters: Lettering) -> None:
    """A chess game: moves beside the printed numbers of their turns, in two halves."""
    turns = 25
    for half in range(2):
        left = 8 + half * 54
        across = left + np.array([0, 8, 29, 50])
        plan = Plan(across, 20 + np.arange(turns + 1) * 5.4, (0, 0))
        for x in plan.across:
            sheet.line((x, plan.down[0]), (x, plan.down[-1]), (60, 60, 60), 0.25)
        for y in plan.down:
            sheet.line((plan.across[0], y), (plan.across[-1], y), (60, 60, 60), 0.25)
        played = int(sheet.rng.integers(8, turns + 1))
        for turn in range(turns):
            number = str(turn + 1 + half * turns)
            sheet.text(number, plan.box(turn, 0), letters, 2.4, (60, 60, 60))
            for column in (1, 2):
                if turn < played:
                    write_name(sheet.writer, plan.box(turn, column), short=True)


def _form(sheet: Sheet, letters: Lettering) -> None:
    """Rows of a printed question and a box, some with a word or a date."""
    rows = int(sheet.rng.integers(8, 14))
    plan = Plan(np.array([8, 48, 112]), 20 + np.arange(rows + 1) * 9.0, (0, 0))
    for y in plan.down:
        sheet.line((8, y), (112, y), (40, 40, 40), 0.3)
    for x in plan.across:
        sheet.line((x, plan.down[0]), (x, plan.down[-1]), (40, 40, 40), 0.3)
    for row in range(rows):
        words = " ".join(sheet.rng.choice(WORDS, 2))
        sheet.text(words, plan.box(row, 0), letters, 2.4, (40, 40, 40))
        if sheet.rng.random() < 0.3:
            sheet.number(int(sheet.rng.integers(1, 2000)), plan.box(row, 1))
        elif sheet.rng.random() < 0.7:
            write_name(sheet.writer, plan.box(row, 1), short=False)


def _timetable(sheet: Sheet, letters: Lettering) -> None:
    """Departures as hours and minutes, beside the names of stations."""
    rows, columns = int(sheet.rng.integers(12, 22)), int(sheet.rng.integers(4, 8))
    is_ruled = sheet.rng.random() < 0.5
    width = 76 / columns
    across = np.concatenate([[8], 36 + np.arange(columns + 1) * width])
    plan = Plan(across, 18 + np.arange(rows + 1) * 6.0, (0, 0))
    for y in plan.down if is_ruled else plan.down[:2]:
        sheet.line((8, y), (112, y), (60, 60, 60), 0.2)
    for x in plan.across if is_ruled else []:
        sheet.line((x, plan.down[0]), (x, plan.down[-1]), (60, 60, 60), 0.2)
    for row in range(rows):
        sheet.text(str(sheet.rng.choice(WORDS)), plan.box(row, 0), letters, 2.4, (40, 40, 40))
        start = int(sheet.rng.integers(300, 420)) + 4 * row
        for column in range(columns):
            minutes = start + 60 * column
            time = f"{minutes // 60}:{minutes % 60:02}"
            sheet.text(time, plan.box(row, column + 1), letters, 2.4, (40, 40, 40))


def _bingo(sheet: Sheet, letters: Lettering) -> None:
    plan = _grid(sheet, (5, 5), (20, 20), 40)
    for column, letter in enumerate("BINGO"):
        above = Box(plan.across[column], 22, 20, 16)
        sheet.text(letter, above, letters, 9, (30, 30, 150))
        numbers_of = sheet.rng.permutation(15)[:5] + 15 * column + 1
        for row in range(5):
            if (row, column) != (2, 2):
                text = str(numbers_of[row])
                sheet.text(text, plan.box(row, column), letters, 8, (30, 30, 30))
            if sheet.rng.random() < 0.3:
                draw_cross(sheet.writer, plan.box(row, column), "x")


def _newspaper(sheet: Sheet, letters: Lettering) -> None:
    """Columns of text with a heading, and a small printed sudoku among them."""
    sheet.text("Sonntagszeitung", Box(8, 6, 104, 12), letters, 8, (30, 30, 30))
    for left in (8, 44, 80):
        for y in np.arange(24, 150, 3.4):
            if left < 80 or y < 90:
                words = " ".join(sheet.rng.choice(WORDS, 3))
                sheet.text(words, Box(left, y, 32, 3), letters, 1.8, (40, 40, 40))
    for at in range(10):
        thick = 0.5 if at % 3 == 0 else 0.2
        sheet.line((80 + at * 3.6, 100), (80 + at * 3.6, 132.4), (30, 30, 30), thick)
        sheet.line((80, 100 + at * 3.6), (112.4, 100 + at * 3.6), (30, 30, 30), thick)
        for other in range(9):
            if at < 9 and sheet.rng.random() < 0.35:
                box = Box(80 + at * 3.6, 100 + other * 3.6, 3.6, 3.6)
                sheet.text(str(sheet.rng.integers(1, 10)), box, letters, 2.2, (30, 30, 30))


def _price_list(sheet: Sheet, letters: Lettering) -> None:
    """A menu: a name, and prices for two sizes."""
    point = str(sheet.rng.choice([".", ","]))
    for y in np.arange(16, 145, float(sheet.rng.uniform(6, 9))):
        words = " ".join(sheet.rng.choice(WORDS, 2))
        sheet.text(words, Box(10, y, 50, 4), letters, 3, (40, 40, 40))
        for left in (70, 92):
            whole, cents = divmod(int(sheet.rng.integers(200, 3000)), 100)
            price = f"{whole}{point}{cents:02}"
            sheet.text(price, Box(left, y, 18, 4), letters, 3, (40, 40, 40))


NOT_TABLES: Final[Mapping[str, Callable[[Sheet, Lettering], None]]] = {
    "text": _lines_of_text,
    "crossword": _crossword,
    "chessboard": _chessboard,
    "calendar": _calendar,
    "receipt": _receipt,
    "sudoku": _sudoku,
    "squared paper": _squared_paper,
    "keyboard": _keyboard,
    "tiles": _tiles,
    "windows": _windows,
    "chess score sheet": _score_sheet,
    "form": _form,
    "timetable": _timetable,
    "bingo card": _bingo,
    "newspaper": _newspaper,
    "price list": _price_list,
}
