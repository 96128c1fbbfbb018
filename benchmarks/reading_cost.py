"""Measures what reading a photo costs: processor time on one processor, and memory."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.photos.shot import KINDS, PUBLISHED, Picture, simulate
from benchmarks.report import Seconds, heading, line, mb, median, quantile

TIMED: Final = 9
"""Photos of 12 megapixels that are timed, of each kind."""
ROUNDS: Final = 2
"""How often each is read."""
MEMORY_MEGAPIXELS: Final = 48


def report(folder: Path) -> None:
    """Prints processor times of a warm process, and the peak memory of a large photo.

    Args:
        folder: of the handwriting.
    """
    import cv2

    from companion.vision.reading import read

    heading(
        "reading: cost",
        "processor time of a photo of 12 MP on one core, and memory",
        "own pad ≤ 110 ms, six ≤ 3.5 ×, publisher's sheet ≤ 350 ms, none ≤ 400 ms, ≤ 300 MB",
    )

    def photos(kinds: Sequence[str], count: int = TIMED, several: int = 1) -> list[Picture]:
        return [
            simulate(
                seed,
                "usual",
                [kinds[(seed + place) % len(kinds)] for place in range(several)],
                megapixels=12,
                folder=folder,
            ).photo
            for seed in range(count)
        ]

    cv2.setNumThreads(1)
    published = photos(PUBLISHED)
    shown = {
        "one own pad": photos(KINDS),
        "six own pads": photos(KINDS, 2, 6),
        "one publisher's sheet": published,
        "no sheet": [cv2.flip(photo, 1) for photo in published],
    }
    with _one_processor():
        for name, pictures in shown.items():
            jpegs = [_jpeg(picture) for picture in pictures]
            read(jpegs[0])
            spent, decoding = _spent(jpegs, read), _spent(jpegs, _decode)
            line(
                f"12 MP, {name}: median / p90",
                f"{median(spent) * 1000:.0f} / {quantile(spent, 0.9) * 1000:.0f} ms",
                f"{median(spent) / median(decoding):.2f} × Pillow's decoding",
            )
    _report_memory(shown["one own pad"][0])


def _jpeg(picture: Picture) -> bytes:
    import cv2

    _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
    return coded.tobytes()


def _spent(jpegs: Sequence[bytes], do: Callable[[bytes], object]) -> list[Seconds]:
    """The processor time of `do` for each photo, `ROUNDS` times in a row."""
    times = []
    for data in [data for data in jpegs for _ in range(ROUNDS)]:
        worked = time.process_time()
        do(data)
        times.append(time.process_time() - worked)
    return times


def _decode(data: bytes) -> None:
    from PIL import Image

    Image.open(io.BytesIO(data)).load()


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
read(Path(sys.argv[1]).read_bytes())
print(idle, status("VmHWM"))
"""


def _report_memory(picture: Picture) -> None:
    """Prints the peak memory of reading an enlarged photo in a process of its own."""
    import cv2

    side = (MEMORY_MEGAPIXELS / 12) ** 0.5
    large = cv2.resize(picture, None, fx=side, fy=side, interpolation=cv2.INTER_CUBIC)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "large.jpg"
        file.write_bytes(_jpeg(large))
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(file)], capture_output=True, text=True, check=True
        )
    idle, most = map(int, done.stdout.split())
    line(f"{MEMORY_MEGAPIXELS} MP: memory above idle", mb(most - idle), f"idle {mb(idle)}")
