"""The rules of each game in short: as a page, and in the dialog of a table with what to do now."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from companion.core.game import Game
from companion.core.guide import Guide
from companion.games.catalog import GAMES
from companion.tables import Table
from companion.web.page.context import current_tables, is_fragment
from companion.web.page.security import device
from companion.web.table.sheet_drawing import draw

pages = Blueprint("rules", __name__)


@pages.get("/rules/<name>")
def show(name: str) -> ResponseReturnValue:
    """A game's rules, as a page or as a part of one."""
    if name not in GAMES:
        abort(404)
    template = "table/fragments/rules.html" if is_fragment() else "table/rules.html"
    return render_template(template, **_context(GAMES[name], GAMES[name].guide))


@pages.get("/t/<table_id>/rules")
def at_table(table_id: str) -> ResponseReturnValue:
    """The rules of the game at a table, after those that matter now on this phone."""
    table = current_tables().read(table_id, device())
    now = table.game.guide.now(table.position, _here(table)) if table.phase == "playing" else ()
    game, options = table.game, table.options
    context = _context(game, game.guide_to(options)) | {"title": game.title_of(options)}
    return render_template("table/fragments/rules.html", **context, now=now)


def _here(table: Table) -> list[str]:
    """The players of this phone; if it holds no seat, those for whom it may write."""
    mine = [seat.name for seat in table.seats if seat.mine]
    return mine or [seat.name for seat in table.seats if seat.may_enter and not seat.held]


def _context(game: Game, guide: Guide[Any]) -> dict[str, Any]:
    example = guide.example
    shown = gettext("A sheet in the middle of a game")
    picture = draw(game.sheet.filled(example), {}, shown) if example else None
    return {"game": game, "title": game.title, "guide": guide, "picture": picture}
