"""Before and between games: seats, their order, who holds them, and who may change that."""

from __future__ import annotations

from functools import partial

import pytest

from companion.tables import Tables
from companion.tables.ledger.names import LONGEST_NAME
from companion.tables.play.access import join_link, revoke, view_link
from companion.tables.play.lobby import (
    add_seat,
    again,
    order_seats,
    release_seat,
    remove_seat,
    rename_seat,
    set_game,
    set_setting,
    shuffle_start,
    start,
    start_with,
    take_seat,
    to_lobby,
)
from tests.tables.friends import NAMES, Evening, device, lobby, refused, refused_untouched


@pytest.fixture
def room(tables: Tables, host: str) -> Evening:
    return lobby(tables, host)


def names(room: Evening) -> list[str]:
    return [seat.name for seat in room.read().seats]


def test_a_new_table(tables: Tables, host: str) -> None:
    room = Evening(tables, tables.create(host, "qwinto-dice", label="Tablet"), host)
    table = room.read()
    assert len(table.id) >= 22
    assert (table.phase, table.game.name, table.number) == ("lobby", "qwinto-dice", 0)
    assert (table.me.role, table.me.label, table.shared_entry) == ("host", "Tablet", True)
    assert (table.position, table.entries, table.seats) == (None, (), ())
    assert [line.kind for line in table.log] == ["made"]


def test_games_and_options_that_there_are_not(tables: Tables, host: str, room: Evening) -> None:
    assert refused(lambda: tables.create(host, "chess")) == "no-such-game"
    assert refused(lambda: tables.create(host, "qwinto-dice", {"board": "red"})) == "bad-option"
    assert refused_untouched(room, lambda: tables.change(room.id, host, set_game, "chess")) == (
        "no-such-game"
    )
    before = room.read().version
    tables.change(room.id, host, set_game, "qwinto-dice", {})
    assert room.read().version == before


def test_seats(tables: Tables, host: str, room: Evening) -> None:
    seat = tables.change(room.id, host, add_seat, " Ada ", "red", take=True)
    ada = room.read().seats[-1]
    assert (ada.id, ada.name, ada.held, ada.mine) == (seat, "Ada", True, True)
    tables.change(room.id, host, rename_seat, seat, "Ada L.", "blue")
    ada = room.read().seats[-1]
    assert (ada.name, ada.color) == ("Ada L.", "blue")
    tables.change(room.id, host, remove_seat, seat)
    assert names(room) == list(NAMES)
    assert (
        tables.change(room.id, host, add_seat, "Ada", "red") == seat + 1
    )  # a number is not used twice


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  ",
        None,
        7,
        "x" * (LONGEST_NAME + 1),
        "a\nb",
        "a\x00b",
        "a\u202eb",  # turns the writing direction round
        "a\u2028b",
        "\ud800",
        "\u200d",
        "\u3164",
        "\u0301",
    ],
)
def test_bad_names(tables: Tables, host: str, room: Evening, name: object) -> None:
    for what in (
        lambda: tables.change(room.id, host, add_seat, name, "red"),  # type: ignore[arg-type]
        lambda: tables.change(room.id, host, rename_seat, 1, name),  # type: ignore[arg-type]
    ):
        assert refused_untouched(room, what) == "bad-name"


@pytest.mark.parametrize(
    "name", ["x" * LONGEST_NAME, "Zoe\u0308", "👩\u200d👧", "कुमार", "<b>", "%(name)s", "שרה", "6"]
)
def test_good_names(tables: Tables, host: str, room: Evening, name: str) -> None:
    tables.change(room.id, host, add_seat, name, "red")
    tables.change(room.id, host, start)
    position = room.read().position
    assert position is not None
    room.do({"do": "roll", "by": "Tim", "dice": {"yellow": 3}})
    room.do({"do": "pass", "by": name})
    assert len(room.actions) == 2


@pytest.mark.parametrize(
    "name", ["Tim", "tim", "TIM", " Tim", "T\u200dim", "T im", "Ｔim", "Tim\ufe0f"]
)
def test_taken_names(tables: Tables, host: str, room: Evening, name: str) -> None:
    assert refused_untouched(room, lambda: tables.change(room.id, host, add_seat, name, "red")) == (
        "name-taken"
    )
    sarah = room.seat("Sarah")
    assert refused(lambda: tables.change(room.id, host, rename_seat, sarah, name)) == "name-taken"
    tables.change(room.id, host, rename_seat, room.seat("Tim"), "tim")  # one's own name is free


