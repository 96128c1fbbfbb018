"""Rounds at a table and in the history: a title that stays, a sheet of paper that goes on live."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa

from companion.games.rounds import GAME
from companion.tables import Tables
from companion.tables.database.schema import events
from companion.tables.history import Details
from companion.tables.history.people import person_id
from companion.tables.play.access import join_link
from companion.tables.play.lobby import set_setting
from companion.web import create_app
from companion.web.table.course import course_of
from lab.history import take_in
from lab.pages import Page
from lab.phones import Phone
from lab.tables import Evening, refused, tap_id

ADA, BEN = "Ada", "Ben"
SET = {"class": "played-on"}
Rounds: TypeAlias = tuple[tuple[int, int], ...]


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    opened = Tables(f"sqlite:///{tmp_path / 'rounds.sqlite3'}")
    yield opened
    opened.close()


@pytest.fixture
def phone(tables: Tables) -> Phone:
    return Phone(create_app(tables))


def played(
    tables: Tables, phone: Phone, rounds: Rounds = ((12, -3), (30, 8)), **options: str
) -> Evening:
    """A table whose options were typed one after the other, with these rounds and the end."""
    evening = Evening(tables, tables.create(phone.device, GAME.name), phone.device)
    path = f"/t/{evening.id}/do/"
    for name, value in options.items():
        phone.post(f"{path}game", {"game": GAME.name, f"option.{name}": value})
    for name in (ADA, BEN):
        phone.post(f"{path}add", {"name": name})
    phone.post(f"{path}start")
    for ada, ben in rounds:
        for name, number in ((BEN, ben), (ADA, ada)):
            evening.do({"do": "points", "by": name, "points": number})
    evening.do({"do": "end"})
    return evening


def test_a_menu_lists_what_was_set_and_nothing_else(tables: Tables, phone: Phone) -> None:
    evening = played(tables, phone, title="Belote", to="90")
    listed = [line.text for line in phone.page(f"/t/{evening.id}/menu").all("p", **SET)]
    assert [line.split(":")[0].strip() for line in listed] == [
        "What is played",
        "Who wins",
        "Points that end the game",
        "How a round is counted",
    ]


def test_the_chart_has_a_round_as_soon_as_it_is_closed(tables: Tables, phone: Phone) -> None:
    """Nobody has typed in the next one yet."""
    evening = played(tables, phone)
    evening.undo()
    course = course_of(evening.read())
    assert course is not None
    assert course.turn == 2


def test_a_title_names_the_game_everywhere_and_is_offered_again(
    tables: Tables, phone: Phone
) -> None:
    evening = played(tables, phone, title=" Old Maid ", lowest="True", to="200")
    assert evening.read().options == {"lowest": True, "to": 200, "title": "Old Maid"}
    assert "Ben wins" in phone.page(f"/t/{evening.id}/").source
    pads = [
        one.attrs.get("href") or ""
        for one in Page(phone.get(f"/t/{evening.id}/menu").text).all("a")
    ]
    (printed,) = [one for one in pads if one.startswith("/pads?")]
    numbers = {ADA: [12, 30], BEN: [-3, 8]}
    asked = {"sheet": ["tally"], "players": [f"{ADA}\n{BEN}"], "numbers": [json.dumps(numbers)]}
    assert parse_qs(urlsplit(printed).query) == asked
    assert phone.page(printed).source.count("−</text>") == 1 + 2, "two pads' examples have one"
    (match,) = tables.history.matches(phone.device).matches
    assert (match.game.title, match.game.lowest_wins) == ("Old Maid", True)
    assert [(player.total, player.won) for player in match.players] == [(42, False), (5, True)]
    shown = phone.page(f"/history/{match.id}")
    assert "Old Maid" in shown.source
    assert "−3" in shown.source, "its rounds"
    assert "Old Maid" in phone.page("/totals").source
    lobby = tables.create(phone.device, GAME.name)
    assert "Old Maid" in phone.page(f"/t/{lobby}/").source
    cards = [card.text for card in Page(phone.get("/").text).all("a") if "/t/" in str(card.attrs)]
    assert any("Old Maid" in card and "Ben" in card for card in cards)


@pytest.mark.parametrize("options", [{}, {"lowest": "True"}, {"title": "Rook"}])
def test_an_exported_history_has_the_game_with_its_record(
    tables: Tables, phone: Phone, options: dict[str, str]
) -> None:
    played(tables, phone, **options)
    other = Phone(phone.app)
    assert take_in(tables, other.device, tables.history.export_json(phone.device)) == 1
    (here,), (there,) = (tables.history.matches(device.device).matches for device in (phone, other))
    assert (there.game, there.players) == (here.game, here.players)
    assert json.loads(there.record or "") == json.loads(here.record or "")


def test_a_title_brings_the_options_of_a_known_game_or_of_the_last_evening(
    tables: Tables, phone: Phone
) -> None:
    """Any other option is as typed; an unknown title brings none."""
    played(tables, phone, title="Rook", lowest="True", to="60")

    def options(title: str, **more: str) -> object:
        evening = Evening(tables, tables.create(phone.device, GAME.name), phone.device)
        for name, value in {"title": title, **more}.items():
            form = {"game": GAME.name, f"option.{name}": value}
            phone.post(f"/t/{evening.id}/do/game", form)
        return evening.read().options

    assert options("rummikub")["counting"] == "rummikub"  # type: ignore[index]
    skyjo = {"title": "Skyjo", "lowest": True, "to": 100, "counting": "skyjo"}
    assert options("Skyjo") == skyjo
    assert options("Skyjo", to="50") == {**skyjo, "to": 50}
    assert options("Rook") == {"title": "Rook", "lowest": True, "to": 60}
    assert options("Unknown") == {"title": "Unknown", "lowest": False, "to": 0}


def begun(tables: Tables, phone: Phone, title: str) -> Evening:
    """A game of a known title with three players."""
    evening = Evening(tables, tables.create(phone.device, GAME.name), phone.device)
    path = f"/t/{evening.id}/do/"
    phone.post(f"{path}game", {"game": GAME.name, "option.title": title})
    for name in (ADA, BEN, "Cleo"):
        phone.post(f"{path}add", {"name": name})
    phone.post(f"{path}start")
    return evening


def test_a_bid_is_corrected_after_its_round_and_points_follow(tables: Tables, phone: Phone) -> None:
    evening = begun(tables, phone, "Wizard")
    for name, bid in ((ADA, 0), (BEN, 1), ("Cleo", 1)):
        evening.do({"do": "bid", "by": name, "bid": bid})
    for name in (ADA, BEN):
        evening.do({"do": "tricks", "by": name, "tricks": 0})

    def totals() -> list[int]:
        position: Any = evening.read().position
        return list(position.totals.values())

    assert totals() == [20, -10, 30]
    bid_of_ben = evening.read().entries[1].id
    assert "data-picker" in phone.get(f"/t/{evening.id}/turns/{bid_of_ben}").text
    evening.tap(replaces=bid_of_ben, action={"do": "bid", "by": BEN, "bid": 0})
    assert totals() == [20, 20, 30]
    evening.undo()
    assert totals() == [20, -10, 30]


@pytest.mark.parametrize("value", ["-1", "a", "1000000"])
def test_a_number_that_no_game_ends_at_is_refused(tables: Tables, phone: Phone, value: str) -> None:
    table = tables.create(phone.device, GAME.name)
    form = {"game": GAME.name, "option.to": value}
    assert phone.post(f"/t/{table}/do/game", form, way="htmx").status_code == 422


def test_a_tally_on_paper_continues_at_a_table(tables: Tables, phone: Phone) -> None:
    """Its game is named once; a number missing in a closed round means no points."""
    form = {"game": GAME.name, "names": f"{ADA}, {BEN}"}
    review = phone.post("/by-hand", form).location.split("/")[2]
    for field, value in (("1.player.1", "12"), ("2.player.1", "5"), ("2.player.2", "7"),
                         ("3.player.2", "9")):  # fmt: skip
        phone.post(f"/review/{review}/1/round.{field}", {"value": value})
    named = {"title": "Skyjo", "wins": "lowest", "shown": "1"}
    assert phone.post(f"/review/{review}/do/game", named).status_code == 303
    assert "Skyjo" in phone.page(f"/review/{review}/").source
    there = phone.post(f"/review/{review}/play", {"key": ""}).location
    table = tables.read(there.split("/")[2], phone.device)
    assert (table.title, table.options["lowest"]) == ("Skyjo", True)
    assert table.position is not None
    assert (table.position.turn, table.position.awaited) == (3, (ADA,))
    assert [table.position.score(name)["total"] for name in (ADA, BEN)] == [17, 16]


def test_the_history_has_who_won_a_tie_at_the_table(tables: Tables, phone: Phone) -> None:
    """The players say so after the end, and an undo takes it back."""
    evening = played(tables, phone, rounds=((5, 8), (8, 5)))
    evening.do({"do": "won", "by": BEN})
    (match,) = tables.history.matches(phone.device).matches
    assert [player.won for player in match.players] == [False, True]
    evening.undo()
    (match,) = tables.history.matches(phone.device).matches
    assert [player.won for player in match.players] == [True, True]


def test_the_host_and_players_with_a_seat_may_end_the_game(tables: Tables, phone: Phone) -> None:
    """A guest neither ends a game nor takes the end back, be it by a correction; the host does."""
    evening = played(tables, phone, rounds=((5, 8), (8, 5)))
    link = evening.change(join_link)
    phones = {name: Phone(phone.app) for name in ("guest", ADA, BEN)}
    for name, other in phones.items():
        tables.enter(link.id, other.device, seat=None if name == "guest" else evening.seat(name))
    guest, ada, ben = (evening.on(other.device) for other in phones.values())
    end, won = {"do": "end"}, {"do": "won", "by": BEN}
    for shared in (False, True):
        evening.change(set_setting, "shared_entry", shared)
        entry = evening.read().entries[-1].id
        assert refused(guest.tap, action=won).startswith("not-your")
        assert refused(guest.tap, replaces=entry, action=None) == "not-yours-to-end"
        assert refused(guest.tap, undo=entry) == "nothing-to-undo"
        assert "who-won" not in phones["guest"].page(f"/t/{evening.id}/").source
        ben.do(won)
        evening.undo()
        evening.undo()
        assert evening.read().phase == "playing"
        before = evening.read().entries[-1].id
        for fields in ({"action": end}, {"action": end, "before": before, "fixes": {}}):
            assert refused(guest.tap, **fields) == "not-yours-to-end"
        for name, other in {**phones, "host": phone}.items():
            source = other.page(f"/t/{evening.id}/").source
            assert ("End the game now" in source) == (name != "guest")
        ada.do(end)


def test_totals_of_any_game_name_who_won_a_tie(tables: Tables, phone: Phone) -> None:
    """The lowest score, where it wins; or the win is shared."""
    form: dict[str, Any] = {
        "game": "",
        "title": "Skyjo",
        "wins": "lowest",
        "name": [ADA, BEN, "Cleo"],
    }
    form["total"] = ["7", "7", "90"]
    asked = phone.post("/totals", form)
    assert asked.status_code == 422
    assert "Equal scores. Who won?" in asked.text
    for winner, won in (("1", [BEN]), ("shared", [ADA, BEN])):
        answer = phone.post("/totals", {**form, "winner": winner, "again": "1"})
        match = tables.history.match(phone.device, answer.location.rsplit("/", 1)[-1])
        assert [player.name for player in match.players if player.won] == won


def joined(tables: Tables, phone: Phone) -> Evening:
    """A running game that Cleo has joined after two rounds, on the host's phone."""
    evening = played(tables, phone)
    evening.undo()
    evening.do({"do": "join", "player": "Cleo", "points": "mean"})
    return evening


