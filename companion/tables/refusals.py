"""The refusals of tables and their pages, besides those of the rules: codes and sentences.

A sentence says what happened and what to do about it. Pages translate it.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from companion.core.refusal import Refusal
from companion.core.words import N_

# Status of a page's answer → public code → sentence. "no-such-play" is older than the word match.
REFUSALS: Final[Mapping[HTTPStatus, Mapping[str, str]]] = {
    HTTPStatus.BAD_REQUEST: {
        "bad-tap": N_(
            "This device sent something that cannot be understood (%(why)s). Reload the page."
        ),
    },
    HTTPStatus.FORBIDDEN: {
        "not-a-member": N_(
            "This device is not at the table. Ask somebody there for a link or the code."
        ),
        "view-only": N_(
            "This device may only watch. Ask somebody at the table for the code to play."
        ),
        "not-host": N_("Only the device that made the table may do this. Ask its owner."),
        "not-your-seat": N_(
            "This device may not write for %(player)s. Take that seat if it is free, or let the "
            "host allow everyone to write for everyone."
        ),
        "not-yours-to-close": N_(
            "Only %(player)s, whose turn it is, or the host can go on before everybody has acted. "
            "Ask them."
        ),
        "not-yours-to-end": N_(
            "Only the host and those with a seat here end the game, and say who has won. Ask them."
        ),
        "unknown-phone": N_(
            "This phone's cookie is not from this app, so its tables cannot be found."
        ),
    },
    HTTPStatus.NOT_FOUND: {
        "no-such-table": N_("There is no such table. Check the link, or ask for a new one."),
        "no-such-link": N_(
            "This link or code is not valid, or not any more. Ask at the table for a new one."
        ),
        "no-such-play": N_(
            "There is no such game in the history of this device. It may have been deleted."
        ),
        "no-such-person": N_(
            "Nobody of that name is in the history of this device. They may have been deleted."
        ),
        "no-such-review": N_(
            "These photos are not here any more: they were saved, thrown away or a day old. If "
            "another device sent them, it can show a link that lets you go on here."
        ),
        "no-such-sheet": N_("This sheet or field is not here any more. Load the page again."),
    },
    HTTPStatus.CONFLICT: {
        "host-is-here": N_(
            "The host's phone was here a short while ago. Ask there, or try again when it has been "
            "silent for %(minutes)s min."
        ),
        "stale": N_("Somebody was faster and the table has changed. Look again and tap once more."),
        "earlier-game": N_("This was for the game before, so it does not count any more."),
        "call-open": N_(
            "%(player)s may still change this. Write as soon as %(player)s has said that's it."
        ),
        "does-not-fit": N_(
            "Then %(player)s's entry in turn %(turn)s would no longer fit: %(reason)s Correct that "
            "one first, or put something else in this one's place."
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
            "Too much has been changed here in a short time. Wait a few minutes, please."
        ),
        "too-many-reviews": N_(
            "This device has too many photos open. Save or throw away some of them first."
        ),
        "too-many-games": N_(
            "This device would keep more than %(most)s games. Delete some of them first."
        ),
        "full-elsewhere": N_(
            "The history of the device that began this is full. It can save the game itself."
        ),
        "too-many-tables": N_(
            "This device has made too many tables today. Play at one of them, or try again later."
        ),
        "too-many-photos": N_("These are too many photos at once; %(most)s are the most."),
    },
    HTTPStatus.UNPROCESSABLE_ENTITY: {
        "no-such-seat": N_("There is no such seat at this table. Load the page again."),
        "seat-taken": N_(
            "Another device already holds %(player)s's seat. Whoever sits at the table can take it "
            "in the menu."
        ),
        "no-roller": N_(
            "The app rolls no dice at this table. The host can switch that on in the menu."
        ),
        "no-such-entry": N_(
            "This entry is not in the game any more. Look again at what was entered."
        ),
        "nothing-to-undo": N_("There is nothing to undo that this device has entered."),
        "nothing-to-redo": N_("There is nothing to redo that this device has undone."),
        "no-history": N_(
            "This is no backup of finished games; another program made it, or it is for something "
            "else. Choose a backup such as companion-2026-11-21.json."
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
        "odd-game": N_("It is not written as a companion writes a game, or contradicts itself."),
        "unknown-game": N_("This version of the companion does not know the game."),
        "newer-rules": N_(
            "It was played by newer rules than this version of the companion knows. Update this "
            "one."
        ),
        "illegal-game": N_("The rules do not allow its entry %(number)s."),
        "future-game": N_(
            "It ended on %(ended)s, and this computer has %(today)s. Set the clock of this "
            "computer."
        ),
        "game-twice": N_("It stands in the file twice."),
        "no-file": N_("No file was chosen. Choose a backup."),
        "bad-date": N_("A game has ended in the past. Choose another date."),
        "bad-total": N_("A total is a whole number of up to six digits."),
        "bad-name": N_(
            "A name has 1 to %(longest)s characters that can be seen. Choose another or a shorter "
            "one."
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
        "log-full": N_("Too much has happened at this table to go on. Make a new table, please."),
        "damaged-table": N_(
            "What is saved of this table is damaged and cannot be shown. Other tables are not "
            "concerned; whoever runs the app can restore a backup."
        ),
        "too-many-sheets": N_(
            "There are %(most)s sheets here already. Save a game or remove a sheet, and send this "
            "photo again."
        ),
        "no-photo": N_("No photo was chosen. Take one, or choose one."),
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
        self.refusal: Final = refusal
        self.index: Final = index
        self.entry: Final = entry

    @property
    def code(self) -> str:
        return self.refusal.code
