"""A review: sheets as they were read or typed in, looked through before they become a game.

A review is plain data, kept as JSON by `tables.reviews`. This module works out its consequences:
totals, winners, contradictions between sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import reduce
from typing import Any, Final, Self

from companion.core.result import Result, ranked
from companion.core.sheet import EMPTY, FilledSheet, Mark, Sharing
from companion.core.words import N_, Sentence
from companion.games import standings
from companion.games.catalog import GAMES, SHEET_GAMES, SHEETS
from companion.paper.sheets import OTHERS_SHOWN, ReviewSheet, WrittenSum
from companion.tables import refusals
from companion.tables.names import name_key
from companion.vision.core import SheetReading

MOST_SHEETS: Final = 16
"""Limit of the sheets in one review."""
MOST_PHOTOS: Final = 24
"""Limit of the photos in one review."""


@dataclass
class Photo:
    """One photo that was sent."""

    id: str
    at: int
    """The time of the upload, in milliseconds since 1970."""
    state: str = "waiting"
    """`waiting`, `reading`, `read` or `failed`."""
    troubles: list[dict[str, Any]] = field(default_factory=list)
    """Why pads, or the whole photo, could not be read; each as `wire.trouble_document`."""
    sheets: int = 0
    size: list[int] = field(default_factory=list)
    """Width and height of the photo as it was taken, if it is kept to be looked at, else empty."""
    process: str = ""
    """The app's process that has it read; see `paper.processes`."""

    @property
    def is_pending(self) -> bool:
        return self.state in ("waiting", "reading")

    @property
    def has_picture(self) -> bool:
        """Whether the photo itself is kept, because of a sheet that was not read or on request."""
        return bool(self.size)

    @property
    def kept_name(self) -> str:
        """The name under which the photo itself is kept."""
        return f"photo-{self.id}"


@dataclass(frozen=True)
class Notice:
    """Something to check that is no problem of a single sheet."""

    sentence: Sentence
    places: tuple[tuple[str, str], ...]
    """(sheet's id, field)."""


@dataclass(frozen=True)
class PlayerSheet:
    """The sheet of one player, which may go on on several pads."""

    name: str
    """The player's name; empty when it is still to be given."""
    number: int
    """The number that stands for a missing name; see `Review.number_of`."""
    pads: tuple[tuple[ReviewSheet, int], ...]
    """The sheets that show it, with the player's column."""
    filled: FilledSheet
    """The sheet with this player's part alone."""

    @property
    def called(self) -> str | Sentence:
        """The name, or which player it is."""
        return self.name or _numbered(self.number)

    @property
    def unsure(self) -> int:
        """Fields of this player that nobody has looked at yet."""
        return sum(pad.place_of(name) == place for pad, place in self.pads for name in pad.unsure)

    @property
    def problems(self) -> int:
        """Problems that concern a field of this player."""
        return sum(
            any(pad.place_of(name) == place for name in problem.fields)
            for pad, place in self.pads
            for problem in pad.filled.problems
        )


@dataclass(frozen=True)
class Standing:
    """A player, and what the sheets say so far."""

    player: PlayerSheet
    is_winner: bool
    breaks_tie: bool
    """Whether the tie-breaker decides between this player and another with as many points."""

    @property
    def name(self) -> str:
        return self.player.name

    @property
    def called(self) -> str | Sentence:
        return self.player.called

    @property
    def result(self) -> Result:
        return self.player.filled.result


