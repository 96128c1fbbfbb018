"""The table's pages: lobby, taps, undo, correction, the end; whatever a phone may send."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from companion.games.record import parse, replay
from companion.tables import SEAT_COLORS
from companion.tables.ledger.taps import LONGEST_FINGERPRINT
from companion.tables.play.lobby import take_seat
from tests.kit.games import NEXT, passes, roll, write
from tests.kit.names import NAMES
from tests.kit.pages import Page
from tests.kit.parties import Party, finished, tap_id
from tests.kit.phones import Phone, refusal_of

Make = Callable[..., Party]


# The lobby


def test_a_whole_game_over_http(app: Flask) -> None:
    """From the first page to the winner and again, with what the pages themselves offer."""
    host, sarah = Phone(app), Phone(app)
    path = host.post("/tables", {"game": "qwinto-dice"}).location
    for name in ("Tim", "Sarah"):
        form = host.page(path).one("form", **{"class": "add-seat"})
        host.post(str(form.attrs["action"]), {"name": name})
    link = Page(host.post(f"{path}share").text).one("p", **{"class": "link"}).text
    arrive = link.removeprefix("http://localhost")
    seat = next(b for b in sarah.page(arrive).all("button", name="seat") if b.text == "Sarah")
    assert sarah.post(arrive, {"seat": seat.attrs["value"]}).location == path
    host.post(f"{path}do/start")
    for action in finished()["actions"]:
        phone = sarah if action.get("by") == "Sarah" else host
        tap = {"id": tap_id(), "action": action, "moment": moment_of(phone, path)}
        assert phone.post(f"{path}taps", way="json", json=tap).status_code == 200
    end = sarah.page(path)
    assert end.one(id="table").attrs["data-phase"] == "over"
    assert "Sarah wins" in end.one("main").text
    document = host.get(f"{path}record.json").get_json()
    assert replay(parse(document)).position.over
    host.post(f"{path}do/again")
    again = host.page(path)
    assert again.one(id="table").attrs["data-phase"] == "playing"
    assert "Sarah rolls" in again.one("div", **{"class": "dock"}).text, "one seat on"


def moment_of(phone: Phone, path: str) -> str | None:
    return phone.page(path).one(id="table").attrs["data-moment"]


def seats(party: Party) -> list[str]:
    return [seat.name for seat in party.tables.look(party.id, party.host.device).seats]


def test_ordering_the_seats(lobby: Party) -> None:
    lobby.host.post(f"{lobby.path}do/order", {"order": "3,1,2"})
    assert seats(lobby) == ["Linus", "Tim", "Sarah"]
    lobby.host.post(f"{lobby.path}do/first", {"seat": "2"})
    assert seats(lobby) == ["Sarah", "Linus", "Tim"]
    lobby.host.post(f"{lobby.path}do/draw")
    assert sorted(seats(lobby)) == sorted(NAMES)


def test_adding_renaming_and_removing(lobby: Party) -> None:
    lobby.player.post(f"{lobby.path}do/add", {"name": " Zoë ", "color": "teal", "take": "on"})
    assert seats(lobby)[-1] == "Zoë"
    look = lobby.tables.look(lobby.id, lobby.player.device)
    assert look.seats[-1].mine
    form = {"seat": str(look.seats[-1].id), "name": "Zora", "color": "pink"}
    lobby.player.post(f"{lobby.path}do/rename", form)
    assert seats(lobby)[-1] == "Zora"
    lobby.host.post(f"{lobby.path}do/remove", {"seat": form["seat"]})
    assert seats(lobby) == list(NAMES)


def test_renaming_alone_keeps_the_color(lobby: Party) -> None:
    """A form without a colour does not ask for another one."""
    before = lobby.tables.look(lobby.id, lobby.host.device).seats[0].color
    answer = lobby.host.post(f"{lobby.path}do/rename", {"seat": "1", "name": "Tom"})
    assert answer.status_code == 303
    seat = lobby.tables.look(lobby.id, lobby.host.device).seats[0]
    assert (seat.name, seat.color) == ("Tom", before)


def test_every_color_can_be_chosen(lobby: Party) -> None:
    page = lobby.host.page(lobby.path)
    offered = [field.attrs["value"] for field in page.all(type="radio", name="color")]
    assert tuple(offered) == SEAT_COLORS * 4, "for three seats and the next one"
    for color in SEAT_COLORS:
        form = {"seat": "1", "name": "Tim", "color": color}
        assert lobby.host.post(f"{lobby.path}do/rename", form).status_code == 303


def test_the_next_color_is_free(lobby: Party) -> None:
    """It is given to whoever chooses none, by the lobby's form and by the link."""
    shown = lobby.host.page(lobby.path).one("form", **{"class": "add-seat"}).attrs["data-color"]
    lobby.host.post(f"{lobby.path}do/add", {"name": "Ada"})
    lobby.stranger.post(f"/j/{lobby.links['join-token']}", {"name": "Zoë"})
    colors = [seat.color for seat in lobby.tables.look(lobby.id, lobby.host.device).seats]
    assert shown in colors
    assert len(set(colors)) == len(colors) == 5


