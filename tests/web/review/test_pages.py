"""A review's pages: looking over what was read, correcting, naming, saving."""

from __future__ import annotations

from companion.tables import Tables
from tests.kit.pages import Page
from tests.kit.phones import Phone, refusal_of
from tests.kit.photos import standin
from tests.kit.photos.sending import (
    correct,
    do,
    leave_nameless,
    look,
    read,
    save,
)


def test_the_likeliest_values_are_offered_first(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.ONE))
    page = phone.page(f"/review/{review_id}/")
    values = [one.attrs["value"] for one in page.all("button", name="value")]
    assert values[:3] == ["17", "15", "14"]


def test_what_no_field_can_hold_is_refused(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.CLEAN))
    for field, value, status in (
        ("orange.1", "x", 400), ("orange.1", "٣", 400), ("failed.1", "1", 400),
        ("orange.10", "1", 404), ("nonsense", "1", 404),
    ):  # fmt: skip
        answer = phone.post(f"/review/{review_id}/1/{field}", {"value": value})
        assert refusal_of(answer).status == status


def test_the_game_is_asked_for_where_two_share_a_pad(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.CLEAN))
    assert "1 name, which game" in phone.get(f"/review/{review_id}/").text
    assert refusal_of(phone.post(f"/review/{review_id}/save")).status == 409
    do(phone, review_id, "game", game="qwinto-dice")
    assert "2 to 6 players" in phone.get(f"/review/{review_id}/").text
    do(phone, review_id, "game", game="qwinto-cards")
    leave_nameless(phone, review_id)
    save(phone, review_id)


def test_a_sheet_that_was_photographed_twice_is_pointed_out(phone: Phone, tables: Tables) -> None:
    """First of all, at the sheets and beside the button."""
    review_id = read(phone, standin.picture(standin.CLEAN), standin.picture(standin.CLEAN))
    do(phone, review_id, "game", game="qwinto-dice")
    first, again = (sheet.id for sheet in look(tables, phone, review_id).sheets)
    page = phone.page(f"/review/{review_id}/?sheet={again}")
    assert "1 sheet twice, 2 names" in page.source
    assert page.source.index("Yes, keep one") < page.source.index("Whose sheets are these?")
    assert "wins" not in page.one(id="totals-title").text
    assert page.source.count("Photographed twice?") == 3
    assert "Sheets that look the same: 1, 2" in phone.post(f"/review/{review_id}/save").text
    leave_nameless(phone, review_id)
    for _ in range(2):  # a second tap removes nothing more
        do(phone, review_id, "keep", on=first, gone=f"{first} {again}")
    assert [one.id for one in look(tables, phone, review_id).sheets] == [first]
    assert refusal_of(phone.get(f"/review/{review_id}/sheet-{again}.jpg")).status == 404


def test_sheets_that_were_all_photographed_twice_are_one_question(
    phone: Phone, tables: Tables
) -> None:
    photos = [standin.picture(standin.THREE, height) for height in (120, 140)]
    review_id = read(phone, *photos, game="qwinto-dice")
    page = phone.page(f"/review/{review_id}/")
    assert page.source.count("Yes, keep one of each") == 1
    ids = [sheet.id for sheet in look(tables, phone, review_id).sheets]
    do(phone, review_id, "keep", on=ids[0], gone=" ".join(ids))
    assert [sheet.number for sheet in look(tables, phone, review_id).sheets] == [1, 2, 3]


def test_a_sheet_that_may_be_of_another_printing_is_asked_for_before_anything_else(
    phone: Phone, tables: Tables
) -> None:
    """Its photo beside the drawing; no leads to typing it in beside the photo."""
    review_id = read(phone, standin.picture(standin.ASKED))
    page = phone.page(f"/review/{review_id}/?sheet=1")
    assert page.source.count("Is this your sheet?") == 2
    assert page.faults() == []
    hidden = ("check-", "at-1-", "sheet-title", "whose")
    assert not [part for part in hidden if part in page.source]
    assert "Sheets to be confirmed: 2" in phone.post(f"/review/{review_id}/save").text
    do(phone, review_id, "edition", on="1")
    do(phone, review_id, "other", on="2")
    page = phone.page(f"/review/{review_id}/")
    assert "Is this your sheet?" not in page.source
    assert "check-1-orange.8" in page.source
    assert "This sheet is of another printing" in page.source
    (photo,) = look(tables, phone, review_id).photos
    do(phone, review_id, "add", photo=photo.id, kind="qwixx")
    assert [one.sheet for one in look(tables, phone, review_id).sheets] == ["qwinto", "qwixx"]
    assert not look(tables, phone, review_id).photos[0].troubles


def test_names_are_swapped_not_doubled(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.TWO))
    do(phone, review_id, "name", on="1", name="Ada")
    do(phone, review_id, "name", on="2", name="Ben")
    do(phone, review_id, "name", on="1", name="ben")
    assert [one.players for one in look(tables, phone, review_id).sheets] == [["Ben"], ["Ada"]]


def test_a_hostile_name_is_text(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.CLEAN))
    do(phone, review_id, "name", on="1", name="<b>Tom & Jerry</b>")
    page = phone.page(f"/review/{review_id}/")
    assert page.faults() == []
    assert "<b>Tom" not in page.source
    form = {"on": "1", "name": "x" * 25}
    answer = phone.post(f"/review/{review_id}/do/name", form, way="htmx")
    assert refusal_of(answer).code == "bad-name"


