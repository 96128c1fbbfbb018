"""WeasyPrint in a process of its own: HTML on standard input, a PDF into the named file.

    python -m companion.pads.weasyprint_worker FILE PAGES

Nothing that the page names is fetched: no network, no file. A status other than 0 says that it
failed; 3 that there are more or fewer pages than expected.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn


def refuse(url: str, *arguments: Any, **options: Any) -> NoReturn:
    """Instead of fetching."""
    raise ValueError(f"nothing is fetched: {url[:80]}")


def main() -> int:
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
