"""Pages for printed score pads: choosing, preview, PDF. `companion.pads` draws them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.words import N_, Sentence
from companion.folders import PRINTABLES
from companion.games.catalog import GAMES, SHEET_GAMES, SHEETS
from companion.pads import geometry, order, padmap, pdf
from companion.pads.engines import PrintingFailed
from companion.pads.lettering import warnings
from companion.pads.order import NO_NUMBER, BadOrder, Order
from companion.pads.page_svg import svg
from companion.pads.papers import PAPERS
from companion.pads.printables import file_name
from companion.web.page.context import current_tables
from companion.web.page.forms import Fault
from companion.web.page.language import say
from companion.web.page.security import device, may_start

pages = Blueprint("pads", __name__)

# Limit of the copies of one order in the app: three pads on each of 40 pages
MOST_COPIES: Final = 120
MOST_CHARACTERS: Final = 4000  # Limit of the characters of all names together
PAPER_NAMES: Final = {"a4": "A4", "letter": "US Letter", "a5": "A5"}


@dataclass(frozen=True)
class PadForm:
    """The form's values, as they were typed."""

    sheet: str
    board: str
    paper: str
    copies: str
    players: str
    mono: bool = False
    numbers: str = ""  # JSON: name → the numbers of a game that goes on, as a table's menu has it

    @property
    def names(self) -> Iterator[str]:
        """The lines that are not blank, as they were typed; `order` checks them."""
        return (line for line in self.players.splitlines() if line.strip())

    def order(self) -> Order:
        """The order, checked; raises `BadOrder` with a sentence for the person."""
        if len(self.players) > MOST_CHARACTERS:
            raise BadOrder(N_("Too many names."), about="players")
        if not self.copies.strip():
            raise BadOrder(N_("The number of copies is missing."), about="copies")
        digits = self.copies.isascii() and self.copies.isdigit() and len(self.copies) < 9
        # A board may be left over from another sheet that was chosen before.
        board = self.board if SHEETS.get(self.sheet) and SHEETS[self.sheet].boards else None
        return order.checked_order(
            self.sheet,
            board=board,
            paper=self.paper,
            copies=int(self.copies) if digits else 0,
            players=tuple(self.names),
            most_copies=MOST_COPIES,
            mono=self.mono,
            numbers=self._numbers(),
        )

    def _numbers(self) -> Mapping[str, tuple[object, ...]]:
        try:
            raw = json.loads(self.numbers or "{}")
            return {name: tuple(column) for name, column in raw.items()}
        except (ValueError, TypeError, AttributeError, RecursionError) as wrong:
            raise BadOrder(NO_NUMBER) from wrong


def _form() -> PadForm:
    asked = request.args
    return PadForm(
        asked.get("sheet", next(iter(SHEETS))),
        asked.get("board", ""),
        asked.get("paper", next(iter(PAPERS))),
        asked.get("copies", "1"),
        asked.get("players", ""),
        "mono" in asked,
        asked.get("numbers", ""),
    )


def _pages_of_order(chosen: PadForm) -> geometry.Printout:
    printout = geometry.pages_of_order(chosen.order())
    most = current_tables().limits.printed_pages
    if len(printout.pages) > most:
        raise BadOrder(
            N_("That is more than %(most)s pages. Print them in parts."), about="copies", most=most
        )
    return printout


@pages.get("/pads")
def show() -> ResponseReturnValue:
    """The form, and the pages as they will be printed."""
    device()
    chosen = _form()
    fault, printout = None, None
    try:
        printout = _pages_of_order(chosen)
    except BadOrder as bad:
        fault = Fault(say(bad.sentence), bad.about)
    return render_template(
        "page/pads.html",
        chosen=chosen,
        sheets={name: _title(name) for name in SHEETS},
        layouts={name: kind.paper(kind.usual_board).layout for name, kind in SHEETS.items()},
        warnings=[*warnings(printout)] if printout else [],
        boards=SHEETS[chosen.sheet].boards if chosen.sheet in SHEETS else {},
        boards_title=SHEETS[chosen.sheet].boards_title if chosen.sheet in SHEETS else None,
        papers=PAPER_NAMES,
        printout=printout,
        drawings=svg(printout, say, on_screen=True) if printout else (),
        fault=fault,
        can_make_pdf=pdf.is_possible(),
        most_copies=MOST_COPIES,
    )


def _title(sheet: str) -> str:
    """The game that is written on a pad; of several, the pad's title and the other games."""
    kind = SHEETS[sheet]
    title = say(kind.paper(kind.usual_board).title)
    games = [say(GAMES[name].title) for name in SHEET_GAMES[sheet]]
    others = ", ".join(game for game in games if game != title)
    return f"{title} ({others})" if others and len(games) > 1 else games[0]


@pages.get("/pads/pads.pdf")
def download() -> ResponseReturnValue:
    """The PDF; without an engine, a ready-made one of a single page without names."""
    # An engine works for seconds, so another site's page must not start it by an <img>. Browsers
    # add no cookie to such a request; a request without the cookie is sent to the form, which sets
    # it.
    if not may_start():
        query = request.query_string.decode("latin-1")
        return redirect(f"{url_for('pads.show')}?{query}", code=303)
    try:
        printout = _pages_of_order(_form())
        raw = _print_pads(printout)
    except BadOrder as bad:
        return _refused(bad.sentence, HTTPStatus.UNPROCESSABLE_ENTITY)
    except PrintingFailed as failed:
        return _refused(failed.sentence, HTTPStatus.SERVICE_UNAVAILABLE)
    return _pdf(raw, file_name(printout.order))


def _print_pads(printout: geometry.Printout) -> bytes:
    if not pdf.is_possible():
        chosen, ready = printout.order, PRINTABLES / file_name(printout.order)
        is_ready = not chosen.players and not chosen.mono and len(printout.pages) == 1
        if not is_ready or not ready.is_file():
            raise PrintingFailed(pdf.NO_ENGINE)
        return ready.read_bytes()
    return pdf.pdf(printout, say)


def _pdf(raw: bytes, name: str) -> Response:
    response = make_response(raw)
    response.headers["Content-Type"] = "application/pdf"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@pages.get("/pads/map.json")
def pad_map() -> ResponseReturnValue:
    """The geometry of the same pads, as `companion pad --map` prints it."""
    try:
        return padmap.document(_pages_of_order(_form()))
    except BadOrder as bad:
        return _refused(bad.sentence, HTTPStatus.UNPROCESSABLE_ENTITY)


def _refused(sentence: Sentence, status: HTTPStatus) -> ResponseReturnValue:
    return render_template("page/error.html", code="pads", message=say(sentence)), status
