"""A review: sheets as they were read or typed in, looked through before they become games.

A review is plain data, kept as JSON by `tables.photos.reviews`. `paper_game` works out the
consequences of the sheets of one game: totals, winners, contradictions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Self

from companion.core.refusal import Refusal
from companion.core.sheet import EMPTY, Mark
from companion.core.words import N_, Sentence
from companion.games.catalog import KINDS
from companion.games.grid_layout import SHEET as TABLE
from companion.games.others import find_game
from companion.paper.paper_game import PaperGame
from companion.paper.review_sheet import OTHERS_SHOWN, Column, ReviewSheet, base_key
from companion.tables import Refused, Tables
from companion.tables.ledger.names import checked_name, name_key
from companion.vision.core import SheetReading, Trouble
from companion.vision.worker.wire import trouble_document

MOST_SHEETS: Final = 24
MOST_PHOTOS: Final = 24
OTHER_PRINTING: Final = Sentence("This sheet is a different printing. Type it in beside the photo.")


@dataclass
class Photo:
    id: str
    at: int  # the time of the upload, in milliseconds since 1970
    state: str = "waiting"  # `waiting`, `reading`, `read` or `failed`
    # Why pads, or the whole photo, could not be read; each as `wire.trouble_document`
    troubles: list[dict[str, Any]] = field(default_factory=list)
    size: list[int] = field(default_factory=list)  # [width, height] in pixels; empty if not kept
    taken: int = 0  # its time by the camera, in milliseconds since 1970; 0 if unknown

    @property
    def is_pending(self) -> bool:
        return self.state in ("waiting", "reading")

    @property
    def has_picture(self) -> bool:
        """Whether the photo itself is kept: on request, or because a sheet could not be read."""
        return bool(self.size)

    @property
    def kept_name(self) -> str:
        return f"photo-{self.id}"


@dataclass
class Review:
    """Photos and sheets of one game or several, until these are saved."""

    table: str = ""
    game: str = ""  # the game that was chosen; empty if it follows from the sheets
    is_given: bool = False  # chosen before there was a sheet: nobody is asked again
    usual: dict[str, str] = field(default_factory=dict)  # kind of sheet → its game played last
    # Players in seating order. They are offered for sheets of photos, never entered on them.
    names: list[str] = field(default_factory=list)
    keep: bool = False  # keep the photos with the game
    photos: list[Photo] = field(default_factory=list)
    sheets: list[ReviewSheet] = field(default_factory=list)
    counter: int = 0  # sheets ever added, including those that were removed
    chosen: dict[str, str] = field(default_factory=dict)  # key of a game's sheets → the game
    wins: dict[str, str] = field(default_factory=dict)  # the same → the total that wins, if said
    saved: list[str] = field(default_factory=list)  # ids of the games that were saved from it
    edits: str = ""  # id of the match in the history that is edited: that of the first sheet

    @classmethod
    def load(cls, body: Mapping[str, Any]) -> Self:
        """The review from its JSON object, as `dump` makes it, now or in an earlier version."""
        review = cls(**_known(cls, body))
        review.photos = [Photo(**_known(Photo, photo)) for photo in body["photos"]]
        review.sheets = [ReviewSheet(**_known(ReviewSheet, sheet)) for sheet in body["sheets"]]
        return review

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    def sheet(self, sheet_id: str) -> ReviewSheet:
        """The sheet of this id; raises `Refused` when there is none."""
        for sheet in self.sheets:
            if sheet.id == sheet_id:
                return sheet
        raise Refused("no-such-sheet")

    def photo(self, photo_id: str) -> Photo | None:
        """The photo of this id; None if it has been removed meanwhile."""
        return next((photo for photo in self.photos if photo.id == photo_id), None)

    @property
    def cover(self) -> str:
        """The name of its first picture; empty if it has none."""
        for sheet in self.sheets:
            if sheet.has_picture:
                return sheet.picture_name
        for photo in self.photos:
            if photo.has_picture:
                return photo.kept_name
        return ""

    @property
    def is_pending(self) -> bool:
        return any(photo.is_pending for photo in self.photos)

    @property
    def known_names(self) -> dict[str, str]:
        """Key of a name → the name: first the players', then those on the sheets."""
        names = list(self.names)
        for sheet in self.sheets:
            names += sheet.players
        known: dict[str, str] = {}
        for name in filter(None, names):
            known.setdefault(name_key(name), name)
        return known

    # Games

    @property
    def games(self) -> list[PaperGame]:
        """The games in the review, by their first sheets; one without sheets if there is none."""
        groups: dict[str, list[ReviewSheet]] = {}
        for sheet in self.sheets:
            groups.setdefault(sheet.key, []).append(sheet)
        if not groups:
            return [PaperGame("", (), self.game, self.is_given, self.is_pending, self.edits)]
        return [self._game(key, sheets) for key, sheets in groups.items()]

    def _game(self, key: str, sheets: Sequence[ReviewSheet]) -> PaperGame:
        given = self._game_of(sheets[0])
        eldest = min(self.sheets, key=lambda sheet: int(sheet.id))
        is_edited = key == eldest.key and bool(self._game_of(eldest))
        return PaperGame(
            key,
            tuple(sheets),
            self.chosen.get(key) or given or self.usual.get(sheets[0].sheet, ""),
            is_given=self.is_given and bool(given) and key not in self.chosen,
            is_pending=self.is_pending,
            edits=self.edits if is_edited else "",
            expected=tuple(self.names),
            wins=self.wins.get(key, ""),
        )

    def game_with(self, key: str) -> PaperGame:
        """The game of this key, or of the sheet with this id; the first one without either."""
        for sheet in self.sheets:
            if sheet.id == key:
                key = sheet.key
                break
        games = self.games
        for game in games:
            if game.key == key:
                return game
        return games[0]

    def taken_at(self, game: PaperGame) -> int:
        """The time of the last photo of a game's sheets, as `Photo.taken`."""
        used = {sheet.photo for sheet in game.sheets}
        return max((photo.taken for photo in self.photos if photo.id in used), default=0)

    def _game_of(self, sheet: ReviewSheet) -> str:
        """The review's game, if it is written on such a sheet."""
        game = find_game(self.game)
        if game is None:
            return ""
        is_any = game.stands_for_any and sheet.sheet == TABLE.name
        return self.game if is_any or game.sheet.name == sheet.sheet else ""

    def photo_beside(self, sheet: ReviewSheet) -> Photo | None:
        """The photo that is shown while a sheet is typed in."""
        photo = None if sheet.has_picture else self.photo(sheet.photo)
        return photo if photo is not None and photo.has_picture else None

    # Changes

    def add_photos(self, photos: Sequence[Photo], after: Photo | None = None) -> None:
        """Adds photos at the end or after another one; raises `Refused` without room for all."""
        if len(self.photos) + len(photos) > MOST_PHOTOS:
            text = N_("There are already %(most)s photos here. Start again with the others.")
            raise Refused(Refusal("too-many-photos", text, {"most": MOST_PHOTOS}))
        place = len(self.photos) if after is None else self.photos.index(after) + 1
        self.photos[place:place] = photos

    def add(self, sheet: str, board: str, **more: Any) -> ReviewSheet:
        """Adds a sheet in the order of the photos; raises `Refused` above the limit."""
        if len(self.sheets) >= MOST_SHEETS:
            raise Refused("too-many-sheets", most=MOST_SHEETS)
        paper = KINDS[sheet].paper(board)
        self.counter += 1
        marks: dict[str, Mark] = {field.id: EMPTY[field.kind] for field in paper.fields}
        added = ReviewSheet(str(self.counter), sheet, board, **{"marks": marks, **more})
        if added.is_shared and not added.has_picture:
            # Two columns are the least that a game can have.
            added.players = [""] * min(max(len(self.names), 2), added.most_places)
        self.sheets.append(added)
        self.sheets.sort(key=self._place_in_order)
        least = 1
        for each in self.sheets:
            # A number changes only if a sheet was added before it.
            each.number = max(each.number, least)
            least = each.number + 1
        return added

    def _place_in_order(self, sheet: ReviewSheet) -> int:
        """The place of a sheet's photo; sheets without a photo come last."""
        for place, photo in enumerate(self.photos):
            if photo.id == sheet.photo:
                return place
        return len(self.photos)

    def add_empty(self, sheet: str, board: str) -> None:
        """Adds sheets to type in: one for each name, or shared ones; raises `Refused` as `add`."""
        if KINDS[sheet].sharing is not None:
            added = self.add(sheet, board)
            for at, name in enumerate(self.names):
                page, place = divmod(at, added.most_places)
                if page and not place:
                    added = self.add(sheet, board)
                    added.players = []
                added.set_name(place, name)
            return
        for name in self.names or [""]:
            self.add(sheet, board).set_name(0, name)

    def add_reading(self, reading: SheetReading, photo: str) -> ReviewSheet:
        """Adds a sheet that was read from a photo; raises `Refused` as `add`."""
        marks: dict[str, Mark] = {}
        unchecked: dict[str, list[Any]] = {}
        for name, found in reading.fields.items():
            marks[name] = found.value
            if found.others or name in reading.unsure:
                others = []
                for mark, chance in found.others[:OTHERS_SHOWN]:
                    others.append([mark, round(chance, 3)])
                unchecked[name] = [found.value, round(found.confidence, 3), others]
        written: dict[str, list[Any]] = {}
        for blank, number in reading.written.items():
            written[blank] = [number.value, round(number.confidence, 3)]
        printed: dict[str, str] = {}
        for place, name in reading.names.items():
            with suppress(Refused):  # anybody can print a code
                printed[str(place)] = checked_name(self._full_name(name))
        return self.add(
            reading.sheet.kind.name,
            reading.board,
            photo=photo,
            # Columns of two tables have nothing to do with each other.
            group=base_key(TABLE.name, photo) if reading.sheet.kind is TABLE else "",
            edition=reading.edition,
            corners=list(map(list, reading.corners)),
            unsure_edition=reading.unsure_edition,
            has_picture=bool(reading.flat),
            marks=marks,
            unsure=list(reading.unsure),
            read=unchecked,
            written=written,
            by_sums=list(reading.by_sums),
            dashes=list(reading.dashes),
            printed=printed,
        )

    def take_printed(self) -> None:
        """Enters printed names on sheets and columns without one, where they are unique."""
        for game in self.games:
            for sheets in _groups_of_names(game):
                _take_printed(sheets)

    def _full_name(self, name: str) -> str:
        """The only known name with this beginning, if a pad's code cut it; else the name."""
        begun = name.removesuffix("…")
        known = [each for each in self.known_names.values() if each.startswith(begun)]
        return known[0] if begun != name and len(known) == 1 else name

    def refuse_edition(self, sheet_id: str) -> None:
        """Removes a sheet of another printing, which can be typed in beside its photo."""
        sheet = self.sheet(sheet_id)
        if (photo := self.photo(sheet.photo)) is not None:
            trouble = Trouble("unknown-pad", OTHER_PRINTING, sheet=sheet.sheet)
            photo.troubles.append(trouble_document(trouble))
        self.remove(sheet_id)

    def remove(self, sheet_id: str) -> None:
        """Removes a sheet; raises `Refused` when there is none of this id."""
        self.sheets.remove(self.sheet(sheet_id))
        self.take_printed()

    def name_sheet(self, sheet_id: str, place: int, name: str) -> None:
        """Names a sheet, or its column; the sheet that had this name gets the old one."""
        sheet = self.sheet(sheet_id)
        if not 0 <= place < sheet.most_places:
            raise Refused("no-such-sheet")
        before = sheet.player(place)
        alike = (sheet,) if sheet.is_shared else self.game_with(sheet.key).sheets
        for other in alike:
            for at, had in enumerate(other.players):
                if name and name_key(had) == name_key(name):
                    other.set_name(at, before)
        sheet.set_name(place, name)

    def leave_nameless(self, sheet_id: str, place: int) -> None:
        """Marks a sheet, or its column, as anonymous."""
        self.name_sheet(sheet_id, place, "")
        self.sheet(sheet_id).nameless.append(place)

    def move(self, sheet_id: str, key: str) -> None:
        """Moves a sheet to another game of the same kind; an unknown key makes a new game."""
        sheet = self.sheet(sheet_id)
        keys = {other.key for other in self.sheets if other.sheet == sheet.sheet}
        if key not in keys:
            base = base_key(sheet.sheet, sheet.board)
            number = 2
            while f"{base}-{number}" in keys:
                number += 1
            key = f"{base}-{number}"
        sheet.group = key
        keys = _name_keys(sheet)
        for other in self.game_with(key).sheets:
            if other is not sheet and keys & _name_keys(other):
                sheet.set_name(0, "")
        self.take_printed()

    def keep_one(self, kept_id: str, gone_id: str) -> None:
        """Removes one of two sheets that are the same one; names and sums go to the other."""
        kept, gone = self.sheet(kept_id), self.sheet(gone_id)
        kept.written = {**gone.written, **kept.written}
        for place, name in enumerate(gone.players):
            if name and not kept.player(place):
                kept.set_name(place, name)
        self.remove(gone_id)


