"""What is remarkable about a match: records and streaks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from companion.games.catalog import GAMES
from companion.tables.history.feats import feats
from companion.tables.history.people import PersonalResult, longest_streak

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)


def results(*matches: dict[str, int]) -> list[PersonalResult]:
    """Results of matches, each name → total; the highest wins."""
    game = GAMES["freaky"]
    found = []
    for number, match in enumerate(matches):
        at = ENDED + timedelta(days=number)
        for name, total in match.items():
            has_won = total == max(match.values())
            found.append(PersonalResult(str(number), game, at, name, total, has_won))
    return found


def told(found: list[PersonalResult], match_id: str) -> list[tuple[str, str, int, int]]:
    return [(feat.what, feat.player, feat.number, feat.before) for feat in feats(found, match_id)]


def test_records_and_streaks() -> None:
    found = results(
        {"Ada": 10, "Ben": 5}, {"ada": 12, "Ben": 5}, {"Ada": 11, "Ben": 9}, {"Ada": 10, "Ben": 12},
        {"Ada": 20, "Ben": 13}, {"Ada": 21, "Ben": 21},
    )  # fmt: skip
    assert told(found, "0") == []
    assert told(found, "2") == [("streak", "Ada", 3, 0)]
    assert told(found, "3") == [
        ("personal-record", "Ben", 12, 9),
    ]
    assert told(found, "4") == [
        ("table-record", "Ada", 20, 12),
        ("personal-record", "Ben", 13, 12),
    ]
    assert told(found, "x") == []
    assert longest_streak([one for one in found if one.name == "Ben"]) == 1
