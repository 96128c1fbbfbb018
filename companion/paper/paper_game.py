"""The sheets of one game in a review, and their consequences: totals, winners, contradictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from companion.core.game import Game
from companion.core.refusal import Refusal
from companion.core.result import Result, ranked
from companion.core.sheet import FilledSheet, Sharing
from companion.core.words import Sentence
from companion.games import standings
from companion.games.catalog import GAMES, SHEET_GAMES
from companion.games.grid_layout import SHEET as TABLE
from companion.games.others import ANY, find_game, stored_game
from companion.paper.form_marks import is_empty
from companion.paper.review_sheet import Column, ReviewSheet, WrittenSum
from companion.tables.ledger.names import name_key


@dataclass(frozen=True)
class PlayerSheet:
    """One player's sheet, which may continue on further pads."""

    pads: tuple[Column, ...]  # the player's column on each pad
    filled: FilledSheet

    @property
    def name(self) -> str:
        """The player's name; empty if nobody has entered one."""
        return self.pads[0].name

    @property
    def display_name(self) -> str | Sentence:
        sheet, place = self.pads[0]
        return sheet.display_name(place)

    @property
    def is_nameless(self) -> bool:
        return all(column.is_nameless for column in self.pads)

    @property
    def unsure(self) -> int:
        """The number of this player's fields that nobody has checked yet."""
        return sum(len(column.own(column.sheet.unsure)) for column in self.pads)


@dataclass(frozen=True)
class Standing:
    player: PlayerSheet
    is_winner: bool
    breaks_tie: bool  # the tie-breaker decides between this player and another of the same total


class Notice(NamedTuple):
    sentence: Sentence
    places: list[tuple[str, str]]  # (sheet's id, field)


