"""An entry that was forgotten is put before another one, with what no longer fits after it."""

from __future__ import annotations

from functools import partial
from json import dumps
from typing import Any

import pytest

from companion.games import record
from companion.tables import Refused, Seat, Tables
from companion.tables.play.lobby import set_setting, start
from companion.web import create_app
from companion.web.table import story
from tests.kit.games import NEXT, roll, write
from tests.kit.pages import Page
from tests.kit.phones import Phone
from tests.tables.friends import Evening, refused, tap_id

CARDS = ("red/red/1", "red/blue/2", "red/green/3")


def freaky(tables: Tables, host: str) -> Evening:
    """Ada makes row 1 complete and forgets to take it; it is Ben's turn now."""
    table = tables.create(host, "freaky", players=[("Ada", "red"), ("Ben", "blue")])
    tables.change(table, host, start)
    game = Evening(tables, table, host)
    game.do({"do": "start", "cards": ["red/yellow/4", "blue/purple/5", "green/orange/6"]})
    for card in CARDS:
        game.do({"do": "play", "by": "Ada", "card": card, "row": 1})
    game.do({"do": "draw", "by": "Ada"})
    return game


TAKE = {"do": "take", "by": "Ada", "rows": [1]}


def names(game: Evening) -> list[str]:
    return [action["do"] for action in game.actions]


def test_a_forgotten_take_is_added(tables: Tables, host: str, shared_url: str) -> None:
    game = freaky(tables, host)
    draw = game.read().entries[-1].id
    entry = tap_id()
    first = game.tap(id=entry, before=draw, action=TAKE)
    assert names(game)[-2:] == ["take", "draw"]
    position = game.read().position
    assert position is not None
    assert [position.score(name)["total"] for name in ("Ada", "Ben")] == [4, 0]
    again = game.tap(id=entry, before=draw, action=TAKE)
    assert (again.version, again.repeated) == (first.version, True)
    assert record.replay(record.parse(tables.export(game.id, host))).refusal is None
    other = Tables(shared_url)
    assert Evening(other, game.id, host).read() == game.read()
    other.close()
    step = game.read().undoable
    assert step is not None
    assert (step.kind, step.body["action"]) == ("insert", TAKE)
    game.tap(undo=step.id)
    assert names(game)[-2:] == ["play", "draw"]
    game.tap(redo=step.id)
    changed = [line.description.translated(str, "") for line in story.changes(game.read())]
    assert changed[:3] == ["brought back: Ada took row 1", "undid: Ada took row 1",
                           "added: Ada took row 1"]  # fmt: skip
    # An inserted entry is one like any other.
    game.tap(replaces=entry, action=None)
    assert names(game)[-2:] == ["play", "draw"]


def test_what_no_longer_fits_after_it_is_told(tables: Tables, host: str) -> None:
    game = freaky(tables, host)
    draw = game.read().entries[-1].id
    late = game.do({"do": "play", "by": "Ben", "card": "red/red/1", "row": 1})
    assert refused(partial(game.tap, before=draw, action=TAKE)) == "does-not-fit"
    seen = tables.preview(game.id, host, draw, TAKE, True)
    assert [(unfit.entry, unfit.becomes) for unfit in seen.unfit] == [(late, None)]
    before = game.actions
    game.tap(before=draw, action=TAKE, fixes=seen.fixes)
    assert game.actions == [*before[:-2], TAKE, before[-2]]
    step = game.read().undoable
    assert step is not None
    game.tap(undo=step.id)
    assert game.actions == before


def test_what_is_not_inserted(tables: Tables, host: str) -> None:
    game = freaky(tables, host)
    draw = game.read().entries[-1].id
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"before": "no-such-entry", "action": TAKE}, "no-such-entry"),
        ({"before": draw, "action": {**TAKE, "rows": [2]}}, "row-not-complete"),
        ({"before": draw, "action": {**TAKE, "by": "Ben"}}, "not-your-turn"),
        ({"before": draw}, "bad-tap"),
        ({"before": draw, "action": None}, "bad-tap"),
        ({"before": draw, "replaces": draw, "action": TAKE}, "bad-tap"),
    ]
    for fields, code in wrong:
        assert refused(partial(game.tap, **fields)) == code
    tables.change(game.id, host, set_setting, "shared_entry", False)
    ben = game.joined(seat="Ben")
    ada = game.joined(seat="Ada")
    assert refused(partial(ben.tap, before=draw, action=TAKE)) == "not-your-seat"
    ada.tap(before=draw, action=TAKE)