@pytest.mark.parametrize(
    "name",
    ["A\u034fda", "Ad\u180ba", "Ada\U0001d159", "Ada\ufe01", "A\U000e0100da", "Ada\u3164",
     "Ada\u2800", "Ada\U00016fe4", "Ada\U00013441", "A\u00adda", "Ada\U000e0061", "Ada\ufff0",
     "Ada\ue000", "A\u0301\u0302\u0304\u0305da", "Ad" + 9 * "\u0336" + "a",
     "A" + 4 * "\u20dd" + "da"],
)  # fmt: skip
def test_names_with_what_nobody_sees(tables: Tables, host: str, room: Evening, name: str) -> None:
    """Somebody would be Ada beside Ada; or covers the lines above the own one."""
    for what in (
        lambda: tables.change(room.id, host, add_seat, name),
        lambda: tables.change(room.id, host, rename_seat, 1, name),
    ):
        assert refused_untouched(room, what) == "bad-name"


@pytest.mark.parametrize(
    "names",
    [
        ["Ian", "Lan", "Jan"], ["Zoe", "Zo\u00eb", "Zo\u0113"], ["Anna", "Hanna", "Ann"],
        ["Oystein", "\u00d8ystein"], ["\u0410\u0434\u0430", "Ada", "\u0415\u0432\u0430", "Eva"],
        ["\u0628\u06cc\u200c\u062a\u0627",
         "\u0645\u062d\u0645\u062f", "\u0645\u062d\u0645\u0648\u062f"],
        ["\u0915\u0943\u0937\u094d\u0923", "\u0915\u094d\u200d\u0937", "\u0938\u0902\u091c\u092f"],
        ["Nguye\u0302\u0303n", "Tra\u0302\u0300n", "The\u0302\u0301"],
        ["\u0e01\u0e34\u0e15\u0e15\u0e34\u0e4c", "\u0e17\u0e35\u0e48", "\u0e19\u0e49\u0e33"],
        ["\uae40\ubbfc\uc900", "\uae40\ubbfc\uc218", "\u1100\u1161\u11a8"],
        ["\u05e9\u05c1\u05bc\u05b0\u05dc\u05de\u05d4", "\u05e9\u05e8\u05d4"],
        ["\u0f66\u0f90\u0fb1\u0f7a\u0f51", "\u1019\u103c\u102d\u102f\u1037"],
        ["\U0001f469\u200d\U0001f680 Ada", "\u2764\ufe0f", "1\ufe0f\u20e3", "\U0001f1e9\U0001f1ea"],
        ["\u674e", "\u5b63", "\u738b\u82b3", "\u3042\u308a\u3055"],
    ],
)  # fmt: skip
def test_names_in_many_scripts(tables: Tables, host: str, names: list[str]) -> None:
    """Joiners of Persian, Hindi and emoji, Vietnamese taken apart, points and tones."""
    table = tables.create(host, "encore")
    for name in names:
        tables.change(table, host, add_seat, name)
    assert len(tables.read(table, host).seats) == len(names)


def test_colors(tables: Tables, host: str, room: Evening) -> None:
    for color in ("Red", "red;", "x" * 17):
        code = refused(lambda color=color: tables.change(room.id, host, add_seat, "Ada", color))
        assert code == "bad-color"


def test_a_table_has_room_for_as_many_as_the_game(tables: Tables, host: str) -> None:
    room = lobby(tables, host, ("A",))
    assert refused_untouched(room, lambda: tables.change(room.id, host, start)) == "too-few-players"
    for name in "BCDEF":
        tables.change(room.id, host, add_seat, name, "red")
    assert refused_untouched(room, lambda: tables.change(room.id, host, add_seat, "G", "red")) == (
        "table-full"
    )
    empty = lobby(tables, host, ())
    assert refused(lambda: tables.change(empty.id, host, shuffle_start)) == "too-few-players"


def test_the_order_of_the_seats(tables: Tables, host: str, room: Evening) -> None:
    tim, sarah, linus = (seat.id for seat in room.read().seats)
    tables.change(room.id, host, order_seats, [linus, tim, sarah])
    assert names(room) == ["Linus", "Tim", "Sarah"]
    tables.change(room.id, host, start_with, sarah)
    assert names(room) == ["Sarah", "Linus", "Tim"]
    for ids in ([], [tim], [tim, sarah, linus, linus], [tim, sarah, 99], ["1", "2", "3"]):
        code = refused(lambda ids=ids: tables.change(room.id, host, order_seats, ids))
        assert code == "no-such-seat"
    assert refused(lambda: tables.change(room.id, host, start_with, 99)) == "no-such-seat"


