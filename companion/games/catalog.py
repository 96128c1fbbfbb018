"""Every game there is, by its public name. A new game is one more line here."""

from collections.abc import Mapping
from typing import Final

from companion.games import encore, freaky, qwinto_cards, qwinto_dice
from companion.games.core import Game

GAMES: Final[Mapping[str, Game]] = {
    game.name: game
    for game in (
        qwinto_dice.GAME,
        qwinto_cards.GAME,
        encore.GAME,
        freaky.GAME,
    )
}
