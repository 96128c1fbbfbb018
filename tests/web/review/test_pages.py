"""A review's pages: its sheets drawn, looked over, named and saved, alone and at a table."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from companion.core.edition import OWN
from companion.games.catalog import SHEETS
from companion.games.editions import editions
from companion.paper.review import Review
from companion.tables import Tables, quotas
from companion.web.review.sheet_view import CROP_SHAPE, SheetView
from lab.history import paper
from lab.names import NAMES
from lab.pages import Page
from lab.phones import Phone, refusal_of
from lab.photos import standin
from lab.photos.sending import correct, do, leave_nameless, look, read, save
from lab.tables import party


def test_a_sheet_that_was_photographed_twice_is_pointed_out(phone: Phone, tables: Tables) -> None:
    """It is said first of all, at the sheets and beside the button."""
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


def test_an_empty_pad_beside_a_written_one_is_left_out(phone: Phone, tables: Tables) -> None:
    """It would keep the game from being saved; a photo of empty pads alone keeps them."""
    review_id = read(phone, standin.picture(standin.HALF_BLANK))
    review = look(tables, phone, review_id)
    assert [sheet.is_blank for sheet in review.sheets] == [False]
    page = phone.page(f"/review/{review_id}/").source
    assert "A sheet in this photo is empty, so it was left out." in page
    assert "Nothing is written here yet" not in page


def test_a_column_of_a_sheet_with_several_is_framed(phone: Phone, tables: Tables) -> None:
    """It comes first in the picture, and the other columns are other players'."""
    review = Review()
    for _ in range(2):
        review.add("kniffel", "kniffel", edition="schmidt", has_picture=True)
    review_id = tables.reviews.make(phone.device, review.dump())
    [frame] = phone.page(f"/review/{review_id}/").all("svg", **{"class": "crop"})
    assert frame.attrs["aria-label"] == "Sheet 1"


def test_a_sheet_that_may_be_of_another_printing_is_asked_for_before_anything_else(
    phone: Phone, tables: Tables
) -> None:
    """Its photo beside the drawing; no leads to typing it in beside the photo."""
    review_id = read(phone, standin.picture(standin.ASKED))
    page = phone.page(f"/review/{review_id}/?sheet=1")
    assert page.source.count("Is this your sheet?") == 2
    hidden = ("check-", "at-1-", "sheet-title", "whose")
    assert not [part for part in hidden if part in page.source]
    assert "Sheets to confirm: 2" in phone.post(f"/review/{review_id}/save").text
    do(phone, review_id, "edition", on="1")
    do(phone, review_id, "other_printing", on="2")
    page = phone.page(f"/review/{review_id}/")
    assert "Is this your sheet?" not in page.source
    assert "check-1-orange.8" in page.source
    assert "This sheet is a different printing" in page.source
    (photo,) = look(tables, phone, review_id).photos
    do(phone, review_id, "add", photo=photo.id, kind="qwixx")
    assert [one.sheet for one in look(tables, phone, review_id).sheets] == ["qwinto", "qwixx"]
    assert not look(tables, phone, review_id).photos[0].troubles


def test_a_hostile_name_is_text_beside_the_line_on_the_paper(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.TWO))
    do(phone, review_id, "game", game="qwinto-cards")
    for sheet in ("1", "2"):
        do(phone, review_id, "name", on=sheet, name=f"<b>Tom & Jerry</b> {sheet}")
    page = phone.page(f"/review/{review_id}/?whose=2.0")
    assert "<b>Tom" not in page.source
    assert len(page.all("svg", **{"class": "name-line"})) == 2
    form = {"on": "1", "name": "x" * 25}
    answer = phone.post(f"/review/{review_id}/do/name", form, way="htmx")
    assert refusal_of(answer).code == "bad-name"


# Publishers' sheets, and sums on the paper


