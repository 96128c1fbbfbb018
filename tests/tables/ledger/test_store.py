"""The store: drafts before transactions, damaged logs, and what one device may fill."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from typing import Any
from unittest.mock import Mock

import pytest
import sqlalchemy as sa

from companion.core.refusal import Unusable
from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables import Refused, Tables, quotas
from companion.tables.database import schema
from companion.tables.ledger import change as ledger
from companion.tables.ledger import store
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.state import State
from companion.tables.ledger.store import MOST_DRAFTS
from companion.tables.photos import reviews
from companion.tables.play import lobby as seats
from companion.tables.play.access import join_link, revoke
from companion.tables.upkeep.forgetting import forget
from companion.tables.upkeep.table_deletion import delete_table
from lab.games import passes, roll, write
from lab.history import paper, restore, take_in
from lab.tables import Clock, Evening, device, evening, lobby, refused, set_limits, tap_id


def other_setting(change: TableChange) -> None:
    seats.set_setting(change, "shared_entry", not change.state.shared_entry)


def test_nobody_waits_for_a_replay(game: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    tables, moment = game.tables, game.position.fingerprint
    first = game.do(roll("Tim", yellow=3))
    game.play(passes("Tim"), {"do": "next", "by": "Tim"}, roll("Sarah", yellow=4))
    correction: dict[str, Any] = {"id": tap_id(), "replaces": first, "fixes": {}}
    correction["action"] = roll("Tim", yellow=5)
    exported, link = tables.export(game.id, game.device), game.change(join_link)

    def cold(what: Callable[[], object]) -> Callable[[], object]:
        """After a restart."""
        return lambda: (tables.cache.drop(game.id), what())

    def forgetful(what: Callable[[], object]) -> Callable[[], object]:
        """While others push the table out of the cache."""

        def act() -> object:
            with monkeypatch.context() as patched:
                tables.cache.drop(game.id)
                patched.setattr(tables.cache, "put", Mock())
                return what()

        return act

    acts: dict[str, Callable[[], object]] = {
        "a correction": lambda: game.tap(**correction),
        "its undo": lambda: game.tap(undo=correction["id"]),
        "its redo": lambda: game.tap(redo=correction["id"]),
        "a setting": lambda: game.change(other_setting),
        "a tap again": lambda: game.tap(**correction),
        "a stale tap": lambda: refused(lambda: game.do(passes("Linus"), moment=moment)),
        "a first change": cold(lambda: game.change(other_setting)),
        "a first tap": cold(lambda: game.tap(**correction)),
        "a newcomer": cold(lambda: tables.enter(link.id, device())),
        "a record": lambda: tables.import_record(game.device, exported),
        "a change of a table that the cache drops": forgetful(lambda: game.change(other_setting)),
    }
    writing: list[bool] = []
    play = QwintoDice.play

    def noted(position: QwintoDice, action: Any) -> Any:
        writing.append(tables.database._writer.locked())
        return play(position, action)

    monkeypatch.setattr(QwintoDice, "play", noted)
    found = {name: (act(), any(writing), writing.clear())[1] for name, act in acts.items()}
    assert found == dict.fromkeys(acts, False)


def test_nobody_waits_while_a_record_becomes_a_table(
    game: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing: list[bool] = []
    after, tables = State.after, game.tables

    def noted(state: State, *events: Any) -> State:
        writing.append(tables.database._writer.locked())
        return after(state, *events)

    game.do(roll("Tim", yellow=3))
    exported = tables.export(game.id, game.device)
    monkeypatch.setattr(State, "after", noted)
    tables.import_record(device(), exported)
    assert len(writing) > len(exported["actions"])
    assert not any(writing)


def test_two_requests_at_once_make_one_table(game: Evening) -> None:
    tables, exported = game.tables, game.tables.export(game.id, game.device)
    asks = {
        "a table": lambda who: tables.create(who, "qwinto-dice", once=True),
        "a record": lambda who: tables.import_record(who, exported),
        "a review": lambda who: tables.reviews.make(who, {"table": ""}, once=True),
    }
    with ThreadPoolExecutor(4) as threads:
        for name, ask in asks.items():
            assert len({*threads.map(ask, [device()] * 4)}) == 1, name


def test_entries_used_again_are_kept_as_long_as_new_ones(
    timed: Tables, clock: Clock, host: str
) -> None:
    days = quotas.UNUSED_DAYS
    body = {"table": ""}
    for _ in range(2):
        table = timed.create(host, "qwinto-dice", once=True)
        clock.turn(minutes=(days - 1) * 24 * 60)
    timed.create(device(), "qwinto-dice")
    assert timed.read(table, host).phase == "lobby"
    for _ in range(2):
        review = timed.reviews.make(host, body, once=True)
        clock.turn(minutes=23 * 60)
    assert timed.reviews.make(host, body, once=True) == review


def test_a_draft_is_made_again_when_somebody_was_faster(game: Evening) -> None:
    drafted: list[int] = []

    def what(change: TableChange) -> None:
        drafted.append(change.state.version)
        if len(drafted) < quicker:
            game.change(other_setting)
        seats.set_setting(change, "roller", not change.state.roller)

    version, quicker = game.read().version, 3
    game.tables.change_drafted(game.id, game.device, what)
    assert drafted == [version, version + 1, version + 2]
    assert (game.read().version, game.read().roller) == (version + 3, True)
    drafted.clear()
    quicker = MOST_DRAFTS + 1
    assert refused(game.tables.change_drafted, game.id, game.device, what) == "stale"
    assert game.read().roller


DAMAGE: tuple[dict[str, Any], ...] = (
    {"body": "{"}, {"body": "[]"}, {"body": "{}"}, {"kind": "none"}, {"seq": 500}, {"at": 10**17},
    {"kind": "seats-ordered", "body": '{"seats": [7]}'},
)  # fmt: skip


def test_a_damaged_table_is_refused(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with closing(Tables(url)) as tables:
        sound, *broken = (evening(tables, "the-host") for _ in range(1 + len(DAMAGE)))
        with tables.database.write() as connection:
            for game, damage in zip(broken, DAMAGE, strict=True):
                here = (schema.events.c.table_id == game.id) & (schema.events.c.seq == 2)
                connection.execute(sa.update(schema.events).where(here).values(**damage))
    with closing(Tables(url)) as tables, caplog.at_level(logging.CRITICAL):
        for game in broken:
            assert refused(tables.read, game.id, "the-host") == "damaged-table"
            assert refused(tables.change, game.id, "the-host", seats.start) == "damaged-table"
        assert tables.read(sound.id, "the-host").phase == "playing"
        assert len(tables.at_tables("the-host")) == 1 + len(DAMAGE)
        tables.history.matches("the-host")


def test_a_fault_of_the_program_is_not_reported_as_damage(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Tables(url)) as tables:
        game = evening(tables, "the-host")
        game.do(roll("Tim", yellow=3))
    with closing(Tables(url)) as tables, monkeypatch.context() as patch:
        patch.setattr(QwintoDice, "play", lambda *_: {}["no such key"])
        with pytest.raises(KeyError, match="no such key"):
            tables.read(game.id, "the-host")
        with pytest.raises(Unusable, match="1 tables cannot be read"):
            forget(tables, "Nobody")
        patch.undo()
        assert tables.read(game.id, "the-host").entries, "nothing is lost"


# What one device, and one table, may fill

FEW = 20  # changes in ten minutes, in place of the usual limit


def take_and_leave(guest: Evening, seat: int) -> None:
    """Actions that a guest can repeat without end: each of the two makes an event."""
    guest.change(seats.take_seat, seat)
    guest.change(seats.release_seat, seat)


def test_only_guests_who_come_and_go_are_slowed_down(
    timed: Tables, host: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: four guests with one link used up the table's limit, even for the host's taps."""
    game = evening(timed, host)
    sarah, seat = game.joined(seat="Sarah"), game.seat("Linus")
    guests = [game.joined() for _ in range(4)]
    monkeypatch.setattr(store, "MEMBER_CHANGES", FEW)
    monkeypatch.setattr(store, "TABLE_CHANGES", FEW)
    with pytest.raises(Refused):
        for number in range(FEW):
            take_and_leave(guests[number % len(guests)], seat)
    game.change(seats.release_seat, seat)
    for guest in guests:
        assert refused(guest.do, roll("Tim", yellow=3)) == "too-many-changes"
    assert refused(sarah.change, seats.release_seat, sarah.seat("Sarah")) == "too-many-changes"
    sarah.do(roll("Tim", yellow=3))
    game.do(passes("Tim"))
    game.change(seats.take_seat, game.seat("Tim"))
    game.change(revoke, timed.links(game.id, host)[0].id)
    clock.turn(minutes=10)
    game.joined(seat="Sarah").change(seats.release_seat, game.seat("Sarah"))


