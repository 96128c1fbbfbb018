"""Installing the app: its manifest, the service worker, and the page that is shown offline.

The worker keeps static files whose addresses hold their hash, and the offline page. Pages and
streams always come from the server, so that no phone ever shows an old table.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

from flask import Blueprint, Response, abort, current_app, render_template, url_for
from flask.typing import ResponseReturnValue

from companion.web.assets import scripts, styles
from companion.web.assets.joined import static_folder
from companion.web.net.guard import HEADERS
from companion.web.page.language import LANGUAGES, page_language, speaking

pages = Blueprint("install", __name__)

# File, size in pixels, and purpose
ICONS: Final = (
    ("icons/icon-192.png", "192x192", "any"),
    ("icons/icon-512.png", "512x512", "any"),
    ("icons/maskable-512.png", "512x512", "maskable"),
)
# The worker's source in `static/`, below the lines with its files and version
WORKER: Final = "worker.js"


@pages.get("/app.webmanifest")
def manifest() -> ResponseReturnValue:
    """The web app manifest, for installing the app on a home screen."""
    static = current_app.jinja_env.globals["static"]
    document = {
        "name": "Companion",
        "short_name": "Companion",
        "id": "/",
        "start_url": url_for("start.show"),
        "scope": url_for("start.show"),
        "display": "standalone",
        "lang": page_language(),
        "background_color": "#f5efe4",
        "theme_color": "#f5efe4",
        "icons": [
            {"src": static(name), "sizes": size, "type": "image/png", "purpose": purpose}  # type: ignore[operator]
            for name, size, purpose in ICONS
        ],
    }
    return Response(json.dumps(document), mimetype="application/manifest+json")


@pages.get("/offline/<language>")
def offline(language: str) -> ResponseReturnValue:
    """The page for a phone without a connection; it is cached, so its address has the language."""
    if language not in LANGUAGES:
        abort(404)
    with speaking(current_app, language):
        return render_template("page/offline.html", code=language)


@pages.get("/worker.js")
def worker() -> ResponseReturnValue:
    """The service worker, at the root so that it answers for every page."""
    shell = [
        *(url_for("install.offline", language=code) for code in LANGUAGES),
        styles.address("app"),
        scripts.address("offline"),
    ]
    source = (static_folder() / WORKER).read_text(encoding="utf-8")
    facts = {"shell": shell, "languages": list(LANGUAGES)}
    version = hashlib.sha256(f"{facts}{source}".encode()).hexdigest()[:12]
    lines = f"const APP = {json.dumps({**facts, 'version': version})};\n"
    response = Response(lines + source, mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    # A worker is bound by its own script's policy.
    response.headers["Content-Security-Policy"] = HEADERS["Content-Security-Policy"]
    return response