def test_shared_entry_is_switched_and_seen(game: Party) -> None:
    """The default is on; off, a phone writes on its own sheet only."""
    menu = game.host.page(f"{game.path}menu")
    assert "checked" in menu.one("input", name="shared_entry").attrs
    game.tables.change(game.id, game.player.device, take_seat, 2)
    game.host.post(f"{game.path}do/shared_entry", {})
    assert (
        "checked" not in game.host.page(f"{game.path}menu").one("input", name="shared_entry").attrs
    )
    assert "own sheets only" in game.player.get(f"{game.path}menu").text
    answer = game.tap(game.player, action=roll("Tim", yellow=1))
    assert refusal_of(answer).code == "not-your-seat"
    assert game.tap(game.host, action=roll("Tim", yellow=1)).status_code == 200
    answer = game.tap(game.host, action=passes("Sarah"))
    assert refusal_of(answer).code == "not-your-seat"
    assert game.tap(game.player, action=passes("Sarah")).status_code == 200
    game.host.post(f"{game.path}do/shared_entry", {"shared_entry": "on"})
    assert game.tap(game.player, action=passes("Tim")).status_code == 200


NUMBERS = ("", "x", "-1", "0", "99", "1.0", "1e0", "\u0661", "\u00b2", "9" * 5_000, "1,2", "null")


@pytest.mark.parametrize("seat", [None, *NUMBERS])
@pytest.mark.parametrize("verb", ["rename", "remove", "first", "take", "release"])
def test_seats_that_are_none(lobby: Party, verb: str, seat: str | None) -> None:
    version = lobby.version
    form = {"name": "Tom", "color": "red"} | ({} if seat is None else {"seat": seat})
    answer = lobby.host.post(f"{lobby.path}do/{verb}", form, way="htmx")
    assert refusal_of(answer).code == "no-such-seat"
    assert lobby.version == version


@pytest.mark.parametrize(
    "order", [None, "", ",", "1", "1,2", "1,2,3,4", "1,1,2", "3,2,x", "1,2,\u00b3", "1," * 50_000]
)
def test_orders_that_are_none(lobby: Party, order: str | None) -> None:
    version = lobby.version
    form = {} if order is None else {"order": order}
    answer = lobby.host.post(f"{lobby.path}do/order", form, way="htmx")
    assert refusal_of(answer).code == "no-such-seat"
    assert lobby.version == version


def test_the_timer_counts_from_the_first_entry_of_the_turn(game: Party) -> None:
    """Every phone asks for the seconds that have gone, so that their clocks do not matter."""
    assert game.player.page(game.path).one(id="table").attrs["data-timer"] == "0"
    game.host.post(f"{game.path}do/turn_timer", {"turn_timer": "45"})
    assert game.player.page(game.path).one(id="table").attrs["data-timer"] == "45"
    address = f"{game.path}timer"
    assert game.player.get(address).get_json() == {"seconds": 45, "elapsed": None}
    game.tap(game.host, action=roll("Tim", yellow=1))
    assert game.player.get(address).get_json()["elapsed"] >= 0


