"""(d) What a phone loads: requests and bytes as they come over the network."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urljoin, urlsplit

from benchmarks import server
from benchmarks.play import seat_tables
from benchmarks.report import heading, line
from benchmarks.wire import Answer, Connection, checked, request

MOST_REQUESTS: Final = 6
MOST_KB: Final = 80
_URL: Final = re.compile(rb"""url\(["']?([^"')]+)""")


@dataclass(frozen=True, slots=True)
class Loaded:
    path: str
    answer: Answer

    @property
    def plain(self) -> bytes:
        packed = self.answer.headers.get("content-encoding") == "gzip"
        return gzip.decompress(self.answer.body) if packed else self.answer.body


class _Links(HTMLParser):
    """The addresses that a browser fetches by itself when it shows the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get("href") if tag == "link" else given.get("src")
        if address and not address.startswith("data:"):
            self.found.append(address)


def run() -> None:
    heading(
        "pages",
        "requests and bytes of a load with an empty cache",
        f"at most {MOST_REQUESTS} requests and under {MOST_KB} kB",
    )
    with TemporaryDirectory() as folder:
        database = Path(folder) / "app.db"
        (playing,) = seat_tables(database, 1, 6)
        with server.companion(database) as app, Connection(app.port) as connection:
            player, cookie = next(iter(playing.cookies.items()))
            _print("first page", load(connection, "/", ""))
            _print("table of 6 in mid-play", load(connection, playing.path, cookie))
            line("  and the live stream, which stays open", "")
            again = checked(connection.ask(request("GET", playing.path, cookie, htmx=True)))
            line("fragment after each tap", f"{len(again.body):>7} bytes")
            player, tap = playing.tap()
            raw = request("POST", f"{playing.path}taps", playing.cookies[player], tap)
            answer = checked(connection.ask(raw))
            line("a tap's answer", f"{len(answer.body):>7} bytes", f"{answer.head_size} of headers")


def load(connection: Connection, path: str, cookie: str) -> list[Loaded]:
    """The page and everything that it fetches, each address once."""
    loaded: list[Loaded] = []
    wanted = [path]
    for address in wanted:
        answer = checked(connection.ask(request("GET", address, cookie)))
        loaded.append(Loaded(address, answer))
        for link in _links(loaded[-1]):
            target = urljoin(address, link)
            if target not in wanted:
                wanted.append(target)
    return loaded


def _links(page: Loaded) -> Iterator[str]:
    kind = page.answer.headers.get("content-type", "")
    if kind.startswith("text/html"):
        links = _Links()
        links.feed(page.plain.decode())
        yield from links.found
    elif kind.startswith("text/css"):
        yield from (found.decode() for found in _URL.findall(page.plain) if b"data:" not in found)


def _print(title: str, loaded: list[Loaded]) -> None:
    print(f"  {title}:")
    for one in loaded:
        size = len(one.answer.body)
        path = urlsplit(one.path).path
        name = "the page" if path.endswith("/") else path.removeprefix("/static/")
        packed = "" if size == len(one.plain) else f"of {len(one.plain)}"
        line(f"  {name}", f"{size:>7} bytes", packed)
    total = sum(len(one.answer.body) for one in loaded)
    heads = sum(one.answer.head_size for one in loaded)
    line(f"  {len(loaded)} requests", f"{total:>7} bytes", f"and {heads} of headers")
