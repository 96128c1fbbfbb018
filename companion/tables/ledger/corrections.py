"""Corrections of earlier entries, and replacements for later ones that no longer fit. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.values import Action, Player
from companion.core.words import Sentence
from companion.games.record import play_action
from companion.tables.ledger.match import Entry, Match, Misfit
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class Unfit:
    """An entry that no longer fits after a correction."""

    entry: str
    by: Player | None
    turn: int
    action: Action
    refusal: Refusal  # why the rules refuse it now
    becomes: dict[str, Any] | None  # the action that replaces it; None when it is dropped
    position: Position  # the corrected match at that point


@dataclass(frozen=True, slots=True)
class Correction:
    """A match with one entry changed or removed, and all later ones played again."""

    entry: Entry  # the corrected entry, before the correction
    unfit: tuple[Unfit, ...]
    after: Position
    inserts: bool = False  # whether the action comes before the entry, which stays
    # Dropped: those that closed a step which now closes by itself, and what the game does not need.
    needless: tuple[Entry, ...] = ()

    @property
    def fixes(self) -> dict[str, dict[str, Any] | None]:
        """Entry → the action that replaces it; None drops it."""
        return {
            **{unfit.entry: unfit.becomes for unfit in self.unfit},
            **{entry.id: None for entry in self.needless},
        }


def correct(
    match: Match,
    index: int,
    action: dict[str, Any] | None,
    *,
    inserts: bool = False,
) -> Correction:
    """The match with another action for entry `index`, or with one more before it (`inserts`).

    An act that no longer fits becomes what the game adapts it to, or else a pass. Other entries
    that no longer fit are dropped, such as rolls, and so are all after the match's end.

    Raises:
        Refused: the rules do not allow the new action there; their code comes through. Or
            `does-not-fit`, where a later act can be neither.
    """
    entry = match.entries[index]
    original = match.position_before(index)
    position = original if action is None else played_or_refused(original, action)
    if not inserts:
        original = played_or_refused(original, entry.action)
        index += 1
    unfit: list[Unfit] = []
    needless: list[Entry] = []
    for later in match.entries[index:]:
        was, original = original, played_or_refused(original, later.action)
        result = play_action(position, later.action)
        if not isinstance(result, Refusal):
            position = result
            continue
        if _is_needless(match, later, position, original):
            needless.append(later)
            continue
        # A player who closes a step need not have acted in it.
        was_act = not match.closes(later.action) and _was_an_act(later.by, was, original)
        found = _unfit(match.game, position, later, result, was_act)
        if found.becomes is not None:
            position = played_or_refused(position, found.becomes)
        unfit.append(found)
    return Correction(entry, tuple(unfit), position, inserts, tuple(needless))


def _is_needless(match: Match, later: Entry, position: Position, original: Position) -> bool:
    """Whether an entry that no longer fits may go without a replacement.

    Args:
        position: the corrected match at that point.
        original: the match as it was, after the entry.
    """
    if match.closes(later.action) and position.step == original.step:
        return True  # the step has closed by itself
    # Entries of later turns would be mistaken for entries of this one.
    is_of_last = later.turn == match.entries[-1].turn
    return is_of_last and match.game.is_needless(position, later.action)


def fits_before(match: Match, index: int, action: dict[str, Any]) -> bool:
    """Whether one more action may come before entry `index`, with all later ones as they are."""
    try:
        return not correct(match, index, action, inserts=True).unfit
    except Refused:
        return False


def require_fit(correction: Correction) -> None:
    """Raises `Refused` with `does-not-fit` when a later entry no longer fits."""
    if correction.unfit:
        raise misfit_refused(correction.unfit[0])


def misfit_refused(found: Misfit | Unfit, entry: str = "") -> Refused:
    """The refusal of a change if a later entry would no longer fit.

    Args:
        entry: the id of the one that was to change, if it may be corrected instead.
    """
    reason = Sentence(found.refusal.text, found.refusal.values)
    return Refused(
        "does-not-fit", player=found.by or "?", turn=found.turn, reason=reason, entry=entry
    )


def _unfit(game: Game, position: Position, entry: Entry, refusal: Refusal, was_act: bool) -> Unfit:
    """The entry with what replaces it; raises `Refused` where an act has no replacement."""
    becomes = _replacement(game, position, entry, was_act)
    found = Unfit(entry.id, entry.by, entry.turn, entry.action, refusal, becomes, position)
    if becomes is None and was_act and not position.over:
        raise misfit_refused(found)
    return found


def _replacement(
    game: Game, position: Position, entry: Entry, was_act: bool
) -> dict[str, Any] | None:
    passing = game.pass_action(entry.by) if was_act and entry.by is not None else None
    for choice in (game.adapt(position, entry.action), passing):
        if choice is not None and not isinstance(play_action(position, choice), Refusal):
            return choice
    return None


def _was_an_act(player: Player | None, before: Position, after: Position) -> bool:
    """Whether the entry was its player's act of the step (writing is, rolling is not)."""
    if player not in before.awaited:
        return False
    return player not in after.awaited or before.step != after.step


def played_or_refused(position: Position, action: Action) -> Position:
    """The position after an action; raises `Refused` with what the rules say against it."""
    result = play_action(position, action)
    if isinstance(result, Refusal):
        raise Refused(result)
    return result
