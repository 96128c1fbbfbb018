"""`python -m training`: draws cells, trains and calibrates all networks, and writes them."""

from __future__ import annotations

import argparse
import datetime
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import torch

from companion.vision.ink import sums as reading
from training import edition_cells, sums
from training.cells import CLASSES, DEPTHS, Cells, Network, make
from training.export import MODELS, Trained, Trial, source, write
from training.net import cost
from training.train import logits, metrics, temperature, train
from training.writing import digits

NETWORKS: Final[tuple[Network, ...]] = ("marks", "numbers", "edition-marks", "edition-numbers")
SAMPLES: Final[dict[Network, int]] = {"numbers": 600_000, "marks": 200_000}
"""How many cells of our own pads a network is trained with."""
SHEETS: Final[dict[Network, int]] = {"edition-marks": 1_900, "edition-numbers": 1_500}
"""How many publishers' sheets a network is trained with; each gives 90 and 21 cells."""
EPOCHS: Final[dict[Network, int]] = {
    "numbers": 9,
    "marks": 10,
    "edition-marks": 7,
    "edition-numbers": 6,
}
CONTINUES: Final[dict[Network, Network]] = {"edition-numbers": "numbers"}
"""Network → the network with whose weights its training begins."""
JUDGED_PARTS: Final[tuple[digits.Part, ...]] = ("choose", "final")
JUDGED: Final = 20_000
"""Cells of the part "choose", and of the part "final"."""
JUDGED_SHEETS: Final = 200
"""Publishers' sheets of each of the two parts."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains and writes everything, in about an hour on two free cores."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, default=digits.FOLDER, help="the handwritten digits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=MODELS, help="where the networks go")
    parser.add_argument("--share", type=float, default=1.0, help="of the samples, for a quick try")
    every = (*NETWORKS, "sums")
    parser.add_argument("--only", choices=every, nargs="+", default=every, metavar="NETWORK")
    options = parser.parse_args(arguments)
    missing = [name for name in digits.FILES if not (options.data / name).exists()]
    if missing:
        parser.error(f"{options.data} has no {', '.join(missing)}: see training/README.md")
    started = time.monotonic()
    torch.set_num_threads(2)
    nets: dict[str, Trained] = {}
    trials: dict[str, Trial] = {}
    for name in (name for name in every if name in options.only):
        if name == "sums":
            nets[name], trials[name] = _train_sums(options.data, options.seed, options.share)
        else:
            nets[name], trials[name] = _train(
                name, options.data, options.seed, options.share, options.out
            )
        write(options.out, {name: nets[name]})
    command = shlex.join(["python", "-m", "training", *(arguments or sys.argv[1:])])
    text = source(trials, digits.writers(options.data), command, datetime.date.today())
    # What is said about networks that were not trained now stays.
    file = "SOURCE.txt" if len(nets) == len(every) else f"SOURCE-{'-'.join(nets)}.txt"
    (options.out / file).write_text(text, encoding="utf-8")
    _log(f"{options.out}: {(time.monotonic() - started) / 60:.0f} minutes")


def _train(
    name: Network, folder: Path, seed: int, share: float, out: Path
) -> tuple[Trained, Trial]:
    """Trains a network of cells."""
    others = {part: _cells(name, folder, part, seed, share) for part in JUDGED_PARTS}
    cells = _cells(name, folder, "train", seed, share)
    _log(f"{name}: {len(cells.labels)} cells")
    start = out / f"{CONTINUES[name]}.onnx" if name in CONTINUES else None
    net = train(name, cells, EPOCHS[name], seed, _log, start)
    raw = {part: logits(name, net, others[part]) for part in others}
    warmth = temperature(raw["choose"], others["choose"].labels)
    judged = {part: metrics(name, raw[part], others[part], warmth) for part in others}
    trained = Trained(net, warmth, CLASSES[name], depth=DEPTHS[name])
    return trained, Trial(len(cells.labels), "cells", EPOCHS[name], warmth, cost(name), judged)


def _cells(name: Network, folder: Path, part: digits.Part, seed: int, share: float) -> Cells:
    """A data set of the usual size, or a share of it."""
    if name in SHEETS:
        sheets = SHEETS[name] if part == "train" else JUDGED_SHEETS
        return edition_cells.make(name, max(round(sheets * share), 10), folder, part, seed)
    count, least = (SAMPLES[name], 2000) if part == "train" else (JUDGED, 500)
    return make(name, max(round(count * share), least), folder, part, seed)


def _train_sums(folder: Path, seed: int, share: float) -> tuple[Trained, Trial]:
    """Trains the network that reads sums."""
    judged = max(round(sums.JUDGED * share), 500)
    others = {part: sums.make(judged, folder, part, seed) for part in JUDGED_PARTS}
    blanks = sums.make(max(round(sums.COUNT * share), 2000), folder, "train", seed)
    what = "blanks and number fields"
    _log(f"sums: {len(blanks.labels)} {what}")
    net = sums.train(blanks, sums.EPOCHS, seed, _log)
    raw = {part: sums.logits(net, others[part]) for part in others}
    warmth = sums.temperature(raw["choose"], others["choose"])
    found = {part: sums.metrics(raw[part], others[part], warmth) for part in others}
    trained = Trained(net, warmth, reading.CLASSES, (reading.HEIGHT, reading.WIDTH))
    return trained, Trial(len(blanks.labels), what, sums.EPOCHS, warmth, sums.cost(), found)


def _log(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


if __name__ == "__main__":
    main()
