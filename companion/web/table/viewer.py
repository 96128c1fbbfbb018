"""A table as one device sees it, which notes what was asked while a part of the page was drawn.

Templates of parts get these objects. Where the answers to what was asked are the same (for another
device, or for the next version of the table), the part is the same, and nothing is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias

from companion.core.panel import CallTexts, CloseButton, Left, PassButton
from companion.core.sheet import FilledSheet
from companion.core.values import Action, Player
from companion.core.words import Sentence
from companion.tables import Call, Seat, Step, Table
from companion.tables.ledger import events
from companion.web.table import view
from companion.web.table.drawing import won_fields
from companion.web.table.told import Told, told

Question: TypeAlias = tuple[str, Any]
"""A method of `Shared` or `Device`, and what it is asked about: a seat, a name, or nothing (0)."""
Answers: TypeAlias = dict[Question, Any]
"""Question → answer; answers are compared by equality."""

_UNKNOWN: Final = object()


class _Answering:
    """Answers questions by its methods, each question once."""

    def __init__(self) -> None:
        self._known: Final[Answers] = {}

    def answer(self, question: Question) -> Any:
        known = self._known.get(question, _UNKNOWN)
        if known is _UNKNOWN:
            name, about = question
            known = self._known[question] = getattr(self, name)(about)
        return known

    def holds(self, asked: Answers) -> bool:
        """Whether all answers are these."""
        for question, answer in asked.items():
            now = self.answer(question)
            if now is not answer and now != answer:
                return False
        return True


class Shared(_Answering):
    """What all devices see alike of a table at one version. Each method answers a question."""

    def __init__(self, table: Table, before: Shared | None = None) -> None:
        """The answers about `table`.

        Args:
            before: the table at an earlier version, most of whose sheets are the same.
        """
        super().__init__()
        position = table.position
        if position is None:
            raise ValueError("the table is still in the lobby")
        self.table: Final = table
        self.position: Final = position
        self._panel: Final = table.game.panel
        self.seats: Final = {name: view.seat_called(table, name) for name in position.players}
        self._names: Final = {seat.id: name for name, seat in self.seats.items()}
        self._waiting: Final = frozenset(position.waiting)
        self._facts: Mapping[str, object] | None = None
        self._sheets: Final[dict[int, FilledSheet | None]] = (
            dict(before._sheets) if before is not None else {}
        )

    def at(self, name: str) -> Any:
        """An attribute of the position."""
        return getattr(self.position, name)

    def fact(self, name: str) -> Any:
        """One of the panel's facts."""
        if self._facts is None:
            self._facts = self._panel.facts(self.position, self.table.entries)
        return self._facts[name]

    def has_fact(self, name: str) -> bool:
        try:
            self.fact(name)
        except KeyError:
            return False
        return True

    def is_active(self, seat: int) -> bool:
        return self._names[seat] == self.position.active

    def is_waiting(self, seat: int) -> bool:
        return self._names[seat] in self._waiting

    def total(self, seat: int) -> int:
        return int(self.position.score(self._names[seat])["total"])

    def values(self, seat: int) -> tuple[view.ValueView, ...]:
        filled = self.answer(("filled", seat))
        if filled is None:
            return ()
        return view.printed_values(filled, self.answer(("marks", seat)))

    def filled(self, seat: int) -> FilledSheet | None:
        """The sheet; the object of the earlier version where that is the same."""
        filled = self.table.game.filled(self.position, self._names[seat])
        known = self._sheets.get(seat)
        if filled is not None and known is not None and known.sheet is filled.sheet:
            return known
        self._sheets[seat] = filled
        return filled

    def left(self, seat: int) -> tuple[Left, ...]:
        return self._panel.left(self.position, self._names[seat])

    def news(self, _: int) -> tuple[Sentence, ...]:
        return tuple(self._panel.news(self.position))

    def won(self, seat: int) -> Mapping[str, str]:
        """The points ticked off on the sheet, where the table shows points."""
        filled = self.answer(("filled", seat))
        return {} if filled is None or not self.table.scores else won_fields(filled)

    def passing(self, seat: int) -> PassButton | None:
        return self._panel.passing(self.position, self._names[seat])

    def choice(self, seat: int) -> Mapping[str, object] | None:
        return self._panel.player_facts(self.position, self._names[seat])

    def taps(self, seat: int) -> Mapping[str, Any]:
        return self._panel.taps(self.position, self._names[seat])

    def marks(self, seat: int) -> Mapping[str, Any]:
        return self._panel.marks(self.position, self._names[seat])

    def barred(self, seat: int) -> frozenset[str]:
        return self._panel.barred(self.position, self._names[seat])

    def closing(self, _: int) -> CloseButton:
        return self._panel.closing(self.position)

    def calling(self, _: int) -> CallTexts | None:
        return self._panel.calling(self.position)

    def hint(self, here: tuple[Player, ...]) -> Sentence:
        return self._panel.hint(self.position, here)

    def drawn_at(self, _: int) -> int | None:
        """The number of the event with the app's last roll; None where the app does not roll."""
        if not self.table.roller:
            return None
        entries = (event for event in reversed(self.table.log) if event.kind == events.ACTION)
        return next((event.seq for event in entries if "drawn" in event.body), 0)

    def how(self, here: tuple[Player, ...]) -> Sentence | None:
        return self.table.game.guide.step(self.position, here)

    def held(self, seat: int) -> bool:
        return any(other.held for other in self.table.seats if other.id == seat)

    def hints(self, _: int) -> bool:
        return self.table.hints

    def scores(self, _: int) -> bool:
        return self.table.scores

    def roller(self, _: int) -> bool:
        return self.table.roller


