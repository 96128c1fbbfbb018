"""Random evenings: whatever is tapped, undone and corrected, everything follows from the log."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companion.games import record
from companion.tables import Refused, Table, Tables
from companion.tables.ledger.corrections import Correction
from companion.tables.ledger.match import Misfit
from companion.tables.play.gate import TapAnswer
from companion.tables.play.lobby import again
from tests.games.qwinto_dice import moves
from tests.kit.play import some_action
from tests.kit.tables import Evening, device, evening, tap_id
from tests.kit.wide import steady

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
        fixes = chance.choice([None, {}])
        action: dict[str, Any] | None = dict(entry.action)
        assert action is not None
        if action["do"] == "roll":
            colors = list(action["dice"])
            if chance.random() < 0.4:
                colors = chance.sample(["orange", "yellow", "purple"], chance.randint(1, 3))
            action["dice"] = {color: chance.randint(1, 6) for color in colors}
        elif chance.random() < 0.3:
            action = None
        elif "by" in action:
            row = chance.choice(["orange", "yellow", "purple"])
            action |= {"do": "write", "row": row, "field": chance.randint(1, 9)}
        return {"replaces": entry.id, "action": action, "fixes": fixes}
    if position.over:
        return {"action": {"do": "next"}}
    return {"action": some_action(position, moves, chance)}


def check(game: Evening) -> None:
    """What a page shows is a fresh replay of the exported record."""
    table = game.read()
    exported = game.tables.export(game.id, game.device)
    assert exported["actions"] == [entry.action for entry in table.entries]
    replayed = record.replay(record.parse(exported))
    assert replayed.refusal is None
    assert replayed.position == table.position
    assert table.phase == ("over" if replayed.position.over else "playing")
    assert len({entry.id for entry in table.entries}) == len(table.entries)


def previewed(game: Evening, fields: dict[str, Any]) -> Correction | None:
    """What the tap is said to do, if it is a correction that is possible."""
    if fields.get("fixes") is None:
        return None
    with suppress(Refused):
        return game.tables.preview(game.id, game.device, fields["replaces"], fields["action"])
    return None


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
        fields["moment"] = chance.choice([None, host.position.fingerprint])
        match, undone = table.state.match, fields.get("undo")
        promised = match and undone and not isinstance(match.toggled(undone), Misfit)
        seen = previewed(game, fields)
        assert game.read() == table
        try:
            saved = game.tap(**fields)
        except Refused:
            assert not promised  # what is offered to be undone can be undone
            assert game.read() == table
            continue
        if saved.repeated:  # a correction to what stood there
            assert game.read() == table
            continue
        answered.append((game, fields, replace(saved, repeated=True)))
        assert saved.version == table.version + 1
        assert saved.fingerprint == host.position.fingerprint
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
    warm = [game.read() for game in seats]
    # Another process has nothing in its memory.
    other = Tables(shared_url)
    assert [Evening(other, game.id, game.device).read() for game in seats] == warm
    other.close()
    exported = tables.export(host.id, host.device)
    copy = tables.import_record(host.device, exported)
    assert tables.export(copy, host.device) == exported
