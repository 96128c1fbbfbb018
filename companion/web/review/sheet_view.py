"""One sheet on the pages of its review, as their templates ask for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, NamedTuple

from flask import url_for
from flask_babel import gettext

from companion.core.refusal import Refusal
from companion.core.sheet import Blank, Box, Field, Label, Layout, Mark, Millimetres
from companion.core.words import minus
from companion.paper.form_marks import is_empty, mark_text, possible_marks
from companion.paper.paper_game import PaperGame
from companion.paper.review_sheet import Column, ReviewSheet, WrittenSum
from companion.web.page.formats import mark_label
from companion.web.page.language import say

# The margins shown beside and above a field that needs checking, at least
AROUND: Final[tuple[Millimetres, Millimetres]] = (7.0, 4.0)
# Width of the part of a picture that shows a field, by its height: it fills a card's width
CROP_SHAPE: Final = 2.2
FINGER: Final = 44  # The width and height in pixels that a finger needs to tap a field


class MarkChoice(NamedTuple):
    """A value that a field may have: as text in a form, and in words."""

    value: str
    label: str
    is_now: bool


class Keypad(NamedTuple):
    """The keys beside a sheet that is typed in."""

    numbers: tuple[int, ...]  # a key each; empty for a keypad of digits
    highest: int  # the highest number of a keypad of digits
    is_signed: bool = False  # whether a number may be below zero


@dataclass(frozen=True)
class SheetView:
    """A sheet of a game of a review. Lengths are millimetres in its picture or drawing."""

    review_id: str
    game: PaperGame
    sheet: ReviewSheet

    @property
    def name(self) -> str:
        """The name on its tab: its player's, or the title of a sheet that players share."""
        return say(self.sheet.paper.title) if self.sheet.is_shared else self.whose(0)

    @property
    def size(self) -> tuple[Millimetres, Millimetres]:
        shown = self.sheet.paper if self.sheet.has_picture else self.layout
        return shown.width, shown.height

    @cached_property
    def layout(self) -> Layout:
        """The drawing, where there is no picture."""
        return self.sheet.layout

    @property
    def labels(self) -> list[Label]:
        """The print on the drawing, without the names of sums that it has no number for."""
        paper = self.sheet.own_paper
        sums = {round(blank.box.y - paper.at[1], 2) for blank in paper.sums}
        is_column = self.layout.is_column
        return [label for label in self.layout.labels if not is_column or label.box.y not in sums]

    @property
    def picture(self) -> str:
        """The address of its picture; empty without one."""
        if not self.sheet.has_picture:
            return ""
        return url_for("review.picture", review_id=self.review_id, name=self.sheet.picture_name)

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        return self.sheet.fields

    @cached_property
    def faults(self) -> tuple[Refusal, ...]:
        """Its problems, by the rules of its game."""
        return self.game.faults(self.sheet)

    @cached_property
    def wrong(self) -> frozenset[str]:
        """The fields that problems concern."""
        return frozenset(name for problem in self.faults for name in problem.fields)

    @property
    def least_width(self) -> int:
        """The pixels in width that it needs on a screen for a finger to tap each field."""
        return self._least(self.size[0])

    @property
    def least_upright(self) -> int:
        """The same for a drawn sheet that stands upright on a phone, as at a table; else 0."""
        # The boxes of digits do not fit upright, nor does a sheet of which an upright phone shows a
        # part
        has_digits = any(field.is_typed for field in self.layout.fields)
        if self.sheet.has_picture or self.layout.upright_width is not None or has_digits:
            return 0
        return self._least(self.size[1])

    def _least(self, width: Millimetres) -> int:
        targets = []
        for field in self.fields.values():
            targets.append(min(field.box.width, field.box.height) + field.touch_margin)
        return math.ceil(FINGER * width / min(targets))

    @property
    def left_out(self) -> list[Box]:
        """The columns that were dropped, in its picture."""
        return [Column(self.sheet, int(place)).box for place in self.sheet.dropped]

    def whose(self, place: int) -> str:
        """The name of a column's player, or which one it is."""
        name = self.sheet.display_name(place)
        return name if isinstance(name, str) else say(name)

    # A field

    def address(self, name: str) -> str:
        """The address of a field's dialog, and of what corrects it."""
        return url_for(
            "review.field", review_id=self.review_id, sheet_id=self.sheet.id, field_name=name
        )

    def line(self, field: Field) -> str:
        sharing = self.sheet.kind.sharing
        return say(field.name if sharing is None else sharing.line(field.id))

    def player(self, name: str) -> str:
        return self.whose(self.sheet.place_of(name))

    def label(self, field: Field) -> str:
        """The name of a field and what is written there."""
        label = self.line(field)
        if self.sheet.is_shared:
            # Translators: a line of a sheet that players share, and the player: "Round 2, Anna".
            label = gettext("%(line)s, %(player)s", line=label, player=self.player(field.id))
        label = f"{label}: {mark_label(field, self.sheet.marks[field.id])}"
        if field.kind == "cross" and field.print not in label:  # a name may contain the print
            label += f", {field.print}"
        if field.id in self.sheet.unsure:
            return gettext("%(field)s. Needs checking.", field=label)
        return label

    def state(self, name: str) -> str:
        """Whether a field is `written`, `circled`, `crossed` or `empty`."""
        mark = self.sheet.marks[name]
        return "empty" if is_empty(mark) else mark if isinstance(mark, str) else "written"

    def text(self, field: Field) -> str:
        """The number in a field; empty without one."""
        return mark_text(self.sheet.marks[field.id]) if field.is_number else ""

    def toggle(self, field: Field) -> str:
        """The mark that a tap sets at once; empty if a tap asks first."""
        if field.kind != "cross" or field.id in self.sheet.unsure:
            return ""
        return mark_text(not self.sheet.marks[field.id])

    def crop(self, field: Field) -> Box:
        """The part of the picture that shows a field and its neighbours; never beyond an edge."""
        (across, down), box, (width, height) = AROUND, field.box, self.size
        high = max(box.height + 2 * down, (box.width + 2 * across) / CROP_SHAPE)
        wide = high * CROP_SHAPE
        x, y = box.center[0] - wide / 2, box.center[1] - high / 2
        return Box(min(max(x, 0), width - wide), min(max(y, 0), height - high), wide, high)

    def problems(self, name: str) -> list[str]:
        """The problems of a field, in words."""
        return [say(problem) for problem in self.faults if name in problem.fields]

    def likeliest(self, field: Field) -> list[MarkChoice]:
        """The values that a field was read as, the likeliest first."""
        return [self._choice(field, mark) for mark in self.sheet.likeliest(field.id)]

    def possible(self, field: Field) -> list[MarkChoice]:
        """All values to choose from for a field."""
        return [self._choice(field, mark) for mark in possible_marks(field)]

    def _choice(self, field: Field, mark: Mark) -> MarkChoice:
        is_now = mark == self.sheet.marks[field.id]
        return MarkChoice(mark_text(mark), mark_label(field, mark), is_now)

    # Sums on the paper

    @cached_property
    def sums(self) -> tuple[WrittenSum, ...]:
        """The sums that were read and can be held against the counted ones."""
        return self.game.sums_of(self.sheet)

    def wrong_sums(self, place: int) -> list[WrittenSum]:
        """The sums of a column's player that are not right."""
        wrong = [found for found in self.sums if not found.is_right]
        return [found for found in wrong if self.sheet.place_of_sum(found.blank) == place]

    def by_sums(self, place: int) -> list[str]:
        """The fields of a column's player that were read so because of the written sums."""
        return [name for name in self.sheet.by_sums if self.sheet.place_of(name) == place]

    def sum_box(self, found: WrittenSum) -> Box | None:
        place = self.sheet.paper.places.get(found.blank) if self.sheet.has_picture else None
        return place.box if place else None

    def _sum_label(self, found: WrittenSum) -> str:
        blank = self.sheet.own_paper.places.get(found.blank)
        caption = blank.caption if isinstance(blank, Blank) else None
        label = say(caption) if caption else gettext("Total")
        return label[:1].upper() + label[1:]

    def short_sum_text(self, found: WrittenSum) -> str:
        """A sum beside the counted one, in few words and without its player."""
        return gettext(
            "%(sum)s: %(written)s written, %(counted)s counted",
            sum=self._sum_label(found),
            written=minus(found.written),
            counted=minus(found.counted),
        )

    def sum_text(self, found: WrittenSum) -> str:
        """A sum beside the counted one, in words."""
        label = self._sum_label(found)
        if self.sheet.is_shared:
            player = self.whose(self.sheet.place_of_sum(found.blank))
            label = gettext("%(line)s, %(player)s", line=label, player=player)
        values = {"sum": label, "written": minus(found.written), "counted": minus(found.counted)}
        if found.is_right:
            return gettext("%(sum)s: %(counted)s, as you wrote.", **values)
        if self.sheet.unsure:
            return gettext(
                "%(sum)s: you wrote %(written)s, but so far it is %(counted)s.", **values
            )
        return gettext("%(sum)s: you wrote %(written)s, but it is %(counted)s.", **values)

    # Typing in

    @cached_property
    def _typed_fields(self) -> list[Field]:
        if self.sheet.has_picture:
            return []
        return [field for field in self.fields.values() if field.is_number]

    @property
    def _ranges(self) -> list[range]:
        """The numbers that may be written in the fields, or fewer if the game says so."""
        own = self.game.game.numbers if self.game.game else None
        return [own] if own else [field.numbers for field in self.fields.values() if field.numbers]

    @property
    def is_signed(self) -> bool:
        """Whether a number may be below zero."""
        return min(map(min, self._ranges), default=0) < 0

    @property
    def keypad(self) -> Keypad | None:
        """The keypad for a drawn sheet; None if nothing is written but crosses."""
        fields = self._typed_fields
        if not fields:
            return None
        if any(field.is_typed for field in fields):
            return Keypad((), max(map(max, self._ranges)), self.is_signed)
        numbers: set[int] = set()
        for field in fields:
            numbers.update(field.numbers)
        return Keypad(tuple(sorted(numbers)), 0)

    @cached_property
    def impossible(self) -> Mapping[str, str]:
        """Empty number field of a drawn sheet → the numbers that would break a rule there."""
        impossible = {}
        for field in self._typed_fields:
            if field.kind == "number" and self.sheet.marks[field.id] is None:
                breaks_rule = partial(self.sheet.breaks_rule, field.id)
                impossible[field.id] = " ".join(map(str, filter(breaks_rule, field.numbers)))
        return impossible
