"""Trains the network that reads sums and points: pictures, the network, and its calibration.

As for the other networks, pieces of sheets are written on, photographed and rectified; then the
reader's own code cuts the blanks out. They are of our own pads, of drawings of publishers' sheets,
and of ruled tables. Fields for numbers are among them, because the reader asks for a second opinion
on those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, repeat
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from companion.core.sheet import Box, Field, Millimetres
from companion.vision.flat.light import evened
from companion.vision.ink.cells import Floats
from companion.vision.ink.pad_ink import POINTS_MARGIN
from companion.vision.ink.sums import (
    CLASSES,
    HEIGHT,
    MARGIN,
    as_strong,
    column_chances,
    cut,
    number_chances,
    struck_chance,
)
from companion.vision.ink.sums import MINUS as MINUS_CLASS
from training import Rng, camera, fitting
from training.cells import Cells, Job, cut_out, is_near, writers
from training.fitting import Metrics, as_pictures, fit, likeliest_temperature, varied
from training.sheets import editions, filling, number_fields, printed, ruled, stains, sum_writing
from training.sheets.point_writing import MINUS, STRUCK, thinned, write_points
from training.writing import digits
from training.writing.hands import Hand, Scribes
from training.writing.pens import PX_PER_MM, Canvas

BATCH: Final = 128
RATE: Final = 2.5e-3
FURTHER: Final = 1e-3
"""The highest learning rate of a network that begins with the weights of another."""
PIECES: Final = {"own": 0.45, "published": 0.18, "points": 0.15, "table": 0.22}
"""What a piece shows → how often; those of our own pads yield the fewest blanks each."""
RAW: Final = 0.5
"""The share of publishers' pieces that are cut without evening the light first."""
GROUPS: Final = ("published", "blank", "number", "digits", "points", "cell", "alone")
"""Blanks of publishers' sheets; blanks and fields of our own pads; cells of tables, and the writing
that stands in them without their lines."""
SIGNED: Final = GROUPS.index("points")
"""From this group on the network has to see signs and strokes; in the others they mean nothing."""
FIELDS: Final = 0.3
"""The share of our pads' pieces that show a field for a number in their middle."""
AS_STRONG: Final = 0.6
"""The share of sheets and tables whose faint pens are amplified as the reader does."""
LONGEST: Final = 5
"""Signs of the longest label."""


@dataclass(frozen=True)
class Sample:
    """A labelled blank."""

    picture: npt.NDArray[np.float32]
    """As `companion.vision.ink.sums.cut` returns it."""
    label: str
    """A number, "", `sum_writing.UNREADABLE` or `point_writing.STRUCK`."""
    group: str
    """One of `GROUPS`."""


