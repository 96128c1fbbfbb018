"""The table's pages: lobby, taps, undo, correction, the end; whatever a phone may send."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from companion.tables.play.lobby import take_seat
from tests.kit.games import passes, roll, write
from tests.kit.names import NAMES
from tests.kit.pages import Page
from tests.kit.phones import refusal_of
from tests.kit.tables import Party, tap_id

Make = Callable[..., Party]


# The lobby


def seats(party: Party) -> list[str]:
    return [seat.name for seat in party.tables.read(party.id, party.host.device).seats]


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
    look = lobby.tables.read(lobby.id, lobby.player.device)
    assert look.seats[-1].mine
    form = {"seat": str(look.seats[-1].id), "name": "Zora", "color": "pink"}
    lobby.player.post(f"{lobby.path}do/rename", form)
    assert seats(lobby)[-1] == "Zora"
    # A form without a colour does not ask for another one.
    lobby.player.post(f"{lobby.path}do/rename", {"seat": form["seat"], "name": "Zo"})
    seat = lobby.tables.read(lobby.id, lobby.player.device).seats[-1]
    assert (seat.name, seat.color) == ("Zo", "pink")
    lobby.host.post(f"{lobby.path}do/remove", {"seat": form["seat"]})
    assert seats(lobby) == list(NAMES)


def test_the_next_color_is_free(lobby: Party) -> None:
    """It is given to whoever chooses none, by the lobby's form and by the link."""
    shown = lobby.host.page(lobby.path).one("form", **{"class": "add-seat"}).attrs["data-color"]
    lobby.host.post(f"{lobby.path}do/add", {"name": "Ada"})
    lobby.stranger.post(f"/j/{lobby.links['join']}", {"name": "Zoë"})
    colors = [seat.color for seat in lobby.tables.read(lobby.id, lobby.host.device).seats]
    assert shown in colors
    assert len(set(colors)) == len(colors) == 5


def test_shared_entry_is_switched_and_seen(game: Party) -> None:
    """The default is on; off, a phone writes on its own sheet only."""
    game.tables.change(game.id, game.player.device, take_seat, 2)
    for form, on in (({}, False), ({"shared_entry": "on"}, True)):
        game.host.post(f"{game.path}do/shared_entry", form)
        box = game.host.page(f"{game.path}menu").one("input", name="shared_entry")
        assert ("checked" in box.attrs) == on
        assert ("own sheets only" in game.player.get(f"{game.path}menu").text) != on
        answer = game.tap(game.player, action=roll("Tim", yellow=1))
        assert answer.status_code == 200 if on else refusal_of(answer).code == "not-your-seat"


NO_NUMBERS = ("", "x", "-1", "99", "1.0", "\u0661", "\u00b2", "9" * 5_000, "1,2", "null")
RENAMED = {"seat": "1", "name": "Tom", "color": "red"}
REFUSED_FORMS: list[tuple[str, dict[str, str], str]] = [
    *(("rename", {**RENAMED, "seat": seat}, "no-such-seat") for seat in NO_NUMBERS),
    *((verb, {"seat": "0"}, "no-such-seat") for verb in ("remove", "first", "take", "release")),
    *((verb, {}, "no-such-seat") for verb in ("remove", "first", "take", "release", "order")),
    *(
        ("order", {"order": order}, "no-such-seat")
        for order in (",", "1,2", "3,2,x", "1," * 50_000)
    ),
    ("game", {}, "no-such-game"),
    ("game", {"game": "qwinto-dice", "option.board": "red"}, "bad-option"),
    ("game", {"game": "qwinto-dice", "option.": ""}, "bad-option"),
    ("add", {}, "bad-name"),
    ("add", {"name": "Zoë", "color": "RED; x"}, "bad-color"),
    ("rename", {**RENAMED, "name": "\uff33arah"}, "name-taken"),
]


def test_forms_that_a_lobby_refuses(lobby: Party) -> None:
    version = lobby.version
    for verb, form, code in REFUSED_FORMS:
        answer = lobby.host.post(f"{lobby.path}do/{verb}", form, way="htmx")
        assert refusal_of(answer).code == code, (verb, form)
    for verb in ("Start", "start/", "__init__", "start%00", "x" * 3_000):
        assert refusal_of(lobby.host.post(f"{lobby.path}do/{verb}")).status == 404
    assert lobby.version == version


def test_the_timer_counts_from_the_first_entry_or_from_being_set(game: Party) -> None:
    """Every phone asks for the seconds that have gone, so that their clocks do not matter."""
    assert game.player.page(game.path).one(id="table").attrs["data-timer"] == "0"
    game.host.post(f"{game.path}do/turn_timer", {"turn_timer": "45"})
    assert game.player.page(game.path).one(id="table").attrs["data-timer"] == "45"
    address = f"{game.path}timer"
    assert game.player.get(address).get_json()["elapsed"] >= 0
    game.do(roll("Tim", yellow=1), passes("Tim"), passes("Sarah"), passes("Linus"))
    assert game.player.get(address).get_json()["elapsed"] is None, "nobody has rolled in turn 2"
    game.do(roll("Sarah", yellow=1))
    assert game.player.get(address).get_json()["elapsed"] >= 0


def test_how_many_may_play(make: Make) -> None:
    alone = make("lobby", ("Tim",))
    answer = alone.host.post(f"{alone.path}do/start", way="htmx")
    assert refusal_of(answer).code == "too-few-players"
    assert not alone.host.page(alone.path).all("button", **{"class": "primary big"})
    full = make("lobby", tuple("ABCDEF"))
    answer = full.host.post(f"{full.path}do/add", {"name": "G", "color": "pink"}, way="htmx")
    assert refusal_of(answer).code == "table-full"
    assert not full.host.page(full.path).having("data-add-seat")


