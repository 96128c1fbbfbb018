"""Live streams: the version at once and after each change, and when a stream must end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import pytest
from flask import Flask
from itsdangerous import URLSafeTimedSerializer
from sqlalchemy.exc import OperationalError

from companion.tables import Tables
from companion.tables.ledger.rights import Audience
from companion.tables.play.access import revoke
from companion.tables.play.own_phones import new_device, sign_out_others
from companion.web.run.asgi import LiveApp
from companion.web.table import live as live_module
from companion.web.table import push
from companion.web.table.live import PATH
from lab.games import passes, roll
from lab.patience import PATIENCE
from lab.servers import loop
from lab.streams import Stream, live_path, version_in
from lab.tables import Party, set_limits


@pytest.fixture
def live(app: Flask, tables: Tables) -> LiveApp:
    return LiveApp(app, tables)


def streaming(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Makes a test of a coroutine, and sees that nothing is left behind."""

    @wraps(test)
    def run(live: LiveApp, **fixtures: Any) -> None:
        async def all_of_it() -> None:
            async with asyncio.timeout(PATIENCE):
                await test(live=live, **fixtures)
            rest = asyncio.all_tasks() - {asyncio.current_task()}
            if rest:
                await asyncio.wait(rest, timeout=PATIENCE)
            assert all(task.done() for task in rest)

        loop.run(all_of_it())
        assert len(live.streams._listeners) == 0

    return run


def path_of(party: Party, who: str = "host") -> str:
    return live_path(party.app, party.id, getattr(party, who).device)


async def opened(live: LiveApp, path: str) -> Stream:
    """A stream whose first version has come."""
    stream = Stream(live, path)
    assert (await stream.start())[0] == 200
    await stream.version()
    return stream


async def refused(live: LiveApp, path: str, method: str = "GET") -> int:
    """The status of the answer that is no stream."""
    stream = Stream(live, path, method)
    status, _ = await stream.start()
    await stream.end()
    return status


def listening(party: Party) -> bool:
    return party.id in party.tables.bus.subscribed()


@streaming
async def test_the_version_at_once_and_after_each_change(game: Party, live: LiveApp) -> None:
    stream = Stream(live, path_of(game))
    status, headers = await stream.start()
    assert status == 200
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert headers[b"cache-control"] == b"no-store"
    assert headers[b"x-content-type-options"] == b"nosniff"
    first = await stream.text()
    assert first.startswith(f"retry: {live_module.RETRY_MILLISECONDS}\nevent: parts\n")
    assert first.endswith(f"\n\ndata: {game.version}\n\n")
    for action in (roll("Tim", yellow=4), passes("Tim"), passes("Sarah")):
        await asyncio.to_thread(game.do, action)
        text = await stream.text()
        assert text.startswith("event: parts\ndata: {")
        assert text.endswith("\n\n")
        assert version_in(text) == game.version
    await stream.leave()
    assert not listening(game)


