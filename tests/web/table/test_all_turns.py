"""Texts of a table's page: sheets, whose turn it is, and what others did."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from flask import Flask

from companion.core.panel import FieldTap
from companion.core.words import english
from companion.games.scoring import filled_sheet
from companion.tables import Tables, Tap
from companion.tables.database.columns import device_hash
from companion.tables.ledger import events
from companion.tables.ledger.names import SEAT_COLORS
from companion.tables.play.access import join_link, revoke
from companion.tables.play.lobby import (
    add_seat,
    release_seat,
    remove_seat,
    set_setting,
    start,
    take_seat,
    to_lobby,
)
from companion.tables.play.views import table_seen_by
from companion.web.page.language import say, speaking
from companion.web.table import all_turns
from companion.web.table.notes import Note, notes, recent_events
from companion.web.table.seating import SEAT_COLOR_WORDS
from companion.web.table.sheet_drawing import draw
from lab import play
from lab.games import NEXT, SARAH, TIM, document, passes, roll, write
from lab.names import NAMES
from lab.pages import Element, Page
from lab.phones import Phone
from lab.tables import Evening, Party, refused_untouched, tap_id
from tests.web.table.test_games import opened

Make = Callable[..., Party]


def said(sentence: Any) -> str:
    return str(sentence.translated(english, " or "))


def described(party: Party) -> list[str]:
    """The entries of the game in words, oldest first."""
    turns = all_turns.turns(party.read())
    return [said(view.description) for turn in reversed(turns) for view in turn.entries]


def changes(party: Party) -> list[str]:
    """The list of changes and their authors, oldest first."""
    return [f"{c.actor}|{said(c.description)}" for c in reversed(all_turns.changes(party.read()))]


def test_every_action_is_listed(make: Make) -> None:
    party = make("playing", ("Tim", "Sarah"))
    party.do(
        roll("Tim", yellow=4, purple=5), roll("Tim", yellow=1, purple=2),
        write("Tim", "yellow", 2), passes("Sarah"),
        roll("Sarah", orange=6), passes("Sarah"), NEXT,
        roll("Tim", orange=1, yellow=2, purple=3), passes("Tim"),
    )  # fmt: skip
    assert described(party) == [
        "Tim rolled: yellow 4 + purple 5 = 9",
        "Tim rolled again: yellow 1 + purple 2 = 3",
        "Tim wrote 3 in yellow, field 2",
        "Sarah passed",
        "Sarah rolled: orange 6",
        "Sarah: failed attempt, −5",
        "The turn was ended – skipped Tim",
        "Tim rolled: orange 1 + yellow 2 + purple 3 = 6",
        "Tim: failed attempt, −5",
    ]
    turns = all_turns.turns(party.read())
    assert [(turn.number, turn.active) for turn in turns] == [(3, "Tim"), (2, "Sarah"), (1, "Tim")]


def test_a_turn_is_shown_in_signs(make: Make) -> None:
    """The dice that stood, and what each player wrote, lost or let go; who is awaited has none."""
    party = make("playing", ("Tim", "Sarah", "Zoë"))
    party.do(
        roll("Tim", yellow=4, purple=5), roll("Tim", yellow=1, purple=2),
        write("Tim", "yellow", 2), passes("Sarah"), NEXT,
        roll("Sarah", orange=6), passes("Sarah"),
    )  # fmt: skip
    second, first = all_turns.turns(party.read())
    assert [(sign.text, sign.color) for sign in first.on_table] == [
        ("1", "yellow"),
        ("2", "purple"),
    ]
    texts = {player: [sign.text for sign in signs] for player, signs in first.signs.items()}
    assert texts == {"Tim": ["3"], "Sarah": ["–"], "Zoë": ["–"]}
    assert {player: signs[0].shape for player, signs in second.signs.items()} == {"Sarah": "lost"}


def test_what_can_be_corrected(make: Make) -> None:
    """A player's own entries, but not the end of a turn; nothing for those who watch."""
    party = make("playing", ("Tim", "Sarah"))
    party.do(roll("Tim", yellow=4), passes("Tim"), NEXT)
    views = [view for turn in all_turns.turns(party.read()) for view in turn.entries]
    assert [view.can_correct for view in views] == [True, True, False]
    watched = all_turns.turns(party.on(party.viewer.device).read())
    assert not any(view.can_correct for turn in watched for view in turn.entries)


