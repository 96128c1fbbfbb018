"""Gzip for pages and static text.

Written by hand, because the maintained extensions bring compiled codecs that a phone (Termux) would
have to build.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import Final

from flask import Flask, Response, request

from companion.web.assets import scripts, styles

# Least size of an answer that is packed; a smaller one fits into a network packet anyway
MIN_BYTES: Final = 800
LEVEL: Final = 9  # gzip's smallest answers, for a millisecond or two a page
# Prefixes of the MIME types that are packed
TEXT: Final = ("text/", "application/json", "application/javascript", "image/svg+xml")
# The endpoints of static files, and of what is joined from them
STATIC: Final = ("static", scripts.ENDPOINT, scripts.LIBRARIES, styles.ENDPOINT)


def init_app(app: Flask) -> None:
    """Compresses the app's answers for browsers that take gzip."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    is_text = (response.mimetype or "").startswith(TEXT)
    if not is_text or response.status_code != 200 or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    if response.is_sequence and (response.content_length or 0) < MIN_BYTES:
        return response
    is_static = request.endpoint in STATIC
    if not request.accept_encodings["gzip"]:
        return response
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) < MIN_BYTES:
        return response
    response.set_data(_packed_static(body) if is_static else gzip.compress(body, LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    if tag := response.get_etag()[0]:
        # The bytes differ from the plain ones, so the tag must be a weak one.
        response.set_etag(tag, weak=True)
    return response


@lru_cache(maxsize=32)
def _packed_static(body: bytes) -> bytes:
    return gzip.compress(body, LEVEL, mtime=0)
