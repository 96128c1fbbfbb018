"""Phones at a table: how they come in, how it ends, and what many of them do at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from queue import Queue
from typing import Any, TypeAlias

import pytest
import sqlalchemy as sa

from companion.limiter import RECENT_SECONDS
from companion.limits import USUAL
from companion.tables import Refused, Tables, Tap
from companion.tables.database import schema
from companion.tables.database.bus import Bus
from companion.tables.database.columns import device_hash
from companion.tables.history.people import person_id
from companion.tables.ledger import events as kinds
from companion.tables.play import access
from companion.tables.play import lobby as seats
from companion.tables.play.own_phones import new_device, sign_out_others
from companion.tables.play.presence import MOST_DEVICES, REPORT_SECONDS, SILENT_SECONDS, Presence
from companion.tables.upkeep.table_deletion import delete_table
from lab.games import passes, roll
from lab.history import EMPTY, add, paper, take_in
from lab.names import NAMES
from lab.patience import PATIENCE, until
from lab.tables import (
    Clock,
    Evening,
    device,
    evening,
    inside,
    lobby,
    refused,
    refused_untouched,
    tap_id,
)

Phones: TypeAlias = tuple[Evening, Evening, Evening]
"""Those of the host, who plays Tim, of Sarah, and of Linus."""

# Links and codes


def test_the_join_link(game: Evening, phone: str) -> None:
    tables = game.tables
    link = game.change(access.join_link)
    assert len(link.id) >= 22 and link.code is not None
    assert len(link.code) == access.CODE_LENGTH and set(link.code) <= set(access.CODE_LETTERS)
    before = game.read()
    seen = tables.link_with_id(link.id)
    assert (seen.kind, seen.table_id, seen.phase) == ("join", game.id, "playing")
    assert [(seat.name, seat.held) for seat in seen.seats] == [
        (name, False) for name in ("Tim", "Sarah", "Linus")
    ]
    assert game.read() == before
    sarah = game.seat("Sarah")
    assert tables.enter(link.id, phone, seat=sarah, label="Sarah's phone") == game.id
    me = game.on(phone).read()
    assert (me.me.role, me.me.label) == ("player", "Sarah's phone")
    assert [seat.mine for seat in me.seats] == [False, True, False]
    assert tables.link_with_id(link.id).seats[1].held
    theirs = game.on(phone).change(access.join_link)  # players may invite, too
    assert (theirs.id, theirs.code) == (link.id, link.code)


def test_entering_twice_is_entering_once(game: Evening, phone: str) -> None:
    link = game.change(access.join_link)
    game.tables.enter(link.id, phone, seat=1)
    before = game.read()
    game.tables.enter(link.id, phone, seat=1)
    game.tables.enter(link.id, phone)
    game.tables.enter(link.id, game.device)  # the host stays host
    assert game.read() == before
    assert game.read().me.role == "host"


def test_entering_on_a_held_seat(game: Evening, phone: str) -> None:
    game.joined(seat="Tim")
    link = game.change(access.join_link)
    assert refused_untouched(game, game.tables.enter, link.id, phone, seat=1) == "seat-taken"
    assert refused(game.on(phone).read) == "not-a-member"  # nothing of it was kept


def test_entering_with_a_new_name(tables: Tables, host: str, phone: str) -> None:
    room = lobby(tables, host)
    link = room.change(access.join_link)
    for _ in range(2):
        tables.enter(link.id, phone, new_name="Ada")
    *others, ada = room.on(phone).read().seats
    assert (ada.name, ada.mine) == ("Ada", True)
    assert ada.color not in [seat.color for seat in others]
    assert room.on(phone).read().me.label == "Ada"
    enter = partial(refused_untouched, room, tables.enter, link.id, device())
    assert enter(new_name="ada") == "name-taken"
    assert enter(new_name="\u202e") == enter(label="a\nb") == enter(label="x" * 25) == "bad-name"
    room.change(seats.start)
    assert enter(new_name="Bo") == "game-started"


def test_a_viewer_has_no_seat_and_becomes_a_player(game: Evening, phone: str) -> None:
    view, join = game.change(access.view_link), game.change(access.join_link)
    game.tables.enter(view.id, phone, seat=1, new_name="Ada")
    table = game.on(phone).read()
    assert table.me.role == "viewer"
    assert not any(seat.held for seat in table.seats)
    game.tables.enter(join.id, phone, seat=1)
    game.tables.enter(view.id, phone)  # and does not fall back
    assert game.on(phone).read().me.role == "player"


def test_revoking_ends_the_sessions(game: Evening) -> None:
    tables = game.tables
    tim, viewer = game.joined(seat="Tim"), game.watching()
    link = game.change(access.join_link)
    links = [(each.kind, each.members) for each in tables.links(game.id, game.device)]
    assert links == [("join", 1), ("view", 1)]
    woken: list[int] = []
    stop = tables.bus.subscribe(game.id, woken.append)
    game.change(access.revoke, link.id)
    stop()
    assert woken
    for what in (
        tim.read,
        partial(tables.version, game.id, tim.device),
        partial(tim.do, roll("Tim", yellow=3)),
        partial(tim.change, access.join_link),
    ):
        assert refused_untouched(game, what) == "not-a-member"
    assert tables.at_tables(tim.device) == ()
    assert not any(seat.held for seat in game.read().seats)
    assert viewer.read().me.role == "viewer"  # came by another link
    other = evening(tables, device()).change(access.join_link)
    for gone in (
        partial(game.change, access.revoke, other.id),
        partial(tables.link_with_id, link.id),
        partial(tables.enter, link.id, tim.device),
        partial(tables.link_with_code, link.code, "10.0.0.1"),
        partial(game.change, access.revoke, link.id),
        partial(game.change, access.revoke, "unknown"),
        partial(tables.link_with_id, "unknown"),
    ):
        assert refused(gone) == "no-such-link"
    tables.link_with_id(other.id)
    fresh = game.change(access.join_link)
    assert fresh.id != link.id
    tables.enter(fresh.id, tim.device, seat=1)
    assert tim.read().seats[0].mine


def test_a_code_expires(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    link = game.change(access.join_link)
    code = link.code
    typed = f" {code[:3].lower()}-{code[3:]} "
    assert timed.link_with_code(typed, "10.0.0.1").id == link.id
    clock.turn(minutes=access.CODE_MINUTES - 1)
    assert game.change(access.join_link).code == code
    # A page shown just now said "within the next hour".
    clock.turn(minutes=access.CODE_MINUTES - 1)
    assert timed.link_with_code(code, "10.0.0.1").table_id == game.id
    clock.turn(minutes=1)
    assert refused(timed.link_with_code, code, "10.0.0.1") == "no-such-link"
    assert timed.links(game.id, host)[0].code is None
    version = game.read().version
    fresh = game.change(access.join_link)
    assert fresh.code not in (None, code) and fresh.id == link.id
    assert game.read().version == version  # nothing that a page at the table shows
    timed.link_with_id(link.id)  # the link itself stays


@pytest.mark.parametrize("hours", [-5, 5])
def test_wrong_codes_are_counted(file_url: str, clock: Clock, host: str, hours: int) -> None:
    """By the time that has passed: a clock that is set lifts no limit."""
    wall = Clock()
    with closing(Tables(file_url, clock=wall, elapsed=clock)) as tables:
        code = evening(tables, host).change(access.join_link).code
        wrong = ["", "A", "0O1IL!", "AAAAAAA", "ÄÄÄÄÄÄ", "ẞẞẞ", "\ud800AAAAA"]
        wrong += ["AAAAAA"] * (USUAL.recent_codes_per_address - len(wrong))
        for typed in wrong:
            tables.link_with_code(code, "10.0.0.1")  # right ones do not count
            assert refused(tables.link_with_code, typed, "10.0.0.1") == "no-such-link"
        wall.turn(minutes=hours * 60)
        assert refused(tables.link_with_code, code, "10.0.0.1") == "too-many-tries"
        wall.turn(minutes=-hours * 60)
        tables.link_with_code(code, "10.0.0.2")
        clock.turn(seconds=RECENT_SECONDS)
        tables.link_with_code(code, "10.0.0.1")


def test_only_hashes_of_devices_are_kept(game: Evening, shared_url: str) -> None:
    phone = game.joined(label="phone")
    with inside(shared_url) as connection:
        for table in schema.metadata.sorted_tables:
            text = repr(connection.execute(sa.select(table)).all())
            assert game.device not in text and phone.device not in text


def test_texts_that_are_not_ids(game: Evening) -> None:
    """PostgreSQL has no text for some of these, so they must not reach it."""
    tables = game.tables
    for odd in ("", "\x00", "\ud800", "a/b", "ü", "x" * 5000):
        assert refused(tables.read, odd, game.device) == "no-such-table"
        assert refused(tables.version, odd, game.device) == "no-such-table"
        assert refused(tables.change, odd, game.device, seats.start) == "no-such-table"
        assert refused(tables.read, game.id, odd) == "not-a-member"
        assert refused(tables.link_with_id, odd) == "no-such-link"
        assert refused(tables.enter, odd, game.device) == "no-such-link"
        assert refused(game.change, access.revoke, odd) == "no-such-link"
        assert refused(tables.history.match, game.device, odd) == "no-such-play"
        assert refused(tables.history.delete_match, game.device, odd) == "no-such-play"


# The host's role, and seats of others


def turn(clock: Clock) -> None:
    """Nobody is heard for a minute; with PostgreSQL, where other processes might, for longer."""
    clock.turn(seconds=SILENT_SECONDS + REPORT_SECONDS)


@pytest.fixture
def phones(timed: Tables, host: str) -> Phones:
    """The host plays Tim, Sarah and Linus have phones; each writes only on their own sheet."""
    game = evening(timed, host)
    game.change(seats.take_seat, game.seat("Tim"))
    game.change(seats.set_setting, "shared_entry", False)
    return game, game.joined(seat="Sarah"), game.joined(seat="Linus")


@pytest.fixture
def lost(phones: Phones, clock: Clock) -> Phones:
    """The host's phone was locked: Sarah is the host now, and plays for Tim."""
    turn(clock)
    host_of(phones[1])
    play_for(phones[1], "Tim")
    return phones


