"""Opens a photo safely: what it is, how large, which way up, and its pixels at the size asked for.

A file's own structure is read here, in Python, before any decoder sees it. A decoder then gets a
copy with nothing but the parts that make up the first picture: no EXIF, place, profile, text or
preview survives, and a bomb in one of those is never opened. Nothing here finds or reads a sheet.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

from companion.games.core import N_, Sentence
from companion.vision.core import Unreadable

if TYPE_CHECKING:
    # Loaded when a picture is decoded, so that a refusal costs next to nothing.
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

    Array: TypeAlias = npt.NDArray[np.uint8]

MAX_BYTES: Final = 40 * 1024 * 1024
"""Of a file. A photo of 48 megapixels has 10 to 25 MB, one of 12 megapixels 3 to 8 MB."""
MAX_PIXELS: Final = 64_000_000
"""Of a picture. Phones make up to 50 megapixels (8160 × 6120); those of 108 or 200 join them."""
MIN_SIDE: Final = 64
"""Array. No pad can be read in less."""
MAX_SEGMENTS: Final = 50_000
"""Of a file. PNGs have the most: one for each 8 kB as a rule."""
MAX_SCANS: Final = 64
"""Of a progressive JPEG, which is decoded once for each. Ten are usual."""
KEPT_PIXELS: Final = 16_000_000
"""A PNG, WebP or HEIC up to this size is decoded once and kept; a larger one is kept halved."""
STRIP_PIXELS: Final = 1 << 20
"""A decoded picture is converted in strips of about this size, to hold it only once."""
REDUCTIONS: Final = (1, 2, 4, 8)


class Picture:
    """A photo that has been looked at but not decoded; decoding can still raise `Unreadable`.

    Not to be used by two threads at the same time.
    """

    def __init__(self, found: _Found) -> None:
        self._found = found
        self._turn = _TURNS.get(found.orientation, _TURNS[1])
        self._kept: tuple[int, Array] | None = None
        width, height = found.size
        self.size: Final = (height, width) if self._turn.swaps else (width, height)
        """Width and height, upright, at full size."""
        self.mime: Final = found.mime
        """As in `Content-Type`, from the content: "image/jpeg"."""

    def gray(self, reduce: int) -> Array:
        """The upright picture in gray, smaller by 1, 2, 4 or 8.

        A pixel is exactly `reduce` × `reduce` pixels of the full size, at the right and lower edge
        what is left of them; `offset` says where the first one begins.

        Returns:
            uint8 of shape (height, width), both divided by `reduce` and rounded up.

        Raises:
            Unreadable: the file breaks off or is damaged.
        """
        return self._array(reduce, gray=True)

    def color(self, reduce: int) -> Array:
        """As `gray`, of shape (height, width, 3): blue, green and red, as OpenCV has them."""
        return self._array(reduce, gray=False)

    def offset(self, reduce: int) -> tuple[int, int]:
        """Where the first pixel of `gray(reduce)` begins at full size; 0 to 7 pixels outside it.

        A JPEG is reduced as it is stored. Turned upright, its incomplete pixels at the right and
        lower edge can come to lie on the left or at the top. So x at full size is
        `x * reduce + offset(reduce)[0]`, with x counted from the left edge of the first pixel.
        """
        grid = reduce if self._found.reduces else min(reduce, self._kept_at)
        width, height = self.size
        return (
            -(-width % grid) if self._turn.flips_x else 0,
            -(-height % grid) if self._turn.flips_y else 0,
        )

    @property
    def _kept_at(self) -> int:
        return 1 if self.size[0] * self.size[1] <= KEPT_PIXELS else 2

    def _array(self, reduce: int, *, gray: bool) -> Array:
        if reduce not in REDUCTIONS:
            raise ValueError(f"a picture is reduced by one of {REDUCTIONS}, not by {reduce}")
        try:
            if self._found.reduces or reduce < self._kept_at:
                return self._decoded(reduce, gray)
            if self._kept is None:
                self._kept = (self._kept_at, self._decoded(self._kept_at, gray=None))
            at, kept = self._kept
            return _laid_out(kept, _TURNS[1], reduce // at, gray)
        except Unreadable:
            raise
        except MemoryError:
            _refuse("too-many-pixels", N_("This machine lacks the memory to open this picture."))
        except Exception as error:
            # Decoders raise whatever comes to them: OSError, SyntaxError, struct.error, cv2.error …
            raise _damaged() from error

    def _decoded(self, reduce: int, gray: bool | None) -> Array:
        decoded, left, _owner = self._found.decode(reduce, gray is True)
        done = reduce // left
        if _size(decoded) != tuple(-(-side // done) for side in self._found.size):
            raise _damaged()  # it lied about its size
        return _laid_out(decoded, self._turn, left, gray)


def open_picture(data: bytes) -> Picture:
    """Looks at a file's content, whatever its name is, and decodes nothing yet.

    Raises:
        Unreadable: with a code of `empty`, `not-an-image`, `wrong-format`, `too-many-bytes`,
            `too-many-pixels`, `too-small`, `truncated` or `damaged`.
    """
    if not data:
        _refuse("empty", N_("The file is empty."))
    if len(data) > MAX_BYTES:
        _too_many_bytes()
    found = _look(data)
    width, height = found.size
    _check_pixels(width, height)
    if min(width, height) < MIN_SIDE:
        text = N_("The picture has only %(width)s × %(height)s pixels; no sheet can be read in it.")
        _refuse("too-small", text, {"width": width, "height": height})
    return Picture(found)


def _too_many_bytes() -> NoReturn:
    text = N_("The file is larger than %(most)s MB.")
    _refuse("too-many-bytes", text, {"most": MAX_BYTES // 1024 // 1024})


def _check_pixels(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        text = N_("The picture has %(width)s × %(height)s pixels; %(most)s million are the most.")
        values = {"width": width, "height": height, "most": MAX_PIXELS // 1_000_000}
        _refuse("too-many-pixels", text, values)


def _refuse(code: str, text: str, values: Mapping[str, object] | None = None) -> NoReturn:
    raise Unreadable(code, Sentence(text, values or {}))


def _truncated() -> NoReturn:
    _refuse("truncated", N_("The picture breaks off: the end of the file is missing."))


def _damaged() -> Unreadable:
    return Unreadable("damaged", Sentence(N_("The picture is damaged and cannot be opened.")))


# What a file is


Decode: TypeAlias = "Callable[[int, bool], tuple[Image.Image | Array, int, object]]"
"""(reduce, gray) → the picture as it is stored, by how much it has still to be reduced, and what
owns its memory: to be held as long as the picture is looked at.
An array is gray, or blue, green and red; either perhaps with alpha."""


@dataclass(frozen=True)
class _Found:
    """A picture in a file."""

    mime: str
    size: tuple[int, int]
    """As it is stored, not yet upright."""
    orientation: int
    """As in EXIF: 1 to 8. Whatever else is 1."""
    decode: Decode
    reduces: bool = False
    """Whether `decode` itself reduces, at next to no cost."""


def _look(data: bytes) -> _Found:
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    if data[:8] == _PNG:
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    brand = _brand(data)
    if brand in _HEIC_BRANDS:
        return _heic(data)
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for name, signs in _OTHERS.items():
        if start.startswith(signs) or brand in signs:
            text = N_(
                "This is a file of type %(format)s. Photos can be JPEG, PNG, WebP or HEIC files."
            )
            _refuse("wrong-format", text, {"format": name})
    _refuse("not-an-image", N_("This is no picture. Photos can be JPEG, PNG, WebP or HEIC files."))


def _brand(data: bytes) -> bytes:
    """What kind of HEIF file it is; AVIF may call itself by the family's name."""
    if data[4:8] != b"ftyp":
        return b""
    is_avif = data[8:12] in (b"mif1", b"msf1") and b"avif" in data[12:64]
    return b"avif" if is_avif else data[8:12]


