"""Every game at the table: its pages are sound from the first action to the podium."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask import Flask

from companion.core.result import Result
from companion.core.signs import brought
from companion.games.catalog import GAMES
from companion.games.record import parse, replay
from companion.games.scoring import filled_sheet
from companion.tables import Tables
from companion.tables.play.access import join_link, view_link
from companion.tables.play.lobby import set_game, start, take_seat, to_lobby
from companion.web.page.language import LANGUAGES
from companion.web.table.end import course_of, places_of
from companion.web.table.sheet_drawing import won_fields
from lab import games, play
from lab.games import SARAH, roll
from lab.history import EMPTY, add
from lab.pages import Page, is_sentence
from lab.phones import Phone, refusal_of
from lab.tables import Party, tap_id
from lab.wide import first_of
from tests.games.qwixx import actions as qwixx

NAMES = ("Tim", "%s <b>&", "Sarah")
STEPS = 45
Action = dict[str, Any]


def some_game(game: str, seed: int, steps: int, names: tuple[str, ...] = NAMES) -> list[Action]:
    """Legal actions from the start on."""
    return play.some_game(game, seed, steps, names)


def opened(phone: Phone, game: str, actions: list[Action], names: tuple[str, ...] = NAMES) -> str:
    """A table of these actions; its address."""
    answer = phone.bring(play.record_of(names, actions, game))
    assert answer.status_code == 303, refusal_of(answer)
    return str(answer.location)


def test_a_tab_keeps_in_view_how_near_the_end_is(app: Flask) -> None:
    """The note about it disappears by itself."""
    host, names = Phone(app), ("Tim", "Sarah")
    actions = games.finished(names)["actions"]
    last = [number for number, action in enumerate(actions) if action["do"] == "roll"][-1]
    page = host.page(opened(host, "qwinto-dice", actions[:last], names))
    near = ["to the end" in page.one(id=f"tab-{seat}").text for seat in (1, 2)]
    assert near == [True, False]


def test_a_full_row_is_a_sign_of_its_own() -> None:
    """It is shown for a moment on its player's tab."""
    almost = {**SARAH, "yellow": [*SARAH["yellow"][:8], None]}
    signs = brought(filled_sheet(almost), filled_sheet(SARAH))
    assert [(sign.text, sign.shape) for sign in signs] == [("16", "number"), ("★16", "bonus")]


@pytest.mark.parametrize("steps", [0, 1, 2])
@pytest.mark.parametrize("game", first_of(GAMES, "freaky"))
def test_players_without_a_task_are_not_shown_as_done(app: Flask, game: str, steps: int) -> None:
    """In turns of one player, the others had a tick from the beginning."""
    host, actions = Phone(app), some_game(game, seed=3, steps=steps)
    page = host.page(opened(host, game, actions))
    acted = set[str]()
    position = parse(play.record_of(NAMES, actions, game)).first_position()
    for action in actions:
        turn, position = position.turn, play.after(position, action)
        acted = acted | {action.get("by", "")} if position.turn == turn else set()
    acted &= {*position.players} - {*position.awaited}
    assert len(page.all("span", **{"class": "state done"})) == len(acted)


@pytest.mark.parametrize("game", GAMES)
def test_a_phone_that_plays_for_one_is_addressed_in_the_second_person(
    app: Flask, tables: Tables, game: str
) -> None:
    """The host's phone takes Tim's seat, and shows "your turn" when it is Tim's."""
    host = Phone(app)
    # The first cards on the table are laid for all.
    first = [action for action in some_game(game, seed=1, steps=1) if "by" not in action]
    path = opened(host, game, first)
    page = host.page(path)
    assert "Your turn" not in page.one("main").text
    host.post(f"{path}do/take", {"seat": "1"})
    link = tables.change(path.split("/")[2], host.device, join_link).id
    for number in range(2, len(page.all("h3")) + 1):
        tables.enter(link, Phone(app).device, seat=number)
    hints = [one.text for one in host.page(path).all("p", **{"class": "hint says"})]
    assert sum("Your turn" in text for text in hints) == 1


