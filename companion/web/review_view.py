"""What the pages of a review show, made plain for the templates. Nothing here changes a review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import url_for
from flask_babel import gettext, ngettext

from companion.core.game import Game
from companion.core.sheet import Box, Field, Layout, Mark, Millimetres, Paper
from companion.games.catalog import GAMES, SHEETS
from companion.tables import refusals
from companion.tables.names import name_key
from companion.vision.wire import trouble_of
from companion.web.language import join_names, say
from companion.web.review import (
    MAX_PHOTO_BYTES,
    MOST_PHOTOS,
    MOST_SHEETS,
    Review,
    Standing,
    players_wanted,
)
from companion.web.written import Written, is_empty, mark_text

CHECKS_SHOWN: Final = 4
"""Fields to check at a time; more would push all else off a phone's screen."""
AROUND: Final[tuple[Millimetres, Millimetres]] = (7.0, 4.0)
"""What is shown beside and above a field that is to be checked."""
NUMBERS: Final = tuple(range(1, 19))
"""That can be written in Qwinto."""
ART: Final = frozenset(
    {"no-sheet", "cut-off", "blurred", "dark", "too-small", "not-flat", "unknown-pad"}
)
"""Troubles that have an example picture."""


@dataclass(frozen=True)
class Choice:
    """One value that a field may have."""

    value: str
    """As a form says it."""
    label: str
    is_now: bool


@dataclass(frozen=True)
class FieldView:
    """A field of a sheet that is shown. Lengths are millimetres in its drawing."""

    field: Field
    text: str
    """What counts there, short enough for the field."""
    state: str
    """`written`, `circled`, `crossed` or `empty`."""
    is_unsure: bool
    is_fixed: bool
    is_wrong: bool
    """Whether a problem concerns it."""
    label: str
    address: str
    toggle: str
    """What a tap makes of it at once; empty where a tap asks first."""


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
    choices: tuple[Choice, ...]
    wrong: tuple[str, ...]
    """What breaks the rules there, in words."""


@dataclass(frozen=True)
class NameView:
    """Whose a sheet or a column is."""

    place: int
    name: str
    told: str
    """The name, or which player it is."""
    crop: Box | None
    """The line on which the name was written."""
    free: tuple[str, ...]
    """Names that a tap gives it, and that no other sheet has."""
    swaps: tuple[str, ...]
    """Names of other sheets, for photos do not come in the order in which people sit. Sheets that
    are typed in do."""


@dataclass(frozen=True)
class TroubleView:
    photo: str
    number: int
    code: str
    text: str
    art: str


def review_context(review_id: str, version: int, review: Review, asked: str) -> dict[str, Any]:
    """The template's values for the page of a review; `asked` is the sheet to be shown."""
    shown = _shown(review, asked)
    standings = review.ranking()
    winners = [told(one) for one in standings if one.is_winner]
    checks = [check(review_id, review, one, name) for one in review.counted for name in one.unsure]
    return {
        "review_id": review_id,
        "version": version,
        "review": review,
        "shown": shown,
        "sheet_view": sheet_view(review_id, review, shown) if shown else None,
        "tabs": [_tab(review, one) for one in review.sheets],
        "standings": [(one, told(one)) for one in standings],
        "winners": winners,
        "winners_told": join_names(winners) if winners else "",
        "checks": checks[:CHECKS_SHOWN],
        "unsure": len(checks),
        "notices": [(say(notice.sentence), notice.places) for notice in review.notices()],
        "pending": [
            (number, photo)
            for number, photo in enumerate(review.photos, start=1)
            if photo.is_pending
        ],
        "troubles": _troubles(review),
        "games": _asked_for(review),
        "given": GAMES[review.played] if review.is_given and review.played else None,
        "obstacles": obstacles(review, standings),
        "most_bytes": MAX_PHOTO_BYTES,
        "has_room": len(review.photos) < MOST_PHOTOS and len(review.sheets) < MOST_SHEETS,
        "boards": _BOARDS,
        "papers": papers(),
    }


_BOARDS: Final = {name: said for kind in SHEETS.values() for name, said in kind.boards.items()}


def _asked_for(review: Review) -> list[Game]:
    """The games between which somebody has to choose."""
    if len(review.games) < 2 or (review.is_given and review.game in review.games):
        return []
    return [GAMES[name] for name in review.games]


def papers() -> Mapping[str, Paper]:
    """Every kind of sheet by its name, on its usual board."""
    return {name: sheet.paper(sheet.usual_board) for name, sheet in SHEETS.items()}


def _shown(review: Review, asked: str) -> Written | None:
    by_id = {one.id: one for one in review.sheets}
    if asked in by_id:
        return by_id[asked]
    unsure = (one for one in review.counted if one.unsure)
    return next(unsure, next(iter(review.sheets), None))


def told(one: Standing) -> str:
    return one.name or gettext("Player %(number)s", number=one.number)


def _tab(review: Review, one: Written) -> dict[str, Any]:
    name = review.name_of(one)
    if one.shares:
        name = SHEETS[one.sheet].paper(one.board).title
    return {
        "sheet": one,
        "name": name if isinstance(name, str) else say(name),
        "unsure": len(one.unsure),
        "problems": len(one.problems),
        "is_other": one.sheet != review.sheet_name,
    }


def _troubles(review: Review) -> list[TroubleView]:
    found = []
    for number, photo in enumerate(review.photos, start=1):
        for said in photo.troubles:
            trouble = trouble_of(said)
            art = trouble.code if trouble.code in ART else ""
            found.append(TroubleView(photo.id, number, trouble.code, say(trouble.sentence), art))
    return found


def obstacles(review: Review, standings: list[Standing]) -> list[str]:
    """What must be done before the game can be saved, in words."""
    found = []
    if review.is_pending:
        found.append(gettext("A photo is still being read."))
    if not standings:
        found.append(gettext("There is no sheet yet."))
        return found
    if review.unsure:
        found.append(
            ngettext(
                "%(num)s field is to be checked.",
                "%(num)s fields are to be checked.",
                review.unsure,
            )
        )
    blank = next((one for one in review.counted if one.is_blank), None)
    if blank is not None:
        name = _name_view(review, blank, 0).told
        found.append(gettext("Nothing is written on the sheet of %(player)s yet.", player=name))
    if not review.played:
        found.append(gettext("Say which game it was."))
    elif (sentence := players_wanted(review.played, len(standings))) is not None:
        found.append(say(sentence))
    keys = [name_key(told(one)) for one in standings]
    twice = [told(one) for one in standings if keys.count(name_key(told(one))) > 1]
    if twice:
        found.append(gettext("Two sheets have the name %(name)s.", name=twice[0]))
    return found


def sheet_view(review_id: str, review: Review, one: Written) -> dict[str, Any]:
    """The template's values for one sheet."""
    problems = one.problems
    wrong = {name for problem in problems for name in problem.fields}
    paper = one.kind.paper(one.board)
    layout: Layout = paper.layout
    size = (paper.width, paper.height) if one.has_picture else (layout.width, layout.height)
    double = review.double_of(one)
    return {
        "id": one.id,
        "size": size,
        "layout": layout,
        "picture": picture_address(review_id, one),
        "fields": [
            _field_view(review_id, review, one, field, field.id in wrong)
            for field in one.fields.values()
        ],
        "problems": [(say(problem.refusal), problem.fields) for problem in problems],
        "terms": one.terms,
        "total": one.score["total"],
        "names": [_name_view(review, one, place) for place in range(one.columns)],
        "title": say(paper.title),
        "subtitle": say(paper.subtitle) if paper.subtitle else "",
        "is_other": one.sheet != review.sheet_name,
        "double": _tab(review, double)["name"] if double else "",
    }


def picture_address(review_id: str, one: Written) -> str:
    if not one.has_picture:
        return ""
    return url_for("review.picture", review_id=review_id, name=f"sheet-{one.id}")


