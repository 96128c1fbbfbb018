"""The page's use of a game's sentences."""

from __future__ import annotations

from companion.core.panel import ends_near, to_end
from companion.core.words import Sentence, Word


def test_the_distance_to_the_end_is_taken_from_sentences_about_one_player() -> None:
    ada = [to_end("Ada", count, "one", "several") for count in (3, 2, 120)]
    others = [
        Sentence("%(count)s cards are left", {"count": 7}),
        Sentence("%(player)s has %(count)s", {"player": "Ben", "count": Word("few")}),
        Sentence("Last turn!"),
    ]
    assert ends_near([*others, *ada, *others]) == {"Ada": 2}
    assert ends_near([to_end("Ben", 120, "one", "several")]) == {"Ben": 120}
