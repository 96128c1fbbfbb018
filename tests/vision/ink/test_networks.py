"""The networks give the same results on every OpenCV, and these are probabilities."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from companion.games.catalog import SHEETS
from companion.vision.ink import networks, sums
from companion.vision.ink.cells import SIDE
from companion.vision.ink.siblings import CHANNELS

if TYPE_CHECKING:
    from companion.core.sheet import Kind
    from companion.vision.ink.networks import Network

REFERENCE = Path(__file__).parent / "logits.json"
"""Logits of `drawn()` from OpenCV 5.0; made by `python -m tests.vision.ink.test_networks`."""
EDITION_DEPTHS: dict[Kind, int] = {"number": 2, "cross": len(CHANNELS)}
"""Kind of field on publishers' sheets → channels of its pictures."""
KINDS: tuple[Kind, ...] = ("number", "digits", "cross", "value")


def drawn() -> np.ndarray:
    """Some cells with lines and rings in them, none of which is handwriting."""
    pictures = np.zeros((12, 1, SIDE, SIDE), np.uint8)
    for place, (picture,) in enumerate(pictures):
        cv2.circle(picture, (20, 20), 17, 130, 1)
        if place % 2:
            cv2.line(picture, (12, 8 + place), (28, 34 - place), 255, 2)
        if place % 3 == 0:
            cv2.circle(picture, (18, 22), 4 + place // 2, 220, 2)
    return pictures.astype(np.float32) / 255


def drawn_channels(kind: Kind) -> np.ndarray:
    """The same cells with more channels, each paler than the one before."""
    depth = EDITION_DEPTHS[kind]
    return drawn() * (1 - np.arange(depth, dtype=np.float32) / depth)[:, np.newaxis, np.newaxis]


def drawn_sums() -> np.ndarray:
    """Two blanks with strokes in them."""
    pictures = np.zeros((2, 1, sums.HEIGHT, sums.WIDTH), np.uint8)
    for place, (picture,) in enumerate(pictures):
        cv2.rectangle(picture, (6, 5), (73, 34), 120, 1)
        cv2.line(picture, (30 + 8 * place, 10), (27 + 8 * place, 30), 230, 2)
        cv2.circle(picture, (48, 20), 6 + place, 200, 2)
    return pictures.astype(np.float32) / 255


KEPT = ("number", "cross", "edition-number", "edition-cross", "points")


def network(name: str) -> tuple[Network, np.ndarray]:
    """A network and its input."""
    kind: Any = name.removeprefix("edition-")
    if name == "points":
        return networks.points_network(), drawn_sums()
    if name != kind:
        return networks.edition_network_for(kind), drawn_channels(kind)
    return networks.network_for(kind), drawn()


@pytest.mark.parametrize("name", KEPT)
def test_every_opencv_gives_the_same_results(name: str) -> None:
    asked, pictures = network(name)
    wanted = json.loads(REFERENCE.read_text(encoding="utf-8"))[name]
    assert asked.logits(pictures) == pytest.approx(np.array(wanted), abs=5e-3)


@pytest.mark.parametrize("name", sorted({*KINDS, *KEPT}))
def test_a_picture_alone_is_read_as_among_others(name: str) -> None:
    asked, pictures = network(name)
    alone = [asked.logits(picture[np.newaxis])[0] for picture in pictures]
    assert np.array(alone) == pytest.approx(asked.logits(pictures), abs=1e-3)


def test_threads_do_not_disturb_each_other() -> None:
    wanted = networks.network_for("number").logits(drawn())
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(networks.network_for("number").logits, [drawn()] * 12))
    assert all(np.array_equal(values, wanted) for values in found)


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_cover_possible_marks_and_sum_to_at_most_one(kind: Kind) -> None:
    possible = {
        "number": {None, *range(1, 19)},
        "digits": {None, *range(10)},
        "cross": {True, False},
        "value": {"open", "crossed", "circled"},
    }[kind]
    for chances in networks.network_for(kind).chances(drawn(), kind):
        assert set(chances) == possible
        assert min(chances.values()) >= 0
        assert sum(chances.values()) <= 1 + 1e-6


def test_the_networks_are_small() -> None:
    files = [path for path in networks.MODELS.iterdir() if path.suffix == ".onnx"]
    described = json.loads((networks.MODELS / "networks.json").read_text(encoding="utf-8"))
    assert sorted(path.name for path in files) == sorted(
        network["file"] for network in described.values()
    )
    assert sum(path.stat().st_size for path in files) < 4_000_000


@pytest.mark.every_game
def test_the_network_has_a_class_for_every_number_that_a_field_takes() -> None:
    taken = {
        number
        for sheet in SHEETS.values()
        for field in sheet.paper(sheet.usual_board).fields
        if field.kind == "number"
        for number in field.numbers
    }
    assert {str(number) for number in taken} <= set(networks.network_for("number").classes)


if __name__ == "__main__":
    made = {}
    for name in KEPT:
        asked, pictures = network(name)
        made[name] = asked.logits(pictures).round(4).tolist()
    REFERENCE.write_text(json.dumps(made) + "\n", encoding="utf-8")