def _name_view(review: Review, one: Written, place: int) -> NameView:
    name = one.players[place] if place < len(one.players) else ""
    number = review.number_of(one, place)
    paper = one.kind.paper(one.board)
    free = () if one.shares else tuple(review.free_names(one.sheet))
    others = tuple(
        other for other in review.names if other not in free and name_key(other) != name_key(name)
    )
    blanks = {blank.id: blank.box for blank in paper.blanks}
    return NameView(
        place=place,
        name=name,
        told=name or gettext("Player %(number)s", number=number),
        crop=blanks[paper.names[place]] if one.has_picture else None,
        free=free,
        swaps=others if one.has_picture and not one.shares else (),
    )


def field_label(review: Review, one: Written, field: Field, *, short: bool = False) -> str:
    """What a field is called; `short` where the player is said beside it."""
    if not one.shares:
        return say(field.name)
    number = field.id.split(".")[1]
    if short:
        return gettext("Round %(number)s", number=number)
    player = _whose(review, one, field.id)
    return gettext("Round %(round)s, %(player)s", round=number, player=player)


def _field_view(
    review_id: str, review: Review, one: Written, field: Field, is_wrong: bool
) -> FieldView:
    mark = one.marks[field.id]
    is_unsure = field.id in one.unsure
    state = "empty" if is_empty(mark) else mark if isinstance(mark, str) else "written"
    label = f"{field_label(review, one, field)}: {mark_label(field, mark)}"
    if is_unsure:
        label = gettext("%(field)s. To be checked.", field=label)
    return FieldView(
        field=field,
        text=str(mark) if field.kind in ("number", "digits") and mark is not None else "",
        state=state,
        is_unsure=is_unsure,
        is_fixed=field.id in one.fixed,
        is_wrong=is_wrong,
        label=label,
        address=field_address(review_id, one, field.id),
        toggle=mark_text(not mark) if field.kind == "cross" and not is_unsure else "",
    )


def field_address(review_id: str, one: Written, name: str) -> str:
    return url_for("review.field", review_id=review_id, sheet_id=one.id, field_name=name)


def mark_label(field: Field, mark: Mark) -> str:
    """What stands in a field, in words."""
    if field.kind == "cross":
        return gettext("crossed") if mark else gettext("not crossed")
    if field.kind == "value":
        words = {"circled": gettext("circled"), "crossed": gettext("crossed out")}
        return words.get(str(mark), gettext("open"))
    return gettext("empty") if mark is None else str(mark)


def check(review_id: str, review: Review, one: Written, name: str) -> Check:
    """A field with its likeliest values."""
    field = one.fields[name]
    paper = one.kind.paper(one.board)
    box = field.box
    across, down = AROUND
    crop = Box(box.x - across, box.y - down, box.width + 2 * across, box.height + 2 * down)
    return Check(
        sheet=one.id,
        field=name,
        player=_whose(review, one, name),
        label=field_label(review, one, field, short=True),
        crop=crop,
        picture=picture_address(review_id, one),
        size=(paper.width, paper.height),
        address=field_address(review_id, one, name),
        choices=tuple(
            Choice(mark_text(mark), mark_label(field, mark), mark == one.marks[name])
            for mark in one.choices(name)
        ),
        wrong=tuple(say(problem.refusal) for problem in one.problems if name in problem.fields),
    )


def _whose(review: Review, one: Written, name: str) -> str:
    place = int(name.rpartition(".")[2]) - 1 if one.shares else 0
    return _name_view(review, one, place).told


def field_context(review_id: str, review: Review, one: Written, name: str) -> dict[str, Any]:
    """The template's values for correcting one field."""
    if name not in one.marks:
        raise refusals.no_such_sheet()
    field = one.fields[name]
    pads: Mapping[str, list[Mark]] = {
        "cross": [True, False],
        "value": ["open", "circled", "crossed"],
        "number": [*NUMBERS, None],
    }
    mark = one.marks[name]
    return {
        "review_id": review_id,
        "check": check(review_id, review, one, name),
        "field": field,
        "mark": mark_text(mark),
        "is_unsure": name in one.unsure,
        "pad": [
            Choice(mark_text(value), mark_label(field, value), value == mark)
            for value in pads.get(field.kind, [])
        ],
    }