class Device(_Answering):
    """What differs from device to device. Each method answers a question."""

    def __init__(self, table: Table, shared: Shared) -> None:
        super().__init__()
        self.table: Final = table
        self._shared: Final = shared
        self._seats: Final[Mapping[int, Seat]] = {seat.id: seat for seat in table.seats}

    def role(self, _: int) -> str:
        return self.table.me.role

    def may_enter(self, seat: int) -> bool:
        return self._seats[seat].may_enter

    def may_write(self, seat: int) -> bool:
        """Whether this device may write on the sheet now: not while another makes the call."""
        return self._seats[seat].may_enter and not self.answer(("waits_for_call", 0))

    def taps(self, seat: int) -> Mapping[str, Any]:
        """The fields of the sheet that answer a tap on this device."""
        return self._where_writing("taps", seat) or {}

    def passing(self, seat: int) -> PassButton | None:
        button: PassButton | None = self._where_writing("passing", seat)
        return button

    def choice(self, seat: int) -> Mapping[str, object] | None:
        facts: Mapping[str, object] | None = self._where_writing("choice", seat)
        return facts

    def _where_writing(self, question: str, seat: int) -> Any:
        """The table's answer; None where this device may not write on the sheet now."""
        may_write = self.answer(("may_write", seat))
        return self._shared.answer((question, seat)) if may_write else None

    def waits_for_call(self, _: int) -> bool:
        call = self.table.call
        return call is not None and not call.is_made_here

    def call(self, _: int) -> Call | None:
        return self.table.call

    def is_called_anew(self, _: int) -> bool:
        """Whether the player of the call is about to make another one."""
        return self.table.call is not None and self.table.call.is_made_anew

    def has_final_call(self, _: int) -> bool:
        """Whether others heard of the call as a final one; never where nobody else hears of it."""
        return self.table.call is None and bool(self.answer(("is_heard_elsewhere", 0)))

    def mine(self, seat: int) -> bool:
        return self._seats[seat].mine

    def others(self, _: int) -> tuple[Seat, ...]:
        """The seats whose players write on other devices; none for a device that people share."""
        if sum(seat.mine for seat in self.table.seats) != 1:
            return ()
        return tuple(seat for seat in self.table.seats if seat.held and not seat.mine)

    def is_heard_elsewhere(self, _: int) -> bool:
        """Whether others play on other devices, so that calls made here are open at first."""
        return self.table.is_heard_elsewhere

    def here(self, _: int) -> tuple[Player, ...]:
        """The players whose taps this device makes, in the order of the match."""
        names = self.table.position.players if self.table.position else ()
        seats = {seat.name: seat for seat in self.table.seats}
        return tuple(name for name in names if view.is_played_here(self.table, seats[name]))

    def rolls_here(self, _: int) -> bool:
        position = self.table.position
        return position is not None and position.active in self.answer(("here", 0))

    def hint(self, _: int) -> Sentence:
        """The sentence, which those who wait for the same players have in common."""
        sentence: Sentence = self._shared.answer(("hint", self.answer(("here", 0))))
        return sentence

    def how(self, _: int) -> Sentence | None:
        """How the present step is done, in the words for a first game."""
        step: Sentence | None = self._shared.answer(("how", self.answer(("here", 0))))
        return step

    def told(self, _: int) -> tuple[Told, ...]:
        return told(self.table)

    def close(self, _: int) -> Action | None:
        return self.table.close

    def undoable(self, _: int) -> Step | None:
        return self.table.undoable

    def redoable(self, _: int) -> Step | None:
        return self.table.redoable


