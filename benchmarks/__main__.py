"""`python -m benchmarks [NAME]`: runs all benchmarks, or those named, and prints their figures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Final

from benchmarks import (
    cost,
    evening,
    games,
    live,
    memory,
    pads,
    pages,
    photo_load,
    processes,
    read_editions,
    reading,
    soak,
    stops,
    tap,
)
from benchmarks.report import machine

BENCHMARKS: Final[Mapping[str, Callable[[], None]]] = {
    "tap": tap.run,
    "cost": cost.run,
    "stops": stops.run,
    "live": live.run,
    "processes": processes.run,
    "memory": memory.run,
    "pages": pages.run,
    "evening": evening.run,
    "pads": pads.run,
    **games.benchmarks(),
    "reading": reading.run,
    "editions": read_editions.run,
    "photos": photo_load.run,
}
"""Name → benchmark, in the order in which all of them run; those of single games bear the names of
their rooms."""

SOAK: Final = "soak"
"""The benchmark that runs only when it is named, because it takes half an hour."""


def main() -> None:
    """Reads the command line and runs the benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = [*BENCHMARKS, SOAK]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
    parser.add_argument("--minutes", type=int, default=30, help="of the soak (default: 30)")
    options = parser.parse_args()
    names = options.names or list(BENCHMARKS)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(known)}")
    print(machine(), flush=True)
    for name in names:
        if name == SOAK:
            soak.run(options.minutes)
        else:
            BENCHMARKS[name]()


if __name__ == "__main__":
    main()
