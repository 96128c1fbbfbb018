"""Freaky in a real browser: a finger that slides from a background to a card plays that card."""

from __future__ import annotations

import pytest

from companion.games.freaky import GAME
from lab.wide import first_of
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import make_table
from tests.e2e.screens import LYING, SMALL, TABLET, Size, measured

pytestmark = pytest.mark.e2e

SIZES = (SMALL, (360, 560), (390, 844), LYING, (768, 1024), TABLET)
CARDS = ("yellow/red/1", "yellow/blue/4", "yellow/purple/6")
PLACES = """
  return [...document.querySelectorAll('.play [data-part]')].filter(isSeen)
    .map((key) => [key.dataset.value, JSON.stringify(key.getBoundingClientRect())]);
"""


@pytest.mark.parametrize("size", first_of(SIZES, SMALL, TABLET))
def test_a_finger_slides_to_a_card_and_nothing_moves_meanwhile(
    open_phone: OpenPhone, size: Size
) -> None:
    phone = open_phone(*size, has_touch=True)
    table = make_table(phone, "Ada", "Ben", game=GAME.name)
    phone.open(table.path)
    finger = phone.page.context.new_cdp_session(phone.page)

    def touch(kind: str, selector: str = "") -> None:
        points = []
        if selector:
            box = phone.see(selector).bounding_box()
            assert box
            points = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    for number, card in enumerate(CARDS):
        phone.takes_taps()
        touch("touchStart", '.play [data-part="background"][data-value="yellow"]')
        before = measured(phone, PLACES)
        touch("touchMove", f'.play .deck [data-value="{card}"]')
        assert phone.see(".lens").count() == 1
        assert measured(phone, PLACES) == before
        touch("touchEnd")
        if number < len(CARDS) - 1:
            phone.page.wait_for_function(
                "full => document.querySelectorAll('.play .slot.full').length === full",
                arg=number + 1,
            )
    phone.page.wait_for_selector("#rows .to-row")
    assert table.actions == [{"do": "start", "cards": list(CARDS)}]
