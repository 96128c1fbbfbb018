"""A review that goes on on another device: of the same table, or by a link."""

from __future__ import annotations

import re
from threading import Thread

from flask import Flask

from companion.paper.review import Review
from companion.tables import Tables
from tests.kit.pages import Page
from tests.kit.parties import party
from tests.kit.phones import Phone, refusal_of
from tests.kit.photos import standin
from tests.kit.photos.sending import correct, do, leave_nameless, look, read, save


def link_of(phone: Phone, review_id: str) -> str:
    shown = phone.post(f"/review/{review_id}/link", way="htmx")
    assert Page(shown.text).faults() == []
    found = re.search(r"/review/[\w-]+/with/[\w-]+", shown.text)
    assert found and "<svg" in shown.text
    return found.group()


def joined(app: Flask, phone: Phone, review_id: str) -> Phone:
    tablet = Phone(app)
    link = link_of(phone, review_id)
    assert tablet.page(link).faults() == []
    assert refusal_of(tablet.get(f"/review/{review_id}/")).status == 404, "a look changes nothing"
    assert tablet.post(link).location.endswith(f"/review/{review_id}/")
    return tablet


def test_a_link_lets_another_device_do_all_and_both_have_the_game(app: Flask, phone: Phone) -> None:
    review_id = read(phone, standin.picture(standin.ONE), keep="on")
    tablet = joined(app, phone, review_id)
    assert tablet.get(f"/review/{review_id}/sheet-1.jpg").status_code == 200
    do(tablet, review_id, "game", game="qwinto-cards")
    do(tablet, review_id, "looked", on="1")
    leave_nameless(phone, review_id)
    match_id = save(tablet, review_id)
    # The review's address leads to the game on both, and each changes and deletes its own copy.
    for device in (tablet, phone):
        shown = device.get(f"/review/{review_id}/")
        assert shown.location.endswith(f"/history/{match_id}")
        page = device.page(shown.location)
        (photo,) = {str(img.attrs["src"]) for img in page.all("img") if "/photo/" in str(img.attrs)}
        assert device.get(photo).status_code == 200
    assert tablet.post(f"/history/{match_id}/delete").status_code == 303
    assert refusal_of(tablet.get(f"/history/{match_id}")).status == 404
    assert phone.get(f"/history/{match_id}").status_code == 200


def test_nobody_comes_in_without_a_link(app: Flask, phone: Phone) -> None:
    first, second = (read(phone, standin.picture(standin.CLEAN)) for _ in range(2))
    stranger = Phone(app)
    link = link_of(phone, first)
    for wrong in (link.replace(first, second), f"{link}x"):
        assert refusal_of(stranger.get(wrong)).status == 404
        assert refusal_of(stranger.post(wrong)).status == 404
    for verb in ("link", "save", "discard", "do/looked"):
        assert refusal_of(stranger.post(f"/review/{first}/{verb}")).status == 404
    # The link ends with the review.
    phone.post(f"/review/{first}/discard")
    assert refusal_of(stranger.post(link)).status == 404


def test_players_of_the_table_go_on_and_viewers_do_not(app: Flask, tables: Tables) -> None:
    made = party(app, tables, "lobby")
    review_id = read(made.host, standin.picture(standin.TWO), table=made.id)
    own = read(made.host, standin.picture(standin.CLEAN))
    assert f"/review/{review_id}/" in made.player.get("/photo").text
    assert made.player.get(f"/review/{review_id}/").status_code == 200
    assert own not in made.player.get("/photo").text
    assert refusal_of(made.player.get(f"/review/{own}/")).status == 404
    for other in (made.viewer, made.stranger):
        assert review_id not in other.get("/photo").text
        assert refusal_of(other.get(f"/review/{review_id}/")).status == 404


def test_two_devices_at_once_lose_no_answer(app: Flask, phone: Phone, tables: Tables) -> None:
    review_id = read(phone, standin.picture(standin.CLEAN))
    tablet = joined(app, phone, review_id)
    fields = {phone: "orange", tablet: "purple"}

    def answer(device: Phone) -> None:
        for place in range(1, 10):
            correct(device, review_id, f"{fields[device]}.{place}", str(place))
        correct(device, review_id, "yellow.1", "1")

    threads = [Thread(target=answer, args=(device,)) for device in fields]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    correct(tablet, review_id, "yellow.1", "2")
    found: Review = look(tables, phone, review_id)
    marks = found.sheets[0].marks
    assert [marks[f"{row}.{place}"] for row in fields.values() for place in range(1, 10)] == [
        *range(1, 10),
        *range(1, 10),
    ]
    assert marks["yellow.1"] == 2, "the last answer counts"
    version = phone.page(f"/review/{review_id}/").one(id="review").attrs["data-version"]
    progress = f"/review/{review_id}/progress?version={version}"
    assert phone.get(progress, way="htmx").status_code == 204
    correct(tablet, review_id, "yellow.1", "3")
    assert phone.get(progress, way="htmx").status_code == 200
