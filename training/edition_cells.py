"""Labelled cells of publishers' sheets: whole sheets, because their fields are read together.

A sheet is drawn, filled in, photographed and rectified; then the reader's own `siblings` makes the
pictures of all its fields, so that references are what the reader would have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.core.sheet import EMPTY, Field, Kind, Mark
from companion.vision.ink.edition_ink import pictures
from companion.vision.ink.siblings import siblings
from training import Rng, camera
from training.cells import (
    CLASSES,
    EMPTY_CLASSES,
    GROUPS,
    Cells,
    Job,
    Network,
    group,
    writers,
)
from training.games import sheet_training
from training.sheets import editions, filling, stains
from training.sheets.mark_fields import write_mark
from training.writing import digits, numbers
from training.writing.hands import Hand, Scribes
from training.writing.pens import Canvas, jittered, paint_pen

KINDS: Final[Mapping[Network, tuple[Kind, ...]]] = {
    "edition-numbers": ("number",),
    "edition-marks": ("cross", "value"),
}
"""Network → kinds of fields that it reads."""
MARKS_ONLY: Final = 0.86
"""The share of sheets without numbers among the sheets that marks are cut from."""
SHEETS: Final = 40
"""Sheets that are made from one seed."""
VALUES: Final[Mapping[str, float]] = {
    "open": 0.42,
    "crossed": 0.26,
    "circled": 0.27,
    "other": 0.05,
}
"""Class → its share among the values of many sheets."""
USUAL: Final = 0.25
"""The share of boxes and of blank numbers that are used; sheets have few others for each."""
PALEST: Final = 0.15
"""The least share of its strength on paper that a pencil has on coated card."""
DARK: Final = 80
"""The tone, 0 to 255, below which three tenths of dark card are."""
PAINTED: Final = 0.35
"""The share of white, gold and silver pens on dark card."""
PAINTED_PALE: Final = 0.03


class Sheets:
    """Writes on whole sheets in the handwriting of one part of the collections."""

    def __init__(self, hands: digits.Hands) -> None:
        self._scribes = Scribes(hands)
        self._boards: dict[bool, list[list[tuple[Edition, str]]]] = {True: [], False: []}
        by_name: dict[str, list[tuple[Edition, str]]] = {}
        for edition, board in editions.boards():
            by_name.setdefault(f"{edition.sheet.name}.{edition.name}", []).append((edition, board))
        for found in by_name.values():
            edition, board = found[0]
            kinds = {field.kind for field in edition.paper(board).fields}
            self._boards["number" in kinds].append(found)

    def sheet(
        self, network: Network, rng: Rng
    ) -> tuple[npt.NDArray[np.uint8], Edition, str, tuple[str, ...]]:
        """A random sheet: (its flattened photo, the edition, the board, each field's class).

        The class is empty where the photo does not show to a person what was written.
        """
        has_numbers = network == "edition-numbers" or rng.random() > MARKS_ONLY
        kinds = self._boards[has_numbers] or self._boards[not has_numbers]
        choices = kinds[int(rng.integers(len(kinds)))]
        edition, board = choices[int(rng.integers(len(choices)))]
        empty, picture, written = self.written(edition, board, rng)
        settings = camera.settings(rng)
        flat = camera.photographed_and_flattened(picture, settings, rng, is_coated=True)
        boxes = [field.box for field in edition.paper(board).fields]
        shown = camera.ink_seen(empty, picture, boxes, settings)
        labels = tuple(
            label if label in EMPTY_CLASSES or is_seen else ""
            for label, is_seen in zip(written, shown, strict=True)
        )
        return flat, edition, board, labels

    def written(
        self, edition: Edition, board: str, rng: Rng
    ) -> tuple[camera.Picture, camera.Picture, tuple[str, ...]]:
        """(an empty sheet, the same filled in, the class of each field of the paper)."""
        paper = edition.paper(board)
        empty = editions.drawn(edition, board, rng)
        canvas = Canvas(empty.copy(), 0.0, 0.0)
        is_dark = float(np.percentile(cv2.cvtColor(empty[::8, ::8], cv2.COLOR_BGR2GRAY), 30)) < DARK
        hands = [self._hand(rng, is_dark)]
        while len(hands) < 4 and rng.random() < 0.3:
            hands.append(self._hand(rng, is_dark))
        if rng.random() < 0.3:
            stains.add_show_through(canvas, rng)
        has_numbers = any(field.kind == "number" for field in paper.fields)
        if rng.random() < (0.15 if has_numbers else 0.5):
            labels = self._played(canvas, edition, paper.fields, hands, rng)
        else:
            labels = _at_random(canvas, paper.fields, hands, rng)
        for blank in paper.blanks:
            if rng.random() < 0.4:
                value, box = str(rng.integers(0, 120)), blank.box
                numbers.number(canvas, hands[0], value, jittered(box, 0.8, rng), box.width, rng)
        if rng.random() < 0.5:
            stains.add_stains(canvas, rng)
        return empty, canvas.picture, labels

    def _hand(self, rng: Rng, is_dark: bool) -> Hand:
        """A random writer; pencil is paler on coated card than on paper, paint is for dark card."""
        hand = self._scribes.hand(rng)
        if rng.random() < (PAINTED if is_dark else PAINTED_PALE):
            return replace(hand, pen=paint_pen(rng))
        if is_dark:
            # Graphite shines on black card, and a felt pen is not quite as black.
            sheen = rng.uniform(0.05, 0.25) if hand.pen.kind == "pencil" else rng.uniform(0, 0.06)
            hand = replace(hand, pen=replace(hand.pen, sheen=sheen))
        if hand.pen.kind != "pencil":
            return hand
        paler = hand.pen.opacity * PALEST ** rng.uniform(0, 1)
        return replace(hand, pen=replace(hand.pen, opacity=paler))

    def _played(
        self,
        canvas: Canvas,
        edition: Edition,
        fields: Sequence[Field],
        hands: Sequence[Hand],
        rng: Rng,
    ) -> tuple[str, ...]:
        """Fills a sheet in as a game leaves it; returns the fields' classes."""
        marks = sheet_training(edition.sheet).random_marks(tuple(fields), rng)
        has_more = rng.random() < 0.6
        labels = []
        for field in fields:
            mark = marks.get(field.id, EMPTY[field.kind])
            hand = _any(hands, rng)
            if field.kind == "value" and has_more:
                labels.append(_any_value(canvas, field, hand, rng))
            else:
                filling.write(canvas, field, mark, hand, rng)
                labels.append(_label(field, mark))
        return tuple(labels)


def _any_value(canvas: Canvas, field: Field, hand: Hand, rng: Rng) -> str:
    """Fills in a value at random, more often than in games; returns its class."""
    what = str(rng.choice(list(VALUES), p=list(VALUES.values())))
    return write_mark(canvas, field, what, hand, rng)


def _any(hands: Sequence[Hand], rng: Rng) -> Hand:
    """Mostly the first of some hands."""
    if len(hands) == 1 or rng.random() < 0.6:
        return hands[0]
    return hands[int(rng.integers(len(hands)))]


def _label(field: Field, mark: Mark) -> str:
    """The class of a mark that was written with `filling.write`."""
    if field.kind == "number":
        return "blank" if mark is None else str(mark)
    if field.kind == "cross":
        return "crossed" if mark else "open"
    return str(mark)


def _at_random(
    canvas: Canvas, fields: Sequence[Field], hands: Sequence[Hand], rng: Rng
) -> tuple[str, ...]:
    """Fills a sheet in without regard for any rule: nearly empty, nearly full, one color, mixed."""
    drawn = rng.random()
    is_full = drawn < 0.25
    fullness = rng.uniform(0.85, 1) if is_full else float(rng.choice((1.0, rng.uniform(0, 1))))
    if drawn > 0.85:
        fullness = rng.uniform(0, 0.08)
    colors = sorted({field.color for field in fields})
    special = colors[int(rng.integers(len(colors)))] if rng.random() < 0.4 else ""
    is_crossed = rng.random() < 0.7
    labels = []
    for field in fields:
        hand = _any(hands, rng)
        if field.color == special and field.kind == "cross" and rng.random() < 0.97:
            filling.write(canvas, field, is_crossed, hand, rng)
            labels.append(_label(field, is_crossed))
        elif field.kind == "value" and rng.random() < 0.7:
            labels.append(_any_value(canvas, field, hand, rng))
        elif is_full and field.kind == "cross":
            mark = rng.random() < fullness
            filling.write(canvas, field, mark, hand, rng)
            labels.append(_label(field, mark))
        else:
            labels.append(filling.fill_randomly(canvas, field, hand, fullness, rng)[0])
    return tuple(labels)


# Data sets


@cache
def _maker(folder: Path, part: digits.Part) -> Sheets:
    return Sheets(writers(folder, part))


def chunk(job: Job) -> Cells:
    """The cells of one job's sheets."""
    network, count, folder, part, seed = job
    rng = np.random.default_rng(seed)
    maker = _maker(folder, part)
    return Cells.stacked(
        (picture, CLASSES[network].index(label), GROUPS.index(name))
        for _ in range(count)
        for picture, label, name, is_usual in cells_of(network, *maker.sheet(network, rng))
        if not is_usual or rng.random() <= USUAL
    )


def cells_of(
    network: Network,
    flat: npt.NDArray[np.uint8],
    edition: Edition,
    board: str,
    labels: Sequence[str],
) -> Iterator[tuple[npt.NDArray[np.float32], str, str, bool]]:
    """The fields with a class that a network reads.

    Yields:
        (picture, class, group, whether a sheet has many of these).
    """
    seen = siblings(flat, edition, board)
    for kind in KINDS[network]:
        places = [place for place, field in enumerate(seen.fields) if field.kind == kind]
        for look in pictures(seen, kind, places, seen.strength) if places else ():
            for picture, place in zip(look, places, strict=True):
                field, label = seen.fields[place], labels[place]
                if label:
                    is_blank = label == "blank" and not edition.prints[board][field.id].text
                    yield picture, label, group(field), group(field) == "box" or is_blank
