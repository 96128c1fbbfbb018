"""A ruled table's review: its columns are named, its sums checked, its totals or rounds saved."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.tables import Tables
from companion.tables.history import FinishedMatch
from lab.phones import Phone
from lab.photos import standin
from lab.photos.sending import correct, do, look, read

NAMES = ("Ada", "Ben", "Cleo")


def looked_through(phone: Phone, width: int = standin.TABLE) -> str:
    """A review in which only the row of totals is still to be chosen."""
    review_id = read(phone, standin.picture(width))
    do(phone, review_id, "game", title="Wizard", wins="highest")
    for place, name in enumerate(NAMES):
        do(phone, review_id, "name", on="1", place=str(place), name=name)
    correct(phone, review_id, "row.1.column.2", "7")
    return review_id


def saved(phone: Phone, tables: Tables, review_id: str) -> FinishedMatch:
    answer = phone.post(f"/review/{review_id}/save")
    assert answer.status_code == 303, answer.text
    return tables.history.match(phone.device, review_id)


def test_a_table_asks_for_names_and_game_and_checks_its_sums(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.TABLE))
    page = phone.page(f"/review/{review_id}/")
    assert page.faults() == []
    assert "3 names, 1 field, which game" in page.source
    assert "You wrote 53, but it is 52." in page.source
    chosen = [option.text for option in page.all("option") if "selected" in option.attrs]
    assert "Totals of row 4" in chosen
    assert "Freaky" not in [label.text.strip() for label in page.all("label")]
    assert len(page.all("image", href=f"/review/{review_id}/sheet-1.jpg")) >= 2
    dialog = phone.page(f"/review/{review_id}/1/row.2.column.3")
    assert "Row 2" in dialog.source
    assert "Say whose sheets they are" in phone.post(f"/review/{review_id}/save").text


def test_the_column_that_is_asked_for_is_framed(phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.TABLE))
    places = set()
    for place in range(len(NAMES)):
        page = phone.page(f"/review/{review_id}/?whose=1.{place}")
        [frame] = page.all("svg", **{"aria-label": f"Column {place + 1}"})
        after = page.elements[page.elements.index(frame) :]
        rect = next(element.attrs for element in after if element.tag == "rect")
        assert float(rect["height"] or 0) > float(rect["width"] or 0)
        places.add(rect["x"])
    assert len(places) == len(NAMES)


def test_its_totals_are_saved_as_they_add_up(phone: Phone, tables: Tables) -> None:
    review_id = looked_through(phone)
    match = saved(phone, tables, review_id)
    assert (match.game.title, match.source) == ("Wizard", "photo")
    players = [(one.name, one.total, one.won, one.sheet) for one in match.ranking]
    assert players == [("Ben", 52, True, None), ("Cleo", 47, False, None), ("Ada", 37, False, None)]
    assert "Ben wrote 53 on the paper, but it is 52." in match.notes


def test_its_rows_are_saved_as_rounds(phone: Phone, tables: Tables) -> None:
    review_id = looked_through(phone)
    do(phone, review_id, "game", title="Wizard", wins="highest", **{"row.1": "0"})
    match = saved(phone, tables, review_id)
    sheets = {one.name: one.sheet or {} for one in match.players}
    assert [sheets[name]["rounds"] for name in NAMES] == [
        [[12], [5], [20]],
        [[7], [45], [0]],
        [[30], [8], [9]],
    ]
    assert phone.page(f"/history/{match.id}").faults() == []


def test_what_its_dashes_stand_for_is_asked_once(phone: Phone, tables: Tables) -> None:
    review_id = looked_through(phone)
    do(phone, review_id, "game", title="Wizard", wins="highest", **{"row.1": "0"})

    def pressed() -> list[str]:
        page = phone.page(f"/review/{review_id}/")
        assert page.faults() == []
        buttons = page.all("button", name="mark", **{"aria-pressed": "true"})
        return [button.text.strip() for button in buttons]

    assert pressed() == ["0 points"]
    do(phone, review_id, "dashes", on="1", mark="")
    assert pressed() == ["nothing"]
    (ben,) = (one for one in saved(phone, tables, review_id).players if one.name == "Ben")
    assert (ben.sheet or {})["rounds"] == [[7], [45], [None]]


def test_without_a_row_of_sums_somebody_says_where_the_totals_are(
    phone: Phone, tables: Tables
) -> None:
    review_id = looked_through(phone, standin.UNSUMMED)
    assert "Choose …" in phone.page(f"/review/{review_id}/").source
    assert "Say which row has the totals." in phone.post(f"/review/{review_id}/save").text
    do(phone, review_id, "game", title="Wizard", wins="highest", **{"row.1": "2"})
    assert [one.total for one in saved(phone, tables, review_id).ranking] == [45, 8, 5]


@pytest.mark.parametrize("row", ["", "5", "-1", "x", "9999"])
def test_a_row_that_is_not_there_is_refused(phone: Phone, tables: Tables, row: str) -> None:
    review_id = read(phone, standin.picture(standin.TABLE))
    form = {"title": "Wizard", "wins": "highest", "row.1": row}
    answer = phone.post(f"/review/{review_id}/do/game", form)
    assert answer.status_code == 404
    assert look(tables, phone, review_id).sheets[0].board == "4x3x1x1"


def test_a_game_begun_on_paper_continues_at_a_table(app: Flask, phone: Phone) -> None:
    review_id = looked_through(phone)
    answer = phone.post(f"/review/{review_id}/play")
    assert answer.status_code == 303, answer.text
    page = phone.page(answer.location)
    assert all(name in page.source for name in NAMES)
    assert phone.post(f"/review/{review_id}/play").location == answer.location, "a double tap"


def test_a_table_of_any_game_asks_who_wins_before_it_names_a_winner(
    phone: Phone, tables: Tables
) -> None:
    review_id = looked_through(phone)
    answer = phone.post(f"/review/{review_id}/do/game", {"game": "rounds", "shown": "1"})
    assert "Say who wins." in answer.text
    do(phone, review_id, "game", game="rounds", wins="highest")
    assert "Ben wins" in phone.page(f"/review/{review_id}/").source
    do(phone, review_id, "game", game="rounds", wins="lowest")
    assert "Ada wins" in phone.page(f"/review/{review_id}/").source
    match = saved(phone, tables, review_id)
    assert (match.game.lowest_wins, match.ranking[0].name) == (True, "Ada")
    other = looked_through(phone)
    unknown = {"title": "Eleven", "shown": "1"}
    answer = phone.post(f"/review/{other}/do/game", unknown, way="htmx")
    assert 'data-field="wins"' in answer.text
    do(phone, other, "game", title="Skyjo", shown="1")  # a known game says itself who wins
    assert "Ada wins" in phone.page(f"/review/{other}/").source
    answer = phone.post(f"/review/{other}/do/game", {"title": "Qwixx", "shown": "1"}, way="htmx")
    assert 'data-field="title"' in answer.text


def test_a_photo_taken_at_a_table_is_of_its_title_and_winner(phone: Phone, tables: Tables) -> None:
    table = tables.create(phone.device, "rounds")
    for name, value in (("title", "Skyjo"), ("lowest", "True")):
        phone.post(f"/t/{table}/do/game", {"game": "rounds", f"option.{name}": value})
    review_id = read(phone, standin.picture(standin.TABLE), table=table)
    assert look(tables, phone, review_id).games[0].played == "other/lowest/Skyjo"


def test_a_column_of_no_player_is_left_out_and_included_again(phone: Phone, tables: Tables) -> None:
    """Nothing in it counts or is asked about: row numbers, pictures, an empty column."""
    review_id = read(phone, standin.picture(standin.TABLE))
    do(phone, review_id, "game", title="Wizard", wins="highest")
    do(phone, review_id, "drop", on="1", place="1")  # the one with an unsure number
    for place, name in ((0, "Ada"), (2, "Cleo")):
        do(phone, review_id, "name", on="1", place=str(place), name=name)
    page = phone.page(f"/review/{review_id}/?whose=1.1")
    assert page.faults() == []
    assert len(page.all("rect", **{"class": "left-out"})) == 1
    assert "You wrote 53, but it is 52." not in page.source
    do(phone, review_id, "drop", on="1", place="1", back="1")
    assert "1 name, 1 field" in phone.page(f"/review/{review_id}/").source
    do(phone, review_id, "drop", on="1", place="1")
    match = saved(phone, tables, review_id)
    assert [(one.name, one.total) for one in match.ranking] == [("Cleo", 47), ("Ada", 37)]


def test_the_whole_photo_shows_what_was_read(phone: Phone) -> None:
    """So that people see when a column is missing."""
    review_id = read(phone, standin.picture(standin.TABLE))
    page = phone.page(f"/review/{review_id}/")
    assert "4 rows and 3 columns read" in page.source
    assert len(page.all("polygon", **{"class": "fine"})) == 1
