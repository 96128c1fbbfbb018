"""The rating of a solo game of Encore!. Source: the German rules, page 6."""

from __future__ import annotations

from typing import Final

from companion.core.words import N_, Sentence

LEVELS: Final = (
    (41, "4"),
    (33, "3½"),
    (29, "3"),
    (21, "2½"),
    (17, "2"),
    (9, "1½"),
    (5, "1"),
    (1, "½"),
    (0, "0"),
)
"""The least points of each level, and its stars. Less than 0 points is the lightning bolt."""


def rating(total: int) -> Sentence:
    """The stars for a solo game's points."""
    for least, stars in LEVELS:
        if total >= least:
            return Sentence(N_("Rating: %(stars)s of 4 stars"), {"stars": stars})
    return Sentence(N_("Rating: a lightning bolt, below 0 stars"))
