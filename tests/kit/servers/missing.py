"""Prints the Debian packages that the tests need and this machine lacks, one a line.

With `--wanted` those that they can do without: their tests are skipped, or cost more.
`tools/setup-services` asks it, so that what is looked for and what is used are the same.
"""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec

from companion.pads import weasyprint
from tests.kit import browser
from tests.kit.servers import fronts, postgres

PANGO = ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0")
"""What WeasyPrint needs besides Python."""


def packages() -> list[str]:
    found = {
        "caddy": bool(fronts.executable("caddy")),
        "chromium": browser.executable() is not None,
        "libatomic1": browser.driver_starts(),
        "nginx": bool(fronts.executable("nginx")),
        "nodejs": shutil.which("node") is not None,
        "npm": shutil.which("npm") is not None,
        "postgresql": postgres.programs() is not None,
    }
    return [name for name, here in found.items() if not here]


def wanted() -> list[str]:
    """Wkhtmltopdf is gone from Debian 13: only WeasyPrint prints there."""
    programs = ("wkhtmltopdf", "chromium-headless-shell")
    found = [name for name in programs if not shutil.which(name)]
    if find_spec("weasyprint") and not weasyprint.is_installed():
        found += PANGO
    return found


if __name__ == "__main__":
    print("\n".join(wanted() if "--wanted" in sys.argv else packages()))
