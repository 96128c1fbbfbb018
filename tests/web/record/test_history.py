"""The pages of the history: what they show and change, and files that are safe to open."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import pytest

from companion.tables import Tables
from companion.tables.database.schema import finished_matches
from companion.tables.history.exchange import COLUMNS
from companion.tables.history.people import person_id
from companion.web.record.bgstats import ADDRESS, WEB_ADDRESS
from tests.kit.games import SARAH, finished
from tests.kit.history import EMPTY, TALLY, add, paper, people
from tests.kit.names import HOSTILE_NAMES
from tests.kit.pages import Page
from tests.kit.phones import Phone, refusal_of
from tests.kit.tables import Party
from tests.kit.wide import wide

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)
ENCORE: dict[str, Any] = {
    "sheet": "encore",
    "board": "red",
    "crossed": ["H4", "G4"],
    "jokers_used": 3,
    "columns": {},
    "colors": {},
}


def bring(phone: Phone, raw: bytes, name: str = "history.json", **more: Any) -> Any:
    """Sends a file that is to be restored."""
    head = f'Content-Disposition: form-data; name="history"; filename="{name}"'
    body = b"--part\r\n" + head.encode() + b"\r\n\r\n" + raw + b"\r\n--part--\r\n"
    kind = "multipart/form-data; boundary=part"
    return phone.ask("POST", "/history/import", data=body, content_type=kind, **more)


def restored(phone: Phone, raw: bytes, **more: Any) -> Page:
    """The list that says what restoring a backup has done."""
    answer = bring(phone, raw, **more)
    assert answer.status_code == 200
    return Page(answer.text)


def exported(phone: Phone) -> bytes:
    answer = phone.get("/history/history.json")
    assert answer.mimetype == "application/json"
    assert "attachment" in answer.headers["Content-Disposition"]
    return bytes(answer.data)


@pytest.fixture
def evening(phone: Phone, tables: Tables) -> Phone:
    """A phone with a game of every kind: in the app, on paper, with somebody deleted."""
    tables.import_record(phone.device, finished())
    paper(tables, phone.device, *HOSTILE_NAMES[:3], ended=ENDED, started=ENDED, notes="=1+1")
    add(tables, phone.device, "freaky", [("", TALLY)], ended=ENDED)
    add(
        tables,
        phone.device,
        "encore",
        [("Ada", ENCORE), ("Ben", {**ENCORE, "jokers_used": 2})],
        ended=ENDED + timedelta(days=1),
        place="Ada's \U0001f3e0",
        source="typed",
    )
    paper(tables, phone.device, "Gone", "Ada", ended=ENDED + timedelta(days=2))
    gone = next(one for one in people(tables, phone.device) if one.name == "Gone")
    tables.history.delete_person(phone.device, gone.id)
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
        assert (page.faults(), page.one("html").attrs["lang"]) == ([], language), path


def test_the_total_is_taken_apart(phone: Phone, tables: Tables) -> None:
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
    assert page.faults() == []
    assert page.one("input", name="place").attrs["value"] == '"><b>'
    # A browser drops one line feed at the beginning, and sends the rest back as it is.
    assert page.one("textarea").text == "\n</textarea><script>x()</script>\n second"
    play = tables.history.match(phone.device, match_id)
    assert play.notes == "</textarea><script>x()</script>\n second"


def test_pages_of_many_games(phone: Phone, tables: Tables) -> None:
    chance = random.Random(1)
    for number in range(50):
        names = chance.sample(HOSTILE_NAMES, 3)
        paper(tables, phone.device, *names, ended=ENDED + timedelta(hours=number))
    page = phone.page("/history?page=3")
    assert "Page 3 of 3" in page.source
    assert page.faults() == []
    for path in ("/history?page=x", "/history?page=-5", "/history?page=" + "9" * 400):
        assert phone.page(path).faults() == []
    known = people(tables, phone.device)
    assert sum(person.figures.games for person in known) == 150
    assert phone.page(f"/history/people/{known[0].id}").faults() == []
    raw = exported(phone)
    other = Phone(phone.app)
    restored(other, raw)
    assert exported(other) == raw


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


def test_chips_filter_the_list_and_are_taken_away(evening: Phone, tables: Tables) -> None:
    page = evening.page("/history")
    chips = {one.text: str(one.attrs["href"]) for one in page.all("a", **{"class": "filter"})}
    chosen = evening.page(chips["Encore!"])
    assert "1 game" in chosen.source
    [on] = [one for one in chosen.all("a") if one.attrs.get("aria-current") == "true"]
    assert on.attrs["href"] == "/history"
    ada = evening.page(f"{chips['Ada']}&year=2025")
    assert len(ada.all("a", **{"class": "card played"})) == 3


# Editing


def test_the_page_asks_which_game_counts(over: Party) -> None:
    """The history's page, and the end of the game at its table."""
    host, history = over.host, over.tables.history
    [match] = history.all_matches(host.device)
    form = {"name": ["Tom", *(player.name or "" for player in match.players[1:])]}
    assert host.post(f"/history/{match.id}/edit", form).status_code == 303
    pages = (f"/history/{match.id}", f"/history/of/{over.id}/1/feats")
    sentence = "This game was changed in the history."
    assert not any(sentence in host.page(path).source for path in pages)
    with over.tables.database.write() as connection:
        connection.execute(finished_matches.update().values(is_contested=True))
    assert all(sentence in host.page(path).source for path in pages)
    assert host.page(pages[0]).faults() == []
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
    match_id = add(
        tables,
        phone.device,
        "qwinto-dice",
        [("Ben & \"Jo\" 'x' 👩‍👧", EMPTY), ("Ada", SARAH), ("Cy", EMPTY)],
        started=ENDED - timedelta(minutes=31),
        ended=ENDED,
        place="Ada's",
        notes="It rained.",
    )
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
                ("Ben & \"Jo\" 'x' 👩‍👧", -10, {"rank": 2, "winner": False}),
                ("Ada", 43, {"rank": 1, "winner": True}),
                ("Cy", -10, {"rank": 2, "winner": False}),
            )
        ],
    }
    play = over.tables.history.all_matches(over.host.device)[0]
    sent = bgstats(over.host.page(f"/history/{play.id}"))
    assert [one["startPlayer"] for one in sent["players"]] == [True, *[False] * 2][
        : len(play.players)
    ]


