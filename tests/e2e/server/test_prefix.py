"""The app under a path of a host that has other things, too: nothing asks outside that path."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Response

from lab.games import roll
from lab.patience import PATIENCE
from lab.photos.standin import ONE, TWO, picture
from lab.servers.process import serving

PREFIX = "/companion"


@pytest.mark.e2e
def test_a_table_and_photos_under_a_path(chromium: Browser, tmp_path: Path) -> None:
    """Two phones follow a tap by their streams; of two photos the second one finds its review."""
    wrong: list[str] = []

    def look(response: Response) -> None:
        if response.status >= 400 or not response.url.startswith((f"{start}/", "data:")):
            wrong.append(f"{response.status} {response.url}")

    options = ("--host", "127.0.0.1", "--prefix", PREFIX)
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    reader = {"COMPANION_TEST_READER": "lab.photos.standin"}
    with serving(*options, "--db", url, module="lab.servers.patient", **reader) as server:
        start = f"http://127.0.0.1:{server.port}{PREFIX}"
        context: BrowserContext = chromium.new_context()
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.on("response", look)
        page.goto(f"{start}/")
        page.locator("form[action$='/tables'] button").first.click()
        page.wait_for_url(f"{start}/t/**")
        for name in ("Tim", "Sarah"):
            posted = context.request.post(
                f"{page.url}do/add", form={"name": name, "color": "red"}, max_redirects=0
            )
            assert posted.status == 303
        context.request.post(f"{page.url}do/start", max_redirects=0)
        other = context.new_page()
        other.on("response", look)
        other.goto(page.url)
        other.locator("#table[data-phase=playing]").wait_for()
        page.locator("#table[data-phase=playing]").wait_for()
        tap = {"id": "under-a-path", "action": roll("Tim", yellow=4)}
        assert context.request.post(f"{page.url}taps", data=tap).ok
        for phone in (page, other):
            phone.locator("#table[data-moment*=y4]").wait_for()
        page.goto(f"{start}/photo")
        for name, width in (("a.jpg", ONE), ("b.jpg", TWO)):
            (tmp_path / name).write_bytes(picture(width))
        page.locator("input[data-photo][multiple]").first.set_input_files(
            [tmp_path / "a.jpg", tmp_path / "b.jpg"]
        )
        page.wait_for_url(f"{start}/review/**")
        page.locator("#reading").wait_for(state="detached")
        [cookie] = [each for each in context.cookies() if each["name"] == "companion"]
        assert cookie["path"] == PREFIX
        context.close()
    assert wrong == []
