"""For all browser tests: one server, and phones that are wiped when a test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from lab.devices import Device, Devices
from lab.patience import PATIENCE
from lab.servers.process import Server, serving
from lab.servers.program import HOST, PATIENT
from tests.e2e.phones import Phone

OpenPhone = Callable[..., Phone]

expect.set_options(timeout=PATIENCE * 1000)


@contextmanager
def served(folder: Path, *, module: str = PATIENT, reader: str = "") -> Iterator[Server]:
    """A server for many tables that prints neither a traceback nor a warning.

    Args:
        reader: the module that reads its photos; its own one where there is no name.
    """
    place = ("--host", HOST, "--db", f"sqlite:///{folder / 'e2e.sqlite3'}")
    many = ("--set", "tables_per_device=100000")
    with serving(*place, *many, module=module, COMPANION_TEST_READER=reader) as running:
        assert running.port, running.errors
        yield running
        printed = running.output + running.errors
    assert "Traceback" not in printed, printed
    assert "Warning" not in printed, printed


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that leave it alone; each makes tables of its own."""
    with served(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Server]:
    """A server of this test alone, which may be killed."""
    with served(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def devices(chromium: Browser) -> Iterator[Devices]:
    """The browser contexts of all tests; one that is given back goes to the next test, wiped."""
    known = Devices(chromium)
    yield known
    known.close()


@pytest.fixture
def open_phone(devices: Devices, server: Server) -> Iterator[OpenPhone]:
    """Makes a phone: `open_phone(360, 640, at=server, locale="en-US", …)`.

    Further arguments go to the browser context. A line in the console that the test did
    not expect fails it.
    """
    taken: list[tuple[Device, Phone]] = []

    def make(width: int = 360, height: int = 640, at: Server | None = None, **more: Any) -> Phone:
        address = (at or server).address
        device = devices.take(address, width, height, **more)
        phone = Phone(device.context, device.page, address, console=device.console)
        taken.append((device, phone))
        return phone

    yield make
    heard = [line for _, phone in taken for line in phone.undisturbed()]
    for device, _ in taken:
        devices.give_back(device)
    assert heard == []
