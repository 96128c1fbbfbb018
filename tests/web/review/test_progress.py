"""The review page hears by a stream how far its photos are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from flask import Flask

from companion.paper.photos.sending import current_review
from companion.tables import Tables
from companion.tables.play.own_phones import new_device, sign_out_others
from companion.web.review.progress import PATH
from companion.web.run.asgi import LiveApp
from tests.kit.patience import PATIENCE
from tests.kit.phones import Phone
from tests.kit.photos import standin
from tests.kit.photos.sending import look, send
from tests.kit.servers import loop
from tests.kit.streams import Stream


def run(reading: tuple[Flask, Tables], test: Callable[[LiveApp], Awaitable[None]]) -> None:
    """Runs a coroutine with a fresh ASGI app, and sees that no stream is left."""
    live = LiveApp(*reading)

    async def patiently() -> None:
        async with asyncio.timeout(PATIENCE):
            await test(live)

    loop.run(patiently())
    assert len(live.streams._bells) == 0
    assert reading[1].bus.subscribed() == ()


def sent(phone: Phone, *widths: int) -> tuple[str, str]:
    """A review with photos, and the address of its stream."""
    answer = send(phone, *map(standin.picture, widths))
    review_id = answer.location.split("/")[2]
    page = phone.page(f"/review/{review_id}/")
    return review_id, page.one(id="live").attrs["data-live"] or ""


def test_versions_come_until_all_is_read(reading: tuple[Flask, Tables]) -> None:
    phone = Phone(reading[0])
    review_id, path = sent(phone, standin.SLOW, standin.ONE)
    slow, _ = look(reading[1], phone, review_id).photos

    async def test(live: LiveApp) -> None:
        stream = Stream(live, path)
        status, headers = await stream.start()
        assert (status, headers[b"content-type"]) == (200, b"text/event-stream; charset=utf-8")
        versions = [await stream.version()]
        while any(
            photo.state != "reading" for photo in look(reading[1], phone, review_id).photos[:1]
        ):
            versions.append(await stream.version())
        reading[0].extensions["readers"].cancel(slow.id)
        while text := await stream.text():
            versions.append(int(text.removeprefix("data: ")))
        assert versions == sorted(versions)
        assert versions[-1] == reading[1].reviews.look(review_id, phone.device)[0]
        assert not look(reading[1], phone, review_id).is_pending
        await stream.end()

    run(reading, test)


def test_the_stream_of_a_phone_that_is_signed_out_ends(reading: tuple[Flask, Tables]) -> None:
    phone, stays = Phone(reading[0]), new_device()
    review_id, path = sent(phone, standin.SLOW)

    async def test(live: LiveApp) -> None:
        stream = Stream(live, path)
        assert (await stream.start())[0] == 200
        await stream.version()
        await asyncio.to_thread(sign_out_others, reading[1], phone.device, stays)
        while await stream.text():
            pass
        await stream.end()

    run(reading, test)
    _, review = current_review(reading[1], reading[0].extensions["readers"], stays, review_id)
    [photo] = review.photos
    reading[0].extensions["readers"].cancel(photo.id)


def test_a_stream_ends_with_its_review_and_with_the_server(reading: tuple[Flask, Tables]) -> None:
    phone = Phone(reading[0])
    review_id, path = sent(phone, standin.SLOW)

    async def stopped(live: LiveApp) -> None:
        stream = Stream(live, path)
        assert (await stream.start())[0] == 200
        await stream.version()
        live.stop()
        await stream.end()

    run(reading, stopped)
    phone.post(f"/review/{review_id}/discard")

    async def refused(live: LiveApp) -> None:
        for wrong in (path, path[:-1], PATH, f"{PATH}WyJhIiwiYiJd.x.y"):
            assert (await Stream(live, wrong).start())[0] == 403

    run(reading, refused)
