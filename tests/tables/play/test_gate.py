"""Every refusal of the gate, one by one, and that a refused tap leaves the table as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables import Tables, Tap
from companion.tables.play.access import join_link
from companion.tables.play.gate import TapAnswer
from companion.tables.play.lobby import again, set_setting, start, take_seat
from tests.kit.games import passes, roll, write
from tests.tables.friends import (
    Evening,
    device,
    lobby,
    refused,
    refused_untouched,
    tap_id,
)


def test_an_unknown_table(tables: Tables, host: str) -> None:
    nowhere = Evening(tables, "no-such-table-anywhere", host)
    assert refused(lambda: nowhere.do(passes("Tim"))) == "no-such-table"
    assert refused(nowhere.read) == "no-such-table"
    assert refused(lambda: tables.version("nowhere", host)) == "no-such-table"


def test_a_tap_is_played_once(game: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[object] = []
    play = QwintoDice.play

    def counted(position: QwintoDice, action: Any) -> Any:
        played.append(action)
        return play(position, action)

    monkeypatch.setattr(QwintoDice, "play", counted)
    actions = [roll("Tim", yellow=3), write("Tim", "yellow", 2), passes("Sarah")]
    for action in actions:
        game.do(action)
    assert game.read().position is not None
    assert played == actions


def test_a_stranger(game: Evening) -> None:
    stranger = game.on(device())
    assert refused(lambda: stranger.do(roll("Tim", yellow=3))) == "not-a-member"
    assert refused(stranger.read) == "not-a-member"
    assert refused(lambda: game.tables.version(game.id, stranger.device)) == "not-a-member"
    assert refused(lambda: game.tables.export(game.id, stranger.device)) == "not-a-member"


def test_a_viewer(game: Evening) -> None:
    entry = game.do(roll("Tim", yellow=3))
    viewer = game.watching()
    assert viewer.read().position == game.position
    assert not any(seat.may_enter for seat in viewer.read().seats)
    tables = game.tables
    for what in (
        lambda: viewer.do(passes("Tim")),
        lambda: viewer.tap(undo=entry),
        lambda: viewer.tap(replaces=entry, action=roll("Tim", yellow=4)),
        lambda: viewer.do({"do": "next"}),
        lambda: tables.preview(game.id, viewer.device, entry, None),
        lambda: tables.change(game.id, viewer.device, take_seat, 1),
        lambda: tables.change(game.id, viewer.device, join_link),
        lambda: tables.change(game.id, viewer.device, start),
    ):
        assert refused_untouched(game, what) == "view-only"


def test_before_the_start(tables: Tables, host: str) -> None:
    waiting = lobby(tables, host)
    assert refused_untouched(waiting, lambda: waiting.do(roll("Tim", yellow=3))) == "not-started"
    assert refused(lambda: tables.export(waiting.id, host)) == "not-started"


def test_after_the_end(game: Evening) -> None:
    game.finish()
    assert game.read().phase == "over"
    code = refused_untouched(game, lambda: game.do(passes("Tim"), moment="of another time"))
    assert code == "game-over"  # and not stale: that comes later in the gate


def test_somebody_elses_seat(game: Evening) -> None:
    tim, sarah = game.joined(seat="Tim"), game.joined(seat="Sarah")
    game.change(set_setting, "shared_entry", False)
    rolled = tim.do(roll("Tim", yellow=3, purple=4))
    for what in (
        lambda: sarah.do(passes("Tim")),
        lambda: sarah.do(passes("Tim"), moment="of another time"),
        lambda: sarah.do(passes(" Tim ")),
        lambda: game.do(passes("Sarah")),  # the host, too: somebody holds this seat
        lambda: sarah.do(passes("Linus")),  # nobody holds it: only the host may
        lambda: sarah.tap(replaces=rolled, action=roll("Tim", yellow=1)),
        lambda: tim.tap(replaces=rolled, action=passes("Sarah")),
    ):
        assert refused_untouched(game, what) == "not-your-seat"
    sarah.do(passes("Sarah"))
    game.do(passes("Linus"))
    tim.do(write("Tim", "yellow", 4))
    assert game.position.turn == 2


def test_next_belongs_to_the_active_player_and_the_host(game: Evening) -> None:
    tim, linus = game.joined(seat="Tim"), game.joined(seat="Linus")
    game.joined(seat="Sarah")
    game.do(roll("Tim", yellow=3))
    assert refused_untouched(game, lambda: tim.do({"do": "next"})) == "active-must-act"
    game.do(passes("Tim"))
    assert linus.read().close is None
    assert refused_untouched(game, lambda: linus.do({"do": "next"})) == "not-yours-to-close"
    assert tim.read().close == {"do": "next", "by": "Tim"}
    tim.do({"do": "next", "by": "Tim"})
    game.do(roll("Sarah", yellow=3))
    game.do(passes("Sarah"))
    assert game.read().close == {"do": "next"}, "the host holds no seat"
    game.do({"do": "next"})
    assert game.position.turn == 3


def test_who_was_skipped_is_known_until_the_next_step_is_over(game: Evening) -> None:
    for action in (roll("Tim", yellow=3), passes("Tim"), passes("Linus")):
        game.do(action)
    assert game.read().skip is None
    game.do({"do": "next", "by": "Tim"})
    skip = game.read().skip
    assert skip is not None
    assert (skip.entry.by, skip.players) == ("Tim", ("Sarah",))
    game.do(roll("Sarah", yellow=4))
    assert game.read().skip == skip
    for name in ("Sarah", "Linus", "Tim"):
        game.do(passes(name))
    assert game.read().skip is None


def test_a_seat_without_a_phone_is_closed_for_on_any_phone(game: Evening) -> None:
    """With shared entry, as any phone writes for it; a host without a seat does it as Tim."""
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", yellow=3))
    game.do(passes("Tim"))
    assert sarah.read().close == {"do": "next", "by": "Sarah"}
    assert game.read().close == {"do": "next", "by": "Tim"}
    assert game.watching().read().close is None
    game.change(set_setting, "shared_entry", False)
    assert sarah.read().close is None
    game.do({"do": "next", "by": "Tim"})
    taken_back = game.read().undoable
    assert taken_back is not None
    game.tap(undo=taken_back.id)
    assert game.position.waiting == ("Sarah", "Linus")


def test_a_skip_that_no_longer_fits_writes_for_nobody(game: Evening) -> None:
    """Sarah's host phone ended Tim's turn; that is no entry of hers that could become a pass."""
    game.change(take_seat, game.seat("Sarah"))
    game.do(roll("Tim", yellow=3))
    entry = game.do(passes("Tim"))
    assert game.read().close == {"do": "next", "by": "Sarah"}
    closed = game.do({"do": "next", "by": "Sarah"})
    seen = game.tables.preview(game.id, game.device, entry, None)
    assert [(unfit.entry, unfit.becomes) for unfit in seen.unfit] == [(closed, None)]


def test_correcting_oneself_does_not_change_others(game: Evening) -> None:
    """Without shared entry, Tim's new dice must not throw out what Sarah wrote."""
    tim, sarah = game.joined(seat="Tim"), game.joined(seat="Sarah")
    game.change(set_setting, "shared_entry", False)
    rolled = tim.do(roll("Tim", yellow=3))
    sarah.do(write("Sarah", "yellow", 2))
    orange = roll("Tim", orange=3)
    code = refused_untouched(game, lambda: tim.tap(replaces=rolled, action=orange, fixes={}))
    assert code == "not-your-seat"
    assert refused(lambda: game.tables.preview(game.id, tim.device, rolled, orange)) == code
    game.change(set_setting, "shared_entry", True)
    tim.tap(replaces=rolled, action=orange, fixes={})
    assert game.actions == [orange, passes("Sarah")]


