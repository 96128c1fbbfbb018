"""Writes networks as the reader loads them: ONNX files, and `networks.json` that describes them."""

from __future__ import annotations

import datetime
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from companion.vision.ink.cells import SIDE
from training.fitting import Metrics
from training.writing.digits import Part

MODELS: Final = Path(__file__).parent.parent / "companion" / "vision" / "ink" / "models"
OPSET: Final = 13
"""The version of ONNX's operators."""
CLOSE: Final = 1e-3
"""The largest difference allowed between OpenCV's logits and PyTorch's."""
CLOSE_HALVED: Final = 0.05
"""The largest difference allowed with weights of 16 bits; it matters from several units on."""
FEW: Final = 100
"""Tensors with no more elements are not worth storing in 16 bits."""


@dataclass(frozen=True)
class Trained:
    """A network that is ready to be written."""

    net: nn.Sequential
    temperature: float
    classes: tuple[str, ...]
    """The names of its outputs, in order."""
    size: tuple[int, int] = (SIDE, SIDE)
    """Height and width of its pictures."""
    depth: int = 1
    """Channels of its pictures."""


def write(folder: Path, nets: Mapping[str, Trained]) -> None:
    """Writes networks and checks that OpenCV computes the same as PyTorch.

    Networks that are described in the folder already and are not among `nets` stay as they are.

    Raises:
        ValueError: OpenCV's logits differ too much.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "networks.json"
    described = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    for name, trained in nets.items():
        path = folder / f"{name}.onnx"
        unchecked = folder / f"{name}.onnx.part"
        net = trained.net.eval().to(memory_format=torch.contiguous_format)
        torch.onnx.export(
            net,
            (torch.zeros(1, trained.depth, *trained.size),),
            str(unchecked),
            dynamo=False,
            opset_version=OPSET,
            input_names=["pictures"],
            output_names=["logits"],
            dynamic_axes={"pictures": {0: "n"}, "logits": {0: "n"}},
        )
        shape = (trained.depth, *trained.size)
        difference = check(unchecked, net, shape)
        if difference > CLOSE:
            raise ValueError(f"{path.name}: OpenCV's logits differ by {difference:.2g}")
        halve(unchecked)
        if check(unchecked, net, shape) > CLOSE_HALVED:
            raise ValueError(f"{path.name}: too much is lost in 16 bits")
        unchecked.replace(path)
        described[name] = {
            "file": path.name,
            "classes": trained.classes,
            "temperature": trained.temperature,
        }
    listed.write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def halve(path: Path) -> None:
    """Stores the weights of an ONNX file in 16 bits; computations stay in 32 bits."""
    model = onnx.load(str(path))
    casts = []
    for weights in model.graph.initializer:
        values = numpy_helper.to_array(weights)
        if values.dtype == np.float32 and values.size > FEW:
            name = weights.name
            stored = numpy_helper.from_array(values.astype(np.float16), f"{name}.half")
            weights.CopyFrom(stored)
            casts.append(helper.make_node("Cast", [stored.name], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, str(path))


def check(path: Path, net: nn.Module, shape: tuple[int, int, int]) -> float:
    """The largest difference between OpenCV's and PyTorch's logits, in batches of several sizes.

    Args:
        shape: channels, height and width of the pictures.
    """
    read = cv2.dnn.readNetFromONNX(str(path))
    rng = np.random.default_rng(0)
    largest = 0.0
    for count in (1, 150, 7):
        pictures = rng.random((count, *shape), np.float32) ** 3
        read.setInput(pictures)
        with torch.inference_mode():
            wanted = net(torch.from_numpy(pictures)).numpy()
        largest = max(largest, float(np.abs(read.forward() - wanted).max()))
    return largest


_DATA: Final = """\
Digits: MNIST (LeCun, Cortes, Burges; derived from NIST Special Databases 1 and 3, works of the
United States government), `kensanata/numbers` (CC0), and UNIPEN train_r01_v07, category 1a
(International Unipen Foundation, CC BY 4.0, Zenodo 1195803). Nothing of them is in the networks'
files but what the weights have learnt. The pads are those of `printables/`. Everything else, from
digits as schools teach them (a sixth of the hands) to crosses and coffee, is drawn by `training/`.
"""


@dataclass(frozen=True)
class Trial:
    """The entry of one network in `SOURCE.txt`."""

    samples: int
    what: str
    """The kind of the samples."""
    temperature: float
    cost: tuple[int, int]
    """(multiplications for one picture, number of parameters)."""
    metrics: Mapping[Part, Metrics]


def source(
    trials: Mapping[str, Trial],
    writers: Mapping[str, Mapping[Part, tuple[str, ...]]],
    command: str,
    day: datetime.date,
) -> str:
    """The text of `SOURCE.txt`: where the networks come from, and how well they do on cells."""
    lines = [
        "The networks that read cells, made by `training/`.",
        "",
        f"Command: {command}",
        f"Date: {day.isoformat()}",
        f"PyTorch {torch.__version__}, OpenCV {cv2.__version__}",
        "",
        _DATA,
        "Writers (no writer is in two parts; MNIST: every twelfth training image to choose by,",
        "its test images as final):",
    ]
    for collection, parts in writers.items():
        for part, names in parts.items():
            listed = f"  {collection} {part} ({len(names)}): {' '.join(names)}"
            lines += textwrap.wrap(listed, 100, subsequent_indent="    ")
    for name, trial in trials.items():
        products, parameters = trial.cost
        lines += [
            "",
            f"{name}.onnx: {products / 1e6:.1f} million multiplications, {parameters} parameters,",
            f"  {trial.samples} {trial.what}, temperature {trial.temperature}",
        ]
        for part, found in trial.metrics.items():
            lines += [f"  {part} writers:", *_described(found)]
    return "\n".join(lines) + "\n"


def _described(found: Metrics) -> list[str]:
    """The metrics as wrapped lines."""
    right = ", ".join(
        f"{group} {100 * good / count:.2f} % of {count}"
        for group, (good, count) in found.right.items()
    )
    silent = ", ".join(f"{count} with {least} and more" for least, count in found.silent.items())
    texts = (f"right: {right}", f"mean −log p {found.loss:.4f}", f"wrong: {silent}")
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            text, 96, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
        )
    ]
