"""What only looks like a publisher's sheet is refused or asked for, never read silently."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.reading import read
from tests.kit.photos.paper import PX_PER_MM
from tests.kit.photos.publishers import crosses_go_over_print, filled_in
from tests.kit.wide import first_of
from tests.vision.unmarked.scenes import scene, sheet_picture

each_edition = pytest.mark.parametrize(
    "made", first_of(editions(), editions()[-1]), ids=lambda made: f"{made.sheet.name}-{made.name}"
)
each_barred = pytest.mark.parametrize("made", [made for made in editions() if made.bars])


def photographed(made: Edition) -> np.ndarray:
    """A photo of a sheet that is printed so, with the first half of its crosses."""
    board = made.sheet.usual_board
    crosses = [field.id for field in made.paper(board).fields if field.kind == "cross"]
    picture = filled_in(made, dict.fromkeys(crosses[1::6], True), board).picture
    return scene(picture, turn=5, tilt=10, size=(1600, 1200)).photo


def silent(photo: np.ndarray) -> list[str]:
    """The editions as which sheets are read without asking."""
    jpeg = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
    return [sheet.edition for sheet in read(jpeg).sheets if not sheet.unsure_edition]


def moved(made: Edition, group: str, by: tuple[float, float]) -> Edition:
    """The edition with a group of fields or blanks so many units aside."""
    board = made.sheet.usual_board
    paper = made.paper(board)

    def placed(place: Any) -> Any:
        if not place.id.startswith(f"{group}."):
            return place
        box, (x, y) = place.box, (part * made.unit for part in by)
        return replace(place, box=replace(box, x=box.x + x, y=box.y + y))

    layout = replace(paper.layout, fields=tuple(map(placed, paper.layout.fields)))
    other = replace(paper, layout=layout, blanks=tuple(map(placed, paper.blanks)))
    return replace(made, papers={**made.papers, board: other})


@each_edition
def test_the_sheets_themselves_are_not_asked_for(made: Edition) -> None:
    assert silent(photographed(made)) == [made.name]


UNLIKE_ENCORE = [made for made in editions() if made.sheet.name != "encore"]


@pytest.mark.parametrize(
    ("made", "group", "by"),
    [
        # One place aside.
        *((made, "failed", (-0.54, 0)) for made in UNLIKE_ENCORE),
        (UNLIKE_ENCORE[0], "sum", (0, 0.3)),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_failed_boxes_and_sums_that_lie_elsewhere(
    made: Edition, group: str, by: tuple[float, float]
) -> None:
    assert not silent(photographed(moved(made, group, by)))


@pytest.mark.parametrize(
    "made", [*filter(crosses_go_over_print, editions())], ids=lambda made: made.name
)
def test_numbers_in_another_order(made: Edition) -> None:
    board = made.sheet.usual_board
    prints = made.prints[board]
    texts = [prints[f.id].text for f in made.paper(board).fields if f.kind == "cross"]
    mixed = iter(random.Random(3).sample(texts, len(texts)))
    fields = [field.id for field in made.paper(board).fields if field.kind == "cross"]
    other = dict(prints) | {name: replace(prints[name], text=next(mixed)) for name in fields}
    assert not silent(photographed(replace(made, prints={board: other})))


@each_barred
def test_colors_in_blocks(made: Edition) -> None:
    sheet = np.ascontiguousarray(sheet_picture(made, made.sheet.usual_board))
    left, right = (round(share * sheet.shape[1]) for share in (0.3, 0.6))
    blocks = []
    for bar in made.bars:
        top, bottom = (round(at * PX_PER_MM) for at in (bar.y, bar.y + bar.height))
        blocks.append((slice(top, bottom), slice(left, right)))
    printed = [sheet[block].copy() for block in blocks]
    for block, other in zip(blocks, printed[1:] + printed[:1], strict=True):
        sheet[block] = cv2.resize(other, sheet[block].shape[1::-1])
    assert not silent(scene(sheet, turn=5).photo)


@each_edition
def test_a_mirrored_sheet(made: Edition) -> None:
    sheet = sheet_picture(made, made.sheet.usual_board)[:, ::-1]
    assert not silent(scene(np.ascontiguousarray(sheet), turn=5).photo)
