"""Every kind of photo opens upright and in the right colours; all other files are refused."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from companion.vision.core import Unreadable
from companion.vision.pictures import picture as pictures
from companion.vision.pictures.containers import MAX_PIXELS
from companion.vision.pictures.exif_time import HEAD_BYTES, taken_at
from companion.vision.pictures.picture import REDUCTIONS, open_picture
from companion.vision.pictures.scans import MOST_PAGES, PAGE_SIDE, is_scan, pages
from lab.photos.bad_pictures import (
    BAD,
    BAD_INSIDE,
    FINE,
    FORMATS,
    Array,
    encoded,
    exif,
    good,
    png,
    png_chunk,
    scene,
)

ROOT = Path(__file__).resolve().parents[3]
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""EXIF's orientation → how a camera that writes it stores an upright scene."""

each_format = pytest.mark.parametrize("kind", FORMATS)
each_orientation = pytest.mark.parametrize("orientation", STORED)


def bgr(picture: Array) -> Array:
    return picture[..., ::-1]


def luma(picture: Array) -> Array:
    return np.asarray(Image.fromarray(picture).convert("L"))


def off(picture: Array, other: Array) -> float:
    """How far two pictures are apart on average."""
    assert picture.shape == other.shape
    return float(np.abs(picture.astype(int) - other.astype(int)).mean())


@pytest.mark.parametrize("make", FINE.values(), ids=FINE.keys())
def test_files_that_show_the_scene_open(make: Callable[[], bytes]) -> None:
    picture = open_picture(make())
    assert picture.size == (203, 151)
    assert off(picture.color(1), bgr(scene())) < 1.5
    assert off(picture.gray(1), luma(scene())) < 1.5


@each_format
def test_a_picture_is_reduced_exactly_in_any_order_of_calls(kind: str) -> None:
    picture = open_picture(good(kind))
    for reduce in reversed(REDUCTIONS):
        small = np.asarray(Image.fromarray(scene()).reduce(reduce))
        gray, color = picture.gray(reduce), picture.color(reduce)
        assert color.dtype == gray.dtype == np.uint8
        assert off(color, bgr(small)) < 1.5
        assert off(gray, luma(small)) < 1.5
        assert picture.offset(reduce) == (0, 0)
        # Drawing on a picture does not change the next one.
        once, gray[:] = gray.copy(), 0
        assert np.array_equal(picture.gray(reduce), once)
        assert np.array_equal(open_picture(good(kind)).gray(reduce), once)


def turned(kind: str, orientation: int, order: str = "<") -> bytes:
    """A file of the scene as a camera that is held so stores it."""
    options: dict[str, Any] = {"quality": 95} if kind != "PNG" else {}
    image, method = Image.fromarray(scene()), STORED[orientation]
    stored = image if method is None else image.transpose(method)
    return encoded(kind, stored, exif=exif(orientation, order), **options)


@pytest.mark.parametrize(("kind", "order"), [*((kind, "<") for kind in FORMATS), ("PNG", ">")])
@each_orientation
def test_a_turned_picture_is_upright(kind: str, order: str, orientation: int) -> None:
    picture = open_picture(turned(kind, orientation, order))
    assert picture.size == (203, 151)
    limit = 0.001 if kind == "PNG" else 2
    for reduce in REDUCTIONS:
        gray, color = picture.gray(reduce), picture.color(reduce)
        assert gray.flags.c_contiguous
        assert color.flags.c_contiguous
        assert color.shape == (*gray.shape, 3)
    assert off(picture.color(1), bgr(scene())) < limit
    assert off(picture.gray(1), luma(scene())) < limit


