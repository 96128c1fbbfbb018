"""Counts what a phone loads: requests and bytes as transferred."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urljoin, urlsplit

from benchmarks.report import heading, line
from benchmarks.servers import server
from benchmarks.servers.play import seat_tables
from benchmarks.servers.wire import Connection, Response, checked, request
from tests.kit.pages import Page

MOST_REQUESTS: Final = 6
"""The aim for a page: at most so many requests."""
MOST_KB: Final = 80
"""The aim for a page: fewer kilobytes of bodies."""
_UNUSED: Final = {
    True: re.compile(rb'@font-face\{([^}]*unicode-range|font-family:"Nunito")[^}]*\}'),
    False: re.compile(rb"@font-face\{[^}]*unicode-range[^}]*\}"),
}
"""Fonts that wait for the names of some languages, and at a table for a dialog."""
_URL: Final = re.compile(rb"""url\(["']?([^"')]+)""")


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A response to one of a page's requests."""

    path: str
    answer: Response

    @property
    def plain(self) -> bytes:
        """The body without compression."""
        packed = self.answer.headers.get("content-encoding") == "gzip"
        return gzip.decompress(self.answer.body) if packed else self.answer.body


def run() -> None:
    """Prints the requests of the first page, the table page, and a tap."""
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


def load(connection: Connection, path: str, cookie: str) -> list[LoadedFile]:
    """Loads a page and everything that it refers to, each address once."""
    loaded: list[LoadedFile] = []
    wanted = [path]
    for address in wanted:
        answer = checked(connection.ask(request("GET", address, cookie)))
        loaded.append(LoadedFile(address, answer))
        for link in _links(loaded[-1]):
            target = urljoin(address, link)
            if target not in wanted:
                wanted.append(target)
    return loaded


def _links(page: LoadedFile) -> Iterator[str]:
    """The addresses that a browser fetches by itself to show a page or style sheet."""
    kind = page.answer.headers.get("content-type", "")
    if kind.startswith("text/html"):
        for element in Page(page.plain.decode()).elements:
            address = element.attrs.get("href" if element.tag == "link" else "src")
            if address and not address.startswith("data:"):
                yield address
    elif kind.startswith("text/css"):
        rules = _UNUSED["+table" in page.path].sub(b"", page.plain)
        yield from (found.decode() for found in _URL.findall(rules) if b"data:" not in found)


def _print(title: str, loaded: list[LoadedFile]) -> None:
    print(f"  {title}:")
    for file in loaded:
        size = len(file.answer.body)
        path = urlsplit(file.path).path
        name = "the page" if path.endswith("/") else path.removeprefix("/static/")
        packed = "" if size == len(file.plain) else f"of {len(file.plain)}"
        line(f"  {name}", f"{size:>7} bytes", packed)
    total = sum(len(file.answer.body) for file in loaded)
    heads = sum(file.answer.head_size for file in loaded)
    line(f"  {len(loaded)} requests", f"{total:>7} bytes", f"and {heads} of headers")
