"""The gate: every refusal of a tap, calls that may still change, and entries put in afterwards."""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial
from typing import Any

import pytest

from companion.games import record
from companion.tables import Refused, Seat, Tables, Tap
from companion.tables.ledger.events import moment_of
from companion.tables.play.access import join_link
from companion.tables.play.changes_by_others import Notice, notices
from companion.tables.play.lobby import (
    again,
    order_seats,
    set_setting,
    start,
    stop,
    take_seat,
    to_lobby,
)
from companion.tables.play.views import Call
from companion.web import create_app
from companion.web.table import all_turns
from companion.web.table.notes import recent_events
from lab.games import NEXT, passes, roll, write
from lab.pages import Page
from lab.phones import Phone
from lab.tables import (
    Evening,
    device,
    evening,
    lobby,
    refused,
    refused_untouched,
    tap_id,
    three_turns,
)


def moment(table: Evening) -> str:
    return table.position.fingerprint


ROLLED, WROTE = "tap-rolled", "tap-wrote"
ELSEWHERE = {"moment": "of another time"}
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("stranger", {"action": passes("Tim")}, "not-a-member"),
    ("viewer", {"action": passes("Tim")}, "view-only"),
    ("viewer", {"action": NEXT}, "view-only"),
    ("viewer", {"undo": WROTE}, "view-only"),
    ("viewer", {"replaces": ROLLED, "action": roll("Tim", yellow=4)}, "view-only"),
    # Somebody else's seat; the host, too, writes only for Linus, whose seat nobody holds.
    ("Sarah", {"action": passes("Tim")}, "not-your-seat"),
    ("Sarah", {"action": passes(" Tim "), **ELSEWHERE}, "not-your-seat"),
    ("Sarah", {"action": passes("Linus")}, "not-your-seat"),
    ("host", {"action": passes("Sarah")}, "not-your-seat"),
    ("Sarah", {"replaces": ROLLED, "action": roll("Tim", yellow=1)}, "not-your-seat"),
    ("Sarah", {"replaces": WROTE, "action": None}, "not-your-seat"),
    ("Tim", {"replaces": ROLLED, "action": passes("Sarah")}, "not-your-seat"),
    ("Sarah", {"action": NEXT}, "not-yours-to-close"),
    # The phone has seen another moment.
    ("Sarah", {"action": passes("Sarah"), **ELSEWHERE}, "stale"),
    ("Sarah", {"action": passes("Sarah"), "version": 3}, "stale"),
    ("Sarah", {"action": passes("Sarah"), "version": 1_000}, "stale"),
    ("Tim", {"undo": WROTE, **ELSEWHERE}, "stale"),
    ("Tim", {"undo": ROLLED}, "stale"),  # not the last one
    ("Tim", {"replaces": WROTE, "action": passes("Tim"), **ELSEWHERE}, "stale"),
    # Something that does not exist, or is not allowed.
    ("Sarah", {"action": {"by": "Sarah"}}, "bad-action"),
    ("Sarah", {"action": {"do": 3, "by": "Sarah"}}, "bad-action"),
    ("Tim", {"undo": "tap-unknown"}, "nothing-to-undo"),
    ("Sarah", {"undo": WROTE}, "nothing-to-undo"),
    ("Tim", {"redo": "tap-unknown"}, "nothing-to-redo"),
    ("Tim", {"redo": WROTE}, "nothing-to-redo"),
    ("Tim", {"replaces": "tap-unknown", "action": None}, "no-such-entry"),
    ("Tim", {"replaces": WROTE, "action": roll("Tim", yellow=3)}, "reroll-same-dice"),
    ("Tim", {"replaces": ROLLED, "action": roll("Tim", orange=3)}, "does-not-fit"),
    ("Tim", {"replaces": ROLLED, "action": None}, "does-not-fit"),
)


