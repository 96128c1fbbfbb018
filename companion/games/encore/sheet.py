"""One player's Encore! sheet: crosses and claims, problems and score.

It knows no dice and no other player; who was first is written on the sheet as a claim. Source: the
rule text of Encore!; the printed boards are in `boards.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self, TypeAlias, TypeGuard

from companion.core.refusal import Refusal, Unusable
from companion.core.result import Result
from companion.core.values import Document, changed, is_huge, is_whole
from companion.core.words import N_, Sentence
from companion.games.encore.boards import (
    BOARDS,
    BOXES,
    BY_COLUMN,
    CLAIMS,
    COLORS,
    COLUMNS,
    JOKER_FIELDS,
    JOKERS,
    LINES,
    NEIGHBORS,
    STAR_POINTS,
    START_COLUMN,
    Board,
    Boxes,
    BoxName,
    Claim,
    LineId,
    clump,
)

Claims: TypeAlias = tuple[tuple[LineId, Claim], ...]  # in the sheet's order

JOKERS_LEFT: Final = Sentence("Jokers left")

COLORS_TO_END: Final = 2  # The second colour bonus of one player ends the game


@dataclass(frozen=True)
class EncoreSheet:
    board_name: str
    crossed: tuple[BoxName, ...] = ()  # the boxes in the order in which they were crossed
    jokers_used: int = 0
    claims: Claims = ()

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public sheet document.

        Raises:
            Unusable: an unknown board, unknown or repeated boxes, claims of another shape, or a
                `jokers_used` that is not a whole number.
        """
        name = document.get("board", next(iter(BOARDS)))
        if not isinstance(name, str) or name not in BOARDS:
            raise Unusable(f"'board' must be one of: {', '.join(BOARDS)}.")
        crossed = document.get("crossed")
        if not isinstance(crossed, list) or not all(map(_is_box, crossed)):
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
            claims=(*_claims(document, "column", COLUMNS), *_claims(document, "color", COLORS)),
        )

    @property
    def board(self) -> Board:
        return BOARDS[self.board_name]

    @property
    def jokers_left(self) -> int:
        return JOKERS - self.jokers_used

    @cached_property
    def full(self) -> tuple[LineId, ...]:
        """The columns and colours with every box crossed."""
        crossed = frozenset(self.crossed)
        return tuple(line for line, boxes in self.board.by_line.items() if boxes <= crossed)

    def cross(self, boxes: Iterable[BoxName], jokers: int) -> EncoreSheet:
        """The sheet with these crosses and exclamation marks; nothing is checked, see `refusal`."""
        return changed(self, crossed=(*self.crossed, *boxes), jokers_used=self.jokers_used + jokers)

    def claim(self, taken: frozenset[LineId]) -> EncoreSheet:
        """The sheet with every full line claimed.

        Args:
            taken: lines whose higher value another player has claimed before.
        """
        known = dict(self.claims)
        claims = tuple((line, known.get(line, CLAIMS[line in taken])) for line in self.full)
        # The same object where nothing is new: points and drawings are cached by it.
        return self if claims == self.claims else changed(self, claims=claims)

    def claimed(self, kind: str) -> dict[str, Claim]:
        """The claims of the columns, or of the colours, by their names."""
        claims = {}
        for line, claim in self.claims:
            if LINES[line].kind == kind:
                claims[LINES[line].name] = claim
        return claims

    def document(self) -> Document:
        return {
            "sheet": "encore",
            "board": self.board_name,
            "crossed": list(self.crossed),
            "jokers_used": self.jokers_used,
            "columns": self.claimed("column"),
            "colors": self.claimed("color"),
        }

    def score(self) -> Document:
        claims = dict(self.claims)
        lines = {"color": 0, "column": 0}
        for line in map(LINES.__getitem__, self.full):
            lines[line.kind] += line.points[claims.get(line.id, "later")]
        points = {
            "colors": lines["color"],
            "columns": lines["column"],
            "jokers": self.jokers_left,
            "stars": STAR_POINTS * len(self.board.stars - frozenset(self.crossed)),
        }
        return {**points, "total": sum(points.values())}

    def result(self) -> Result:
        """The total; a tie goes to more unused jokers, then it is shared."""
        return Result(self.score()["total"], self.jokers_left, JOKERS_LEFT)

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of the filled-in sheet, not only the first."""
        return (*_askew(self), *_unreachable(self), *_jokers(self))


def boxes_to_end(sheet: EncoreSheet) -> int:
    """The fewest boxes that, once crossed, end the game."""
    crossed = frozenset(sheet.crossed)
    missing = sorted(len(boxes - crossed) for boxes in sheet.board.by_color.values())
    return sum(missing[:COLORS_TO_END])


def is_finished(sheet: EncoreSheet) -> bool:
    """Whether this sheet ends the game: all boxes of two colours are crossed."""
    return [LINES[line].kind for line in sheet.full].count("color") >= COLORS_TO_END


_NOT_FULL: Final = {
    "column": N_("Column %(column)s is circled, but not all of its boxes are crossed."),
    "color": N_("The bonus for %(color)s is circled, but not all %(color)s boxes are crossed."),
}
_UNCLAIMED: Final = {
    "column": N_("All boxes of column %(column)s are crossed, but neither value is circled."),
    "color": N_("All %(color)s boxes are crossed, but neither bonus is circled."),
}


def _askew(sheet: EncoreSheet) -> Iterator[Refusal]:
    """The problems of claims without a full line, and of full lines without a claim."""
    claims = dict(sheet.claims)
    for line_id, line in LINES.items():
        if (line_id in claims) == (line_id in sheet.full):
            continue
        boxes = sheet.board.by_line[line_id]
        kind, values = line.kind, {line.kind: line.word}
        if claim := claims.get(line_id):
            fields = (f"{line_id}.{claim}", *_in_order(boxes - frozenset(sheet.crossed)))
            yield Refusal(f"{kind}-not-full", _NOT_FULL[kind], values, fields)
        else:
            fields = (*(f"{line_id}.{value}" for value in CLAIMS), *_in_order(boxes))
            yield Refusal(f"{kind}-unclaimed", _UNCLAIMED[kind], values, fields)


def _unreachable(sheet: EncoreSheet) -> Iterator[Refusal]:
    crossed = frozenset(sheet.crossed)
    left = crossed
    while left:
        group = clump(min(left), crossed)
        left -= group
        if not group & BY_COLUMN[START_COLUMN]:
            text = N_("These crosses are not connected to column H: %(boxes)s.")
            boxes = _in_order(group)
            yield Refusal("unreachable", text, {"boxes": ", ".join(boxes)}, boxes)


def _jokers(sheet: EncoreSheet) -> Iterator[Refusal]:
    if not 0 <= sheet.jokers_used <= JOKERS:
        text = N_("There are only %(jokers)s jokers, so %(used)s cannot have been used.")
        values = {"jokers": JOKERS, "used": sheet.jokers_used}
        yield Refusal("jokers-out-of-range", text, values, JOKER_FIELDS)


def _in_order(boxes: Boxes) -> tuple[BoxName, ...]:
    return tuple(box for box in BOXES if box in boxes)


def _claims(document: Mapping[str, object], kind: str, known: tuple[str, ...]) -> Claims:
    name = f"{kind}s"
    raw = document.get(name, {})
    if not isinstance(raw, Mapping) or not all(map(_is_claim, raw.values())):
        raise Unusable(f"'{name}' must say 'first' or 'later' for each that is claimed.")
    if not set(raw) <= set(known):
        raise Unusable(f"'{name}' must name some of: {', '.join(known)}.")
    return tuple((f"{kind}.{name}", raw[name]) for name in known if name in raw)


def _is_box(raw: object) -> TypeGuard[BoxName]:
    return isinstance(raw, str) and raw in NEIGHBORS


def _is_claim(raw: object) -> TypeGuard[Claim]:
    return isinstance(raw, str) and raw in CLAIMS
