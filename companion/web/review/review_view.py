"""The values for the templates of a review's pages. Nothing here changes a review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, NamedTuple

from flask_babel import gettext, ngettext

from companion.core.edition import OWN, UNKNOWN
from companion.core.game import Game
from companion.core.refusal import Refusal
from companion.core.sheet import AnySheetKind, Paper
from companion.core.values import LONGEST_TITLE, clean_title
from companion.core.words import N_
from companion.games.catalog import GAMES, SHEETS
from companion.games.editions import find_edition
from companion.games.others import ANY, OtherGame, find_game
from companion.paper.paper_game import PaperGame
from companion.paper.review import MOST_PHOTOS, MOST_SHEETS, Photo, Review
from companion.paper.review_sheet import ReviewSheet
from companion.paper.saving import name_in_words, obstacles
from companion.paper.totals import incomplete
from companion.tables import Refused, Table
from companion.tables.database.columns import from_milliseconds
from companion.tables.ledger.names import name_key
from companion.vision.core import MAX_PHOTO_BYTES, Corners
from companion.vision.worker.wire import trouble_of
from companion.web.page.context import current_tables
from companion.web.page.language import join_names, say
from companion.web.page.security import device
from companion.web.review.naming import naming
from companion.web.review.sheet_view import SheetView

CHECKS_SHOWN: Final = 12  # Limit of the fields to check that a page has; the others follow
# Characters of a name that fit over a column of a shared sheet; a longer one is set narrower
LONGEST_HEADING: Final = 11
# Code of an obstacle → the id of the place on the page where it is removed; else the totals
PLACES: Final[Mapping[str, str]] = {
    "being-read": "reading",
    "edition": "edition-1",
    "no-sheet": "more-title",
    "twice": "twice-1",
    "whose": "whose-title",
    "to-check": "checks-title",
    "missing": "missing-1",
    "which-game": "game-title",
    "which-row": "game-title",
    "who-wins": "game-title",
}
# The codes of troubles that have an example picture
ART: Final = frozenset(
    {"no-sheet", "cut-off", "blurred", "dark", "too-small", "not-flat", "unknown-pad"}
)


class Unread(NamedTuple):
    """Why one sheet of a photo, or the whole photo, could not be read."""

    text: str
    number: int  # the number that marks its place on the picture; 0 without a place
    corners: Corners | None


def review_context(
    review_id: str,
    version: int,
    review: Review,
    asked: str,
    *,
    whose: str = "",
    answered: str = "",
    recent: Callable[[], Sequence[str]] = tuple,
) -> dict[str, Any]:
    """The template's values for the page of a review.

    Args:
        asked: the id of the sheet to show whole, or the key of the game that the page is about.
        whose: the sheet and the column that need a name, such as "2.0".
        answered: the sheet and the field that were just checked, such as "2/yellow.3".
        recent: returns the people of earlier games, those who played last first.
    """
    game = review.game_with(asked)
    shown = _shown(game, asked)
    views = {sheet.id: SheetView(review_id, game, sheet) for sheet in game.sheets}
    taken = review.taken_at(game)
    return {
        "review_id": review_id,
        "version": version,
        "review": review,
        "game": game,
        "taken": from_milliseconds(taken) if taken and not game.edits else None,
        "unsure_editions": [(views[s.id], find_edition(s.sheet, s.edition)) for s in game.asked],
        "shown": shown,
        "here": shown.id if shown else game.key,
        "several_games": review.games if len(review.games) > 1 else [],
        "naming": naming(review, game, views, whose, recent),
        "view": views[shown.id] if shown else None,
        "views": views,
        "beside": review.photo_beside(shown) if shown else None,
        **_standings(game),
        **_checks(game, views, answered),
        "notices": [(say(sentence), places) for sentence, places in game.notices()],
        **_doubles(game),
        "missing": game.missing(),
        "asked_game": _asked_game(game),
        "whole": _whole(review),
        "given": game.game if game.is_given else None,
        **_finish(game, views.values()),
        **_photos(review),
        "printing": _printing(shown),
        **_choices(),
    }


def _checks(game: PaperGame, views: Mapping[str, SheetView], answered: str) -> dict[str, Any]:
    """The fields to check; `answered` as for `review_context`."""
    checks = []
    for view in views.values():
        checks += [(view, view.fields[name]) for name in view.sheet.unsure]
    sheet, _, name = answered.partition("/")
    last = views.get(sheet)
    return {
        "checks": checks[:CHECKS_SHOWN],
        "unsure": game.unsure,
        "answered": (last, last.fields[name]) if last and name in last.fields else None,
    }


def _doubles(game: PaperGame) -> dict[str, Any]:
    """Groups of sheets that look the same, and the ids of all sheets in them."""
    doubles = game.doubles()
    twice: set[str] = set()
    for alike in doubles:
        twice.update(sheet.id for sheet in alike)
    return {"doubles": doubles, "twice": twice}


def _choices() -> dict[str, Any]:
    """What people can choose and type on the page of any review."""
    return {
        "titles": ANY.known_titles,
        "boarded": boarded_sheets(),
        "papers": papers(),
        "any_sheet": ANY.sheet.name,
        "longest_heading": LONGEST_HEADING,
        "longest": LONGEST_TITLE,
    }


def _printing(sheet: ReviewSheet | None) -> str | None:
    """The name that people use for a publisher's printing; None for our own pads."""
    if sheet is None or sheet.edition in (OWN, UNKNOWN):
        return None
    return find_edition(sheet.sheet, sheet.edition).title


