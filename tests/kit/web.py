"""Phones that ask the app over HTTP, a reader of pages, and a driver of live streams."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count
from typing import Any

from flask import Flask, got_request_exception
from werkzeug.test import TestResponse

from companion.tables import Tables, Tap
from companion.web.asgi import LiveApp
from companion.web.live import stream_address
from tests.kit.patience import PATIENCE

NAMES = ("Tim", "Sarah", "Linus")
COLORS = ("red", "blue", "green", "yellow", "purple", "orange")
WAYS = ("page", "htmx", "json")
"""How a request may be made: by a browser for a whole page, by htmx for a part, as JSON."""

HOSTILE_NAMES = (
    "<script>x()</script>",
    '"><img src=x onerror=1>',
    "' onclick='x",
    "</bdi></svg></template>",
    "&lt;b&gt; &amp; &#60;",
    "%s %(x)s %d % %% %",
    "%(player)s %(name)s",
    "{{7*7}}{% if 1 %}{count}",
    "\\u003cb\\u003e\\n\\",
    "null",
    "a=1 b=2,c",
    "\u05e2\u05d1\u05e8\u05d9\u05ea abc",
    "\u0641\u0627\u0631\u0633\u06cc\u200c\u0647\u0627",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "W" * 24,
    "Zoe\u0308",
)
"""Names that a table takes, and that a careless page would not take as text."""

REFUSED_NAMES = (
    "",
    " \t ",
    "x" * 25,
    "x" * 10_000,
    "Tim\u202egnp",
    "\u2066Tim\u2069",
    "Tim\x00",
    "Tim\nSarah",
    "\u200d\u200d",
    "\u0301",
)

_numbers = count(1)


def tap_id() -> str:
    return f"web-{next(_numbers):08}"


def is_sentence(text: str) -> bool:
    """Whether this can be shown to people: several words, filled in, and no debris of code."""
    words = text.split()
    debris = re.search(r"%\(|Traceback|Error\b|<[a-z/]|\bNone\b|object at 0x", text)
    return len(words) >= 3 and text[:1].isupper() and debris is None


@contextmanager
def exceptions_of(app: Flask) -> Iterator[list[BaseException]]:
    """Collects what the app did not expect; a page that says "something went wrong" hides it."""
    seen: list[BaseException] = []

    def note(_sender: Flask, exception: BaseException, **_more: object) -> None:
        seen.append(exception)

    with got_request_exception.connected_to(note, app):
        yield seen


class Phone:
    """A browser with its own cookies. It takes no status of 500 or above for an answer."""

    def __init__(self, app: Flask, *, base_url: str = "http://localhost") -> None:
        self.app = app
        self.client = app.test_client()
        self.device = secrets.token_urlsafe(16)
        self.base_url = base_url
        # An address of its own, so that one test's wrong codes are not another's.
        self.address = f"2001:db8::{next(_numbers):x}"
        with self.client.session_transaction(base_url=base_url) as session:
            session["device"] = self.device
            session.permanent = True

    def ask(self, method: str, path: str, *, way: str = "page", **more: Any) -> TestResponse:
        headers = dict(more.pop("headers", {}))
        more.setdefault("environ_base", {"REMOTE_ADDR": self.address})
        if way == "htmx":
            headers["HX-Request"] = "true"
        if way == "json":
            more.setdefault("json", {} if method == "POST" else None)
            more.pop("data", None)
            more["content_type"] = "application/json"
        with exceptions_of(self.app) as seen:
            answer = self.client.open(
                path,
                method=method,
                headers=headers,
                base_url=self.base_url,
                buffered=True,
                **more,
            )
        if answer.status_code >= 500:
            raise AssertionError(f"{method} {path[:80]} → {answer.status}") from (
                seen[-1] if seen else None
            )
        return answer

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.ask("GET", path, **more)

    def post(self, path: str, form: dict[str, Any] | None = None, **more: Any) -> TestResponse:
        return self.ask("POST", path, data=form, **more)

    def page(self, path: str, **more: Any) -> Page:
        answer = self.get(path, **more)
        assert answer.status_code == 200, refusal_of(answer)
        return Page(answer.text)

    def bring(self, record: object, name: str = "game.json", **more: Any) -> TestResponse:
        """Opens a game record (or whatever these bytes are)."""
        raw = record if isinstance(record, bytes) else json.dumps(record).encode()
        head = f'Content-Disposition: form-data; name="record"; filename="{name}"'
        body = b"--part\r\n" + head.encode() + b"\r\n\r\n" + raw + b"\r\n--part--\r\n"
        kind = "multipart/form-data; boundary=part"
        return self.ask("POST", "/import", data=body, content_type=kind, **more)


@dataclass
class Refusal:
    status: int
    code: str
    message: str


def refusal_of(answer: TestResponse, *, echo: str = "…") -> Refusal:
    """The refusal in an answer of whichever way; it must be told in a sentence.

    `echo` is what was sent and may stand in the sentence, whatever it looks like.
    """
    if answer.mimetype == "application/json":
        document = answer.get_json()
        assert set(document) == {"refused"}
        assert set(document["refused"]) == {"code", "message"}
        found = Refusal(answer.status_code, **document["refused"])
    else:
        page = Page(answer.text)
        assert not page.faults()
        if page.is_whole:
            found = Refusal(answer.status_code, "", page.one("p", **{"class": "lead"}).text)
        else:
            told = page.one("p", **{"class": "refused"})
            found = Refusal(answer.status_code, told.attrs["data-code"] or "", told.text)
    assert 400 <= found.status < 500, found
    assert is_sentence(found.message.replace(echo, "…")), found
    return found


@dataclass
class Party:
    """A table with a host, a player without a seat and a viewer, and a phone that is not there."""

    app: Flask
    tables: Tables
    id: str
    host: Phone
    player: Phone
    viewer: Phone
    stranger: Phone
    links: dict[str, str] = field(default_factory=dict)
    """The ids of its links by kind, and `join-token`, `code` and so on."""

    @property
    def path(self) -> str:
        return f"/t/{self.id}/"

    @property
    def version(self) -> int:
        return self.tables.version(self.id, self.host.device)

    @property
    def actions(self) -> list[Any]:
        actions = self.tables.export(self.id, self.host.device)["actions"]
        assert isinstance(actions, list)
        return actions

    @property
    def moment(self) -> str:
        position = self.tables.look(self.id, self.host.device).position
        assert position is not None
        return position.moment

    def tap(self, phone: Phone | None = None, **fields: Any) -> TestResponse:
        """A tap as `static/js/taps.js` sends it."""
        fields.setdefault("id", tap_id())
        return (phone or self.host).ask("POST", f"{self.path}taps", way="json", json=fields)

    def do(self, *actions: dict[str, Any]) -> list[str]:
        """Actions that must be allowed, put in without the web; their entries' ids."""
        ids = [tap_id() for _ in actions]
        for entry, action in zip(ids, actions, strict=True):
            self.tables.tap(self.id, self.host.device, Tap(id=entry, action=action))
        return ids


