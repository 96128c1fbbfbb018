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
from companion.tables.play import access
from companion.tables.play.access import (
    CODE_LENGTH,
    CODE_LETTERS,
    CODE_MINUTES,
    join_link,
    revoke,
    seat_link,
    view_link,
)
from companion.tables.play.lobby import remove_seat, set_setting, start
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
    assert len(link.token) >= 22 and link.code is not None
    assert len(link.code) == CODE_LENGTH and set(link.code) <= set(CODE_LETTERS)
    again = tables.change(game.id, game.device, join_link)
    assert (again.id, again.token, again.code) == (link.id, link.token, link.code)
    before = game.look()
    seen = tables.look_link(link.token)
    assert (seen.kind, seen.table_id, seen.phase, seen.seat) == ("join", game.id, "playing", None)
    assert [(seat.name, seat.held) for seat in seen.seats] == [
        ("Tim", False),
        ("Sarah", False),
        ("Linus", False),
    ]
    assert game.look() == before
    sarah = game.seat("Sarah")
    assert tables.enter(link.token, phone, seat=sarah, label="Sarah's phone") == game.id
    me = game.on(phone).look()
    assert (me.me.role, me.me.label) == ("player", "Sarah's phone")
    assert [seat.mine for seat in me.seats] == [False, True, False]
    assert tables.look_link(link.token).seats[1].held
    theirs = tables.change(game.id, phone, join_link)  # players may invite, too
    assert theirs.id == link.id
    assert tables.look_link(theirs.token).table_id == game.id


def test_entering_twice_is_entering_once(game: Evening, phone: str) -> None:
    link = game.change(join_link)
    game.tables.enter(link.token, phone, seat=1)
    before = game.look()
    game.tables.enter(link.token, phone, seat=1)
    game.tables.enter(link.token, phone)
    game.tables.enter(link.token, game.device)  # the host stays host
    assert game.look() == before
    assert game.look().me.role == "host"


def test_entering_on_a_held_seat(game: Evening, phone: str) -> None:
    game.joined(seat="Tim")
    link = game.change(join_link)
    enter = lambda: game.tables.enter(link.token, phone, seat=1)  # noqa: E731
    assert refused_untouched(game, enter) == "seat-taken"
    assert refused(game.on(phone).look) == "not-a-member"  # nothing of it was kept


def test_entering_with_a_new_name(tables: Tables, host: str, phone: str) -> None:
    room = lobby(tables, host)
    link = tables.change(room.id, host, join_link)
    tables.enter(link.token, phone, new_name="Ada", color="purple")
    tables.enter(link.token, phone, new_name="Ada", color="purple")
    (ada,) = (seat for seat in room.on(phone).look().seats if seat.mine)
    assert (ada.name, ada.color) == ("Ada", "purple")
    assert room.on(phone).look().me.label == "Ada"
    other = device()
    for name, code in (("ada", "name-taken"), ("\u202e", "bad-name")):
        enter = lambda name=name: tables.enter(link.token, other, new_name=name)  # noqa: E731
        assert refused_untouched(room, enter) == code
    tables.change(room.id, host, start)
    late = lambda: tables.enter(link.token, other, new_name="Bo")  # noqa: E731
    assert refused_untouched(room, late) == "game-started"


def test_a_viewer_becomes_a_player(game: Evening) -> None:
    viewer = game.watching()
    assert viewer.look().me.role == "viewer"
    join = game.change(join_link)
    game.tables.enter(join.token, viewer.device, seat=1)
    assert viewer.look().me.role == "player"
    view = game.change(view_link)
    game.tables.enter(view.token, viewer.device)  # and does not fall back
    assert viewer.look().me.role == "player"


def test_a_view_link_gives_no_seat(game: Evening, phone: str) -> None:
    view = game.change(view_link)
    game.tables.enter(view.token, phone, seat=1, new_name="Ada")
    table = game.on(phone).look()
    assert table.me.role == "viewer"
    assert not any(seat.held for seat in table.seats)


