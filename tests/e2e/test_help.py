"""Help at the table: what to do now, a first game's line, and words beside a refused field."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import MENU, RULES, make_table

pytestmark = pytest.mark.e2e

SIZES = ((360, 640), (640, 360), (1024, 768))

BESIDE = """(field) => {
  const box = (element) => (element.querySelector('.hit') ?? element).getBoundingClientRect();
  const note = box(document.querySelector('.toast.beside'));
  const away = ({left, top, right, bottom}) =>
    Math.max(left - note.right, note.left - right, top - note.bottom, note.top - bottom);
  const lit = [...document.querySelectorAll('.f.open')].filter((open) => open.checkVisibility());
  return {
    away: away(box(field)), covered: lit.filter((open) => away(box(open)) < -1).length,
    inside: Math.min(note.left, note.top) >= 0 &&
      note.right <= innerWidth && note.bottom <= innerHeight,
  };
}"""


def test_help_where_it_is_asked_for(open_phone: OpenPhone) -> None:
    phone = open_phone(*SIZES[0], has_touch=True)
    phone.expected.append("status of 422")
    table = make_table(phone, "Ada", "Ben")
    phone.open(table.path)
    how = phone.see(".dock .how")
    expect(how).to_contain_text("Roll one, two or three dice")
    table.roll("Ada", yellow=6)
    expect(how).to_contain_text("Numbers grow along a row")

    dialog = phone.dialog(RULES)
    expect(dialog.locator("h3").first).to_have_text("Now")
    phone.tap("#dialog [data-close]")

    for width, height in SIZES:
        phone.page.set_viewport_size({"width": width, "height": height})
        field = phone.spot("Ada", "purple.4")
        field.click()
        expect(phone.toast).to_contain_text("colors: yellow")
        found = phone.page.evaluate(BESIDE, field.element_handle())
        assert 0 <= found["away"] < 20, (width, found)
        assert found["covered"] == 0, (width, found)
        assert found["inside"], (width, found)
        phone.tap(".bar h1" if width != 640 else ".call")
        expect(phone.toast).to_have_count(0)

    phone.page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    phone.dialog(MENU).locator("[data-guide]").uncheck()
    phone.page.reload()
    expect(phone.see(".dock .said")).to_be_visible()
    expect(how).to_be_hidden()