def test_a_joining_player_has_a_seat_a_sheet_and_a_place_in_the_next_game(
    tables: Tables, phone: Phone
) -> None:
    evening = joined(tables, phone)
    shape = phone.page(f"/t/{evening.id}/").one(id="table").attrs["data-shape"]
    evening.undo()
    without = phone.page(f"/t/{evening.id}/").one(id="table").attrs["data-shape"]
    assert without != shape, "a page that shows Cleo is fetched anew"
    assert evening.read().position.players == (ADA, BEN)
    evening.do({"do": "join", "player": "Cleo", "points": "mean"})
    assert [seat.name for seat in evening.read().seats] == [ADA, BEN, "Cleo"]
    evening.do({"do": "leave", "player": BEN})
    evening.do({"do": "end"})
    (match,) = tables.history.matches(phone.device).matches
    assert [player.total for player in match.players] == [42, 5, 24]
    assert "24" in phone.page(f"/history/{match.id}").source
    phone.post(f"/t/{evening.id}/do/again")
    assert evening.read().position.players == ("Cleo", ADA), "Ben has left"


def test_a_record_with_a_newcomer_is_restored_and_renamed(tables: Tables, phone: Phone) -> None:
    evening = joined(tables, phone)
    evening.do({"do": "end"})
    record = tables.export(evening.id, phone.device)
    assert record["players"] == [ADA, BEN]
    there = tables.import_record(phone.device, record)
    assert [seat.name for seat in tables.read(there, phone.device).seats] == [ADA, BEN, "Cleo"]
    match, _ = tables.history.matches(phone.device).matches
    details = Details(match.ended_at, "", "", ((ADA, 42), (BEN, 5), ("Zoë", 24)))
    tables.history.edit_details(phone.device, match.id, details)
    record = json.loads(tables.history.match(phone.device, match.id).record or "")
    assert {"do": "join", "player": "Zoë", "points": "mean"} in record["actions"]
    other = Phone(phone.app)
    take_in(tables, other.device, tables.history.export_json(phone.device))
    names = {tuple(player.name for player in one.players) for one in
             tables.history.matches(other.device).matches}  # fmt: skip
    assert (ADA, BEN, "Zoë") in names