def test_a_refused_tap_leaves_the_table_as_it_was(game: Evening) -> None:
    """Tim and Sarah write on their own phones alone; Tim has rolled and written."""
    seats = {name: game.joined(seat=name) for name in ("Tim", "Sarah")}
    phones = {**seats, "host": game, "viewer": game.watching(), "stranger": game.on(device())}
    game.change(set_setting, "shared_entry", False)
    tim, sarah, before = phones["Tim"], phones["Sarah"], moment(game)
    tim.do(roll("Tim", yellow=3, purple=4), id=ROLLED, moment=before)
    now = moment(game)
    assert now != before
    assert refused_untouched(game, tim.do, NEXT) == "active-must-act"
    tim.do(write("Tim", "yellow", 4), id=WROTE)
    for name, fields, code in REFUSED:
        assert refused_untouched(game, phones[name].tap, **fields) == code, (name, fields)
    sarah.do(passes("Sarah"), moment=now)  # Tim's entry changed nothing that all share
    assert tim.read().close == {"do": "next", "by": "Tim"}
    assert game.read().close == {"do": "next"}, "the host holds no seat"
    game.do(passes("Linus"), version=game.read().version)
    assert game.position.turn == 2


def test_a_tap_of_an_earlier_match_is_refused(game: Evening) -> None:
    """It waited on a phone without network, and everything in it would fit the next match."""
    first = moment_of(1, moment(game))
    rolled = game.do(roll("Tim", yellow=3), moment=first)
    seen = game.read().moment
    entry = game.do(write("Tim", "yellow", 2), moment=seen)
    late: list[dict[str, Any]] = [
        {"action": roll("Sarah", yellow=3), "moment": first},
        {"action": write("Sarah", "yellow", 2), "moment": seen},
        {"action": NEXT, "moment": seen},
        {"dice": {"dice.yellow": 3}, "moment": first},
        {"undo": entry},
        {"redo": entry},
        {"replaces": entry, "action": passes("Tim")},
        {"before": entry, "action": passes("Tim")},
        {"final": rolled},
        {"anew": rolled},
    ]
    game.finish()
    game.change(to_lobby)
    for fields in late:
        assert refused_untouched(game, game.tap, **fields) == "earlier-game", fields
    game.change(order_seats, [2, 3, 1])
    game.change(start)
    for repeated in range(2):
        for fields in late:
            assert refused_untouched(game, game.tap, **fields) == "earlier-game", fields
        if not repeated:
            game.play(roll("Sarah", yellow=3), write("Sarah", "yellow", 2))
    for what in (stop, to_lobby):
        assert refused_untouched(game, game.change, what, 1) == "earlier-game"
    answer = game.tap(id=entry, action=write("Tim", "yellow", 2), moment=seen)
    assert answer.moment.startswith("1:"), "a tap that was saved is not refused"


def test_only_the_active_players_phone_or_the_hosts_goes_on(game: Evening) -> None:
    """This holds, too, where everybody writes on every sheet, as is the default."""
    tim, sarah = game.joined(seat="Tim"), game.joined(seat="Sarah")
    for player, goes_on, other in (("Tim", tim, sarah), ("Sarah", game, tim)):
        other.play(roll(player, yellow=3), write(player, "yellow", 2))
        assert refused_untouched(game, other.do, NEXT) == "not-yours-to-close"
        goes_on.do(NEXT)
    sarah.play(roll("Linus", yellow=3), write("Linus", "yellow", 2), NEXT)  # nobody holds that seat
    assert game.position.turn == 4


def test_a_watching_device_changes_nothing(game: Evening) -> None:
    entry, viewer = game.do(roll("Tim", yellow=3)), game.watching()
    assert viewer.read().position == game.position
    assert not any(seat.may_enter for seat in viewer.read().seats)
    assert refused(game.tables.preview, game.id, viewer.device, entry, None) == "view-only"
    for what, *values in ((take_seat, 1), (join_link,), (start,)):
        assert refused_untouched(game, viewer.change, what, *values) == "view-only"


