"""The tally: a number for each player and round, for games that are played without a sheet.

It has the numbers, their problems and their sums; the geometry is in `layout`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Self

from companion.core.numbers import Numbers, out_of_range, read_numbers
from companion.core.refusal import Refusal, Unusable
from companion.core.result import Result
from companion.core.values import Columns, Document, Player, clean_name
from companion.core.words import N_

POINTS: Final = range(-99_999, 100_000)  # points that a round may bring


@dataclass(frozen=True)
class Tally:
    players: tuple[Player, ...]
    rounds: tuple[Numbers, ...]  # each with a number for each player

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The tally of a public sheet document.

        Raises:
            Unusable: no players, names that are empty or not unique, or a round that is not one
                whole number (or null, when it is not written yet) for each player.
        """
        raw_players, raw_rounds = document.get("players"), document.get("rounds")
        if not isinstance(raw_players, list) or not raw_players:
            raise Unusable("'players' must be a list of names.")
        players = tuple(filter(None, map(clean_name, raw_players)))
        if len(set(players)) != len(raw_players):
            raise Unusable("The players' names must not be empty and must differ from each other.")
        if not isinstance(raw_rounds, list):
            raise Unusable("'rounds' must be a list of rounds.")
        rounds = []
        for entries in raw_rounds:
            rounds.append(read_numbers(entries, "rounds", len(players)))
        return cls(players, tuple(rounds))

    @property
    def written(self) -> Iterator[tuple[str, int, int | None]]:
        """(field name, the player's place from 0, number or None), round by round."""
        for number, entries in enumerate(self.rounds, start=1):
            for place, entry in enumerate(entries):
                yield field_name(number, place), place, entry

    @property
    def totals(self) -> tuple[int, ...]:
        """The sum of each player's numbers, as they are written."""
        return tuple(sum(filter(None, column)) for column in self.columns)

    @property
    def columns(self) -> tuple[Numbers, ...]:
        """Each player's numbers, round by round."""
        return tuple(zip(*self.rounds, strict=True)) or ((),) * len(self.players)

    def named(self, names: Sequence[Player]) -> Tally:
        """The tally with these names over its columns, from the left.

        Names without a column get one; a column without a name keeps the one that it had.
        """
        players = (*names, *self.players[len(names) :])
        added = (None,) * (len(players) - len(self.players))
        return Tally(players, tuple((*entries, *added) for entries in self.rounds))

    def split(self) -> tuple[tuple[Player, Tally], ...]:
        """Each player with a tally of only this player."""
        tallies = []
        for player, column in zip(self.players, self.columns, strict=True):
            tallies.append((player, of_columns({player: column})))
        return tuple(tallies)

    def followed(self, later: Tally) -> Tally:
        """The rounds of this tally and then those of `later`; the columns go by their names."""
        players = tuple(dict.fromkeys((*self.players, *later.players)))
        rounds = []
        for tally in (self, later):
            for entries in tally.rounds:
                points = dict(zip(tally.players, entries, strict=True))
                rounds.append(tuple(map(points.get, players)))
        return Tally(players, tuple(rounds))

    def document(self) -> Document:
        return {
            "sheet": "tally",
            "players": list(self.players),
            "rounds": list(map(list, self.rounds)),
        }

    def score(self) -> Document:
        totals = dict(zip(self.players, self.totals, strict=True))
        return {"totals": totals, "total": sum(totals.values())}

    def result(self) -> Result:
        """The total of all players together; a tie is shared."""
        return Result(sum(self.totals))

    def problems(self) -> tuple[Refusal, ...]:
        """Every number that nobody can have."""
        text = N_("A round scores from %(lowest)s to %(highest)s points, not %(number)s.")
        problems: list[Refusal] = []
        for number, entries in enumerate(self.rounds, start=1):
            for place, entry in enumerate(entries):
                if entry is not None and entry not in POINTS:
                    problems += out_of_range(field_name(number, place), entry, POINTS, text)
        return tuple(problems)


def of_columns(columns: Columns) -> Tally:
    """The tally of each player's numbers; a shorter column is open at its end."""
    return Tally(tuple(columns), tuple(zip_longest(*columns.values())))


def field_name(number: int, place: int) -> str:
    """The public name of a field; `place` counts from 0."""
    return f"round.{number}.player.{place + 1}"
