"""A finished match as it is saved, and mends: what is changed in it afterwards. Pure.

A mend is a list of differences. It is shown as it stands, and applied again to what a table
says after playing on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal, Self, TypeAlias

from companion.core.game import Game
from companion.core.position import Position
from companion.core.result import Result, ranked, won
from companion.core.values import Document
from companion.games import standings
from companion.games.scoring import filled_sheet
from companion.tables.database.columns import from_milliseconds, new_id, to_milliseconds
from companion.tables.ledger.events import decode, encode
from companion.tables.ledger.names import name_key

Source: TypeAlias = Literal["app", "photo", "typed"]
"""The origin of a match's sheets: played in the app, photographed, or typed in."""

SOURCES: Final[tuple[Source, ...]] = ("app", "photo", "typed")


@dataclass(frozen=True, slots=True)
class Participant:
    """One player of a finished match."""

    name: str | None
    """The name; None when the person was deleted, or not named."""
    total: int | None
    """The total; None when the sheet was deleted with the person, or has impossible numbers."""
    won: bool
    sheet: Document | None
    written: int | None = None
    """The total that the player wrote on the paper, where it is another one."""

    @property
    def is_deleted(self) -> bool:
        """Whether the person was deleted; a player who is not named has a total or a sheet."""
        return self.name is None and self.total is None and self.sheet is None

    @property
    def filled_document(self) -> Document | None:
        """The filled-in sheet; None without one, as in a game that keeps something else."""
        return self.sheet if self.sheet is not None and "sheet" in self.sheet else None

    def document(self) -> Document:
        """The player as a JSON object."""
        document = {"name": self.name, "total": self.total, "won": self.won, "sheet": self.sheet}
        return document if self.written is None else {**document, "written": self.written}

    def is_called(self, key: str) -> bool:
        """Whether the player has a name of this `name_key`."""
        return self.name is not None and name_key(self.name) == key

    def nameless(self) -> Participant:
        """The participant that remains when the person is deleted."""
        return replace(self, name=None, total=None, sheet=None, written=None)

    def named(self, name: str | None) -> Participant:
        """The player with another name, also over the column of a sheet that players share."""
        sheet = self.filled_document
        if name and sheet is not None:
            return replace(self, name=name, sheet=filled_sheet(sheet).named([name]).document)
        return replace(self, name=name)


def encode_players(players: Iterable[Participant]) -> str:
    """The players as JSON, for a row."""
    return encode([player.document() for player in players])


def decode_players(text: str) -> tuple[Participant, ...]:
    """The players of a row."""
    return participants(decode(text))


def participants(documents: Iterable[Document]) -> tuple[Participant, ...]:
    """The players from the objects that `Participant.document` made."""
    return tuple(Participant(**document) for document in documents)


def final_players(position: Position) -> tuple[Participant, ...]:
    """The players of a match that was played in the app, from its last position."""
    winners = position.winners()
    return tuple(
        Participant(name, position.score(name)["total"], name in winners, position.sheet(name))
        for name in position.players
    )