def host_of(phone: Evening) -> None:
    phone.change(access.take_host_role, phone.tables.presence.is_silent)


def play_for(phone: Evening, name: str) -> None:
    phone.change(seats.take_seat, phone.seat(name), is_held=True)


def mine(phone: Evening) -> list[str]:
    return [seat.name for seat in phone.read().seats if seat.mine]


def roles(*phones: Evening) -> list[str]:
    return [phone.read().me.role for phone in phones]


def test_a_silent_host_s_role_is_free(timed: Tables, phones: Phones, clock: Clock) -> None:
    game, sarah, linus = phones
    clock.turn(seconds=SILENT_SECONDS - 1)
    assert refused(host_of, sarah) == "host-is-here"
    assert timed.silent_phones(game.id) == frozenset()
    turn(clock)
    timed.mark_online(sarah.device)
    assert timed.silent_phones(game.id) == {phone.read().me.id for phone in (game, linus)}
    assert refused(host_of, game.watching()) == "view-only"
    host_of(sarah)
    assert roles(*phones) == ["player", "host", "player"]
    assert linus.read().log[-1].kind == kinds.HOST_CHANGED
    assert refused(host_of, linus) == "host-is-here"


def test_the_founder_takes_the_role_back_any_time(timed: Tables, host: str, lost: Phones) -> None:
    game, sarah, _ = lost
    timed.mark_online(sarah.device)
    assert refused(delete_table, timed, game.id, sarah.device) == "not-host"
    host_of(game)
    assert roles(*lost) == ["host", "player", "player"]
    timed.mark_online(host)
    assert refused(host_of, sarah) == "host-is-here"
    for link in timed.links(game.id, host):
        game.change(access.revoke, link.id)
    assert refused(sarah.read) == "not-a-member"


