"""Publishers' sheets, empty and written on, are read from their flattened pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition, Rgb
from companion.core.sheet import EMPTY, Box, Kind, Mark
from companion.games.editions import editions, find_edition
from companion.vision.core import FLAT_PX_PER_MM, flat_area
from companion.vision.ink.edition_ink import (
    SHOWN,
    _is_of_grain,
    _of_weak_pen,
    ink_chances,
    pictures,
)
from companion.vision.ink.siblings import CHANNELS, Siblings, _palest, siblings
from lab.photos.paper import DIGITS, Line
from lab.photos.publishers import (
    cross,
    crosses_go_over_print,
    each_board,
    filling,
    flattened,
    ring,
    tick,
)
from lab.wide import wide

NUMBERED_ONES = [
    edition
    for edition in editions()
    if any(field.kind == "number" for field in edition.paper(edition.sheet.usual_board).fields)
]
COLORED = find_edition("encore", "schmidt")
NUMBERED = find_edition("qwinto", "nsv")


@each_board
def test_an_empty_sheet_is_read_as_empty(edition: Edition, board: str) -> None:
    fields = edition.paper(board).fields
    read = ink_chances(flattened(edition, board), edition, board)
    assert list(read) == [field.id for field in fields]
    for field in fields:
        assert read[field.id][EMPTY[field.kind]] > 0.9, field.id
        assert sum(read[field.id].values()) <= 1 + 1e-6


@each_board
def test_faint_pencil_is_read_or_asked_for(edition: Edition, board: str) -> None:
    share = 0.2
    fields = [field for field in edition.paper(board).fields if field.kind == "cross"][::4]
    bare, crossed = (flattened(edition, board, some, (60, 60, 65)) for some in ([], fields))
    noise = np.random.default_rng(1).normal(0, 1.5, bare.shape)
    faint = cv2.addWeighted(bare, 1 - share, crossed, share, 0) + noise
    seen = np.clip(faint, 0, 255).astype(np.uint8)
    assert surely_wrong(edition, board, seen, {field.id: True for field in fields}) == []


@pytest.mark.parametrize("kind", ["cross", "number"])
def test_a_faint_pen_is_shown_to_the_network_as_a_strong_one(kind: Kind) -> None:
    edition, board = (COLORED, "black") if kind == "cross" else (NUMBERED, "")
    paper = edition.paper(board)
    written = [field for field in paper.fields if field.kind == kind][::3]
    bare, inked = (flattened(edition, board, some, (60, 60, 65)) for some in ([], written))
    faint = cv2.addWeighted(bare, 0.85, inked, 0.15, 0)
    darkest = []
    for flat in (faint, inked):
        seen = siblings(flat, edition, board)
        places = [seen.fields.index(field) for field in written]
        (shown,) = pictures(seen, kind, places, seen.strength)
        darkest.append(np.percentile(shown[:, 0 if kind == "number" else 1], 95))
    assert darkest[0] > 0.6 * darkest[1]


def test_a_red_pen_is_looked_for_in_the_red_of_red_fields() -> None:
    """It hardly changes blue and green there, and both have the grain of a dark picture."""
    fields = [field for field in COLORED.paper("black").fields if field.kind == "cross"]
    flat = flattened(COLORED, "black", fields[::2], (130, 40, 45))
    grain = np.random.default_rng(1).normal(0, 1, flat.shape) * (9, 9, 1)
    seen = siblings(np.clip(flat + grain, 0, 255).astype(np.uint8), COLORED, "black")
    weights = []
    for color in ("red", "blue"):
        places = [
            [seen.fields.index(f) for f in fields[at::2] if f.color == color] for at in (1, 0)
        ]
        weights.append(seen.pen_on(*map(np.array, places)))
    on_red, on_blue = (weight / np.abs(weight).max() for weight in weights)
    assert on_red[2] == 1 > 5 * np.abs(on_red[:2]).max()
    assert np.abs(on_blue[:2]).max() == 1


def test_few_filled_fields_do_not_make_others_look_crossed() -> None:
    """Fewer than one in twelve is marked, too few to show how strong the pen is."""
    fields = [field for field in COLORED.paper("black").fields if field.kind == "cross"][::12]
    lines = [line for field in fields for line in filling(field.box)]
    flat = flattened(COLORED, "black", ink=(26, 26, 28), lines=lines, width_mm=1.2)
    written: dict[str, Mark] = {field.id: True for field in fields}
    assert surely_wrong(COLORED, "black", flat, written) == []


def test_grain_on_a_sheet_with_few_marks_is_not_a_faint_pen() -> None:
    """Where hardly anything is crossed, the strongest ink is the paper's own."""
    crossed = [field for field in COLORED.paper("black").fields if field.id in ("H4", "I4", "G5")]
    flat = flattened(COLORED, "black", crossed)
    grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, flat.shape[:2]), (0, 0), 0.8)
    grained = flat * (1 + 0.08 * grain / grain.std())[..., np.newaxis]
    read = ink_chances(np.clip(grained, 0, 255).astype(np.uint8), COLORED, "black")
    assert [name for name, chances in read.items() if max(chances.values()) < 0.95] == []
    assert all(read[field.id][True] > 0.95 for field in crossed)