_OTHERS: Final[Mapping[str, tuple[bytes, ...]]] = {
    "GIF": (b"gif87a", b"gif89a"),
    "TIFF": (b"ii*\0", b"mm\0*", b"ii+\0", b"mm\0+"),
    "BMP": (b"bm",),
    "PDF": (b"%pdf-",),
    "SVG": (b"<svg",),
    "XML": (b"<?xml",),
    "HTML": (b"<!doctype html", b"<html"),
    "PSD": (b"8bps",),
    "JPEG 2000": (b"\0\0\0\x0cjp", b"\xff\x4f\xff\x51"),
    "JPEG XL": (b"\xff\x0a", b"\0\0\0\x0cjxl"),
    "AVIF": (b"avif", b"avis"),
    "ZIP": (b"pk\x03\x04",),
}
"""What a file begins with, in lower case, or its brand; only to say it in the refusal."""


def _orientation(exif: bytes) -> int:
    """From an EXIF block, with or without its "Exif" before it; 1 when anything is odd."""
    exif = exif.removeprefix(b"Exif\0\0")
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(order + "L", exif, 4)
        (count,) = struct.unpack_from(order + "H", exif, start)
        for place in range(start + 2, start + 2 + 12 * min(count, 1000), 12):
            tag, kind, _, value = struct.unpack_from(order + "HHLH", exif, place)
            if tag == 0x0112 and kind == 3:
                return int(value) if value in _TURNS else 1
    except struct.error:
        pass
    return 1


