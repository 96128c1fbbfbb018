"""Every route with the bodies, addresses and headers that cost parsers most.

Whatever comes is answered or refused with a sentence; `python -m benchmarks hostile` says how much
processor time each takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest
from flask import Flask

from companion.limits import USUAL
from companion.tables import Tables
from tests.kit.pages import Page
from tests.kit.phones import Phone
from tests.kit.tables import Party, party
from tests.web.test_routes import ASKS, places

SIZE: Final = USUAL.body_bytes - 2_000
"""Bytes of a hostile body."""
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
    "fields": (FORM, "&".join(f"{NAMES[n % 10]}=a{n}" for n in range(SIZE // 12))),
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
"""What takes the table away from the phone that asks for the others."""


class Hostile(NamedTuple):
    """A request, as Flask's test client takes it."""

    method: str
    path: str
    more: dict[str, Any]


def hostile(here: Party, kind: str) -> Iterator[Hostile]:
    """Every route of a table with a body of this kind, or with a query of its bytes."""
    content_type, text = BODIES[kind]
    raw = text.encode()[:SIZE]
    filled = places(here)
    for ask in ASKS:
        if ask.path in ENDS and ask.method == "POST":
            continue
        path = ask.path.format(**filled)
        if ask.method == "POST":
            yield Hostile("POST", path, {"data": raw, "content_type": content_type})
        elif path != "/pads/pads.pdf":  # the engine is a process with limits of its own
            yield Hostile("GET", f"{path}?players={text[:3_000]}&page={'9' * 3_000}", {})
    yield Hostile("POST", f"{here.path}taps", {"data": raw, "content_type": "application/json"})


@pytest.mark.parametrize("kind", BODIES)
def test_every_route(app: Flask, tables: Tables, kind: str) -> None:
    """`Phone.ask` takes nothing from 500 on for an answer."""
    here = party(app, tables, "playing")
    for method, path, more in hostile(here, kind):
        answer = here.host.ask(method, path, **more)
        if answer.mimetype == "text/html" and answer.status_code not in (301, 302, 303, 308):
            assert Page(answer.text).faults() == [], path


@pytest.mark.parametrize("header", HEADERS)
def test_headers(lobby: Party, header: str) -> None:
    for path in ("/", lobby.path, "/static/app.css", "/nothing-here"):
        for method in ("GET", "POST"):
            headers = {header: HEADERS[header], "HX-Request": "true"}
            lobby.host.ask(method, path, headers=headers)


def test_long_names_are_told(lobby: Party) -> None:
    """No form passes over a name that is too long."""
    version = lobby.version
    join = f"/j/{lobby.links['join']}"
    for phone, path, form in (
        (lobby.host, "/by-hand", {"game": "encore", "names": MARKS}),
        (lobby.host, f"{lobby.path}do/add", {"name": MARKS, "color": "red"}),
        (lobby.stranger, join, {"name": MARKS}),
    ):
        data = "".join(HEAD.format(name) + f"{value}\r\n" for name, value in form.items())
        answer = phone.ask("POST", path, data=f"{data}--part--\r\n".encode(), content_type=PARTS)
        assert answer.status_code == 422, path
    assert lobby.version == version


def test_a_review(app: Flask) -> None:
    """Each change of a review that takes a text gets a hostile one."""
    phone = Phone(app)
    form = {"game": "encore", "names": "\n".join(f"N{n}" for n in range(6))}
    review = phone.post("/by-hand", form).location.split("/")[2]
    long = MARKS[: SIZE // 5]
    for verb in ("name", "nameless", "move", "keep", "two", "widen", "game", "add", "misread"):
        fields = {"on": "1", "place": long, "name": long, "to": long, "kind": long, "game": long}
        phone.ask("POST", f"/review/{review}/do/{verb}", data=fields)
    phone.ask("POST", f"/review/{review}/2/A1", data={"value": long})
    for query in ("whose=", "sheet=", "version="):
        phone.get(f"/review/{review}/?{query}{'9' * HEADER}")
