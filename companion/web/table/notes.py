"""Notes for a phone: what others did to its player's sheet or without the player; a new host."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companion.core.sheet import Field, Mark
from companion.core.values import Player, clean_name
from companion.core.words import N_, Sentence, Word
from companion.tables import Seat, Table
from companion.tables.ledger import events, rights
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Match
from companion.tables.ledger.state import State
from companion.tables.play.changes_by_others import Notice, notices
from companion.web.table.all_turns import late_seats

# Limit of the events in notes; a table makes fewer while a phone sleeps for a turn
MOST_EVENTS: Final = 40

MOST_FIELDS: Final = 3  # that a note names


@dataclass(frozen=True, slots=True)
class Note:
    """One note for the players of a device."""

    seq: int  # the version of the table that it belongs to; later notes have higher ones
    text: Sentence
    undo: str = ""  # the id of the event that this device may undo
    # The entry that skipped a player who may still write, and the player's seat
    late: tuple[str, int] | None = None
    reopens: str = ""  # the call that this device made and may open again
    # The number of the seat that was taken from another device, while this one may undo that
    seat: int = 0
    is_role_lost: bool = False  # whether this device may be the host again
    # Whether it goes with the next tap, and nobody has to dismiss it
    is_passing: bool = False


def notes(table: Table, recent: Sequence[Event]) -> tuple[Note, ...]:
    """The notes for this device, the newest one last.

    Args:
        recent: the table's `recent_events`.
    """
    if table.position is None:
        return ()
    found = [*_skipped(table), *_taken_seats(table, recent), *_new_hosts(table, recent)]
    found += _set_aside(table, recent)
    found += _changes_for_all(table, recent)
    found += _confirmed_by_others(table, recent)
    for notice in notices(table.state, table.me, recent):
        found += _of_notice(table, notice)
    return tuple(sorted(found, key=lambda note: note.seq))


def recent_events(state: State) -> tuple[Event, ...]:
    """The latest events for devices' notes, oldest first.

    Leaves out changes of earlier matches, undone entries and old turns.
    """
    match = state.match
    if match is None:
        return ()
    recent: list[Event] = []
    holders = {seat.name: seat.holder for seat in state.seats}
    is_of_match = True
    for event in reversed(state.log[-MOST_EVENTS:]):
        is_of_match = is_of_match and event.kind != events.START
        if event.kind == events.SEAT_TAKEN:
            may_matter = "before" in event.body
        elif event.kind == events.HOST_CHANGED:
            may_matter = True
        elif event.kind == events.SET_ASIDE:
            may_matter = is_of_match
        elif event.kind == events.CALL_CONFIRMED:
            may_matter = is_of_match and event.body == state.final_call
        else:
            may_matter = is_of_match and (
                _is_for_others(event, match, holders) or _is_for_all(event, match)
            )
        if may_matter:
            recent.append(event)
    return tuple(reversed(recent))


def _is_for_others(event: Event, match: Match, holders: Mapping[Player, str | None]) -> bool:
    """Whether an event changed sheets of players at other devices; `holders` has their devices."""
    if event.body.get("changed"):
        return True
    if event.kind != events.ACTION or not event.body["action"] or "unsaid" in event.body:
        return False
    by = event.body["action"].get("by")
    holder = holders.get(by) or holders.get(clean_name(by) or "")
    index = match.index_of(event.id) if holder not in (None, event.member) else None
    # An entry that was undone or taken away needs no note, nor does one of a turn long over.
    return index is not None and match.entries[index].turn >= match.position.turn - 2


def _is_for_all(event: Event, match: Match) -> bool:
    """Whether an event changed in this turn, or the last one, who plays or how the game ends."""
    action = event.body.get("action") if event.kind == events.ACTION else None
    if not action or "by" in action or not match.game.panel.actions[action["do"]].is_of_end:
        return False
    index = match.index_of(event.id)
    return index is not None and match.entries[index].turn >= match.position.turn - 1


def _changes_for_all(table: Table, recent: Sequence[Event]) -> Iterator[Note]:
    """The notes to all other devices about who joined or left, and changed settings."""
    match = table.state.match
    for event in recent:
        if event.member == table.me.id or match is None or not _is_for_all(event, match):
            continue
        what = table.game.panel.describe(None, event.body["action"])
        text = Sentence("%(player)s: %(note)s", {"player": _actor(event.actor), "note": what})
        yield Note(event.seq, text, is_passing=True)


def _to(table: Table, player: Player, text: Sentence) -> Sentence:
    """The note's text for a player of this device, by name where others play on it, too."""
    if [seat.name for seat in table.seats if _shows_notes_for(table, seat)] == [player]:
        return text
    # Translators: the person a note is for, and the note: "Ben: Ada went on without you".
    return Sentence("%(player)s: %(note)s", {"player": player, "note": text})