def _known(kind: type, document: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a document that an earlier or later version of this class also has."""
    return {each.name: document[each.name] for each in fields(kind) if each.name in document}


def _name_keys(sheet: ReviewSheet) -> set[str]:
    return set(map(name_key, filter(None, sheet.players)))


def _groups_of_names(game: PaperGame) -> list[list[ReviewSheet]]:
    """Sheets among which each name occurs once: each shared one, or all of the game."""
    shared = [[sheet] for sheet in game.sheets if sheet.is_shared]
    return shared or [list(game.sheets)]


def _take_printed(sheets: Sequence[ReviewSheet]) -> None:
    keys: Counter[str] = Counter()
    for sheet in sheets:
        keys.update(map(name_key, [*sheet.players, *sheet.printed.values()]))
    for sheet in sheets:
        for place, name in sheet.printed.items():
            is_unique = keys[name_key(name)] == 1
            if is_unique and Column(sheet, int(place)).is_open:
                sheet.set_name(int(place), name)


def load_review(tables: Tables, device: str, review_id: str) -> tuple[int, Review]:
    """The review's version and the review; raises `Refused`: `no-such-review`."""
    version, body = tables.reviews.read(review_id, device)
    return version, Review.load(body)


@contextmanager
def changing_review(tables: Tables, device: str, review_id: str) -> Iterator[Review]:
    """Changes a review and deletes the pictures of its removed sheets; raises as `load_review`."""
    with tables.reviews.changing(review_id, device) as change:
        review = Review.load(change.body)
        gone = {sheet.picture_name for sheet in review.sheets}
        yield review
        gone.difference_update(sheet.picture_name for sheet in review.sheets)
        change.pictures |= dict.fromkeys(gone)
        change.body = review.dump()
