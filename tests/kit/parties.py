"""A table with everybody who may come to it, and games to put on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from companion.tables import Tables, Tap
from companion.tables.play.access import join_link, view_link
from companion.tables.play.lobby import start
from tests.kit.games import finished
from tests.kit.names import COLORS, NAMES
from tests.kit.phones import Phone

_numbers = count(1)


def tap_id() -> str:
    return f"web-{next(_numbers):08}"


@dataclass
class Party:
    """A table with a host, a player without a seat and a viewer, and a phone that is not there."""

    app: Flask
    tables: Tables
    id: str
    host: Phone
    player: Phone
    viewer: Phone
    stranger: Phone
    links: dict[str, str] = field(default_factory=dict)
    """The ids of its links by kind, and the short `code`."""

    @property
    def path(self) -> str:
        return f"/t/{self.id}/"

    @property
    def version(self) -> int:
        return self.tables.version(self.id, self.host.device)

    @property
    def actions(self) -> list[Any]:
        actions = self.tables.export(self.id, self.host.device)["actions"]
        assert isinstance(actions, list)
        return actions

    @property
    def fingerprint(self) -> str:
        position = self.tables.read(self.id, self.host.device).position
        assert position is not None
        return position.fingerprint

    def tap(self, phone: Phone | None = None, **fields: Any) -> TestResponse:
        """A tap as `static/js/table/taps.js` sends it."""
        fields.setdefault("id", tap_id())
        return (phone or self.host).ask("POST", f"{self.path}taps", way="json", json=fields)

    def do(self, *actions: dict[str, Any]) -> list[str]:
        """Actions that must be allowed, put in without the web; their entries' ids."""
        ids = [tap_id() for _ in actions]
        for entry, action in zip(ids, actions, strict=True):
            self.tables.tap(self.id, self.host.device, Tap(id=entry, action=action))
        return ids


def party(
    app: Flask, tables: Tables, phase: str = "playing", names: tuple[str, ...] = NAMES
) -> Party:
    """A table in its lobby, playing, or over."""
    host, player, viewer, stranger = (Phone(app) for _ in range(4))
    if phase == "over":
        table_id = tables.import_record(host.device, finished(names))
    else:
        players = list(zip(names, COLORS, strict=False))
        table_id = tables.create(host.device, "qwinto-dice", players=players)
    tables.mark_online(host.device)  # as the page on which a table is made
    join = tables.change(table_id, host.device, join_link)
    view = tables.change(table_id, host.device, view_link)
    tables.enter(join.id, player.device)
    tables.enter(view.id, viewer.device)
    if phase == "playing":
        tables.change(table_id, host.device, start)
    links = {"join": join.id, "view": view.id, "code": join.code or ""}
    return Party(app, tables, table_id, host, player, viewer, stranger, links)