# JPEG

_SCAN: Final = 0xDA
_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ENDING: Final = re.compile(rb"\xff\xd9")
"""Found in a third of the time that `bytes.find` takes."""
_SEQUENTIAL: Final = frozenset({0xC0, 0xC1})
_NEEDED: Final = frozenset({0xC4, 0xCC, 0xDB, 0xDD, 0xE0, 0xEE})
"""Tables, JFIF and Adobe's word on the colours. All others, from EXIF to a second picture, go."""


def _jpeg(data: bytes) -> _Found:
    parts, size, orientation = [b"\xff\xd8"], None, None
    is_progressive, colors = False, 0
    for place, marker, end in _jpeg_segments(data):
        if marker in _FRAMES:
            if size is not None or end - place < 10:
                raise _damaged()
            height, width = struct.unpack_from(">HH", data, place + 5)
            size = (width, height)
            is_progressive, colors = marker not in _SEQUENTIAL, data[place + 9]
        elif marker == 0xE1 and orientation is None and data[place + 4 : place + 10] == b"Exif\0\0":
            orientation = _orientation(data[place + 4 : end])
        if marker in _NEEDED or marker in _FRAMES:
            parts.append(data[place:end])
        elif marker == _SCAN:
            # Between here and the end this pair of bytes is in no picture's data.
            ending = _ENDING.search(data, end)
            if ending is None:
                _truncated()
            last = ending.start()
            # One scan with all the colours (their number follows its length) is the whole picture.
            is_whole = not is_progressive and data[place + 4] == colors
            if size is None or (not is_whole and data.count(b"\xff\xda", end, last) >= MAX_SCANS):
                raise _damaged()
            parts.append(data[place : last + 2])
            clean = b"".join(parts)
            return _Found("image/jpeg", size, orientation or 1, _jpeg_decoder(clean), reduces=True)
    raise _damaged()


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Where each begins, its marker and where it ends, up to the first scan."""
    place = 2
    for _ in range(MAX_SEGMENTS):
        place = data.find(b"\xff", place)
        while data[place + 1 : place + 2] == b"\xff":
            place += 1
        if place < 0 or place + 4 > len(data):
            _truncated()
        marker = data[place + 1]
        if marker in (0x00, 0x01) or 0xD0 <= marker <= 0xD8:
            place += 2
            continue
        end = place + 2 + int.from_bytes(data[place + 2 : place + 4])
        if marker == 0xD9 or end < place + 4:
            raise _damaged()
        if end > len(data):
            _truncated()
        yield place, marker, end
        place = end
    raise _damaged()


def _jpeg_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Image.Image, int, object]:
        from PIL.JpegImagePlugin import JpegImageFile

        image = JpegImageFile(io.BytesIO(clean))
        width, height = image.size
        # Decoded small, and for gray without the colours, by libjpeg itself.
        image.draft("L" if gray else None, (max(width // reduce, 1), max(height // reduce, 1)))
        image.load()
        return image, 1, None

    return decode


# PNG

_PNG: Final = b"\x89PNG\r\n\x1a\n"


def _png(data: bytes) -> _Found:
    if data[12:16] != b"IHDR" or data[8:12] != b"\0\0\0\x0d":
        raise _damaged()
    if len(data) < 33:
        _truncated()
    width, height, depth = struct.unpack_from(">LLB", data, 16)
    needed = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}
    if depth <= 8:
        # Pillow gives 16 bits as 8, where a transparent colour of 16 bits has no meaning.
        needed.add(b"tRNS")
    parts, orientation, place = [_PNG], 1, 8
    for _ in range(MAX_SEGMENTS):
        if place + 12 > len(data):
            _truncated()
        kind = data[place + 4 : place + 8]
        end = place + 12 + int.from_bytes(data[place : place + 4])
        if end > len(data):
            _truncated()
        if kind in needed:
            parts.append(data[place:end])
        elif kind == b"eXIf":
            orientation = _orientation(data[place + 8 : end - 4])
        if kind == b"IEND":
            return _Found("image/png", (width, height), orientation, _png_decoder(b"".join(parts)))
        place = end
    raise _damaged()


def _png_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Image.Image, int, object]:
        from PIL.PngImagePlugin import PngImageFile

        image = PngImageFile(io.BytesIO(clean))
        image.load()
        return image, reduce, None

    return decode


# WebP


def _webp(data: bytes) -> _Found:
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data) + 1:  # some writers count a padding byte that they do not write
        _truncated()
    chunks: dict[bytes, bytes] = {}
    orientation = 1
    for name, body in _riff_chunks(data[12:end]):
        if name == b"ANMF" and not chunks.keys() & _WEBP_PICTURES:
            # A moving picture is read by its first frame.
            chunks.update(dict(reversed([*_riff_chunks(body[16:])])))
        elif name == b"EXIF":
            orientation = _orientation(body)
        else:
            chunks.setdefault(name, body)
    lossy, lossless = chunks.get(b"VP8 "), chunks.get(b"VP8L")
    if lossy is not None:
        if len(lossy) < 10 or lossy[3:6] != b"\x9d\x01\x2a":
            raise _damaged()
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", lossy, 6))
        clean = _riff_chunk(b"VP8 ", lossy)
        if (alpha := chunks.get(b"ALPH")) is not None:
            if not width or not height:
                raise _damaged()
            sides = ((side - 1).to_bytes(3, "little") for side in (width, height))
            head = struct.pack("<L", 0x10) + b"".join(sides)
            clean = _riff_chunk(b"VP8X", head) + _riff_chunk(b"ALPH", alpha) + clean
    elif lossless is not None:
        if len(lossless) < 5 or lossless[0] != 0x2F:
            raise _damaged()
        bits = int.from_bytes(lossless[1:5], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        clean = _riff_chunk(b"VP8L", lossless)
    else:
        raise _damaged()
    decode = _webp_decoder(_riff_chunk(b"RIFF", b"WEBP" + clean))
    return _Found("image/webp", (width, height), orientation, decode)


_WEBP_PICTURES: Final = frozenset({b"VP8 ", b"VP8L"})


def _riff_chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 0
    for _ in range(MAX_SEGMENTS):
        if place + 8 > len(body):
            return
        size = int.from_bytes(body[place + 4 : place + 8], "little")
        if place + 8 + size > len(body):
            _truncated()
        yield body[place : place + 4], body[place + 8 : place + 8 + size]
        place += 8 + size + size % 2
    raise _damaged()


def _riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<L", len(body)) + body + b"\0" * (len(body) % 2)


def _webp_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Array, int, object]:
        # Pillow holds a WebP four times over, at 4 bytes a pixel.
        import cv2
        import numpy as np

        array = cv2.imdecode(np.frombuffer(clean, np.uint8), cv2.IMREAD_UNCHANGED)
        if array is None:
            raise _damaged()
        return array.astype(np.uint8, copy=False), reduce, None

    return decode


# HEIC

_HEIC_BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)

_HEIC_SIZE: Final = re.compile(rb"\0\0\0\x14ispe\0\0\0\0(.{8})", re.DOTALL)
"""A coded picture's size. The file's own can be a small piece of that; libheif decodes no larger
picture than it says here."""


def _heic(data: bytes) -> _Found:
    place = 0
    for _ in range(MAX_SEGMENTS):
        if place == len(data):
            break
        size, wide = (int.from_bytes(data[place + at : place + to]) for at, to in ((0, 4), (8, 16)))
        size = {0: len(data) - place, 1: wide}.get(size, size)
        if size < 8:
            raise _damaged()
        if place + size > len(data):
            _truncated()
        if data[place + 4 : place + 8] == b"meta":
            for match in _HEIC_SIZE.finditer(data, place, place + size):
                _check_pixels(*struct.unpack(">LL", match[1]))
        place += size
    import pillow_heif

    try:
        file = pillow_heif.open_heif(data, convert_hdr_to_8bit=True, bgr_mode=True)
        width, height = file.size
    except Exception as error:
        raise _damaged() from error

    def decode(reduce: int, gray: bool) -> tuple[Array, int, object]:
        import numpy as np

        file = pillow_heif.open_heif(data, convert_hdr_to_8bit=True, bgr_mode=True)
        array = np.asarray(file[file.primary_index])
        # Its rows may be filled up. The array is a view that keeps nothing alive.
        return array[:, : file.size[0]], reduce, file

    # libheif itself turns the picture as the file says; what EXIF says beside that is not for us.
    return _Found("image/heic", (width, height), 1, decode)


# From what a decoder gave to what was asked for


@dataclass(frozen=True)
class _Turn:
    """What makes a stored picture upright."""

    method: str | None
    """The name in Pillow's `Image.Transpose`."""
    swaps: bool = False
    """Its height becomes its width."""
    flips_x: bool = False
    """What is upright on the left is stored at the end of its row or column."""
    flips_y: bool = False