class Pieces:
    """Draws pieces of sheets with sums in the handwriting of one part of the collections."""

    def __init__(self, hands: digits.Hands) -> None:
        self._scribes = Scribes(hands)
        self._pads: dict[str, list[printed.PrintedPad]] = {}
        for pad in printed.pads():
            self._pads.setdefault(pad.sheet.name, []).append(pad)
        self._close = [name for name, pads in self._pads.items() if _points(pads[0])]

    def piece(self, rng: Rng) -> Iterator[Sample]:
        """The samples of a random piece."""
        what = str(rng.choice(list(PIECES), p=list(PIECES.values())))
        hand = self._scribes.hand(rng)
        if what == "table":
            return _table_piece(thinned(hand, rng), rng)
        if what == "points":
            return self._points_piece(thinned(hand, rng), rng)
        return self._sums_piece(hand, rng, is_own=what == "own")

    def _sums_piece(self, hand: Hand, rng: Rng, *, is_own: bool) -> Iterator[Sample]:
        """A piece of a sheet around a blank or a field for a number."""
        canvas, fields, blanks = self._own_piece(rng) if is_own else _published_piece(rng)
        stains.add_show_through(canvas, rng)
        empty = canvas.picture.copy()
        other = self._scribes.hand(rng) if rng.random() < 0.15 else hand
        written: list[tuple[Box, str, str]] = []
        for field in fields:
            if field.numbers and is_own:
                label = _write_number(canvas, field, hand, rng)
                written.append((canvas.here(field.box), label, field.kind))
            else:
                filling.fill_randomly(canvas, field, other, 0.8, rng)
        for box, sign in blanks:
            label = sum_writing.write_sum(canvas, box, hand, rng, sign)
            here = canvas.here(box) if is_own else _misplaced(canvas.here(box), rng)
            written.append((here, label, "blank" if is_own else "published"))
        flat, seen = _photographed(canvas, empty, written, rng, is_coated=not is_own)
        picture = flat if not is_own and rng.random() < RAW else evened(flat)
        for here, label, group in seen:
            yield Sample(cut(picture, here), label, group)

    def _own_piece(self, rng: Rng) -> Piece:
        """A piece of one of our pads around a blank or a field for a number."""
        names = [name for name in self._pads if name not in self._close]
        pad = self._pad(names, rng)
        blanks = [blank.box for blank in pad.blanks if blank.shape != "line"]
        numbers = [field.box for field in pad.fields if field.numbers]
        middles = numbers if numbers and rng.random() < FIELDS else blanks
        canvas = cut_out(pad.picture, middles[int(rng.integers(len(middles)))], rng)
        canvas.picture = printed.reprinted(canvas.picture, rng)
        fields = [field for field in pad.fields if is_near(field.box, canvas)]
        return canvas, fields, [(box, 0.0) for box in blanks if is_near(box, canvas)]

    def _points_piece(self, hand: Hand, rng: Rng) -> Iterator[Sample]:
        """A piece of one of our pads around a field of points."""
        pad = self._pad(self._close, rng)
        middles = _points(pad)
        canvas = cut_out(pad.picture, middles[int(rng.integers(len(middles)))].box, rng)
        canvas.picture = printed.reprinted(canvas.picture, rng)
        empty = canvas.picture.copy()
        written = []
        for field in middles:
            if is_near(field.box, canvas):
                numbers = None if rng.random() < 0.5 else str(rng.choice(field.numbers))
                label = write_points(canvas, field.box, hand, rng, numbers)
                written.append((canvas.here(field.box), label, "points"))
        for blank in pad.blanks:
            if blank.shape != "line" and is_near(blank.box, canvas):
                label = sum_writing.write_sum(canvas, blank.box, hand, rng)
                written.append((canvas.here(blank.box), label, "blank"))
        flat, seen = _photographed(canvas, empty, written, rng)
        even = evened(flat)
        inks = [cut(even, here, POINTS_MARGIN) for here, _, _ in seen]
        yield from _samples(inks, seen, POINTS_MARGIN, rng)

    def _pad(self, names: Sequence[str], rng: Rng) -> printed.PrintedPad:
        """A pad of one of these sheets."""
        pads = self._pads[names[int(rng.integers(len(names)))]]
        return pads[int(rng.integers(len(pads)))]


Piece: TypeAlias = tuple[Canvas, list[Field], list[tuple[Box, Millimetres]]]
"""(an empty piece of a sheet, its fields, its blanks and the width of the sign in each)."""
Written: TypeAlias = tuple[Box, str, str]
"""(the place of a blank from the piece's corner, its label, its group)."""


def _points(pad: printed.PrintedPad) -> list[Field]:
    return [field for field in pad.fields if field.kind == "points"]


def _photographed(
    canvas: Canvas,
    empty: camera.Picture,
    written: Sequence[Written],
    rng: Rng,
    *,
    is_coated: bool = False,
) -> tuple[camera.Picture, list[Written]]:
    """(a photo of a piece, rectified, and those blanks that lie in it and whose ink is seen)."""
    stains.add_stains(canvas, rng)
    settings = camera.settings(rng)
    flat = camera.gray(canvas.picture, settings, rng, is_coated=is_coated)
    boxes = [here for here, _, _ in written]
    seen = camera.ink_seen(empty, canvas.picture, boxes, settings)
    side = canvas.picture.shape[0] / PX_PER_MM
    return flat, [
        (here, label, group)
        for (here, label, group), is_seen in zip(written, seen, strict=True)
        if _is_whole(here, side) and (is_seen or not label)
    ]


def _samples(
    inks: Sequence[Floats], seen: Sequence[Written], margin: Millimetres, rng: Rng
) -> Iterator[Sample]:
    """The samples of one sheet, whose pen may be amplified."""
    if rng.random() < AS_STRONG:
        inks = as_strong(inks, [here for here, _, _ in seen], margin)
    for ink, (_, label, group) in zip(inks, seen, strict=True):
        yield Sample(ink, label, group)