@pytest.mark.parametrize(
    ("verb", "form", "code"),
    [
        ("game", {}, "no-such-game"),
        ("game", {"game": "chess"}, "no-such-game"),
        ("game", {"game": "qwinto-dice", "option.board": "red"}, "bad-option"),
        ("game", {"game": "qwinto-dice", "option.": ""}, "bad-option"),
        ("add", {}, "bad-name"),
        ("add", {"name": "Zoë", "color": "RED; x"}, "bad-color"),
        ("add", {"name": "Zoë", "color": "x" * 99}, "bad-color"),
        ("add", {"name": "tim", "color": "red"}, "name-taken"),
        ("add", {"name": "\uff34\uff49\uff4d", "color": "red"}, "name-taken"),
        ("rename", {"seat": "1", "name": "Sarah", "color": "red"}, "name-taken"),
        ("again", {}, "not-over"),
    ],
)
def test_what_a_lobby_refuses(lobby: Party, verb: str, form: dict[str, str], code: str) -> None:
    version = lobby.version
    answer = lobby.host.post(f"{lobby.path}do/{verb}", form, way="htmx")
    assert refusal_of(answer).code == code
    assert lobby.version == version


def test_how_many_may_play(make: Make) -> None:
    alone = make("lobby", ("Tim",))
    answer = alone.host.post(f"{alone.path}do/start", way="htmx")
    assert refusal_of(answer).code == "too-few-players"
    assert not alone.host.page(alone.path).all("button", **{"class": "primary big"})
    full = make("lobby", tuple("ABCDEF"))
    answer = full.host.post(f"{full.path}do/add", {"name": "G", "color": "pink"}, way="htmx")
    assert refusal_of(answer).code == "table-full"
    assert not full.host.page(full.path).having("data-add-seat")


@pytest.mark.parametrize("verb", ["Start", "start/", "__init__", "start%00", "x" * 3_000])
def test_verbs_that_are_none(lobby: Party, verb: str) -> None:
    version = lobby.version
    assert refusal_of(lobby.host.post(f"{lobby.path}do/{verb}")).status == 404
    assert lobby.version == version


def test_going_back_to_the_lobby(game: Party, over: Party) -> None:
    """After the end, and before the first entry; not in the middle."""
    assert game.host.post(f"{game.path}do/lobby").status_code == 303
    assert game.host.page(game.path).one(id="table").attrs["data-phase"] == "lobby"
    game.host.post(f"{game.path}do/start")
    game.do(roll("Tim", yellow=1))
    assert refusal_of(game.host.post(f"{game.path}do/lobby", way="htmx")).code == "not-over"
    assert over.host.post(f"{over.path}do/lobby").status_code == 303
    assert over.host.page(over.path).one(id="table").attrs["data-phase"] == "lobby"


# Taps


def test_a_tap_is_saved(game: Party) -> None:
    version = game.version
    answer = game.tap(action=roll("Tim", yellow=4), moment=game.fingerprint, version=version)
    assert answer.get_json() == {"version": version + 1, "moment": game.fingerprint}
    assert game.actions == [roll("Tim", yellow=4)]


def test_a_tap_that_comes_again_late_has_the_answer_it_had(game: Party) -> None:
    """The phone moves the taps that wait to the answer's moment (`static/js/table/queue.js`).

    If that is a later one, made by somebody else's roll, a tap for the old call would be taken
    for the new one.
    """
    tap = {"id": tap_id(), "action": roll("Tim", yellow=4), "moment": game.fingerprint}
    first = game.tap(**tap).get_json()
    game.do(roll("Tim", yellow=6))
    assert game.tap(**tap).get_json()["moment"] == first["moment"]
    waiting = write("Tim", "yellow", 3)
    moment = game.tap(**tap).get_json()["moment"]
    answer = game.tap(action=waiting, moment=moment)
    assert refusal_of(answer).code == "stale", "a 4 was tapped, and a 6 is written"


def test_a_tap_id_is_used_once(game: Party) -> None:
    entry = game.do(roll("Tim", yellow=4))[0]
    answer = game.tap(id=entry, action=roll("Tim", yellow=5))
    assert refusal_of(answer).code == "bad-tap"
    answer = game.tap(game.viewer, id=entry, action=passes("Tim"))
    assert refusal_of(answer).status in (400, 403)
    assert game.actions == [roll("Tim", yellow=4)]


def test_a_stale_moment(game: Party) -> None:
    moment = game.fingerprint
    game.do(roll("Tim", yellow=4))
    fresh = game.fingerprint
    version = game.version
    for action in (roll("Tim", yellow=3), passes("Tim"), passes("Sarah")):
        answer = game.tap(action=action, moment=moment)
        assert refusal_of(answer).status == 409
        assert refusal_of(answer).code == "stale"
    assert game.version == version
    assert game.tap(action=passes("Sarah"), moment=fresh).status_code == 200
    assert game.tap(action=passes("Linus"), moment=fresh).status_code == 200, "others may write"


