"""The misread field that a wrong sum on the paper hints at. Nothing is corrected here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from companion.core.sheet import Mark
from companion.paper.review_sheet import ReviewSheet, WrittenSum


@dataclass(frozen=True)
class MarkCorrection:
    """Another mark of one field, with which a written sum is right."""

    field: str
    mark: Mark
    sum: WrittenSum


def likeliest_correction(sheet: ReviewSheet, sums: Sequence[WrittenSum]) -> MarkCorrection | None:
    """The correction that makes most sums right, of these the likeliest; None without one.

    Only marks that the reader took for possible are tried, in fields that nobody has looked at. A
    correction that makes a right sum wrong, or breaks a rule, is none.

    Args:
        sums: those that can be held against the counted ones; see `PaperGame.sums_of`.
    """
    if all(found.is_right for found in sums):
        return None
    found = list(_corrections(sheet, sums))
    return max(found, key=lambda ranked: ranked[:2])[2] if found else None


def _corrections(
    sheet: ReviewSheet, sums: Sequence[WrittenSum]
) -> Iterator[tuple[int, float, MarkCorrection]]:
    """Each correction, after the number of sums that it makes right and its probability."""
    for name, (_, _, others) in sheet.read.items():
        for mark, chance in others:
            filled = sheet.kind.marked(sheet.board, {**sheet.marks, name: mark})
            right = [abs(filled.sums.get(each.blank, -1)) == abs(each.written) for each in sums]
            gained = [each for each, fits in zip(sums, right, strict=True) if fits > each.is_right]
            is_lost = any(fits < each.is_right for each, fits in zip(sums, right, strict=True))
            if gained and not is_lost and len(filled.problems) <= len(sheet.filled.problems):
                yield len(gained), chance, MarkCorrection(name, mark, gained[-1])
