"""The first page: new tables, those of this device, the language, and saved games."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from flask import Flask

from companion.games.record import parse, replay
from companion.tables import Tables
from companion.tables.play.lobby import start
from companion.web.page.language import LANGUAGES
from tests.kit.games import finished, passes, roll, write
from tests.kit.pages import Page
from tests.kit.phones import WAYS, Phone, refusal_of
from tests.kit.tables import Party
from tests.web.table.test_games import opened, some_game


def test_a_new_table_is_listed_on_its_device_alone(app: Flask, phone: Phone) -> None:
    answer = phone.post("/tables", {"game": "qwinto-dice"})
    assert answer.status_code == 303
    (card,) = phone.page("/").all("a", **{"class": "card"})
    assert card.attrs["href"] == answer.location
    assert "Nobody is seated yet" in card.text
    assert not Phone(app).page("/").all("a", **{"class": "card"})
    phone.post(f"{answer.location}do/add", {"name": "Zoë & <Jo>", "color": "red"})
    assert "Zoë & <Jo>" in phone.page("/").one("a", **{"class": "card"}).text


def test_running_tables_come_before_others_and_joining_after_the_games(phone: Phone) -> None:
    """A table that is being set up was changed later than the one that runs."""
    running = opened(phone, "qwixx", some_game("qwixx", seed=1, steps=4))
    over = opened(phone, "qwixx", some_game("qwixx", seed=1, steps=3000))
    new = phone.post("/tables", {"game": "encore"}).location
    page = phone.page("/")
    assert [card.attrs["href"] for card in page.all("a", **{"class": "card"})] == [
        running,
        new,
        over,
    ]
    sections = [section.attrs["aria-labelledby"] for section in page.all("section")]
    assert sections == ["open-tables", "new-game", "join", "paper"]


@pytest.mark.parametrize(("game", "least"), [("encore", "1 player."), ("qwixx", "2 players.")])
def test_a_new_table_says_how_many_are_needed(
    phone: Phone, tables: Tables, game: str, least: str
) -> None:
    page = phone.page(f"/t/{tables.create(phone.device, game)}/")
    assert f"needs at least {least}" in page.source


def test_no_such_game_and_no_such_language(phone: Phone) -> None:
    for game in (None, "", "chess", "qwinto-dice\n", "QWINTO-DICE", "x" * 9_999):
        form = {} if game is None else {"game": game}
        assert refusal_of(phone.post("/tables", form, way="htmx")).code == "no-such-game"
    assert not phone.page("/").all("a", **{"class": "card"})
    for language in (None, "", "fr", "EN", "../en", "en\x00", "x" * 9_999):
        answer = phone.post("/language", {} if language is None else {"language": language})
        assert refusal_of(answer).status == 400
        assert "Set-Cookie" not in answer.headers


def test_choosing_a_language(phone: Phone) -> None:
    for language, title in LANGUAGES.items():
        answer = phone.post("/language", {"language": language, "back": "/"})
        assert (answer.status_code, answer.location) == (303, "/")
        page = phone.page("/", headers={"Accept-Language": "en"})
        assert page.one("html").attrs["lang"] == language
        button = page.one("button", **{"aria-pressed": "true"})
        assert (button.attrs["value"], button.attrs["aria-label"]) == (language, title)


# Saved games


def record_of(**changes: Any) -> dict[str, Any]:
    return {
        "format": "companion-record/1",
        "game": "qwinto-dice",
        "players": ["Tim", "Sarah"],
        "options": {},
        "actions": [roll("Tim", yellow=4), write("Tim", "yellow", 3)],
    } | changes


def test_export_import_export(phone: Phone, game: Party) -> None:
    """What is saved and opened again is saved as the same bytes."""
    game.do(roll("Tim", yellow=4, purple=5), write("Tim", "yellow", 6), passes("Sarah"))
    game.do(passes("Linus"), roll("Sarah", orange=1), roll("Sarah", orange=6))
    first = game.host.get(f"{game.path}record.json").data
    for name in ("../../etc/passwd", "x" * 5_000, "<b>.json", "é\u202e.json"):
        path = phone.bring(first, name).location
        saved = phone.get(f"{path}record.json")
        assert saved.data == first, "whatever the file was called"
    assert "attachment" in saved.headers["Content-Disposition"]
    assert replay(parse(json.loads(first))).refusal is None


def test_players_keep_their_colors(phone: Phone, tables: Tables) -> None:
    """What is no list of such colors is ignored."""
    colors = ["teal", "pink"]
    players = list(zip(("Tim", "Sarah"), colors, strict=True))
    table = tables.create(phone.device, "qwinto-dice", players=players)
    tables.change(table, phone.device, start)
    first = phone.get(f"/t/{table}/record.json")
    assert first.get_json()["colors"] == colors
    path = phone.bring(first.data).location
    dots = [str(dot.attrs.get("class")) for dot in phone.page(path).all("span")]
    assert [dot.split()[1] for dot in dots if dot.startswith("dot ")][:2] == colors
    assert phone.get(f"{path}record.json").data == first.data
    for wrong in ("teal", ["teal"], ["beige", "red"], [["red"], "blue"], [None, None]):
        assert (
            "colors"
            not in phone.get(
                f"{phone.bring(record_of(colors=wrong)).location}record.json"
            ).get_json()
        )


def test_a_record_with_a_byte_order_mark(phone: Phone) -> None:
    """Windows' editors put one in."""
    raw = b"\xef\xbb\xbf" + json.dumps(record_of()).encode()
    assert phone.bring(raw).status_code == 303


