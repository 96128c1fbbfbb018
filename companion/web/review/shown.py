"""The values for the templates of a review's pages. Nothing here changes a review."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from flask import url_for
from flask_babel import gettext, ngettext

from companion.core.edition import OWN
from companion.core.sheet import AnySheetKind, Box, Field, Layout, Millimetres, Paper
from companion.core.words import minus
from companion.games.catalog import GAMES, SHEETS
from companion.paper.game import PaperGame
from companion.paper.marks import is_empty, mark_text, possible_marks
from companion.paper.review import MOST_PHOTOS, MOST_SHEETS, Photo, Review
from companion.paper.saving import Obstacle, called, obstacles
from companion.paper.sheets import ReviewSheet
from companion.tables import Refused
from companion.tables.database.times import from_milliseconds
from companion.vision.core import MAX_PHOTO_BYTES, Corners, Trouble
from companion.vision.worker.wire import trouble_of
from companion.web.page.language import join_names, say
from companion.web.page.marks import mark_label
from companion.web.review.games import asked_for, double_views, part_view, part_views
from companion.web.review.keypad import impossible_numbers, keypad, stands
from companion.web.review.naming import naming

CHECKS_SHOWN: Final = 4
"""Limit of the fields to check at a time; more would fill a phone's screen."""
AROUND: Final[tuple[Millimetres, Millimetres]] = (7.0, 4.0)
"""The margins shown beside and above a field that is to be checked."""
LONGEST_HEADING: Final = 11
"""Characters of a name that fit over a column of a shared sheet; a longer one is set narrower."""
FINGER: Final = 44
"""The width and height in pixels that a finger needs to tap a field."""
ART: Final = frozenset(
    {"no-sheet", "cut-off", "blurred", "dark", "too-small", "not-flat", "unknown-pad"}
)
"""The codes of troubles that have an example picture."""


@dataclass(frozen=True)
class MarkChoice:
    """A value that a field may have."""

    value: str
    """The mark as text in a form."""
    label: str
    is_now: bool


@dataclass(frozen=True)
class ReviewField:
    """A field of a sheet on the page. Lengths are millimetres in its drawing."""

    field: Field
    text: str
    """The mark, short enough for the field."""
    state: str
    """`written`, `circled`, `crossed` or `empty`."""
    is_unsure: bool
    is_fixed: bool
    is_wrong: bool
    """Whether a problem concerns it."""
    label: str
    address: str
    toggle: str
    """The mark that a tap sets at once; empty where a tap asks first."""
    impossible: str = ""
    """The numbers that would break a rule here, where numbers are typed one after the other."""


@dataclass(frozen=True)
class Check:
    """A field that somebody should look at."""

    sheet: str
    field: str
    player: str
    label: str
    crop: Box
    picture: str
    size: tuple[Millimetres, Millimetres]
    address: str
    choices: tuple[MarkChoice, ...]
    is_hidden: bool
    """Whether it can hardly be seen in the photo."""
    wrong: tuple[str, ...]
    """The problems of the field, in words."""


@dataclass(frozen=True)
class SumView:
    """A sum on the paper beside the counted one."""

    blank: str
    text: str
    counted: int
    is_right: bool
    box: Box | None
    """Its place on the sheet's picture, if there is one."""


@dataclass(frozen=True)
class PhotoView:
    """A photo to be looked at. Lengths are pixels of the photo as it was taken."""

    id: str
    number: int
    address: str
    size: tuple[int, int]


@dataclass(frozen=True)
class RefusalView:
    """Why one sheet of a photo, or the whole photo, could not be read."""

    text: str
    number: int
    """The number that marks its place on the picture; 0 without a place."""
    corners: Corners | None


@dataclass(frozen=True)
class TroubleView:
    """A photo that shows something that could not be read."""

    photo: str
    number: int
    refused: tuple[RefusalView, ...]
    art: str
    """The code of a trouble that has an example picture, or empty."""
    picture: PhotoView | None


