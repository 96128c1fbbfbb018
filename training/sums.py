"""Trains the network that reads sums: pictures of blanks, the network, and its calibration.

As for the other networks, pieces of sheets are written on, photographed and rectified; then the
reader's own code cuts the blanks out. About half of them are of our own pads, half of invented
sheets. Fields for numbers are among them, because the reader asks for a second opinion on those.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.core.sheet import Box, Field
from companion.vision.light import evened
from companion.vision.sums import (
    CLASSES,
    HEIGHT,
    MARGIN,
    WIDTH,
    column_chances,
    cut,
    number_chances,
)
from training import (
    allographs,
    digits,
    filling,
    number_fields,
    optics,
    printed,
    stains,
    sum_boxes,
)
from training.cells import WINDOW, cut_out, is_near, use_one_core
from training.hands import Hand, Rng, Scribes
from training.pens import Canvas

COUNT: Final = 54_000
"""How many blanks the network is trained with."""
EPOCHS: Final = 20
JUDGED: Final = 4000
"""Blanks of the part "choose", and of the part "final"."""
BATCH: Final = 128
RATE: Final = 2.5e-3
DECAY: Final = 2e-3
OWN: Final = 0.7
"""The share of pieces that show our own pads; they yield fewer blanks each."""
RAW: Final = 0.5
"""The share of invented pieces that are cut without evening the light first."""
GROUPS: Final = ("invented", "blank", "number", "digits")
"""Invented blanks; blanks and fields of our own pads."""
FIELDS: Final = 0.3
"""The share of our pads' pieces that show a field for a number in their middle."""
LONGEST: Final = 3
"""Digits of the longest number."""


@dataclass(frozen=True)
class Sample:
    """A labelled blank."""

    picture: npt.NDArray[np.float32]
    """As `companion.vision.sums.cut` returns it."""
    label: str
    """Digits, "" or `sum_boxes.UNREADABLE`."""
    group: str
    """One of `GROUPS`."""


class Pieces:
    """Draws pieces of sheets with sums in the handwriting of one part of the collections."""

    def __init__(self, hands: digits.Hands) -> None:
        self._scribes = Scribes(hands)
        self._pads: dict[str, list[printed.PrintedPad]] = {}
        for pad in printed.pads():
            self._pads.setdefault(pad.sheet.name, []).append(pad)

    def piece(self, rng: Rng) -> Iterator[Sample]:
        """The samples of a random piece."""
        is_own = rng.random() < OWN
        hand = self._scribes.hand(rng)
        settings = optics.random_settings(rng, [hand.pen])
        if is_own:
            canvas, written = self._own_piece(hand, rng)
        else:
            canvas, written = _invented_piece(hand, rng)
        stains.add_stains(canvas, rng)
        gray = optics.gray_under_lamp(canvas.picture, rng)
        flat = optics.photographed_and_flattened(gray, settings, rng)
        is_raw = not is_own and rng.random() < RAW
        picture = flat if is_raw else evened(flat)
        for box, label, group in written:
            here = Box(box.x - canvas.x, box.y - canvas.y, box.width, box.height)
            if not is_own:
                here = _misplaced(here, rng)
            if _is_whole(here):
                yield Sample(cut(picture, here), label, group)

    def _own_piece(self, hand: Hand, rng: Rng) -> tuple[Canvas, list[Written]]:
        """A piece of one of our pads, filled in."""
        names = list(self._pads)
        pads = self._pads[names[int(rng.integers(len(names)))]]
        pad = pads[int(rng.integers(len(pads)))]
        blanks = [blank for blank in pad.blanks if blank.shape != "line"]
        middles = [blank.box for blank in blanks]
        numbers = [field.box for field in pad.fields if field.numbers]
        if numbers and rng.random() < FIELDS:
            middles = numbers
        canvas = cut_out(pad, middles[int(rng.integers(len(middles)))], rng)
        stains.add_show_through(canvas, rng)
        other = self._scribes.hand(rng) if rng.random() < 0.15 else hand
        written: list[Written] = []
        for field in pad.fields:
            if not is_near(field.box, canvas):
                continue
            if field.numbers:
                label = _write_number(canvas, field, hand, rng)
                written.append((field.box, label, field.kind))
            else:
                filling.fill_randomly(canvas, field, other, 0.8, rng)
        for blank in blanks:
            if is_near(blank.box, canvas):
                label = sum_boxes.write_sum(canvas, blank.box, hand, rng)
                written.append((blank.box, label, "blank"))
        return canvas, written


Written: TypeAlias = tuple[Box, str, str]
"""(place, label, group) of a blank or field."""


def _invented_piece(hand: Hand, rng: Rng) -> tuple[Canvas, list[Written]]:
    canvas, boxes = sum_boxes.draw_boxes(WINDOW, rng)
    stains.add_show_through(canvas, rng)
    return canvas, [
        (box, sum_boxes.write_sum(canvas, box, hand, rng, sign), "invented") for box, sign in boxes
    ]


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
    text = str(rng.integers(0, int(rng.choice((9, 30, max(field.numbers)))) + 1))
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


