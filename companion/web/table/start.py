"""The start page: a new game, the tables of this device, a code to join, a record to open."""

from __future__ import annotations

import json
import re
from typing import Final

from flask import (
    Blueprint,
    abort,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    send_from_directory,
    url_for,
)
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from companion.core.refusal import Unusable
from companion.games.catalog import GAMES
from companion.tables import Refused
from companion.web.page import language, scheme
from companion.web.page.context import current_tables
from companion.web.page.errors import page_fault
from companion.web.page.forms import Fault
from companion.web.page.links import entrance, qr_code
from companion.web.page.security import COOKIE_LIFETIME, cookie_path, device
from companion.web.table.demo import demo

pages = Blueprint("start", __name__)

# The order of the phases in the list of tables; within one, the last change decides
PHASES: Final = ("playing", "lobby", "over")
# A path on this site, and nothing that a browser could read as another site's address
OWN_PATH: Final = re.compile(r"/([\w-][\w./-]*)?(\?[\w=&%.+-]*)?", re.ASCII)


@pages.get("/")
def show() -> ResponseReturnValue:
    """The start page: games to begin, and this device's tables."""
    return start_page()


def start_page(fault: Fault | None = None) -> str:
    """The page; `fault` says why an entered code or file cannot be used."""
    lines = sorted(current_tables().at_tables(device()), key=lambda line: PHASES.index(line.phase))
    found = entrance(url_for("start.show"))
    return render_template(
        "table/start.html",
        games=GAMES.values(),
        tables=lines,
        fault=fault,
        typed_code=request.form.get("code", ""),
        entrance=found,
        qr=qr_code(found.address) if found else "",
        demo=None if lines else demo(),
    )


@pages.post("/tables")
def create() -> ResponseReturnValue:
    """Makes a table for a game and leads to it."""
    table_id = current_tables().create(device(), request.form.get("game", ""), once=True)
    return redirect(url_for("play.show", table_id=table_id), code=303)


@pages.post("/import")
def open_record() -> ResponseReturnValue:
    """Makes a table from a `companion-record/1` file, or leads to its game in the history."""
    try:
        address = _opened()
    except (Refused, Unusable) as error:
        fault, status = page_fault(error, "record")
        return start_page(fault), status
    return redirect(address, code=303)


def _opened() -> str:
    """The page of the game whose record was sent; raises `Refused` or `Unusable`."""
    file = request.files.get("record")
    if file is None or not file.filename:
        raise Unusable(gettext("no file was chosen"))
    try:
        document = json.loads(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Unusable(gettext("it is not a JSON file")) from error
    if match_id := current_tables().history.match_of_record(device(), document):
        return url_for("history.match", match_id=match_id)
    table_id = current_tables().import_record(device(), document)
    return url_for("play.show", table_id=table_id)


@pages.post("/language")
def set_preference() -> ResponseReturnValue:
    """Keeps the chosen language, or light or dark, in a cookie; leads back within this site."""
    allowed = {language.COOKIE: language.LANGUAGES, scheme.COOKIE: scheme.SCHEMES}
    name = next(filter(allowed.__contains__, request.form), "")
    chosen = request.form.get(name, "")
    if chosen not in allowed.get(name, ()):
        abort(400)
    # Anybody may have filled in the form's `back`, so it must not lead to another site.
    back = request.form.get("back", "")
    target = back if OWN_PATH.fullmatch(back) else url_for("start.show")
    response = make_response(redirect(target, code=303))
    response.set_cookie(
        name,
        chosen,
        max_age=COOKIE_LIFETIME,
        path=cookie_path(),
        samesite="Lax",
        secure=request.is_secure,
    )
    return response


@pages.get("/favicon.ico")
def icon() -> ResponseReturnValue:
    """The icon for browsers that do not read its address."""
    return send_from_directory(str(current_app.static_folder), "icon.svg")