def test_a_stranger_and_an_unknown_table(game: Evening) -> None:
    for place, code in (
        (game.on(device()), "not-a-member"),
        (Evening(game.tables, "no-such-table-anywhere", game.device), "no-such-table"),
    ):
        assert refused(place.do, roll("Tim", yellow=3)) == refused(place.read) == code
        for read in (game.tables.version, game.tables.export):
            assert refused(read, place.id, place.device) == code


def test_before_the_start_and_after_the_end(tables: Tables, host: str, game: Evening) -> None:
    waiting = lobby(tables, host)
    assert refused_untouched(waiting, waiting.do, roll("Tim", yellow=3)) == "not-started"
    assert refused(tables.export, waiting.id, host) == "not-started"
    game.finish()
    code = refused_untouched(game, game.do, passes("Tim"), moment="of another time")
    assert code == "game-over"  # and not stale: that comes later in the gate


def test_skipped_players_are_known_until_the_next_step_is_over(game: Evening) -> None:
    game.play(roll("Tim", yellow=3), passes("Tim"), passes("Linus"))
    assert game.read().skip is None
    game.do({"do": "next", "by": "Tim"})
    skip = game.read().skip
    assert skip is not None
    assert (skip.entry.by, skip.players) == ("Tim", ("Sarah",))
    game.do(roll("Sarah", yellow=4))
    assert game.read().skip == skip
    game.play(*map(passes, ("Sarah", "Linus", "Tim")))
    assert game.read().skip is None


def test_any_phone_closes_the_step_of_a_player_without_a_phone(game: Evening) -> None:
    """With shared entry, as any phone writes for them; a host without a seat does so as Tim."""
    sarah = game.joined(seat="Sarah")
    game.play(roll("Tim", yellow=3), passes("Tim"))
    assert sarah.read().close == {"do": "next", "by": "Sarah"}
    assert game.read().close == {"do": "next", "by": "Tim"}
    assert game.watching().read().close is None
    game.change(set_setting, "shared_entry", False)
    assert sarah.read().close is None
    game.do({"do": "next", "by": "Tim"})
    game.undo()
    assert game.position.awaited == ("Sarah", "Linus")


def test_a_close_that_no_longer_fits_writes_for_nobody(game: Evening) -> None:
    """Sarah's host phone ended Tim's turn; that is no entry of hers that could become a pass."""
    game.change(take_seat, game.seat("Sarah"))
    _, entry = game.play(roll("Tim", yellow=3), passes("Tim"))
    assert game.read().close == {"do": "next", "by": "Sarah"}
    closed = game.do({"do": "next", "by": "Sarah"})
    seen = game.tables.preview(game.id, game.device, entry, None)
    assert [(unfit.entry, unfit.becomes) for unfit in seen.unfit] == [(closed, None)]


def test_acts_that_no_longer_fit_become_passes(game: Evening) -> None:
    entries = three_turns(game)
    game.tap(replaces=entries[0], action=roll("Tim", yellow=5), fixes={})
    assert game.actions[5] == passes("Tim")


@pytest.mark.parametrize(
    ("place", "action"), [(5, write("Tim", "yellow", 1)), (5, None), (6, None), (None, None)]
)
def test_no_other_fix_is_accepted(
    game: Evening, place: int | None, action: dict[str, Any] | None
) -> None:
    entries = three_turns(game)
    fixes = {"no-such-entry" if place is None else entries[place]: action}
    correction = {"replaces": entries[0], "action": roll("Tim", yellow=5), "fixes": fixes}
    assert refused_untouched(game, game.tap, **correction) == "bad-tap"


