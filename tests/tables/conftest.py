"""The same tests on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.tables import Tables
from lab.tables import Clock, Evening, device, evening

DIFFERING = {"database", "test_history", "test_phones", "upkeep"}
"""Folders and modules with SQL, locks or notices of their own, in which databases may differ."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test that needs a database runs on both.

    On PostgreSQL, `make test` leaves out what only concerns tables of players, and further cases of
    one test.
    """
    test = metafunc.definition
    differs = not DIFFERING.isdisjoint({test.path.stem, test.path.parent.name})
    is_usual = differs and not test.get_closest_marker("parametrize")
    marks = [pytest.mark.postgres] if is_usual else [pytest.mark.postgres, pytest.mark.wide]
    names = ["sqlite", pytest.param("postgres", marks=marks)]
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
    with request.getfixturevalue("_postgres_cluster").database() as url:
        yield url


@pytest.fixture
def url(request: pytest.FixtureRequest, file_url: str) -> str:
    """An empty database of this test alone."""
    if request.param == "sqlite":
        return file_url
    return str(request.getfixturevalue("postgres_database"))


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    """The address of a SQLite file of this test alone."""
    return f"sqlite:///{tmp_path / 'own.sqlite3'}"


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
    """Tables whose clock the test sets."""
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