def test_another_moment(game: Evening) -> None:
    before = game.position.fingerprint
    rolled = game.do(roll("Tim", yellow=3), moment=before)
    now = game.position.fingerprint
    assert now != before
    for fields in (
        {"action": passes("Tim"), "moment": before},
        {"undo": rolled, "moment": before},
        {"replaces": rolled, "action": roll("Tim", yellow=4), "moment": before},
        {"action": passes("Tim"), "version": game.read().version - 1},
        {"action": passes("Tim"), "version": game.read().version + 1},
    ):
        assert refused_untouched(game, lambda fields=fields: game.tap(**fields)) == "stale"
    game.do(passes("Sarah"), moment=now)
    game.do(passes("Tim"), moment=now)  # Sarah's entry changed nothing that all share
    game.do(passes("Linus"), version=game.read().version)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (passes("Tim"), "wrong-moment"),
        (roll("Sarah", yellow=3), "not-your-turn"),
        ({"by": "Tim"}, "bad-action"),
        ({"do": 3}, "bad-action"),
        ({"do": "next"}, "active-must-act"),
    ],
)
def test_the_rules_codes_come_through(game: Evening, action: dict[str, Any], code: str) -> None:
    assert refused_untouched(game, lambda: game.do(action)) == code


def test_an_undo_needs_something_to_undo(game: Evening) -> None:
    assert refused_untouched(game, lambda: game.tap(undo="tap-unknown")) == "nothing-to-undo"
    assert refused_untouched(game, lambda: game.tap(redo="tap-unknown")) == "nothing-to-redo"
    rolled = game.do(roll("Tim", yellow=3))
    written = game.do(write("Tim", "yellow", 2))
    assert refused_untouched(game, lambda: game.tap(undo=rolled)) == "stale"  # not the last one
    assert refused_untouched(game, lambda: game.tap(redo=written)) == "nothing-to-redo"
    phone = game.joined()
    assert refused_untouched(game, lambda: phone.tap(undo=written)) == "nothing-to-undo"
    game.tap(undo=written)
    assert refused_untouched(game, lambda: game.tap(undo=written)) == "nothing-to-undo"
    game.tap(undo=rolled)
    assert refused_untouched(game, lambda: game.tap(redo=written)) == "stale"


