"""What all tests share: a private PostgreSQL, a browser, and no way out of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.kit import browser, network, postgres

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["tests.e2e.fixtures"]
"""Phones for the browser tests, which stand in `tests/e2e` and in the games' rooms."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: they are the slow ones."""
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)


@pytest.fixture(scope="session", autouse=True)
def _stay_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        network.stay_here(patch)
        yield


@pytest.fixture(scope="session")
def _postgres_cluster() -> Iterator[postgres.Cluster]:
    try:
        cluster = postgres.Cluster.start()
    except postgres.NoPostgres as reason:
        pytest.fail(str(reason), pytrace=False)
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def postgres_url(_postgres_cluster: postgres.Cluster) -> str:
    """The URL of a private server's maintenance database, `postgresql+psycopg://…`."""
    return _postgres_cluster.url()


@pytest.fixture
def postgres_database(_postgres_cluster: postgres.Cluster) -> Iterator[str]:
    """The URL of an empty database, dropped after the test."""
    name = _postgres_cluster.create_database()
    yield _postgres_cluster.url(name)
    _postgres_cluster.drop_database(name)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium; a test opens its own contexts in it and closes them."""
    try:
        with browser.launched() as running:
            yield running
    except browser.NoBrowser as reason:
        pytest.fail(str(reason), pytrace=False)