def test_every_play_has_a_link(evening: Phone, tables: Tables) -> None:
    for play in tables.history.all_matches(evening.device):
        sent = bgstats(evening.page(f"/history/{play.id}"))
        assert len(sent["players"]) == len(play.players)
        assert all(one["name"] for one in sent["players"])
        assert any(one["winner"] for one in sent["players"])


# Files


def test_export_import_export_is_the_same_bytes(evening: Phone) -> None:
    raw = exported(evening)
    other = Phone(evening.app)
    assert "5 games were added." in restored(other, raw).source
    assert exported(other) == raw
    # Restoring it again changes nothing.
    for phone in (other, evening):
        assert "5 games were here already" in restored(phone, raw).source
        assert exported(phone) == raw


@pytest.mark.parametrize("language", ["de", wide("en"), wide("es")])
def test_a_restore_says_what_it_has_done(evening: Phone, tables: Tables, language: str) -> None:
    raw = exported(evening)
    plays = tables.history.all_matches(evening.device)
    tables.history.delete_match(evening.device, plays[0].id)
    document = json.loads(raw)
    document["games"] += [{**GOOD, "id": "new"}, {**GOOD, "game": "chess"}]
    raw = json.dumps(document).encode()
    page = restored(evening, raw, headers={"Accept-Language": language})
    assert page.faults() == []
    paragraphs = [one.text for one in page.all("p") if "div" in one.inside]
    told = [text for text in paragraphs if re.search("[0-9]", text[:11])]  # "Se añadió 1"
    assert [re.findall("[0-9]+", text) for text in told] == [["1"], ["4"], ["1"], ["1"]]
    body = {"history": (io.BytesIO(raw), "x.json"), "deleted": "1"}
    answer = evening.ask("POST", "/history/import", data=body)
    assert "1 game was added." in answer.text
    assert tables.history.matches(evening.device).count == 6


def test_two_games_that_are_alike_are_two(phone: Phone, tables: Tables) -> None:
    for _ in range(2):
        paper(tables, phone.device, "Ada", "Ben", ended=ENDED)
    raw = exported(phone)
    other = Phone(phone.app)
    restored(other, raw)
    assert exported(other) == raw
    assert tables.history.matches(other.device).count == 2


def test_what_is_there_keeps_its_notes(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Ben", ended=ENDED)
    raw = exported(phone)
    tables.history.annotate(phone.device, match_id, place="", notes="mine")
    restored(phone, raw)
    [play] = tables.history.all_matches(phone.device)
    assert play.notes == "mine"


def test_a_record_out_of_the_history_leads_to_its_game(over: Party, tables: Tables) -> None:
    """Also after a change, by its id, and without one by its actions; elsewhere it is a game."""
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
    "game": "qwinto-dice",
    "source": "photo",
    "started": None,
    "ended": "2025-03-01T20:15:00.000Z",
    "place": "",
    "notes": "",
    "players": [{"name": "Ada", "total": 43, "won": True, "sheet": SARAH}],
    "record": None,
}


