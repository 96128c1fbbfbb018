"""Requests to an ASGI app without a server, as uvicorn would pass them on, and the answers."""

from __future__ import annotations

from typing import Any, TypeAlias

from lab.servers import loop

Answer: TypeAlias = tuple[int, dict[str, str], bytes]  # status, headers (each once) and body


def scope_of(
    path: str, *headers: tuple[str, str], method: str = "GET", scheme: str = "http"
) -> dict[str, Any]:
    """The scope of a request; the path may have a query."""
    path, _, query = path.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": scheme,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        "client": ("192.0.2.7", 50_000),
        "server": ("192.0.2.1", 8000),
    }


async def answered(app: Any, path: str, *headers: tuple[str, str], **more: Any) -> Answer:
    """The answer to a request without a body."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope_of(path, *headers, **more), receive, send)
    found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    assert len(found) == len(sent[0]["headers"])
    return sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:])


def asked(app: Any, path: str, *headers: tuple[str, str], **more: Any) -> Answer:
    """As `answered`, in an event loop of its own."""
    return loop.run(answered(app, path, *headers, **more))
