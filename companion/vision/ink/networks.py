"""The networks that classify cells, run by OpenCV. `training/` creates them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import NUMBERS, Kind, Mark
from companion.games.catalog import SHEETS
from companion.vision.core import Chances

MODELS: Final = Path(__file__).parent / "models"


def _numbers_in_fields() -> Iterator[int]:
    for sheet in SHEETS.values():
        for board in sheet.every_board:
            for place in sheet.paper(board).fields:
                if place.kind == "number":
                    yield from place.numbers


# The numbers that number fields take, on any sheet; the network has classes for 0 to 18
_NUMBERS: Final = sorted(set(_numbers_in_fields()))

# Kind of field → class → the mark it means there. Classes that are left out cannot occur there.
_MARKS: Final[Mapping[Kind, Mapping[str, Mark]]] = {
    "number": {"blank": None, "struck": None, **{str(n): n for n in _NUMBERS}},
    "digits": {"blank": None, "struck": None, **{str(n): n for n in range(10)}},
    "cross": {"open": False, "crossed": True},
    "value": {"open": "open", "crossed": "crossed", "circled": "circled"},
}
_UNREADABLE: Final = "other"  # The class of ink that means no mark
# Kinds of fields in which any ink means the same, so that `_UNREADABLE` cannot occur
_ANY_INK: Final[frozenset[Kind]] = frozenset({"cross"})


@dataclass(frozen=True)
class Network:
    file: Path  # the ONNX model
    classes: tuple[str, ...]  # the names of its outputs, in order
    # Divides the logits, so that the mean probability over the reader's looks is calibrated. Guo et
    # al., "On Calibration of Modern Neural Networks", 2017.
    temperature: float
    # Loaded networks that no thread is using. OpenCV's networks store intermediate results in
    # themselves, so threads must not share them.
    idle: list[Any] = field(default_factory=list, repr=False, compare=False)

    def logits(self, pictures: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Logits (cells, classes) of pictures (cells, channels, SIDE, SIDE), not yet tempered."""
        try:
            net = self.idle.pop()
        except IndexError:
            net = cv2.dnn.readNetFromONNX(str(self.file))
        net.setInput(pictures)
        logits = np.array(net.forward(), np.float32)
        self.idle.append(net)
        return logits

    def chances(self, pictures: npt.NDArray[np.float32], kind: Kind) -> list[Chances]:
        """The marks that each picture may show in a field of this kind, with their probabilities.

        Args:
            pictures: of shape (cells, 1, SIDE, SIDE), as `cells.cut` makes them.
        """
        logits = self.logits(pictures) / self.temperature
        meanings = _MARKS[kind]
        allowed = [
            place
            for place, name in enumerate(self.classes)
            if name in meanings or (name == _UNREADABLE and kind not in _ANY_INK)
        ]
        logits = logits[:, allowed]
        parts = np.exp(logits - logits.max(axis=1, keepdims=True))
        parts /= parts.sum(axis=1, keepdims=True)
        found: list[Chances] = []
        for row in parts.tolist():
            chances: dict[Mark, float] = {}
            for place, part in zip(allowed, row, strict=True):
                if (name := self.classes[place]) in meanings:
                    chances[meanings[name]] = chances.get(meanings[name], 0.0) + part
            found.append(chances)
        return found


@cache
def _load(name: str) -> Network:
    described = json.loads((MODELS / "networks.json").read_text(encoding="utf-8"))[name]
    return Network(
        MODELS / described["file"], tuple(described["classes"]), described["temperature"]
    )


def points_network() -> Network:
    """The network that reads sums and points (`companion.vision.ink.sums`), loaded once."""
    return _load("points")


def network_for(kind: Kind) -> Network:
    """The network that reads a kind of field on our own pads, loaded once."""
    return _load("numbers" if kind in NUMBERS else "marks")


def edition_network_for(kind: Kind) -> Network:
    """The network that reads a kind of field on publishers' sheets, loaded once."""
    return _load("edition-numbers" if kind in NUMBERS else "edition-marks")