@dataclass(frozen=True, slots=True)
class Item:
    """One difference that a mend makes."""

    what: str
    """`ended`, `name`, `added`, `removed`, `total` or `field`."""
    player: str = ""
    field: str = ""
    """The field's id, of a `field`."""
    before: Any = None
    """A mark, a total, a name, or milliseconds since 1970."""
    after: Any = None
    place: int | None = None
    """The player's index before the mend; None of a player added, and in mends of old databases."""
    sheet: Document | None = None
    """The sheet of a player who is added with one."""

    def document(self) -> Document:
        """The difference as a JSON object."""
        document = asdict(self)
        left_out = [name for name in ("place", "sheet") if document[name] is None]
        return {name: value for name, value in document.items() if name not in left_out}


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMatch:
    """A finished match, wherever it is kept."""

    game: Game
    source: Source
    started_at: datetime | None
    ended_at: datetime
    place: str = ""
    notes: str = ""
    players: tuple[Participant, ...]
    """The players in seating order. Of a match played in the app, the first one started."""
    record: Document | None = None
    """The `companion-record/1` of a match played in the app, while nobody in it is deleted and
    nothing is mended that the actions would contradict."""
    identity: str = field(default_factory=new_id)
    """The same in every copy of the match, whatever is changed in it; see `history.restoring`."""
    changed: int = 0
    """The time of the last change in milliseconds since 1970; 0 when it was never changed."""

    @property
    def ranking(self) -> tuple[Participant, ...]:
        """The players, winners first, then by their totals."""
        totals = [player.total for player in self.players]
        results = [None if total is None else Result(total) for total in totals]
        wins = [player.won for player in self.players]
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

    def columns(self) -> dict[str, Any]:
        """The match as columns of its row."""
        return {
            "game": self.game.name,
            "source": self.source,
            "started_at": None if self.started_at is None else to_milliseconds(self.started_at),
            "ended_at": to_milliseconds(self.ended_at),
            "place": self.place,
            "notes": self.notes,
            "players": encode_players(self.players),
            "record": None if self.record is None else encode(self.record),
            "identity": self.identity,
            "changed_at": self.changed,
        }

    def changed_later(self, now: int) -> Self:
        """The match with a later time of change, also where the clock stands or was put back."""
        return replace(self, changed=max(self.changed + 1, now))

    def differences(self, players: Sequence[Participant], ended_at: datetime) -> list[Item]:
        """The mend after which the match has these players and has ended at this time."""
        before, after = to_milliseconds(self.ended_at), to_milliseconds(ended_at)
        items = [] if before == after else [Item("ended", before=before, after=after)]
        for place, old, new in _pairs(self.players, players):
            items += _player_differences(place, old, new)
        return items

    def mended(self, items: Sequence[Item]) -> Self:
        """The match after a mend; totals and winners follow.

        A difference is passed over where its `before` is not found: the table says something else
        by now, which is newer.
        """
        match, players = self._moved(items), self._mended_players(items)
        if players == list(self.players):
            return match
        names = [player.name for player in players]
        if len(players) == len(self.players) and players == [
            player.named(name) for player, name in zip(self.players, names, strict=True)
        ]:
            return replace(match, players=tuple(players), record=self._renamed_record(names))
        # The record holds every action as it was played.
        return replace(match, players=self._with_winners(players), record=None)

    def _moved(self, items: Sequence[Item]) -> Self:
        """The match at the time of a mend, as long as before."""
        ended = to_milliseconds(self.ended_at)
        for item in items:
            if item.what == "ended" and item.before == ended:
                start = self.started_at
                started = to_milliseconds(start) + item.after - ended if start else 0
                return replace(
                    self,
                    started_at=from_milliseconds(max(started, 0)) if start else None,
                    ended_at=from_milliseconds(item.after),
                )
        return self

    def _mended_players(self, items: Sequence[Item]) -> list[Participant]:
        """The players after a mend: those who stay as they sit, then those who are added."""
        old_names = {item.after: item.before for item in items if item.what == "name"}
        by_place: dict[int | None, list[Item]] = {}
        for item in items:
            name = old_names.get(item.player, item.player)
            place = self._place_of(name) if item.place is None else item.place
            by_place.setdefault(place, []).append(item)
        names = {name_key(player.name) for player in self.players if player.name}
        mended = (
            _mended(self.game, player, by_place.get(place, ()), names)
            for place, player in enumerate(self.players)
        )
        players = [player for player in mended if player is not None]
        present = {name_key(player.name) for player in players if player.name}
        for item in items:
            if item.what == "added" and name_key(item.player) not in present:
                new = Participant(item.player or None, item.after, False, item.sheet)
                players.append(new)
        return players

    def _place_of(self, name: str | None) -> int | None:
        """The index of the player of this name, or of the first one without a name."""
        places = range(len(self.players))
        return next((at for at in places if (self.players[at].name or "") == (name or "")), None)

    def _renamed_record(self, new: Sequence[str | None]) -> Document | None:
        """The record with the players' new names."""
        if self.record is None:
            return None
        names = {player.name: name for player, name in zip(self.players, new, strict=True)}
        actions = [
            {**action, "by": names.get(action["by"], action["by"])} if "by" in action else action
            for action in self.record["actions"]
        ]
        named = [names.get(name, name) for name in self.record["players"]]
        return {**self.record, "players": named, "actions": actions}

    def _with_winners(self, players: Sequence[Participant]) -> tuple[Participant, ...]:
        """The players, with the winners that follow from the sheets now.

        A deleted player who won has no total any more; only somebody who shared that win still has
        it.
        """
        deleted_won = any(player.won and player.is_deleted for player in players)
        if any(not player.is_deleted and player.total is None for player in players):
            return tuple(replace(player, won=False) for player in players)
        results = [self._result(player) for player in players if not player.is_deleted]
        wins = iter(won(results, lowest_wins=self.game.lowest_wins))
        enough = len(players) >= self.game.min_players
        shared = {player.name for player in self.players if player.won}
        return tuple(
            player
            if player.is_deleted
            else replace(
                player, won=enough and next(wins) and (not deleted_won or player.name in shared)
            )
            for player in players
        )

    def _result(self, player: Participant) -> Result:
        if player.sheet is not None:
            return standings.read(self.game, player.sheet).result
        return Result(player.total or 0)