def papers() -> Mapping[str, Paper]:
    """Kind of sheet → the pad of its usual board."""
    return {name: sheet.paper(sheet.usual_board) for name, sheet in SHEETS.items()}


def boarded_sheets() -> Mapping[str, AnySheetKind]:
    """The kinds of sheets that have boards to choose from, by name."""
    return {name: kind for name, kind in SHEETS.items() if kind.boards}


def chosen_board(kind: AnySheetKind, form: Mapping[str, str]) -> str:
    """The board that a form chooses for a sheet, or else the usual one."""
    wanted = form.get(f"board.{kind.name}", "")
    return wanted if wanted in kind.boards else kind.usual_board


def _shown(game: PaperGame, asked: str) -> ReviewSheet | None:
    """The sheet that is shown whole: one that was tapped or is typed in, or a table."""
    shown = None
    for sheet in game.sheets:
        if sheet.id == asked:
            return sheet
        if shown is None and (sheet.table or not sheet.has_picture):
            shown = sheet
    return shown


def unread(photo: Photo) -> list[Unread]:
    """The troubles of reading a photo, equal ones together; numbered where they have a place."""
    numbers = count(1)
    found = []
    for trouble in sorted(map(trouble_of, photo.troubles), key=lambda each: say(each.sentence)):
        has_place = photo.has_picture and trouble.corners
        number = next(numbers) if has_place else 0
        found.append(Unread(say(trouble.sentence), number, trouble.corners))
    return found


def _art(photo: Photo) -> str:
    """The code of a trouble that has an example picture, or empty."""
    for trouble in photo.troubles:
        # What was seen is outlined; an example picture without any sheet would not be like it.
        is_seen = trouble["code"] == "no-sheet" and trouble["corners"]
        if trouble["code"] in ART and not is_seen:
            return str(trouble["code"])
    return ""


def _alike(photo: Photo) -> str:
    """The kind of sheet that an unread one looks like: a table may be of any game."""
    troubles = list(map(trouble_of, photo.troubles))
    is_any = any(trouble.code == "no-sheet" for trouble in troubles)
    return next((trouble.sheet for trouble in troubles if trouble.sheet), ANY.sheet.name * is_any)