def test_a_publishers_sheet_is_named_and_asked_for_its_player(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.PUBLISHERS))
    for sheet in look(tables, phone, review_id).sheets:
        page = phone.page(f"/review/{review_id}/?sheet={sheet.id}")
        assert "the sheet from the box" in page.one(id="sheet-title").text
        assert sheet.edition not in page.one(id="sheet-title").text
        size = f"0 0 {sheet.paper.width} {sheet.paper.height}"
        assert size in [svg.attrs.get("viewbox") for svg in page.all("svg")]
        do(phone, review_id, "name", on=sheet.id, name=f"Ada {sheet.id}")
    names = [one.players for one in look(tables, phone, review_id).sheets]
    assert names == [["Ada 1"], ["Ada 2"], ["Ada 3"]]


def test_the_papers_own_sums_are_held_against_the_counted_ones(phone: Phone) -> None:
    def shown(sheet: int = 1) -> tuple[Page, list[str]]:
        """The page of a sheet, and its remarks."""
        page = phone.page(f"/review/{review_id}/?sheet={sheet}")
        rows = [one for one in page.having("data-show") if "claim" in str(one.attrs["class"])]
        return page, [row.text.strip() for row in rows]

    review_id = read(phone, standin.picture(standin.SUMMED))
    page, remarks = shown()
    assert remarks == ["Purple: you wrote 9, but it is 6.", "Total: you wrote 46, but it is 43."]
    marks = {str(one.attrs["data-field"]): one for one in page.all("g", role="img")}
    assert len(marks) == 5
    assert "right" in str(marks["sum.orange"].attrs["class"])
    assert marks["sum.orange"].attrs["aria-label"] == "Orange: 4, as you wrote."
    assert marks["sum.total"].text.strip() == "=43"
    # A field was misread, so the row was right.
    correct(phone, review_id, "purple.9", "13")
    assert shown()[1] == ["Purple: you wrote 9, but it is 7.", "Total: you wrote 46, but it is 44."]
    do(phone, review_id, "misread", on="1", sum="sum.purple")
    assert shown()[1] == ["Total: you wrote 46, but it is 44."]
    assert shown(2)[1] == ["Total, Column 2: you wrote 42, but it is 41."]


def test_players_continue_from_the_menu_and_viewers_do_not(app: Flask, tables: Tables) -> None:
    made, label = party(app, tables, "lobby"), "Check the sheets"

    def menu(phone: Phone) -> Page:
        return phone.page(f"{made.path}menu", way="htmx")

    assert label not in menu(made.host).source
    review_id = read(made.host, standin.picture(standin.TWO), table=made.id)
    own = read(made.host, standin.picture(standin.CLEAN))
    for phone in (made.host, made.player):
        assert menu(phone).all("a", href=f"/review/{review_id}/")
    assert f"/review/{review_id}/" in made.player.get("/photo").text
    assert made.player.get(f"/review/{review_id}/").status_code == 200
    assert own not in made.player.get("/photo").text
    assert refusal_of(made.player.get(f"/review/{own}/")).status == 404
    assert label not in menu(made.viewer).source
    for other in (made.viewer, made.stranger):
        assert review_id not in other.get("/photo").text
        assert refusal_of(other.get(f"/review/{review_id}/")).status == 404
        for verb in ("save", "discard", "do/checked"):
            assert refusal_of(other.post(f"/review/{review_id}/{verb}")).status == 404
    # With two of them, the menu leads to the list.
    another = read(made.player, standin.picture(standin.CLEAN), table=made.id)
    (link,) = [one for one in menu(made.player).all("a") if one.text == label]
    path, _, place = str(link.attrs["href"]).partition("#")
    assert place == "open"
    listed = made.player.get(path).text
    assert f"/review/{review_id}/" in listed and f"/review/{another}/" in listed