def test_every_change_is_listed(make: Make) -> None:
    party = make("lobby", ("Tim", "Sarah"))
    player = party.on(party.player.device)
    party.change(add_seat, "Zoë", "green")
    party.change(remove_seat, 3)
    player.change(take_seat, 2)
    player.change(release_seat, 2)
    party.change(set_setting, "shared_entry", False)
    party.change(set_setting, "shared_entry", True)
    party.change(revoke, party.links["view"])
    party.change(start)
    party.change(to_lobby)
    assert [line.partition("|")[2] for line in changes(party)] == [
        "opened the table",
        "added Tim",
        "added Sarah",
        "made a link",
        "made a link",
        "came to the table",
        "came to the table",
        "added Zoë",
        "removed Zoë",
        "took the seat of Sarah",
        "freed the seat of Sarah",
        "lets everybody write on their own sheet only",
        "lets everybody write on every sheet",
        "revoked a link",
        "started game 1",
        "went back to choosing a game",
    ]


def test_every_correction_is_listed(make: Make) -> None:
    """Undone, brought back, corrected, taken back, and each of these undone again."""
    party = make("playing", ("Tim", "Sarah"))
    party.do(roll("Tim", yellow=4))
    (entry,) = party.do(write("Tim", "yellow", 3))
    before = len(changes(party))
    correct(party, undo=entry)
    correct(party, redo=entry)
    moved = correct(party, replaces=entry, action=write("Tim", "yellow", 4))
    correct(party, undo=moved)
    correct(party, redo=moved)
    removed = correct(party, replaces=entry, action=None)
    correct(party, undo=removed)
    correct(party, redo=removed)
    assert [line.partition("|")[2] for line in changes(party)[before:]] == [
        "undid: Tim in yellow, field 3",
        "brought back: Tim in yellow, field 3",
        "corrected: Tim in yellow, field 3 → Tim in yellow, field 4",
        "undid a correction: Tim in yellow, field 4 → Tim in yellow, field 3",
        "corrected again: Tim in yellow, field 3 → Tim in yellow, field 4",
        "took back: Tim in yellow, field 4",
        "brought back: Tim in yellow, field 4",
        "undid: Tim in yellow, field 4",
    ]


def correct(party: Evening, **fields: Any) -> str:
    """Sends a tap that is no action, and returns the id of the step."""
    step = tap_id()
    party.tables.tap(party.id, party.device, Tap.parse({"id": step, **fields}))
    return step


def test_every_kind_of_event_is_listed_or_left_out_on_purpose() -> None:
    kinds = {
        value for name, value in vars(events).items() if name.isupper() and isinstance(value, str)
    }
    by_hand = {events.REPLACE, events.UNDO, events.REDO, events.INSERT}
    left_out = {events.GAME_CHOSEN, events.SEAT_RENAMED, events.SEATS_ORDERED, events.ACTION}
    left_out |= {events.ERASED}  # it replaces what nobody is to see again
    left_out |= {events.CALL_CONFIRMED}  # nothing on a sheet changes with it
    left_out |= {events.SEAT_LENT}  # of versions before 2.0
    left_out |= {events.CALL_REOPENED, events.DICE_TAPPED}  # the call itself shows them
    assert kinds == set(all_turns.DESCRIPTIONS) | by_hand | left_out
    assert not set(all_turns.DESCRIPTIONS) & left_out


def test_what_counts_as_a_correction(make: Make) -> None:
    """Further dice of the same phone do not count; changes by another do, until undone."""

    def is_marked() -> bool:
        return "corrected" in party.viewer.page(f"{party.path}turns").one("ol").text

    party = make("playing", ("Tim", "Sarah"))
    player = party.on(party.player.device)
    player.change(take_seat, 2)
    before = changes(party)
    (entry,) = party.do(roll("Tim", yellow=4))
    correct(party, replaces=entry, action=roll("Tim", yellow=4, purple=5))
    assert changes(party) == before
    assert not is_marked()
    correct(player, replaces=entry, action=roll("Tim", yellow=6))
    correction = "corrected: Tim rolled: yellow 4 + purple 5 = 9 → Tim rolled: yellow 6"
    assert changes(party)[-1] == f"Sarah|{correction}"
    assert correction in party.viewer.page(f"{party.path}turns").all("details")[-1].text
    assert is_marked()
    player.undo()
    assert not is_marked()