def test_a_borrowed_host_deletes_nothing(timed: Tables, host: str, lost: Phones) -> None:
    """One minute of a dark screen, and a guest could end the evening for good."""
    game, sarah, linus = lost
    history, (link,) = timed.history, timed.links(game.id, sarah.device)
    for name in ("Tim", "Ada"):
        paper(timed, sarah.device, name, "Zoë")
    sarah.do(roll("Tim", orange=4))
    sarah.change(seats.stop)
    match = history.match_at(host, game.id, 1)
    for _ in range(2):  # as the host, and as a player again
        for phone in (sarah, linus):
            assert refused(phone.change, access.revoke, link.id) == "not-host"
            for name in ("Tim", "Linus"):
                assert refused(history.delete_person, phone.device, person_id(name)) == "not-host"
            for ask in (history.match_to_delete, history.delete_match):
                assert refused(ask, phone.device, match) == "not-host"
        host_of(game)
    history.delete_person(sarah.device, person_id("Zoë"))
    game.undo()
    assert game.read().phase == "playing"
    game.change(seats.stop)
    history.delete_match(host, match)
    game.change(access.revoke, link.id)
    assert refused(linus.read) == refused(sarah.read) == "not-a-member"


def test_the_founder_resumes_a_match_that_another_host_has_ended(lost: Phones) -> None:
    game, sarah, linus = lost
    sarah.do(roll("Tim", orange=4))
    sarah.change(seats.stop)
    assert linus.read().undoable is None
    host_of(game)
    game.undo()
    assert game.read().phase == "playing"
    assert sarah.read().redoable is None