def test_correcting_oneself_does_not_change_others(game: Evening) -> None:
    """Without shared entry, Tim's new dice must not throw out what Sarah wrote."""
    tim, sarah = game.joined(seat="Tim"), game.joined(seat="Sarah")
    game.change(set_setting, "shared_entry", False)
    rolled = tim.do(roll("Tim", yellow=3))
    sarah.do(write("Sarah", "yellow", 2))
    correction: dict[str, Any] = {"replaces": rolled, "action": roll("Tim", orange=3), "fixes": {}}
    assert refused_untouched(game, tim.tap, **correction) == "not-your-seat"
    preview = partial(game.tables.preview, game.id, tim.device, rolled, roll("Tim", orange=3))
    assert refused(preview) == "not-your-seat"
    game.change(set_setting, "shared_entry", True)
    tim.tap(**correction)
    assert game.actions == [roll("Tim", orange=3), passes("Sarah")]


def test_an_undo_on_which_later_entries_depend_is_refused(game: Evening) -> None:
    phone = game.joined()
    rolled = game.do(roll("Tim", yellow=3))
    phone.do(write("Sarah", "yellow", 2))
    with pytest.raises(Refused) as caught:
        game.tap(undo=rolled)
    assert (caught.value.code, caught.value.entry) == ("does-not-fit", rolled)


def test_the_same_tap_twice_is_one_entry(game: Evening) -> None:
    fields: dict[str, Any] = {"id": tap_id(), "action": roll("Tim", yellow=3)}
    fields["moment"] = moment(game)
    first = game.tap(**fields)
    after = game.read()
    assert game.tap(**fields) == first
    assert game.read() == after
    # Another action under the same id is neither saved nor reported as saved.
    assert refused_untouched(game, game.tap, **{**fields, "action": roll("Tim", yellow=4)}) == (
        "bad-tap"
    )


def test_the_same_tap_again_in_the_next_match(game: Evening) -> None:
    """The answer was lost on the way, and meanwhile somebody pressed "play again"."""
    last = {"id": tap_id(), "action": roll("Tim", yellow=3), "moment": moment(game)}
    first = game.tap(**last)
    undone = {"id": tap_id(), "undo": last["id"]}
    taken_back = game.tap(**undone)
    game.finish()
    game.change(again)
    after = game.read()
    assert game.tap(**last) == first
    assert game.tap(**undone) == taken_back
    assert game.read() == after


NEXT_TAP: dict[str, Any] = {"id": "12345678", "action": {"do": "next"}}


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        "tap",
        {},
        *(
            {**NEXT_TAP, "id": id_}
            for id_ in ("short", "x" * 65, "a blank 8", 12345678, "123456\n")
        ),
        *({**NEXT_TAP, "moment": wrong} for wrong in (3, "x" * 1_001)),
        *({**NEXT_TAP, "version": wrong} for wrong in ("3", True)),
        *({**NEXT_TAP, "action": wrong} for wrong in (None, [], {"do": "x" * 3000})),
        *({**NEXT_TAP, "action": {"at": at}} for at in (float("nan"), {1, 2}, 10**5000)),
        {**NEXT_TAP, "extra": 1},
        {**NEXT_TAP, "undo": "87654321"},
        {"id": "12345678"},
        {"id": "12345678", "before": "87654321"},
        {"id": "12345678", "before": "87654321", "action": None},
        {**NEXT_TAP, "before": "87654321", "replaces": "87654321"},
        {"id": "12345678", "undo": "87654321", "redo": "87654321"},
        {"id": "12345678", "undo": "87654321", "fixes": {}},
        {"id": "12345678", "replaces": "87654321"},
        {"id": "12345678", "replaces": "87654321", "action": None, "fixes": []},
        {"id": "12345678", "replaces": "87654321", "action": None, "fixes": {"87654322": 3}},
    ],
)
def test_a_tap_of_another_shape(document: object) -> None:
    assert refused(Tap.parse, document) == "bad-tap"


def test_a_tap_that_is_nested_too_deeply() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    assert refused(Tap.parse, {**NEXT_TAP, "action": {"do": deep}}) == "bad-tap"
    while isinstance(deep, list):  # unnested by hand: Python would recurse
        deep = deep.pop()


def test_any_text_survives_in_an_action(game: Evening) -> None:
    """NUL and halves of characters are JSON, and PostgreSQL has no text for them."""
    action = {**roll("Tim", yellow=3), "note": json.loads('"\\u0000 \\ud800 ü"')}
    game.do(action)
    assert game.actions == [action]


