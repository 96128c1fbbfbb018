"""What takes long comes before the transaction: others may write while a log is folded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.store import MOST_DRAFTS
from companion.tables.play.access import join_link
from companion.tables.play.lobby import set_setting
from tests.kit.games import passes, roll
from tests.tables.friends import Evening, device, refused, tap_id


def other_setting(change: TableChange) -> None:
    set_setting(change, "shared_entry", not change.state.shared_entry)


def test_no_entry_is_played_again_while_others_wait(
    game: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, moment = game.tables, game.position.fingerprint
    first = game.do(roll("Tim", yellow=3))
    for action in (passes("Tim"), {"do": "next", "by": "Tim"}, roll("Sarah", yellow=4)):
        game.do(action)
    correction: dict[str, Any] = {"id": tap_id(), "replaces": first, "fixes": {}}
    correction["action"] = roll("Tim", yellow=5)
    exported, link = tables.export(game.id, game.device), game.change(join_link)

    def cold(what: Callable[[], object]) -> Callable[[], object]:
        """After a restart."""
        return lambda: (tables.cache.drop(game.id), what())

    acts: dict[str, Callable[[], object]] = {
        "a correction": lambda: game.tap(**correction),
        "its undo": lambda: game.tap(undo=correction["id"]),
        "its redo": lambda: game.tap(redo=correction["id"]),
        "a setting": lambda: game.change(other_setting),
        "a tap again": lambda: game.tap(**correction),
        "a stale tap": lambda: refused(lambda: game.do(passes("Linus"), moment=moment)),
        "a first change": cold(lambda: game.change(other_setting)),
        "a first tap": cold(lambda: game.tap(**correction)),
        "a newcomer": cold(lambda: tables.enter(link.id, device())),
        "a record": lambda: tables.import_record(game.device, exported),
    }
    writing: list[bool] = []
    play = QwintoDice.play

    def noted(position: QwintoDice, action: Any) -> Any:
        writing.append(tables.database._writer.locked())
        return play(position, action)

    monkeypatch.setattr(QwintoDice, "play", noted)
    found = {name: (act(), any(writing), writing.clear())[1] for name, act in acts.items()}
    assert found == dict.fromkeys(acts, False)


def test_a_draft_is_made_again_when_somebody_was_quicker(game: Evening) -> None:
    drafted: list[int] = []

    def what(change: TableChange) -> None:
        drafted.append(change.state.version)
        if len(drafted) < quicker:
            game.change(other_setting)
        set_setting(change, "roller", not change.state.roller)

    version, quicker = game.read().version, 3
    game.tables.change_drafted(game.id, game.device, what)
    assert drafted == [version, version + 1, version + 2]
    assert (game.read().version, game.read().roller) == (version + 3, True)
    drafted.clear()
    quicker = MOST_DRAFTS + 1
    assert refused(lambda: game.tables.change_drafted(game.id, game.device, what)) == "stale"
    assert game.read().roller
