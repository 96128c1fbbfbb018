"""Writes simulated photos as JPEGs, each with its ground truth as JSON, for looking at them.

python -m benchmarks.photos.files FOLDER --count 20 --start 9000000 --kind SHEET@EDITION
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.photos import lookalikes
from benchmarks.photos.shot import PUBLISHED, Shot, simulate
from benchmarks.photos.taking.conditions import DIFFICULTIES
from benchmarks.photos.taking.obstacles import OBSTRUCTIONS
from benchmarks.photos.writing.hands import FOLDER


def truth_document(shot: Shot, kinds: list[str], obstruction: str = "") -> dict[str, Any]:
    """Everything known about a photo."""
    return {
        "seed": shot.seed,
        "difficulty": shot.difficulty,
        "kinds": kinds,
        "obstruction": obstruction,
        "size": [shot.photo.shape[1], shot.photo.shape[0]],
        "sheets": [
            {
                "sheet": truth.sheet,
                "edition": truth.edition,
                "board": truth.board,
                "corners_px": [[round(x, 2), round(y, 2)] for x, y in truth.corners],
                "centers_px": {
                    name: [round(x, 2), round(y, 2)] for name, (x, y) in truth.centers.items()
                },
                "marks": dict(truth.marks),
                "total": truth.total,
                "written": dict(truth.written),
                "hidden": sorted(truth.hidden),
                "writer": truth.writer,
                "pen": truth.pen,
            }
            for truth in shot.truths
        ],
    }


def main() -> None:
    """`python -m benchmarks.photos.files`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.photos.files", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--start", type=int, default=9_000_000, help="the first photo's seed")
    parser.add_argument("--kind", action="append", help="comma-separated for one photo")
    parser.add_argument("--difficulty", choices=DIFFICULTIES, action="append")
    parser.add_argument("--obstruction", choices=OBSTRUCTIONS, action="append")
    parser.add_argument("--lookalikes", action="store_true", help="photos without any sheet")
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of the handwriting")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for number in range(asked.count):
        seed = asked.start + number
        if asked.lookalikes:
            alike = lookalikes.simulate(seed)
            stem = asked.folder / f"alike-{seed}-{alike.name}"
            coded, known = alike.jpeg, {"seed": seed, "name": alike.name, "sheets": []}
        else:
            kinds = (asked.kind or list(PUBLISHED))[number % len(asked.kind or PUBLISHED)].split(
                ","
            )
            difficulty = (asked.difficulty or ["usual"])[number % len(asked.difficulty or [0])]
            ways = asked.obstruction or [""]
            obstruction = ways[number // len(asked.kind or PUBLISHED) % len(ways)]
            shot = simulate(seed, difficulty, kinds, obstruction=obstruction, folder=asked.data)
            first = kinds[0].replace("@", "-").replace(":", "-")
            stem = asked.folder / f"{first}-{len(kinds)}-{difficulty}{obstruction}-{seed}"
            coded, known = shot.jpeg, truth_document(shot, kinds, obstruction)
        Path(f"{stem}.jpg").write_bytes(coded)
        Path(f"{stem}.json").write_text(json.dumps(known, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
