"""Every line of text on a pad: its place, size and style.

All lengths are millimetres from the pad's top left corner. Texts are made to fit before anything is
drawn (`companion.fitting`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, TypeVar

from companion.core.sheet import Band, Blank, Field, Label, Millimetres, Paper, moved_exactly
from companion.core.sheet_style import (
    INK,
    LETTER_PLACE,
    LETTERS_END,
    ON_COLOR,
    SOFT,
    TEXT_COLORS,
    WEIGHTS,
    WHITE,
)
from companion.core.words import N_, Sentence, minus
from companion.fitting import (
    LINE,
    MIDDLE,
    fitted_line,
    fitted_lines,
    is_known,
    width,
)
from companion.pads.geometry import Pad, Printout
from companion.pads.languages import Say
from companion.pads.name_code import coded_names

Part = TypeVar("Part", Band, Field, Label)

RUN_STEP: Final[Millimetres] = 14.0  # Letters further apart than this are not joined into one text
TWO_LETTERS: Final[Millimetres] = 3.5  # The size of two letters for a row, in the room of one
NUMBER_SIZE: Final = 0.75  # The digits of a number printed in a field, as a share of its height
SIGN_WIDTH: Final = 1.3  # The column for a label's sign or symbol, as a share of its letters' size


@dataclass(frozen=True)
class Text:
    """One line of text; `y` is its base line."""

    x: Millimetres
    y: Millimetres
    size: Millimetres
    content: str
    anchor: str = "middle"
    weight: int = 500
    fill: str = INK
    spacing: Millimetres = 0.0  # between its letters, beyond what is usual


def pad_texts(paper: Paper, say: Say) -> list[Text]:
    """All texts of a pad but the players' names."""
    texts = list(_title(paper, say))
    for band in paper.layout.bands:
        texts += _band_letter(band, paper, say)
    for field in (*paper.sheet_fields, *paper.examples):
        texts += _field_texts(field, paper, say)
    for label in paper.layout.labels:
        texts += _label_texts(placed(label, paper), say)
    for note in paper.notes:
        texts += _label_texts(note, say)
    texts += _captions(paper, say)
    return in_runs(texts)


def placed(part: Part, paper: Paper) -> Part:
    """A part of the sheet, moved to its place on the pad."""
    return replace(part, box=moved_exactly(part.box, *paper.at))


def names(pad: Pad) -> Iterator[tuple[str, list[Text]]]:
    """(name, its lines in its blank) for each player."""
    blanks = {blank.id: blank for blank in pad.paper.blanks}
    for blank_id, name in zip(pad.paper.names, pad.names, strict=False):
        yield name, [*_name_lines(blanks[blank_id], name)]


def numbers(pad: Pad) -> Iterator[Text]:
    """The numbers of a game that continues: a digit a box, or the whole number in one box."""
    for field, number in pad.numbers:
        text, cells = minus(number), field.cells
        if len(text) <= len(cells):
            places = zip(cells[-len(text) :], text, strict=True)
        else:
            places = zip([field.box], [text], strict=True)
        for box, sign in places:
            content, size = fitted_line(sign, box.width - 1, box.height * NUMBER_SIZE)
            yield centered(content, *box.center, size)


def _name_lines(blank: Blank, name: str) -> Iterator[Text]:
    box = blank.box
    if blank.caption:
        content, size = fitted_line(name, box.width - 4, 4.8)
        yield Text(box.x + 2, box.y + box.height - 1.7, size, content, "start")
        return
    lines, size = fitted_lines(name, box.width - 2, box.height - 1, 4.2)
    first = box.center[1] - (len(lines) - 1) * size * LINE / 2
    for number, line in enumerate(lines):
        yield Text(box.center[0], first + number * size * LINE + size * MIDDLE, size, line)


def warnings(printout: Printout) -> Iterator[Sentence]:
    """Warnings about names that do not fit on the pads, or into their codes.

    >>> from companion.games.catalog import SHEETS
    >>> from companion.pads.geometry import pages_of_order
    >>> from companion.pads.order import checked_order
    >>> order = checked_order(next(iter(SHEETS)), players=["Ada", "W" * 60])
    >>> [warning.values["names"] == "W" * 60 for warning in warnings(pages_of_order(order))]
    [True]
    """
    shortened: dict[str, None] = {}
    cut: dict[str, None] = {}
    for pad in chain.from_iterable(printout.pages):
        for name, lines in names(pad):
            words = [word for line in lines for word in line.content.split()]
            if words != name.split():
                shortened[name] = None
        coded = coded_names(pad)
        cut |= dict.fromkeys(name for name in pad.names if name not in coded)
    if shortened:
        text = N_("Shortened to fit on the pad: %(names)s. Look at the PDF before you print it.")
        yield Sentence(text, {"names": ", ".join(shortened)})
    if cut:
        long = N_("Too long for the printed code that says whose pad it is: %(names)s.")
        yield Sentence(long, {"names": ", ".join(cut)})


