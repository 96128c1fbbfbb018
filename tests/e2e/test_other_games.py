"""The card game, Encore! and Freaky, each from its first tap to the winner in a real browser.

One phone passes around the table. What is tapped comes from a seeded chance and from what the page
offers; in the end the record that it exports is replayed, and must say what the page says. The
middle of a long game is played by the rules alone; `tests/web/table/test_games.py` draws all its
pages.
"""

from __future__ import annotations

import re
from itertools import product

import pytest
from playwright.sync_api import expect

from lab.names import LONG_NAMES
from lab.wide import wide
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import make_table
from tests.e2e.play import Play, each
from tests.e2e.screens import (
    LYING,
    SIZES,
    SMALL,
    UPRIGHT,
    Size,
    each_locale,
    measured,
    show,
)

pytestmark = pytest.mark.e2e

MOST_TURNS = 400
FIRST_TURNS = 2
"""Turns that are tapped before a long game is left to the rules for a while."""


def test_the_card_game(open_phone: OpenPhone) -> None:
    play = Play(open_phone(), "qwinto-cards", ("Ada", "Ben"))
    _deal(play)
    for action in range(3 * MOST_TURNS):
        if play.is_over:
            break
        if action == 3 * FIRST_TURNS:
            play.leave_the_middle_out()
        if play.see("#lay").count():
            play.after(
                lambda: each(play.pick(part) for part in ("#lay [data-part=card]", "#lay .place"))
            )
        elif play.see(".player.selected .f.open").count():
            play.after(lambda: play.pick(".player.selected .f.open"))
        else:
            play.after(lambda: play.tap(".player.selected .pass"))
    play.check_end()


def _deal(play: Play) -> None:
    play.after(lambda: each(play.tap("#deal [data-part]", card) for card in (0, 9, 18, 27)))


@each_locale
def test_cards_and_their_places_are_in_view_together(open_phone: OpenPhone, locale: str) -> None:
    """On a sheet from below, which an upright phone opens once a place is chosen."""
    play = Play(open_phone(*UPRIGHT, locale=locale), "qwinto-cards", ("Ada", "Ben"))
    assert _faults_of_deck(play, "#deal", "#deal [data-slot]") == {}
    _deal(play)
    expect(play.see("#lay .deck")).to_be_hidden()
    play.tap("#lay .place")
    assert _faults_of_deck(play, "#lay", "#lay .place") == {}
    play.after(lambda: play.tap("#lay [data-part=card]"))
    expect(play.see("#lay .deck")).to_have_count(0)


DECK_FAULTS = """
  const [deck, places] = given;
  const sheet = box(`${deck}.from-below, ${deck} .from-below`);
  const [cards, over] = [boxes(`${deck} .deck .pick`), boxes(places)];
  const faults = {
    'is not as wide as the screen': sheet.width < innerWidth - 1,
    'is not at the bottom': Math.abs(sheet.bottom - innerHeight) > 1,
    'has not eight cards in each of four lines': new Set(cards.map(({ top }) => top)).size !== 4,
    'is cut': ![...cards, ...over].every((one) => isIn(one)),
    'covers the places': over.some(({ bottom }) => bottom > cards[0].top),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
"""


def _faults_of_deck(play: Play, deck: str, places: str) -> dict[tuple[Size, str], list[str]]:
    found = {}
    for size, text in product((SMALL, UPRIGHT, (390, 844)), ("100%", "150%")):
        show(play.phone, size, text)
        found[size, text] = measured(play.phone, DECK_FAULTS, [deck, places])
    return {where: faults for where, faults in found.items() if faults}


def test_encore(open_phone: OpenPhone) -> None:
    play = Play(open_phone(), "encore", ("Ada", "Ben"))
    for action in range(3 * MOST_TURNS):
        if play.is_over:
            break
        if action == 3 * FIRST_TURNS:
            play.leave_the_middle_out()
        _cross_or_pass(play)
    replay = play.check_end()
    assert any(sheet["colors"] for sheet in replay["sheets"].values())


CHOICE = ".player.selected .encore-picker"


def _cross_or_pass(play: Play) -> None:
    """Takes the pair that crosses most, as the page lists what can be crossed."""
    sets = play.see(CHOICE).evaluate("picker => JSON.parse(picker.dataset.sets)")
    if not sets:
        play.after(lambda: play.tap(".player.selected .pass"))
        return
    best = max(sets, key=lambda one: max(map(len, one["sets"])))
    boxes = max(best["sets"], key=len)

    def tap() -> None:
        for part in ("color_die", "number_die"):
            # The boxes say the other dice.
            if best["when"][part] == "joker":
                play.tap(f'{CHOICE} [data-part="{part}"][data-value="joker"]')
        play.phone.takes_taps()
        # At once: the app completes the clump as soon as one way is left, and a later tap would
        # reach the next player's sheet.
        play.see(".player.selected").evaluate(
            """(player, boxes) => {
              const fields = boxes.map((box) => `[data-f="${box}"].open`);
              for (const place of [...fields, "[data-done]:not([hidden])"])
                player.querySelector(place)?.dispatchEvent(new Event("click", {bubbles: true}));
            }""",
            boxes,
        )

    play.after(tap)


