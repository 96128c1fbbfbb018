"""The look of an empty printed pad in gray, drawn from the sheet's description alone.

It has the outlines, bands, tints and markers. Texts, symbols and examples are left out: the
flattening finds the paper by its outlines, the networks have learned what is printed inside a
field, and pads of versions before 2.1 have no examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import cv2
import numpy as np

from companion.core import markers, sheet_style
from companion.core.shapes import Outline as Shape
from companion.core.sheet import Box, Paper, moved
from companion.core.sheet_style import Layer
from companion.vision.markers.seeking import Gray

# How many times finer the picture is drawn before it is reduced: a line is few pixels wide
FINER: Final = 4
FRACTION_BITS: Final = 4  # Bits of a pixel's fraction in OpenCV's drawing


@dataclass(frozen=True)
class Outline:
    """A printed outline, to which a surface is fitted, with all that is printed inside it."""

    box: Box  # the place on the pad; the outline's ink ends at the box's edges
    layers: tuple[Layer, ...]  # the lowest first

    @property
    def gray(self) -> int:
        """How light its line is, 0 to 255."""
        return sheet_style.gray(self.layers[0].style.stroke)


@cache
def outlines(paper: Paper) -> tuple[Outline, ...]:
    """All outlines of fields and of the blanks beside them; of a field with cells, each cell's."""
    found = []
    for field in paper.fields:
        layers = sheet_style.field_layers(field)
        if field.cells:
            found += [Outline(*one) for one in zip(field.cells, zip(layers), strict=True)]
        else:
            found.append(Outline(field.box, layers))
    found += [Outline(blank.box, sheet_style.blank_layers(blank)) for blank in paper.blanks]
    return tuple(found)


@cache
def empty_pad(paper: Paper, sheet: int, board: int, resolution: float) -> Gray:
    """The whole empty pad, of shape (height, width) in pixels.

    Args:
        sheet: the sheet's number in marker ids.
        board: the board's place in marker ids.
        resolution: pixels to the millimetre.
    """
    fine = resolution * FINER
    size = (round(paper.height * resolution) * FINER, round(paper.width * resolution) * FINER)
    picture = np.full(size, sheet_style.gray(sheet_style.WHITE), np.uint8)
    for layer in _layers(paper):
        _draw(picture, layer, fine)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.DICTIONARY))
    for marker in markers.on_pad(sheet, board, paper.width, paper.height):
        cells = cv2.aruco.generateImageMarker(dictionary, marker.id, markers.CELLS)
        left, top = round(marker.box.x * fine), round(marker.box.y * fine)
        side = round(markers.MARKER * fine)
        picture[top : top + side, left : left + side] = cv2.resize(
            cells, (side, side), interpolation=cv2.INTER_NEAREST
        )
    reduced = (size[1] // FINER, size[0] // FINER)
    return np.asarray(cv2.resize(picture, reduced, interpolation=cv2.INTER_AREA), np.uint8)


def _layers(paper: Paper) -> Iterator[Layer]:
    yield from sheet_style.EMBLEM
    for band in paper.layout.bands:
        yield sheet_style.band_layer(replace(band, box=moved(band.box, *paper.at)))
    for label in paper.layout.labels:
        if label.has_pill:
            yield sheet_style.pill_layer(replace(label, box=moved(label.box, *paper.at)))
    for outline in outlines(paper):
        yield from outline.layers


def _draw(picture: Gray, layer: Layer, fine: float) -> None:
    """Draws a layer; `fine` is the picture's resolution in pixels to the millimetre."""
    style = layer.style
    # OpenCV also fills the pixels on an outline, which is half a pixel too much.
    less = -0.5 / fine
    if style.fill is None:
        # Between two outlines nothing is filled but the line.
        _fill(picture, (layer.outer.grown(less), layer.inner.grown(-less)), style.stroke, fine)
        return
    if style.line:
        _fill(picture, (layer.outer.grown(less),), style.stroke, fine)
    _fill(picture, (layer.inner.grown(less),), style.fill, fine)


def _fill(picture: Gray, outlines: Iterable[Shape], color: sheet_style.Color, fine: float) -> None:
    """Fills what lies inside an odd number of outlines."""
    polygons = [
        np.round((np.array(outline.points) * fine - 0.5) * 2**FRACTION_BITS).astype(np.int32)
        for outline in outlines
    ]
    cv2.fillPoly(picture, polygons, [sheet_style.gray(color)], cv2.LINE_8, FRACTION_BITS)
