"""A review of a game that is in the history already: its sheets are changed as those of a photo."""

from __future__ import annotations

from companion.core.refusal import Unusable
from companion.core.sheet import FilledSheet
from companion.games.scoring import filled_sheet
from companion.paper.review import Review
from companion.paper.review_sheet import unique
from companion.tables import FinishedMatch, Refused, Tables


def can_edit(match: FinishedMatch) -> bool:
    """Whether the match's sheets fit into a review: all players have one, on one pad."""
    return match.may_change and _review(match) is not None


def begin(tables: Tables, device: str, match_id: str) -> str:
    """Makes a review of a match's sheets; returns its id.

    Raises:
        Refused: `no-such-play`; `view-only`; `too-many-reviews`.
        Unusable: there are no sheets to change.
    """
    match = tables.history.match(device, match_id)
    if not match.may_change:
        raise Refused("view-only")
    review = _review(match)
    if review is None:
        raise Unusable("This game has no sheets that could be changed one by one.")
    return tables.reviews.make(device, review.dump())


def _review(match: FinishedMatch) -> Review | None:
    """The match as a review; None when it has players without a sheet, or more than one pad."""
    players = [player for player in match.players if not player.is_deleted]
    documents = [player.sheet or {} for player in players]
    if not players or not all("sheet" in document for document in documents):
        return None
    names = [player.name or "" for player in players]
    known = [name for name in names if name]
    review = Review(game=match.game.name, is_given=True, names=known, edits=match.id)
    filled = [filled_sheet(document) for document in documents]
    sharing = match.game.sheet.sharing
    if sharing is not None:
        numbered = unique(name or str(place) for place, name in enumerate(names, start=1))
        columns = (sharing.columns(sheet.sheet)[0] for sheet in filled)
        joined = sharing.of_columns(dict(zip(numbered, columns, strict=True)))
        owned = [(FilledSheet(match.game.sheet, joined), names)]
    else:
        owned = [(sheet, [name]) for sheet, name in zip(filled, names, strict=True)]
    fits = True
    for sheet, owners in owned:
        fits = _add(review, sheet) and fits
        added = review.sheets[-1]
        added.players = list(owners)
        added.nameless = [place for place, name in enumerate(owners) if not name]
    return review if fits else None


def _add(review: Review, filled: FilledSheet) -> bool:
    """Adds a sheet; returns whether all of its marks are on a pad."""
    kind = filled.kind
    added = review.add(kind.name, filled.board)
    written = {name: mark for name, mark in filled.marks.items() if mark is not None}
    added.marks |= {name: mark for name, mark in written.items() if name in added.marks}
    return written.keys() <= added.marks.keys()