def test_a_stroke_over_boxes_crosses_them(open_phone: OpenPhone) -> None:
    """Nobody enters the dice: the boxes imply color and number, and so the jokers."""
    play = Play(open_phone(*UPRIGHT, has_touch=True), "encore", ("Ada",))
    play.phone.tap(f"{CHOICE} [data-part=color_die]")
    play.after(lambda: _stroke(play, "H7", "H6", "I6"))
    dice = {"color_die": "joker", "number_die": 3, "color": "yellow"}
    cross = {"do": "cross", "by": "Ada", **dice, "boxes": ["H7", "H6", "I6"]}
    assert play.actions == [{"do": "roll", "by": "Ada", "told": False}, cross]
    play.after(lambda: _stroke(play, "H2", "H3", "G2"))
    assert play.actions[-1]["boxes"] == ["H2", "G2"], "the red one is left out"


def _stroke(play: Play, *boxes: str) -> None:
    """A finger is drawn over boxes."""
    places = []
    for box in boxes:
        hit = play.see(f'.player.selected [data-f="{box}"] .hit').bounding_box()
        assert hit
        places.append({"x": hit["x"] + hit["width"] / 2, "y": hit["y"] + hit["height"] / 2})
    finger = play.phone.context.new_cdp_session(play.phone.page)
    for number, place in enumerate(places):
        kind = "touchMove" if number else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_box_out_of_reach_says_why(open_phone: OpenPhone) -> None:
    play = Play(open_phone(), "encore", ("Ada", "Ben"))
    colors = ["blue", "joker", "green"]
    roll = {"do": "roll", "by": "Ada", "colors": colors, "numbers": [2, 3, 1]}
    play.after(lambda: play.send(roll))
    play.tap('.player.selected [data-f="A3"]')
    expect(play.phone.toast).to_contain_text("column H")
    play.tap('.player.selected [data-f="H2"]')
    expect(play.phone.toast).to_contain_text("Tap the joker first")
    play.tap(f'{CHOICE} [data-part="number_die"][data-value="2"]')
    play.after(lambda: each(play.tap(f'.player.selected [data-f="{box}"]') for box in ("H4", "G4")))
    assert sorted(play.actions[-1]["boxes"]) == ["G4", "H4"]


WORDS_ASTRAY = """
  await document.fonts.ready;
  const values = boxes('.player.selected .f.value .p');
  const isAstray = (text) => {
    const own = text.getBoundingClientRect(), outer = box('.p', text.parentElement);
    if (text.matches('.corner')) return own.left < outer.left || own.right > outer.right;
    return values.some((value) => isOver(own, value));
  };
  const texts = document.querySelectorAll('.player.selected :is(.corner, .label.small)');
  return [...texts].filter(isAstray).map((text) => text.textContent);
"""


@pytest.mark.parametrize("size", [UPRIGHT, wide((820, 1180))], ids=str)
@pytest.mark.parametrize("locale", ["de-DE", wide("es-ES")])
def test_words_on_the_board_stay_where_they_belong(
    open_phone: OpenPhone, locale: str, size: Size
) -> None:
    """One or two letters stay inside their box; the names of values stay beside the values."""
    play = Play(open_phone(*size, locale=locale), "encore", ("Ada", "Ben"))
    assert measured(play.phone, WORDS_ASTRAY) == []


def test_freaky(open_phone: OpenPhone) -> None:
    play = Play(open_phone(), "freaky", ("Ada", "Ben", "Carla"))
    play.after(lambda: each(play.pick('#start [data-part="card.+"]') for _ in range(3)))
    for turn in range(MOST_TURNS):
        if play.is_over:
            break
        if turn == FIRST_TURNS:
            play.leave_the_middle_out()
        played = 0
        while played < 3 and play.see("#play").count():
            play.after(lambda: _play_card(play))
            played += 1
        if play.see(".table-row.complete .take").count():
            play.after(lambda: play.tap(".table-row.complete .take"))
        play.after(lambda: play.tap('[data-tap*="draw"]'))
    play.check_end()


def _play_card(play: Play) -> None:
    """The row is tapped only where there are several."""
    play.pick('#play [data-part="card"]')
    matches = play.see("#play .matches")
    if matches.count() > 1:
        matches.first.dispatch_event("click")


