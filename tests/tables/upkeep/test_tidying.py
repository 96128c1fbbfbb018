"""Housekeeping: what nobody uses goes, as does a table that its founder deletes; nothing else."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.cli import main
from companion.limits import USUAL
from companion.tables import Tables
from companion.tables.database.schema import devices, metadata
from companion.tables.play.lobby import again
from companion.tables.upkeep import keeper
from companion.tables.upkeep.keeper import SeenDevices, record_uptime
from companion.tables.upkeep.table_deletion import delete_table
from companion.tables.upkeep.tidying import Tidied, tidy
from tests.kit.history import paper
from tests.kit.patience import until
from tests.kit.tables import Clock, device, evening, inside, refused

DAY = 24 * 60 * 60
KEEP = 365
OF_A_TABLE = ("events", "games", "links", "members", "tables")


def rows_of(url: str, table_id: str = "") -> set[str]:
    """The database's tables with rows, or with rows of one table of players."""
    found = set()
    with inside(url) as connection:
        for name, table in metadata.tables.items():
            query = sa.select(table)
            if table_id:
                of = table.c.get("id" if name == "tables" else "table_id")
                query = query.where(sa.false() if of is None else of == table_id)
            if connection.execute(query).first():
                found.add(name)
    return found - {"settings"}


def seen(tables: Tables, *phones: str) -> None:
    """These phones come by, and a server notes it."""
    for phone in phones:
        tables.seen(phone)
    tables._seen.note(tables)


def test_a_year_without_anybody(timed: Tables, clock: Clock, host: str, url: str) -> None:
    """One of two families comes back now and then, and keeps everything that it has finished."""
    ours = evening(timed, host)
    guest = ours.joined(seat="Sarah")
    ours.finish()
    paper(timed, host, "Ada")
    other = device()
    theirs = evening(timed, other)
    theirs.finish()
    running = evening(timed, other)
    screen = theirs.watching()
    paper(timed, other, "Ben")
    tidy(timed, KEEP)
    clock.turn(seconds=200 * DAY)
    seen(timed, host, screen.device)
    clock.turn(seconds=200 * DAY)
    rehearsed = tidy(timed, KEEP, is_rehearsal=True)
    assert theirs.read().phase == "over", "a rehearsal deletes nothing"
    tidied = tidy(timed, KEEP)
    assert tidied == rehearsed == Tidied(tables=3, games=2)
    for game in (ours, theirs, running):
        assert refused(game.read) == "no-such-table"
    assert len(timed.history.all_matches(host)) == 2
    for gone in (other, guest.device, screen.device):
        assert timed.history.all_matches(gone) == ()
    assert tidy(timed, KEEP) == Tidied()
    clock.turn(seconds=200 * DAY)
    assert tidy(timed, KEEP) == Tidied(games=2)
    assert rows_of(url) == set(), "and nothing is left of anybody"


