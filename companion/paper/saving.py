"""Saving a game of a review into the history, and the obstacles to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from companion.core.game import Game
from companion.core.refusal import Refusal
from companion.core.values import Document
from companion.core.words import N_, Sentence, Word, minus
from companion.games import standings
from companion.games.others import record_of, stored_game
from companion.games.standings import KeptSheet
from companion.paper.paper_game import PaperGame, PlayerSheet
from companion.paper.review import Review
from companion.paper.review_sheet import WrittenSum
from companion.tables import Refused, Tables
from companion.tables.database.columns import device_hash
from companion.tables.history.editing import edit_sheets
from companion.tables.history.paper import add_match, paper_match
from companion.tables.ledger.names import name_key
from companion.tables.ledger.saved import SavedMatch
from companion.tables.photos.reviews import ReviewChange

# Translates a sentence, because remarks about the sheets are saved with the game.
Say: TypeAlias = Callable[[Sentence], str]


class NotReady(Exception):
    """A review cannot be saved yet."""

    def __init__(self, obstacle: Refusal) -> None:
        super().__init__(obstacle.code)
        self.obstacle = obstacle


def obstacles(game: PaperGame) -> list[Refusal]:
    """All reasons why a game cannot be saved yet.

    A game that is edited may have an empty sheet, and players whose sheets were deleted.
    """
    found: list[Refusal] = []
    if game.is_pending:
        found.append(Refusal("being-read", N_("A photo is still being read.")))
    if not game.sheets:
        return found or [Refusal("no-sheet", N_("There is no sheet yet."))]
    if game.asked:
        values = {"count": len(game.asked)}
        return [*found, Refusal("edition", N_("Sheets to confirm: %(count)s."), values)]
    return [*found, *_of_sheets(game), *_of_players(game)]


def _of_sheets(game: PaperGame) -> Iterator[Refusal]:
    """The obstacles on single sheets."""
    for alike in game.doubles():
        numbers = ", ".join(map(str, sorted(sheet.number for sheet in alike)))
        text = N_("Sheets that look the same: %(numbers)s. Say whether they are.")
        yield Refusal("twice", text, {"numbers": numbers})
    if open_names := game.undecided():
        text = N_("Sheets without a name: %(count)s. Say whose they are.")
        yield Refusal("whose", text, {"count": len(open_names)})
    if game.unsure:
        yield Refusal("to-check", N_("Fields to check: %(count)s."), {"count": game.unsure})
    if any(sheet.table and sheet.table.chosen_row is None for sheet in game.sheets):
        yield Refusal("which-row", N_("Say which row has the totals."))
    if game.asks_who_wins:
        yield Refusal("who-wins", N_("Say who wins."))
    blank = [sheet for sheet in game.sheets if sheet.is_blank]
    if blank and not game.edits:
        text = N_("Nothing is written here yet: %(player)s.")
        yield Refusal("blank-sheet", text, {"player": blank[0].display_name()})


def _of_players(game: PaperGame) -> Iterator[Refusal]:
    """The obstacles that concern the game and its players."""
    players = game.players()
    if game.game is None:
        yield Refusal("which-game", N_("Say which game it was."))
    elif (sentence := wrong_count(game.game, len(players))) is not None and not game.edits:
        yield Refusal("players", sentence.text, sentence.values)
    if name := doubled([player.name for player in players]):
        yield Refusal("same-name", N_("Two sheets have the name %(name)s."), {"name": name})
    for name in game.missing():
        yield Refusal("missing", N_("The sheet of %(player)s is missing."), {"player": name})


def doubled(names: Sequence[str | None]) -> str | None:
    """The first name that two players have."""
    given = list(filter(None, names))
    keys = list(map(name_key, given))
    for name, key in zip(given, keys, strict=True):
        if keys.count(key) > 1:
            return name
    return None


def name_in_words(player: PlayerSheet, say: Say) -> str:
    """The name of a player, or else of the sheet."""
    name = player.display_name
    return name if isinstance(name, str) else say(name)


def wrong_count(rules: Game, count: int) -> Sentence | None:
    """The reason why a game cannot have this many players, or None."""
    least, most = rules.min_players, rules.max_players
    if least <= count <= most:
        return None
    text = N_("%(game)s is for %(least)s to %(most)s players. Players here: %(count)s.")
    values = {"game": Word(rules.title), "least": least, "most": most, "count": count}
    return Sentence(text, values)


def save(
    tables: Tables, device: str, review_id: str, say: Say, key: str = "", *, again: bool = False
) -> str:
    """Puts a game of a review into the history, or changes it there; the last one ends the review.

    All of it is one transaction. The last game gets the review's id, so that the review's address
    leads on to that game, and a second tap, too.

    Args:
        key: of the game; see `ReviewSheet.key`.
        again: whether to save it although the same game is in the history.

    Returns:
        The game's id.

    Raises:
        Refused: `no-such-review`, and no game was saved from it either; `full-elsewhere`: the
            device that started it has no room for its copy.
        NotReady: something is missing; see `obstacles`.
        SavedBefore: the same game is in the history.
    """
    try:
        # Refused before the transaction, so that other writers do not wait for it.
        review = Review.load(tables.reviews.read(review_id, device)[1])
        draft = _to_save(review, key)
        if isinstance(draft, PaperGame) and not draft.edits:
            match = _match(tables.now(), review_id, review, draft, say)
            tables.history.require_new_paper_match(device, match, again=again)
        with tables.reviews.changing(review_id, device, saves=True) as change:
            return _save(tables.now(), device, review_id, change, say, key, again)
    except Refused as refused:
        # Another player may have saved it since it was read.
        is_gone = refused.code in ("no-such-review", "no-such-play")
        if not is_gone or not is_saved(tables, device, review_id):
            raise
        return review_id


def _save(
    now: int, device: str, review_id: str, change: ReviewChange, say: Say, key: str, again: bool
) -> str:
    review = Review.load(change.body)
    game = _to_save(review, key)
    if isinstance(game, str):
        return game
    change.is_over = len(review.games) == 1
    if game.edits:
        match_id, match_ids = game.edits, [game.edits]
        edit_sheets(change.connection, device, match_id, _kept_sheets(game), now)
    else:
        match = _match(now, review_id, review, game, say)
        others = {change.maker} - {device_hash(device)}
        added = add_match(change.connection, device, match, others, again=again)
        if added.full:
            raise Refused("full-elsewhere")
        match_id, match_ids = match.identity, list(added.ids)
    if review.keep:
        shown = {sheet.photo for sheet in game.sheets}
        change.match_ids = match_ids
        change.kept = [photo.kept_name for photo in review.photos if photo.id in shown]
    change.pictures |= dict.fromkeys(sheet.picture_name for sheet in game.sheets)
    review.sheets = [sheet for sheet in review.sheets if sheet.key != game.key]
    review.saved.append(match_id)
    review.edits = "" if game.edits else review.edits
    change.body = review.dump()
    return match_id


def _to_save(review: Review, key: str) -> PaperGame | str:
    """The game of this key; the id of the game saved last if an earlier tap saved this one.

    Raises:
        NotReady: something is missing; see `obstacles`.
    """
    keys = [game.key for game in review.games]
    if key and key not in keys:
        if review.saved:
            return review.saved[-1]
        key = ""
    game = review.game_with(key)
    if missing := obstacles(game):
        raise NotReady(missing[0])
    return game


def _match(now: int, review_id: str, review: Review, game: PaperGame, say: Say) -> SavedMatch:
    """A game of a review for the history; the review's last one gets the review's id."""
    is_photographed = any(sheet.photo for sheet in game.sheets)
    return paper_match(
        game.played,
        _kept_sheets(game),
        now,
        ended=datetime.fromtimestamp((review.taken_at(game) or now) / 1000, UTC),
        source="photo" if is_photographed else "typed",
        notes=" ".join(map(say, wrong_totals(game.players()))),
        match_id=review_id if len(review.games) == 1 else None,
    )


def begun(game: PaperGame) -> Document:
    """The record of a game that continues at a table; raises `NotReady` as `save` does."""
    if missing := obstacles(game):
        raise NotReady(missing[0])
    sharing = game.sheets[0].kind.sharing
    if sharing is None:
        raise Refused("no-such-game")
    columns = {}
    for number, player in enumerate(game.players(), start=1):
        columns[player.name or str(number)] = sharing.columns(player.filled.sheet)[0]
    return record_of(stored_game(game.played), columns)


def _kept_sheets(game: PaperGame) -> list[tuple[str | None, KeptSheet]]:
    """The players' names, if they have any, and their sheets."""
    sheets: list[tuple[str | None, KeptSheet]] = []
    for player in game.players():
        # A number heads the column of a player without a name on a shared sheet.
        filled = player.filled.named([player.name or str(player.pads[0].place + 1)])
        kept = standings.kept_sheet(stored_game(game.played), filled)
        wrong = wrong_total(player)
        kept = replace(kept, written=wrong.written) if wrong else kept
        sheets.append((player.name or None, kept))
    return sheets


def wrong_totals(players: Sequence[PlayerSheet]) -> Iterator[Sentence]:
    for player in players:
        if (total := wrong_total(player)) is not None:
            text = (
                N_("%(player)s wrote %(written)s on the paper, but it is %(counted)s.")
                if player.name
                else N_("%(player)s: the paper says %(written)s, but it is %(counted)s.")
            )
            numbers = {"written": minus(total.written), "counted": minus(total.counted)}
            yield Sentence(text, {"player": player.display_name, **numbers})


def wrong_total(player: PlayerSheet) -> WrittenSum | None:
    """The total that a player wrote on the sheet, if it is wrong."""
    if len(player.pads) > 1:
        return None  # the second pad's total may go on from the first one's
    pad, place = player.pads[0]
    total = pad.total_of(place)
    return None if total is None or total.is_right else total


def is_saved(tables: Tables, device: str, review_id: str) -> bool:
    try:
        tables.history.match(device, review_id)
    except Refused:
        return False
    return True
