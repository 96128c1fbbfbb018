"""Responses on the wire: compression, the weight of pages, the installable app."""

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
from lab.pages import Page
from lab.phones import Phone
from lab.photos import standin
from lab.photos.sending import read
from tests.web.table.test_games import opened, some_game

STATIC = Path(__file__).resolve().parents[3] / "static"
MOST_BYTES = 87_000
"""Limits for a page with an empty cache: its bytes (4 % above 2.0.0), then its requests."""
MOST_REQUESTS = 6
WITH_TWO_FONTS = MOST_REQUESTS + 1
"""Requests of a page with texts to read and the style of a game's sheet."""
FEW_FIELDS = 31
FIELD_BYTES = 90
"""What a table of three may take for each further field; all but its page is cached by then."""


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
@pytest.mark.parametrize("name", ["app.css", "js/table.js", "vendor/htmx.min.js", "icon.svg"])
def test_static_text(phone: Phone, name: str, encoding: str) -> None:
    """Smaller where it helps; HEAD has the same headers, and a repeated request a short answer."""
    path, headers = f"/static/{name}", {"Accept-Encoding": encoding}
    plain, sent = phone.get(path), phone.get(path, headers=headers)
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]
    if sent.headers.get("Content-Encoding") == "gzip":
        assert encoding == "gzip"
        assert gzip.decompress(sent.data) == plain.data
        assert len(sent.data) < len(plain.data)
    else:
        assert encoding == "identity" or len(plain.data) < 800
    assert int(sent.headers["Content-Length"]) == len(sent.data)
    head = phone.ask("HEAD", path, headers=headers)
    assert (head.data, head.headers["Content-Length"]) == (b"", str(len(sent.data)))
    asked = headers | {"If-None-Match": sent.headers["ETag"]}
    assert phone.get(path, headers=asked).status_code == 304


def test_comments_stay_here(phone: Phone) -> None:
    """Third-party code is sent as it is, with its licence."""
    assert "/*" not in phone.get("/static/app.css").text
    script = phone.get("/static/js/table.js").text
    assert not re.search(r"/\*|^\s*//", script, re.MULTILINE)
    vendor, names = STATIC / "vendor", ("htmx.min", "idiomorph-ext.min")
    written = [(vendor / f"{name}.js").read_bytes() for name in names]
    assert phone.get(f"/static/vendor/{'+'.join(names)}.js").data == b"\n".join(written)
    for path in vendor.glob("*.js"):
        assert (vendor / f"LICENSE.{re.split('[.-]', path.name)[0]}.txt").is_file()


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip, deflate, br", True),
        ("GZIP", True),
        ("*", True),
        ("gzip;q=0", False),
        ("br", False),
        ("", False),
        ("gzip;q=nonsense", False),
    ],
)
def test_which_browsers_get_gzip(app: Flask, accepted: str, packed: bool) -> None:
    answer = app.test_client().get("/", headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("Content-Encoding") == "gzip") == packed
    assert "Cookie" in answer.headers["Vary"]
    page = gzip.decompress(answer.data) if packed else answer.data
    assert page.lstrip().startswith(b"<!doctype html>")


@pytest.mark.parametrize("name", ["js/table.js", "awake.webm", "awake.mp4"])
def test_a_part_of_a_file(phone: Phone, name: str) -> None:
    """Safari plays no video from a server that does not send it in parts."""
    headers = {"Range": "bytes=0-9", "Accept-Encoding": "gzip"}
    answer = phone.get(f"/static/{name}", headers=headers)
    assert (answer.status_code, len(answer.data)) == (206, 10)
    assert "Content-Encoding" not in answer.headers
    assert answer.mimetype == ("text/javascript" if ".js" in name else f"video/{name[6:]}")


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
    links = [str(one.attrs["href"]) for one in page.all("link")]
    images = [one for one in page.all("img") if one.attrs.get("loading") != "lazy"]
    found = [str(one.attrs["src"]) for one in (*page.all("script"), *images)]
    found += [address for address in links if not address.startswith("data:")]
    for style in [address for address in found if ".css" in address]:
        rules = re.sub(unused, "", phone.get(style).text)
        for url in re.findall(r"url\(['\"]?([^'\")]+)", rules):
            if not url.startswith(("data:", "#")):
                found.append(urljoin(style, url))
    return list(dict.fromkeys(found))


def assert_is_light(
    phone: Phone, path: str, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> None:
    """Counts the requests that a page with an empty cache makes, and their bytes with headers."""
    addresses = [path, *resources(phone, phone.page(path))]
    answers = [phone.get(address, headers={"Accept-Encoding": "gzip"}) for address in addresses]
    assert all(answer.status_code == 200 for answer in answers)
    assert len(answers) <= most_requests
    assert sum(len(str(one.headers)) + len(one.data) for one in answers) < most_bytes


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


@pytest.mark.parametrize("path", ["/", "/photo", "/history", "/pads"])
def test_pages_are_light(phone: Phone, path: str) -> None:
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


def test_the_offline_page_speaks_the_language_of_its_address(phone: Phone) -> None:
    words = {"en": "No connection", "de": "Keine Verbindung", "es": "Sin conexión"}
    for language in LANGUAGES:
        page = phone.page(f"/offline/{language}")
        assert page.one("html").attrs["lang"] == language
        assert words[language] in page.one("h1").text
    assert phone.get("/offline/fr").status_code == 404


def test_the_worker_keeps_what_the_offline_page_needs(phone: Phone) -> None:
    answer = phone.get("/worker.js")
    assert answer.mimetype == "text/javascript"
    assert answer.headers["Cache-Control"] == "no-cache"
    found = re.match(r"const APP = (\{.*\});\n", answer.text)
    assert found is not None
    shell = json.loads(found.group(1))["shell"]
    assert set(shell) > {f"/offline/{code}" for code in LANGUAGES}
    page = phone.page("/offline/en")
    assert page.one("link", rel="stylesheet").attrs["href"] in shell
    assert page.one("script").attrs["src"] in shell
    assert all(phone.get(address).status_code == 200 for address in shell)
