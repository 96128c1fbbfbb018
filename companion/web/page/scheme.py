"""Light or dark pages: as the phone's system says, unless its owner has chosen."""

from __future__ import annotations

from typing import Final

from flask import Flask, request

COOKIE: Final = "scheme"
SCHEMES: Final = ("", "light", "dark")  # the values of the cookie; "" follows the system
# The media query of the dark colours; a device that has chosen gets another one
BY_SYSTEM: Final = "(prefers-color-scheme: dark)"
_MEDIA: Final = {"light": "not all", "dark": "all"}


def init_app(app: Flask) -> None:
    app.jinja_env.globals.update(page_scheme=page_scheme, dark_media=dark_media)


def page_scheme() -> str:
    """The scheme that this device has chosen, one of `SCHEMES`."""
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in SCHEMES else ""


def dark_media() -> str:
    """The media query under which a page is dark."""
    return _MEDIA.get(page_scheme(), BY_SYSTEM)
