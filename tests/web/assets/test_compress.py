"""What goes over the air: compressed where it helps, what a page costs, what can be installed."""

from __future__ import annotations

import gzip
import json
import re
import struct
from pathlib import Path
from urllib.parse import urljoin

import pytest
from flask import Flask

from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.web.page.language import LANGUAGES
from tests.kit.games import passes, roll
from tests.kit.names import NAMES
from tests.kit.pages import Page
from tests.kit.phones import Phone
from tests.kit.photos import standin
from tests.kit.photos.sending import read
from tests.kit.tables import Party
from tests.web.table.test_games import opened, some_game

STATIC = Path(__file__).resolve().parents[3] / "static"
MOST_BYTES = 83_500
"""What a page with an empty cache may take over the air, and in how many requests."""
MOST_REQUESTS = 6
WITH_TWO_FONTS = MOST_REQUESTS + 1
"""Requests of a page with texts to read and the style of a game's sheet."""
FEW_FIELDS = 31
FIELD_BYTES = 90
"""What a table of three may take for each further field; all but its page is cached by then."""


@pytest.mark.parametrize("name", ["app.css", "js/table.js", "vendor/htmx.min.js", "icon.svg"])
def test_static_text(app: Flask, name: str) -> None:
    client = app.test_client()
    plain = client.get(f"/static/{name}", buffered=True)
    packed = client.get(f"/static/{name}", headers={"Accept-Encoding": "gzip"}, buffered=True)
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]
    if packed.headers.get("Content-Encoding") == "gzip":
        assert gzip.decompress(packed.data) == plain.data
        assert len(packed.data) < len(plain.data)
    else:
        assert len(plain.data) < 800
    assert int(packed.headers["Content-Length"]) == len(packed.data)


def test_comments_stay_here(app: Flask) -> None:
    """What others wrote is sent as it is, with its licence."""
    client = app.test_client()
    style = client.get("/static/app.css", buffered=True).text
    script = client.get("/static/js/table.js", buffered=True).text
    assert "/*" not in style
    assert not re.search(r"/\*|^\s*//", script, re.MULTILINE)
    names = ("htmx.min", "idiomorph-ext.min")
    written = [(STATIC / "vendor" / f"{name}.js").read_bytes() for name in names]
    sent = client.get(f"/static/vendor/{'+'.join(names)}.js", buffered=True).data
    assert sent == b"\n".join(written)


def test_what_is_compressed_already(app: Flask) -> None:
    headers = {"Accept-Encoding": "gzip"}
    font = app.test_client().get("/static/fonts/fredoka.woff2", headers=headers, buffered=True)
    assert "Content-Encoding" not in font.headers
    assert font.data[:4] == b"wOF2"


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("GZIP", True),
        ("*", True),
        ("gzip;q=0", False),
        ("identity", False),
        ("br", False),
        ("", False),
        ("gzip;q=nonsense", False),
    ],
)
def test_who_gets_it(app: Flask, accepted: str, packed: bool) -> None:
    answer = app.test_client().get("/", headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("Content-Encoding") == "gzip") == packed
    page = gzip.decompress(answer.data) if packed else answer.data
    assert page.lstrip().startswith(b"<!doctype html>")


@pytest.mark.parametrize(
    ("path", "way", "holds"),
    [
        ("", "page", b'id="table"'),
        ("", "htmx", b'id="table"'),
        ("menu", "htmx", b"</button>"),
    ],
)
def test_pages_and_fragments(game: Party, path: str, way: str, holds: bytes) -> None:
    game.do(*(roll("Tim", yellow=value) for value in (1, 2)), *map(passes, NAMES))
    headers = {"Accept-Encoding": "gzip"}
    answer = game.host.get(game.path + path, headers=headers, way=way)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Cookie" in answer.headers["Vary"]
    plain = gzip.decompress(answer.data)
    assert holds in plain
    assert len(answer.data) < len(plain)