def _of_notice(table: Table, notice: Notice) -> Iterator[Note]:
    action = notice.action
    if action is None:
        for text in _changes(table, notice):
            yield Note(notice.seq, _to(table, notice.player, text))
    # A call that is tapped in parts is seen in the middle of the page as it grows.
    elif not table.game.panel.actions[action["do"]].comes_in_parts:
        what = table.game.panel.describe(notice.before, {**action, "by": notice.player})
        values = {"actor": _actor(notice.actor), "what": what}
        # Translators: who entered it on another phone, and what: "Ada entered for you: Ben passed".
        text = Sentence("%(actor)s entered for you: %(what)s", values)
        yield Note(notice.seq, _to(table, notice.player, text))


def _set_aside(table: Table, recent: Sequence[Event]) -> Iterator[Note]:
    """Says to every device that entries no longer count, before and after an event notes that."""
    found = [(event.seq, event.body["turn"]) for event in recent if event.kind == events.SET_ASIDE]
    if (match := table.state.match) is not None and match.aside:
        found.append((table.version + 1, match.aside[0].turn))
    for seq, turn in found:
        text = N_(
            "The rules of this game have changed: what was entered from turn %(turn)s on no longer "
            "fits. It is kept, but does not count: go on from there."
        )
        yield Note(seq, Sentence(text, {"turn": turn}))


def _actor(actor: str) -> str | Word:
    """A device in words, at the beginning of a sentence."""
    return actor or Word("Another phone")


def _changes(table: Table, notice: Notice) -> Iterator[Sentence]:
    position = table.position
    filled = table.game.filled(position, notice.player) if position is not None else None
    if filled is None:
        return
    marks = filled.marks
    found = []
    for field in filled.layout.fields:
        change = notice.changed.get(field.id)
        # Fields that have changed again since, such as by an undo, are no news.
        if change is not None and change[1] == marks.get(field.id):
            found.append((field, change))
    if not found:
        return
    actor = _actor(notice.actor)
    if len(found) > MOST_FIELDS:
        text = N_("%(actor)s corrected the game: %(count)s of your fields have changed")
        yield Sentence(text, {"actor": actor, "count": len(found)})
        return
    for field, (old, new) in found:
        values = {"actor": actor, "field": field.name, "old": str(old), "new": str(new)}
        yield Sentence(_change(field, old, new), values)


def _change(field: Field, old: Mark, new: Mark) -> str:
    if field.kind == "value":
        return N_("%(actor)s corrected the game: %(field)s has changed on your sheet")
    if old is True:
        return N_("%(actor)s corrected the game: your cross is gone (%(field)s)")
    if new is None or new is False:
        return N_("%(actor)s corrected the game: your %(old)s is gone (%(field)s)")
    return N_("%(actor)s corrected the game: your %(old)s is %(new)s now (%(field)s)")


