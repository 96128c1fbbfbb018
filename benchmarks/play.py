"""People at tables: games in mid-play, a phone for each player, and the next tap of each game.

Taps are made as `static/app.js` makes them: every die is a tap, and each one after the first
replaces the entry that the first one made.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from flask.sessions import SecureCookieSessionInterface

from companion.core.refusal import Refusal
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto_dice import GAME
from companion.games.qwinto_dice.rules import QwintoDice, start
from companion.games.record import RECORD_FORMAT
from companion.tables import Tables
from companion.web import create_app

NAMES: Final = ("Tim", "Sarah", "Linus", "Zoë", "Ben", "Ida")
MID_PLAY: Final = 15
"""The turn with which measured games begin; they last 22 to 44."""
REROLLS: Final = 0.15
PASSES: Final = 0.2

Document: TypeAlias = dict[str, Any]


@dataclass
class Game:
    """A game as everybody at the table sees it, and what is tapped next. All taps are legal."""

    position: QwintoDice
    chance: random.Random
    _rolled: str = ""
    """The tap whose entry further dice replace."""
    _before: QwintoDice | None = None
    _dice: dict[str, int] = field(default_factory=dict)
    """The dice that lie there but have not been tapped in yet."""

    def tap(self) -> tuple[str, Document]:
        """The next tap and who makes it; the game then stands after it."""
        moment = self.position.moment
        if self._dice:
            player, action = self.position.active, self._next_die()
            body: Document = {"action": action, "replaces": self._rolled}
            tap_id = _new_id()
            self.position = _after(self._before or self.position, action)
        else:
            player, action = self._action()
            body = {"action": action}
            tap_id = _new_id()
            if action["do"] == "roll":
                self._rolled, self._before = tap_id, self.position
            self.position = _after(self.position, action)
        return player, {"id": tap_id, "moment": moment, **body}

    def _next_die(self) -> Document:
        color = next(iter(self._dice))
        dice = {**dict(self.position.dice), color: self._dice.pop(color)}
        return {"do": "roll", "by": self.position.active, "dice": dice}

    def _action(self) -> tuple[str, Document]:
        position, chance = self.position, self.chance
        active = position.active
        if not position.rolls:
            colors = chance.sample(qwinto.COLORS, chance.choice((1, 2, 2, 3)))
            self._dice = {color: chance.randint(1, 6) for color in colors}
            first = colors[0]
            return active, {"do": "roll", "by": active, "dice": {first: self._dice.pop(first)}}
        if position.may_reroll and chance.random() < REROLLS:
            # The page sends a second roll once all of its dice are tapped: one tap.
            dice = {color: chance.randint(1, 6) for color in position.called_colors}
            return active, {"do": "roll", "by": active, "dice": dice}
        player = active if active in position.waiting else chance.choice(position.waiting)
        fields = position.open_fields(player)
        if not fields or (player != active and chance.random() < PASSES):
            return player, {"do": "pass", "by": player}
        # Where the number stands best, as people write: small ones left, large ones right.
        wanted = (position.called or 0) / 2
        row, place = min(fields, key=lambda at: (abs(at[1] - wanted), chance.random()))
        return player, {"do": "write", "by": player, "row": row, "field": place}


@dataclass
class Table:
    """A table at which every player holds a phone."""

    id: str
    game: Game
    devices: dict[str, str]
    """Player → the secret token of their phone."""
    cookies: dict[str, str]
    """Player → the Cookie header that carries it."""
    version: int

    @property
    def path(self) -> str:
        return f"/t/{self.id}/"

    def tap(self) -> tuple[str, Document]:
        """The next tap: its player, and what the phone sends to `taps`."""
        player, document = self.game.tap()
        self.version += 1
        return player, document


def seat_tables(
    database: Path, count: int, players: int, turn: int = MID_PLAY, seed: int = 1
) -> list[Table]:
    """Makes tables in the database before a server opens it; each has its own random game."""
    tables = Tables(f"sqlite:///{database}")
    try:
        app = create_app(tables)
        signer = SecureCookieSessionInterface().get_signing_serializer(app)
        assert signer is not None
        made = []
        for number in range(count):
            chance = random.Random(f"{seed}.{number}")
            record, game = _played(NAMES[:players], turn, chance)
            devices = {name: secrets.token_urlsafe(16) for name in game.position.players}
            host = devices[NAMES[0]]
            table_id = tables.import_record(host, record)
            link = tables.join_link(table_id, host)
            for seat, device in enumerate(devices.values(), start=1):
                tables.enter(link.token, device, seat=seat)
            session = app.config["SESSION_COOKIE_NAME"]
            cookies = {
                name: f"{session}={signer.dumps({'_permanent': True, 'device': device})}"
                for name, device in devices.items()
            }
            version = tables.version(table_id, host)
            made.append(Table(table_id, game, devices, cookies, version))
        return made
    finally:
        tables.close()


def _played(names: tuple[str, ...], turn: int, chance: random.Random) -> tuple[Document, Game]:
    """A game that has come to `turn`, and its record; one that ended earlier is dropped."""
    while True:
        game = Game(start(names, {}), chance)
        actions: list[Document] = []
        while game.position.turn < turn and not game.position.over:
            _, tap = game.tap()
            if "replaces" in tap:
                actions.pop()
            actions.append(tap["action"])
        if not game.position.over:
            record = {"format": RECORD_FORMAT, "game": GAME.name, "options": {}}
            return {**record, "players": list(names), "actions": actions}, game


def _after(position: QwintoDice, action: Document) -> QwintoDice:
    result = position.play(action)
    if isinstance(result, Refusal):
        raise RuntimeError(f"{action} is not allowed: {result.message}")
    return result


def _new_id() -> str:
    return secrets.token_hex(16)
