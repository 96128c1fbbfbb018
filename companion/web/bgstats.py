"""A link that opens the app BG Stats with a game filled in, in the format that it publishes.

The link goes to the app on this device and through no server: nothing of the game leaves it before
a person says so there. Format: https://www.bgstatsapp.com, "Push plays to BG Stats".
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
    """The address; `nameless` is what a place without a name is called."""
    data = json.dumps(document(match, nameless), ensure_ascii=False, separators=(",", ":"))
    return ADDRESS + quote(data.encode("utf-8", "replace"), safe="")


def document(match: FinishedMatch, nameless: str) -> dict[str, Any]:
    """The play as BG Stats reads it. `winner` is always said: its Android app insists on it."""
    totals = sorted((one.total for one in match.players if one.total is not None), reverse=True)
    # In English, whatever the page's language is: so it is found again.
    name = str(match.game.title)
    game: dict[str, Any] = {"name": name, "sourceGameId": match.game.name, "highestWins": True}
    # Games that nobody has looked up there are found by name.
    if match.game.bgg_id is not None:
        game["bggId"] = match.game.bgg_id
    players: list[dict[str, Any]] = []
    for place, one in enumerate(match.players):
        player: dict[str, Any] = {"name": one.name or nameless, "winner": one.won}
        if one.total is not None:
            rank = 1 if one.won else totals.index(one.total) + 1
            player |= {"score": one.total, "rank": rank}
        # On paper nobody has written down who started.
        if match.source == "app":
            player["startPlayer"] = place == 0
        players.append(player)
    data: dict[str, Any] = {
        "sourceName": SOURCE,
        "sourcePlayId": match.id,
        "playDate": f"{match.ended_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "game": game,
        "players": players,
    }
    if match.minutes:  # none of a record that was opened
        data["durationMin"] = match.minutes
    if match.place:
        data["location"] = match.place
    return data
