"""The button by which the app rolls the dice, in each game that has some."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.tables.play.lobby import start
from tests.kit.phones import Phone


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.has_dice])
def test_a_tap_rolls_the_dice(app: Flask, tables: Tables, name: str) -> None:
    host = Phone(app)
    table = tables.create(host.device, name, players=[("Ada", "red"), ("Ben", "blue")])
    tables.change(table, host.device, start)
    path = f"/t/{table}/"
    assert host.page(path).all(id="roller") == []
    host.post(f"{path}do/roller", {"roller": "on"})
    page = host.page(path)
    assert page.faults() == []
    form = {field.attrs["name"]: field.attrs["value"] for field in page.all("input", type="hidden")}
    dice = [box.attrs["value"] for box in page.all("input", name="dice")]
    assert host.post(f"{path}do/roll", {**form, "dice": dice}).status_code == 303
    rolled = host.page(path).one(id="table").attrs["data-rolled"]
    assert int(page.one(id="table").attrs["data-rolled"]) < int(rolled), "it tumbles"
    assert "rolled by the app" in host.get(f"{path}turns").text
    assert host.post(f"{path}do/roll", {**form, "dice": dice}).status_code == 409, "a second tap"
