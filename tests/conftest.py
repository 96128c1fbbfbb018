"""Fixtures for all tests: a private PostgreSQL, a browser, and no way out of this machine."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from lab import browser, wide
from lab.servers import missing, network, postgres

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["tests.e2e.fixtures"]
"""Phones for the browser tests, which are in `tests/e2e` and in the games' packages."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--wide", action="store_true", help="also run what `make test-all` adds")
    parser.addoption("--game", metavar="NAME", help="run all that is asked of this game alone")


def pytest_configure(config: pytest.Config) -> None:
    wide.run_everything(config.getoption("--wide"), bool(config.getoption("--game")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what was not asked for; slow browser tests first: short ones fill the end."""
    if name := config.getoption("--game"):
        from lab import one_game

        chosen = one_game.select(name, items)
        config.hook.pytest_deselected(items=[*{*items}.difference(chosen)])
        items[:] = chosen
    if not config.getoption("--wide"):
        left_out = [item for item in items if item.get_closest_marker("wide")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("wide")]
    items.sort(key=lambda item: item.get_closest_marker("e2e") is None)


gc.disable()
"""Until the tests are collected: hardly anything is garbage before."""


def pytest_collection_finish() -> None:
    """No garbage collection looks again through what lives to the end anyway."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _stay_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        network.stay_here(patch)
        yield


@pytest.fixture(scope="session")
def _postgres_cluster() -> Iterator[postgres.Cluster]:
    missing.need("postgresql")
    try:
        cluster = postgres.Cluster.start()
    except postgres.NoPostgres as reason:
        pytest.fail(str(reason), pytrace=False)
    yield cluster
    cluster.stop()


@pytest.fixture
def postgres_database(_postgres_cluster: postgres.Cluster) -> Iterator[str]:
    """The URL of an empty database, dropped after the test."""
    with _postgres_cluster.database() as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium; a test opens its own contexts in it and closes them."""
    missing.need("chromium", "libatomic1")
    with browser.launched() as running:
        yield running