def test_anybody_at_the_table_takes_any_seat(phones: Phones) -> None:
    """Even while its phone is there; the seat is then no longer the other player's."""
    game, sarah, linus = phones
    assert refused(sarah.change, seats.take_seat, sarah.seat("Tim")) == "seat-taken"
    assert refused(play_for, game.watching(), "Tim") == "view-only"
    play_for(sarah, "Tim")
    assert (mine(game), mine(sarah)) == ([], ["Tim", "Sarah"])
    sarah.do(roll("Tim", orange=4))
    assert refused(linus.do, passes("Tim")) == refused(game.do, passes("Tim")) == "not-your-seat"
    play_for(game, "Tim")
    game.do(passes("Tim"))
    assert game.step.body["action"]["by"] == "Tim"


def test_anybody_undoes_it_once(phones: Phones) -> None:
    game, sarah, linus = phones
    tim = game.seat("Tim")
    play_for(sarah, "Tim")
    assert refused(game.watching().change, seats.return_seat, tim) == "view-only"
    linus.change(seats.return_seat, tim)
    assert (mine(game), mine(sarah)) == (["Tim"], ["Sarah"])
    version = game.read().version
    for phone in (game, sarah):
        phone.change(seats.return_seat, tim)
        phone.change(seats.return_seat, game.seat("Sarah"))
    assert game.read().version == version, "there is nothing to undo any more"


def test_a_seat_is_given_back_only_to_the_phone_that_had_it(
    timed: Tables, host: str, phones: Phones
) -> None:
    game, sarah, linus = phones
    tim = game.seat("Tim")
    play_for(sarah, "Tim")
    sarah.change(seats.release_seat, tim)
    linus.change(seats.take_seat, tim)
    linus.change(seats.return_seat, tim)
    assert mine(linus) == ["Tim", "Linus"]
    play_for(game, "Sarah")
    game.change(access.revoke, timed.links(game.id, host)[0].id)
    game.change(seats.return_seat, game.seat("Sarah"))
    assert not any(seat.held for seat in game.read().seats), "their phones were sent away"


def test_the_seat_of_a_phone_that_was_sent_away_stays_free(
    timed: Tables, host: str, phones: Phones
) -> None:
    game, sarah, _ = phones
    play_for(sarah, "Tim")
    game.change(access.revoke, timed.links(game.id, host)[0].id)
    game.change(seats.return_seat, game.seat("Tim"))
    assert mine(game) == []


# Signing out the other phones of a device


def test_everything_moves_to_the_device_that_stays(tables: Tables, host: str) -> None:
    game = evening(tables, host)
    game.change(seats.take_seat, game.seat("Tim"))
    game.finish()
    paper(tables, host, "Ada")
    review = tables.reviews.make(host, {})
    games = {match.id for match in tables.history.all_matches(host)}
    stays = game.on(new_device())
    woken: list[int] = []
    tables.bus.subscribe(device_hash(host), woken.append)
    for _ in range(2):  # a repeated request changes nothing
        sign_out_others(tables, host, stays.device)
        assert stays.read().me.role == "host"
        assert stays.read().is_founder
    assert woken, "its streams must look, and end"
    assert mine(stays) == ["Tim"]
    assert {match.id for match in tables.history.all_matches(stays.device)} == games
    assert tables.reviews.read(review, stays.device)
    assert refused(game.read) == "not-a-member"
    assert refused(tables.reviews.read, review, host) == "no-such-review"
    assert tables.at_tables(host) == tables.history.all_matches(host) == ()


def test_the_old_device_keeps_what_the_new_one_gets(tables: Tables, host: str) -> None:
    """A phone that was signed out has joined again, before its person taps a second time."""
    game = evening(tables, host)
    stays = game.on(new_device())
    sign_out_others(tables, host, stays.device)
    tables.enter(stays.change(access.join_link).id, host)
    third = evening(tables, host)
    sign_out_others(tables, host, stays.device)
    assert [one.read().me.role for one in (stays, game)] == ["host", "player"]
    assert third.on(stays.device).read().me.role == "host"


