"""How long printed pads take: one page and thirty, with each engine that is installed.

    python -m benchmarks.pads [RUNS]

From the order to the bytes of the PDF, in a process that is already running. The goal, with
wkhtmltopdf, is a page in under 0.3 s and 30 pages in under 1 s. The best of the runs is printed,
and the processor time (ours and the engine's), which other programs on the machine change less.
"""

from __future__ import annotations

import resource
import sys
from time import perf_counter

from companion.pads import geometry, order, pdf, weasyprint, wkhtmltopdf
from companion.sheets.catalog import SHEETS

RUNS = 5
PAGES = (1, 30)


def processor() -> float:
    """Seconds of processor time of this process and of those it has waited for."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(one) for one in whose]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(sheet: str, pages: int, engine: str) -> tuple[float, float, int]:
    """(seconds, seconds of processor time, bytes)."""
    on_page = len(geometry.sheaf(order.ordered(sheet)).pages[0])
    start, used = perf_counter(), processor()
    raw = pdf.pdf(geometry.sheaf(order.ordered(sheet, copies=pages * on_page)), engine=engine)
    return perf_counter() - start, processor() - used, len(raw)


def main() -> None:
    """Prints a line for each sheet, number of pages and engine."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    engines = [
        *([wkhtmltopdf.NAME] if wkhtmltopdf.executable() else []),
        *([weasyprint.NAME] if weasyprint.is_installed() else []),
    ]
    for engine in engines:
        for sheet in SHEETS:
            for pages in PAGES:
                results = [measure(sheet, pages, engine) for _ in range(runs)]
                seconds, used, size = (min(column) for column in zip(*results, strict=True))
                print(
                    f"{engine:12} {sheet:7} {pages:2} pages: {seconds:6.2f} s"
                    f" ({used:.2f} s of processor time), {size / 1000:.0f} kB"
                )


if __name__ == "__main__":
    main()
