"""The panel of the Qwinto card game: the grid, the cards to tap, and a second equal card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.core.colors import COLOR_WORDS, color_view
from companion.core.panel import (
    ENTERED,
    OPEN_CALL,
    EnteredAction,
    entry_of_turn,
    is_yours,
    picking,
)
from companion.core.refusal import Refusal
from companion.core.signs import Sign
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, joined, minus
from companion.games.qwinto import panel as shared
from companion.games.qwinto.panel import QwintoPanel
from companion.games.qwinto_cards.rules import (
    CARD_COLORS,
    CARD_VALUES,
    DECK,
    NEIGHBORS,
    PLACES,
    CardName,
    Place,
    QwintoCards,
)

_PLACE_NAMES: Final[Mapping[str, str]] = {
    "tl": N_("top left"),
    "tr": N_("top right"),
    "bl": N_("bottom left"),
    "br": N_("bottom right"),
}


def _grid(position: QwintoCards, places: Sequence[Place] = ()) -> list[Mapping[str, Any]]:
    """The four visible cards; a card may be laid on these places."""
    called = position.cards_called
    grid: list[Mapping[str, Any]] = []
    for place, card in zip(PLACES, position.grid, strict=True):
        seen = {"place": place, "word": _PLACE_NAMES[place], "card": _card(card)}
        role = {"is_called": card in called, "is_laid": card in called[:1]}
        beside = _beside(position, place) if place in places else ""
        grid.append({**seen, **role, "beside": beside})
    return grid


def _beside(position: QwintoCards, place: Place) -> str:
    """The sum of both neighbors, to which a card laid there is added: "+4", "−2"."""
    beside = sum(DECK[position.at(neighbor)].value for neighbor in NEIGHBORS[place])
    return f"{'' if beside < 0 else '+'}{minus(beside)}"


def _card(name: CardName | None, refusal: Refusal | None = None) -> Mapping[str, Any] | None:
    if name is None:
        return None
    card = DECK[name]
    return {
        **color_view(card.color),
        "color": card.color,
        "name": name,
        "value": _value(name),
        "refusal": refusal,
    }


def _value(name: CardName) -> str:
    """The card's value as the page shows it."""
    return minus(DECK[name].value)


def _deck(refusals: Mapping[CardName, Refusal | None]) -> list[list[Mapping[str, Any] | None]]:
    """The 4 × 8 cards, a row for each colour; each that no hand can hold has the reason."""
    rows = []
    for color in CARD_COLORS:
        row = []
        for value in CARD_VALUES:
            name = f"{color[0]}{value}"
            row.append(_card(name, refusals.get(name)))
        rows.append(row)
    return rows


def _lay_picker(position: QwintoCards) -> Mapping[str, object]:
    action = {"do": "lay", "by": position.active, "cards": [["$card", "$place"]]}
    refused = {name: position.hand_refusal(name) for name in DECK}
    return picking(
        action,
        ["card", "place"],
        {},
        part="card",
        deck=_deck(refused),
        places=_grid(position, PLACES),
    )


def _two_picker(position: QwintoCards, laid: Sequence[Sequence[str]]) -> Mapping[str, object]:
    """The picker of two cards and their places; each can be cleared and tapped again."""
    words = ((N_("first card"), N_("its place")), (N_("second card"), N_("its place")))
    cards, slots = [], []
    picks: dict[str, str] = {}
    for number, (card, place) in enumerate(laid):
        parts = f"card.{number}", f"place.{number}"
        cards.append([f"$card.{number}", f"$place.{number}"])
        picks |= zip(parts, (card, place), strict=True)
        for part, word in zip(parts, words[number], strict=True):
            slots.append({"part": part, "word": word})
    action = {"do": "lay", "by": position.active, "cards": cards}
    return {
        **_lay_picker(position),
        **picking(action, list(picks), picks),
        "part": "card.+",
        "place_part": "place.+",
        "slots": slots,
    }


def _deal_picker(position: QwintoCards, picks: Mapping[str, str]) -> Mapping[str, object]:
    parts, slots = [], []
    for place in PLACES:
        part = f"grid.{place}"
        parts.append(part)
        slots.append({"part": part, "word": _PLACE_NAMES[place]})
    return picking(
        {"do": "deal", "grid": "$grid"},
        parts,
        picks,
        part="grid.+",
        deck=_deck({}),
        places=[],
        slots=slots,
    )


