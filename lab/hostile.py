"""Requests that cost parsers most: a large body, query or header of one kind each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from companion.web.net.bodies import BODY_BYTES
from lab.routes import ASKS, places
from lab.tables import Party

SIZE: Final = BODY_BYTES - 2_000  # bytes of a hostile body
HEADER: Final = 50_000
"""Characters of a hostile address or header; the server takes 64 kB for all of them."""
MARKS: Final = "a" + "\u0301" * (SIZE // 5) + "\u0323" * (SIZE // 5)
"""NFC must sort these marks; the time that it takes grows with the square of their number."""
FORM: Final = "application/x-www-form-urlencoded"
PARTS: Final = "multipart/form-data; boundary=part"
HEAD: Final = '--part\r\nContent-Disposition: form-data; name="{}"\r\n\r\n'
NAMES: Final = ("name", "names", "notes", "dice", "order", "game", "seat", "action", "code", "back")
"""Fields of forms in which people type, or which are parsed."""
BODIES: Final = {
    "marks": (PARTS, "".join(HEAD.format(name) + f"{MARKS}\r\n" for name in NAMES) + "--part--"),
    "fields": (FORM, "&".join(f"{NAMES[n % 10]}=a{n:0{SIZE // 1_000 - 12}}" for n in range(1_000))),
    "parts": (PARTS, (HEAD.format("code") + "\r\n") * (SIZE // 60)),
    "nested": ("application/json", '{"id": "cost-0001", "action": ' + "[" * (SIZE - 40)),
}
"""Kind → content type and text."""
HEADERS: Final = {
    "Accept-Language": "a," * (HEADER // 2),
    "Accept-Encoding": "a," * (HEADER // 2),
    "Cookie": 'companion="' + "\\377" * (HEADER // 4) + '"',
    "HX-Current-URL": "http://[" + "a/" * (HEADER // 2),
    "If-None-Match": '"a",' * (HEADER // 4),
    "Range": "bytes=" + "0-0," * (HEADER // 4),
    "Origin": "http://" + "a" * HEADER,
    "Content-Type": "multipart/form-data; " + 'a="b";' * (HEADER // 6),
}
ENDS: Final = ("/phone/new", "/t/{table}/delete")
"""Routes that take the table away from the phone that asks for the others."""


def hostile(here: Party, kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Requests to every route of a table with a body of this kind, or a query of its bytes."""
    content_type, text = BODIES[kind]
    raw = text.encode()[:SIZE]
    filled = places(here)
    for ask in ASKS:
        if ask.path in ENDS and ask.method == "POST":
            continue
        path = ask.path.format(**filled)
        if ask.method == "POST":
            yield "POST", path, {"data": raw, "content_type": content_type}
        elif path != "/pads/pads.pdf":  # the engine is a process with limits of its own
            yield "GET", f"{path}?players={text[:3_000]}&page={'9' * 3_000}", {}
    yield "POST", f"{here.path}taps", {"data": raw, "content_type": "application/json"}