@each_locale
@pytest.mark.parametrize("size", [UPRIGHT, LYING, wide(SMALL)], ids=str)
def test_all_rows_are_in_view(open_phone: OpenPhone, locale: str, size: Size) -> None:
    """Six rows; a card fits the last one. Each row and each "Take" answers a tap."""
    play = Play(open_phone(*size, locale=locale), "freaky", ("Ada", "Ben", *LONG_NAMES[:3]))
    _all_in_view(play, ".taken li")
    cards = ["red/blue/1", "green/yellow/2", "orange/purple/3"]
    play.send({"do": "start", "cards": cards})
    for card in ("yellow/red/4", "blue/green/5", "purple/orange/6"):
        play.send({"do": "play", "by": "Ada", "card": card, "row": "new"})
    play.send({"do": "draw", "by": "Ada"})
    play.send({"do": "play", "by": "Ben", "card": "purple/red/6", "row": 6})
    play.phone.settles(play)
    expect(play.see("#rows .take")).to_have_count(0)
    expect(play.see(".handed")).to_have_count(0)
    out = play.see("#rows button").evaluate_all(
        """buttons => buttons.filter(button => {
          const { left, right, top, bottom } = button.getBoundingClientRect();
          const ends = [[left + 6, top + 6], [right - 6, bottom - 6]];
          return !ends.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
        }).map(button => button.outerHTML)"""
    )
    assert out == []
    # The cards of a background lie over the rows until one is chosen, or none.
    play.phone.tap('.backgrounds [data-value="red"]')
    _all_in_view(play, "#play .deck.red .pick")
    play.phone.tap('.backgrounds [data-value="red"]')
    expect(play.see("#play .deck:visible")).to_have_count(0)
    play.phone.tap('.backgrounds [data-value="purple"]')
    play.phone.tap('#play [data-value="purple/blue/1"]')
    expect(play.see("#play .deck:visible")).to_have_count(0)
    expect(play.see("#play .matches")).to_have_count(2)
    play.phone.tap("#rows .matches >> nth=1")
    expect(play.see("#rows small").last).to_have_text("×3")


def test_the_cards_in_the_middle_stand_as_they_lie(open_phone: OpenPhone) -> None:
    """Two by two, the laid one at the top right, however the phone is held."""
    play = Play(open_phone(), "qwinto-cards", ("Ada", "Ben"))
    _deal(play)
    play.after(lambda: each(play.tap(f"#lay [data-value={part}]") for part in ("o6", "tr")))
    for size in SIZES:
        play.phone.resize(*size)
        places = play.see(".still .playing-card").evaluate_all(
            "cards => cards.map(card => { const b = card.getBoundingClientRect();"
            " return [Math.round(b.x), Math.round(b.y)] })"
        )
        (left, top), (right, top_too), (left_too, bottom), (right_too, bottom_too) = places
        assert (left, top, right, bottom) == (left_too, top_too, right_too, bottom_too)
        assert left < right
        assert top < bottom


def test_an_upright_sheet_is_turned_like_paper(open_phone: OpenPhone) -> None:
    """The first row is the rightmost column, and so are its dice."""
    play = Play(open_phone(*UPRIGHT), "qwinto-dice", ("Ada", "Ben"))
    sheet = ".player.selected [data-f='{}.1']"
    dice = "#dice [data-part='dice.{}'] >> nth=0"
    for selector in (sheet, dice):
        spots = [play.see(selector.format(row)) for row in ("orange", "yellow", "purple")]
        lefts = [(spot.bounding_box() or {"x": 0.0})["x"] for spot in spots]
        assert lefts == sorted(lefts, reverse=True)
        assert len({*lefts}) == len(lefts)


@pytest.mark.parametrize("size", [(780, 360), wide((844, 390)), wide((932, 430))], ids=str)
def test_a_lying_phone_shows_dice_or_cards_beside_the_sheet(
    open_phone: OpenPhone, size: Size
) -> None:
    """There is nothing to scroll between the two."""
    play = Play(open_phone(*size), "qwinto-dice", ("Ada", "Ben"))
    _all_in_view(play, "#dice .die", ".player.selected .f.number")
    for color in ("orange", "yellow", "purple"):
        play.after(lambda color=color: play.tap(f"#dice .die.{color}", 4))
    _all_in_view(play, ".reroll", ".player.selected .pass", ".player.selected .f.open")
    play = Play(play.phone, "qwinto-cards", ("Ada", "Ben"))
    _deal(play)
    play.tap("#lay [data-value=tr]")
    _all_in_view(play, "#lay [data-part=card]", "#lay .place")
    play.after(lambda: play.tap("#lay [data-value=o6]"))
    _all_in_view(play, ".still", ".player.selected .f.number >> nth=-1")


def _all_in_view(play: Play, *selectors: str) -> None:
    for wanted in selectors:
        for number in range(play.see(wanted).count()):
            expect(play.see(wanted).nth(number)).to_be_in_viewport(ratio=1)


def test_a_game_chosen_in_the_lobby_looks_like_itself(open_phone: OpenPhone) -> None:
    """No new page is loaded from there on: its style sheets come with the lobby."""
    phone = open_phone()
    phone.open(make_table(phone, "Ada", "Ben", game="qwinto-cards", start=False).path)
    phone.page.evaluate("globalThis.sameDocument = true")
    phone.tap("#choose-game summary")
    phone.tap(phone.see("#choose-game label").filter(has=phone.see("[value=freaky]")))
    expect(phone.see("#game-style")).to_have_attribute(
        "href", re.compile(r"^/static/games/freaky\.css")
    )
    phone.tap(phone.page.get_by_role("button", name="Start the game"))
    expect(phone.see(".play.freaky .backgrounds")).to_have_css("display", "grid")
    assert phone.page.evaluate("globalThis.sameDocument")
