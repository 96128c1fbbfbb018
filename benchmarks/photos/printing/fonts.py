"""Printed letters in many typefaces: those of the system, of Python's packages, and our own.

Which typefaces there are depends on the machine. Each is drawn with further weights, widths and
rounded corners, because no machine has the publishers' typefaces.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from lab import pdf  # only pages in pixels

Mask = npt.NDArray[np.float32]

OWN: Final = tuple(
    str(path)
    for path in sorted((Path(__file__).parents[3] / "static" / "fonts" / "print").glob("*.ttf"))
)
PACKAGED: Final = ("pillow:", "pdf:Helvetica-Bold", "pdf:Helvetica", "pdf:Times-Bold")
"""Typefaces that come with Pillow and with pdfium."""
MOST_SYSTEM: Final = 24
FINER: Final = 3  # the factor on the resolution at which letters are drawn


@lru_cache(maxsize=1)
def faces() -> tuple[str, ...]:
    """All typefaces, each a file or one of `PACKAGED`."""
    return OWN + OWN + PACKAGED + _system()


def _system() -> tuple[str, ...]:
    """Files of the system's upright Latin typefaces, as fontconfig knows them."""
    try:
        found = subprocess.run(
            ["fc-list", ":lang=de:slant=0", "file"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ()
    files = sorted(line.split(":")[0] for line in found.splitlines())
    return tuple(file for file in files if file.endswith((".ttf", ".otf")))[:MOST_SYSTEM]


@dataclass(frozen=True)
class Lettering:
    """One typeface as a sheet is printed in it."""

    face: str
    # Width of the outline added to each letter, as a share of the height of capitals.
    bold: float
    wide: float  # factor on the width
    soft: float  # how much corners are rounded, as a share of the height of capitals
    lively: float  # standard deviation of each letter's rotation in radians

    def mask(self, text: str, height: float, turn: float = 0.0) -> Mask:
        """The text's coverage, 0 to 1; `height` is that of its capitals in pixels."""
        tall = max(height * FINER, 8.0)
        drawn = _drawn(self.face, text, round(tall), round(self.bold * tall))
        share = height / tall
        shape = drawn.shape
        reach = 4
        width, rows = shape[1] * share * self.wide, shape[0] * share
        cos, sin = np.cos(turn), np.sin(turn)
        columns = int(abs(width * cos) + abs(rows * sin)) + 2 * reach
        lines = int(abs(width * sin) + abs(rows * cos)) + 2 * reach
        soft = drawn
        if self.soft:
            soft = np.asarray(cv2.GaussianBlur(drawn, (0, 0), max(self.soft * tall, 0.3)))
            soft = np.clip((soft - 0.5) * 3 + 0.5, 0, 1)
        # Shrinking by `warpAffine` alone would alias.
        small = cv2.resize(
            soft,
            (max(round(width), 1), max(round(rows), 1)),
            interpolation=cv2.INTER_AREA,
        )
        middle = np.array([small.shape[1] / 2 - 0.5, small.shape[0] / 2 - 0.5])
        matrix = np.array([[cos, -sin, 0.0], [sin, cos, 0.0]])
        matrix[:, 2] = np.array([columns / 2 - 0.5, lines / 2 - 0.5]) - matrix[:, :2] @ middle
        return np.asarray(cv2.warpAffine(small, matrix, (columns, lines)), np.float32)


def random_lettering(rng: np.random.Generator, lively: float = 0.0, bold: float = 0.0) -> Lettering:
    """A random typeface and style.

    Args:
        lively: how much its letters dance, in radians.
        bold: how much fatter than the typeface letters are at least, in most cases.
    """
    known = faces()
    return Lettering(
        known[int(rng.integers(len(known)))],
        bold=float(
            rng.choice([0.0, bold + rng.uniform(0, 0.03), bold + rng.uniform(0.03, 0.07)])
            if rng.random() < 0.9
            else 0.0
        ),
        wide=float(np.clip(rng.normal(1, 0.1), 0.75, 1.25)),
        soft=float(rng.choice([0.0, rng.uniform(0.02, 0.06)])),
        lively=lively,
    )


@lru_cache(maxsize=4000)
def _drawn(face: str, text: str, tall: int, bold: int) -> Mask:
    """The text's coverage, cropped to its ink."""
    if face.startswith("pdf:"):
        mask = _from_pdf(face.partition(":")[2], text, tall)
        if bold:
            side = 2 * bold + 1
            element = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
            mask = np.asarray(cv2.dilate(mask, element), np.uint8)
    else:
        font = _font(face, tall)
        left, top, right, bottom = font.getbbox(text, stroke_width=bold)
        size = (max(int(right - left) + 4, 1), max(int(bottom - top) + 4, 1))
        picture = Image.new("L", size)
        ImageDraw.Draw(picture).text(
            (2 - left, 2 - top), text, 255, font, stroke_width=bold, stroke_fill=255
        )
        mask = np.asarray(picture, np.uint8)
    covered = np.argwhere(mask > 40)
    if not len(covered):
        return np.zeros((tall, max(tall // 2, 1)), np.float32)
    (top, left), (bottom, right) = covered.min(0), covered.max(0) + 1
    return np.asarray(mask[top:bottom, left:right] / 255, np.float32)


@lru_cache(maxsize=400)
def _font(face: str, tall: int) -> ImageFont.FreeTypeFont:
    """The font at which a capital is `tall` pixels high."""

    def load(size: float) -> ImageFont.FreeTypeFont:
        if face == PACKAGED[0]:
            made = ImageFont.load_default(size)
            assert isinstance(made, ImageFont.FreeTypeFont)
            return made
        return ImageFont.truetype(face, round(size))

    _, top, _, bottom = load(200).getbbox("H")
    return load(200 * tall / max(bottom - top, 1))


def _from_pdf(name: str, text: str, tall: int) -> npt.NDArray[np.uint8]:
    """A text in one of the typefaces that every PDF reader has."""
    escaped = "".join(f"\\{char}" if char in "()\\" else char for char in text)
    stream = f"BT /F 100 Tf 40 60 Td ({escaped}) Tj ET".encode("latin-1", "replace")
    wide = 80 + 100 * len(text)
    page = f"/MediaBox [0 0 {wide} 200] /Resources << /Font << /F 4 0 R >> >> /Contents 5 0 R"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {page} >>".encode(),
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    )
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, part) for n, part in enumerate(objects, 1))
    data = b"%PDF-1.4\n" + body + b"trailer << /Size 6 /Root 1 0 R >>\n%%EOF\n"
    # Capitals of these typefaces are 0.72 of their size high.
    return np.asarray(255 - pdf.pixels(data, tall / 72)[:, :, 1], np.uint8)
