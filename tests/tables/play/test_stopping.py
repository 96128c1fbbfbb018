"""Matches that are ended early: what the table, the log and the history make of them."""

from __future__ import annotations

import json
from functools import partial

from companion.games import record
from companion.tables import Tables
from companion.tables.play.lobby import again, stop
from tests.kit.history import people, take_in
from tests.tables.friends import Evening, device, refused


def stopped(game: Evening) -> Evening:
    game.do({"do": "roll", "by": "Tim", "dice": {"orange": 4}})
    game.do({"do": "write", "by": "Tim", "row": "orange", "field": 3})
    game.change(stop)
    return game


def test_a_stopped_match_is_over_and_nobody_has_won(game: Evening) -> None:
    table = stopped(game).read()
    assert (table.phase, table.stopped) == ("over", True)
    assert table.position is not None
    assert table.position.winners() == ()
    assert table.state.match is not None and table.state.match.ended_at is not None
    pass_ = {"do": "pass", "by": "Sarah"}
    assert refused(lambda: game.do(pass_)) == "game-over"
    assert refused(partial(game.change, stop)) == "game-over"
    assert record.replay(record.parse(game.tables.export(game.id, game.device))).refusal is None
    game.change(again)
    assert game.read().phase == "playing"


def test_only_the_host_ends_a_match_that_has_begun(game: Evening) -> None:
    assert refused(partial(game.change, stop)) == "not-started"
    game.do({"do": "roll", "by": "Tim", "dice": {"orange": 4}})
    for guest, code in ((game.joined(seat="Sarah"), "not-host"), (game.watching(), "view-only")):
        assert refused(partial(game.tables.change, game.id, guest.device, stop)) == code


def test_undo_takes_the_match_up_again(game: Evening) -> None:
    step = stopped(game).read().undoable
    assert step is not None
    assert step.kind == "stopped"
    game.tap(undo=step.id)
    assert game.read().phase == "playing"
    assert game.tables.history.all_matches(game.device) == ()
    again = game.read().redoable
    assert again is not None
    game.tap(redo=again.id)
    assert game.read().stopped
    game.tap(undo=step.id)
    game.finish()
    [match] = game.tables.history.all_matches(game.device)
    assert not match.is_unfinished


def test_another_process_reads_it_from_the_log(game: Evening, shared_url: str) -> None:
    other = Tables(shared_url)
    assert Evening(other, stopped(game).id, game.device).read() == game.read()
    other.close()


def test_the_history_keeps_it_as_unfinished(game: Evening) -> None:
    history = stopped(game).tables.history
    [match] = history.all_matches(game.device)
    assert match.is_unfinished
    assert [player.won for player in match.players] == [False] * 3
    person = next(one for one in people(game.tables, game.device) if one.name == "Tim")
    assert (person.figures.games, person.figures.wins) == (1, 0)
    game.change(again)
    game.finish()
    finished = history.all_matches(game.device)[-1]
    person = next(one for one in people(game.tables, game.device) if one.name == "Tim")
    totals = {player.name: player.total for player in finished.players}
    assert (person.figures.games, person.figures.average) == (2, totals["Tim"])


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
    assert take_in(game.tables, other, raw) == 0
    lie = raw.replace(b'"record":null', b'"x":1').replace(b'"unfinished"', b'"record"')
    assert [reason.code for _, reason in history.restore(other, lie).faults] == ["odd-game"]
