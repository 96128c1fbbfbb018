"""Training cycle, temperature and metrics shared by all networks."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from training import Rng
from training.cells import Cells

DECAY: Final = 2e-3
"""The weight decay."""
FALL: Final = 0.3
"""The factor on the learning rate after two epochs without gain."""
GAIN: Final = 0.003
"""The least share by which the held-out loss must fall to count as a gain."""
LAST_RATE: Final = 0.01
"""The share of the first learning rate at which training ends."""
WARMING: Final = 0.15
"""The share of a training of so many epochs in which the learning rate rises."""
SILENT: Final = (0.9, 0.99, 0.999)
"""Probabilities from which on wrong samples are counted."""


def as_pictures(cells: npt.NDArray[np.uint8]) -> Tensor:
    """Pictures (n, channels, height, width) from 0 to 1."""
    return torch.from_numpy(cells).to(torch.float32, memory_format=torch.channels_last) / 255


def varied(pictures: Tensor, rng: Rng) -> Tensor:
    """Augmented pictures: each one shifted, turned, slanted, scaled, and darker or paler."""
    (count, _, tall, wide), apart = pictures.shape, (0.05, 0.06, 0.04, 0.05, 0.03, 0.05)
    shape = rng.normal(0, 1, (count, 6)).clip(-2, 2) * apart
    x_scale, shear, turn, y_scale, x_shift, y_shift = shape.T
    ways = np.empty((count, 2, 3), np.float32)
    # In units of half a picture, which may be wider than it is high.
    ways[:, 0] = np.stack((1 + x_scale, (shear - turn) * tall / wide, x_shift), 1)
    ways[:, 1] = np.stack((turn * wide / tall, 1 + y_scale, y_shift), 1)
    grid = functional.affine_grid(torch.from_numpy(ways), list(pictures.shape), align_corners=False)
    moved = functional.grid_sample(pictures, grid, align_corners=False)
    strength = torch.from_numpy(rng.uniform(0.85, 1.15, (count, 1, 1, 1)).astype(np.float32))
    return (moved * strength).clamp_(0, 1)


def fit(
    name: str,
    build: Callable[[], nn.Sequential],
    cells: Cells,
    loss: Callable[[Tensor, npt.NDArray[np.intp]], Tensor],
    vary: Callable[[Tensor, Rng], Tensor],
    *,
    held: Callable[[nn.Module], tuple[float, float]],
    batch: int,
    rate: float,
    seed: int,
    tell: Callable[[str], None],
    longest: float = math.inf,
    epochs: int = 0,
    keep: Path | None = None,
) -> nn.Sequential:
    """Trains a network with AdamW until samples that it does not train with gain no more.

    The learning rate falls when two epochs gained nothing; the best epoch's weights are kept.

    Args:
        build: makes the untrained network.
        loss: (logits, indices of their samples) → loss.
        vary: augments a batch of pictures.
        held: network → its loss on samples that it does not train with, and the share of these
            that it reads right.
        rate: the highest learning rate.
        seed: of the weights and of the order of the samples.
        tell: called with a line of text after each epoch.
        longest: gradients longer than this are shortened to it.
        epochs: in so many the learning rate rises and falls to 0 instead.
        keep: the file of the state after each epoch, from which a run that was stopped goes on.
    """
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    net = build().to(memory_format=torch.channels_last)
    steps = len(cells.labels) // batch
    # bfloat16 is twice as fast where the processor supports it; weights stay in 32 bits.
    is_halved = torch.cpu.get_capabilities().get("avx512_bf16", False)
    optimizer = torch.optim.AdamW(_groups(net), lr=rate)
    schedule: Any = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=FALL, patience=1, threshold=GAIN
    )
    if epochs:
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, rate, epochs * steps, pct_start=WARMING
        )
    best, weights, epoch = math.inf, copy.deepcopy(net.state_dict()), 0
    if keep and keep.exists():
        state = torch.load(keep, weights_only=False)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        order.bit_generator.state, torch_state = state["order"], state["torch"]
        torch.set_rng_state(torch_state)
        best, weights, epoch = state["best"], state["weights"], state["epoch"]
    while epoch < epochs if epochs else schedule.get_last_lr()[0] > rate * LAST_RATE:
        epoch += 1
        started, losses = time.monotonic(), 0.0
        net.train()
        shuffled = order.permutation(len(cells.labels))
        for step in range(steps):
            at = np.sort(shuffled[step * batch : (step + 1) * batch])
            pictures = vary(as_pictures(cells.pictures[at]), order)
            with torch.autocast("cpu", torch.bfloat16, enabled=is_halved):
                logits = net(pictures)
            error = loss(logits.float(), at)
            optimizer.zero_grad(set_to_none=True)
            error.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(net.parameters(), longest)
            optimizer.step()
            if epochs:
                schedule.step()
            losses += float(error.detach())
        spent = time.monotonic() - started
        found, right = held(net.eval())
        if found < best:
            best, weights = found, copy.deepcopy(net.state_dict())
        at_rate = schedule.get_last_lr()[0]
        if not epochs:
            schedule.step(found)
        tell(
            f"{name}: epoch {epoch}, rate {at_rate:.1e}, loss {losses / steps:.4f},"
            f" held out {found:.4f}, {right:.2%} right, {spent:.0f} s"
        )
        if keep:
            keep.parent.mkdir(parents=True, exist_ok=True)
            state = {
                "net": net.state_dict(), "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict(), "order": order.bit_generator.state,
                "torch": torch.get_rng_state(), "best": best, "weights": weights, "epoch": epoch,
            }  # fmt: skip
            unfinished = keep.with_suffix(".part")
            torch.save(state, unfinished)
            unfinished.replace(keep)
    net.load_state_dict(weights)
    return net.eval()


def _groups(net: nn.Module) -> list[dict[str, object]]:
    """The optimizer's parameter groups: weight decay for weights, none for biases and norms."""
    weights = [parameter for parameter in net.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in net.parameters() if parameter.ndim <= 1]
    return [{"params": weights, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]


def cost(net: nn.Sequential, shape: tuple[int, ...]) -> tuple[int, int]:
    """(multiplications for one picture of this shape, number of parameters)."""
    products, passed = 0, torch.zeros(1, *shape)
    with torch.inference_mode():
        for part in net.eval():
            passed = part(passed)
            if isinstance(part, nn.Conv2d):
                products += part.weight.numel() * passed.shape[2] * passed.shape[3]
            elif isinstance(part, nn.Linear):
                products += part.weight.numel()
    return products, sum(part.numel() for part in net.parameters())


def likeliest_temperature(loss: Callable[[float], float]) -> float:
    """The temperature with the least loss."""
    tried = [1.03**power for power in range(-30, 50)]
    return round(min(tried, key=loss), 3)


@dataclass(frozen=True)
class Metrics:
    """The performance of a network on a data set."""

    right: Mapping[str, tuple[int, int]]
    """Group → (number of right samples, number of samples)."""
    loss: float
    """Mean of −log p of the labels, with the temperature."""
    silent: Mapping[float, int]
    """Probability → number of wrong samples with at least this probability."""


def metrics(samples: Iterable[tuple[tuple[str, ...], str, str, float]], loss: float) -> Metrics:
    """The metrics of samples, each (its groups, label, what was read, probability of that)."""
    right: dict[str, tuple[int, int]] = {}
    wrong = []
    for groups, label, read, chance in samples:
        is_right = label == read
        for group in groups:
            good, count = right.get(group, (0, 0))
            right[group] = good + is_right, count + 1
        if not is_right:
            wrong.append(chance)
    silent = {least: sum(chance >= least for chance in wrong) for least in SILENT}
    return Metrics(dict(sorted(right.items())), loss, silent)
