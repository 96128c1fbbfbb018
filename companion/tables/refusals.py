"""The refusals of tables and their pages, besides those of the rules: codes and sentences.

A sentence says what happened and what to do about it. Pages translate it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from companion.core.refusal import Refusal
from companion.core.words import N_

# Status of a page's answer → public code → sentence. "no-such-play" is older than the word match.
REFUSALS: Final[Mapping[HTTPStatus, Mapping[str, str]]] = {
    HTTPStatus.BAD_REQUEST: {
        "bad-tap": N_(
            "This device sent something that the app does not understand (%(why)s). Reload the "
            "page."
        ),
    },
    HTTPStatus.FORBIDDEN: {
        "not-a-member": N_(
            "This device is not at the table. Ask somebody there for a link or the code."
        ),
        "view-only": N_(
            "This device can only watch. To play, ask somebody at the table for the code."
        ),
        "not-host": N_("Only the device that opened the table can do this. Ask its owner."),
        "not-your-seat": N_(
            "This device cannot write for %(player)s. Take that seat if it is free, or ask the "
            "host to let everybody write for everybody."
        ),
        "not-yours-to-close": N_(
            "Only %(player)s, whose turn it is, or the host can go on before everybody has acted. "
            "Ask them."
        ),
        "not-yours-to-end": N_(
            "Only the host and players with a seat can end the game and say who won. Ask them."
        ),
        "unknown-phone": N_(
            "This phone's cookie is not from this app, so its tables cannot be found."
        ),
    },
    HTTPStatus.NOT_FOUND: {
        "no-such-table": N_("There is no such table. Check the link, or ask for a new one."),
        "no-such-link": N_(
            "This link or code is wrong, or no longer valid. Ask at the table for a new one."
        ),
        "no-such-play": N_(
            "There is no such game in the history of this device. It may have been deleted."
        ),
        "no-such-person": N_(
            "Nobody with that name is in the history of this device. They may have been deleted."
        ),
        "no-such-review": N_(
            "These photos are no longer here: they were saved, thrown away or a day old. If "
            "another device sent them, it can show a link that lets you go on here."
        ),
        "no-such-sheet": N_("This sheet or field is no longer here. Reload the page."),
    },
    HTTPStatus.CONFLICT: {
        "host-is-here": N_(
            "The host's phone was here a short while ago. Ask the host, or try again when that "
            "phone has been silent for %(minutes)s min."
        ),
        "stale": N_("Somebody was faster and the table has changed. Look again and tap once more."),
        "earlier-game": N_("This was for the previous game, so it no longer counts."),
        "call-open": N_(
            "%(player)s can still change this. Write once %(player)s has tapped “That's it”."
        ),
        "does-not-fit": N_(
            "Then %(player)s's entry in turn %(turn)s would no longer fit: %(reason)s Correct "
            "that entry first, or replace this one with something else."
        ),
        "game-started": N_("The game has begun, so this cannot be changed until it is over."),
        "not-ready": N_("Not yet: %(reason)s"),
    },
    HTTPStatus.TOO_MANY_REQUESTS: {
        "too-many-tries": N_(
            "Too many wrong codes were tried. Wait %(minutes)s minutes, or scan the code at the "
            "table."
        ),
        "too-many-changes": N_(
            "Too much has been changed here in a short time. Please wait a few minutes."
        ),
        "too-many-reviews": N_(
            "This device has too many photos open. Save or throw away some of them first."
        ),
        "too-many-games": N_(
            "This device would keep more than %(most)s games. Delete some of them first."
        ),
        "full-elsewhere": N_(
            "The history of the device that started this is full. Save the game on that device."
        ),
        "too-many-tables": N_(
            "This device has made too many tables today. Play at one of them, or try again later."
        ),
        "too-many-photos": N_("Too many photos at once: at most %(most)s."),
    },
    HTTPStatus.UNPROCESSABLE_ENTITY: {
        "no-such-seat": N_("There is no such seat at this table. Reload the page."),
        "seat-taken": N_(
            "Another device already holds %(player)s's seat. Whoever sits at the table can take it "
            "in the menu."
        ),
        "no-roller": N_(
            "The app does not roll the dice at this table. The host can switch that on in the menu."
        ),
        "no-such-entry": N_("This entry is no longer in the game. Look again at what was entered."),
        "nothing-to-undo": N_("This device has entered nothing that can be undone."),
        "nothing-to-redo": N_("This device has undone nothing that can be redone."),
        "no-history": N_(
            "This is not a backup of finished games: it is from another program, or for "
            "something else. Choose a backup such as companion-2026-11-21.json."
        ),
        "cut-off-history": N_(
            "This backup is cut off: its end is missing. Copy it again from where it was saved."
        ),
        "damaged-history": N_(
            "This backup is damaged in the middle. Copy it again from where it was saved."
        ),
        "newer-history": N_(
            "This backup is from a newer version of the companion. Update this one first."
        ),
        "large-history": N_(
            "This file is too large: a backup has at most %(megabytes)s MB and %(games)s games."
        ),
        "empty-history": N_("There are no games in this backup."),
        "odd-game": N_("It is not a saved game, or it is damaged."),
        "unknown-game": N_("This version of the companion does not know the game."),
        "newer-rules": N_(
            "It was played by newer rules than this version of the companion knows. Update this "
            "one."
        ),
        "illegal-game": N_("The rules do not allow its entry %(number)s."),
        "future-game": N_(
            "It ended on %(ended)s, but the clock of this computer says %(today)s. Set the clock."
        ),
        "game-twice": N_("It is in the file twice."),
        "no-file": N_("No file was chosen. Choose a backup."),
        "bad-date": N_("The date must be in the past. Choose another one."),
        "bad-total": N_("A total must be a whole number of up to six digits."),
        "bad-name": N_(
            "A name must have 1 to %(longest)s visible characters. Choose another or a shorter one."
        ),
        "name-taken": N_("Somebody at the table is already called %(name)s. Choose another name."),
        "bad-color": N_("There is no such color for a seat. Choose another."),
        "no-such-game": N_("There is no such game here. Choose another one."),
        "bad-option": N_("This game cannot be played that way. Choose its options again."),
        "table-full": N_("There is room for at most %(most)s players in this game."),
        "too-few-players": N_("Too few people for this game: at least %(least)s. Add somebody."),
        "not-started": N_("The game has not begun yet. The host starts it."),
        "old-rules": N_(
            "The rules of this game have changed since it was played. Its totals stay as they were "
            "saved."
        ),
        "not-over": N_("The game is still going on. Play it to its end first."),
        "log-full": N_("This table is full of entries and cannot go on. Please make a new table."),
        "damaged-table": N_(
            "The saved data of this table is damaged and cannot be shown. Other tables are not "
            "affected; whoever runs the app can restore a backup."
        ),
        "too-many-sheets": N_(
            "There are already %(most)s sheets here. Save a game or remove a sheet, and send "
            "this photo again."
        ),
        "no-photo": N_("No photo was chosen. Take or choose one."),
    },
}

_SENTENCES: Final = {code: text for group in REFUSALS.values() for code, text in group.items()}
_STATUSES: Final = {code: status for status, group in REFUSALS.items() for code in group}


def status_of(code: str) -> HTTPStatus:
    """The HTTP status of an answer that refuses with this code; 422 for the rules' codes."""
    return _STATUSES.get(code, HTTPStatus.UNPROCESSABLE_ENTITY)


