"""A saved game in a real browser: edited afterwards, shared as a picture and a link, printed."""

from __future__ import annotations

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import open_record
from tests.kit import pdf
from tests.kit.games import finished
from tests.kit.patience import until

pytestmark = pytest.mark.e2e

SHARING = """
Object.defineProperty(navigator, "canShare", { value: () => true });
Object.defineProperty(navigator, "share", {
  value: async ({ files }) => { window.sharedBytes = files[0].size; },
});
"""
"""A phone's own sheet, which a browser without a screen has not."""


def test_a_saved_game_is_edited_and_shared(open_phone: OpenPhone) -> None:
    phone = open_phone(throw_away=True)
    page = phone.page
    page.add_init_script(SHARING)
    phone.open(open_record(phone, finished(("Tim", "Sarah"))).path)
    page.get_by_role("link", name="See it in the history").tap()
    expect(page.get_by_role("heading", name="Sarah wins")).to_be_visible()

    # Another name and another date.
    page.get_by_role("link", name="Edit this game …").tap()
    page.locator("input[name=name]").first.fill("Tom")
    page.get_by_label("Date and time").fill("2025-03-01T20:15")
    page.get_by_role("button", name="Save").tap()
    expect(page.locator(".ranking")).to_contain_text("Tom")
    expect(page.get_by_text("Edited on")).to_be_visible()
    expect(page.locator(".when")).to_contain_text("March 1, 2025")

    # A field, by the same keypad as after a photo; total and winner follow.
    page.get_by_role("link", name="Edit this game …").tap()
    page.get_by_role("button", name="Edit fields and sheets …").tap()
    expect(page.get_by_text("You are changing a saved game.")).to_be_visible()
    field = page.locator('.reading a[data-field="failed.3"]')
    field.tap()
    expect(page.locator('.reading a.written[data-field="failed.3"]')).to_be_visible()
    page.get_by_role("button", name="Save the changes").tap()
    expect(page.locator(".ranking")).to_contain_text("−15")

    # The picture, by the phone's own sheet.
    page.get_by_role("button", name="Share the picture …").tap()
    assert until(lambda: page.evaluate("window.sharedBytes ?? 0") > 10_000)
    page.get_by_text("Look at the picture").tap()
    picture = page.locator(".result-picture img")
    width = picture.evaluate("async image => { await image.decode(); return image.naturalWidth }")
    assert width == 1080
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the picture").tap()
    with Image.open(download.value.path()) as saved:
        assert (saved.format, saved.width) == ("PNG", 1080)
        # Nothing is missing: neither paper nor ink.
        assert len(saved.convert("RGB").getcolors(10**6) or ()) > 50
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    # A link, until it is made invalid.
    page.get_by_role("button", name="Make a link for looking at this game").tap()
    address = page.locator(".share-result .link").inner_text()
    stranger = open_phone()
    stranger.open("/g/" + address.rpartition("/")[2])
    expect(stranger.page.locator(".ranking")).to_contain_text("Tom")
    expect(stranger.page.get_by_role("link", name="Edit this game …")).to_have_count(0)
    page.get_by_role("button", name="Make the link invalid").tap()
    expect(page.locator(".share-result .link")).to_have_count(0)

    # One sheet of paper without a button.
    page.emulate_media(media="print")
    assert page.locator("button:visible, a.button:visible").count() == 0
    assert len(pdf.page_sizes(page.pdf(prefer_css_page_size=True))) == 1