def test_seated_players_share_a_rate_limit_and_the_host_has_another(
    game: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    guests = [game.joined(seat=name) for name in ("Sarah", "Linus")]
    monkeypatch.setattr(store, "TABLE_CHANGES", FEW)
    rolled = guests[0].do(roll("Tim", yellow=3))
    with pytest.raises(Refused):
        for number in range(FEW):
            guests[0].tap(**{"redo" if number % 2 else "undo": rolled})
    for guest in guests:
        assert refused(guest.do, roll("Tim", yellow=3)) == "too-many-changes"
    game.change(seats.set_setting, "hints", True)
    game.do(roll("Tim", yellow=3))


def test_refusals_count_as_changes(game: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = game.joined(seat="Sarah")
    monkeypatch.setattr(store, "MEMBER_CHANGES", FEW)
    codes = [refused(guest.do, {"do": "write", "by": "Tim"}) for _ in range(FEW + 1)]
    assert codes[-1] == "too-many-changes" != codes[-2]


def test_changes_that_end_trouble_have_no_rate_limit(
    game: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = game.joined()
    game.do(roll("Tim", yellow=3))
    assert store.MEMBER_CHANGES > 200, "taps of a phone that had no network come at once"
    monkeypatch.setattr(store, "MEMBER_CHANGES", 1)
    assert refused(game.do, passes("Tim")) == "too-many-changes"
    end_everything(game, guest)


def end_everything(game: Evening, guest: Evening) -> None:
    """A host's actions against trouble."""
    game.change(revoke, game.tables.links(game.id, game.device)[0].id)
    assert refused(guest.read) == "not-a-member"
    game.change(seats.stop)
    game.change(seats.to_lobby)
    assert game.read().phase == "lobby"
    delete_table(game.tables, game.id, game.device)
    assert refused(game.read) == "no-such-table"


def test_a_full_log_lets_the_host_end_it(game: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST_EVENTS", 30)
    game.do(roll("Tim", yellow=3))
    guest, seat = game.joined(), game.seat("Linus")
    for _ in range((30 - game.read().version) // 2):
        take_and_leave(guest, seat)
    assert refused(guest.change, seats.take_seat, seat) == "log-full"
    assert refused(game.do, passes("Tim")) == "log-full"
    end_everything(game, guest)


def test_changes_without_effect_are_not_logged(tables: Tables, host: str) -> None:
    room = lobby(tables, host)
    tim, sarah = room.seat("Tim"), room.seat("Sarah")
    room.change(seats.take_seat, tim)
    guest = room.joined(seat="Sarah")
    before = room.read().version
    for phone, what, values in (
        (room, seats.take_seat, (tim,)),
        (guest, seats.take_seat, (sarah,)),
        (room, seats.release_seat, (room.seat("Linus"),)),
        (guest, seats.rename_seat, (sarah, "Sarah")),
        (room, seats.rename_seat, (tim, " Tim ", "red")),
        (room, seats.set_game, ("qwinto-dice", {})),
        (room, seats.set_setting, ("shared_entry", True)),
        (room, seats.to_lobby, ()),
    ):
        phone.change(what, *values)
        assert room.read().version == before, what.__name__


def test_a_correction_that_changes_nothing_is_not_logged(game: Evening) -> None:
    actions = [roll("Tim", yellow=3), write("Tim", "yellow", 2)]
    entries = game.play(*actions)
    before = game.read()
    for entry, action in zip(entries, actions, strict=True):
        for fixes in ({}, None):
            answer = game.tap(replaces=entry, action=action, fixes=fixes)
            assert answer.version == before.version
            assert answer.moment == before.moment
    assert game.read() == before


def test_a_device_makes_so_many_tables_and_unused_ones_leave_nothing(
    timed: Tables, clock: Clock, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, timed, tables_per_device=4)
    made = [timed.create(host, "qwinto-dice", players=[("A", "red"), ("B", "blue")])]
    timed.change(made[0], host, seats.start)
    made += [timed.create(host, "qwinto-dice", players=[("A", "red")]) for _ in range(3)]
    link = timed.change(made[1], host, join_link)
    timed.enter(link.id, device())
    assert refused(timed.create, host, "qwinto-dice") == "too-many-tables"
    timed.create(device(), "qwinto-dice")
    clock.turn(seconds=24 * 60 * 60 + 1)
    timed.create(host, "qwinto-dice")
    clock.turn(seconds=quotas.UNUSED_DAYS * 24 * 60 * 60)
    timed.create(host, "qwinto-dice")
    kept = {line.id for line in timed.at_tables(host)}
    assert made[0] in kept and not set(made[1:]) & kept
    with timed.database.read() as connection:
        for table in (schema.events, schema.members, schema.links):
            left = sa.select(sa.func.count()).where(table.c.table_id.in_(made[1:]))
            assert connection.execute(left).scalar() == 0, table.name


def test_expired_reviews_go_a_few_at_a_time(
    timed: Tables, clock: Clock, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then they do not count. SQLite overwrites their pictures while others wait."""

    def left() -> int:
        with timed.database.read() as connection:
            count = sa.select(sa.func.count()).select_from(schema.reviews)
            return connection.execute(count).scalar_one()

    monkeypatch.setattr(reviews, "MOST_REVIEWS", 5)
    for number in range(5):
        timed.reviews.make(host, {"table": "", "number": number})
    clock.turn(minutes=25 * 60)
    timed.reviews.make(host, {"table": ""})
    assert left() == 4
    timed.reviews.sweep()
    assert left() == 1


def test_a_device_keeps_so_many_matches(
    tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = three = b""
    other = device()
    for hours in range(3):
        two = three
        paper(tables, other, "Ada", ended=datetime(2023, 1, 1, hours, tzinfo=UTC))
        three = tables.history.export_json(other)
    monkeypatch.setattr(quotas, "MOST_MATCHES", 2)
    newest = tables.history.all_matches(other)[1:]
    done = restore(tables, host, three)
    assert (done.new, done.left_out) == (2, 1)
    kept = {match.identity for match in tables.history.all_matches(host)}
    assert kept == {match.identity for match in newest}
    assert refused(take_in, tables, host, three) == "too-many-games"
    assert take_in(tables, device(), two) == 2
    # Those that had more before keep them, and only add none.
    assert refused(paper, tables, other, "Ada") == "too-many-games"
    assert len(tables.history.all_matches(other)) == 3
