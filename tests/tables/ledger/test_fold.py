"""The fold: undo, redo, corrections and their fixes, and what everybody sees of it."""

from __future__ import annotations

import random
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games import record
from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables import Refused, Table, Tables
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Misfit
from companion.tables.ledger.state import State
from companion.tables.play.gate import TapAnswer
from companion.tables.play.lobby import again, set_setting, stop
from lab.games import NEXT, passes, roll, write
from lab.moves import qwinto_dice as moves
from lab.play import some_action
from lab.tables import (
    Evening,
    device,
    evening,
    refused,
    refused_untouched,
    tap_id,
    three_turns,
)
from lab.wide import steady


def test_undo_and_redo(game: Evening) -> None:
    rolled, written = game.play(roll("Tim", yellow=3), write("Tim", "yellow", 2))
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


def test_a_new_step_leaves_nothing_to_redo(game: Evening) -> None:
    _, written = game.play(roll("Tim", yellow=3), write("Tim", "yellow", 2))
    game.tap(undo=written)
    game.do(write("Tim", "yellow", 3))
    assert game.read().redoable is None


def test_an_undone_entry_is_neither_undone_again_nor_corrected(game: Evening) -> None:
    rolled, written = game.play(roll("Tim", yellow=3), write("Tim", "yellow", 2))
    game.tap(undo=written)
    assert refused_untouched(game, game.tap, undo=written) == "nothing-to-undo"
    assert refused_untouched(game, game.tap, redo=rolled) == "nothing-to-redo"
    game.tap(undo=rolled)
    assert refused_untouched(game, game.tap, redo=written) == "stale"
    assert refused_untouched(game, game.tap, replaces=rolled, action=None) == "no-such-entry"
    assert refused(game.tables.preview, game.id, game.device, rolled, None) == "no-such-entry"


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


def test_a_device_undoes_its_own_last_step_or_that_of_the_seat_it_holds(game: Evening) -> None:
    sarah = game.joined(seat="Sarah")
    _, tims, for_her = game.play(
        roll("Tim", yellow=3), write("Tim", "yellow", 2), write("Sarah", "yellow", 2)
    )
    assert sarah.undo().id == for_her, "the host's tablet wrote for her"
    sarahs = sarah.do(write("Sarah", "yellow", 2))
    assert (game.step.id, sarah.step.id) == (tims, sarahs)
    game.undo()
    assert game.actions == [roll("Tim", yellow=3), write("Sarah", "yellow", 2)]


def test_only_the_skipped_player_and_the_one_who_skipped_may_undo_it(game: Evening) -> None:
    sarah, linus = game.joined(seat="Sarah"), game.joined(seat="Linus")
    game.do(roll("Tim", yellow=3))
    game.do(write("Tim", "yellow", 2))
    wrote = linus.do(write("Linus", "yellow", 2))
    skipped = game.do({**NEXT, "by": "Tim"})
    assert [phone.step.id for phone in (game, sarah, linus)] == [skipped, skipped, wrote]
    sarah.undo()
    assert game.read().position.awaited == ("Sarah",)


def test_an_entry_that_somebody_else_removed_is_not_offered(game: Evening) -> None:
    """Undoing it would change nothing, and would keep the removal from being undone."""
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", yellow=3))
    entry = sarah.do(write("Sarah", "yellow", 2))
    game.tap(replaces=entry, action=None)
    assert game.actions == [roll("Tim", yellow=3)]
    assert game.read().log[-1].body["action"] is None
    mine = sarah.read().undoable
    assert mine is None or mine.id != entry
    game.undo()
    assert game.actions == [roll("Tim", yellow=3), write("Sarah", "yellow", 2)]


FIVE = roll("Tim", yellow=5)


def test_a_preview_names_what_no_longer_fits_and_changes_nothing(game: Evening) -> None:
    entries = three_turns(game)
    before = game.read()
    seen = game.tables.preview(game.id, game.device, entries[0], FIVE)
    assert game.read() == before
    assert [(unfit.entry, unfit.turn, unfit.refusal.code) for unfit in seen.unfit] == [
        (entries[5], 2, "not-ascending")  # Tim's 4 to the right of what is a 5 now
    ]
    assert seen.unfit[0].becomes == passes("Tim")