def review_context(
    review_id: str,
    version: int,
    review: Review,
    asked: str,
    *,
    whose: str = "",
    recent: Callable[[], Sequence[str]] = tuple,
) -> dict[str, Any]:
    """The template's values for the page of a review.

    Args:
        asked: the id of the sheet to show. The page is about the game of this sheet.
        whose: the sheet and the column that are to be named, such as "2.0".
        recent: returns the people of earlier games, those who played last first.
    """
    shown = _shown(review, asked)
    game = review.part_of(shown) if shown else review.parts[0]
    taken = review.taken(game)
    standings = game.standings()
    doubles = double_views(game)
    winners = [called(standing.player, say) for standing in standings if standing.is_winner]
    to_check = [(sheet, name) for sheet in game.sheets for name in sheet.unsure]
    return {
        "review_id": review_id,
        "version": version,
        "review": review,
        "game": game,
        "taken": from_milliseconds(taken) if taken and not game.mends else None,
        "shown": shown,
        "parts": part_views(review, game) if len(review.parts) > 1 else [],
        "naming": naming(review_id, review, game, whose, recent),
        "sheet_view": sheet_view(review_id, review, game, shown) if shown else None,
        "tabs": [_tab(game, sheet) for sheet in game.sheets],
        "standings": [(standing, called(standing.player, say)) for standing in standings],
        "twice": {name for double in doubles for name in (double.first, double.again)},
        "winners": winners,
        "winner_names": join_names(winners) if winners else "",
        "checks": [check(review_id, game, sheet, name) for sheet, name in to_check[:CHECKS_SHOWN]],
        "unsure": len(to_check),
        "notices": [(say(notice.sentence), notice.places) for notice in game.notices()],
        "doubles": doubles,
        "pending": [
            (number, photo)
            for number, photo in enumerate(review.photos, start=1)
            if photo.is_pending
        ],
        "troubles": _troubles(review_id, review),
        "games": asked_for(game),
        "given": GAMES[game.played] if game.is_given and game.played else None,
        "obstacles": [obstacle_text(found) for found in obstacles(game)],
        "most_bytes": MAX_PHOTO_BYTES,
        "has_room": len(review.photos) < MOST_PHOTOS and len(review.sheets) < MOST_SHEETS,
        "boarded": boarded_sheets(),
        "papers": papers(),
    }


def papers() -> Mapping[str, Paper]:
    """Kind of sheet → the pad of its usual board."""
    return {name: sheet.paper(sheet.usual_board) for name, sheet in SHEETS.items()}


def _shown(review: Review, asked: str) -> ReviewSheet | None:
    by_id = {sheet.id: sheet for sheet in review.sheets}
    if asked in by_id:
        return by_id[asked]
    unsure = (sheet for sheet in review.parts[0].sheets if sheet.unsure)
    return next(unsure, next(iter(review.sheets), None))


def _tab(game: PaperGame, sheet: ReviewSheet) -> dict[str, Any]:
    name = sheet.paper.title if sheet.is_shared else game.name_of(sheet)
    return {
        "sheet": sheet,
        "number": game.numbers[sheet.id],
        "name": name if isinstance(name, str) else say(name),
        "unsure": len(sheet.unsure),
        "problems": len(sheet.filled.problems),
    }


def _troubles(review_id: str, review: Review) -> list[TroubleView]:
    return [
        _trouble(review_id, review, photo, list(map(trouble_of, photo.troubles)))
        for photo in review.photos
        if photo.troubles
    ]


def _trouble(
    review_id: str, review: Review, photo: Photo, troubles: Sequence[Trouble]
) -> TroubleView:
    numbers = count(1)
    picture = _photo_view(review_id, review, photo) if photo.has_picture else None
    return TroubleView(
        photo=photo.id,
        number=_number_of(review, photo),
        refused=tuple(
            RefusalView(
                say(trouble.sentence),
                next(numbers) if picture and trouble.corners else 0,
                trouble.corners,
            )
            for trouble in troubles
        ),
        art=next((trouble.code for trouble in troubles if trouble.code in ART), ""),
        picture=picture,
    )


def _photo_view(review_id: str, review: Review, photo: Photo) -> PhotoView:
    width, height = photo.size
    address = url_for("review.picture", review_id=review_id, name=photo.kept_name)
    return PhotoView(photo.id, _number_of(review, photo), address, (width, height))