def test_the_second_die_replaces_the_entry_of_the_first(game: Party) -> None:
    entry = tap_id()
    game.tap(id=entry, action=roll("Tim", yellow=4), moment=game.fingerprint)
    answer = game.tap(
        replaces=entry, action=roll("Tim", yellow=4, purple=5), moment=game.fingerprint
    )
    assert answer.status_code == 200
    assert game.actions == [roll("Tim", yellow=4, purple=5)]
    picker = game.host.page(game.path).one(id="dice")
    assert picker.attrs["data-replaces"] == entry
    assert json.loads(picker.attrs["data-picks"] or "") == {"dice.yellow": 4, "dice.purple": 5}


def test_undo_and_redo(game: Party) -> None:
    game.do(roll("Tim", yellow=4))
    entry = tap_id()
    game.tap(id=entry, action=write("Tim", "yellow", 3))
    (undo,) = [json.loads(str(b.attrs["data-send"])) for b in sends(game.host.page(game.path))]
    assert undo == {"undo": entry}
    assert game.tap(**undo, moment=game.fingerprint).status_code == 200
    assert game.actions == [roll("Tim", yellow=4)]
    redo = json.loads(str(sends(game.host.page(game.path))[-1].attrs["data-send"]))
    assert redo == {"redo": entry}
    assert game.tap(**redo, moment=game.fingerprint).status_code == 200
    assert game.actions[-1] == write("Tim", "yellow", 3)
    assert refusal_of(game.tap(**redo)).code == "nothing-to-redo"
    assert refusal_of(game.tap(game.player, undo=entry)).code == "nothing-to-undo"


def sends(page: Page) -> list[Any]:
    return page.having("data-send")


HUGE = 10**400
BAD_FIELDS: dict[str, dict[str, Any]] = {
    "no id": {"id": None},
    "id is a number": {"id": 12345678},
    "id is a list": {"id": ["web-00000001"]},
    "id is short": {"id": "x"},
    "id is long": {"id": "x" * 65},
    "id has blanks": {"id": "web 0000 0001"},
    "id ends a line": {"id": "web-00000001\n"},
    "id is half a character": {"id": "\ud800" * 8},
    "no action": {"action": None},
    "action is a text": {"action": "roll"},
    "action is a list": {"action": [roll("Tim", yellow=1)]},
    "action is a number": {"action": 1},
    "action is long": {"action": roll("Tim", yellow=1) | {"x": "x" * 2_000}},
    "action is not a number": {"action": roll("Tim", yellow=1) | {"x": float("nan")}},
    "action is infinite": {"action": roll("Tim", yellow=1) | {"x": float("-inf")}},
    "moment is a number": {"moment": 1},
    "moment is a list": {"moment": []},
    "moment is long": {"moment": "x" * (LONGEST_FINGERPRINT + 1)},
    "version is a text": {"version": "1"},
    "version is true": {"version": True},
    "version is a half": {"version": 1.5},
    "undo is a number": {"undo": 1, "action": None},
    "redo is a list": {"redo": [], "action": None},
    "replaces is an object": {"replaces": {}},
    "two at once": {"undo": "web-00000001", "redo": "web-00000001", "action": None},
    "an action to undo": {"undo": "web-00000001"},
    "fixes without replaces": {"fixes": {}},
    "fixes is a list": {"fixes": [], "replaces": "web-00000001"},
    "fixes of texts": {"fixes": {"a": "pass"}, "replaces": "web-00000001"},
    "many fixes": {"fixes": {str(n): None for n in range(501)}, "replaces": "web-00000001"},
    "something else": {"what": 1},
}


@pytest.mark.parametrize("what", BAD_FIELDS)
def test_taps_that_are_none(game: Party, what: str) -> None:
    tap = {"id": tap_id(), "action": roll("Tim", yellow=1)} | BAD_FIELDS[what]
    version = game.version
    answer = game.host.ask("POST", f"{game.path}taps", way="json", json=tap)
    refused = refusal_of(answer)
    assert (refused.status, refused.code) == (400, "bad-tap")
    assert game.version == version


@pytest.mark.parametrize("body", [[], [1], "roll", 1, 1.5, True, None, {}, {"": 1}])
def test_bodies_that_are_no_tap(game: Party, body: object) -> None:
    version = game.version
    raw = json.dumps(body)
    answer = game.host.ask("POST", f"{game.path}taps", data=raw, content_type="application/json")
    assert refusal_of(answer).status == 400
    assert game.version == version


