"""Trains a network on a data set of cells, and finds the temperature that calibrates it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.core.sheet import Millimetres
from companion.vision.ink.cells import SIDE
from companion.vision.ink.pad_ink import SHIFTS
from training import Rng, fitting
from training.cells import CLASSES, DEPTHS, GROUPS, Cells, Network
from training.fitting import Metrics, as_pictures, fit, likeliest_temperature, varied
from training.net import class_mask, continued, network

BATCH: Final = 256
RATE: Final = 3e-3
"""The highest learning rate."""
CONTINUED: Final = 0.15
"""The share of `RATE` with which a network is trained further."""
PX_PER_MM: Final = 3.2
"""The resolution of a cell's picture, about; it depends on the size of its box."""


def train(
    name: Network,
    cells: Cells,
    held: Cells,
    seed: int,
    tell: Callable[[str], None] = print,
    *,
    start: nn.Sequential | None = None,
    epochs: int = 0,
    keep: Path | None = None,
) -> nn.Sequential:
    """Trains a new network, or one that begins with the weights of `start`.

    Args:
        held: cells that decide when training ends.
        epochs, keep: as for `fit`.
    """
    mask = class_mask(name)
    labels, groups = torch.from_numpy(cells.labels), torch.from_numpy(cells.groups)
    wanted = torch.from_numpy(held.labels)

    def loss(raw: Tensor, at: npt.NDArray[np.intp]) -> Tensor:
        return functional.cross_entropy(raw + mask[groups[at]], labels[at])

    def judge(net: nn.Module) -> tuple[float, float]:
        raw = _single(name, net, held)
        right = (raw.argmax(1) == wanted).float().mean()
        return float(functional.cross_entropy(raw, wanted)), float(right)

    return fit(
        name,
        lambda: continued(name, start) if start else network(name),
        cells,
        loss,
        varied if DEPTHS[name] == 1 else _shifted,
        held=judge,
        batch=BATCH,
        rate=RATE * CONTINUED if start else RATE,
        seed=seed,
        tell=tell,
        epochs=epochs,
        keep=keep,
    )


def _shifted(pictures: Tensor, rng: Rng) -> Tensor:
    """A batch shifted by up to a pixel, as its siblings are."""
    down, across = (int(at) for at in rng.integers(-1, 2, 2))
    return torch.roll(pictures, (down, across), (2, 3))


def logits(name: Network, net: nn.Module, cells: Cells) -> Tensor:
    """The logits of all looks, (looks, samples, classes), with impossible classes masked.

    The reader classifies an unclear cell five times, each time slightly shifted (`pad_ink.SHIFTS`).
    """
    mask = class_mask(name)
    looks = [(0.0, 0.0), *((x, y) for x, y, _ in SHIFTS)]
    with torch.inference_mode():
        parts = [
            torch.stack([net(_moved(pictures, x, y)) for x, y in looks])
            + mask[torch.from_numpy(cells.groups[at : at + 2000])]
            for at in range(0, len(cells.labels), 2000)
            for pictures in (as_pictures(cells.pictures[at : at + 2000]),)
        ]
    return torch.cat(parts, 1)


def _single(name: Network, net: nn.Module, cells: Cells) -> Tensor:
    """The logits of one look at each cell, (samples, classes)."""
    with torch.inference_mode():
        parts = [net(as_pictures(part)) for part in np.array_split(cells.pictures, 20)]
    return torch.cat(parts) + class_mask(name)[torch.from_numpy(cells.groups)]


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
    return likeliest_temperature(lambda warmth: float(_loss(probabilities(raw, warmth), wanted)))


def _loss(chances: Tensor, wanted: Tensor) -> Tensor:
    return functional.nll_loss(chances.clamp_min(1e-12).log(), wanted)


def metrics(name: Network, raw: Tensor, cells: Cells, warmth: float) -> Metrics:
    """The metrics of a network's logits on a data set."""
    chances = probabilities(raw, warmth)
    sure, read = (part.tolist() for part in chances.max(1))
    classes = CLASSES[name]
    samples = (
        ((GROUPS[group],), classes[label], classes[found], chance)
        for group, label, found, chance in zip(cells.groups, cells.labels, read, sure, strict=True)
    )
    return fitting.metrics(samples, float(_loss(chances, torch.from_numpy(cells.labels))))
