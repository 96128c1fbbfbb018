"""A link that opens the app BG Stats with a match filled in, in the format that it publishes.

The link goes to the app on this device and through no server: nothing of the match leaves the
device before a person says so there. Format: https://www.bgstatsapp.com, "Push plays to BG Stats".
"""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any, Final
from urllib.parse import quote

from companion.tables import FinishedMatch

ADDRESS: Final = "bgstats://app.bgstatsapp.com/createPlay.html?data="
SOURCE: Final = "Companion"


def link(match: FinishedMatch, nameless: str) -> str:
    """The link's address.

    Args:
        nameless: the name of players who were deleted. Those who are not named are left out.
    """
    data = json.dumps(document(match, nameless), ensure_ascii=False, separators=(",", ":"))
    return ADDRESS + quote(data.encode("utf-8", "replace"), safe="")


def document(match: FinishedMatch, nameless: str) -> dict[str, Any]:
    """The match as BG Stats reads it, without players who are not named.

    Its Android app insists on a `winner` for every player.
    """
    totals = sorted(
        (player.total for player in match.players if player.total is not None), reverse=True
    )
    # English in every language, so that BG Stats finds the game again.
    name = str(match.game.title)
    game: dict[str, Any] = {"name": name, "sourceGameId": match.game.name, "highestWins": True}
    # BG Stats finds a game without a BoardGameGeek id by its name.
    if match.game.bgg_id is not None:
        game["bggId"] = match.game.bgg_id
    players: list[dict[str, Any]] = []
    for place, player in enumerate(match.players):
        if not (player.name or player.is_deleted):
            continue
        shown: dict[str, Any] = {"name": player.name or nameless, "winner": player.won}
        if player.total is not None:
            rank = 1 if player.won else totals.index(player.total) + 1
            shown |= {"score": player.total, "rank": rank}
        # A paper sheet does not say who started.
        if match.source == "app":
            shown["startPlayer"] = place == 0
        players.append(shown)
    data: dict[str, Any] = {
        "sourceName": SOURCE,
        "sourcePlayId": match.id,
        "playDate": f"{match.ended_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "game": game,
        "players": players,
    }
    if match.minutes:  # 0 for a record that was opened
        data["durationMin"] = match.minutes
    if match.place:
        data["location"] = match.place
    return data