def test_a_player_saves_and_the_device_that_began_has_the_game_too(
    app: Flask, tables: Tables
) -> None:
    made = party(app, tables, "lobby")
    review_id = read(made.host, standin.picture(standin.CLEAN), table=made.id, keep="on")
    assert made.player.get(f"/review/{review_id}/sheet-1.jpg").status_code == 200
    do(made.player, review_id, "game", game="qwinto-cards")
    assert "Say whose sheet it is" in made.player.post(f"/review/{review_id}/save").text
    do(made.player, review_id, "nameless", on="1", place="0")
    for name in NAMES:
        do(made.player, review_id, "did_not_play", player=name)
    match_id = save(made.player, review_id)
    # The review's address leads to the game on both, and each changes and deletes its own copy.
    for phone in (made.player, made.host):
        shown = phone.get(f"/review/{review_id}/")
        assert shown.location.endswith(f"/history/{match_id}")
        page = phone.page(shown.location)
        (photo,) = {str(img.attrs["src"]) for img in page.all("img") if "/photo/" in str(img.attrs)}
        assert phone.get(photo).status_code == 200
    made.player.post(f"/history/{match_id}/link")
    assert "/unlink" in made.player.get(f"/history/{match_id}").text
    assert "/unlink" not in made.host.get(f"/history/{match_id}").text, "it has no link to its copy"
    assert made.player.post(f"/history/{match_id}/delete").status_code == 303
    assert refusal_of(made.player.get(f"/history/{match_id}")).status == 404
    assert made.host.get(f"/history/{match_id}").status_code == 200


def test_a_player_saves_nothing_for_a_device_without_room(
    app: Flask, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That device can save it itself."""
    made = party(app, tables, "lobby", ("Ada",))
    form = {"game": "qwinto-cards", "table": made.id, "names": "Ada"}
    review_id = made.host.post("/by-hand", form).location.split("/")[-2]
    made.host.post(f"/review/{review_id}/1/failed.1", {"value": "true"})
    paper(tables, made.host.device, "Ada")
    monkeypatch.setattr(quotas, "MOST_WITH_COPIES", 1)
    refusal = refusal_of(made.player.post(f"/review/{review_id}/save"))
    assert (refusal.status, tables.history.matches(made.player.device).count) == (429, 0)
    assert save(made.host, review_id) == review_id


def test_two_devices_at_once_lose_no_answer(app: Flask, tables: Tables) -> None:
    made = party(app, tables, "lobby")
    review_id = read(made.host, standin.picture(standin.CLEAN), table=made.id)
    rows = {made.host: "orange", made.player: "purple"}

    def answer(device: Phone) -> None:
        for place in range(1, 10):
            correct(device, review_id, f"{rows[device]}.{place}", str(place))

    with ThreadPoolExecutor() as threads:
        list(threads.map(answer, rows))
    for value in ("1", "2"):
        correct(made.player, review_id, "yellow.1", value)
    marks = look(tables, made.host, review_id).sheets[0].marks
    for row in rows.values():
        assert [marks[f"{row}.{place}"] for place in range(1, 10)] == list(range(1, 10))
    assert marks["yellow.1"] == 2, "the last answer counts"


PRINTINGS = [(kind.name, board, OWN) for kind in SHEETS.values() for board in kind.every_board] + [
    (made.sheet.name, made.sheet.usual_board, made.name) for made in editions()
]


@pytest.mark.parametrize(("kind", "board", "edition"), PRINTINGS)
def test_a_crop_shows_its_field_and_nothing_beyond_the_picture(
    kind: str, board: str, edition: str
) -> None:
    review = Review()
    sheet = review.add(kind, board, edition=edition, has_picture=True)
    view = SheetView("", review.games[0], sheet)
    for field in view.fields.values():
        crop, (width, height) = view.crop(field), view.size
        assert crop.width == pytest.approx(CROP_SHAPE * crop.height)
        assert crop.x >= 0 and crop.x + crop.width <= width + 1e-9
        assert crop.y >= 0 and crop.y + crop.height <= height + 1e-9
        assert crop.x <= field.box.x and crop.x + crop.width >= field.box.x + field.box.width
        assert crop.y <= field.box.y and crop.y + crop.height >= field.box.y + field.box.height


def test_a_game_that_is_already_in_the_history_can_be_thrown_away(
    phone: Phone, tables: Tables
) -> None:
    def begin() -> str:
        review = Review(game="qwinto-dice")
        for name, mark in (("Ada", 4), ("Ben", 7)):
            sheet = review.add("qwinto", "")
            sheet.set("orange.1", mark)
            sheet.set_name(0, name)
        return tables.reviews.make(phone.device, review.dump())

    assert phone.post(f"/review/{begin()}/save").status_code == 303
    again = begin()
    page = Page(phone.post(f"/review/{again}/save").text)
    assert page.all("a", href=f"/review/{again}/discard")
