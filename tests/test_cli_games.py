"""`companion replay` and `companion score` for the games and sheets beside Qwinto with dice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main

Ran = tuple[int, str, str]

CARDS = {
    "format": "companion-record/1",
    "game": "qwinto-cards",
    "players": ["Ann"],
    "actions": [
        {"do": "deal", "grid": {"tl": "o4", "tr": "y3", "bl": "p1", "br": "g-2"}},
        {"do": "lay", "by": "Ann", "cards": [["y4", "br"]]},
        {"do": "write", "by": "Ann", "row": "yellow", "field": 5},
        {"do": "lay", "by": "Ann", "cards": [["y4", "tl"]]},
    ],
}
ENCORE = {
    "format": "companion-record/1",
    "game": "encore",
    "players": ["Ada", "Ben"],
    "options": {"board": "black"},
    "actions": [
        {
            "do": "roll",
            "by": "Ada",
            "colors": ["blue", "red", "joker"],
            "numbers": [2, 4, "joker"],
        },
        {
            "do": "cross",
            "by": "Ada",
            "color_die": "joker",
            "number_die": 2,
            "color": "blue",
            "boxes": ["H4", "G4"],
        },
        {"do": "pass", "by": "Ben"},
    ],
}
FREAKY = {
    "format": "companion-record/1",
    "game": "freaky",
    "players": ["Ada", "Ben"],
    "options": {},
    "actions": [
        {"do": "start", "cards": ["red/blue/1", "green/blue/2", "blue/red/3"]},
        {"do": "play", "by": "Ada", "card": "yellow/blue/6", "row": 1},
        {"do": "play", "by": "Ada", "card": "yellow/blue/5", "row": 1},
        {"do": "play", "by": "Ada", "card": "yellow/blue/5", "row": 1},
        {"do": "take", "by": "Ada", "rows": [1]},
    ],
}


@pytest.fixture
def companion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command on a document and returns the status and what it printed."""

    def run(command: str, document: Any, *flags: str) -> Ran:
        path = tmp_path / "input.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        status = main([command, str(path), *flags])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def replay(companion: Any, document: Any) -> tuple[int, Any]:
    status, out, _ = companion("replay", document, "--json")
    return status, json.loads(out)


def test_replay_of_the_qwinto_card_game(companion: Any) -> None:
    status, result = replay(companion, CARDS)
    assert (status, result["accepted"]) == (1, 3)
    assert result["refused"] == {
        "index": 3,
        "code": "card-not-available",
        "message": "The yellow 4 lies open in the grid, so no hand can hold it.",
    }
    assert result["turn"] == {"number": 2, "active": "Ann"}
    assert result["sheets"]["Ann"]["yellow"][4] == 4 + 3 + 1
    assert result["scores"]["Ann"]["total"] == 1


def test_replay_of_encore(companion: Any) -> None:
    status, result = replay(companion, ENCORE)
    assert (status, result["refused"]) == (0, None)
    assert result["turn"] == {"number": 2, "active": "Ben"}
    assert result["sheets"]["Ada"] == {
        "sheet": "encore",
        "board": "black",
        "crossed": ["H4", "G4"],
        "jokers_used": 1,
        "columns": {},
        "colors": {},
    }
    score = {"colors": 0, "columns": 0, "jokers": 7, "stars": -30, "total": -23}
    assert result["scores"]["Ada"] == score
    assert (result["over"], result["winners"]) == (False, [])


def test_the_board_is_black_unless_the_options_say_so(companion: Any) -> None:
    _, result = replay(companion, {**ENCORE, "options": {}})
    assert result["sheets"]["Ada"]["board"] == "black"
    _, result = replay(companion, {**ENCORE, "options": {"board": "yellow"}, "actions": []})
    assert result["sheets"]["Ben"]["board"] == "yellow"


def test_replay_of_freaky(companion: Any) -> None:
    status, result = replay(companion, FREAKY)
    assert (status, result["refused"]) == (0, None)
    assert result["turn"] == {"number": 1, "active": "Ada"}
    assert result["sheets"] == {"Ada": {"cards": 4}, "Ben": {"cards": 0}}
    assert result["scores"] == {"Ada": {"total": 4}, "Ben": {"total": 0}}


@pytest.mark.parametrize("record", [CARDS, ENCORE, FREAKY])
def test_without_json_people_see_points_and_whose_turn_it_is(companion: Any, record: Any) -> None:
    _, out, _ = companion("replay", record)
    for player in record["players"]:
        assert f"{player}: " in out
    assert "is active." in out


@pytest.mark.parametrize(
    "record",
    [
        {**CARDS, "players": ["A", "B", "C", "D", "E"]},
        {**CARDS, "players": []},
        {**CARDS, "options": {"board": "black"}},
        {**ENCORE, "players": list("ABCDEFG")},
        {**ENCORE, "options": {"board": "pink"}},
        {**ENCORE, "options": {"board": ["black"]}},
        {**ENCORE, "options": {"color": "black"}},
        {**FREAKY, "players": ["Ada"]},
        {**FREAKY, "players": list("ABCDEF")},
        {**FREAKY, "game": "freaky-2"},
    ],
)
def test_unusable_records(companion: Any, record: Any) -> None:
    status, out, err = companion("replay", record, "--json")
    assert (status, out) == (2, "")
    assert err


def test_score_of_an_encore_sheet(companion: Any) -> None:
    sheet = {
        "sheet": "encore",
        "board": "black",
        "crossed": ["H4", "G4"],
        "jokers_used": 3,
        "columns": {"E": "first"},
        "colors": {"blue": "later"},
    }
    status, out, _ = companion("score", sheet, "--json")
    assert status == 1
    result = json.loads(out)
    assert [problem["code"] for problem in result["problems"]] == [
        "column-not-full",
        "color-not-full",
    ]
    status, out, err = companion("score", sheet)
    assert status == 1
    assert "Column E is circled, but not all of its boxes are crossed." in err
    assert "-25  in total" in out


def test_score_of_a_tally(companion: Any) -> None:
    sheet = {"sheet": "tally", "players": ["Ada", "Ben"], "rounds": [[12, 30], [7, 0]]}
    status, out, _ = companion("score", sheet, "--json")
    assert status == 0
    assert json.loads(out)["score"] == {"totals": {"Ada": 19, "Ben": 30}, "total": 49}
    status, out, _ = companion("score", sheet)
    assert (status, out.split()[-4:]) == (0, ["19", "Ada", "30", "Ben"])


def test_a_name_on_a_tally_cannot_steer_the_terminal(companion: Any) -> None:
    sheet = {"sheet": "tally", "players": ["Ada\x1b[2J"], "rounds": [[1]]}
    _, out, _ = companion("score", sheet)
    assert "Ada?[2J" in out
