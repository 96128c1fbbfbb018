"""What a table page shows: whose sheet first, which fields glow, what the totals are made of."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from companion.core.panel import FieldTap
from companion.games.scoring import filled_sheet
from companion.tables.ledger.names import SEAT_COLORS
from companion.tables.play.lobby import set_setting, take_seat
from companion.web.table.contents import Shared
from companion.web.table.own_contents import Own
from companion.web.table.seating import SEAT_COLOR_WORDS
from companion.web.table.sheet_drawing import draw
from tests.kit.games import SARAH, TIM, document, passes, roll
from tests.kit.names import NAMES
from tests.kit.pages import Element, Page
from tests.kit.phones import Phone
from tests.kit.tables import Party

Action = dict[str, Any]


# Whose sheet a narrow screen shows first

ROLL, PASSES = [roll("Tim", yellow=4)], {name: [passes(name)] for name in NAMES}
FOCUS: dict[str, tuple[dict[str, int], str, list[tuple[list[Action], str]]]] = {
    # Nobody holds a seat: every device that may write is for all of them.
    "one tablet": ({}, "host", [
        ([], "Tim"), (ROLL, "Tim"), (PASSES["Tim"], "Sarah"), (PASSES["Sarah"], "Linus"),
        (PASSES["Linus"], "Sarah"),  # the next turn is hers
    ]),
    "who watches follows the turns": ({}, "viewer", [
        ([], "Tim"), (ROLL + PASSES["Tim"], "Tim"), (PASSES["Sarah"], "Tim"),
        (PASSES["Linus"], "Sarah"),
    ]),
    "an own phone": ({"player": 3}, "player", [
        ([], "Linus"), (ROLL, "Linus"), (PASSES["Tim"], "Linus"), (PASSES["Linus"], "Linus"),
    ]),
    "the host's tablet is for those without a phone": ({"player": 3}, "host", [
        (ROLL + PASSES["Tim"] + PASSES["Linus"], "Sarah"),
    ]),
    # Who is active and has no phone rolls on the host's; then the own sheet comes first.
    "a host with a seat plays for others": ({"host": 2}, "host", [
        ([], "Tim"), (ROLL + PASSES["Tim"], "Sarah"), (PASSES["Sarah"], "Linus"),
    ]),
}  # fmt: skip
"""Seats by the phones that hold them, whose screen it is, and what it shows after actions."""


@pytest.mark.parametrize(("seats", "who", "steps"), FOCUS.values(), ids=FOCUS)
def test_whose_sheet_comes_first(
    game: Party, seats: dict[str, int], who: str, steps: list[tuple[list[Action], str]]
) -> None:
    for phone, seat in seats.items():
        game.on(getattr(game, phone).device).change(take_seat, seat)
    for actions, shown in steps:
        game.do(*actions)
        table = game.on(getattr(game, who).device).read()
        number = Own(table, Shared(table)).focus
        assert [seat.name for seat in table.seats if seat.id == number] == [shown]
        page = getattr(game, who).page(game.path)
        sheets = page.all("div", role="tabpanel")
        selected = ["selected" in str(sheet.attrs["class"]) for sheet in sheets]
        assert selected == [name == shown for name in NAMES]


def test_what_the_others_did_and_whom_the_table_waits_for(game: Party) -> None:
    """Before the first entry of a turn that is the active player alone."""
    game.tables.change(game.id, game.player.device, take_seat, 3)
    game.do(roll("Tim", yellow=4), passes("Tim"), passes("Sarah"), passes("Linus"))
    assert acts(game) == "Tim has a failed attempt Sarah"
    game.do(roll("Sarah", yellow=4))
    assert acts(game) == "Tim Sarah"
    game.do(passes("Tim"))
    assert acts(game) == "Tim passed Sarah"


def acts(party: Party) -> str:
    """The lines on the phone of the third player."""
    page = Page(party.player.get(party.path).text)
    (lines,) = [element for element in page.all("ul") if element.attrs.get("class") == "acts"]
    return " ".join(lines.text.split())


def test_own_entry_only(game: Party) -> None:
    """Without shared entry a phone offers its own sheet's fields and no other."""
    game.tables.change(game.id, game.player.device, take_seat, 2)
    game.tables.change(game.id, game.host.device, set_setting, "shared_entry", False)
    (call,) = game.do(roll("Tim", yellow=4))
    assert not any(offered(game.player.page(game.path), player) for player in NAMES)
    game.tap(final=call)
    page = game.player.page(game.path)
    assert [player for player in NAMES if offered(page, player)] == ["Sarah"]
    assert len([button for button in page.all("button") if is_pass(button)]) == 1
    assert not page.having("data-picker"), "Tim's dice are Tim's"
    page = game.host.page(game.path)
    assert [player for player in NAMES if offered(page, player)] == ["Tim", "Linus"]


def offered(page: Page, player: str) -> bool:
    """Whether the fields of a player's sheet answer taps."""
    inside = page.source.split(f'data-by="{player}"')[-1].split('class="actions instead"')[0]
    return "data-f=" in inside and "data-tap" in inside.split('class="actions"')[0]


def is_pass(button: Element) -> bool:
    return "pass" in str(button.attrs.get("class")).split()


# The call and the end of a turn


def test_where_the_dice_are_tapped(game: Party) -> None:
    game.tables.change(game.id, game.player.device, take_seat, 1)
    for phone, answer in ((game.player, "yes"), (game.host, "no"), (game.viewer, "no")):
        assert phone.page(game.path).one(id="table").attrs["data-rolls"] == answer