def test_a_solo_game_ends_with_points_a_best_and_a_rating(app: Flask) -> None:
    """Nobody wins it, neither at the table nor in the history."""
    host = Phone(app)
    for seed, best in enumerate(("points", "your best")):
        path = opened(host, "encore", some_game("encore", seed, 3000, ("Mia",)), ("Mia",))
        found = host.get(f"/history/of/{path.split('/')[2]}/1").location
        headings = set()
        for page in (host.page(path), host.page(str(found))):
            sound(page)
            assert "Mia wins" not in page.source
            assert any(one.text.startswith("Rating:") for one in page.all("p"))
            headings.add(page.all("h2")[0].text)
        (heading,) = headings
        assert best in heading
        has_cup = 'class="trophy"' in host.page(path).source
        assert has_cup == (heading[0] not in "−0"), "only above 0 points"


def test_an_end_says_who_has_won_and_how_a_tie_was_broken(app: Flask) -> None:
    """In Qwinto nothing breaks a tie, so the page says why two have won."""
    host = Phone(app)
    for names, won in (
        (("Tim", "Sarah"), "Sarah wins"),
        (("Tim", "Sarah", "Linus"), "Sarah and Linus share the win"),
    ):
        record = games.finished(names)
        page = host.page(opened(host, "qwinto-dice", record["actions"], names))
        assert won in page.one("main").text
        classes = [str(one.attrs.get("class")).split() for one in page.all("li")]
        assert sum("winner" in names_ for names_ in classes) == len(names) - 1
        is_tie = "Equal points, and nothing breaks the tie." in page.source
        assert is_tie == (len(names) == 3)


@pytest.mark.parametrize("game", GAMES)
def test_points_are_live_unless_the_host_hides_them_until_the_end(app: Flask, game: str) -> None:
    host = Phone(app)
    # The last action may end a short game.
    path = opened(host, game, some_game(game, 2, STEPS)[:-1])
    page = host.page(path)
    tabs = [one.text for one in page.having("data-tab")]
    totals = page.all("span", **{"class": "total"})
    for sheet, total in zip(page.all("div", role="tabpanel"), totals, strict=True):
        points = total.text.removeprefix("Points:").strip()
        assert any(str(sheet.attrs["data-by"]) in tab and points in tab for tab in tabs)
    host.post(f"{path}do/scores")
    page = host.page(path)
    assert not any("Points:" in one.text for one in page.having("data-tab"))
    assert not any(one.text.strip() for one in page.all("span", **{"class": "total"}))


def test_points_of_a_row_stand_at_its_lock_before_it_is_crossed() -> None:
    rows = qwixx.document(red=[2, 3, 4], blue=[12, 10, 9, 5, 3, 2], locks=["blue"])
    assert won_fields(filled_sheet(rows)) == {"red.lock": "6", "blue.lock": "✓28"}


def test_a_turn_without_entered_dice_begins_with_the_first_crossing(app: Flask) -> None:
    host = Phone(app)
    path = opened(host, "encore", [])
    implied = {"do": "roll", "by": NAMES[0], "told": False}
    firsts = [one.attrs["data-first"] for one in host.page(path).having("data-first")]
    assert list(map(json.loads, firsts)) == [implied] * len(NAMES)
    assert "data-sets" in host.page(path).one("div", id="choice-1").attrs
    host.post(f"{path}do/all_dice", {"all_dice": "on"})
    assert not host.page(path).having("data-first")


def test_a_negative_card_has_a_minus_and_no_hyphen(app: Flask) -> None:
    host = Phone(app)
    deal = {"do": "deal", "grid": {"tl": "o2", "tr": "y3", "bl": "g0", "br": "g1"}}
    lay = {"do": "lay", "by": NAMES[0], "cards": [["g-2", "br"]]}
    path = opened(host, "qwinto-cards", [deal, lay])
    assert "Lay a second −2?" in host.page(path).one("div", **{"class": "below"}).text
    assert "laid gray −2" in host.get(f"{path}turns").text


