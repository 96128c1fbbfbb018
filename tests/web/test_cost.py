"""Small requests cost little: none of at most a megabyte keeps the other phones waiting.

Every route gets the bodies, addresses and headers that cost parsers, regular expressions and
Unicode's normal forms most. The processor time of a request is compared with that of fixed work, so
that neither a slow nor a busy machine changes the verdict.
"""

from __future__ import annotations

import hashlib
import json
import time
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final

import pytest
import werkzeug.test
from flask import Flask
from flask.testing import FlaskClient

from companion.core.values import LONGEST_RAW_NAME, clean_name
from companion.limits import USUAL
from companion.tables import Tables
from companion.tables.ledger.names import LONGEST_TEXT, cleaned_line, cleaned_text
from companion.vision.pictures.taken import HEAD_BYTES, taken_at
from companion.web.net.bodies import LARGE
from companion.web.table.live import takes_gzip
from companion.web.table.start import MOST_BYTES
from tests.kit.parties import Party, finished, party
from tests.kit.phones import Phone
from tests.kit.wide import first_of
from tests.web.test_routes import ASKS, places

MOST: Final = 5.0
"""Limit of a request's cost in units of fixed work, which takes about 20 ms on a small computer."""
TRIES: Final = 4
"""A cost counts only if no repetition is cheaper: caches are filled once, and garbage collected."""
FILE: Final = MOST_BYTES - 60_000
"""Bytes of a hostile file, with room for the rest of the form."""
SIZE: Final = USUAL.body_bytes - 2_000
"""Bytes of a hostile body that is no file."""
HEADER: Final = 50_000
"""Characters of a hostile address or header; the server takes 64 kB for all of them."""

FIELD: Final = SIZE - 6_000
"""Bytes of a hostile field, with room for the rest of the form."""

