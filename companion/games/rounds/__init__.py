"""Rounds: the running points of any game, by its title, typed round by round."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, ClassVar, Final

from companion.core.game import AnyGame
from companion.core.position import Turn
from companion.core.values import Action, Columns, Options, Player, clean_title
from companion.core.words import Word
from companion.games.rounds.changes import MOST_PLAYERS, SETTINGS
from companion.games.rounds.counting import CLOSED, KNOWN, PLAIN, POINTS, known_by_title
from companion.games.rounds.guide import RoundsGuide
from companion.games.rounds.panel import RoundsPanel
from companion.games.rounds.rules import Rounds
from companion.games.tally.layout import SHEET
from companion.games.tally.sheet import Tally


class RoundsGame(AnyGame[Rounds]):
    """The description of rounds, in which everybody has points before the next one begins."""

    name = "rounds"
    title = Word("Rounds: any game")
    min_players = 1
    max_players = MOST_PLAYERS
    options: ClassVar = {name: SETTINGS[name] for name in ("lowest", "to")}
    more_options: ClassVar = {
        "title": clean_title,
        **{name: SETTINGS[name] for name in ("rounds", "starter")},
        "counting": ("", *KNOWN),  # the known game whose rounds are counted like these
    }
    known_titles = tuple(game.title for game in KNOWN.values())
    sheet = SHEET
    has_sheet = False  # while it is played: the players share the tally
    panel = RoundsPanel()
    guide = RoundsGuide()
    close = None

    def start(self, players: tuple[Player, ...], options: Options) -> Rounds:
        """The first position: an empty tally for everybody."""
        known = KNOWN.get(options.get("counting", ""))
        rounds = options.get("rounds", 0)
        if known and not rounds:
            rounds = known.rounds_by_players.get(len(players), 0)
        return Rounds(
            now=Turn(players),
            sheets=tuple(Tally((player,), ()) for player in players),
            lowest_wins=options.get("lowest", False),
            to=options.get("to", 0),
            most_rounds=rounds,
            starter=options.get("starter", True),
            counting=known.counting if known else PLAIN,
        )

    def chosen(self, title: str, former: Options | None) -> Options:
        """See `AnyGame.chosen`: a known game's options as last played, or those of its row."""
        own = {} if former is None else {"rounds": 0, "counting": "", **former}
        known = known_by_title(title)
        if known and own.get("counting") != known.key:
            own = known.options
        return {name: value for name, value in own.items() if name != "title"}

    def is_needless(self, position: Rounds, action: Action) -> bool:
        """See `GameKind.is_needless`: points of the player who has won the round after all."""
        is_of_winner = position.counting.way == "winner" and action.get("by") in position.typed_in(
            CLOSED
        )
        return is_of_winner and action["do"] == position.step_name == POINTS

    def options_at(self, position: Rounds, options: Options) -> Options:
        """See `GameKind.options_at`: who wins and where it ends may have changed."""
        now = {name: value for name, value in options.items() if name not in SETTINGS}
        for name, value in position.settings.items():
            if name in self.options or value != SETTINGS[name][0]:
                now[name] = value
        return now

    def known_as(self, options: Options) -> tuple[str, bool] | None:
        """The title that was typed; without one, this game where the highest total wins."""
        title, lowest = options.get("title", ""), options.get("lowest", False)
        return (title or self.title, lowest) if title or lowest else None

    def begun(self, title: str, lowest_wins: bool, columns: Columns) -> tuple[Options, Any]:
        """See `AnyGame.begun`; in a round before the last one, a missing number is 0 points."""
        rounds = list(zip_longest(*columns.values()))
        while rounds and set(rounds[-1]) == {None}:
            rounds.pop()
        actions = []
        for place, numbers in enumerate(rounds, start=1):
            for player, number in zip(columns, numbers, strict=True):
                if number is not None or place < len(rounds):
                    actions.append({"do": "points", "by": player, "points": number or 0})
        return {"lowest": lowest_wins, "to": 0, **({"title": title} if title else {})}, actions


GAME: Final = RoundsGame()
