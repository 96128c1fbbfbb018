"""Matches at a table: seats, settings, start and early end, records, and dice that are rolled."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.games import record
from companion.tables import Refused, Tables
from companion.tables.play import lobby as seats
from companion.tables.play.access import revoke, view_link
from companion.tables.play.records import MOST_ACTIONS
from companion.tables.play.roller import DRAW
from companion.tables.play.roller import roll as roll_dice
from lab.games import passes, roll, write
from lab.history import people, restore, take_in
from lab.play import record_of
from lab.tables import NAMES, Evening, device, lobby, refused, refused_untouched


@pytest.fixture
def room(tables: Tables, host: str) -> Evening:
    return lobby(tables, host)


def names(room: Evening) -> list[str]:
    return [seat.name for seat in room.read().seats]


def test_games_and_options_that_do_not_exist(tables: Tables, host: str, room: Evening) -> None:
    assert refused(tables.create, host, "chess") == "no-such-game"
    assert refused(tables.create, host, "qwinto-dice", {"board": "red"}) == "bad-option"
    assert refused_untouched(room, room.change, seats.set_game, "chess") == "no-such-game"


def test_seats(room: Evening) -> None:
    seat = room.change(seats.add_seat, " Ada ", "red", take=True)
    ada = room.read().seats[-1]
    assert (ada.id, ada.name, ada.held, ada.mine) == (seat, "Ada", True, True)
    room.change(seats.rename_seat, seat, "ada", "blue")
    ada = room.read().seats[-1]
    assert (ada.name, ada.color) == ("ada", "blue"), "a seat's own name is free"
    room.change(seats.remove_seat, seat)
    assert names(room) == list(NAMES)
    assert room.change(seats.add_seat, "Ada", "red") == seat + 1, "a number is not used twice"


def test_bad_names_and_colors_of_seats(room: Evening) -> None:
    """`test_names.py` lists the bad names."""
    sarah = room.seat("Sarah")
    for name, color, code in (
        ("Adaㅤ", "red", "bad-name"),
        (" tim", "red", "name-taken"),
        ("Ada", "Red", "bad-color"),
        ("Ada", "red;", "bad-color"),
        ("Ada", "x" * 17, "bad-color"),
    ):
        assert refused_untouched(room, room.change, seats.add_seat, name, color) == code
        assert refused_untouched(room, room.change, seats.rename_seat, sarah, name, color) == code


def test_a_table_has_room_for_as_many_as_the_game(tables: Tables, host: str) -> None:
    room = lobby(tables, host, ("A",))
    assert refused_untouched(room, room.change, seats.start) == "too-few-players"
    for name in "BCDEF":
        room.change(seats.add_seat, name, "red")
    assert refused_untouched(room, room.change, seats.add_seat, "G", "red") == "table-full"
    assert refused(lobby(tables, host, ()).change, seats.shuffle_start) == "too-few-players"


def test_the_order_of_the_seats(room: Evening) -> None:
    tim, sarah, linus = (seat.id for seat in room.read().seats)
    room.change(seats.order_seats, [linus, tim, sarah])
    assert names(room) == ["Linus", "Tim", "Sarah"]
    room.change(seats.start_with, sarah)
    assert names(room) == ["Sarah", "Linus", "Tim"]
    for ids in ([], [tim], [tim, sarah, linus, linus], [tim, sarah, 99], ["1", "2", "3"]):
        assert refused(room.change, seats.order_seats, ids) == "no-such-seat"
    assert refused(room.change, seats.start_with, 99) == "no-such-seat"


def test_the_draw_keeps_the_order(room: Evening) -> None:
    clockwise = [("Tim", "Sarah"), ("Sarah", "Linus"), ("Linus", "Tim")]
    first = set()
    for _ in range(40):
        drawn = room.change(seats.shuffle_start)
        order = names(room)
        assert room.read().seats[0].id == drawn
        assert (order[0], order[1]) in clockwise and (order[1], order[2]) in clockwise
        first.add(order[0])
    assert first == set(NAMES)  # fails once in 3.6 million runs
    assert room.read().log[-1].body["drawn"]


OF_THE_LOBBY: tuple[tuple[Any, ...], ...] = (
    (seats.start,),
    (seats.set_game, "qwinto-dice"),
    (seats.rename_seat, 1, "Tom"),
    (seats.remove_seat, 1),
    (seats.order_seats, [1, 2, 3]),
    (seats.start_with, 2),
    (seats.shuffle_start,),
)


def test_what_players_may_do_in_the_lobby(room: Evening) -> None:
    phone = room.joined()
    mine = phone.change(seats.add_seat, "Ada", "red", take=True)
    phone.change(seats.rename_seat, mine, "Ada L.")
    of_the_host = (seats.set_setting, "shared_entry", False), (view_link,), (revoke, "whatever")
    for what, *values in (*OF_THE_LOBBY, *of_the_host):
        assert refused_untouched(room, phone.change, what, *values) == "not-host"
    assert refused(room.tables.links, room.id, phone.device) == "not-host"
    phone.change(seats.remove_seat, mine)


def test_what_the_start_ends(room: Evening) -> None:
    room.change(seats.start)
    for what, *values in (*OF_THE_LOBBY, (seats.add_seat, "Ada", "red")):
        assert refused_untouched(room, room.change, what, *values) == "game-started"
    assert refused_untouched(room, room.change, seats.again) == "not-over"


def test_taking_and_freeing_seats(room: Evening) -> None:
    tim, ada = room.joined(seat="Tim"), room.joined()
    room.change(seats.start)
    seat = room.seat("Tim")
    assert refused_untouched(room, ada.change, seats.take_seat, seat) == "seat-taken"
    assert refused(ada.change, seats.release_seat, seat) == "not-host"
    tim.change(seats.release_seat, seat)
    ada.change(seats.take_seat, seat)  # also in the middle of the match
    assert ada.read().seats[0].mine and not tim.read().seats[0].mine
    room.change(seats.release_seat, seat)  # the host may free any
    assert not room.read().seats[0].held
    assert refused(ada.change, seats.take_seat, 99) == "no-such-seat"


def test_every_seated_player_may_play_again(room: Evening) -> None:
    tim, nobody = room.joined(seat="Tim"), room.joined()
    room.change(seats.start)
    room.finish()
    export = room.tables.export
    first = export(room.id, room.device)
    for phone, code in ((nobody, "not-host"), (room.watching(), "view-only")):
        assert refused_untouched(room, phone.change, seats.again, 1) == code
    version = room.read().version
    tim.change(seats.again, 1)
    room.change(seats.again, 1)  # at the same moment
    table = room.read()
    assert names(room) == ["Sarah", "Linus", "Tim"]
    assert (table.number, table.phase, table.version) == (2, "playing", version + 1)
    assert room.position.active == "Sarah"
    assert tim.read().seats[-1].mine
    assert (table.undoable, table.redoable, table.entries) == (None, None, ())
    assert export(room.id, room.device, 1) == first
    assert export(room.id, room.device, 2) == export(room.id, room.device)
    assert refused(export, room.id, room.device, 3) == "not-started"
    assert refused(tim.change, seats.again, 2) == "not-over"


def test_back_to_the_lobby(room: Evening) -> None:
    room.change(seats.start)
    room.change(seats.to_lobby)  # nothing entered yet: somebody was forgotten
    room.change(seats.add_seat, "Ada", "red")
    room.change(seats.start)
    room.do(roll("Tim", yellow=3))
    assert refused_untouched(room, room.change, seats.to_lobby) == "not-over"
    room.finish()
    game = room.tables.export(room.id, room.device)
    room.change(seats.to_lobby)
    assert (room.read().phase, room.read().number) == ("lobby", 2)
    assert room.tables.export(room.id, room.device, 2) == game


def test_the_list_of_tables(tables: Tables, host: str, room: Evening) -> None:
    other = lobby(tables, host, ("A", "B"))
    assert {line.id for line in tables.at_tables(host)} == {room.id, other.id}
    room.change(seats.start)
    phone = room.joined()
    (line,) = tables.at_tables(phone.device)
    assert (line.id, line.names, line.phase, line.role) == (room.id, NAMES, "playing", "player")
    assert line.game.name == "qwinto-dice"
    room.finish()
    assert tables.at_tables(phone.device)[0].phase == "over"
    assert tables.at_tables(device()) == ()


def test_entries_are_concealed_until_all_players_of_a_device_have_acted(room: Evening) -> None:
    """The host's phone plays for Tim, and for Linus, who has none. A watcher has nobody to act."""
    room.change(seats.start)
    room.change(seats.set_setting, "concealed", True)
    room.change(seats.take_seat, room.seat("Tim"))
    sarah, screen = room.joined(seat="Sarah"), room.watching()
    room.do(roll("Tim", yellow=3))
    sarah.do(write("Sarah", "yellow", 2))
    room.do(write("Tim", "yellow", 4))
    assert [one.read().hidden for one in (room, sarah, screen)] == [
        {"Sarah"},
        frozenset(),
        {"Tim", "Sarah"},
    ]
    assert [entry.by for entry in room.read().entries] == ["Tim", "Tim"]
    assert sarah.read().shown == sarah.read().position
    room.do(passes("Linus"))
    assert not (room.read().hidden or screen.read().hidden), "the turn is closed"