def test_what_would_be_undone_is_said(game: Party) -> None:
    game.do(roll("Tim", yellow=4))
    page = game.host.page(game.path)
    (button,) = page.having("data-send")
    assert button.attrs["aria-label"] == "Undo: Tim rolled: yellow 4"
    assert not game.player.page(game.path).having("data-send"), "another device entered it"


# The drawing


def drawn(app: Flask, sheet: dict[str, Any], taps: dict[str, FieldTap] | None = None) -> Page:
    with app.test_request_context():
        return Page(str(draw(filled_sheet(sheet), taps or {}, "Sheet of Tim")))


@pytest.mark.parametrize("sheet", [document(), TIM, SARAH, document(failed=4)])
def test_a_drawing_shows_what_is_written(app: Flask, sheet: dict[str, Any]) -> None:
    page = drawn(app, sheet)
    assert page.faults() == []
    assert not page.having("data-tap") and not page.having("tabindex")
    (svg,) = [one for one in page.all("svg") if str(one.attrs.get("class")).startswith("sheet")]
    assert svg.attrs["aria-label"] == "Sheet of Tim"
    fields = {str(field.attrs["data-f"]): field for field in page.having("data-f")}
    assert len(fields) == 27 + 4
    for row in ("orange", "yellow", "purple"):
        for number, value in enumerate(sheet[row], start=1):
            field = fields[f"{row}.{number}"]
            assert field.text.strip() == ("" if value is None else str(value))
            label = str(field.attrs["aria-label"])
            assert label.endswith(": empty") if value is None else label.endswith(f": {value}")
    crossed = [
        n for n in range(1, 5) if "crossed" in str(fields[f"failed.{n}"].attrs["aria-label"])
    ]
    assert crossed == list(range(1, sheet["failed"] + 1))
    letters = [e.text for e in page.all("text") if "letter" in str(e.attrs.get("class"))]
    assert letters == ["O", "Y", "P"], "every colour also has its letter"


def test_open_and_closed_fields(app: Flask) -> None:
    taps = {
        "yellow.1": FieldTap("write row=yellow field=1", True, "9"),
        "yellow.2": FieldTap("write row=yellow field=2", False, "9"),
    }
    page = drawn(app, document(), taps)
    is_open, closed = page.having("data-tap")
    assert is_open.text.strip() == "9"
    assert (is_open.attrs["role"], is_open.attrs["tabindex"]) == ("button", "0")
    assert "write 9" in str(is_open.attrs["aria-label"])
    assert closed.text.strip() == ""
    assert closed.attrs["role"] == "img"
    assert "not possible now" in str(closed.attrs["aria-label"])


def test_drawings_are_kept_apart(app: Flask) -> None:
    """What is remembered of one drawing never shows up in another's place."""
    before = drawn(app, TIM).source
    assert drawn(app, SARAH).source != before
    with app.test_request_context(headers={"Cookie": "language=de"}):
        assert str(draw(filled_sheet(TIM), {}, "Sheet of Tim")) != before, "its words are German"
    with app.test_request_context():
        assert Page(str(draw(filled_sheet(TIM), {}, "Sheet of <Sarah>"))).faults() == []
    assert drawn(app, TIM).source == before


def test_colors_of_seats() -> None:
    assert tuple(SEAT_COLOR_WORDS) == SEAT_COLORS


def test_an_open_call_is_told_and_made_final(game: Party) -> None:
    """Until Tim says that it is, Sarah's phone is told what he has rolled, without a button."""
    game.tables.change(game.id, game.player.device, take_seat, 2)
    (call,) = game.do(roll("Tim", yellow=4, purple=5))
    watching = game.player.page(game.path).one("div", **{"class": "dock"})
    assert "Tim is rolling … 9?" in watching.text
    button = {"data-final": call}
    assert not game.player.page(game.path).having("data-final")
    assert "the others may write" in game.host.page(game.path).one("button", **button).text
    game.tap(anew=call)
    assert "Tim rolls again" in game.player.page(game.path).one("div", **{"class": "dock"}).text
    game.tap(final=call)
    assert not game.host.page(game.path).having("data-final")
    assert offered(game.player.page(game.path), "Sarah")


def test_the_host_goes_on_in_the_place_of_a_player_who_is_gone(game: Party) -> None:
    game.tables.change(game.id, game.player.device, take_seat, 1)
    game.tables.change(game.id, game.host.device, take_seat, 2)
    answer = game.tap(game.player, action=roll("Tim", yellow=4))
    assert answer.status_code == 200
    page = game.host.page(game.path)
    assert [button.text for button in page.having("data-final")] == ["Go on with 4"]


def hint(party: Party, phone: Phone) -> str:
    page = Page(phone.get(party.path).text)
    (said,) = [line for line in page.all("p") if line.attrs.get("data-drawn") == "hint"]
    return said.text


def test_who_writes_at_other_phones_and_when_is_said(game: Party) -> None:
    """Nobody else may write until the caller has said that the call is final."""
    game.tables.change(game.id, game.player.device, take_seat, 3)
    (call,) = game.do(roll("Tim", yellow=4))
    assert "tap a glowing field or pass. Linus writes next" in hint(game, game.host)
    game.tap(final=call)
    assert "Waiting for Linus, too" in hint(game, game.host)
    assert "Waiting for Tim and Sarah, too" in hint(game, game.player)
    game.do(passes("Linus"))
    assert "Linus" not in hint(game, game.host)