BAD_ACTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "empty": ({}, "bad-action"),
    "do is a number": ({"do": 1}, "bad-action"),
    "do is unknown": ({"do": "lay", "by": "Tim"}, "bad-action"),
    "do is half a character": ({"do": "\udc00"}, "bad-action"),
    "nobody": ({"do": "roll", "dice": {"yellow": 1}}, "bad-action"),
    "by is a number": ({"do": "pass", "by": 1}, "bad-action"),
    "by is a list": ({"do": "pass", "by": ["Tim"]}, "bad-action"),
    "by is empty": ({"do": "pass", "by": "  "}, "bad-action"),
    "by a stranger": ({"do": "pass", "by": "%(player)s"}, "unknown-player"),
    "by 10,000 letters": ({"do": "pass", "by": "x" * 1_900}, "unknown-player"),
    "no dice": ({"do": "roll", "by": "Tim"}, "bad-action"),
    "dice is a list": ({"do": "roll", "by": "Tim", "dice": ["yellow"]}, "bad-action"),
    "dice is empty": ({"do": "roll", "by": "Tim", "dice": {}}, "bad-action"),
    "a green die": (roll("Tim", green=1), "bad-dice"),
    "a seven": (roll("Tim", yellow=7), "bad-dice"),
    "a zero": (roll("Tim", yellow=0), "bad-dice"),
    "a huge die": (roll("Tim", yellow=HUGE), "bad-dice"),
    "a true die": (roll("Tim", yellow=True), "bad-action"),
    "half a die": ({"do": "roll", "by": "Tim", "dice": {"yellow": 1.5}}, "bad-action"),
    "a text": ({"do": "roll", "by": "Tim", "dice": {"yellow": "4"}}, "bad-action"),
    "no row": ({"do": "write", "by": "Tim", "field": 1}, "bad-action"),
    "a gray row": (write("Tim", "gray", 1), "bad-action"),
    "row is a list": ({"do": "write", "by": "Tim", "row": [], "field": 1}, "bad-action"),
    "a field is a text": (
        {"do": "write", "by": "Tim", "row": "yellow", "field": "1"},
        "bad-action",
    ),
    "too early": (write("Tim", "yellow", 1), "wrong-moment"),
    "pass too early": (passes("Tim"), "wrong-moment"),
    "next too early": (NEXT, "active-must-act"),
    "not your turn": (roll("Sarah", yellow=1), "not-your-turn"),
}


@pytest.mark.parametrize("what", BAD_ACTIONS)
def test_actions_that_the_rules_refuse(game: Party, what: str) -> None:
    action, code = BAD_ACTIONS[what]
    version = game.version
    refused = refusal_of(game.tap(action=action), echo="%(player)s")
    assert (refused.status, refused.code) == (422, code)
    assert game.version == version


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (write("Tim", "yellow", 10**30), "no-such-field"),
        (write("Tim", "yellow", -1), "no-such-field"),
        (write("Tim", "orange", 1), "row-not-called"),
        (roll("Tim", orange=1), "reroll-same-dice"),
    ],
)
def test_after_a_roll(game: Party, action: dict[str, Any], code: str) -> None:
    game.do(roll("Tim", yellow=4))
    assert refusal_of(game.tap(action=action)).code == code


# Corrections


def corrected(make: Make) -> tuple[Party, list[str]]:
    """Tim's roll of turn 1 was a 3, not a 4; what was written in turn 3 depends on it."""
    party = make("playing", ("Tim", "Sarah"))
    entries = party.do(
        roll("Tim", yellow=4), write("Tim", "yellow", 3), passes("Sarah"),
        roll("Sarah", yellow=5), write("Sarah", "yellow", 4), write("Tim", "yellow", 4),
        roll("Tim", yellow=6), write("Tim", "yellow", 5), passes("Sarah"),
    )  # fmt: skip
    return party, entries


