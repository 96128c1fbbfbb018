"""The sheets of one game in a review, and their consequences: totals, winners, contradictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

from companion.core.game import Game
from companion.core.refusal import Refusal
from companion.core.result import ranked
from companion.core.sheet import FilledSheet, Sharing
from companion.core.words import Sentence
from companion.games import standings
from companion.games.catalog import GAMES, SHEET_GAMES
from companion.games.others import ANY, find_game, stored_game
from companion.games.ruled_layout import SHEET as TABLE
from companion.paper.form_marks import is_empty
from companion.paper.review_sheet import ReviewSheet, WrittenSum
from companion.tables.ledger.names import name_key


@dataclass(frozen=True)
class PlayerSheet:
    """The sheet of one player, which may go on on several pads."""

    pads: tuple[tuple[ReviewSheet, int], ...]  # the sheets that show it, with the player's column
    filled: FilledSheet

    @property
    def name(self) -> str:
        """The player's name; empty while it is open, or when it stays so."""
        sheet, place = self.pads[0]
        return sheet.player(place)

    @property
    def called(self) -> str | Sentence:
        sheet, place = self.pads[0]
        return sheet.called(place)

    @property
    def is_nameless(self) -> bool:
        """Whether somebody has said that it stays without a name."""
        return all(place in pad.nameless for pad, place in self.pads)

    @property
    def unsure(self) -> int:
        """Fields of this player that nobody has looked at yet."""
        return sum(pad.place_of(name) == place for pad, place in self.pads for name in pad.unsure)


@dataclass(frozen=True)
class Standing:
    """A player, and what the sheets say so far."""

    player: PlayerSheet
    is_winner: bool
    breaks_tie: bool
    """Whether the tie-breaker decides between this player and another with as many points."""


