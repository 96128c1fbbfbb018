"""A finished match as it is saved, and what an edit makes of it: the winners follow. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal, Self, TypeAlias

from companion.core.game import Game
from companion.core.position import Position
from companion.core.result import Result, ranked, won
from companion.core.values import Document, clean_name
from companion.games import standings
from companion.games.catalog import SHEETS
from companion.games.others import kept_game
from companion.games.scoring import filled_sheet
from companion.tables.database.columns import essence, from_milliseconds, new_id, to_milliseconds
from companion.tables.ledger.events import decode, encode
from companion.tables.ledger.match import PLAYER_KEYS, Match
from companion.tables.ledger.names import name_key

# The origin of a match's sheets: played in the app, photographed, or typed in
Source: TypeAlias = Literal["app", "photo", "typed"]

SOURCES: Final[tuple[Source, ...]] = ("app", "photo", "typed")


@dataclass(frozen=True, slots=True)
class Participant:
    """One player of a finished match."""

    name: str | None  # the name; None when the person was deleted, or not named
    # The total; None when the sheet was deleted with the person, or has impossible numbers
    total: int | None
    won: bool
    sheet: Document | None
    # The total that the player wrote on the paper, where it is another one
    written: int | None = None

    @property
    def is_deleted(self) -> bool:
        """Whether the person was deleted; a player who is not named has a total or a sheet."""
        return self.name is None and self.total is None and self.sheet is None

    @property
    def filled_document(self) -> Document | None:
        """The filled-in sheet; None without one, as in a game that keeps something else."""
        return self.sheet if self.sheet is not None and "sheet" in self.sheet else None

    def document(self) -> Document:
        document = {"name": self.name, "total": self.total, "won": self.won, "sheet": self.sheet}
        return document if self.written is None else {**document, "written": self.written}

    def has_name(self, key: str) -> bool:
        return self.name is not None and name_key(self.name) == key

    def nameless(self) -> Participant:
        """The participant that remains when the person is deleted."""
        return replace(self, name=None, total=None, sheet=None, written=None)

    def named(self, name: str | None) -> Participant:
        """The player with another name, also over the column of a sheet that players share."""
        sheet = self.filled_document
        if name and sheet is not None and SHEETS[sheet["sheet"]].sharing is not None:
            return replace(self, name=name, sheet=filled_sheet(sheet).named([name]).document)
        return replace(self, name=name)


def encode_players(players: Iterable[Participant]) -> str:
    return encode([player.document() for player in players])


def decode_players(text: str) -> tuple[Participant, ...]:
    return tuple(Participant(**document) for document in json.loads(text))


def final_players(position: Position) -> tuple[Participant, ...]:
    """The players of a match that was played in the app, from its last position."""
    winners = position.winners()
    return tuple(
        Participant(name, position.score(name)["total"], name in winners, position.sheet(name))
        for name in position.players
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMatch:
    """A finished match, wherever it is kept."""

    game: Game
    source: Source
    started_at: datetime | None
    ended_at: datetime
    place: str = ""
    notes: str = ""
    # The players in seating order. Of a match played in the app, the first one started.
    players: tuple[Participant, ...]
    # The `companion-record/1` of a match played in the app as `encode` writes it, while nobody in
    # it is deleted and nothing is edited that the actions would contradict. It is long, so it is
    # read only where it is needed.
    record: str | None = None
    # The same in every copy of the match, even after edits; see `history.restoring`
    identity: str = field(default_factory=new_id)
    # The time of the last change in milliseconds since 1970; 0 when it was never changed
    changed: int = 0
    # The time of the last edit of players or date, which a table that plays on does not overwrite;
    # None without one.
    edited: datetime | None = None

    @classmethod
    def played(cls, match: Match) -> SavedMatch:
        """A table's finished match, ready to be saved."""
        ended = match.ended_at or match.started_at
        return SavedMatch(
            game=kept_game(match.game, match.options_now),
            source="app",
            # A clock may have been put back in the middle of the match.
            started_at=min(match.started_at, ended),
            ended_at=ended,
            players=final_players(match.position),
            record=encode(match.record()),
        )

    @property
    def title(self) -> str:
        """The title of what was played, as its sheets say it."""
        return self.game.title if self._said is None else self.game.title_of(self._said)

    @property
    def variant(self) -> object:
        """The sheets' value of `GameKind.variant_word`; None for the usual one."""
        return None if self._said is None else self._said.get(self.game.variant_word)

    @property
    def _said(self) -> Document | None:
        """The first sheet; None where only totals are known."""
        return next(filter(None, (player.filled_document for player in self.players)), None)

    @property
    def ranking(self) -> tuple[Participant, ...]:
        """The players, winners first, then by their totals."""
        results, wins = [], []
        for player in self.players:
            results.append(None if player.total is None else Result(player.total))
            wins.append(player.won)
        order = ranked(results, wins, lowest_wins=self.game.lowest_wins)
        return tuple(self.players[index] for index in order)

    @property
    def is_unfinished(self) -> bool:
        """Whether the match was ended early: played to its end in the app, it has a winner."""
        return self.source == "app" and not any(player.won for player in self.players)

    @property
    def minutes(self) -> int | None:
        """The match's length, rounded; None when nobody knows when it started."""
        if self.started_at is None:
            return None
        return round((self.ended_at - self.started_at).total_seconds() / 60)

    def has(self, key: str) -> bool:
        return any(player.has_name(key) for player in self.players)

    @property
    def essence(self) -> str:
        """The same in every saving of one match; see `columns.essence`."""
        documents = [player.document() for player in self.players]
        return essence(self.game.name, self.ended_at, documents)

    def columns(self) -> dict[str, Any]:
        return {
            "game": self.game.name,
            "source": self.source,
            "started_at": None if self.started_at is None else to_milliseconds(self.started_at),
            "ended_at": to_milliseconds(self.ended_at),
            "place": self.place,
            "notes": self.notes,
            "players": encode_players(self.players),
            "record": self.record,
            "identity": self.identity,
            "changed_at": self.changed,
            "essence": self.essence,
            "edited_at": None if self.edited is None else to_milliseconds(self.edited),
        }

    def moved(self, ended_at: datetime) -> Self:
        """The match with another end, as long as before."""
        start = self.started_at
        started = start and max(start + (ended_at - self.ended_at), from_milliseconds(0))
        return replace(self, started_at=started, ended_at=ended_at)

    def with_players(self, players: Sequence[Participant]) -> Self:
        """The match with these players; the winners are recomputed; `won` is ignored.

        Only other names leave it its record, which holds every action as it was played.
        """
        if len(players) == len(self.players):
            as_won, renamed = [], []
            for old, new in zip(self.players, players, strict=True):
                as_won.append(replace(new, won=old.won))
                renamed.append(old.named(new.name))
            if as_won == list(self.players):
                return self
            if as_won == renamed:
                record = self._renamed_record([player.name for player in renamed])
                return replace(self, players=tuple(renamed), record=record)
        return replace(self, players=self._with_winners(players), record=None)

    def _renamed_record(self, new: Sequence[str | None]) -> str | None:
        """The record with the players' new names."""
        if self.record is None:
            return None
        names = {old.name: name for old, name in zip(self.players, new, strict=True)}
        record = decode(self.record)
        record["players"] = [names[name] for name in record["players"]]
        for action in record["actions"]:
            for key in PLAYER_KEYS & action.keys():
                action[key] = names.get(clean_name(action[key]), action[key])
        return encode(record)

    def _with_winners(self, players: Sequence[Participant]) -> tuple[Participant, ...]:
        """The players, with the winners that follow from the sheets now."""
        # A deleted player who won has no total left; only somebody who shared that win still
        # has it
        named = [player for player in players if not player.is_deleted]
        if None in [player.total for player in named]:
            return tuple(replace(player, won=False) for player in players)
        shared_win = None  # the names of those who won with a player who is deleted now
        if any(player.won and player.is_deleted for player in players):
            shared_win = {player.name for player in self.players if player.won}
        results = list(map(self._result, named))
        wins = iter(won(results, lowest_wins=self.game.lowest_wins))
        changed: list[Participant] = []
        for player in players:
            if player.is_deleted:
                changed.append(player)
                continue
            is_best = next(wins) and len(players) >= self.game.min_players
            may_win = shared_win is None or player.name in shared_win
            changed.append(replace(player, won=is_best and may_win))
        return tuple(changed)

    def _result(self, player: Participant) -> Result:
        if player.sheet is not None:
            return standings.read(self.game, player.sheet).result
        return Result(player.total or 0)