def test_an_undo_under_what_others_built_on(game: Evening) -> None:
    phone = game.joined()
    rolled = game.do(roll("Tim", yellow=3))
    phone.do(write("Sarah", "yellow", 2))
    step = game.read().undoable
    assert step is not None and step.id == rolled
    assert refused_untouched(game, lambda: game.tap(undo=rolled)) == "does-not-fit"


def test_an_entry_that_is_not_there(game: Evening) -> None:
    rolled = game.do(roll("Tim", yellow=3))
    game.tap(undo=rolled)
    for what in (
        lambda: game.tap(replaces=rolled, action=roll("Tim", yellow=4)),
        lambda: game.tap(replaces="tap-unknown", action=None),
        lambda: game.tables.preview(game.id, game.device, rolled, None),
    ):
        assert refused_untouched(game, what) == "no-such-entry"


def test_a_correction_that_the_rules_forbid(game: Evening) -> None:
    rolled = game.do(roll("Tim", yellow=3))
    game.do(write("Tim", "yellow", 2))
    wrong = roll("Sarah", yellow=3)
    assert refused_untouched(game, lambda: game.tap(replaces=rolled, action=wrong)) == (
        "not-your-turn"
    )
    orange = roll("Tim", orange=3)
    assert refused_untouched(game, lambda: game.tap(replaces=rolled, action=orange)) == (
        "does-not-fit"
    )
    assert refused_untouched(game, lambda: game.tap(replaces=rolled, action=None)) == (
        "does-not-fit"
    )


