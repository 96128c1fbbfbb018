"""The panel of rounds: a line a player, with places and sums, and keys for a number of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from companion.core.panel import (
    ENTERED,
    GAME_OVER,
    OF_END,
    EnteredAction,
    Option,
    Panel,
    is_yours,
    picking,
    some_names,
)
from companion.core.values import Action, Player
from companion.core.words import Sentence, minus
from companion.games.rounds import change_dialog
from companion.games.rounds.rules import Rounds
from companion.games.tally.sheet import HIGHEST, LOWEST

BY_HAND: Final = Sentence("no end")
WINS: Final = {False: Sentence("The highest score wins"), True: Sentence("The lowest score wins")}


def _keys(player: Player, picks: Mapping[str, object]) -> Mapping[str, object]:
    action = {"do": "points", "by": player, "points": "$points"}
    return picking(action, ("points",), picks, player=player, least=LOWEST, most=HIGHEST)


class Line(NamedTuple):
    """A player's line, as `templates/games/rounds/panel.html` draws it."""

    player: Player
    place: int | None  # None of a player who has left
    points: int | None  # of the open round
    entry: str | None  # the id of the entry of these points
    total: int


class RoundsPanel(Panel[Rounds]):
    """The table page of rounds: who leads, and a pad of keys for whoever has no points yet."""

    actions: ClassVar = {
        "points": ENTERED,
        **dict.fromkeys(("end", "won", "set", "join", "leave"), OF_END),
    }
    has_course = asks_by_seat = turns_are_rounds = has_changes = True
    options: ClassVar = {
        "title": Option(Sentence("What is played?"), typed="text", none=Sentence("Any game")),
        "lowest": Option(Sentence("Who wins"), WINS),
        "to": Option(Sentence("Ends at so many points"), typed="number", none=BY_HAND),
        "rounds": Option(Sentence("Ends after so many rounds"), typed="number", none=BY_HAND),
    }

    def facts(self, position: Rounds, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/rounds/panel.html`; see `Panel.facts`.

        Lines stand by the places after the rounds that are closed, so that none moves meanwhile.
        """
        places, totals = position.places, position.totals
        typed = {}
        for entry in entries:
            if entry.turn == position.turn:
                typed[entry.action.get("by")] = entry.id
        lines, leaders = [], []
        best_first = sorted(places, key=places.__getitem__)
        left = [player for player in position.players if player in position.gone]
        for player in (*best_first, *left):
            place, points = places.get(player), position.points_of(player)
            lines.append(Line(player, place, points, typed.get(player), totals[player]))
            if place == 1:
                leaders.append(player)
        return {
            "round": position.turn,
            "to": position.to,
            "most_rounds": position.most_rounds,
            "lowest_wins": position.lowest_wins,
            "lines": lines,
            "starter": position.active if position.starter and len(places) > 1 else None,
            "leaders": leaders if len(leaders) < len(places) else [],
            "end": None if position.cannot_end() else {"do": "end"},
        }

    def picker(self, position: Rounds, entry: EnteredAction) -> Mapping[str, object] | None:
        """The keys with the number as it was typed; there is nothing to correct in an end."""
        action = entry.action
        is_corrected = action["do"] == "points"
        return _keys(action["by"], {"points": action["points"]}) if is_corrected else None

    def player_facts(self, position: Rounds, player: Player) -> Mapping[str, object] | None:
        """The keys of a player without points in the open round."""
        return _keys(player, {}) if player in position.waiting else None

    def describe(self, position: Rounds | None, action: Action) -> Sentence:
        if change := change_dialog.in_words(action):
            return change
        if action["do"] == "end":
            return Sentence("The game was ended")
        if action["do"] == "won":
            return Sentence("%(player)s won the tie", {"player": action["by"]})
        values = {"player": action["by"], "points": minus(action["points"])}
        return Sentence("%(player)s: %(points)s points", values)

    def changes(self, position: Rounds, asked: Mapping[str, str]) -> Mapping[str, object]:
        return change_dialog.facts_of(position, asked)

    def hint(self, position: Rounds, here: Sequence[Player] = ()) -> Sentence:
        """The round whose points are typed here, or who else is awaited."""
        if position.over:
            return GAME_OVER
        mine = [player for player in here if player in position.waiting]
        if not mine:
            return Sentence("Waiting for %(players)s", {"players": some_names(position.waiting)})
        if is_yours(mine[0], here):
            return Sentence("Your turn: %(task)s", {"task": Sentence("type your points")})
        return Sentence("Type the points of the round")

    def news(self, position: Rounds) -> Sequence[Sentence]:
        return [Sentence("Last round!")] if position.is_last_turn else []

    def ended(self, position: Rounds) -> Sequence[Sentence]:
        """Says what ended the game: its points, its rounds, or the players."""
        totals = position.totals
        reached = [name for name in position.present if 0 < position.to <= totals[name]]
        rounds = position.closed
        values = {"players": ", ".join(reached), "points": position.to, "rounds": rounds}
        if reached:
            return [Sentence("%(players)s reached %(points)s points.", values)]
        if 0 < position.most_rounds <= rounds:
            return [Sentence("%(rounds)s rounds were played.", values)]
        return [Sentence("The players ended the game.")]
