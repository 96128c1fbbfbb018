"""The history in a real browser: from the end of a game to the person who is deleted.

A saved game is edited, shown as a picture, shared by a link, and printed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import open_record
from tests.kit import pdf
from tests.kit.games import finished

pytestmark = pytest.mark.e2e


def test_from_the_end_of_a_game_to_a_deleted_person(open_phone: OpenPhone, tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    record.write_text(json.dumps(finished(("Tim", "Sarah"))))
    phone = open_phone()
    page = phone.page
    phone.open("/")
    page.get_by_text("Open a saved game").tap()
    page.set_input_files("input[name=record]", record)
    page.get_by_role("button", name="Open", exact=True).tap()

    # The end leads to the game, with its total taken apart.
    page.get_by_role("link", name="See it in the history").tap()
    expect(page.get_by_role("heading", name="Sarah wins")).to_be_visible()
    term = page.locator("[data-lights]").first
    term.tap()
    expect(term).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".lit").first).to_be_visible()

    # A backup, the game deleted, and the backup restored.
    page.get_by_role("link", name="Games").tap()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download a backup").tap()
    backup = tmp_path / "backup.json"
    download.value.save_as(backup)
    page.locator(".played").tap()
    page.get_by_role("link", name="Delete this game …").tap()
    page.get_by_role("button", name="Delete for good").tap()
    expect(page.locator(".played")).to_have_count(0)
    page.set_input_files("input[name=history]", backup)
    page.get_by_role("button", name="Restore").tap()
    expect(page.get_by_role("status").first).to_contain_text("1 game was deleted here")
    page.set_input_files("input[name=history]", backup)
    page.get_by_label("Also games that were deleted here").check()
    page.get_by_role("button", name="Restore").tap()
    expect(page.get_by_role("status").first).to_contain_text("1 game was added.")

    # A second game makes a line of points.
    open_record(phone, finished(("Sarah", "Tim")))
    phone.open("/history/people")
    page.get_by_role("link", name="Tim").tap()
    expect(page.locator(".chart [role=img]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    page.get_by_role("link", name="Delete this person …").tap()
    expect(page.locator(".said")).to_contain_text("2 games")
    page.get_by_role("button", name="Delete for good").tap()
    expect(page.get_by_role("link", name="Sarah")).to_be_visible()
    expect(page.get_by_role("link", name="Tim")).to_have_count(0)
    phone.open("/history")
    expect(page.locator("main")).not_to_contain_text("Tim")


def test_a_saved_game_is_edited_and_shared(open_phone: OpenPhone) -> None:
    phone = open_phone()
    page = phone.page
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
