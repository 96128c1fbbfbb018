"""The fold: undo, redo, corrections and their fixes, and what everybody sees of it."""

from __future__ import annotations

from functools import partial

import pytest

from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables import Tables
from companion.tables.ledger.change import events_between
from companion.tables.ledger.events import Event
from companion.tables.ledger.state import State
from companion.tables.play.lobby import again, set_setting, stop
from tests.kit.games import passes, roll, write
from tests.tables.friends import Evening, evening, refused_untouched


def test_undo_and_redo(game: Evening) -> None:
    rolled = game.do(roll("Tim", yellow=3))
    written = game.do(write("Tim", "yellow", 2))
    whole = game.position
    game.tap(undo=written)
    assert game.actions == [roll("Tim", yellow=3)]
    redoable = game.read().redoable
    assert redoable is not None and redoable.id == written
    game.tap(undo=rolled)
    assert game.actions == []
    assert game.read().undoable is None
    game.tap(redo=rolled)
    game.tap(redo=written)
    assert game.position == whole
    assert game.read().redoable is None


def test_a_log_of_an_earlier_version_in_which_a_seat_was_lent(game: Evening) -> None:
    sarah = game.joined(seat="Sarah")
    state, me = sarah.read().state, sarah.read().me.id
    (seat,) = state.held_by(me)

    def after(state: State, kind: str, **body: str) -> State:
        at = game.read().log[-1].at
        event = Event(state.version + 1, "", "", "", kind, {"seat": seat.id, **body}, at)
        return state.after([event])

    lent = after(state, "seat-lent", name="Sarah", to="another")
    back = after(lent, "seat-back", name="Sarah")
    assert lent.seats == back.seats == state.seats
    assert after(lent, "seat-back", name="Sarah", holder="third").held_by("third")


def test_a_new_step_ends_the_redoing(game: Evening) -> None:
    game.do(roll("Tim", yellow=3))
    written = game.do(write("Tim", "yellow", 2))
    game.tap(undo=written)
    game.do(write("Tim", "yellow", 3))
    assert game.read().redoable is None


def test_a_device_undoes_its_own_last_step(game: Evening) -> None:
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", yellow=3))
    tims = game.do(write("Tim", "yellow", 2))
    sarahs = sarah.do(write("Sarah", "yellow", 2))
    for device, entry in ((game, tims), (sarah, sarahs)):
        undoable = device.read().undoable
        assert undoable is not None and undoable.id == entry
    game.tap(undo=tims)
    assert game.actions == [roll("Tim", yellow=3), write("Sarah", "yellow", 2)]


def test_a_device_undoes_for_the_seat_it_holds(game: Evening) -> None:
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", yellow=3))
    entry = game.do(write("Sarah", "yellow", 2))  # the host's tablet wrote for her
    undoable = sarah.read().undoable
    assert undoable is not None and undoable.id == entry
    sarah.tap(undo=entry)
    assert game.actions == [roll("Tim", yellow=3)]


def test_what_another_took_back_is_not_offered(game: Evening) -> None:
    """To undo it would change nothing, and keep the taking-back from being undone."""
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", yellow=3))
    entry = sarah.do(write("Sarah", "yellow", 2))
    game.tap(replaces=entry, action=None)
    mine = sarah.read().undoable
    assert mine is None or mine.id != entry
    taken_back = game.read().undoable
    assert taken_back is not None
    game.tap(undo=taken_back.id)
    assert game.actions == [roll("Tim", yellow=3), write("Sarah", "yellow", 2)]


def test_undo_after_the_end_reopens_the_game(game: Evening) -> None:
    game.finish()
    over = game.read()
    assert over.state.match is not None and over.undoable is not None
    game.tap(undo=over.undoable.id)
    assert game.read().phase == "playing"
    game.tap(redo=over.undoable.id)
    assert game.read().position == over.position
    match = game.read().state.match
    assert match is not None and match.ended_at == over.state.match.ended_at