# Signs of life


def test_processes_report_to_each_other_twice_a_minute(clock: Clock) -> None:
    reports: list[str] = []
    here, there = Presence(clock, reports.append), Presence(clock, lambda _: None)
    clock.turn(seconds=-(clock() % REPORT_SECONDS))
    for _ in range(6):
        here.mark_online("phone")
        clock.turn(seconds=10)
    assert reports == ["phone", "phone"]
    there.mark_online_elsewhere("phone")
    clock.turn(seconds=SILENT_SECONDS + REPORT_SECONDS - 1)
    assert not there.is_silent("phone"), "it may have been heard since, without a word"
    clock.turn(seconds=1)
    assert there.is_silent("phone")


def test_the_memory_of_devices_is_bounded(clock: Clock) -> None:
    presence = Presence(clock)
    clock.turn(seconds=SILENT_SECONDS)
    for number in (0, 1, 0, *range(2, MOST_DEVICES + 1)):
        presence.mark_online(str(number))
    assert [presence.is_silent(str(number)) for number in range(3)] == [False, True, False]


@pytest.mark.postgres
def test_processes_with_one_postgres_notify_each_other(
    postgres_database: str, clock: Clock
) -> None:
    url = postgres_database
    with (
        closing(Tables(url, clock=clock, elapsed=clock)) as here,
        closing(Tables(url, clock=clock, elapsed=clock)) as there,
    ):
        game = evening(here, host := device())
        turn(clock)
        assert here.postgres is not None and there.postgres is not None
        assert there.postgres.listening.wait(PATIENCE)
        assert game.read().state.host in there.silent_phones(game.id)
        here.mark_online(host)
        assert until(lambda: game.read().state.host not in there.silent_phones(game.id))


# Many at once: nothing is lost, and of two that exclude each other one wins


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """Runs every job in a thread of its own, all at the same moment; a refusal's code counts."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> object:
        barrier.wait(PATIENCE)
        try:
            return job()
        except Refused as refusal:
            return refusal.code

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs, timeout=PATIENCE))


def test_eight_taps_at_the_same_dice(game: Evening) -> None:
    phones = [game.joined() for _ in range(8)]
    tap = {"action": roll("Tim", yellow=3), "moment": game.position.fingerprint}
    version = game.read().version
    results = at_once(*(partial(phone.tap, **tap) for phone in phones))
    assert results.count("stale") == 7
    assert len(game.actions) == 1
    assert game.read().version == version + 1


def test_an_audience_is_asked_for_again_only_when_somebody_came_or_went(game: Evening) -> None:
    tables, other = game.tables, game.joined()
    first = tables.audience(game.id)
    game.tap(action=roll("Tim", yellow=3))
    after = tables.audience(game.id, first, game.read().version)
    assert (after.members is first.members, after.state.version) == (True, game.read().version)
    tables.change(game.id, game.device, access.revoke, tables.links(game.id, game.device)[0].id)
    later = tables.audience(game.id, after, 0)
    assert device_hash(other.device) in after.members
    assert device_hash(other.device) not in later.members
    assert later.state.version == game.read().version


def test_an_audience_has_what_another_process_changed(game: Evening, shared_url: str) -> None:
    known = game.tables.audience(game.id)
    with closing(Tables(shared_url)) as process:
        Evening(process, game.id, game.device).tap(action=roll("Tim", yellow=3))
        version = process.version(game.id, game.device)
    assert game.tables.audience(game.id, known, version).state.version == version


def test_a_history_imported_twice_at_once(tables: Tables, host: str) -> None:
    """As two taps on the button do."""
    for players in (("Ada", "Ben"), ("Ada", "Zoe")):
        add(tables, host, "qwinto-cards", [(name, EMPTY) for name in players])
    raw, other = tables.history.export_json(host), device()
    at_once(*[lambda: take_in(tables, other, raw)] * 4)
    assert len(tables.history.all_matches(other)) == 2


def test_eight_threads_lose_nothing(tables: Tables, shared_url: str, host: str) -> None:
    """Two processes' worth of `Tables`, eight threads, each undoing and redoing its own step."""
    game = evening(tables, host)
    with closing(Tables(shared_url)) as other:
        game.do(roll("Tim", yellow=3))
        phones = [game.joined(seat=name) for name in NAMES] + [game.joined() for _ in NAMES]
        places = [*phones, game, game]
        start = game.read().version

        def busy(number: int) -> int:
            saved = 0
            device = places[number].device
            place = Evening(other if number % 2 else tables, game.id, device)
            for _ in range(12):
                step = place.read().undoable
                try:
                    if step and (step.body["action"] or {}).get("do") == "pass":
                        place.tap(undo=step.id)
                    else:
                        place.do(passes(NAMES[number % 3]))
                    saved += 1
                except Refused:
                    continue
            return saved

        total = sum(map(int, at_once(*(partial(busy, number) for number in range(8)))))
        assert total > 0
        assert game.read().version == start + total
        assert [line.seq for line in game.read().log] == list(range(1, start + total + 1))
        assert other.read(game.id, host) == game.read()


