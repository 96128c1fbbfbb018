"""Phones that ask the app over HTTP, and the refusals that they get."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from flask import Flask, got_request_exception
from werkzeug.test import TestResponse

from lab.pages import Page, is_sentence

WAYS = ("page", "htmx", "json")
"""How a request may be made: by a browser for a whole page, by htmx for a part, as JSON."""

_numbers = count(1)


@contextmanager
def exceptions_of(app: Flask) -> Iterator[list[BaseException]]:
    """Collects the app's unexpected exceptions, which the page "something went wrong" hides."""
    seen: list[BaseException] = []

    def note(_sender: Flask, exception: BaseException, **_more: object) -> None:
        seen.append(exception)

    with got_request_exception.connected_to(note, app):
        yield seen


class Phone:
    """A browser with its own cookies. A status of 500 or above is an error, not an answer."""

    def __init__(self, app: Flask, *, base_url: str = "http://localhost") -> None:
        self.app = app
        self.client = app.test_client()
        self.device = secrets.token_urlsafe(16)
        self.base_url = base_url
        # An address of its own, so that one test's wrong codes are not another's.
        self.address = f"2001:db8:0:{next(_numbers):x}::1"
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
            more |= {"headers": headers, "base_url": self.base_url, "buffered": True}
            answer = self.client.open(path, method=method, **more)
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
        """A page or part, after a check for faults."""
        answer = self.get(path, **more)
        assert answer.status_code == 200, refusal_of(answer)
        page = Page(answer.text)
        assert not (faults := page.faults()), (path, faults)
        return page

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


def _fault_text(page: Page) -> str:
    """The refusal on a page: at the field that is to blame, or on a page of its own."""
    beside = page.all("p", id="fault")
    return (beside or [page.one("p", **{"class": "lead"})])[0].text.strip()


def refusal_of(answer: TestResponse, *, echo: str = "…") -> Refusal:
    """The refusal in an answer of any kind; it must have a sentence.

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
            found = Refusal(answer.status_code, "", _fault_text(page))
        else:
            shown = next(one for one in page.all("div") if "data-code" in one.attrs)
            found = Refusal(answer.status_code, shown.attrs["data-code"] or "", shown.text.strip())
    assert 400 <= found.status < 500, found
    assert is_sentence(found.message.replace(echo, "…")), found
    return found
