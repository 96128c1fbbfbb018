"""Formats figures for people: percentiles, units, and a line that describes the machine."""

from __future__ import annotations

import math
import os
import platform
import sqlite3
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TypeAlias

Seconds: TypeAlias = float


def quantile(values: Sequence[float], share: float) -> float:
    """The quantile by nearest rank: the smallest value that `share` of all values do not exceed."""
    return sorted(values)[max(math.ceil(len(values) * share) - 1, 0)]


def ms(seconds: Seconds) -> str:
    """A duration in milliseconds, or in seconds from one second on."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def both(values: Sequence[Seconds]) -> str:
    """The median and the 99th percentile of durations, as two columns."""
    if not values:
        return "nothing arrived"
    return f"{ms(quantile(values, 0.5)):>9} {ms(quantile(values, 0.99)):>9}"


def heading(name: str, what: str, aim: str) -> None:
    """Prints a benchmark's name, what it measures, and the aim."""
    print(f"\n{name}: {what}\naim: {aim}\n")


def line(label: str, value: object, note: str = "") -> None:
    """Prints one figure with its label."""
    print(f"  {label:<44} {value}   {note}".rstrip(), flush=True)


def machine() -> str:
    """Date, machine, versions, and the load that other programs put on the machine."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{date.today()}, {os.cpu_count()} cores ({_cpu()}), Python {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}; load before: {load}"
    )


def _cpu() -> str:
    for text in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = text.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
