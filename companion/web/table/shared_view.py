"""The parts of a table's page that everybody sees alike while a game is played.

A part is described here by the values of its template; `device_view` has the values that differ
between devices.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, Final, TypeAlias

from companion.core.panel import FieldTap, Panel, PassButton, ends_near
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.rolling import Dice
from companion.core.sheet import FilledSheet
from companion.core.signs import Sign, brought
from companion.core.values import Action, Player
from companion.tables import Seat, Table
from companion.tables.ledger import events
from companion.tables.ledger.events import Event
from companion.tables.ledger.table_settings import TableSettings
from companion.tables.play.roller import held_dice
from companion.web.table.all_turns import Signs, brought_between, on_table, signs_of
from companion.web.table.course import course_so_far
from companion.web.table.notes import recent_events
from companion.web.table.sheet_drawing import won_fields

Values: TypeAlias = Mapping[str, Any]  # the values of a part's template, by their names
# Part → its values. A part is named after its template, with "-" and the seat of its player.
ValuesByPart: TypeAlias = dict[str, Values]
CONCEALED: Final = Sign("✓")  # In place of what a player has written
# The parts that hold sheets; their values are the arguments of `drawn_fields`
SHEET: Final = "sheet"


class SharedPlayer:
    """A player of the match as everybody at the table sees them; values are computed on demand."""

    def __init__(self, shared: SharedView, seat: Seat, known: FilledSheet | None) -> None:
        """The player of a seat; `known` is their sheet at an earlier version."""
        self.id: Final = seat.id
        self.name: Final = seat.name
        self.color: Final = seat.color
        self.is_active: Final = seat.name == shared.position.active
        self.is_awaited: Final = seat.name in shared.awaited
        self._shared: Final = shared
        self._known: Final = known

    @cached_property
    def head(self) -> Values:
        """The player's name and points; None if the table does not show points."""
        panel, position = self._shared.panel, self._shared.shown
        return {
            "name": self.name,
            "color": self.color,
            "is_active": self.is_active,
            "points": panel.points(position, self.name) if self._shared.settings.scores else None,
        }

    @cached_property
    def filled(self) -> FilledSheet | None:
        """The sheet; the object of the earlier version where nothing has changed on it."""
        filled = self._shared.game.filled(self._shared.shown, self.name)
        known = self._known
        return known if filled and known and known.sheet is filled.sheet else filled

    @cached_property
    def sheet(self) -> Values:
        """The sheet for devices that cannot write on it, as arguments of `drawn_fields`."""
        panel, position, filled = self._shared.panel, self._shared.shown, self.filled
        return {
            "filled": filled,
            "taps": {},
            "player": self.name,
            "others": panel.marks(position, self.name),
            "won": won_fields(filled) if filled and self._shared.settings.scores else {},
        }

    @cached_property
    def taps(self) -> Mapping[str, FieldTap]:
        """The fields that answer a tap on the devices that may write on the sheet."""
        return self._shared.panel.taps(self._shared.position, self.name)

    @cached_property
    def held_taps(self) -> Mapping[str, FieldTap]:
        """The active player's fields in the turn's next step, if nobody else acts before."""
        shared = self._shared
        position, close = shared.position, shared.game.close
        if not self.is_active or self.is_awaited or close is None:
            return {}
        after = position.play(close)
        if isinstance(after, Refusal):
            return {}
        held = {}
        for field, tap in shared.panel.taps(after, self.name).items():
            if tap.is_open:
                held[field] = tap._replace(is_open=False, is_early=True)
        return held

    @cached_property
    def implied_action(self) -> Action | None:
        """The action that the player's first act implies; see `Panel.implied`."""
        shared = self._shared
        return shared.panel.implied(shared.position, self.name, shared.settings.all_dice)

    @cached_property
    def position(self) -> Position:
        """The position in which the player acts, after the implied action."""
        return played_or_same(self._shared.position, self.implied_action)

    @cached_property
    def actions(self) -> Values:
        """The choices and the button for passing, for the devices that may write."""
        shared, position = self._shared, self.position
        choice = shared.panel.player_facts(position, self.name)
        return {
            "game": shared.game,
            "id": self.id,
            "name": self.name,
            "first": self.implied_action,
            "choice": choice and {**choice, "seats": shared.seats},
            "passing": self.passing,
            "pass_action": shared.game.pass_action(self.name),
        }

    @cached_property
    def passing(self) -> PassButton | None:
        return self._shared.panel.passing(self.position, self.name)

    @cached_property
    def no_actions(self) -> Values:
        """The same for all other devices."""
        nothing = dict.fromkeys(("first", "choice", "passing", "pass_action"))
        return {"game": self._shared.game, "id": self.id, "name": self.name, **nothing}


