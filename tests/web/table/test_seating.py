"""A game that is only counted: a number a player, and it is in the history of everybody there."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.tables import Tables
from companion.tables.play.access import join_link
from tests.kit.history import take_in
from tests.kit.pages import Page
from tests.kit.phones import Phone


def lobby(host: Phone, tables: Tables, game: str = "freaky") -> str:
    names = [("Ada", "red"), ("Ben", "blue")]
    return tables.create(host.device, game, players=names)


def test_a_counted_game_is_in_everybodys_history(app: Flask, tables: Tables) -> None:
    host, guest = Phone(app), Phone(app)
    table = lobby(host, tables)
    tables.enter(tables.change(table, host.device, join_link).id, guest.device)
    link = host.page(f"/t/{table}/").one("a", href=f"/t/{table}/count")
    page = host.page(str(link.attrs["href"]))
    assert page.faults() == []
    answer = host.post(f"/t/{table}/count", {"count.1": "31", "count.2": " 40 "})
    assert "Ben wins" in host.page(answer.location).source
    for phone in (host, guest):
        [match] = tables.history.all_matches(phone.device)
        assert [(one.name, one.total, one.won) for one in match.players] == [
            ("Ada", 31, False),
            ("Ben", 40, True),
        ]
        assert (match.source, match.record, match.may_change) == ("typed", None, True)
        assert match.players[0].sheet == {"cards": 31}
    assert take_in(tables, guest.device, tables.history.export_json(host.device)) == 0
    assert tables.read(table, host.device).phase == "lobby"


@pytest.mark.parametrize("count", ["", "x", "-1", "109", "1.5", "\u0664", "9" * 50])
def test_a_count_that_nobody_has(app: Flask, tables: Tables, count: str) -> None:
    host = Phone(app)
    table = lobby(host, tables)
    form = {"count.1": "31", "count.2": count}
    answer = host.post(f"/t/{table}/count", form)
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "can be right" in page.one("p", role="alert").text
    assert page.one("input", name="count.1").attrs["value"] == "31"
    assert [field.attrs["name"] for field in page.having("aria-invalid")] == ["count.2"]
    assert "How many cards" in page.source
    assert tables.history.all_matches(host.device) == ()


def test_other_games_are_not_counted(app: Flask, tables: Tables) -> None:
    host = Phone(app)
    table = lobby(host, tables, "encore")
    assert not host.page(f"/t/{table}/").all("a", href=f"/t/{table}/count")
    form = {"count.1": "31", "count.2": "7"}
    assert host.post(f"/t/{table}/count", form).status_code == 422
    assert tables.history.all_matches(host.device) == ()
