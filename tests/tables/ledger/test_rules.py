"""Logs and records of matches that were played by other rules than today's."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final, Self

import pytest

from companion.core.refusal import NewerRules, Refusal
from companion.core.result import Result
from companion.core.values import Action, Document, Player
from companion.core.words import english
from companion.games import record
from companion.games.catalog import GAMES
from companion.games.qwinto_dice import GAME as FIRST
from companion.games.qwinto_dice import QwintoDiceGame
from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables import Refused, Tables
from companion.tables.history import exchange
from companion.tables.play.lobby import again, set_setting, stop
from companion.web import create_app
from companion.web.table import all_turns
from companion.web.table.notes import notes, recent_events
from lab.games import finished, passes, roll
from lab.history import take_in
from lab.phones import Phone
from lab.tables import Evening, device, evening, refused, three_turns

NO_FOUR: Final = Refusal("bad-dice", "There is no 4 on a die.")


class OtherDice(QwintoDice):
    """A position that stays one of its own rules."""

    def _following(self) -> Self:
        return type(self)(now=self.now.following(), sheets=self.sheets)


class StricterDice(OtherDice):
    """Second rules, which refuse a die that shows 4."""

    def play(self, action: Action) -> Any:
        return NO_FOUR if 4 in action.get("dice", {}).values() else super().play(action)


class LongerDice(OtherDice):
    """Second rules, by which no failed attempt ends a match."""

    @property
    def _ends(self) -> bool:
        return False


class ScoredDice(OtherDice):
    """Second rules, which count the failed attempts for nothing."""

    def score(self, player: Player) -> Document:
        score = super().score(player)
        return {**score, "total": score["total"] - score["failed"]}

    def result_of(self, player: Player) -> Result:
        return Result(self.score(player)["total"])


class Stricter(QwintoDiceGame):
    rules = 2
    position = StricterDice


class StricterNow(Stricter):
    """The same, which still reads matches that were played by the first rules."""

    earlier: ClassVar = {1: FIRST}


class Longer(QwintoDiceGame):
    rules = 2
    position = LongerDice


class Scored(QwintoDiceGame):
    rules = 2
    position = ScoredDice


@contextmanager
def updated(tables: Tables, game: QwintoDiceGame) -> Iterator[None]:
    """Goes on with a program that has these rules, and then with the first again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, game.name, game)  # type: ignore[arg-type]
        restart(tables)
        yield
    restart(tables)


def restart(tables: Tables) -> None:
    tables.cache._states.clear()


def said(game: Evening) -> str:
    table = game.read()
    found = notes(table, recent_events(table.state))
    return " ".join(note.text.translated(english, "") for note in found)


def test_a_match_and_its_record_keep_the_rules_they_began_with(tables: Tables, host: str) -> None:
    game = evening(tables, host)
    game.do(roll("Tim", yellow=4))
    with updated(tables, StricterNow()):
        game.play(passes("Tim"), passes("Sarah"), passes("Linus"), roll("Sarah", yellow=4))
        document = tables.export(game.id, host)
        assert "rules" not in document
        copy = Evening(tables, tables.import_record(host, document), host)
        assert tables.export(copy.id, host) == document
        assert refused(tables.import_record, host, {**document, "rules": 2}) == "bad-dice"
        new = evening(tables, host)
        assert refused(new.do, roll("Tim", yellow=4)) == "bad-dice"
        new.do(roll("Tim", yellow=3))
        document = tables.export(new.id, host)
        assert document["rules"] == 2
        assert record.parse(document).document() == document
        new.finish()
        backup = tables.history.export_json(host)
    # This version knows the first rules alone.
    assert refused(new.read) == "newer-rules"
    with pytest.raises(NewerRules, match="rules 2 of qwinto-dice"):
        tables.import_record(host, document)
    (found,) = exchange.parse(backup, tables.now())
    assert isinstance(found, Refused) and found.code == "newer-rules"


