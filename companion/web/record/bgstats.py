"""Links that open the app BG Stats with a match filled in, in the format that it publishes.

The first link goes to the app on this device and through no server: nothing of the match leaves the
device before a person says so there. The second one is its website's, for a device without the app,
and the site is sent the match. Format: https://www.bgstatsapp.com, "Push plays to BG Stats".
"""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any, Final
from urllib.parse import quote

from companion.games.scoring import filled_sheet
from companion.tables import FinishedMatch
from companion.tables.history.people import person_id

ADDRESS: Final = "bgstats://app.bgstatsapp.com/createPlay.html?data="
# The same for a device without the app; its server is sent the match
WEB_ADDRESS: Final = "https" + ADDRESS.removeprefix("bgstats")
SOURCE: Final = "Companion"


def links(match: FinishedMatch, nameless: str) -> tuple[str, str]:
    """The addresses for the app, and for its website on devices without the app.

    Args:
        nameless: the name of players who were deleted. Those who are not named are left out.
    """
    raw = json.dumps(document(match, nameless), ensure_ascii=False, separators=(",", ":"))
    data = quote(raw.encode("utf-8", "replace"), safe="")
    return ADDRESS + data, WEB_ADDRESS + data


def document(match: FinishedMatch, nameless: str) -> dict[str, Any]:
    """The match as BG Stats reads it, without players who are not named.

    Its Android app insists on a `winner` for every player.
    """
    # English in every language, so that BG Stats finds the game again.
    name = str(match.game.title)
    game: dict[str, Any] = {
        "name": name,
        "sourceGameId": match.game.name,
        "highestWins": not match.game.lowest_wins,
    }
    # BG Stats finds a game without a BoardGameGeek id by its name.
    if match.game.bgg_id is not None:
        game["bggId"] = match.game.bgg_id
    data: dict[str, Any] = {
        "sourceName": SOURCE,
        "sourcePlayId": match.id,
        "playDate": f"{match.ended_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "game": game,
        "players": _players(match, nameless),
    }
    if match.minutes:  # 0 for a record that was opened
        data["durationMin"] = match.minutes
    if match.place:
        data["location"] = match.place
    if match.notes:
        data["comments"] = match.notes
    if board := _board(match):
        data["board"] = board
    return data


def _players(match: FinishedMatch, nameless: str) -> list[dict[str, Any]]:
    totals = sorted(
        (player.total for player in match.players if player.total is not None),
        reverse=not match.game.lowest_wins,
    )
    players: list[dict[str, Any]] = []
    for place, player in enumerate(match.players):
        if not (player.name or player.is_deleted):
            continue
        shown: dict[str, Any] = {"name": player.name or nameless, "winner": player.won}
        if player.name:
            # BG Stats remembers its own player by this.
            shown["sourcePlayerId"] = person_id(player.name)
        if player.total is not None:
            rank = 1 if player.won else totals.index(player.total) + 1
            shown |= {"score": player.total, "rank": rank}
        # A paper sheet does not say who started.
        if match.source == "app":
            shown["startPlayer"] = place == 0
        players.append(shown)
    return players


def _board(match: FinishedMatch) -> str:
    """The boards of the sheets in English; empty for a game without boards."""
    found: dict[str, None] = {}
    for player in match.players:
        if (sheet := player.filled_document) is not None:
            filled = filled_sheet(sheet)
            if filled.board in filled.kind.boards:
                found[str(filled.kind.boards[filled.board])] = None
    return ", ".join(found)
