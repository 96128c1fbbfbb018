"""The history's pages: what they show, change, restore and share."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from companion.games.catalog import GAMES, SHEET_GAMES, SHEETS
from companion.tables import Tables
from companion.tables.database.schema import finished_matches
from companion.tables.history.exchange import COLUMNS
from companion.tables.history.people import person_id
from companion.web.record.bgstats import ADDRESS, WEB_ADDRESS
from lab.games import SARAH, finished
from lab.history import EMPTY, TALLY, add, paper, people, put, take_in
from lab.names import HOSTILE_NAMES
from lab.pages import Page
from lab.phones import Phone, refusal_of
from lab.photos.sending import correct
from lab.sheets import kept, written
from lab.tables import Party
from lab.wide import wide

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)
ENCORE: dict[str, Any] = {
    "sheet": "encore", "board": "red", "crossed": ["H4", "G4"], "jokers_used": 3,
    "columns": {}, "colors": {},
}  # fmt: skip


def bring(phone: Phone, raw: bytes, name: str = "history.json", **more: Any) -> Any:
    """Restores a file."""
    head = f'Content-Disposition: form-data; name="history"; filename="{name}"'
    body = b"--part\r\n" + head.encode() + b"\r\n\r\n" + raw + b"\r\n--part--\r\n"
    kind = "multipart/form-data; boundary=part"
    return phone.ask("POST", "/history/import", data=body, content_type=kind, **more)


@pytest.fixture
def evening(phone: Phone, tables: Tables) -> Phone:
    """A phone with a game of every kind: in the app, on paper, with somebody deleted."""
    device, day = phone.device, timedelta(days=1)
    tables.import_record(device, finished())
    paper(tables, device, *HOSTILE_NAMES[:3], ended=ENDED, started=ENDED, notes="=1+1")
    add(tables, device, "freaky", [("", TALLY)], ended=ENDED)
    two = [("Ada", ENCORE), ("Ben", {**ENCORE, "jokers_used": 2})]
    add(tables, device, "encore", two, ended=ENDED + day, place="\U0001f3e0", source="typed")
    paper(tables, device, "Gone", "Ada", ended=ENDED + 2 * day)
    tables.history.delete_person(device, person_id("Gone"))
    return phone


# Pages


@pytest.mark.parametrize("language", ["de", wide("en"), wide("es")])
def test_every_page_is_sound(evening: Phone, tables: Tables, language: str) -> None:
    pages = ["/", "/history", "/history/people"]
    for play in tables.history.all_matches(evening.device):
        pages += [f"/history/{play.id}", f"/history/{play.id}/delete"]
    for person in people(tables, evening.device):
        pages += [f"/history/people/{person.id}", f"/history/people/{person.id}/delete"]
    assert len(pages) > 20
    for path in pages:
        page = evening.page(path, headers={"Accept-Language": language})
        assert page.one("html").attrs["lang"] == language, path
        if "bgstats" in page.source:
            sent = bgstats(page)["players"]
            assert all(one["name"] for one in sent)
            assert any(one["winner"] for one in sent)


def test_the_total_is_explained_part_by_part(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Sarah", "Ben", ended=ENDED)
    page = phone.page(f"/history/{match_id}")
    terms = [
        element.text.split() for element in page.all("button") if "data-lights" in element.attrs
    ]
    points = [int(words[-1].replace("−", "-")) for words in terms]
    assert (sum(points[:-1]), points[-1]) == (43, -10)
    assert page.all("svg", role="group")
    assert "Sarah wins" in page.source


def test_a_tally_is_a_table_of_rounds(phone: Phone, tables: Tables) -> None:
    """A round that brought nobody a point is left out, and the others keep their numbers."""
    tally = {**TALLY, "rounds": [[12, 30], [0, 0], [7, 0]]}
    match_id = add(tables, phone.device, "freaky", [("", tally)], ended=ENDED)
    page = phone.page(f"/history/{match_id}")
    assert [element.text for element in page.all("td")] == ["30", "12", "0", "7", "30", "19"]
    rows = [element.text for element in page.all("th") if element.attrs["scope"] == "row"]
    assert rows == ["1", "3", "Total"]


def test_place_and_notes(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Ben")
    notes = "\n</textarea><script>x()</script>\r\n\u202e second"
    answer = phone.post(f"/history/{match_id}/note", {"place": '"><b>', "notes": notes})
    assert answer.status_code == 303
    page = phone.page(answer.location)
    assert page.one("input", name="place").attrs["value"] == '"><b>'
    # A browser drops one line feed at the beginning, and sends the rest back as it is.
    assert page.one("textarea").text == "\n</textarea><script>x()</script>\n second"
    play = tables.history.match(phone.device, match_id)
    assert play.notes == "</textarea><script>x()</script>\n second"


# People


def test_a_person_has_figures_and_a_chart_of_each_game(phone: Phone, tables: Tables) -> None:
    """The totals of the chart are in the list to which the game's heading leads."""
    played = (("Ada", "Ben"), ("Ada", "Ben"), ("Ben", "Ada"), ("Ada", "Cy"))
    for number, names in enumerate(played):
        paper(tables, phone.device, *names, ended=ENDED + timedelta(days=number))
    ada = people(tables, phone.device)[0]
    page = phone.page(f"/history/people/{ada.id}")
    numbers = [tile.text for tile in page.all("dd")]
    assert numbers == ["4", "3", "75 %", "1", "2", "4", "75 %", "29.8", "43"]
    page.one("svg", role="img")
    dots = [dot for dot in page.all("circle") if "figure" in dot.inside]
    assert ["class" in dot.attrs for dot in dots[:4]] == [True, True, False, True]


