"""The history in a real browser: from the end of a game to the person who is deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import open_record
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
    href = page.get_by_role("link", name="Open in BG Stats").get_attribute("href")
    assert href is not None and href.startswith("bgstats://")
    page.get_by_label("Where you played").fill("Ada's kitchen")
    page.get_by_role("textbox", name="Notes").fill("It rained.\n<b>Much</b>.")
    page.get_by_role("button", name="Save").tap()
    expect(page.locator(".notes")).to_have_text("It rained.\n<b>Much</b>.")

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
    expect(page.locator(".played")).to_contain_text("Ada's kitchen")

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