def test_the_draw_keeps_the_order(tables: Tables, host: str, room: Evening) -> None:
    clockwise = [("Tim", "Sarah"), ("Sarah", "Linus"), ("Linus", "Tim")]
    first = set()
    for _ in range(40):
        drawn = tables.change(room.id, host, shuffle_start)
        order = names(room)
        assert room.read().seats[0].id == drawn
        assert (order[0], order[1]) in clockwise and (order[1], order[2]) in clockwise
        first.add(order[0])
    assert first == set(NAMES)  # fails once in 3.6 million runs
    assert room.read().log[-1].body["drawn"]


def test_what_players_may_do_in_the_lobby(tables: Tables, host: str, room: Evening) -> None:
    phone = room.joined()
    mine = tables.change(room.id, phone.device, add_seat, "Ada", "red", take=True)
    tables.change(room.id, phone.device, rename_seat, mine, "Ada L.")
    tims = room.seat("Tim")
    for what in (
        lambda: tables.change(room.id, phone.device, rename_seat, tims, "Tom"),
        lambda: tables.change(room.id, phone.device, remove_seat, tims),
        lambda: tables.change(room.id, phone.device, order_seats, [1, 2, 3, mine]),
        lambda: tables.change(room.id, phone.device, start_with, mine),
        lambda: tables.change(room.id, phone.device, shuffle_start),
        lambda: tables.change(room.id, phone.device, set_game, "qwinto-dice"),
        lambda: tables.change(room.id, phone.device, set_setting, "shared_entry", False),
        lambda: tables.change(room.id, phone.device, start),
        lambda: tables.change(room.id, phone.device, view_link),
        lambda: tables.links(room.id, phone.device),
        lambda: tables.change(room.id, phone.device, revoke, "whatever"),
    ):
        assert refused_untouched(room, what) == "not-host"
    tables.change(room.id, phone.device, remove_seat, mine)


def test_what_the_start_ends(tables: Tables, host: str, room: Evening) -> None:
    tables.change(room.id, host, start)
    for what in (
        lambda: tables.change(room.id, host, start),
        lambda: tables.change(room.id, host, set_game, "qwinto-dice"),
        lambda: tables.change(room.id, host, add_seat, "Ada", "red"),
        lambda: tables.change(room.id, host, rename_seat, 1, "Tom"),
        lambda: tables.change(room.id, host, remove_seat, 1),
        lambda: tables.change(room.id, host, order_seats, [1, 2, 3]),
        lambda: tables.change(room.id, host, start_with, 2),
        lambda: tables.change(room.id, host, shuffle_start),
    ):
        assert refused_untouched(room, what) == "game-started"
    assert refused_untouched(room, lambda: tables.change(room.id, host, again)) == "not-over"


def test_taking_and_freeing_seats(tables: Tables, host: str, room: Evening) -> None:
    tim, ada = room.joined(seat="Tim"), room.joined()
    tables.change(room.id, host, start)
    seat = room.seat("Tim")
    assert refused_untouched(room, lambda: tables.change(room.id, ada.device, take_seat, seat)) == (
        "seat-taken"
    )
    assert refused(lambda: tables.change(room.id, ada.device, release_seat, seat)) == "not-host"
    before = room.read().version
    tables.change(room.id, tim.device, take_seat, seat)  # already has it: nothing changes
    assert room.read().version == before
    tables.change(room.id, tim.device, release_seat, seat)
    tables.change(room.id, ada.device, take_seat, seat)  # also in the middle of the game
    assert ada.read().seats[0].mine and not tim.read().seats[0].mine
    tables.change(room.id, host, release_seat, seat)  # the host may free any
    assert not room.read().seats[0].held
    assert refused(lambda: tables.change(room.id, ada.device, take_seat, 99)) == "no-such-seat"


def test_play_again(tables: Tables, host: str, room: Evening) -> None:
    tim = room.joined(seat="Tim")
    tables.change(room.id, host, start)
    room.finish()
    over = room.read()
    first = tables.export(room.id, host)
    tables.change(room.id, host, again)
    table = room.read()
    assert names(room) == ["Sarah", "Linus", "Tim"]
    assert (table.number, table.phase, table.version) == (2, "playing", over.version + 1)
    assert table.position is not None and table.position.active == "Sarah"
    assert tim.read().seats[-1].mine
    assert (table.undoable, table.redoable, table.entries) == (None, None, ())
    assert tables.export(room.id, host, 1) == first
    assert tables.export(room.id, host, 2) == tables.export(room.id, host)
    assert refused(lambda: tables.export(room.id, host, 3)) == "not-started"