@dataclass(frozen=True)
class PaperGame:
    """The sheets of one game. A review has several when its photos show several games."""

    key: str
    sheets: tuple[ReviewSheet, ...] = ()
    chosen: str = ""  # the game that somebody chose; empty if it follows from the sheets
    is_given: bool = False  # chosen before there was a sheet: nobody is asked again
    is_pending: bool = False
    edits: str = ""  # id of the match in the history that is edited; empty for a new one
    expected: tuple[str, ...] = ()
    wins: str = ""  # the total that wins, "highest" or "lowest", where somebody said so

    @property
    def title(self) -> Sentence | str:
        """The game's title, or that of its sheets while the game is open."""
        return self.game.title if self.game else self.sheets[0].own_paper.title

    @property
    def sheet_name(self) -> str:
        """The kind of the sheets; empty without any."""
        if self.sheets:
            return self.sheets[0].sheet
        chosen = find_game(self.chosen)
        return chosen.sheet.name if chosen else ""

    @property
    def candidates(self) -> tuple[str, ...]:
        """The games that are written on this kind of sheet; on a table those with rounds."""
        name = ANY.sheet.name if self.sheet_name == TABLE.name else self.sheet_name
        return SHEET_GAMES.get(name, ())

    @property
    def played(self) -> str:
        """The game, or empty when it must still be asked for."""
        candidates = self.candidates
        if self.chosen in candidates:
            return self.chosen
        chosen = find_game(self.chosen)
        fits_any = any(GAMES[name].stands_for_any for name in candidates)
        if chosen and not chosen.packages and fits_any:
            return chosen.name
        return candidates[0] if len(candidates) == 1 else ""

    @property
    def game(self) -> Game | None:
        """The game; None while it must still be asked for."""
        return stored_game(self.played) if self.played else None

    @property
    def asks_who_wins(self) -> bool:
        """Whether a ruled table is of any game, and nobody has said who wins in it."""
        return self.sheet_name == TABLE.name and self.game == ANY and not self.wins

    def faults(self, sheet: ReviewSheet) -> tuple[Refusal, ...]:
        """The problems of a sheet, by the rules of its game where that is known."""
        return self.game.problems(sheet.filled) if self.game else sheet.filled.problems

    def problems(self, player: PlayerSheet) -> int:
        count = 0
        for column in player.pads:
            for problem in self.faults(column.sheet):
                count += bool(column.own(problem.fields))
        return count

    @property
    def unsure(self) -> int:
        return sum(len(sheet.unsure) for sheet in self.sheets)

    @property
    def asked(self) -> list[ReviewSheet]:
        """The sheets whose edition nobody has confirmed yet."""
        return [sheet for sheet in self.sheets if sheet.unsure_edition]

    def players(self) -> list[PlayerSheet]:
        """All players with their sheets, or their columns of shared and continued sheets."""
        sharing = self.sheets[0].kind.sharing if self.sheets else None
        if sharing is not None:
            return _columns(self.sheets, sharing)
        return [PlayerSheet((Column(sheet, 0),), sheet.filled) for sheet in self.sheets]

    def undecided(self) -> list[Column]:
        """The columns without an owner: neither named nor marked as anonymous."""
        undecided = []
        for sheet in self.sheets:
            for place in range(sheet.columns):
                column = Column(sheet, place)
                if column.is_open:
                    undecided.append(column)
        return undecided

    def missing(self) -> list[str]:
        """The expected players without a sheet, once all sheets have an owner."""
        if self.is_pending or self.undecided():
            return []
        players = self.players()
        if len(players) >= len(self.expected):
            return []  # somebody else has played instead
        present = {name_key(player.name) for player in players}
        return [name for name in self.expected if name_key(name) not in present]

    def doubles(self) -> list[list[ReviewSheet]]:
        """Groups of sheets that look like one photographed twice, each with the fullest first."""
        groups: list[list[ReviewSheet]] = []
        for sheet in self.sheets:
            for group in groups:
                if sheet.is_like(group[0]) and not sheet.is_distinct:
                    group.append(sheet)
                    break
            else:
                groups.append([sheet])
        return [sorted(group, key=_fullest_first) for group in groups if len(group) > 1]

    def standings(self) -> list[Standing]:
        """All players with their totals so far, the best first.

        There are winners once every sheet has been read and every unsure field looked at, no sheet
        counts twice or is missing, and it is known whose sheets they are.
        """
        players = self.players()
        results = [player.filled.result for player in players]
        won: tuple[bool, ...] = (False,) * len(results)
        if results and self._is_decided():
            won = standings.winners(self.game or GAMES[self.candidates[0]], results)
        ranking = []
        for index in ranked(results, won):
            breaks_tie = _breaks_tie(results[index], results)
            ranking.append(Standing(players[index], won[index], breaks_tie))
        return ranking

    def _is_decided(self) -> bool:
        """Whether nothing that may still change can make another player the winner."""
        if self.unsure or self.is_pending or self.asked or self.asks_who_wins:
            return False
        if self.game is None and any(GAMES[name].stands_for_any for name in self.candidates):
            return False
        if any(sheet.is_blank for sheet in self.sheets):
            return False
        return not (self.doubles() or self.undecided() or self.missing())

    def notices(self) -> Iterator[Notice]:
        if not self.sheets:
            return
        named = [(sheet.display_name(), sheet.filled.sheet) for sheet in self.sheets]
        for conflict in self.sheets[0].kind.conflicts(named):
            places = []
            for index, field in conflict.places:
                places.append((self.sheets[index].id, field))
            yield Notice(conflict.sentence, places)

    def sums_of(self, sheet: ReviewSheet) -> tuple[WrittenSum, ...]:
        """The sums on a sheet's paper that can be held against the counted ones."""
        is_continued = sheet.is_shared and len(self.sheets) > 1
        # The next pad's total may go on from the first one's.
        return () if is_continued else sheet.sums


def _fullest_first(sheet: ReviewSheet) -> tuple[int, int]:
    empty = sum(map(is_empty, sheet.marks.values()))
    return empty - len(sheet.marks), len(sheet.unsure)


def _breaks_tie(result: Result, results: Iterable[Result]) -> bool:
    return any(other.total == result.total and other.tie != result.tie for other in results)


def _columns(sheets: tuple[ReviewSheet, ...], sharing: Sharing[Any]) -> list[PlayerSheet]:
    """The players of shared sheets, in the order of their first columns."""
    # A column of the next pad belongs to the same player if it has the same name, or no name and
    # the same place. A name twice on one pad means two players.
    owners: dict[tuple[str, int], str] = {}
    pads: dict[str, list[Column]] = {}
    named = []
    for sheet in sheets:
        columns: list[str] = []
        for place in range(sheet.columns):
            name = sheet.player(place)
            owner = owners.setdefault((name_key(name), 0 if name else place + 1), str(len(owners)))
            if owner in columns:
                owner = owners.setdefault((name_key(name), place + 1), str(len(owners)))
            columns.append(owner)
            pads.setdefault(owner, []).append(Column(sheet, place))
        named.append(sharing.named(sheet.filled.sheet, columns))
    whole = FilledSheet(sheets[0].kind, reduce(sharing.followed, named))
    players = []
    for owner, part in whole.by_player:
        if not all(column.is_dropped for column in pads[owner]):
            players.append(PlayerSheet(tuple(pads[owner]), part))
    return players
