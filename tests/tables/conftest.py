"""The same tests on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.tables import Tables
from tests.tables.friends import Clock, Evening, device, evening


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whatever needs a database runs on both."""
    names = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
    if "shared_url" in metafunc.fixturenames:
        metafunc.parametrize("shared_url", names, indirect=True, scope="session")
    if "url" in metafunc.fixturenames:
        metafunc.parametrize("url", names, indirect=True)


@pytest.fixture(scope="session")
def shared_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A database for many tests: each makes its own tables, with devices of its own."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('tables') / 'shared.sqlite3'}"
        return
    cluster = request.getfixturevalue("_postgres_cluster")
    name = cluster.create_database()
    yield cluster.url(name)
    cluster.drop_database(name)


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of this test alone."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'own.sqlite3'}"
    return str(request.getfixturevalue("postgres_database"))


@pytest.fixture(scope="session")
def tables(shared_url: str) -> Iterator[Tables]:
    opened = Tables(shared_url)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(url: str, clock: Clock) -> Iterator[Tables]:
    """Tables whose clock the test turns."""
    opened = Tables(url, clock=clock, elapsed=clock)
    yield opened
    opened.close()


@pytest.fixture
def host() -> str:
    return device()


@pytest.fixture
def phone() -> str:
    return device()


@pytest.fixture
def game(tables: Tables, host: str) -> Evening:
    """Tim, Sarah and Linus, playing; everything on the host's tablet."""
    return evening(tables, host)
