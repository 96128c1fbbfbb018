"""The manifest, the service worker and the offline page, and what the first page costs."""

from __future__ import annotations

import json
import re
import struct

import pytest

from companion.web.page.language import LANGUAGES
from tests.kit.phones import Phone


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
