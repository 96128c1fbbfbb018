"""The device cookie, the refusal of cross-site requests, and headers that restrict browsers.

`docs/security.md` says what is protected and what is not.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request, session
from flask.sessions import SecureCookieSessionInterface

DEVICE_BYTES: Final = 16
COOKIE_LIFETIME: Final = timedelta(days=400)
"""The longest lifetime that browsers allow."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
        " img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), microphone=(), payment=(), usb=()",
}


class _SessionInterface(SecureCookieSessionInterface):
    """A Secure cookie over https, a plain one over the http of a home network.

    A browser never sends a Secure cookie back over http, so it cannot simply be always on.
    """

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def init_app(app: Flask) -> None:
    """Sets up the cookie, and guards every request and answer."""
    app.config.update(
        SESSION_COOKIE_NAME="companion",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        PERMANENT_SESSION_LIFETIME=COOKIE_LIFETIME,
        # Signing the cookie anew on every answer would cost each tap for nothing.
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.session_interface = _SessionInterface()
    app.before_request(refuse_cross_site)
    app.after_request(_add_headers)


def device() -> str:
    """This browser's secret token; a new browser gets a new token and cookie."""
    token = session.get("device")
    if not isinstance(token, str):
        token = secrets.token_urlsafe(DEVICE_BYTES)
        session["device"] = token
        session.permanent = True
    return token


def refuse_cross_site() -> None:
    """Refuses a state change that another site's page asks for (CSRF): 403.

    Browsers say where a request comes from: in Sec-Fetch-Site on https and localhost, in Origin
    everywhere. A request with neither header comes from no browser. Unlike a token in a form,
    this check does not go stale in the middle of an evening.
    """
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site is not None:
        refused = site not in ("same-origin", "none")
    elif origin is not None:
        refused = not _is_own(origin)
    else:
        refused = False
    if refused:
        abort(403)


def _is_own(origin: str) -> bool:
    try:
        return urlsplit(origin).netloc == request.host
    except ValueError:
        return False


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response