# Taps


def test_a_tap_is_saved(game: Party) -> None:
    version = game.version
    answer = game.tap(action=roll("Tim", yellow=4), moment=game.fingerprint, version=version)
    assert answer.get_json() == {"version": version + 1, "moment": game.fingerprint}
    assert game.actions == [roll("Tim", yellow=4)]


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


def sends(page: Page) -> list[Any]:
    return page.having("data-send")


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
    assert len(tap["fixes"]) == page.source.count('class="unfit"') == 2
    answer = party.tap(**tap, moment=party.fingerprint)
    assert answer.status_code == 200, answer.text
    expected = list(before)
    expected[0] = roll("Tim", yellow=6)
    for entry, fix in tap["fixes"].items():
        expected[entries.index(entry)] = fix
    assert party.actions == [action for action in expected if action is not None]


def test_what_was_written_in_an_old_turn_becomes_a_pass(make: Make) -> None:
    """Without it the turn would not be over, and nothing after it would fit."""
    party, entries = corrected(make)
    page = Page(party.host.post(f"{party.path}turns/{entries[4]}", {"action": "null"}).text)
    assert "After: Sarah has a failed attempt" in page.all("p")[0].text
    (button,) = sends(page)
    answer = party.tap(**json.loads(str(button.attrs["data-send"])), moment=party.fingerprint)
    assert answer.status_code == 200, answer.text
    assert party.actions[4] == passes("Sarah")
    path = f"{party.path}turns/{entries[3]}"
    answer = party.host.post(path, {"action": "null"}, way="htmx")
    assert refusal_of(answer).code == "does-not-fit", "a roll"


def test_before_and_after_are_told_as_they_were_then(make: Make) -> None:
    """The number of an entry is the call of its own turn, not of the present one."""
    party, entries = corrected(make)
    party.do(roll("Sarah", orange=1, purple=1))
    form = {"action": json.dumps(write("Tim", "yellow", 2))}
    page = Page(party.host.post(f"{party.path}turns/{entries[1]}", form).text)
    told = page.all("p")[0].text
    assert "Before: Tim wrote 4 in yellow, field 3" in told
    assert "After: Tim wrote 4 in yellow, field 2" in told
    form = {"action": json.dumps(passes("Tim"))}
    page = Page(party.host.post(f"{party.path}turns/{entries[1]}", form).text)
    assert "After: Tim has a failed attempt" in page.all("p")[0].text


NONSENSE = (
    "", "{", "nonsense", "[1]", '"pass"', "1", "true", "[" * 20_000, '{"do": "\\ud800"}', "{}",
    '{"do": "roll", "by": "\\ud800", "dice": {"yellow": 1}}',
    '{"do": "roll", "by": "Tim", "dice": {"\\ud800": 1}}',
    '{"do": "roll", "by": "Tim", "dice": {"yellow": NaN}}',
    '{"do": "roll", "by": "Tim", "dice": {"yellow": ' + "9" * 5_000 + "}}",
    '{"do": "roll", "by": "Nobody", "dice": {"yellow": 1}}',
)  # fmt: skip
"""Texts that are no action of the game; `null` would take the entry back."""


def test_corrections_of_nonsense(make: Make) -> None:
    """No action, no entry: each is refused in a sentence, or left aside."""
    party, entries = corrected(make)
    path, version = f"{party.path}turns/{entries[0]}", party.version
    forms: list[dict[str, str]] = [{}, *({"action": text} for text in NONSENSE)]
    for form in forms:
        for way in ("htmx", "page"):
            assert refusal_of(party.host.post(path, form, way=way)).status in (400, 422)
    for entry in ("x", "none-of-this-name", "%00", "\u00e9", "x" * 3_000):
        path = f"{party.path}turns/{entry}"
        assert refusal_of(party.host.get(path, way="htmx")).status in (404, 422)
        answer = party.host.post(path, {"action": "null"}, way="htmx")
        assert refusal_of(answer).status in (404, 422)
    assert party.version == version


# What a table shows


def test_a_table_page_carries_what_a_phone_needs(game: Party) -> None:
    table = game.host.page(game.path).one(id="table")
    assert table.attrs["data-table"] == game.id
    assert table.attrs["data-version"] == str(game.version)
    assert table.attrs["data-moment"] == game.fingerprint
    assert (table.attrs["data-live"] or "").startswith("/live/")
    assert table.attrs["data-focus"] == "1"


def test_every_seat_in_the_menu_has_its_buttons_in_one_place(game: Party) -> None:
    """Who only watches gets none."""
    page = game.host.page(f"{game.path}menu")
    assert page.faults() == []
    assert len(page.all("div", **{"class": "does"})) == len(NAMES)
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


def test_play_again_is_for_the_host_and_who_has_a_seat(over: Party) -> None:
    path = f"{over.path}do/again"
    for phone, may in ((over.host, True), (over.player, False), (over.viewer, False)):
        assert bool(phone.page(over.path).all("form", action=path)) == may
    over.tables.change(over.id, over.player.device, take_seat, 2)
    page = over.player.page(over.path)
    assert "The host starts the game." not in page.source
    assert page.all("details", **{"class": "asks"}), "it says first what it does to the others"
    assert not over.host.page(over.path).all("details", **{"class": "asks"})
    number = page.one("input", name="number").attrs["value"]
    assert number == "1"
    for phone in (over.player, over.host):
        assert phone.post(path, {"number": number}).status_code == 303
    assert over.tables.read(over.id, over.host.device).number == 2