def test_settings(room: Evening) -> None:
    settings = (("turn_timer", 0, 60), ("scores", True, False), ("hints", False, True))
    for name, before, after in settings:
        assert getattr(room.read(), name) == before
        room.change(seats.set_setting, name, after)
        assert getattr(room.read(), name) == after
    for seconds in (-1, 7, 10**9):
        assert refused(room.change, seats.set_setting, "turn_timer", seconds) == "bad-tap"


# Ending a match early


def stopped(game: Evening) -> Evening:
    game.play(roll("Tim", orange=4), write("Tim", "orange", 3))
    game.change(seats.stop)
    return game


def test_a_stopped_match_is_over_and_nobody_has_won(game: Evening) -> None:
    table = stopped(game).read()
    assert (table.phase, table.stopped) == ("over", True)
    assert table.position is not None
    assert table.position.winners() == ()
    assert table.state.match is not None and table.state.match.ended_at is not None
    assert refused(game.do, passes("Sarah")) == "game-over"
    assert refused(game.change, seats.stop) == "game-over"
    assert record.replay(record.parse(game.tables.export(game.id, game.device))).refusal is None
    game.change(seats.again)
    assert game.read().phase == "playing"


def test_only_the_host_ends_a_match_that_has_begun(game: Evening) -> None:
    assert refused(game.change, seats.stop) == "not-started"
    game.do(roll("Tim", orange=4))
    for guest, code in ((game.joined(seat="Sarah"), "not-host"), (game.watching(), "view-only")):
        assert refused(guest.change, seats.stop) == code


