"""Types of the ASGI protocol, and an empty answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


async def send_empty(send: Send, status: int, *, close: bool = False) -> None:
    """Answers with a status and no body.

    Args:
        close: whether the connection ends, because the rest of its request is not wanted.
    """
    headers = [(b"connection", b"close")] if close else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