def test_a_preview_changes_nothing_and_the_change_does_what_it_said(make: Make) -> None:
    party, entries = corrected(make)
    version, before = party.version, party.actions
    action = json.dumps(roll("Tim", yellow=6))
    page = Page(party.host.post(f"{party.path}turns/{entries[0]}", {"action": action}).text)
    assert page.faults() == []
    assert (party.version, party.actions) == (version, before)
    (button,) = sends(page)
    tap = json.loads(str(button.attrs["data-send"]))
    assert tap["replaces"] == entries[0]
    assert tap["version"] == version
    unfit = [select.attrs["name"].removeprefix("fix.") for select in page.all("select")]  # type: ignore[union-attr]
    assert set(tap["fixes"]) == set(unfit)
    answer = party.tap(**tap, moment=party.fingerprint)
    assert answer.status_code == 200, answer.text
    expected = list(before)
    expected[0] = roll("Tim", yellow=6)
    for entry, fix in tap["fixes"].items():
        expected[entries.index(entry)] = fix
    assert party.actions == [action for action in expected if action is not None]


def test_what_no_longer_fits_is_listed_with_what_it_could_become(make: Make) -> None:
    party, entries = corrected(make)
    path = f"{party.path}turns/{entries[0]}"
    page = Page(party.host.post(path, {"action": json.dumps(roll("Tim", yellow=6))}).text)
    (select, *_) = page.all("select")
    assert select.attrs["name"] == f"fix.{entries[5]}", "5 does not grow after the 6"
    choices = [json.loads(str(option.attrs["value"])) for option in page.all("option")]
    assert passes("Tim") in choices
    (chosen,) = [o for o in page.all("option") if "selected" in o.attrs and "Turn" not in o.text][
        :1
    ]
    assert json.loads(str(chosen.attrs["value"])) == passes("Tim")
    form = {"action": json.dumps(roll("Tim", yellow=6)), str(select.attrs["name"]): "null"}
    dropped = Page(party.host.post(path, form).text)
    tap = json.loads(str(sends(dropped)[0].attrs["data-send"]))
    assert tap["fixes"][entries[5]] is None


def test_before_and_after_are_told_as_they_were_then(make: Make) -> None:
    """The number of an entry is the call of its own turn, not of the present one."""
    party, entries = corrected(make)
    party.do(roll("Sarah", orange=1, purple=1))
    form = {"action": json.dumps(write("Tim", "yellow", 2))}
    page = Page(party.host.post(f"{party.path}turns/{entries[1]}", form).text)
    told = page.all("p")[0].text
    assert "Before: Tim wrote 4 in yellow, field 3" in told
    assert "After: Tim wrote 4 in yellow, field 2" in told


def test_a_failed_attempt_is_told_as_one_in_a_preview(make: Make) -> None:
    party = make("playing", ("Tim", "Sarah"))
    entries = party.do(roll("Tim", yellow=4), passes("Tim"), passes("Sarah"))
    form = {"action": json.dumps(write("Tim", "yellow", 2))}
    page = Page(party.host.post(f"{party.path}turns/{entries[1]}", form).text)
    told = page.all("p")[0].text
    assert "Before: Tim has a failed attempt" in told
    assert "After: Tim wrote 4 in yellow, field 2" in told


def test_taking_an_entry_back(make: Make) -> None:
    party, entries = corrected(make)
    page = Page(party.host.post(f"{party.path}turns/{entries[2]}", {"action": "null"}).text)
    tap = json.loads(str(sends(page)[0].attrs["data-send"]))
    assert tap["action"] is None
    assert "taken back" in page.all("p")[0].text
    assert party.tap(**tap).status_code == 200


def test_a_correction_made_from_an_old_page(make: Make) -> None:
    """Somebody else has tapped since the preview: it is shown anew, not carried out."""
    party, entries = corrected(make)
    form = {"action": json.dumps(roll("Tim", yellow=3))}
    page = Page(party.host.post(f"{party.path}turns/{entries[0]}", form).text)
    party.do(roll("Sarah", orange=2))
    version = party.version
    tap = json.loads(str(sends(page)[0].attrs["data-send"]))
    assert refusal_of(party.tap(**tap)).status == 409
    assert party.version == version


def test_a_correction_that_changes_more_than_it_says_is_refused(make: Make) -> None:
    party, entries = corrected(make)
    version = party.version
    answer = party.tap(replaces=entries[0], action=roll("Tim", yellow=6))
    assert refusal_of(answer).code == "does-not-fit"
    assert refusal_of(answer).status == 409
    assert party.version == version