def party(
    app: Flask, tables: Tables, phase: str = "playing", names: tuple[str, ...] = NAMES
) -> Party:
    """A table in its lobby, playing, or over."""
    host, player, viewer, stranger = (Phone(app) for _ in range(4))
    if phase == "over":
        table_id = tables.import_record(host.device, finished(names))
    else:
        players = list(zip(names, COLORS, strict=False))
        table_id = tables.create(host.device, "qwinto-dice", players=players)
    join = tables.join_link(table_id, host.device)
    view = tables.view_link(table_id, host.device)
    tables.enter(join.token, player.device)
    tables.enter(view.token, viewer.device)
    if phase == "playing":
        tables.start(table_id, host.device)
    links = {"join": join.id, "join-token": join.token, "code": join.code or ""}
    links |= {"view": view.id, "view-token": view.token}
    return Party(app, tables, table_id, host, player, viewer, stranger, links)


def finished(names: tuple[str, ...] = ("Tim", "Sarah")) -> dict[str, Any]:
    """A record that the first player ends with four failed attempts; the others share the win."""
    actions: list[dict[str, Any]] = []
    turn = 0
    while sum(action["do"] == "pass" and action["by"] == names[0] for action in actions) < 4:
        active = names[turn % len(names)]
        actions.append({"do": "roll", "by": active, "dice": {"orange": turn % 6 + 1}})
        # Only the first player fails: the others find a field somewhere.
        if turn % len(names):
            row_field = 1 + turn // len(names)
            value = min(6, 2 * row_field)
            actions[-1]["dice"] = {"orange": value, "yellow": min(6, row_field)}
            write = {"do": "write", "by": active, "row": "orange", "field": row_field}
            actions += [write, {"do": "next"}]
        else:
            actions += [{"do": "pass", "by": active}]
            if sum(a["do"] == "pass" for a in actions) < 4:
                actions.append({"do": "next"})
        turn += 1
    actions += [{"do": "next"}]
    return {
        "format": "companion-record/1",
        "game": "qwinto-dice",
        "players": list(names),
        "options": {},
        "actions": actions,
    }


