"""Streams of a review's versions, over Server-Sent Events, while its photos are read and while
several devices may answer.

They count as live streams of tables do. Where there is no stream, the page asks every few seconds.
"""

from __future__ import annotations

import asyncio
from typing import Final

from flask import Flask, current_app
from itsdangerous import BadSignature, URLSafeTimedSerializer

from companion.paper.photos.sending import current_review
from companion.tables import Refused, Tables
from companion.tables.database.columns import device_hash
from companion.web.net.asgi_types import Receive, Scope, Send, send_empty
from companion.web.review.readers import readers_of
from companion.web.table.live import (
    EVENT_STREAM,
    HEARTBEAT,
    TICKET_LIFETIME,
    LiveStreams,
    NoPlace,
    disconnected,
    send_bytes,
)
from companion.web.table.push import NO_DATABASE, Bell

PATH: Final = "/live/review/"


def progress_address(review_id: str, device: str) -> str:
    """The path where this device can listen to its review, without a cookie.

    It has the device's hash: proxies write paths into their logs.
    """
    return PATH + _serializer(current_app).dumps([review_id, device_hash(device)])


def _serializer(app: Flask) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(app.secret_key), salt="review")


class ReviewStreams:
    """The ASGI app of the streams of reviews in this process."""

    def __init__(self, app: Flask, tables: Tables, streams: LiveStreams) -> None:
        self._app: Final = app
        self._tables: Final = tables
        self._streams: Final = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Streams while the pages listen, until the phone leaves or the server stops.

        Answers 403 for an address or review that is not (or no longer) valid, and 204 when no
        stream is free: a 204 tells an EventSource not to come back.
        """
        ticket = scope["path"].removeprefix(PATH)
        try:
            review_id, device = _serializer(self._app).loads(ticket, max_age=TICKET_LIFETIME)
        except (BadSignature, ValueError):
            await send_empty(send, 403)
            return
        bell = Bell()
        gone = asyncio.create_task(disconnected(receive))
        gone.add_done_callback(bell.ring)
        loop = asyncio.get_running_loop()

        def ring(_version: int) -> None:
            loop.call_soon_threadsafe(bell.ring)

        unsubscribe = self._tables.bus.subscribe(review_id, ring)
        try:
            with self._streams.place(device, bell):
                await self._send_versions(review_id, bell, gone, send)
        except NoPlace:
            await send_empty(send, 204)
        except Refused:
            await send_empty(send, 403)
        except NO_DATABASE:
            await send_empty(send, 503)
        except OSError:
            pass  # the phone has gone
        finally:
            unsubscribe()
            gone.cancel()

    async def _send_versions(
        self, review_id: str, bell: Bell, gone: asyncio.Task[None], send: Send
    ) -> None:
        version, is_followed = await self._streams.look(self._look, review_id)
        await send({"type": "http.response.start", "status": 200, "headers": EVENT_STREAM})
        try:
            while True:
                await send_bytes(send, f"data: {version}\n\n".encode())
                if not is_followed or gone.done() or self._streams.is_stopping or bell.is_last:
                    break
                await bell.rings(HEARTBEAT)
                version, is_followed = await self._streams.look(self._look, review_id)
        except (Refused, *NO_DATABASE):
            pass  # the page opens a stream again, or learns that the review is gone
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _look(self, review_id: str) -> tuple[int, bool]:
        """The review's version, and whether its pages listen for another one."""
        version, review = current_review(self._tables, readers_of(self._app), None, review_id)
        return version, review.is_followed
