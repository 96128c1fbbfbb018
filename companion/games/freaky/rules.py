"""Freaky: play cards to rows by background, circle or value, and take rows with four alike.

Nobody's hand is known, and any card may come any number of times (see `cards.CARDS`).
Source: the rule text of Freaky.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from companion.core.position import Position, game_over, not_your_turn
from companion.core.refusal import Refusal, bad_action
from companion.core.result import Result
from companion.core.values import Action, Document, Player, changed, is_whole
from companion.core.words import N_
from companion.games.freaky.cards import Card, Row, RowNumber, card_of

HAND: Final = 3
START_ROWS: Final = 3
NEW: Final = "new"  # stands for the row in a `play` that starts a new one


@dataclass(frozen=True, kw_only=True)
class Freaky(Position):
    """A position of Freaky; see `core.position.Position`."""

    ACTIONS: ClassVar = ("start", "play", "take", "draw")
    UNSIGNED: ClassVar = ("start",)
    taken: tuple[int, ...]  # the number of cards that each player has taken, in the players' order
    draw_pile: int
    rows: tuple[Row, ...] = ()  # on the table, in the order of their numbers
    rows_made: int = 0  # the highest number of any row so far; 0 before the start
    played: int = 0  # the number of cards that the active player has played in this turn
    rows_taken: tuple[RowNumber, ...] = ()  # by the active player in this turn

    @property
    def awaited(self) -> tuple[Player, ...]:
        """Only the active player; the others do nothing in this turn."""
        return () if self.over else (self.active,)

    @property
    def fingerprint(self) -> str:
        """Turn, cards played in it, and the rows on the table."""
        rows = []
        for row in self.rows:
            cards = [f"{card.background[0]}{card.circle[0]}{card.value}" for card in row.cards]
            rows.append(f"{row.number}:{''.join(cards)}")
        return f"{self.turn}.{self.played}.{';'.join(rows)}{'.over' if self.over else ''}"

    def result_of(self, player: Player) -> Result:
        """The number of cards taken; a tie is shared: "you can have more than one winner"."""
        return Result(self.cards_taken(player))

    def cards_taken(self, player: Player) -> int:
        """The number of cards that the player has taken from the table."""
        return self.taken[self.players.index(player)]

    def sheet_of(self, player: Player) -> None:
        """None: a player has cards and no sheet."""

    def sheet(self, player: Player) -> Document:
        """The number of the player's cards; the game has no paper sheet."""
        return {"cards": self.cards_taken(player)}

    def score(self, player: Player) -> Document:
        return {"total": self.cards_taken(player)}

    def hand(self, player: Player) -> int:
        return HAND - self.played if player == self.active else HAND

    def playable_rows(self, card: Card) -> tuple[RowNumber, ...]:
        """The rows whose last card this card matches; without any, the card starts a new row."""
        return tuple(row.number for row in self.rows if row.last.matches(card))

    @property
    def complete_rows(self) -> tuple[RowNumber, ...]:
        """The rows that may be taken, which the rules let a player miss."""
        return tuple(row.number for row in self.rows if row.is_complete)

    def cannot_play(self) -> Refusal | None:
        """Why the active player cannot play any card now, or None."""
        refused = self._cannot_act()
        if refused:
            return refused
        if self.rows_taken:
            return Refusal(
                "wrong-moment",
                ("Once you have taken a row, you cannot play another card in this turn."),
            )
        if self.played == HAND:
            return Refusal("too-many-cards", "You can play at most three cards in a turn.")
        return None

    def play_refusal(self, card: Card, row: RowNumber | Literal["new"]) -> Refusal | None:
        """Why the active player cannot play this card to a row, or to a new one, or None."""
        refused = self.cannot_play()
        if refused:
            return refused
        if row == NEW:
            fitting = self.playable_rows(card)
            text = N_("The card fits row %(rows)s, so it cannot start a new one.")
            values = {"rows": tuple(map(str, fitting))}
            return Refusal("new-row-not-needed", text, values) if fitting else None
        here = self._row(row)
        if isinstance(here, Refusal):
            return here
        if here.last.matches(card):
            return None
        return Refusal(
            "no-match",
            "The card does not fit row %(row)s: its background, circle or value must match the "
            "last card there.",
            {"row": row},
        )

    def take_refusal(self, rows: tuple[RowNumber, ...]) -> Refusal | None:
        """Why the active player cannot take these rows now, or None."""
        refused = self._must_play_first()
        if refused:
            return refused
        for number in rows:
            row = self._row(number)
            if isinstance(row, Refusal):
                return row
            if not row.is_complete:
                return Refusal(
                    "row-not-complete",
                    "Row %(row)s cannot be taken: no background, circle or value appears in it "
                    "four times.",
                    {"row": number},
                )
        return None

    def _play_by(self, player: Player, action: Action) -> Freaky | Refusal:
        if not self.over and player != self.active:
            return not_your_turn(self.now)
        if action["do"] == "play":
            return self._lay(action.get("card"), action.get("row"))
        if action["do"] == "take":
            return self._take(action.get("rows"))
        return self._draw()

    # Each refusal below is named in the public interface; the order is from the general one
    # (the game is over) to the special one (this card does not fit there).

    def _play_unsigned(self, action: Action) -> Freaky | Refusal:
        raw_cards = action.get("cards")
        if not isinstance(raw_cards, list | tuple) or len(raw_cards) != START_ROWS:
            return bad_action("The first three rows start with one card each.")
        rows = []
        for number, raw in enumerate(raw_cards, start=1):
            card = card_of(raw)
            if isinstance(card, Refusal):
                return card
            rows.append(Row(number, (card,)))
        if self.over:
            return game_over()
        if self.rows_made:
            return Refusal("wrong-moment", "The first three rows are laid out only once.")
        return changed(self, rows=tuple(rows), rows_made=START_ROWS)

    def _lay(self, raw_card: object, raw_row: object) -> Freaky | Refusal:
        card = card_of(raw_card)
        if isinstance(card, Refusal):
            return card
        if raw_row != NEW and not is_whole(raw_row):
            return bad_action("Give a row by its number, or as a new one.")
        refused = self.play_refusal(card, raw_row)
        if refused:
            return refused
        if raw_row == NEW:
            number = self.rows_made + 1
            return changed(
                self,
                rows=(*self.rows, Row(number, (card,))),
                rows_made=number,
                played=self.played + 1,
            )
        rows = list(self.rows)
        for place, row in enumerate(rows):
            if row.number == raw_row:
                rows[place] = changed(row, cards=(*row.cards, card))
        return changed(self, rows=tuple(rows), played=self.played + 1)

    def _take(self, raw_rows: object) -> Freaky | Refusal:
        if not isinstance(raw_rows, list | tuple) or not all(map(is_whole, raw_rows)):
            return bad_action("Give the rows by their numbers.")
        if not raw_rows or len(set(raw_rows)) < len(raw_rows):
            return bad_action("Take at least one row, and none of them twice.")
        refused = self.take_refusal(tuple(raw_rows))
        if refused:
            return refused
        left, taken = [], list(self.taken)
        for row in self.rows:
            if row.number in raw_rows:
                taken[self.now.active_place] += len(row.cards)
            else:
                left.append(row)
        return changed(
            self,
            rows=tuple(left),
            taken=tuple(taken),
            rows_taken=(*self.rows_taken, *raw_rows),
        )

    def _draw(self) -> Freaky | Refusal:
        """The position after the turn; the game ends at once when the hand cannot be filled."""
        refused = self._must_play_first()
        if refused:
            return refused
        if self.draw_pile < self.played:
            return changed(self, over=True)
        return changed(
            self,
            now=self.now.following(),
            draw_pile=self.draw_pile - self.played,
            played=0,
            rows_taken=(),
        )

    def _cannot_act(self) -> Refusal | None:
        if self.over:
            return game_over()
        if not self.rows_made:
            return Refusal("wrong-moment", "The first three rows must be laid out first.")
        return None

    def _must_play_first(self) -> Refusal | None:
        refused = self._cannot_act()
        if refused or self.played:
            return refused
        return Refusal(
            "must-play-first",
            "%(player)s has to play one, two or three cards first.",
            {"player": self.active},
        )

    def _row(self, number: RowNumber) -> Row | Refusal:
        for row in self.rows:
            if row.number == number:
                return row
        return Refusal("no-such-row", "There is no row %(row)s on the table.", {"row": number})