def test_an_undo_resumes_the_match(game: Evening) -> None:
    step = stopped(game).undo()
    assert step.kind == "stopped"
    assert game.read().phase == "playing"
    assert game.tables.history.all_matches(game.device) == ()
    game.tap(redo=step.id)
    assert game.read().stopped
    game.undo()
    game.finish()
    [match] = game.tables.history.all_matches(game.device)
    assert not match.is_unfinished


def test_the_history_keeps_it_as_unfinished(game: Evening) -> None:
    history = stopped(game).tables.history
    [match] = history.all_matches(game.device)
    assert match.is_unfinished
    assert [player.won for player in match.players] == [False] * 3
    game.change(seats.again)
    game.finish()
    tim = next(one for one in people(game.tables, game.device) if one.name == "Tim")
    assert (tim.figures.games, len(tim.results)) == (2, 2)
    assert tim.figures.average == tim.figures.best


def test_a_backup_of_it_comes_back(game: Evening) -> None:
    """Earlier versions, which know no `unfinished`, find a match without a record."""
    history = stopped(game).tables.history
    raw = history.export_json(game.device)
    assert b'"record":null' in raw
    other = device()
    assert take_in(game.tables, other, raw) == 1
    [match] = history.all_matches(other)
    assert match.is_unfinished
    [before] = history.all_matches(game.device)
    assert json.loads(match.record or "") == json.loads(before.record or "")
    assert history.export_json(other) == raw
    lie = raw.replace(b'"record":null', b'"x":1').replace(b'"unfinished"', b'"record"')
    assert [reason.code for _, reason in restore(game.tables, other, lie).faults] == ["odd-game"]


# Records


OPENING = [roll("Tim", yellow=3), write("Tim", "yellow", 2), passes("Sarah")]