# Calls that their player may still change


@pytest.fixture
def sarah(game: Evening) -> Evening:
    """Sarah's own phone, beside the host's tablet, at which everybody else plays."""
    phone = game.joined(seat="Sarah")
    game.change(take_seat, game.seat("Tim"))
    return phone


def call_of(phone: Evening) -> Call:
    call = phone.read().call
    assert call is not None
    return call


def test_the_others_wait_until_the_call_is_final(game: Evening, sarah: Evening) -> None:
    entry = game.do(roll("Tim", orange=4, yellow=5))
    for table, is_here in ((game, True), (sarah, False)):
        call = call_of(table)
        assert (call.entry, call.player) == (entry, "Tim")
        assert call.is_made_here == call.may_make_final == is_here
    early = partial(sarah.do, write("Sarah", "orange", 3), moment=moment(sarah))
    assert refused_untouched(game, early) == "call-open"
    assert refused(sarah.tap, final=entry) == "call-open"
    final = game.tap(final=entry, moment=moment(game))
    assert sarah.read().call is None
    assert game.tap(final=entry) == final, "twice is once"
    early()


def test_other_dice_open_the_call_again(game: Evening, sarah: Evening) -> None:
    entry = game.do(roll("Tim", orange=4))
    game.tap(final=entry)
    seen = moment(game)
    game.tap(replaces=entry, action=roll("Tim", orange=4, yellow=5))
    assert call_of(sarah).entry == entry
    late = partial(game.tap, final=entry, moment=seen)
    assert refused_untouched(game, late) == "stale", "it is about the earlier dice"
    game.tap(final=entry)
    assert sarah.read().call is None
    again = game.do(roll("Tim", orange=1, yellow=1))
    assert call_of(sarah).entry == again, "the second roll is a call of its own"


def test_the_others_know_that_a_second_roll_will_come(game: Evening, sarah: Evening) -> None:
    entry = game.do(roll("Tim", orange=4))
    sarah.tap(anew=entry)
    assert not call_of(sarah).is_made_again, "only its own player says so"
    answer = game.tap(anew=entry)
    assert game.tap(anew=entry) == answer, "twice is once"
    assert call_of(sarah).is_made_again
    game.tap(anew=entry, on=False)
    assert not call_of(sarah).is_made_again
    game.tap(anew=entry)
    game.do(roll("Tim", orange=5))
    assert not call_of(sarah).is_made_again, "the second roll is there"
    before = game.read().version
    assert game.tap(anew=entry).version == before, "it comes too late"


def test_writing_makes_the_call_final(game: Evening, sarah: Evening) -> None:
    game.do(roll("Tim", orange=4))
    game.do(write("Tim", "orange", 2), moment=moment(game))
    assert sarah.read().call is None
    sarah.do(write("Sarah", "orange", 2), moment=moment(sarah))


def test_a_program_without_a_page_need_not_wait(game: Evening, sarah: Evening) -> None:
    game.do(roll("Tim", orange=4))
    sarah.do(write("Sarah", "orange", 2))


def test_nobody_waits_where_nobody_has_a_seat(game: Evening) -> None:
    """All may write on the host's tablet, and on another one."""
    tablet = game.joined()
    tablet.do(roll("Tim", orange=4))
    assert tablet.read().call is game.read().call is None
    assert not tablet.read().has_other_devices
    game.do(write("Sarah", "orange", 2), moment=moment(game))