def test_few_marks_of_a_weak_pen_are_not_taken_for_grain() -> None:
    """A hardly visible pencil was taken for grain, and nobody was asked about its marks."""
    fields = [field for field in COLORED.paper("black").fields if field.id in ("H4", "I4", "G5")]
    for share, is_grain in ((1.0, True), (0.45, False), (0.0, True)):
        bare, crossed = (flattened(COLORED, "black", some, (60, 60, 65)) for some in ([], fields))
        grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, bare.shape[:2]), (0, 0), 0.8)
        marked = cv2.addWeighted(bare, 1 - share, crossed, share, 0)
        grained = np.clip(marked * (1 + 0.04 * grain / grain.std())[..., np.newaxis], 0, 255)
        found = siblings(grained.astype(np.uint8), COLORED, "black")
        crosses = [at for at, field in enumerate(found.fields) if field.kind == "cross"]
        assert _is_of_grain(found, crosses) == is_grain


def test_beside_a_weak_pens_marks_a_doubtful_field_is_not_surely_empty() -> None:
    surely = {False: 0.999, True: 0.001}
    doubted, agreed = (
        _of_weak_pen("cross", {False: empty, True: 1 - empty}, surely, True)
        for empty in (0.85, 0.995)
    )
    assert doubted[False] < 0.86
    assert agreed[False] > surely[False]
    marked = {False: 0.03, True: 0.97}
    plainly, in_glare = (_of_weak_pen("cross", marked, marked, shown) for shown in (True, False))
    assert plainly[True] > in_glare[True] == 0.97


def test_a_color_that_is_crossed_everywhere_is_read() -> None:
    boxes = [field for field in COLORED.paper("black").fields if field.color == "blue"]
    boxes = [field for field in boxes if field.kind == "cross"]
    read = ink_chances(flattened(COLORED, "black", boxes), COLORED, "black")
    assert all(read[field.id][True] > 0.5 for field in boxes)


def number(box: Box, text: str, x: float, y: float, tall: float = 4.2) -> list[Line]:
    """The strokes of a number; its middle is off the box's middle, in widths of the box."""
    left = box.center[0] + x * box.width - tall * 0.33 * len(text)
    top = box.center[1] + y * box.width - tall / 2
    return [
        [(left + place * tall * 0.66 + across * tall, top + down * tall) for across, down in line]
        for place, digit in enumerate(text)
        for line in DIGITS[digit]
    ]


def surely_wrong(
    edition: Edition, board: str, flat: np.ndarray, written: Mapping[str, Mark]
) -> list[str]:
    """The fields that are misread without a question to a person."""
    read = ink_chances(flat, edition, board)
    likeliest = {
        name: max(chances, key=lambda mark: chances[mark]) for name, chances in read.items()
    }
    return [
        field.id
        for field in edition.paper(board).fields
        if likeliest[field.id] != written.get(field.id, EMPTY[field.kind])
        and read[field.id][likeliest[field.id]] > 0.95
    ]


BALLPOINT, FELT = ((30, 40, 120), 0.5), ((26, 26, 28), 1.2)


