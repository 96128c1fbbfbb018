"""Finished games that are edited afterwards: totals and winners follow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.core.result import Result
from companion.games import record as records
from companion.games.catalog import GAMES
from companion.games.standings import KeptSheet
from companion.paper import editing, saving
from companion.paper.review import changing_review
from companion.tables import FinishedMatch, Tables
from companion.tables.history import Details
from companion.tables.history.editing import edit_sheets
from companion.tables.history.people import person_id
from companion.tables.ledger.events import encode
from companion.tables.ledger.saved import Participant, SavedMatch
from tests.kit.games import SARAH
from tests.kit.history import EMPTY, TALLY, add, paper, put
from tests.kit.sheets import kept, written
from tests.kit.tables import Evening, device, evening, refused

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)


def edit(tables: Tables, who: str, match_id: str, *names: str, **more: Any) -> None:
    """Edits the match's details, with these names instead of its own."""
    match = tables.history.match(who, match_id)
    players = [(player.name or "", player.total) for player in match.players if player.name]
    if names:
        players = [(name, total) for name, (_, total) in zip(names, players, strict=True)]
    given = {"ended": match.ended_at, "place": match.place, "notes": match.notes, **more}
    given["players"] = tuple(given.get("players", players))
    tables.history.edit_details(who, match_id, Details(**given))


def edit_all(
    tables: Tables, who: str, match_id: str, sheets: Sequence[tuple[str | None, KeptSheet]]
) -> None:
    with tables.history.writing() as connection:
        edit_sheets(connection, who, match_id, sheets, tables.now())


def standing(match: FinishedMatch) -> list[tuple[str | None, int | None, bool]]:
    return [(player.name, player.total, player.won) for player in match.players]


