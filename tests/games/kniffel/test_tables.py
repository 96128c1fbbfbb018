"""The variants of Kniffel at a table and in the history: what the lobby asks, titles, records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.games.kniffel import GAME
from companion.games.kniffel.variants import VARIANTS
from companion.paper.review import Review
from companion.tables import Tables
from companion.web import create_app
from lab.history import add
from lab.phones import Phone
from lab.tables import Evening

ADA, BEN = "Ada", "Ben"


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    opened = Tables(f"sqlite:///{tmp_path / 'variants.sqlite3'}")
    yield opened
    opened.close()


@pytest.fixture
def phone(tables: Tables) -> Phone:
    return Phone(create_app(tables))


def chosen(tables: Tables, phone: Phone, **options: str) -> Evening:
    """A lobby in which these options were chosen, one after the other."""
    evening = Evening(tables, tables.create(phone.device, GAME.name), phone.device)
    for name, value in options.items():
        choose(phone, evening, name, value)
    return evening


def choose(phone: Phone, evening: Evening, name: str, value: str) -> None:
    phone.post(f"/t/{evening.id}/do/game", {"game": GAME.name, f"option.{name}": value})


def test_only_one_variant_offers_a_choice_of_jokers(tables: Tables, phone: Phone) -> None:
    evening = chosen(tables, phone, jokers="forced")
    for variant, jokers in (
        ("yatzy", "none"),
        ("yahtzee", "forced"),
        ("yahtzee-free", "none"),
        ("kniffel", "none"),
    ):
        choose(phone, evening, "variant", variant)
        options = tables.read(evening.id, phone.device).options
        assert options.get("variant", "kniffel") == variant
        assert options["jokers"] == jokers, "nothing is left of the variant before"
        asked = phone.page(f"/t/{evening.id}/").all("input", name="option.jokers")
        assert bool(asked) == (variant == "kniffel")


def finished(tables: Tables, phone: Phone, ada: int, **options: str) -> str:
    """The path of a match in which Ada writes a chance of so many points, and Ben nothing more."""
    evening = chosen(tables, phone, **options)
    for name in (ADA, BEN):
        phone.post(f"/t/{evening.id}/do/add", {"name": name})
    phone.post(f"/t/{evening.id}/do/start")
    options = dict(tables.read(evening.id, phone.device).options)
    (variant,) = (row for row in VARIANTS if row.said == {"jokers": "none", **options})
    for field in variant.fields:
        for name, points in ((ADA, ada), (BEN, 5)):
            written: dict[str, Any] = {"points": points if field == "chance" else 0}
            evening.do({"do": "write", "by": name, "field": field, **written})
    return f"/t/{evening.id}/"


def test_yatzy_has_a_title_and_records_of_its_own(tables: Tables, phone: Phone) -> None:
    for ada in (20, 21, 22):
        finished(tables, phone, ada)
    for ada in (9, 8, 7):
        finished(tables, phone, ada, variant="yatzy")
    page = phone.get(finished(tables, phone, 10, variant="yatzy")).text
    assert "Ada sets a record in Yatzy: 10, up from 9." in page
    *_, match = tables.history.all_matches(phone.device)
    assert match.title == "Yatzy"
    page = phone.get(finished(tables, phone, 23)).text
    assert "Ada sets a record in Kniffel: 23, up from 22." in page


def test_a_line_for_a_sum_has_its_number_or_is_not_drawn(tables: Tables, phone: Phone) -> None:
    """The result's picture adds up; on a sheet that is being typed in, no sums were read."""
    sheet = {"sheet": "kniffel", "jokers": "none", "ones": 4, "sixes": 24, "chance": 19, "extra": 0}
    match_id = add(tables, phone.device, GAME.name, [(ADA, sheet), (BEN, sheet)])
    picture = phone.get(f"/history/{match_id}/result.svg").text
    assert picture.count(">28/63</text>") == picture.count(">Upper sum</text>") == 2
    review = Review(game=GAME.name)
    review.add("kniffel", "kniffel")
    review_id = tables.reviews.make(phone.device, review.dump())
    drawn = phone.page(f"/review/{review_id}/?sheet=1").source
    assert "Sixes</text>" in drawn
    assert "Upper sum</text>" not in drawn