def test_the_page_passes_for_players_without_a_choice(app: Flask) -> None:
    """No clump of five green, red or blue boxes has one in column H of the empty sheet."""
    host = Phone(app)
    dice = {"colors": ["green", "red", "blue"], "numbers": [5, 5, 5]}
    path = opened(host, "encore", [{"do": "roll", "by": NAMES[0], **dice}])
    for expected in ({"do": "pass", "by": NAMES[0]}, {"do": "next", "by": NAMES[0]}):
        (button,) = host.page(path).having("data-alone")
        assert json.loads(button.attrs["data-tap"]) == expected
        assert "data-read-first" in button.attrs
        tap(host, path, expected, alone=True)
    page = host.page(path)
    (undo,) = [one for one in page.having("data-send") if one.text == "Undo"]
    tap(host, path, **json.loads(undo.attrs["data-send"]))
    page = host.page(path)
    assert "no box fits" in page.one("p", **{"data-drawn": "hint"}).text, "one undo takes both"
    assert not page.having("data-alone"), "nothing comes by itself after an undo of the turn"


@pytest.mark.parametrize("rolled", [(), ("green", "red", "blue")], ids=["no dice", "nothing fits"])
def test_players_who_can_do_nothing_are_not_waited_for(
    app: Flask, tables: Tables, rolled: tuple[str, ...]
) -> None:
    host, guest = Phone(app), Phone(app)
    dice = {"do": "roll", "by": NAMES[0], "colors": list(rolled), "numbers": [5, 5, 5]}
    path = opened(host, "encore", [dice] if rolled else [])
    link = tables.change(path.split("/")[2], host.device, join_link)
    guest.post(f"/j/{link.id}", {"seat": "2"})
    for phone in (host, guest):
        hint = phone.page(path).one("p", **{"data-drawn": "hint"}).text
        assert NAMES[1] not in hint, hint
        assert "Waiting" not in hint


@pytest.mark.parametrize("game", GAMES)
def test_a_guest_sees_the_lobby_of_a_game_as_it_is_set_first(
    app: Flask, tables: Tables, game: str
) -> None:
    host, guest = Phone(app), Phone(app)
    path = str(host.post("/tables", {"game": game}).location)
    link = tables.change(path.split("/")[2], host.device, join_link)
    guest.post(f"/j/{link.id}", {"name": "Ben"})
    assert "Ben" in guest.page(path).one("main").text


def test_freaky_marks_complete_rows_only_when_asked(app: Flask) -> None:
    host = Phone(app)
    cards = ["red/blue/1", "green/yellow/2", "orange/purple/3"]
    laid = [f"red/{circle}" for circle in ("green/4", "orange/5", "purple/6")]
    played = [{"do": "play", "by": NAMES[0], "card": card, "row": 1} for card in laid]
    path = opened(host, "freaky", [{"do": "start", "cards": cards}, *played])
    row = {"class": "table-row complete"}
    assert not host.page(path).all("div", **row)
    host.post(f"{path}do/hints", {"hints": "on"})
    assert len(host.page(path).all("div", **row)) == 1
    takes = [one for one in host.page(path).having("data-tap") if "take" in one.attrs["data-tap"]]
    assert len(takes) == 1, "the other rows have too few cards"


