"""Obstacles to saving a review, and the game that results."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.core.sheet import Mark
from companion.core.words import Sentence, english
from companion.games.catalog import GAMES, SHEETS
from companion.paper import saving
from companion.paper.review import Photo, Review, changing_review, load_review
from companion.paper.review_sheet import ReviewSheet
from companion.paper.saving import NotReady
from companion.tables import Refused, Tables
from companion.tables.history import FinishedMatch
from companion.tables.history.paper import SavedBefore
from lab.history import people, take_in

DEVICE = "a" * 43


def say(sentence: Sentence) -> str:
    return sentence.translated(english, " or ")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    opened = Tables(f"sqlite:///{tmp_path_factory.mktemp('paper') / 'saving.sqlite3'}")
    yield opened
    opened.close()


def filled(review: Review, name: str, field: str = "orange.1", mark: Mark = 5) -> ReviewSheet:
    """A further Qwinto sheet of a player, with one mark."""
    sheet = review.add("qwinto", "")
    sheet.set(field, mark)
    sheet.set_name(0, name)
    return sheet


def begun(tables: Tables, review: Review, pictures: dict[str, bytes]) -> str:
    """The id of a stored review with these pictures."""
    review_id = tables.reviews.make(DEVICE, review.dump())
    with tables.reviews.changing(review_id, DEVICE) as change:
        change.pictures = pictures
    return review_id


def saved(tables: Tables, review: Review, device: str = DEVICE, times: int = 1) -> FinishedMatch:
    """Saves a review's game, and returns it."""
    review_id = tables.reviews.make(device, review.dump())
    for _ in range(times):
        saving.save(tables, device, review_id, say)
    return tables.history.match(device, review_id)


def codes(review: Review) -> list[str]:
    return [found.code for found in saving.obstacles(review.games[0])]


def test_obstacles_to_saving() -> None:
    review = Review()
    assert codes(review) == ["no-sheet"]
    review.photos.append(Photo("p", 0))
    assert codes(review) == ["being-read"]
    review.photos.clear()
    first = review.add("qwinto", "")
    assert codes(review) == ["whose", "blank-sheet", "which-game"]
    first.set("orange.1", 5)
    first.set_name(0, "Ada")
    review.game = "qwinto-dice"
    assert codes(review) == ["players"]
    review.add("qwinto", "").set("failed.1", True)
    assert codes(review) == ["whose"]
    review.leave_nameless("2", 0)
    assert codes(review) == []
    first.unsure = ["orange.1"]
    assert codes(review) == ["to-check"]


def test_a_seated_player_without_a_sheet_is_an_obstacle() -> None:
    review = Review(game="qwinto-dice", names=["Ada", "Ben", "Cleo", "Dan"])
    for name in ("Cleo", "Ada", "Ben"):
        review.add("qwinto", "").set("failed.1", True)
        assert "missing" not in codes(review), "whose a sheet is, is asked first"
        review.name_sheet(review.sheets[-1].id, 0, name)
    (obstacle,) = saving.obstacles(review.games[0])
    assert obstacle.message == "The sheet of Dan is missing."
    assert not any(standing.is_winner for standing in review.games[0].standings())
    review.leave_nameless("3", 0)
    assert codes(review) == ["missing", "missing"], "the sheet without a name is Ben's or Dan's"
    review.names.remove("Dan")
    assert codes(review) == []
    assert any(standing.is_winner for standing in review.games[0].standings())
    review.names.append("Dan")
    filled(review, "Eva")
    assert codes(review) == [], "Eva has played instead"


def test_a_name_over_two_columns_is_an_obstacle() -> None:
    review = Review(game="freaky")
    pad = review.add("tally", "")
    for place, name in enumerate(("Ada", "ada")):
        pad.set(f"round.1.player.{place + 1}", 7)
        pad.set_name(place, name)
    assert codes(review) == ["same-name"]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_saved_once(tables: Tables, game: str) -> None:
    sheet = GAMES[game].sheet
    review = Review(game=game, is_given=True, names=["Ada", "Ben"])
    review.add_empty(sheet.name, sheet.usual_board)
    for written in review.sheets:
        for field in list(written.fields.values())[:2]:
            written.set(field.id, True if field.kind == "cross" else 7)
    match = saved(tables, review, times=2)
    assert (match.game.name, match.source) == (game, "typed")
    assert [player.name for player in match.players] == ["Ada", "Ben"]
    for player in match.players:
        assert player.sheet is not None
        assert sheet.filled(player.sheet).result.total == player.total
        if sheet.sharing is not None:
            assert player.sheet["players"] == [player.name]
    with pytest.raises(Refused):
        load_review(tables, DEVICE, match.id)


def test_unready_reviews_are_not_saved(tables: Tables) -> None:
    review_id = tables.reviews.make(DEVICE, Review(game="encore").dump())
    with pytest.raises(NotReady) as raised:
        saving.save(tables, DEVICE, review_id, say)
    assert raised.value.obstacle.code == "no-sheet"
    assert load_review(tables, DEVICE, review_id)[1] == Review(game="encore")
    with pytest.raises(Refused):
        saving.save(tables, DEVICE, "A" * 22, say)


