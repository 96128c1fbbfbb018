"""A game's part of the table page: tappable fields and descriptions of actions.

A panel decides what is shown; the template in the game's package decides how. A panel has no rules:
it asks the position. `Panel` has the defaults of any game, `SheetPanel` those of a game in which
everybody writes on a sheet or passes.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from companion.core.colors import color_view
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.rolling import FACES, is_by_app
from companion.core.sheet import Layout, Mark
from companion.core.signs import Sign, dice
from companion.core.turns import PASS, PlainRoll, SheetPosition, pass_action
from companion.core.values import Action, Options, Player, is_whole
from companion.core.words import N_, Sentence

FieldId: TypeAlias = str
Totals: TypeAlias = Mapping[Player, Sequence[int | None]]  # each player's points, turn by turn


class EnteredAction(Protocol):
    """An action that counts in a game at a table."""

    @property
    def id(self) -> str:
        """The id of the tap that entered it."""

    @property
    def action(self) -> Action:
        """The action as it counts now, after corrections."""

    @property
    def turn(self) -> int:
        """The turn in which it was played."""


class FieldTap(NamedTuple):
    """The action that a tap on a field sends, and whether it is legal now."""

    action: Mapping[str, Any]  # the whole action, as the record has it
    is_open: bool
    ghost: str  # the text that the tap would write
    is_early: bool = False  # it is for the turn's next step: a phone holds it until then
    costs: bool = False  # it costs points, as passing may: legal, not highlighted
    # (text, what it adds to the action) of each value from which the player chooses next
    choices: Sequence[tuple[str, Mapping[str, Any]]] = ()


@dataclass(frozen=True)
class ActionKind:
    """How a table treats the actions of one name."""

    is_undone_only: bool = False  # it has no parts to tap differently, so it cannot be corrected
    comes_in_parts: bool = False  # each tap replaces the action made of the parts before
    # Any of its parts makes a whole action: players at other devices wait until its player ends it.
    stays_open: bool = False
    # It ends the game, or says after the end who has won: for the host and those with a seat.
    is_of_end: bool = False


ENTERED: Final = ActionKind()  # an action made by one tap, or by a picker, that can be corrected
UNDONE_ONLY: Final = ActionKind(is_undone_only=True)
IN_PARTS: Final = ActionKind(comes_in_parts=True)
OF_END: Final = ActionKind(is_of_end=True)
OPEN_CALL: Final = ActionKind(comes_in_parts=True, stays_open=True)


@dataclass(frozen=True)
class PassButton:
    text: Sentence
    costs: bool = False  # whether it costs the player points now


@dataclass(frozen=True)
class CloseButton:
    text: Sentence
    # Whether it asks before it skips somebody. It always does where one of them has a phone.
    asks: bool = True


@dataclass(frozen=True)
class CallTexts:
    """The sentences about a call that its player may still change."""

    under_way: Sentence  # for the other players: who makes which call
    again: Sentence  # for the other players: who is about to make another call
    short: str  # the call in short, for the host who takes over for the player


@dataclass(frozen=True)
class Option:
    """An option of the game as the lobby shows it: its name, and a name for each value."""

    name: Sentence
    values: Mapping[Any, Sentence] = field(default_factory=dict)
    layouts: Mapping[str, Layout] = field(default_factory=dict)  # by value, for a small picture
    typed: Literal["", "text", "number"] = ""  # the input of a free value; "" for one of `values`
    none: Sentence | None = None  # the empty input in words

    def chosen(self, value: Any) -> Any:
        """The value that is in use: the first one where a record leaves it out."""
        return next(iter(self.values), None) if value is None else value


@dataclass(frozen=True)
class Left:
    """A number of things that a player has left, such as open boxes of a color.

    Without a color, the number is that of the points for them.
    """

    sign: Sentence  # the letter or sign before the number
    name: Sentence
    count: int
    color: str = ""


def to_end(player: Player, count: int, one: str, several: str) -> Sentence:
    """The distance of a player's sheet from the end of the game.

    Args:
        one: the sentence for a single thing, marked for the catalog.
        several: the sentence for a count.
    """
    return Sentence(one if count == 1 else several, {"player": player, "count": count})


def ends_near(news: Iterable[Sentence]) -> dict[Player, int]:
    """Player → the least count in those of the sentences that `to_end` has made."""
    found: dict[Player, int] = {}
    for sentence in news:
        player, count = sentence.values.get("player"), sentence.values.get("count")
        if isinstance(player, str) and is_whole(count):
            found[player] = min(count, found.get(player, count))
    return found


def of_players(
    position: SheetPosition[Any], text: str, holds: Callable[[Any], bool]
) -> list[Sentence]:
    """A sentence with the `players` for whose sheets `holds` is true; empty without any."""
    whose = [player for player in position.players if holds(position.sheet_of(player))]
    return [Sentence(text, {"players": ", ".join(whose)})] if whose else []


BARRED: Final = "barred"
GAME_OVER: Final = Sentence("The game is over.")
MOST_NAMES: Final = 3  # names that one line has room for

P = TypeVar("P", bound=Position)


class Panel(ABC, Generic[P]):
    """One game's part of the table page, for its positions `P`."""

    # Every action that the game knows, by its public name
    actions: ClassVar[Mapping[str, ActionKind]]

    # The game's options by name, as the lobby asks for them
    options: ClassVar[Mapping[str, Option]] = {}

    def options_with(self, chosen: Options) -> Mapping[str, Option]:
        """The options that remain a choice once these are chosen: one may follow from another."""
        return self.options

    # The instruction for correcting an entry that is a tap on the sheet
    retap: Sentence = Sentence("Tap the field where the number should go.")

    # Whether players call a turn of the game a round, in which everybody gets points. A phone of
    # several players asks for the points in the order of the seats.
    turns_are_rounds: ClassVar[bool] = False

    # The name of the switch for pointing out what the rules let a player miss; None without one
    hint_name: Sentence | None = None

    # The name of the switch for entering dice that a roll may leave out; None without any
    full_roll_name: Sentence | None = None

    @abstractmethod
    def facts(self, position: P, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for the template `panel.html` of the game's package.

        The template shows the call and the controls of the active player; its macro `picker` draws
        what `picker` and `player_facts` return. `dock` is for its `dock.html`, or None.

        Args:
            entries: the game's entries so far.
        """

    @abstractmethod
    def describe(self, position: P | None, action: Action) -> Sentence:
        """The action in words; `position` is the one before it, None where it is not known."""

    def on_table(self, action: Action) -> tuple[Sign, ...]:
        """The dice or cards that an action puts on the table."""
        return ()

    def changes(self, position: P, form: Mapping[str, str]) -> Mapping[str, object]:
        """The values for the template `changes.html`; `form` has its inputs so far.

        A game that overrides it can be changed while it is played.
        """
        return {}

    @property
    def has_changes(self) -> bool:
        return type(self).changes is not Panel.changes

    @abstractmethod
    def hint(self, position: P, here: Sequence[Player] = ()) -> Sentence:
        """The sentence that says what the table waits for.

        Args:
            here: the players on this phone; it shows the sheet of the first.
        """

    def implied(self, position: P, player: Player, all_dice: bool) -> Action | None:
        """The action that the player's first act implies if nobody entered it, such as a roll.

        Args:
            all_dice: whether the table enters all dice; see `full_roll_name`.
        """
        return None

    def quick_hint(self, position: P, here: Sequence[Player]) -> Sentence | None:
        """The hint before a roll whose dice are not entered; None for the usual one."""
        return None

    @abstractmethod
    def picker(self, position: P, entry: EnteredAction) -> Mapping[str, object] | None:
        """The values for the `picker` macro, to correct an entry; `position` is the one before it.

        None for an entry that is a tap on the sheet.
        """

    def player_facts(self, position: P, player: Player) -> Mapping[str, object] | None:
        """The values for the `picker` macro, for a choice of each player."""
        return None

    def taps(self, position: P, player: Player) -> Mapping[FieldId, FieldTap]:
        """The fields of the player's sheet that can be tapped."""
        return {}

    def marks(self, position: P, player: Player) -> Mapping[FieldId, Mark]:
        """Marks that other players' entries have put on this player's sheet.

        `BARRED` is that of a field that must stay empty for the rest of the game.
        """
        return {}

    def why(self, position: P, player: Player, picked: Mapping[str, str]) -> Refusal | None:
        """Why no legal action has the parts picked so far, or None.

        Args:
            picked: part → its value as text; `fields` has the fields, separated by blanks.
        """
        return None

    def writings(self, position: P, player: Player) -> Iterable[Mapping[str, Any]]:
        """All legal acts of the player that write something."""
        return [tap.action for tap in self.taps(position, player).values() if tap.is_open]

    def passing(self, position: P, player: Player) -> PassButton | None:
        """The button for passing; None where the player cannot pass now."""
        return None

    def closing(self, position: P) -> CloseButton:
        """The button that sends the game's `close`."""
        return CloseButton(Sentence("Next turn"))

    def can_act(self, position: P, player: Player) -> bool:
        """Whether an awaited player may write or pass now, without waiting for a roll."""
        return self.passing(position, player) is not None

    def is_idle(self, position: P, player: Player) -> bool:
        """Whether an awaited player can only pass, at no cost, so that the table need not wait."""
        return False

    def only_passing(self, position: P) -> bool:
        """Whether all awaited players are idle, so that the step may close by itself."""
        return all(self.is_idle(position, player) for player in position.awaited)

    def call_texts(self, position: P) -> CallTexts | None:
        """The sentences about an open call; None for a game without open calls."""
        return None

    def news(self, position: P) -> Sequence[Sentence]:
        """The distance to the end, and what the last turn completed; the most important first."""
        return []

    def left(self, position: P, player: Player) -> tuple[Left, ...]:
        """The numbers of things that the player has left on the sheet."""
        return ()

    def points(self, position: P, player: Player) -> int:
        """The points shown before the end, without those that `left` counts."""
        left = sum(thing.count for thing in self.left(position, player) if not thing.color)
        return int(position.score(player)["total"]) - left

    def course(self, position: P) -> Totals | None:
        """The totals that the page draws as lines during the game; None for a game without lines.

        They begin with those at the start and end with the present ones. None stands for the time
        before a player has joined.
        """
        return None

    def ended(self, position: P) -> Sequence[Sentence]:
        """The reasons why the game is over, from its last position."""
        return []


Q = TypeVar("Q", bound=SheetPosition[Any])


class SheetPanel(Panel[Q]):
    """The panel of a game whose players write on a sheet or pass once a step."""

    fail_button: Sentence  # the text on the button for passing that costs points
    fail_text: str  # such a pass in words; marked for translation
    close_step: Sentence = Sentence("next turn")  # after the sender's name when a step is closed
    closed: Sentence = Sentence("The turn was ended")  # the same without a sender

    # Translators: after "Anna: on to the colored dice", those who had nothing to cross.
    nothing_fits: str = N_("%(what)s – no field fits: %(players)s")

    def fails(self, position: Q, player: Player) -> bool:
        """Whether the player loses points by passing now."""
        return False

    def failing(self, position: Q, player: Player) -> Mapping[FieldId, FieldTap]:
        """The next free field of `failed.1` …, where passing costs the player points now."""
        if not self.fails(position, player):
            return {}
        field = f"failed.{position.sheet_of(player).failed + 1}"
        return {field: FieldTap(pass_action(player), is_open=False, ghost="", costs=True)}

    def can_act(self, position: Q, player: Player) -> bool:
        return position.can_act(player)

    def passing(self, position: Q, player: Player) -> PassButton | None:
        """The button for passing, for players who have not acted."""
        if PASS not in position.ACTIONS or not position.can_act(player):
            return None
        if self.fails(position, player):
            return PassButton(self.fail_button, costs=True)
        return PassButton(Sentence("Pass"))

    def describe(self, position: Q | None, action: Action) -> Sentence:
        """A `pass` or `next` in words, with the players who had not acted, if they are known."""
        player = action.get("by", "")
        if action["do"] == PASS:
            fails = position is not None and self.fails(position, player)
            text = self.fail_text if fails else N_("%(player)s passed")
            return Sentence(text, {"player": player})
        what = self.closed
        if isinstance(player, str) and player:
            # Translators: who closed the turn, and what comes: "Anna: next turn".
            what = Sentence("%(player)s: %(step)s", {"player": player, "step": self.close_step})
        if position is None or not position.awaited:
            return what
        values = {"what": what, "players": ", ".join(position.awaited)}
        if self.only_passing(position):
            return Sentence(self.nothing_fits, values)
        # Translators: after "Anna: next turn", those who had not acted and have passed by that.
        return Sentence("%(what)s – skipped %(players)s", values)

    @abstractmethod
    def task(self, position: Q, players: Sequence[Player]) -> Sentence:
        """The choices of these players on this phone, who have not acted."""

    def may_write(self, position: Q, player: Player) -> bool:
        """Whether the player can do more than pass."""
        return True

    def hint(self, position: Q, here: Sequence[Player] = ()) -> Sentence:
        """The roll, then the choices of the first awaited player here, or who else is awaited."""
        if position.over:
            return GAME_OVER
        if position.must_roll:
            return rolling_hint(position, here)
        awaited = position.awaited
        mine = [player for player in here if player in awaited]
        if not mine:
            return Sentence("Waiting for %(players)s", {"players": some_names(awaited)})
        first = mine[0]
        task = self.task(position, [first])
        # It is everybody's turn where nobody may pass.
        must_act = first == position.active or PASS not in position.ACTIONS
        if must_act and is_yours(first, here):
            return Sentence("Your turn: %(task)s", {"task": task})
        if not is_yours(first, here):
            # Translators: who, and what they can do: "Anna: choose two dice or pass".
            return Sentence("%(player)s: %(task)s", {"player": first, "task": task})
        if self.may_write(position, first):
            return Sentence("You may write: %(task)s", {"task": task})
        return Sentence("Nothing for you: %(task)s", {"task": task})

    def news(self, position: Q) -> Sequence[Sentence]:
        """The announcement of the last turn, and before that `near`; empty after the end."""
        if position.over:
            return []
        return [Sentence("Last turn!")] if position.is_last_turn else self.near(position)

    def near(self, position: Q) -> Sequence[Sentence]:
        """The distance to the end, and what the last turn completed; the most important first."""
        return []


D = TypeVar("D", bound=PlainRoll[Any])


class DicePanel(SheetPanel[D]):
    """The panel of a game of dice that look alike; its template draws them with `plain_dice`."""

    def facts(self, position: D, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The dice on the table, and the picker of the roll; further taps replace the roll."""
        replaces = entry_of_turn(position.turn, entries, position.ACTIONS[0])
        return {
            "dice": position.dice,
            "may_roll": not position.over,
            "picker": _dice_picker(position, position.dice, replaces),
            "is_by_app": bool(position.dice and entries and is_by_app(entries[-1].action)),
        }

    def picker(self, position: D, entry: EnteredAction) -> Mapping[str, object] | None:
        """The dice to tap when a roll is corrected; `position` is the one before it."""
        if entry.action["do"] != position.ACTIONS[0]:
            return None
        return _dice_picker(position, entry.action[position.DICE.name], "")

    def on_table(self, action: Action) -> tuple[Sign, ...]:
        return dice(("white", face) for face in action.get("dice", ()))


def _dice_picker(
    position: PlainRoll[Any], shown: Sequence[int], replaces: str
) -> dict[str, object]:
    """The values of the macro `plain_dice`: a tap for each die, in any order."""
    alike = position.DICE
    action = position.roll(f"${alike.name}")
    return picking(action, alike.parts, alike.picks(shown), dice=alike, replaces=replaces)


def some_names(players: Sequence[Player]) -> str | Sentence:
    """The players by name, or their number where a line has no room for so many names."""
    if len(players) <= MOST_NAMES:
        return ", ".join(players)
    return Sentence("%(count)s players", {"count": len(players)})


def is_yours(player: Player, here: Sequence[Player]) -> bool:
    """Whether this phone plays only for this player, so that texts can say "you"."""
    return list(here) == [player]


def picking(
    action: Action, needs: Sequence[str], picks: Mapping[str, object], **more: object
) -> dict[str, object]:
    """The values of a picker, for the `picker` macro of a game's package.

    Args:
        action: the action to send, with "$" and a part's name in place of its value.
        needs: the parts without which nothing is sent.
        picks: part → the value picked at the beginning.
        more: further values for that macro.
    """
    sent = {"action": json.dumps(action), "needs": " ".join(needs), "json": json.dumps(picks)}
    return {**sent, "picks": picks, "replaces": "", **more}


def colored_picker(
    action: Action,
    colors: Mapping[str, str],
    picks: Mapping[str, object],
    replaces: str,
    needs: Sequence[str] = (),
) -> dict[str, object]:
    """The values of the macro `colored_dice`: six faces for each die, by part → color."""
    views = [{**color_view(color), "part": part} for part, color in colors.items()]
    more = {"dice": views, "faces": list(FACES), "replaces": replaces}
    return picking(action, needs or tuple(colors), picks, **more)


def roll_hint(active: Player, here: Sequence[Player]) -> Sentence:
    """The hint before the active player's roll."""
    if is_yours(active, here):
        return Sentence("Your turn: roll, then tap the dice")
    return Sentence("%(player)s rolls the dice", {"player": active})


def rolling_hint(position: Position, here: Sequence[Player]) -> Sentence:
    """The hint before the roll, which one of several players may make."""
    if len(position.rollers) == 1:
        return roll_hint(position.rollers[0], here)
    if set(here) & set(position.rollers):
        return Sentence("Roll, then tap the dice")
    return Sentence("Somebody rolls the dice")


def is_rolled_by_app(turn: int, entries: Sequence[EnteredAction]) -> bool:
    """Whether the app has rolled the dice of this turn, so that none of them can be wrong."""
    return any(entry.turn == turn and is_by_app(entry.action) for entry in entries)


def entry_of_turn(turn: int, entries: Sequence[EnteredAction], do: str) -> str:
    """The id of this turn's last entry of the kind `do`, or "". A further tap replaces it."""
    for entry in reversed(entries):
        if entry.turn == turn and entry.action["do"] == do:
            return entry.id
    return ""