# Editing


def test_the_page_asks_which_game_counts(over: Party) -> None:
    """The history's page, and the end of the game at its table."""
    host, history = over.host, over.tables.history
    [match] = history.all_matches(host.device)
    form = {"name": ["Tom", *(player.name or "" for player in match.players[1:])]}
    assert host.post(f"/history/{match.id}/edit", form).status_code == 303
    pages = (f"/history/{match.id}", over.path)
    sentence = "This game was changed in the history."
    assert not any(sentence in host.page(path).source for path in pages)
    with over.tables.database.write() as connection:
        connection.execute(finished_matches.update().values(is_contested=True))
    assert all(sentence in host.page(path).source for path in pages)
    assert host.post(f"/history/{match.id}/settle", {"keep": "table"}).status_code == 303
    assert not any(sentence in host.page(path).source for path in pages)
    assert history.match(host.device, match.id).players == match.players


# BG Stats


def bgstats(page: Page) -> Any:
    link, on_the_web = [
        str(one.attrs["href"]) for one in page.all("a") if "bgstats" in str(one.attrs["href"])
    ]
    assert link.startswith(ADDRESS)
    data = link.removeprefix(ADDRESS)
    assert on_the_web == WEB_ADDRESS + data
    assert not set(data) & set(" \"'<>&=?#/\\")
    return json.loads(unquote(data, errors="strict"))


def test_the_link_to_bg_stats_fills_in_the_play(over: Party, phone: Phone, tables: Tables) -> None:
    ben, sheets = "Ben & \"Jo\" 'x' 👩‍👧", {"Ada": SARAH, "Cy": EMPTY}
    match_id = add(
        tables, phone.device, "qwinto-dice", [(ben, EMPTY), *sheets.items()],
        started=ENDED - timedelta(minutes=31), ended=ENDED, place="Ada's", notes="It rained.",
    )  # fmt: skip
    assert bgstats(phone.page(f"/history/{match_id}")) == {
        "sourceName": "Companion",
        "sourcePlayId": match_id,
        "playDate": "2025-03-01 20:15:00",
        "durationMin": 31,
        "location": "Ada's",
        "comments": "It rained.",
        "game": {
            "name": "Qwinto",
            "sourceGameId": "qwinto-dice",
            "bggId": 183006,
            "highestWins": True,
        },
        "players": [
            {"name": name, "sourcePlayerId": person_id(name), "score": score, **more}
            for name, score, more in (
                (ben, -10, {"rank": 2, "winner": False}),
                ("Ada", 43, {"rank": 1, "winner": True}),
                ("Cy", -10, {"rank": 2, "winner": False}),
            )
        ],
    }
    play = over.tables.history.all_matches(over.host.device)[0]
    sent = bgstats(over.host.page(f"/history/{play.id}"))
    assert [one["startPlayer"] for one in sent["players"]] == [True, False, False]


# Files


def test_export_import_export_is_the_same_bytes(evening: Phone) -> None:
    answer = evening.get("/history/history.json")
    assert answer.mimetype == "application/json"
    assert "attachment" in answer.headers["Content-Disposition"]
    other = Phone(evening.app)
    # Restoring it again changes nothing.
    for phone, message in (
        (other, "5 games were added."),
        (other, "5 games were already here"),
        (evening, "5 games were already here"),
    ):
        assert message in bring(phone, answer.data).text
        assert phone.get("/history/history.json").data == answer.data