def test_a_wrong_die_three_turns_ago(game: Evening) -> None:
    entries = three_turns(game)
    before = game.read()
    seen = game.tables.preview(game.id, game.device, entries[0], FIVE)
    game.tap(replaces=entries[0], action=FIVE, fixes=seen.fixes, version=before.version)
    assert [entry.id for entry in game.read().entries] == entries
    assert game.actions[0] == FIVE
    assert game.actions[5] == passes("Tim")
    line = game.read().log[-1]
    assert line.body["old"] == roll("Tim", yellow=3)
    assert set(line.body) == {"entry", "old", "action", "fixes", "changed", "moment"}


def test_a_correction_is_undone_with_its_fixes(game: Evening) -> None:
    entries = three_turns(game)
    before = game.position
    game.tap(replaces=entries[0], action=FIVE, fixes={})
    assert game.undo().kind == "replace"
    assert game.position == before
    assert game.read().log[-1].body["old"] == FIVE
    assert game.read().log[-1].body["action"] == roll("Tim", yellow=3)


def test_a_log_of_an_earlier_version_with_chosen_fixes(game: Evening) -> None:
    """They put other actions in place of what no longer fitted, or dropped it."""
    entries = three_turns(game)
    other = write("Tim", "yellow", 1)
    fixes = {entries[5]: other, entries[8]: None}
    body = {"entry": entries[0], "old": {}, "action": FIVE, "fixes": fixes}
    state = game.read().state
    event = Event(state.version + 1, "tap-of-old", "", "", "replace", body, state.log[-1].at)
    match = state.after([event]).match
    assert match is not None
    assert [entry.id for entry in match.entries] == entries[:8]
    assert [match.entries[at].action for at in (0, 5)] == [FIVE, other]


def test_a_reroll_that_no_longer_fits_is_dropped_not_failed(game: Evening) -> None:
    """A roll is not an act: if it became a pass, the active player would have failed."""
    first, *_ = game.play(roll("Tim", yellow=3), roll("Tim", yellow=5), passes("Sarah"))
    game.tap(replaces=first, action=roll("Tim", orange=3), fixes={})
    assert game.actions == [roll("Tim", orange=3), passes("Sarah")]


def test_corrections_are_stacked(game: Evening) -> None:
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
    phone.tap(redo=second)
    assert game.actions == [roll("Tim", yellow=5)]


def test_everyone_sees_who_changed_what(game: Evening) -> None:
    ada = game.joined(label="Ada's phone")
    rolled = ada.do(roll("Tim", yellow=3))
    ada.tap(replaces=rolled, action=roll("Tim", yellow=4))
    sarah = game.joined(seat="Sarah")
    sarah.do(write("Sarah", "yellow", 2))
    sarah.undo()
    lines = [(line.actor, line.kind) for line in game.read().log if line.actor]
    assert lines[-3:] == [("Ada's phone", "replace"), ("Sarah", "action"), ("Sarah", "undo")]
    assert [entry.actor for entry in game.read().entries] == ["Ada's phone"]