@dataclass(frozen=True)
class AskedGame:
    """Questions that a game's sheets leave open: which one it is, who wins, what counts."""

    game: PaperGame
    games: Sequence[Game]  # those to choose from; none where the game is given
    tables: Sequence[ReviewSheet]  # ruled tables whose totals or rounds are kept

    @property
    def is_any(self) -> bool:
        """Whether it may be a game that is not among them."""
        return any(GAMES[name].stands_for_any for name in self.game.candidates)

    @property
    def asks_wins(self) -> bool:
        """Whether who wins can be chosen, because the game is not a known one."""
        return self.is_any and (self.game.game is None or self.game.game.stands_for_any)

    @property
    def lowest_wins(self) -> bool | None:
        """Whether the lowest total wins; None while nobody has said."""
        known = None if self.game.asks_who_wins else self.game.game
        return known.lowest_wins if known else None

    @property
    def is_settled(self) -> bool:
        rows = all(
            sheet.table is None or sheet.table.chosen_row is not None for sheet in self.tables
        )
        return bool(self.game.played) and rows and not self.game.asks_who_wins

    @property
    def summary(self) -> str:
        """What was said, in few words."""
        said = [say(self.game.title)]
        if self.asks_wins:
            lowest = gettext("The lowest score wins")
            said.append(lowest if self.lowest_wins else gettext("The highest score wins"))
        for sheet in self.tables:
            row = sheet.table.chosen_row if sheet.table else None
            rounds = gettext("Each row is a round")
            said.append(gettext("Totals of row %(row)s", row=row) if row else rounds)
        return " · ".join(said)


def _whole(review: Review) -> dict[str, str]:
    """Photo that is shown whole → how much of a table was read in it, in words."""
    whole = {}
    for sheet in review.sheets:
        photo = review.photo(sheet.photo)
        if sheet.table and sheet.corners and photo is not None and photo.has_picture:
            size = {"rows": len(sheet.table.values), "columns": len(sheet.table.values[0])}
            whole[photo.id] = gettext("%(rows)s rows and %(columns)s columns read", **size)
    return whole


def _asked_game(game: PaperGame) -> AskedGame | None:
    """The questions about a game; None if its sheets answer them."""
    tables = [sheet for sheet in game.sheets if sheet.table]
    is_any = game.game is not None and game.game.stands_for_any
    is_known = len(game.candidates) < 2 or (game.is_given and not is_any)
    if not game.sheets or (is_known and not tables):
        return None
    games: list[Game] = []
    if not is_known:
        # A table shows no game: none is offered for its size that nobody has played here.
        here = games_here() if not tables else current_tables().history.games(device())
        fitting = [GAMES[name] for name in game.candidates]
        games += [] if tables else fitting
        if any(one.stands_for_any for one in fitting):
            games += [one for one in here if not one.packages or (tables and one in fitting)]
        games += [game.game] if game.game else []
    return AskedGame(game, list(dict.fromkeys(games)), tables)


def chosen_game(form: Mapping[str, str]) -> Game:
    """The game that a form chooses, or that has the typed title, which may be a known one.

    Raises:
        Refused: `no-such-game`; `incomplete`, neither is there, or nobody has said who wins.
    """
    if name := form.get("game", ""):
        game = find_game(name)
        if game is None:
            raise Refused("no-such-game")
        return game
    title = clean_title(form.get("title", ""))
    if title is None:
        text = N_("The game needs a name of up to %(longest)s letters.")
        raise incomplete(text, longest=LONGEST_TITLE).at("title")
    known = None
    for game in games_here():
        if name_key(say(game.title)) == name_key(title):
            known = game
    if known is not None and known.name in GAMES:
        return known
    wins = form.get("wins")
    if known is not None:
        title = known.title
        wins = wins or ("lowest" if known.lowest_wins else "highest")
    elif not wins and (options := ANY.chosen(title, None)):
        own = ANY.known_as({**options, "title": title})
        wins = "lowest" if own and own[1] else "highest"
    if not wins:
        raise incomplete(N_("Say who wins.")).at("wins")
    return OtherGame(title, lowest_wins=wins == "lowest")


