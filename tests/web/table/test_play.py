"""The table's pages: lobby, taps, undo, correction, the end; all that a phone may send."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from companion.tables import Tables
from companion.tables.play.lobby import take_seat
from companion.web import create_app
from lab.games import passes, roll, write
from lab.names import NAMES
from lab.pages import Page
from lab.phones import refusal_of
from lab.tables import Clock, Party, party, tap_id

Make = Callable[..., Party]


def names(at: Party) -> list[str]:
    return [seat.name for seat in at.read().seats]


def test_ordering_the_seats(lobby: Party) -> None:
    lobby.host.post(f"{lobby.path}do/order", {"order": "3,1,2"})
    assert names(lobby) == ["Linus", "Tim", "Sarah"]
    lobby.host.post(f"{lobby.path}do/first", {"seat": "2"})
    assert names(lobby) == ["Sarah", "Linus", "Tim"]


def test_adding_renaming_and_removing(lobby: Party) -> None:
    lobby.player.post(f"{lobby.path}do/add", {"name": " Zoë ", "color": "teal", "take": "on"})
    seat = lobby.on(lobby.player.device).read().seats[-1]
    assert (seat.name, seat.mine) == ("Zoë", True)
    # A form without a colour does not ask for another one.
    for color in ({"color": "pink"}, {}):
        lobby.player.post(f"{lobby.path}do/rename", {"seat": str(seat.id), "name": "Zo"} | color)
        renamed = lobby.read().seats[-1]
        assert (renamed.name, renamed.color) == ("Zo", "pink")
    lobby.host.post(f"{lobby.path}do/remove", {"seat": str(seat.id)})
    assert names(lobby) == list(NAMES)


def test_the_next_color_is_free(lobby: Party) -> None:
    """It is given to players who choose none, by the lobby's form and by the link."""
    shown = lobby.host.page(lobby.path).one("form", **{"class": "add-seat"}).attrs["data-color"]
    lobby.host.post(f"{lobby.path}do/add", {"name": "Ada"})
    lobby.stranger.post(f"/j/{lobby.links['join']}", {"name": "Zoë"})
    colors = [seat.color for seat in lobby.read().seats]
    assert shown in colors
    assert len(set(colors)) == len(colors) == 5


def test_shared_entry_is_switched_and_seen(game: Party) -> None:
    """The default is on; off, a phone writes on its own sheet only."""
    game.on(game.player.device).change(take_seat, 2)
    for form, on in (({}, False), ({"shared_entry": "on"}, True)):
        game.host.post(f"{game.path}do/shared_entry", form)
        box = game.host.page(f"{game.path}menu").one("input", name="shared_entry")
        assert ("checked" in box.attrs) == on
        assert ("own sheets only" in game.player.get(f"{game.path}menu").text) != on
        answer = game.tap(game.player, action=roll("Tim", yellow=1))
        assert answer.status_code == 200 if on else refusal_of(answer).code == "not-your-seat"