def test_pictures_go_with_their_sheet(tables: Tables) -> None:
    review = Review()
    names = [review.add("qwinto", "").picture_name for _ in range(2)]
    review_id = begun(tables, review, dict.fromkeys(names, b"jpeg"))
    with changing_review(tables, DEVICE, review_id) as found:
        found.remove("1")
    assert set(tables.reviews.pictures(review_id, DEVICE)) == {"sheet-2"}


def test_a_wrong_total_on_the_paper_is_noted(tables: Tables) -> None:
    review = Review(game="qwinto-dice", names=["Ada", "Ben", "Cleo"])
    for name, total in zip(review.names, (57, 1, None), strict=True):
        sums = {"sum.total": [total, 0.99], "sum.orange": [9, 0.99]}
        filled(review, name).written = sums
    assert saved(tables, review).notes == "Ada wrote 57 on the paper, but it is 1."


def test_a_photo_is_kept_with_a_sheet_that_was_typed_in_from_it(tables: Tables) -> None:
    photos = [Photo(name, 0, "read", size=[40, 30]) for name in ("a", "b")]
    review = Review(game="qwinto-dice", keep=True, photos=photos)
    filled(review, "Ada").photo = "b"
    filled(review, "Ben")
    pictures = {photo.kept_name: photo.id.encode() for photo in photos}
    review_id = begun(tables, review, pictures)
    saving.save(tables, DEVICE, review_id, say)
    assert tables.reviews.kept_photos(review_id) == (1,)
    assert tables.reviews.kept_photo(review_id, 1) == b"b"


def test_players_without_a_name_count_as_nobody(tables: Tables) -> None:
    """They are neither names nor people, also after an export."""
    device, again = "n" * 43, "m" * 43
    review = Review(game="freaky")
    pad = review.add("tally", "")
    for place in range(2):
        pad.set(f"round.1.player.{place + 1}", 7 + place)
        review.leave_nameless("1", place)
    pad.written = {"sum.player.1": [9, 0.99]}
    match = saved(tables, review, device)
    found = [(player.name, player.total, player.won) for player in match.players]
    assert found == [(None, 7, False), (None, 8, True)]
    assert match.notes == "Column 1: the paper says 9, but it is 7."
    assert people(tables, device) == []
    assert tables.history.recent_names(device) == ()
    assert take_in(tables, again, tables.history.export_json(device)) == 1
    assert tables.history.all_matches(again)[0].players == match.players


def test_games_of_a_review_are_saved_one_by_one(tables: Tables) -> None:
    review = Review(keep=True, photos=[Photo("a", 0, "read", size=[40, 30])])
    for number, sheet in enumerate(("qwinto", "encore", "encore"), start=1):
        added = review.add(sheet, SHEETS[sheet].usual_board, photo="a")
        field = next(iter(added.marks))
        added.set(field, True if added.fields[field].kind == "cross" else 5)
        review.name_sheet(str(number), 0, "Ben" if number == 3 else "Ada")
    review.chosen["qwinto"] = "qwinto-cards"
    review_id = begun(tables, review, {"photo-a": b"jpeg"})
    first = saving.save(tables, DEVICE, review_id, say, "qwinto")
    assert first != review_id
    assert saving.save(tables, DEVICE, review_id, say, "qwinto") == first, "a second tap"
    _, left = load_review(tables, DEVICE, review_id)
    assert [sheet.sheet for sheet in left.sheets] == ["encore", "encore"]
    assert left.saved == [first]
    assert saving.save(tables, DEVICE, review_id, say, "encore-black") == review_id
    assert saving.save(tables, DEVICE, review_id, say, "qwinto") == review_id, "it is over"
    games = [tables.history.match(DEVICE, saved).game.name for saved in (first, review_id)]
    assert games == ["qwinto-cards", "encore"]
    assert [tables.reviews.kept_photos(saved) for saved in (first, review_id)] == [(1,), (1,)]


def test_the_same_sheets_are_asked_about(tables: Tables) -> None:
    """Sheets of another photo, with other names and on another day, are the same, too."""
    device = "f" * 43

    def begin(*sheets: tuple[str, int]) -> str:
        review = Review(game="qwinto-dice")
        for name, mark in sheets:
            filled(review, name, mark=mark)
        return tables.reviews.make(device, review.dump())

    first = begin(("Ada", 4), ("Ben", 7))
    saving.save(tables, device, first, say)
    second = begin(("Bea", 7), ("Ada", 4))
    with pytest.raises(SavedBefore) as asked:
        saving.save(tables, device, second, say)
    assert asked.value.match.id == first
    saving.save(tables, device, begin(("Ada", 4), ("Ben", 8)), say)
    assert saving.save(tables, device, second, say, again=True) == second
    assert saving.save(tables, device, second, say) == second, "a second tap"
