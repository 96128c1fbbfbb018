"""One app over one SQLite file for all tests of the pages; each test has tables of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from flask import Flask

from companion.tables import Tables
from companion.tables.play.lobby import take_seat
from companion.web import create_app
from lab import drawn
from lab.names import NAMES
from lab.phones import Phone
from lab.photos.sending import reading_app
from lab.tables import Party, party


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_asked_while_drawn() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, drawn.nothing_asked(patch):
        yield


@pytest.fixture(scope="session")
def tables() -> Iterator[Tables]:
    # No test of a page cuts the power, so none has to wait for the disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with TemporaryDirectory(prefix="companion-web-", dir=memory) as folder:
        opened = Tables(f"sqlite:///{folder}/web.sqlite3")
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def app(tables: Tables) -> Flask:
    return create_app(tables)


@pytest.fixture(scope="session")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Flask, Tables]]:
    """An app whose photos a stand-in reads, and its tables."""
    with reading_app(tmp_path_factory.mktemp("photos")) as both:
        yield both


@pytest.fixture
def own_app(tmp_path: Path) -> Iterator[Flask]:
    """An app of this test alone, for what is counted in all of it."""
    opened = Tables(f"sqlite:///{tmp_path / 'own.sqlite3'}")
    yield create_app(opened)
    opened.close()


@pytest.fixture
def phone(app: Flask) -> Phone:
    return Phone(app)


@pytest.fixture
def make(app: Flask, tables: Tables) -> Callable[..., Party]:
    def made(phase: str = "playing", names: tuple[str, ...] = NAMES) -> Party:
        return party(app, tables, phase, names)

    return made


@pytest.fixture
def lobby(make: Callable[..., Party]) -> Party:
    return make("lobby")


@pytest.fixture
def game(make: Callable[..., Party]) -> Party:
    """Tim, Sarah and Linus, before the first roll; nobody holds a seat."""
    return make("playing")


@pytest.fixture
def taken(game: Party) -> Party:
    """Tim has the host's phone, Sarah one of her own."""
    game.change(take_seat, 1)
    game.on(game.player.device).change(take_seat, 2)
    return game


@pytest.fixture
def over(make: Callable[..., Party]) -> Party:
    return make("over")
