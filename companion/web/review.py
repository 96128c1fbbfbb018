"""A review: sheets as they were read or typed in, looked through before they become a game.

Nothing here asks or answers a request. A review is plain data, kept as JSON by `tables.reviews`;
what follows from it (totals, who wins) is worked out anew each time. `written` has a single sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

from companion.core.result import Result
from companion.core.sheet import EMPTY, FilledSheet, Mark
from companion.core.words import N_, Sentence, Word
from companion.games import standings
from companion.games.catalog import GAMES, SHEETS
from companion.tables import refusals
from companion.tables.names import name_key
from companion.vision.core import SheetReading
from companion.web.written import OTHERS_SHOWN, Written, is_empty

SHEET_GAMES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(game.name for game in GAMES.values() if game.sheet.name == name) for name in SHEETS
}
"""Which games are written on a sheet."""

MAX_PHOTO_BYTES: Final = 40 * 1024 * 1024
"""Of one photo, as in `vision.picture`."""
MOST_SHEETS: Final = 16
MOST_PHOTOS: Final = 24
"""Of one review."""
ALIKE: Final = 0.9
"""Two sheets of which so much is the same are one that was photographed twice."""
ENOUGH_TO_COMPARE: Final = 6
"""Marks; fewer may well be the same on two sheets."""


@dataclass
class Photo:
    """One photo that was sent."""

    id: str
    at: int
    """When, in milliseconds since 1970."""
    state: str = "waiting"
    """`waiting`, `reading`, `read` or `failed`."""
    troubles: list[dict[str, Any]] = field(default_factory=list)
    """What was not read, as `wire.trouble_document` says it; why, if the whole photo was not."""
    sheets: int = 0

    @property
    def is_pending(self) -> bool:
        return self.state in ("waiting", "reading")


@dataclass(frozen=True)
class Notice:
    """Something to look at that is no fault of one sheet alone."""

    sentence: Sentence
    places: tuple[tuple[str, str], ...]
    """(sheet's id, field)."""


@dataclass(frozen=True)
class Standing:
    """A player, and what the sheets say so far."""

    name: str
    """Empty when it is still to be given."""
    number: int
    """As `Review.number_of` counts."""
    sheet: str
    """The id of the first sheet that is the player's."""
    total: int
    tie: int
    """See `Result.tie`."""
    unsure: int
    """Fields that nobody has looked at yet."""
    problems: int
    is_winner: bool


@dataclass
class Review:
    """Photos and sheets on their way to one game."""

    table: str = ""
    """The table at which it was made, if any."""
    game: str = ""
    """As chosen; empty where the sheets say it, or nobody has said it yet."""
    is_given: bool = False
    """Whether the game was chosen before there was a sheet, so that nobody needs to be asked."""
    names: list[str] = field(default_factory=list)
    """Who played, as far as it is known beforehand, in their order."""
    keep: bool = False
    """Whether the photos are to be kept with the game."""
    photos: list[Photo] = field(default_factory=list)
    sheets: list[Written] = field(default_factory=list)
    counter: int = 0
    """Of sheets, those included that were removed."""

    @classmethod
    def load(cls, body: Mapping[str, Any]) -> Self:
        return cls(
            **{
                **body,
                "photos": [Photo(**photo) for photo in body["photos"]],
                "sheets": [Written(**sheet) for sheet in body["sheets"]],
            }
        )

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    # What is there

    def sheet(self, sheet_id: str) -> Written:
        """The sheet; raises `Refused`."""
        for one in self.sheets:
            if one.id == sheet_id:
                return one
        raise refusals.no_such_sheet()

    def photo(self, photo_id: str) -> Photo | None:
        return next((photo for photo in self.photos if photo.id == photo_id), None)

    @property
    def is_pending(self) -> bool:
        return any(photo.is_pending for photo in self.photos)

    @property
    def sheet_name(self) -> str:
        """The kind of sheet that is counted: the game's, or that of most sheets."""
        for name, games in SHEET_GAMES.items():
            if self.game in games:
                return name
        names = [one.sheet for one in self.sheets]
        return max(names, key=names.count, default="")

    @property
    def games(self) -> tuple[str, ...]:
        """The games that these sheets may be of."""
        return SHEET_GAMES.get(self.sheet_name, ())

    @property
    def played(self) -> str:
        """The game, or empty when it must still be asked for."""
        games = self.games
        return self.game if self.game in games else games[0] if len(games) == 1 else ""

    @property
    def counted(self) -> list[Written]:
        """The sheets of the game; others in the photos are of another one."""
        return [one for one in self.sheets if one.sheet == self.sheet_name]

    @property
    def unsure(self) -> int:
        """Fields that nobody has looked at yet."""
        return sum(len(one.unsure) for one in self.counted)

    # What follows

    def ranking(self) -> list[Standing]:
        """Every player with the total so far, the best first; winners when all is looked at."""
        rows: dict[tuple[str, int], dict[str, Any]] = {}
        for one in self.counted:
            score = one.score
            totals = list(score["totals"].values()) if one.shares else [score["total"]]
            for place, total in enumerate(totals):
                name = one.players[place] if place < len(one.players) else ""
                # A sheet is one player's; tallies go on on the next pad, with the same columns.
                key = (name_key(name), 0 if name else place + 1)
                if not one.shares:
                    key = (one.id, 0)
                row = rows.setdefault(
                    key,
                    {"name": name, "number": self.number_of(one, place), "sheet": one.id}
                    | {"total": 0, "unsure": 0, "problems": 0},
                )
                row["total"] += total
                row["tie"] = 0 if one.shares else one.filled.result.tie
                row["unsure"] += sum(1 for name in one.unsure if _is_of(name, place, one))
                row["problems"] += sum(
                    any(_is_of(name, place, one) for name in problem.fields)
                    for problem in one.problems
                )
        results = [Result(row["total"], row["tie"]) for row in rows.values()]
        won: tuple[bool, ...] = (False,) * len(results)
        is_blank = any(one.is_blank for one in self.counted)
        if results and not (self.unsure or self.is_pending or is_blank):
            won = standings.winners(GAMES[self.played or self.games[0]], results)
        found = [
            Standing(is_winner=is_winner, **row)
            for row, is_winner in zip(rows.values(), won, strict=True)
        ]
        return sorted(found, key=lambda one: (-one.total, -one.tie, one.number))

    def players(self, call: Callable[[str, int], str]) -> list[tuple[str, FilledSheet]]:
        """Each player with the own sheet; `call` names who has no name yet.

        Several shared sheets are one that went on on the next pad.
        """
        if not any(one.shares for one in self.counted):
            return [(call(one.players[0], self.number_of(one)), one.filled) for one in self.counted]
        whole: FilledSheet | None = None
        for one in self.counted:
            sharing = one.kind.sharing
            assert sharing is not None  # noqa: S101 - for the type checker
            names = [
                call(one.players[place] if place < len(one.players) else "", place + 1)
                for place in range(len(one.document["players"]))
            ]
            sheet = sharing.named(one.filled.sheet, names)
            whole = FilledSheet(one.kind, sharing.followed(whole.sheet, sheet) if whole else sheet)
        return list(whole.parts) if whole else []

    def notices(self) -> Iterator[Notice]:
        """What the sheets say against each other."""
        sheets = self.counted
        if not sheets:
            return
        named = [(self.name_of(one), one.filled.sheet) for one in sheets]
        for conflict in sheets[0].kind.conflicts(named):
            places = tuple((sheets[place].id, name) for place, name in conflict.places)
            yield Notice(conflict.sentence, places)

    def name_of(self, one: Written) -> str | Sentence:
        """The name of a sheet's player, or which sheet it is."""
        if one.players and one.players[0]:
            return one.players[0]
        return Sentence(N_("Player %(number)s"), {"number": self.number_of(one)})

    def number_of(self, one: Written, place: int = 0) -> int:
        """What a player without a name goes by: a tally's column, else the sheet among its like."""
        if one.shares:
            return place + 1
        return 1 + [other.id for other in self.sheets if other.sheet == one.sheet].index(one.id)

    def double_of(self, one: Written) -> Written | None:
        """An earlier sheet that says the same: probably photographed twice."""
        for other in self.sheets[: self.sheets.index(one)]:
            if other.photo and one.photo and other.photo != one.photo and _are_alike(one, other):
                return other
        return None

    # Changes

    def add(self, sheet: str, board: str, **more: Any) -> Written:
        """A new sheet, for the next player that has none yet; raises `Refused`."""
        if len(self.sheets) >= MOST_SHEETS:
            raise refusals.too_many_sheets(MOST_SHEETS)
        kind = SHEETS[sheet]
        self.counter += 1
        fields = kind.paper(board).fields
        marks: dict[str, Mark] = {one.id: EMPTY[one.kind] for one in fields}
        written = Written(str(self.counter), sheet, board, **{"marks": marks, **more})
        self.sheets.append(written)
        if written.shares:
            written.players = self.names[: len(kind.paper(board).names)]
        else:
            written.players = [next(iter(self.free_names(sheet)), "")]
        return written

    def free_names(self, sheet: str) -> list[str]:
        """The names that are known and on no sheet of this kind yet."""
        used = {
            name_key(name)
            for one in self.sheets
            if one.sheet == sheet
            for name in one.players
            if name
        }
        return [name for name in self.names if name_key(name) not in used]

    def add_reading(self, reading: SheetReading, photo: str) -> Written:
        """A sheet as it was read."""
        fields = reading.fields
        return self.add(
            reading.sheet.kind.name,
            reading.board,
            photo=photo,
            has_picture=bool(reading.flat),
            marks={name: one.value for name, one in fields.items()},
            unsure=list(reading.unsure),
            read={
                name: [
                    one.value,
                    round(one.confidence, 3),
                    [[mark, round(chance, 3)] for mark, chance in one.others[:OTHERS_SHOWN]],
                ]
                for name, one in fields.items()
                if one.others or name in reading.unsure
            },
        )

    def remove(self, sheet_id: str) -> Written:
        gone = self.sheet(sheet_id)
        self.sheets.remove(gone)
        return gone

    def call(self, sheet_id: str, place: int, name: str) -> None:
        """Gives a sheet, or a tally's column, to a player; who had that name gets the old one."""
        one = self.sheet(sheet_id)
        seats = len(one.kind.paper(one.board).names)
        if not 0 <= place < seats:
            raise refusals.no_such_sheet()
        one.players += [""] * (place + 1 - len(one.players))
        before = one.players[place]
        alike = [other for other in self.sheets if other.sheet == one.sheet]
        others = [one] if one.shares else alike
        for other in others:
            for at, had in enumerate(other.players):
                if name and name_key(had) == name_key(name):
                    other.players[at] = before
        one.players[place] = name
        if name and name_key(name) not in map(name_key, self.names):
            self.names.append(name)


def _is_of(name: str, place: int, one: Written) -> bool:
    """Whether a field belongs to a column's player."""
    return not one.shares or name.endswith(f".player.{place + 1}")


def _are_alike(one: Written, other: Written) -> bool:
    if (one.sheet, one.board) != (other.sheet, other.board):
        return False
    both = ((one.marks[name], other.marks[name]) for name in one.marks)
    written = [pair for pair in both if not all(map(is_empty, pair))]
    same = sum(left == right for left, right in written)
    return len(written) >= ENOUGH_TO_COMPARE and same >= ALIKE * len(written)


def kept_name(photo: Photo) -> str:
    """The name of the picture that is kept of a photo."""
    return f"photo-{photo.id}"


def board_of(sheet: str, wanted: str) -> str:
    """The board that is wanted, if the sheet has it, or else its first one; "" if it has none."""
    kind = SHEETS[sheet]
    return wanted if wanted in kind.boards else kind.usual_board


def players_wanted(game: str, count: int) -> Sentence | None:
    """Why a game cannot have so many players, if that is so."""
    rules = GAMES[game]
    if rules.min_players <= count <= rules.max_players:
        return None
    text = N_("%(game)s has %(least)s to %(most)s players. Players here: %(count)s.")
    values = {
        "game": Word(rules.title),
        "least": rules.min_players,
        "most": rules.max_players,
        "count": count,
    }
    return Sentence(text, values)