@pytest.mark.parametrize("pen", [BALLPOINT, wide(FELT)], ids=["ballpoint", "felt"])
@pytest.mark.parametrize(
    "drawn", [(cross, ring, tick), *map(wide, [(cross,), (ring,), (tick,)])], ids=len
)
@pytest.mark.parametrize("edition", editions(), ids=lambda made: f"{made.sheet.name}-{made.name}")
def test_marks_are_read_or_asked_for(
    edition: Edition, drawn: tuple[Callable[[Box], list[Line]], ...], pen: tuple[Rgb, float]
) -> None:
    """A third of the fields is marked; a ring around an empty box is not a cross."""
    board = edition.sheet.usual_board
    written: dict[str, Mark] = {}
    lines: list[Line] = []
    for place, field in enumerate(edition.paper(board).fields[::3]):
        way = drawn[place % len(drawn)]
        if field.kind == "value":
            written[field.id] = "circled" if way is ring else "crossed"
        elif field.kind == "cross" and (way is not ring or crosses_go_over_print(edition)):
            written[field.id] = True
        else:
            continue
        lines += way(field.box)
    flat = flattened(edition, board, ink=pen[0], lines=lines, width_mm=pen[1])
    assert surely_wrong(edition, board, flat, written) == []


@pytest.mark.parametrize("edition", NUMBERED_ONES, ids=lambda made: made.name)
def test_a_number_off_the_middle_is_not_missed(edition: Edition) -> None:
    """It is off by up to half a field, so that half of it is on the bar."""
    written: dict[str, Mark] = {}
    lines: list[Line] = []
    fields = [field for field in edition.paper("").fields if field.kind == "number"]
    for place, field in enumerate(fields[::2]):
        off, turn = (0.25, 0.4, 0.5)[place % 3], math.radians(place * 90)
        written[field.id] = 7 * place % 18 + 1
        x, y = off * math.cos(turn), off * math.sin(turn)
        lines += number(field.box, str(written[field.id]), x, y)
    assert surely_wrong(edition, "", flattened(edition, "", lines=lines), written) == []


@pytest.mark.parametrize("edition", [*filter(crosses_go_over_print, editions())])
def test_marks_on_printed_numbers_and_locks_are_crosses(edition: Edition) -> None:
    fields = edition.paper("").fields
    marked = fields[::3]
    ways = (cross, tick, ring, lambda box: cross(box)[:1])
    lines = [line for place, field in enumerate(marked) for line in ways[place % 4](field.box)]
    read = ink_chances(flattened(edition, "", lines=lines), edition, "")
    names = {field.id for field in marked}
    assert [f.id for f in fields if (read[f.id][True] > 0.5) != (f.id in names)] == []


@pytest.mark.parametrize("edition", NUMBERED_ONES, ids=lambda made: made.name)
def test_a_number_beside_one_that_is_struck_out_counts(edition: Edition) -> None:
    fields = [field for field in edition.paper("").fields if field.kind == "number"][::3]
    written: dict[str, Mark] = {field.id: 5 * place % 18 + 1 for place, field in enumerate(fields)}
    lines: list[Line] = []
    for place, field in enumerate(fields):
        x, y = field.box.center
        lines += number(field.box, str(3 * place % 18 + 1), -0.15, 0.1)
        lines += [[(x - 4.2, y + 2.5), (x + 1.8, y - 1)], [(x - 4.2, y + 1.5), (x + 1.8, y - 0.2)]]
        lines += number(field.box, str(written[field.id]), 0.36, -0.3, 3.2)
    assert surely_wrong(edition, "", flattened(edition, "", lines=lines), written) == []


def test_the_mark_of_a_field_out_of_view_is_unknown() -> None:
    flat = flattened(COLORED, "black")
    visible = np.ones(flat.shape[:2], bool)
    right = round(flat.shape[1] * 0.9)
    visible[:, right:] = False
    fields = {field.id: field for field in COLORED.paper("black").fields}
    half = fields["A1"].box
    visible[: round((half.y + half.height * 0.3) * FLAT_PX_PER_MM), :60] = False
    read = ink_chances(flat, COLORED, "black", visible)
    assert read["color.green.later"] == {"open": 0.5}
    assert 0.4 < read["A1"][False] <= 0.5
    assert read["B2"][False] > 0.9


# Ink is distinguished from print by fields that are printed alike


INSIDE = np.s_[..., 8:-8, 8:-8]  # the middle of pictures, without edges


def seen(flat: np.ndarray, edition: Edition = COLORED) -> Siblings:
    return siblings(flat, edition, edition.sheet.usual_board)


def places(found: Siblings, *names: str) -> list[int]:
    order = [field.id for field in found.fields]
    return [order.index(name) for name in names]