def skipped(game: Evening) -> tuple[str, str, str]:
    """Tim goes on without the others: what they saw, his `next`, and a later roll."""
    game.do(roll("Tim", yellow=4))
    seen = game.position.fingerprint
    game.do(write("Tim", "yellow", 3))
    closed = game.do({**NEXT, "by": "Tim"})
    return seen, closed, game.do(roll("Sarah", yellow=5))


def test_a_skipped_player_writes_after_all(game: Evening) -> None:
    """The step that closes by itself then needs no `next`, until the entry is undone."""
    seen, closed, rolled = skipped(game)
    with pytest.raises(Refused, match=r"Tim had gone on already\.") as late:
        game.tap(action=write("Linus", "yellow", 1), moment=seen)
    assert (late.value.code, late.value.entry) == ("stale", closed)
    game.tap(before=closed, action=write("Linus", "yellow", 1))
    assert names(game) == ["roll", "write", "write", "next", "roll"]
    last = tap_id()
    game.tap(id=last, before=closed, action=write("Sarah", "yellow", 2))
    assert names(game) == ["roll", "write", "write", "write", "roll"]
    assert [game.position.sheet(name)["yellow"][:3] for name in ("Linus", "Sarah")] == [
        [4, None, None],
        [None, 4, None],
    ]
    assert game.read().entries[-1].id == rolled
    game.tap(undo=last)
    assert names(game) == ["roll", "write", "write", "next", "roll"]


def test_what_depends_on_it_is_in_the_way(game: Evening) -> None:
    """A phone writes late on its own sheets alone, and no later entry may have to change."""
    _, closed, _ = skipped(game)
    linus = game.joined(seat="Linus")
    game.change(set_setting, "shared_entry", False)
    assert [seat.name for seat in late(linus)] == ["Linus"]
    game.on(linus.device).do(write("Linus", "yellow", 1))
    wrong = partial(linus.tap, before=closed, action=write("Linus", "yellow", 3))
    assert refused(wrong) == "does-not-fit"
    assert refused(partial(linus.tap, before=closed, action=write("Sarah", "yellow", 2))) == (
        "not-your-seat"
    )
    assert late(linus) == ()


def late(game: Evening) -> tuple[Seat, ...]:
    """The seats for which the device may write after all."""
    turns = story.turns(game.read())
    return tuple(seat for turn in turns for view in turn.entries for seat in view.late)


@pytest.mark.parametrize("do", ["take", "draw", "play"])
def test_takes_draws_and_plays_can_be_corrected(tables: Tables, do: str) -> None:
    """The editor of a draw adds a take; the others start from what was entered."""
    phone = Phone(create_app(tables))
    game = freaky(tables, phone.device)
    draw = game.read().entries[-1].id
    if do == "take":
        game.tap(before=draw, action=TAKE)
    entry = next(entry.id for entry in reversed(game.read().entries) if entry.action["do"] == do)
    path = f"/t/{game.id}/turns/{entry}"
    picker = Page(phone.get(path, way="htmx").text).one(id="edit-picker").attrs
    preview = str(picker["data-preview"])
    if do == "play":
        assert '"row": 1' in str(picker["data-picks"])
        return
    assert preview == (f"{path}?insert=1" if do == "draw" else path)
    assert str(picker["data-picks"]) == ('{"rows.1": 1}' if do == "take" else "{}")
    answer = Page(phone.post(preview, {"action": dumps(TAKE)}, way="htmx").text)
    assert answer.faults() == []
    send = str(answer.having("data-send")[0].attrs["data-send"])
    assert ('"before"' in send) == (do == "draw")
