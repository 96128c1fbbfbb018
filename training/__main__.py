"""`python -m training`: draws cells, trains and calibrates all networks, and writes them."""

from __future__ import annotations

import argparse
import datetime
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import cv2

from companion.vision.ink import sums as reading
from training import cells, edition_cells, sums
from training.cells import CLASSES, DEPTHS, Cells, Job, Network
from training.export import MODELS, Trained, Trial, source, write
from training.fitting import cost
from training.train import logits, metrics, temperature, train
from training.writing import digits

NETWORKS: Final[tuple[Network, ...]] = ("marks", "numbers", "edition-marks", "edition-numbers")
SETS: Final[Mapping[Network, tuple[int, int, int, Callable[[Job], Cells]]]] = {
    "marks": (200_000, 20_000, cells.CHUNK, cells.chunk),
    "numbers": (600_000, 20_000, cells.CHUNK, cells.chunk),
    "edition-marks": (24_000, 400, edition_cells.SHEETS, edition_cells.chunk),
    "edition-numbers": (66_000, 400, edition_cells.SHEETS, edition_cells.chunk),
    "sums": (160_000, 6_000, sums.CHUNK, sums.chunk),
}
"""Network → (what it is trained with, each of the two sets that judge it, what is made from one
seed, what draws that). Of publishers' sheets these are sheets; each gives about 41 and 15 cells."""
CONTINUES: Final[Mapping[str, str]] = {"edition-numbers": "numbers"}
"""Network → the network with whose weights its training begins, if both are trained."""
KEPT: Final = Path(__file__).parent / "kept"
"""Cells that were drawn, and the state of a training; git ignores it."""
JUDGED_PARTS: Final[tuple[digits.Part, ...]] = ("choose", "final")


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains and writes all networks, or those of `--only`."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, default=digits.FOLDER, help="the handwritten digits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=MODELS, help="where the networks go")
    parser.add_argument("--share", type=float, default=1.0, help="of the samples, for a quick try")
    every = (*NETWORKS, "points")
    parser.add_argument("--only", choices=every, nargs="+", default=every, metavar="NETWORK")
    parser.add_argument("--keep", type=Path, default=KEPT, help="where a run goes on")
    parser.add_argument(
        "--further", action="store_true", help="points begin with the network of now"
    )
    parser.add_argument("--epochs", type=int, default=0, help="0 until nothing is gained")
    options = parser.parse_args(arguments)
    missing = [name for name in digits.FILES if not (options.data / name).exists()]
    if missing:
        parser.error(f"{options.data} has no {', '.join(missing)}: see training/README.md")
    started = time.monotonic()
    cv2.setNumThreads(1)
    nets: dict[str, Trained] = {}
    trials: dict[str, Trial] = {}
    for name in (name for name in every if name in options.only):
        before = nets.get(CONTINUES.get(name, ""))
        nets[name], trials[name] = (
            _train_points(options) if name == "points" else _train(name, options, before)
        )
        write(options.out, {name: nets[name]})
    command = shlex.join(["python", "-m", "training", *(arguments or sys.argv[1:])])
    text = source(trials, digits.writers(options.data), command, datetime.date.today())
    # Entries of networks that were not trained now are kept.
    file = "SOURCE.txt" if len(nets) == len(every) else f"SOURCE-{'-'.join(nets)}.txt"
    (options.out / file).write_text(text, encoding="utf-8")
    _log(f"{options.out}: {(time.monotonic() - started) / 60:.0f} minutes")


def _train(
    name: Network, options: argparse.Namespace, start: Trained | None
) -> tuple[Trained, Trial]:
    """Trains a network of cells, which may begin with the weights of another."""
    others = {part: _cells(name, part, options) for part in JUDGED_PARTS}
    drawn = _cells(name, "train", options)
    _log(f"{name}: {len(drawn.labels)} cells")
    net = train(
        name,
        drawn,
        others["choose"],
        options.seed,
        _log,
        start=start.net if start else None,
        epochs=options.epochs,
        keep=_state(name, drawn, options),
    )
    raw = {part: logits(name, net, others[part]) for part in others}
    warmth = temperature(raw["choose"], others["choose"].labels)
    judged = {part: metrics(name, raw[part], others[part], warmth) for part in others}
    trained = Trained(net, warmth, CLASSES[name], depth=DEPTHS[name])
    return trained, Trial(
        len(drawn.labels), "cells", warmth, cost(net, drawn.pictures.shape[1:]), judged
    )


def _cells(network: Network, part: digits.Part, options: argparse.Namespace) -> Cells:
    """A data set of the usual size, or a share of it."""
    trained, judged, step, chunk = SETS[network]
    count = max(round((trained if part == "train" else judged) * options.share), step // 4)
    rest = {"folder": options.data, "part": part, "seed": options.seed, "keep": options.keep}
    return cells.make(network, count, step, chunk, **rest)


def _state(name: str, drawn: Cells, options: argparse.Namespace) -> Path:
    """The file of the state after each epoch."""
    keep: Path = options.keep
    return keep / f"{name}-{options.seed}-{len(drawn.labels)}-{options.epochs}.pt"


def _train_points(options: argparse.Namespace) -> tuple[Trained, Trial]:
    """Trains the network that reads points, and sums among them."""
    others = {part: _cells("sums", part, options) for part in JUDGED_PARTS}
    blanks = _cells("sums", "train", options)
    what = "blanks, fields and cells"
    _log(f"points: {len(blanks.labels)} {what}")
    net = sums.train(
        blanks,
        others["choose"],
        options.seed,
        _log,
        start=MODELS / "points.onnx" if options.further else None,
        epochs=options.epochs,
        keep=_state("points", blanks, options),
    )
    raw = {part: sums.logits(net, others[part]) for part in others}
    warmth = sums.temperature(raw["choose"], others["choose"])
    found = {part: sums.metrics(raw[part], others[part], warmth) for part in others}
    trained = Trained(net, warmth, reading.CLASSES, (reading.HEIGHT, reading.WIDTH))
    return trained, Trial(
        len(blanks.labels), what, warmth, cost(net, blanks.pictures.shape[1:]), found
    )


def _log(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


if __name__ == "__main__":
    main()
