"""The panel of rounds: a line a player, with places and sums, and keys for a number of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import ClassVar, Final, NamedTuple

from companion.core.panel import (
    ENTERED,
    GAME_OVER,
    OF_END,
    EnteredAction,
    Option,
    Panel,
    Totals,
    is_yours,
    picking,
    some_names,
)
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, joined, minus
from companion.games.rounds import change_dialog
from companion.games.rounds.counting import BID, BONUS, CLOSED, KNOWN, PHASE, POINTS, TRICKS
from companion.games.rounds.rules import Rounds

BY_HAND: Final = Sentence("no end")
WINS: Final = {False: Sentence("The highest score wins"), True: Sentence("The lowest score wins")}
COUNTS: Final = {
    "": Sentence("Everybody types their points"),
    **{key: Sentence("As in %(game)s", {"game": game.title}) for key, game in KNOWN.items()},
}


# Step → what is typed in it, beside the player's name
WHAT: Final = {
    BID: Sentence("bid"),
    TRICKS: Sentence("tricks"),
    BONUS: Sentence("bonus"),
    POINTS: Sentence("points"),
}
# Step → the task of an awaited player
TASKS: Final = {
    POINTS: Sentence("type your points"),
    BID: Sentence("type your bid"),
    TRICKS: Sentence("type your tricks"),
    BONUS: Sentence("type your bonus points, or 0"),
    PHASE: Sentence("did you complete your phase?"),
}
# Step → the same on a phone of several players
TASKS_OF_SEVERAL: Final = {
    POINTS: Sentence("Type the points of the round"),
    BID: Sentence("Type the bids of the round"),
    TRICKS: Sentence("Type the tricks of the round"),
    BONUS: Sentence("Type the bonus points, or 0"),
    PHASE: Sentence("Who completed the phase?"),
}
WHO_CLOSED: Final = Sentence("Who closed the round?")
WHO_WON: Final = Sentence("Who won the round?")
NAME: Final = Sentence("Tap a name")
HELD: Final = Sentence("still in hand")


def _input_picker(
    position: Rounds, player: Player, step: str, picks: Mapping[str, object]
) -> Mapping[str, object]:
    """The picker for a player's number in a step of the open round."""
    if step == CLOSED:
        action = {"do": CLOSED, "player": "$player"}
        return picking(action, ("player",), picks, names=position.present, what=_who(position))
    action = {"do": step, "by": player, step: f"${step}"}
    if step == PHASE:
        phase = position.phase_of(player)
        return picking(action, (PHASE,), picks, player=player, phase=phase)
    least, most = position.counting.limits(step, position.turn)
    counting = position.counting
    what = None if counting.is_plain else HELD if counting.way == "winner" else WHAT[step]
    return picking(action, (step,), picks, player=player, least=least, most=most, what=what)


def _who(position: Rounds) -> Sentence:
    return WHO_WON if position.counting.way == "winner" else WHO_CLOSED


DESCRIBED: Final = {
    POINTS: N_("%(player)s: %(points)s points"),
    BID: N_("%(player)s bids %(number)s"),
    TRICKS: N_("%(player)s: %(number)s tricks"),
    BONUS: N_("%(player)s: %(points)s bonus points"),
}


class Line(NamedTuple):
    """A player's line, as `templates/games/rounds/panel.html` draws it."""

    player: Player
    place: int | None  # None for a player who has left
    points: int | None  # of the open round
    entry: str | None  # the id of the entry of these points
    total: int
    note: Sentence | None  # what was typed in the steps of the open round


