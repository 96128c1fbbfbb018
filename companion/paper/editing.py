"""Reviews a game that is already in the history: its sheets are changed like those of a photo."""

from __future__ import annotations

from collections.abc import Sequence

from companion.core.refusal import Unusable
from companion.core.sheet import FilledSheet
from companion.games.scoring import filled_sheet
from companion.paper.review import Review
from companion.paper.review_sheet import unique
from companion.tables import FinishedMatch, Refused, Tables


def can_edit(match: FinishedMatch) -> bool:
    """Whether the match's sheets fit into a review: all players have one, on one pad."""
    return match.may_change and _review_of(match) is not None


def begin(tables: Tables, device: str, match_id: str) -> str:
    """Makes a review of a match's sheets; returns its id.

    Raises:
        Refused: `no-such-play`; `view-only`; `too-many-reviews`.
        Unusable: there are no sheets to change.
    """
    match = tables.history.match(device, match_id)
    if not match.may_change:
        raise Refused("view-only")
    review = _review_of(match)
    if review is None:
        raise Unusable("This game has no sheets that could be changed one by one.")
    return tables.reviews.make(device, review.dump(), once=True)


def _review_of(match: FinishedMatch) -> Review | None:
    """The match as a review; None when it has players without a sheet, or more than one pad."""
    names: list[str] = []
    sheets: list[FilledSheet] = []
    for player in match.players:
        if player.is_deleted:
            continue
        document = player.sheet or {}
        if "sheet" not in document:
            return None
        names.append(player.name or "")
        sheets.append(filled_sheet(document))
    if not sheets:
        return None
    known = list(filter(None, names))
    review = Review(game=match.game.name, is_given=True, names=known, edits=match.id)
    kind = match.game.sheet
    if kind.sharing is not None:
        # A number heads the column of a player without a name.
        headings = unique(name or str(place) for place, name in enumerate(names, start=1))
        columns = [kind.sharing.columns(sheet.sheet)[0] for sheet in sheets]
        joined = kind.sharing.of_columns(dict(zip(headings, columns, strict=True)))
        return review if _add(review, FilledSheet(kind, joined), names) else None
    for sheet, name in zip(sheets, names, strict=True):
        if not _add(review, sheet, [name]):
            return None
    return review


def _add(review: Review, filled: FilledSheet, owners: Sequence[str]) -> bool:
    """Adds a sheet of these players; returns whether all of its marks are on a pad."""
    added = review.add(filled.kind.name, filled.board)
    added.players = list(owners)
    added.nameless = [place for place, name in enumerate(owners) if not name]
    fits = True
    for name, mark in filled.marks.items():
        if mark is None:
            continue
        if name in added.marks:
            added.marks[name] = mark
        else:
            fits = False
    return fits
