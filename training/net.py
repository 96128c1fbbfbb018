"""The convolutional networks: for numbers and marks, on our own pads and on publishers' sheets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn

from companion.vision.ink.cells import SIDE
from training.cells import CLASSES, DEPTHS, GROUPS, Network

IMPOSSIBLE: Final = -1e4
"""Added to the logit of a class that is impossible in a kind of field."""


@dataclass(frozen=True)
class Shape:
    """The size of a network."""

    layers: tuple[tuple[int, int], ...]
    """(channels, stride) of each convolution of 3 × 3."""
    hidden: int
    """Units of the hidden fully connected layer."""
    dropout: float


SHAPES: Final[dict[Network, Shape]] = {
    "numbers": Shape(((24, 2), (48, 2), (64, 1), (64, 1), (96, 2), (96, 1)), 96, 0.25),
    "marks": Shape(((24, 2), (40, 2), (56, 1), (64, 2)), 64, 0.2),
    "edition-numbers": Shape(((24, 2), (48, 2), (64, 1), (64, 1), (96, 2), (96, 1)), 96, 0.25),
    "edition-marks": Shape(((32, 2), (48, 2), (64, 1), (64, 2)), 64, 0.2),
}


def network(name: Network) -> nn.Sequential:
    """A new network, from pictures (n, channels, SIDE, SIDE), 0 to 1, to logits (n, classes)."""
    shape = SHAPES[name]
    parts: list[nn.Module] = []
    before, side = DEPTHS[name], SIDE
    for channels, stride in shape.layers:
        parts += [
            nn.Conv2d(before, channels, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
        ]
        before, side = channels, -(-side // stride)
    parts += [
        nn.Flatten(),
        nn.Dropout(shape.dropout),
        nn.Linear(before * side * side, shape.hidden),
        nn.ReLU(inplace=True),
        nn.Dropout(shape.dropout),
        nn.Linear(shape.hidden, len(CLASSES[name])),
    ]
    return nn.Sequential(*parts)


def continued(name: Network, start: nn.Sequential) -> nn.Sequential:
    """A network that begins where another one ended, of the same shape but for its channels."""
    weights = start.state_dict()
    first = next(iter(weights))
    depth = DEPTHS[name] // weights[first].shape[1]
    net = network(name)
    net.load_state_dict(weights | {first: weights[first].repeat(1, depth, 1, 1) / depth})
    return net


def class_mask(name: Network) -> Tensor:
    """The mask of classes, (groups, classes): 0 or, for impossible classes, `IMPOSSIBLE`.

    The reader leaves out the same classes.
    """
    without = {
        "number": {"0"},
        "digits": {str(number) for number in range(10, 19)},
        "box": {"circled", "other"},
        "cross": {"circled", "other"},
    }
    rows = [
        [IMPOSSIBLE if label in without.get(group, ()) else 0.0 for label in CLASSES[name]]
        for group in GROUPS
    ]
    return torch.tensor(rows)