def test_a_deleted_newcomer_leaves_no_name_in_the_log(tables: Tables, phone: Phone) -> None:
    evening = joined(tables, phone)
    evening.do({"do": "end"})
    tables.history.delete_person(phone.device, person_id("Cleo"))
    with tables.history._store.database.read() as connection:
        bodies = connection.execute(sa.select(events.c.body)).scalars().all()
    assert not [body for body in bodies if "Cleo" in body]


def test_changes_of_a_running_game_have_a_preview(tables: Tables, phone: Phone) -> None:
    """The result has it, too, but only for those who may end the game."""
    evening = played(tables, phone, to="100")
    path = f"/t/{evening.id}/changes"
    shown = phone.page(f"{path}?lowest=True&to=100&rounds=0&starter=on")
    assert [one.text for one in shown.all("bdi")] == [BEN, ADA]
    (tap,) = [one for one in shown.all("button") if "data-send" in one.attrs]
    evening.tap(**{**json.loads(tap.attrs["data-send"] or ""), "id": tap_id()})
    assert "Ben wins" in phone.page(f"/t/{evening.id}/").source
    (match,) = tables.history.matches(phone.device).matches
    assert match.game.lowest_wins
    assert [player.won for player in match.players] == [False, True]
    phone.post(f"/t/{evening.id}/do/again")
    assert evening.read().options["lowest"] is True, "the next game begins so"
    entered = phone.page(f"{path}?name=ada").source
    assert "joins with 0" in entered
    link = evening.change(join_link)
    guest = Phone(phone.app)
    tables.enter(link.id, guest.device)
    assert guest.get(path).status_code == 403


def test_all_turns_tint_nobody_in_rounds(tables: Tables, phone: Phone) -> None:
    evening = played(tables, phone)
    assert "active" not in phone.get(f"/t/{evening.id}/turns").text


def test_twelve_people_are_typed_in_on_two_pads_and_continue_at_a_table(
    tables: Tables, phone: Phone
) -> None:
    names = [f"P{number}" for number in range(1, 13)]
    form = {"game": GAME.name, "names": ", ".join(names)}
    review = phone.post("/by-hand", form).location.split("/")[2]
    for pad in (1, 2):
        for place in range(1, 7):
            field = f"/review/{review}/{pad}/round.1.player.{place}"
            phone.post(field, {"value": str(10 * pad + place)})
    answer = phone.post(f"/review/{review}/play", {"key": ""})
    assert answer.status_code == 303, answer.text
    table = tables.read(answer.location.split("/")[2], phone.device)
    assert table.position is not None
    assert table.position.players == tuple(names)
    assert [table.position.score(name)["total"] for name in (names[0], names[11])] == [11, 26]


def test_other_phones_show_who_joins_and_how_the_game_ends_now(
    tables: Tables, phone: Phone
) -> None:
    """No note for the one who changed it, nor for a change that was undone."""
    evening = played(tables, phone)
    evening.undo()
    link = evening.change(join_link)
    ben = Phone(phone.app)
    tables.enter(link.id, ben.device, seat=evening.seat(BEN))
    path = f"/t/{evening.id}/"

    def notes_on(device: Phone) -> str:
        return " ".join(device.page(path).one(**{"data-drawn": "notes"}).text.split())

    evening.do({"do": "set", "lowest": True, "to": 50})
    evening.do({"do": "join", "player": "Cleo", "points": 0})
    for words in ("The lowest score wins, to 50", "Cleo joins"):
        assert words in notes_on(ben)
    assert notes_on(phone) == ""
    evening.undo()
    assert "Cleo" not in notes_on(ben)


