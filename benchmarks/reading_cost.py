"""Measures what reading a photo costs: time on one processor and on all, and memory."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.photos import lookalikes
from benchmarks.photos.shot import KINDS, PUBLISHED, simulate
from benchmarks.photos.writing.hands import FOLDER
from benchmarks.report import Seconds, line, mb, median, quantile
from companion.core.sheet import AnySheetKind, Field
from companion.games.catalog import SHEETS

Spent: TypeAlias = tuple[Seconds, Seconds]
"""Wall-clock time and processor time; only the latter does not depend on the machine's load."""

TIMED: Final = 9
"""Photos of 12 megapixels that are timed."""
MEMORY_MEGAPIXELS: Final = 48


def speed(folder: Path | None) -> None:
    """Prints the time for a photo in a warm process: on one processor, then on all of them."""
    import cv2

    from companion.vision.reading import read

    cv2.setNumThreads(1)
    singles = [
        simulate(
            seed, "usual", [KINDS[seed % len(KINDS)]], megapixels=12, folder=folder or FOLDER
        ).jpeg
        for seed in range(TIMED)
    ]
    six_kinds = [KINDS[place % len(KINDS)] for place in range(6)]
    sixes = [
        simulate(seed, "usual", six_kinds, megapixels=12, folder=folder or FOLDER).jpeg
        for seed in range(2)
    ]
    read(singles[0])
    with _one_processor():
        single, decode = _spent(singles, 2), _spent(singles, 2, _decode)
        six, decode_six = _spent(sixes, 4), _spent(sixes, 4, _decode)
    for place, what in enumerate(("wall-clock time", "processor time")):
        alone, several, decoded, decoded_six = (
            [spent[place] for spent in times] for times in (single, six, decode, decode_six)
        )
        line(
            f"12 MP, one sheet: median / p90, {what}",
            f"{median(alone) * 1000:.0f} / {quantile(alone, 0.9) * 1000:.0f} ms",
            f"{median(alone) / median(decoded):.2f} × Pillow's decoding"
            f" ({median(decoded) * 1000:.0f} ms)",
        )
        for kind_place, kind in enumerate(KINDS):
            times = [
                spent for index, spent in enumerate(alone) if index // 2 % len(KINDS) == kind_place
            ]
            line(f"  {kind}", f"{median(times) * 1000:.0f} ms")
        line(
            "12 MP, six sheets: median",
            f"{median(several) * 1000:.0f} ms",
            f"{median(several) / median(alone):.2f} × one sheet,"
            f" {median(several) / median(decoded_six):.2f} × decoding",
        )
    on_all = median([spent[0] for spent in _spent(sixes, 4)])
    alone_on_one = median([spent[0] for spent in single])
    line(
        f"12 MP, six sheets on {os.cpu_count()} processors",
        f"{on_all * 1000:.0f} ms",
        f"{on_all / alone_on_one:.2f} × one sheet",
    )


def editions_speed(folder: Path | None) -> None:
    """Prints the time for 12 megapixels on one processor: a publisher's sheet, and no sheet."""
    import cv2

    from companion.vision.reading import read

    cv2.setNumThreads(1)
    sheets = [
        simulate(
            seed,
            "usual",
            [PUBLISHED[seed % len(PUBLISHED)]],
            megapixels=12,
            folder=folder or FOLDER,
        ).jpeg
        for seed in range(TIMED)
    ]
    without = [lookalikes.simulate(seed, megapixels=12).jpeg for seed in range(TIMED)]
    read(sheets[0])
    with _one_processor():
        times = {
            "12 MP, one publisher's sheet": _spent(sheets, 2),
            "12 MP, no sheet": _spent(without, 2),
        }
    for name, spent in times.items():
        for place, what in enumerate(("wall-clock time", "processor time")):
            each = [pair[place] for pair in spent]
            line(
                f"{name}: median / p90, {what}",
                f"{median(each) * 1000:.0f} / {quantile(each, 0.9) * 1000:.0f} ms",
                f"at most {max(each) * 1000:.0f} ms",
            )


def _spent(
    jpegs: Sequence[bytes], rounds: int, do: Callable[[bytes], object] | None = None
) -> list[Spent]:
    """The times of `do` (by default, of reading) for each photo, `rounds` times in a row."""
    from companion.vision.reading import read

    return [_timed(partial(do or read, data)) for data in jpegs for _ in range(rounds)]


@contextmanager
def _one_processor() -> Iterator[None]:
    """Keeps this process on one processor, where the operating system allows it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _decode(data: bytes) -> None:
    from PIL import Image

    Image.open(io.BytesIO(data)).load()


def _timed(do: Callable[[], object]) -> Spent:
    started, worked = time.perf_counter(), time.process_time()
    do()
    return time.perf_counter() - started, time.process_time() - worked


_CHILD: Final = """
import re, sys
from pathlib import Path
import cv2
cv2.setNumThreads(1)
from companion.vision.reading import read
def status(name):
    return int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1000
idle = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
reading = read(Path(sys.argv[1]).read_bytes())
print(idle, status("VmHWM"), len(reading.sheets), reading.seconds)
"""


def _fields(sheet: AnySheetKind) -> tuple[Field, ...]:
    return sheet.paper(sheet.usual_board).fields


def memory(folder: Path | None) -> None:
    """Prints the peak memory of reading a 48-megapixel photo in a process of its own."""
    import cv2

    fullest = max(KINDS, key=lambda kind: len(_fields(SHEETS[kind])))
    shot = simulate(3, "usual", [fullest], megapixels=12, folder=folder or FOLDER)
    side = (MEMORY_MEGAPIXELS / 12) ** 0.5
    large = cv2.resize(shot.photo, None, fx=side, fy=side, interpolation=cv2.INTER_CUBIC)
    _, coded = cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 90])
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "large.jpg"
        file.write_bytes(coded.tobytes())
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(file)], capture_output=True, text=True, check=False
        )
    if done.returncode:
        line("48 MP: memory", "failed", done.stderr.strip().splitlines()[-1])
        return
    idle, most, sheets, seconds = done.stdout.split()
    line(
        f"{MEMORY_MEGAPIXELS} MP: memory above idle",
        mb(int(most) - int(idle)),
        f"(idle {mb(int(idle))}, at most {mb(int(most))}); {sheets} sheet, {float(seconds):.2f} s",
    )
