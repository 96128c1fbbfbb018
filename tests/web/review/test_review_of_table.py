"""A review of a table, with which each of its players goes on."""

from __future__ import annotations

from threading import Thread

from flask import Flask

from companion.tables import Tables
from tests.kit.names import NAMES
from tests.kit.pages import Page
from tests.kit.phones import Phone, refusal_of
from tests.kit.photos import standin
from tests.kit.photos.sending import correct, do, look, read, save
from tests.kit.tables import Party, party


def menu(made: Party, phone: Phone) -> str:
    return phone.get(f"{made.path}menu", way="htmx").text


def test_players_go_on_from_the_menu_and_viewers_do_not(app: Flask, tables: Tables) -> None:
    made = party(app, tables, "lobby")
    assert "Look over the sheets" not in menu(made, made.host)
    review_id = read(made.host, standin.picture(standin.TWO), table=made.id)
    own = read(made.host, standin.picture(standin.CLEAN))
    for phone in (made.host, made.player):
        assert f'href="/review/{review_id}/"' in menu(made, phone)
    assert f"/review/{review_id}/" in made.player.get("/photo").text
    assert made.player.get(f"/review/{review_id}/").status_code == 200
    assert own not in made.player.get("/photo").text
    assert refusal_of(made.player.get(f"/review/{own}/")).status == 404
    assert "Look over the sheets" not in menu(made, made.viewer)
    for other in (made.viewer, made.stranger):
        assert review_id not in other.get("/photo").text
        assert refusal_of(other.get(f"/review/{review_id}/")).status == 404
        for verb in ("save", "discard", "do/looked"):
            assert refusal_of(other.post(f"/review/{review_id}/{verb}")).status == 404
    # With two of them, the menu leads to the list.
    another = read(made.player, standin.picture(standin.CLEAN), table=made.id)
    links = Page(menu(made, made.player)).all("a")
    (href,) = (link.attrs["href"] for link in links if link.text == "Look over the sheets")
    assert str(href).endswith("#open")
    listed = made.player.get(str(href).removesuffix("#open")).text
    assert f"/review/{review_id}/" in listed and f"/review/{another}/" in listed


def test_a_player_saves_and_the_device_that_began_has_the_game_too(
    app: Flask, tables: Tables
) -> None:
    made = party(app, tables, "lobby")
    review_id = read(made.host, standin.picture(standin.CLEAN), table=made.id, keep="on")
    assert made.player.get(f"/review/{review_id}/sheet-1.jpg").status_code == 200
    do(made.player, review_id, "game", game="qwinto-cards")
    do(made.player, review_id, "nameless")
    for name in NAMES:
        do(made.player, review_id, "absent", player=name)
    match_id = save(made.player, review_id)
    # The review's address leads to the game on both, and each changes and deletes its own copy.
    for phone in (made.player, made.host):
        shown = phone.get(f"/review/{review_id}/")
        assert shown.location.endswith(f"/history/{match_id}")
        page = phone.page(shown.location)
        (photo,) = {str(img.attrs["src"]) for img in page.all("img") if "/photo/" in str(img.attrs)}
        assert phone.get(photo).status_code == 200
    assert made.player.post(f"/history/{match_id}/delete").status_code == 303
    assert refusal_of(made.player.get(f"/history/{match_id}")).status == 404
    assert made.host.get(f"/history/{match_id}").status_code == 200


def test_two_devices_at_once_lose_no_answer(app: Flask, tables: Tables) -> None:
    made = party(app, tables, "lobby")
    review_id = read(made.host, standin.picture(standin.CLEAN), table=made.id)
    fields = {made.host: "orange", made.player: "purple"}

    def answer(device: Phone) -> None:
        for place in range(1, 10):
            correct(device, review_id, f"{fields[device]}.{place}", str(place))
        correct(device, review_id, "yellow.1", "1")

    threads = [Thread(target=answer, args=(device,)) for device in fields]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    correct(made.player, review_id, "yellow.1", "2")
    marks = look(tables, made.host, review_id).sheets[0].marks
    assert [marks[f"{row}.{place}"] for row in fields.values() for place in range(1, 10)] == [
        *range(1, 10),
        *range(1, 10),
    ]
    assert marks["yellow.1"] == 2, "the last answer counts"
