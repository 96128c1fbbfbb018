"""WeasyPrint in a process of its own: HTML on standard input, a PDF on standard output.

    python -m companion.pads.weasyprint_worker PAGES

Nothing that the page names is fetched: no network, no file. Another number of pages than `PAGES`
is a failure.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn


def refuse(url: str, *arguments: Any, **options: Any) -> NoReturn:
    """Stands in for WeasyPrint's fetcher; raises `ValueError` for every address."""
    raise ValueError(f"nothing is fetched: {url[:80]}")


def main() -> None:
    """Makes the PDF, or ends the process with a reason."""
    from weasyprint import HTML

    page = sys.stdin.buffer.read().decode("utf-8")
    document = HTML(string=page, url_fetcher=refuse).render()
    if len(document.pages) != int(sys.argv[1]):
        sys.exit(f"{len(document.pages)} pages instead of {sys.argv[1]}")
    document.write_pdf(sys.stdout.buffer)


if __name__ == "__main__":
    main()
