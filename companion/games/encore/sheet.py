"""One player's Encore! sheet: crosses and claims, problems and score.

It knows no dice and no other player; who was first is written on the sheet as a claim. Source: the
rule text of Encore!; the printed boards are in `boards.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Self, TypeAlias, TypeGuard

from companion.core.refusal import Conflict, Problem, Refusal, Unusable
from companion.core.result import Result
from companion.core.values import Document, is_huge, is_whole
from companion.core.words import N_, Sentence
from companion.games.encore.boards import (
    BOARDS,
    BOXES,
    BY_COLUMN,
    COLOR_WORDS,
    COLORS,
    COLUMNS,
    FIRST_COLOR_POINTS,
    FIRST_POINTS,
    JOKERS,
    LATER_COLOR_POINTS,
    LATER_POINTS,
    NEIGHBORS,
    STAR_POINTS,
    START_COLUMN,
    Board,
    Boxes,
    BoxName,
    Color,
    Column,
    clump,
)

Claim: TypeAlias = Literal["first", "later"]
"""The circled one of a column's or colour's two values."""

Claims: TypeAlias = tuple[tuple[str, Claim], ...]
"""Columns, or colours, with their claims, in the sheet's order."""

JOKERS_LEFT: Final = Sentence("Jokers left")

COLORS_TO_END: Final = 2
"""The second colour bonus of one player ends the game."""