def _table_piece(hand: Hand, rng: Rng) -> Iterator[Sample]:
    """The cells of a part of a table, cut out with their lines or without."""
    table = ruled.drawn(rng)
    canvas = table.canvas
    empty = canvas.picture.copy()
    written = [(box, write_points(canvas, box, hand, rng), "cell") for box in table.boxes]
    flat, seen = _photographed(canvas, empty, written, rng)
    if rng.random() < 0.5:
        labels = {here: label for here, label, _ in seen}
        for here, ink in ruled.alone(table, flat, rng):
            if here in labels:
                yield Sample(ink, labels[here], "alone")
        return
    margin = float(rng.choice((-0.4, 0.0, 0.0, 0.5, 1.0)))
    picture = flat if rng.random() < 0.2 else evened(flat)
    inks = [cut(picture, here, margin) for here, _, _ in seen]
    yield from _samples(inks, seen, margin, rng)


def _published_piece(rng: Rng) -> Piece:
    """A piece of a publisher's sheet around a blank."""
    boards = list(editions.boards())
    edition, board = boards[int(rng.integers(len(boards)))]
    paper, prints = edition.paper(board), edition.prints[board]
    middle = paper.blanks[int(rng.integers(len(paper.blanks)))].box
    canvas = cut_out(editions.drawn(edition, board, rng), middle, rng)
    fields = [field for field in paper.fields if is_near(field.box, canvas)]
    return (
        canvas,
        fields,
        [
            (blank.box, blank.box.width / 3 if prints[blank.id].text else 0.0)
            for blank in paper.blanks
            if is_near(blank.box, canvas)
        ],
    )


def _write_number(canvas: Canvas, field: Field, hand: Hand, rng: Rng) -> str:
    """Writes into a field for a number; returns the label of what it holds."""
    drawn = rng.random()
    if drawn < 0.15:
        return ""
    if field.kind == "number":
        if drawn < 0.19:
            number_fields.write_number(
                canvas, field.box, "struck", hand, number_fields.LARGEST_NUMBER, rng
            )
            return ""
        value = int(rng.choice(field.numbers))
        filling.write(canvas, field, value, hand, rng)
        return str(value)
    most = min(max(field.numbers), 10 ** len(field.cells) - 1)
    text = str(rng.integers(0, int(rng.choice((9, 30, most))) + 1))
    # Some fill the boxes from the left.
    starts = 0 if rng.random() < 0.2 else len(field.cells) - len(text)
    for cell, digit in zip(field.cells[starts:], text, strict=False):
        highest = number_fields.LARGEST_DIGIT
        number_fields.write_number(canvas, cell, "number", hand, highest, rng, int(digit))
    return text


def _misplaced(box: Box, rng: Rng) -> Box:
    """The box as a table has it: other printings are a little different."""
    x, y = np.clip(rng.normal(0, 0.3, 2), -0.8, 0.8)
    wider, higher = np.clip(np.exp(rng.normal(0, 0.03, 2)), 0.93, 1.07)
    width, height = box.width * float(wider), box.height * float(higher)
    center_x, center_y = box.center
    return Box(center_x + float(x) - width / 2, center_y + float(y) - height / 2, width, height)


def _is_whole(here: Box, side: Millimetres) -> bool:
    """Whether a blank lies completely in a square piece, with its margin."""
    return (
        min(here.x, here.y) > MARGIN
        and max(here.x + here.width, here.y + here.height) < side - MARGIN
    )


# Data sets


def texts(blanks: Cells) -> list[str]:
    """The labels as texts."""
    return ["".join(_TEXTS[at] for at in row if at) for row in blanks.labels]


_TEXTS: Final = ("", *map(str, range(10)), sum_writing.UNREADABLE, MINUS, STRUCK)
"""What a label consists of, in the order of the reader's `CLASSES`."""
CHUNK: Final = 1000
"""Samples that are made from one seed."""


@cache
def _maker(folder: Path, part: digits.Part) -> Pieces:
    return Pieces(writers(folder, part))


def chunk(job: Job) -> Cells:
    """The blanks of one job; labels are (samples, LONGEST): indices in the reader's `CLASSES`,
    filled up with 0.
    """
    _, count, folder, part, seed = job
    rng = np.random.default_rng(seed)
    pieces = _maker(folder, part)
    samples = (sample for _ in repeat(None) for sample in pieces.piece(rng))
    return Cells.stacked(
        (
            sample.picture[np.newaxis],
            [*map(_TEXTS.index, sample.label), *[0] * (LONGEST - len(sample.label))],
            GROUPS.index(sample.group),
        )
        for sample in islice(samples, count)
    )