class Refused(Exception):
    """A request was refused, and nothing has changed; `refusal` says why."""

    def __init__(
        self,
        why: str | Refusal,
        /,
        *,
        index: int | None = None,
        entry: str = "",
        **values: object,
    ) -> None:
        """Refuses with a code of `REFUSALS`, or with a refusal that has a sentence of its own.

        Args:
            index: the index of the refused action in an imported record.
            entry: the id of the entry before which the refused action might still be inserted,
                or that may be corrected instead of being undone.
            values: what the sentence names.
        """
        refusal = why if isinstance(why, Refusal) else Refusal(why, _SENTENCES[why], values)
        super().__init__(refusal.message)
        # (name of the form's field that it is about, which one of that name); see `web.page.forms`
        self.field: tuple[str, int] | None = None
        self.refusal: Final = refusal
        self.index: Final = index
        self.entry: Final = entry

    def at(self, field: str, place: int = 0) -> Refused:
        """The same, about a field of a form; `place` is which one of that name, from 0."""
        self.field = (field, place)
        return self

    @property
    def code(self) -> str:
        return self.refusal.code


@contextmanager
def at_field(name: str, place: int = 0) -> Iterator[None]:
    """Marks refusals raised inside as being about this field of a form; see `Refused.at`."""
    try:
        yield
    except Refused as refused:
        raise refused.at(name, place) from None