def test_the_same_tap_at_once(game: Evening) -> None:
    fields: dict[str, Any] = {"id": tap_id(), "action": roll("Tim", yellow=3)}
    fields["moment"] = game.position.fingerprint
    results = at_once(*(lambda: game.tap(**fields) for _ in range(8)))
    assert len(set(results)) == 1, "all are answered alike"
    assert len(game.actions) == 1


def test_databases_made_at_once(url: str) -> None:
    def open_and_close() -> str:
        with closing(Tables(url)) as tables:
            return tables.secret_key()

    [key] = set(at_once(*[open_and_close] * 4))
    assert len(str(key)) >= 32


def test_subscribers_are_notified_after_the_commit(game: Evening, shared_url: str) -> None:
    """Subscribers see the change, even in another process; a refused one is not published."""
    seen: list[tuple[int, int]] = []
    with closing(Tables(shared_url)) as other:
        stop = game.tables.bus.subscribe(
            game.id, lambda version: seen.append((version, other.version(game.id, game.device)))
        )
        with pytest.raises(Refused):
            game.do(passes("Tim"))
        game.do(roll("Tim", yellow=3))
        assert seen == [(game.read().version,) * 2]
        stop()
        stop()  # harmless
        game.do(passes("Tim"))
        assert len(seen) == 1


def test_a_failing_listener_does_not_reach_the_tap() -> None:
    bus = Bus()
    heard: list[int] = []

    def fails(version: int) -> None:
        raise RuntimeError(version)

    bus.subscribe("table", fails)
    bus.subscribe("table", heard.append)
    bus.publish("table", 3)
    bus.publish("another", 4)
    assert heard == [3]


def listeners(url: str) -> list[int]:
    """The PostgreSQL processes of the connections that listen."""
    query = (
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND state = 'idle'"
        " AND datname = current_database()"
    )
    with inside(url) as connection:
        return list(connection.execute(sa.text(query)).scalars())


@pytest.mark.postgres
def test_processes_notify_each_other(postgres_database: str) -> None:
    """A tap that is sent again notifies them, too: its process may have ended before that."""
    with ExitStack() as opened:
        first, second, third = (
            opened.enter_context(closing(Tables(postgres_database))) for _ in range(3)
        )
        game = evening(first, device())
        assert until(lambda: len(listeners(postgres_database)) == 3)
        versions: Queue[int] = Queue()
        third.bus.subscribe(game.id, versions.put)
        tap = Tap(id="sent-again-1", action=roll("Tim", yellow=3))
        for process in (first, second):
            answer = process.tap(game.id, game.device, tap)
            # What the evening's own acts changed may be heard after this began to listen.
            assert answer.version in iter(lambda: versions.get(timeout=PATIENCE), None)
        assert second.read(game.id, game.device).version == game.read().version


@pytest.mark.postgres
def test_the_listener_comes_back(postgres_database: str) -> None:
    """The database ends the connection; changes meanwhile are reported afterwards."""
    with closing(Tables(postgres_database)) as tables:
        game = evening(tables, device())
        assert until(lambda: listeners(postgres_database))
        heard = threading.Event()
        tables.bus.subscribe(game.id, lambda _: heard.set())
        (gone,) = listeners(postgres_database)
        with inside(postgres_database) as connection:
            connection.execute(sa.select(sa.func.pg_terminate_backend(gone)))
        assert heard.wait(PATIENCE)  # the present version, reported after coming back
        assert until(lambda: listeners(postgres_database) not in ([], [gone]))