def test_a_fold_plays_the_last_match_once(game: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """After any number of corrections, and with other events in between."""
    three_turns(game)
    game.change(stop)
    game.change(again)
    rolled = game.do(roll("Sarah", yellow=3))
    game.play(*(write(name, "yellow", 2) for name in ("Tim", "Sarah", "Linus")))
    for number in range(6):
        game.tap(replaces=rolled, action=roll("Sarah", yellow=number % 2 + 4), fixes={})
        game.change(set_setting, "shared_entry", number % 2 == 1)
    played: list[object] = []
    warm, play = game.read(), QwintoDice.play
    monkeypatch.setattr(
        QwintoDice, "play", lambda position, action: played.append(action) or play(position, action)
    )
    game.tables.cache.drop(game.id)
    assert game.read() == warm
    assert played == [entry.action for entry in warm.entries]


# Random evenings: everything follows from the log, after any taps, undos and corrections

STEPS = 40


def some_tap(table: Table, chance: random.Random, position: Any) -> dict[str, Any]:
    """A tap that is sometimes refused."""
    what = chance.random()
    if what < 0.15 and table.undoable:
        return {"undo": table.undoable.id}
    if what < 0.25 and table.redoable:
        return {"redo": table.redoable.id}
    if what < 0.4 and table.entries:
        entry = chance.choice(table.entries)
        action = dict(entry.action)
        colors = chance.sample(["orange", "yellow", "purple"], chance.randint(1, 3))
        if action["do"] == "roll":
            rolled = chance.choice([list(action["dice"]), colors])
            action["dice"] = {color: chance.randint(1, 6) for color in rolled}
        elif "by" in action:
            action |= {"do": "write", "row": colors[0], "field": chance.randint(1, 9)}
        action_or_none = chance.choice([action, action, None])
        return {"replaces": entry.id, "action": action_or_none, "fixes": chance.choice([None, {}])}
    if position.over:
        return {"action": {"do": "next"}}
    return {"action": some_action(position, moves, chance)}


def check(game: Evening) -> None:
    """A page shows a fresh replay of the exported record."""
    table = game.read()
    exported = game.tables.export(game.id, game.device)
    assert exported["actions"] == [entry.action for entry in table.entries]
    replayed = record.replay(record.parse(exported))
    assert replayed.refusal is None
    assert replayed.position == table.position
    assert table.phase == ("over" if replayed.position.over else "playing")
    assert len({entry.id for entry in table.entries}) == len(table.entries)


def timeless(table: Table) -> Table:
    """A device's view, without the seconds that go by between two looks."""
    return replace(table, call=table.call and replace(table.call, wait=0))


@given(seed=st.integers(0, 2**32))
@steady(12)
def test_everything_follows_from_the_log(tables: Tables, shared_url: str, seed: int) -> None:
    chance = random.Random(seed)
    host = evening(tables, device())
    seats = [host, host.joined(seat="Tim"), host.joined(seat="Sarah"), host.joined()]
    answered: list[tuple[Evening, dict[str, Any], TapAnswer]] = []
    for _ in range(STEPS):
        game = chance.choice(seats)
        table = game.read()
        fields = {"id": tap_id(), **some_tap(table, chance, host.position)}
        fields["moment"] = chance.choice([None, table.moment])
        match, undone = table.state.match, fields.get("undo")
        promised = match and undone and not isinstance(match.toggled(undone), Misfit)
        seen = None
        if fields.get("fixes") is not None:
            with suppress(Refused):  # the correction is not possible
                seen = tables.preview(game.id, game.device, fields["replaces"], fields["action"])
        assert timeless(game.read()) == timeless(table)
        try:
            saved = game.tap(**fields)
        except Refused:
            assert not promised  # an undo that is offered is possible
            assert timeless(game.read()) == timeless(table)
            continue
        if timeless(game.read()) == timeless(table):  # a correction to what stood there
            assert saved.version == table.version
            continue
        answered.append((game, fields, saved))
        assert saved.version == table.version + 1
        assert saved.moment == host.read().moment
        if seen is not None:
            assert host.position == seen.after
            entries = {entry.id: entry.action for entry in game.read().entries}
            assert all(entries.get(unfit.entry) == unfit.becomes for unfit in seen.unfit)
        if chance.random() < 0.5:
            check(game)
        if chance.random() < 0.05 and host.read().phase == "over":
            tables.change(host.id, host.device, again)
    check(host)
    assert [game.tap(**fields) for game, fields, _ in answered] == [last for *_, last in answered]
    warm = [timeless(game.read()) for game in seats]
    # Another process has nothing in its memory.
    with closing(Tables(shared_url)) as other:
        others = [Evening(other, game.id, game.device) for game in seats]
        assert [timeless(game.read()) for game in others] == warm
    exported = tables.export(host.id, host.device)
    copy = tables.import_record(host.device, exported)
    assert tables.export(copy, host.device) == exported
