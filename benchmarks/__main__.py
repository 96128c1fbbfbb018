"""`python -m benchmarks [NAME]`: measures all, or one, and prints what came out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Final

from benchmarks import encore_legal, live, memory, pads, pages, photo_load, reading, tap
from benchmarks.report import machine

BENCHMARKS: Final[Mapping[str, Callable[[], None]]] = {
    "tap": tap.run,
    "live": live.run,
    "memory": memory.run,
    "pages": pages.run,
    "pads": pads.run,
    "encore": encore_legal.run,
    "reading": reading.run,
    "photos": photo_load.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := [name for name in names if name not in BENCHMARKS]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    print(machine())
    for name in names:
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