def _number_of(review: Review, photo: Photo) -> int:
    """The photo's number on the page, from 1."""
    return 1 + review.photos.index(photo)


def obstacle_text(obstacle: Obstacle) -> str:
    """The reasons why the game cannot be saved yet, in words."""
    count = obstacle.sentence.values.get("count")
    if obstacle.code == "whose":
        return ngettext(
            "Say whose sheet it is, or leave it without a name: %(num)s.",
            "Say whose sheets they are, or leave them without names: %(num)s.",
            count,
        )
    if obstacle.code == "to-check":
        return ngettext(
            "%(num)s field is to be checked.", "%(num)s fields are to be checked.", count
        )
    return say(obstacle.sentence)


def boarded_sheets() -> Mapping[str, AnySheetKind]:
    """The kinds of sheets that have boards to choose from, by name."""
    return {name: kind for name, kind in SHEETS.items() if kind.boards}


def chosen_board(kind: AnySheetKind, form: Mapping[str, str]) -> str:
    """The board that a form chooses for a sheet, or else the usual one."""
    wanted = form.get(f"board.{kind.name}", "")
    return wanted if wanted in kind.boards else kind.usual_board


def sheet_view(
    review_id: str, review: Review, game: PaperGame, sheet: ReviewSheet
) -> dict[str, Any]:
    """The template's values for one sheet."""
    problems = sheet.filled.problems
    wrong = {name for problem in problems for name in problem.fields}
    paper = sheet.paper
    layout: Layout = sheet.layout
    size = (paper.width, paper.height) if sheet.has_picture else (layout.width, layout.height)
    double = None if sheet.is_distinct else game.double_of(sheet)
    fields = sheet.fields.values()
    impossible = impossible_numbers(sheet)
    others = [part for part in review.parts if part.key != game.key]
    beside = review.photo_beside(sheet)
    return {
        "id": sheet.id,
        "size": size,
        "least_width": least_width(size[0], fields),
        "least_upright": least_width(size[1], fields) if stands(sheet) else 0,
        "keypad": keypad(sheet),
        "longest_heading": LONGEST_HEADING,
        "layout": layout,
        "picture": picture_address(review_id, sheet),
        "fields": [
            _field_view(
                review_id, game, sheet, field, field.id in wrong, impossible.get(field.id, "")
            )
            for field in fields
        ],
        "problems": [(say(problem.refusal), problem.fields) for problem in problems],
        "terms": sheet.terms,
        "total": sheet.filled.result.total,
        "names": sheet.places,
        "player": _whose(game, sheet, 0),
        "sums": _sum_views(game, sheet),
        "beside": _photo_view(review_id, review, beside) if beside else None,
        "is_publishers": sheet.edition != OWN,
        "title": say(paper.title),
        "subtitle": say(paper.subtitle) if paper.subtitle else "",
        "double": _tab(game, double)["name"] if double else "",
        "can_leave": len(game.sheets) > 1,
        "others": [part_view(part, False) for part in others if part.sheet_name == sheet.sheet],
    }


def _sum_views(game: PaperGame, sheet: ReviewSheet) -> list[SumView]:
    boxes = {blank.id: blank.box for blank in sheet.paper.blanks} if sheet.has_picture else {}
    views = []
    for found in game.sums_of(sheet):
        values = {
            "sum": _sum_label(game, sheet, found.blank),
            "written": minus(found.written),
            "counted": minus(found.counted),
        }
        if found.is_right:
            text = gettext("%(sum)s: %(counted)s, as you wrote.", **values)
        elif sheet.unsure:
            text = gettext("%(sum)s: you wrote %(written)s, so far it is %(counted)s.", **values)
        else:
            text = gettext("%(sum)s: you wrote %(written)s, it is %(counted)s.", **values)
        box = boxes.get(found.blank)
        views.append(SumView(found.blank, text, found.counted, found.is_right, box))
    return views


def _sum_label(game: PaperGame, sheet: ReviewSheet, blank: str) -> str:
    captions = {blank.id: blank.caption for blank in sheet.own_paper.blanks}
    caption = captions.get(blank)
    label = say(caption) if caption else gettext("Total")
    label = label[:1].upper() + label[1:]
    if not sheet.is_shared:
        return label
    player = _whose(game, sheet, sheet.place_of_sum(blank))
    return gettext("%(line)s, %(player)s", line=label, player=player)


def least_width(width: Millimetres, fields: Iterable[Field]) -> int:
    """The pixels that a sheet so wide needs on a screen for a finger to tap each of its fields."""
    target = min(min(field.box.width, field.box.height) + field.touch_margin for field in fields)
    return math.ceil(FINGER * width / target)


def picture_address(review_id: str, sheet: ReviewSheet) -> str:
    if not sheet.has_picture:
        return ""
    return url_for("review.picture", review_id=review_id, name=sheet.picture_name)


def field_label(game: PaperGame, sheet: ReviewSheet, field: Field, *, short: bool = False) -> str:
    """The name of a field; `short` where the player stands beside it."""
    sharing = sheet.kind.sharing
    if sharing is None:
        return say(field.name)
    line = say(sharing.line(field.id))
    if short:
        return line
    player = _whose(game, sheet, sharing.place(field.id))
    # Translators: a line of a sheet that players share, and the player: "Round 2, Anna".
    return gettext("%(line)s, %(player)s", line=line, player=player)


def _field_view(
    review_id: str,
    game: PaperGame,
    sheet: ReviewSheet,
    field: Field,
    is_wrong: bool,
    impossible: str,
) -> ReviewField:
    mark = sheet.marks[field.id]
    is_unsure = field.id in sheet.unsure
    state = "empty" if is_empty(mark) else mark if isinstance(mark, str) else "written"
    label = f"{field_label(game, sheet, field)}: {mark_label(field, mark)}"
    if is_unsure:
        label = gettext("%(field)s. To be checked.", field=label)
    return ReviewField(
        field=field,
        text=str(mark) if field.kind in ("number", "digits") and mark is not None else "",
        state=state,
        is_unsure=is_unsure,
        is_fixed=field.id in sheet.fixed,
        is_wrong=is_wrong,
        label=label,
        address=field_address(review_id, sheet, field.id),
        toggle=mark_text(not mark) if field.kind == "cross" and not is_unsure else "",
        impossible=impossible,
    )


def field_address(review_id: str, sheet: ReviewSheet, name: str) -> str:
    return url_for("review.field", review_id=review_id, sheet_id=sheet.id, field_name=name)


def check(review_id: str, game: PaperGame, sheet: ReviewSheet, name: str) -> Check:
    """A field with its likeliest values."""
    field = sheet.fields[name]
    paper = sheet.paper
    box = field.box
    across, down = AROUND
    crop = Box(box.x - across, box.y - down, box.width + 2 * across, box.height + 2 * down)
    return Check(
        sheet=sheet.id,
        field=name,
        player=_whose(game, sheet, sheet.place_of(name)),
        label=field_label(game, sheet, field, short=True),
        crop=crop,
        picture=picture_address(review_id, sheet),
        size=(paper.width, paper.height),
        address=field_address(review_id, sheet, name),
        choices=tuple(
            MarkChoice(mark_text(mark), mark_label(field, mark), mark == sheet.marks[name])
            for mark in sheet.likeliest(name)
        ),
        is_hidden=sheet.is_hidden(name),
        wrong=tuple(
            say(problem.refusal) for problem in sheet.filled.problems if name in problem.fields
        ),
    )


def _whose(game: PaperGame, sheet: ReviewSheet, place: int) -> str:
    name = game.name_of(sheet, place)
    return name if isinstance(name, str) else say(name)


def field_context(review_id: str, review: Review, sheet: ReviewSheet, name: str) -> dict[str, Any]:
    """The template's values for correcting one field."""
    if name not in sheet.fields:
        raise Refused("no-such-sheet")
    field = sheet.fields[name]
    mark = sheet.marks[name]
    return {
        "review_id": review_id,
        "check": check(review_id, review.part_of(sheet), sheet, name),
        "field": field,
        "mark": mark_text(mark),
        "is_unsure": name in sheet.unsure,
        "pad": [
            MarkChoice(mark_text(value), mark_label(field, value), value == mark)
            for value in possible_marks(field)
        ],
    }
