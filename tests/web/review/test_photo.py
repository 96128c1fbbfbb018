"""Score by photo: sending, sheets typed in by hand, what goes wrong, and what is refused."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from PIL import Image

from companion.games.catalog import GAMES
from companion.limits import USUAL
from companion.paper import review
from companion.paper.photos import sending
from companion.tables import Tables
from companion.tables.photos import reviews
from companion.tables.photos.reviews import LIFETIME_MS, MOST_REVIEWS
from companion.vision.worker.pool import CANCELLED, Job, Readers
from companion.web.review import photo
from lab.pages import Page
from lab.patience import until
from lab.phones import Phone, refusal_of
from lab.photos import standin
from lab.photos.sending import (
    correct,
    do,
    leave_nameless,
    look,
    read,
    reading_app,
    save,
    send,
    wait,
)
from lab.tables import Party, party
from lab.wide import examples


@pytest.mark.parametrize("is_here", [True, False])
def test_the_page_accepts_no_photos_without_a_reader(
    phone: Phone, monkeypatch: pytest.MonkeyPatch, is_here: bool
) -> None:
    if not is_here:
        monkeypatch.setitem(sys.modules, "cv2", None)
    shown = phone.get("/photo").text
    assert Page(shown).faults() == []
    assert ("is not set up on this computer" in shown) != is_here
    assert ('type="file"' in shown) == is_here
    assert ("box of Qwinto, Encore!, Qwixx and Kniffel, and any table" in shown) == is_here


def test_the_sender_of_a_photo_decides_its_turn(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its address, and whether its device sits at a table or has saved a game."""
    sent: list[tuple[bool, str]] = []

    def submit(_readers: Readers, job: Job) -> None:
        job.file.close()
        sent.append((job.is_stranger, job.network))
        job.done(CANCELLED)

    monkeypatch.setattr(Readers, "submit", submit)
    send(phone, standin.picture(standin.NOTHING))
    phone.post("/tables", {"game": "qwixx"})
    send(phone, standin.picture(standin.NOTHING))
    network = phone.address.replace("::1", "::/64")
    assert sent == [(True, network), (False, network)]


def test_open_reviews_are_shown_with_a_picture_and_thrown_away_together(
    phone: Phone, tables: Tables, app: Flask
) -> None:
    made = party(app, tables, "lobby")
    theirs = read(made.host, standin.picture(standin.CLEAN), table=made.id)
    mine = [read(made.player, standin.picture(width)) for width in (standin.ONE, standin.NOTHING)]
    page = made.player.page("/photo")
    pictures = {str(image.attrs["src"]) for image in page.all("img")}
    assert f"/review/{theirs}/sheet-1.jpg" in pictures
    assert all(made.player.get(picture).mimetype == "image/jpeg" for picture in pictures)
    named = [str(one.attrs["value"]) for one in page.all("input", name="review")]
    assert sorted(named) == sorted(mine)  # and not what others of the table have begun
    gone = {"review": [*named, "gone-already"]}
    assert made.player.post("/photo/discard", gone).location == "/photo"
    assert [one.id for one in tables.reviews.of_device(made.player.device)] == [theirs]


# By hand


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_typed_in(phone: Phone, tables: Tables, game: str) -> None:
    sheet = GAMES[game].sheet
    board = sheet.every_board[-1]
    form = {"game": game, f"board.{sheet.name}": board, "names": "Ada, Ben"}
    review_id = phone.post("/by-hand", form).location.split("/")[2]
    review = look(tables, phone, review_id)
    assert {one.board for one in review.sheets} == {board}
    for one in review.sheets:
        phone.page(f"/review/{review_id}/?sheet={one.id}")
        field = next(iter(one.marks))
        kind = one.fields[field].kind
        correct(phone, review_id, field, "true" if kind == "cross" else "5", one.id)
        shown = phone.get(f"/review/{review_id}/{one.id}/{field}", way="htmx")
        assert Page(shown.text).faults() == []
    save(phone, review_id)