MARKS: Final = "a" + "\u0301" * (FIELD // 4) + "\u0323" * (FIELD // 4)
"""NFC must sort these marks; the time that it takes grows with the square of their number."""
HOSTILE: Final = {
    "marks": MARKS,
    "wide": "\ufdfa" * (FIELD // 3),
    "commas": "," * FIELD,
    "lines": "\n" * FIELD,
    "names": "a,b\n" * (FIELD // 4),
    "blanks": " " * FIELD,
    "digits": "9" * FIELD,
    "lists": "[" * FIELD,
    "objects": "[" + "{}," * (FIELD // 3 - 1) + "{}]",
    "slashes": "/" * FIELD,
    "escapes": "%" * FIELD,
    "null": "\0" * FIELD,
}
each_kind = pytest.mark.parametrize("kind", first_of(HOSTILE, "marks", "names", "objects"))


def worked() -> float:
    """The processor time of fixed work, in seconds."""
    started = time.thread_time()
    for _ in range(2):
        hashlib.sha256(bytes(8_000_000)).digest()
        sum(range(400_000))
    return time.thread_time() - started


@cache
def usual() -> float:
    """The least processor time of the fixed work, in seconds."""
    return min(worked() for _ in range(5))


def cost(request: Callable[[], object]) -> float:
    """The processor time of a request in units of fixed work: the least of a few tries."""
    least = float("inf")
    for attempt in range(TRIES):
        # Beside another program both take longer, so a second try is measured against fresh work.
        work = worked() if attempt else usual()
        started = time.thread_time()
        request()
        least = min(least, (time.thread_time() - started) / work)
        if least <= MOST / 5:
            break
    return least


@pytest.fixture(autouse=True)
def _gzip(monkeypatch: pytest.MonkeyPatch) -> None:
    """All phones take compressed answers, which cost more."""
    usual_open = FlaskClient.open

    def opened(self: FlaskClient, *args: Any, **more: Any) -> Any:
        headers = {"Accept-Encoding": "gzip", **dict(more.pop("headers", {}))}
        return usual_open(self, *args, headers=headers, **{**more, "buffered": True})

    monkeypatch.setattr(FlaskClient, "open", opened)
    # The client looks for cookies by the whole address, and unescapes it for that, byte by byte.
    short = partial(werkzeug.test.get_current_url, strip_querystring=True)
    monkeypatch.setattr(werkzeug.test, "get_current_url", short)


def multipart(fields: dict[str, str], files: dict[str, bytes] | None = None) -> dict[str, Any]:
    """A form whose fields are not escaped, so that a megabyte holds a megabyte of text."""
    parts = [
        f'--part\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode()
        + value.encode("utf-8", "surrogatepass")
        + b"\r\n"
        for name, value in fields.items()
    ]
    parts += [
        f'--part\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\n\r\n'.encode()
        + raw
        + b"\r\n"
        for name, raw in (files or {}).items()
    ]
    body = b"".join(parts) + b"--part--\r\n"
    assert len(body) <= (MOST_BYTES if files else USUAL.body_bytes)
    return {"data": body, "content_type": "multipart/form-data; boundary=part"}


def test_long_names_are_refused_before_they_are_normalised() -> None:
    assert clean_name("a" * LONGEST_RAW_NAME) == "a" * LONGEST_RAW_NAME
    assert clean_name("a" * (LONGEST_RAW_NAME + 1)) is None
    assert cost(lambda: clean_name(MARKS)) < MOST / 10


def test_long_names_are_told(lobby: Party) -> None:
    """No form passes over a name that is too long."""
    version = lobby.version
    join = f"/j/{lobby.links['join-token']}"
    for phone, path, form in (
        (lobby.host, "/by-hand", {"game": "encore", "names": MARKS}),
        (lobby.host, f"{lobby.path}do/add", {"name": MARKS, "color": "red"}),
        (lobby.stranger, join, {"name": MARKS}),
    ):
        assert phone.client.post(path, **multipart(form)).status_code == 422, path
    assert lobby.version == version


@pytest.mark.parametrize("kind", HOSTILE)
def test_texts_are_cut_before_they_are_normalised(kind: str) -> None:
    raw = HOSTILE[kind]
    for clean in (cleaned_line, cleaned_text):
        assert cost(lambda clean=clean: clean(raw)) < MOST  # type: ignore[misc]
        assert clean(clean(raw)) == clean(raw)


def test_a_text_keeps_the_marks_that_people_write() -> None:
    text = "Crème brûlée, Vie\u0323\u0302t, हिन्दी, \u05d1\u05bc\u05e8\u05d0\u05e9\u05c1\u05d9\u05ea"
    assert cleaned_text(text) == unicodedata.normalize("NFC", text)
    assert len(cleaned_text("e\u0301" * LONGEST_TEXT)) == LONGEST_TEXT


def asked_of(party: Party) -> Iterator[tuple[str, str, dict[str, str]]]:
    """(method, path, form) of every route that takes a form or a query."""
    filled = places(party)
    for ask in ASKS:
        path = ask.path.format(**filled)
        yield ask.method, path, {key: value.format(**filled) for key, value in ask.form.items()}


FIELDS: Final = {
    "/by-hand": ("names", "game", "table", "board", "keep"),
    "/totals": ("name", "total", "game", "id", "winner"),
    "/tables": ("game",),
    "/language": ("language", "scheme", "back"),
    "/join": ("code",),
    "/phone/forget": ("phone",),
    "/j/": ("name", "seat"),
    "/do/roll": ("roller", "dice", "moment"),
    "/do/take_over": ("seat",),
    "/do/": (
        "name",
        "color",
        "seat",
        "order",
        "game",
        "shared_entry",
        "option.cards",
        "turn_timer",
    ),
    "/turns/": ("action",),
    "/count": ("count.1",),
    "/note": ("place", "notes"),
    "/edit": ("ended", "name", "total", "place", "notes"),
    "/rename": ("name", "sure"),
}
"""Part of an address → the fields of its form."""
PLAYED: Final = ("/roll", "/take_over")
"""Buttons that are sent while a game is played."""
REVIEW_FIELDS: Final = {
    "name": ("on", "place", "name", "shown"),
    "nameless": ("on", "place", "key"),
    "move": ("on", "to"),
    "keep": ("on", "gone"),
    "two": ("on",),
    "widen": ("on", "fewer"),
    "game": ("game", "shown"),
    "add": ("kind", "board", "photo"),
    "remove": ("on",),
    "looked": ("on",),
    "misread": ("on", "sum"),
    "cancel": ("photo",),
    "dismiss": ("photo",),
}
"""Verb of a review → the fields of its form."""
MANY: Final = "&".join(f"{name}=a{number}" for number in range(4_000) for name in ("name", "dice"))
"""Many fields of one name, of which each value is another."""


@each_kind
def test_forms(app: Flask, tables: Tables, kind: str) -> None:
    """Each field of each form of each route is hostile in turn."""
    dear = {}
    for phase in ("lobby", "playing", "over"):
        here = party(app, tables, phase)
        for method, path, form in asked_of(here):
            if method != "POST":
                continue
            names = next((FIELDS[part] for part in FIELDS if part in path), ("anything",))
            for name in names:
                if phase != "lobby" and "/do/" in path and not path.endswith(PLAYED):
                    continue
                sent = multipart({**form, name: HOSTILE[kind]})
                needed = cost(lambda: here.host.client.post(path, **sent))  # noqa: B023
                if needed > MOST:
                    dear[f"{phase} {path} {name}"] = needed
    assert dear == {}


def test_many_fields(app: Flask, tables: Tables) -> None:
    """Names are counted before they are compared with each other, and dice before they are read."""
    dear = {}
    for phase in ("playing", "over"):
        here = party(app, tables, phase)
        for method, path, _ in asked_of(here):
            if method == "POST" and ("/do/" not in path or path.endswith(PLAYED)):
                sent: dict[str, Any] = {
                    "data": f"game=encore&{MANY}",
                    "content_type": "application/x-www-form-urlencoded",
                }
                needed = cost(lambda: here.host.client.post(path, **sent))  # noqa: B023
                if needed > MOST:
                    dear[f"{phase} {path}"] = needed
    assert dear == {}


def hostile_json(size: int) -> dict[str, str]:
    """Kind → JSON of at most so many bytes."""
    marks = ("a" + "\u0301" * size + "\u0323" * size)[size // 2 : size // 2 + size // 6]
    return {
        "deep": "[" * size,
        "deep objects": '{"a":' * (size // 5),
        "objects": "[" + "{}," * (size // 3 - 1) + "{}]",
        "keys": "{" + ",".join(f'"{number}":0' for number in range(size // 12)) + "}",
        "long number": '{"version":' + "9" * (size - 20) + "}",
        "numbers": "[" + ",".join(["9" * 4_000] * (size // 4_100)) + "]",
        "text": '{"id":"' + "x" * (size - 20) + '"}',
        "escapes": '{"id":"' + "\\u0301" * (size // 6 - 2) + '"}',
        "bad escapes": '{"id":"' + "\\ud800" * (size // 6 - 2) + '"}',
        "bytes": '{"id":"' + "\udcff" * (size - 20) + '"}',
        "blanks": " " * size,
        "marks": json.dumps({"id": "cost-0001", "action": {"do": "roll", "by": marks[:-99]}}),
        "players": json.dumps({**finished(), "players": ["Tim", marks[: -size // 60]]}),
        "raw players": json.dumps({**finished(), "players": ["Tim", marks]}, ensure_ascii=False),
        "actions": json.dumps({**finished(), "actions": [{"do": "next"}] * (size // 20)}),
        "fixes": json.dumps(
            {
                "id": "cost-0002",
                "replaces": "cost-0003",
                "action": None,
                "fixes": {f"cost-{n:05}": {"do": "x" * 1_900} for n in range(size // 2_100)},
            }
        ),
    }


JSON: Final = hostile_json(SIZE)
JSON_FILES: Final = hostile_json(FILE)


@pytest.mark.parametrize(
    "kind", first_of(JSON, "deep", "keys", "long number", "raw players", "actions", "fixes")
)
def test_json(app: Flask, tables: Tables, kind: str) -> None:
    here = party(app, tables, "playing")
    raw, file = (found[kind].encode("utf-8", "surrogateescape") for found in (JSON, JSON_FILES))
    assert here.host.client.post("/language", data=raw).status_code != 413, "as large as may be"
    asks = {
        "tap": lambda: here.host.client.post(
            f"{here.path}taps", data=raw, content_type="application/json"
        ),
        "record": lambda: here.host.client.post("/import", **multipart({}, {"record": file})),
        "history": lambda: here.host.client.post(
            "/history/import", **multipart({}, {"history": file})
        ),
    }
    assert {name: found for name, ask in asks.items() if (found := cost(ask)) > MOST} == {}


def part(head: str, content: str = "", count: int = 1) -> str:
    return f"--part\r\n{head}\r\n\r\n{content}\r\n" * count


ENCODED: Final = "application/x-www-form-urlencoded"
PARTED: Final = "multipart/form-data; boundary=part"
NAMED: Final = 'Content-Disposition: form-data; name="code"'
ODD: Final = {
    "bad bytes": (ENCODED, "code=" + "%ff" * 400_000),
    "some bad bytes": (ENCODED, "code=" + "%41%ff" * 200_000),
    "raw bytes": (ENCODED, "code=" + "\udcff" * 1_000_000),
    "escapes": (ENCODED, "code=" + "%41" * 400_000),
    "half escapes": (ENCODED, "code=" + "%" * 1_000_000),
    "empty fields": (ENCODED, "a&" * 500_000),
    "no fields": (ENCODED, "&" * 1_000_000),
    "equals": (ENCODED, "=" * 1_000_000),
    "pluses": (ENCODED, "code=" + "+" * 1_000_000),
    "many parts": (PARTED, part(NAMED, count=20_000)),
    "many files": (PARTED, part(f'{NAMED}; filename="x"', count=20_000)),
    "many heads": (PARTED, part("\r\n".join([NAMED, *["X-Y: z"] * 120_000]))),
    "long head": (PARTED, part(f"{NAMED}\r\nX-Y: {'z' * 900_000}")),
    "folded head": (PARTED, part(NAMED + "\r\n z" * 200_000)),
    "parameters": (PARTED, part(NAMED + '; a="b"' * 120_000)),
    "escaped parameters": (PARTED, part(NAMED + "; a*=utf-8''" + "%ff" * 300_000)),
    "continued parameters": (PARTED, part(NAMED + "".join(f'; a*{n}="b"' for n in range(80_000)))),
    "charset": (PARTED, part(f"{NAMED}\r\nContent-Type: a; {'charset=b;' * 90_000}")),
    "almost boundaries": (PARTED, part(NAMED, "\r\n--par" * 120_000)),
    "dashes": (PARTED, part(NAMED, "\r\n--" * 240_000)),
    "returns": (PARTED, "\r" * 1_000_000),
    "lines": (PARTED, part(NAMED, "\r\n" * 480_000)),
    "long boundary": (f"multipart/form-data; boundary={'p' * HEADER}", "--p" * 300_000),
    "text": ("text/plain; charset=utf-7", "+" * 1_000_000),
    "nothing": ("", "x" * 1_000_000),
}
"""Kind → content type and beginning of a body; as much of it is sent as the address may get."""


# A form that breaks off leaves its files to the garbage collector, which closes them.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", ODD)
def test_odd_bodies(app: Flask, tables: Tables, kind: str) -> None:
    """Where they are as large as may be, and where they are larger."""
    here = party(app, tables, "lobby")
    content_type, text = ODD[kind]
    raw = text.encode("utf-8", "surrogateescape")
    dear = {}
    for path in ("/language", f"{here.path}taps", "/upload/new", *LARGE[1:]):
        for size in (USUAL.body_bytes, 1024 * 1024):
            sent: dict[str, Any] = {"data": raw[:size], "content_type": content_type}
            needed = cost(lambda: here.host.client.post(path, **sent))  # noqa: B023
            if needed > MOST:
                dear[f"{path} {size}"] = needed
    assert dear == {}


LONG: Final = {
    "Accept-Language": "a," * (HEADER // 2),
    "Accept-Encoding": "a," * (HEADER // 2),
    "Cookie": "a=b;" * (HEADER // 4),
    "Cookie of one": "companion=" + "." * HEADER,
    "Cookie in quotes": 'a="' + "\\377" * (HEADER // 4) + '"',
    "HX-Current-URL": "http://localhost/" + "a/" * (HEADER // 2),
    "If-None-Match": '"a",' * (HEADER // 4),
    "Range": "bytes=" + "0-0," * (HEADER // 4),
    "Host": "a." * (HEADER // 2),
    "Origin": "http://" + "a" * HEADER,
    "Content-Type": "multipart/form-data; " + 'a="b";' * (HEADER // 6),
}


@pytest.mark.parametrize("header", LONG)
def test_headers(app: Flask, tables: Tables, header: str) -> None:
    here = party(app, tables, "playing")
    dear = {}
    for path in ("/", here.path, "/static/app.css", f"{here.path}menu", "/nothing-here"):
        for method in ("GET", "POST"):
            headers = {header.partition(" ")[0]: LONG[header], "HX-Request": "true"}
            needed = cost(
                lambda: here.host.client.open(path, method=method, headers=headers)  # noqa: B023
            )
            if needed > MOST:
                dear[f"{method} {path}"] = needed
    assert dear == {}


def test_the_header_of_a_stream() -> None:
    """It is looked at in the event loop, where all phones wait for it."""
    headers = [(b"accept-encoding", ("gzip," + LONG["Accept-Encoding"]).encode())]
    assert takes_gzip({"headers": headers})
    assert cost(lambda: takes_gzip({"headers": headers})) < MOST / 20


def test_the_beginning_of_a_photo() -> None:
    """There are times in it, and no end of them."""
    head = b"Exif\0\0II*\0" + b"2001:02:03 04:05:06\0" * (HEAD_BYTES // 20)
    assert cost(lambda: taken_at(head, datetime.now(UTC))) < MOST / 20


QUERIES: Final = {
    "parameters": "&".join(["a=b"] * (HEADER // 4)),
    "empty": "a&" * (HEADER // 2),
    "bad bytes": "players=" + "%ff" * (HEADER // 3),
    "escapes": "players=" + "%" * HEADER,
    "names": "players=" + "a%0A" * (HEADER // 4),
    "pads": "copies=120",
    "three": "copies=40&sheet=qwinto&players=" + "%0A".join("abc"),
    "forty": "copies=120&sheet=qwixx",
    "marks": "players=a" + "%CC%81" * (HEADER // 12) + "%CC%A3" * (HEADER // 12),
    "number": "page=" + "9" * HEADER,
    "new": "new=" + "9" * HEADER,
    "table": "table=" + "a" * HEADER,
    "version": "version=" + "9" * HEADER,
    "dice": "entry=" + "a" * HEADER,
    "have": "have=" + "a." * (HEADER // 2),
    "filter": f"person={'a' * (HEADER // 2)}&year={'9' * (HEADER // 2)}",
}


@pytest.mark.parametrize("query", first_of(QUERIES, "parameters", "names", "forty", "marks"))
def test_queries(app: Flask, tables: Tables, query: str) -> None:
    dear = {}
    for phase in ("playing", "over"):
        here = party(app, tables, phase)
        for method, path, _ in asked_of(here):
            # The engine is a process of its own, with limits of its own.
            if method != "GET" or path == "/pads/pads.pdf":
                continue
            needed = cost(lambda: here.host.client.get(f"{path}?{QUERIES[query]}"))  # noqa: B023
            if needed > MOST:
                dear[path] = needed
    assert dear == {}


PLACES: Final = ("a" * HEADER, "a+" * (HEADER // 2), "%CC%81%CC%A3" * (HEADER // 12), "9" * HEADER)
PATHS: Final = (
    "/{}",
    "/t/{}/",
    "/j/{}",
    "/history/{}",
    "/history/of/x/{}",
    "/history/people/{}",
    "/review/{}/",
    "/review/x/{}.jpg",
    "/review/x/y/{}",
    "/static/{}",
    "/static/{}.css",
    "/static/games/{}.css",
    "/static/js/{}.js",
    "/static/vendor/{}.js",
    "/upload/{}",
    "/g/{}",
    "/rules/{}",
    "/offline/{}",
    "/phone/as/{}",
    "/t/x/why/{}",
    "/history/of/x/{}/feats",
    "/history/x/photo/{}.jpg",
)


@pytest.mark.parametrize("path", PATHS)
def test_addresses(phone: Phone, path: str) -> None:
    for place in PLACES:
        assert cost(lambda: phone.client.get(path.format(place))) < MOST  # noqa: B023


def test_many_short_names_of_files(phone: Phone) -> None:
    """Each part of an address of joined files would be looked up on the disk."""
    names = "+".join(f"a{number}" for number in range(HEADER // 6))
    for folder, suffix in (("", "css"), ("games/", "css"), ("vendor/", "js")):
        assert cost(lambda: phone.client.get(f"/static/{folder}{names}.{suffix}")) < MOST / 4  # noqa: B023


@each_kind
def test_a_review(app: Flask, kind: str) -> None:
    """Sixteen sheets and hostile names, marks and verbs."""
    phone = Phone(app)
    form = {"game": "encore", "names": "\n".join(f"N{n}" for n in range(6))}
    review = phone.post("/by-hand", form).location.split("/")[2]
    for _ in range(10):
        phone.post(f"/review/{review}/do/add", {"kind": "encore"})
    assert cost(lambda: phone.client.get(f"/review/{review}/")) < MOST
    for verb, names in REVIEW_FIELDS.items():
        for name in names:
            sent = multipart({"on": "1", "kind": "encore", "gone": "x", name: HOSTILE[kind]})
            path = f"/review/{review}/do/{verb}"
            assert cost(lambda: phone.client.post(path, **sent)) < MOST, (name, verb)  # noqa: B023
    sent = multipart({"value": HOSTILE[kind]})
    assert cost(lambda: phone.client.post(f"/review/{review}/2/A1", **sent)) < MOST
    for query in ("whose=", "sheet=", "version="):
        path = f"/review/{review}/?{query}{'9' * HEADER}"
        assert cost(lambda: phone.client.get(path)) < MOST, query  # noqa: B023