def changed(**fields: Any) -> dict[str, Any]:
    return {**GOOD, **fields}


def player(**fields: Any) -> dict[str, Any]:
    return changed(players=[{**GOOD["players"][0], **fields}])


def wrong_games() -> Iterator[object]:
    yield from (None, 1, [], "x", {})
    yield changed(game="chess")
    yield changed(game=["qwinto-dice"])
    yield changed(source="dream")
    yield changed(source=[])
    days = ("", "yesterday", "2025-03-01", "1969-12-31T23:59:59Z", "2025-03-01T20:15:00")
    yield from (changed(ended=time) for time in (None, 5, *days))
    yield changed(ended="0001-01-01T00:00:00+14:00")
    yield changed(started="2025-03-01T20:15:01Z")
    yield changed(place=5)
    yield changed(notes=None)
    yield changed(record={})
    yield changed(record=finished() | {"actions": []})
    yield changed(record=finished(), game="encore")
    yield changed(players=[])
    yield changed(players={})
    yield changed(players=[None])
    yield changed(players=GOOD["players"] * 2)
    yield changed(players=GOOD["players"] * 7)
    yield player(name="")
    yield player(name=5)
    yield player(name="x" * 25)
    yield player(name=None, sheet=None, total=None)
    yield player(name="Tim\u202e")
    yield player(won=None)
    yield player(won=1)
    yield player(sheet=[])
    yield player(sheet=ENCORE)
    yield player(sheet=None, total=1.5)
    yield player(sheet=None, total=10**30)


def test_all_wrong_games_are_left_out_and_named(phone: Phone, tables: Tables) -> None:
    wrong = list(wrong_games())
    games = [GOOD, *wrong, changed(notes="another", place="")]
    raw = json.dumps({"format": "companion-history/1", "games": games}).encode()
    page = restored(phone, raw)
    told = [line.text for line in page.all("li") if line.text.startswith("Game ")]
    assert [line.partition(":")[0] for line in told] == [
        f"Game {number} of the file" for number in range(2, len(wrong) + 2)
    ]
    assert tables.history.matches(phone.device).count == 2


NO_HISTORIES = (
    b"", b"hello", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000,
    b'{"format":"companion-history/2","games":[]}', b'{"format":"companion-history/1"}',
    b'{"format":"companion-history/1","games":{}}',
    b'{"format":"companion-history/1","games":[' + b"1," * 10_001 + b"1]}",
)  # fmt: skip


def test_what_is_no_history(phone: Phone) -> None:
    for raw in NO_HISTORIES:
        assert refusal_of(bring(phone, raw)).status == 422, raw[:20]
    assert refusal_of(phone.post("/history/import")).status == 422
    assert refusal_of(bring(phone, b"", name="")).status == 422


def test_a_history_may_be_larger_than_another_form(phone: Phone) -> None:
    games = [changed(notes="x" * 2000, ended=f"2025-03-01T20:15:00.{n:03}Z") for n in range(700)]
    raw = json.dumps({"format": "companion-history/1", "games": games}).encode()
    assert len(raw) > 1024 * 1024
    assert bring(phone, raw).status_code == 200
    assert phone.bring(raw).status_code == 413


@pytest.mark.parametrize(("query", "separator"), [("", ","), ("?semicolons=1", ";")])
def test_the_spreadsheet(evening: Phone, tables: Tables, query: str, separator: str) -> None:
    paper(
        tables, evening.device, "=cmd|'/c calc'!A0", "@x", ended=ENDED, place="+1", notes='-"1\n=2'
    )
    answer = evening.get(f"/history/history.csv{query}")
    assert answer.mimetype == "text/csv"
    text = answer.data.decode("utf-8-sig")
    assert answer.data.startswith(b"\xef\xbb\xbf")
    head, *rows = csv.reader(io.StringIO(text), delimiter=separator)
    assert tuple(head) == COLUMNS
    plays = tables.history.all_matches(evening.device)
    assert len(rows) == sum(len(play.players) for play in plays)
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        for name in ("place", "player", "notes"):
            assert cells[name][:1] not in tuple("=+-@\t\r"), cells
        assert cells["total"] == "" or int(cells["total"]) is not None
        assert cells["won"] in ("0", "1")
    ours = [row for row in rows if "calc" in row[6]]
    assert ours[0][6] == "'=cmd|'/c calc'!A0"
    assert ours[0][9] == "'-\"1 / =2"
