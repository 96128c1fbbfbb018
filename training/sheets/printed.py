"""The printed pads in pixels, as `printables/` holds them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from companion.core import sheet_style
from companion.core.sheet import AnySheetKind, Blank, Field, Millimetres
from companion.games.catalog import SHEETS
from lab import pdf
from training import Rng
from training.games import sheet_training
from training.writing.pens import PX_PER_MM


@dataclass(frozen=True, eq=False)
class PrintedPad:
    """A printed pad: its picture, fields and blanks."""

    sheet: AnySheetKind
    board: str
    picture: npt.NDArray[np.uint8]
    """BGR, `PX_PER_MM`, from the pad's top left corner; never changed."""
    fields: tuple[Field, ...]
    blanks: tuple[Blank, ...]
    width: Millimetres
    height: Millimetres


def reprinted(picture: npt.NDArray[np.uint8], rng: Rng) -> npt.NDArray[np.uint8]:
    """The same pad from another printer: in gray, pale, or with slightly different colours."""
    if rng.random() < 0.28:
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        picture = cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.35:
        strength = rng.uniform(0.5, 1)
        picture = cv2.convertScaleAbs(picture, alpha=strength, beta=255 * (1 - strength))
    if rng.random() < 0.5:
        gammas = np.exp(rng.normal(0, 0.15, 3)) * math.exp(rng.normal(0, 0.12))
        levels = np.linspace(0, 1, 256)[:, np.newaxis] ** gammas
        table = np.asarray(np.clip(levels * 255, 0, 255), np.uint8).reshape(256, 1, 3)
        picture = cv2.LUT(picture, table)
    return picture.copy()


@cache
def pads() -> tuple[PrintedPad, ...]:
    """Every pad, and every board in letters of another language, too."""
    pads = []
    for sheet in SHEETS.values():
        for board in sheet.every_board:
            pad = _printed(sheet, board)
            pads.append(pad)
            if sheet_training(sheet).letters:
                pads.append(_translated(pad, len(pads)))
    return tuple(pads)


def _printed(sheet: AnySheetKind, board: str) -> PrintedPad:
    picture = pdf.first_pad(sheet.name, board, PX_PER_MM)
    paper = sheet.paper(board)
    return PrintedPad(sheet, board, picture, paper.fields, paper.blanks, paper.width, paper.height)


def _translated(pad: PrintedPad, number: int) -> PrintedPad:
    """The pad with its letters in another language, which `number` chooses."""
    picture = pad.picture.copy()
    letters = sheet_training(pad.sheet).letters
    for field in pad.fields:
        if not field.letter:
            continue
        box, translations = field.box, letters[field.color][1:]
        text = translations[number % len(translations)]
        tint = picture[_px(box.y + box.height * 0.74), _px(box.x + box.width * 0.2)]
        x, y = (
            box.x + box.width * sheet_style.LETTER_PLACE[0],
            box.y + box.height * sheet_style.LETTER_PLACE[1],
        )
        erased = slice(_px(y - 1.15), _px(y + 1.15)), slice(_px(x - 1.15), _px(x + 1.1))
        picture[erased] = tint
        height = _px(1.75 if len(text) == 1 else 1.5)
        scale = cv2.getFontScaleFromHeight(cv2.FONT_HERSHEY_SIMPLEX, height, 3)
        (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 3)
        right = (
            _px(x) + width // 2
            if len(text) == 1
            else _px(box.x + box.width * sheet_style.LETTERS_END)
        )
        place = (right - width, _px(y) + height // 2)
        ink = (54, 35, 43)
        cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, 3, cv2.LINE_AA)
    return PrintedPad(pad.sheet, pad.board, picture, pad.fields, pad.blanks, pad.width, pad.height)


def _px(length: Millimetres) -> int:
    return round(length * PX_PER_MM)
