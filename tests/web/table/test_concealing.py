"""A table that conceals entries: nothing that a device gets shows what others have written.

Two tables are alike but for one entry of Ben in the open step. Whoever may not see it gets the same
from both.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from flask import Flask
from markupsafe import Markup

from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.tables.play.access import join_link, view_link
from companion.tables.play.lobby import set_setting, start
from companion.web.page.language import speaking
from companion.web.table.page_parts import Part, Snapshot, drawings
from lab import play
from lab.names import COLORS
from lab.phones import Phone
from lab.tables import Evening

ADA, BEN, CLEO = NAMES = ("Ada", "Ben", "Cleo")
Action = dict[str, Any]
SHARED = [name for name, game in GAMES.items() if game.all_act_at_once]


def open_step(name: str) -> tuple[list[Action], tuple[Action, Action], Action]:
    """(actions, two that Ben may do next, one that Ada may do in the same step), late in a game."""
    game, moves, chance = GAMES[name], play.moves_of(name), random.Random(1)
    position = game.start(NAMES, {option: values[0] for option, values in game.options.items()})
    actions: list[Action] = []
    found = None
    while not position.over and not (found and len(actions) > 20):
        acts: dict[str, dict[str, Action]] = {ADA: {}, BEN: {}}
        for _ in range(40 if set(NAMES) <= set(position.awaited) else 0):
            for action in moves.candidates(position, chance):
                by = action.get("by")
                if by in acts and not play.code(position, action):
                    after = play.after(position, action)
                    if by not in after.awaited and after.fingerprint == position.fingerprint:
                        acts[by].setdefault(repr(after.sheet(by)), action)
        if acts[ADA] and len(acts[BEN]) > 1:
            one, other = [*acts[BEN].values()][:2]
            found = [*actions], (one, other), next(iter(acts[ADA].values()))
        actions.append(play.some_action(position, moves, chance))
        position = play.after(position, actions[-1])
    assert found is not None
    return found


@dataclass
class Concealing:
    """A table at which Ada, Ben and Cleo have a phone each, and a screen watches."""

    evening: Evening
    app: Flask
    phones: dict[str, Phone]

    def seen(self, who: str) -> dict[str, str]:
        """All that the device can ask for, without what differs between any two tables."""
        phone, path = self.phones[who], f"/t/{self.evening.id}/"
        got = {page: phone.get(path + page).text for page in ("", "turns", "menu", "rules")}
        got["record"] = phone.get(f"{path}record.json").text
        with speaking(self.app, "en"):
            table = self.evening.on(phone.device).read()
            snapshot = drawings().snapshot(table)
            nothing = dict.fromkeys(snapshot.parts, Part("", {}, Markup("-")))
            before = Snapshot(snapshot.shape, snapshot.facts, nothing)
            got["stream"] = "\n".join(snapshot.update(before))
        return {page: self._plain(text) for page, text in got.items()}

    def _plain(self, text: str) -> str:
        text = re.sub(r'data-(live|stream)="[^"]*"|<time.*?</time>', "", text)
        return text.replace(self.evening.id, "ID")


def table_with(
    app: Flask, tables: Tables, game: str, actions: list[Action], *, concealed: bool = True
) -> Concealing:
    host = Phone(app)
    players = list(zip(NAMES, COLORS, strict=False))
    evening = Evening(tables, tables.create(host.device, game, players=players), host.device)
    evening.change(start)
    evening.change(set_setting, "concealed", concealed)
    join, view = evening.change(join_link), evening.change(view_link)
    phones = {name: Phone(app) for name in (*NAMES, "screen")}
    for name in NAMES:
        tables.enter(join.id, phones[name].device, seat=evening.seat(name))
    tables.enter(view.id, phones["screen"].device)
    numbers = count(1)
    for action in actions:
        on = evening.on(phones.get(action.get("by"), host).device)
        on.do(action, id=f"tap-{next(numbers):08}")
    return Concealing(evening, app, phones)


@pytest.mark.parametrize("name", SHARED)
def test_others_entries_appear_after_your_own(app: Flask, tables: Tables, name: str) -> None:
    actions, written, own = open_step(name)
    one, other = (table_with(app, tables, name, [*actions, action]) for action in written)
    for who in (ADA, CLEO, "screen"):
        assert one.seen(who) == other.seen(who), who
    assert one.seen(BEN) != other.seen(BEN)
    # It may not be opened for a correction, either.
    entry = f"/t/{one.evening.id}/turns/tap-{len(actions) + 1:08}"
    assert one.phones[ADA].get(entry).status_code == 422
    # Nor is what Ben had written before he took it back.
    for table, action in zip((one, other), written, strict=True):
        ben = table.evening.on(table.phones[BEN].device)
        ben.tap(undo=ben.step.id, id="tap-undo-1")
        ben.do(action, id="tap-again-1")
    assert one.seen(ADA) == other.seen(ADA)
    for table in (one, other):
        table.evening.on(table.phones[ADA].device).do(own, id="tap-own-01")
    step = one.evening.read().position
    assert step is not None
    assert one.seen(ADA)["turns"] != other.seen(ADA)["turns"]
    assert one.seen(ADA)["stream"] != other.seen(ADA)["stream"]
    if CLEO in step.awaited:
        assert one.seen("screen") == other.seen("screen"), "the turn is open"


def test_without_the_setting_each_entry_is_seen_at_once(app: Flask, tables: Tables) -> None:
    actions, written, _ = open_step(SHARED[0])
    one, other = (
        table_with(app, tables, SHARED[0], [*actions, action], concealed=False)
        for action in written
    )
    assert one.seen(ADA)["stream"] != other.seen(ADA)["stream"]
