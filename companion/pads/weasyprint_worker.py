"""WeasyPrint in a process of its own: HTML on standard input, a PDF into the named file.

    python -m companion.pads.weasyprint_worker FILE PAGES

Nothing that the page names is fetched: no network, no file. The exit status is 3 where there are
more or fewer pages than expected, and another one but 0 where WeasyPrint failed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn


def refuse(url: str, *arguments: Any, **options: Any) -> NoReturn:
    """Stands in for WeasyPrint's fetcher; raises `ValueError` for every address."""
    raise ValueError(f"nothing is fetched: {url[:80]}")


def main() -> int:
    """Makes the PDF; returns the exit status."""
    from weasyprint import HTML

    made, expected = Path(sys.argv[1]), int(sys.argv[2])
    page = sys.stdin.buffer.read().decode("utf-8")
    document = HTML(string=page, url_fetcher=refuse).render()
    if len(document.pages) != expected:
        return 3
    document.write_pdf(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
