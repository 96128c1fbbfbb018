"""The panel of Freaky: the rows on the table, and all cards, laid out by their backgrounds.

It does not point out the rows that can be taken unless the table asks for it: the rules let a
player miss one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, ClassVar, Final

from companion.core.colors import COLOR_LETTERS, COLOR_WORDS, color_view
from companion.core.panel import ENTERED, GAME_OVER, EnteredAction, Panel, is_yours, picking
from companion.core.refusal import Refusal
from companion.core.signs import Sign
from companion.core.values import Action, Player
from companion.core.words import Sentence, Word, joined
from companion.games.freaky.cards import COLORS, FEATURES_TO_TAKE, VALUES, Card, card_of
from companion.games.freaky.rules import START_ROWS, Freaky


def _row(position: Freaky, number: int, cards: Sequence[Card]) -> Mapping[str, Any]:
    take = {"do": "take", "by": position.active, "rows": [number]}
    return {
        "number": number,
        "cards": list(map(card_view, cards)),
        "any": {"card": str(cards[-1])},
        # Whether a feature is in it four times is for the players to see.
        "take": take if len(cards) >= FEATURES_TO_TAKE else None,
    }


@dataclass(frozen=True, eq=False)
class CardView:
    """A card as `templates/games/freaky/cards.html` draws it.

    Compared and hashed by identity, so that a drawing can be cached by its card.
    """

    name: str
    background: str
    circle: str
    value: int
    phrase: Sentence
    letters: tuple[Word, Word]


@cache
def card_view(card: Card) -> CardView:
    """A card as it is drawn; the same object for the same card."""
    letters = COLOR_LETTERS[card.background], COLOR_LETTERS[card.circle]
    return CardView(str(card), card.background, card.circle, card.value, _phrase(card), letters)


def _phrase(card: Card) -> Sentence:
    """A card as "6, purple on yellow"."""
    values = {
        "value": card.value,
        "circle": COLOR_WORDS[card.circle],
        "background": COLOR_WORDS[card.background],
    }
    return Sentence("%(value)s, %(circle)s on %(background)s", values)


def _draw(position: Freaky) -> dict[str, str]:
    return {"do": "draw", "by": position.active}


def _start_picker(picks: Mapping[str, object]) -> Mapping[str, object]:
    slots = [f"card.{place}" for place in range(START_ROWS)]
    action = {"do": "start", "cards": "$card"}
    return picking(action, slots, picks, kind="start", slots=slots, deck=DECK, part="card.+")


def _play_picker(position: Freaky, picks: Mapping[str, object]) -> Mapping[str, object]:
    action = {"do": "play", "by": position.active, "card": "$card", "row": "$row"}
    rows = _at_places(position)
    return picking(
        action, ("card", "row"), picks, kind="play", slots=[], rows=rows, deck=DECK, part="card"
    )


def _at_places(position: Freaky) -> list[Mapping[str, Any] | None]:
    """The rows from top to bottom; None for one taken in this turn, so that no other moves yet."""
    rows = dict.fromkeys(position.rows_taken)
    for row in position.rows:
        rows[row.number] = _row(position, row.number, row.cards)
    return [rows[number] for number in sorted(rows)]


def _seen(entries: Sequence[EnteredAction]) -> frozenset[str]:
    """The cards of this game so far. The phone learns them, because no list has all cards."""
    seen: set[str] = set()
    for entry in entries:
        action = entry.action
        if action["do"] == "start":
            seen.update(map(str, action["cards"]))
        elif action["do"] == "play":
            seen.add(str(action["card"]))
    return frozenset(seen)


def _take_picker(position: Freaky, rows: Sequence[int]) -> Mapping[str, object]:
    complete = [_row(position, row.number, row.cards) for row in position.rows if row.is_complete]
    action = {"do": "take", "by": position.active, "rows": "$rows"}
    picks = {f"rows.{number}": number for number in rows}
    return picking(action, ["rows"], picks, kind="take", slots=[], rows=complete)


def _of_background(background: str) -> Mapping[str, Any]:
    cards = [Card(background, circle, value) for circle, value in product(COLORS, VALUES)]
    return {**color_view(background), "cards": list(map(card_view, cards))}


DECK: Final = list(map(_of_background, COLORS))


class FreakyPanel(Panel[Freaky]):
    """The table page of Freaky, in which nobody passes."""

    actions: ClassVar = {"start": ENTERED, "play": ENTERED, "take": ENTERED, "draw": ENTERED}
    hint_name = Sentence("Show which rows can be taken")

    def implied(self, position: Freaky, player: Player, all_dice: bool) -> Action | None:
        """The draw, which the next player's first card implies."""
        drawn = position.play(_draw(position)) if player != position.active else position
        if not isinstance(drawn, Freaky) or drawn is position:
            return None
        is_next = not drawn.over and drawn.active == player
        return _draw(position) if is_next else None

    def facts(self, position: Freaky, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/freaky/panel.html`; see `Panel.facts`.

        `next` is the picker of the next player, whose first card implies the draw.
        """
        may_take = not position.over and position.played > 0
        drawn = position.play(_draw(position))
        return {
            "is_started": bool(position.rows_made),
            "complete": position.complete_rows,
            "draw_pile": position.draw_pile,
            "may_play": not position.over and position.cannot_play() is None,
            "may_take": may_take,
            "dock": {"draw": _draw(position)} if may_take else None,
            "next": None if isinstance(drawn, Refusal) else _play_picker(drawn, {}),
            "seen": _seen(entries),
            "start": _start_picker({}),
            "play": _play_picker(position, {}),
        }

    def picker(self, position: Freaky, entry: EnteredAction) -> Mapping[str, object] | None:
        """The controls for correcting an entry; `position` is the one before it.

        Nothing in a draw can be wrong, but a row may have been forgotten before it.
        """
        if entry.action["do"] == "start":
            cards = entry.action["cards"]
            return _start_picker({f"card.{place}": card for place, card in enumerate(cards)})
        if entry.action["do"] == "play":
            card = str(entry.action["card"])
            picks = {"background": card.partition("/")[0], "card": card, "row": entry.action["row"]}
            return _play_picker(position, picks)
        if entry.action["do"] == "take":
            return _take_picker(position, entry.action["rows"])
        hint = Sentence("No row could be taken here.")
        if position.complete_rows:
            hint = Sentence("Did you forget a row? Tap it to take it before the cards are drawn.")
        return {**_take_picker(position, ()), "inserts": True, "hint": hint}

    def on_table(self, action: Action) -> tuple[Sign, ...]:
        card = card_of(action["card"]) if action["do"] == "play" else None
        if not isinstance(card, Card):
            return ()
        return (Sign(str(card.value), card.circle, "card", card.background),)

    def hint(self, position: Freaky, here: Sequence[Player] = ()) -> Sentence:
        """The start, or how far the active player's turn is."""
        if position.over:
            return GAME_OVER
        if not position.rows_made:
            return Sentence("Tap the three cards that lie on the table")
        is_own = is_yours(position.active, here)
        if not position.played:
            if is_own:
                return Sentence("Your turn: play a card")
            return Sentence("%(player)s plays a card", {"player": position.active})
        values = {"player": position.active, "count": position.played}
        if is_own:
            return Sentence("Your turn: you have played %(count)s of 3 cards", values)
        return Sentence("%(player)s has played %(count)s of 3 cards", values)

    def ended(self, position: Freaky) -> list[Sentence]:
        """Says that the draw pile is used up, which ends every game."""
        return [Sentence("The draw pile has too few cards left to fill the hand.")]

    def describe(self, position: Freaky | None, action: Action) -> Sentence:
        """A `start`, `play`, `take` or `draw` in words."""
        player = action.get("by", "")
        if action["do"] == "start":
            cards = list(map(card_of, action["cards"]))
            phrases = [_phrase(card) for card in cards if not isinstance(card, Refusal)]
            return Sentence("The rows start with %(cards)s", {"cards": joined(phrases, "; ")})
        if action["do"] == "play":
            card = card_of(action["card"])
            values = {
                "player": player,
                "card": action["card"] if isinstance(card, Refusal) else _phrase(card),
                "row": action["row"],
            }
            if action["row"] == "new":
                return Sentence("%(player)s started a row with %(card)s", values)
            return Sentence("%(player)s played %(card)s to row %(row)s", values)
        if action["do"] == "take":
            rows = ", ".join(map(str, action["rows"]))
            return Sentence("%(player)s took row %(rows)s", {"player": player, "rows": rows})
        return Sentence("%(player)s drew cards", {"player": player})