def _is_whole(here: Box) -> bool:
    """Whether a blank lies completely in a piece, with its margin."""
    return (
        min(here.x, here.y) > MARGIN
        and max(here.x + here.width, here.y + here.height) < WINDOW - MARGIN
    )


# Data sets


@dataclass(frozen=True)
class Blanks:
    """A data set of blanks."""

    pictures: npt.NDArray[np.uint8]
    """(samples, HEIGHT, WIDTH); 255 is black ink."""
    labels: npt.NDArray[np.int64]
    """(samples, LONGEST): indices in `CLASSES`, filled up with 0."""
    groups: npt.NDArray[np.int64]
    """Indices in `GROUPS`, (samples,)."""

    @property
    def texts(self) -> list[str]:
        """The labels as texts."""
        return ["".join(_TEXTS[at] for at in row if at) for row in self.labels]


_TEXTS: Final = ("", *map(str, range(10)), sum_boxes.UNREADABLE)
CHUNK: Final = 1000
"""Samples that are made from one seed."""


def make(count: int, folder: Path, part: digits.Part, seed: int, processes: int = 2) -> Blanks:
    """A data set in the handwriting of one part; the same arguments give the same blanks."""
    jobs = [
        (min(CHUNK, count - start), folder, part, (seed, *part.encode(), start))
        for start in range(0, count, CHUNK)
    ]
    with get_context("spawn").Pool(processes, use_one_core) as pool:
        chunks = list(pool.imap(_chunk, jobs))
    return Blanks(
        np.concatenate([chunk.pictures for chunk in chunks]),
        np.concatenate([chunk.labels for chunk in chunks]),
        np.concatenate([chunk.groups for chunk in chunks]),
    )


@cache
def _maker(folder: Path, part: digits.Part) -> Pieces:
    hands = digits.load(folder, part)
    return Pieces({**hands, **allographs.hands()} if part == "train" else hands)


def _chunk(job: tuple[int, Path, digits.Part, tuple[int, ...]]) -> Blanks:
    count, folder, part, seed = job
    rng = np.random.default_rng(seed)
    pieces = _maker(folder, part)
    pictures = np.empty((count, HEIGHT, WIDTH), np.uint8)
    labels, groups = np.zeros((count, LONGEST), np.int64), np.empty(count, np.int64)
    done = 0
    while done < count:
        for sample in pieces.piece(rng):
            if done == count:
                break
            pictures[done] = np.round(sample.picture * 255)
            labels[done, : len(sample.label)] = [_TEXTS.index(char) for char in sample.label]
            groups[done] = GROUPS.index(sample.group)
            done += 1
    return Blanks(pictures, labels, groups)


# The network

_LAYERS: Final = ((16, (2, 2)), (32, (2, 1)), (40, (1, 1)), (48, (2, 1)), (64, (1, 1)))
"""(channels, stride down and across) of each convolution of 3 × 3."""
_COLUMN: Final = 80
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


def cost() -> tuple[int, int]:
    """(multiplications for one picture, number of parameters)."""
    products = 0
    net = network().eval()
    shape = torch.zeros(1, 1, HEIGHT, WIDTH)
    with torch.inference_mode():
        for part in net:
            shape = part(shape)
            if isinstance(part, nn.Conv2d):
                products += part.weight.numel() * shape.shape[2] * shape.shape[3]
    return products, sum(part.numel() for part in net.parameters())


# Training


def train(
    blanks: Blanks, epochs: int, seed: int, tell: Callable[[str], None] = print
) -> nn.Sequential:
    """Trains a new network with AdamW and one cycle of the learning rate."""
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    net = network().to(memory_format=torch.channels_last)
    steps = len(blanks.labels) // BATCH
    is_halved = torch.cpu.get_capabilities().get("avx512_bf16", False)
    weights = [part for part in net.parameters() if part.ndim > 1]
    others = [part for part in net.parameters() if part.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": weights, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}],
        lr=RATE,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, total_steps=steps * epochs, pct_start=0.2, div_factor=10
    )
    for epoch in range(epochs):
        started, losses = time.monotonic(), 0.0
        net.train()
        shuffled = order.permutation(len(blanks.labels))
        for step in range(steps):
            at = np.sort(shuffled[step * BATCH : (step + 1) * BATCH])
            pictures = _varied(_pictures(blanks.pictures[at]), order)
            with torch.autocast("cpu", torch.bfloat16, enabled=is_halved):
                logits = net(pictures)
            loss = _loss(logits.float(), torch.from_numpy(blanks.labels[at]))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            schedule.step()
            losses += float(loss.detach())
        spent = time.monotonic() - started
        tell(f"sums: epoch {epoch + 1}/{epochs}, loss {losses / steps:.4f}, {spent:.0f} s")
    return net.eval()


