"""The tally: a number for each player and round, three digits each; for Freaky and its like.

What is written and what it sums up to; where it stands on paper is in `companion.sheets.tally`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from companion.core.refusal import Unusable
from companion.core.values import Player, clean_name, is_huge, is_whole

Round: TypeAlias = tuple[int | None, ...]
"""A number for each player, None where nothing has been written yet."""


@dataclass(frozen=True)
class Tally:
    """A filled-in tally."""

    players: tuple[Player, ...]
    rounds: tuple[Round, ...]

    @property
    def written(self) -> Iterator[tuple[str, int, int | None]]:
        """(field name, the player's place from 0, number or None), round by round."""
        for number, entries in enumerate(self.rounds, start=1):
            for place, entry in enumerate(entries):
                yield field_name(number, place), place, entry

    @property
    def totals(self) -> tuple[int, ...]:
        """The sum of each player's numbers, as they are written."""
        return tuple(
            sum(entries[place] or 0 for entries in self.rounds)
            for place in range(len(self.players))
        )


def field_name(number: int, place: int) -> str:
    """The public name of a field; `place` counts from 0."""
    return f"round.{number}.player.{place + 1}"


def from_document(document: Mapping[str, object]) -> Tally:
    """The tally of a public sheet document.

    Raises:
        Unusable: no players, names that are empty or not unique, or a round that is not one whole
            number (or null, when it is not written yet) for each player.
    """
    raw_players, raw_rounds = document.get("players"), document.get("rounds")
    if not isinstance(raw_players, list) or not raw_players:
        raise Unusable("'players' must be a list of names.")
    players = tuple(name for name in map(clean_name, raw_players) if name is not None)
    if len(players) != len(raw_players) or len(set(players)) != len(players):
        raise Unusable("The players' names must not be empty and must differ from each other.")
    if not isinstance(raw_rounds, list):
        raise Unusable("'rounds' must be a list of rounds.")
    for entries in raw_rounds:
        if not isinstance(entries, list) or len(entries) != len(players):
            raise Unusable("Each round must be a list with a number for each player.")
        if not all(entry is None or is_whole(entry) for entry in entries):
            raise Unusable("Rounds must hold whole numbers or nulls only.")
        if any(is_huge(entry) for entry in entries):
            raise Unusable("A round holds a number that nobody can have written.")
    return Tally(players, tuple(map(tuple, raw_rounds)))
