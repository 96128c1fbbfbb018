"""`python -m benchmarks [NAME]`: runs all benchmarks, or those named, and prints their figures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Final

from benchmarks import (
    games,
    live,
    memory,
    pads,
    pages,
    photo_load,
    processes,
    read_editions,
    reading,
    tap,
)
from benchmarks.report import machine

BENCHMARKS: Final[Mapping[str, Callable[[], None]]] = {
    "tap": tap.run,
    "live": live.run,
    "processes": processes.run,
    "memory": memory.run,
    "pages": pages.run,
    "pads": pads.run,
    **games.benchmarks(),
    "reading": reading.run,
    "editions": read_editions.run,
    "photos": photo_load.run,
}
"""Name → benchmark, in the order in which all of them run; those of single games bear the names of
their rooms."""


def main() -> None:
    """Reads the command line and runs the benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := [name for name in names if name not in BENCHMARKS]:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    print(machine())
    for name in names:
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