def test_changes_are_listed_however_long_the_log_is(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start of the game is no longer among the loaded lines."""
    monkeypatch.setattr("companion.tables.ledger.state.LOG_LINES", 2)
    party = make("playing", ("Tim", "Sarah"))
    (entry,) = party.do(roll("Tim", yellow=4))
    correct(party, replaces=entry, action=None)
    assert changes(party)[-1].endswith("|took back: Tim rolled: yellow 4")


def notes_of(party: Party, phone: Phone | None = None) -> tuple[Note, ...]:
    """The notes as a stream has them, which is no request of the phone."""
    device = (phone or party.player).device
    seen = table_seen_by(party.tables.audience(party.id), device_hash(device), party.tables.now())
    assert seen is not None
    return notes(seen, recent_events(seen.state))


def texts(party: Party, phone: Phone | None = None) -> list[str]:
    with speaking(party.app, "en"):
        return [say(note.text) for note in notes_of(party, phone)]


def test_what_was_entered_for_a_player(taken: Party) -> None:
    _, written = taken.do(roll("Tim", yellow=4, purple=5), write("Sarah", "yellow", 3))
    assert texts(taken) == ["Tim entered for you: Sarah wrote 9 in yellow, field 3"]
    assert [note.seq for note in notes_of(taken)] == [taken.version]
    correct(taken, undo=written)
    assert texts(taken) == ["Tim corrected the game: your 9 is gone (yellow, field 3)"]


@pytest.mark.parametrize(
    ("correction", "text"),
    [({"yellow": 6}, "your 4 is 6 now"), ({"orange": 4}, "your 4 is gone")],
)
def test_a_correction_changes_later_entries(
    taken: Party, correction: dict[str, int], text: str
) -> None:
    called, _ = taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 1))
    taken.on(taken.player.device).do(write("Sarah", "yellow", 3))
    action = roll("Tim", **correction)
    correct(taken, replaces=called, action=action, fixes={}, version=taken.version)
    assert texts(taken) == [f"Tim corrected the game: {text} (yellow, field 3)"]
    correct(taken, undo=taken.read().undoable.id)
    assert text not in str(texts(taken)), "it is so no longer"


def test_skipped_players_are_shown_until_the_next_step_is_over(taken: Party) -> None:
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3), {**NEXT, "by": "Tim"})
    assert texts(taken) == ["Tim went on without you"]
    closed = taken.tables.read(taken.id, taken.player.device).entries[-1].id
    assert [note.late for note in notes_of(taken)] == [(closed, 2)]
    assert notes_of(taken, taken.host) == ()
    # Sarah's next entry in the same field leaves only others.
    assert {"yellow.3", "yellow.4"} <= open_fields(taken, closed)
    taken.do(roll("Sarah", yellow=6), write("Sarah", "yellow", 4))
    is_open = open_fields(taken, closed)
    assert is_open.isdisjoint({"yellow.4", "yellow.5"})
    assert "yellow.3" in is_open


def open_fields(party: Party, closed: str) -> set[str]:
    """The fields in which Sarah, who was skipped, may write after all."""
    page = Page(party.player.get(f"{party.path}turns/{closed}?late=2", way="htmx").text)
    return {str(field.attrs["data-f"]) for field in page.all("g") if "data-tap" in field.attrs}


def test_a_player_without_a_phone_is_notified_on_the_hosts(taken: Party) -> None:
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3), passes("Sarah"), passes("Linus"))
    sarah = taken.on(taken.player.device)
    sarah.play(roll("Sarah", yellow=4), write("Sarah", "yellow", 2), {**NEXT, "by": "Sarah"})
    went_on = "Sarah went on without you"
    assert texts(taken, taken.host) == [f"Tim: {went_on}", f"Linus: {went_on}"]


def test_a_device_for_several_says_for_whom(taken: Party) -> None:
    taken.on(taken.player.device).change(take_seat, 3)
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3), {**NEXT, "by": "Tim"})
    assert texts(taken) == ["Sarah: Tim went on without you", "Linus: Tim went on without you"]


def test_the_close_button_asks_who_may_be_skipped(taken: Party) -> None:
    taken.do(roll("Tim", yellow=4), write("Tim", "yellow", 3))
    page = taken.host.get(taken.path).text
    assert "Skip Sarah, Linus</button>" in page
    assert "data-ask" not in taken.player.get(taken.path).text


def test_the_close_button_asks_in_every_game_where_a_skipped_player_has_a_phone(
    app: Flask, tables: Tables
) -> None:
    """Encore! does not know about dice on the table, so it asks nobody there."""
    host, guest = Phone(app), Phone(app)
    path = opened(host, "encore", [{"do": "roll", "by": "Tim", "told": False}, passes("Tim")])
    table_id = path.split("/")[2]
    tables.change(table_id, host.device, take_seat, 3)
    assert not host.page(path).having("data-ask"), "whoever is skipped is at this phone"
    tables.enter(tables.change(table_id, host.device, join_link).id, guest.device)
    tables.change(table_id, guest.device, take_seat, 2)
    (button,) = host.page(path).having("data-ask")
    assert button.text == "That's everybody"


Action = dict[str, Any]


# Whose sheet a narrow screen shows first

ROLL, PASSES = [roll("Tim", yellow=4)], {name: [passes(name)] for name in NAMES}
FOCUS: dict[str, tuple[dict[str, int], str, list[tuple[list[Action], str]]]] = {
    # Nobody holds a seat: every device that may write is for all of them.
    "one tablet": ({}, "host", [
        ([], "Tim"), (ROLL, "Tim"), (PASSES["Tim"], "Sarah"), (PASSES["Sarah"], "Linus"),
        (PASSES["Linus"], "Sarah"),  # the next turn is hers
    ]),
    "who watches follows the turns": ({}, "viewer", [
        ([], "Tim"), (ROLL + PASSES["Tim"], "Tim"), (PASSES["Sarah"], "Tim"),
        (PASSES["Linus"], "Sarah"),
    ]),
    "an own phone": ({"player": 3}, "player", [
        ([], "Linus"), (ROLL, "Linus"), (PASSES["Tim"], "Linus"), (PASSES["Linus"], "Linus"),
    ]),
    "the host's tablet is for those without a phone": ({"player": 3}, "host", [
        (ROLL + PASSES["Tim"] + PASSES["Linus"], "Sarah"),
    ]),
    # Who is active and has no phone rolls on the host's; then the own sheet comes first.
    "a host with a seat plays for others": ({"host": 2}, "host", [
        ([], "Tim"), (ROLL + PASSES["Tim"], "Sarah"), (PASSES["Sarah"], "Linus"),
    ]),
}  # fmt: skip
"""Seats by the phones that hold them, whose screen it is, and what it shows after actions."""


@pytest.mark.parametrize(("seats", "who", "steps"), FOCUS.values(), ids=FOCUS)
def test_whose_sheet_comes_first(
    game: Party, seats: dict[str, int], who: str, steps: list[tuple[list[Action], str]]
) -> None:
    for phone, seat in seats.items():
        game.on(getattr(game, phone).device).change(take_seat, seat)
    for actions, shown in steps:
        game.do(*actions)
        page = getattr(game, who).page(game.path)
        sheets = page.all("div", role="tabpanel")
        assert "selected" in str(sheets[0].attrs["class"])
        assert sheets[0].attrs["data-by"] == shown


def test_the_gains_of_a_turn_are_one_line_for_all_players(game: Party) -> None:
    """Before the first entry of a turn it shows the one before, and awaits the active player."""
    game.do(roll("Tim", yellow=4), passes("Tim"), passes("Sarah"), passes("Linus"))
    assert acts(game) == "Tim −5 4 −5 Sarah 0 … Linus 0 passed"
    game.do(roll("Sarah", yellow=4, orange=2))
    assert acts(game) == "Tim −5 … Sarah 0 24 … Linus 0 …"
    game.do(write("Linus", "yellow", 3))
    assert acts(game) == "Tim −5 … Sarah 0 24 … Linus 1 6"


@pytest.mark.parametrize(
    ("game", "taps", "shown"),
    [
        ("qwixx", [{"white.0": 3}, {"white.0": 3, "dice.red": 5}], ["3", "35"]),
        ("encore", [{"colors.0": "joker"}, {"colors.0": "joker", "numbers.1": 4}], ["✕", "✕4"]),
        ("kniffel", [{"dice.0": 6}, {}], ["6", ""]),
    ],
)
def test_dice_of_a_roll_that_is_sent_whole_are_seen_as_they_are_tapped(
    app: Flask, tables: Tables, game: str, taps: list[dict[str, Any]], shown: list[str]
) -> None:
    tim, sarah = Phone(app), Phone(app)
    record = play.record_of(("Tim", "Sarah"), [], game)
    calls = Evening(tables, tables.import_record(tim.device, record), tim.device)
    moment = calls.read().moment
    tap = partial(calls.tap, moment=moment)
    assert tap(dice=taps[0]).version == calls.read().version, "nobody else sees it"
    tables.enter(calls.change(join_link).id, sarah.device, seat=calls.seat("Sarah"))
    for tapped, signs in zip(taps, shown, strict=True):
        version = tap(dice=tapped).version
        line, *_ = acts_seen(sarah, f"/t/{calls.id}/").split("…")
        assert line.split() == ["Tim", "0", *signs.split()]
    for wrong in ({"dice.9": 6}, dict.fromkeys(taps[0], True), {"white.0": [3]}):
        assert refused_untouched(calls, partial(tap, dice=wrong)) == "bad-tap"
    assert calls.tap(dice=taps[0], moment="of another time").version == version
    assert {line.kind for line in calls.read().log}.isdisjoint({events.DICE_TAPPED})


def acts(party: Party) -> str:
    return acts_seen(party.viewer, party.path)


def acts_seen(phone: Phone, path: str) -> str:
    """The lines of all players, with a "…" for those who are awaited."""
    page = Page(phone.get(path).text.replace('class="awaited">', 'class="awaited">…'))
    (lines,) = [element for element in page.all("ul") if element.attrs.get("class") == "acts"]
    return " ".join(lines.text.split())


def test_own_entry_only(game: Party) -> None:
    """Without shared entry a phone offers its own sheet's fields and no other."""
    game.tables.change(game.id, game.player.device, take_seat, 2)
    game.tables.change(game.id, game.host.device, set_setting, "shared_entry", False)
    (call,) = game.do(roll("Tim", yellow=4))
    assert not any(offered(game.player.page(game.path), player) for player in NAMES)
    game.tap(final=call)
    page = game.player.page(game.path)
    assert [player for player in NAMES if offered(page, player)] == ["Sarah"]
    assert len([button for button in page.all("button") if is_pass(button)]) == 1
    assert not page.having("data-picker"), "Tim's dice are Tim's"
    page = game.host.page(game.path)
    assert [player for player in NAMES if offered(page, player)] == ["Tim", "Linus"]


def offered(page: Page, player: str) -> bool:
    """Whether the fields of a player's sheet answer taps."""
    inside = page.source.split(f'data-by="{player}"')[-1].split('class="actions instead"')[0]
    return "data-f=" in inside and "data-tap" in inside.split('class="actions"')[0]


def is_pass(button: Element) -> bool:
    return "pass" in str(button.attrs.get("class")).split()


# The call and the end of a turn


def test_where_the_dice_are_tapped(game: Party) -> None:
    game.tables.change(game.id, game.player.device, take_seat, 1)
    for phone, answer in ((game.player, "yes"), (game.host, "no"), (game.viewer, "no")):
        assert phone.page(game.path).one(id="table").attrs["data-rolls"] == answer


def test_the_undo_button_names_its_effect(game: Party) -> None:
    game.do(roll("Tim", yellow=4))
    page = game.host.page(game.path)
    (button,) = page.having("data-send")
    assert button.attrs["aria-label"] == "Undo: Tim rolled: yellow 4"
    assert not game.player.page(game.path).having("data-send"), "another device entered it"


# The drawing


def drawn(app: Flask, sheet: dict[str, Any], taps: dict[str, FieldTap] | None = None) -> Page:
    with app.test_request_context():
        return Page(str(draw(filled_sheet(sheet), taps or {}, "Sheet of Tim")))


@pytest.mark.parametrize("sheet", [document(), TIM, SARAH, document(failed=4)])
def test_a_drawing_shows_what_is_written(app: Flask, sheet: dict[str, Any]) -> None:
    page = drawn(app, sheet)
    assert page.faults() == []
    assert not page.having("data-tap") and not page.having("tabindex")
    (svg,) = [one for one in page.all("svg") if str(one.attrs.get("class")).startswith("sheet")]
    assert svg.attrs["aria-label"] == "Sheet of Tim"
    fields = {str(field.attrs["data-f"]): field for field in page.having("data-f")}
    assert len(fields) == 27 + 4
    for row in ("orange", "yellow", "purple"):
        for number, value in enumerate(sheet[row], start=1):
            field = fields[f"{row}.{number}"]
            written, _, bonus = field.text.strip().partition("✓")
            assert written == ("" if value is None else str(value))
            label = str(field.attrs["aria-label"])
            assert f": {'empty' if value is None else value}" in label
            assert bonus in label, "a full column brings its bonus"
    crossed = [
        n for n in range(1, 5) if "crossed" in str(fields[f"failed.{n}"].attrs["aria-label"])
    ]
    assert crossed == list(range(1, sheet["failed"] + 1))
    letters = [e.text for e in page.all("text") if "letter" in str(e.attrs.get("class"))]
    assert letters == ["O", "Y", "P"], "every colour also has its letter"


def test_open_and_closed_fields(app: Flask) -> None:
    taps = {
        "yellow.1": FieldTap("write row=yellow field=1", True, "9"),
        "yellow.2": FieldTap("write row=yellow field=2", False, "9"),
    }
    page = drawn(app, document(), taps)
    is_open, closed = page.having("data-tap")
    assert is_open.text.strip() == "9"
    assert (is_open.attrs["role"], is_open.attrs["tabindex"]) == ("button", "0")
    assert "write 9" in str(is_open.attrs["aria-label"])
    assert closed.text.strip() == ""
    assert closed.attrs["role"] == "img"
    assert "not possible now" in str(closed.attrs["aria-label"])


def test_drawings_are_kept_apart(app: Flask) -> None:
    """A cached drawing is never used for another one."""
    before = drawn(app, TIM).source
    assert drawn(app, SARAH).source != before
    with app.test_request_context(headers={"Cookie": "language=de"}):
        assert str(draw(filled_sheet(TIM), {}, "Sheet of Tim")) != before, "its words are German"
    with app.test_request_context():
        assert Page(str(draw(filled_sheet(TIM), {}, "Sheet of <Sarah>"))).faults() == []
    assert drawn(app, TIM).source == before


def test_colors_of_seats() -> None:
    assert tuple(SEAT_COLOR_WORDS) == SEAT_COLORS


def test_an_open_call_is_shown_and_made_final(game: Party) -> None:
    """Until Tim confirms, Sarah's phone shows what he has rolled, without a button."""
    game.tables.change(game.id, game.player.device, take_seat, 2)
    (call,) = game.do(roll("Tim", yellow=4, purple=5))
    assert "Tim is rolling … 9?" in hint(game, game.player)
    button = {"data-final": call}
    assert not game.player.page(game.path).having("data-final")
    assert "the others may write" in game.host.page(game.path).one("button", **button).text
    game.tap(anew=call)
    assert "Tim rolls again" in hint(game, game.player)
    game.tap(final=call)
    assert not game.host.page(game.path).having("data-final")
    assert offered(game.player.page(game.path), "Sarah")


def hint(party: Party, phone: Phone) -> str:
    page = Page(phone.get(party.path).text)
    (said,) = [line for line in page.all("p") if line.attrs.get("data-drawn") == "hint"]
    return said.text


def test_the_page_says_who_writes_at_other_phones_and_when(game: Party) -> None:
    """Nobody else may write until the caller has said that the call is final."""
    game.tables.change(game.id, game.player.device, take_seat, 3)
    (call,) = game.do(roll("Tim", yellow=4))
    assert "Tim: tap a glowing field. Linus writes next" in hint(game, game.host)
    # Of each player on this phone the hint can speak.
    of = game.host.page(game.path).having("data-of")
    assert [(one.attrs["data-said"], one.attrs["data-then"]) for one in of] == [
        ("Tim: tap a glowing field", ". Then Sarah"),
        ("Sarah: tap a glowing field or pass", ". Then Tim"),
    ]
    game.tap(final=call)
    assert "Waiting for Linus, too" in hint(game, game.host)
    assert "Waiting for Tim and Sarah, too" in hint(game, game.player)
    game.do(passes("Linus"))
    assert "Linus" not in hint(game, game.host)