class Seen:
    """A table as one device sees it, for drawing one part after the other."""

    def __init__(self, shared: Shared, device: Device) -> None:
        self._shared: Final = shared
        self.device: Final = device
        self.of_table: Answers = {}
        """The questions to `Shared` for this part, and its answers."""
        self.of_device: Answers = {}
        """The questions to `Device` for this part, and its answers."""

    def begin(self) -> None:
        """Begins a part: notes what is asked from here on."""
        self.of_table, self.of_device = {}, {}

    def shared(self, name: str, about: Any = 0) -> Any:
        answer = self._shared.answer((name, about))
        self.of_table[name, about] = answer
        return answer

    def own(self, name: str, about: Any = 0) -> Any:
        answer = self.device.answer((name, about))
        self.of_device[name, about] = answer
        return answer

    def context(self, player: Player) -> dict[str, Any]:
        """The values for a part's template.

        Args:
            player: whose part it is; "" for a part of the whole table.
        """
        return {**self._context, "player": self._players.get(player)}

    @cached_property
    def _seats(self) -> dict[Player, SeenSeat]:
        return {seat.name: SeenSeat(seat, self) for seat in self._shared.table.seats}

    @cached_property
    def _players(self) -> dict[Player, SeenPlayer]:
        names = self._shared.position.players
        return {name: SeenPlayer(self._seats[name], self) for name in names}

    @cached_property
    def _context(self) -> dict[str, Any]:
        table = self._shared.table
        return {
            "table": SeenTable(table, tuple(self._seats.values()), self),
            "position": Noting(self, "at"),
            "facts": Facts(self, "fact"),
            "panel": table.game.panel,
            "players": list(self._players.values()),
            "active_seat": Active(self, self._seats),
            "rolls_here": Flag(self.own, "rolls_here"),
            "close": lambda: self.own("close"),
            "hint": lambda: self.own("hint"),
            "how": lambda: self.own("how"),
            "news": lambda: self.shared("news"),
            "told": lambda: self.own("told"),
            "closing": lambda: self.shared("closing"),
            "calling": lambda: self.shared("calling"),
            "step_description": view.step_description,
        }


class Noting:
    """An object whose attributes are noted as they are asked for."""

    def __init__(self, seen: Seen, question: str) -> None:
        self._seen: Final = seen
        self._question: Final = question

    def __getattr__(self, name: str) -> Any:
        return self._seen.shared(self._question, name)


class Facts(Noting):
    """The panel's facts."""

    def __getattr__(self, name: str) -> Any:
        if not self._seen.shared("has_fact", name):
            raise AttributeError(name)
        return self._seen.shared("fact", name)


