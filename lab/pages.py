"""HTML as a browser reads it, and what may be shown to people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

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
        self.is_whole = text.lstrip().lower().startswith("<!doctype html>")

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
        if self._open and self._open[-1].tag == tag:
            self._open.pop()
        else:
            self._wrong.append(f"</{tag}> closes nothing")

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
        """Faults against the Content-Security-Policy, HTML and good writing."""
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
    # The second one opens an app on the same device, with nothing but what the link says; the third
    # one is offered where there is no such app.
    known = ("data:image/svg+xml,", "bgstats://app.bgstatsapp.com/", "https://app.bgstatsapp.com/")
    # A pushed part is drawn without a request, so its addresses are relative to its page's.
    if address.startswith(known) or re.fullmatch(r"[a-z]+(/[\w-]+)*(\?[\w=&]+)?", address):
        return True
    return address.startswith(("/", "#")) and not address.startswith("//")


def is_sentence(text: str) -> bool:
    """Whether this can be shown to people: several words, filled in, and no debris of code."""
    words = text.split()
    debris = re.search(r"%\(|Traceback|Error\b|<[a-z/]|\bNone\b|object at 0x", text)
    return len(words) >= 3 and text[:1].isupper() and debris is None