def test_ink_in_the_colour_of_its_box_shows_as_a_change_of_some_channel() -> None:
    """For example, a blue pen on a blue box."""
    box = next(field for field in COLORED.paper("black").fields if field.id == "A4")
    assert box.color == "blue"
    found = seen(flattened(COLORED, "black", [box], (50, 90, 185)))
    luma, strongest = found.ink(places(found, "A4"))[0][INSIDE]
    assert strongest.max() > luma.max()
    assert strongest.max() > 0.3


def test_a_field_is_not_compared_with_itself_alone() -> None:
    """At a shadow's edge only one of five pentagons seemed bare; its 8 was taken for print."""
    filled = np.array([0.0, -0.3, -0.2, -0.4, -0.5], np.float32)
    assert {*_palest(np.arange(5), filled)} == {0, 1, 2}
    assert {*_palest(np.array([0, 4]), filled)} == {0, 4}
    assert len(_palest(np.arange(5), np.zeros(5, np.float32))) == 5


def test_lamps_cancel_out() -> None:
    flat = flattened(COLORED, "black")
    columns = flat.shape[1]
    light = np.linspace(1.0, 0.55, columns)[np.newaxis, :, np.newaxis] * np.array((0.7, 0.9, 1.0))
    plainly, warmly = seen(flat), seen(np.clip(flat * light, 0, 255).astype(np.uint8))
    every = [at for at, field in enumerate(plainly.fields) if field.kind == "cross"]
    off = (plainly.marks(every) - warmly.marks(every))[INSIDE]
    for name in ("brightness", "darker than equal prints", "reference"):
        assert np.abs(off[:, CHANNELS.index(name)]).mean() < 0.02, name
    assert np.abs(plainly.levels - warmly.levels).mean() < 0.05


@pytest.mark.parametrize(
    ("edition", "names"),
    [(COLORED, ["B2", "C2", "B3", "column.O.first"]), (NUMBERED, ["orange.2", "purple.5"])],
    ids=["colored", "numbered"],
)
def test_a_gray_scrap_hides_the_printed_colours_and_neither_ink_nor_a_lamp_does(
    edition: Edition, names: list[str]
) -> None:
    board = edition.sheet.usual_board
    fields = edition.paper(board).fields
    flat = flattened(edition, board, fields[::5])
    flat[:, flat.shape[1] // 3 :] = (flat[:, flat.shape[1] // 3 :] * 0.7).astype(np.uint8)
    for field in fields:
        if field.id in names:
            flat[flat_area(field.box, 1.0)] = 150
    found = seen(flat, edition)
    covered = places(found, *names)
    assert found.shown[covered].max() < SHOWN
    x, y = np.array([field.box.center for field in fields]).T
    away = np.hypot(*(each[:, np.newaxis] - each[covered] for each in (x, y))).min(axis=1)
    assert found.shown[away > 2 * fields[covered[0]].box.width].min() > SHOWN


def test_a_pale_frame_around_fields_hides_none_of_them() -> None:
    """The middle column has such a frame: the print beside its fields is another one."""
    flat, fields = flattened(COLORED, "black"), COLORED.paper("black").fields
    framed = [field for field in fields if field.id[0] == "H"]
    for field in framed:
        inside = flat[flat_area(field.box)].copy()
        flat[flat_area(field.box, 0.4)] = 235
        flat[flat_area(field.box)] = inside
    flat[flat_area(framed[2].box, 1.0)] = 150
    shown = seen(flat).shown[places(seen(flat), *(field.id for field in framed))]
    assert [bool(share > SHOWN) for share in shown] == [place != 2 for place in range(7)]


@pytest.mark.parametrize("edition", [COLORED, NUMBERED], ids=lambda edition: edition.name)
def test_fields_are_aligned(edition: Edition) -> None:
    """Off by a quarter of a millimetre, they leave no more of their rims than exact ones."""
    flat = flattened(edition, edition.sheet.usual_board)
    rows, columns, _ = flat.shape
    x, y = np.meshgrid(np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32))
    off = 0.25 * FLAT_PX_PER_MM * np.sin(x / columns * 5)
    bent = cv2.remap(flat, x + off, y - off, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rims = []
    for picture in (flat, bent):
        found = seen(picture, edition)
        alike = np.flatnonzero(found.counts > 3).tolist()
        rims.append(np.percentile(found.ink(alike)[:, 0], 90))
    assert rims[1] < rims[0] + 0.02