# The network

_LAYERS: Final = ((20, (2, 2)), (44, (2, 1)), (56, (1, 1)), (64, (2, 1)), (88, (1, 1)))
"""(channels, stride down and across) of each convolution of 3 × 3."""
_COLUMN: Final = 112
"""Channels of a column."""


def network() -> nn.Sequential:
    """A new network, from pictures (n, 1, HEIGHT, WIDTH) to logits (n, classes, 1, WIDTH / 2)."""
    parts: list[nn.Module] = []
    before, height = 1, HEIGHT
    for channels, stride in _LAYERS:
        parts += _convolution(before, channels, (3, 3), stride, (1, 1))
        before, height = channels, -(-height // stride[0])
    parts += _convolution(before, _COLUMN, (height, 1), (1, 1), (0, 0))
    parts += _convolution(_COLUMN, _COLUMN, (1, 5), (1, 1), (0, 2))
    parts += [nn.Dropout(0.15)]
    parts += _convolution(_COLUMN, _COLUMN, (1, 5), (1, 1), (0, 4), dilation=2)
    parts += [nn.Dropout(0.15), nn.Conv2d(_COLUMN, len(CLASSES), 1)]
    return nn.Sequential(*parts)


def _convolution(
    before: int,
    channels: int,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: int = 1,
) -> list[nn.Module]:
    return [
        nn.Conv2d(before, channels, kernel, stride, padding, dilation=(1, dilation), bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(inplace=True),
    ]


# Training


def train(
    blanks: Cells,
    held: Cells,
    seed: int,
    tell: Callable[[str], None] = print,
    *,
    start: Path | None = None,
    epochs: int = 0,
    keep: Path | None = None,
) -> nn.Sequential:
    """Trains a network, with the loss of connectionist temporal classification.

    Args:
        held: blanks that decide when training ends.
        start: an older network as the reader loads it, with whose weights this one begins.
        epochs, keep: as for `fit`.
    """
    labels, are_signed = torch.from_numpy(blanks.labels), _are_signed(blanks)

    def loss(raw: Tensor, at: npt.NDArray[np.intp]) -> Tensor:
        return _losses(raw, labels[at], are_signed[at], "sum") / len(at)

    def judge(net: nn.Module) -> tuple[float, float]:
        raw = torch.from_numpy(logits(net, held))
        wanted, signed = torch.from_numpy(held.labels), _are_signed(held)
        whole = float(_losses(raw, wanted, signed, "sum"))
        return whole / len(wanted), _share_right(raw, wanted, signed)

    def build() -> nn.Sequential:
        return continued(start, blanks) if start else network()

    return fit(
        "points", build, blanks, loss, varied, held=judge, batch=BATCH,
        rate=FURTHER if start else RATE, seed=seed, tell=tell, longest=5.0,
        epochs=epochs, keep=keep,
    )  # fmt: skip


def continued(path: Path, blanks: Cells) -> nn.Sequential:
    """A network that begins where one ended that the reader loads; new classes begin as unlikely.

    Normalisation went into its weights when it was written. It is put back so that, with the
    statistics of these blanks, the layers say the same as before.
    """
    model = onnx.load(str(path))
    stored = {
        tensor.name.removesuffix(".half"): torch.tensor(numpy_helper.to_array(tensor)).float()
        for tensor in model.graph.initializer
    }
    weights = [[stored[name] for name in node.input[1:]]
               for node in model.graph.node if node.op_type == "Conv"]  # fmt: skip
    net = network().eval()
    passed = as_pictures(blanks.pictures[:: max(len(blanks.labels) // 600, 1)])
    parts = iter(weights)
    with torch.inference_mode():
        for part in net:
            if isinstance(part, nn.Conv2d):
                weight, bias = next(parts)
                if part.bias is not None:
                    part.weight[: len(weight)], part.bias[: len(bias)] = weight, bias
                    part.weight[len(weight) :] *= 0.1
                    part.bias[len(bias) :] = bias[0] - UNLIKELY
                else:
                    part.weight[:] = weight
            elif isinstance(part, nn.BatchNorm2d):
                middle, spread = passed.mean((0, 2, 3)), passed.var((0, 2, 3))
                part.running_mean[:], part.running_var[:] = middle, spread
                part.weight[:], part.bias[:] = (spread + part.eps).sqrt(), middle + bias
            passed = part(passed)
    return net


UNLIKELY: Final = 6.0
"""How far the logits of new classes are below that of nothing, before training."""


def _are_signed(blanks: Cells) -> Tensor:
    """Whether signs and strokes mean something, of each sample."""
    return torch.from_numpy(blanks.groups >= SIGNED)


def _losses(raw: Tensor, labels: Tensor, are_signed: Tensor, reduction: str) -> Tensor:
    """−log p of the labels, of each sample or their sum."""
    columns = functional.log_softmax(raw[:, :, 0].permute(2, 0, 1), 2)
    silent = torch.full_like(columns[:, :, MINUS_CLASS:], -1e4)
    nothing = torch.logsumexp(columns[:, :, [0, *range(MINUS_CLASS, len(CLASSES))]], 2, True)
    unsigned = torch.cat((nothing, columns[:, :, 1:MINUS_CLASS], silent), 2)
    columns = torch.where(are_signed[:, np.newaxis], columns, unsigned)
    every = torch.full((len(labels),), columns.shape[0], dtype=torch.long)
    return functional.ctc_loss(
        columns, labels, every, (labels > 0).sum(1), reduction=reduction, zero_infinity=True
    )


def _share_right(raw: Tensor, labels: Tensor, are_signed: Tensor) -> float:
    """The share of samples whose columns, each the likeliest class, say the labels."""
    read = raw[:, :, 0].argmax(1)
    read = torch.where(are_signed[:, np.newaxis] | (read < MINUS_CLASS), read, 0)
    is_new = read != functional.pad(read, (1, 0))[:, :-1]
    said = [row[new & (row > 0)] for row, new in zip(read, is_new, strict=True)]
    pairs = zip(said, labels, strict=True)
    return sum(torch.equal(digits, label[label > 0]) for digits, label in pairs) / len(labels)


# Calibration


def logits(net: nn.Module, blanks: Cells) -> npt.NDArray[np.float32]:
    """The logits of all blanks, (samples, classes, 1, columns)."""
    with torch.inference_mode():
        parts = [
            net(as_pictures(blanks.pictures[at : at + 1000])).numpy()
            for at in range(0, len(blanks.labels), 1000)
        ]
    return np.concatenate(parts)


def loss_of(raw: npt.NDArray[np.float32], blanks: Cells, warmth: float) -> float:
    """The mean of −log p of the labels, with a temperature."""
    labels, are_signed = torch.from_numpy(blanks.labels), _are_signed(blanks)
    losses = _losses(torch.from_numpy(raw) / warmth, labels, are_signed, "none")
    return float(torch.exp(-losses).clamp_min(1e-12).log().mean().neg())


def temperature(raw: npt.NDArray[np.float32], blanks: Cells) -> float:
    """The temperature that makes the labels likeliest."""
    return likeliest_temperature(lambda warmth: loss_of(raw, blanks, warmth))


def metrics(raw: npt.NDArray[np.float32], blanks: Cells, warmth: float) -> Metrics:
    """The metrics of the network's logits on a data set."""
    reads = zip(column_chances(raw, warmth), texts(blanks), blanks.groups, strict=True)
    samples = (
        ((GROUPS[group], _what(label)), label, *_likeliest(columns, is_signed=group >= SIGNED))
        for columns, label, group in reads
    )
    return fitting.metrics(samples, loss_of(raw, blanks, warmth))


def _what(label: str) -> str:
    if label == "0":
        return "zero"
    if label.startswith(MINUS):
        return "minus"
    named = {"": "empty", sum_writing.UNREADABLE: "other", STRUCK: "struck"}
    return named.get(label, f"{len(label)} digits")


def _likeliest(columns: npt.NDArray[np.floating], *, is_signed: bool) -> tuple[str, float]:
    """(the likeliest reading, its probability)."""
    least, most = (-999, 9_999) if is_signed else (0, 999)
    chances = {
        "" if number is None else str(number): chance
        for number, chance in number_chances(columns, most, least).items()
    }
    chances[sum_writing.UNREADABLE] = 1 - sum(chances.values())
    if is_signed:
        chances[STRUCK] = struck_chance(columns)
        chances[""] -= chances[STRUCK]
    read = max(chances, key=lambda text: chances[text])
    return read, chances[read]