# Pages


VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"}
ADDRESSES = ("src", "href", "action", "formaction", "hx-get", "hx-post", "data-sort")


@dataclass
class Element:
    tag: str
    attrs: dict[str, str | None]
    text: str = ""
    inside: tuple[str, ...] = ()


class Page(HTMLParser):
    """A page or fragment as a browser reads it: its elements, and what is wrong with it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = text
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self._wrong: list[str] = []
        self.feed(text)
        self.close()
        self._wrong += [f"<{element.tag}> is never closed" for element in self._open]

    @property
    def is_whole(self) -> bool:
        return self.source.lstrip().lower().startswith("<!doctype html>")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self._wrong.append(f"<{tag}> has an attribute twice")
        element = Element(tag, dict(attrs), inside=tuple(outer.tag for outer in self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1].tag != tag:
            self._wrong.append(f"</{tag}> closes nothing")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str = "", **attrs: str) -> list[Element]:
        return [
            element
            for element in self.elements
            if tag in ("", element.tag)
            and all(value == element.attrs.get(name) for name, value in attrs.items())
        ]

    def one(self, tag: str = "", **attrs: str) -> Element:
        found = self.all(tag, **attrs)
        assert len(found) == 1, f"{len(found)} of <{tag} {attrs}>"
        return found[0]

    def having(self, name: str) -> list[Element]:
        """The elements that have an attribute of this name."""
        return [element for element in self.elements if name in element.attrs]

    def faults(self) -> list[str]:
        """What the Content-Security-Policy, HTML or a careful reader would object to."""
        wrong = list(self._wrong)
        ids = [element.attrs["id"] for element in self.having("id")]
        wrong += [f"the id {name} twice" for name in {name for name in ids if ids.count(name) > 1}]
        for element in self.elements:
            attrs = element.attrs
            if element.tag == "script" and not (attrs.get("src") or "").startswith("/static/"):
                wrong.append("a script that is not our own file")
            if element.tag in ("style", "iframe", "object", "embed", "base"):
                wrong.append(f"<{element.tag}>")
            for name, value in attrs.items():
                if name.startswith("on") or name in ("style", "hx-on", "srcdoc"):
                    wrong.append(f"{name}= on <{element.tag}>")
                if name in ADDRESSES and not _is_ours(value or ""):
                    wrong.append(f"{name}={value}")
        if self.is_whole:
            wrong += [f"no <{tag}>" for tag in ("title", "main", "h1") if not self.all(tag)]
            if not self.one("html").attrs.get("lang"):
                wrong.append("no language")
        return wrong


def _is_ours(address: str) -> bool:
    # The second one opens an app on the same device, with nothing but what the link says.
    if address.startswith(("data:image/svg+xml,", "bgstats://app.bgstatsapp.com/")):
        return True
    return address.startswith(("/", "#")) and not address.startswith("//")


# Live streams


class Stream:
    """One `/live/…` request, driven as uvicorn drives it."""

    def __init__(self, live: LiveApp, path: str, method: str = "GET") -> None:
        self._sent: asyncio.Queue[Any] = asyncio.Queue()
        self._gone = asyncio.Event()
        scope = {"type": "http", "method": method, "path": path, "headers": []}
        self.task = asyncio.create_task(live(scope, self._receive, self._send))
        self._asked = False

    async def _receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self._sent.put(message)

    async def next(self) -> Any:
        return await asyncio.wait_for(self._sent.get(), PATIENCE)

    async def start(self) -> tuple[int, dict[bytes, bytes]]:
        message = await self.next()
        assert message["type"] == "http.response.start"
        return message["status"], dict(message["headers"])

    async def text(self) -> str:
        """What comes next; empty at the end."""
        message = await self.next()
        assert message["type"] == "http.response.body"
        assert message.get("more_body", False) == bool(message["body"])
        return str(message["body"].decode())

    async def version(self) -> int:
        """The next version, whatever stands beside it."""
        found = re.search(r"^data: (\d+)$", await self.text(), re.MULTILINE)
        assert found
        return int(found[1])

    async def leave(self) -> None:
        """The phone goes away."""
        self._gone.set()
        await asyncio.wait_for(self.task, PATIENCE)

    async def end(self) -> None:
        """Waits until the server has ended the stream."""
        await asyncio.wait_for(self.task, PATIENCE)


def live_path(app: Flask, table_id: str, device: str) -> str:
    with app.app_context():
        return stream_address(table_id, device)
