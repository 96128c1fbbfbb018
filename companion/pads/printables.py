"""Makes the ready-made PDFs of all pads in `printables/` where they are older than their source.

    python -m companion.pads.printables          # make them (`make printables`)

Beside them is `SOURCE.json`: file → a hash of the page from which it was made, which a
test compares.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Final

from companion.folders import FONTS, PRINTABLES
from companion.games.catalog import SHEETS
from companion.pads import geometry, pdf, typst
from companion.pads.engines import PrintingFailed
from companion.pads.order import Order, checked_order
from companion.pads.page_svg import svg
from companion.pads.papers import PAPERS

SOURCE: Final = PRINTABLES / "SOURCE.json"


def orders() -> Iterator[Order]:
    """One page without names of every pad on every paper."""
    for name, sheet in SHEETS.items():
        for board in sheet.boards or (None,):
            for paper in PAPERS:
                yield checked_order(name, board=board, paper=paper)


def file_name(order: Order) -> str:
    """The name of the PDF of an order: sheet, board (if it has another name) and paper."""
    words = dict.fromkeys((order.sheet.name, order.board, order.paper))
    return "-".join(filter(None, words)) + ".pdf"


def hashes() -> dict[str, str]:
    """File → the hash of the whole page and the fonts."""
    fonts = hashlib.sha256()
    for font in sorted(FONTS.glob("*.ttf")):
        fonts.update(font.read_bytes())
    found = {}
    for order in orders():
        printout = geometry.pages_of_order(order)
        page = f"{fonts.hexdigest()} {typst.document(svg(printout), printout.page)}"
        found[file_name(order)] = hashlib.sha256(page.encode()).hexdigest()[:16]
    return found


def main() -> int:
    """Makes the PDFs that are missing or older than their source; returns the exit status."""
    wanted = hashes()
    try:
        had = json.loads(SOURCE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        had = {}
    for order in orders():
        name = file_name(order)
        path = PRINTABLES / name
        if path.is_file() and had.get(name) == wanted[name]:
            continue
        try:
            path.write_bytes(pdf.pdf(geometry.pages_of_order(order), engine=typst.NAME))
        except PrintingFailed as failed:
            print(f"{path.name}: {failed}", file=sys.stderr)  # noqa: T201
            return 1
        print(path.name, file=sys.stderr)  # noqa: T201 - the command's own output
    for path in PRINTABLES.glob("*.pdf"):
        if path.name not in wanted:
            path.unlink()
    SOURCE.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
