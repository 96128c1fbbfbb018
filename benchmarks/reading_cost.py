"""Measures the processor time of reading a photo, in one thread."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.photos.shot import KINDS, PUBLISHED, Picture, simulate
from benchmarks.report import Seconds, heading, line, quantile

TIMED: Final = 9  # photos of 12 megapixels that are timed, of each kind
ROUNDS: Final = 2  # how often each is read


def report(folder: Path) -> None:
    """Prints processor times of a warm process.

    Args:
        folder: of the handwriting.
    """
    import cv2
    import numpy as np

    from companion.vision.reading import read

    heading(
        "reading: cost",
        "processor time of a photo of 12 MP in one thread",
        "own pad ≤ 110 ms, six ≤ 3.5 ×, publisher's sheet ≤ 350 ms, none ≤ 400 ms",
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
        "no sheet": [np.ascontiguousarray(photo[:, ::-1]) for photo in published],
    }
    for name, pictures in shown.items():
        jpegs = [_jpeg(picture) for picture in pictures]
        read(jpegs[0])
        spent, decoding = _spent(jpegs, read), _spent(jpegs, _decode)
        line(
            f"12 MP, {name}: median / p90",
            f"{median(spent) * 1000:.0f} / {quantile(spent, 0.9) * 1000:.0f} ms",
            f"{median(spent) / median(decoding):.2f} × Pillow's decoding",
        )


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