def test_the_same_tap_twice_is_one_entry(game: Evening) -> None:
    fields: dict[str, Any] = {"id": tap_id(), "action": roll("Tim", yellow=3)}
    fields["moment"] = game.position.fingerprint
    first = game.tap(**fields)
    after = game.read()
    again = game.tap(**fields)
    assert not first.repeated and again.repeated
    assert (again.version, again.fingerprint) == (first.version, first.fingerprint)
    assert game.read() == after
    # Another action under the same id is neither saved nor called saved.
    fields["action"] = roll("Tim", yellow=4)
    assert refused_untouched(game, lambda: game.tap(**fields)) == "bad-tap"


def test_the_same_tap_again_in_the_next_game(game: Evening) -> None:
    """The answer was lost on the way, and meanwhile somebody pressed "play again"."""
    last = {"id": tap_id(), "action": roll("Tim", yellow=3), "moment": game.position.fingerprint}
    first = game.tap(**last)
    undone = {"id": tap_id(), "undo": last["id"]}
    game.tap(**undone)
    game.finish()
    game.change(again)
    after = game.read()
    assert game.tap(**last) == replace(first, repeated=True)
    assert game.tap(**undone).repeated
    assert game.read() == after


def test_a_tap_again_whose_event_has_no_fingerprint(game: Evening) -> None:
    """As in logs of versions before 2.0: its phone has seen what it saw when it tapped."""
    rolled = roll("Tim", yellow=3)
    game.do(rolled)
    table_id = game.tables.import_record(game.device, game.tables.export(game.id, game.device))
    copy = Evening(game.tables, table_id, game.device)
    answer = copy.tap(id=copy.read().entries[0].id, action=rolled, moment="seen")
    assert answer == TapAnswer(copy.read().version, "seen", True)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        "tap",
        {},
        {"id": "short", "action": {"do": "next"}},
        {"id": "x" * 65, "action": {"do": "next"}},
        {"id": "with blank", "action": {"do": "next"}},
        {"id": 12345678, "action": {"do": "next"}},
        {"id": "12345678\n", "action": {"do": "next"}},
        {"id": "12345678"},
        {"id": "12345678", "action": None},
        {"id": "12345678", "action": []},
        {"id": "12345678", "action": {"do": "next"}, "extra": 1},
        {"id": "12345678", "action": {"do": "next"}, "undo": "87654321"},
        {"id": "12345678", "undo": "87654321", "redo": "87654321"},
        {"id": "12345678", "undo": "87654321", "fixes": {}},
        {"id": "12345678", "replaces": "87654321"},
        {"id": "12345678", "replaces": "87654321", "action": None, "fixes": []},
        {"id": "12345678", "replaces": "87654321", "action": None, "fixes": {"87654322": 3}},
        {"id": "12345678", "action": {"do": "next"}, "moment": 3},
        {"id": "12345678", "action": {"do": "next"}, "moment": "x" * 1_001},
        {"id": "12345678", "action": {"do": "next"}, "version": "3"},
        {"id": "12345678", "action": {"do": "next"}, "version": True},
        {"id": "12345678", "action": {"do": "x" * 3000}},
        {"id": "12345678", "action": {"do": "next", "at": float("nan")}},
        {"id": "12345678", "action": {"do": "next", "at": {1, 2}}},
        {"id": "12345678", "action": {"do": "next", "at": 10**5000}},
    ],
)
def test_a_tap_of_another_shape(document: object) -> None:
    assert refused(lambda: Tap.parse(document)) == "bad-tap"


def test_a_tap_that_is_nested_too_deeply() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    assert refused(lambda: Tap.parse({"id": "12345678", "action": {"do": deep}})) == "bad-tap"
    while isinstance(deep, list):  # taken apart by hand: Python would recurse
        deep = deep.pop()


def test_any_text_survives_in_an_action(game: Evening) -> None:
    """NUL and halves of characters are JSON, and PostgreSQL has no text for them."""
    action = {**roll("Tim", yellow=3), "note": json.loads('"\\u0000 \\ud800 ü"')}
    game.do(action)
    assert game.actions == [action]
