"""Prints the Debian packages that the tests need and this machine lacks, one a line.

`tools/setup-services` asks it, so that what is looked for and what is used are the same.
"""

from __future__ import annotations

from tests.kit import browser, postgres


def packages() -> list[str]:
    found = {
        "chromium": browser.executable() is not None,
        "libatomic1": browser.driver_starts(),
        "postgresql": postgres.programs() is not None,
    }
    return [name for name, here in found.items() if not here]


if __name__ == "__main__":
    print("\n".join(packages()))