@pytest.mark.parametrize("kept", [100, 10**9], ids=["large", "small"])
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
@each_orientation
def test_the_offset_says_where_the_first_pixel_begins(
    monkeypatch: pytest.MonkeyPatch, kind: str, orientation: int, kept: int
) -> None:
    monkeypatch.setattr(pictures, "CACHED_PIXELS", kept)
    picture = open_picture(turned(kind, orientation))
    for reduce in REDUCTIONS[1:]:
        color, (left, top) = picture.color(reduce), picture.offset(reduce)
        assert -reduce < left <= 0
        assert -reduce < top <= 0
        xs, ys = ((np.arange(side) + 0.5) * reduce - 0.5 for side in color.shape[1::-1])
        red, green = 255 * (xs + left) / 202, 255 * (ys + top) / 150
        # The outermost pixels may be incomplete.
        assert np.abs(color[2:-2, 2:-2, 2] - red[2:-2]).mean() < 1
        assert np.abs(color[2:-2, 2:-2, 1] - green[2:-2, np.newaxis]).mean() < 1


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "I;16"])
def test_every_kind_of_png_has_its_colours(mode: str) -> None:
    picture = Image.fromarray(np.full((80, 100, 3), 255, np.uint8))
    picture.paste((0, 0, 0), (0, 0, 50, 80))
    if mode == "I;16":
        wide = Image.fromarray(np.asarray(picture.convert("L")).astype(np.uint16) * 257)
        data = encoded("PNG", wide)
    elif mode == "PA":
        data = encoded("PNG", picture.quantize(2), transparency=bytes([255, 255]))
    else:
        data = encoded("PNG", picture.convert(mode))
    shown = open_picture(data)
    assert np.array_equal(shown.color(1), np.asarray(picture))
    assert np.array_equal(shown.gray(1), luma(np.asarray(picture)))


def test_sixteen_bits_are_neither_clipped_nor_black() -> None:
    ramp = np.linspace(0, 65535, 128).astype(np.uint16)
    data = encoded("PNG", Image.fromarray(np.tile(ramp, (70, 1))))
    assert np.array_equal(open_picture(data).gray(1)[0], ramp >> 8)
    rows = b"".join(b"\0" + struct.pack(">3H", 65535, 32768, 0) * 70 for _ in range(70))
    clear = png_chunk(b"tRNS", struct.pack(">3H", 65535, 32768, 0))
    for before in ([], [clear]):
        shown = open_picture(png(70, 70, 16, 2, zlib.compress(rows), *before))
        assert (shown.color(1) == (0, 128, 255)).all()


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "HEIC"])
@pytest.mark.parametrize("lossless", [True, False])
def test_transparent_pixels_become_white(kind: str, lossless: bool) -> None:
    clear = np.zeros((80, 100, 4), np.uint8)  # black under what is transparent
    clear[:, 50:] = (200, 0, 0, 255)
    options = {"lossless": lossless} if kind == "WEBP" else {}
    shown = open_picture(encoded(kind, Image.fromarray(clear, "RGBA"), **options))
    color = shown.color(1)
    assert off(color[:, :40], np.full((80, 40, 3), 255, np.uint8)) < 2
    assert off(color[:, 60:], np.tile(np.uint8([0, 0, 200]), (80, 40, 1))) < 6
    assert shown.gray(2)[5, 5] > 250


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_a_colour_that_stands_for_transparent_lies_on_white(mode: str) -> None:
    picture = Image.new("RGB", (80, 80), "black").convert(mode)
    clear: Any = (0, 0, 0) if mode == "RGB" else 0
    if mode == "P":
        clear = bytes(picture.getpixel((0, 0)) or 0) + b"\0"
    data = encoded("PNG", picture, transparency=clear)
    assert (open_picture(data).gray(1) == 255).all()
    assert (open_picture(data).color(2) == 255).all()


@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "HEIC"])
def test_gray_pictures_open(kind: str) -> None:
    shown = open_picture(encoded(kind, Image.fromarray(luma(scene())), quality=95))
    assert off(shown.gray(1), luma(scene())) < 2
    assert off(shown.color(2)[..., 0], shown.gray(2)) < 1


@pytest.mark.parametrize("is_progressive", [False, True])
def test_four_colour_jpegs_open(is_progressive: bool) -> None:
    inks = Image.fromarray(scene()).convert("CMYK")
    shown = open_picture(encoded("JPEG", inks, quality=95, progressive=is_progressive))
    assert off(shown.color(1), bgr(scene())) < 2
    assert off(shown.gray(1), luma(scene())) < 2