def test_an_answered_question_is_not_repeated(phone: Phone, tables: Tables) -> None:
    """The game that was chosen, and names that another sheet has: they were beside its tab."""
    form = {"game": "qwinto-cards", "names": "Ada\nBen"}
    review_id = phone.post("/by-hand", form).location.split("/")[2]
    page = phone.page(f"/review/{review_id}/")
    assert "Which game was it?" not in page.source
    assert "Qwinto: the card game" in page.one("section", **{"class": "panel totals"}).text
    assert not page.all("div", **{"class": "free-names"})
    page = phone.page(f"/review/{review_id}/?whose=1.0")
    assert page.one("div", **{"class": "free-names"}).text.split() == ["Ben"]
    swap = [button.attrs.get("aria-label") for button in page.all("button")]
    assert "Ben, swapped with Sheet 2" in swap
    # A photo says which sheet it is, but not which of its games was played.
    review_id = read(phone, standin.picture(standin.CLEAN))
    assert "Which game was it?" in phone.page(f"/review/{review_id}/").source
    do(phone, review_id, "game", game="qwinto-cards")
    leave_nameless(phone, review_id)
    save(phone, review_id)
    # The next time the last answer is chosen already, and can be changed.
    review_id = read(phone, standin.picture(standin.CLEAN))
    assert chosen_game(phone, review_id) == ["Qwinto: the card game"]
    do(phone, review_id, "game", game="qwinto-dice")
    assert chosen_game(phone, review_id) == ["Qwinto"]


def chosen_game(phone: Phone, review_id: str) -> list[str]:
    page = phone.page(f"/review/{review_id}/")
    assert "Which game was it?" not in page.source
    choices = page.all("button", name="game")
    return [choice.text for choice in choices if choice.attrs["aria-pressed"] == "true"]


def test_a_table_knows_its_game_and_names(app: Flask, tables: Tables) -> None:
    made = party(app, tables, "lobby")
    page = made.host.page(f"/photo?table={made.id}")
    assert "Tim, Sarah, Linus" in page.source
    review_id = read(made.host, standin.picture(standin.TWO), table=made.id)
    review = look(tables, made.host, review_id)
    assert review.games[0].played == "qwinto-dice"
    assert not any(one.player() for one in review.sheets), "names are offered, not laid on"
    page = made.host.page(f"/review/{review_id}/")
    offered = page.one("div", **{"class": "free-names"}).text.split()
    assert offered == ["Tim", "Sarah", "Linus"]
    viewer = made.viewer.get(f"/photo?table={made.id}")
    stranger = made.stranger.get(f"/photo?table={made.id}")
    assert (refusal_of(viewer).status, refusal_of(stranger).status) == (403, 403)


def test_ways_to_a_photo(app: Flask, tables: Tables, phone: Phone) -> None:
    assert "/photo" in [one.attrs["href"] for one in phone.page("/").all("a")]
    for phase in ("lobby", "playing", "over"):
        made: Party = party(app, tables, phase)
        where = made.path if phase == "lobby" else f"{made.path}menu"
        assert f"/photo?table={made.id}" in made.host.get(where).text
        assert f"/photo?table={made.id}" not in made.viewer.get(where).text


@pytest.mark.parametrize("is_apart", [False, True])
def test_the_date_is_that_of_the_photo(phone: Phone, tables: Tables, is_apart: bool) -> None:
    """The page may have made the photo smaller, without its date: then it sends its beginning."""
    photo, dated, exif = standin.picture(standin.CLEAN), io.BytesIO(), Image.Exif()
    exif[0x0132] = "2025:03:01 20:15:30"
    with Image.open(io.BytesIO(photo)) as picture:
        picture.save(dated, "JPEG", exif=exif)
    files = {"photo": photo, "head": dated.getvalue()} if is_apart else {"photo": dated.getvalue()}
    form = {name: (io.BytesIO(file), name) for name, file in files.items()}
    answer = phone.post("/upload/new", form, content_type="multipart/form-data")
    review_id = answer.location.split("/")[2]
    assert "Played on March 1, 2025" in wait(phone, review_id).source
    do(phone, review_id, "game", game="qwinto-cards")
    leave_nameless(phone, review_id)
    match = tables.history.match(phone.device, save(phone, review_id))
    assert f"{match.ended_at.astimezone():%Y-%m-%d %H:%M:%S}" == "2025-03-01 20:15:30"


