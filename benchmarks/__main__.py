"""`python -m benchmarks [NAME]`: runs all benchmarks, or those named, and prints their figures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Final

from benchmarks import cost, evening, history, hostile, live, quick, reading
from benchmarks.report import machine

BENCHMARKS: Final[Mapping[str, Callable[[], None]]] = {
    "cost": cost.run,
    "live": live.run,
    "history": history.run,
    "hostile": hostile.run,
    "evening": evening.run,
    "quick": quick.run,
    "reading": reading.run,
}
"""Name → benchmark, in the order in which all of them run."""


def main() -> None:
    """Reads the command line and runs the benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = ", ".join(BENCHMARKS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {known}")
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := [name for name in names if name not in BENCHMARKS]:
        parser.error(f"no benchmark is called {unknown[0]}; there are {known}")
    print(machine(), flush=True)
    for name in names:
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