def centered(
    content: str,
    x: Millimetres,
    y: Millimetres,
    size: Millimetres,
    fill: str = INK,
    anchor: str = "middle",
    weight: int = 500,
) -> Text:
    """A line with its capitals centred on `y`."""
    if len(content) == 1 and anchor == "middle" and is_known(content):
        # `in_runs` joins letters by their left edge.
        x, anchor = x - width(content, size) / 2, "start"
    return Text(x, y + size * MIDDLE, size, content, anchor, weight, fill)


def in_runs(texts: Iterable[Text]) -> list[Text]:
    """Joins equal, evenly spaced single letters of a row into one text."""
    # A sheet has hundreds of single letters, and an engine takes longer for a text than for a shape
    joined: list[Text] = []
    rows: dict[Text, list[Millimetres]] = {}
    for text in texts:
        if len(text.content) == 1 and text.anchor == "start":
            rows.setdefault(replace(text, x=0), []).append(text.x)
        else:
            joined.append(text)
    for text, places in rows.items():
        run: list[Millimetres] = []
        for x in [*sorted(places), math.inf]:
            step = run[1] - run[0] if len(run) > 1 else RUN_STEP
            is_next = not run or (
                x - run[-1] < RUN_STEP
                and (len(run) == 1 or math.isclose(x - run[-1], step, abs_tol=1e-3))
            )
            if is_next:
                run.append(x)
                continue
            spacing = step - width(text.content, text.size) if len(run) > 1 else 0.0
            content = text.content * len(run)
            joined.append(replace(text, x=run[0], content=content, spacing=spacing))
            run = [x]
    return joined


def _title(paper: Paper, say: Say) -> Iterator[Text]:
    space = paper.blanks[0].box.x - 26
    title, size = fitted_line(say(paper.title), space, 8.2)
    if paper.subtitle is None:
        yield centered(title, 24.5, 8, size, anchor="start", weight=600)
        return
    yield centered(title, 24.5, 6.4, min(size, 7.4), anchor="start", weight=600)
    subtitle, small = fitted_line(say(paper.subtitle), space, 3.2)
    yield centered(subtitle, 24.6, 11.7, small, SOFT, "start")


def _band_letter(band: Band, paper: Paper, say: Say) -> Iterator[Text]:
    x, y = band.letter_at[0] + paper.at[0], band.letter_at[1] + paper.at[1]
    letter = say(Sentence(band.letter))
    yield centered(letter, x, y, 5 if len(letter) == 1 else TWO_LETTERS, ON_COLOR, weight=600)


def _field_texts(field: Field, paper: Paper, say: Say) -> Iterator[Text]:
    box = moved_exactly(field.box, *paper.at)
    letter = say(Sentence(field.letter)) if field.letter else ""
    if field.print:
        # To the left of the middle, where the letter in the corner leaves it room.
        x, y = box.center[0] - (0.9 if letter else 0), box.center[1]
        fill, weight = TEXT_COLORS[field.print_strength], WEIGHTS[field.print_strength]
        yield centered(field.print, x, y, field.print_size, fill, weight=weight)
    if letter:
        y = box.y + box.height * LETTER_PLACE[1]
        if len(letter) == 1:
            yield centered(letter, box.x + box.width * LETTER_PLACE[0], y, 2.6, weight=600)
        else:
            end = box.x + box.width * LETTERS_END
            yield centered(letter, end, y + 0.15, 2.2, INK, "end", 600)


def _label_texts(label: Label, say: Say) -> Iterator[Text]:
    if label.text is None:
        return
    box = label.box
    indent = label.size * SIGN_WIDTH if label.sign or label.symbol else 0.0
    if label.sign:
        yield centered(label.sign, box.x + label.size / 2, box.center[1], label.size, weight=600)
    lines, size = fitted_lines(say(label.text), box.width - indent, box.height, label.size)
    first = box.center[1] - (len(lines) - 1) * size * LINE / 2
    fill = WHITE if label.has_pill else TEXT_COLORS[label.strength]
    x = box.x + indent if label.align == "start" else box.center[0] + indent / 2
    for number, line in enumerate(lines):
        y = first + number * size * LINE
        yield centered(line, x, y, size, fill, label.align, WEIGHTS[label.strength])


def _captions(paper: Paper, say: Say) -> Iterator[Text]:
    previous = None
    for blank in paper.blanks:
        box, caption = blank.box, say(blank.caption) if blank.caption else ""
        caption = caption[:1].upper() + caption[1:]
        if blank.shape == "line":
            if caption:
                content, size = fitted_line(caption, box.width - 4, 2.3)
                yield Text(box.x + 1.8, box.y + 2.9, size, content, "start", 500, SOFT)
        elif caption:
            content, size = fitted_line(caption, box.width + 1.6, 2.2)
            yield Text(box.center[0], box.y - 0.8, size, content, "middle", 500, SOFT)
        if blank.sign and previous:
            middle = (previous.x + previous.width + box.x) / 2
            size = min(6.0, (box.x - previous.x - previous.width) * 1.3)
            yield centered(blank.sign, middle, box.center[1], size, weight=600)
        previous = box