@streaming
async def test_a_change_between_the_first_look_and_listening(
    game: Party, live: LiveApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changes while the stream is being opened are not lost."""
    subscribe = game.tables.bus.subscribe

    def slow(table_id: str, callback: Any) -> Any:
        game.do(roll("Tim", yellow=4))
        return subscribe(table_id, callback)

    monkeypatch.setattr(game.tables.bus, "subscribe", slow)

    stream = Stream(live, path_of(game))
    await stream.start()
    version = await stream.version()
    while version < game.version:
        version = await stream.version()
    await stream.leave()


Ends = Callable[[Party], None]
ENDS: dict[str, tuple[str, Ends]] = {
    "join link revoked": ("player", lambda game: game.change(revoke, game.links["join"])),
    "view link revoked": ("viewer", lambda game: game.change(revoke, game.links["view"])),
    "signed out": (
        "player",
        lambda game: sign_out_others(game.tables, game.player.device, new_device()),
    ),
}
"""Who is sent away, and how."""


@pytest.mark.parametrize(("who", "end"), ENDS.values(), ids=ENDS)
@streaming
async def test_a_phone_that_was_sent_away_has_no_stream(
    game: Party, live: LiveApp, who: str, end: Ends
) -> None:
    gone, staying = [await opened(live, path_of(game, one)) for one in (who, "host")]
    await asyncio.to_thread(end, game)
    assert await gone.text() == "", "it ends without a word"
    await gone.end()
    assert await refused(live, path_of(game, who)) == 403
    await asyncio.to_thread(game.do, roll("Tim", yellow=4))
    while await staying.version() < game.version:
        pass
    await staying.leave()


@streaming
async def test_forged_and_old_tickets(
    game: Party, live: LiveApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = path_of(game)
    signer = URLSafeTimedSerializer(str(game.app.secret_key), salt="another purpose")
    bad = [
        PATH, f"{PATH}x", f"{good}x", good[:-1], good.replace(".", "", 1), f"{PATH}....",
        f"{PATH}{'é' * 20}", f"{PATH}\udc80", f"{PATH}../live/", f"{PATH}{'x' * 20_000}",
        PATH + str(signer.dumps([game.id, game.host.device, "en"])),
        PATH + str(URLSafeTimedSerializer("key", salt="live").dumps([game.id, "x", "en"])),
        live_path(game.app, game.id, game.stranger.device),
        live_path(game.app, "no-such-table", game.host.device),
    ]  # fmt: skip

    for path in bad:
        assert await refused(live, path) == 403, path[:60]
    later = time.time() + live_module.TICKET_LIFETIME + 60
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: later)
    assert await refused(live, good) == 403
    assert not listening(game)


@streaming
async def test_only_get_is_a_stream(game: Party, live: LiveApp) -> None:
    for method in ("POST", "HEAD", "OPTIONS", "DELETE"):
        assert await refused(live, path_of(game), method) in (204, 405)
    assert not listening(game)


@streaming
async def test_signs_of_life(game: Party, live: LiveApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "HEARTBEAT", 0.01)

    stream = await opened(live, path_of(game))
    before = game.version
    for _ in range(3):
        assert await stream.text() == f"data: {before}\n\n"
    await asyncio.to_thread(game.do, roll("Tim", yellow=4))
    while (text := await stream.text()) == f"data: {before}\n\n":
        pass
    assert version_in(text) == game.version
    await stream.leave()


@streaming
async def test_a_page_learns_that_nothing_can_be_saved(
    game: Party, live: LiveApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anybody taps."""
    monkeypatch.setattr(live_module, "HEARTBEAT", 0.01)
    monkeypatch.setattr(game.tables.database, "fault", lambda: "its disk is full")
    stream = Stream(live, path_of(game))
    await stream.start()
    sentence = "The app cannot save anything right now. It will try again by itself."
    assert f"data: {game.version}|{sentence}\n\n" in await stream.text()
    assert await stream.text() == f"data: {game.version}|{sentence}\n\n"
    monkeypatch.undo()
    while await stream.text() != f"data: {game.version}\n\n":
        pass
    await stream.leave()


@streaming
async def test_too_many_streams(
    game: Party, live: LiveApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A phone that comes too late polls; when one leaves, there is room again."""
    set_limits(monkeypatch, game.tables, streams=2)
    live = LiveApp(live.app, game.tables)

    streams = [await opened(live, path_of(game)) for _ in range(2)]
    assert await refused(live, path_of(game)) == 204
    await streams[0].leave()
    again = await opened(live, path_of(game))
    for stream in (streams[1], again):
        await stream.leave()


@streaming
async def test_a_phone_that_breaks_off(game: Party, live: LiveApp) -> None:
    """The connection is lost while something is sent."""

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def broken(message: Any) -> None:
        if message["type"] == "http.response.body":
            raise OSError("gone")

    scope = {"type": "http", "method": "GET", "path": path_of(game), "headers": []}
    await live(scope, receive, broken)
    assert not listening(game)


@streaming
async def test_a_stream_outlives_a_lost_database(
    game: Party, live: LiveApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_known: Any) -> Audience:
        raise OperationalError("SELECT", {}, Exception("gone"))

    monkeypatch.setattr(push, "RETRY_SECONDS", 0.01)
    stream = await opened(live, path_of(game))
    with monkeypatch.context() as patch:
        patch.setattr(game.tables, "audience", lost)
        await asyncio.to_thread(game.do, roll("Tim", yellow=4))
        assert await refused(live, path_of(game, "player")) == 503
    assert await stream.version() == game.version
    await stream.leave()
