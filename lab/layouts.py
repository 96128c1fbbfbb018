"""The faults of a sheet or its pad, in sentences: the things, the millimetres, the rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from companion.core import markers
from companion.core.sheet import AnySheetKind, Box, Layout, Paper, moved
from companion.pads.papers import PAPERS, best_page
from lab.play import said

MOST_WIDE, MOST_HIGH = 190, 277  # a page of A4 without its margins
LETTER = 1.5  # half of the square around a band's letter
ON_PAD = 0.5  # between any two things on a pad
PAD_EDGE = 2.0  # around all that is on it
LEAST = 1e-3  # millimetres that count

Thing = tuple[str, Box]


def faults(kind: AnySheetKind, board: str) -> list[str]:
    """The faults of a board's layouts and of its pad."""
    paper, shown = kind.paper(board), kind.marked(board, {}).layout
    found = [*_of_layout(paper.layout, "the pad"), *_of_pad(kind, board, paper)]
    if shown is not paper.layout and kind.sharing is None:
        found += [*_of_layout(shown, "the screen"), *_unlike(paper.layout, shown)]
    names = Counter(said(field.name) for field in shown.fields)
    for name, count in names.items() if kind.sharing is None else ():
        if count > 1:
            found.append(f"{count} fields are called “{name}”: each has a name of its own.")
    return found


def _of_layout(layout: Layout, where: str) -> Iterator[str]:
    """What is wrong on the sheet itself."""
    here = f"on the sheet of {where}"
    if layout.width > MOST_WIDE or layout.height > MOST_HIGH:
        size = f"{layout.width:g} × {layout.height:g} mm"
        yield f"The sheet of {where} is {size}: a page of A4 has {MOST_WIDE} × {MOST_HIGH} mm."
    fields = [(f"field {field.id!r}", field.box) for field in layout.fields]
    labels = [(f"label “{said(label.text) if label.text else label.symbol}”", label.box)
              for label in layout.labels]  # fmt: skip
    sums = [(f"sum {place.id!r}", place.box) for place in layout.sums]
    bands = [(f"band {band.color!r}", band.box) for band in layout.bands]
    for name, box in (*fields, *labels, *sums, *bands):
        if min(box.width, box.height) <= 0:
            yield f"{name} {here} is {box.width:g} × {box.height:g} mm: nobody sees it."
        yield from _beyond(name, box, Box(0, 0, layout.width, layout.height), f"the edge {here}")
    yield from _overlaps([*fields, *labels, *sums], here)
    yield from _overlaps(bands, here)
    for name, count in Counter(field.id for field in layout.fields).items():
        if count > 1:
            yield f"{count} fields {here} have the id {name!r}: each has an id of its own."
        if "%" in name:
            yield f"The id {name!r} of a field has a percent sign: texts have values there."
    yield from _of_bands(layout, here)


def _of_bands(layout: Layout, here: str) -> Iterator[str]:
    for band in layout.bands:
        name, (x, y) = f"band {band.color!r} {here}", band.letter_at
        letter = Box(x - LETTER, y - LETTER, 2 * LETTER, 2 * LETTER)
        yield from _beyond(f"the letter of {name}", letter, band.box, "its band")
        if str(band.letter) != band.color[0].upper():
            yield f"{name} has the letter {band.letter}: it is the first one of its colour."
        for field in layout.fields:
            if field.color == band.color:
                yield from _beyond(f"field {field.id!r}", field.box, band.box, name)
            elif common(field.box, band.box):
                yield f"field {field.id!r} lies on {name}, and is of another colour."
            if common(letter, field.box):
                yield f"field {field.id!r} covers the letter of {name}."


def _of_pad(kind: AnySheetKind, board: str, paper: Paper) -> Iterator[str]:
    """What is wrong with the pad: nothing touches anything else, or a marker."""
    things: list[Thing] = [(f"field {field.id!r}", field.box) for field in paper.fields]
    things += [(f"blank {blank.id!r}", blank.box) for blank in paper.blanks]
    examples = (moved(field.box, *paper.at) for field in paper.examples)
    things += [(f"example {number}", box) for number, box in enumerate(examples, start=1)]
    things.append(("the place of the names' code", paper.code))
    for page in PAPERS:
        try:
            best_page(page, paper.width, paper.height)
        except ValueError as refused:
            yield f"{refused}: every pad is printed on each paper.".capitalize()
    whole = Box(0, 0, paper.width, paper.height)
    for name, box in things:
        yield from _beyond(
            name, box, grown(whole, -PAD_EDGE), f"the pad's margin of {PAD_EDGE:g} mm"
        )
    for name, count in Counter(name for name, _ in things).items():
        if count > 1:
            yield f"{count} things on the pad are {name}: each has an id of its own."
    for (name, box), (other_name, other) in combinations(things, 2):
        if common(grown(box, ON_PAD), other):
            yield f"{name} and {other_name} are less than {ON_PAD:g} mm apart on the pad."
    place = kind.every_board.index(board)
    for marker in markers.on_pad(kind.number, place, paper.width, paper.height):
        what = f"the {marker.corner} marker with its {markers.QUIET:g} mm of white paper"
        for name, box in things:
            if size := common(box, grown(marker.box, markers.QUIET)):
                yield f"{name} lies over {what}, by {size}: the camera finds the pad by it."


def _unlike(paper: Layout, shown: Layout) -> Iterator[str]:
    """Checks that a separate layout for the screen has the fields of the pad."""
    ours, theirs = ({field.id: field for field in layout.fields} for layout in (paper, shown))
    for name in sorted(ours.keys() ^ theirs.keys()):
        where = "the pad" if name in ours else "the screen"
        yield f"field {name!r} is on the sheet of {where} alone: both have the same fields."
    for name in ours.keys() & theirs.keys():
        for what in ("kind", "numbers", "color"):
            one, other = getattr(ours[name], what), getattr(theirs[name], what)
            if one != other:
                yield f"field {name!r} has the {what} {one!r} on the pad, {other!r} on the screen."


def _overlaps(things: Sequence[Thing], here: str) -> Iterator[str]:
    for (name, box), (other_name, other) in combinations(things, 2):
        if size := common(box, other):
            yield f"{name} and {other_name} overlap {here}, by {size}."


def _beyond(name: str, inner: Box, outer: Box, what: str) -> Iterator[str]:
    over = {
        "left": outer.x - inner.x,
        "top": outer.y - inner.y,
        "right": inner.x + inner.width - outer.x - outer.width,
        "bottom": inner.y + inner.height - outer.y - outer.height,
    }
    for side, by in over.items():
        if by > LEAST:
            yield f"{name} reaches {by:.3g} mm beyond {what} at the {side}."


def grown(box: Box, by: float) -> Box:
    return Box(box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by)


def common(box: Box, other: Box) -> str:
    """The millimetres that two boxes have in common, or nothing."""
    across = min(box.x + box.width, other.x + other.width) - max(box.x, other.x)
    down = min(box.y + box.height, other.y + other.height) - max(box.y, other.y)
    return f"{across:.3g} × {down:.3g} mm" if min(across, down) > LEAST else ""
