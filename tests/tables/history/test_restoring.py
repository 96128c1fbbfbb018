"""Restoring backups: no game is there twice, nothing that was changed since is lost unasked."""

from __future__ import annotations

import json
import random
import re
from datetime import timedelta

import pytest

from companion.tables import FinishedMatch, Tables
from companion.tables.history.mending import Details
from companion.tables.history.people import person_id
from companion.tables.history.restoring import CHOICES
from companion.tables.play.lobby import again
from tests.kit.history import paper, people, take_in
from tests.kit.wide import examples, first_of
from tests.tables.friends import Clock, device, evening, refused
from tests.tables.history.test_history import ENDED, all_text

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


def mended(tables: Tables, who: str, match: FinishedMatch, place: str = "Home") -> None:
    players = tuple(
        (player.name or "", player.total) for player in match.players if not player.is_deleted
    )
    ended = match.ended_at + timedelta(days=1)
    details = Details(ended=ended, place=place, notes="Rain.", players=players)
    tables.history.mend_details(who, match.id, details)


def renamed(tables: Tables, who: str, name: str, new: str) -> None:
    tables.history.rename_person(who, person_id(name), new)


def kinds(tables: Tables, who: str, raw: bytes) -> dict[str, int]:
    tables.history.prepare_restore(who, raw)
    return dict(tables.history.restore_preview(who).counts)


def test_nothing_is_doubled_that_was_changed_since(tables: Tables, host: str) -> None:
    """Renaming Cleo and deleting Mia had made 54 games of 26."""
    for hours in range(4):
        paper(tables, host, "Ada", "Cleo", "Mia", ended=ENDED + timedelta(hours=hours))
    raw = tables.history.export_json(host)
    before = matches(tables, host)
    renamed(tables, host, "Cleo", "Chloe")
    tables.history.delete_person(host, person_id("Mia"))
    tables.history.delete_match(host, next(iter(before.values())).id)
    paper(tables, host, "Ada", "Ben")
    assert kinds(tables, host, raw) == {"older": 3, "deleted": 1}
    now = tables.history.export_json(host)
    assert tables.history.restore(host)
    assert tables.history.export_json(host) == now
    assert tables.history.last_restore(host) is None

    assert take_in(tables, host, raw, *CHOICES) == 1
    again = matches(tables, host)
    for identity, match in before.items():
        assert again[identity].players == match.players
    assert len(again) == 5
    last = tables.history.last_restore(host)
    assert last is not None
    assert (last.new, last.replaced) == (1, 3)
    assert kinds(tables, host, raw) == {"there": 4}
    assert tables.history.take_back(host)
    assert tables.history.export_json(host) == now
    assert tables.history.last_restore(host) is None
    assert kinds(tables, host, raw) == {"older": 3, "deleted": 1}


def test_a_change_on_another_server_comes_back(tables: Tables, host: str, clock: Clock) -> None:
    paper(tables, host, "Ada", "Ben", ended=ENDED)
    raw, other = tables.history.export_json(host), device()
    take_in(tables, other, raw)
    renamed(tables, other, "Ben", "Benno")
    raw = tables.history.export_json(other)
    assert kinds(tables, host, raw) == {"newer": 1}
    take_in(tables, host, raw, "newer")
    assert tables.history.export_json(host) == raw
    [match] = tables.history.all_matches(host)
    [change] = tables.history.changes(host, match.id)
    assert [(item.what, item.before, item.after) for item in change.items] == [
        ("name", "Ben", "Benno")
    ]


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
    for who, found in ((host, "older"), (guest.device, "older"), (screen.device, "there")):
        assert kinds(timed, who, raw) == {found: 1, "deleted": 1}
    assert take_in(timed, host, raw, *CHOICES) == 1
    assert matches(timed, host).keys() == {first.identity, second.identity}
    assert "Timo" not in {player.name for player in timed.history.match(host, second.id).players}
    assert timed.history.take_back(host)
    assert matches(timed, host).keys() == {second.identity}


def test_a_deleted_person_does_not_wait_in_a_restore(
    tables: Tables, host: str, shared_url: str
) -> None:
    paper(tables, host, "Ada", "Zarathustra", ended=ENDED)
    raw = tables.history.export_json(host)
    renamed(tables, host, "Ada", "Eve")
    take_in(tables, host, raw, "older")
    tables.history.prepare_restore(host, raw)
    tables.history.delete_person(host, person_id("Zarathustra"))
    assert tables.history.last_restore(host) is None
    assert refused(lambda: tables.history.restore(host)) == "no-restore"
    assert "zarathustra" not in all_text(shared_url).casefold()