def test_a_running_match_opens_before_what_no_longer_fits(
    tables: Tables, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Sarah's 4 in turn 2: neither it nor what follows counts, and nothing is deleted."""
    game = evening(tables, host)
    entries, whole = three_turns(game), game.actions
    with updated(tables, Stricter()), caplog.at_level(logging.WARNING):
        assert [entry.id for entry in game.read().entries] == entries[:4]
        assert f"opens before entry {entries[4]}" in caplog.text
        assert "from turn 2 on" in said(game)
        assert game.actions == whole, "its record still has all of it"
        game.change(set_setting, "scores", False)
        game.do(roll("Sarah", yellow=5))
        assert game.actions == [*whole[:4], roll("Sarah", yellow=5)]
        assert "from turn 2 on" in said(game)
        lines = [line.description.text for line in all_turns.changes(game.read())]
        assert any("no longer fits the rules" in line for line in lines)
        assert entries[4] in {event.id for event in game.read().state.require_match().events}
        seen = game.read()
        restart(tables)
        assert game.read() == seen
    # Where the rules allow it again, people have gone on without it.
    assert game.actions == [*whole[:4], roll("Sarah", yellow=5)]


CHANGES: Final[dict[str, Callable[[Evening, list[str]], object]]] = {
    "undo": lambda game, entries: game.tap(undo=entries[3]),
    "correction": lambda game, entries: game.tap(replaces=entries[3], action=None),
}


@pytest.mark.parametrize("what", CHANGES)
def test_entries_that_still_fit_can_be_undone_and_corrected(
    tables: Tables, host: str, what: str
) -> None:
    game = evening(tables, host)
    entries, whole = three_turns(game), game.actions
    with updated(tables, Stricter()):
        CHANGES[what](game, entries)
        assert game.actions == whole[:3]
        game.undo() if what == "correction" else game.tap(redo=entries[3])
        assert game.actions == whole[:4]


def test_an_unchanged_match_is_complete_again(tables: Tables, host: str) -> None:
    game = evening(tables, host)
    entries = three_turns(game)
    with updated(tables, Stricter()):
        assert len(game.read().entries) == 4
    assert [entry.id for entry in game.read().entries] == entries


@pytest.mark.parametrize(
    "rules", [Stricter(), StricterNow(), Longer(), Scored()], ids=lambda one: type(one).__name__
)
def test_a_finished_match_stays_as_it_was_saved(tables: Tables, rules: QwintoDiceGame) -> None:
    phone = Phone(create_app(tables))
    game = Evening(tables, tables.create(phone.device, FIRST.name), phone.device)
    record_of = finished()
    for name in record_of["players"]:
        phone.post(f"/t/{game.id}/do/add", {"name": name})
    phone.post(f"/t/{game.id}/do/start")
    entries = game.play(*record_of["actions"])
    document, backup = tables.export(game.id, game.device), tables.history.export_json(game.device)
    (before,) = tables.history.matches(game.device).matches
    with updated(tables, rules):
        assert game.read().phase == "over"
        source = phone.page(f"/t/{game.id}/").source
        assert "Sarah wins" in source
        assert all(f"{player.total}".replace("-", "−") in source for player in before.players)
        assert tables.export(game.id, game.device) == document
        if not rules.earlier and not isinstance(rules, Scored):
            assert refused(game.tap, undo=entries[-1]) == "old-rules"
            assert game.read().undoable is None
        else:
            other = device()
            assert take_in(tables, other, backup) == 1
            (match,) = tables.history.matches(other).matches
            assert match.players == before.players
            assert json.loads(match.record or "") == json.loads(before.record or "")
        game.change(again)
        (after,) = tables.history.matches(game.device).matches
        assert after.columns() == before.columns()


def test_a_match_that_was_ended_early_can_only_be_resumed(tables: Tables, host: str) -> None:
    """Where its log no longer fits, a correction would save less of it."""
    game = evening(tables, host)
    entries = three_turns(game)
    other = game.joined()
    game.change(stop)
    (before,) = tables.history.matches(host).matches
    with updated(tables, Stricter()):
        assert refused(game.tap, replaces=entries[3], action=None) == "old-rules"
        assert refused(game.tap, undo=entries[3]) == "old-rules"
        assert other.read().undoable is None
        (after,) = tables.history.matches(host).matches
        assert after.columns() == before.columns()
        assert game.undo().kind == "stopped"
        assert len(game.read().entries) == 4
        assert game.read().phase == "playing"
