"""People around a table: by its store, or on phones that ask over HTTP; and what is refused."""

from __future__ import annotations

import random
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from werkzeug.test import TestResponse

from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables import Refused, Table, Tables, Tap
from companion.tables.ledger.events import Event
from companion.tables.play.access import join_link, view_link
from companion.tables.play.gate import TapAnswer
from companion.tables.play.lobby import start
from lab.games import finished, passes, roll, write
from lab.names import COLORS, NAMES
from lab.phones import Phone

_numbers = count(1)


def device() -> str:
    """A new browser's cookie token."""
    return secrets.token_urlsafe(16)


def tap_id() -> str:
    return f"tap-{next(_numbers):08}"


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def turn(self, *, minutes: float = 0, seconds: float = 0) -> None:
        self.seconds += minutes * 60 + seconds


@dataclass
class Evening:
    """A table and the device with which it is used."""

    tables: Tables
    id: str
    device: str

    def on(self, device: str) -> Evening:
        return Evening(self.tables, self.id, device)

    def change(self, what: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """Changes the table by a function of `play`."""
        return self.tables.change(self.id, self.device, what, *args, **more)

    def tap(self, **fields: Any) -> TapAnswer:
        fields.setdefault("id", tap_id())
        return self.tables.tap(self.id, self.device, Tap.parse(fields))

    def do(self, action: dict[str, Any], **fields: Any) -> str:
        """Taps an action and returns the entry's id."""
        entry = fields.setdefault("id", tap_id())
        self.tap(action=action, **fields)
        return str(entry)

    def play(self, *actions: dict[str, Any]) -> list[str]:
        """Taps actions one after another and returns their entries' ids."""
        return [self.do(action) for action in actions]

    def read(self) -> Table:
        return self.tables.read(self.id, self.device)

    @property
    def step(self) -> Event:
        """The step that the device may undo."""
        step = self.read().undoable
        assert step is not None
        return step

    def undo(self) -> Event:
        """Undoes the device's last step."""
        step = self.step
        self.tap(undo=step.id)
        return step

    @property
    def position(self) -> QwintoDice:
        position = self.read().position
        assert isinstance(position, QwintoDice)
        return position

    @property
    def actions(self) -> list[Any]:
        return list(self.tables.export(self.id, self.device)["actions"])

    def seat(self, name: str) -> int:
        seat = self.read().seat_named(name)
        assert seat is not None
        return seat.id

    def joined(self, *, seat: str | None = None, label: str = "") -> Evening:
        """The same table on a new device that has come by the join link."""
        link = self.change(join_link)
        other = device()
        place = None if seat is None else self.seat(seat)
        self.tables.enter(link.id, other, seat=place, label=label)
        return self.on(other)

    def watching(self) -> Evening:
        link = self.change(view_link)
        other = device()
        self.tables.enter(link.id, other)
        return self.on(other)

    def finish(self) -> None:
        """Plays on until the game is over: the active player fails four times."""
        while not self.position.over:
            position = self.position
            if not position.dice:
                self.do({"do": "roll", "by": position.active, "dice": {"orange": 1}})
                continue
            self.do({"do": "pass", "by": position.awaited[0]})


@contextmanager
def inside(url: str) -> Iterator[sa.Connection]:
    """A connection to the database, past the app; changes are committed."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        yield connection


def spoil(path: Path, table: str) -> None:
    """Overwrites the first page of a table in a SQLite file, which a server may have open."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        [[page]] = connection.execute(root, (table,))
    with path.open("r+b") as raw:
        raw.seek((page - 1) * 4096)
        raw.write(random.Random(7).randbytes(4096))


def set_limits(monkeypatch: pytest.MonkeyPatch, tables: Tables, **values: int) -> None:
    monkeypatch.setattr(tables, "limits", replace(tables.limits, **values))


def lobby(tables: Tables, host: str, names: tuple[str, ...] = NAMES) -> Evening:
    """A table in its lobby."""
    players = list(zip(names, COLORS, strict=False))
    return Evening(tables, tables.create(host, "qwinto-dice", players=players), host)


def evening(tables: Tables, host: str, names: tuple[str, ...] = NAMES) -> Evening:
    """A table whose game has begun."""
    made = lobby(tables, host, names)
    tables.change(made.id, host, start)
    return made


def refused(what: Callable[..., object], *arguments: Any, **more: Any) -> str:
    """The code with which a call is refused; fails unless it is refused with a sentence."""
    with pytest.raises(Refused) as caught:
        what(*arguments, **more)
    assert caught.value.refusal.message.strip()
    return caught.value.code


def refused_untouched(
    game: Evening, what: Callable[..., object], *arguments: Any, **more: Any
) -> str:
    """As `refused`; fails if the table has changed."""
    before = game.read()
    code = refused(what, *arguments, **more)
    assert game.read() == before
    return code


# On phones


@dataclass
class Party(Evening):
    """A table with a host, a player without a seat, a viewer, and a phone that has not joined."""

    app: Flask
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
        return self.tables.version(self.id, self.device)

    @property
    def moment(self) -> str:
        """The moment that its page shows."""
        return self.read().moment

    def tap(self, phone: Phone | None = None, **fields: Any) -> TestResponse:
        """A tap as `static/js/table/taps.js` sends it."""
        fields.setdefault("id", tap_id())
        return (phone or self.host).ask("POST", f"{self.path}taps", way="json", json=fields)

    def do(self, *actions: dict[str, Any]) -> list[str]:
        """Makes actions, which must be legal, without the web; returns their entries' ids."""
        store = self.on(self.device)
        return [store.do(action) for action in actions]


def party(
    app: Flask, tables: Tables, phase: str = "playing", names: tuple[str, ...] = NAMES
) -> Party:
    """A table in its lobby, playing, or over."""
    host, player, viewer, stranger = (Phone(app) for _ in range(4))
    if phase == "over":
        table_id = tables.import_record(host.device, finished(names))
    else:
        table_id = lobby(tables, host.device, names).id
    tables.mark_online(host.device)  # as the page on which a table is made
    join = tables.change(table_id, host.device, join_link)
    view = tables.change(table_id, host.device, view_link)
    tables.enter(join.id, player.device)
    tables.enter(view.id, viewer.device)
    if phase == "playing":
        tables.change(table_id, host.device, start)
    links = {"join": join.id, "view": view.id, "code": join.code or ""}
    return Party(tables, table_id, host.device, app, host, player, viewer, stranger, links)


def three_turns(game: Evening) -> list[str]:
    """Sarah's yellow 3 depends on Tim's roll; in turn 2 Tim writes to the right of his own 3."""
    return game.play(
        roll("Tim", yellow=3), write("Tim", "yellow", 2), write("Sarah", "yellow", 2),
        passes("Linus"),
        roll("Sarah", yellow=4), write("Tim", "yellow", 3), passes("Sarah"), passes("Linus"),
        roll("Linus", purple=6),
    )  # fmt: skip
