"""Tables for the server benchmarks: games in mid-play, and a phone for every player.

Unless it is named, the game is the first of the catalogue whose module has `begin`; see
`benchmarks.games`.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from flask.sessions import SecureCookieSessionInterface

from benchmarks.games import TappedGame, begin, first_tapped_game
from companion.core.game import Game
from companion.tables import Tables
from companion.tables.play.access import join_link
from companion.web import create_app
from companion.web.page.security import COOKIE
from lab.play import record_of

NAMES: Final = ("Tim", "Sarah", "Linus", "Zoë", "Ben", "Ida")
MID_PLAY: Final = 15  # the turn with which measured games begin, about the middle of a game

Document: TypeAlias = dict[str, Any]


@dataclass
class SeatedTable:
    """A table at which every player holds a phone."""

    id: str
    game: TappedGame
    devices: dict[str, str]  # player → the secret token of their phone
    cookies: dict[str, str]  # player → the Cookie header that carries the token
    version: int  # the table's version after the last tap

    @property
    def path(self) -> str:
        return f"/t/{self.id}/"

    def tap(self) -> tuple[str, Document]:
        """Makes the next tap; returns its player and the JSON body that the phone sends."""
        player, document = self.game.tap()
        self.version += 1
        return player, document


def seat_tables(
    database: Path, count: int, players: int, game: Game | None = None
) -> list[SeatedTable]:
    """Creates tables in a database that no server has open yet.

    Args:
        count: of tables; each has its own random game, the same one every time.
        players: at each table.
    """
    with closing(Tables(f"sqlite:///{database}")) as tables:
        cookie_of = signed_cookies(tables)
        seated = []
        for number in range(count):
            names, chance = NAMES[:players], random.Random(f"1.{number}")
            record, tapped = _played(game or first_tapped_game(), names, chance)
            devices = {name: secrets.token_urlsafe(16) for name in names}
            host = devices[NAMES[0]]
            table_id = tables.import_record(host, record)
            link = tables.change(table_id, host, join_link)
            for seat, device in enumerate(devices.values(), start=1):
                tables.enter(link.id, device, seat=seat)
            cookies = {name: cookie_of(device) for name, device in devices.items()}
            version = tables.version(table_id, host)
            seated.append(SeatedTable(table_id, tapped, devices, cookies, version))
        return seated


def signed_cookies(tables: Tables) -> Callable[[str], str]:
    """A function from a device's token to the Cookie header that carries it."""
    signer = SecureCookieSessionInterface().get_signing_serializer(create_app(tables))
    assert signer is not None
    return lambda device: f"{COOKIE}={signer.dumps({'_permanent': True, 'device': device})}"


def _played(
    game: Game, names: tuple[str, ...], chance: random.Random
) -> tuple[Document, TappedGame]:
    """(record, game) of a game in mid-play. After one that ends before, the next stops earlier."""
    middle = MID_PLAY
    while True:
        tapped = begin(game, names, chance)
        actions: list[Document] = []
        while tapped.position.turn < middle and not tapped.position.over:
            _, tap = tapped.tap()
            if "replaces" in tap:
                actions.pop()
            actions.append(tap["action"])
        if not tapped.position.over:
            return record_of(names, actions, game.name), tapped
        middle -= 1