@pytest.mark.parametrize("language", ["de", wide("en"), wide("es")])
def test_a_restore_says_what_it_has_done(evening: Phone, tables: Tables, language: str) -> None:
    raw = tables.history.export_json(evening.device)
    plays = tables.history.all_matches(evening.device)
    tables.history.delete_match(evening.device, plays[0].id)
    tables.history.edit_notes(evening.device, plays[1].id, place="", notes="Rain.")
    document = json.loads(raw)
    document["games"] += [{**GOOD, "id": "new"}, {**GOOD, "game": "chess"}]
    raw = json.dumps(document).encode()
    page = Page(bring(evening, raw, headers={"Accept-Language": language}).text)
    assert page.faults() == []
    paragraphs = [one.text for one in page.all("p") if "div" in one.inside]
    counted = [text for text in paragraphs if re.search("[0-9]", text[:11])]  # "Se añadió 1"
    assert [re.findall("[0-9]+", text) for text in counted] == [["1"], ["3"], ["1"], ["1"], ["1"]]
    body = {"history": (io.BytesIO(raw), "x.json"), "deleted": "1", "changed": "1"}
    answer = evening.ask("POST", "/history/import", data=body)
    assert "1 game was added." in answer.text
    assert "1 game is now as it was in the backup." in answer.text
    assert tables.history.matches(evening.device).count == 6


def test_other_files_than_histories_are_refused(phone: Phone) -> None:
    for raw in (b"", b"\xff\xfe", b"[" * 100_000):
        assert refusal_of(bring(phone, raw)).status == 422
    assert refusal_of(phone.post("/history/import")).status == 422
    assert refusal_of(bring(phone, b"", name="")).status == 422


def test_a_record_from_the_history_leads_to_its_game(over: Party, tables: Tables) -> None:
    """By its id, also after a change, or by its actions; on another device it opens as a game."""
    host, history = over.host, tables.history
    [play] = history.all_matches(host.device)
    path = f"/history/{play.id}"
    record = json.loads(host.get(f"{path}/record.json").data)
    bare = {name: part for name, part in record.items() if name != "id"}
    for document in (record, bare, {**bare, "colors": ["red"], "id": []}):
        assert host.bring(document).location == path
    sarah = next(person for person in people(tables, host.device) if person.name == "Sarah")
    history.rename_person(host.device, sarah.id, "Sara")
    assert host.bring(record).location == path
    other = Phone(host.app)
    assert other.bring(record).location.startswith("/t/")
    assert [len(history.all_matches(who.device)) for who in (host, other)] == [1, 1]


GOOD: dict[str, Any] = {
    "game": "qwinto-dice", "source": "photo", "started": None, "ended": "2025-03-01T20:15:00.000Z",
    "place": "", "notes": "", "record": None,
    "players": [{"name": "Ada", "total": 43, "won": True, "sheet": SARAH}],
}  # fmt: skip


@pytest.mark.parametrize(("query", "separator"), [("", ","), ("?semicolons=1", ";")])
def test_the_spreadsheet(evening: Phone, tables: Tables, query: str, separator: str) -> None:
    answer = evening.get(f"/history/history.csv{query}")
    assert answer.mimetype == "text/csv"
    assert answer.data.startswith(b"\xef\xbb\xbf")
    head, *rows = csv.reader(io.StringIO(answer.data.decode("utf-8-sig")), delimiter=separator)
    assert tuple(head) == COLUMNS
    plays = tables.history.all_matches(evening.device)
    assert len(rows) == sum(len(play.players) for play in plays)
    assert "'=1+1" in [row[9] for row in rows], "no formula"