def test_what_is_in_play_is_never_deleted(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    for _ in range(3):
        game.finish()
        clock.turn(seconds=20 * DAY)
        game.change(again)
        assert tidy(timed, 30) == Tidied()
    assert game.read().number == 4


def test_unknown_devices_are_waited_for_at_first(timed: Tables, clock: Clock, host: str) -> None:
    """A database of an earlier version says of nobody when they were there last."""
    evening(timed, host).finish()
    clock.turn(seconds=2 * KEEP * DAY)
    assert tidy(timed, KEEP) == Tidied(tables=1)
    assert len(timed.history.all_matches(host)) == 1
    clock.turn(seconds=KEEP * DAY + 1)
    assert tidy(timed, KEEP) == Tidied(games=1)


def test_everything_may_be_kept(timed: Tables, clock: Clock, host: str) -> None:
    game = evening(timed, host)
    empty = timed.create(host, "qwinto-dice")
    review = timed.reviews.make(host, {})
    clock.turn(seconds=10 * KEEP * DAY)
    assert tidy(timed, 0) == Tidied(empty_tables=1, reviews=1)
    assert game.read().phase == "playing"
    assert refused(timed.read, empty, host) == "no-such-table"
    assert refused(timed.reviews.read, review, host) == "no-such-review"


def test_devices_with_nothing_fill_neither_database_nor_memory(
    timed: Tables, host: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger that throws its cookie away a million times leaves nothing."""
    evening(timed, host)
    seen(timed, host, device(), device())
    with inside(url) as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(devices)).scalar() == 1
    monkeypatch.setattr(keeper, "MOST_SEEN", 3)
    many = SeenDevices()
    for _ in range(10):
        many.add(device(), 1)
    assert len(many._seen) == 3


def test_a_server_waits_after_a_pause(timed: Tables, clock: Clock) -> None:
    """A clock that is a year ahead for a day, or a server that was off for long."""

    def days(count: int) -> list[bool]:
        found = []
        for _ in range(count):
            clock.turn(seconds=DAY)
            found.append(record_uptime(timed))
        return found

    assert days(8) == [False] * 7 + [True]
    clock.turn(seconds=400 * DAY)
    assert days(8) == [False] * 7 + [True]
    clock.turn(seconds=-400 * DAY)
    assert days(8) == [False] * 7 + [True]


def test_a_server_tidies_by_itself(
    timed: Tables, clock: Clock, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of the server also notes the devices of its last minute."""
    monkeypatch.setattr(keeper, "NOTE_SECONDS", 0.001)
    monkeypatch.setattr(keeper, "TIDY_SECONDS", 0.001)
    game = evening(timed, host)
    empty = timed.create(host, "qwinto-dice")
    clock.turn(seconds=(USUAL.unused_table_days + 1) * DAY)
    timed.keep_tidy(KEEP)
    timed.seen(host)
    assert until(lambda: empty not in {line.id for line in timed.at_tables(host)})
    assert timed._keeper is not None
    timed._keeper.close()
    assert timed._seen._seen == {}
    assert game.read().phase == "playing"


def test_the_command(
    tmp_path: Path, clock: Clock, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside a server, whose pages then say that the table is gone."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    clock.turn(seconds=-10 * KEEP * DAY)
    with closing(Tables(url, clock=clock, serving=True)) as running:
        game = evening(running, host)
        empty = running.create(host, "qwinto-dice")
        assert main(["tidy", "--db", url, "--dry-run", "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        deleted = {"empty_tables": 1, "tables": 1, "games": 0, "reviews": 0}
        assert document == {"format": "companion-tidy/1", "dry_run": True, "deleted": deleted}
        assert game.read().phase == "playing"
        assert main(["tidy", "--db", url, "--keep", "36500"]) == 0
        said = capsys.readouterr().out
        assert "1  tables at which no game has begun: deleted" in said
        assert "0  tables that nobody used: deleted" in said
        assert refused(running.read, empty, host) == "no-such-table"
        assert main(["tidy", "--db", url]) == 0
        assert refused(game.read) == "no-such-table"
    for wrong in ("-1", "1", "x", "99999999"):
        assert main(["tidy", "--keep", wrong]) == 2


def test_a_deleted_table_leaves_its_finished_matches(timed: Tables, host: str, url: str) -> None:
    game = evening(timed, host)
    guest, screen = game.joined(seat="Sarah"), game.watching()
    game.finish()
    [before] = timed.history.all_matches(host)
    game.change(again)
    game.do({"do": "roll", "by": "Sarah", "dice": {"orange": 3}})
    for phone, code in ((guest, "not-host"), (screen, "not-host"), (game.on("x"), "not-a-member")):
        assert refused(delete_table, timed, game.id, phone.device) == code
    woken: list[int] = []
    timed.bus.subscribe(game.id, woken.append)
    assert rows_of(url, game.id) == {*OF_A_TABLE, "plays"}
    delete_table(timed, game.id, host)
    assert woken, "the streams must look, and end"
    assert rows_of(url, game.id) == set()
    for phone in (game, guest, screen):
        assert refused(phone.read) == "no-such-table"
        assert timed.at_tables(phone.device) == ()
    for who in (host, guest.device):
        [after] = timed.history.all_matches(who)
        assert after.may_change
        assert (after.players, after.record) == (before.players, before.record)
        assert (after.table_id, after.number) == (None, None)
    assert timed.history.all_matches(screen.device) == ()
    # Each has a copy of its own.
    timed.history.delete_match(host, before.id)
    assert len(timed.history.all_matches(guest.device)) == 1
    with closing(Tables(url)) as other:  # which has nothing in its memory
        assert refused(other.read, game.id, host) == "no-such-table"
