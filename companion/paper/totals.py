"""Games entered as names and final scores: any game, without its sheets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from companion.core.game import Game
from companion.core.refusal import Refusal
from companion.core.result import Result
from companion.core.words import N_, Sentence
from companion.games.catalog import GAMES
from companion.games.standings import KeptSheet
from companion.paper.saving import doubled, wrong_count
from companion.tables import Refused, Tables
from companion.tables.history.exchange import TOTALS
from companion.tables.history.paper import paper_match
from companion.tables.ledger.names import checked_name, name_key
from companion.tables.refusals import at_field

HIGHEST: Final = TOTALS.stop - 1  # Limit of a final score, and of a negative one

_NUMBER: Final = re.compile(r"[-−+]?[0-9]{1,8}", re.ASCII)


@dataclass(frozen=True)
class FinalScore:
    name: str | None  # None for a player without a name
    total: int


def incomplete(text: str, **values: object) -> Refused:
    """The refusal of names and scores that are not a game yet."""
    return Refused(Refusal("incomplete", text, values))


def parse(game: Game, rows: Sequence[tuple[str, str]]) -> list[FinalScore]:
    """The scores of a form's rows of (name, score); rows without both are passed over.

    Raises:
        Refused: a name that nobody can have (`bad-name`); `incomplete`: a score is missing or no
            number, a name is there twice, or the game is not for so many players.
    """
    scores = dict(_scores(rows))
    names = [score.name for score in scores.values()]
    if name := doubled(names):
        keys = [name_key(each or "") for each in names]
        again = keys.index(name_key(name), keys.index(name_key(name)) + 1)
        text = N_("%(name)s is there twice. Who is the other one?")
        raise incomplete(text, name=name).at("name", [*scores][again])
    if (sentence := wrong_count(game, len(scores))) is not None:
        raise incomplete(sentence.text, **sentence.values).at(
            "name", max(min(len(scores), len(rows) - 1), 0)
        )
    return [*scores.values()]


def _scores(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[int, FinalScore]]:
    """(the row from 0, its score)."""
    for place, (raw_name, raw_total) in enumerate(rows):
        total = raw_total.strip()
        with at_field("name", place):
            name = checked_name(raw_name) if raw_name.strip() else None
        if not total and name is None:
            continue
        if not total:
            raise incomplete(N_("The score of %(name)s is missing."), name=name).at("total", place)
        if not _NUMBER.fullmatch(total):
            text = N_("The score in line %(number)s must be a whole number up to %(highest)s.")
            values = {"number": place + 1, "highest": HIGHEST}
            raise incomplete(text, **values).at("total", place)
        yield place, FinalScore(name, int(total.replace("−", "-")))


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
    """The tie-breaker for equal scores, in words; None if a tie is shared."""
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
        won: the places of those who won a tie; empty if a tie is shared.
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
