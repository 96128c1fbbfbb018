"""Restoring backups: no game is there twice, and nothing that is there is overwritten."""

from __future__ import annotations

import json
import random
import re
from datetime import timedelta

import pytest

from companion.tables import FinishedMatch, Tables
from companion.tables.history.editing import Details
from companion.tables.history.exchange import MOST_BYTES
from companion.tables.history.people import person_id
from companion.tables.play.lobby import again
from tests.kit.history import paper, people
from tests.kit.wide import examples, first_of
from tests.tables.friends import Clock, device, evening, refused
from tests.tables.history.test_history import ENDED

FIRST = ENDED - timedelta(days=1000)
NAMES = ("Ada", "Ben", "Cleo", "Mia", "Zoe")


def without_identities(raw: bytes) -> bytes:
    """The backup as earlier versions wrote it."""
    return re.sub(rb'("changed":[^,]*|"id":"[^"]*"),', b"", raw)


def matches(tables: Tables, who: str) -> dict[str, FinishedMatch]:
    """The device's matches by identity, each of which is there once."""
    found = tables.history.all_matches(who)
    known = {match.identity: match for match in found}
    assert len(known) == len(found)
    return known


def edited(tables: Tables, who: str, match: FinishedMatch, place: str = "Home") -> None:
    players = tuple(
        (player.name or "", player.total) for player in match.players if not player.is_deleted
    )
    ended = match.ended_at + timedelta(days=1)
    details = Details(ended=ended, place=place, notes="Rain.", players=players)
    tables.history.edit_details(who, match.id, details)


def renamed(tables: Tables, who: str, name: str, new: str) -> None:
    tables.history.rename_person(who, person_id(name), new)


def restored(tables: Tables, who: str, raw: bytes, *, deleted: bool = False) -> tuple[int, ...]:
    """How many games were new, were there already, and were deleted here since."""
    done = tables.history.restore(who, raw, deleted=deleted)
    return done.new, done.there, done.deleted


def test_nothing_is_doubled_that_was_changed_since(tables: Tables, host: str) -> None:
    """Renaming Cleo and deleting Mia had made 54 games of 26."""
    for hours in range(4):
        paper(tables, host, "Ada", "Cleo", "Mia", ended=ENDED + timedelta(hours=hours))
    raw = tables.history.export_json(host)
    before = matches(tables, host)
    renamed(tables, host, "Cleo", "Chloe")
    tables.history.delete_person(host, person_id("Mia"))
    first = next(iter(before.values()))
    tables.history.delete_match(host, first.id)
    paper(tables, host, "Ada", "Ben")
    now = tables.history.export_json(host)
    assert restored(tables, host, raw) == (0, 3, 1)
    assert tables.history.export_json(host) == now
    assert restored(tables, host, raw, deleted=True) == (1, 3, 0)
    assert matches(tables, host)[first.identity].players == first.players
    assert restored(tables, host, raw) == (0, 4, 0)


def test_a_change_on_another_server_changes_nothing_here(tables: Tables, host: str) -> None:
    paper(tables, host, "Ada", "Ben", ended=ENDED)
    raw, other = tables.history.export_json(host), device()
    assert restored(tables, other, raw) == (1, 0, 0)
    assert tables.history.export_json(other) == raw
    renamed(tables, other, "Ben", "Benno")
    assert restored(tables, host, tables.history.export_json(other)) == (0, 1, 0)
    assert tables.history.export_json(host) == raw


def test_a_tables_games_are_known_again(timed: Tables, host: str) -> None:
    """Also those that were deleted there by somebody else, and by devices that may only watch."""
    game = evening(timed, host)
    game.finish()
    timed.change(game.id, host, again)
    game.finish()
    guest, screen = game.joined(seat="Sarah"), game.watching()
    raw = timed.history.export_json(host)
    first, second = timed.history.all_matches(host)
    renamed(timed, guest.device, "Tim", "Timo")
    timed.history.delete_match(guest.device, first.id)
    for who in (host, guest.device, screen.device):
        assert restored(timed, who, raw) == (0, 1, 1)
    assert restored(timed, host, raw, deleted=True) == (1, 1, 0)
    assert matches(timed, host).keys() == {first.identity, second.identity}


def test_a_game_that_goes_on_again_is_not_added(timed: Tables, host: str) -> None:
    game = evening(timed, host)
    game.finish()
    raw = timed.history.export_json(host)
    step = game.read().undoable
    assert step is not None
    game.tap(undo=step.id)
    assert restored(timed, host, raw) == (0, 1, 0)
    game.tap(redo=step.id)
    assert len(matches(timed, host)) == 1


