"""The system's Chromium, driven by Playwright. No browser is ever downloaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The first one is the same engine without windows, at two thirds of the cost.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",  # root in a container has no user namespaces
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]


class NoBrowser(Exception):
    """There is no Chromium on this machine; says how to get one."""


def executable() -> str | None:
    """The path of a Chromium: COMPANION_CHROMIUM, else the first of `NAMES` on the PATH."""
    named = os.environ.get("COMPANION_CHROMIUM")
    if named:
        return named if os.access(named, os.X_OK) else None
    return next(filter(None, map(shutil.which, NAMES)), None)


def driver_starts() -> bool:
    """Whether Playwright's own Node.js runs: a bare Debian lacks the libatomic that it needs."""
    command = [sys.executable, "-m", "playwright", "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@contextmanager
def launched() -> Iterator[Browser]:
    """A headless Chromium; raises `NoBrowser`.

    Playwright's event loop counts as running in this thread until the end, so `asyncio.run` does
    not work here meanwhile; `lab.servers.loop` does.
    """
    path = executable()
    if path is None:
        raise NoBrowser(
            "no Chromium here: sudo apt install chromium, or name one in COMPANION_CHROMIUM"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
