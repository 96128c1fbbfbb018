"""Trains a network on a data set of cells, and finds the temperature that calibrates it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.core.sheet import Millimetres
from companion.vision.cells import SIDE
from companion.vision.ink import SHIFTS
from training.cells import CLASSES, DEPTHS, GROUPS, Cells, Network
from training.net import class_mask, continued, kept_norms, network

BATCH: Final = 256
RATE: Final = 3e-3
"""The highest learning rate."""
CONTINUED: Final = 0.15
"""The share of `RATE` with which a network is trained further."""
DECAY: Final = 2e-3
"""The weight decay."""
PX_PER_MM: Final = 3.2
"""The resolution of a cell's picture, about; it depends on the size of its box."""


def train(
    name: Network,
    cells: Cells,
    epochs: int,
    seed: int,
    tell: Callable[[str], None] = print,
    start: Path | None = None,
) -> nn.Sequential:
    """Trains a new network with AdamW and one cycle of the learning rate.

    Args:
        cells: the training data.
        seed: of the weights and of the order of the cells.
        tell: is called with a line of text after each epoch.
        start: a network's file to continue from.
    """
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    net = continued(name, start) if start else network(name)
    net = net.to(memory_format=torch.channels_last)
    rate = RATE * CONTINUED if start else RATE
    mask = class_mask(name)
    steps = len(cells.labels) // BATCH
    # bfloat16 is twice as fast where the processor supports it; weights stay in 32 bits.
    is_halved = torch.cpu.get_capabilities().get("avx512_bf16", False)
    optimizer = torch.optim.AdamW(_groups(net), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps * epochs, pct_start=0.2, div_factor=10
    )
    for epoch in range(epochs):
        started, losses = time.monotonic(), 0.0
        net.train()
        if start:
            kept_norms(net)
        shuffled = order.permutation(len(cells.labels))
        for step in range(steps):
            at = np.sort(shuffled[step * BATCH : (step + 1) * BATCH])
            pictures = _varied(name, _pictures(cells.pictures[at]), order)
            with torch.autocast("cpu", torch.bfloat16, enabled=is_halved):
                logits = net(pictures)
            logits = logits.float() + mask[torch.from_numpy(cells.groups[at])]
            loss = functional.cross_entropy(logits, torch.from_numpy(cells.labels[at]))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            losses += float(loss.detach())
        spent = time.monotonic() - started
        tell(f"{name}: epoch {epoch + 1}/{epochs}, loss {losses / steps:.4f}, {spent:.0f} s")
    return net.eval()


def _groups(net: nn.Module) -> list[dict[str, object]]:
    """The optimizer's parameter groups: weight decay for weights, none for biases and norms."""
    weights = [parameter for parameter in net.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in net.parameters() if parameter.ndim <= 1]
    return [{"params": weights, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]


def _pictures(cells: npt.NDArray[np.uint8]) -> Tensor:
    return torch.from_numpy(cells).to(torch.float32, memory_format=torch.channels_last) / 255


def _varied(name: Network, pictures: Tensor, rng: np.random.Generator) -> Tensor:
    """Augmented pictures: shifted by up to a pixel, and ink a little darker or paler."""
    down, across = (int(at) for at in rng.integers(-1, 2, 2))
    if DEPTHS[name] > 1:
        return torch.roll(pictures, (down, across), (2, 3))
    strength = torch.from_numpy(rng.uniform(0.9, 1.1, (len(pictures), 1, 1, 1)).astype(np.float32))
    return (torch.roll(pictures, (down, across), (2, 3)) * strength).clamp_(0, 1)


def logits(name: Network, net: nn.Module, cells: Cells) -> Tensor:
    """The logits of all looks, (looks, samples, classes), with impossible classes masked.

    The reader classifies an unclear cell five times, each time slightly shifted (`reader.SHIFTS`).
    """
    mask = class_mask(name)
    looks = [(0.0, 0.0), *((x, y) for x, y, _ in SHIFTS)]
    with torch.inference_mode():
        parts = [
            torch.stack([net(_moved(pictures, x, y)) for x, y in looks])
            + mask[torch.from_numpy(cells.groups[at : at + 2000])]
            for at in range(0, len(cells.labels), 2000)
            for pictures in (_pictures(cells.pictures[at : at + 2000]),)
        ]
    return torch.cat(parts, 1)


def _moved(pictures: Tensor, x: Millimetres, y: Millimetres) -> Tensor:
    """Pictures of cells as if they were cut (x, y) further to the right and down, about."""
    across, down = (2 * side * PX_PER_MM / SIDE for side in (x, y))
    way = torch.tensor([[[1.0, 0.0, across], [0.0, 1.0, down]]]).expand(len(pictures), 2, 3)
    grid = functional.affine_grid(way, list(pictures.shape), align_corners=False)
    return functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)


def probabilities(raw: Tensor, warmth: float) -> Tensor:
    """The mean probabilities over all looks, (samples, classes), as in the reader.

    Args:
        raw: logits, (looks, samples, classes).
        warmth: the temperature.
    """
    return torch.softmax(raw / warmth, 2).mean(0)


def temperature(raw: Tensor, labels: npt.NDArray[np.int64]) -> float:
    """The temperature that makes the labels likeliest, given the mean over all looks.

    A mean over several looks is less confident than each of them, so the temperature is lower than
    that for a single look.
    """
    wanted = torch.from_numpy(labels)
    tried = [1.03**power for power in range(-30, 50)]
    losses = [float(_loss(probabilities(raw, warmth), wanted)) for warmth in tried]
    return round(tried[int(np.argmin(losses))], 3)


def _loss(chances: Tensor, wanted: Tensor) -> Tensor:
    return functional.nll_loss(chances.clamp_min(1e-12).log(), wanted)


@dataclass(frozen=True)
class Metrics:
    """How well a network does on a data set."""

    right: Mapping[str, tuple[int, int]]
    """Group → (number of right samples, number of samples)."""
    loss: float
    """Mean of −log p of the labels, with the temperature."""
    calibration: float
    """Expected calibration error, in 15 bins of equal size."""
    silent: Mapping[str, int]
    """Probability, such as "0.99" → number of wrong samples with at least this probability."""
    confusions: tuple[tuple[str, str, str, int], ...]
    """(group, label, class that was read, how often), the most frequent first."""


def metrics(name: Network, raw: Tensor, cells: Cells, warmth: float) -> Metrics:
    """The metrics of a network's logits on a data set."""
    chances = probabilities(raw, warmth)
    sure, read = (part.numpy() for part in chances.max(1))
    is_right = read == cells.labels
    right = {
        group: (int(is_right[mine].sum()), int(mine.sum()))
        for at, group in enumerate(GROUPS)
        if (mine := cells.groups == at).any()
    }
    loss = float(_loss(chances, torch.from_numpy(cells.labels)))
    order = np.argsort(sure)
    gaps = [
        abs(sure[part].mean() - is_right[part].mean()) * len(part) / len(order)
        for part in np.array_split(order, 15)
    ]
    silent = {str(least): int((~is_right & (sure >= least)).sum()) for least in (0.9, 0.99, 0.999)}
    classes = CLASSES[name]
    counts: dict[tuple[str, str, str], int] = {}
    for at in np.flatnonzero(~is_right):
        key = (GROUPS[cells.groups[at]], classes[cells.labels[at]], classes[read[at]])
        counts[key] = counts.get(key, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    confusions = tuple((*key, count) for key, count in ranked)
    return Metrics(right, loss, float(sum(gaps)), silent, confusions)