@pytest.mark.parametrize(
    "action",
    ["", "{", "nonsense", "[1]", '"pass"', "1", "true", "[" * 50_000, '{"do": "\\ud800"}',
     '{"do": "roll", "by": "\\ud800", "dice": {"yellow": 1}}', "{}", '{"do": 1}',
     '{"do": "roll", "by": "Tim", "dice": {"\\ud800": 1}}',
     '{"do": "roll", "by": "Tim", "dice": {"yellow": NaN}}',
     '{"do": "roll", "by": "Tim", "dice": {"yellow": 1e999}}',
     '{"do": "roll", "by": "Tim", "dice": {"yellow": ' + "9" * 5_000 + "}}",
     '{"do": "roll", "by": "Nobody", "dice": {"yellow": 1}}', None],
)  # fmt: skip
def test_previews_of_nonsense(make: Make, action: str | None) -> None:
    """Whatever is no action (`null` is one: it takes the entry back) is refused in a sentence."""
    party, entries = corrected(make)
    version = party.version
    for way in ("htmx", "page"):
        form = {} if action is None else {"action": action}
        answer = party.host.post(f"{party.path}turns/{entries[0]}", form, way=way)
        assert refusal_of(answer).status in (400, 422)
    assert party.version == version


@pytest.mark.parametrize("fix", ["", "{", "[1]", "1", "[" * 50_000, '{"do": "\\ud800"}', "{}"])
def test_fixes_of_nonsense(make: Make, fix: str) -> None:
    """A fix that is none is refused or left aside, and the preview never sends it."""
    party, entries = corrected(make)
    form = {"action": json.dumps(roll("Tim", yellow=6)), f"fix.{entries[5]}": fix}
    answer = party.host.post(f"{party.path}turns/{entries[0]}", form, way="htmx")
    if answer.status_code == 200:
        tap = json.loads(str(sends(Page(answer.text))[0].attrs["data-send"]))
        assert tap["fixes"][entries[5]] in (None, passes("Tim"))
    else:
        refusal_of(answer)


@pytest.mark.parametrize("entry", ["x", "none-of-this-name", "%00", "\u00e9", "x" * 3_000])
def test_entries_that_are_none(game: Party, lobby: Party, entry: str) -> None:
    for party in (game, lobby):
        path = f"{party.path}turns/{entry}"
        refused = refusal_of(party.host.get(path, way="htmx"))
        assert refused.status in (404, 422)
        refused = refusal_of(party.host.post(path, {"action": "null"}, way="htmx"))
        assert refused.status in (404, 422)


def test_every_entry_that_the_list_offers_can_be_opened(make: Make) -> None:
    party, _ = corrected(make)
    page = party.host.page(f"{party.path}turns")
    buttons = [str(button.attrs["hx-get"]) for button in page.having("hx-get")]
    assert len(buttons) == 9
    for address in buttons:
        assert party.host.page(address).faults() == []


@pytest.mark.parametrize("extra", [{}, {"by": "Tim"}, {"by": "Nobody"}, {"by": 5}, {"by": None}])
def test_who_ends_a_turn_is_told_and_needs_be_nobody(make: Make, extra: dict[str, Any]) -> None:
    """The rules ignore `by` on `next`, and so does the page for corrections."""
    party = make("playing", ("Tim", "Sarah"))
    *_, entry = party.do(roll("Tim", yellow=4), passes("Tim"), NEXT | extra)
    told = party.host.get(f"{party.path}turns").text
    by = extra.get("by")
    said = f"{by}: next turn" if isinstance(by, str) else "The turn was ended"
    assert f"{said} – skipped Sarah" in told
    answer = party.host.get(f"{party.path}turns/{entry}", way="htmx")
    assert answer.status_code in (200, 404, 422)
    answer = party.host.post(f"{party.path}turns/{entry}", {"action": "null"}, way="htmx")
    assert answer.status_code == 200


@pytest.mark.parametrize("by", [" Tim", "Tim\t", "\u2003Tim"])
def test_names_with_blanks_around_them(make: Make, by: str) -> None:
    """Names are compared without outer blanks, so such an entry is a player's like any other."""
    party = make("playing", ("Tim", "Sarah"))
    party.do(roll("Tim", yellow=4))
    entry = tap_id()
    assert party.tap(id=entry, action=passes(by)).status_code == 200
    turns = party.host.page(f"{party.path}turns")
    assert "Tim has a failed attempt" in turns.one("ol").text
    assert party.host.page(f"{party.path}turns/{entry}").faults() == []


