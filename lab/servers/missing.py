"""Which of the Debian packages in `tools/packages` this machine lacks.

Run as a program it prints those that tests are left out without, one a line; with `--wanted` those
that they can do without. `tools/setup-services` installs what it prints.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import Final

import pytest

from lab import browser
from lab.servers import fronts, postgres

IS_HERE: Final[dict[str, Callable[[], object]]] = {
    "caddy": lambda: fronts.executable("caddy"),
    "chromium": browser.executable,
    "libatomic1": browser.driver_starts,
    "nginx": lambda: fronts.executable("nginx"),
    "openssl": lambda: shutil.which("openssl"),
    "postgresql": postgres.programs,
}
WANTED: Final = ("wkhtmltopdf", "chromium-headless-shell")


def need(*packages: str) -> None:
    """Leaves a test out where a package is missing; with CI=true it fails."""
    for package in packages:
        if not IS_HERE[package]():
            leave_out = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            leave_out(f"{package} is missing here: sudo apt install {package}")


if __name__ == "__main__":
    if "--wanted" in sys.argv:
        lacking = [name for name in WANTED if not shutil.which(name)]
    else:
        lacking = [name for name, is_here in IS_HERE.items() if not is_here()]
    print("\n".join(lacking))
