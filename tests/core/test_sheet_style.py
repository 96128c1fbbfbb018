"""Colours on which texts can be read, and shapes that are the same in SVG and in points."""

from __future__ import annotations

import re

import pytest

from companion.core import sheet_style
from companion.core.shapes import Pentagon, Rounded, lock_path, star_path
from companion.core.sheet import Blank, Box, Field, Label
from companion.core.words import Sentence

BOX = Box(3.0, 2.0, 11.0, 9.0)


def luminance(color: str) -> float:
    """The relative luminance of the Web Content Accessibility Guidelines, 0 to 1."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(color: str, other: str) -> float:
    dark, light = sorted((luminance(color), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_texts_on_a_colour_and_on_paper_are_readable() -> None:
    for color in sheet_style.COLORS.values():
        assert contrast(sheet_style.ON_COLOR, color) >= 4.5
        assert contrast(sheet_style.INK, sheet_style.tinted(color)) >= 7
    assert contrast(sheet_style.INK, sheet_style.WHITE) >= 7
    assert contrast(sheet_style.SOFT, sheet_style.WHITE) >= 4.5


def test_gray_is_that_of_a_gray_jpeg() -> None:
    colors = (sheet_style.WHITE, "#000000", "#ff0000", "#00ff00", "#0000ff")
    assert [*map(sheet_style.gray, colors)] == [255, 0, 76, 150, 29]


def test_colours_differ_enough_in_gray_to_distinguish_boards() -> None:
    grays = {name: sheet_style.gray(color) for name, color in sheet_style.COLORS.items()}
    assert grays["yellow"] - grays["orange"] > 30
    assert grays["orange"] - grays["green"] > 30


def numbers(path: str) -> list[float]:
    return [float(part) for part in re.findall(r"-?\d+(?:\.\d+)?|-?\.\d+", path)]


def extent(points: tuple[tuple[float, float], ...]) -> tuple[float, float, float, float]:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


@pytest.mark.parametrize("shape", [Rounded(BOX, 1.6), Rounded(BOX, 20.0), Pentagon(BOX)])
def test_a_shape_touches_all_sides_of_its_box(shape: Rounded | Pentagon) -> None:
    edges = (BOX.x, BOX.y, BOX.x + BOX.width, BOX.y + BOX.height)
    assert extent(shape.points) == pytest.approx(edges, abs=0.02)
    if isinstance(shape, Pentagon):
        flat = [part for point in shape.points for part in point]
        assert numbers(shape.path) == pytest.approx(flat, abs=0.001)


def test_a_rectangles_path_begins_at_its_top() -> None:
    assert Rounded(BOX, 1.6).path.startswith("M4.6 2h7.8a1.6 1.6 0 0 1 1.6 1.6v5.8")


@pytest.mark.parametrize("by", [0.45, -0.45, -0.02])
@pytest.mark.parametrize("shape", [Rounded(BOX, 1.6), Pentagon(BOX)])
def test_a_grown_shape_runs_along_the_old_one(shape: Rounded | Pentagon, by: float) -> None:
    lowest = extent(shape.points)[3]
    assert extent(shape.grown(by).points)[3] == pytest.approx(lowest + by, abs=0.05)


def test_symbols_are_centred_on_their_place() -> None:
    for path in (star_path(50, 70, 2), lock_path(50, 70, 2)):
        x, y = numbers(path)[:2]
        assert max(abs(x - 50), abs(y - 70)) <= 2


def field(**other: object) -> Field:
    given = {"id": "a", "kind": "cross", "box": BOX, "shape": "square", "color": "red"}
    return Field(**{**given, "name": Sentence("a"), **other})  # type: ignore[arg-type]


def test_a_lines_ink_ends_at_the_fields_edge() -> None:
    numbers = (field(shape=shape, kind="number") for shape in ("circle", "pentagon"))
    for outlined in (field(), field(color="plain"), *numbers):
        outer = sheet_style.field_layers(outlined)[0].outer
        # A pentagon's corners are round on paper, and reach less far than its points.
        assert outer.box.x == pytest.approx(BOX.x, abs=0.1)
        assert outer.box.width == pytest.approx(BOX.width, abs=0.2)


def test_only_a_coloured_square_is_full_of_its_colour() -> None:
    red = sheet_style.COLORS["red"]
    fills = [layer.style.fill for layer in sheet_style.field_layers(field())]
    assert fills == [red, sheet_style.tinted(red)]
    assert len(sheet_style.field_layers(field(color="plain"))) == 1
    assert sheet_style.field_layers(field(shape="circle"))[0].style.fill == sheet_style.WHITE


def test_a_coloured_blank_has_a_dark_edge_for_gray_prints() -> None:
    layers = sheet_style.blank_layers(Blank("sum", BOX, None, color="yellow"))
    strokes = [layer.style.stroke for layer in layers]
    assert strokes == [sheet_style.COLORS["yellow"], sheet_style.INK]
    assert len(sheet_style.blank_layers(Blank("sum", BOX, None))) == 1


def test_a_screen_shows_a_field_about_its_centre() -> None:
    layer = sheet_style.screen_layer(field())
    assert layer.shape.box.center == pytest.approx((0, 0))
    assert layer.style == sheet_style.field_layers(field())[0].style


def test_a_symbol_stands_before_its_labels_text_or_alone_in_the_middle() -> None:
    text = Sentence("so much")
    before = sheet_style.label_symbol(Label(BOX, text, size=4, symbol="lock"))
    assert before == lock_path(5.0, 6.5, 1.92)
    assert sheet_style.label_symbol(Label(BOX, size=4, symbol="lock")) == lock_path(8.5, 6.5, 1.92)
    assert sheet_style.lone_symbol(Label(BOX, size=4, symbol="lock")) == lock_path(0, 0, 1.92)
    assert sheet_style.lone_symbol(Label(BOX, text, size=4, symbol="lock")) == ""
