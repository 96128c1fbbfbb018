"""History files that are damaged or lie: nothing is taken in, or only what the rules allow."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from companion.games.catalog import GAMES, SHEET_GAMES, SHEETS
from companion.games.scoring import filled_sheet
from companion.tables import Tables
from companion.tables.database.columns import to_milliseconds
from companion.tables.history import exchange
from companion.tables.history.exchange import CLOCK_SLACK_MS, TOTALS
from companion.tables.ledger.saved import SavedMatch
from companion.tables.refusals import Refused
from tests.kit.games import SARAH
from tests.kit.history import EMPTY, TALLY, take_in
from tests.kit.parties import finished
from tests.kit.sheets import written
from tests.tables.friends import device

FILES: Final = 1000
NOW: Final = 1_760_000_000_000
ODD: Final[list[Any]] = [
    None, True, False, 0, 1, -1, 4, 18, 19, 99, 108, 109, 10**6, 10**30, 1.5, "", "x", "Ada", "ada",
    "first", "app", "photo", "H4", "2999-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z", [], {},
    [99] * 9, [1, 2, 3], {"sheet": "qwinto"}, "\u202e", "x" * 5000,
]  # fmt: skip


def match(game: str, *players: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "game": game,
        "source": "photo",
        "started": None,
        "ended": "2025-03-01T20:15:00.000Z",
        "place": "",
        "notes": "",
        "players": list(players),
        "record": None,
        **more,
    }


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
    games.append(match("freaky", player("Ada", {"cards": 9}), player("Ben", {"cards": 7})))
    games.append(match("qwinto-dice", player("Ada", SARAH), player(None, None, won=True)))
    record = finished()
    over = match(record["game"], player("Tim", EMPTY), source="app", record=record)
    return [*games, over]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def lied(chance: random.Random, game: dict[str, Any]) -> bytes:
    """A file with one game, some places of which say something else."""
    game = copy.deepcopy(game)
    for _ in range(chance.randint(1, 3)):
        path = chance.choice(places(game)[1:])
        parent: Any = game
        for key in path[:-1]:
            parent = parent[key]
        if chance.random() < 0.15:
            del parent[path[-1]]
        elif chance.random() < 0.6 and isinstance(path[-1], int):
            parent[path[-1]] = chance.choice(
                (None, chance.randrange(-2, 120), chance.randrange(19))
            )
        else:
            parent[path[-1]] = copy.deepcopy(chance.choice(ODD))
    return json.dumps({"format": exchange.FORMAT, "games": [game]}).encode()


def damaged(chance: random.Random, game: dict[str, Any]) -> bytes:
    """A file with one game, some bytes of which are others, missing, or doubled."""
    raw = bytearray(json.dumps({"format": exchange.FORMAT, "games": [game]}).encode())
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(raw))
        change = chance.randrange(3)
        if change == 0:
            raw[place] = chance.choice(b'0123456789"[]{},: nt-' + bytes([chance.randrange(256)]))
        elif change == 1:
            del raw[place : place + chance.choice((1, 1, 20))]
        else:
            raw[place:place] = raw[place : place + chance.choice((1, 1, 20))]
    return bytes(raw)


def parsed(raw: bytes) -> tuple[SavedMatch, ...]:
    """The matches of a file that can be taken in, with an identity each."""
    return tuple(
        replace(match, identity=match.identity or f"made-{number}")
        for number, match in enumerate(exchange.parse(raw, NOW))
        if isinstance(match, SavedMatch)
    )


def check(found: SavedMatch) -> None:
    """Whatever was taken in keeps the rules, or is kept as it was written."""
    assert 0 <= to_milliseconds(found.ended_at) <= NOW + CLOCK_SLACK_MS
    assert found.started_at is None or found.started_at <= found.ended_at
    totals = [one.total for one in found.players if one.total is not None]
    for one in found.players:
        assert one.total is None or one.total in TOTALS
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


@pytest.mark.parametrize("change", [lied, damaged], ids=["lying", "damaged"])
def test_a_thousand_files(
    change: Callable[[random.Random, dict[str, Any]], bytes],
) -> None:
    chance = random.Random(7)
    games = true_games()
    taken = 0
    for number in range(FILES // 2):
        raw = change(chance, games[number % len(games)])
        try:
            found = parsed(raw)
        except Refused:
            continue
        taken += len(found)
        for one in found:
            check(one)
        # An imported file is as good as any other one.
        written = exchange.to_json(found)
        assert exchange.to_json(parsed(written)) == written
    assert taken > FILES // 50


def test_the_true_games_are_taken_in() -> None:
    raw = json.dumps({"format": exchange.FORMAT, "games": true_games()}).encode()
    found = parsed(raw)
    assert len(found) == len(true_games())
    assert {one.game.name for one in found} <= set(GAMES)


def test_what_is_refused_changes_nothing(tables: Tables, host: str) -> None:
    chance = random.Random(3)
    before = tables.history.export_json(host)
    for game in true_games():
        raw = lied(chance, {**game, "ended": "2999-01-01T00:00:00Z"})
        assert take_in(tables, host, raw.replace(b"1970", b"2999")) == 0
    assert tables.history.export_json(host) == before


def test_a_number_that_nobody_can_write_is_not_counted(tables: Tables, host: str) -> None:
    wild = {**EMPTY, "orange": [99] * 9, "failed": 0}
    game = match("qwinto-dice", player("Ada", wild), player("Ben", SARAH), source="app")
    raw = json.dumps({"format": exchange.FORMAT, "games": [game]}).encode()
    other = device()
    assert take_in(tables, other, raw) == 1
    [kept] = tables.history.all_matches(other)
    assert [(one.name, one.total, one.won) for one in kept.players] == [
        ("Ada", None, False),
        ("Ben", 43, False),
    ]
    assert kept.source == "typed"
    assert kept.players[0].sheet == {"sheet": "qwinto", **wild}


def test_the_date_lies_in_the_past(tables: Tables, host: str) -> None:
    game = match("qwinto-dice", player("Ada", SARAH), ended="2999-01-01T00:00:00Z")
    raw = json.dumps({"format": exchange.FORMAT, "games": [game]}).encode()
    [(number, reason)] = tables.history.restore(host, raw).faults
    assert (number, reason.code, reason.values["ended"]) == (1, "future-game", "2999-01-01")
