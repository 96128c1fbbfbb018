"""Sheets of a review as their page draws them."""

from __future__ import annotations

import pytest

from companion.core.edition import OWN
from companion.games.catalog import SHEETS
from companion.games.editions import editions
from companion.paper.review import Review
from companion.web.review.sheet_view import CROP_SHAPE, SheetView

PRINTINGS = [(kind.name, board, OWN) for kind in SHEETS.values() for board in kind.every_board] + [
    (made.sheet.name, made.sheet.usual_board, made.name) for made in editions()
]


@pytest.mark.parametrize(("kind", "board", "edition"), PRINTINGS)
def test_a_crop_shows_its_field_and_nothing_beyond_the_picture(
    kind: str, board: str, edition: str
) -> None:
    review = Review()
    sheet = review.add(kind, board, edition=edition, has_picture=True)
    view = SheetView("", review.parts[0], sheet)
    for field in view.fields.values():
        crop, (width, height) = view.crop(field), view.size
        assert crop.width == pytest.approx(CROP_SHAPE * crop.height)
        assert crop.x >= 0 and crop.x + crop.width <= width + 1e-9
        assert crop.y >= 0 and crop.y + crop.height <= height + 1e-9
        assert crop.x <= field.box.x and crop.x + crop.width >= field.box.x + field.box.width
        assert crop.y <= field.box.y and crop.y + crop.height >= field.box.y + field.box.height
