"""Screens that show the app's own drawing of a sheet."""

from __future__ import annotations

import cv2
import numpy as np

from benchmarks.photos.lookalikes.tones import Rng, crossed
from benchmarks.photos.printing.fonts import random_lettering
from benchmarks.photos.printing.press import Press, Rgb
from companion.core import look
from companion.core.sheet import AnySheetKind
from companion.games.catalog import SHEETS
from tests.kit.camera.pieces import Piece, random_gloss


def screen(rng: Rng) -> Piece:
    """A phone, tablet or monitor that shows our own drawing of a sheet."""
    sheets = list(SHEETS.values())
    sheet = sheets[int(rng.integers(len(sheets)))]
    board = str(rng.choice(sheet.every_board))
    press = _screen_picture(sheet, board, rng)
    linear = (np.linspace(0, 1, 256, dtype=np.float32) ** 2.2).reshape(1, 256, 1)
    shown = np.asarray(cv2.LUT(press.picture, linear), np.float32)
    pitch = float(rng.uniform(0.35, 1.2))
    rows, columns = shown.shape[:2]
    depth = float(rng.uniform(0, 0.35))
    x = np.arange(columns, dtype=np.float32) / press.scale / pitch % 1
    y = np.arange(rows, dtype=np.float32) / press.scale / pitch % 1
    grid = np.maximum((x < 0.2)[None, :], (y < 0.2)[:, None])
    shown *= (1 - depth * grid)[:, :, None]
    for channel in range(3):
        # Each column of pixels is one of blue, green and red.
        own = np.abs((x * 3 - channel - 0.5 + 1.5) % 3 - 1.5) < 0.75
        shown[:, :, channel] *= 1 - depth * 0.6 * (1 - own)[None, :]
    bezel = round(float(rng.uniform(2, 14)) * press.scale)
    black = float(rng.uniform(0.01, 0.06))
    framed = cv2.copyMakeBorder(
        shown, bezel, bezel, bezel, bezel, cv2.BORDER_CONSTANT, value=(black, black, black)
    )
    return Piece(
        picture=np.asarray(framed, np.float32),
        scale=press.scale,
        radius=float(rng.uniform(0, 8)),
        gloss=random_gloss(rng, True),
        glow=float(rng.uniform(0.5, 1.6)),
    )


def _screen_picture(sheet: AnySheetKind, board: str, rng: Rng) -> Press:
    """The app's page with a sheet as it draws one, with some marks."""
    layout = sheet.paper(board).layout
    above, below, aside = (float(part) for part in rng.uniform((0, 0, 0), (30, 40, 12)))
    grounds: list[Rgb] = [(255, 255, 255), (244, 241, 234), (30, 32, 36)]
    ground = grounds[int(rng.integers(len(grounds)))]
    press = Press(
        layout.width + 2 * aside,
        layout.height + above + below,
        float(rng.uniform(4.5, 6)),
        rng,
        ground,
        origin=(aside, above),
        misprint=0.0,
    )
    letters = random_lettering(rng)
    for band in layout.bands:
        _shape(press, look.band_layer(band))
    chosen = bool(rng.random() < 0.5)
    how_full = float(rng.uniform(0, 0.8))
    for field in layout.fields:
        layers = look.field_layers(field)[: 1 if chosen else 2]
        for layer in layers:
            _shape(press, layer)
        x, y = field.box.center
        size = field.box.width
        if field.print:
            press.text(field.print, x, y, size * 0.42, (60, 60, 70), letters, widest=size * 0.8)
        if rng.random() < how_full:
            if field.kind in ("number", "digits"):
                text = str(int(rng.integers(1, 19)))
                press.text(text, x, y, size * 0.5, (30, 30, 90), letters, widest=size * 0.8)
            else:
                crossed(press, x, y, size * 0.6, (25, 25, 30), size * 0.09)
    return press


def _shape(press: Press, layer: look.Layer) -> None:
    style = layer.style
    if style.fill:
        press.polygon(layer.shape.points, _hex(style.fill))
    if style.line:
        press.line(layer.shape.points, _hex(style.stroke), style.line, closed=True)


def _hex(color: str) -> Rgb:
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue
