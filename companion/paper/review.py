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
from companion.games.catalog import GAMES, KINDS
from companion.games.ruled_layout import SHEET as TABLE
from companion.paper.paper_game import PaperGame
from companion.paper.review_sheet import OTHERS_SHOWN, ReviewSheet, base_key
from companion.tables import Refused, Tables
from companion.tables.ledger.names import checked_name, name_key
from companion.vision.core import SheetReading, Trouble
from companion.vision.worker.wire import trouble_document

MOST_SHEETS: Final = 24
MOST_PHOTOS: Final = 24
OTHER_PRINTING: Final = Sentence("This sheet is of another printing. Type it in beside the photo.")


@dataclass
class Photo:
    id: str
    at: int  # the time of the upload, in milliseconds since 1970
    state: str = "waiting"  # `waiting`, `reading`, `read` or `failed`
    troubles: list[dict[str, Any]] = field(default_factory=list)
    """Why pads, or the whole photo, could not be read; each as `wire.trouble_document`."""
    size: list[int] = field(default_factory=list)
    """Width and height of the photo as it was taken, if it is kept to be looked at, else empty."""
    taken: int = 0
    """The time at which it was taken, in milliseconds since 1970; 0 when nobody knows."""

    @property
    def is_pending(self) -> bool:
        """Whether it still waits or is being read."""
        return self.state in ("waiting", "reading")

    @property
    def has_picture(self) -> bool:
        """Whether the photo itself is kept, because of a sheet that was not read or on request."""
        return bool(self.size)

    @property
    def kept_name(self) -> str:
        return f"photo-{self.id}"