@pytest.mark.parametrize(("code", "make"), BAD.values(), ids=BAD.keys())
def test_files_other_than_photos_are_refused_before_decoding(
    code: str, make: Callable[[], bytes]
) -> None:
    with pytest.raises(Unreadable) as refused:
        open_picture(make())
    assert refused.value.code == code
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("make", BAD_INSIDE.values(), ids=BAD_INSIDE.keys())
def test_inner_damage_is_refused_when_it_is_decoded(make: Callable[[], bytes]) -> None:
    for decode in ("gray", "color"):
        with pytest.raises(Unreadable) as refused:
            getattr(open_picture(make()), decode)(4)
        assert refused.value.code in ("damaged", "truncated")


@each_format
def test_a_file_that_breaks_off_anywhere_is_refused(kind: str) -> None:
    data = good(kind)
    # The last bytes of a PNG hold no pixels.
    for length in range(1, len(data) - 24, max(len(data) // 60, 1)):
        with pytest.raises(Unreadable):
            picture = open_picture(data[:length])
            picture.gray(1)


def test_a_photo_of_fifty_megapixels_is_accepted() -> None:
    assert MAX_PIXELS >= 8160 * 6120
    with pytest.raises(Unreadable):
        open_picture(png(8000, 8001, 1, 0, b""))
    assert open_picture(png(8160, 6120, 1, 0, b"")).size == (8160, 6120)


def test_a_lack_of_memory_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(pictures, "_upright", lacking)
    with pytest.raises(Unreadable) as refused:
        open_picture(good("PNG")).gray(1)
    assert refused.value.code == "too-many-pixels"


# Damaged files either open or are refused with a sentence


WARNINGS = (b"Corrupt JPEG data: ", b"Premature end of JPEG file", b"Invalid SOS parameters")
"""Warnings that libjpeg itself prints, at most one a picture, when it continues."""


def test_three_hundred_mutations_open_or_are_refused() -> None:
    """They run in another process, because a crash of a decoder in C would end this one."""
    command = [sys.executable, "-W", "error", "-m", "lab.photos.bad_pictures", "300", "5"]
    ran = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    assert [line for line in ran.stderr.splitlines() if not line.startswith(WARNINGS)] == []


# The time at which a photo was taken: EXIF in a file's beginning, among other content


NOW = datetime(2026, 1, 1, tzinfo=UTC)
MODIFIED, ORIGINAL, IFD = 0x0132, 0x9003, 0x8769


def photo(original: str = "", modified: str = "") -> bytes:
    exif = Image.Exif()
    exif[MODIFIED], exif[IFD] = modified, {ORIGINAL: original} if original else {}
    return encoded("JPEG", scene(), exif=exif)


def test_the_time_of_the_photo_comes_from_the_camera() -> None:
    raw = photo("2025:03:01 20:15:30", modified="2025:05:02 10:00:00")
    expected = datetime(2025, 3, 1, 20, 15, 30).astimezone(UTC)
    assert taken_at(raw, NOW) == expected
    west = timezone(timedelta(hours=-8))
    assert taken_at(raw, NOW, west) == datetime(2025, 3, 1, 20, 15, 30, tzinfo=west)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"Exif\0\0",
        photo(),
        photo("2025:13:41 20:15:30"),
        photo("2027:03:01 20:15:30"),
        photo("    :  :     :  :  "),
        b"x" * HEAD_BYTES + photo("2025:03:01 20:15:30"),
    ],
)
def test_a_photo_without_a_valid_time_has_none(raw: bytes) -> None:
    assert taken_at(raw, NOW) is None


# The pages of a PDF become photos; what is no scan is refused


PAGE = (
    b"%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[%s]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 %s]/Contents 4 0 R"
    b"/Resources<</XObject<</I 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 22>>stream\n90 0 0 90 0 0 cm /I Do\nendstream endobj\n%s"
    b"trailer<</Root 1 0 R>>\n%%%%EOF"
)


def scan(*pictures: Image.Image) -> bytes:
    first, *others = pictures
    return encoded("PDF", first, save_all=True, append_images=others)


def by_hand(box: bytes = b"90 90", kids: bytes = b"3 0 R") -> bytes:
    """A PDF of one page with a picture."""
    packed = zlib.compress(bytes(300))
    picture = (
        b"5 0 obj<</Type/XObject/Subtype/Image/Width 10/Height 10/ColorSpace/DeviceRGB"
        b"/BitsPerComponent 8/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n"
        % (len(packed), packed)
    )
    return PAGE % (kids, box, picture)