def test_the_next_players_first_card_says_the_draw(app: Flask, tables: Tables) -> None:
    host, guest = Phone(app), Phone(app)
    cards = ["red/blue/1", "green/yellow/2", "orange/purple/3"]
    played = {"do": "play", "by": NAMES[0], "card": "red/green/4", "row": 1}
    path = opened(host, "freaky", [{"do": "start", "cards": cards}, played])
    link = tables.change(path.split("/")[2], host.device, join_link)
    guest.post(f"/j/{link.id}", {"seat": "2"})
    picker = guest.page(path).one("div", id="play")
    first = json.loads(str(picker.attrs["data-first"]))
    assert first == {"do": "draw", "by": NAMES[0]}
    assert "data-first" not in host.page(path).one("div", id="play").attrs
    card = {**played, "by": NAMES[1], "card": "red/green/5"}
    assert tap(guest, path, card, first=first).status_code == 200
    assert "drew cards" in host.get(f"{path}turns").text
    guest_undo = guest.page(path).one("button", id="bar-undo").attrs["data-send"]
    tap(guest, path, **json.loads(str(guest_undo)))
    assert "drew cards" not in host.get(f"{path}turns").text, "one undo takes both"


@pytest.mark.parametrize("language", first_of(LANGUAGES, "en"))
@pytest.mark.parametrize("game", GAMES)
def test_pages_after_any_number_of_actions(
    app: Flask, tables: Tables, game: str, language: str
) -> None:
    """After any number of actions: the table, the turns, every correction and its preview."""
    actions = some_game(game, seed=len(language), steps=STEPS)
    for count in [0, 1, 2, 4, STEPS // 2, len(actions)] if language == "en" else [1, STEPS // 2]:
        host = Phone(app)
        host.client.set_cookie("language", language)
        path = opened(host, game, actions[:count])
        table = path.split("/")[2]
        watching = Phone(app)
        watching.post(f"/j/{tables.change(table, host.device, view_link).id}")
        for phone in (host, watching):
            for part in ("", "turns", "menu"):
                sound(phone.page(path + part))
        assert not watching.page(path).having("data-picker")
        if count == STEPS // 2:
            corrections(host, tables, path)
        record = host.get(f"{path}record.json").get_json()
        assert record["actions"] == actions[:count]
        assert replay(parse(record)).refusal is None


def sound(page: Page) -> None:
    assert page.faults() == []
    visible = page.one("body").text if page.is_whole else page.source
    assert not re.search(r"%\(|\bNone\b|Undefined|\{[a-z]+\}", re.sub("<[^>]*>", "", visible))
    for element in page.having("data-action"):
        assert "do" in json.loads(str(element.attrs["data-action"]))
    for name in ("data-picks", "data-sets", "data-send"):
        for element in page.having(name):
            assert json.loads(str(element.attrs[name])) is not None


def corrections(host: Phone, tables: Tables, path: str) -> None:
    table = tables.read(path.split("/")[2], host.device)
    offered = {button.attrs["hx-get"] for button in host.page(f"{path}turns").having("hx-get")}
    for entry in table.entries:
        address = f"{path}turns/{entry.id}"
        answer = host.get(address, way="htmx")
        if answer.status_code == 200:
            sound(Page(answer.text))
        assert answer.status_code == 200 or address not in offered, refusal_of(answer)
        for action in ("null", json.dumps(dict(entry.action))):
            sound(Page(host.post(address, {"action": action}, way="htmx").text))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_to_its_end_and_another(app: Flask, game: str) -> None:
    names = NAMES[:2]
    actions = some_game(game, seed=3, steps=3_000, names=names)
    host = Phone(app)
    path = opened(host, game, actions, names)
    page = host.page(path)
    sound(page)
    assert page.one(id="table").attrs["data-phase"] == "over"
    why = play.moves_of(game).WHY_IT_ENDS
    assert why in [one.text for one in page.all("p", **{"class": "hint"})]
    assert refusal_of(tap(host, path, actions[0])).code == "game-over"
    assert host.post(f"{path}do/again").status_code == 303
    sound(host.page(path))
    assert host.page(path).one(id="table").attrs["data-phase"] == "playing"


def tap(phone: Phone, path: str, action: Action | None = None, **more: Any) -> Any:
    body = {"id": tap_id(), **({"action": action} if action else {}), **more}
    return phone.ask("POST", f"{path}taps", way="json", json=body)


@pytest.mark.parametrize("game", GAMES)
def test_why_not_can_be_asked_for_anything(app: Flask, game: str) -> None:
    """A phone's question about a refused tap always has an answer and changes nothing."""
    host = Phone(app)
    base = {"color_die": "green", "number_die": "1", "color": "green", "fields": "H4"}
    values = ("", "joker", "9", "\u00b2", "-1", "H4 G4", "A1 A1", "Z9", "x" * 2_000, "%(x)s")
    queries = [{**base, name: value} for name in (*base, "nonsense") for value in values]
    for count in (0, 1):
        path = opened(host, game, some_game(game, seed=2, steps=count))
        version = host.get(f"{path}version").get_json()
        for query in ({}, {"fields": "H4"}, *queries):
            message = host.get(f"{path}why/1", query_string=query).get_json()["message"]
            assert message == "" or is_sentence(message.replace("%(x)s", "…"))
        for seat in ("0", "99", "9" * 20):
            assert host.get(f"{path}why/{seat}", query_string=base).status_code == 200
        assert host.get(f"{path}version").get_json() == version


def test_the_lobby_asks_for_the_board(app: Flask) -> None:
    """Encore! has seven; the one chosen is what the sheets show, and other games have none."""
    host = Phone(app)
    path = host.post("/tables", {"game": "qwixx"}).location
    form = {"game": "encore", "option.board": "red"}
    page = Page(host.post(f"{path}do/game", form, way="htmx").text)
    chosen = [one.attrs["value"] for one in page.all(type="radio") if "checked" in one.attrs]
    assert chosen == ["encore", "red"]
    assert len(page.all("svg", **{"class": "thumbnail"})) == 8, "the board chosen, and all seven"
    for name, color in (("Ada", "red"), ("Ben", "blue")):
        host.post(f"{path}do/add", {"name": name, "color": color})
    host.post(f"{path}do/start")
    assert host.get(f"{path}record.json").get_json()["options"] == {"board": "red"}
    menu = host.page(f"{path}menu")
    (board,) = menu.all("p", **{"class": "played-on"})
    assert "red board" in board.text
    assert len(menu.all("svg", **{"class": "thumbnail"})) == 1


def test_the_turns_can_be_seen_after_a_change_of_game(game: Party) -> None:
    """Corrections of the previous game are not shown in the new game's words."""
    game.do(roll("Tim", yellow=4))
    game.undo()
    for change, *values in ((to_lobby,), (set_game, "encore"), (start,)):
        game.change(change, *values)
    assert game.host.get(f"{game.path}turns").status_code == 200


@pytest.mark.parametrize(
    ("results", "won", "places"),
    [
        ("a9 b12 c9 d4 e12 f9", "be", "a3 b1 c3 d6 e1 f3"),
        ("a1 b2", "b", "a2 b1"),
        ("a9.1 b9.3 c5 d4", "b", "a2 b1 c3 d4"),
        ("a-44 B-12 c-55 D-30", "a", "a1 B3 c2 D4"),
    ],
    ids=["ties leave steps out", "no tie", "a tie that is broken", "two have left"],
)
def test_steps_of_the_podium(results: str, won: str, places: str) -> None:
    """`a9.1`: a has 9 points, and 1 of what breaks ties; B in capitals has left the game."""
    totals = {one[0]: one[1:].partition(".") for one in results.split()}
    of = {name: Result(int(total), tie=int(tie or 0)) for name, (total, _, tie) in totals.items()}
    present = set(filter(str.islower, of))
    assert places_of(of, set(won), present) == {one[0]: int(one[1:]) for one in places.split()}


def test_the_player_of_a_phone_sees_their_own_best(over: Party) -> None:
    host, path = over.host, over.path

    def page_after(**sheet: object) -> str:
        """The page after another game of Sarah's, who has 3 points in this one."""
        sheets = [("SARAH", {**EMPTY, **sheet}), ("Ada", EMPTY)]
        add(over.tables, host.device, "qwinto-dice", sheets)
        return host.page(path).source

    over.change(take_seat, 2)
    assert "best" not in host.page(path).source, "her first game"
    assert "Your best so far was −10 – 3 is a new best!" in page_after()
    same = page_after(failed=0, orange=[2, 3, 4, *[None] * 6])
    assert "Equal to your best so far: 3." in same
    assert "Your best so far: 43." in page_after(**SARAH)
    over.change(take_seat, 1)
    assert "best" not in host.page(path).source, "a phone of two players"


def test_each_player_s_points_are_drawn_turn_by_turn(phone: Phone, tables: Tables) -> None:
    """The lines begin at 0 and end at the totals, in one scale for all; few turns have none."""
    path, few = (opened(phone, "qwixx", some_game("qwixx", seed=3, steps=n)) for n in (3000, 1))
    assert course_of(tables.read(few.split("/")[2], phone.device)) is None
    table = tables.read(path.split("/")[2], phone.device)
    course = course_of(table)
    assert course is not None
    position = table.position
    totals = [position.score(name)["total"] for name in position.players]
    per_point = course.zero / course.most
    for total, line in zip(totals, course.lines, strict=True):
        assert line.points[0] == f"0.0 {course.zero}"
        assert line.points[-1].startswith("100.0 ")
        assert len(line.points) == position.turn + 1
        assert line.end == pytest.approx(course.zero - total * per_point, abs=0.2)
    page = phone.page(path)
    assert len(page.all("circle", r="4")) == len(totals)
    assert f"Turn {course.turn}" in page.one("figure").text


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_its_rules(phone: Phone, name: str) -> None:
    for language in LANGUAGES:
        phone.client.set_cookie("language", language)
        page = phone.page(f"/rules/{name}")
        assert len(page.all("h3")) == len(GAMES[name].guide.chapters)
    assert bool(page.all("svg")) == GAMES[name].has_sheet
    assert phone.get("/rules/chess").status_code == 404


@pytest.mark.parametrize(
    ("name", "begins"), [("freaky", "the youngest player starts"), ("encore", "")]
)
def test_the_lobby_says_who_starts_by_the_rules(app: Flask, name: str, begins: str) -> None:
    host = Phone(app)
    path = host.post("/tables", {"game": name}).location
    for player, color in (("Tim", "red"), ("Sarah", "blue")):
        assert "By the rules" not in host.page(path).source
        host.post(f"{path}do/add", {"name": player, "color": color})
    page = host.page(path).one("main").text
    assert begins in page if begins else "By the rules" not in page


def test_rules_at_a_table_say_what_to_do_now(lobby: Party) -> None:
    rules = f"{lobby.path}rules"
    assert "Now" not in [one.text for one in lobby.host.page(rules).all("h3")]
    lobby.host.post(f"{lobby.path}do/start")
    page = lobby.host.page(rules)
    assert page.all("h3")[0].text == "Now"
    assert "choose one, two or three dice" in page.all("section")[0].text


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.has_dice])
def test_a_tap_rolls_the_dice(app: Flask, tables: Tables, name: str) -> None:
    host = Phone(app)
    table = tables.create(host.device, name, players=[("Ada", "red"), ("Ben", "blue")])
    tables.change(table, host.device, start)
    path = f"/t/{table}/"
    assert host.page(path).all(id="roller") == []
    host.post(f"{path}do/roller", {"roller": "on"})
    page = host.page(path)
    form = {field.attrs["name"]: field.attrs["value"] for field in page.all("input", type="hidden")}
    dice = [box.attrs["value"] for box in page.all("input", name="dice")]
    assert host.post(f"{path}do/roll", {**form, "dice": dice}).status_code == 303
    rolled = host.page(path).one(id="table").attrs["data-rolled"]
    assert int(page.one(id="table").attrs["data-rolled"]) < int(rolled), "it tumbles"
    assert "rolled by the app" in host.get(f"{path}turns").text
    assert host.post(f"{path}do/roll", {**form, "dice": dice}).status_code == 409, "a second tap"
