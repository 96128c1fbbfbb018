"""Backups and spreadsheets: what a file may hold, no match twice, and nothing is overwritten."""

from __future__ import annotations

import csv
import itertools
import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest

from companion.games.catalog import GAMES, SHEET_GAMES, SHEETS
from companion.games.scoring import filled_sheet
from companion.tables import FinishedMatch, Refused, Tables
from companion.tables.database.columns import to_milliseconds
from companion.tables.history import backup_child, exchange
from companion.tables.history.editing import Details
from companion.tables.history.people import person_id
from companion.tables.ledger.saved import Participant, SavedMatch
from companion.tables.play.lobby import again
from lab import wrong
from lab.games import SARAH, finished
from lab.history import EMPTY, TALLY, paper, people, restore, upload
from lab.sheets import written
from lab.tables import Clock, Evening, device, refused
from lab.wide import examples, first_of
from tests.tables.history.test_history import ENDED, cuts_until_done

NAMES = ("Ada", "Ben", "Cleo", "Mia", "Zoe")


def matches(tables: Tables, who: str) -> dict[str, FinishedMatch]:
    """The device's matches by identity, each of which is there once."""
    found = tables.history.all_matches(who)
    known = {match.identity: match for match in found}
    assert len(known) == len(found)
    return known


def restored(tables: Tables, who: str, raw: bytes, *, deleted: bool = False) -> tuple[int, ...]:
    """How many matches were new, were there already, and were deleted here since."""
    done = restore(tables, who, raw, deleted=deleted)
    return done.new, done.there + done.changed, done.deleted


def test_a_tables_matches_are_recognized(game: Evening) -> None:
    """Matches deleted there by somebody else count, and those on devices that may only watch."""
    game.finish()
    game.change(again)
    game.finish()
    guest, screen = game.joined(seat="Sarah"), game.watching()
    raw = game.tables.history.export_json(game.device)
    first, second = game.tables.history.all_matches(game.device)
    game.tables.history.rename_person(guest.device, person_id("Tim"), "Timo")
    game.tables.history.delete_match(guest.device, first.id)
    for who in (game.device, guest.device, screen.device):
        assert restored(game.tables, who, raw) == (0, 1, 1)
    assert restored(game.tables, game.device, raw, deleted=True) == (1, 1, 0)
    assert matches(game.tables, game.device).keys() == {first.identity, second.identity}


def test_local_changes_are_replaced_by_the_backup_on_request(game: Evening) -> None:
    """A deleted person makes no difference; a device that only watches changes nothing."""
    game.finish()
    tables, who = game.tables, game.device
    for names in (("Ada", "Tim"), ("Ada", "Ben")):
        paper(tables, who, *names)
    before, raw = matches(tables, who), tables.history.export_json(who)
    screen = game.watching().device
    tables.history.delete_person(who, person_id("Tim"))
    for changed, done in ((False, (2, 0)), (True, (0, 2)), (True, (0, 0))):
        outcome = restore(tables, who, raw, changed=changed)
        assert (outcome.changed, outcome.undone) == done
        assert restore(tables, screen, raw, changed=True).undone == 0
    after = matches(tables, who)
    for identity, match in before.items():
        assert after[identity].players == match.players
        assert json.loads(after[identity].record or "0") == json.loads(match.record or "0")


