"""Fields that show their own numbers, and those of sheets that mix them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from companion.core.edition import Edition, Print
from companion.core.sheet import Mark
from companion.games.editions import editions
from companion.vision.unmarked.printed_numbers import numbers_agree
from tests.kit.photos.publishers import crosses_go_over_print, filled_in
from tests.vision.unmarked.scenes import flat

each_numbered = pytest.mark.parametrize(
    "made", [*filter(crosses_go_over_print, editions())], ids=lambda made: made.name
)


def agree(picture: np.ndarray, made: Edition, is_visible: bool = True) -> bool:
    visible = np.full(picture.shape[:2], is_visible)
    return numbers_agree(picture, visible, made, made.sheet.usual_board)


def pictured(made: Edition, marks: dict[str, Mark] | None = None) -> np.ndarray:
    return flat(filled_in(made, marks or {}, made.sheet.usual_board).picture)


def printed(made: Edition) -> dict[str, Print]:
    """The prints of the fields for crosses that have a number."""
    board = made.sheet.usual_board
    crosses = [field.id for field in made.paper(board).fields if field.kind == "cross"]
    return {name: made.prints[board][name] for name in crosses if made.prints[board][name].text}


def reprinted(made: Edition, texts: dict[str, str]) -> Edition:
    """The same edition with other texts in some fields."""
    board = made.sheet.usual_board
    prints = dict(made.prints[board])
    prints |= {name: replace(prints[name], text=text) for name, text in texts.items()}
    return replace(made, prints={board: prints})


@each_numbered
def test_a_sheet_shows_its_own_numbers_with_crosses_over_most_of_them_too(made: Edition) -> None:
    names = [*printed(made)]
    crossed = random.Random(2).sample(names, len(names) * 6 // 10)
    assert agree(pictured(made), made)
    assert agree(pictured(made, dict.fromkeys(crossed, True)), made)


@each_numbered
@pytest.mark.parametrize("part", [(0, 1), (0, 0.5), (0.5, 1)], ids=["all", "upper", "lower"])
def test_a_sheet_with_mixed_numbers_does_not(made: Edition, part: tuple[float, float]) -> None:
    prints = printed(made)
    boxes = {field.id: field.box for field in made.paper(made.sheet.usual_board).fields}
    first, last = (round(share * len(prints)) for share in part)
    names = sorted(prints, key=lambda name: boxes[name].y)[first:last]
    others = random.Random(3).sample(names, len(names))
    texts = {name: prints[other].text for name, other in zip(names, others, strict=True)}
    assert not agree(pictured(reprinted(made, texts)), made)


@each_numbered
def test_numbers_that_are_paler_than_their_fields_are_numbers(made: Edition) -> None:
    negative = 255 - pictured(made)
    assert agree(negative, made)
    assert not agree(np.ascontiguousarray(negative[:, ::-1]), made)


@each_numbered
def test_what_is_hidden_or_no_number_is_not_judged(made: Edition) -> None:
    mirrored = np.ascontiguousarray(pictured(made)[:, ::-1])
    assert not agree(mirrored, made)
    assert agree(mirrored, made, is_visible=False)
    for text in ("", "{} points"):
        texts = {name: text.format(field.text) for name, field in printed(made).items()}
        assert agree(mirrored, reprinted(made, texts))