def test_a_backup_without_identities(tables: Tables, host: str) -> None:
    """As earlier versions made it: what a game was is known from its log, and from its rest."""
    for hours in range(4):
        paper(tables, host, "Ada", "Cleo", "Mia", ended=ENDED + timedelta(hours=hours))
    paper(tables, host, "Ben", "Zoe", ended=ENDED)
    paper(tables, host, "Ben", "Zoe", ended=ENDED)
    raw = without_identities(tables.history.export_json(host))
    assert kinds(tables, host, raw) == {"there": 6}
    renamed(tables, host, "Cleo", "Chloe")
    mended(tables, host, tables.history.all_matches(host)[-1])
    assert kinds(tables, host, raw) == {"older": 4, "there": 2}
    other = device()
    assert take_in(tables, other, raw) == 6
    tables.history.delete_person(other, person_id("Mia"))
    assert kinds(tables, other, raw) == {"older": 4, "there": 2}
    tables.history.delete_match(other, next(iter(matches(tables, other).values())).id)
    assert sorted(kinds(tables, other, raw)) == ["deleted", "older", "there"]


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
    tables.history.prepare_restore(who, raw)
    faults = tables.history.restore_preview(who).faults
    assert [(number, reason.code) for number, reason in faults] == list(enumerate(codes, start=2))
    assert tables.history.restore(who)
    assert matches(tables, who).keys() == matches(tables, host).keys()
    assert refused(lambda: tables.history.restore_preview(who)) == "no-restore"


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
        "no games": (b'{"format":"companion-history/1","games":[]}', "empty-history"),
    }


def test_each_kind_of_wrong_file_has_its_own_sentence(tables: Tables, host: str) -> None:
    for name, (raw, code) in files().items():
        assert refused(lambda raw=raw: tables.history.prepare_restore(host, raw)) == code, name


class Life:
    """A device's history in which anything happens, and what must be in it."""

    def __init__(self, tables: Tables, clock: Clock, chance: random.Random) -> None:
        self.tables, self.clock, self.chance = tables, clock, chance
        self.who = device()
        self.there: set[str] = set()
        self.backups: list[tuple[bytes, set[str]]] = []
        self.added: set[str] = set()

    def some_match(self) -> FinishedMatch | None:
        found = sorted(self.tables.history.all_matches(self.who), key=lambda match: match.ended_at)
        return self.chance.choice(found) if found else None

    def play(self) -> None:
        names = self.chance.sample(NAMES, self.chance.randint(1, 3))
        ended = FIRST + timedelta(minutes=self.chance.randrange(3))
        match_id = paper(self.tables, self.who, *names, ended=ended)
        self.there.add(self.tables.history.match(self.who, match_id).identity)

    def mend(self) -> None:
        if match := self.some_match():
            mended(self.tables, self.who, match, self.chance.choice(("", "Home")))

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
            self.added.discard(match.identity)

    def delete_person(self) -> None:
        if known := people(self.tables, self.who):
            person = self.chance.choice(known)
            self.tables.history.delete_person(self.who, person.id)
            # Games in which nobody else was go with the person.
            left = {match.identity for match in self.tables.history.all_matches(self.who)}
            gone = {result.match_id for result in person.results}
            assert len(self.there - left) <= len(gone)
            self.there &= left
            self.added = set()

    def back_up(self) -> None:
        if self.there:
            self.backups.append((self.tables.history.export_json(self.who), set(self.there)))

    def restore(self) -> None:
        if not self.backups:
            return
        raw, held = self.chance.choice(self.backups)
        chosen = {kind for kind in CHOICES if self.chance.random() < 0.5}
        self.tables.history.prepare_restore(self.who, raw)
        counts = self.tables.history.restore_preview(self.who).counts
        assert counts.total() == len(held)
        assert counts["new"] == 0, "nothing that was here once is new"
        assert counts["deleted"] == len(held - self.there)
        before = self.tables.history.export_json(self.who)
        for _ in range(2):
            assert self.tables.history.restore(self.who, chosen)
            self.tables.history.prepare_restore(self.who, raw)
        if self.chance.random() < 0.3 and self.tables.history.last_restore(self.who):
            self.tables.history.take_back(self.who)
            assert self.tables.history.export_json(self.who) == before
        elif "deleted" in chosen:
            self.there |= held

    def check(self) -> None:
        assert matches(self.tables, self.who).keys() == self.there


DEEDS = (
    Life.play, Life.play, Life.mend, Life.annotate, Life.rename, Life.delete, Life.delete_person,
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