def test_a_backup_without_identities(tables: Tables, host: str) -> None:
    """As versions before 1.0 made it: the same file is known again."""
    for hours in range(4):
        paper(tables, host, "Ada", "Cleo", "Mia", ended=ENDED + timedelta(hours=hours))
    raw = without_identities(tables.history.export_json(host))
    other = device()
    assert restored(tables, other, raw) == (4, 0, 0)
    renamed(tables, other, "Cleo", "Chloe")
    assert restored(tables, other, raw) == (0, 4, 0)
    tables.history.delete_match(other, next(iter(matches(tables, other).values())).id)
    assert restored(tables, other, raw) == (0, 3, 1)


def test_good_games_are_taken_in_beside_bad_ones(tables: Tables, host: str) -> None:
    paper(tables, host, "Ada", "Ben", ended=ENDED)
    paper(tables, host, "Ada", "Cleo", ended=ENDED + timedelta(hours=1))
    document = json.loads(tables.history.export_json(host))
    good, other = document["games"]
    bad = [
        {**other, "game": "chess"},
        {**other, "source": "dream"},
        {**other, "ended": "2999-01-01T00:00:00Z"},
        {**other, "id": good["id"]},
        {**other, "id": "\x00"},
        {**other, "players": [{**other["players"][0], "name": "x" * 99}]},
    ]
    codes = ["unknown-game", "odd-game", "future-game", "game-twice", "odd-game", "bad-name"]
    raw = json.dumps({**document, "games": [good, *bad, other]}).encode()
    who = device()
    faults = tables.history.restore(who, raw).faults
    assert [(number, reason.code) for number, reason in faults] == list(enumerate(codes, start=2))
    assert matches(tables, who).keys() == matches(tables, host).keys()


def files() -> dict[str, tuple[bytes, str]]:
    """Files that are no backups, and the codes with which they are refused."""
    whole = (
        b'{"format":"companion-history/1","games":[\n{"game":"freaky","notes":"x\\u00fcy"}\n]}\n'
    )
    cut = {f"cut at {end}": (whole[:end], "cut-off-history") for end in range(33, len(whole) - 2)}
    return cut | {
        "newer": (b'{"format":"companion-history/2","games":{}}', "newer-history"),
        "damaged": (whole.replace(b'"game":', b'"game"') + b" " * 99, "damaged-history"),
        "bytes": (whole.replace(b"x", b"\xff"), "damaged-history"),
        "no list": (b'{"format":"companion-history/1","games":1}', "damaged-history"),
        "another program's": (b'{"plays":[]}', "no-history"),
        "no text": (b"\xff\xd8\xff", "no-history"),
        "nothing": (b"", "no-history"),
        "too large": (b" " * (MOST_BYTES + 1), "large-history"),
        "no games": (b'{"format":"companion-history/1","games":[]}', "empty-history"),
    }


def test_each_kind_of_wrong_file_has_its_own_sentence(tables: Tables, host: str) -> None:
    for name, (raw, code) in files().items():
        assert refused(lambda raw=raw: tables.history.restore(host, raw)) == code, name


class Life:
    """A device's history in which anything happens, and what must be in it."""

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
        ended = FIRST + timedelta(minutes=self.chance.randrange(3))
        match_id = paper(self.tables, self.who, *names, ended=ended)
        self.there.add(self.tables.history.match(self.who, match_id).identity)

    def edit(self) -> None:
        if match := self.some_match():
            edited(self.tables, self.who, match, self.chance.choice(("", "Home")))

    def annotate(self) -> None:
        if match := self.some_match():
            self.tables.history.annotate(self.who, match.id, place="", notes=str(len(self.there)))

    def rename(self) -> None:
        if known := people(self.tables, self.who):
            name = self.chance.choice(NAMES)
            renamed(self.tables, self.who, known[0].name, name)

    def delete(self) -> None:
        if match := self.some_match():
            self.tables.history.delete_match(self.who, match.id)
            self.there.discard(match.identity)

    def delete_person(self) -> None:
        if known := people(self.tables, self.who):
            person = self.chance.choice(known)
            self.tables.history.delete_person(self.who, person.id)
            # Games in which nobody else was go with the person.
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
        assert {identity: after[identity] for identity in before} == before, (
            "nothing is overwritten"
        )
        again = restored(self.tables, self.who, raw)
        assert again == (0, len(held & self.there), len(held - self.there))

    def check(self) -> None:
        assert matches(self.tables, self.who).keys() == self.there


DEEDS = (
    Life.play, Life.play, Life.edit, Life.annotate, Life.rename, Life.delete, Life.delete_person,
    Life.back_up, Life.restore, Life.restore,
)  # fmt: skip


@pytest.mark.parametrize("part", first_of(range(6), 0))
def test_no_life_doubles_a_game(timed: Tables, clock: Clock, part: int) -> None:
    for number in range(examples(25)):
        chance = random.Random(f"{part} {number}")
        life = Life(timed, clock, chance)
        for deed in (Life.play, Life.play, Life.back_up, *chance.choices(DEEDS, k=12)):
            deed(life)
            clock.turn(seconds=chance.choice((0, 60)))
            life.check()