_Pair: TypeAlias = tuple[int | None, Participant | None, Participant | None]
"""The index before, and a player before and after; None on the side where there is none."""


def _pairs(before: Sequence[Participant], after: Sequence[Participant]) -> list[_Pair]:
    """The same players before and after: by name, and those who are left in their order."""
    old = {place: player for place, player in enumerate(before) if not player.is_deleted}
    new = [player for player in after if not player.is_deleted]
    by_key = {name_key(player.name): place for place, player in old.items() if player.name}
    places = [by_key.get(name_key(player.name or "")) for player in new]
    rest = [place for place in old if place not in places]
    if len(rest) == places.count(None):
        left = iter(rest)
        places = [next(left) if place is None else place for place in places]
        rest = []
    pairs: list[_Pair] = []
    for place, player in zip(places, new, strict=True):
        known = None if place is None else old[place]
        if known is not None and _paper(known) != _paper(player):
            pairs += [(place, known, None), (None, None, player)]
        else:
            pairs.append((place, known, player))
    return [*pairs, *((place, old[place], None) for place in rest)]


def _paper(player: Participant) -> tuple[str, str] | None:
    """The kind and the board of a player's sheet; None without one."""
    document = player.filled_document
    if document is None:
        return None
    filled = filled_sheet(document)
    return filled.kind.name, filled.board


def _player_differences(
    place: int | None, before: Participant | None, after: Participant | None
) -> Iterator[Item]:
    if before is None:
        if after is not None:
            sheet = after.filled_document
            yield Item("added", after.name or "", after=after.total, sheet=sheet)
        return
    if after is None:
        yield Item("removed", before.name or "", before=before.total, place=place)
        return
    if before.name != after.name:
        yield Item("name", after.name or "", before=before.name, after=after.name, place=place)
    old, new = _marks(before.filled_document), _marks(after.filled_document)
    for name in dict.fromkeys((*old, *new)):
        if not _is_same(was := old.get(name), now := new.get(name)):
            yield Item("field", after.name or "", name, was, now, place)
    if before.total != after.total:
        yield Item("total", after.name or "", "", before.total, after.total, place)


def _mended(
    game: Game, player: Participant, items: Sequence[Item], names: set[str]
) -> Participant | None:
    """One player after a mend; None when it takes the player out.

    Args:
        names: the keys of all players' names before.
    """
    fields: dict[str, Item] = {}
    for item in items:
        if item.what == "removed":
            return None
        if item.what == "name" and item.before == player.name:
            key = name_key(item.after or "")
            if key not in names or key == name_key(player.name or ""):
                player = player.named(item.after)
        elif item.what == "total" and player.filled_document is None:
            if item.before == player.total:
                player = replace(player, total=item.after, sheet=None)
        elif item.what == "field":
            fields[item.field] = item
    if not fields or (document := player.filled_document) is None:
        return player
    filled = filled_sheet(document)
    marks = dict(filled.marks)
    for name, item in fields.items():
        if _is_same(marks.get(name), item.before):
            marks[name] = item.after
    written = {name: mark for name, mark in marks.items() if mark is not None}
    filled = filled.kind.marked(filled.board, written).named(document.get("players", []))
    kept = standings.kept_sheet(game, filled)
    total = kept.result.total if kept.is_countable else None
    written_total = None if player.written == total else player.written
    return replace(player, total=total, sheet=kept.document, written=written_total)


def _marks(sheet: Document | None) -> Mapping[str, Any]:
    return {} if sheet is None else filled_sheet(sheet).marks


def _is_same(mark: object, other: object) -> bool:
    return mark == other or (_is_empty(mark) and _is_empty(other))


def _is_empty(mark: object) -> bool:
    """Whether nothing is written; the number 0 is something."""
    return mark is None or mark is False or mark == "open"