@dataclass(frozen=True)
class PaperGame:
    """The sheets of one game. A review has several when its photos show several games."""

    key: str
    sheets: tuple[ReviewSheet, ...] = ()
    chosen: str = ""
    """The game that somebody chose; empty if the sheets tell it, or while it is open."""
    is_given: bool = False
    """Whether the game was chosen before there was a sheet, so that nobody needs to be asked."""
    is_pending: bool = False
    edits: str = ""  # the id of the history's match that it changes; empty for a new one
    expected: tuple[str, ...] = ()

    @property
    def title(self) -> Sentence | str:
        """The game's title, or that of its sheets while the game is open."""
        return self.game.title if self.game else self.sheets[0].own_paper.title

    @property
    def sheet_name(self) -> str:
        """The kind of the sheets; empty without any."""
        if self.sheets:
            return self.sheets[0].sheet
        return GAMES[self.chosen].sheet.name if self.chosen in GAMES else ""

    @property
    def candidates(self) -> tuple[str, ...]:
        """The games that are written on this kind of sheet; on a table those with rounds."""
        name = ANY.sheet.name if self.sheet_name == TABLE.name else self.sheet_name
        return SHEET_GAMES.get(name, ())

    @property
    def played(self) -> str:
        """The game, or empty when it must still be asked for."""
        games, chosen = self.candidates, find_game(self.chosen)
        if chosen and not chosen.rooms and any(GAMES[name].stands_for_any for name in games):
            return chosen.name
        return self.chosen if self.chosen in games else games[0] if len(games) == 1 else ""

    @property
    def game(self) -> Game | None:
        """The game; None while it must still be asked for."""
        return stored_game(self.played) if self.played else None

    def faults(self, sheet: ReviewSheet) -> tuple[Refusal, ...]:
        """The problems of a sheet, by the rules of its game where that is known."""
        return self.game.problems(sheet.filled) if self.game else sheet.filled.problems

    def problems(self, player: PlayerSheet) -> int:
        """Problems that concern a field of a player."""
        return sum(
            any(pad.place_of(name) == place for name in problem.fields)
            for pad, place in player.pads
            for problem in self.faults(pad)
        )

    @property
    def unsure(self) -> int:
        return sum(len(sheet.unsure) for sheet in self.sheets)

    @property
    def asked(self) -> list[ReviewSheet]:
        """The sheets of which nobody has said yet that they are what they were read as."""
        return [sheet for sheet in self.sheets if sheet.unsure_edition]

    def players(self) -> list[PlayerSheet]:
        """All players with what they wrote: a sheet each, or columns, also of continued sheets."""
        sharing = self.sheets[0].kind.sharing if self.sheets else None
        if sharing is not None:
            return _columns(self.sheets, sharing)
        return [PlayerSheet(((sheet, 0),), sheet.filled) for sheet in self.sheets]

    def undecided(self) -> list[tuple[ReviewSheet, int]]:
        """The sheets, with the columns, of which nobody has said whose they are."""
        return [
            (sheet, place)
            for sheet in self.sheets
            for place in range(sheet.columns)
            if not sheet.player(place) and place not in sheet.nameless
        ]

    def missing(self) -> list[str]:
        """The expected players without a sheet, once it is known whose the others are."""
        if self.is_pending or self.undecided():
            return []
        players = self.players()
        if len(players) >= len(self.expected):
            return []  # somebody else has played instead
        here = {name_key(player.name) for player in players}
        return [name for name in self.expected if name_key(name) not in here]

    def doubles(self) -> list[list[ReviewSheet]]:
        """Groups of sheets that look like one, photographed again: the fullest one first."""
        groups: list[list[ReviewSheet]] = []
        for sheet in self.sheets:
            alike = (group for group in groups if sheet.is_like(group[0]) and not sheet.is_distinct)
            if group := next(alike, None):
                group.append(sheet)
            else:
                groups.append([sheet])

        def place(sheet: ReviewSheet) -> tuple[int, int]:
            return -sum(not is_empty(mark) for mark in sheet.marks.values()), len(sheet.unsure)

        return [sorted(each, key=place) for each in groups if len(each) > 1]

    def standings(self) -> list[Standing]:
        """All players with their totals so far, the best first.

        There are winners once every sheet has been read and every unsure field looked at, no sheet
        counts twice or is missing, and it is known whose sheets they are.
        """
        players = self.players()
        results = [player.filled.result for player in players]
        won: tuple[bool, ...] = (False,) * len(results)
        is_blank = any(sheet.is_blank for sheet in self.sheets)
        is_open = self.unsure or self.is_pending or is_blank or self.doubles() or self.undecided()
        if results and not (is_open or self.asked or self.missing()):
            won = standings.winners(self.game or GAMES[self.candidates[0]], results)
        ties = [
            any(other.total == result.total and other.tie != result.tie for other in results)
            for result in results
        ]
        return [Standing(players[index], won[index], ties[index]) for index in ranked(results, won)]

    def notices(self) -> Iterator[tuple[Sentence, list[tuple[str, str]]]]:
        """Contradictions between the sheets, each with its places: (sheet's id, field)."""
        if not self.sheets:
            return
        named = [(sheet.called(), sheet.filled.sheet) for sheet in self.sheets]
        for conflict in self.sheets[0].kind.conflicts(named):
            places = [(self.sheets[place].id, name) for place, name in conflict.places]
            yield conflict.sentence, places

    def sums_of(self, sheet: ReviewSheet) -> tuple[WrittenSum, ...]:
        """The sums on a sheet's paper that can be held against the counted ones."""
        is_continued = sheet.is_shared and len(self.sheets) > 1
        # The next pad's total may go on from the first one's.
        return () if is_continued else sheet.sums


def _columns(sheets: tuple[ReviewSheet, ...], sharing: Sharing[Any]) -> list[PlayerSheet]:
    """The players of shared sheets, in the order of their first columns.

    A column of the next pad belongs to the same player if it has the same name, or no name and the
    same place. A name that stands twice on one pad means two players.
    """
    owners: dict[tuple[str, int], str] = {}
    pads: dict[str, list[tuple[ReviewSheet, int]]] = {}
    named = []
    for sheet in sheets:
        columns: list[str] = []
        for place in range(sheet.columns):
            name = sheet.player(place)
            owner = owners.setdefault((name_key(name), 0 if name else place + 1), str(len(owners)))
            if owner in columns:
                owner = owners.setdefault((name_key(name), place + 1), str(len(owners)))
            columns.append(owner)
            pads.setdefault(owner, []).append((sheet, place))
        named.append(sharing.named(sheet.filled.sheet, columns))
    whole = FilledSheet(sheets[0].kind, reduce(sharing.followed, named))
    return [PlayerSheet(tuple(pads[owner]), part) for owner, part in whole.parts]
