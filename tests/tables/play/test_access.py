"""Links, short codes and memberships: who comes in how, and how it ends."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.limiter import RECENT_SECONDS
from companion.limits import USUAL
from companion.tables import Refused, Tables
from companion.tables.database import schema
from companion.tables.play.access import (
    CODE_LENGTH,
    CODE_LETTERS,
    CODE_MINUTES,
    join_link,
    revoke,
    view_link,
)
from companion.tables.play.lobby import start
from tests.kit.games import roll
from tests.tables.friends import (
    Clock,
    Evening,
    device,
    evening,
    inside,
    lobby,
    refused,
    refused_untouched,
)


def test_the_join_link(game: Evening, phone: str) -> None:
    tables = game.tables
    link = tables.change(game.id, game.device, join_link)
    assert len(link.id) >= 22 and link.code is not None
    assert len(link.code) == CODE_LENGTH and set(link.code) <= set(CODE_LETTERS)
    again = tables.change(game.id, game.device, join_link)
    assert (again.id, again.code) == (link.id, link.code)
    before = game.read()
    seen = tables.link_with_id(link.id)
    assert (seen.kind, seen.table_id, seen.phase) == ("join", game.id, "playing")
    assert [(seat.name, seat.held) for seat in seen.seats] == [
        ("Tim", False),
        ("Sarah", False),
        ("Linus", False),
    ]
    assert game.read() == before
    sarah = game.seat("Sarah")
    assert tables.enter(link.id, phone, seat=sarah, label="Sarah's phone") == game.id
    me = game.on(phone).read()
    assert (me.me.role, me.me.label) == ("player", "Sarah's phone")
    assert [seat.mine for seat in me.seats] == [False, True, False]
    assert tables.link_with_id(link.id).seats[1].held
    theirs = tables.change(game.id, phone, join_link)  # players may invite, too
    assert theirs.id == link.id


def test_entering_twice_is_entering_once(game: Evening, phone: str) -> None:
    link = game.change(join_link)
    game.tables.enter(link.id, phone, seat=1)
    before = game.read()
    game.tables.enter(link.id, phone, seat=1)
    game.tables.enter(link.id, phone)
    game.tables.enter(link.id, game.device)  # the host stays host
    assert game.read() == before
    assert game.read().me.role == "host"


def test_entering_on_a_held_seat(game: Evening, phone: str) -> None:
    game.joined(seat="Tim")
    link = game.change(join_link)
    enter = lambda: game.tables.enter(link.id, phone, seat=1)  # noqa: E731
    assert refused_untouched(game, enter) == "seat-taken"
    assert refused(game.on(phone).read) == "not-a-member"  # nothing of it was kept


def test_entering_with_a_new_name(tables: Tables, host: str, phone: str) -> None:
    room = lobby(tables, host)
    link = tables.change(room.id, host, join_link)
    tables.enter(link.id, phone, new_name="Ada", color="purple")
    tables.enter(link.id, phone, new_name="Ada", color="purple")
    (ada,) = (seat for seat in room.on(phone).read().seats if seat.mine)
    assert (ada.name, ada.color) == ("Ada", "purple")
    assert room.on(phone).read().me.label == "Ada"
    other = device()
    for name, code in (("ada", "name-taken"), ("\u202e", "bad-name")):
        enter = lambda name=name: tables.enter(link.id, other, new_name=name)  # noqa: E731
        assert refused_untouched(room, enter) == code
    tables.change(room.id, host, start)
    late = lambda: tables.enter(link.id, other, new_name="Bo")  # noqa: E731
    assert refused_untouched(room, late) == "game-started"


def test_a_viewer_becomes_a_player(game: Evening) -> None:
    viewer = game.watching()
    assert viewer.read().me.role == "viewer"
    join = game.change(join_link)
    game.tables.enter(join.id, viewer.device, seat=1)
    assert viewer.read().me.role == "player"
    view = game.change(view_link)
    game.tables.enter(view.id, viewer.device)  # and does not fall back
    assert viewer.read().me.role == "player"


def test_a_view_link_gives_no_seat(game: Evening, phone: str) -> None:
    view = game.change(view_link)
    game.tables.enter(view.id, phone, seat=1, new_name="Ada")
    table = game.on(phone).read()
    assert table.me.role == "viewer"
    assert not any(seat.held for seat in table.seats)


def test_revoking_ends_the_sessions(game: Evening) -> None:
    tables = game.tables
    tim, viewer = game.joined(seat="Tim"), game.watching()
    link = tables.change(game.id, game.device, join_link)
    assert [(each.kind, each.members) for each in tables.links(game.id, game.device)] == [
        ("join", 1),
        ("view", 1),
    ]
    woken = threading.Event()
    stop = tables.bus.subscribe(game.id, lambda _: woken.set())
    tables.change(game.id, game.device, revoke, link.id)
    stop()
    assert woken.is_set()
    for what in (
        tim.read,
        lambda: tables.version(game.id, tim.device),
        lambda: tim.do(roll("Tim", yellow=3)),
        lambda: tables.change(game.id, tim.device, join_link),
    ):
        assert refused_untouched(game, what) == "not-a-member"
    assert tables.at_tables(tim.device) == ()
    assert not any(seat.held for seat in game.read().seats)
    assert viewer.read().me.role == "viewer"  # came by another link
    assert link.code is not None
    for gone in (
        lambda: tables.link_with_id(link.id),
        lambda: tables.enter(link.id, tim.device),
        lambda: tables.link_with_code(link.code or "", "10.0.0.1"),
        lambda: tables.change(game.id, game.device, revoke, link.id),
        lambda: tables.change(game.id, game.device, revoke, "unknown"),
        lambda: tables.link_with_id("unknown"),
    ):
        assert refused(gone) == "no-such-link"
    fresh = tables.change(game.id, game.device, join_link)
    assert fresh.id != link.id
    tables.enter(fresh.id, tim.device, seat=1)
    assert tim.read().seats[0].mine


def test_another_tables_link_is_not_revoked(game: Evening) -> None:
    other = evening(game.tables, device())
    link = game.tables.change(other.id, other.device, join_link)
    assert refused(lambda: game.change(revoke, link.id)) == "no-such-link"
    game.tables.link_with_id(link.id)


def test_a_code_expires(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    link = timed.change(game.id, host, join_link)
    code = link.code or ""
    typed = f" {code[:3].lower()}-{code[3:]} "
    assert timed.link_with_code(typed, "10.0.0.1").id == link.id
    clock.turn(minutes=CODE_MINUTES - 1)
    assert timed.change(game.id, host, join_link).code == code
    assert timed.link_with_code(code, "10.0.0.1").table_id == game.id
    # Whoever saw it just now read "within the next hour".
    clock.turn(minutes=CODE_MINUTES - 1)
    assert timed.link_with_code(code, "10.0.0.1").table_id == game.id
    clock.turn(minutes=1)
    assert refused(lambda: timed.link_with_code(code, "10.0.0.1")) == "no-such-link"
    assert timed.links(game.id, host)[0].code is None
    version = game.read().version
    fresh = timed.change(game.id, host, join_link)
    assert fresh.code not in (None, code) and fresh.id == link.id
    assert game.read().version == version  # nothing that a page at the table shows
    timed.link_with_id(link.id)  # the link itself stays


def test_wrong_codes_are_counted(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    code = timed.change(game.id, host, join_link).code or ""
    for wrong in ("", "A", "0O1IL!", "AAAAAAA", "ÄÄÄÄÄÄ", "ẞẞẞ", "\ud800AAAAA", "AAAAAA"):
        assert (
            refused(lambda wrong=wrong: timed.link_with_code(wrong, "10.0.0.1")) == "no-such-link"
        )
    for _ in range(USUAL.recent_codes_per_address - 8):
        timed.link_with_code(code, "10.0.0.1")  # right ones do not count
        assert refused(lambda: timed.link_with_code("AAAAAA", "10.0.0.1")) == "no-such-link"
    assert refused(lambda: timed.link_with_code(code, "10.0.0.1")) == "too-many-tries"
    timed.link_with_code(code, "10.0.0.2")
    clock.turn(seconds=RECENT_SECONDS)
    timed.link_with_code(code, "10.0.0.1")


@pytest.mark.parametrize("hours", [-5, 5])
def test_a_clock_that_is_set_lifts_no_limit(tmp_path: Path, clock: Clock, hours: int) -> None:
    tables = Tables(f"sqlite:///{tmp_path / 'own.sqlite3'}", clock=clock)
    for _ in range(USUAL.recent_codes_per_address):
        assert refused(lambda: tables.link_with_code("AAAAAA", "10.0.0.1")) == "no-such-link"
        clock.turn(minutes=hours * 60)
    assert refused(lambda: tables.link_with_code("AAAAAA", "10.0.0.1")) == "too-many-tries"
    tables.close()


def test_wrong_codes_of_others_never_refuse_a_right_one(timed: Tables, host: str) -> None:
    game = evening(timed, host)
    code = timed.change(game.id, host, join_link).code or ""
    for number in range(USUAL.recent_codes_per_address + 1):
        with pytest.raises(Refused):
            timed.link_with_code("AAAAAA", f"10.0.0.{number % 2}")
    for _ in range(USUAL.recent_codes_per_address + 1):
        assert timed.link_with_code(code, "10.1.0.0").table_id == game.id


def test_only_hashes_of_devices_are_kept(game: Evening, shared_url: str) -> None:
    phone = game.joined(label="phone")
    with inside(shared_url) as connection:
        for table in schema.metadata.sorted_tables:
            text = repr(connection.execute(sa.select(table)).all())
            assert game.device not in text and phone.device not in text


@pytest.mark.parametrize("odd", ["", "\x00", "\ud800", "a/b", "ü", "x" * 5000])
def test_ids_that_are_none(game: Evening, odd: str) -> None:
    """PostgreSQL has no text for some of these, so they must not reach it."""
    tables = game.tables
    assert refused(lambda: tables.read(odd, game.device)) == "no-such-table"
    assert refused(lambda: tables.version(odd, game.device)) == "no-such-table"
    assert refused(lambda: tables.change(odd, game.device, start)) == "no-such-table"
    assert refused(lambda: tables.read(game.id, odd)) == "not-a-member"
    assert refused(lambda: tables.link_with_id(odd)) == "no-such-link"
    assert refused(lambda: tables.enter(odd, game.device)) == "no-such-link"
    assert refused(lambda: tables.change(game.id, game.device, revoke, odd)) == "no-such-link"


@pytest.mark.parametrize("label", ["x" * 25, "a\nb", "\u202e"])
def test_bad_labels(game: Evening, phone: str, label: str) -> None:
    link = game.change(join_link)
    enter = lambda: game.tables.enter(link.id, phone, label=label)  # noqa: E731
    assert refused_untouched(game, enter) == "bad-name"