@pytest.mark.parametrize("is_closed", [False, True])
def test_another_winner_of_the_round_needs_no_points_and_the_former_one_is_awaited(
    tables: Tables, phone: Phone, is_closed: bool
) -> None:
    """Tapped on the line of whoever had won; also when that was the round's last number."""
    evening = begun(tables, phone, "Uno")

    def position() -> Any:
        return evening.read().position

    evening.do({"do": "closed", "player": ADA})
    won = evening.read().entries[0].id
    assert f"turns/{won}" in phone.page(f"/t/{evening.id}/").source
    evening.do({"do": "points", "by": BEN, "points": 20})
    if is_closed:
        evening.do({"do": "points", "by": "Cleo", "points": 7})
    evening.tap(replaces=won, action={"do": "closed", "player": BEN}, fixes=None)
    assert position().turn == 1
    for name in position().awaited:
        evening.do({"do": "points", "by": name, "points": 5})
    assert position().totals == {ADA: 0, BEN: 12 if is_closed else 10, "Cleo": 0}
    # In a round with others after it, the number that is missing would be taken from those.
    evening.do({"do": "closed", "player": ADA})
    evening.do({"do": "points", "by": BEN, "points": 1})
    again = {"replaces": won, "action": {"do": "closed", "player": ADA}}
    for fixes in (None, {}):
        assert refused(evening.tap, **again, fixes=fixes) == "does-not-fit", "also with consent"


def test_an_open_round_is_drawn_once_it_is_counted(tables: Tables, phone: Phone) -> None:
    """A bid is no point yet: the chart ends with the last whole round. Its keys have no ±."""
    evening = begun(tables, phone, "Wizard")
    for number in (1, 2, 3):
        for what, numbers in (("bid", (0, 0, 0)), ("tricks", (0, 0, number))):
            for name, answer in zip((ADA, BEN, "Cleo"), numbers, strict=True):
                if number == 3 and what == "tricks":
                    break
                if name != "Cleo" or what == "bid":
                    evening.do({"do": what, "by": name, what: answer})
    page = phone.page(f"/t/{evening.id}/")
    assert page.one("text", **{"class": "last"}).text == "Round 2"
    assert not page.all("button", **{"data-key": "±"})
