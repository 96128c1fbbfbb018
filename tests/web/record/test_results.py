"""Results to share: pictures, links to one game, records, the list's filters."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest

from companion.games.catalog import GAMES, SHEET_GAMES, SHEETS
from companion.tables import Tables
from companion.tables.history.people import person_id
from tests.kit.games import SARAH
from tests.kit.history import EMPTY, TALLY, add, paper, people, put, take_in
from tests.kit.names import HOSTILE_NAMES
from tests.kit.phones import Phone, refusal_of
from tests.kit.sheets import kept, written
from tests.kit.wide import wide

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)


@pytest.mark.parametrize("language", ["de", wide("en"), wide("es")])
def test_every_game_has_a_picture(phone: Phone, tables: Tables, language: str) -> None:
    for kind, games in SHEET_GAMES.items():
        if SHEETS[kind].sharing is not None:
            match_id = add(tables, phone.device, games[0], [("", TALLY)], ended=ENDED)
        else:
            sheet = written(SHEETS[kind], SHEETS[kind].usual_board)
            names = HOSTILE_NAMES[: GAMES[games[0]].max_players]
            match_id = add(tables, phone.device, games[0], [(one, sheet) for one in names])
        path = f"/history/{match_id}/result.svg"
        answer = phone.get(path, headers={"Accept-Language": language})
        assert answer.mimetype == "image/svg+xml"
        picture = ElementTree.fromstring(answer.data)  # noqa: S314 - our own
        assert picture.attrib["width"] == "1080.0"
        # It stands alone: a browser loads nothing for a picture.
        assert not re.findall(rb"url\((?!\"data:)|href|<script", answer.data)


def test_a_winner_without_a_name_has_points(phone: Phone, tables: Tables) -> None:
    (_, sheet), other = kept("qwinto-dice", ("", SARAH), ("Ben", EMPTY))
    match_id = put(tables, phone.device, "qwinto-dice", [(None, sheet), other], ended=ENDED)
    assert "43 points win" in phone.page(f"/history/{match_id}").source


def test_nobody_is_said_to_win_where_the_winner_was_deleted(phone: Phone, tables: Tables) -> None:
    match_id = add(tables, phone.device, "qwinto-dice", [("Ada", SARAH), ("Ben", EMPTY)])
    tables.history.delete_person(phone.device, person_id("Ada"))
    page = phone.page(f"/history/{match_id}")
    assert page.faults() == []
    assert "points win" not in page.source


def test_a_link_shows_one_game_and_nothing_else(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Ben", ended=ENDED, notes="a secret")
    stranger = Phone(phone.app)
    assert phone.post(f"/history/{match_id}/link").status_code == 303
    token, links = tables.history.link_there(phone.device, match_id)
    assert token and links == 1
    assert f"/g/{token}" in phone.page(f"/history/{match_id}").source
    # A second tap makes no second link.
    assert tables.history.link(phone.device, match_id) == token
    page = stranger.page(f"/g/{token}")
    assert page.faults() == []
    assert "Ada wins" in page.source
    assert "a secret" not in page.source
    assert not page.all("form", method="post", action=f"/history/{match_id}/note")
    assert match_id not in page.source
    assert stranger.get(f"/history/{match_id}").status_code == 404
    for wrong in (token[:-1], "x" * 22, "x" * 100):
        assert refusal_of(stranger.get(f"/g/{wrong}")).status == 404
    assert refusal_of(stranger.post(f"/history/{match_id}/link")).status == 404
    phone.post(f"/history/{match_id}/unlink")
    assert refusal_of(stranger.get(f"/g/{token}")).status == 404
    assert tables.history.link(phone.device, match_id) != token
    tables.history.delete_match(phone.device, match_id)


def test_what_is_remarkable_is_told(phone: Phone, tables: Tables) -> None:
    for number in range(4):
        match_id = paper(tables, phone.device, "Ada", "Ben", ended=ENDED + timedelta(days=number))
    source = phone.page(f"/history/{match_id}/feats").source
    assert "Ada has won 4 times in a row." in source


def test_the_list_is_filtered(phone: Phone, tables: Tables) -> None:
    paper(tables, phone.device, "Ada", "Ben", ended=ENDED)
    paper(tables, phone.device, "Cy", "Ben", ended=ENDED.replace(year=2024))
    add(tables, phone.device, "qwinto-cards", [("ada", SARAH), ("Ben", EMPTY)], ended=ENDED)
    ada = next(one for one in people(tables, phone.device) if one.name.lower() == "ada")
    for query, count in (
        ("game=qwinto-dice", 2),
        ("game=chess", 3),
        (f"person={ada.id}", 2),
        (f"person={ada.id}&game=qwinto-cards", 1),
        ("year=2024", 1),
        ("year=1990", 0),
        ("year=x&person=%00&page=99", 3),
    ):
        page = phone.page(f"/history?{query}")
        assert page.faults() == []
        assert len(page.all("a", **{"class": "card played"})) == count, query


def test_the_total_on_the_paper_stands_beside_the_right_one(phone: Phone, tables: Tables) -> None:
    from dataclasses import replace

    from tests.kit.sheets import kept

    [(name, sheet), other] = kept("qwinto-dice", ("Ada", SARAH), ("Ben", EMPTY))
    sheets = [(name, replace(sheet, written=45)), other]
    match_id = put(tables, phone.device, "qwinto-dice", sheets, ended=ENDED)
    assert "45 on the paper" in phone.page(f"/history/{match_id}").source
    raw = tables.history.export_json(phone.device)
    stranger = Phone(phone.app)
    assert take_in(tables, stranger.device, raw) == 1
    assert tables.history.export_json(stranger.device) == raw
