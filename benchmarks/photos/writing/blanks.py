"""Fills in what is no field: names, the date, and the sums of a pad, not all of them right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from benchmarks.photos.writing.writer import Writer
from companion.core.sheet import Box

INITIALS: Final = (
    ((0, 0), (0.15, 1), (0.9, 0.9), (0.3, 0.5), (1, 0)),  # R
    ((0, 0), (0.5, 1), (0.95, 0), (0.75, 0.4), (0.2, 0.4)),  # A
    ((0, 1), (0.1, 0), (0.5, 0.02), (0.9, 0.05)),  # L
    ((0, 0), (0.1, 1), (0.5, 0.4), (0.9, 1), (1, 0)),  # M
    ((0.9, 0.95), (0.4, 1), (0.2, 0.75), (0.8, 0.3), (0.6, 0), (0, 0.1)),  # S
    ((0, 1), (0.9, 1), (0.5, 1), (0.5, 0)),  # T
    ((0.5, 1), (0.5, 0.2), (0.25, 0), (0, 0.2)),  # J
)
"""First letters of names as strokes: x to the right and y up, both 0 to 1."""


SUMMED: Final = 0.6  # the share of sheets on which sums are written
MISSUMMED: Final = 0.12  # the share of those with a wrong sum


def random_sums(writer: Writer) -> dict[str, int]:
    """Name of a sum → what its writer believes it to be.

    Mostly what the sheet says. A wrong sum is mostly in the total, too; some are left out.
    """
    rng = writer.rng
    sums = dict(writer.filled.sums)
    if rng.random() >= SUMMED or not sums:
        return {}
    if rng.random() < MISSUMMED:
        name = str(rng.choice(sorted(sums)))
        off = int(rng.choice([-10, -5, -2, -1, 1, 2, 5, 10]))
        wrong = sums[name] + off
        if (wrong >= 0) == (sums[name] >= 0) or sums[name] == 0:
            sums[name] = abs(wrong) if sums[name] >= 0 else wrong
            total = "sum.total"
            if name != total and total in sums and rng.random() < 0.7:
                sums[total] += off
    # Nobody sums up a game that went below zero, and many leave a zero out.
    sums = {
        name: value
        for name, value in sums.items()
        if (value >= 0 or name != "sum.total") and (value or rng.random() < 0.6)
    }
    if rng.random() < 0.25:
        kept = rng.random()
        sums = {name: value for name, value in sums.items() if rng.random() < kept}
    return {name: abs(value) for name, value in sums.items()}


def fill_blanks(writer: Writer) -> Mapping[str, int]:
    """Writes names, the date and the sums, each with some probability; returns the sums."""
    rng, filled, paper = writer.rng, writer.filled, writer.paper
    sums = random_sums(writer)
    written: dict[str, int] = {}
    players = filled.player_count
    for blank in paper.blanks:
        box = writer.on_paper(blank.box)
        if blank.id in paper.names:
            place = int(blank.id.rpartition(".")[2]) if "." in blank.id else 1
            if place <= players and rng.random() < 0.9:
                write_name(writer, box, short=len(paper.names) > 1)
        elif blank.id == "game" and rng.random() < 0.6:
            write_name(writer, box, short=False)
        elif blank.id == "date" and rng.random() < 0.4:
            _date(writer, box)
        elif blank.id in sums:
            x, y = box.center
            room = box.width * 0.84
            if box.width > 1.8 * box.height:
                # An operator is printed at the left of a wide box.
                x, room = x + box.width * float(rng.uniform(0.02, 0.18)), box.width * 0.6
            number = sums[blank.id]
            writer.number(number, x, y, min(0.95, box.height / 8.5), room)
            written[blank.id] = number
    return written


def write_name(writer: Writer, box: Box, short: bool) -> None:
    """Something like a name: an initial and joined loops."""
    rng = writer.rng
    letters = int(rng.integers(3, 6 if short else 9))
    size = min(writer.style.height * 0.42, box.height * 0.34)
    step = min(size * 1.05, (box.width - 4) / (letters + 2))
    x = box.x + (1.5 if short else rng.uniform(3, 12))
    y = box.y + box.height * (0.68 if short else 0.78)
    initial = INITIALS[int(rng.integers(len(INITIALS)))]
    drawn = np.array(initial, np.float32) * np.array([1.2 * step, -1.9 * size], np.float32)
    shaky = drawn + np.array([x, y]) + rng.normal(0, 0.12, drawn.shape)
    writer.stroke(shaky.astype(np.float32))
    x += 1.4 * step
    per = 26
    t = np.arange(letters * per) / per
    kinds = rng.choice([0.75, 1.0, 1.0, 1.9, -0.8], letters)
    tall = np.repeat(kinds, per)
    phase = (t % 1) * 2 * np.pi
    up = np.where(tall > 0, (1 - np.cos(phase)) / 2 * tall, (np.cos(phase) - 1) / 2)
    wave = np.repeat(rng.uniform(0.2, 0.55, letters), per)
    xs = x + (t - wave * np.sin(phase)) * step
    ys = y - up * size + rng.normal(0, 0.1) * t
    smooth = np.ones(7) / 7
    points = np.stack([np.convolve(xs, smooth, "valid"), np.convolve(ys, smooth, "valid")], 1)
    writer.stroke(points.astype(np.float32))


def _date(writer: Writer, box: Box) -> None:
    rng = writer.rng
    x = box.x + 7.0
    for number in (int(rng.integers(1, 29)), int(rng.integers(1, 13))):
        y = box.y + box.height * 0.64
        writer.number(number, x, y, 0.6, 6)
        dot = np.array([[x + 3.7, y + 1.6], [x + 3.8, y + 1.65]], np.float32)
        writer.stroke(dot)
        x += 8.0