def test_players_without_a_phone_wait_at_the_host_s_tablet(game: Evening) -> None:
    """Sarah's phone is her own; Tim and Linus play on the host's, of whom nobody holds a seat."""
    sarah = game.joined(seat="Sarah")
    game.do(roll("Tim", orange=4))
    assert sarah.read().call is not None, "both tablet and phone wait for each other"
    game.play(*map(passes, ("Tim", "Linus", "Sarah")))
    entry = sarah.do(roll("Sarah", orange=5), moment=moment(sarah))
    for table, is_here in ((sarah, True), (game, False)):
        assert call_of(table).is_made_here == is_here
        assert table.read().has_other_devices
    early = partial(game.do, write("Tim", "orange", 3), moment=moment(game))
    assert refused_untouched(game, early) == "call-open"
    sarah.tap(final=entry, moment=moment(sarah))
    early()


def test_a_player_does_not_wait_for_their_own_call(tables: Tables, host: str) -> None:
    game = evening(tables, host, ("Tim", "Sarah"))
    game.joined(seat="Sarah").do(roll("Tim", orange=4))
    assert game.read().call is None, "Tim is the one who rolls"


def test_the_others_wait_for_the_call_of_a_card_too(tables: Tables, host: str) -> None:
    made = tables.create(host, "qwinto-cards", players=[("Tim", "red"), ("Sarah", "blue")])
    game = Evening(tables, made, host)
    game.change(start)
    phone = game.joined(seat="Sarah")
    game.do({"do": "deal", "grid": {"tl": "o4", "tr": "y3", "bl": "p1", "br": "g-2"}})
    assert phone.read().call is None, "nothing was called"
    entry = game.do({"do": "lay", "by": "Tim", "cards": [["o5", "tl"]]})
    assert phone.read().call is not None
    game.tap(final=entry)
    assert phone.read().call is None


def notices_on(phone: Evening) -> tuple[Notice, ...]:
    table = phone.read()
    return notices(table.state, table.me, recent_events(table.state))


def test_entries_and_corrections_by_others_are_reported(game: Evening, sarah: Evening) -> None:
    entry, *_ = game.play(roll("Tim", orange=4), passes("Tim"), write("Sarah", "orange", 3))
    (notice,) = notices_on(sarah)
    assert (notice.player, notice.actor) == ("Sarah", "Tim")
    assert notice.action == write("Sarah", "orange", 3)
    game.tap(replaces=entry, action=roll("Tim", orange=6))
    assert dict(notices_on(sarah)[-1].changed) == {"orange.3": (4, 6)}
    game.undo()
    assert dict(notices_on(sarah)[-1].changed) == {"orange.3": (6, 4)}
    assert not notices_on(game)


def test_a_pass_by_others_and_an_own_step_are_not_reported(game: Evening) -> None:
    sarah = game.joined(seat="Sarah")
    game.play(roll("Tim", orange=4), passes("Tim"))
    sarah.do(passes("Sarah"))
    assert not notices_on(sarah)


# A forgotten entry is inserted before another one

TAKE = {"do": "take", "by": "Ada", "rows": [1]}


def freaky(tables: Tables, host: str) -> tuple[Evening, str]:
    """Ada makes row 1 complete and forgets to take it before she draws; it is Ben's turn now."""
    table = tables.create(host, "freaky", players=[("Ada", "red"), ("Ben", "blue")])
    game = Evening(tables, table, host)
    game.change(start)
    game.do({"do": "start", "cards": ["red/yellow/4", "blue/purple/5", "green/orange/6"]})
    for card in ("red/red/1", "red/blue/2", "red/green/3"):
        game.do({"do": "play", "by": "Ada", "card": card, "row": 1})
    return game, game.do({"do": "draw", "by": "Ada"})


def kinds(game: Evening) -> list[str]:
    return [action["do"] for action in game.actions]


def test_a_forgotten_take_is_added(tables: Tables, host: str, shared_url: str) -> None:
    game, draw = freaky(tables, host)
    entry = tap_id()
    first = game.tap(id=entry, before=draw, action=TAKE)
    assert kinds(game)[-2:] == ["take", "draw"]
    position = game.read().position
    assert position is not None
    assert [position.score(name)["total"] for name in ("Ada", "Ben")] == [4, 0]
    assert game.tap(id=entry, before=draw, action=TAKE) == first
    assert record.replay(record.parse(tables.export(game.id, host))).refusal is None
    with closing(Tables(shared_url)) as other:
        assert Evening(other, game.id, host).read() == game.read()
    step = game.undo()
    assert (step.kind, step.body["action"]) == ("insert", TAKE)
    assert kinds(game)[-2:] == ["play", "draw"]
    game.tap(redo=step.id)
    changed = [line.description.translated(str, "") for line in all_turns.changes(game.read())]
    assert changed[:3] == ["brought back: Ada took row 1", "undid: Ada took row 1",
                           "added: Ada took row 1"]  # fmt: skip
    # An inserted entry is one like any other.
    game.tap(replaces=entry, action=None)
    assert kinds(game)[-2:] == ["play", "draw"]


def test_entries_that_no_longer_fit_after_it_are_reported(tables: Tables, host: str) -> None:
    game, draw = freaky(tables, host)
    late = game.do({"do": "play", "by": "Ben", "card": "red/red/1", "row": 1})
    assert refused(game.tap, before=draw, action=TAKE) == "does-not-fit"
    seen = tables.preview(game.id, host, draw, TAKE, True)
    assert [(unfit.entry, unfit.becomes) for unfit in seen.unfit] == [(late, None)]
    before = game.actions
    game.tap(before=draw, action=TAKE, fixes=seen.fixes)
    assert game.actions == [*before[:-2], TAKE, before[-2]]
    game.undo()
    assert game.actions == before


def test_insertions_that_are_refused(tables: Tables, host: str) -> None:
    game, draw = freaky(tables, host)
    assert refused(game.tap, before="no-such-entry", action=TAKE) == "no-such-entry"
    assert refused(game.tap, before=draw, action={**TAKE, "rows": [2]}) == "row-not-complete"
    assert refused(game.tap, before=draw, action={**TAKE, "by": "Ben"}) == "not-your-turn"
    game.change(set_setting, "shared_entry", False)
    ben, ada = game.joined(seat="Ben"), game.joined(seat="Ada")
    assert refused(ben.tap, before=draw, action=TAKE) == "not-your-seat"
    ada.tap(before=draw, action=TAKE)


def skipped(game: Evening) -> tuple[str, str, str]:
    """Tim goes on without the others: what they saw, his `next`, and a later roll."""
    game.do(roll("Tim", yellow=4))
    seen = moment(game)
    game.do(write("Tim", "yellow", 3))
    closed = game.do({**NEXT, "by": "Tim"})
    return seen, closed, game.do(roll("Sarah", yellow=5))


def test_a_skipped_player_writes_after_all(game: Evening) -> None:
    """The step that closes by itself then needs no `next`, until the entry is undone."""
    seen, closed, rolled = skipped(game)
    with pytest.raises(Refused, match=r"Tim had already gone on\.") as late:
        game.tap(action=write("Linus", "yellow", 1), moment=seen)
    assert (late.value.code, late.value.entry) == ("stale", closed)
    game.tap(before=closed, action=write("Linus", "yellow", 1))
    assert kinds(game) == ["roll", "write", "write", "next", "roll"]
    last = tap_id()
    game.tap(id=last, before=closed, action=write("Sarah", "yellow", 2))
    assert kinds(game) == ["roll", "write", "write", "write", "roll"]
    assert game.position.sheet("Linus")["yellow"][:2] == [4, None]
    assert game.position.sheet("Sarah")["yellow"][:2] == [None, 4]
    assert game.read().entries[-1].id == rolled
    game.tap(undo=last)
    assert kinds(game) == ["roll", "write", "write", "next", "roll"]


def test_dependent_entries_block_a_change(game: Evening) -> None:
    """A phone writes late on its own sheets alone, and no later entry may have to change."""
    _, closed, _ = skipped(game)
    linus = game.joined(seat="Linus")
    game.change(set_setting, "shared_entry", False)
    assert [seat.name for seat in late(linus)] == ["Linus"]
    linus.do(write("Linus", "yellow", 1))
    for name, code in (("Linus", "does-not-fit"), ("Sarah", "not-your-seat")):
        assert refused(linus.tap, before=closed, action=write(name, "yellow", 3)) == code
    assert late(linus) == ()


