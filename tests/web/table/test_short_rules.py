"""The rules of each game in short, and what they say at every moment of a game."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.games.catalog import GAMES
from companion.web.page.language import LANGUAGES
from tests.kit.phones import Phone

NAMES = ("Tim", "Sarah")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_its_rules(app: Flask, name: str) -> None:
    phone = Phone(app)
    for language in LANGUAGES:
        phone.client.set_cookie("language", language)
        page = phone.page(f"/rules/{name}")
        assert page.faults() == []
        assert len(page.all("h3")) == 3
    assert bool(page.all("svg")) == GAMES[name].has_sheet
    assert phone.get("/rules/chess").status_code == 404


def test_a_table_says_what_to_do_now(app: Flask) -> None:
    phone = Phone(app)
    path = phone.post("/tables", {"game": "qwinto-dice"}).headers["Location"]
    for name in NAMES:
        phone.post(f"{path}do/add", {"name": name, "color": "red" if name == "Tim" else "blue"})
    assert "Now" not in [one.text for one in phone.page(f"{path}rules").all("h3")]
    phone.post(f"{path}do/start")
    page = phone.page(f"{path}rules")
    assert page.faults() == []
    assert page.all("h3")[0].text == "Now"
    assert "choose one, two or three dice" in page.all("section")[0].text
