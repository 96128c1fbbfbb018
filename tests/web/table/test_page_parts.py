"""Parts of the table's page: what is pushed gives a phone the very page that it would load."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from markupsafe import Markup

from companion.core.words import Sentence
from companion.games.catalog import GAMES
from companion.tables import Tables, Tap
from companion.tables.database.columns import device_hash
from companion.tables.play.access import join_link, view_link
from companion.tables.play.lobby import set_setting, take_seat
from companion.tables.play.views import table_seen_by
from companion.web import create_app
from companion.web.page.language import LANGUAGES, speaking
from companion.web.table import framing
from companion.web.table.framing import Writer
from companion.web.table.page_parts import Drawings, Part, SheetPart, Snapshot
from companion.web.table.sheet_drawing import change_of
from lab import play
from lab.games import passes, roll, write
from lab.phones import Phone
from lab.shown import ShownPage
from lab.tables import Party, party, tap_id
from lab.wide import first_of

NAMES = ("Tim", "%s <b>&", "Sarah")
STEPS = 14


class Watcher:
    """A phone with a stream, whose messages a test passes on as it likes."""

    def __init__(self, app: Flask, phone: Phone, path: str, language: str = "en") -> None:
        self.app, self.phone, self.path, self.language = app, phone, path, language
        phone.client.set_cookie("language", language)
        self.page = ShownPage(self.load())
        self.sent = self.snapshot()
        self.outcomes: list[str] = []

    @property
    def tables(self) -> Tables:
        tables: Tables = self.app.extensions["tables"]
        return tables

    def load(self) -> str:
        return self.phone.get(self.path).text

    def snapshot(self) -> Snapshot:
        audience = self.tables.audience(self.path.split("/")[2])
        table = table_seen_by(audience, device_hash(self.phone.device), self.tables.now())
        assert table is not None
        drawings: Drawings = self.app.extensions["drawings"]
        with speaking(self.app, self.language):
            return drawings.snapshot(table)

    def next(self) -> str:
        """The message that the stream sends now."""
        before, self.sent = self.sent, self.snapshot()
        return framing.message(before, self.sent)

    def hear(self, text: str) -> str:
        self.outcomes.append(self.page.hear(text, self.load))
        return self.outcomes[-1]

    def is_right(self) -> bool:
        return self.page.same_as(ShownPage(self.load()))


@pytest.mark.parametrize("name", GAMES)
def test_the_pushed_page_equals_the_loaded_one(app: Flask, name: str) -> None:
    """A random game with undone steps; a host, a player and a viewer, in three languages."""
    chance = random.Random(name)
    tables: Tables = app.extensions["tables"]
    host, player, viewer = (Phone(app) for _ in range(3))
    record = play.some_record(NAMES, 7, STEPS, name)
    actions, record["actions"] = record["actions"], []
    path = str(host.bring(record).location)
    table = path.split("/")[2]
    tables.enter(tables.change(table, host.device, join_link).id, player.device, seat=2)
    tables.enter(tables.change(table, host.device, view_link).id, viewer.device)
    watchers = [
        Watcher(app, phone, path, language)
        for phone, language in zip((host, player, viewer), LANGUAGES, strict=True)
    ]
    for number, action in enumerate(actions):
        for change in changes_of(tables, table, host.device, action, chance, number):
            change()
            for watcher in watchers:
                watcher.hear(watcher.next())
        if number % 3 == 0 or number == len(actions) - 1:
            assert all(watcher.is_right() for watcher in watchers), action
    outcomes = [outcome for watcher in watchers for outcome in watcher.outcomes]
    assert outcomes.count("shown") > 0.9 * len(outcomes)


def changes_of(
    tables: Tables, table: str, host: str, action: Any, chance: random.Random, number: int
) -> list[Callable[[], object]]:
    """An action, perhaps undone and redone; in the middle of the game, settings change."""
    first = tap_id()
    taps = [Tap(id=first, action=action)]
    if chance.random() < 0.2:
        taps += [Tap(id=tap_id(), undo=first), Tap(id=tap_id(), redo=first)]
    changes: list[Callable[[], object]] = [partial(tables.tap, table, host, tap) for tap in taps]
    if number == STEPS // 2:
        settings = [(name, on) for name in ("shared_entry", "scores") for on in (False, True)]
        settings += [("handing", True), ("handing", False)]
        if tables.read(table, host).game.has_dice:
            settings.append(("roller", True))
        changes += [partial(tables.change, table, host, set_setting, *one) for one in settings]
    return changes


def test_a_sentence_that_cannot_be_shown_is_left_out_of_page_and_stream(
    game: Party, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    good, bad = Sentence("Last turn!"), Sentence("%(count)s cards are left", {"number": 3})
    watcher = Watcher(game.app, game.player, game.path)
    monkeypatch.setattr(type(game.read().game.panel), "news", lambda *_: [bad, good])
    game.do(*SOME_ACTIONS[:1])
    assert watcher.hear(watcher.next()) == "shown"
    assert watcher.is_right()
    assert watcher.page.parts["news"] == "<li>Last turn!</li>"
    assert caplog.records[0].exc_info
    assert "cards are left" in caplog.text


# A stream that is torn


SOME_ACTIONS = [
    roll("Tim", yellow=4), write("Tim", "yellow", 3), passes("Sarah"), passes("Linus"),
    roll("Sarah", orange=2, purple=5), write("Sarah", "orange", 4), write("Tim", "purple", 5),
]  # fmt: skip


def recorded(party: Party) -> tuple[Watcher, str, list[str], list[ShownPage]]:
    """A phone, the page that it loaded, all messages of its stream, and the page after each."""
    watcher = Watcher(party.app, party.player, party.path)
    source = watcher.load()
    messages, pages = [], [ShownPage(source)]
    for action in SOME_ACTIONS:
        party.do(action)
        messages.append(watcher.next())
        pages.append(ShownPage(watcher.load()))
    return watcher, source, messages, pages


def events(raw: bytes) -> list[str]:
    """The events of an EventSource whose stream ends here: an incomplete one is dropped."""
    return raw.decode("utf-8", "ignore").split("\n\n")[:-1]


def never() -> Any:
    raise AssertionError("nothing is fetched")


def test_a_stream_that_is_cut_at_any_byte(taken: Party) -> None:
    """The phone shows one version whole, and after the stream's next beginning the last one."""
    watcher, source, messages, pages = recorded(taken)
    raw = "".join(messages).encode()
    opening = framing.opening(watcher.sent, 1)
    ends = [len("".join(messages[:count]).encode()) for count in range(len(messages) + 1)]
    cuts = {*ends, *(end - 1 for end in ends[1:]), *(end + 1 for end in ends[:-1])}
    for cut in sorted(cuts | set(range(0, len(raw), 997))):
        watcher.page = page = ShownPage(source)
        for text in events(raw[:cut]):
            assert page.hear(text, never) == "shown"
        complete = sum(end <= cut for end in ends) - 1
        assert page.same_as(pages[complete]), cut
        for text in events(opening.encode()):
            page.hear(text, watcher.load)
        assert page.same_as(pages[-1]), cut


