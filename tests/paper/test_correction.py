"""The misread field that a wrong sum hints at."""

from __future__ import annotations

from companion.core.sheet import Mark
from companion.paper.correction import likeliest_correction
from companion.paper.review import Review
from companion.paper.review_sheet import ReviewSheet
from tests.kit.photos.standin import QWINTO


def sheet(sums: dict[str, int], **others: tuple[Mark, float]) -> ReviewSheet:
    """The sheet of `QWINTO`, which comes to 43 points, with fields that may be something else."""
    review = Review()
    found = review.add("qwinto", "", has_picture=True)
    found.marks |= QWINTO
    found.written = {blank: [number, 0.98] for blank, number in sums.items()}
    names = {name.replace("_", "."): each for name, each in others.items()}
    found.read = {
        name: [found.marks[name], 1 - chance, [[mark, chance]]]
        for name, (mark, chance) in names.items()
    }
    return found


def field_of(found: ReviewSheet) -> str | None:
    correction = likeliest_correction(found, found.sums)
    return correction and correction.field


def test_of_two_corrections_the_likelier_one_is_proposed() -> None:
    found = sheet({"sum.total": 48}, failed_1=(False, 0.02), failed_2=(False, 0.04))
    assert field_of(found) == "failed.2"
    # Somebody says that it is a cross, then the other one may be none.
    found.set("failed.2", mark=True)
    assert field_of(found) == "failed.1"
    found.confirm()
    assert field_of(found) is None


def test_a_correction_that_makes_another_sum_wrong_is_none() -> None:
    total = {"sum.total": 48}
    assert field_of(sheet({**total, "sum.failed": 5}, failed_2=(False, 0.1))) == "failed.2"
    assert field_of(sheet({**total, "sum.failed": 10}, failed_2=(False, 0.1))) is None


def test_a_correction_that_breaks_a_rule_is_none() -> None:
    """Without its last number the orange row is one point less, with a smaller one it is wrong."""
    assert field_of(sheet({"sum.orange": 3}, orange_8=(None, 0.1))) == "orange.8"
    assert field_of(sheet({"sum.orange": 5}, orange_3=(18, 0.1))) is None


def test_right_sums_propose_nothing() -> None:
    assert field_of(sheet({"sum.total": 43}, failed_2=(False, 0.4))) is None