def test_an_interrupted_restore_is_finished_by_the_next(
    tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        paper(tables, host, "Ada", "Ben")
    raw, who = tables.history.export_json(host), device()
    assert cuts_until_done(tables, monkeypatch, lambda: restore(tables, who, raw)) == 2
    assert matches(tables, who).keys() == matches(tables, host).keys()


def test_a_backup_without_identities(tables: Tables, host: str) -> None:
    """As versions before 1.0 made it: the same file is recognized."""
    for hours in range(2):
        paper(tables, host, "Ada", "Cleo", ended=ENDED + timedelta(hours=hours))
    raw = re.sub(rb'("changed":[^,]*|"id":"[^"]*"),', b"", tables.history.export_json(host))
    other = device()
    assert restored(tables, other, raw) == (2, 0, 0)
    tables.history.rename_person(other, person_id("Cleo"), "Chloe")
    tables.history.delete_match(other, next(iter(matches(tables, other).values())).id)
    assert restored(tables, other, raw) == (0, 1, 1)


def test_good_matches_are_imported_beside_bad_ones(tables: Tables, host: str) -> None:
    paper(tables, host, "Ada", "Ben", ended=ENDED)
    paper(tables, host, "Ada", "Cleo", ended=ENDED + timedelta(hours=1))
    document = json.loads(tables.history.export_json(host))
    good, other = document["games"]
    bad = [
        {**other, "game": "chess"},
        {**other, "source": "dream"},
        {**other, "ended": "2999-01-01T00:00:00Z"},
        {**other, "ended": "2025-03-01T20:15:00"},
        {**other, "players": [player(None, None)]},
        {**other, "id": good["id"]},
        {**other, "id": "\x00"},
        {**other, "players": [{**other["players"][0], "name": "x" * 99}]},
    ]
    codes = ["unknown-game", "odd-game", "future-game", "odd-game", "odd-game"]
    codes += ["game-twice", "odd-game", "bad-name"]
    raw = json.dumps({**document, "games": [good, *bad, other]}).encode()
    who = device()
    faults = restore(tables, who, raw).faults
    assert [(number, reason.code) for number, reason in faults] == list(enumerate(codes, start=2))
    assert matches(tables, who).keys() == matches(tables, host).keys()


WHOLE = b'{"format":"companion-history/1","games":[\n{"game":"freaky","notes":"x\\u00fcy"}\n]}\n'
NO_BACKUPS = [
    *((WHOLE[:end], "cut-off-history") for end in range(33, len(WHOLE) - 2)),
    (b'{"format":"companion-history/2","games":{}}', "newer-history"),
    (WHOLE.replace(b'"game":', b'"game"') + b" " * 99, "damaged-history"),
    (WHOLE.replace(b"x", b"\xff"), "damaged-history"),
    (b'{"format":"companion-history/1","games":1}', "damaged-history"),
    (b'{"plays":[]}', "no-history"),  # another program's
    (b"\xff\xd8\xff", "no-history"),
    (b"", "no-history"),
    (b" " * (exchange.MOST_BYTES + 1), "large-history"),
    (b'{"format":"companion-history/1","games":[]}', "empty-history"),
]


def test_each_kind_of_wrong_file_has_its_own_sentence(tables: Tables, host: str) -> None:
    for raw, code in NO_BACKUPS:
        assert refused(restore, tables, host, raw) == code, raw[:80]


class Life:
    """A device's history, changed at random, and what must be in it."""

    def __init__(self, tables: Tables, clock: Clock, chance: random.Random) -> None:
        self.tables, self.clock, self.chance = tables, clock, chance
        self.who = device()
        self.there: set[str] = set()
        self.backups: list[tuple[bytes, set[str]]] = []

    def some_match(self) -> FinishedMatch | None:
        found = sorted(self.tables.history.all_matches(self.who), key=lambda match: match.ended_at)
        return self.chance.choice(found) if found else None

    def play(self) -> None:
        names = self.chance.sample(NAMES, self.chance.randint(1, 3))
        ended = ENDED - timedelta(days=1000, minutes=self.chance.randrange(3))
        match_id = paper(self.tables, self.who, *names, ended=ended)
        self.there.add(self.tables.history.match(self.who, match_id).identity)

    def edit(self) -> None:
        if match := self.some_match():
            players = [(one.name or "", one.total) for one in match.players if not one.is_deleted]
            place = self.chance.choice(("", "Home"))
            details = Details(match.ended_at + timedelta(days=1), place, "Rain.", tuple(players))
            self.tables.history.edit_details(self.who, match.id, details)

    def delete(self) -> None:
        if match := self.some_match():
            self.tables.history.delete_match(self.who, match.id)
            self.there.discard(match.identity)

    def delete_person(self) -> None:
        if known := people(self.tables, self.who):
            person = self.chance.choice(known)
            self.tables.history.delete_person(self.who, person.id)
            # Games of the person alone are deleted, too.
            left = {match.identity for match in self.tables.history.all_matches(self.who)}
            gone = {result.match_id for result in person.results}
            assert len(self.there - left) <= len(gone)
            self.there &= left

    def back_up(self) -> None:
        if self.there:
            self.backups.append((self.tables.history.export_json(self.who), set(self.there)))

    def restore(self) -> None:
        if not self.backups:
            return
        raw, held = self.chance.choice(self.backups)
        before = matches(self.tables, self.who)
        gone, deleted = held - self.there, self.chance.random() < 0.5
        done = restored(self.tables, self.who, raw, deleted=deleted)
        there = len(held & self.there)
        assert done == ((len(gone), there, 0) if deleted else (0, there, len(gone)))
        if deleted:
            self.there |= held
        after = matches(self.tables, self.who)
        kept = {identity: after[identity] for identity in before}
        assert kept == before, "nothing is overwritten"
        again = restored(self.tables, self.who, raw)
        assert again == (0, len(held & self.there), len(held - self.there))


DEEDS = (
    Life.play, Life.play, Life.edit, Life.delete, Life.delete_person,
    Life.back_up, Life.restore, Life.restore,
)  # fmt: skip


@pytest.mark.parametrize("part", first_of(range(6), 0))
def test_no_history_of_changes_doubles_a_match(timed: Tables, clock: Clock, part: int) -> None:
    for number in range(examples(25)):
        chance = random.Random(f"{part} {number}")
        life = Life(timed, clock, chance)
        for deed in (Life.play, Life.play, Life.back_up, *chance.choices(DEEDS, k=12)):
            deed(life)
            clock.turn(seconds=chance.choice((0, 60)))
            assert matches(timed, life.who).keys() == life.there


# Files that are damaged or lie: nothing is taken in, or only what the rules allow

NOW: Final = 1_760_000_000_000
NEAR: Final = ("1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2025-03-01T20:15:00", 10**6)
"""Times and a total at the limits of what is allowed."""


def match(game: str, *players: dict[str, Any], **more: Any) -> dict[str, Any]:
    texts = {"ended": "2025-03-01T20:15:00.000Z", "place": "", "notes": ""}
    common = {"source": "app", "started": None, "record": None, **texts}
    return {"game": game, "players": list(players), **common, **more}


def file_of(*games: dict[str, Any]) -> bytes:
    return json.dumps({"format": exchange.FORMAT, "games": games}).encode()


def player(name: str | None, sheet: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "total": None, "won": False, "sheet": sheet, **more}


def true_games() -> list[dict[str, Any]]:
    games = [
        match(games[0], *(player(name, written(SHEETS[kind], board)) for name in "AB"))
        for kind, games in SHEET_GAMES.items()
        if SHEETS[kind].sharing is None
        for board in [SHEETS[kind].usual_board]
    ]
    columns = [
        {**TALLY, "players": [name], "rounds": [[line[place]] for line in TALLY["rounds"]]}
        for place, name in enumerate(TALLY["players"])
    ]
    games.append(match("freaky", *(player(one["players"][0], one) for one in columns)))
    long = {**TALLY, "players": ["Ada"], "rounds": [[99_999]] * 20}
    games.append(match("freaky", player("Ada", long)))
    games.append(match("freaky", player("Ada", {"cards": 9}), player("Ben", {"cards": 7})))
    games.append(match("qwinto-dice", player("Ada", SARAH), player(None, None, won=True)))
    record = finished()
    over = match(record["game"], player("Tim", EMPTY), source="app", record=record)
    return [*games, over]


def parsed(raw: bytes) -> tuple[SavedMatch, ...]:
    """The matches of a file that can be taken in."""
    return tuple(match for match in exchange.parse(raw, NOW) if isinstance(match, SavedMatch))


def check_match(found: SavedMatch) -> None:
    """Imported matches keep the rules, or are kept as they were written."""
    assert 0 <= to_milliseconds(found.ended_at) <= NOW + exchange.CLOCK_SLACK_MS
    assert found.started_at is None or found.started_at <= found.ended_at
    totals = [one.total for one in found.players if one.total is not None]
    for one in found.players:
        assert one.total is None or one.total in exchange.TOTALS
        assert not one.won or one.total in (None, max(totals, default=None))
        if one.sheet is None or "sheet" not in one.sheet:
            continue
        filled = filled_sheet(one.sheet)
        numbers = {field.id: field.numbers for field in filled.layout.fields if field.numbers}
        wild = [n for n, mark in filled.marks.items() if n in numbers and mark not in numbers[n]]
        if any(filled.marks[name] is not None for name in wild):
            assert one.total is None
            assert not any(other.won for other in found.players)
        elif one.name is not None:
            assert one.total == filled.result.total
        assert not filled.problems or found.source != "app"


@pytest.mark.every_game
def test_files_that_lie() -> None:
    for game in true_games():
        assert len(parsed(file_of(game))) == 1
        looked_at = set()
        for path, value in wrong.places(game):
            if wrong.field(path) in looked_at or "actions" in path:
                continue
            looked_at.add(wrong.field(path))
            lies = [*wrong.of_type(value, {type(value)}), *wrong.of_range(value), *NEAR]
            found = parsed(file_of(*(wrong.put(game, path, lie) for lie in lies)))
            for one in found:
                check_match(one)
            # An imported file is as good as any other one.
            written = exchange.to_json(found)
            assert exchange.to_json(parsed(written)) == written


# Large files, which are read in a process of their own


def rows_of(raw: bytes) -> Iterator[tuple[int, Any]]:
    """The rows of a file, or the refusals, with their numbers."""
    with upload(raw) as file:
        for number, row in enumerate(backup_child.rows_of(file, NOW)):
            yield number, row.refusal if isinstance(row, Refused) else row


def test_a_large_file_is_read_as_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Good matches beside bad ones, and what is no backup at all."""
    bad = {"source": "dream"}, {"ended": "2999-01-01T00:00:00Z"}, {"game": "chess"}
    games = [one | fault for fault in ({}, *bad) for one in true_games()]
    files = file_of(*games), b"\xff\xd8\xff"

    def outcome(raw: bytes) -> object:
        try:
            return list(rows_of(raw))
        except Refused as refused:
            return refused.refusal

    here = list(map(outcome, files))
    monkeypatch.setattr(backup_child, "SMALL_BYTES", 0)
    assert list(map(outcome, files)) == here


HUNGRY = b'{"format":"companion-history/1","games":[' + b"{}," * 2_000_000 + b"{}]}"


@pytest.mark.parametrize(
    ("times", "most"),
    [(0, {"memory": 128 << 20}), (6000, {"processor_seconds": 1})],
    ids=["memory", "time"],
)
def test_a_file_that_takes_too_much_is_too_large(
    times: int, most: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_child, "LIMITS", replace(backup_child.LIMITS, **most))
    monkeypatch.setattr(backup_child, "SMALL_BYTES", 0)
    raw = file_of(*true_games() * times) if times else HUNGRY
    assert refused(list, rows_of(raw)) == "large-history"


def test_a_fault_of_the_child_is_not_reported_as_a_file_that_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backup_child, "SMALL_BYTES", 0)
    monkeypatch.setattr(backup_child, "__name__", "no.such.module")
    with pytest.raises(RuntimeError, match="fault"):
        list(rows_of(file_of(*true_games())))


# Spreadsheets: no text in them becomes a formula, wherever it is split


def test_harmless_texts_stay_as_they_are() -> None:
    for text in ("Ada", "", "a=1", "1-1", "x, y"):
        assert exchange.escape_formula(text) == text
    assert exchange.escape_formula("x,-5, y") == "x,'-5, y"


BLANKS = ' "\u2003\u00a0'
BREAKS = ("\t", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028")
HOSTILE = [
    f"{start}{separator}{filler}{formula}{end}"
    for start in ("", "x", '"', 'x"')
    for separator in ("", ",", ";", ";;", *BREAKS)
    for filler in ("", " ", '"', "'\"", "\u2003\u00a0")
    for formula in ("=1+1", "+1", "-1", "@x", "|cmd", "%0A", "＝1", "＋1", "－1", "＠1")
    for end in ("", ";", "\n", '"')
]


def _split_quoted(line: str, separator: str) -> list[str]:
    """Cells of a spreadsheet that begins a quoted cell only after its own separator."""
    return next(csv.reader([line], delimiter=separator), [])


def test_no_program_finds_a_formula() -> None:
    """German Excel splits at semicolons: 84 lines of notes such as `x;=1+1;` began a formula."""
    matches = [
        SavedMatch(
            game=GAMES["qwinto-dice"], source="typed", started_at=None, ended_at=ENDED,
            place=text, notes=text, players=(Participant(text, 20, True, None),),
        )
        for text in HOSTILE
    ]  # fmt: skip
    text = exchange.to_csv(matches).decode("utf-8-sig")
    assert len(text.split("\r\n")) == len(HOSTILE) + 2, "a line each, whatever is in it"
    lines = re.split("[\r\n\v\f\x1c-\x1e\x85\u2028]", text)
    # Programs that ignore quotation marks, or forget an open one at a line break, and those that
    # heed them all.
    ways = itertools.product((str.split, _split_quoted), ",;\t")
    cells = {cell for split, at in ways for line in lines for cell in split(line, at)}
    begun = [cell for cell in cells if cell.strip(f"'{BLANKS}")[:1] in tuple("=+-@|%＝＋－＠")]
    assert [cell for cell in begun if not cell.lstrip(BLANKS).startswith("'")] == []
