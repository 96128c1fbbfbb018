"""The history of finished matches: what enters it, who sees it, deleting and editing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest
import sqlalchemy as sa

from companion.core.refusal import Unusable
from companion.core.result import Result
from companion.games import record as records
from companion.games.catalog import GAMES
from companion.games.standings import KeptSheet
from companion.paper import editing, saving
from companion.paper.review import changing_review
from companion.tables import FinishedMatch, Tables
from companion.tables.database.schema import metadata
from companion.tables.history import Details, rewriting
from companion.tables.history.editing import edit_sheets
from companion.tables.history.feats import feats
from companion.tables.history.matches import match_alike
from companion.tables.history.paper import SavedBefore, paper_match
from companion.tables.history.people import Figures, PersonalResult, longest_streak, person_id
from companion.tables.ledger.events import encode
from companion.tables.ledger.saved import Participant, SavedMatch
from companion.tables.play.access import revoke
from companion.tables.play.lobby import again, set_setting, start, stop, take_seat
from companion.tables.play.records import COLORS
from lab.games import SARAH
from lab.history import EMPTY, TALLY, add, paper, people, put, restore, take_in
from lab.sheets import kept, written
from lab.tables import Clock, Evening, device, evening, inside, lobby, refused

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)


def names(match: FinishedMatch) -> list[str | None]:
    return [player.name for player in match.players]


def standing(match: FinishedMatch) -> list[tuple[str | None, int | None, bool]]:
    return [(player.name, player.total, player.won) for player in match.players]


def listed(tables: Tables, who: str) -> list[str]:
    return [match.id for match in tables.history.all_matches(who)]


# What enters it


def test_a_match_played_in_the_app_is_there_when_it_is_over(game: Evening) -> None:
    history = game.tables.history
    assert listed(game.tables, game.device) == []
    game.finish()
    [match] = history.all_matches(game.device)
    position = game.position
    assert [(player.name, player.total, player.won, player.sheet) for player in match.players] == [
        (name, position.score(name)["total"], name in position.winners(), position.sheet(name))
        for name in ("Tim", "Sarah", "Linus")
    ]
    assert json.loads(match.record or "") == game.tables.export(game.id, game.device)
    assert match.source == "app"
    assert match.started_at is not None
    assert history.match(game.device, match.id) == match
    assert history.match_at(game.device, game.id, 1) == match.id
    game.change(again)
    game.finish()
    assert [names(one)[0] for one in history.all_matches(game.device)] == ["Tim", "Sarah"]


def test_a_match_that_goes_on_again_is_not_there_until_it_ends(game: Evening) -> None:
    """A backup with the same match adds no second one meanwhile."""
    history = game.tables.history
    game.finish()
    [before] = history.all_matches(game.device)
    history.edit_notes(game.device, before.id, place="Kitchen", notes="Rain.")
    raw = history.export_json(game.device)
    step = game.undo()
    assert listed(game.tables, game.device) == []
    assert refused(history.match, game.device, before.id) == "no-such-play"
    done = restore(game.tables, game.device, raw)
    assert (done.new, done.there) == (0, 1)
    game.tap(redo=step.id)
    [after] = history.all_matches(game.device)
    assert (after.id, after.place, after.notes) == (before.id, "Kitchen", "Rain.")
    assert (after.players, after.ended_at) == (before.players, before.ended_at)


def test_a_match_on_paper(tables: Tables, host: str) -> None:
    more = {"started": ENDED - timedelta(minutes=31), "ended": ENDED}
    more |= {"place": " at  Ada's\n", "notes": "First\r\nsecond\x00\u202e"}
    match_id = add(tables, host, "qwinto-cards", [("Ben", EMPTY), ("Ada", SARAH)], **more)
    match = tables.history.match(host, match_id)
    assert standing(match) == [("Ben", -10, False), ("Ada", 43, True)]
    assert [player.name for player in match.ranking] == ["Ada", "Ben"]
    assert (match.minutes, match.place, match.notes) == (31, "at Ada's", "First\nsecond")
    assert (match.source, match.record, match.table_id) == ("photo", None, None)
    assert match.may_change


def test_documents_other_than_matches_on_paper_are_refused(tables: Tables, host: str) -> None:
    for name, code in (("ada ", "name-taken"), ("Ada\u202e", "bad-name"), (" ", "bad-name")):
        assert refused(paper, tables, host, "Ada", name) == code
    assert refused(put, tables, host, "chess", []) == "no-such-game"
    for sheets in ([], [("Ada", TALLY)], [(f"P{n}", SARAH) for n in range(7)]):
        with pytest.raises(Unusable):
            add(tables, host, "qwinto-dice", sheets)
    assert listed(tables, host) == []


# Who sees it


def test_everybody_at_the_table_sees_its_matches_and_nobody_else(game: Evening) -> None:
    phone, screen, stranger = game.joined(seat="Sarah"), game.watching(), game.on(device())
    history = game.tables.history
    game.finish()
    [match_id] = listed(game.tables, game.device)
    for who in (game, phone, screen):
        assert history.match(who.device, match_id).may_change == (who is not screen)
    assert listed(game.tables, stranger.device) == []
    assert refused(history.match, stranger.device, match_id) == "no-such-play"
    assert refused(history.match_at, stranger.device, game.id, 1) == "no-such-play"
    assert refused(history.person, stranger.device, person_id("Tim")) == "no-such-person"
    for who, code in ((stranger, "no-such-play"), (screen, "view-only")):
        assert refused(history.edit_notes, who.device, match_id, place="", notes="x") == code
        assert refused(history.delete_match, who.device, match_id) == code
    game.change(revoke, game.tables.links(game.id, game.device)[0].id)
    assert listed(game.tables, phone.device) == [], "who has lost the link sees it no more"
    assert listed(game.tables, game.device) == [match_id]


def test_pages_with_the_newest_first(tables: Tables, host: str) -> None:
    made = [
        paper(tables, host, "Ada", "Ben", ended=ENDED + timedelta(hours=number))
        for number in range(41)
    ]
    first = tables.history.matches(host)
    assert (first.count, first.pages, first.number) == (41, 3, 1)
    assert [match.id for match in first.matches] == made[:20:-1]
    assert [match.id for match in tables.history.matches(host, 3).matches] == made[:1]
    assert tables.history.matches(host, 99).number == 3
    assert tables.history.matches(host, -1).number == 1


# People


def test_a_personal_best_is_of_matches_alone_or_with_others(tables: Tables, host: str) -> None:
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
    assert with_others(host, game, "ZOË", shared) is None
    assert (with_others(host, game, "zoë"), with_others(host, game, "Ben")) == (53, -10)


def test_the_statistics_of_people(tables: Tables, host: str) -> None:
    paper(tables, host, "Ada", "Ben", ended=ENDED)
    paper(tables, host, "Ben", "Ada", ended=ENDED + timedelta(hours=1))
    add(tables, host, "freaky", [("", TALLY)], ended=ENDED + timedelta(hours=2))
    paper(tables, host, "ADA", "Cleo", ended=ENDED + timedelta(hours=3))
    ada, ben, cleo = people(tables, host)
    assert (ada.name, ben.name, cleo.name) == ("ADA", "Ben", "Cleo")
    counted = [(line.games, line.wins) for line in tables.history.people_page(host).people]
    assert counted == [(4, 2), (3, 2), (1, 0)]
    assert (ada.figures.games, ada.figures.wins, ada.figures.best) == (4, 2, 43)
    assert ada.figures.average == pytest.approx((43 - 10 + 19 + 43) / 4)
    by_game = {game.name: Figures.from_results(each) for game, each in ada.by_game.items()}
    assert list(by_game) == ["qwinto-dice", "freaky"]
    qwinto, freaky = by_game.values()
    assert (qwinto.games, qwinto.wins, qwinto.best) == (3, 2, 43)
    assert (freaky.games, freaky.wins, freaky.average) == (1, 0, 19.0)
    assert tables.history.person(host, cleo.id) == cleo


def test_many_people_have_pages(tables: Tables, host: str) -> None:
    for number in range(0, 120, 6):
        paper(tables, host, *(f"Person {number + place}" for place in range(6)))
    first, last = tables.history.people_page(host), tables.history.people_page(host, 99)
    assert (first.number, first.pages, len(first.people)) == (1, 3, 50)
    assert (last.number, len(last.people)) == (3, 20)
    assert not {person.id for person in first.people} & {person.id for person in last.people}


def test_records_and_streaks() -> None:
    matches = [
        {"Ada": 10, "Ben": 5}, {"ada": 12, "Ben": 5}, {"Ada": 11, "Ben": 9}, {"Ada": 10, "Ben": 12},
        {"Ada": 20, "Ben": 13}, {"Ada": 21, "Ben": 21},
    ]  # fmt: skip
    found = [
        PersonalResult(
            str(number), GAMES["freaky"], ENDED + timedelta(days=number), name, total,
            total == max(match.values()),
        )
        for number, match in enumerate(matches)
        for name, total in match.items()
    ]  # fmt: skip
    for match_id, expected in {
        "0": [],
        "2": [("streak", "Ada", 3, 0)],
        "3": [("personal-record", "Ben", 12, 9)],
        "4": [("table-record", "Ada", 20, 12), ("personal-record", "Ben", 13, 12)],
        "x": [],
    }.items():
        others = [feat for feat in feats(found, match_id) if feat.what != "series"]
        assert [(feat.what, feat.player, feat.number, feat.before) for feat in others] == expected
    assert longest_streak([one for one in found if one.name == "Ben"]) == 1


def test_a_series_counts_the_wins_of_exactly_these_people() -> None:
    played = ["Ada Ben", "Ben ada", "Ada Ben Cleo", "Ada", "Ada Ben ?", "Ben Ada"]
    found = []
    for number, line in enumerate(played):
        for place, name in enumerate(line.removesuffix("?").split()):
            day = ENDED + timedelta(days=number)
            one = PersonalResult(str(number), GAMES["freaky"], day, name, 7, place == 0)
            of_all = len(line.split())
            found.append(replace(one, players=of_all, is_unfinished=number == 5))
    series = {
        match: [feat.wins for feat in feats(found, match) if feat.what == "series"]
        for match in "01245"
    }
    # The fifth had a player without a name, and the sixth was ended early.
    assert series == {"0": [], "1": [(("Ben", 1), ("ada", 1))], "2": [], "4": [], "5": []}


# Deleting


def all_text(url: str) -> str:
    """Everything that is in the database."""
    with inside(url) as connection:
        return "\n".join(
            repr(tuple(row))
            for table in metadata.sorted_tables
            for row in connection.execute(sa.select(table))
        )


def test_a_deleted_match_leaves_no_log(timed: Tables, clock: Clock, host: str, url: str) -> None:
    game = evening(timed, host)
    phone = game.joined(seat="Sarah")
    game.finish()
    taps = [event.id for event in game.read().log if event.id]
    clock.turn(minutes=30)
    game.change(again)
    game.finish()
    first, second = timed.history.all_matches(host)
    timed.history.delete_match(phone.device, first.id)
    assert listed(timed, host) == [second.id]
    assert refused(timed.export, game.id, host, 1) == "not-started"
    record = {key: value for key, value in timed.export(game.id, host, 2).items() if key != COLORS}
    assert record == json.loads(second.record or "")
    text = all_text(url)
    assert not [tap for tap in taps if tap in text]
    # The table goes on as if nothing had happened.
    assert game.read().phase == "over"
    order = [seat.name for seat in game.read().seats]
    game.change(again)
    assert game.read().number == 3
    assert [seat.name for seat in game.read().seats] == [*order[1:], order[0]]


def test_other_processes_forget_a_deleted_match(timed: Tables, url: str, host: str) -> None:
    game = evening(timed, host)
    game.finish()
    with closing(Tables(url)) as other:
        there = Evening(other, game.id, host)
        assert there.read().phase == "over"
        timed.history.delete_match(host, listed(timed, host)[0])
        for party in (game, there):
            table = party.read()
            assert (table.phase, table.number, len(table.seats)) == ("lobby", 1, 3)
            assert table.position is None
            assert not [line for line in table.log if line.id]
        assert there.read().log == game.read().log
    with closing(Tables(url)) as restarted:
        there = Evening(restarted, game.id, host)
        assert (there.read().phase, there.read().number) == ("lobby", 1)
        there.change(start)
        assert there.read().number == 2


def test_a_deleted_person_leaves_no_trace(timed: Tables, host: str, url: str) -> None:
    game = lobby(timed, host, ("Tim", "Zara", "Linus"))
    phone = game.joined(seat="Zara", label="Zara")
    game.change(start)
    game.finish()
    phone.finish()
    mine = paper(timed, host, "Ben", "zara")
    alone = paper(timed, host, "Zara")
    stranger = device()
    theirs = paper(timed, stranger, "Zara", "Ada")
    history, zara = timed.history, person_id("Zara")
    goes = history.deletion_preview(host, zara)
    assert (goes.anonymized, goes.deleted, goes.aborted, goes.untouched) == (2, 1, 0, 0)
    history.delete_person(host, zara)

    assert refused(history.person, host, zara) == "no-such-person"
    assert refused(history.match, host, alone) == "no-such-play"
    assert names(history.match(host, mine)) == ["Ben", None]
    [played] = [match for match in history.all_matches(host) if match.table_id]
    assert names(played) == ["Tim", None, "Linus"]
    assert played.players[1].total is played.players[1].sheet is played.record is None
    assert [seat.name for seat in game.read().seats] == ["Tim", "Linus"]
    # Another group's Zara is somebody else's business.
    assert names(history.match(stranger, theirs)) == ["Zara", "Ada"]
    history.delete_match(stranger, theirs)
    assert "zara" not in all_text(url).casefold()
    # The table goes on without them.
    game.change(start)
    assert game.read().number == 2


def test_a_match_stays_while_somebody_without_a_name_is_in_it(tables: Tables, host: str) -> None:
    (name, full), (_, empty) = kept("qwinto-dice", ("Zara", SARAH), ("Ben", EMPTY))
    match_id = put(tables, host, "qwinto-dice", [(name, full), (None, empty)])
    assert tables.history.deletion_preview(host, person_id("Zara")).anonymized == 1
    tables.history.delete_person(host, person_id("Zara"))
    left = standing(tables.history.match(host, match_id))
    assert left == [(None, None, True), (None, -10, False)]


def test_a_running_match_ends_when_a_player_is_deleted(timed: Tables, host: str, url: str) -> None:
    """No page shows the row of one that goes on again, which has the names of its first end."""
    game = evening(timed, host)
    paper(timed, host, "Tim", "Ada")
    game.finish()
    game.undo()
    goes = timed.history.deletion_preview(host, person_id("Tim"))
    assert (goes.anonymized, goes.aborted) == (1, 1)
    timed.history.delete_person(host, person_id("Tim"))
    assert game.read().phase == "lobby"
    assert "Tim" not in all_text(url)


def test_a_person_whose_name_is_a_word_of_the_log(timed: Tables, host: str, url: str) -> None:
    """The other name looks like two names in the list of those who play on one phone."""
    for name in ("red", "qwinto-dice", "host", "–", "1", "Ann, Tim"):
        game = lobby(timed, host, ("Tim", name))
        phone = game.joined(seat=name)
        phone.change(take_seat, game.seat("Tim"))
        game.change(start)
        phone.do({"do": "roll", "by": "Tim", "dice": {"orange": 3}})
        game.change(stop)
        timed.history.delete_person(host, person_id(name))
        with closing(Tables(url)) as other:  # which has nothing in its memory
            table = other.read(game.id, host)
        assert [(seat.name, seat.color) for seat in table.seats] == [("Tim", "red")]
        assert table.game.name == "qwinto-dice"
    assert "Ann, Tim" not in all_text(url)


def test_a_watching_device_deletes_nobody_there(game: Evening) -> None:
    screen, tim = game.watching().device, person_id("Tim")
    game.finish()
    for ask in (game.tables.history.deletion_preview, game.tables.history.delete_person):
        assert refused(ask, screen, tim) == "view-only"
    # Their own matches are deleted nevertheless.
    paper(game.tables, screen, "Tim", "Ada")
    goes = game.tables.history.deletion_preview(screen, tim)
    assert (goes.anonymized, goes.deleted, goes.untouched) == (1, 0, 1)
    game.tables.history.delete_person(screen, tim)
    assert names(game.tables.history.all_matches(game.device)[0]) == ["Tim", "Sarah", "Linus"]


@pytest.mark.parametrize("shared", [True, False])
def test_a_guest_does_not_end_a_running_match(game: Evening, shared: bool) -> None:
    """A file of the guest's own that names somebody at the table does not help."""
    game.change(take_seat, game.seat("Tim"))
    game.change(set_setting, "shared_entry", shared)
    guest = game.joined(seat="Sarah").device
    game.do({"do": "roll", "by": "Tim", "dice": {"orange": 3}})
    version, other, history = game.read().version, device(), game.tables.history
    for name in ("Tim", "Sarah"):
        paper(game.tables, other, name, "Ada")
    take_in(game.tables, guest, history.export_json(other))
    for name in ("Tim", "Sarah"):
        for ask in (history.deletion_preview, history.delete_person):
            assert refused(ask, guest, person_id(name)) == "not-host"
    assert game.read().version == version
    assert len(history.all_matches(guest)) == 2, "nothing is half done"
    history.delete_person(guest, person_id("Ada"))