class SharedView:
    """The values that all devices see alike of a game at one version of its table."""

    def __init__(self, table: Table, before: SharedView | None = None) -> None:
        """The game at a table as any device sees it; most sheets are those of `before`."""
        self.game: Final = table.game
        self.panel: Final[Panel[Any]] = table.game.panel
        self.settings: Final[TableSettings] = table
        self.position: Final = position_of(table)
        # Without the entries that are concealed
        self.shown: Final = table.shown or self.position
        self.awaited: Final = frozenset(self.position.awaited)
        self._skipped: Final = _skipped(table) - self.awaited
        self._table: Final = table
        # Player → their sheet at the turn's start, the one of now, and what it has gained
        self._gains: Final[dict[Player, tuple[object, object, Signs]]] = {}
        self._known_gains: Final = before._gains if before else {}
        players = {}
        for name in self.position.players:
            known = before.players.get(name) if before else None
            sheet = known.filled if known else None
            players[name] = SharedPlayer(self, seat_named(table, name), sheet)
        self.players: Final[Mapping[Player, SharedPlayer]] = players

    @property
    def parts(self) -> ValuesByPart:
        """The values of the parts that everybody sees alike."""
        panel, position = self.panel, self.shown
        found: ValuesByPart = {
            "turn": {"number": position.turn, "is_round": panel.turns_are_rounds},
            "news": {"news": panel.news(position)},
            "acts": {"acts": self._acts},
        }
        done, near = self._done, ends_near(panel.news(position))
        for name, player in self.players.items():
            won = [sign for sign in self._signs.get(name, ()) if sign.shape == "bonus"]
            found[f"tab-{player.id}"] = {
                **player.head,
                "is_done": name in done,
                "is_skipped": name in self._skipped,
                "near": near.get(name),
                "won": won,
            }
            found[f"total-{player.id}"] = {"points": player.head["points"]}
            if left := panel.left(position, name):
                found[f"left-{player.id}"] = {"left": left}
        return found

    @cached_property
    def root(self) -> dict[str, str]:
        """The `data-` attributes of the table's element, which the scripts read."""
        position, table = self.position, self._table
        rolled = {"rolled": str(self._last_roll)} if self.settings.roller else {}
        return {
            "version": str(table.version),
            "phase": table.phase,
            "moment": table.moment,
            "active": str(self.players[position.active].id),
            "by": position.active,
            "timer": str(table.turn_timer),
            "awaited": " ".join(str(self.players[name].id) for name in position.awaited),
            "step": str(position.step),
            "handing": "yes" if table.handing else "",
            **rolled,
        }

    @cached_property
    def facts(self) -> Values:
        # The buttons of a game with sheets ask who has acted; without, points are among the facts.
        position = self.position if self.game.has_sheet else self.shown
        return self.panel.facts(position, self._table.entries)

    @cached_property
    def seats(self) -> Values:
        """Player → id and color of the seat."""
        return {name: {"id": p.id, "color": p.color} for name, p in self.players.items()}

    @cached_property
    def panel_values(self) -> Values:
        """The values for the game's panel that depend on no device."""
        return {
            "game": self.game,
            "facts": self.facts,
            "active": self.position.active,
            "seats": self.seats,
            "scores": self.settings.scores,
            "course": course_so_far(self._table),
            "hints": self.settings.hints,
            "all_dice": self.settings.all_dice,
        }

    @cached_property
    def next_roll(self) -> Dice | None:
        """The dice that the app may roll for the active player now."""
        return self.position.next_roll if self.settings.roller else None

    @property
    def held(self) -> Collection[str]:
        """The dice that are held since the app's last roll."""
        match = self._table.state.match
        if match is None or self.next_roll is None or not match.entries:
            return ()
        return held_dice(self.next_roll, match.event(match.entries[-1].id))

    @cached_property
    def to_act(self) -> Collection[Player]:
        """The awaited players who have a choice, or else the active player."""
        return self.awaited.difference(self.idle) or {self.position.active}

    @cached_property
    def idle(self) -> AbstractSet[Player]:
        """The awaited players who have no choice."""
        panel, position = self.panel, self.position
        return {player for player in self.awaited if panel.is_idle(position, player)}

    @cached_property
    def writers(self) -> AbstractSet[Player]:
        """The players who write or pass now."""
        can_act = self.panel.can_act
        return {name for name in self.awaited if can_act(self.players[name].position, name)}

    @cached_property
    def recent(self) -> tuple[Event, ...]:
        return recent_events(self._table.state)

    @property
    def _last_roll(self) -> int:
        """The number of the event with the app's last roll; 0 for none."""
        for event in self._table.log[::-1]:
            if event.kind == events.ACTION and "drawn" in event.body:
                return event.seq
        return 0

    @cached_property
    def _start(self) -> Position:
        """The first position of the last entry's turn, which is this one or the one before."""
        match = self._table.state.match
        if match is None or not match.entries:
            return self.position
        turns = [entry.turn for entry in match.entries]
        return match.position_before(turns.index(turns[-1]))

    @property
    def _done(self) -> Collection[Player]:
        """The players who had something to do in this turn, and have done it."""
        has_begun = self._start.turn == self.position.turn
        return set(self._start.awaited) - self.awaited if has_begun else ()

    @property
    def _tapped(self) -> Action | None:
        """The roll that the caller has begun to enter; None without one."""
        tapped, dice = self._table.state.tapped, self.position.next_roll
        if tapped is None or dice is None or tapped["moment"] != self._table.moment:
            return None
        return dice.roll(tapped["dice"])

    @cached_property
    def _signs(self) -> Mapping[Player, Signs]:
        seen = signs_of(self.game, self._start, self.shown, self._gained)
        return {**seen, **dict.fromkeys(self._table.hidden, (CONCEALED,))}

    def _gained(self, player: Player) -> Signs:
        """What the turn has brought a player; a tap changes that of one of them."""
        start, filled = self._start, self.players[player].filled
        if filled is None:
            return brought_between(self.game, start, self.shown, player)
        sheets = start.sheet_of(player), filled.sheet
        known = self._known_gains.get(player)
        if known is not None and known[0] is sheets[0] and known[1] is sheets[1]:
            signs = known[2]
        else:
            signs = brought(FilledSheet(self.game.sheet, sheets[0]), filled)
        self._gains[player] = (*sheets, signs)
        return signs

    @property
    def _acts(self) -> list[Values]:
        """The signs of the turn for each player; before its first entry, of the one before."""
        start, now = self._start, self.position
        caller = start.active
        actions = [entry.action for entry in self._table.entries if entry.turn == start.turn]
        if tapped := self._tapped:
            caller, actions = now.active, [*actions, tapped] if start.turn == now.turn else [tapped]
        dice = on_table(self.game, actions)
        awaited = self.to_act if start.turn == now.turn else {now.active}
        acts: list[Values] = []
        for name, player in self.players.items():
            signs = () if name in awaited else self._signs.get(name, ())
            shown = {"dice": dice if name == caller else (), "signs": signs}
            acts.append({**player.head, **shown, "is_awaited": name in awaited})
        return acts


def _skipped(table: Table) -> frozenset[Player]:
    """The players who were skipped in this turn though a field fitted."""
    skip, position = table.skip, position_of(table)
    if skip is None or skip.before.turn != position.turn:
        return frozenset()
    panel = table.game.panel
    return frozenset(name for name in skip.players if not panel.is_idle(skip.before, name))


def position_of(table: Table) -> Position:
    """The present position; raises `ValueError` in the lobby."""
    if table.position is None:
        raise ValueError("the table is still in the lobby")
    return table.position


def played_or_same(position: Position, action: Action | None) -> Position:
    """The position after an action; the same one without an action, or if it is refused."""
    after = position if action is None else position.play(action)
    return position if isinstance(after, Refusal) else after


def seat_named(table: Table, name: Player) -> Seat:
    return next(seat for seat in table.seats if seat.name == name)
