"""An edition that a person describes: from a photo of a blank sheet to one read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

from companion.games.editions import described_edition, tables, toml_text
from companion.tables import Tables
from companion.tables.photos.own_editions import MOST
from companion.vision.mapping.plane import mapped
from companion.vision.unmarked.placing import edition_corners
from companion.vision.worker.loop import READER
from companion.web.review.edition_view import to_photo
from tests.kit.phones import Phone
from tests.kit.photos import standin
from tests.kit.photos.sending import look, read, reading_app, wait
from tests.vision.unmarked.scenes import another_printing, large_scene

LIKE = ("qwinto", "nsv")
TABLES = tables()


def sent(phone: Phone, tables_: Tables) -> tuple[str, str]:
    """(address of the page, id of the review) of a photo in which nothing was read."""
    review_id = read(phone, standin.picture(standin.NOTHING))
    (photo,) = look(tables_, phone, review_id).photos
    path = f"/review/{review_id}/edition/{photo.id}"
    assert path in phone.page(f"/review/{review_id}/").source
    return path, review_id


@pytest.fixture
def own_reader(tmp_path: Path) -> Iterator[tuple[Flask, Tables]]:
    """An app that reads photos itself, without a stand-in."""
    with reading_app(tmp_path) as (app, tables_):
        app.config["READER"] = READER
        yield app, tables_


def test_a_described_edition_is_kept_and_read(own_reader: tuple[Flask, Tables]) -> None:
    app, tables = own_reader
    phone = Phone(app)
    other = another_printing(TABLES[LIKE])
    blank = large_scene(other)
    review_id = read(phone, blank.jpeg(), keep="on", describe="on")
    (photo,) = look(tables, phone, review_id).photos
    path = f"/review/{review_id}/edition/{photo.id}"
    page = phone.page(path)
    assert page.faults() == []
    assert len(page.all("circle", role="img")) == 4
    scale = photo.size[0] / blank.photo.shape[1]
    corners = mapped(blank.homography, edition_corners(other)) * scale
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    form = {"act": "place", "like": "/".join(LIKE), "corners": text}
    assert phone.post(path, form).status_code == 303
    wait(phone, review_id)
    page = phone.page(f"{path}?row=failed.%7B%7D")
    assert page.faults() == []
    assert "every field is empty" in page.source
    assert page.one("a", **{"class": "chosen"}).attrs["aria-label"] == "failed"

    # A moved row is looked at again, and put back.
    for way in ("right", "left"):
        phone.post(path, {"act": "move", "row": "failed.{}", "way": way})
        assert phone.post(path, {"act": "keep", "name": "x"}).status_code == 409
    phone.post(path, {"act": "check"})
    wait(phone, review_id)
    assert phone.post(path, {"act": "keep", "name": "Andere Auflage!"}).location == "/editions"
    page = phone.page("/editions")
    assert page.faults() == []
    text = phone.get("/editions/andere-auflage.toml").text
    assert tomllib.loads(text)["name"] == "andere-auflage"
    assert described_edition(text).sheet is other.sheet

    # It is this device's, and its photos are read with it.
    again = read(phone, large_scene(other, (("failed.1", True),)).jpeg())
    (sheet,) = look(tables, phone, again).sheets
    assert (sheet.edition, sheet.marks["failed.1"]) == ("andere-auflage", True)
    assert sheet.fields["failed.2"].box == described_edition(text).papers[""].fields[28].box
    assert phone.page(f"/review/{again}/").faults() == []
    assert Phone(app).get("/editions/andere-auflage.toml").status_code == 404
    phone.post("/editions/andere-auflage/delete")
    assert "andere-auflage" not in phone.page("/editions").source
    # Sheets that were read with it can still be looked through.
    assert phone.page(f"/review/{again}/").faults() == []


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"act": "place", "like": "qwinto/nsv", "corners": "1,2 3,4"}, 422),
        ({"act": "place", "like": "qwinto/nsv", "corners": "nan,0 9,0 9,9 0,9"}, 422),
        ({"act": "place", "like": "qwinto/nsv", "corners": "0,0 9,0 9,9 0,9"}, 422),
        ({"act": "place", "like": "qwinto/x", "corners": "0,0 200,0 200,90 0,90"}, 404),
        ({"act": "check"}, 404),
        ({"act": "move", "row": "x", "way": "up"}, 404),
        ({"act": "keep", "name": "x"}, 409),
        ({"act": "other"}, 404),
    ],
)
def test_what_describes_nothing_is_refused(
    phone: Phone, tables: Tables, form: dict[str, str], status: int
) -> None:
    path, review_id = sent(phone, tables)
    assert phone.post(path, form).status_code == status
    assert not look(tables, phone, review_id).photos[0].description
    assert phone.get(path[:-1] + "x").status_code == 404


def test_a_device_keeps_a_few(tables: Tables) -> None:
    text = toml_text(TABLES[LIKE])
    for number in range(MOST):
        tables.own_editions.keep("a", f"n{number}", text)
    tables.own_editions.keep("a", "n0", text)
    with pytest.raises(Exception, match=str(MOST)):
        tables.own_editions.keep("a", "more", text)
    tables.own_editions.keep("b", "more", text)
    assert len(tables.own_editions.of_device("a")) == MOST


def test_the_corners_of_the_paper_are_those_of_the_photo() -> None:
    corners = ((10.0, 20.0), (300.0, 40.0), (280.0, 210.0), (30.0, 190.0))
    place = to_photo(corners)
    at = [place(x, y) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    assert np.allclose(at, corners)
