"""Shared by the browser tests: one server, and phones that are closed when a test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.phones import PATIENCE, Phone
from tests.kit import server as kit
from tests.kit.server import Server

OpenPhone = Callable[..., Phone]

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that leave it alone; each makes tables of its own."""
    running = kit.started(tmp_path_factory.mktemp("server"))
    yield running
    printed = running.printed
    running.stop()
    assert "Traceback" not in printed, printed
    assert "Warning" not in printed, printed


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Server]:
    """A server of this test alone, which may be killed."""
    running = kit.started(tmp_path)
    yield running
    printed = running.printed
    running.stop()
    assert "Traceback" not in printed, printed


@pytest.fixture
def open_phone(chromium: Browser, server: Server) -> Iterator[OpenPhone]:
    """Makes a phone: `open_phone(360, 640, at=server, locale="en-US", …)`.

    Whatever else is given goes to the browser context. A line in the console that the test did
    not expect fails it.
    """
    phones: list[Phone] = []

    def make(width: int = 360, height: int = 640, at: Server | None = None, **more: Any) -> Phone:
        handheld = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            **{"locale": "en-US", **handheld, **more},
        )
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        phone = Phone(context, page, (at or server).address)
        context.on("console", phone.heard)
        context.on("weberror", lambda error: phone.console.append(f"uncaught: {error.error}"))
        phones.append(phone)
        return phone

    yield make
    for phone in phones:
        phone.context.close()
    assert [line for phone in phones for line in phone.undisturbed()] == []