def _skipped(table: Table) -> Iterable[Note]:
    skip = table.skip
    if skip is None or skip.entry.member == table.me.id:
        return
    if table.game.panel.only_passing(skip.before):
        return  # they have lost nothing
    seq = next((event.seq for event in table.log if event.id == skip.entry.id), 0)
    who = skip.entry.by or _actor(skip.entry.actor)
    step = table.undoable
    undo = skip.entry.id if step is not None and step.id == skip.entry.id else ""
    text = Sentence("%(player)s went on without you", {"player": who})
    late = late_seats(table, skip.entry, skip.before)
    for seat in table.seats:
        if seat.name in skip.players and _shows_notes_for(table, seat):
            way = (skip.entry.id, seat.id) if seat in late else None
            yield Note(seq, _to(table, seat.name, text), undo, way)


def _shows_notes_for(table: Table, seat: Seat) -> bool:
    """Whether this device shows a seat's notes: its own, or the host's where no phone holds it."""
    return seat.mine or (table.me.role == "host" and not seat.held)


def _taken_seats(table: Table, recent: Sequence[Event]) -> Iterator[Note]:
    """The seats that devices have taken from others; every device is notified and may undo it."""
    for event in recent:
        seat = table.state.seat(event.body["seat"]) if event.kind == events.SEAT_TAKEN else None
        if seat is not None and seat.holder == event.body["holder"]:
            who = Word("This phone") if event.member == table.me.id else _actor(event.actor)
            values = {"actor": who, "player": event.body["name"]}
            is_so = table.state.taken_from(seat) == event.body["before"]
            undo = seat.id if is_so and table.me.role != "viewer" else 0
            yield Note(event.seq, Sentence("%(actor)s plays for %(player)s now", values), seat=undo)


def _confirmed_by_others(table: Table, recent: Sequence[Event]) -> Iterator[Note]:
    """The call of this device that another one made final, until the turn is over."""
    match, position = table.state.match, table.position
    confirmed = [event for event in recent if event.kind == events.CALL_CONFIRMED]
    if match is None or position is None or not confirmed:
        return
    event = confirmed[-1]
    index = match.index_of(event.body["entry"])
    texts = table.game.panel.call_texts(position)
    if index is None or texts is None:
        return
    entry = match.entries[index]
    seat = table.state.seat_named(entry.by or "")
    callers = {entry.member, seat and seat.holder}
    if entry.turn != position.turn or table.me.id not in callers or event.member in callers:
        return
    values = {"actor": _actor(event.actor), "number": texts.short}
    text = Sentence("%(actor)s went on with %(number)s", values)
    call = rights.last_call(table.state)
    is_last = call is not None and call.entry == entry.id
    yield Note(event.seq, _to(table, entry.by or "", text), reopens=entry.id if is_last else "")


def _new_hosts(table: Table, recent: Sequence[Event]) -> Iterator[Note]:
    """The device that has become the host's, and why."""
    for event in recent:
        is_so = event.kind == events.HOST_CHANGED and event.member == table.state.host
        if not is_so or event.member == table.me.id:
            continue
        before = event.body["before"]
        values = {"actor": _actor(event.actor), "host": _last_actor(table, event, before)}
        if event.member == table.state.founder:
            text = N_("%(actor)s is the host again")
        elif table.me.id in before:
            text = N_("%(actor)s is the host now, because this phone was silent")
        elif values["host"]:
            text = N_("%(actor)s is the host now, because %(host)s's phone was silent")
        else:
            text = N_("%(actor)s is the host now, because the host's phone was silent")
        is_lost = table.is_founder and table.me.role != "host"
        note = Sentence(text, values)
        yield Note(event.seq, note, is_role_lost=is_lost, is_passing=not is_lost)


def _last_actor(table: Table, event: Event, members: Collection[str]) -> str:
    """The last words for a former host in the log; empty if there are none."""
    for earlier in table.log[::-1]:
        if earlier.seq < event.seq and earlier.member in members and earlier.actor:
            return earlier.actor
    return ""