def test_what_a_record_may_carry_beside(phone: Phone) -> None:
    """Fields that nobody needs are ignored, and names are cleaned."""
    players = [" Tim ", "Zoe\u0308"]
    actions = [roll("Tim", yellow=4) | {"time": 12}, passes("Tim "), passes("Zo\u00eb")]
    answer = phone.bring(record_of(players=players, actions=actions, note="x"))
    assert answer.status_code == 303
    page = phone.page(answer.location)
    assert {"Tim", "Zo\u00eb"} <= {element.text for element in page.all("bdi")}
    turns = phone.page(f"{answer.location}turns")
    for button in [button for button in turns.having("hx-get") if "/turns/" in str(button.attrs)]:
        assert phone.get(str(button.attrs["hx-get"])).status_code == 200
    # Told as it is when the page itself sends it.
    assert "Tim has a failed attempt" in turns.one("ol").text


def test_what_is_ignored_may_be_deep(phone: Phone) -> None:
    """As deep as its length allows, and the table can still be shown and saved."""
    deep = roll("Tim", yellow=1) | {"x": json.loads("[" * 900 + "]" * 900)}
    path = phone.bring(record_of(actions=[deep])).location
    for part in ("", "turns", "record.json"):
        assert phone.get(path + part).status_code == 200


UNUSABLE: dict[str, object] = {
    "nothing": b"",
    "no JSON": b"Tim, Sarah, 12",
    "a picture": b"\x89PNG\r\n\x1a\n\x00\x00",
    "UTF-16": json.dumps(record_of()).encode("utf-16"),
    "half a file": json.dumps(record_of()).encode()[:-9],
    "deep lists": b"[" * 500_000,
    "deep objects": b'{"a":' * 150_000,
    "closed deep lists": b"[" * 50_000 + b"]" * 50_000,
    "a giant number": b'{"format": ' + b"9" * 10_000 + b"}",
    "another format": record_of(format="companion-score/1"),
    "an option of half characters": record_of(options={"\ud800": 1}),
    "an option of marks": record_of(options={"<b>%(x)s%s</b>": 1}),
    "too many actions": record_of(actions=[{"do": "next"}] * 2_001),
    "a long action": record_of(actions=[roll("Tim", yellow=1) | {"x": "x" * 3_000}]),
    "not a number": record_of(actions=[roll("Tim", yellow=1) | {"x": float("nan")}]),
    "infinity": record_of(actions=[roll("Tim", yellow=1) | {"x": float("inf")}]),
}


def test_records_that_are_unusable(phone: Phone) -> None:
    for what, record in UNUSABLE.items():
        for way in ("page", "htmx"):
            refused = refusal_of(phone.bring(record, way=way), echo="<b>%(x)s%s</b>")
            assert refused.status == 422, what
            assert refused.code in ("unusable", "")
    assert refusal_of(phone.bring(b" " * 1_100_000)).status == 413
    assert not phone.page("/").all("a", **{"class": "card"}), "a table was made"


ILLEGAL: tuple[tuple[list[Any], str], ...] = (
    ([None], "bad-action"),
    ([{"do": "\ud800"}], "bad-action"),
    ([roll("\ud800", yellow=1)], "unknown-player"),
    ([roll("Tim", **{"\ud800": 1})], "bad-dice"),
    ([roll("<b>%(x)s", yellow=1)], "unknown-player"),
    ([{"do": "<b>%(x)s", "by": "Tim"}], "bad-action"),
    ([roll("Sarah", yellow=1)], "not-your-turn"),
    ([roll("Tim", yellow=10**4_000)], "bad-dice"),
    ([*finished()["actions"], passes("Tim")], "game-over"),
)


def test_records_with_an_illegal_action(phone: Phone) -> None:
    """The rules' own code and sentence."""
    for actions, code in ILLEGAL:
        answer = phone.bring(record_of(actions=actions), way="htmx")
        refused = refusal_of(answer, echo="<b>%(x)s")
        assert refused.status == 422
        assert refused.code == code or (code == "unknown-player" and refused.code == "bad-action")
        whole = phone.bring(record_of(actions=actions))
        assert refusal_of(whole, echo="<b>%(x)s").message == refused.message
    assert not phone.page("/").all("a", **{"class": "card"}), "a table was made"


@pytest.mark.parametrize("way", WAYS)
def test_no_file(phone: Phone, way: str) -> None:
    answers = [
        phone.post("/import", {}, way=way),
        phone.post("/import", {"record": "text, no file"}, way=way),
        phone.post("/import", {"record": (io.BytesIO(b"{}"), "")}, way=way),
        phone.post("/import", {"other": (io.BytesIO(b"{}"), "game.json")}, way=way),
    ]
    for answer in answers:
        assert refusal_of(answer).status == 422


def test_a_table_of_a_record_is_the_device_s_own(app: Flask, phone: Phone) -> None:
    path = phone.bring(finished()).location
    assert refusal_of(Phone(app).get(path)).status == 403
    page = Page(phone.get(path).text)
    assert "Sarah wins" in page.one("main").text
