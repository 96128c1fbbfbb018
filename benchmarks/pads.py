"""Measures how long printing takes: one page and thirty, with each engine that is installed.

The time is from the order to the bytes of the PDF, in a running process, the best of a few runs.
Processor time (ours and the engine's) depends less on what else the machine does.
"""

from __future__ import annotations

import resource
from time import perf_counter

from benchmarks.report import heading, line
from companion.games.catalog import SHEETS
from companion.pads import geometry, order, pdf, weasyprint, wkhtmltopdf

RUNS = {1: 5, 30: 3}
"""Number of pages → how often they are printed."""


def processor() -> float:
    """Seconds of processor time of this process and of its terminated children."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(who) for who in whose]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def measure(sheet: str, pages: int, engine: str) -> tuple[float, float, int]:
    """Prints pads of a sheet; returns (seconds, seconds of processor time, bytes of the PDF)."""
    on_page = len(geometry.sheaf(order.checked_order(sheet)).pages[0])
    start, used = perf_counter(), processor()
    raw = pdf.pdf(geometry.sheaf(order.checked_order(sheet, copies=pages * on_page)), engine=engine)
    return perf_counter() - start, processor() - used, len(raw)


def run() -> None:
    """Prints a line for each engine, sheet and number of pages."""
    heading(
        "pads",
        "printing one page and thirty, from the order to the PDF",
        "with wkhtmltopdf a page in under 0.3 s and 30 pages in under 1 s",
    )
    engines = [
        *([wkhtmltopdf.NAME] if wkhtmltopdf.executable() else []),
        *([weasyprint.NAME] if weasyprint.is_installed() else []),
    ]
    for engine in engines:
        for sheet in SHEETS:
            for pages, runs in RUNS.items():
                results = [measure(sheet, pages, engine) for _ in range(runs)]
                seconds, used, size = (min(column) for column in zip(*results, strict=True))
                line(
                    f"{engine}, {sheet}, {pages} page{'s' if pages > 1 else ''}",
                    f"{seconds:5.2f} s",
                    f"{used:.2f} s of processor time, {size / 1000:.0f} kB",
                )
