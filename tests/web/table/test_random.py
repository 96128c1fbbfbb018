"""Whatever happens at a table, in whatever order: nothing is a 500, and every page can be drawn."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from companion.games.qwinto_dice.rules import QwintoDice
from companion.games.record import parse, replay
from companion.tables import Table
from companion.tables.play.access import join_link
from tests.kit.games import NEXT, passes, roll, write
from tests.kit.pages import Page
from tests.kit.phones import Phone, refusal_of
from tests.kit.tables import Party, tap_id
from tests.kit.wide import first_of

Make = Callable[..., Party]
STEPS = 40


def anything(chance: random.Random, party: Party, table: Table) -> dict[str, Any]:
    """A tap that may be legal or not."""
    position = table.position
    if not isinstance(position, QwintoDice):
        return {"action": roll("Tim", yellow=1)}
    entries = [entry.id for entry in table.entries] or ["web-none-yet"]
    player = chance.choice(position.waiting or position.players)
    dice = {color: chance.randint(1, 6) for color in chance.sample(["orange", "yellow"], 1)}
    fields = position.open_fields(player)
    actions: list[dict[str, Any]] = [passes(player), roll(position.active, **dice)]
    if fields:
        actions += [write(player, *chance.choice(fields))] * 3
    action = chance.choice([*actions, NEXT])
    taps: list[dict[str, Any]] = [{"action": action}] * 6
    taps += [{"replaces": chance.choice(entries), "action": chance.choice([action, None])}]
    taps += [{"replaces": chance.choice(entries), "action": action, "fixes": {}}]
    taps += [{"undo": table.undoable.id}] if table.undoable else []
    taps += [{"redo": table.redoable.id}] if table.redoable else []
    return chance.choice(taps)


def verb(chance: random.Random, table: Table) -> tuple[str, dict[str, str]]:
    seats = [str(seat.id) for seat in table.seats] or ["1"]
    order = chance.sample(seats, len(seats))
    form = {"seat": chance.choice(seats), "order": ",".join(order), "color": "teal"}
    form |= {"name": chance.choice(["Zoë", "Ben", "%s", "<b>"]), "game": "qwinto-dice"}
    verbs = ["game", "add", "add", "rename", "remove", "order", "first", "draw", "start", "start"]
    verbs += ["take", "take", "release", "shared_entry", "again", "lobby"]
    return chance.choice(verbs), form | ({"take": "on"} if chance.random() < 0.5 else {})


@pytest.mark.parametrize("seed", first_of(range(6), 0, 1))
def test_a_wild_evening(make: Make, seed: int) -> None:
    chance = random.Random(seed)
    party = make(("lobby", "playing", "over")[seed % 3])
    for _ in range(STEPS):
        phone: Phone = getattr(party, chance.choice(["host", "host", "player", "viewer"]))
        try:
            table = party.tables.read(party.id, phone.device)
        except Exception:
            phone.post(f"/j/{party.tables.change(party.id, party.host.device, join_link).id}")
            continue
        what = chance.random()
        if what < 0.7 and table.phase != "lobby":
            tap = {"id": tap_id(), **anything(chance, party, table)}
            if chance.random() < 0.5 and table.position is not None:
                tap["moment"] = table.position.fingerprint
            answer = phone.ask("POST", f"{party.path}taps", way="json", json=tap)
        elif what < 0.9:
            name, form = verb(chance, table)
            answer = phone.post(f"{party.path}do/{name}", form, way="htmx")
        else:
            links = party.tables.links(party.id, party.host.device)
            paths = ["share", "links/view"]
            if links and chance.random() < 0.4:
                paths = [f"links/{chance.choice(links).id}/revoke"]
            answer = phone.post(party.path + chance.choice(paths))
        if answer.status_code >= 400:
            refusal_of(answer, echo="<b>")
        draw_all(chance, party, phone)


def draw_all(chance: random.Random, party: Party, phone: Phone) -> None:
    """The pages as they are now: sound, and a correction of some entry can be looked at."""
    paths = ["", chance.choice(["menu", "turns", "version", "share", "record.json"])]
    for path in paths:
        answer = phone.get(party.path + path)
        if answer.mimetype == "text/html":
            assert Page(answer.text).faults() == []
    table = party.tables.read(party.id, party.host.device)
    if table.entries:
        entry = chance.choice(table.entries)
        path = f"{party.path}turns/{entry.id}"
        if entry.by:
            assert Page(party.host.get(path).text).faults() == []
        form = {"action": chance.choice(["null", json.dumps(dict(entry.action))])}
        answer = party.host.post(path, form, way="htmx")
        assert Page(answer.text).faults() == []
    if table.position is not None:
        document = party.host.get(f"{party.path}record.json").get_json()
        assert replay(parse(document)).position == table.position