@dataclass(frozen=True)
class EncoreSheet:
    """One player's filled-in sheet."""

    board_name: str
    crossed: tuple[BoxName, ...] = ()
    """The boxes in the order in which they were crossed."""
    jokers_used: int = 0
    columns: Claims = ()
    colors: Claims = ()

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public sheet document.

        Raises:
            Unusable: an unknown board, unknown or repeated boxes, claims of another shape, or a
                `jokers_used` that is no whole number.
        """
        name = document.get("board", next(iter(BOARDS)))
        if not isinstance(name, str) or name not in BOARDS:
            raise Unusable(f"'board' must be one of: {', '.join(BOARDS)}.")
        crossed = document.get("crossed")
        if not isinstance(crossed, list) or not all(_is_box(box) for box in crossed):
            raise Unusable("'crossed' must be a list of boxes from A1 to O7.")
        if len(set(crossed)) < len(crossed):
            raise Unusable("'crossed' must not name a box twice.")
        jokers_used = document.get("jokers_used", 0)
        if not is_whole(jokers_used):
            raise Unusable("'jokers_used' must be a whole number.")
        if is_huge(jokers_used):
            raise Unusable("'jokers_used' is a number that nobody can have written.")
        return cls(
            board_name=name,
            crossed=tuple(crossed),
            jokers_used=jokers_used,
            columns=_claims(document, "columns", COLUMNS),
            colors=_claims(document, "colors", COLORS),
        )

    @property
    def board(self) -> Board:
        """The printed board."""
        return BOARDS[self.board_name]

    @property
    def jokers_left(self) -> int:
        """The exclamation marks that are not used."""
        return JOKERS - self.jokers_used

    @property
    def full_columns(self) -> tuple[Column, ...]:
        """The columns in which every box is crossed."""
        crossed = frozenset(self.crossed)
        return tuple(column for column in COLUMNS if BY_COLUMN[column] <= crossed)

    @property
    def full_colors(self) -> tuple[Color, ...]:
        """The colours of which every box is crossed."""
        crossed = frozenset(self.crossed)
        return tuple(color for color in COLORS if self.board.by_color[color] <= crossed)

    def cross(self, boxes: Iterable[BoxName], jokers: int) -> EncoreSheet:
        """The sheet with these crosses and exclamation marks; nothing is checked, see `refusal`."""
        return replace(self, crossed=(*self.crossed, *boxes), jokers_used=self.jokers_used + jokers)

    def claim(self, columns_taken: frozenset[str], colors_taken: frozenset[str]) -> EncoreSheet:
        """The sheet with every full column and colour claimed.

        Args:
            columns_taken: columns whose higher value another player has claimed before.
            colors_taken: colours whose higher bonus another player has claimed before.
        """
        return replace(
            self,
            columns=_claimed(self.columns, self.full_columns, columns_taken),
            colors=_claimed(self.colors, self.full_colors, colors_taken),
        )

    def document(self) -> Document:
        """The public sheet document."""
        return {
            "sheet": "encore",
            "board": self.board_name,
            "crossed": list(self.crossed),
            "jokers_used": self.jokers_used,
            "columns": dict(self.columns),
            "colors": dict(self.colors),
        }

    def score(self) -> Document:
        """The score object of the public interface."""
        columns, colors = dict(self.columns), dict(self.colors)
        crossed = frozenset(self.crossed)
        points = {
            "colors": sum(
                FIRST_COLOR_POINTS if colors.get(color) == "first" else LATER_COLOR_POINTS
                for color in self.full_colors
            ),
            "columns": sum(
                (FIRST_POINTS if columns.get(column) == "first" else LATER_POINTS)[column]
                for column in self.full_columns
            ),
            "jokers": self.jokers_left,
            "stars": STAR_POINTS * len(self.board.stars - crossed),
        }
        return {**points, "total": sum(points.values())}

    def result(self) -> Result:
        """The total; a tie goes to more unused jokers, then it is shared."""
        return Result(self.score()["total"], self.jokers_left, JOKERS_LEFT)

    def problems(self) -> tuple[Problem, ...]:
        """Every fault of a filled-in sheet: all of them, not the first."""
        return (*_columns_askew(self), *_colors_askew(self), *_unreachable(self), *_jokers(self))


def _claimed(claims: Claims, full: tuple[str, ...], taken: frozenset[str]) -> Claims:
    had = dict(claims)
    return tuple((name, had.get(name) or ("later" if name in taken else "first")) for name in full)


def boxes_to_end(sheet: EncoreSheet) -> int:
    """The fewest boxes that, once crossed, end the game."""
    crossed = frozenset(sheet.crossed)
    missing = sorted(len(boxes - crossed) for boxes in sheet.board.by_color.values())
    return sum(missing[:COLORS_TO_END])


def is_finished(sheet: EncoreSheet) -> bool:
    """Whether this sheet ends the game: all boxes of two colours are crossed."""
    return len(sheet.full_colors) >= COLORS_TO_END


def _columns_askew(sheet: EncoreSheet) -> Iterator[Problem]:
    claims = dict(sheet.columns)
    for column in COLUMNS:
        values: dict[str, object] = {"column": column}
        texts = (
            N_("Column %(column)s is circled, but not all of its boxes are crossed."),
            N_("All boxes of column %(column)s are crossed, but neither value is circled."),
        )
        yield from _askew(sheet, "column", column, claims.get(column), texts, values)


def _colors_askew(sheet: EncoreSheet) -> Iterator[Problem]:
    claims = dict(sheet.colors)
    for color in COLORS:
        values: dict[str, object] = {"color": COLOR_WORDS[color]}
        texts = (
            N_("The bonus for %(color)s is circled, but not all %(color)s boxes are crossed."),
            N_("All %(color)s boxes are crossed, but neither bonus is circled."),
        )
        yield from _askew(sheet, "color", color, claims.get(color), texts, values)


def _askew(
    sheet: EncoreSheet,
    kind: Literal["column", "color"],
    name: str,
    claim: Claim | None,
    texts: tuple[str, str],
    values: Mapping[str, object],
) -> Iterator[Problem]:
    """The problem of a claim without a full column or colour, or of a full one without a claim."""
    boxes = BY_COLUMN[name] if kind == "column" else sheet.board.by_color[name]
    open_boxes = boxes - frozenset(sheet.crossed)
    if claim and open_boxes:
        fields = (f"{kind}.{name}.{claim}", *_in_order(open_boxes))
        yield Problem(Refusal(f"{kind}-not-full", texts[0], values), fields)
    elif not claim and not open_boxes:
        fields = (f"{kind}.{name}.first", f"{kind}.{name}.later", *_in_order(boxes))
        yield Problem(Refusal(f"{kind}-unclaimed", texts[1], values), fields)


def _unreachable(sheet: EncoreSheet) -> Iterator[Problem]:
    crossed = frozenset(sheet.crossed)
    left = crossed
    while left:
        group = clump(min(left), crossed)
        left -= group
        if not group & BY_COLUMN[START_COLUMN]:
            text = N_("No chain of crosses ties this to column H: %(boxes)s.")
            boxes = _in_order(group)
            yield Problem(Refusal("unreachable", text, {"boxes": ", ".join(boxes)}), boxes)


def _jokers(sheet: EncoreSheet) -> Iterator[Problem]:
    if not 0 <= sheet.jokers_used <= JOKERS:
        text = N_("There are %(jokers)s jokers, so %(used)s of them cannot be used.")
        values = {"jokers": JOKERS, "used": sheet.jokers_used}
        fields = tuple(f"joker.{number}" for number in range(1, JOKERS + 1))
        yield Problem(Refusal("jokers-out-of-range", text, values), fields)


def conflicts(sheets: Sequence[tuple[str | Sentence, EncoreSheet]]) -> tuple[Conflict, ...]:
    """The higher values that more than one player claims; see `SheetKind.conflicts`."""
    claims: dict[str, list[int]] = {}
    for place, (_, sheet) in enumerate(sheets):
        taken = [f"column.{name}" for name, claim in sheet.columns if claim == "first"]
        taken += [f"color.{name}" for name, claim in sheet.colors if claim == "first"]
        for value in taken:
            claims.setdefault(value, []).append(place)
    return tuple(
        _claimed_twice(value, places, [sheets[place][0] for place in places])
        for value, places in claims.items()
        if len(places) > 1
    )


def _claimed_twice(value: str, places: list[int], players: list[str | Sentence]) -> Conflict:
    kind, name = value.split(".")
    values: dict[str, object] = {
        "one": players[0],
        "other": players[1],
        "column": name,
        "color": COLOR_WORDS.get(name, name),
    }
    if kind == "column":
        text = N_(
            "%(one)s and %(other)s both claim the higher value of column %(column)s. That is right"
            " only if they completed it in the same turn."
        )
    else:
        text = N_(
            "%(one)s and %(other)s both claim the higher bonus for %(color)s. That is right only"
            " if they completed it in the same turn."
        )
    return Conflict(Sentence(text, values), tuple((place, f"{value}.first") for place in places))


def _in_order(boxes: Boxes) -> tuple[BoxName, ...]:
    return tuple(box for box in BOXES if box in boxes)


def _claims(document: Mapping[str, object], name: str, known: tuple[str, ...]) -> Claims:
    raw = document.get(name, {})
    if not isinstance(raw, Mapping) or not all(_is_claim(claim) for claim in raw.values()):
        raise Unusable(f"'{name}' must say 'first' or 'later' for each that is claimed.")
    if not set(raw) <= set(known):
        raise Unusable(f"'{name}' must name some of: {', '.join(known)}.")
    return tuple((name, raw[name]) for name in known if name in raw)


def _is_box(raw: object) -> TypeGuard[BoxName]:
    return isinstance(raw, str) and raw in NEIGHBORS


def _is_claim(raw: object) -> TypeGuard[Claim]:
    return isinstance(raw, str) and raw in ("first", "later")
