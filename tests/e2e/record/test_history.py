"""The history in a real browser: a breakdown of points, a picture, and paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from lab import pdf
from lab.games import finished
from lab.patience import PATIENCE
from tests.e2e.fixtures import OpenPhone

pytestmark = pytest.mark.e2e


def test_a_saved_game_is_opened_edited_drawn_and_printed(
    open_phone: OpenPhone, tmp_path: Path
) -> None:
    record = tmp_path / "game.json"
    record.write_text(json.dumps(finished(("Tim", "Sarah"))))
    phone = open_phone()
    page = phone.page
    phone.open("/")
    page.get_by_text("Open a saved game").tap()
    page.set_input_files("input[name=record]", record)
    page.get_by_role("button", name="Open", exact=True).tap()

    # The end leads to the game, with a breakdown of its total.
    page.get_by_role("link", name="See it in the history").tap()
    expect(page.get_by_role("heading", name="Sarah wins")).to_be_visible()
    term = page.locator("[data-lights]").first
    term.tap()
    expect(term).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".lit").first).to_be_visible()

    # A field, by the same keypad as after a photo; total and winner follow.
    page.get_by_role("link", name="Edit this game …").tap()
    page.get_by_role("button", name="Edit fields and sheets …").tap()
    expect(page.get_by_text("You are changing a saved game.")).to_be_visible()
    field = page.locator('.reading a[data-field="failed.3"]')
    field.tap()
    expect(page.locator('.reading a.written[data-field="failed.3"]')).to_be_visible()
    page.get_by_role("button", name="Save the changes").tap()
    expect(page.locator(".ranking")).to_contain_text("−15")

    # The picture.
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

    # One sheet of paper without a button.
    page.emulate_media(media="print")
    assert page.locator("button:visible, a.button:visible").count() == 0
    assert len(pdf.page_sizes(page.pdf(prefer_css_page_size=True))) == 1


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Los_Angeles"])
def test_times_are_the_phones(open_phone: OpenPhone, zone: str) -> None:
    """The very first page offers the phone's own minute, which is saved and shown as its own."""
    phone = open_phone(timezone_id=zone)
    phone.open("/totals")
    # The page has sent the zone, and is redrawn.
    expect(phone.see(f"#words[data-offset='{phone.page.evaluate(OFFSET)}']")).to_have_count(1)
    name, total = phone.see("[name=name]"), phone.see("[name=total]")
    for row, (player, score) in enumerate((("Ada", "3"), ("Ben", "4"))):
        name.nth(row).fill(player)
        total.nth(row).fill(score)
    offered = phone.see("[name=ended]").input_value()
    apart = phone.page.evaluate("offered => Date.now() - new Date(offered)", offered)
    assert 0 <= apart < 60_000 + 1000 * PATIENCE
    phone.see("[name=ended]").fill("2025-07-01T20:15")
    phone.page.get_by_role("button", name="Save the game").tap()
    expect(phone.see(".when")).to_contain_text("July 1, 2025, 8:15")


OFFSET = "() => -new Date().getTimezoneOffset()"
