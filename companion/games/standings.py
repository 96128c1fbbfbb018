"""Who has won, from finished sheets alone: what is on paper has no position to ask.

It knows what each kind of sheet sums up to and how a tie is broken, and nothing of how it was
written. Sources: the chapters on the end of the game; see `docs/rules.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.core.result import Result, won
from companion.core.values import Document, is_huge, is_whole
from companion.games.encore import sheet as encore_sheet
from companion.games.qwinto import sheet as qwinto
from companion.games.tally import sheet as tally

CARDS: Final = "cards"
"""The sheet of a game that is played without paper: `{"cards": 12}`."""


_Read: TypeAlias = Callable[[Mapping[str, object]], tuple[Document, Result]]


def read(game: Game, sheet: object) -> tuple[Document, Result]:
    """The sheet of one player as it is kept, without what it need not say, and its result.

    Raises:
        Unusable: it is no sheet, not one of this game, or one of several players.
    """
    if not isinstance(sheet, Mapping):
        raise Unusable("A sheet is a JSON object.")
    kind = sheet.get("sheet", CARDS)
    if kind not in (game.sheet.name, CARDS) or (kind == CARDS and game.sheet.name != "tally"):
        raise Unusable(f"This is not a sheet of {game.name}.")
    return _READ[str(kind)](sheet)


def split(sheet: Mapping[str, object]) -> tuple[tuple[str, Document], ...]:
    """A tally, which the players share, as (player, a tally of this player alone).

    Raises:
        Unusable: it is no tally.
    """
    shared = tally.from_document(sheet)
    return tuple(
        (player, _tally_document(player, [entries[place] for entries in shared.rounds]))
        for place, player in enumerate(shared.players)
    )


def winners(game: Game, results: Sequence[Result]) -> tuple[bool, ...]:
    """Who has won, in the order of the results; a tie that nothing breaks is shared.

    With fewer results than the game has players at the least some are missing, so nobody is said
    to have won.
    """
    if len(results) < game.min_players:
        return (False,) * len(results)
    return won(results)


def _qwinto(document: Mapping[str, object]) -> tuple[Document, Result]:
    sheet = qwinto.from_document(document)
    return sheet.document(), qwinto.result(sheet)


def _encore(document: Mapping[str, object]) -> tuple[Document, Result]:
    sheet = encore_sheet.from_document(document)
    return sheet.document(), encore_sheet.result(sheet)


def _tally(document: Mapping[str, object]) -> tuple[Document, Result]:
    sheet = tally.from_document(document)
    if len(sheet.players) != 1:
        raise Unusable("This tally is of several players.")
    rounds = [entries[0] for entries in sheet.rounds]
    return _tally_document(sheet.players[0], rounds), Result(sheet.totals[0])


def _cards(document: Mapping[str, object]) -> tuple[Document, Result]:
    cards = document.get("cards")
    if not is_whole(cards) or is_huge(cards):
        raise Unusable("'cards' must be a whole number.")
    return {"cards": cards}, Result(cards)


def _tally_document(player: str, rounds: list[int | None]) -> Document:
    return {"sheet": "tally", "players": [player], "rounds": [[entry] for entry in rounds]}


_READ: Final[Mapping[str, _Read]] = {
    "qwinto": _qwinto,
    "encore": _encore,
    "tally": _tally,
    CARDS: _cards,
}