# What goes wrong


def test_progress_says_nothing_until_the_reading_ends_or_is_stopped(
    phone: Phone, tables: Tables
) -> None:
    answer = send(phone, standin.picture(standin.SLOW), way="htmx")
    assert answer.status_code == 204
    review_id = answer.headers["HX-Redirect"].split("/")[2]
    path = f"/review/{review_id}/"
    assert until(lambda: "is being read" in phone.get(path, way="htmx").text)
    page = phone.page(path)
    asked = page.one(id="progress").attrs
    assert asked["hx-trigger"] == "every 1s"
    assert phone.get(str(asked["hx-get"]), way="htmx").status_code == 204
    assert phone.get(f"{path}progress?version=0", way="htmx").status_code == 200
    photo = page.one("input", name="photo", type="hidden").attrs["value"] or ""
    # The form keeps its id through redraws: htmx drops a request that waits for its form's turn.
    assert phone.page(path).one("form", id=f"stop-{photo}")
    do(phone, review_id, "cancel", photo=photo)
    assert look(tables, phone, review_id).photos == []
    assert refusal_of(phone.post(f"{path}do/cancel", {"photo": photo})).status == 404
    assert not phone.page(path).all(id="progress"), "nothing is read any more"
    phone.post(f"{path}discard")
    assert refusal_of(phone.get(f"{path}progress", way="htmx")).status == 404


