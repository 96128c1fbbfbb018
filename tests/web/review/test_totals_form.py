"""Just the totals: a game of the history from names and final scores alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from flask import Flask

from companion.games.catalog import GAMES
from companion.tables import Tables, quotas
from companion.tables.database.columns import from_milliseconds
from companion.tables.ledger import store
from companion.tables.ledger.store import Store
from lab.history import paper, people, take_in
from lab.pages import Page
from lab.phones import Phone
from lab.tables import device, party


def enter(phone: Phone, game: str, *rows: tuple[str, str], **more: str) -> tuple[int, str]:
    """The status, and the game's id or the page."""
    form = {"game": game, "name": [name for name, _ in rows], "total": [total for _, total in rows]}
    answer = phone.post("/totals", {**form, **more})
    is_saved = answer.status_code == 303
    return answer.status_code, answer.location.rsplit("/", 1)[-1] if is_saved else answer.text


@pytest.mark.parametrize("game", GAMES)
def test_every_game_without_its_sheets(phone: Phone, tables: Tables, game: str) -> None:
    rows = (("Ada", "-12"), ("", ""), ("Ben", "40"))
    _, match_id = enter(phone, game, *rows)
    match = tables.history.match(phone.device, match_id)
    assert (match.game.name, match.source) == (game, "typed")
    players = [(one.name, one.total, one.won, one.sheet) for one in match.ranking]
    assert players == [("Ben", 40, True, None), ("Ada", -12, False, None)]
    page = phone.page(f"/history/{match_id}")
    assert "Ben wins" in page.source
    assert_backup_is_taken_in(phone, tables, 1)


def assert_backup_is_taken_in(phone: Phone, tables: Tables, count: int) -> None:
    raw, other = tables.history.export_json(phone.device), device()
    assert take_in(tables, other, raw) == count
    assert tables.history.export_json(other) == raw


def test_the_same_game_is_asked_about(phone: Phone, tables: Tables) -> None:
    rows = (("Ada", "3"), ("Ben", "4"))
    _, match_id = enter(phone, "freaky", *rows)
    status, text = enter(phone, "freaky", ("ben ", "4"), ("Ada", "3"))
    page = Page(text)
    assert (status, page.faults()) == (409, [])
    assert "This game is already in the history" in text
    assert page.all("a", href=f"/history/{match_id}")
    form = [(one.attrs["name"], one.attrs["value"]) for one in page.all("input", type="hidden")]
    fields = {name: [text for field, text in form if field == name] for name, _ in form}
    assert tables.history.matches(phone.device).count == 1
    assert phone.post("/totals", {**fields, "again": "1"}).status_code == 303
    assert tables.history.matches(phone.device).count == 2


def test_a_full_history_says_so_beside_what_was_typed(
    phone: Phone, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "MOST_MATCHES", 0)
    status, page = enter(phone, "qwixx", ("Ada", "61"), ("Ben", "74"))
    assert status == 422
    assert "more than 0 games" in page
    assert 'value="74"' in page