# What a table shows


def test_the_version_alone(game: Party) -> None:
    answer = game.viewer.get(f"{game.path}version")
    assert answer.get_json() == {"version": game.version}


def test_a_table_page_carries_what_a_phone_needs(game: Party) -> None:
    table = game.host.page(game.path).one(id="table")
    assert table.attrs["data-table"] == game.id
    assert table.attrs["data-version"] == str(game.version)
    assert table.attrs["data-moment"] == game.fingerprint
    assert (table.attrs["data-live"] or "").startswith("/live/")
    assert table.attrs["data-focus"] == "1"


def test_what_may_be_tapped_is_what_the_rules_allow(game: Party) -> None:
    """A frame around a field, and its tap is accepted; and no frame, then it is refused."""
    game.do(roll("Tim", yellow=4, purple=1))
    for field in sheet_fields(game.host.page(game.path))[:27]:
        is_open = " open" in str(field.attrs["class"])
        assert (field.attrs.get("role") == "button") == is_open
        row, number = str(field.attrs["data-f"]).split(".")
        action = json.loads(str(field.attrs["data-tap"]))
        # The phone takes the name from around the sheet.
        assert action == {**write("Tim", row, int(number)), "by": "$by"}
        action["by"] = "Tim"
        answer = game.tap(action=action, moment=game.fingerprint)
        assert (answer.status_code == 200) == is_open, refusal_of(answer)
        if is_open:
            assert game.tap(undo=undoable(game)).status_code == 200


def sheet_fields(page: Page) -> list[Any]:
    return [field for field in page.having("data-f") if "data-tap" in field.attrs]


def undoable(party: Party) -> str:
    step = party.tables.look(party.id, party.host.device).undoable
    assert step is not None
    return step.id


def test_every_seat_in_the_menu_has_its_buttons_in_one_place(game: Party) -> None:
    """Who only watches gets none; what "Hand over" does is said to whom it is offered."""
    page = game.host.page(f"{game.path}menu")
    assert page.faults() == []
    assert len(page.all("div", **{"class": "does"})) == len(NAMES)
    assert "a link with which another phone plays for that seat" in page.source
    for phone in (game.player, game.viewer):
        assert "Hand over" not in phone.get(f"{game.path}menu").text
    assert not game.viewer.page(f"{game.path}menu").all("div", **{"class": "does"})


def test_a_turn_s_entries_say_what_their_button_does(game: Party) -> None:
    """The button said "Correct", which beside an entry reads as praise for it."""
    game.do(roll("Tim", yellow=4))
    page = game.host.page(f"{game.path}turns")
    label = "Change: Tim rolled: yellow 4"
    assert page.one("button", **{"aria-label": label}).text == "Change"


def test_the_call_stands_large(game: Party) -> None:
    game.do(roll("Tim", yellow=4, purple=5))
    called = game.viewer.page(game.path).one("p", **{"class": "called"})
    assert " ".join(called.text.split()) == "9 ? Y yellow or P purple", (
        "the question mark is for a second roll"
    )


def test_the_end_takes_every_total_apart(over: Party) -> None:
    page = over.viewer.page(over.path)
    for article in page.all("article"):
        assert article.attrs["class"] == "player final"
    totals = [int(e.text.replace("−", "-")) for e in page.all("span", **{"class": "total"})]
    terms = [e.text for e in page.all("b") if "li" in e.inside]
    assert totals
    assert len(terms) >= 3 * (3 + 5 + 1 + 1)
    assert "Sarah and Linus share the win" in page.one("main").text


def test_the_end_says_why_it_came(over: Party) -> None:
    assert over.viewer.page(over.path).one("main").text.count("Four failed attempts: ") == 1


def test_play_again_is_for_the_host_and_who_has_a_seat(over: Party) -> None:
    path = f"{over.path}do/again"
    for phone, may in ((over.host, True), (over.player, False), (over.viewer, False)):
        assert bool(phone.page(over.path).all("form", action=path)) == may
    over.tables.change(over.id, over.player.device, take_seat, 2)
    page = over.player.page(over.path)
    assert "The host starts the game." not in page.source
    number = page.one("input", name="number").attrs["value"]
    assert number == "1"
    for phone in (over.player, over.host):
        assert phone.post(path, {"number": number}).status_code == 303
    assert over.tables.look(over.id, over.host.device).number == 2
