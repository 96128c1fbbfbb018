"""The id and the outcome of each request, for the log, the metrics and the client.

A route stands for the path, which may hold a token: `/j/<token>`. Nothing here sees names.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, TypeAlias

from flask import Flask, request

from companion.web.net.asgi_types import AsgiApp, Message, Receive, Scope, Send, send_empty
from companion.web.net.proxies import MAPPED, Proxies

REQUEST_ID: Final = re.compile(r"[\w.-]{8,64}", re.ASCII)
"""A request's id as a trusted proxy may give it."""
HEADER: Final = b"x-request-id"
REQUESTS: Final = "companion.requests"
"""The logger of the requests' lines; it writes them where its level is INFO."""
NO_ROUTE: Final = "-"
"""The route of a path that the app does not have, or that was refused before routing."""
NO_ANSWER: Final = 499
"""The status of a request whose client left before it was answered, as nginx notes it."""

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD: Final = "other"
"""The name of every other method: a client may make up as many as it likes."""

_CONVERTER: Final = re.compile(r"<(?:[^<>]*:)?(\w+)>")


@dataclass(slots=True)
class RequestOutcome:
    """A request under way, and then its outcome."""

    id: str
    method: str = ""
    route: str = NO_ROUTE
    status: int = NO_ANSWER
    code: str = ""
    """The refusal's code; empty when nothing was refused."""
    sent: int = 0
    """Bytes of the answer's body."""
    seconds: float = 0.0
    """Time until the answer's last byte."""

    @property
    def known_method(self) -> str:
        """The method for logs and metrics."""
        return self.method if self.method in METHODS else OTHER_METHOD


Observer: TypeAlias = Callable[[RequestOutcome], object]
"""A callback for each request that has been answered."""

current: Final[ContextVar[RequestOutcome | None]] = ContextVar("request", default=None)
"""The request that this task or thread works on."""


class Observed:
    """An ASGI app that gives every request an id, and tells observers what it came to."""

    def __init__(self, app: AsgiApp, proxies: Proxies, observers: list[Observer]) -> None:
        self._app: Final = app
        self._proxies: Final = proxies
        self._observers: Final = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        outcome = RequestOutcome(self._request_id(scope), scope["method"])
        token = current.set(outcome)
        began = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                outcome.status = message["status"]
                headers = [*message.get("headers", ()), (HEADER, outcome.id.encode())]
                message = {**message, "headers": headers}
            else:
                outcome.sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counted)
        except asyncio.CancelledError:
            # The server stops, and has waited long enough.
            if outcome.status == NO_ANSWER:
                await send_empty(counted, 503, close=True)
        except Exception:
            outcome.status = 500
            raise
        finally:
            current.reset(token)
            outcome.seconds = time.perf_counter() - began
            for tell in self._observers:
                tell(outcome)

    def _request_id(self, scope: Scope) -> str:
        """The id that a trusted proxy gave, or a new one."""
        peer = scope["client"][0].removeprefix(MAPPED) if scope.get("client") else ""
        if self._proxies.trust(peer):
            for name, value in scope["headers"]:
                given = str(value, "latin-1")
                if name == HEADER and REQUEST_ID.fullmatch(given):
                    return given
        return secrets.token_hex(8)


def note_route(rule: str) -> None:
    """Notes the route of the request under way."""
    if (outcome := current.get()) is not None:
        outcome.route = _CONVERTER.sub(r"<\1>", rule)


def note_refusal(code: str) -> None:
    """Notes the code with which the request under way is refused."""
    if (outcome := current.get()) is not None:
        outcome.code = code


def init_app(app: Flask) -> None:
    """Notes the route of each request that comes to Flask."""

    @app.before_request
    def note() -> None:
        if request.url_rule is not None:
            note_route(request.url_rule.rule)


_log: Final = logging.getLogger(REQUESTS)


def log_request(outcome: RequestOutcome) -> None:
    """Writes the request's line into the log."""
    if not _log.isEnabledFor(logging.INFO):
        return
    fields = {
        "method": outcome.known_method,
        "route": outcome.route,
        "status": outcome.status,
        "ms": round(outcome.seconds * 1000, 1),
        "bytes": outcome.sent,
    }
    if outcome.code:
        fields["code"] = outcome.code
    _log.info("request", extra={"fields": fields, "request": outcome.id})
