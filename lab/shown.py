"""A phone's page as text: it applies what the server sends as `static/js/table/parts.js` does.

It is independent of how the server draws, so what it shows after any changes can be compared with a
fresh page, byte for byte.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

FIELD: Final = re.compile(
    r'<g class="(?P<c>[^"]*)" data-f="(?P<id>[^"]*)" aria-label="(?P<l>[^"]*)"\s+'
    r'(?P<at>transform="[^"]*")(?: data-tap=\'(?P<t>[^\']*)\')?'
    r' (?:role="button" tabindex="0"|role="img")>(?P<head><g class="u">.*?)'
    r'<g class="m">(?P<m>.*?)</g></g></g>',
    re.DOTALL,
)
PLACE: Final = re.compile(r'data-drawn="([^"]+)">(.*)', re.DOTALL)

Update = list[dict[str, Any]]


class ShownPage:
    """The parts of a table's page, and the facts at the table's element."""

    facts: dict[str, str]
    parts: dict[str, Any]
    """Name → content. A sheet's content is its fields: id → what the page shows of it."""
    shape: str

    def __init__(self, source: str) -> None:
        self.load(source)

    def load(self, source: str) -> None:
        """Fetches the whole page and shows it."""
        root = re.search(r'<div id="table"(.*?)hx-get', source, re.DOTALL)
        assert root is not None
        data = dict(re.findall(r'\sdata-([a-z]+)="([^"]*)"', root[1]))
        self.shape = data["shape"]
        names = (
            *("version", "phase", "moment", "focus", "active", "by", "rolls", "awaited", "timer"),
            *("step", "others", "helps", "rolled", "handing"),
        )
        self.facts = {name: html.unescape(data[name]) for name in names if name in data}
        self.parts = {}
        for text in _places(source):
            place = PLACE.match(text)
            assert place is not None
            name, content = place.groups()
            self.parts[name] = content
            if name.startswith("sheet-"):
                fields = (match.groupdict() for match in FIELD.finditer(content))
                self.parts[name] = {
                    field["id"]: {**field, "l": html.unescape(field["l"])} for field in fields
                }

    @property
    def version(self) -> int:
        return int(self.facts["version"])

    def show(self, values: Update) -> str:
        """Shows an update; returns `shown`, `old` or `gap`."""
        header = next(value for value in values if "facts" in value)
        changes = {value["part"]: value for value in values if "part" in value}
        version = int(header["facts"]["version"])
        is_other = header["shape"] != self.shape
        if version < self.version or (version == self.version and not is_other):
            return "old"
        if is_other or header["from"] != self.version or not changes.keys() <= self.parts.keys():
            return "gap"
        for name, change in changes.items():
            if "html" in change:
                self.parts[name] = change["html"]
            else:
                new, part = change["fields"], self.parts[name]
                self.parts[name] = {id_: {**part[id_], **new.get(id_, {})} for id_ in part}
        self.facts = {**self.facts, **header["facts"]}
        return "shown"

    def hear(self, text: str, load: Callable[[], str]) -> str:
        """Handles a message of a stream as the script does; returns the outcome."""
        lines = [line.removeprefix("data: ") for line in text.splitlines() if line[:5] == "data:"]
        if "event: parts" not in text.splitlines():
            outcome = "gap" if lines and int(lines[0]) > self.version else "old"
        else:
            outcome = self.show([json.loads(line) for line in lines])
        if outcome == "gap":
            self.load(load())
        return outcome

    def same_as(self, other: ShownPage) -> bool:
        return (self.facts, self.parts) == (other.facts, other.parts)


def _places(source: str) -> Iterable[str]:
    """From each place of a part: its attributes and its content."""
    for match in re.finditer(r"<(\w+)[^<>]*\s(?=data-drawn=)", source):
        tag, begin = match[1], match.end()
        depth, end = 1, begin
        for found in re.finditer(rf"<(/?){tag}\b", source[begin:]):
            depth += -1 if found[1] else 1
            if not depth:
                end = begin + found.start()
                break
        yield source[begin:end]
