"""Dice rolled by the server, for a table that has lost its own."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

from companion.core.position import game_over
from companion.core.rolling import BY_APP, ROLLED, Dice, Face
from companion.tables.database.columns import new_id
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.corrections import played_or_refused
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Match
from companion.tables.ledger.rights import require_roll
from companion.tables.refusals import Refused

DRAW: Final = secrets.SystemRandom()


def roll(change: TableChange, parts: Sequence[str], seen: str, held: Sequence[str] = ()) -> None:
    """Draws the faces of the next roll, and enters them as the active player's.

    A roll that was drawn at the same position and undone comes again: an undo is no new chance.

    Args:
        parts: the dice to roll where the player chooses; otherwise ignored.
        seen: the moment that the person saw: a second tap rolls nothing.
        held: the dice that stay as they lie where the player holds some, in place of `parts`.

    Raises:
        Refused: `no-roller`, `not-started`, `game-over`, `not-your-seat`, `stale`, `bad-tap`, or
            what the rules say.
    """
    change.require_player()
    match = change.state.require_match()
    position = match.position
    dice = position.next_roll
    if not change.state.roller:
        raise Refused("no-roller")
    if match.is_over:
        raise Refused(game_over())
    require_roll(change.state, change.member, position)
    if dice is None or seen != match.moment:
        raise Refused("stale")
    faces = _faces(match, dice, _chosen(dice, parts, held))
    action = {**dice.roll(faces), ROLLED: BY_APP}
    after = played_or_refused(position, action)
    body = {"action": action, "drawn": {"moment": position.fingerprint, "faces": faces}}
    change.append(kinds.ACTION, body, new_id(), after)


def _chosen(dice: Dice, parts: Sequence[str], held: Sequence[str]) -> list[str]:
    known = [die.part for die in dice.dice]
    if not dice.is_chosen:
        return known
    named = held if dice.is_held else parts
    chosen = [part for part in known if (part in named) != dice.is_held]
    if not chosen or len(named) != sum(part in named for part in known):
        raise Refused("bad-tap", why="dice")
    return chosen


def held_dice(dice: Dice, last: Event | None) -> frozenset[str]:
    """The dice that the app's last roll left unchanged; a player who rolls again still holds them.

    Args:
        last: the event of the match's last entry.
    """
    drawn = last.body.get("drawn") if last and dice.is_held else None
    return frozenset(die.part for die in dice.dice if drawn and die.part not in drawn["faces"])


def _faces(match: Match, dice: Dice, parts: Sequence[str]) -> dict[str, Face]:
    earlier = _undone_faces(match)
    return {
        die.part: earlier.get(die.part, DRAW.choice(die.faces))
        for die in dice.dice
        if die.part in parts
    }


def _undone_faces(match: Match) -> dict[str, Face]:
    """The faces of the rolls that were drawn at this position and undone."""
    faces: dict[str, Any] = {}
    for event in match.events:
        drawn = event.body.get("drawn")
        if drawn and event.id in match.disabled and drawn["moment"] == match.position.fingerprint:
            faces |= drawn["faces"]
    return faces
