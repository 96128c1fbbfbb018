"""One app over one SQLite file for all tests of the pages; each test has tables of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from companion.tables import Tables
from companion.web import create_app
from tests.kit.web import NAMES, Party, Phone, party


def hurry(tables: Tables) -> None:
    """No test of a page cuts the power, so none has to wait for the disk."""

    def no_sync(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA synchronous = OFF").close()

    engine = tables._store.database.engine
    engine.dispose()
    sa.event.listen(engine, "connect", no_sync)


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    opened = Tables(f"sqlite:///{tmp_path_factory.mktemp('web') / 'web.sqlite3'}")
    hurry(opened)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def app(tables: Tables) -> Flask:
    return create_app(tables)


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
def over(make: Callable[..., Party]) -> Party:
    return make("over")
