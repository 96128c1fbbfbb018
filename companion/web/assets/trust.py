"""The page that says how a phone trusts this home's https, and the certificate for it.

Both are also there over http, for phones that do not trust it yet.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue

from companion.web.page.security import HOME_HTTPS

pages = Blueprint("trust", __name__)


class HomeHttps(NamedTuple):
    """The app's own https in a home network."""

    port: int
    root: bytes
    """The certificate that phones have to trust, as DER."""


@pages.get("/trust")
def show() -> ResponseReturnValue:
    """Four steps for each kind of phone; the last one leads to this very host's https."""
    host = urlsplit(request.host_url).hostname or ""
    address = f"https://{f'[{host}]' if ':' in host else host}:{_home_https().port}/"
    return render_template("page/trust.html", address=address)


@pages.get("/trust/companion.crt")
def certificate() -> ResponseReturnValue:
    """The root, as the type that phones offer to install."""
    return Response(_home_https().root, mimetype="application/x-x509-ca-cert")


def _home_https() -> HomeHttps:
    found: HomeHttps | None = current_app.config.get(HOME_HTTPS)
    if found is None:
        abort(404)
    return found
