"""Gzip for pages and static text. A hand-written dozen lines, because the well-kept extensions
bring compiled codecs that a phone (Termux) would have to build.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import Final

from flask import Flask, Response, request

WORTH_IT: Final = 800
"""Bytes; a smaller answer fits one packet anyway."""
LEVEL: Final = 5
TEXT: Final = ("text/", "application/json", "application/javascript", "image/svg+xml")


def init_app(app: Flask) -> None:
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    is_text = (response.mimetype or "").startswith(TEXT)
    if not is_text or response.status_code != 200 or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings["gzip"]:
        return response
    is_static = request.endpoint == "static"
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) < WORTH_IT:
        return response
    response.set_data(_static(body) if is_static else gzip.compress(body, LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    if tag := response.get_etag()[0]:
        # The bytes differ from the plain ones, so the tag is no longer a strong one.
        response.set_etag(tag, weak=True)
    return response


@lru_cache(maxsize=32)
def _static(body: bytes) -> bytes:
    return gzip.compress(body, 9, mtime=0)