def test_a_tally_goes_on_on_the_next_pad(phone: Phone, tables: Tables) -> None:
    photos = [standin.picture(standin.TALLY, 120), standin.picture(standin.TALLY, 140)]
    review_id = read(phone, *photos)
    # The pads are numbered by their photos, whichever of them has been read first.
    first, second = (sheet.id for sheet in look(tables, phone, review_id).sheets)
    for sheet in (first, second):
        correct(phone, review_id, "round.2.player.1", "7", sheet)
    same = "The same players as on sheet 1"
    assert same not in phone.get(f"/review/{review_id}/?whose={second}.0").text
    for place, name in enumerate(("Ada", "Ben")):
        do(phone, review_id, "name", on=first, place=str(place), name=name)
    do(phone, review_id, "nameless", on=first, place="2")
    assert same in phone.get(f"/review/{review_id}/").text
    do(phone, review_id, "continue", on=second)
    assert same not in phone.get(f"/review/{review_id}/?whose={second}.0").text
    assert refusal_of(phone.post(f"/review/{review_id}/do/continue", {"on": second})).status == 404
    assert "Photographed twice?" in phone.get(f"/review/{review_id}/").text
    do(phone, review_id, "two", gone=second)
    play = tables.history.match(phone.device, save(phone, review_id))
    assert next((one.name, one.total) for one in play.ranking) == ("Ben", 82)


# Publishers' sheets, and sums on the paper


def test_a_publishers_sheet_is_named_and_asked_for_its_player(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.PUBLISHERS))
    for sheet in look(tables, phone, review_id).sheets:
        page = phone.page(f"/review/{review_id}/?sheet={sheet.id}")
        assert page.faults() == []
        assert "the sheet from the box" in page.one(id="sheet-title").text
        assert sheet.edition not in page.one(id="sheet-title").text
        size = f"0 0 {sheet.paper.width} {sheet.paper.height}"
        assert size in [svg.attrs.get("viewbox") for svg in page.all("svg")]
        do(phone, review_id, "name", on=sheet.id, name=f"Ada {sheet.id}")
    names = [one.players for one in look(tables, phone, review_id).sheets]
    assert names == [["Ada 1"], ["Ada 2"], ["Ada 3"]]
    own = read(phone, standin.picture(standin.CLEAN))
    page = phone.page(f"/review/{own}/?sheet=1")
    assert "publisher" not in page.source


def remarks(page: Page) -> list[str]:
    return [
        one.text.strip() for one in page.having("data-show") if "claim" in str(one.attrs["class"])
    ]


def test_the_papers_own_sums_are_held_against_the_counted_ones(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.SUMMED))
    page = phone.page(f"/review/{review_id}/?sheet=1")
    assert page.faults() == []
    assert remarks(page) == ["Purple: you wrote 9, it is 6.", "Total: you wrote 46, it is 43."]
    marks = {str(one.attrs["data-field"]): one for one in page.all("g", role="img")}
    assert list(marks) == [
        "sum.orange",
        "sum.yellow",
        "sum.purple",
        "sum.failed",
        "sum.total",
    ]
    assert "right" in str(marks["sum.orange"].attrs["class"])
    assert marks["sum.orange"].attrs["aria-label"] == "Orange: 4, as you wrote."
    assert marks["sum.total"].text.strip() == "=43"
    # A field was misread, so the row was right.
    correct(phone, review_id, "purple.9", "13")
    page = phone.page(f"/review/{review_id}/?sheet=1")
    assert remarks(page) == ["Purple: you wrote 9, it is 7.", "Total: you wrote 46, it is 44."]
    do(phone, review_id, "misread", on="1", sum="sum.purple")
    page = phone.page(f"/review/{review_id}/?sheet=1")
    assert remarks(page) == ["Total: you wrote 46, it is 44."]
    tally = phone.page(f"/review/{review_id}/?sheet=2")
    assert remarks(tally) == ["Total, Column 2: you wrote 42, it is 41."]


def test_fields_that_were_read_by_the_written_sums_are_told(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.PUBLISHERS))
    told = "2 fields are read so that the written sums are right."
    assert told in phone.get(f"/review/{review_id}/").text
    page = phone.page(f"/review/{review_id}/?sheet=1")
    assert page.faults() == []
    assert remarks(page)[0] == told
    assert [one.attrs["data-show"] for one in page.having("data-show") if told in one.text] == [
        "G7 column.G.later"
    ]
    correct(phone, review_id, "G7", "false")
    page = phone.page(f"/review/{review_id}/?sheet=1")
    assert "1 field is read so that the written sums are right." in remarks(page)
    do(phone, review_id, "looked", on="1")
    assert "read so that" not in phone.get(f"/review/{review_id}/?sheet=1").text


def test_a_wrong_sum_is_told_in_the_standings_and_beside_save(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.MISREAD))
    page = phone.page(f"/review/{review_id}/")
    assert page.faults() == []
    assert "Total: 48 written, 43 counted" in page.source
    assert "which game, 2 sums differ" in page.source
    correct(phone, review_id, "failed.2", "false")
    page = phone.page(f"/review/{review_id}/")
    assert "counted" not in page.source and "differ" not in page.source