def test_the_host_hands_a_seat_over(game: Evening, phone: str) -> None:
    old = game.joined(seat="Tim")
    game.change(set_setting, "shared_entry", False)
    link = game.change(seat_link, game.seat("Tim"))
    assert game.tables.look_link(link.token).seat == game.seat("Tim")
    game.tables.enter(link.token, phone)
    assert game.on(phone).look().seats[0].mine
    assert refused(lambda: old.do(roll("Tim", yellow=3))) == "not-your-seat"
    game.on(phone).do(roll("Tim", yellow=3))
    assert refused(lambda: game.change(seat_link, 99)) == "no-such-seat"


def test_a_link_to_a_seat_that_is_gone(tables: Tables, host: str, phone: str) -> None:
    room = lobby(tables, host)
    link = tables.change(room.id, host, seat_link, room.seat("Linus"))
    tables.change(room.id, host, remove_seat, room.seat("Linus"))
    assert refused(lambda: tables.look_link(link.token)) == "no-such-link"
    assert refused(lambda: tables.enter(link.token, phone)) == "no-such-link"


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
        tim.look,
        lambda: tables.version(game.id, tim.device),
        lambda: tim.do(roll("Tim", yellow=3)),
        lambda: tables.change(game.id, tim.device, join_link),
    ):
        assert refused_untouched(game, what) == "not-a-member"
    assert tables.at_tables(tim.device) == ()
    assert not any(seat.held for seat in game.look().seats)
    assert viewer.look().me.role == "viewer"  # came by another link
    assert link.code is not None
    for gone in (
        lambda: tables.look_link(link.token),
        lambda: tables.enter(link.token, tim.device),
        lambda: tables.look_code(link.code or "", "10.0.0.1"),
        lambda: tables.change(game.id, game.device, revoke, link.id),
        lambda: tables.change(game.id, game.device, revoke, "unknown"),
        lambda: tables.look_link("unknown"),
    ):
        assert refused(gone) == "no-such-link"
    fresh = tables.change(game.id, game.device, join_link)
    assert fresh.token != link.token
    tables.enter(fresh.token, tim.device, seat=1)
    assert tim.look().seats[0].mine


def test_no_token_is_in_the_database(timed: Tables, host: str, url: str) -> None:
    game = evening(timed, host)
    tokens = [
        timed.change(game.id, host, join_link).token,
        timed.change(game.id, host, view_link).token,
        timed.change(game.id, host, seat_link, game.seat("Tim")).token,
        timed.look_code(
            timed.change(game.id, host, join_link).code or "", "10.0.0.1", device()
        ).token,
    ]
    assert len(set(tokens)) == 4
    with inside(url) as connection:
        content = "".join(
            str(row)
            for table in schema.metadata.sorted_tables
            for row in connection.execute(sa.select(table))
        )
    assert not any(token in content for token in (*tokens, host))


def test_a_link_has_so_many_tokens_and_no_more(
    timed: Tables, clock: Clock, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "MOST_TOKENS", 5)
    game = evening(timed, host)
    code = timed.change(game.id, host, join_link).code or ""
    tokens = []
    for _ in range(9):
        clock.turn(seconds=1)
        tokens.append(timed.look_code(code, "10.0.0.1", device()).token)
    for token in tokens[-5:]:
        timed.look_link(token)
    assert refused(lambda: timed.look_link(tokens[0])) == "no-such-link"
    assert timed.look_link(timed.change(game.id, host, join_link).token).table_id == game.id


def test_another_tables_link_is_not_revoked(game: Evening) -> None:
    other = evening(game.tables, device())
    link = game.tables.change(other.id, other.device, join_link)
    assert refused(lambda: game.change(revoke, link.id)) == "no-such-link"
    game.tables.look_link(link.token)


