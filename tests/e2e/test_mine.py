"""Players write on their own sheets, look at others', and see what others do."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import NO_NETWORK, OPEN_FIELD, Phone, Table, make_table

pytestmark = pytest.mark.e2e

NOTE = "#toasts .by-others"
FOR_CLEO = '[data-write-for="2"]'


def test_own_sheets_are_protected_and_changes_by_others_are_shown(open_phone: OpenPhone) -> None:
    host, guest = open_phone(), open_phone()
    host.expected.append("422")  # the tap that is blocked
    table = make_table(host, "Ada", "Cleo")
    table.do("take", seat=table.seat("Ada"))
    table.join(guest, "Cleo")
    for phone in (host, guest):
        phone.open(table.path)
    expect(guest.see(".tab.mine")).to_contain_text("Cleo")
    table.roll("Ada", yellow=4, purple=5)
    host.settles(table)
    only_looks_until_asked(table, host)
    expect(guest.see(f"{NOTE} p")).to_have_text(
        "Ada entered for you: Cleo wrote 9 in yellow, field 5"
    )
    guest.understands()
    expect(guest.see(NOTE)).to_have_count(0)
    write_own(table, host)
    skips_when_asked(table, host, guest)


def test_a_guests_phone_comes_back_from_a_sheet_without_a_phone(open_phone: OpenPhone) -> None:
    """A roll brings the guest's phone back: meanwhile it writes for nobody else."""
    host, guest = open_phone(), open_phone()
    table = make_table(host, "Ada", "Ben", "Cleo")
    table.do("take", seat=table.seat("Ada"))
    table.join(guest, "Ben")
    guest.open(table.path)
    for player in ("Cleo", "Ada"):
        guest.tap(f"#tab-{table.seat(player)}")
        expect(guest.see(".whose:visible")).to_contain_text(player)
        expect(guest.see(".hint.says")).to_be_hidden()
    table.make_final(table.roll("Ada", yellow=4))
    expect(guest.sheet("Ben")).to_have_class(re.compile("selected"))
    guest.tap(f"#tab-{table.seat('Cleo')}")
    expect(guest.sheet("Cleo").locator(OPEN_FIELD)).to_have_count(0)
    guest.tap(".whose:visible")
    expect(guest.see(".hint.says")).to_be_visible()
    guest.tap(guest.sheet("Ben").locator(OPEN_FIELD).first)
    guest.has_saved_all()
    assert table.actions[-1]["by"] == "Ben"


def only_looks_until_asked(table: Table, host: Phone) -> None:
    host.tap("#tab-2")
    expect(host.sheet("Cleo").locator(OPEN_FIELD)).to_have_count(0)
    expect(host.sheet("Cleo").locator("[data-tap].pass")).to_be_hidden()
    host.tap(host.spot("Cleo", "yellow.5"))
    expect(host.see(FOR_CLEO)).to_have_attribute("data-pointed", "")
    assert len(table.actions) == 1
    host.tap(FOR_CLEO)
    host.tap(host.spot("Cleo", "yellow.5"))


def write_own(table: Table, host: Phone) -> None:
    """The next roll brings the phone back to its own sheet; a blocked tap points at the reason."""
    host.tap("#tab-2")
    host.tap("#tab-1")
    host.tap(host.spot("Ada", "purple.3"))
    expect(host.see("#tab-2")).to_be_visible()
    host.has_saved_all()
    host.tap("#tab-2")
    table.roll("Cleo", purple=2)
    expect(host.see("#player-1")).to_have_class(re.compile("selected"))
    host.tap(host.spot("Ada", "purple.5"))
    expect(host.spot("Ada", "purple.3")).to_have_attribute("data-pointed", "")


def skips_when_asked(table: Table, host: Phone, guest: Phone) -> None:
    """The host goes on without Ada's own pass; then Ada without Cleo, who may take it back."""
    host.tap(host.spot("Ada", "purple.1"))
    guest.tap(guest.spot("Cleo", "purple.1"))
    for phone in (host, guest):
        phone.has_saved_all()
    table.roll("Ada", orange=6)
    host.settles(table)
    host.tap(host.spot("Ada", "orange.3"))
    first = host.see("[data-ask]")
    before = place_of(first)
    host.tap(first)
    skip = host.see(".next [data-tap]")
    expect(skip).to_have_text("Skip Cleo")
    after = place_of(host.see("[data-wait]"))
    assert (after["y"], after["height"]) == (before["y"], before["height"])
    assert after["x"] <= before["x"], "where the button was, a second tap waits"
    host.tap("[data-wait]")
    expect(skip).to_be_hidden()
    assert table.actions[-1]["do"] == "write"
    # Cleo's tap, made without a network, comes too late: it is written after all instead.
    guest.expected += [NO_NETWORK, "status of 409"]
    guest.context.set_offline(True)
    guest.tap(guest.sheet("Cleo").locator(OPEN_FIELD).first)
    host.tap(first)
    host.tap(skip)
    expect(host.see(".player.active")).to_have_attribute("data-by", "Cleo")
    assert table.actions[-1] == {"do": "next", "by": "Ada"}
    guest.context.set_offline(False)
    expect(guest.see("#dialog")).to_contain_text("Ada had already gone on.")
    expect(guest.see(NOTE)).to_contain_text("Ada went on without you")
    guest.tap("#preview .primary")
    guest.has_saved_all()
    assert table.actions[-1]["by"] == "Cleo"
    expect(guest.see(NOTE)).to_have_count(0)


def place_of(element: Locator) -> dict[str, float]:
    box = element.bounding_box()
    assert box is not None
    return {"x": box["x"], "y": box["y"], "height": box["height"]}
