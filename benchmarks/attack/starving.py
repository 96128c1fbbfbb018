"""Small requests that take what all share: sockets, threads, memory, the disk, the log.

    python -m benchmarks.attack.starving [NAME …]

Each attack runs against a fresh server with 1,024 descriptors, while an honest phone taps and a
new phone opens the first page. The table says how long those took, and what the server used.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from statistics import median

from benchmarks.attack.attacks import ATTACKS, CONTROLS
from benchmarks.attack.target import Target, target


@dataclass
class Honest:
    """The answer times of an honest phone and of a new one, in seconds."""

    taps: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    """Those of the requests that the attack concerns."""
    failures: int = 0
    refused: int = 0
    """Failures of the others."""

    def watch(self, server: Target, seconds: float, other: Callable[[Target], int] | None) -> None:
        """Taps, and meanwhile opens the first page anew, for so long."""
        last = time.monotonic() + seconds
        numbers = count()

        def repeat(times: list[float], ask: Callable[[], int]) -> None:
            while time.monotonic() < last:
                self._time(times, ask)
                time.sleep(0.02)

        beside = [threading.Thread(target=repeat, args=(self.pages, server.open_first_page))]
        if other is not None:
            asking = (self.others, partial(other, server))
            beside.append(threading.Thread(target=repeat, args=asking))
        for thread in beside:
            thread.start()
        repeat(self.taps, lambda: server.tap(next(numbers)))
        for thread in beside:
            thread.join()

    def _time(self, times: list[float], ask: Callable[[], int]) -> None:
        start = time.monotonic()
        try:
            good = ask() < 400
        except OSError:
            good = False
        times.append(time.monotonic() - start)
        if times is self.others:
            self.refused += not good
        else:
            self.failures += not good

    @staticmethod
    def high(times: list[float]) -> float:
        """The 99th percentile."""
        ordered = sorted(times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def run(name: str, seconds: float = 12.0) -> tuple[Honest, float, int]:
    """The times of honest phones, the server's greatest memory in MB, and its log in bytes."""
    honest = Honest()
    most = 0.0
    with target() as server, ExitStack() as stack:
        server.tap(0)
        attack = threading.Thread(target=ATTACKS[name], args=(server, stack), daemon=True)
        attack.start()
        watching = threading.Thread(
            target=honest.watch, args=(server, seconds, CONTROLS.get(name)), daemon=True
        )
        watching.start()
        while watching.is_alive():
            most = max(most, server.megabytes)
            time.sleep(0.05)
        written = server.log_bytes
        # The attack may still be opening connections, which the stack is to close.
        server.program.kill()
        attack.join()
        return honest, most, written


def main() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print("| attack | taps p50, p99 | first page p99 | failures | others | MB | log |")
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or ATTACKS:
        honest, most, log = run(name)
        others = "–"
        if honest.others:
            others = f"{honest.refused} of {len(honest.others)}, {max(honest.others):.1f} s"
        asked = len(honest.taps) + len(honest.pages)
        print(
            f"| {name} | {median(honest.taps) * 1000:.0f}, {honest.high(honest.taps) * 1000:.0f} ms"
            f" | {honest.high(honest.pages) * 1000:.0f} ms"
            f" | {honest.failures} of {asked} | {others} | {most:.0f} | {log:,} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