NO_NUMBERS = ("", "x", "-1", "0", "99", "1.0", "\u0661", "\u00b2", "9" * 5_000, "1,2", "null")
NO_ORDERS = ("", ",", "1,2", "3,2,x", "1," * 50_000)
RENAMED = {"seat": "1", "name": "Tom", "color": "red"}
REFUSED_FORMS: list[tuple[str, dict[str, str], str]] = [
    *(("rename", {**RENAMED, "seat": seat}, "no-such-seat") for seat in NO_NUMBERS),
    *((verb, {"seat": "0"}, "no-such-seat") for verb in ("remove", "first", "take", "release")),
    *((verb, {}, "no-such-seat") for verb in ("remove", "first", "take", "release", "order")),
    *(("order", {"order": order}, "no-such-seat") for order in NO_ORDERS),
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
    """Every phone asks for the elapsed seconds, so that their clocks do not matter."""

    def elapsed() -> Any:
        return game.player.get(f"{game.path}timer").get_json()["elapsed"]

    for limit, form in (("0", {}), ("45", {"turn_timer": "45"})):
        game.host.post(f"{game.path}do/turn_timer", form)
        assert game.player.page(game.path).one(id="table").attrs["data-timer"] == limit
    assert elapsed() >= 0
    game.do(roll("Tim", yellow=1), passes("Tim"), passes("Sarah"), passes("Linus"))
    assert elapsed() is None, "nobody has rolled in turn 2"
    game.do(roll("Sarah", yellow=1))
    assert elapsed() >= 0


def test_a_timer_that_is_set_in_mid_turn_counts_from_then(tmp_path: Path) -> None:
    clock = Clock()
    with closing(Tables(f"sqlite:///{tmp_path / 'app.db'}", clock=clock)) as tables:
        game = party(create_app(tables), tables)
        game.do(roll("Tim", yellow=1))
        clock.turn(seconds=20)
        game.host.post(f"{game.path}do/turn_timer", {"turn_timer": "45"})
        clock.turn(seconds=5)
        assert game.player.get(f"{game.path}timer").get_json() == {"seconds": 45, "elapsed": 5.0}


def test_how_many_may_play(make: Make) -> None:
    alone = make("lobby", ("Tim",))
    assert not alone.host.page(alone.path).all("button", **{"class": "primary big"})
    full = make("lobby", tuple("ABCDEF"))
    assert not full.host.page(full.path).having("data-add-seat")


# Taps


def test_a_tap_is_saved_and_the_second_die_replaces_the_entry_of_the_first(game: Party) -> None:
    version, entry = game.version, tap_id()
    first = {"id": entry, "action": roll("Tim", yellow=4)}
    answer = game.tap(**first, moment=game.moment, version=version)
    assert answer.get_json() == {"version": version + 1, "moment": game.moment}
    second = {"replaces": entry, "action": roll("Tim", yellow=4, purple=5)}
    assert game.tap(**second, moment=game.moment).status_code == 200
    assert game.actions == [roll("Tim", yellow=4, purple=5)]
    picker = game.host.page(game.path).one(id="dice")
    assert picker.attrs["data-replaces"] == entry
    assert json.loads(picker.attrs["data-picks"] or "") == {"dice.yellow": 4, "dice.purple": 5}


# Corrections


@pytest.fixture
def third(make: Make) -> tuple[Party, list[str]]:
    """Tim's roll of turn 1 was a 3, not a 4; what was written in turn 3 depends on it."""
    party = make("playing", ("Tim", "Sarah"))
    entries = party.do(
        roll("Tim", yellow=4), write("Tim", "yellow", 3), passes("Sarah"),
        roll("Sarah", yellow=5), write("Sarah", "yellow", 4), write("Tim", "yellow", 4),
        roll("Tim", yellow=6), write("Tim", "yellow", 5), passes("Sarah"),
    )  # fmt: skip
    return party, entries


def preview(party: Party, entry: str, action: Any) -> Page:
    form = {"action": json.dumps(action)}
    return Page(party.host.post(f"{party.path}turns/{entry}", form).text)


def offered(page: Page) -> Any:
    """The tap of the preview's button."""
    (button,) = page.having("data-send")
    return json.loads(str(button.attrs["data-send"]))


def test_a_preview_changes_nothing_and_the_change_does_what_it_said(
    third: tuple[Party, list[str]],
) -> None:
    party, entries = third
    version, before = party.version, party.actions
    page = preview(party, entries[0], roll("Tim", yellow=6))
    assert page.faults() == []
    assert (party.version, party.actions) == (version, before)
    tap = offered(page)
    assert (tap["replaces"], tap["version"]) == (entries[0], version)
    assert len(tap["fixes"]) == page.source.count('class="unfit"') == 2
    answer = party.tap(**tap, moment=party.moment)
    assert answer.status_code == 200, answer.text
    expected = [roll("Tim", yellow=6), *before[1:]]
    for entry, fix in tap["fixes"].items():
        expected[entries.index(entry)] = fix
    assert party.actions == [action for action in expected if action is not None]


def test_an_entry_of_an_old_turn_becomes_a_pass(third: tuple[Party, list[str]]) -> None:
    """Without it the turn would not be over, and nothing after it would fit."""
    party, entries = third
    page = preview(party, entries[4], None)
    assert "After: Sarah: failed attempt, −5" in page.all("p")[0].text
    answer = party.tap(**offered(page), moment=party.moment)
    assert answer.status_code == 200, answer.text
    assert party.actions[4] == passes("Sarah")
    path = f"{party.path}turns/{entries[3]}"
    answer = party.host.post(path, {"action": "null"}, way="htmx")
    assert refusal_of(answer).code == "does-not-fit", "a roll"


def test_before_and_after_are_shown_as_they_were_then(third: tuple[Party, list[str]]) -> None:
    """The number of an entry is the call of its own turn, not of the present one."""
    party, entries = third
    party.do(roll("Sarah", orange=1, purple=1))
    text = preview(party, entries[1], write("Tim", "yellow", 2)).all("p")[0].text
    assert "After: Tim wrote 4 in yellow, field 2" in text
    text = preview(party, entries[1], passes("Tim")).all("p")[0].text
    assert "After: Tim: failed attempt, −5" in text


NONSENSE = (
    "", "{", "nonsense", "[1]", '"pass"', "1", "true", "[" * 20_000, '{"do": "\\ud800"}', "{}",
    '{"do": "roll", "by": "Tim", "dice": {"\\ud800": 1}}',
    '{"do": "roll", "by": "Tim", "dice": {"yellow": ' + "9" * 5_000 + "}}",
    '{"do": "roll", "by": "Nobody", "dice": {"yellow": 1}}',
)  # fmt: skip
"""Texts that are not an action of the game; `null` would take the entry back."""


def test_corrections_of_nonsense(third: tuple[Party, list[str]]) -> None:
    """Each is refused in a sentence, or ignored."""
    party, entries = third
    turns, version = f"{party.path}turns", party.version
    for form in ({}, *({"action": text} for text in NONSENSE)):
        for way in ("htmx", "page"):
            answer = party.host.post(f"{turns}/{entries[0]}", form, way=way)
            assert refusal_of(answer).status in (400, 422)
    for entry in ("x", "none-of-this-name", "%00", "\u00e9", "x" * 3_000):
        for method in ("GET", "POST"):
            answer = party.host.ask(method, f"{turns}/{entry}", data={"action": "null"}, way="htmx")
            assert refusal_of(answer).status in (404, 422)
    assert party.version == version


# What a table shows


def test_a_table_page_carries_what_a_phone_needs(game: Party) -> None:
    table = game.host.page(game.path).one(id="table")
    assert table.attrs["data-table"] == game.id
    assert table.attrs["data-version"] == str(game.version)
    assert table.attrs["data-moment"] == game.moment
    assert (table.attrs["data-live"] or "").startswith("/live/")
    assert table.attrs["data-focus"] == "1"


def test_every_seat_in_the_menu_has_its_buttons_in_one_place(game: Party) -> None:
    """Watching phones get none."""
    page = game.host.page(f"{game.path}menu")
    assert len(page.all("div", **{"class": "does"})) == len(NAMES)
    assert not game.viewer.page(f"{game.path}menu").all("div", **{"class": "does"})


def test_a_turn_s_entries_say_what_their_button_does(game: Party) -> None:
    """The row of their turn shows its dice and what it brought each player."""
    game.do(roll("Tim", yellow=4), write("Tim", "yellow", 3))
    page = game.host.page(f"{game.path}turns")
    label = "Change: Tim rolled: yellow 4"
    assert page.one("button", **{"aria-label": label}).text.strip() == "Tim rolled: yellow 4"
    signs = [
        (sign.text, sign.attrs["class"]) for sign in page.all("i") if "sign" in str(sign.attrs)
    ]
    assert signs == [("4", "sign of-die yellow"), ("4", "sign of-number yellow")]


def test_play_again_is_for_the_host_and_players_with_a_seat(over: Party) -> None:
    path = f"{over.path}do/again"
    for phone, may in ((over.host, True), (over.player, False), (over.viewer, False)):
        assert bool(phone.page(over.path).all("form", action=path)) == may
    over.on(over.player.device).change(take_seat, 2)
    page = over.player.page(over.path)
    assert "The host starts the game." not in page.source
    assert page.all("details", **{"class": "asks"}), "it says first what it does to the others"
    assert not over.host.page(over.path).all("details", **{"class": "asks"})
    number = page.one("input", name="number").attrs["value"]
    for phone in (over.player, over.host):
        assert phone.post(path, {"number": number}).status_code == 303
    assert over.read().number == 2
