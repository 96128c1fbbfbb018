"""The history of finished games: what enters it, who sees it, and what deleting leaves behind."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.core.refusal import Unusable
from companion.games.catalog import GAMES
from companion.tables import FinishedMatch, Tables
from companion.tables.database.columns import device_hash, new_id
from companion.tables.database.schema import finished_matches, metadata
from companion.tables.history.people import Figures
from companion.tables.ledger.events import encode
from companion.tables.ledger.names import name_key
from companion.tables.ledger.saved import encode_players
from companion.tables.play.access import join_link, revoke
from companion.tables.play.lobby import again, set_setting, start, take_seat
from companion.tables.play.records import COLORS
from tests.kit.games import SARAH
from tests.kit.history import EMPTY, TALLY, add, paper, people, put, take_in
from tests.kit.names import HOSTILE_NAMES, REFUSED_NAMES
from tests.kit.sheets import kept
from tests.tables.friends import Clock, Evening, device, evening, inside, lobby, refused

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)


def names(play: FinishedMatch) -> list[str | None]:
    return [player.name for player in play.players]


def listed(tables: Tables, who: str) -> list[str]:
    return [play.id for play in tables.history.all_matches(who)]


# What enters it


def test_a_game_played_in_the_app_is_there_when_it_is_over(game: Evening) -> None:
    history = game.tables.history
    assert listed(game.tables, game.device) == []
    game.finish()
    [play] = history.all_matches(game.device)
    assert names(play) == ["Tim", "Sarah", "Linus"]
    position = game.position
    assert [player.total for player in play.players] == [
        position.score(name)["total"] for name in position.players
    ]
    assert {player.name for player in play.players if player.won} == set(position.winners())
    assert json.loads(play.record or "") == game.tables.export(game.id, game.device)
    assert [player.sheet for player in play.players] == [
        position.sheet(name) for name in position.players
    ]
    assert play.source == "app"
    assert play.started_at is not None
    assert history.match(game.device, play.id) == play
    assert history.match_at(game.device, game.id, 1) == play.id


def test_a_game_that_goes_on_again_is_not_there_until_it_ends(game: Evening) -> None:
    history = game.tables.history
    game.finish()
    [before] = history.all_matches(game.device)
    history.annotate(game.device, before.id, place="Kitchen", notes="Rain.")
    step = game.read().undoable
    assert step is not None
    game.tap(undo=step.id)
    assert listed(game.tables, game.device) == []
    assert refused(lambda: history.match(game.device, before.id)) == "no-such-play"
    step = game.read().redoable
    assert step is not None
    game.tap(redo=step.id)
    [after] = history.all_matches(game.device)
    assert (after.id, after.place, after.notes) == (before.id, "Kitchen", "Rain.")
    assert after.players == before.players


def test_a_correction_after_the_end_is_taken_up(game: Evening) -> None:
    game.finish()
    roll = next(entry for entry in game.read().entries if entry.action["do"] == "roll")
    passed = game.read().entries[1]
    write = {"do": "write", "by": passed.by, "row": "orange", "field": 1}
    game.tap(replaces=passed.id, action=write, fixes={})
    assert roll.action["dice"] == {"orange": 1}
    [play] = game.tables.history.all_matches(game.device) or [None]
    if game.read().phase == "over":
        assert play is not None
        assert json.loads(play.record or "") == game.tables.export(game.id, game.device)
    else:
        assert play is None


def test_each_game_of_an_evening_is_there_once(game: Evening) -> None:
    for _ in range(3):
        game.finish()
        game.change(again)
    plays = game.tables.history.all_matches(game.device)
    assert len(plays) == 3
    assert [play.players[0].name for play in plays] == ["Tim", "Sarah", "Linus"]


def test_a_game_on_paper(tables: Tables, host: str) -> None:
    match_id = add(
        tables,
        host,
        "qwinto-cards",
        [("Ben", EMPTY), ("Ada", SARAH)],
        started=ENDED - timedelta(minutes=31),
        ended=ENDED,
        place=" at  Ada's\n",
        notes="First\r\nsecond\x00\u202e",
    )
    play = tables.history.match(host, match_id)
    assert [(player.name, player.total, player.won) for player in play.players] == [
        ("Ben", -10, False),
        ("Ada", 43, True),
    ]
    assert [player.name for player in play.ranking] == ["Ada", "Ben"]
    assert (play.minutes, play.place, play.notes) == (31, "at Ada's", "First\nsecond")
    assert (play.source, play.record, play.table_id, play.may_change) == ("photo", None, None, True)


def test_a_tally_on_paper_is_one_sheet_of_several_players(tables: Tables, host: str) -> None:
    match_id = add(tables, host, "freaky", [("", TALLY)])
    play = tables.history.match(host, match_id)
    assert [(player.name, player.total, player.won) for player in play.players] == [
        ("Ada", 19, False),
        ("Ben", 30, True),
    ]
    assert play.minutes is None


def test_a_name_may_be_any_text_that_a_table_takes(tables: Tables, host: str) -> None:
    for name in HOSTILE_NAMES:
        play = tables.history.match(host, paper(tables, host, name, "Ben"))
        assert play.players[0].name in [person.name for person in people(tables, host)]
    before = listed(tables, host)
    for name in REFUSED_NAMES:
        assert refused(partial(paper, tables, host, name, "Ben")) == "bad-name"
    assert listed(tables, host) == before


def test_what_is_no_game_on_paper(tables: Tables, host: str) -> None:
    assert refused(lambda: paper(tables, host, "Ada", "ada ")) == "name-taken"
    assert refused(lambda: put(tables, host, "chess", [])) == "no-such-game"
    for sheets in ([], [("Ada", TALLY)], [(f"P{n}", SARAH) for n in range(7)]):
        with pytest.raises(Unusable):
            add(tables, host, "qwinto-dice", sheets)
    assert listed(tables, host) == []


# Who sees it


def test_everybody_at_the_table_sees_its_games_and_nobody_else(game: Evening) -> None:
    phone, screen = game.joined(seat="Sarah"), game.watching()
    game.finish()
    [match_id] = listed(game.tables, game.device)
    for who in (game.device, phone.device, screen.device):
        assert game.tables.history.match(who, match_id).id == match_id
    assert game.tables.history.match(phone.device, match_id).may_change
    assert not game.tables.history.match(screen.device, match_id).may_change
    stranger = device()
    history = game.tables.history
    assert listed(game.tables, stranger) == []
    for what in (
        lambda: history.match(stranger, match_id),
        lambda: history.annotate(stranger, match_id, place="", notes=""),
        lambda: history.delete_match(stranger, match_id),
        lambda: history.match_at(stranger, game.id, 1),
    ):
        assert refused(what) == "no-such-play"
    assert refused(lambda: history.person(stranger, people(game.tables, phone.device)[0].id)) == (
        "no-such-person"
    )
    for what in (
        lambda: history.annotate(screen.device, match_id, place="", notes="x"),
        lambda: history.delete_match(screen.device, match_id),
    ):
        assert refused(what) == "view-only"
    assert listed(game.tables, game.device) == [match_id]


def test_who_has_lost_the_link_sees_its_games_no_more(game: Evening) -> None:
    phone = game.joined()
    game.finish()
    assert len(listed(game.tables, phone.device)) == 1
    [link] = [found for found in game.tables.links(game.id, game.device) if found.kind == "join"]
    game.change(revoke, link.id)
    assert listed(game.tables, phone.device) == []


def test_a_game_on_paper_is_its_devices_own(tables: Tables, host: str, phone: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben")
    assert listed(tables, phone) == []
    assert refused(lambda: tables.history.delete_match(phone, match_id)) == "no-such-play"


def test_an_id_that_is_none(tables: Tables, host: str) -> None:
    for match_id in ("", "no", "x" * 65, "é", "a b", "\x00", "\ud800"):
        assert refused(partial(tables.history.match, host, match_id)) == "no-such-play"


def test_pages_with_the_newest_first(tables: Tables, host: str) -> None:
    made = [
        paper(tables, host, "Ada", "Ben", ended=ENDED + timedelta(hours=number))
        for number in range(41)
    ]
    first = tables.history.matches(host)
    assert (first.count, first.pages, first.number) == (41, 3, 1)
    assert [play.id for play in first.matches] == made[:20:-1]
    assert [play.id for play in tables.history.matches(host, 3).matches] == made[:1]
    assert tables.history.matches(host, 99).number == 3
    assert tables.history.matches(host, -1).number == 1


# People


def test_a_personal_best_is_of_games_alone_or_with_others(tables: Tables, host: str) -> None:
    name = "qwinto-cards"
    game = GAMES[name]
    alone = partial(tables.history.best, alone=True)
    with_others = partial(tables.history.best, alone=False)
    paper(tables, host, "Zoë")
    last = add(tables, host, name, [("zoë", EMPTY)])
    shared = add(tables, host, name, [("Zoë", {**SARAH, "failed": 0}), ("Ben", EMPTY)])
    assert alone(host, game, "Zoë") == -10
    assert alone(host, game, "Zoë", last) is None
    add(tables, host, name, [("Zoë", SARAH)])
    add(tables, host, name, [("Ben", {**SARAH, "failed": 0})])
    assert alone(host, game, "ZOË") == 43
    assert alone(device(), game, "Zoë") is None
    assert alone(host, GAMES["encore"], "Zoë") is None
    first = with_others(host, game, "ZOË", shared)
    assert first is None
    assert (with_others(host, game, "zoë"), with_others(host, game, "Ben")) == (53, -10)


def test_what_people_have_come_to(tables: Tables, host: str) -> None:
    paper(tables, host, "Ada", "Ben", ended=ENDED)
    paper(tables, host, "Ben", "Ada", ended=ENDED + timedelta(hours=1))
    add(tables, host, "freaky", [("", TALLY)], ended=ENDED + timedelta(hours=2))
    paper(tables, host, "ADA", "Cleo", ended=ENDED + timedelta(hours=3))
    ada, ben, cleo = people(tables, host)
    assert (ada.name, ben.name, cleo.name) == ("ADA", "Ben", "Cleo")
    assert (ada.figures.games, ada.figures.wins, ada.figures.best) == (4, 2, 43)
    assert ada.figures.average == pytest.approx((43 - 10 + 19 + 43) / 4)
    (qwinto, theirs), (freaky, his) = (
        (game.name, Figures.from_results(results)) for game, results in ada.by_game.items()
    )
    assert (qwinto, theirs.games, theirs.wins, theirs.best) == ("qwinto-dice", 3, 2, 43)
    assert (freaky, his.games, his.wins, his.average) == ("freaky", 1, 0, 19.0)
    assert tables.history.person(host, cleo.id) == cleo


def test_many_people_have_pages(tables: Tables, host: str) -> None:
    """The database counts the games, with fifty people a page."""
    sheet = {"total": 7, "won": True, "sheet": {}}
    players = [[{"name": f"Person {number % 120}", **sheet}] for number in range(360)]
    row = {"game": "qwinto-dice", "source": "typed", "ended_at": 1, "place": "", "notes": ""}
    values = [
        {"id": new_id(), "owner": device_hash(host), "players": encode(one), **row}
        for one in players
    ]
    with tables.database.write() as connection:
        connection.execute(finished_matches.insert(), values)
    first = tables.history.people_page(host)
    last = tables.history.people_page(host, 99)
    assert (first.number, first.pages, len(first.people)) == (1, 3, 50)
    assert (last.number, len(last.people)) == (3, 20)
    assert first.people[0].games == first.people[0].wins == 3
    assert not {person.id for person in first.people} & {person.id for person in last.people}


# Deleting


def all_text(url: str) -> str:
    """Everything that stands in the database."""
    with inside(url) as connection:
        return "\n".join(
            repr(tuple(row))
            for table in metadata.sorted_tables
            for row in connection.execute(sa.select(table))
        )


def test_a_deleted_game_is_gone_from_its_tables_log_too(
    timed: Tables, clock: Clock, host: str, url: str
) -> None:
    game = evening(timed, host)
    phone = game.joined(seat="Sarah")
    game.finish()
    taps = [event.id for event in game.read().log if event.id]
    clock.turn(minutes=30)
    timed.change(game.id, host, again)
    game.finish()
    first, second = timed.history.all_matches(host)
    timed.history.delete_match(phone.device, first.id)
    assert listed(timed, host) == [second.id]
    assert refused(lambda: timed.export(game.id, host, 1)) == "not-started"
    record = timed.export(game.id, host, 2)
    assert {key: value for key, value in record.items() if key != COLORS} == json.loads(
        second.record or ""
    )
    text = all_text(url)
    assert not [tap for tap in taps if tap in text]
    # The table goes on as if nothing had been.
    assert game.read().phase == "over"
    order = [seat.name for seat in game.read().seats]
    timed.change(game.id, host, again)
    assert game.read().number == 3
    assert [seat.name for seat in game.read().seats] == [*order[1:], order[0]]


def test_the_present_game_is_deleted_with_what_other_processes_remember(
    timed: Tables, url: str, host: str
) -> None:
    game = evening(timed, host)
    game.finish()
    other = Tables(url)
    try:
        there = Evening(other, game.id, host)
        assert there.read().phase == "over"
        timed.history.delete_match(host, listed(timed, host)[0])
        for party in (game, there):
            table = party.read()
            assert (table.phase, table.number) == ("lobby", 1)
            assert table.position is None
            assert not [line for line in table.log if line.id]
        assert there.read().log == game.read().log
    finally:
        other.close()
    again = Tables(url)
    try:
        table = Evening(again, game.id, host).read()
        assert (table.phase, table.number, len(table.seats)) == ("lobby", 1, 3)
        again.change(game.id, host, start)
        assert Evening(again, game.id, host).read().number == 2
    finally:
        again.close()


def test_a_deleted_person_is_nowhere_any_more(timed: Tables, host: str, url: str) -> None:
    game = lobby(timed, host, ("Tim", "Zara", "Linus"))
    phone = game.joined(seat="Zara", label="Zara")
    timed.change(game.id, host, start)
    game.finish()
    phone.finish()
    mine = paper(timed, host, "Ben", "zara")
    alone = paper(timed, host, "Zara")
    stranger = device()
    theirs = paper(timed, stranger, "Zara", "Ada")
    zara = timed.history.person(
        host, next(p.id for p in people(timed, host) if p.name in ("Zara", "zara"))
    )
    goes = timed.history.deletion_preview(host, zara.id)
    assert (goes.anonymized, goes.deleted, goes.aborted, goes.untouched) == (2, 1, 0, 0)
    timed.history.delete_person(host, zara.id)

    assert refused(lambda: timed.history.person(host, zara.id)) == "no-such-person"
    assert refused(lambda: timed.history.match(host, alone)) == "no-such-play"
    assert names(timed.history.match(host, mine)) == ["Ben", None]
    [played] = [play for play in timed.history.all_matches(host) if play.table_id]
    assert names(played) == ["Tim", None, "Linus"]
    assert played.players[1].total is played.players[1].sheet is played.record is None
    assert [seat.name for seat in game.read().seats] == ["Tim", "Linus"]
    # Another group's Zara is somebody else's business.
    assert names(timed.history.match(stranger, theirs)) == ["Zara", "Ada"]
    timed.history.delete_match(stranger, theirs)
    assert "zara" not in all_text(url).casefold()
    # The table goes on without them.
    timed.change(game.id, host, start)
    assert game.read().number == 2


def test_a_game_stays_while_somebody_without_a_name_is_in_it(tables: Tables, host: str) -> None:
    (name, full), (_, empty) = kept("qwinto-dice", ("Zara", SARAH), ("Ben", EMPTY))
    sheets = [(name, full), (None, empty)]
    match_id = put(tables, host, "qwinto-dice", sheets)
    [zara] = people(tables, host)
    assert tables.history.deletion_preview(host, zara.id).anonymized == 1
    tables.history.delete_person(host, zara.id)
    left = tables.history.match(host, match_id)
    assert [(player.name, player.total) for player in left.players] == [(None, None), (None, -10)]


def test_a_running_game_ends_when_somebody_in_it_is_deleted(
    timed: Tables, host: str, url: str
) -> None:
    game = evening(timed, host)
    game.finish()
    timed.change(game.id, host, again)
    game.do({"do": "roll", "by": "Sarah", "dice": {"orange": 3}})
    tim = next(person for person in people(timed, host) if person.name == "Tim")
    assert timed.history.deletion_preview(host, tim.id).aborted == 1
    timed.history.delete_person(host, tim.id)
    assert game.read().phase == "lobby"
    assert "Tim" not in all_text(url)


@pytest.mark.parametrize("name", ["red", "qwinto-dice", "encore", "host", "roll", "–", "1"])
def test_a_person_called_like_a_word_of_ours(timed: Tables, host: str, name: str, url: str) -> None:
    game = lobby(timed, host, ("Tim", name))
    timed.change(game.id, host, start)
    game.finish()
    person = next(known for known in people(timed, host) if known.name == name)
    timed.history.delete_person(host, person.id)
    # Another process has nothing in its memory.
    other = Tables(url)
    try:
        table = other.read(game.id, host)
    finally:
        other.close()
    assert [(seat.name, seat.color) for seat in table.seats] == [("Tim", "red")]
    assert table.game.name == "qwinto-dice"


def test_names_that_look_alike_go_together(tables: Tables, host: str, shared_url: str) -> None:
    """A file may hold them; in the list of people they are one."""
    match_id = paper(tables, host, "Tim", "Ada", "Ben")
    raw = tables.history.export_json(host).replace(b'"Ben"', b'"TIM"')
    other = device()
    assert take_in(tables, other, raw) == 0
    play = tables.history.match(host, match_id)
    both = (*play.players[:2], replace(play.players[2], name="TIM"))
    with inside(shared_url) as connection:
        connection.execute(finished_matches.update().values(players=encode_players(both)))
    (tim,) = [known for known in people(tables, host) if name_key(known.name) == name_key("Tim")]
    tables.history.delete_person(host, tim.id)
    assert names(tables.history.match(host, match_id)) == [None, "Ada", None]


def test_a_name_with_a_comma_goes_from_the_log(timed: Tables, host: str, url: str) -> None:
    game = lobby(timed, host, ("Ann", "Tim, Jr", "Zoe"))
    phone = device()
    timed.enter(timed.change(game.id, host, join_link).id, phone, seat=game.seat("Tim, Jr"))
    timed.change(game.id, phone, take_seat, game.seat("Ann"))
    timed.change(game.id, host, start)
    game.finish()
    person = next(known for known in people(timed, host) if known.name == "Tim, Jr")
    timed.history.delete_person(host, person.id)
    assert "Tim, Jr" not in all_text(url)


def test_who_may_only_watch_deletes_nobody_there(timed: Tables, host: str) -> None:
    game = evening(timed, host)
    screen = game.watching()
    game.finish()
    tim = next(known for known in people(timed, screen.device) if known.name == "Tim")
    for ask in (timed.history.deletion_preview, timed.history.delete_person):
        assert refused(partial(ask, screen.device, tim.id)) == "view-only"
    assert names(timed.history.all_matches(host)[0]) == ["Tim", "Sarah", "Linus"]
    # Their own games are deleted nevertheless.
    paper(timed, screen.device, "Tim", "Ada")
    goes = timed.history.deletion_preview(screen.device, tim.id)
    assert (goes.anonymized, goes.deleted, goes.untouched) == (1, 0, 1)
    timed.history.delete_person(screen.device, tim.id)
    assert names(timed.history.all_matches(host)[0]) == ["Tim", "Sarah", "Linus"]


@pytest.mark.parametrize("shared", [True, False])
def test_a_guest_does_not_end_a_running_game(timed: Tables, host: str, shared: bool) -> None:
    """Not even with a file of their own that names somebody at the table."""
    game = evening(timed, host)
    timed.change(game.id, host, take_seat, game.seat("Tim"))
    timed.change(game.id, host, set_setting, "shared_entry", shared)
    guest = game.joined(seat="Sarah")
    game.do({"do": "roll", "by": "Tim", "dice": {"orange": 3}})
    version = game.read().version
    other = device()
    for name in ("Tim", "Sarah"):
        paper(timed, other, name, "Ada")
    take_in(timed, guest.device, timed.history.export_json(other))
    ids = {known.name: known.id for known in people(timed, guest.device)}
    for name in ("Tim", "Sarah"):
        for ask in (timed.history.deletion_preview, timed.history.delete_person):
            assert refused(partial(ask, guest.device, ids[name])) == "not-host"
    assert game.read().version == version
    assert len(timed.history.all_matches(guest.device)) == 2, "nothing is done by halves"
    timed.history.delete_person(guest.device, ids["Ada"])


def test_a_guest_does_not_remove_a_seat_that_another_device_holds(timed: Tables, host: str) -> None:
    game = lobby(timed, host, ("Tim", "Sarah"))
    timed.change(game.id, host, take_seat, game.seat("Tim"))
    guest = game.joined(seat="Sarah")
    paper(timed, guest.device, "Tim", "Sarah")
    ids = {known.name: known.id for known in people(timed, guest.device)}
    assert refused(partial(timed.history.delete_person, guest.device, ids["Tim"])) == "not-host"
    assert [seat.name for seat in game.read().seats] == ["Tim", "Sarah"]
    timed.history.delete_person(guest.device, ids["Sarah"])
    assert [seat.name for seat in game.read().seats] == ["Tim"]


def test_sqlite_overwrites_what_is_deleted(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "gone.sqlite3"
    tables = Tables(f"sqlite:///{path}", clock=clock)
    who = device()
    paper(tables, who, "Zarathustra", "Ben")
    zara = next(known for known in people(tables, who) if known.name == "Zarathustra")
    tables.history.delete_person(who, zara.id)
    tables.close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert b"Zarathustra" not in path.read_bytes()