def test_leaving_it_as_it_was(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Ben", ended=ENDED)
    review = phone.post(f"/history/{match_id}/sheets").location
    correct(phone, review.split("/")[2], "yellow.1", "7", "2")
    assert "the saved game stays as it was" in phone.page(f"{review}discard").source
    answer = phone.post(f"{review}discard")
    assert answer.location.endswith(f"/history/{match_id}")
    assert tables.history.match(phone.device, match_id).edited is None


def test_date_and_names(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Benn", ended=ENDED)
    path = f"/history/{match_id}/edit"
    phone.page(path)
    form = {"ended": "2024-12-24T18:30", "name": ["Ada", "Ben"], "total": ["43", "-10"]}
    assert phone.post(path, {**form, "place": "Attic", "notes": ""}).status_code == 303
    match = tables.history.match(phone.device, match_id)
    assert [player.name for player in match.players] == ["Ada", "Ben"]
    assert f"{match.ended_at.astimezone():%Y-%m-%dT%H:%M}" == "2024-12-24T18:30"
    source = phone.page(f"/history/{match_id}").source
    assert "December 24, 2024" in source
    for wrong in ({"ended": "2999-01-01T00:00"}, {"ended": "x"}, {"name": ["Ada", "Ada"]}):
        answer = phone.post(path, {**form, **wrong})
        assert answer.status_code in (409, 422)
        # The typed text stays.
        assert 'value="Ada"' in answer.text
        assert 'id="fault"' in answer.text


def test_people_become_one(phone: Phone, tables: Tables) -> None:
    for names in (("Ada", "Ben"), ("Adda", "Ben")):
        paper(tables, phone.device, *names, ended=ENDED)
    [adda] = [one.id for one in people(tables, phone.device) if one.name == "Adda"]
    phone.page(f"/history/people/{adda}")
    path = f"/history/people/{adda}/rename"
    answer = phone.post(path, {"name": "ada"})
    assert answer.status_code == 200
    assert "The two become one person" in answer.text
    answer = phone.post(path, {"name": "Ada", "sure": "1"})
    assert answer.status_code == 303
    assert "2 games" in phone.page(answer.location).source
    assert len(people(tables, phone.device)) == 2


@pytest.mark.every_game
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
        # It is complete: a browser loads nothing for a picture.
        assert not re.findall(rb"url\((?!\"data:)|href|<script", answer.data)


def test_a_nameless_winner_has_points_and_a_deleted_one_none(phone: Phone, tables: Tables) -> None:
    (_, sheet), other = kept("qwinto-dice", ("", SARAH), ("Ben", EMPTY))
    match_id = put(tables, phone.device, "qwinto-dice", [(None, sheet), other], ended=ENDED)
    assert "43 points win" in phone.page(f"/history/{match_id}").source
    match_id = paper(tables, phone.device, "Ada", "Ben")
    tables.history.delete_person(phone.device, person_id("Ada"))
    assert "points win" not in phone.page(f"/history/{match_id}").source


def test_a_link_shows_one_game_and_nothing_else(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Ben", ended=ENDED, notes="a secret")
    stranger = Phone(phone.app)
    assert phone.post(f"/history/{match_id}/link").status_code == 303
    token, links = tables.history.own_link(phone.device, match_id)
    assert token and links == 1
    assert f"/g/{token}" in phone.page(f"/history/{match_id}").source
    # A second tap makes no second link.
    assert tables.history.make_link(phone.device, match_id) == token
    page = stranger.page(f"/g/{token}")
    assert "Ada wins" in page.source
    assert "a secret" not in page.source
    assert match_id not in page.source
    for wrong in (token[:-1], "x" * 22, "x" * 100):
        assert refusal_of(stranger.get(f"/g/{wrong}")).status == 404
    phone.post(f"/history/{match_id}/unlink")
    assert refusal_of(stranger.get(f"/g/{token}")).status == 404
    assert tables.history.make_link(phone.device, match_id) != token


def test_remarkable_results_are_shown(phone: Phone, tables: Tables) -> None:
    for number in range(4):
        match_id = paper(tables, phone.device, "Ada", "Ben", ended=ENDED + timedelta(days=number))
    assert "Ada has won 4 times in a row." in phone.page(f"/history/{match_id}/feats").source


def test_the_list_is_filtered_by_chips_that_are_taken_away(phone: Phone, tables: Tables) -> None:
    paper(tables, phone.device, "Ada", "Ben", ended=ENDED)
    paper(tables, phone.device, "Cy", "Ben", ended=ENDED.replace(year=2024))
    add(tables, phone.device, "qwinto-cards", [("ada", SARAH), ("Ben", EMPTY)], ended=ENDED)
    links = phone.page("/history").all("a", **{"class": "filter"})
    chips = {one.text.title(): str(one.attrs["href"]) for one in links}
    for path, count in (
        (chips["Qwinto"], 2),
        ("/history?game=chess", 3),
        (chips["Ada"], 2),
        (f"{chips['Ada']}&game=qwinto-cards", 1),
        (chips["2024"], 1),
        ("/history?year=1990", 0),
        ("/history?year=x&person=%00&page=99", 3),
    ):
        page = phone.page(path)
        assert len(page.all("a", **{"class": "card played"})) == count, path
        on = [one.attrs["href"] for one in page.all("a") if one.attrs.get("aria-current") == "true"]
        assert on == ["/history"] or path not in chips.values()


def test_the_total_on_the_paper_stands_beside_the_right_one(phone: Phone, tables: Tables) -> None:
    [(name, sheet), other] = kept("qwinto-dice", ("Ada", SARAH), ("Ben", EMPTY))
    sheets = [(name, replace(sheet, written=45)), other]
    match_id = put(tables, phone.device, "qwinto-dice", sheets, ended=ENDED)
    assert "45 on the paper" in phone.page(f"/history/{match_id}").source
    raw = tables.history.export_json(phone.device)
    stranger = Phone(phone.app)
    assert take_in(tables, stranger.device, raw) == 1
    assert tables.history.export_json(stranger.device) == raw