class RoundsPanel(Panel[Rounds]):
    """The table page of rounds: who leads, and a keypad for players without points yet."""

    actions: ClassVar = {
        **dict.fromkeys((POINTS, BID, TRICKS, BONUS, PHASE, CLOSED), ENTERED),
        **dict.fromkeys(("end", "won", "set", "join", "leave"), OF_END),
    }
    turns_are_rounds = True
    options: ClassVar = {
        "title": Option(Sentence("What is played?"), typed="text", none=Sentence("Any game")),
        "lowest": Option(Sentence("Who wins"), WINS),
        "to": Option(Sentence("Points that end the game"), typed="number", none=BY_HAND),
        "rounds": Option(Sentence("Number of rounds"), typed="number", none=BY_HAND),
        "counting": Option(Sentence("How a round is counted"), COUNTS),
    }

    def facts(self, position: Rounds, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/rounds/panel.html`; see `Panel.facts`.

        Lines are in the order of the places after the closed rounds, so that none moves meanwhile.
        """
        places, totals = position.places, position.totals
        typed = {}
        for entry in entries:
            who = entry.action.get("player" if entry.action["do"] == CLOSED else "by")
            if entry.turn == position.turn and who is not None:
                typed[who] = entry.id
        lines, leaders = [], []
        best_first = sorted(places, key=places.__getitem__)
        left = [player for player in position.players if player in position.gone]
        for player in (*best_first, *left):
            place, points = places.get(player), position.points_of(player)
            note = self._note(position, player)
            lines.append(Line(player, place, points, typed.get(player), totals[player], note))
            if place == 1:
                leaders.append(player)
        return {
            "round": position.turn,
            "to": position.to,
            "most_rounds": position.most_rounds,
            "lowest_wins": position.lowest_wins,
            "adds_up": self._adds_up(position),
            "awaited": position.awaited,
            "is_of_one": position.step_name == CLOSED,
            "lines": lines,
            "starter": position.active if position.starter and len(places) > 1 else None,
            "leaders": leaders if len(leaders) < len(places) else [],
            "end": None if position.cannot_end() else {"do": "end"},
        }

    def _note(self, position: Rounds, player: Player) -> Sentence | None:
        """The player's entries in the open round besides points, after the phase."""
        if player in position.gone:
            return None
        bid, tricks = (position.typed_in(step).get(player) for step in (BID, TRICKS))
        if bid is not None:
            if tricks is None:
                return Sentence("bids %(bid)s", {"bid": bid})
            return Sentence("%(tricks)s of %(bid)s", {"tricks": tricks, "bid": bid})
        points = position.typed_in(POINTS).get(player)
        number = [] if points is None else [minus(points)]
        if player in position.typed_in(CLOSED):
            is_won = position.counting.way == "winner"
            return joined([*number, Sentence("won") if is_won else Sentence("closed")], " · ")
        if number:
            return joined(number)
        if position.counting.phases:
            phase = position.phase_of(player)
            if position.typed_in(PHASE).get(player):
                return Sentence("phase %(phase)s ✓", {"phase": phase})
            return Sentence("phase %(phase)s", {"phase": min(phase, position.counting.phases)})
        return None

    def _adds_up(self, position: Rounds) -> Sentence | None:
        """The sum of the open step's numbers, and the expected sum."""
        if position.over:
            return None
        bids = sum(position.typed_in(BID).values())
        if position.step_name in (BID, TRICKS):
            values = {"bids": bids, "round": position.turn}
            return Sentence("bids: %(bids)s of %(round)s", values)
        if position.rest is None or not position.typed:
            return None
        return Sentence("%(rest)s left", {"rest": minus(position.rest)})

    def picker(self, position: Rounds, entry: EnteredAction) -> Mapping[str, object] | None:
        """The keys with the number as it was typed; None for an end, which cannot be corrected."""
        action = entry.action
        step = action["do"]
        if self.actions[step] is not ENTERED:
            return None
        part = "player" if step == CLOSED else step
        return _input_picker(position, action.get("by", ""), step, {part: action[part]})

    def player_facts(self, position: Rounds, player: Player) -> Mapping[str, object] | None:
        """The input that the open step still needs from a player."""
        if player not in position.awaited:
            return None
        return _input_picker(position, player, position.step_name, {})

    def describe(self, position: Rounds | None, action: Action) -> Sentence:
        if change := change_dialog.in_words(action):
            return change
        if action["do"] == "end":
            return Sentence("The game was ended")
        if action["do"] == "won":
            return Sentence("%(player)s won the tie", {"player": action["by"]})
        step = action["do"]
        if step == CLOSED:
            return Sentence("%(player)s closed or won the round", {"player": action["player"]})
        values = {"player": action["by"], "number": action[step], "points": minus(action[step])}
        if step == PHASE:
            text = N_("%(player)s completed the phase")
            return Sentence(
                text if action[PHASE] else N_("%(player)s: phase not completed"), values
            )
        return Sentence(DESCRIBED[step], values)

    def changes(self, position: Rounds, form: Mapping[str, str]) -> Mapping[str, object]:
        return change_dialog.facts_of(position, form)

    def hint(self, position: Rounds, here: Sequence[Player] = ()) -> Sentence:
        """The round whose points are typed here, or who else is awaited."""
        if position.over:
            return GAME_OVER
        mine = [player for player in here if player in position.awaited]
        if position.step_name == CLOSED:
            return NAME if mine else _who(position)
        if not mine:
            return Sentence("Waiting for %(players)s", {"players": some_names(position.awaited)})
        if is_yours(mine[0], here):
            return Sentence("Your turn: %(task)s", {"task": TASKS[position.step_name]})
        return TASKS_OF_SEVERAL[position.step_name]

    def news(self, position: Rounds) -> Sequence[Sentence]:
        return [Sentence("Last round!")] if position.is_last_turn else []

    def course(self, position: Rounds) -> Totals:
        """The sums after each closed round; after an open one, where it has changed them."""
        closed, now = position.closed, position.totals
        sums: dict[Player, list[int | None]] = {}
        for name in position.players:
            column = position.sheet_of(name).columns[0][:closed]
            found: list[int | None] = [*accumulate((points or 0 for points in column), initial=0)]
            found += [found[-1]] * (closed + 1 - len(found))
            # Blanks stand before the first number of a player who has joined later.
            blanks = next(
                (at for at, points in enumerate(column) if points is not None), len(column)
            )
            if blanks:
                found[: blanks + 1] = [None] * (blanks + 1)
            sums[name] = found
        if any(sums[name][-1] != points for name, points in now.items()):
            for name, points in now.items():
                sums[name].append(points)
        return sums

    def ended(self, position: Rounds) -> Sequence[Sentence]:
        """Says what ended the game: its points, its rounds, or the players."""
        totals = position.totals
        reached = [name for name in position.present if 0 < position.to <= totals[name]]
        if position.are_phases_done:
            return [Sentence("The last phase was completed.")]
        rounds = position.closed
        values = {"players": ", ".join(reached), "points": position.to, "rounds": rounds}
        if reached:
            return [Sentence("%(players)s reached %(points)s points.", values)]
        if 0 < position.most_rounds <= rounds:
            if rounds == 1:
                return [Sentence("One round was played.")]
            return [Sentence("%(rounds)s rounds were played.", values)]
        return [Sentence("The players ended the game.")]