class Active:
    """The seat of the active player."""

    def __init__(self, seen: Seen, seats: Mapping[str, SeenSeat]) -> None:
        self._seen: Final = seen
        self._seats: Final = seats

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seats[self._seen.shared("at", "active")], name)


class Flag:
    """An answer that is asked for only where a template looks at it."""

    def __init__(self, ask: Callable[[str], Any], question: str) -> None:
        self._ask: Final = ask
        self._question: Final = question

    def __bool__(self) -> bool:
        return bool(self._ask(self._question))


class SeenSeat:
    """A `Seat` for a template. Its name and color change only with the whole page."""

    def __init__(self, seat: Seat, seen: Seen) -> None:
        self.id: Final = seat.id
        self.name: Final = seat.name
        self.color: Final = seat.color
        self._seen: Final = seen

    @property
    def held(self) -> bool:
        return bool(self._seen.shared("held", self.id))

    @property
    def mine(self) -> bool:
        return bool(self._seen.own("mine", self.id))

    @property
    def may_enter(self) -> bool:
        return bool(self._seen.own("may_enter", self.id))


class SeenMe:
    """This device at the table, for a template."""

    def __init__(self, seen: Seen) -> None:
        self._seen: Final = seen

    @property
    def role(self) -> str:
        return str(self._seen.own("role"))


class SeenTable:
    """A `Table` for a template. Its game and options change only with the whole page."""

    def __init__(self, table: Table, seats: tuple[SeenSeat, ...], seen: Seen) -> None:
        self.id: Final = table.id
        self.game: Final = table.game
        self.options: Final = table.options
        self.me: Final = SeenMe(seen)
        self.seats: Final = seats
        self._seen: Final = seen

    @property
    def hints(self) -> bool:
        return bool(self._seen.shared("hints"))

    @property
    def scores(self) -> bool:
        return bool(self._seen.shared("scores"))

    @property
    def roller(self) -> bool:
        return bool(self._seen.shared("roller"))

    @property
    def undoable(self) -> Step | None:
        step: Step | None = self._seen.own("undoable")
        return step

    @property
    def redoable(self) -> Step | None:
        step: Step | None = self._seen.own("redoable")
        return step

    @property
    def call(self) -> Call | None:
        call: Call | None = self._seen.own("call")
        return call

    @property
    def waits_for_call(self) -> bool:
        return bool(self._seen.own("waits_for_call"))

    @property
    def has_final_call(self) -> bool:
        return bool(self._seen.own("has_final_call"))

    @property
    def is_called_anew(self) -> bool:
        return bool(self._seen.own("is_called_anew"))


class SeenPlayer:
    """A player for a template."""

    def __init__(self, seat: SeenSeat, seen: Seen) -> None:
        self.seat: Final = seat
        self.name: Final = seat.name
        self._seen: Final = seen

    def _shared(self, question: str) -> Any:
        return self._seen.shared(question, self.seat.id)

    @property
    def total(self) -> int:
        return int(self._shared("total"))

    @property
    def is_active(self) -> bool:
        return bool(self._shared("is_active"))

    @property
    def is_waiting(self) -> bool:
        return bool(self._shared("is_waiting"))

    @property
    def values(self) -> tuple[view.ValueView, ...]:
        """The printed values, which an upright sheet on a phone has no room for."""
        values: tuple[view.ValueView, ...] = self._shared("values")
        return values

    @property
    def left(self) -> tuple[Left, ...]:
        things: tuple[Left, ...] = self._shared("left")
        return things

    @property
    def passing(self) -> PassButton | None:
        """The button that sends `skip`; None where the player may not, or this device."""
        button: PassButton | None = self._seen.own("passing", self.seat.id)
        return button

    @property
    def choice(self) -> Mapping[str, object] | None:
        """The panel's facts for a choice that this player makes, on this device."""
        facts: Mapping[str, object] | None = self._seen.own("choice", self.seat.id)
        return facts