@dataclass
class Review:
    """Photos and sheets on their way to one game."""

    table: str = ""
    """The table at which it was made, if any."""
    game: str = ""
    """The game that was chosen; empty if the sheets tell it, or if it is still to be chosen."""
    is_given: bool = False
    """Whether the game was chosen before there was a sheet, so that nobody needs to be asked."""
    names: list[str] = field(default_factory=list)
    """The players who are known beforehand, in seating order."""
    keep: bool = False
    """Whether the photos are to be kept with the game."""
    photos: list[Photo] = field(default_factory=list)
    sheets: list[ReviewSheet] = field(default_factory=list)
    counter: int = 0
    """Sheets ever added, including those that were removed."""

    @classmethod
    def load(cls, body: Mapping[str, Any]) -> Self:
        """The review from its JSON object, as `dump` makes it."""
        return cls(
            **{
                **body,
                "photos": [Photo(**photo) for photo in body["photos"]],
                "sheets": [ReviewSheet(**sheet) for sheet in body["sheets"]],
            }
        )

    def dump(self) -> dict[str, Any]:
        """The review as a JSON object."""
        return asdict(self)

    # Content

    def sheet(self, sheet_id: str) -> ReviewSheet:
        """The sheet of this id; raises `Refused` when there is none."""
        for sheet in self.sheets:
            if sheet.id == sheet_id:
                return sheet
        raise refusals.no_such_sheet()

    def photo(self, photo_id: str) -> Photo | None:
        return next((photo for photo in self.photos if photo.id == photo_id), None)

    @property
    def is_pending(self) -> bool:
        return any(photo.is_pending for photo in self.photos)

    @property
    def sheet_name(self) -> str:
        """The kind of sheet that counts: the game's, or the most frequent one."""
        if self.game in GAMES:
            return GAMES[self.game].sheet.name
        names = [sheet.sheet for sheet in self.sheets]
        return max(names, key=names.count, default="")

    @property
    def games(self) -> tuple[str, ...]:
        """The games that are written on this kind of sheet."""
        return SHEET_GAMES.get(self.sheet_name, ())

    @property
    def played(self) -> str:
        """The game, or empty when it must still be asked for."""
        games = self.games
        return self.game if self.game in games else games[0] if len(games) == 1 else ""

    @property
    def counted(self) -> list[ReviewSheet]:
        """The sheets that count; sheets of other kinds in the photos do not."""
        return [sheet for sheet in self.sheets if sheet.sheet == self.sheet_name]

    @property
    def unsure(self) -> int:
        """Fields that nobody has looked at yet."""
        return sum(len(sheet.unsure) for sheet in self.counted)

    # Consequences

    def players(self) -> list[PlayerSheet]:
        """All players with what they wrote: a sheet each, or the columns of sheets that they share.

        Several shared sheets are a single one that was continued on the next pad.
        """
        sheets = self.counted
        sharing = sheets[0].kind.sharing if sheets else None
        if sharing is not None:
            return _columns(sheets, sharing)
        return [
            PlayerSheet(sheet.player(), self.number_of(sheet), ((sheet, 0),), sheet.filled)
            for sheet in sheets
        ]

    def standings(self) -> list[Standing]:
        """All players with their totals so far, the best first.

        There are winners once every sheet has been read and every unsure field looked at.
        """
        players = self.players()
        results = [player.filled.result for player in players]
        won: tuple[bool, ...] = (False,) * len(results)
        is_blank = any(sheet.is_blank for sheet in self.counted)
        if results and not (self.unsure or self.is_pending or is_blank):
            won = standings.winners(GAMES[self.played or self.games[0]], results)
        ties = [
            any(other.total == result.total and other.tie != result.tie for other in results)
            for result in results
        ]
        return [Standing(players[index], won[index], ties[index]) for index in ranked(results, won)]

    def notices(self) -> Iterator[Notice]:
        """Contradictions between the sheets."""
        sheets = self.counted
        if not sheets:
            return
        named = [(self.name_of(sheet), sheet.filled.sheet) for sheet in sheets]
        for conflict in sheets[0].kind.conflicts(named):
            places = tuple((sheets[place].id, name) for place, name in conflict.places)
            yield Notice(conflict.sentence, places)

    def name_of(self, sheet: ReviewSheet, place: int = 0) -> str | Sentence:
        """The name of the player of a sheet or its column, or which player it is."""
        return sheet.player(place) or _numbered(self.number_of(sheet, place))

    def number_of(self, sheet: ReviewSheet, place: int = 0) -> int:
        """The number that stands in for a missing name, from 1.

        On a shared sheet it counts the columns, else the sheets of the same kind.
        """
        if sheet.is_shared:
            return place + 1
        like = [other.id for other in self.sheets if other.sheet == sheet.sheet]
        return 1 + like.index(sheet.id)

    def sums_of(self, sheet: ReviewSheet) -> tuple[WrittenSum, ...]:
        """The sums on a sheet's paper that can be held against the counted ones."""
        is_continued = sheet.is_shared and len(self.counted) > 1
        # The next pad's total may go on from the first one's.
        return () if is_continued else sheet.sums

    def photo_beside(self, sheet: ReviewSheet) -> Photo | None:
        """The photo from which a sheet is typed in."""
        photo = None if sheet.has_picture else self.photo(sheet.photo)
        return photo if photo is not None and photo.has_picture else None

    def double_of(self, sheet: ReviewSheet) -> ReviewSheet | None:
        """An earlier sheet of another photo with nearly the same marks: photographed twice."""
        for other in self.sheets[: self.sheets.index(sheet)]:
            if other.photo and sheet.photo and other.photo != sheet.photo and sheet.is_like(other):
                return other
        return None

    # Changes

    def add(self, sheet: str, board: str, **more: Any) -> ReviewSheet:
        """Adds a sheet, for the next player without one; raises `Refused` above the limit."""
        if len(self.sheets) >= MOST_SHEETS:
            raise refusals.too_many_sheets(MOST_SHEETS)
        paper = SHEETS[sheet].paper(board)
        self.counter += 1
        marks: dict[str, Mark] = {field.id: EMPTY[field.kind] for field in paper.fields}
        added = ReviewSheet(str(self.counter), sheet, board, **{"marks": marks, **more})
        self.sheets.append(added)
        if added.is_shared:
            added.players = self.names[: added.most_places]
        else:
            added.players = [next(iter(self.free_names(sheet)), "")]
        return added

    def add_empty(self, sheet: str, board: str) -> None:
        """Adds sheets to type in: one for each name, or a shared one; raises `Refused` as `add`."""
        is_shared = SHEETS[sheet].sharing is not None
        for _ in range(1 if is_shared else max(len(self.names), 1)):
            self.add(sheet, board)

    def free_names(self, sheet: str) -> list[str]:
        """The known names that no sheet of this kind has yet."""
        used = {
            name_key(name)
            for other in self.sheets
            if other.sheet == sheet
            for name in other.players
            if name
        }
        return [name for name in self.names if name_key(name) not in used]

    def add_reading(self, reading: SheetReading, photo: str) -> ReviewSheet:
        """Adds a sheet as it was read from a photo."""
        fields = reading.fields
        return self.add(
            reading.sheet.kind.name,
            reading.board,
            photo=photo,
            edition=reading.edition,
            has_picture=bool(reading.flat),
            marks={name: field.value for name, field in fields.items()},
            unsure=list(reading.unsure),
            read={
                name: [
                    field.value,
                    round(field.confidence, 3),
                    [[mark, round(chance, 3)] for mark, chance in field.others[:OTHERS_SHOWN]],
                ]
                for name, field in fields.items()
                if field.others or name in reading.unsure
            },
            written={
                name: [field.value, round(field.confidence, 3)]
                for name, field in reading.written.items()
            },
        )

    def remove(self, sheet_id: str) -> ReviewSheet:
        """Removes a sheet and returns it; raises `Refused` when there is none of this id."""
        gone = self.sheet(sheet_id)
        self.sheets.remove(gone)
        return gone

    def call(self, sheet_id: str, place: int, name: str) -> None:
        """Names a sheet, or its column; a sheet that had this name gets the old one."""
        sheet = self.sheet(sheet_id)
        if not 0 <= place < sheet.most_places:
            raise refusals.no_such_sheet()
        sheet.players += [""] * (place + 1 - len(sheet.players))
        before = sheet.players[place]
        alike = [other for other in self.sheets if other.sheet == sheet.sheet]
        for other in [sheet] if sheet.is_shared else alike:
            for at, had in enumerate(other.players):
                if name and name_key(had) == name_key(name):
                    other.players[at] = before
        sheet.players[place] = name
        if name and name_key(name) not in map(name_key, self.names):
            self.names.append(name)


def _numbered(number: int) -> Sentence:
    return Sentence(N_("Player %(number)s"), {"number": number})


def _columns(sheets: list[ReviewSheet], sharing: Sharing[Any]) -> list[PlayerSheet]:
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
    found = []
    for owner, part in whole.parts:
        first, place = pads[owner][0]
        found.append(PlayerSheet(first.player(place), place + 1, tuple(pads[owner]), part))
    return found
