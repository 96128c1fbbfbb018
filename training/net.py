"""The convolutional networks: for numbers and marks, on our own pads and on publishers' sheets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import onnx
import torch
from onnx import numpy_helper
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


def continued(name: Network, file: Path) -> nn.Sequential:
    """A network that begins where another one ended, of the same shape but for its channels.

    Its norms keep the statistics that were folded into the convolutions of the file: call
    `kept_norms` before each epoch.
    """
    graph = onnx.load(str(file)).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    # Weights are stored in 16 bits, and cast.
    tensors |= {
        node.output[0]: tensors[node.input[0]] for node in graph.node if node.op_type == "Cast"
    }
    layers = [
        [
            torch.from_numpy(numpy_helper.to_array(tensors[tensor]).astype("float32"))
            for tensor in node.input[1:]
        ]
        for node in graph.node
        if node.op_type in ("Conv", "Gemm")
    ]
    net = network(name)
    parts = [part for part in net if isinstance(part, nn.Conv2d | nn.Linear)]
    norms = iter([part for part in net if isinstance(part, nn.BatchNorm2d)])
    with torch.no_grad():
        for part, (weight, bias) in zip(parts, layers, strict=True):
            if isinstance(part, nn.Linear):
                part.weight.copy_(weight)
                part.bias.copy_(bias)
                continue
            depth = part.weight.shape[1] // weight.shape[1]
            part.weight.copy_(weight.repeat(1, depth, 1, 1) / depth)
            norm = next(norms)
            norm.bias.copy_(bias)
            if norm.running_var is not None:
                norm.running_var.fill_(1 - norm.eps)
    return net


def halfway(net: nn.Sequential, start: nn.Sequential) -> nn.Sequential:
    """The mean of a network and the one that it was trained further from.

    Such means err less on other pictures than either (Wortsman et al., "Model soups", 2022).
    """
    begun = start.state_dict()
    net.load_state_dict({name: (part + begun[name]) / 2 for name, part in net.state_dict().items()})
    return net


def kept_norms(net: nn.Module) -> None:
    """Makes a network in training keep the statistics of its norms."""
    for part in net.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.eval()


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


def cost(name: Network) -> tuple[int, int]:
    """(multiplications for one picture, number of parameters) of a network."""
    shape = SHAPES[name]
    before, side, products = DEPTHS[name], SIDE, 0
    for channels, stride in shape.layers:
        side = -(-side // stride)
        products += before * channels * 9 * side * side
        before = channels
    products += before * side * side * shape.hidden + shape.hidden * len(CLASSES[name])
    return products, sum(part.numel() for part in network(name).parameters())