def test_a_photo_that_nobody_reads_any_more_is_reported(
    phone: Phone, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server was restarted while it read."""
    answer = send(phone, standin.picture(standin.SLOW))
    review_id = answer.location.split("/")[2]
    monkeypatch.setattr(sending, "LOST_MS", -1)
    readers = phone.app.extensions["readers"]
    monkeypatch.setattr(readers, "has", lambda _id: False)
    assert "was not read" in phone.get(f"/review/{review_id}/").text
    monkeypatch.undo()
    readers.cancel(look(tables, phone, review_id).photos[0].id)


# Who may, and how much


def test_a_review_is_its_devices_alone(phone: Phone, app: Flask) -> None:
    review_id = read(phone, standin.picture(standin.CLEAN))
    path, other = f"/review/{review_id}/", Phone(app)
    looks = ("", "progress", "sheet-1.jpg", "1/orange.1", "discard")
    changes = ("1/orange.1", "do/remove", "save", "discard")
    for answer in (
        *(other.get(path + part) for part in looks),
        *(other.post(path + part, {"value": "5", "on": "1"}) for part in changes),
        send(other, standin.picture(standin.CLEAN), to=f"/upload/{review_id}"),
    ):
        assert refusal_of(answer).status == 404
    assert phone.page(path)


@pytest.mark.parametrize("is_late", [False, True])
def test_nothing_is_left_of_a_review_that_is_thrown_away_or_a_day_old(
    tmp_path: Path, is_late: bool
) -> None:
    late = 0.0
    with reading_app(tmp_path, lambda: time.time() + late) as (app, tables):
        phone = Phone(app)
        review_id = read(phone, standin.picture(standin.TWO), keep="on")
        with closing(sqlite3.connect(tmp_path / "photos.sqlite3")) as connection:
            count = "SELECT count(*) FROM review_pictures"
            assert connection.execute(count).fetchone() > (0,)
            if is_late:
                late = LIFETIME_MS / 1000 + 1
                assert refusal_of(phone.get(f"/review/{review_id}/")).status == 404
                tables.reviews.sweep()
                late = 0.0
            else:
                assert phone.post(f"/review/{review_id}/discard").status_code == 303
            assert connection.execute(count).fetchone() == (0,)
        assert refusal_of(phone.get(f"/review/{review_id}/")).status == 404


def test_the_reviews_of_a_device_are_limited(phone: Phone) -> None:
    forms = [{"game": "encore", "names": f"Ada {n}"} for n in range(MOST_REVIEWS + 1)]
    for form in forms[1:]:
        assert phone.post("/by-hand", form).status_code == 303
    assert refusal_of(phone.post("/by-hand", forms[0])).status == 429


def test_a_photo_that_brings_too_many_sheets_is_reported(phone: Phone) -> None:
    review_id = read(phone, *[standin.picture(standin.MANY)] * 5)
    assert "24 sheets" in phone.get(f"/review/{review_id}/").text


def test_the_pages_of_a_scan_are_photos_beside_the_others(phone: Phone, tables: Tables) -> None:
    scan = standin.scan(standin.CLEAN, standin.NOTHING, standin.TWO)
    review_id = read(phone, scan, standin.picture(standin.CLEAN))
    review = look(tables, phone, review_id)
    first, *further, last = (photo.id for photo in review.photos)
    assert further == [f"{first}-2", f"{first}-3"]
    assert [sheet.photo for sheet in review.sheets] == [first, *further[1:] * 2, last]
    phone.page(f"/review/{review_id}/")
    picture = phone.get(f"/review/{review_id}/{review.photos[1].kept_name}.jpg")
    assert picture.mimetype == "image/jpeg"


def test_photos_in_one_request_are_counted(phone: Phone) -> None:
    answer = send(phone, *[b"x"] * (photo.MOST_AT_ONCE + 1))
    assert refusal_of(answer).status == 429
    assert refusal_of(phone.post("/upload/new", way="htmx")).code == "no-photo"


def test_a_photo_for_which_there_is_no_room_is_reported(
    phone: Phone, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(photo: bytes = standin.picture(standin.CLEAN)) -> str:
        review_id = read(phone, photo)
        (sent,) = look(tables, phone, review_id).photos
        phone.page(f"/review/{review_id}/")
        monkeypatch.undo()
        assert sent.state == "failed"
        return str(sent.troubles[0]["code"])

    monkeypatch.setattr(sending, "MAX_PHOTO_BYTES", 1000)
    assert refused(bytes(1001)) == "too-many-bytes"
    full = replace(USUAL, waiting_photo_bytes=10)
    monkeypatch.setattr(phone.app.extensions["readers"], "_limits", full)
    assert refused() == "too-many-photos"
    monkeypatch.setattr(reviews, "MOST_PICTURE_BYTES", 10)
    assert refused() == "too-many-reviews"
    monkeypatch.setattr(review, "MOST_PHOTOS", 2)
    assert refused(standin.scan(*[standin.CLEAN] * 3)) == "too-many-photos"


# A photo in which something was not read


def test_unread_places_are_marked_in_the_photo(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.REFUSED))
    page = phone.page(f"/review/{review_id}/")
    panel = page.one("section", **{"class": "panel trouble has-picture"})
    said = " ".join(panel.text.split())
    assert "1 2 2 sheets: A sheet is only partly in the photo. 3 A sheet is too curled." in said
    assert page.source.count("<polygon") == 8  # each with its halo, and the one that was read
    (photo,) = look(tables, phone, review_id).photos
    picture = phone.get(f"/review/{review_id}/{photo.kept_name}.jpg")
    assert picture.mimetype == "image/jpeg"
    assert picture.headers["Cache-Control"] == "no-store", "it must not outlive its review"
    assert refusal_of(Phone(phone.app).get(picture.request.path)).status == 404


def test_a_photo_without_a_sheet_leads_to_typing_beside_it(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.NOTHING))
    page = phone.page(f"/review/{review_id}/")
    (photo,) = look(tables, phone, review_id).photos
    assert "Type it in beside the photo" in page.source
    assert page.source.count('class="photo-art ') == 2, "what to do better is drawn"
    presets = [option.attrs["value"] for option in page.having("selected")]
    assert presets[0] == "qwixx"  # the sheet looks like one
    form = {"kind": "encore", "board.encore": "blue", "photo": photo.id}
    answer = phone.post(f"/review/{review_id}/do/add", form)
    assert answer.location == f"/review/{review_id}/?sheet=1#sheet-title"
    page = phone.page(answer.location)
    assert not page.all("section", **{"class": "panel trouble has-picture"})
    shown = page.one("img")
    assert str(shown.attrs["src"]).endswith(f"/{photo.kept_name}.jpg")
    assert (shown.attrs["width"], shown.attrs["height"]) == ("250", "120")
    assert len(page.having("data-field")) == len(look(tables, phone, review_id).sheets[0].marks)
    # The next one from the same photo is of the same kind.
    again = {"kind": "encore", "board.encore": "blue", "photo": photo.id}
    phone.post(f"/review/{review_id}/do/add", again, way="htmx")
    assert [one.photo for one in look(tables, phone, review_id).sheets] == [photo.id] * 2
    for sheet in ("1", "2"):
        correct(phone, review_id, "H4", "true", sheet)
    leave_nameless(phone, review_id)
    match_id = save(phone, review_id)
    assert tables.reviews.kept_photos(match_id) == ()


def test_troubles_stay_until_all_of_a_photo_are_dealt_with(phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.REFUSED))
    (photo,) = look(tables, phone, review_id).photos
    do(phone, review_id, "add", kind="qwinto", photo=photo.id)
    assert len(look(tables, phone, review_id).photos[0].troubles) == 3
    do(phone, review_id, "dismiss", photo=photo.id)
    assert look(tables, phone, review_id).photos[0].troubles == []
    do(phone, review_id, "add", kind="qwinto", photo="nonsense")
    assert [one.photo for one in look(tables, phone, review_id).sheets] == [photo.id] * 2 + [""]


# Photos that are kept


@pytest.mark.parametrize("keep", [{}, {"keep": "on"}])
def test_photos_are_kept_only_when_asked(
    phone: Phone, tables: Tables, keep: dict[str, str]
) -> None:
    """They are in the order in which they were sent."""
    photos = [standin.picture(width) for width in (standin.CLEAN, standin.TWO)]
    review_id = read(phone, *photos, **keep)
    review = look(tables, phone, review_id)
    pictures = tables.reviews.pictures(review_id, phone.device)
    assert keep or set(pictures) == {f"sheet-{sheet.id}" for sheet in review.sheets}
    sent = [pictures[photo.kept_name] for photo in review.photos if keep]
    for sheet in review.sheets:
        do(phone, review_id, "checked", on=sheet.id)
    do(phone, review_id, "not_twice", gone=" ".join(sheet.id for sheet in review.sheets))
    do(phone, review_id, "game", game="qwinto-cards")
    leave_nameless(phone, review_id)
    match_id = save(phone, review_id)
    numbers = tables.reviews.kept_photos(match_id)
    assert [tables.reviews.kept_photo(match_id, number) for number in numbers] == sent
    path = f"/history/{match_id}/photo/1.jpg"
    if not keep:
        assert refusal_of(phone.get(path)).status == 404
        return
    assert path in phone.get(f"/history/{match_id}").text
    answer = phone.get(path)
    assert answer.mimetype == "image/jpeg"
    assert b"Exif" not in answer.data
    assert refusal_of(Phone(phone.app).get(path)).status == 404
    phone.post(f"/history/{match_id}/delete")
    assert tables.reviews.kept_photos(match_id) == ()


def test_throwing_all_away_asks_first(phone: Phone, tables: Tables) -> None:
    """It says how many sheets go, loses nothing by asking, and needs no script."""
    form = {"game": "qwinto-dice", "names": "Ada\nBen"}
    review_id = phone.post("/by-hand", form).location.split("/")[2]
    path = f"/review/{review_id}/discard"
    page = phone.page(f"/review/{review_id}/")
    assert "Throw all this away" in page.one("a", href=path).text
    assert not page.all("form", action=path)
    page = phone.page(path)
    assert "2 sheets will be gone" in page.source
    assert "Ada and Ben" in page.source
    assert len(look(tables, phone, review_id).sheets) == 2
    assert page.one("form", action=path).attrs["method"] == "post"
    assert phone.post(path).location == "/"
    assert refusal_of(phone.get(path)).status == 404


# A form that breaks off leaves its files to the garbage collector, which closes them.
def test_mutated_files_give_a_reading_or_a_sentence() -> None:
    """In a process of its own, with the real reader; more: `python -m lab.photos.fuzz`."""
    fuzz = ["-m", "lab.photos.fuzz", str(examples(150)), "7"]
    command, root = [sys.executable, "-W", "error", *fuzz], Path(__file__).resolve().parents[3]
    ran = subprocess.run(command, capture_output=True, cwd=root, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    assert b"Traceback" not in ran.stderr