@dataclass
class Review:
    """Photos and sheets on their way to a game, or to several."""

    table: str = ""
    game: str = ""
    """The game that was chosen; empty if the sheets tell it, or if it is still to be chosen."""
    is_given: bool = False
    """Whether the game was chosen before there was a sheet, so that nobody needs to be asked."""
    usual: dict[str, str] = field(default_factory=dict)
    """Kind of sheet that games share → the one of them that was played last."""
    names: list[str] = field(default_factory=list)
    """The players who are known beforehand, in seating order. They are offered for sheets that
    come from photos, never laid on them."""
    keep: bool = False  # whether the photos are to be kept with the game
    photos: list[Photo] = field(default_factory=list)
    sheets: list[ReviewSheet] = field(default_factory=list)
    counter: int = 0  # sheets ever added, including those that were removed
    chosen: dict[str, str] = field(default_factory=dict)
    """Key of a game's sheets → the game that was chosen for them."""
    saved: list[str] = field(default_factory=list)
    """The ids of the games that were saved from it already."""
    edits: str = ""
    """The match of the history that it changes: the game of its first added sheet; else empty."""

    @classmethod
    def load(cls, body: Mapping[str, Any]) -> Self:
        """The review from its JSON object, as `dump` makes it, now or in an earlier version."""
        review = cls(**_known(cls, body))
        review.photos = [Photo(**_known(Photo, photo)) for photo in body["photos"]]
        review.sheets = [ReviewSheet(**_known(ReviewSheet, sheet)) for sheet in body["sheets"]]
        return review

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    # Content

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
        """The name of its first picture; empty where it has none."""
        names = [sheet.picture_name for sheet in self.sheets if sheet.has_picture]
        names += [photo.kept_name for photo in self.photos if photo.has_picture]
        return names[0] if names else ""

    @property
    def is_pending(self) -> bool:
        return any(photo.is_pending for photo in self.photos)

    @property
    def known_names(self) -> dict[str, str]:
        """Key of a name → the name: those known beforehand, then those on the sheets."""
        on_sheets = (name for sheet in self.sheets for name in sheet.players if name)
        known: dict[str, str] = {}
        for name in (*self.names, *on_sheets):
            known.setdefault(name_key(name), name)
        return known

    # Games

    @property
    def parts(self) -> list[PaperGame]:
        """The games in the review, by their first sheets; one without sheets if there is none."""
        found: dict[str, list[ReviewSheet]] = {}
        for sheet in self.sheets:
            found.setdefault(sheet.key, []).append(sheet)
        if not found:
            return [PaperGame("", (), self.game, self.is_given, self.is_pending, self.edits)]
        eldest = min(self.sheets, key=lambda sheet: int(sheet.id))
        edited = eldest.key if self.edits and self._game_of(eldest) else None
        return [
            PaperGame(
                key,
                tuple(sheets),
                self.chosen.get(key)
                or self._game_of(sheets[0])
                or self.usual.get(sheets[0].sheet, ""),
                self.is_given and key not in self.chosen and bool(self._game_of(sheets[0])),
                self.is_pending,
                self.edits if key == edited else "",
                tuple(self.names),
            )
            for key, sheets in found.items()
        ]

    def part(self, key: str) -> PaperGame:
        """The game of this key, or of the sheet with this id; the first one without either."""
        key = next((sheet.key for sheet in self.sheets if sheet.id == key), key)
        return next((part for part in self.parts if part.key == key), self.parts[0])

    def taken(self, game: PaperGame) -> int:
        """The time of the last photo of a game's sheets; 0 when no phone has told it."""
        used = {sheet.photo for sheet in game.sheets}
        return max((photo.taken for photo in self.photos if photo.id in used), default=0)

    def _game_of(self, sheet: ReviewSheet) -> str:
        """The review's game, if it is written on such a sheet."""
        fits = self.game in GAMES and GAMES[self.game].sheet.name == sheet.sheet
        return self.game if fits else ""

    def photo_beside(self, sheet: ReviewSheet) -> Photo | None:
        """The photo from which a sheet is typed in."""
        photo = None if sheet.has_picture else self.photo(sheet.photo)
        return photo if photo is not None and photo.has_picture else None

    # Changes

    def add_photos(self, photos: Sequence[Photo], after: Photo | None = None) -> None:
        """Adds photos at the end or after another one; raises `Refused` without room for all."""
        if len(self.photos) + len(photos) > MOST_PHOTOS:
            text = N_("There are %(most)s photos here already. Start anew with the others.")
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
            # Only what comes before another one moves it.
            each.number = max(each.number, least)
            least = each.number + 1
        return added

    def _place_in_order(self, sheet: ReviewSheet) -> int:
        """The place of a sheet's photo; sheets without a photo come last."""
        ids = [photo.id for photo in self.photos]
        return ids.index(sheet.photo) if sheet.photo in ids else len(ids)

    def add_empty(self, sheet: str, board: str) -> None:
        """Adds sheets to type in: one for each name, or a shared one; raises `Refused` as `add`."""
        if KINDS[sheet].sharing is not None:
            added = self.add(sheet, board)
            for place, name in enumerate(self.names[: added.most_places]):
                added.call(place, name)
            return
        for name in self.names or [""]:
            self.add(sheet, board).call(0, name)

    def add_reading(self, reading: SheetReading, photo: str) -> ReviewSheet:
        fields = reading.fields
        printed = {}
        for place, name in reading.names.items():
            with suppress(Refused):  # anybody can print a code
                printed[str(place)] = checked_name(self._whole(name))
        return self.add(
            reading.sheet.kind.name,
            reading.board,
            photo=photo,
            # Columns of two tables have nothing to do with each other.
            group=base_key(TABLE.name, photo) if reading.sheet.kind is TABLE else "",
            edition=reading.edition,
            unsure_edition=reading.unsure_edition,
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
            by_sums=list(reading.by_sums),
            printed=printed,
        )

    def take_printed(self) -> None:
        """Gives sheets and columns without a name the printed one, where no other has the same."""
        for part in self.parts:
            shared = [[sheet] for sheet in part.sheets if sheet.is_shared]
            for sheets in shared or [[*part.sheets]]:
                names = [name for sheet in sheets for name in sheet.players]
                printed = [
                    (sheet, int(place), name)
                    for sheet in sheets
                    for place, name in sheet.printed.items()
                ]
                keys = Counter(map(name_key, [*names, *(name for _, _, name in printed)]))
                for sheet, place, name in printed:
                    is_open = not sheet.player(place) and place not in sheet.nameless
                    if is_open and keys[name_key(name)] == 1:
                        sheet.call(place, name)

    def _whole(self, name: str) -> str:
        """The only known name of which a pad's code has the beginning; else the name itself."""
        begun = name.removesuffix("…")
        known = [each for each in self.known_names.values() if each.startswith(begun)]
        return known[0] if begun != name and len(known) == 1 else name

    def refuse_edition(self, sheet_id: str) -> None:
        """Says that a sheet is of another printing: it can be typed in beside its photo."""
        sheet = self.sheet(sheet_id)
        if (photo := self.photo(sheet.photo)) is not None:
            trouble = Trouble("unknown-pad", OTHER_PRINTING, sheet=sheet.sheet)
            photo.troubles.append(trouble_document(trouble))
        self.remove(sheet_id)

    def remove(self, sheet_id: str) -> None:
        """Removes a sheet; raises `Refused` when there is none of this id."""
        self.sheets.remove(self.sheet(sheet_id))
        self.take_printed()

    def call(self, sheet_id: str, place: int, name: str) -> None:
        """Names a sheet, or its column; the sheet that had this name gets the old one."""
        sheet = self.sheet(sheet_id)
        if not 0 <= place < sheet.most_places:
            raise Refused("no-such-sheet")
        before = sheet.player(place)
        alike = (sheet,) if sheet.is_shared else self.part(sheet.key).sheets
        for other in alike:
            for at, had in enumerate(other.players):
                if name and name_key(had) == name_key(name):
                    other.call(at, before)
        sheet.call(place, name)

    def leave_nameless(self, sheet_id: str, place: int) -> None:
        """Says that a sheet, or its column, stays without a name."""
        self.call(sheet_id, place, "")
        self.sheet(sheet_id).nameless.append(place)

    def move(self, sheet_id: str, key: str) -> None:
        """Puts a sheet to another game of the same kind; an unknown key makes one of its own."""
        sheet = self.sheet(sheet_id)
        keys = {other.key for other in self.sheets if other.sheet == sheet.sheet}
        if key not in keys:
            base = base_key(sheet.sheet, sheet.board)
            number = 2
            while f"{base}-{number}" in keys:
                number += 1
            key = f"{base}-{number}"
        sheet.group = key
        names = [name_key(name) for name in sheet.players if name]
        for other in self.part(key).sheets:
            if other is not sheet and any(name_key(name) in names for name in other.players):
                sheet.call(0, "")
        self.take_printed()

    def keep_one(self, kept_id: str, gone_id: str) -> None:
        """Removes one of two sheets that are the same one; names and sums go to the other."""
        kept, gone = self.sheet(kept_id), self.sheet(gone_id)
        kept.written = {**gone.written, **kept.written}
        for place, name in enumerate(gone.players):
            if name and not kept.player(place):
                kept.call(place, name)
        self.remove(gone_id)


def _known(kind: type, document: Mapping[str, Any]) -> dict[str, Any]:
    return {each.name: document[each.name] for each in fields(kind) if each.name in document}


# Kept by the tables


def load_review(tables: Tables, device: str, review_id: str) -> tuple[int, Review]:
    """The review's version and the review; raises `Refused`: `no-such-review`."""
    version, body = tables.reviews.read(review_id, device)
    return version, Review.load(body)


@contextmanager
def changing_review(tables: Tables, device: str, review_id: str) -> Iterator[Review]:
    """Changes a review and deletes the pictures of its removed sheets; raises as `load_review`."""
    with tables.reviews.changing(review_id, device) as change:
        review = Review.load(change.body)
        before = {sheet.picture_name for sheet in review.sheets}
        yield review
        after = {sheet.picture_name for sheet in review.sheets}
        change.pictures |= dict.fromkeys(before - after)
        change.body = review.dump()