def test_the_second_die_replaces_the_first_tap(game: Evening) -> None:
    rolled = game.do(roll("Tim", yellow=3))
    both = roll("Tim", yellow=3, purple=4)
    replaced = tap = "tap-of-second-die"
    game.tap(id=tap, replaces=rolled, action=both, moment=game.position.fingerprint)
    assert game.actions == [both]
    assert game.read().entries[0].replaced
    game.tap(undo=replaced)
    assert game.actions == [roll("Tim", yellow=3)]
    game.tap(redo=replaced)
    assert game.actions == [both]


def three_turns(game: Evening) -> list[str]:
    """Sarah's yellow 3 stands on Tim's roll; in turn 2 Tim writes to the right of his own 3."""
    return [
        game.do(roll("Tim", yellow=3)),
        game.do(write("Tim", "yellow", 2)),
        game.do(write("Sarah", "yellow", 2)),
        game.do(passes("Linus")),
        game.do(roll("Sarah", yellow=4)),
        game.do(write("Tim", "yellow", 3)),
        game.do(passes("Sarah")),
        game.do(passes("Linus")),
        game.do(roll("Linus", purple=6)),
    ]


def test_a_wrong_die_three_turns_ago(game: Evening) -> None:
    entries = three_turns(game)
    five = roll("Tim", yellow=5)
    before = game.read()
    seen = game.tables.preview(game.id, game.device, entries[0], five)
    assert game.read() == before
    assert [(unfit.entry, unfit.turn, unfit.refusal.code) for unfit in seen.unfit] == [
        (entries[5], 2, "not-ascending")  # Tim's 4 to the right of what is a 5 now
    ]
    assert seen.unfit[0].becomes == passes("Tim")
    game.tap(replaces=entries[0], action=five, fixes=seen.fixes, version=before.version)
    assert [entry.id for entry in game.read().entries] == entries
    assert game.actions[0] == five
    assert game.actions[5] == passes("Tim")
    line = game.read().log[-1]
    assert line.body["old"] == roll("Tim", yellow=3)
    assert set(line.body) == {"entry", "old", "action", "fixes", "changed", "moment"}

    step = game.read().undoable
    assert step is not None and step.kind == "replace"
    game.tap(undo=step.id)
    assert game.position == before.position
    assert game.read().log[-1].body["old"] == five
    assert game.read().log[-1].body["action"] == roll("Tim", yellow=3)


def test_what_no_longer_fits_is_skipped_and_nothing_else(game: Evening) -> None:
    entries = three_turns(game)
    five = roll("Tim", yellow=5)
    for fixes in (
        {entries[5]: write("Tim", "yellow", 1)},
        {entries[5]: None},
        {entries[6]: None},
        {"no-such-entry": None},
    ):
        again = partial(game.tap, replaces=entries[0], action=five, fixes=fixes)
        assert refused_untouched(game, again) == "bad-tap"
    game.tap(replaces=entries[0], action=five, fixes={})
    assert game.actions[5] == passes("Tim")


def test_a_log_of_an_earlier_version_with_chosen_fixes(game: Evening) -> None:
    """They put other actions in place of what no longer fitted, or dropped it."""
    entries = three_turns(game)
    five, other = roll("Tim", yellow=5), write("Tim", "yellow", 1)
    fixes = {entries[5]: other, entries[8]: None}
    body = {"entry": entries[0], "old": {}, "action": five, "fixes": fixes}
    state = game.read().state
    event = Event(state.version + 1, "tap-of-old", "", "", "replace", body, state.log[-1].at)
    match = state.after([event]).match
    assert match is not None
    assert [entry.id for entry in match.entries] == entries[:8]
    assert [match.entries[at].action for at in (0, 5)] == [five, other]