def test_a_code_expires(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    link = timed.change(game.id, host, join_link)
    code = link.code or ""
    typed = f" {code[:3].lower()}-{code[3:]} "
    token = timed.look_code(typed, "10.0.0.1", host).token
    assert token == link.token
    assert timed.look_link(timed.look_code(typed, "10.0.0.1").token).table_id == game.id
    clock.turn(minutes=CODE_MINUTES - 1)
    assert timed.change(game.id, host, join_link).code == code
    assert timed.look_code(code, "10.0.0.1").table_id == game.id
    # Whoever saw it just now read "within the next hour".
    clock.turn(minutes=CODE_MINUTES - 1)
    assert timed.look_code(code, "10.0.0.1").table_id == game.id
    clock.turn(minutes=1)
    assert refused(lambda: timed.look_code(code, "10.0.0.1")) == "no-such-link"
    assert timed.links(game.id, host)[0].code is None
    version = game.look().version
    fresh = timed.change(game.id, host, join_link)
    assert fresh.code not in (None, code) and fresh.token == link.token
    assert game.look().version == version  # nothing that a page at the table shows
    timed.look_link(link.token)  # the link itself stays


def test_wrong_codes_are_counted(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    code = timed.change(game.id, host, join_link).code or ""
    for wrong in ("", "A", "0O1IL!", "AAAAAAA", "ÄÄÄÄÄÄ", "ẞẞẞ", "\ud800AAAAA", "AAAAAA"):
        assert refused(lambda wrong=wrong: timed.look_code(wrong, "10.0.0.1")) == "no-such-link"
    for _ in range(USUAL.recent_codes_per_address - 8):
        timed.look_code(code, "10.0.0.1")  # right ones do not count
        assert refused(lambda: timed.look_code("AAAAAA", "10.0.0.1")) == "no-such-link"
    assert refused(lambda: timed.look_code(code, "10.0.0.1")) == "too-many-tries"
    timed.look_code(code, "10.0.0.2")
    clock.turn(seconds=RECENT_SECONDS)
    timed.look_code(code, "10.0.0.1")


@pytest.mark.parametrize("hours", [-5, 5])
def test_a_clock_that_is_set_lifts_no_limit(tmp_path: Path, clock: Clock, hours: int) -> None:
    tables = Tables(f"sqlite:///{tmp_path / 'own.sqlite3'}", clock=clock)
    for _ in range(USUAL.recent_codes_per_address):
        assert refused(lambda: tables.look_code("AAAAAA", "10.0.0.1")) == "no-such-link"
        clock.turn(minutes=hours * 60)
    assert refused(lambda: tables.look_code("AAAAAA", "10.0.0.1")) == "too-many-tries"
    tables.close()


def test_wrong_codes_of_others_never_refuse_a_right_one(timed: Tables, host: str) -> None:
    game = evening(timed, host)
    code = timed.change(game.id, host, join_link).code or ""
    for number in range(USUAL.recent_codes_per_address + 1):
        with pytest.raises(Refused):
            timed.look_code("AAAAAA", f"10.0.0.{number % 2}")
    for _ in range(USUAL.recent_codes_per_address + 1):
        assert timed.look_code(code, "10.1.0.0").table_id == game.id


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
    assert refused(lambda: tables.look(odd, game.device)) == "no-such-table"
    assert refused(lambda: tables.version(odd, game.device)) == "no-such-table"
    assert refused(lambda: tables.change(odd, game.device, start)) == "no-such-table"
    assert refused(lambda: tables.look(game.id, odd)) == "not-a-member"
    assert refused(lambda: tables.look_link(odd)) == "no-such-link"
    assert refused(lambda: tables.enter(odd, game.device)) == "no-such-link"
    assert refused(lambda: tables.change(game.id, game.device, revoke, odd)) == "no-such-link"


@pytest.mark.parametrize("label", ["x" * 25, "a\nb", "\u202e"])
def test_bad_labels(game: Evening, phone: str, label: str) -> None:
    link = game.change(join_link)
    enter = lambda: game.tables.enter(link.token, phone, label=label)  # noqa: E731
    assert refused_untouched(game, enter) == "bad-name"