def _taking_back(position: QwintoCards, lay: str) -> Mapping[str, object] | None:
    """The tap that takes back the card laid last; None once somebody has acted."""
    if not position.laid or position.now.acted or position.over:
        return None
    cards = position.laid[:-1]
    action = {"do": "lay", "by": position.active, "cards": cards} if cards else None
    return {"replaces": lay, "action": action}


def _second_picker(position: QwintoCards, lay: str) -> Mapping[str, object] | None:
    """The equal cards that may be laid on a neighbour of the first one, if there are any."""
    if len(position.laid) != 1:
        return None
    card, place = position.laid[0]
    others = position.second_cards(card)
    if not others or not position.hand(position.active):
        return None
    cards = [[card, place], ["$card", "$place"]]
    return picking(
        {"do": "lay", "by": position.active, "cards": cards},
        ["card", "place"],
        {},
        replaces=lay,
        part="card",
        deck=[list(map(_card, others))],
        places=_grid(position, NEIGHBORS[place]),
        value=_value(card),
    )


def _phrase(names: Sequence[CardName]) -> Sentence:
    """Cards as "orange 4, gray −2"."""
    phrases = []
    for name in names:
        phrases.append(joined((COLOR_WORDS[DECK[name].color], _value(name)), " "))
    return joined(phrases)


class QwintoCardsPanel(QwintoPanel[QwintoCards]):
    actions: ClassVar = {"deal": ENTERED, "lay": OPEN_CALL, **QwintoPanel.actions}
    under_way = N_("%(player)s is laying cards … %(number)s?")
    again = N_("%(player)s lays a card")

    def facts(
        self, position: QwintoCards, entries: Sequence[EnteredAction]
    ) -> Mapping[str, object]:
        """The values for `templates/games/qwinto_cards/panel.html`; see `Panel.facts`."""
        may_lay = not position.over and bool(position.grid) and not position.laid
        lay = entry_of_turn(position.turn, entries, "lay")
        back = _taking_back(position, lay)
        return {
            **shared.call_facts(position),
            "grid": _grid(position) if position.grid else [],
            "draw_pile": position.draw_pile,
            "is_dealt": bool(position.grid),
            "may_lay": may_lay,
            "lay": _lay_picker(position) if may_lay else None,
            "deal": _deal_picker(position, {}),
            "back": back,
            "second": _second_picker(position, lay) if back else None,
        }

    def picker(self, position: QwintoCards, entry: EnteredAction) -> Mapping[str, object] | None:
        """The controls for correcting a deal or a lay; `position` is the one before it."""
        if entry.action["do"] == "deal":
            grid: Mapping[str, str] = entry.action["grid"]
            return _deal_picker(position, {f"grid.{place}": card for place, card in grid.items()})
        if entry.action["do"] == "lay":
            cards = entry.action["cards"]
            return _lay_picker(position) if len(cards) == 1 else _two_picker(position, cards)
        return None

    def on_table(self, action: Action) -> tuple[Sign, ...]:
        if action["do"] != "lay":
            return ()
        return tuple(Sign(_value(name), DECK[name].color, "card") for name, _ in action["cards"])

    def hint(self, position: QwintoCards, here: Sequence[Player] = ()) -> Sentence:
        """The deal, the active player's lay, or who may write."""
        if not position.grid and (not here or position.active in here):
            return Sentence("Tap the four cards in the middle of the table")
        if not position.grid:
            return Sentence("%(player)s deals the cards", {"player": position.active})
        if not position.laid and not position.over:
            if is_yours(position.active, here):
                return Sentence("Your turn: tap the place, then the card that you lay")
            lays = {"player": position.active}
            if position.active in here:
                return Sentence("%(player)s lays a card: tap the place, then the card", lays)
            return Sentence("%(player)s lays a card", lays)
        return super().hint(position, here)

    def ended(self, position: QwintoCards) -> Sequence[Sentence]:
        # A solo game also ends when the deck is used up; say so, because no sheet shows it.
        return super().ended(position) or [Sentence("All cards have been played.")]

    def describe(self, position: QwintoCards | None, action: Action) -> Sentence:
        """A `deal` or `lay` in words, or an action that both Qwinto games share."""
        if action["do"] == "deal":
            cards = tuple(map(action["grid"].get, PLACES))
            return Sentence("Dealt: %(cards)s", {"cards": _phrase(cards)})
        if action["do"] == "lay":
            cards = tuple(card for card, _ in action["cards"])
            values = {"player": action.get("by", ""), "cards": _phrase(cards)}
            return Sentence("%(player)s laid %(cards)s", values)
        return super().describe(position, action)