def test_an_illegal_action_of_a_record_is_named(tables: Tables, host: str) -> None:
    before = tables.at_tables(host)
    wrong = [*OPENING, write("Tim", "yellow", 3), {"do": "next"}]
    with pytest.raises(Refused) as caught:
        tables.import_record(host, record_of(["Tim", "Sarah"], wrong))
    assert (caught.value.code, caught.value.index) == ("wrong-moment", 3)
    assert caught.value.refusal.values["player"] == "Sarah"
    assert tables.at_tables(host) == before


def test_records_that_a_table_cannot_take(tables: Tables, host: str) -> None:
    """For files that are no records, see `games/test_record.py`."""
    assert refused(tables.import_record, host, record_of(["Tim", "x" * 25], [])) == "bad-name"
    for players, actions in (
        (["Tim"], []),
        (["Tim", "Sarah"], [{**OPENING[0], "note": "x" * 3000}]),
        (["Tim", "Sarah"], [{**OPENING[0], "note": float("inf")}]),
        (["Tim", "Sarah"], OPENING * MOST_ACTIONS),
    ):
        with pytest.raises(Unusable):
            tables.import_record(host, record_of(players, actions))


# Dice rolled by the server


def rolling(tables: Tables, host: str, game: str) -> Evening:
    players = (("Ada", "red"), ("Ben", "blue"))
    made = Evening(tables, tables.create(host, game, players=players), host)
    made.change(seats.start)
    made.change(seats.set_setting, "roller", True)
    return made


def moment(game: Evening) -> str:
    return game.read().moment


def rolled(game: Evening, *parts: str) -> dict[str, Any]:
    game.change(roll_dice, parts, moment(game))
    return dict(game.actions[-1])


def test_any_dice_of_qwinto_and_the_same_ones_again(tables: Tables, host: str) -> None:
    game = rolling(tables, host, "qwinto-dice")
    before = moment(game)
    for parts in ((), ("pink",), ("orange", "orange")):
        assert refused(game.change, roll_dice, parts, before) == "bad-tap"
    action = rolled(game, "orange", "purple")
    assert (action["do"], action["by"], action["rolled"]) == ("roll", "Ada", "app")
    assert action["dice"].keys() == rolled(game)["dice"].keys() == {"orange", "purple"}
    assert refused(rolled, game) == refused(game.change, roll_dice, (), before) == "stale"
    tables.import_record(host, tables.export(game.id, host))


def test_an_undone_roll_returns(tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = rolling(tables, host, "qwinto-dice")
    first = rolled(game, "orange", "purple")
    game.undo()
    monkeypatch.setattr(type(DRAW), "choice", lambda self, faces: faces[0])
    second = rolled(game, "orange", "yellow")["dice"]
    assert second == {"orange": first["dice"]["orange"], "yellow": 1}
    # The second roll is another moment, and is redrawn.
    assert rolled(game)["dice"] == {"orange": 1, "yellow": 1}


def test_who_may_let_the_app_roll(tables: Tables, host: str) -> None:
    game = rolling(tables, host, "encore")
    ben = game.joined(seat="Ben")
    game.change(seats.set_setting, "shared_entry", False)
    now = moment(game)
    assert refused(ben.change, roll_dice, (), now) == "not-your-seat"
    assert refused(game.watching().change, roll_dice, (), now) == "view-only"
    game.change(seats.set_setting, "roller", False)
    assert refused(game.change, roll_dice, (), now) == "no-roller"
    game.change(seats.set_setting, "roller", True)
    assert len(rolled(game)) > 3


def test_a_phone_cannot_claim_that_the_app_rolled(tables: Tables, host: str) -> None:
    game = rolling(tables, host, "qwinto-dice")
    forged = {"do": "roll", "by": "Ada", "dice": {"orange": 6}, "rolled": "app"}
    assert refused(game.do, forged) == "bad-tap"
    rolled(game, "orange")
    entry = game.read().entries[-1].id
    game.tap(replaces=entry, action=forged)
    by_hand = {key: forged[key] for key in ("do", "by", "dice")}
    assert game.actions == [by_hand]
    assert refused_untouched(game, game.tap, before=entry, action=forged) == "bad-tap"
    game.tap(before=entry, action=by_hand)
    assert game.actions == [by_hand, by_hand]
