"""A printing that the app does not know is described on a phone, from a photo of a blank sheet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from companion.games.editions import bases, described_edition
from companion.vision.mapping.plane import mapped
from companion.vision.unmarked.placing import edition_corners
from tests.vision.unmarked.scenes import another_printing, large_scene

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.e2e.fixtures import OpenPhone

pytestmark = pytest.mark.e2e


@pytest.mark.wide
def test_from_a_photo_to_the_kept_table(open_phone: OpenPhone) -> None:
    *_, (sheet, name) = bases()
    other = another_printing(bases()[sheet, name])
    blank = large_scene(other)
    phone = open_phone(360, 640, locale="de-DE")
    phone.open("/editions")
    phone.page.wait_for_load_state()
    file: Mapping[str, object] = {
        "name": "a.jpg",
        "mimeType": "image/jpeg",
        "buffer": blank.jpeg(),
    }
    phone.page.locator("[data-photo]").first.set_input_files(file)  # type: ignore[arg-type]
    photo = phone.see(".edition-photo")
    expect(photo.locator("circle")).to_have_count(4)

    # A corner is tapped or dragged there, and arrow keys move it.
    photo.scroll_into_view_if_needed()
    box = photo.bounding_box()
    assert box is not None
    corners = mapped(blank.homography, edition_corners(other)) * box["width"] / blank.photo.shape[1]
    first, second, third, fourth = ((box["x"] + x, box["y"] + y) for x, y in corners.tolist())
    mouse, touch = phone.page.mouse, phone.page.touchscreen
    touch.tap(*first)
    mouse.move(second[0] - 25, second[1] + 12)
    mouse.down()
    mouse.move(*second, steps=3)
    mouse.up()
    touch.tap(*third)
    touch.tap(fourth[0] + 1, fourth[1])
    before = phone.see("#corners").get_attribute("value") or ""
    phone.page.keyboard.press("ArrowLeft")
    expect(phone.see("#corners")).not_to_have_attribute("value", before)
    phone.see("[name=like]").select_option(f"{sheet}/{name}")
    phone.tap("#edition form button.primary")

    # A row is chosen and moved; then the same photo is read with it, and the table kept.
    row = phone.see(".edition-photo a").last
    row.locator("polygon").first.click()
    expect(row).to_have_class("chosen")
    points = row.locator("polygon").first.get_attribute("points") or ""
    phone.tap("[value=right]")
    expect(row.locator("polygon").first).not_to_have_attribute("points", points)
    phone.tap("[value=left]")
    expect(row.locator("polygon").first).to_have_attribute("points", points)
    phone.tap(phone.page.locator("form:has([value=check]) button"))
    phone.see("[name=name]").fill("Andere Auflage")
    phone.tap(phone.page.locator("form:has([value=keep]) button"))
    expect(phone.see("li h2")).to_contain_text("andere-auflage")
    with phone.page.expect_download() as download:
        phone.tap("a[download]")
    table = Path(download.value.path()).read_text(encoding="utf-8")
    assert described_edition(table).name == "andere-auflage"
    phone.tap("button.danger")
    expect(phone.see("li h2")).to_have_count(0)
