"""The pages on which finished games are edited and people renamed."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from flask import Flask
from PIL import Image

from companion.tables import Tables
from tests.kit.history import paper, people
from tests.kit.phones import Phone
from tests.kit.photos import standin
from tests.kit.photos.sending import correct, do, read, save

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)
DATE_TIME = 0x0132


@pytest.fixture
def tables(reading: tuple[Flask, Tables]) -> Tables:
    return reading[1]


@pytest.fixture
def phone(reading: tuple[Flask, Tables]) -> Phone:
    return Phone(reading[0])


def test_leaving_it_as_it_was(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Ben", ended=ENDED)
    review = phone.post(f"/history/{match_id}/sheets").location
    correct(phone, review.split("/")[2], "yellow.1", "7", "2")
    assert "the saved game stays as it was" in phone.page(f"{review}discard").source
    answer = phone.post(f"{review}discard")
    assert answer.location.endswith(f"/history/{match_id}")
    assert tables.history.match(phone.device, match_id).edited is None


def test_date_and_names(phone: Phone, tables: Tables) -> None:
    match_id = paper(tables, phone.device, "Ada", "Benn", ended=ENDED)
    path = f"/history/{match_id}/edit"
    page = phone.page(path)
    assert page.faults() == []
    form = {"ended": "2024-12-24T18:30", "name": ["Ada", "Ben"], "total": ["43", "-10"]}
    assert phone.post(path, {**form, "place": "Attic", "notes": ""}).status_code == 303
    match = tables.history.match(phone.device, match_id)
    assert [player.name for player in match.players] == ["Ada", "Ben"]
    assert f"{match.ended_at.astimezone():%Y-%m-%dT%H:%M}" == "2024-12-24T18:30"
    source = phone.page(f"/history/{match_id}").source
    assert "December 24, 2024" in source
    for wrong in ({"ended": "2999-01-01T00:00"}, {"ended": "x"}, {"name": ["Ada", "Ada"]}):
        answer = phone.post(path, {**form, **wrong})
        assert answer.status_code in (409, 422)
        # The typed text stays.
        assert 'value="Ada"' in answer.text
        assert 'class="refused-file"' in answer.text


def test_people_become_one(phone: Phone, tables: Tables) -> None:
    for names in (("Ada", "Ben"), ("Adda", "Ben")):
        paper(tables, phone.device, *names, ended=ENDED)
    [adda] = [one.id for one in people(tables, phone.device) if one.name == "Adda"]
    assert phone.page(f"/history/people/{adda}").faults() == []
    path = f"/history/people/{adda}/rename"
    answer = phone.post(path, {"name": "ada"})
    assert answer.status_code == 200
    assert "The two become one person" in answer.text
    answer = phone.post(path, {"name": "Ada", "sure": "1"})
    assert answer.status_code == 303
    assert "2 games" in phone.page(answer.location).source
    assert len(people(tables, phone.device)) == 2


def dated(width: int, text: str) -> bytes:
    exif = Image.Exif()
    exif[DATE_TIME] = text
    out = io.BytesIO()
    with Image.open(io.BytesIO(standin.picture(width))) as picture:
        picture.save(out, "JPEG", exif=exif)
    return out.getvalue()


def test_the_date_is_that_of_the_photo(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, dated(220, "2025:03:01 20:15:30"))
    assert "Played on March 1, 2025" in phone.page(f"/review/{review_id}/").source
    do(phone, review_id, "game", game="qwinto-cards")
    do(phone, review_id, "nameless", key="")
    match = tables.history.match(phone.device, save(phone, review_id))
    assert f"{match.ended_at.astimezone():%Y-%m-%d %H:%M:%S}" == "2025-03-01 20:15:30"