def test_a_field_and_a_player(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    review_id = editing.begin(tables, host, match_id)
    with changing_review(tables, host, review_id) as review:
        ada, ben = review.sheets
        assert [ada.player(), ben.player()] == ["Ada", "Ben"]
        assert ada.filled.document == SARAH
        ben.set("yellow.1", 7)
        for place in range(1, 5):
            ada.set(f"failed.{place}", mark=True)
        for color in ("orange", "yellow", "purple"):
            for place in range(1, 10):
                ada.set(f"{color}.{place}", None)
        review.call(review.add("qwinto", "").id, 0, "Cy")
        review.sheets[-1].set("orange.1", 3)
    assert saving.save(tables, host, review_id, str) == match_id
    match = tables.history.match(host, match_id)
    assert standing(match) == [("Ada", -20, False), ("Ben", -9, False), ("Cy", 1, True)]
    assert match.ended_at == ENDED
    assert tables.history.matches(host).count == 1
    assert tables.reviews.of_device(host) == ()


def test_a_player_without_a_name_stays_and_may_get_one(tables: Tables, host: str) -> None:
    (ada, full), (_, empty) = kept("qwinto-cards", ("Ada", SARAH), ("Ben", EMPTY))
    sheets = [(ada, full), (None, empty)]
    match_id = put(tables, host, "qwinto-cards", sheets, ended=ENDED)
    match = tables.history.match(host, match_id)
    first = match.players[0]
    assert editing.can_edit(match)
    review_id = editing.begin(tables, host, match_id)
    with changing_review(tables, host, review_id) as review:
        assert [sheet.player() for sheet in review.sheets] == ["Ada", ""]
        review.sheets[1].set("yellow.1", 7)
    assert saving.save(tables, host, review_id, str) == match_id
    match = tables.history.match(host, match_id)
    assert standing(match) == [("Ada", first.total, True), (None, -9, False)]
    edit(tables, host, match_id, players=[("Ada", first.total), ("Ben", -9)])
    assert standing(tables.history.match(host, match_id))[1] == ("Ben", -9, False)


def test_another_game_in_the_review_of_a_saved_one_is_a_new_one(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    review_id = editing.begin(tables, host, match_id)
    with changing_review(tables, host, review_id) as review:
        review.game = "qwinto-cards"
        other = review.add("qwinto", "")
        other.set("orange.1", 3)
        review.move(other.id, "")
        review.leave_nameless(other.id, 0)
        edited, new = review.parts
        review.chosen[new.key] = "qwinto-cards"
        assert [part.edits for part in review.parts] == [match_id, ""]
    assert saving.save(tables, host, review_id, str, edited.key) == match_id
    assert saving.save(tables, host, review_id, str, edited.key) == match_id
    assert tables.history.matches(host).count == 1
    with changing_review(tables, host, review_id) as review:
        assert [sheet.id for sheet in review.sheets] == [other.id]
        assert not review.edits


def test_every_sheet_comes_back_as_it_was(tables: Tables, host: str) -> None:
    board = written(GAMES["encore"].sheet, "red")
    for game, sheets in (("freaky", [("", TALLY)]), ("encore", [("Ada", board), ("Ben", board)])):
        match_id = add(tables, host, game, sheets)
        before = tables.history.match(host, match_id)
        saving.save(tables, host, editing.begin(tables, host, match_id), str)
        assert tables.history.match(host, match_id) == before


def test_names_and_date(tables: Tables, host: str) -> None:
    started = ENDED - timedelta(minutes=30)
    match_id = paper(tables, host, "Ada", "Benn", ended=ENDED, started=started)
    day = ENDED - timedelta(days=3)
    edit(tables, host, match_id, "Ada", "Ben", ended=day, place="Attic")
    after = tables.history.match(host, match_id)
    assert standing(after) == [("Ada", 43, True), ("Ben", -10, False)]
    assert (after.ended_at, after.minutes, after.place) == (day, 30, "Attic")
    edit(tables, host, match_id)
    assert tables.history.match(host, match_id) == after, "nothing is written"


def test_what_cannot_be(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    match = tables.history.match(host, match_id)
    edit_it = partial(edit, tables, host, match_id)
    assert refused(edit_it, ended=datetime.now(UTC) + timedelta(days=1)) == "bad-date"
    assert refused(edit_it, "Ada", "") == "bad-name"
    assert refused(edit_it, "Ada", "ada ") == "name-taken"
    # Counted before each name is compared with all others, which would take minutes.
    for count in (7, 50_000):
        with pytest.raises(Unusable, match="at most 6 players"):
            edit_it(players=[(f"P{number}", 1) for number in range(count)])
    stranger = device()
    assert refused(editing.begin, tables, stranger, match_id) == "no-such-play"
    sheets = kept("qwinto-dice", ("Ada", SARAH))
    assert refused(edit_all, tables, stranger, match_id, sheets) == "no-such-play"
    assert tables.history.match(host, match_id) == match


def test_totals_without_sheets(tables: Tables, host: str) -> None:
    cards = [(name, KeptSheet({"cards": n}, Result(n))) for name, n in (("Ada", 9), ("Ben", 12))]
    match_id = put(tables, host, "freaky", cards, ended=ENDED)
    assert not editing.can_edit(tables.history.match(host, match_id))
    two = [("Ada", 9), ("Ben", 12)]
    edit(tables, host, match_id, players=[*two, ("Cy", 30)])
    after = standing(tables.history.match(host, match_id))
    assert after == [("Ada", 9, False), ("Ben", 12, False), ("Cy", 30, True)]
    edit(tables, host, match_id, players=[*two, ("", None)])
    after = standing(tables.history.match(host, match_id))
    assert after == [("Ada", 9, False), ("Ben", 12, True)]
    too_high = partial(edit, tables, host, match_id, players=[*two, ("Cy", 10**6)])
    assert refused(too_high) == "bad-total"


def test_a_game_played_in_the_app(game: Evening) -> None:
    tables, who = game.tables, game.device
    game.finish()
    [match] = tables.history.all_matches(who)
    saving.save(tables, who, editing.begin(tables, who, match.id), str)
    assert tables.history.match(who, match.id) == match
    edit(tables, who, match.id, "Tom", "Sarah", "Linus")
    renamed = tables.history.match(who, match.id)
    assert renamed.record is not None
    position = records.replay(records.parse(json.loads(renamed.record))).position
    assert position.over and position.players[0] == "Tom"
    with changing_review(tables, who, review := editing.begin(tables, who, match.id)) as found:
        found.sheets[0].set("failed.1", mark=not found.sheets[0].marks["failed.1"])
    saving.save(tables, who, review, str)
    assert tables.history.match(who, match.id).record is None
    # Tom was Tim in the log, which goes with him.
    tables.history.delete_person(who, person_id("Tom"))
    assert refused(tables.export, game.id, who) == "not-started"


def test_names_are_changed_in_the_text_of_a_record(tables: Tables, host: str) -> None:
    """Reading and writing the records of 5,000 long games as objects took three times as long."""
    said = {"say": '"by":"Ada"'}
    played = evening(tables, host, ("Ada", "Ad", "B\\b")).read().state.match
    assert played is not None
    document = played.record()
    document["actions"] = [{"do": "roll", "by": name, **said} for name in document["players"]]
    players = tuple(Participant(name, 1, False, None) for name in document["players"])
    before = SavedMatch(
        game=GAMES["qwinto-dice"], source="app", started_at=None, ended_at=ENDED, players=players,
        record=encode(document),
    )  # fmt: skip
    names = ["Ad", '"by":"Ada"', "Bö"]
    named = [player.named(name) for player, name in zip(players, names, strict=True)]
    after = json.loads(before.with_players(named).record or "")
    actions = [{"do": "roll", "by": name, **said} for name in names]
    assert after == {**document, "players": names, "actions": actions}


def correct(game: Evening) -> None:
    """Corrects the first decision at a table whose game is over, and ends it again."""
    passed = game.read().entries[1]
    write = {"do": "write", "by": passed.by, "row": "orange", "field": 1}
    game.tap(replaces=passed.id, action=write, fixes={})
    game.finish()


def test_a_table_that_plays_on_updates_its_game(game: Evening) -> None:
    tables, who = game.tables, game.device
    game.finish()
    [match] = tables.history.all_matches(who)
    tables.history.annotate(who, match.id, place="Attic", notes="Rain.")
    correct(game)
    after = tables.history.match(who, match.id)
    assert after.players[0].sheet != match.players[0].sheet
    assert after.changed > match.changed
    assert (after.place, after.edited, after.is_contested) == ("Attic", None, False)


def edited_and_corrected(game: Evening) -> tuple[FinishedMatch, FinishedMatch]:
    """The game as it was edited, and after a correction at its table."""
    tables, who = game.tables, game.device
    game.finish()
    [match] = tables.history.all_matches(who)
    edit(tables, who, match.id, "Tom", "Sarah", "Linus", place="Attic")
    before = tables.history.match(who, match.id)
    correct(game)
    return before, tables.history.match(who, match.id)


def test_an_edited_game_is_kept_until_somebody_decides(game: Evening) -> None:
    before, after = edited_and_corrected(game)
    assert after == replace(before, is_contested=True)
    game.tables.history.settle(game.device, after.id, by_table=False)
    assert game.tables.history.match(game.device, after.id) == before


def test_a_tables_game_is_taken_instead_of_the_edited_one(game: Evening) -> None:
    tables, who = game.tables, game.device
    before, after = edited_and_corrected(game)
    step = game.undo()
    tables.history.settle(who, after.id, by_table=True)
    assert tables.history.match(who, after.id) == after, "the table has none while it plays on"
    game.tap(redo=step.id)
    for other, code in ((game.watching().device, "view-only"), (device(), "no-such-play")):
        assert refused(tables.history.settle, other, after.id, by_table=True) == code
    tables.history.settle(who, after.id, by_table=True)
    taken = tables.history.match(who, after.id)
    assert json.loads(taken.record or "") == tables.export(game.id, who)
    assert taken.players[0].name == "Tim"
    assert (taken.place, taken.identity) == ("Attic", before.identity)
    assert (taken.edited, taken.is_contested) == (None, False)
    correct(game)
    assert not tables.history.match(who, after.id).is_contested


def test_people_are_renamed_and_merged(tables: Tables, host: str) -> None:
    first = paper(tables, host, "Ada", "Ben", ended=ENDED)
    second = paper(tables, host, "Adda", "Cy", ended=ENDED + timedelta(days=1))
    both = paper(tables, host, "Adda", "Ada", ended=ENDED + timedelta(days=2))
    adda = person_id("Adda")
    preview = tables.history.renaming_preview(host, adda, "ada")
    assert (preview.renamed, preview.together, preview.joins) == (1, 1, 2)
    tables.history.rename_person(host, adda, "ada")
    named = [tables.history.match(host, one).players[0].name for one in (first, second, both)]
    assert named == ["Ada", "ada", "Adda"]
    # Another spelling of the same name goes everywhere.
    tables.history.rename_person(host, person_id("ada"), "Ada")
    assert tables.history.match(host, second).players[0].name == "Ada"
    assert refused(tables.history.rename_person, host, person_id("ada"), " ") == "bad-name"


def test_a_deleted_winner_stays_one(tables: Tables, host: str) -> None:
    match_id = paper(tables, host, "Ada", "Ben", ended=ENDED)
    tables.history.delete_person(host, person_id("Ada"))
    edit(tables, host, match_id, "Bea")
    after = standing(tables.history.match(host, match_id))
    assert after == [(None, None, True), ("Bea", -10, False)]
    edit_all(tables, host, match_id, kept("qwinto-dice", ("Ben", {**EMPTY, "failed": 0})))
    after = standing(tables.history.match(host, match_id))
    assert after == [(None, None, True), ("Ben", 0, False)]