def locked() -> bytes:
    keys = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>/ID[<00><00>]/Root"
    return scan(Image.fromarray(scene())).replace(b"/Root", keys % ((b"00" * 32,) * 2))


@pytest.mark.parametrize("mode", ["RGB", "L", "1"])
def test_a_page_is_the_picture_that_was_scanned(mode: str) -> None:
    picture = Image.fromarray(scene(800, 600)).convert(mode)
    ((page, count),) = pages(scan(picture))
    assert count == 1
    opened = open_picture(page)
    assert max(opened.size) == PAGE_SIDE
    shown = Image.fromarray(opened.color(1)[..., ::-1]).resize((80, 60))
    expected = picture.convert("RGB").resize((80, 60))
    assert np.abs(np.asarray(shown, int) - np.asarray(expected, int)).mean() < 2


def test_a_page_is_upright_and_of_one_size_against_any_claim() -> None:
    for box, turn, size in ((b"90 180", 90, (3508, 1754)), (b"9000 18000", 0, (1754, 3508))):
        data = by_hand(box).replace(b"/MediaBox", b"/Rotate %d/MediaBox" % turn)
        ((page, _),) = pages(data)
        assert open_picture(page).size == size


def test_ink_without_any_picture_is_drawn() -> None:
    """Pads that are filled in on a tablet have it in the page, or as a note on it."""
    line = b"9 w 0 45 m 90 45 l S     "
    note = (
        b"/Annots[<</Type/Annot/Subtype/Ink/Rect[0 40 90 50]/InkList[[0 45 90 45]]"
        b"/C[0 0 0]/BS<</W 9>>/F 4>>]/MediaBox"
    )
    inside = by_hand().replace(b"90 0 0 90 0 0 cm /I Do\n", line[:23])
    beside = by_hand().replace(b"/I Do", b"     ").replace(b"/MediaBox", note)
    for data in (inside, beside):
        ((page, _),) = pages(data)
        gray = open_picture(page).gray(8)
        rows = gray[len(gray) // 2], gray[len(gray) // 4]
        assert [round(float(row.mean())) for row in rows] == [0, 255]


def test_ten_of_eleven_pages_are_drawn() -> None:
    tones = range(0, 220, 20)
    drawn = [*pages(scan(*(Image.new("L", (90, 60), tone) for tone in tones)))]
    assert [count for _, count in drawn] == [11] * MOST_PAGES
    means = [round(float(open_picture(page).gray(8).mean())) for page, _ in drawn]
    assert means == [*tones][:MOST_PAGES]


REFUSED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a password": ("locked", locked),
    "no page": ("damaged", lambda: by_hand(kids=b"")),
    "a page that is its own parent": ("damaged", lambda: by_hand(kids=b"2 0 R")),
    "only its head": ("damaged", lambda: b"%PDF-1.7 x"),
    "no end": ("damaged", lambda: scan(Image.fromarray(scene()))[:-200]),
}


@pytest.mark.parametrize(("code", "make"), REFUSED.values(), ids=REFUSED)
def test_a_pdf_is_refused_with_a_sentence(code: str, make: Callable[[], bytes]) -> None:
    assert is_scan(make())
    with pytest.raises(Unreadable) as refused:
        list(pages(make()))
    assert refused.value.code == code
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("box", [b"0 0", b"1e30 1e30", b"-5 9"])
def test_a_page_without_a_size_gets_the_usual_one(box: bytes) -> None:
    ((page, _),) = pages(by_hand(box))
    assert max(open_picture(page).size) == PAGE_SIDE


def test_broken_pdfs_are_drawn_or_refused() -> None:
    """They run in another process, because a crash of PDFium would end this one."""
    command = [sys.executable, "-W", "error", "-m", __spec__.name, "200"]
    ran = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert (ran.returncode, ran.stdout) == (0, b"200\n"), ran.stderr.decode()


def _broken(count: int) -> None:
    chance, good = random.Random(7), by_hand()
    for _ in range(count):
        data = bytearray(good)
        for _ in range(chance.randint(1, 12)):
            data[chance.randrange(9, len(data))] = chance.randrange(256)
        try:
            for page, _ in pages(bytes(data)):
                open_picture(page)
        except Unreadable:
            pass
    print(count)


if __name__ == "__main__":
    _broken(int(sys.argv[1]))
