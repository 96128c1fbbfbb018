"""Games entered as names and final scores: any game, without its sheets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from companion.core.game import Game
from companion.core.result import Result
from companion.core.words import N_, Sentence
from companion.games.catalog import GAMES
from companion.games.standings import KeptSheet
from companion.paper.saving import doubled, wrong_count
from companion.tables import Tables
from companion.tables.history.exchange import TOTALS
from companion.tables.history.paper import paper_match
from companion.tables.ledger.names import checked_name

HIGHEST: Final = TOTALS.stop - 1  # Limit of a final score, and of a negative one

_NUMBER: Final = re.compile(r"[-−+]?[0-9]{1,8}", re.ASCII)


@dataclass(frozen=True)
class FinalScore:
    name: str | None  # None for a player without a name
    total: int


class Incomplete(Exception):
    """The names and scores are not a game yet; `sentence` names what is missing."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence.text)
        self.sentence = sentence


def parse(game: Game, rows: Sequence[tuple[str, str]]) -> list[FinalScore]:
    """The scores of a form's rows of (name, score); rows without both are passed over.

    Raises:
        Incomplete: a score is missing or no number, a name is there twice, or the game is not for
            so many players.
        Refused: a name that nobody can have (`bad-name`).
    """
    scores = list(_scores(rows))
    if name := doubled([score.name for score in scores]):
        text = N_("%(name)s is there twice. Who is the other one?")
        raise Incomplete(Sentence(text, {"name": name}))
    if (sentence := wrong_count(game, len(scores))) is not None:
        raise Incomplete(sentence)
    return scores


def _scores(rows: Sequence[tuple[str, str]]) -> Iterator[FinalScore]:
    for number, (raw_name, raw_total) in enumerate(rows, start=1):
        total = raw_total.strip()
        name = checked_name(raw_name) if raw_name.strip() else None
        if not total and name is None:
            continue
        if not total:
            raise Incomplete(Sentence("The score of %(name)s is missing.", {"name": name}))
        if not _NUMBER.fullmatch(total):
            text = N_("The score in line %(number)s must be a whole number up to %(highest)s.")
            raise Incomplete(Sentence(text, {"number": number, "highest": HIGHEST}))
        yield FinalScore(name, int(total.replace("−", "-")))


def tied(game: Game, scores: Sequence[FinalScore]) -> list[int]:
    """The places of the best scores, if they are equal and something may break the tie."""
    best = game.best([score.total for score in scores])
    places = []
    for place, score in enumerate(scores):
        if score.total == best:
            places.append(place)
    can_break = game.stands_for_any or tie_breaker(game)
    return places if can_break and len(places) > 1 else []


def tie_breaker(game: Game) -> Sentence | None:
    """The tie-breaker for equal scores, in words; None where a tie is shared."""
    if game.name not in GAMES:
        return None
    return game.sheet.marked(game.sheet.usual_board, {}).result.tie_name


def save(
    where: tuple[Tables, str, str],
    game: Game,
    scores: Sequence[FinalScore],
    match_id: str,
    won: Collection[int] = (),
    ended: datetime | None = None,
    *,
    again: bool = False,
) -> int:
    """Puts the game into the history, once for each id.

    Returns the number of the table's devices that got no copy, because their history is full.

    Args:
        where: the tables, the device, and the table whose players' devices get it, too, if any.
        won: the places of those who won a tie; empty where a tie is shared.
        ended: now when None.
        again: whether to save it although the same game is in the history.

    Raises:
        Refused: `too-many-games`.
        SavedBefore: the same game is in the history.
    """
    tables, device, table_id = where
    sheets = []
    for place, score in enumerate(scores):
        result = Result(score.total, tie=int(place in won))
        sheets.append((score.name, KeptSheet(None, result)))
    match = paper_match(
        game.name, sheets, tables.now(), ended=ended, source="typed", match_id=match_id
    )
    return tables.history.add_paper_match(device, match, again=again, table_id=table_id).full
