"""The page of the pads: which games each is for, and what is told before printing."""

from __future__ import annotations

from tests.kit.phones import Phone


def test_the_page_says_which_games_a_pad_is_for(phone: Phone) -> None:
    page = phone.page("/pads?sheet=tally&mono=1")
    assert page.faults() == []
    titles = {one.attrs["value"]: one.text.strip() for one in page.all("option")}
    assert "Freaky" in titles["tally"]
    assert "card" in titles["qwinto"].lower()
    assert page.one("input", name="mono").attrs.get("checked", "-") != "-"
