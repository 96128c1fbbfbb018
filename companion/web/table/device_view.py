"""The parts of a table's page that differ between devices while a game is played."""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

from companion.core.panel import rolling_hint
from companion.core.values import Player
from companion.core.words import Sentence
from companion.tables import Seat, Table
from companion.tables.ledger import rights
from companion.web.table.all_turns import steps
from companion.web.table.notes import notes
from companion.web.table.shared_view import SHEET, SharedView, Values, ValuesByPart

# Limit of the entries that are searched for a pass of this turn or the one before
MOST_PASSED: Final = 20


class SeatHint(NamedTuple):
    """The hint while the sheet of one of several players on a device is shown."""

    seat: int
    hint: Sentence
    then: Player | None  # who acts next on the device
    step: Sentence | None


class DeviceView:
    """The values that differ between devices, at one version of a table."""

    def __init__(self, table: Table, shared: SharedView) -> None:
        """The page of one device, from the table as it sees it, at the version of `shared`."""
        self._table: Final = table
        self._shared: Final = shared
        self._entered: Final = {seat.name for seat in table.seats if seat.may_enter}
        self._seats_here: Final = seats_here(table)
        self._here: Final = tuple(
            name for name in shared.position.players if name in self._seats_here
        )
        call = table.call
        # Whether another device makes the call, until whose end nobody writes on this one
        self._waits: Final = call is not None and not call.is_made_here
        self._acts_here: Final = shared.position.active in self._here
        # Whether the dice of the turn are entered on this device
        self._rolls_here: Final = not set(shared.position.rollers).isdisjoint(self._here)
        # Whether this device may write for the active player
        self._may_enter: Final = not self._entered.isdisjoint(shared.position.rollers)
        # Dice are entered on any device that may write for the active player: one panel for all.
        # Whether the active player's cards are tapped on this device, in a game of cards
        self._plays_cards: Final = self._acts_here and not shared.game.has_dice

    @property
    def root(self) -> dict[str, str]:
        """The `data-` attributes of the table's element, which the scripts read."""
        others = self._seats_elsewhere
        return {
            **self._shared.root,
            "focus": str(self.focus),
            "rolls": "yes" if self._rolls_here else "no",
            "others": " ".join(str(seat.id) for seat in others),
            "helps": " ".join(str(seat.id) for seat in others if seat.may_enter),
        }

    @cached_property
    def focus(self) -> int:
        """The seat whose sheet a narrow screen shows first: one here with something to do."""
        here = [self._seats_here[name] for name in self._in_turn]
        if not here:
            return self._shared.players[self._shared.position.active].id

        def rank(seat: Seat) -> int:
            return 0 if seat.name in self._shared.to_act else 1 if seat.mine else 2

        return min(here, key=rank).id  # of equals the first

    @cached_property
    def _in_turn(self) -> list[Player]:
        """The players here as they act: the active one, those with a phone, then the others."""
        shared, seats = self._shared, self._seats_here
        first = "" if shared.panel.turns_are_rounds else shared.position.active
        return sorted(self._here, key=lambda name: (name != first, not seats[name].mine))

    @cached_property
    def _seats_elsewhere(self) -> list[Seat]:
        """The seats whose players write on other devices; none for a device that people share."""
        seats = [seat for seat in self._table.seats if seat.name in self._shared.players]
        if sum(seat.mine for seat in seats) != 1:
            return []
        return [seat for seat in seats if seat.name not in self._seats_here]

    @property
    def parts(self) -> ValuesByPart:
        """The values of the parts that differ between devices."""
        shared, table = self._shared, self._table
        players = shared.players
        found: ValuesByPart = {
            "steps": steps(table),
            "hint": self._hint,
            "panel": self._panel,
            "dock": self._dock,
            "notes": {"notes": notes(table, shared.recent)},
        }
        for name, player in players.items():
            # Not while another device makes the call.
            may_write = name in self._entered and not self._waits
            found[f"actions-{player.id}"] = player.actions if may_write else player.no_actions
            if player.filled:
                taps = player.taps if may_write else {}
                early = player.held_taps if self._acts_here else {}
                sheet = player.sheet
                found[f"{SHEET}-{player.id}"] = (
                    {**sheet, "taps": {**taps, **early}} if taps or early else sheet
                )
        return found

    @property
    def _hint(self) -> Values:
        """The sentence of the bar at the bottom, and how the present step is done."""
        shared, table = self._shared, self._table
        panel, position = shared.panel, shared.position
        texts = panel.call_texts(position)
        if self._waits and table.call is not None and texts is not None:
            return {"call": texts.again if table.call.is_made_again else texts.under_way}
        focus = self.focus
        here = sorted(self._in_turn, key=lambda name: self._seats_here[name].id != focus)
        hint, rolls = panel.hint(position, here), rolling_hint(position, here)
        is_quick = hint == rolls and not table.all_dice
        if is_quick:
            hint = panel.quick_hint(position, here) or hint
        writers, idle = shared.writers, shared.writers & shared.idle
        others = [name for name in position.awaited if name not in {*self._here, *idle}]
        # Before a roll whose dice are not entered, the hint names the one who rolls.
        also = others if not writers.isdisjoint(self._here) and not is_quick else []
        acting = [name for name in here if name in writers - idle and not is_quick]
        return {
            "call": None,
            "hint": hint,
            "how": shared.game.guide.step(position, here),
            "by_seat": self._hints_by_seat(here, acting),
            "again": rolls if texts is not None and self._acts_here else None,
            "also": also,
            "is_next": table.call is not None or not writers >= set(also),
            "passed": self._passed,
        }

    def _hints_by_seat(self, here: list[Player], acting: list[Player]) -> list[SeatHint]:
        """The hint for each player whose sheet may be shown.

        Args:
            here: this device's players in the order of the hint.
            acting: those of them who have a choice now.
        """
        shared = self._shared
        hints: list[SeatHint] = []
        if len(here) == 1:
            return hints
        for name in acting:
            others = [other for other in acting if other != name]
            order = [name, *others, *here]
            hint = shared.panel.hint(shared.position, order)
            step = shared.game.guide.step(shared.position, order)
            then = others[0] if others else None
            hints.append(SeatHint(self._seats_here[name].id, hint, then, step))
        return hints

    @property
    def _panel(self) -> Values:
        """The game's panel, and by what it offers taps on this device."""
        shared, table = self._shared, self._table
        next_roll = shared.next_roll if self._rolls_here else None
        own = {
            "may_enter": self._may_enter,
            "may_end": table.may_end,
            "plays_cards": self._plays_cards,
            "first": self._first,
            "next_roll": next_roll,
            "held": shared.held if next_roll else (),
            "moment": table.moment if next_roll else "",
            "is_watching": table.me.role == "viewer",
            "waits": self._waits,
            # A call that nobody else sees never becomes final.
            "is_call_final": table.call is None and table.has_other_devices,
        }
        return {**shared.panel_values, "own": own}

    @property
    def _first(self) -> Values | None:
        """The next player on this device, and the end of the turn that the first act implies."""
        if self._acts_here or self._shared.game.has_sheet:
            return None
        for name in self._here:
            if action := self._shared.players[name].implied_action:
                return {"player": name, "action": action}
        return None

    @property
    def _dock(self) -> Values:
        """The buttons that belong to no single sheet."""
        shared, table = self._shared, self._table
        call = table.call if table.call is not None and table.call.may_make_final else None
        dock = shared.facts.get("dock") if self._may_enter else None
        closing = shared.panel.closing(shared.position)
        return {
            "game": shared.game,
            "dock": dock,
            "plays_cards": dock is not None and self._plays_cards,
            "call": call,
            "texts": shared.panel.call_texts(shared.position) if call is not None else None,
            "close": table.close,
            "automatic": self._automatic_action,
            "asks": closing.asks or self._skips_a_phone,
            "close_text": closing.text if table.close else None,
            "skipped": ", ".join(shared.position.awaited) if table.close else "",
        }

    @property
    def _skips_a_phone(self) -> bool:
        """Whether somebody who has not acted has another phone, and may be about to tap on it."""
        awaited = self._shared.position.awaited
        return any(
            seat.held and not seat.mine for seat in self._table.seats if seat.name in awaited
        )

    @property
    def _automatic_action(self) -> Values | None:
        """The action that this device sends without a tap if nobody has a choice; else None."""
        shared, table, active = self._shared, self._table, self._shared.position.active
        match = table.state.match
        if match is None or not self._acts_here:
            return None
        closes = table.close is not None and shared.panel.only_passing(shared.position)
        passes = active in shared.idle
        if not (closes or passes) or match.is_taken_back:
            return None
        action = table.close if closes else shared.game.pass_action(active)
        last = match.entries[-1]
        return {
            "action": action,
            "after": last.id,
            "shown": "[data-ask]" if closes else f"#player-{shared.players[active].id} .pass",
            "is_read_first": passes or last.is_automatic,
        }

    @property
    def _passed(self) -> Values | None:
        """The automatic pass of a player on this device, with its undo, until the next turn."""
        table, turn = self._table, self._shared.position.turn
        closing = table.game.close or {}
        passed: set[Player | None] = set()
        for entry in table.entries[-MOST_PASSED:]:
            if entry.turn < turn - 1 or not entry.is_automatic:
                continue
            if entry.action["do"] != closing.get("do"):
                passed.add(entry.by)
            if table.skip is not None and table.skip.entry == entry:
                passed.update(table.skip.players)
        if passed.isdisjoint(self._here):
            return None
        step = table.undoable
        return {"undo": step.id if step is not None and step.body.get("alone") else ""}


def seats_here(table: Table) -> dict[Player, Seat]:
    """The seats whose players tap on this device, by their names."""
    here = {seat.id for seat in rights.seats_here(table.state, table.me)}
    return {seat.name: seat for seat in table.seats if seat.id in here}