_TURNS: Final[Mapping[int, _Turn]] = {
    1: _Turn(None),
    2: _Turn("FLIP_LEFT_RIGHT", flips_x=True),
    3: _Turn("ROTATE_180", flips_x=True, flips_y=True),
    4: _Turn("FLIP_TOP_BOTTOM", flips_y=True),
    5: _Turn("TRANSPOSE", swaps=True),
    6: _Turn("ROTATE_270", swaps=True, flips_x=True),
    7: _Turn("TRANSVERSE", swaps=True, flips_x=True, flips_y=True),
    8: _Turn("ROTATE_90", swaps=True, flips_y=True),
}
"""EXIF's orientation → what to do."""


def _laid_out(source: Image.Image | Array, turn: _Turn, reduce: int, gray: bool | None) -> Array:
    """The picture reduced and upright, strip by strip; `gray` None keeps a gray one gray."""
    import numpy as np
    from PIL import Image

    width, height = _size(source)
    if gray is None:
        gray = _is_gray(source)
    across, down = -(-width // reduce), -(-height // reduce)
    shape = (across, down) if turn.swaps else (down, across)
    upright = np.empty(shape if gray else (*shape, 3), np.uint8)
    rows = max(STRIP_PIXELS // width // 8, 1) * 8
    for top in range(0, height, rows):
        bottom = min(top + rows, height)
        strip = _strip(source, top, bottom)
        strip = strip.convert("L" if gray else "RGB")
        if reduce > 1:
            strip = strip.reduce(reduce)
        if turn.method is not None:
            strip = strip.transpose(Image.Transpose[turn.method])
        first, last = top // reduce, -(-bottom // reduce)
        if turn.flips_x if turn.swaps else turn.flips_y:
            first, last = down - last, down - first
        place = np.s_[:, first:last] if turn.swaps else np.s_[first:last]
        upright[place] = np.asarray(strip) if gray else np.asarray(strip)[..., ::-1]
    return upright


def _size(source: Image.Image | Array) -> tuple[int, int]:
    """Width and height."""
    from PIL import Image

    if isinstance(source, Image.Image):
        return source.size
    return source.shape[1], source.shape[0]


def _is_gray(source: Image.Image | Array) -> bool:
    from PIL import Image

    if isinstance(source, Image.Image):
        return source.mode in ("1", "L", "LA", "I", "I;16", "I;16B", "I;16L")
    return source.ndim == 2


def _strip(source: Image.Image | Array, top: int, bottom: int) -> Image.Image:
    """Some rows, on white where they are transparent, of mode L, RGB or any that converts well."""
    import numpy as np
    from PIL import Image

    if isinstance(source, Image.Image):
        strip = source.crop((0, top, source.width, bottom))
        if strip.mode.startswith("I"):
            return Image.fromarray((np.asarray(strip) >> 8).astype(np.uint8))
    else:
        rows = source[top:bottom]
        if rows.ndim == 2:
            return Image.fromarray(np.ascontiguousarray(rows))
        mode, raw = {2: ("LA", "LA"), 3: ("RGB", "BGR"), 4: ("RGBA", "BGRA")}[rows.shape[2]]
        strip = Image.frombytes(mode, _size(rows), rows.tobytes(), "raw", raw)
    if strip.mode in ("RGBA", "LA", "PA") or "transparency" in strip.info:
        clear = strip.convert("RGBA")
        strip = Image.new("RGB", clear.size, "white")
        strip.paste(clear, mask=clear.getchannel("A"))
    elif strip.mode == "P":
        strip = strip.convert("RGB")
    return strip
