"""Measures the processor time of reading a photo, in one thread."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.photos.drawn import KINDS as DRAWN
from benchmarks.photos.drawn import simulate_drawn
from benchmarks.photos.shot import KINDS, PUBLISHED, Picture, simulate
from benchmarks.photos.tables import NOT_TABLES, simulate_other
from benchmarks.report import Seconds, heading, line, quantile

TIMED: Final = 9  # photos of 12 megapixels that are timed, of each kind
ROUNDS: Final = 2  # how often each is read
# Seeds of tables as people draw them, and of what is none
TABLES, OTHERS = 9206, 20001
PIXELS: Final = 12_000_000


def report(folder: Path) -> None:
    """Prints processor times of a warm process.

    Args:
        folder: of the handwriting.
    """
    import cv2

    from companion.vision.reading import read

    heading(
        "reading: cost",
        "processor time of a photo of 12 MP in one thread",
        "own pad ≤ 110 ms, six ≤ 3.5 ×, publisher's sheet ≤ 350 ms, none ≤ 400 ms; tables ≤ 3 s",
    )

    cv2.setNumThreads(1)
    for name, jpegs in _photos(folder).items():
        read(jpegs[0])
        spent, decoding = _spent(jpegs, read), _spent(jpegs, _decode)
        figures = median(spent), quantile(spent, 0.9), max(spent)
        line(
            f"12 MP, {name}: median / p90 / most",
            " / ".join(f"{seconds * 1000:.0f}" for seconds in figures) + " ms",
            f"{median(spent) / median(decoding):.2f} × Pillow's decoding",
        )


def _photos(folder: Path) -> Mapping[str, list[bytes]]:
    """The JPEGs of each kind that is timed."""
    import numpy as np

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

    published = photos(PUBLISHED)
    drawn = [simulate_drawn(kind, TABLES, folder).jpeg for kind in [*DRAWN][::3]]
    others = [simulate_other(kind, OTHERS, folder) for kind in NOT_TABLES]
    pictures = {
        "one own pad": photos(KINDS),
        "six own pads": photos(KINDS, 2, 6),
        "one publisher's sheet": published,
        "no sheet": [np.ascontiguousarray(photo[:, ::-1]) for photo in published],
        "one drawn table": [_enlarged(jpeg) for jpeg in drawn],
        "no table": [_enlarged(jpeg) for jpeg in others],
    }
    return {name: [_jpeg(picture) for picture in some] for name, some in pictures.items()}


def _jpeg(picture: Picture) -> bytes:
    import cv2

    _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
    return coded.tobytes()


def _enlarged(jpeg: bytes) -> Picture:
    """A small photo at the size of others."""
    import cv2
    import numpy as np

    photo = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    factor = (PIXELS / photo[..., 0].size) ** 0.5
    large = cv2.resize(photo, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    return np.asarray(large, np.uint8)


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