def _loss(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean of −log p of the labels, as connectionist temporal classification has it."""
    columns = functional.log_softmax(logits[:, :, 0].permute(2, 0, 1), 2)
    lengths = (labels > 0).sum(1)
    every = torch.full((len(labels),), columns.shape[0], dtype=torch.long)
    return functional.ctc_loss(
        columns, labels, every, lengths, reduction="sum", zero_infinity=True
    ) / len(labels)


def _pictures(blanks: npt.NDArray[np.uint8]) -> Tensor:
    return (
        torch.from_numpy(blanks[:, np.newaxis])
        .to(torch.float32, memory_format=torch.channels_last)
        .div_(255)
    )


def _varied(pictures: Tensor, rng: Rng) -> Tensor:
    """Augmented pictures: each one shifted, turned, slanted, scaled, and darker or paler."""
    count = len(pictures)
    shape = rng.normal(0, 1, (count, 6)).clip(-2, 2) * (0.05, 0.06, 0.04, 0.05, 0.03, 0.05)
    x_scale, shear, turn, y_scale, x_shift, y_shift = shape.T
    ways = np.empty((count, 2, 3), np.float32)
    # In units of half a picture, which is twice as wide as it is high.
    ways[:, 0] = np.stack((1 + x_scale, (shear - turn) * HEIGHT / WIDTH, x_shift), 1)
    ways[:, 1] = np.stack((turn * WIDTH / HEIGHT, 1 + y_scale, y_shift), 1)
    grid = functional.affine_grid(torch.from_numpy(ways), list(pictures.shape), align_corners=False)
    moved = functional.grid_sample(pictures, grid, align_corners=False)
    strength = torch.from_numpy(rng.uniform(0.85, 1.15, (count, 1, 1, 1)).astype(np.float32))
    return (moved * strength).clamp_(0, 1)


# Calibration


def logits(net: nn.Module, blanks: Blanks) -> npt.NDArray[np.float32]:
    """The logits of all blanks, (samples, classes, 1, columns)."""
    with torch.inference_mode():
        parts = [
            net(_pictures(blanks.pictures[at : at + 1000])).numpy()
            for at in range(0, len(blanks.labels), 1000)
        ]
    return np.concatenate(parts)


def label_chances(raw: npt.NDArray[np.float32], blanks: Blanks, warmth: float) -> Tensor:
    """The probability of each blank's label, (samples,), with a temperature."""
    columns = torch.log_softmax(torch.from_numpy(raw[:, :, 0]) / warmth, 1).permute(2, 0, 1)
    labels = torch.from_numpy(blanks.labels)
    every = torch.full((len(labels),), columns.shape[0], dtype=torch.long)
    losses = functional.ctc_loss(
        columns, labels, every, (labels > 0).sum(1), reduction="none", zero_infinity=True
    )
    return torch.exp(-losses)


def temperature(raw: npt.NDArray[np.float32], blanks: Blanks) -> float:
    """The temperature that makes the labels likeliest."""
    tried = [1.03**power for power in range(-30, 50)]
    losses = [
        float(-label_chances(raw, blanks, warmth).clamp_min(1e-12).log().mean()) for warmth in tried
    ]
    return round(tried[int(np.argmin(losses))], 3)


@dataclass(frozen=True)
class SumMetrics:
    """How well the network does on a data set."""

    right: tuple[tuple[str, int, int], ...]
    """(what, right samples, samples)."""
    loss: float
    """Mean of −log p of the labels, with the temperature."""
    silent: tuple[tuple[float, int], ...]
    """(probability, number of wrong samples with at least this probability)."""
    confusions: tuple[tuple[str, str, int], ...]
    """(label, what was read, how often), the most frequent first."""


def metrics(raw: npt.NDArray[np.float32], blanks: Blanks, warmth: float) -> SumMetrics:
    """The metrics of a network's logits on a data set."""
    counts: dict[tuple[str, str], int] = {}
    groups: dict[str, list[bool]] = {}
    wrong: list[float] = []
    for columns, label, group in zip(
        column_chances(raw, warmth), blanks.texts, blanks.groups, strict=True
    ):
        chances: dict[str, float] = {
            "" if number is None else str(number): chance
            for number, chance in number_chances(columns).items()
        }
        chances[sum_boxes.UNREADABLE] = 1 - sum(chances.values())
        read = max(chances, key=lambda text: chances[text])
        groups.setdefault(GROUPS[group], []).append(read == label)
        kind = f"{len(label)} digits" if label.isdigit() else ("other" if label else "empty")
        groups.setdefault(kind, []).append(read == label)
        if read != label:
            counts[label, read] = counts.get((label, read), 0) + 1
            wrong.append(chances[read])
    labels = label_chances(raw, blanks, warmth)
    return SumMetrics(
        tuple((name, sum(found), len(found)) for name, found in sorted(groups.items())),
        float(-labels.clamp_min(1e-12).log().mean()),
        tuple((least, sum(chance >= least for chance in wrong)) for least in (0.9, 0.99, 0.999)),
        tuple((*pair, count) for pair, count in sorted(counts.items(), key=lambda i: -i[1])),
    )