def test_a_guest_does_not_remove_a_seat_that_another_device_holds(timed: Tables, host: str) -> None:
    game = lobby(timed, host, ("Tim", "Sarah"))
    game.change(take_seat, game.seat("Tim"))
    guest = game.joined(seat="Sarah").device
    paper(timed, guest, "Tim", "Sarah")
    assert refused(timed.history.delete_person, guest, person_id("Tim")) == "not-host"
    assert [seat.name for seat in game.read().seats] == ["Tim", "Sarah"]
    timed.history.delete_person(guest, person_id("Sarah"))
    assert [seat.name for seat in game.read().seats] == ["Tim"]


def test_an_interrupted_deletion_is_finished_by_the_next(
    timed: Tables, host: str, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Wherever it is interrupted, the person is found again, and nothing of them stays."""
    made = [paper(timed, host, "Ada", *others) for others in (["Ben"], [], ["Ben"])]
    ended = timed.history.match(host, made[2]).ended_at
    details = Details(ended, "", "", (("Zoë", None), ("Ben", None)))
    timed.history.edit_details(host, made[2], details)  # Zoë was called Ada
    game = lobby(timed, host, ("Tim", "Ada", "Linus"))
    game.change(start)
    game.finish()
    lobby(timed, host, ("Ada", "Sarah"))
    assert (
        cuts_until_done(
            timed, monkeypatch, lambda: timed.history.delete_person(host, person_id("Ada"))
        )
        > 2
    )
    assert "Ada" not in all_text(url)
    assert names(timed.history.match(host, made[2])) == ["Zoë", "Ben"]


def cuts_until_done(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]
) -> int:
    """Repeats an act that is interrupted after one transaction, two and so on, until it ends."""
    write = tables.database.write
    with monkeypatch.context() as patched:
        patched.setattr(rewriting, "ROWS_AT_ONCE", 1)
        for cut in count(1):
            cut_off = Mock(wraps=write, side_effect=[*[DEFAULT] * cut, KeyboardInterrupt])
            patched.setattr(tables.database, "write", cut_off)
            with suppress(KeyboardInterrupt):
                act()
                return cut
    raise AssertionError


def test_an_interrupted_renaming_is_finished_by_the_next(
    tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [paper(tables, host, name, "Ben") for name in ("Ada", "Ada", "Bea", "Ada")]

    def rename() -> None:
        tables.history.rename_person(host, person_id("Ada"), "Bea")

    assert cuts_until_done(tables, monkeypatch, rename) == 2
    assert {names(tables.history.match(host, one))[0] for one in made} == {"Bea"}


@pytest.mark.parametrize("what", ["rename", "delete"])
def test_a_change_before_the_write_is_not_overwritten(
    tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Many matches are looked up before the transactions in which they change."""
    edited, deleted, joined = (paper(tables, host, "Ada", "Ben") for _ in range(3))
    write, others = tables.database.write, iter([True])

    def meanwhile(*args: Any, **more: Any) -> Any:
        if next(others, False):
            edit(tables, host, edited, "Ada", "Cy")
            tables.history.delete_match(host, deleted)
            edit(tables, host, joined, "Ada", "Bea")
        return write(*args, **more)

    monkeypatch.setattr(tables.database, "write", meanwhile)
    if what == "rename":
        tables.history.rename_person(host, person_id("Ada"), "Bea")
    else:
        tables.history.delete_person(host, person_id("Ada"))
    first = {"rename": ("Bea", "Ada"), "delete": (None, None)}[what]
    now = [names(tables.history.match(host, one)) for one in (edited, joined)]
    assert now == [[first[0], "Cy"], [first[1], "Bea"]]
    assert refused(tables.history.match, host, deleted) == "no-such-play"


def test_an_id_of_another_device_s_match_is_refused(game: Evening, host: str, phone: str) -> None:
    """Like any id that it does not have; a table gets nothing of that match."""
    tables = game.tables
    theirs = paper(tables, phone, "Ada", "Ben")
    other = game.joined()
    same = paper_match("freaky", kept("freaky", ("Cy", TALLY)), tables.now(), match_id=theirs)
    add = tables.history.add_paper_match
    assert refused(add, host, same, table_id=game.id) == "no-such-play"
    assert tables.history.all_matches(other.device) == ()


def test_the_same_match_is_looked_for_before_the_writer_is_taken(
    tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a key that follows the names, as long as only totals are known."""
    totals = [(name, KeptSheet(None, Result(total))) for name, total in (("Ada", 5), ("Ben", 7))]
    sheets = kept("qwinto-dice", ("Ada", SARAH), ("Ben", EMPTY))
    for players in (totals, sheets):
        first = put(tables, host, "qwinto-dice", players)
        tables.history.rename_person(host, person_id("Ada"), "Bea")
        renamed = [("Bea", players[0][1]), players[1]]
        same = paper_match("qwinto-dice", renamed, tables.now())
        with monkeypatch.context() as patched:
            patched.setattr(tables.database, "write", Mock(side_effect=AssertionError))
            with pytest.raises(SavedBefore) as found:
                tables.history.add_paper_match(host, same)
        assert found.value.match.id == first
        tables.history.delete_person(host, person_id("Bea"))
        if players is totals:
            tables.history.add_paper_match(host, same)


def test_the_same_match_is_found_by_an_index(tmp_path: Path) -> None:
    with closing(Tables(f"sqlite:///{tmp_path}/own.sqlite3")) as tables:
        asked: list[tuple[str, Any]] = []
        with tables.database.read() as connection:
            note = lambda _c, _u, text, values, *_: asked.append((text, values))  # noqa: E731
            sa.event.listen(tables.database.engine, "before_cursor_execute", note)
            match_alike(connection, device(), "none")
        plans = []
        with tables.database.read() as connection:
            for text, values in [one for one in asked if one[0].startswith("SELECT")]:
                steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
                plans.append(steps[0][3])
    by_key = "SEARCH plays USING INDEX ix_plays_essence_owner (essence=? AND owner=?)"
    assert plans == [by_key] * 2


def test_sqlite_overwrites_what_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "gone.sqlite3"
    with closing(Tables(f"sqlite:///{path}")) as tables:
        paper(tables, who := device(), "Zarathustra")
        tables.history.delete_person(who, person_id("Zarathustra"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"Zarathustra" not in path.read_bytes()


# Editing: totals and winners follow


def edit(tables: Tables, who: str, match_id: str, *names: str, **more: Any) -> None:
    """Edits the match's details, with these names instead of its own."""
    match = tables.history.match(who, match_id)
    players = [(player.name or "", player.total) for player in match.players if player.name]
    if names:
        players = [(name, total) for name, (_, total) in zip(names, players, strict=True)]
    given = {"ended": match.ended_at, "place": match.place, "notes": match.notes, **more}
    given["players"] = tuple(given.get("players", players))
    tables.history.edit_details(who, match_id, Details(**given))


def test_a_field_and_a_player(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    review_id = editing.begin(tables, host, match_id)
    with changing_review(tables, host, review_id) as review:
        ada, ben = review.sheets
        assert [ada.player(), ben.player()] == ["Ada", "Ben"]
        assert ada.filled.document == SARAH
        ben.set("yellow.1", 7)
        for place in range(1, 5):
            ada.set(f"failed.{place}", mark=True)
        for color in ("orange", "yellow", "purple"):
            for place in range(1, 10):
                ada.set(f"{color}.{place}", None)
        review.name_sheet(review.add("qwinto", "").id, 0, "Cy")
        review.sheets[-1].set("orange.1", 3)
    assert saving.save(tables, host, review_id, str) == match_id
    match = tables.history.match(host, match_id)
    assert standing(match) == [("Ada", -20, False), ("Ben", -9, False), ("Cy", 1, True)]
    assert match.ended_at == ENDED
    assert tables.history.matches(host).count == 1
    assert tables.reviews.of_device(host) == ()


def test_a_player_without_a_name_stays_and_may_get_one(tables: Tables, host: str) -> None:
    (ada, full), (_, empty) = kept("qwinto-cards", ("Ada", SARAH), ("Ben", EMPTY))
    sheets = [(ada, full), (None, empty)]
    match_id = put(tables, host, "qwinto-cards", sheets, ended=ENDED)
    match = tables.history.match(host, match_id)
    first = match.players[0]
    assert editing.can_edit(match)
    review_id = editing.begin(tables, host, match_id)
    with changing_review(tables, host, review_id) as review:
        assert [sheet.player() for sheet in review.sheets] == ["Ada", ""]
        review.sheets[1].set("yellow.1", 7)
    assert saving.save(tables, host, review_id, str) == match_id
    match = tables.history.match(host, match_id)
    assert standing(match) == [("Ada", first.total, True), (None, -9, False)]
    edit(tables, host, match_id, players=[("Ada", first.total), ("Ben", -9)])
    assert standing(tables.history.match(host, match_id))[1] == ("Ben", -9, False)


def test_another_match_in_the_review_of_a_saved_one_is_a_new_one(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    review_id = editing.begin(tables, host, match_id)
    with changing_review(tables, host, review_id) as review:
        review.game = "qwinto-cards"
        other = review.add("qwinto", "")
        other.set("orange.1", 3)
        review.move(other.id, "")
        review.leave_nameless(other.id, 0)
        edited, new = review.games
        review.chosen[new.key] = "qwinto-cards"
        assert [game.edits for game in review.games] == [match_id, ""]
    assert saving.save(tables, host, review_id, str, edited.key) == match_id
    assert saving.save(tables, host, review_id, str, edited.key) == match_id
    assert tables.history.matches(host).count == 1
    with changing_review(tables, host, review_id) as review:
        assert [sheet.id for sheet in review.sheets] == [other.id]
        assert not review.edits


def test_every_sheet_comes_back_as_it_was(tables: Tables, host: str) -> None:
    board = written(GAMES["encore"].sheet, "red")
    for game, sheets in (("freaky", [("", TALLY)]), ("encore", [("Ada", board), ("Ben", board)])):
        match_id = add(tables, host, game, sheets)
        before = tables.history.match(host, match_id)
        saving.save(tables, host, editing.begin(tables, host, match_id), str)
        assert tables.history.match(host, match_id) == before


def test_names_and_date(tables: Tables, host: str) -> None:
    started = ENDED - timedelta(minutes=30)
    match_id = paper(tables, host, "Ada", "Benn", ended=ENDED, started=started)
    day = ENDED - timedelta(days=3)
    edit(tables, host, match_id, "Ada", "Ben", ended=day, place="Attic")
    after = tables.history.match(host, match_id)
    assert standing(after) == [("Ada", 43, True), ("Ben", -10, False)]
    assert (after.ended_at, after.minutes, after.place) == (day, 30, "Attic")
    edit(tables, host, match_id)
    assert tables.history.match(host, match_id) == after, "nothing is written"


def test_an_edit_is_newer_than_the_one_before_it_under_any_clock(
    timed: Tables, clock: Clock, host: str
) -> None:
    """A restore goes by this time when it decides which version counts."""
    match_id = paper(timed, host, "Ada", "Ben", ended=ENDED)
    changed = [timed.history.match(host, match_id).changed]
    for place in ("Attic", "Garden"):
        clock.turn(minutes=-60)
        edit(timed, host, match_id, place=place)
        changed.append(timed.history.match(host, match_id).changed)
    assert changed == sorted(set(changed))


def test_impossible_edits_are_refused(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    match = tables.history.match(host, match_id)
    edit_it = partial(edit, tables, host, match_id)
    assert refused(edit_it, ended=datetime.now(UTC) + timedelta(days=1)) == "bad-date"
    assert refused(edit_it, "Ada", "") == "bad-name"
    assert refused(edit_it, "Ada", "ada ") == "name-taken"
    # Counted before each name is compared with all others, which would take minutes.
    for many in (7, 50_000):
        with pytest.raises(Unusable, match="at most 6 players"):
            edit_it(players=[(f"P{number}", 1) for number in range(many)])
    assert refused(editing.begin, tables, device(), match_id) == "no-such-play"
    assert tables.history.match(host, match_id) == match


def test_totals_without_sheets(tables: Tables, host: str) -> None:
    cards = [(name, KeptSheet({"cards": n}, Result(n))) for name, n in (("Ada", 9), ("Ben", 12))]
    match_id = put(tables, host, "freaky", cards, ended=ENDED)
    assert not editing.can_edit(tables.history.match(host, match_id))
    two = [("Ada", 9), ("Ben", 12)]
    edit(tables, host, match_id, players=[*two, ("Cy", 30)])
    after = standing(tables.history.match(host, match_id))
    assert after == [("Ada", 9, False), ("Ben", 12, False), ("Cy", 30, True)]
    edit(tables, host, match_id, players=[*two, ("", None)])
    after = standing(tables.history.match(host, match_id))
    assert after == [("Ada", 9, False), ("Ben", 12, True)]
    too_high = partial(edit, tables, host, match_id, players=[*two, ("Cy", 10**8)])
    assert refused(too_high) == "bad-total"


def test_a_match_played_in_the_app(game: Evening) -> None:
    tables, who = game.tables, game.device
    game.finish()
    [match] = tables.history.all_matches(who)
    saving.save(tables, who, editing.begin(tables, who, match.id), str)
    assert tables.history.match(who, match.id) == match
    edit(tables, who, match.id, "Tom", "Sarah", "Linus")
    renamed = tables.history.match(who, match.id)
    assert renamed.record is not None
    position = records.replay(records.parse(json.loads(renamed.record))).position
    assert position.over and position.players[0] == "Tom"
    with changing_review(tables, who, review := editing.begin(tables, who, match.id)) as found:
        found.sheets[0].set("failed.1", mark=not found.sheets[0].marks["failed.1"])
    saving.save(tables, who, review, str)
    assert tables.history.match(who, match.id).record is None
    # Tom was Tim in the log, which goes with him.
    tables.history.delete_person(who, person_id("Tom"))
    assert refused(tables.export, game.id, who) == "not-started"


def test_names_are_changed_in_the_text_of_a_record(tables: Tables, host: str) -> None:
    """Reading and writing the records of 5,000 long matches as objects took three times as long."""
    said = {"say": '"by":"Ada"'}
    played = evening(tables, host, ("Ada", "Ad", "B\\b")).read().state.match
    assert played is not None
    document = played.record()
    document["actions"] = [{"do": "roll", "by": name, **said} for name in document["players"]]
    players = tuple(Participant(name, 1, False, None) for name in document["players"])
    before = SavedMatch(
        game=GAMES["qwinto-dice"], source="app", started_at=None, ended_at=ENDED, players=players,
        record=encode(document),
    )  # fmt: skip
    names = ["Ad", '"by":"Ada"', "Bö"]
    named = [player.named(name) for player, name in zip(players, names, strict=True)]
    after = json.loads(before.with_players(named).record or "")
    actions = [{"do": "roll", "by": name, **said} for name in names]
    assert after == {**document, "players": names, "actions": actions}


def correct(game: Evening) -> None:
    """Corrects the first decision at a table whose match is over, and ends it again."""
    passed = game.read().entries[1]
    write = {"do": "write", "by": passed.by, "row": "orange", "field": 1}
    game.tap(replaces=passed.id, action=write, fixes={})
    game.finish()


def test_a_table_that_plays_on_updates_its_match(game: Evening) -> None:
    tables, who = game.tables, game.device
    game.finish()
    [match] = tables.history.all_matches(who)
    tables.history.edit_notes(who, match.id, place="Attic", notes="Rain.")
    correct(game)
    after = tables.history.match(who, match.id)
    assert after.players[0].sheet != match.players[0].sheet
    assert after.changed > match.changed
    assert (after.place, after.edited, after.is_contested) == ("Attic", None, False)


def edited_and_corrected(game: Evening) -> tuple[FinishedMatch, FinishedMatch]:
    """The match as it was edited, and after a correction at its table."""
    tables, who = game.tables, game.device
    game.finish()
    [match] = tables.history.all_matches(who)
    edit(tables, who, match.id, "Tom", "Sarah", "Linus", place="Attic")
    before = tables.history.match(who, match.id)
    correct(game)
    return before, tables.history.match(who, match.id)


def test_an_edited_match_is_kept_until_somebody_decides(game: Evening) -> None:
    before, after = edited_and_corrected(game)
    assert after == replace(before, is_contested=True)
    game.tables.history.settle_edit(game.device, after.id, by_table=False)
    assert game.tables.history.match(game.device, after.id) == before


def test_a_tables_match_is_taken_instead_of_the_edited_one(game: Evening) -> None:
    tables, who = game.tables, game.device
    before, after = edited_and_corrected(game)
    step = game.undo()
    tables.history.settle_edit(who, after.id, by_table=True)
    assert tables.history.match(who, after.id) == after, "the table has none while it plays on"
    game.tap(redo=step.id)
    for other, code in ((game.watching().device, "view-only"), (device(), "no-such-play")):
        assert refused(tables.history.settle_edit, other, after.id, by_table=True) == code
    tables.history.settle_edit(who, after.id, by_table=True)
    taken = tables.history.match(who, after.id)
    assert json.loads(taken.record or "") == tables.export(game.id, who)
    assert taken.players[0].name == "Tim"
    assert (taken.place, taken.identity) == ("Attic", before.identity)
    assert (taken.edited, taken.is_contested) == (None, False)
    correct(game)
    assert not tables.history.match(who, after.id).is_contested


def test_people_are_renamed_and_merged(tables: Tables, host: str) -> None:
    first = paper(tables, host, "Ada", "Ben", ended=ENDED)
    second = paper(tables, host, "Adda", "Cy", ended=ENDED + timedelta(days=1))
    both = paper(tables, host, "Adda", "Ada", ended=ENDED + timedelta(days=2))
    adda = person_id("Adda")
    preview = tables.history.renaming_preview(host, adda, "ada")
    assert (preview.renamed, preview.together, preview.joins) == (1, 1, 2)
    tables.history.rename_person(host, adda, "ada")
    named = [tables.history.match(host, one).players[0].name for one in (first, second, both)]
    assert named == ["Ada", "ada", "Adda"]
    # Another spelling of the same name goes everywhere.
    tables.history.rename_person(host, person_id("ada"), "Ada")
    assert tables.history.match(host, second).players[0].name == "Ada"
    assert refused(tables.history.rename_person, host, person_id("ada"), " ") == "bad-name"


def test_a_deleted_winner_stays_one(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    tables.history.delete_person(host, person_id("Ada"))
    edit(tables, host, match_id, "Bea")
    after = standing(tables.history.match(host, match_id))
    assert after == [(None, None, True), ("Bea", -10, False)]
    sheets = kept("qwinto-dice", ("Ben", {**EMPTY, "failed": 0}))
    with tables.history.writing() as connection:
        edit_sheets(connection, host, match_id, sheets, tables.now())
    after = standing(tables.history.match(host, match_id))
    assert after == [(None, None, True), ("Ben", 0, False)]


def test_an_impossible_sheet_has_no_winner(tables: Tables, host: str) -> None:
    """A player without a sheet is removed."""
    match_id = paper(tables, host, "Ada", "Ben", "Cy", ended=ENDED)
    (_, odd), ben = kept("qwinto-dice", ("Ada", SARAH), ("Ben", EMPTY))
    with tables.history.writing() as connection:
        sheets = [("Ada", replace(odd, is_countable=False)), ben]
        rest = match_id, sheets, tables.now()
        assert refused(edit_sheets, connection, device(), *rest) == "no-such-play"
        edit_sheets(connection, host, *rest)
    after = standing(tables.history.match(host, match_id))
    assert after == [("Ada", None, False), ("Ben", -10, False)]
