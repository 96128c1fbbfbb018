"""The Flask application factory."""

from __future__ import annotations

from collections.abc import MutableMapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from flask import Flask, Response, request, url_for
from flask.templating import Environment
from jinja2 import StrictUndefined

from companion import __version__
from companion.core import sheet_style
from companion.tables import Tables
from companion.tables.ledger.table_settings import SETTINGS
from companion.web.assets import compress, install, scripts, styles
from companion.web.assets.joined import fingerprint, static_folder
from companion.web.net import health
from companion.web.net.bodies import BODY_BYTES
from companion.web.page import errors, formats, language, scheme, security
from companion.web.page import printing as pads
from companion.web.page.context import htmx
from companion.web.record import backup_pages as files
from companion.web.record import edit_pages, history, personal, results
from companion.web.review import pages as reviews
from companion.web.review import photo
from companion.web.review import totals_form as totals
from companion.web.table import correcting, phones, play, share, sheet_drawing, start
from companion.web.table import short_rules as rules
from companion.web.table.page_parts import Drawings

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_REPOSITORY: Final = _PACKAGE.parent

# Lifetime of a static file whose address has its content's hash, so that it never goes stale
STATIC_MAX_AGE: Final = timedelta(days=365)
# Modules that set up the app, in this order
PARTS: Final = (
    security, language, scheme, formats, errors, compress, scripts, styles, photo
)  # fmt: skip
PAGES: Final = (
    start, play, correcting, rules, share, phones, pads, history, files, install,
    health, photo, reviews, totals, edit_pages, results, personal,
)  # fmt: skip


class _Environment(Environment):
    """Jinja's environment, whose templates share one dict of globals.

    Usually each template has a `ChainMap`. It is read key by key in Python whenever a template is
    drawn or imports a macro, which took an eighth of the time of drawing.
    """

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return self.globals if d is None else {**self.globals, **d}


class _App(Flask):
    """Flask with a longer cache lifetime for static files with a hash in their address."""

    jinja_environment = _Environment

    def get_send_file_max_age(self, filename: str | None) -> int | None:
        return int(STATIC_MAX_AGE.total_seconds()) if "v" in request.args else None

    def send_static_file(self, filename: str) -> Response:
        """The response with a page's file, without a name for saving it."""
        response = super().send_static_file(filename)
        response.headers.pop("Content-Disposition", None)
        return response

    def log_exception(self, exc_info: Any) -> None:
        """Logs the route of a request that failed, and not its path, which may hold a token."""
        route = request.url_rule.rule if request.url_rule else "no such route"
        self.logger.error("%s %s failed", request.method, route, exc_info=exc_info)


def create_app(tables: Tables) -> Flask:
    """The Flask app for open tables; the caller closes them."""
    assets = _assets()
    app = _App(
        __name__, template_folder=str(assets / "templates"), static_folder=str(assets / "static")
    )
    app.config.update(SECRET_KEY=tables.secret_key(), MAX_FORM_MEMORY_SIZE=BODY_BYTES)
    app.extensions["tables"] = tables
    app.extensions["drawings"] = Drawings()
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        static=_static_url,
        icon=_icon(assets / "static"),
        version=__version__,
        sheet_style=sheet_style,
        settings=SETTINGS,
        die=sheet_drawing.die,
        kept=sheet_drawing.kept,
    )
    app.jinja_env.filters["json"] = sheet_drawing.as_json
    htmx.init_app(app)
    for part in PARTS:
        part.init_app(app)
    for module in PAGES:
        app.register_blueprint(module.pages)
    return app


def _assets() -> Path:
    """The folder of templates and static files: beside the package, or inside it when installed."""
    beside = (_REPOSITORY / "templates").is_dir() and (_REPOSITORY / "static").is_dir()
    return _REPOSITORY if beside else _PACKAGE / "assets"


def _icon(folder: Path) -> str:
    """The app's icon as an address that holds its whole content, which saves a request."""
    lines = (folder / "icon.svg").read_text(encoding="utf-8").splitlines()
    drawing = " ".join(line.strip() for line in lines).replace('"', "'")
    return "data:image/svg+xml," + quote(drawing, safe=" '/:=")


def _static_url(name: str) -> str:
    """The address of a static file with its content's hash, so that it can be cached for good."""
    return url_for("static", filename=name, v=_fingerprint(static_folder() / name))


_fingerprint: Final = cache(lambda path: fingerprint(path.read_bytes()))