def table_of(table_id: str) -> Table | None:
    """The table in the request, if this device may write there; raises `Refused`."""
    if not table_id:
        return None
    table = current_tables().read(table_id, device())
    if table.me.role == "viewer":
        raise Refused("view-only")
    return table


def games_here() -> list[Game]:
    """The games to choose from: those played before, the most played one first, and the others."""
    others = [game for game in GAMES.values() if not game.stands_for_any]
    return list(dict.fromkeys([*current_tables().history.games(device()), *others]))


def obstacle_text(obstacle: Refusal) -> str:
    """The reason why the game cannot be saved yet, in words."""
    count = obstacle.values.get("count")
    if obstacle.code == "whose":
        return ngettext(
            "Say whose sheet it is, or leave it without a name: %(num)s.",
            "Say whose sheets they are, or leave them without names: %(num)s.",
            count,
        )
    if obstacle.code == "to-check":
        return ngettext(
            "%(num)s field still needs checking.", "%(num)s fields still need checking.", count
        )
    return say(obstacle)


def _standings(game: PaperGame) -> dict[str, Any]:
    """The values for the totals so far."""
    standings, winners = [], []
    for standing in game.standings():
        name = name_in_words(standing.player, say)
        standings.append((standing, name))
        if standing.is_winner:
            winners.append(name)
    return {
        "standings": standings,
        "winners": winners,
        "winner_names": join_names(winners) if winners else "",
    }


def _photos(review: Review) -> dict[str, Any]:
    """The values for the photos: how far they are read, and whether more may come."""
    found: dict[str, dict[str, Any]] = {"unread": {}, "art": {}, "alike": {}}
    for photo in review.photos:
        found["unread"][photo.id] = unread(photo)
        found["art"][photo.id] = _art(photo)
        found["alike"][photo.id] = _alike(photo)
    return {
        "numbered": list(enumerate(review.photos, start=1)),
        "troubles": [photo for photo in review.photos if photo.troubles],
        **found,
        "most_bytes": MAX_PHOTO_BYTES,
        "has_room": len(review.photos) < MOST_PHOTOS and len(review.sheets) < MOST_SHEETS,
    }


def _finish(game: PaperGame, views: Iterable[SheetView]) -> dict[str, Any]:
    """The values beside Save: what is left to do, and the wrong sums."""
    differing = sum(not found.is_right for view in views for found in view.sums)
    missing = obstacles(game)
    first = missing[0].code if missing else ""
    return {
        "left": _left_to_do(missing, differing),
        "left_at": PLACES.get(first, "totals-title"),
        "is_unfinished": bool(missing),
    }


def _left_to_do(missing: Sequence[Refusal], differing: int) -> str:
    """The steps before the game is saved, and the wrong sums, in few words."""
    codes = [found.code for found in missing]
    count = {found.code: found.values.get("count", 0) for found in missing}
    doubles = codes.count("twice")
    short = {
        "twice": ngettext("%(num)s sheet twice", "%(num)s sheets twice", doubles),
        "whose": ngettext("%(num)s name", "%(num)s names", count.get("whose", 0)),
        "to-check": ngettext("%(num)s field", "%(num)s fields", count.get("to-check", 0)),
        "which-game": gettext("which game"),
        "which-row": gettext("row with the totals"),
        "who-wins": gettext("who wins"),
    }
    things = [short.get(found.code) or say(found).rstrip(".") for found in missing]
    if differing:
        things.append(ngettext("%(num)s sum differs", "%(num)s sums differ", differing))
    return ", ".join(dict.fromkeys(things))


def field_context(
    review_id: str, review: Review, sheet: ReviewSheet, name: str, asked: str
) -> dict[str, Any]:
    """The template's values for correcting one field; `asked` is as in `review_context`."""
    if name not in sheet.fields:
        raise Refused("no-such-sheet")
    view = SheetView(review_id, review.game_with(sheet.key), sheet)
    here = asked or sheet.id
    return {"review_id": review_id, "view": view, "field": view.fields[name], "here": here}
