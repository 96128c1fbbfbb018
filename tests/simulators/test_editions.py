"""Publishers' sheets are drawn from their tables, and photographed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM
from training import camera
from training.sheets.editions import drawn
from training.writing.pens import PX_PER_MM, Canvas, pencil


@pytest.mark.parametrize("edition", editions(), ids=lambda edition: edition.name)
def test_a_drawing_has_the_size_of_the_sheet_and_its_colors_where_its_fields_are(
    edition: Edition,
) -> None:
    board = edition.sheet.usual_board
    paper = edition.paper(board)
    far = []
    for seed in range(3):
        picture = drawn(edition, board, np.random.default_rng(seed))
        assert picture.shape == (
            round(paper.height * PX_PER_MM),
            round(paper.width * PX_PER_MM),
            3,
        )
        for field in paper.fields:
            x, y = (round(at * PX_PER_MM) for at in (field.box.x + 1.6, field.box.center[1]))
            seen = picture[y, x][::-1].astype(float)
            fill = np.array(edition.prints[board][field.id].fill, float)
            far.append(np.abs(seen - fill).mean())
    assert np.median(far) < 40


def test_the_same_seed_gives_the_same_photo() -> None:
    edition = editions()[0]
    board = edition.sheet.usual_board
    flats = []
    for _ in range(2):
        rng = np.random.default_rng(7)
        picture = drawn(edition, board, rng)
        settings = camera.settings(rng)
        flats.append(camera.photographed_and_flattened(picture, settings, rng, is_coated=True))
    assert np.array_equal(*flats)
    paper = edition.paper(board)
    rows, columns = (round(side * FLAT_PX_PER_MM) for side in (paper.height, paper.width))
    assert flats[0].shape == (rows, columns, 3)
    assert flats[0].std() > 10


@pytest.mark.parametrize(
    ("opacity", "noise", "is_seen"), [(1.0, 2.0, True), (0.15, 2.0, True), (0.15, 60.0, False)]
)
def test_a_pencil_is_seen_unless_noise_is_stronger(
    opacity: float, noise: float, is_seen: bool
) -> None:
    edition = editions()[0]
    board = edition.sheet.usual_board
    crossed, empty = edition.paper(board).fields[:2]
    rng = np.random.default_rng(3)
    bare = drawn(edition, board, rng)
    canvas = Canvas(bare.copy(), 0.0, 0.0)
    box = crossed.box
    way = np.array([(box.x, box.y), (box.x + box.width, box.y + box.height)], np.float32)
    canvas.draw([way], replace(pencil(rng, opacity), width=0.6), rng)
    settings = replace(camera.settings(rng), noise=noise, focus=0.0, motion=0.0, exposure=1.0)
    boxes = [crossed.box, empty.box]
    seen = camera.ink_seen(bare, canvas.picture, boxes, settings)
    assert seen == [is_seen, False]
