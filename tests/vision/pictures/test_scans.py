"""The pages of a PDF become photos; what is no scan is refused with a sentence."""

from __future__ import annotations

import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from companion.vision.core import Unreadable
from companion.vision.pictures.picture import open_picture
from companion.vision.pictures.scans import MOST_PAGES, PAGE_SIDE, is_scan, pages
from tests.kit.photos.bad_pictures import encoded, scene

ROOT = Path(__file__).resolve().parents[3]
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


def by_hand(box: bytes = b"90 90", kids: bytes = b"3 0 R", *, is_empty: bool = False) -> bytes:
    """A PDF of one page with a picture, or with none."""
    packed = zlib.compress(bytes(300))
    picture = (
        b"5 0 obj<</Type/XObject/Subtype/Image/Width 10/Height 10/ColorSpace/DeviceRGB"
        b"/BitsPerComponent 8/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n"
        % (len(packed), packed)
    )
    return PAGE % (kids, box, b"" if is_empty else picture)


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


def test_a_page_is_upright_and_of_one_size_whatever_it_claims() -> None:
    for box, turn, size in ((b"90 180", 90, (3508, 1754)), (b"9000 18000", 0, (1754, 3508))):
        data = by_hand(box).replace(b"/MediaBox", b"/Rotate %d/MediaBox" % turn)
        ((page, _),) = pages(data)
        assert open_picture(page).size == size


def test_of_eleven_pages_ten_are_drawn() -> None:
    tones = range(0, 220, 20)
    drawn = [*pages(scan(*(Image.new("L", (90, 60), tone) for tone in tones)))]
    assert [count for _, count in drawn] == [11] * MOST_PAGES
    means = [round(float(open_picture(page).gray(8).mean())) for page, _ in drawn]
    assert means == [*tones][:MOST_PAGES]


REFUSED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a password": ("locked", locked),
    "nothing on its page": ("no-pictures", lambda: by_hand(is_empty=True)),
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
def test_a_page_of_no_size_has_a_usual_one(box: bytes) -> None:
    ((page, _),) = pages(by_hand(box))
    assert max(open_picture(page).size) == PAGE_SIDE


def test_broken_pdfs_are_drawn_or_refused() -> None:
    """In a process of its own: what PDFium does wrong would end this one."""
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
