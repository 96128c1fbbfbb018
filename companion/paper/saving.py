"""Saving a review as a game of the history, and the obstacles to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from companion.core.words import N_, Sentence, Word
from companion.games import standings
from companion.games.catalog import GAMES
from companion.paper import stored
from companion.paper.review import PlayerSheet, Review
from companion.tables import Refused, Tables
from companion.tables.names import name_key

Say: TypeAlias = Callable[[Sentence], str]
"""Translates a sentence. The names that stand in for missing ones are saved with the game."""


@dataclass(frozen=True)
class Obstacle:
    """Something that must be done before the game can be saved."""

    code: Literal[
        "being-read", "no-sheet", "to-check", "blank-sheet", "which-game", "players", "same-name"
    ]
    sentence: Sentence


class NotReady(Exception):
    """A review cannot be saved yet."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle.code)
        self.obstacle = obstacle


def obstacles(review: Review, players: Sequence[PlayerSheet], say: Say) -> list[Obstacle]:
    """All obstacles to saving a review with these players."""
    missing: list[Obstacle] = []
    if review.is_pending:
        missing.append(Obstacle("being-read", Sentence(N_("A photo is still being read."))))
    if not players:
        missing.append(Obstacle("no-sheet", Sentence(N_("There is no sheet yet."))))
        return missing
    if review.unsure:
        text = N_("Fields to be checked: %(count)s.")
        missing.append(Obstacle("to-check", Sentence(text, {"count": review.unsure})))
    blank = next((sheet for sheet in review.counted if sheet.is_blank), None)
    if blank is not None:
        text = N_("Nothing is written on the sheet of %(player)s yet.")
        values = {"player": review.name_of(blank)}
        missing.append(Obstacle("blank-sheet", Sentence(text, values)))
    if not review.played:
        missing.append(Obstacle("which-game", Sentence(N_("Say which game it was."))))
    elif (sentence := wrong_count(review.played, len(players))) is not None:
        missing.append(Obstacle("players", sentence))
    names = [called(player, say) for player in players]
    keys = list(map(name_key, names))
    for name in names:
        if keys.count(name_key(name)) > 1:
            text = N_("Two sheets have the name %(name)s.")
            missing.append(Obstacle("same-name", Sentence(text, {"name": name})))
            break
    return missing


def called(player: PlayerSheet, say: Say) -> str:
    """The name of a player, or which player it is."""
    name = player.called
    return name if isinstance(name, str) else say(name)


def wrong_count(game: str, count: int) -> Sentence | None:
    """The reason why a game cannot have this many players, or None."""
    rules = GAMES[game]
    if rules.min_players <= count <= rules.max_players:
        return None
    text = N_("%(game)s has %(least)s to %(most)s players. Players here: %(count)s.")
    values = {
        "game": Word(rules.title),
        "least": rules.min_players,
        "most": rules.max_players,
        "count": count,
    }
    return Sentence(text, values)


def save(tables: Tables, device: str, review_id: str, say: Say) -> None:
    """Puts the game into the history and ends the review.

    The game gets the review's id, so a review that is saved twice becomes one game.

    Raises:
        Refused: `no-such-review`, and no game was saved from it either.
        NotReady: something is still in the way.
    """
    try:
        _, review = stored.load(tables, device, review_id)
    except Refused:
        if _is_saved(tables, device, review_id):
            return
        raise
    players = review.players()
    if missing := obstacles(review, players, say):
        raise NotReady(missing[0])
    game = GAMES[review.played]
    sheets = []
    for player in players:
        name = called(player, say)
        sheets.append((name, standings.kept(game, player.filled.named([name]))))
    tables.history.add_paper_game(
        device,
        game.name,
        sheets,
        ended=datetime.fromtimestamp(tables.now() / 1000, UTC),
        source="photo" if any(sheet.photo for sheet in review.counted) else "typed",
        notes=" ".join(map(say, wrong_totals(players))),
        match_id=review_id,
    )
    used = {sheet.photo for sheet in review.sheets}
    shown = [photo for photo in review.photos if photo.sheets or photo.id in used]
    keep = [photo.kept_name for photo in shown] if review.keep else []
    with suppress(Refused):  # another tap has saved it already
        tables.reviews.finish(review_id, device, review_id, keep)


def wrong_totals(players: Sequence[PlayerSheet]) -> Iterator[Sentence]:
    """The totals that players wrote on their sheets and that are not right."""
    for player in players:
        if len(player.pads) > 1:
            continue  # the second pad's total may go on from the first one's
        pad, place = player.pads[0]
        total = pad.total_of(place)
        if total is not None and not total.is_right:
            text = N_("%(player)s wrote %(written)s on the paper; it is %(counted)s.")
            numbers = {"written": total.written, "counted": total.counted}
            shown = {name: str(number).replace("-", "−") for name, number in numbers.items()}
            values = {"player": player.called, **shown}
            yield Sentence(text, values)


def _is_saved(tables: Tables, device: str, review_id: str) -> bool:
    try:
        tables.history.match(device, review_id)
    except Refused:
        return False
    return True