def test_a_reroll_that_no_longer_fits_is_dropped_not_failed(game: Evening) -> None:
    """A roll is no act: were it to become a pass, the active player would have failed."""
    first = game.do(roll("Tim", yellow=3))
    game.do(roll("Tim", yellow=5))
    game.do(passes("Sarah"))
    game.tap(replaces=first, action=roll("Tim", orange=3), fixes={})
    assert game.actions == [roll("Tim", orange=3), passes("Sarah")]


def test_removing_an_entry(game: Evening) -> None:
    game.do(roll("Tim", yellow=3))
    sarahs = game.do(write("Sarah", "yellow", 2))
    game.do(write("Tim", "yellow", 2))
    game.tap(replaces=sarahs, action=None)
    assert game.actions == [roll("Tim", yellow=3), write("Tim", "yellow", 2)]
    assert game.read().log[-1].body["action"] is None


def test_corrections_lie_on_one_another(game: Evening) -> None:
    rolled = game.do(roll("Tim", yellow=3))
    first, second = "tap-first-correction", "tap-second-correction"
    game.tap(id=first, replaces=rolled, action=roll("Tim", yellow=4))
    phone = game.joined()
    phone.tap(id=second, replaces=rolled, action=roll("Tim", yellow=5))
    game.tap(undo=first)  # the later one stays on top
    assert game.actions == [roll("Tim", yellow=5)]
    body = game.read().log[-1].body
    assert body["old"] == body["action"] == roll("Tim", yellow=5)
    phone.tap(undo=second)
    assert game.actions == [roll("Tim", yellow=3)]


def test_everyone_sees_who_changed_what(game: Evening) -> None:
    ada = game.joined(label="Ada's phone")
    rolled = ada.do(roll("Tim", yellow=3))
    ada.tap(replaces=rolled, action=roll("Tim", yellow=4))
    sarah = game.joined(seat="Sarah")
    entry = sarah.do(write("Sarah", "yellow", 2))
    sarah.tap(undo=entry)
    lines = [(line.actor, line.kind) for line in game.read().log]
    assert lines[-5:] == [
        ("Ada's phone", "replace"),
        ("", "joined"),
        ("", "seat-taken"),
        ("Sarah", "action"),
        ("Sarah", "undo"),
    ]
    assert [line.seq for line in game.read().log] == list(range(1, game.read().version + 1))
    assert [entry.actor for entry in game.read().entries] == ["Ada's phone"]


def test_a_cold_process_folds_the_same(tables: Tables, shared_url: str, host: str) -> None:
    game = evening(tables, host)
    entries = three_turns(game)
    game.tap(replaces=entries[0], action=roll("Tim", yellow=5), fixes={})
    game.tap(undo=game.read().undoable.id)  # type: ignore[union-attr]
    other = Tables(shared_url)
    try:
        assert other.read(game.id, host) == game.read()
        Evening(other, game.id, host).do(passes("Linus"))  # and the first one notices
        assert game.actions[-1] == passes("Linus")
        assert other.read(game.id, host) == game.read()
    finally:
        other.close()


def test_a_fold_plays_each_entry_of_the_last_match_once(
    game: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it was corrected, and whatever else happened in between."""
    three_turns(game)
    game.change(stop)
    game.change(again)
    rolled = game.do(roll("Sarah", yellow=3))
    for name in ("Tim", "Sarah", "Linus"):
        game.do(write(name, "yellow", 2))
    for number in range(6):
        action = roll("Sarah", yellow=number % 2 + 4)
        game.tap(replaces=rolled, action=action, fixes={})
        game.change(set_setting, "shared_entry", number % 2 == 1)
    warm = game.read().state
    played: list[object] = []
    play = QwintoDice.play
    monkeypatch.setattr(
        QwintoDice, "play", lambda position, action: played.append(action) or play(position, action)
    )
    with game.tables.database.read() as connection:
        folded = State().after(events_between(connection, game.id, 0, warm.version))
    assert folded == warm
    assert folded.match is not None
    assert played == [entry.action for entry in folded.match.entries]
