"""The dialog that changes a running game of rounds: who wins, where it ends, who joins and leaves.

`templates/games/rounds/changes.html` draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from companion.core.game import MOST_DIGITS
from companion.core.refusal import Refusal
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, joined
from companion.games.rounds.changes import MEAN
from companion.games.rounds.rules import Rounds

GOES_ON: Final = Sentence("The game then goes on.")
ENDS: Final = Sentence("The game is then over.")


class Place(NamedTuple):
    """A player's line in the standings; `place` is None for one who has left."""

    player: Player
    place: int | None
    total: int
    leave: Action | None  # the action with which the player leaves, where that is possible
    back: Action | None  # the action with which a player who has left comes back


class Newcomer(NamedTuple):
    """The person whose name was typed: why they cannot join, or the ways to do so."""

    name: str
    refusal: Refusal | None
    mean: int
    with_nothing: Action
    with_mean: Action


def facts_of(position: Rounds, form: Mapping[str, str]) -> dict[str, Any]:
    """The values for the dialog; `form` has its inputs so far."""
    wanted = _wanted(position, form)
    new = {name: value for name, value in wanted.items() if value != position.settings[name]}
    action = {"do": "set", **new}
    after = position.play(action)
    shown = position if isinstance(after, Refusal) else after
    verdict = None
    if shown.over != position.over:
        verdict = ENDS if shown.over else GOES_ON
    name = form.get("name", "").strip()
    return {
        "settings": {**position.settings, **wanted},
        "action": None if isinstance(after, Refusal) else action,
        "refusal": after if isinstance(after, Refusal) and new else None,
        "verdict": verdict,
        "lines": _standings(shown),
        "waits": position.cannot_change(),
        "newcomer": _newcomer(position, name) if name else None,
    }


def _wanted(position: Rounds, form: Mapping[str, str]) -> dict[str, Any]:
    """The settings that a form names; before it is filled in, those of the game."""
    if "lowest" not in form:
        return position.settings
    wanted: dict[str, Any] = {"lowest": form["lowest"] == "True", "starter": "starter" in form}
    for name in ("to", "rounds"):
        text = form.get(name, "").strip() or "0"
        is_number = text.isdecimal() and len(text) <= MOST_DIGITS
        wanted[name] = int(text) if is_number else text
    return wanted


def _standings(position: Rounds) -> list[Place]:
    """Everybody, the best first; those who have left come last."""
    places, totals = position.places, position.totals
    can_leave = position.cannot_change() is None and len(position.present) > 1
    lines = []
    for player in sorted(places, key=places.__getitem__):
        leave = {"do": "leave", "player": player} if can_leave else None
        lines.append(Place(player, places[player], totals[player], leave, None))
    for player in position.players:
        if player in position.gone:
            back = _join(player, 0) if position.cannot_change() is None else None
            lines.append(Place(player, None, totals[player], None, back))
    return lines


def _newcomer(position: Rounds, name: str) -> Newcomer:
    after = position.play(_join(name, 0))
    refusal = after if isinstance(after, Refusal) else None
    return Newcomer(name, refusal, position.mean(), _join(name, 0), _join(name, MEAN))


def _join(player: Player, points: object) -> Action:
    return {"do": "join", "player": player, "points": points}


def in_words(action: Action) -> Sentence | None:
    """A change in words; None for another action."""
    if action["do"] == "leave":
        return Sentence("%(player)s leaves the game", {"player": action["player"]})
    if action["do"] == "join":
        values = {"player": action["player"]}
        if action["points"] == MEAN:
            return Sentence("%(player)s joins with the average of the others", values)
        return Sentence("%(player)s joins", values)
    if action["do"] != "set":
        return None
    return _setting(action)


def _setting(action: Action) -> Sentence:
    parts: list[Sentence] = []
    if "lowest" in action:
        wins = Sentence("The lowest score wins"), Sentence("The highest score wins")
        parts.append(wins[not action["lowest"]])
    if "to" in action or "rounds" in action:
        to, rounds = action.get("to"), action.get("rounds")
        if to:
            parts.append(Sentence("to %(points)s", {"points": to}))
        if rounds:
            text = N_("one round") if rounds == 1 else N_("%(rounds)s rounds")
            parts.append(Sentence(text, {"rounds": rounds}))
        if not to and not rounds:
            parts.append(Sentence("no end"))
    return joined(parts) if parts else Sentence("Changed: show who starts")
