"""Opens a photo safely: upright, in gray or colour, at the size asked for.

`containers` parses the file. Nothing here finds or reads a sheet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

from companion.core.words import N_
from companion.vision.core import MAX_PHOTO_BYTES, Unreadable
from companion.vision.pictures.containers import (
    ImageFile,
    check_pixels,
    damaged,
    image_of,
    inspect,
    refuse,
)

if TYPE_CHECKING:
    # Only for types: a refusal must not wait for these libraries to load.
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

    Array: TypeAlias = npt.NDArray[np.uint8]

MIN_SIDE: Final = 64
"""Pixels of the shorter side; no pad can be read in a smaller picture."""
CACHED_PIXELS: Final = 16_000_000
"""A PNG, WebP or HEIC up to this size is decoded once and cached; a larger one is cached halved."""
STRIP_PIXELS: Final = 1 << 20
"""Decoded pictures are converted in strips of about this size, to hold them only once."""
REDUCTIONS: Final = (1, 2, 4, 8)
"""The factors by which a picture can be reduced."""
KEPT_SIDE: Final = 2400
"""Pixels of a kept photo's longer side, about; enough to read several sheets by eye."""
KEPT_QUALITY: Final = 80
"""Quality of a kept photo's JPEG, 0 to 100."""


class Picture:
    """A photo whose file was parsed but not decoded; decoding can still raise `Unreadable`.

    Not safe for use by two threads at the same time.
    """

    def __init__(self, file: ImageFile) -> None:
        self._file = file
        self._turn = _TURNS.get(file.orientation, _TURNS[1])
        self._cached: Image.Image | None = None
        """The upright picture, reduced by `_cached_at`, of a file that is not reduced cheaply."""
        width, height = file.size
        self.size: Final = (height, width) if self._turn.swaps else (width, height)
        """Width and height, upright, at full size."""
        self.mime: Final = file.mime
        """The media type according to the content, such as "image/jpeg"."""

    def gray(self, reduce: int) -> Array:
        """The upright picture in gray, reduced by one of `REDUCTIONS`.

        Each pixel is the mean of exactly `reduce` × `reduce` pixels of the full size, or of fewer
        at an edge; `offset` tells where the first one begins.

        Returns:
            uint8 of shape (height, width), both divided by `reduce` and rounded up.

        Raises:
            Unreadable: the file is truncated or damaged, or memory is lacking.
        """
        return self._array(reduce, gray=True)

    def color(self, reduce: int) -> Array:
        """The upright picture in colour, BGR of shape (height, width, 3); otherwise as `gray`."""
        return self._array(reduce, gray=False)

    def offset(self, reduce: int) -> tuple[int, int]:
        """The (x, y) at which the first pixel of `gray(reduce)` begins at full size, -7 to 0.

        A JPEG is reduced as it is stored. When it is turned upright, the incomplete pixels of its
        right and lower edges can come to lie on the left or at the top. So x at full size is
        `x * reduce + offset(reduce)[0]`, where x counts from the left edge of the first pixel.
        """
        grid = reduce if self._file.reduces else min(reduce, self._cached_at)
        width, height = self.size
        return (
            -(-width % grid) if self._turn.flips_x else 0,
            -(-height % grid) if self._turn.flips_y else 0,
        )

    @property
    def _cached_at(self) -> int:
        return 1 if self.size[0] * self.size[1] <= CACHED_PIXELS else 2

    def _array(self, reduce: int, *, gray: bool) -> Array:
        if reduce not in REDUCTIONS:
            raise ValueError(f"a picture is reduced by one of {REDUCTIONS}, not by {reduce}")
        try:
            if self._file.reduces or reduce < self._cached_at:
                return self._decoded(reduce, gray)
            if self._cached is None:
                self._cached = image_of(self._decoded(self._cached_at, gray=None))
            return _laid_out(self._cached, _TURNS[1], reduce // self._cached_at, gray)
        except Unreadable:
            raise
        except MemoryError:
            refuse("too-many-pixels", N_("This machine lacks the memory to open this picture."))
        except Exception as error:
            # Decoders raise all kinds of errors: OSError, SyntaxError, struct.error, cv2.error …
            raise damaged() from error

    def _decoded(self, reduce: int, gray: bool | None) -> Array:
        from PIL import Image

        done = reduce if self._file.reduces else 1
        stored = self._file.decode(done, gray is True)
        size = stored.size if isinstance(stored, Image.Image) else stored.shape[1::-1]
        if size != tuple(-(-side // done) for side in self._file.size):
            raise damaged()  # the header was wrong about the size
        if isinstance(stored, Image.Image):
            return _laid_out(stored, self._turn, reduce, gray)
        return _turned(stored, self._turn)


def open_picture(data: bytes) -> Picture:
    """Parses a file by its content, whatever its name is, without decoding it.

    Raises:
        Unreadable: with a code of `empty`, `not-an-image`, `wrong-format`, `too-many-bytes`,
            `too-many-pixels`, `too-small`, `truncated` or `damaged`.
    """
    if not data:
        refuse("empty", N_("The file is empty."))
    if len(data) > MAX_PHOTO_BYTES:
        _too_many_bytes()
    file = inspect(data)
    width, height = file.size
    check_pixels(width, height)
    if min(width, height) < MIN_SIDE:
        text = N_("The picture has only %(width)s × %(height)s pixels; no sheet can be read in it.")
        refuse("too-small", text, {"width": width, "height": height})
    return Picture(file)


def kept_jpeg(data: bytes) -> bytes:
    """The photo as a new JPEG of about half a megabyte, upright and without metadata.

    Raises:
        Unreadable: as `open_picture`.
    """
    import cv2

    picture = open_picture(data)
    longer = max(picture.size)
    reduce = next((factor for factor in REDUCTIONS if longer / factor <= KEPT_SIDE), REDUCTIONS[-1])
    options = [cv2.IMWRITE_JPEG_QUALITY, KEPT_QUALITY]
    done, raw = cv2.imencode(".jpg", picture.color(reduce), options)
    return raw.tobytes() if done else b""


def _too_many_bytes() -> NoReturn:
    text = N_("The file is larger than %(most)s MB.")
    refuse("too-many-bytes", text, {"most": MAX_PHOTO_BYTES // 1024 // 1024})


# From a decoder's output to the picture that was asked for


@dataclass(frozen=True)
class _Turn:
    """The transformation that makes a stored picture upright."""

    swaps: bool = False
    """Width and height are exchanged."""
    flips_x: bool = False
    """The left edge of the upright picture is stored at the end of its row or column."""
    flips_y: bool = False
    """The upper edge of the upright picture is stored at the end of its row or column."""


_TURNS: Final[Mapping[int, _Turn]] = {
    1: _Turn(),
    2: _Turn(flips_x=True),
    3: _Turn(flips_x=True, flips_y=True),
    4: _Turn(flips_y=True),
    5: _Turn(swaps=True),
    6: _Turn(swaps=True, flips_x=True),
    7: _Turn(swaps=True, flips_x=True, flips_y=True),
    8: _Turn(swaps=True, flips_y=True),
}
"""EXIF orientation → transformation."""


def _laid_out(source: Image.Image, turn: _Turn, reduce: int, gray: bool | None) -> Array:
    """The picture reduced and upright, gray or BGR, converted strip by strip.

    Args:
        gray: whether the result is gray; if None, it is gray exactly if the source is.
    """
    import numpy as np

    is_gray = gray or (gray is None and source.mode.startswith(("1", "L", "I")))
    width, height = source.size
    across, down = -(-width // reduce), -(-height // reduce)
    shape = (across, down) if turn.swaps else (down, across)
    upright = np.empty(shape if is_gray else (*shape, 3), np.uint8)
    rows = max(STRIP_PIXELS // width // 8, 1) * 8
    for top in range(0, height, rows):
        bottom = min(top + rows, height)
        strip = source.crop((0, top, width, bottom))
        strip = _on_white(strip).convert("L" if is_gray else "RGB")
        if reduce > 1:
            strip = strip.reduce(reduce)
        pixels = _turned(np.asarray(strip), turn)
        first, last = top // reduce, -(-bottom // reduce)
        if turn.flips_x if turn.swaps else turn.flips_y:
            first, last = down - last, down - first
        place = np.s_[:, first:last] if turn.swaps else np.s_[first:last]
        upright[place] = pixels if is_gray else pixels[..., ::-1]
    return upright


def _turned(stored: Array, turn: _Turn) -> Array:
    """The picture upright."""
    import cv2
    import numpy as np

    upright = cv2.transpose(stored) if turn.swaps else stored
    if turn.flips_x or turn.flips_y:
        upright = cv2.flip(upright, 0 if not turn.flips_x else -1 if turn.flips_y else 1)
    return np.asarray(upright, np.uint8)


def _on_white(strip: Image.Image) -> Image.Image:
    """The picture with transparency on white, in a mode that Pillow converts to L and RGB."""
    import numpy as np
    from PIL import Image

    if strip.mode.startswith("I"):
        return Image.fromarray((np.asarray(strip) >> 8).astype(np.uint8))
    if strip.mode in ("RGBA", "LA", "PA") or "transparency" in strip.info:
        clear = strip.convert("RGBA")
        strip = Image.new("RGB", clear.size, "white")
        strip.paste(clear, mask=clear.getchannel("A"))
    elif strip.mode == "P":
        strip = strip.convert("RGB")
    return strip