@pytest.mark.parametrize("seed", first_of(range(3), 0))
def test_messages_that_are_lost_doubled_or_out_of_order(taken: Party, seed: int) -> None:
    """A phone may fall behind; a sign of life brings it up to date."""
    watcher, source, messages, pages = recorded(taken)
    by_version = {page.version: page for page in pages}
    sign = framing.sign_of_life(watcher.sent)
    chance = random.Random(seed)
    for _ in range(6):
        heard = [text for text in messages for _ in range(chance.choice([0, 1, 1, 2]))]
        for _ in range(chance.randint(0, 3)):
            place = chance.randrange(len(heard))
            heard.insert(chance.randrange(len(heard)), heard.pop(place))
        page = ShownPage(source)
        for text in heard:
            page.hear(text, watcher.load)
            assert page.same_as(by_version[page.version])
        page.hear(sign, watcher.load)
        assert page.same_as(pages[-1])


def test_another_process_continues_where_one_stopped(tmp_path: Path) -> None:
    """Two servers share a database; the phone's stream and its requests go to either."""
    url = f"sqlite:///{tmp_path / 'shared.sqlite3'}"
    stores = [Tables(url), Tables(url)]
    apps = [create_app(store) for store in stores]
    try:
        game = party(apps[0], stores[0])
        watcher = Watcher(apps[0], game.host, game.path)
        for number, action in enumerate(SOME_ACTIONS):
            stores[number % 2].tap(game.id, game.host.device, Tap(id=tap_id(), action=action))
            watcher.app = apps[number // 2 % 2]
            assert watcher.hear(watcher.next()) == "shown"
            assert watcher.is_right()
        # A server that has just started sends nothing that the phone shows already.
        opening = framing.opening(watcher.snapshot(), 1)
        for text in events(opening.encode()):
            assert watcher.page.hear(text, never) == "old"
    finally:
        for store in stores:
            store.close()


def test_a_seat_that_is_taken_changes_the_page_around_the_parts(game: Party) -> None:
    watcher = Watcher(game.app, game.player, game.path)
    game.tables.change(game.id, game.player.device, take_seat, 2)
    assert watcher.hear(watcher.next()) == "gap"
    assert watcher.is_right()


def test_the_page_has_a_place_for_every_part(taken: Party) -> None:
    page = ShownPage(taken.viewer.get(taken.path).text)
    of_table = {"turn", "news", "steps", "hint", "panel", "dock", "notes", "acts"}
    of_players = {f"{kind}-{n}" for kind in ("tab", "total", "actions", "sheet") for n in (1, 2, 3)}
    assert set(page.parts) == of_table | of_players


def test_parts_are_drawn_once_for_all_who_see_the_same(taken: Party) -> None:
    watchers = [
        Watcher(taken.app, phone, taken.path) for phone in (taken.host, taken.player, taken.viewer)
    ]
    (call,) = taken.do(roll("Tim", yellow=4))
    assert taken.tap(final=call).status_code == 200
    tim, sarah, viewer = (watcher.snapshot().parts for watcher in watchers)
    for name in ("sheet-1", "tab-1", "actions-1", "total-2"):
        assert tim[name] is sarah[name]
    assert tim["panel"].html == sarah["panel"].html
    assert viewer["sheet-1"] is not tim["sheet-1"], "a viewer has nothing to tap"
    assert viewer["total-1"] is tim["total-1"]
    assert tim["hint"] is not sarah["hint"]
    taken.do(write("Tim", "yellow", 3))
    before = watchers[0].snapshot().parts
    taken.do(passes("Sarah"))
    after = watchers[0].snapshot().parts
    for name in ("panel", "sheet-1", "turn", "total-1"):
        assert after[name] is before[name]
    assert after["tab-2"] is not before["tab-2"]


def test_all_tables_share_the_drawings_of_fields(make: Callable[..., Party]) -> None:
    one, other = make("playing", ("Ada", "Ben")), make("playing", ("Cleo", "Dora"))
    for party_, name in ((one, "Ada"), (other, "Cleo")):
        party_.do(roll(name, yellow=4))
    faces = []
    for party_ in (one, other):
        sheet = Watcher(party_.app, party_.host, party_.path).snapshot().parts["sheet-1"]
        assert isinstance(sheet, SheetPart)
        faces.append(sheet.fields)
    assert all(faces[0][name] is faces[1][name] for name in faces[0])
    assert "Ada" not in "".join(face.markup for face in faces[0].values())
    assert json.loads(change_of(None, faces[0]["yellow.1"])).keys() == {"c", "l", "t", "m"}
    assert change_of(faces[0]["yellow.1"], faces[0]["yellow.1"]) == "{}"


def test_a_stream_is_one_gzip_file() -> None:
    writer = Writer(is_packed=True)
    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
    for text in ("data: ä\n" * 40, "{}", "data: ä\n"):
        assert inflate.decompress(writer.write(text)) == text.encode(), "nothing is held back"
    assert inflate.decompress(writer.end()) == b""
    assert inflate.eof
    assert not inflate.unused_data


def test_an_unchanged_part_is_not_sent_again() -> None:
    before = Part("hint", {"hint": "roll"}, Markup("<p>Roll</p>"))
    assert not Part("hint", {"hint": "Roll"}, Markup("<p>Roll</p>")).change(before)
    assert Part("hint", {"hint": "pass"}, Markup("<p>Pass</p>")).change(before)