def test_what_is_short_is_sent_as_it_is(game: Party) -> None:
    answer = game.host.get(f"{game.path}version", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers
    assert answer.json == {"version": game.version}


def test_a_head_is_as_long_as_its_body(app: Flask) -> None:
    for path in ("/static/app.css", "/favicon.ico"):
        for encoding in ("gzip", "identity"):
            headers = {"Accept-Encoding": encoding}
            head = app.test_client().head(path, headers=headers, buffered=True)
            body = app.test_client().get(path, headers=headers, buffered=True)
            assert head.data == b""
            assert head.headers["Content-Length"] == body.headers["Content-Length"]


def test_a_part_of_a_file(app: Flask) -> None:
    headers = {"Range": "bytes=0-9", "Accept-Encoding": "gzip"}
    answer = app.test_client().get("/static/js/table.js", headers=headers, buffered=True)
    assert answer.status_code == 206
    assert len(answer.data) == 10
    assert "Content-Encoding" not in answer.headers


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_asking_again_for_the_same_file(app: Flask, encoding: str) -> None:
    """A reload asks whether a file has changed; the answer to that is short."""
    client = app.test_client()
    headers = {"Accept-Encoding": encoding}
    first = client.get("/static/js/table.js", headers=headers, buffered=True)
    asked = headers | {"If-None-Match": first.headers["ETag"]}
    assert client.get("/static/js/table.js", headers=asked, buffered=True).status_code == 304


def test_a_file_is_kept_as_long_as_its_address_names_it(app: Flask) -> None:
    """A year, for an address that holds the content's hash; others can go stale."""
    host = Phone(app)
    addresses = resources(host, host.page(host.post("/tables", {"game": "encore"}).location))
    kinds = {Path(address.partition("?")[0]).suffix for address in addresses}
    assert kinds == {".css", ".js", ".woff2"}
    for address in addresses:
        plain, _, fingerprint = address.partition("?v=")
        assert fingerprint, f"{address} has no hash, so nothing may be kept of it"
        assert "max-age=31536000" in host.get(address).headers["Cache-Control"]
        assert "max-age" not in host.get(plain).headers["Cache-Control"]


def resources(phone: Phone, page: Page) -> list[str]:
    """The files that a browser fetches for a page: scripts, styles, icons, fonts of the styles.

    Not what it fetches once somebody scrolls to it or opens what it is in, nor the fonts of names
    in some languages.
    """
    unused = r"@font-face\{[^}]*unicode-range[^}]*\}"
    if any(element.attrs.get("id") == "table" for element in page.all("div")):
        unused += r'|@font-face\{font-family:"Nunito"[^}]*\}'  # for dialogs
    found = [str(script.attrs["src"]) for script in page.all("script")]
    found += [
        str(link.attrs["href"])
        for link in page.all("link")
        if not str(link.attrs["href"]).startswith("data:")
    ]
    images = [image for image in page.all("img") if image.attrs.get("loading") != "lazy"]
    found += [str(image.attrs["src"]) for image in images]
    for style in [address for address in found if ".css" in address]:
        rules = re.sub(unused, "", phone.get(style).text)
        for url in re.findall(r"url\(['\"]?([^'\")]+)", rules):
            if not url.startswith(("data:", "#")):
                found.append(urljoin(style, url))
    return list(dict.fromkeys(found))


def load(phone: Phone, path: str) -> tuple[int, int]:
    """The requests that a page with an empty cache makes, and their bytes with all headers."""
    headers = {"Accept-Encoding": "gzip"}
    addresses = resources(phone, phone.page(path))
    answers = [phone.get(address, headers=headers) for address in [path, *addresses]]
    assert all(answer.status_code == 200 for answer in answers)
    head = sum(len(str(answer.headers)) for answer in answers)
    return len(answers), sum(len(answer.data) for answer in answers) + head


def assert_is_light(
    phone: Phone, path: str, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> None:
    requests, size = load(phone, path)
    assert requests <= most_requests
    assert size < most_bytes


def test_the_first_page_is_light(phone: Phone) -> None:
    """The page, a style sheet and its fonts, and what it can be installed by."""
    assert_is_light(phone, "/")


@pytest.mark.parametrize("name", GAMES)
def test_a_table_and_its_match_in_the_history_are_light(app: Flask, name: str) -> None:
    """Page, style sheets, scripts and font; the stream of the table stays open beside them."""
    host = Phone(app)
    assert_is_light(host, host.post("/tables", {"game": name}).location)
    game = GAMES[name]
    fields = game.sheet.paper(game.sheet.usual_board).fields if game.has_sheet else ()
    most = MOST_BYTES + FIELD_BYTES * max(len(fields) - FEW_FIELDS, 0)
    assert_is_light(host, opened(host, name, some_game(name, seed=3, steps=20)), most_bytes=most)
    over = host.page(opened(host, name, some_game(name, seed=3, steps=3000)))
    (address,) = [a for a in over.all("a") if "/history/of/" in str(a.attrs["href"])]
    assert_is_light(host, host.get(str(address.attrs["href"])).location, WITH_TWO_FONTS)


@pytest.mark.parametrize("path", ["/photo", "/history", "/pads"])
def test_other_pages_are_light(phone: Phone, path: str) -> None:
    assert_is_light(phone, path)


@pytest.mark.parametrize("photo", [standin.TWO, standin.ENCORE])
def test_a_review_is_light(reading: tuple[Flask, Tables], photo: int) -> None:
    phone = Phone(reading[0])
    assert_is_light(phone, f"/review/{read(phone, standin.picture(photo))}/", WITH_TWO_FONTS)


def test_nothing_is_fetched_from_elsewhere(app: Flask) -> None:
    """No address of another machine in any script, style or template of ours."""
    folder = Path(str(app.static_folder))
    templates = folder.parent / "templates"
    scripts, styles = (folder / "js").rglob("*.js"), folder.rglob("*.css")
    ours = [*scripts, *styles, *templates.rglob("*.html"), *templates.rglob("*.svg")]
    assert {file.suffix for file in ours} == {".js", ".css", ".html", ".svg"}
    for file in ours:
        text = re.sub(r"http://www\.w3\.org/\d+/\w+", "", file.read_text())
        assert not re.search(r"(https?:)?//[a-z0-9.-]+\.[a-z]{2,}/", text), file


def test_what_is_vendored_has_its_license(app: Flask) -> None:
    folder = Path(str(app.static_folder))
    for script in (folder / "vendor").glob("*.js"):
        name = re.split(r"[.-]", script.name)[0]
        assert (folder / "vendor" / f"LICENSE.{name}.txt").is_file()


def test_the_manifest_can_be_installed(phone: Phone) -> None:
    """Its name, its start, and icons of the sizes that it names, one of them maskable."""
    answer = phone.get(str(phone.page("/").one("link", rel="manifest").attrs["href"]))
    assert answer.mimetype == "application/manifest+json"
    manifest = json.loads(answer.text)
    assert (manifest["name"], manifest["display"]) == ("Companion", "standalone")
    assert manifest["start_url"] == manifest["scope"] == "/"
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        width, height = struct.unpack(">II", phone.get(icon["src"]).data[16:24])
        assert f"{width}x{height}" == icon["sizes"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_offline_page_speaks_the_language_of_its_address(phone: Phone, language: str) -> None:
    page = phone.page(f"/offline/{language}")
    assert page.one("html").attrs["lang"] == language
    words = {"en": "No connection", "de": "Keine Verbindung", "es": "Sin conexión"}
    assert words[language] in page.one("h1").text


def test_there_is_no_offline_page_in_another_language(phone: Phone) -> None:
    assert phone.get("/offline/fr").status_code == 404


def test_the_worker_keeps_what_the_offline_page_needs(phone: Phone) -> None:
    answer = phone.get("/worker.js")
    assert answer.mimetype == "text/javascript"
    assert answer.headers["Cache-Control"] == "no-cache"
    told = re.match(r"const APP = (\{.*\});\n", answer.text)
    assert told is not None
    shell = json.loads(told.group(1))["shell"]
    assert set(shell) > {f"/offline/{code}" for code in LANGUAGES}
    page = phone.page("/offline/en")
    assert page.one("link", rel="stylesheet").attrs["href"] in shell
    assert page.one("script").attrs["src"] in shell
    assert all(phone.get(address).status_code == 200 for address in shell)


def test_videos_are_sent_in_parts(phone: Phone) -> None:
    """Safari plays nothing from a server that does not."""
    for kind in ("webm", "mp4"):
        answer = phone.get(f"/static/awake.{kind}", headers={"Range": "bytes=0-9"})
        assert (answer.status_code, len(answer.data)) == (206, 10)
        assert answer.mimetype == f"video/{kind}"