def late(game: Evening) -> tuple[Seat, ...]:
    """The seats for which the device may write after all."""
    turns = all_turns.turns(game.read())
    return tuple(seat for turn in turns for view in turn.entries for seat in view.late)


def test_the_editor_of_a_draw_adds_a_take(tables: Tables) -> None:
    phone = Phone(create_app(tables))
    game, draw = freaky(tables, phone.device)
    path = f"/t/{game.id}/turns/{draw}"
    picker = Page(phone.get(path, way="htmx").text).one(id="edit-picker").attrs
    assert (picker["data-preview"], picker["data-picks"]) == (f"{path}?insert=1", "{}")
    answer = Page(phone.post(f"{path}?insert=1", {"action": json.dumps(TAKE)}, way="htmx").text)
    assert answer.faults() == []
    assert '"before"' in str(answer.having("data-send")[0].attrs["data-send"])


# Actions that a first act implies


QUICK_ROLL = {"do": "roll", "by": "Tim", "told": False}


def crosses(player: str, *boxes: str) -> dict[str, Any]:
    dice = {"color_die": "orange", "number_die": len(boxes), "color": "orange"}
    return {"do": "cross", "by": player, **dice, "boxes": list(boxes)}


@pytest.fixture
def quick(tables: Tables, host: str) -> tuple[Evening, Evening]:
    """Tim and Sarah, each with a phone of their own, before the roll of a match of Encore!."""
    table = Evening(
        tables, tables.create(host, "encore", players=[("Tim", "red"), ("Sarah", "blue")]), host
    )
    sarah = table.joined(seat="Sarah")
    table.change(take_seat, table.seat("Tim"))
    table.change(set_setting, "shared_entry", False)
    table.change(start)
    return table, sarah


def entered(table: Evening) -> list[str]:
    return [f"{entry.by} {entry.action['do']}" for entry in table.read().entries]


def test_the_first_act_implies_the_roll_and_takes_it_back(quick: tuple[Evening, Evening]) -> None:
    tim, sarah = quick
    before = tim.read().position
    assert before is not None
    sarah.tap(action=crosses("Sarah", "H2"), first=QUICK_ROLL, moment=before.fingerprint)
    sarah.undo()
    assert entered(tim) == [], "one undo takes both"
    redo = sarah.read().redoable
    assert redo is not None
    sarah.tap(redo=redo.id)
    assert entered(tim) == ["Tim roll", "Sarah cross"]
    # Tim has tapped at the same moment.
    tim.tap(action=crosses("Tim", "H2"), first=QUICK_ROLL, moment=before.fingerprint)
    (turn,) = all_turns.turns(tim.read())
    assert [view.entry.action["do"] for view in turn.entries] == ["cross", "cross"], "one line each"


def test_a_first_act_implies_no_more_than_the_panel_says(quick: tuple[Evening, Evening]) -> None:
    tim, sarah = quick
    entered_roll = roll("Tim", yellow=4)
    for tap in (
        {"action": crosses("Sarah", "H2"), "first": entered_roll},
        {"action": crosses("Sarah", "H2"), "first": QUICK_ROLL, "moment": "another"},
    ):
        assert refused_untouched(tim, partial(sarah.tap, **tap)) == "stale"
    assert refused(sarah.tap, action=crosses("Sarah", "H3"), first=QUICK_ROLL) == "wrong-color"
    assert entered(tim) == [], "nothing is rolled where the act may not be"
    assert refused(sarah.tap, action=crosses("Tim", "H2"), first=QUICK_ROLL) == "not-your-seat"
    tim.change(set_setting, "all_dice", True)
    assert refused(sarah.tap, action=crosses("Sarah", "H2"), first=QUICK_ROLL) == "stale"
