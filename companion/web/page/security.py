"""The device cookie, the refusal of cross-site requests, and headers that restrict browsers.

`docs/security.md` says what is protected and what is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache, partial
from http import HTTPStatus
from math import inf
from typing import Final, TypeAlias, cast
from urllib.parse import urlsplit

from flask import Flask, Request, Response, abort, current_app, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask.typing import ResponseReturnValue
from itsdangerous import BadData, URLSafeTimedSerializer
from werkzeug.exceptions import RequestEntityTooLarge

from companion.tables import Refused
from companion.tables.play.own_phones import new_device
from companion.web.net.bodies import BODY_BYTES, REFUSED, most_bytes
from companion.web.net.guard import HSTS, NOT_OURS, headers_for, is_own
from companion.web.net.health import PATH as HEALTH
from companion.web.page.context import current_tables

COOKIE_LIFETIME: Final = timedelta(days=400)  # The longest lifetime that browsers allow
# The age from which a used cookie is sent again, so that a phone in use never loses it
RENEWAL: Final = timedelta(days=1)
COOKIES_KEPT: Final = 4096  # Cookies in memory whose signature has been checked, 0.5 kB each
COOKIE_READER: Final = "cookie-reader"
COOKIE: Final = "companion"
# The cookie's name over https: browsers then take it from this very host alone, and only there
SECURE_COOKIE: Final = "__Host-companion"
# The same under a path prefix: the other name is for cookies of a whole host
PREFIXED_COOKIE: Final = "__Secure-companion"
# The app's setting with its host names; without it, any is accepted
HOST_NAMES: Final = "HOST_NAMES"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


# A cookie → what it says, and when it was signed; raises `BadData` or `ValueError`
_Reader: TypeAlias = Callable[[str], tuple[dict[str, object], datetime]]


class _Session(SecureCookieSession):
    """The content of a phone's cookie."""

    is_foreign = False  # whether the phone has a cookie that this app has not signed
    is_old = False  # whether the cookie has to be sent again


class _SessionInterface(SecureCookieSessionInterface):
    """A Secure cookie over https, a plain one over the http of a home network.

    A browser never sends a Secure cookie back over http, so it cannot simply be always on. Only the
    signature counts, not the time in it: the clock of a small computer may be years wrong after a
    start, and no phone may be forgotten for that. For the same reason the cookie's lifetime is
    sent as Max-Age, which counts before the date beside it.
    """

    session_class = _Session

    def get_cookie_name(self, app: Flask) -> str:
        if not request.is_secure:
            return COOKIE
        return PREFIXED_COOKIE if request.script_root else SECURE_COOKIE

    def open_session(self, app: Flask, request: Request) -> _Session:
        own = self.get_cookie_name(app)
        read: _Reader = app.extensions[COOKIE_READER]
        is_foreign = False
        # Phones that came over plain http, before the app got a certificate, have the plain one.
        for name in dict.fromkeys((own, COOKIE)):
            raw = request.cookies.get(name)
            if not raw:
                continue
            try:
                content, signed = read(raw)
            except (BadData, ValueError):
                is_foreign = True
                continue
            known = _Session(content)
            known.is_old = (
                name != own or abs(time.time() - signed.timestamp()) > RENEWAL.total_seconds()
            )
            return known
        unknown = _Session()
        unknown.is_foreign = is_foreign
        return unknown

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if session.accessed:
            response.vary.add("Cookie")
        if not (session and session.modified):
            return
        serializer = cast(URLSafeTimedSerializer, self.get_signing_serializer(app))
        response.set_cookie(
            self.get_cookie_name(app),
            serializer.dumps(dict(session)),
            max_age=COOKIE_LIFETIME,
            path=cookie_path(),
            secure=request.is_secure,
            httponly=True,
            samesite="Lax",
        )
        response.vary.add("Cookie")