def test_every_seated_player_may_play_again(tables: Tables, host: str, room: Evening) -> None:
    tim, nobody = room.joined(seat="Tim"), room.joined()
    tables.change(room.id, host, start)
    room.finish()
    for phone, code in ((nobody, "not-host"), (room.watching(), "view-only")):
        start_again = partial(tables.change, room.id, phone.device, again, 1)
        assert refused_untouched(room, start_again) == code
    tables.change(room.id, tim.device, again, 1)
    version = room.read().version
    tables.change(room.id, host, again, 1)  # at the same moment
    table = room.read()
    assert (table.number, table.version) == (2, version)
    assert refused(lambda: tables.change(room.id, tim.device, again, 2)) == "not-over"


def test_back_to_the_lobby(tables: Tables, host: str, room: Evening) -> None:
    tables.change(room.id, host, start)
    tables.change(room.id, host, to_lobby)  # nothing entered yet: somebody was forgotten
    tables.change(room.id, host, add_seat, "Ada", "red")
    tables.change(room.id, host, start)
    room.do({"do": "roll", "by": "Tim", "dice": {"yellow": 3}})
    assert refused_untouched(room, lambda: tables.change(room.id, host, to_lobby)) == "not-over"
    room.finish()
    game = tables.export(room.id, host)
    tables.change(room.id, host, to_lobby)
    assert (room.read().phase, room.read().number) == ("lobby", 2)
    assert tables.export(room.id, host, 2) == game


def test_the_list_of_tables(tables: Tables, host: str, room: Evening) -> None:
    other = lobby(tables, host, ("A", "B"))
    assert {line.id for line in tables.at_tables(host)} == {room.id, other.id}
    tables.change(room.id, host, start)
    phone = room.joined()
    (line,) = tables.at_tables(phone.device)
    assert (line.id, line.names, line.phase, line.role) == (room.id, NAMES, "playing", "player")
    assert line.game.name == "qwinto-dice"
    room.finish()
    assert tables.at_tables(phone.device)[0].phase == "over"
    assert tables.at_tables(device()) == ()


def test_the_secret_key_is_made_once(tables: Tables, shared_url: str) -> None:
    key = tables.secret_key()
    other = Tables(shared_url)
    try:
        assert other.secret_key() == key and len(key) >= 32
    finally:
        other.close()


def test_the_timer_is_the_host_s_and_off_at_first(tables: Tables, room: Evening) -> None:
    assert room.read().turn_timer == 0
    for _ in range(2):
        tables.change(room.id, room.device, set_setting, "turn_timer", 60)
    assert room.read().turn_timer == 60
    assert [line.kind for line in room.read().log].count("turn-timer") == 1
    for seconds in (-1, 7, 10**9):
        change = partial(room.change, set_setting, "turn_timer", seconds)
        assert refused_untouched(room, change) == "bad-tap"
    guest = device()
    tables.enter(tables.change(room.id, room.device, join_link).id, guest)
    change = partial(room.on(guest).change, set_setting, "turn_timer", 0)
    assert refused_untouched(room, change) == "not-host"


def test_the_host_says_whether_points_are_shown_before_the_end(
    tables: Tables, room: Evening
) -> None:
    assert room.read().scores
    tables.change(room.id, room.device, set_setting, "scores", False)
    tables.change(room.id, room.device, set_setting, "scores", False)
    assert not room.read().scores
    assert [line.kind for line in room.read().log].count("scores") == 1
    guest = device()
    tables.enter(tables.change(room.id, room.device, join_link).id, guest)
    assert (
        refused_untouched(room, lambda: tables.change(room.id, guest, set_setting, "scores", True))
        == "not-host"
    )


def test_hints_are_the_host_s_and_off_at_first(tables: Tables, room: Evening) -> None:
    assert not room.read().hints
    tables.change(room.id, room.device, set_setting, "hints", True)
    tables.change(room.id, room.device, set_setting, "hints", True)
    assert room.read().hints
    assert [line.kind for line in room.read().log].count("hints") == 1
    guest = device()
    tables.enter(tables.change(room.id, room.device, join_link).id, guest)
    assert (
        refused_untouched(room, lambda: tables.change(room.id, guest, set_setting, "hints", False))
        == "not-host"
    )
