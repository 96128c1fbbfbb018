"""Opens a photo safely: upright, in gray or colour, at the size asked for.

`containers` parses the file. Nothing here finds or reads a sheet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from companion.core.words import N_
from companion.vision.core import MAX_PHOTO_BYTES
from companion.vision.pictures.containers import ImageFile, damaged, inspect, refuse

if TYPE_CHECKING:
    # Only for types: a refusal must not wait for these libraries to load.
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

    Array: TypeAlias = npt.NDArray[np.uint8]

MIN_SIDE: Final = 64  # Pixels of the shorter side; no pad can be read in a smaller picture
# A PNG, WebP or HEIC up to this size is decoded once and cached; a larger one is cached halved
CACHED_PIXELS: Final = 16_000_000
REDUCTIONS: Final = (1, 2, 4, 8)  # The factors by which a picture can be reduced
# About how many pixels a kept photo's longer side has; enough to read several sheets by eye
KEPT_SIDE: Final = 2400
KEPT_QUALITY: Final = 80  # Quality of a kept photo's JPEG, 0 to 100


class Picture:
    """A photo whose file was parsed but not decoded; decoding can still raise `Unreadable`.

    Not safe for use by two threads at the same time.
    """

    def __init__(self, file: ImageFile) -> None:
        self._source = file.source
        self._turn = _TURNS.get(file.orientation, _TURNS[1])
        width, height = file.size
        # Width and height, upright, at full size
        self.size: Final = (height, width) if self._turn.swaps else (width, height)
        self._cached_at: Final = 1 if width * height <= CACHED_PIXELS else 2
        # A picture that is no JPEG, upright and reduced by `_cached_at`
        self._cached: Image.Image | None = None

    def gray(self, reduce: int) -> Array:
        """The upright picture in gray, reduced by one of `REDUCTIONS`.

        A picture of more than `CACHED_PIXELS` that is not a JPEG is reduced by at least 2.

        Each pixel is the mean of exactly `reduce` × `reduce` pixels of the full size, or of fewer
        at an edge; `offset` is where the first one begins.

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
        grid = reduce if isinstance(self._source, bytes) else self._cached_at
        width, height = self.size
        return (
            -(-width % grid) if self._turn.flips_x else 0,
            -(-height % grid) if self._turn.flips_y else 0,
        )

    def _array(self, reduce: int, *, gray: bool) -> Array:
        import cv2
        import numpy as np

        try:
            if isinstance(self._source, bytes):
                # By OpenCV, because Pillow needs a third more time to hand over colours.
                kind = "GRAYSCALE" if gray else "COLOR"
                how = f"IMREAD_{kind}" if reduce == 1 else f"IMREAD_REDUCED_{kind}_{reduce}"
                flags = getattr(cv2, how) | cv2.IMREAD_IGNORE_ORIENTATION
                raw = np.frombuffer(self._source, np.uint8)
                return _turned(np.asarray(cv2.imdecode(raw, flags), np.uint8), self._turn)
            if self._cached is None:
                self._cached = _upright(self._source, self._turn, self._cached_at)
                self._source.close()
            shown = self._cached.convert("L" if gray else "RGB")
            pixels = np.array(shown.reduce(reduce // self._cached_at))
            return pixels if gray else np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), np.uint8)
        except MemoryError:
            refuse(
                "too-many-pixels",
                N_("This computer does not have enough memory to open this picture."),
            )
        except Exception as error:
            # Decoders raise all kinds of errors: OSError, SyntaxError, struct.error, cv2.error …
            raise damaged() from error


def open_picture(data: bytes) -> Picture:
    """Parses a file by its content, whatever its name is, without decoding it.

    Raises:
        Unreadable: with a code of `empty`, `not-an-image`, `wrong-format`, `too-many-bytes`,
            `too-many-pixels`, `too-small`, `truncated` or `damaged`.
    """
    if not data:
        refuse("empty", N_("The file is empty."))
    if len(data) > MAX_PHOTO_BYTES:
        text = N_("The file is larger than %(most)s MB.")
        refuse("too-many-bytes", text, {"most": MAX_PHOTO_BYTES // 1024 // 1024})
    file = inspect(data)
    width, height = file.size
    if min(width, height) < MIN_SIDE:
        text = N_(
            "The picture has only %(width)s × %(height)s pixels; that is too small to read a sheet."
        )
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


# From a decoder's output to the requested picture


@dataclass(frozen=True)
class _Turn:
    """The transformation that makes a stored picture upright."""

    swaps: bool = False  # width and height are exchanged
    # The left edge of the upright picture is stored at the end of its row or column
    flips_x: bool = False
    # The upper edge of the upright picture is stored at the end of its row or column
    flips_y: bool = False


# EXIF orientation → transformation
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


def _upright(source: Image.Image, turn: _Turn, reduce: int) -> Image.Image:
    """The picture reduced and upright, in gray (L) or RGB."""
    import numpy as np
    from PIL import Image

    is_gray = source.mode.startswith(("1", "L", "I"))
    shown = _on_white(source).convert("L" if is_gray else "RGB")
    return Image.fromarray(_turned(np.asarray(shown.reduce(reduce)), turn))


def _turned(stored: Array, turn: _Turn) -> Array:
    import cv2
    import numpy as np

    upright = cv2.transpose(stored) if turn.swaps else stored
    if turn.flips_x:
        upright = cv2.flip(upright, 1)
    if turn.flips_y:
        upright = cv2.flip(upright, 0)
    return np.asarray(upright, np.uint8)


def _on_white(image: Image.Image) -> Image.Image:
    """The picture with transparency on white, in a mode that Pillow converts to L and RGB."""
    import numpy as np
    from PIL import Image

    if image.mode.startswith("I"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        clear = image.convert("RGBA")
        image = Image.new("RGB", clear.size, "white")
        image.paste(clear, mask=clear.getchannel("A"))
    elif image.mode == "P":
        image = image.convert("RGB")
    return image