def cookie_path() -> str:
    """The part of the host to which cookies belong: the app's own."""
    return request.script_root or "/"


def init_app(app: Flask) -> None:
    """Sets up the cookie, and guards every request and answer."""
    interface = _SessionInterface()
    serializer = cast(URLSafeTimedSerializer, interface.get_signing_serializer(app))
    # A phone sends the same cookie with every tap; its signature need not be checked each time.
    read = lru_cache(maxsize=COOKIES_KEPT)(partial(serializer.loads, return_timestamp=True))
    app.extensions[COOKIE_READER] = read
    app.session_interface = interface
    app.jinja_env.globals["cookie_path"] = cookie_path
    app.before_request(_refuse)
    app.before_request(refuse_cross_site)
    app.before_request(_mark_online)
    app.before_request(_count_change)
    app.after_request(_add_headers)


def device() -> str:
    """This browser's secret token; a new browser gets a new token and cookie.

    Raises:
        Refused: `unknown-phone`, for a cookie that this app has not signed. It may be another
            database's, so it is only replaced when the person says so; see `sign_in_as`.
    """
    here = cast(_Session, session)
    token = here.get("device")
    if isinstance(token, str):
        if here.is_old:
            here.modified = True
            current_tables().seen(token)
        return token
    if here.is_foreign:
        raise Refused("unknown-phone")
    return sign_in_as(new_device())


def _mark_online() -> None:
    """Notes that this phone was heard: any of its requests for a page is a sign of life."""
    if request.blueprint is not None and isinstance(session.get("device"), str):
        current_tables().mark_online(device())


def _count_change() -> None:
    """Counts a device's changes outside tables, refused ones too; tables count their own."""
    if request.method in SAFE_METHODS or "table_id" in (request.view_args or {}):
        return
    if isinstance(token := session.get("device"), str):
        current_tables().count_change(token)


def sign_in_as(token: str) -> str:
    """Makes this browser the device of this token."""
    session["device"] = token
    return token


def may_start() -> bool:
    """Whether a GET that costs much comes from one of the app's pages, or was typed in."""
    site = request.headers.get("Sec-Fetch-Site", "none")
    is_page = request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    return "device" in session and (is_page or site in ("same-origin", "none"))


def _refuse() -> ResponseReturnValue | None:
    """Refuses a request for another host, or one that was refused before it reached Flask."""
    names: frozenset[str] | None = current_app.config.get(HOST_NAMES)
    host, is_health = request.headers.get("Host", ""), request.path.startswith(HEALTH)
    if names is not None and not is_health and not is_own(host, names):
        return NOT_OURS, HTTPStatus.MISDIRECTED_REQUEST, {"Content-Type": "text/plain"}
    if refused := request.environ.get("asgi.scope", {}).get(REFUSED):
        raise refused
    request.max_content_length = most_bytes(request.method, request.path)
    if request.mimetype == "application/x-www-form-urlencoded":
        # Such a form has no file. Werkzeug limits the parts of the other kind alone.
        request.max_content_length = BODY_BYTES
        if request.get_data().count(b"&") >= (request.max_form_parts or inf):
            raise RequestEntityTooLarge
    return None


def refuse_cross_site() -> None:
    """Refuses a state change that another site's page asks for (CSRF): 403."""
    # Browsers say where a request comes from: in Sec-Fetch-Site on https and localhost, in Origin
    # everywhere. A request with neither header comes from no browser. Unlike a token in a form,
    # this check does not go stale in the middle of an evening.
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
    wanted = dict(headers_for(response.content_type or ""))
    if request.is_secure:
        wanted["Strict-Transport-Security"] = HSTS
    if request.endpoint != "static":
        wanted["Cache-Control"] = "no-store"
    # `setdefault` would go through all headers for each of them.
    known = {name.lower() for name, _ in response.headers}
    for name, value in wanted.items():
        if name.lower() not in known:
            response.headers.add(name, value)
    return response