def test_repeated_requests_count_as_changes(
    phone: Phone, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = ("Ada", "61"), ("Ben", "74")
    assert enter(phone, "qwixx", *rows)[0] == 303
    monkeypatch.setattr(store, "MEMBER_CHANGES", 3)
    assert [enter(phone, "qwixx", *rows)[0] for _ in range(3)] == [409, 409, 429]


def test_saved_once_and_people_are_known(phone: Phone, tables: Tables) -> None:
    form = Page(phone.get("/totals").text).all("input", name="id")[0].attrs["value"] or ""
    for _ in range(2):
        _, match_id = enter(phone, "freaky", ("Ada", "3"), ("", "4"), id=form)
    assert tables.history.matches(phone.device).count == 1
    enter(phone, "freaky", ("ada", "5"), ("Ben", "4"))
    assert [person.name for person in people(tables, phone.device)] == ["Ada", "Ben"]
    assert "not named" in phone.get(f"/history/{match_id}").text
    offered = [one.attrs["value"] for one in phone.page("/totals").all("option")]
    assert offered[-2:] == ["Ada", "Ben"]


ADA_AND_BEN = (("Ada", "3"), ("Ben", "4"))


def test_a_form_names_no_game_of_another_device(app: Flask, phone: Phone, tables: Tables) -> None:
    """Any id is the form's own: nothing of that game comes to a table, played or on paper."""
    made, table = party(app, tables, "over"), party(app, tables, "lobby")
    played = tables.history.all_matches(made.host.device)[0].id
    typed = paper(tables, phone.device, "Zara", notes="secret")
    for match_id in (played, typed):
        status, own = enter(
            table.player, "freaky", *ADA_AND_BEN, id=match_id, table=table.id, again="1"
        )
        assert status == 303
        assert own != match_id
    for one in (table.host, table.player):
        games = tables.history.all_matches(one.device)
        assert [[player.name for player in game.players] for game in games] == [["Ada", "Ben"]] * 2


def test_a_form_that_is_sent_again_changes_nothing(app: Flask, tables: Tables) -> None:
    """At the table's other phones neither, where its game was deleted by one of them."""
    made = party(app, tables, "lobby")
    phones = (made.host, made.player)
    for _ in range(3):
        _, match_id = enter(made.host, "freaky", *ADA_AND_BEN, id="form", table=made.id)
    assert [tables.history.matches(one.device).count for one in phones] == [1, 1]
    assert tables.history.matches(made.viewer.device).count == 0
    tables.history.delete_match(made.player.device, match_id)
    tables.history.delete_match(made.host.device, match_id)
    enter(made.host, "freaky", *ADA_AND_BEN, id="form", table=made.id)
    assert [tables.history.matches(one.device).count for one in phones] == [1, 0]


def test_no_guest_fills_the_history_of_another(
    app: Flask, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies end before the limit, and the guest gets a message; the host can still save."""
    made = party(app, tables, "lobby")
    monkeypatch.setattr(quotas, "MOST_WITH_COPIES", 1)
    for points in range(3):
        form = {"game": "freaky", "name": ["Ada", "Ben"], "total": [str(points), "40"]}
        answer = made.player.post("/totals", {**form, "table": made.id})
    page = made.player.page(answer.location)
    assert "1 phone of the table did not get this game" in page.one("p", role="status").text
    counts = [tables.history.matches(one.device).count for one in (made.player, made.host)]
    assert counts == [3, 1]
    assert enter(made.host, "qwixx", *ADA_AND_BEN)[0] == 303


NO_ROWS = [
    ((("Ada", ""), ("Ben", "4")), "The score of Ada is missing."),
    ((("Ada", "4,5"), ("Ben", "4")), "The score in line 1 must be a whole number"),
    ((("Ada", "1"), ("ADA", "4")), "Ada is there twice."),
    ((("Ada", "1"),), "2 to 5 players"),
    ((("A" * 30, "1"), ("Ben", "4")), "24"),
]
NO_GAMES = [
    ({"title": ""}, "needs a name"),
    ({"title": "x" * 41}, "needs a name"),
    ({"title": "\u202e"}, "needs a name"),
    ({"title": "Catan"}, "Say who wins"),
    ({"title": "Catan", "wins": "highest", "ended": "2999-01-01T00:00"}, "must be in the past"),
    ({"title": "Catan", "wins": "highest", "ended": "x"}, "must be in the past"),
]


MISSING = [("freaky", rows, {}, reason) for rows, reason in NO_ROWS]
MISSING += [("", (("Ada", "5"), ("Ben", "9")), form, reason) for form, reason in NO_GAMES]


@pytest.mark.parametrize("case", MISSING)
def test_missing_values_are_named_beside_the_typed_ones(
    phone: Phone, tables: Tables, case: Any
) -> None:
    game, rows, form, reason = case
    status, text = enter(phone, game, *rows, **form)
    page = Page(text)
    assert (status, page.faults()) == (422, [])
    assert reason in page.one("p", role="alert").text
    assert page.all("input", name="name")[0].attrs["value"] == rows[0][0]
    assert tables.history.matches(phone.device).count == 0


def test_a_tie_that_the_game_breaks_is_asked_for(phone: Phone, tables: Tables) -> None:
    rows = (("Ada", "40"), ("Ben", "40"), ("Cleo", "7"))
    status, text = enter(phone, "encore", *rows)
    assert status == 422
    choices = [one.attrs["value"] for one in Page(text).all("input", name="winner")]
    assert choices == ["0", "1", "shared"]
    for winner, won in (("1", ["Ben"]), ("shared", ["Ada", "Ben"])):
        _, match_id = enter(phone, "encore", *rows, winner=winner, again="1")
        ranking = tables.history.match(phone.device, match_id).ranking
        assert [one.name for one in ranking if one.won] == won
    status, _ = enter(phone, "freaky", *rows)
    assert status == 303, "there a tie is shared"


ZONES = ("Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati")
NO_ZONES = ("", "Europe", "../../etc/passwd", "Nowhere/At all", "x" * 500)


@pytest.mark.parametrize("zone", ZONES + NO_ZONES)
def test_times_are_the_phones(
    phone: Phone, tables: Tables, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form offers the phone's time, which is never to come, and takes and shows a typed one."""
    monkeypatch.setattr(Store, "now", lambda _: 1_782_907_200_000)
    phone.client.set_cookie("zone", zone)
    here = ZoneInfo(zone) if zone in ZONES else None
    form = phone.page("/totals")
    field = form.one("input", name="ended")
    now = from_milliseconds(tables.now()).astimezone(here)
    assert field.attrs["value"] == f"{now:%Y-%m-%dT%H:%M}"
    assert "data-offset" in form.one("template", id="words").attrs
    (_, ahead), (_, typed) = (
        enter(phone, "freaky", ("Ada", "3"), ("Ben", "4"), ended=ended, again="1")
        for ended in (str(field.attrs["max"]), "2025-01-01T00:30")
    )
    assert tables.history.match(phone.device, ahead).ended_at == now + timedelta(hours=14)
    ended = datetime(2025, 1, 1, 0, 30, tzinfo=here).astimezone(UTC)
    assert tables.history.match(phone.device, typed).ended_at == ended
    for path in (f"/history/{typed}", f"/history/{typed}/edit"):
        assert "January 1, 2025, 12:30" in phone.page(path).source
    assert "2025-01-01T00:30" in phone.page(f"/history/{typed}/edit").source
    assert phone.page("/history?year=2025").source.count("January 1, 2025") == 1
    assert "January 1, 2025" not in phone.page("/history?year=2024").source


def test_a_game_of_any_name(phone: Phone, tables: Tables) -> None:
    """It is in the history, among the people and in files as others; its title is offered then."""
    rows = (("Ada", "71"), ("Ben", "68"), ("Cleo", "103456"))
    golf = {"title": " Mini  golf ", "wins": "lowest", "ended": "2025-03-01T20:15"}
    _, match_id = enter(phone, "", *rows, **golf)
    match = tables.history.match(phone.device, match_id)
    assert (match.game.title, match.ended_at.astimezone().year) == ("Mini golf", 2025)
    assert [(one.name, one.won) for one in match.ranking] == [
        ("Ben", True), ("Ada", False), ("Cleo", False),
    ]  # fmt: skip
    enter(phone, "", ("Ada", "5"), ("Ben", "9"), title="mini golf", wins="lowest")
    enter(phone, "", ("Ada", "5"), ("Ben", "9"), title="Catan", wins="highest")
    enter(phone, "", ("Ada", "5"), ("Ben", "9"), title="qwixx", wins="lowest")
    offered = phone.page("/totals").all("input", name="game")
    names = [str(one.attrs["value"]) for one in offered]
    assert names[:3] == ["other/lowest/Mini golf", "other/highest/Catan", "qwixx"]
    assert enter(phone, names[0], ("Ada", "1"), ("Ben", "2"))[0] == 303
    ben = next(one for one in people(tables, phone.device) if one.name == "Ben")
    for path in (
        f"/history/{match_id}", f"/history/{match_id}/edit", "/history",
        f"/history/people/{ben.id}", "/history?game=other/lowest/Mini+golf",
    ):  # fmt: skip
        page = phone.page(path)
        assert "Mini golf" in page.source, path
    assert phone.get(f"/history/{match_id}/result.svg").status_code == 200
    assert "Mini golf" in phone.get("/history/history.csv").text
    assert_backup_is_taken_in(phone, tables, 5)


def test_a_table_s_names_are_there(app: Flask, tables: Tables) -> None:
    made = party(app, tables, "lobby")
    page = made.host.page(f"/totals?table={made.id}")
    names = [one.attrs["value"] for one in page.all("input", name="name")]
    assert names[:4] == ["Tim", "Sarah", "Linus", ""]
