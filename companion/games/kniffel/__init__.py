"""Kniffel, Yahtzee, Yatzy: five dice, three rolls, and lines to fill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from companion.core.game import GameKind
from companion.core.position import Turn
from companion.core.values import Options, Player
from companion.core.words import Word
from companion.games.kniffel.guide import KniffelGuide
from companion.games.kniffel.layout import SHEET
from companion.games.kniffel.panel import KniffelPanel
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.sheet import KniffelSheet
from companion.games.kniffel.variants import JOKERS, NAMES, variant_of


class KniffelGame(GameKind[Kniffel]):
    """The description of Kniffel and its variants, in which nobody can pass."""

    name = "kniffel"
    title = Word("Kniffel, Yahtzee, Yatzy")
    min_players = 1
    max_players = 8
    options: ClassVar = {"jokers": JOKERS}
    more_options: ClassVar = {"variant": NAMES}
    position = Kniffel
    sheet = SHEET
    panel = KniffelPanel()
    guide = KniffelGuide()
    close = None
    variant_word = "variant"
    bgg_id = 2243

    def start(self, players: tuple[Player, ...], options: Options) -> Kniffel:
        sheet = KniffelSheet(variant_of(options))
        return Kniffel(now=Turn(players), sheets=(sheet,) * len(players))

    def agreed(self, options: Options) -> Options:
        """The options with the jokers that the variant implies; see `variant_of`."""
        return {**options, **variant_of(options).said}

    def title_of(self, said: Mapping[str, object]) -> str:
        return variant_of(said).title

    def guide_to(self, options: Options) -> KniffelGuide:
        return KniffelGuide(variant_of(options))


GAME: Final = KniffelGame()
