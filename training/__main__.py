"""`python -m training`: draws cells, trains and calibrates both networks, and writes them."""

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
from torch import nn

from training import digits
from training.cells import Network, make
from training.export import MODELS, source, write
from training.train import Metrics, logits, metrics, temperature, train

NETWORKS: Final[tuple[Network, ...]] = ("marks", "numbers")
SAMPLES: Final[dict[Network, int]] = {"numbers": 600_000, "marks": 200_000}
"""How many cells each network is trained with."""
EPOCHS: Final[dict[Network, int]] = {"numbers": 9, "marks": 10}
JUDGED: Final = 20_000
"""Cells of the part "choose", and of the part "final"."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains and writes everything, in about an hour on two free cores."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, default=digits.FOLDER, help="the handwritten digits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=MODELS, help="where the networks go")
    parser.add_argument("--share", type=float, default=1.0, help="of the samples, for a quick try")
    options = parser.parse_args(arguments)
    missing = [name for name in digits.FILES if not (options.data / name).exists()]
    if missing:
        parser.error(f"{options.data} has no {', '.join(missing)}: see training/README.md")
    started = time.monotonic()
    torch.set_num_threads(2)
    nets: dict[Network, tuple[nn.Module, float]] = {}
    found: dict[Network, dict[str, Metrics]] = {}
    for name in NETWORKS:
        nets[name], found[name] = _train(name, options.data, options.seed, options.share)
    write(options.out, nets)
    command = shlex.join(["python", "-m", "training", *(arguments or sys.argv[1:])])
    counts = {name: _count(name, options.share) for name in NETWORKS}
    text = source(
        found, nets, digits.writers(options.data), command, datetime.date.today(), counts, EPOCHS
    )
    (options.out / "SOURCE.txt").write_text(text, encoding="utf-8")
    _log(f"{options.out}: {(time.monotonic() - started) / 60:.0f} minutes")


def _train(
    name: Network, folder: Path, seed: int, share: float
) -> tuple[tuple[nn.Module, float], dict[str, Metrics]]:
    """Trains a network; returns ((network, temperature), part → metrics)."""
    judged = max(round(JUDGED * share), 500)
    parts: tuple[digits.Part, ...] = ("choose", "final")
    others = {part: make(name, judged, folder, part, seed) for part in parts}
    cells = make(name, _count(name, share), folder, "train", seed)
    _log(f"{name}: {len(cells.labels)} cells")
    net = train(name, cells, EPOCHS[name], seed, _log)
    raw = {part: logits(name, net, judged_cells) for part, judged_cells in others.items()}
    warmth = temperature(raw["choose"], others["choose"].labels)
    return (net, warmth), {part: metrics(name, raw[part], others[part], warmth) for part in others}


def _count(name: Network, share: float) -> int:
    return max(round(SAMPLES[name] * share), 2000)


def _log(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


if __name__ == "__main__":
    main()
