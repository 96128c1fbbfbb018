"""The refusals of tables, besides those of the rules: public codes and sentences for people.

A sentence says what happened and what to do about it. Pages translate it.
"""

from __future__ import annotations

from typing import Final

from companion.core.refusal import Refusal
from companion.core.words import N_

NO_SUCH_TABLE: Final = "no-such-table"
NOT_A_MEMBER: Final = "not-a-member"
VIEW_ONLY: Final = "view-only"
NOT_HOST: Final = "not-host"
HOST_IS_HERE: Final = "host-is-here"
NOT_YOUR_SEAT: Final = "not-your-seat"
NOT_YOURS_TO_CLOSE: Final = "not-yours-to-close"
NO_SUCH_SEAT: Final = "no-such-seat"
SEAT_TAKEN: Final = "seat-taken"
NO_ROLLER: Final = "no-roller"
NO_COUNT: Final = "no-count"
STALE: Final = "stale"
CALL_OPEN: Final = "call-open"
DOES_NOT_FIT: Final = "does-not-fit"
NO_SUCH_ENTRY: Final = "no-such-entry"
NOTHING_TO_UNDO: Final = "nothing-to-undo"
NOTHING_TO_REDO: Final = "nothing-to-redo"
BAD_NAME: Final = "bad-name"
NAME_TAKEN: Final = "name-taken"
BAD_COLOR: Final = "bad-color"
BAD_DATE: Final = "bad-date"
BAD_TOTAL: Final = "bad-total"
NO_SUCH_GAME: Final = "no-such-game"
BAD_OPTION: Final = "bad-option"
TABLE_FULL: Final = "table-full"
TOO_FEW_PLAYERS: Final = "too-few-players"
GAME_STARTED: Final = "game-started"
NOT_STARTED: Final = "not-started"
NOT_OVER: Final = "not-over"
NO_SUCH_LINK: Final = "no-such-link"
DAMAGED_TABLE: Final = "damaged-table"
TOO_MANY_IMPORTS: Final = "too-many-imports"
TOO_MANY_MATCHES: Final = "too-many-games"
TOO_MANY_PHOTOS: Final = "too-many-photos"
TOO_MANY_TABLES: Final = "too-many-tables"
TOO_MANY_TRIES: Final = "too-many-tries"
BAD_TAP: Final = "bad-tap"
LOG_FULL: Final = "log-full"
NO_SUCH_MATCH: Final = "no-such-play"  # older than the word "match"
NO_SUCH_PERSON: Final = "no-such-person"
NO_SUCH_REVIEW: Final = "no-such-review"
TOO_MANY_REVIEWS: Final = "too-many-reviews"
NO_SUCH_SHEET: Final = "no-such-sheet"
TOO_MANY_SHEETS: Final = "too-many-sheets"


class Refused(Exception):
    """A request was refused, and nothing has changed; `refusal` says why."""

    def __init__(
        self, refusal: Refusal, *, cause: Refusal | None = None, index: int | None = None
    ) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.cause = cause
        """With `does-not-fit`, the rules' refusal of the entry that no longer fits."""
        self.index = index
        """The index of the refused action in an imported record."""

    @property
    def code(self) -> str:
        """The public code of the refusal."""
        return self.refusal.code


def no_such_table() -> Refused:
    return Refused(
        Refusal(
            NO_SUCH_TABLE,
            N_("There is no such table. Check the link, or ask for a new one."),
        )
    )


def not_a_member() -> Refused:
    return Refused(
        Refusal(
            NOT_A_MEMBER,
            N_("This device is not at the table. Ask somebody there for a link or the code."),
        )
    )


def view_only() -> Refused:
    return Refused(
        Refusal(
            VIEW_ONLY,
            N_("This device may only watch. Ask somebody at the table for the code to play."),
        )
    )


def not_host() -> Refused:
    return Refused(
        Refusal(NOT_HOST, N_("Only the device that made the table may do this. Ask its owner."))
    )


def host_is_here() -> Refused:
    return Refused(
        Refusal(
            HOST_IS_HERE,
            N_(
                "The host's device was here less than a minute ago. Ask there, or try again when it"
                " has been silent for a minute."
            ),
        )
    )


def not_your_seat(name: str) -> Refused:
    return Refused(
        Refusal(
            NOT_YOUR_SEAT,
            N_(
                "This device may not write for %(player)s. Take that seat if it is free,"
                " or let the host allow everyone to write for everyone."
            ),
            {"player": name},
        )
    )


def not_yours_to_close(active: str) -> Refused:
    return Refused(
        Refusal(
            NOT_YOURS_TO_CLOSE,
            N_(
                "Only %(player)s, whose turn it is, or the host can go on before everybody has"
                " acted. Ask them."
            ),
            {"player": active},
        )
    )


def no_such_seat() -> Refused:
    return Refused(
        Refusal(NO_SUCH_SEAT, N_("There is no such seat at this table. Load the page again."))
    )


def seat_taken(name: str) -> Refused:
    return Refused(
        Refusal(
            SEAT_TAKEN,
            N_("Another device already holds %(player)s's seat. The host can hand it over."),
            {"player": name},
        )
    )


def no_roller() -> Refused:
    return Refused(
        Refusal(
            NO_ROLLER,
            N_("The app rolls no dice at this table. The host can switch that on in the menu."),
        )
    )


def no_count() -> Refused:
    return Refused(
        Refusal(
            NO_COUNT,
            N_("Every player needs a number that can be right. Look at them again, please."),
        )
    )


def stale() -> Refused:
    return Refused(
        Refusal(
            STALE,
            N_("Somebody was faster and the table has changed. Look again and tap once more."),
        )
    )


def call_open(name: str) -> Refused:
    return Refused(
        Refusal(
            CALL_OPEN,
            N_("%(player)s may still change this. Write as soon as %(player)s has said that's it."),
            {"player": name},
        )
    )


def does_not_fit(player: str, turn: int, cause: Refusal) -> Refused:
    return Refused(
        Refusal(
            DOES_NOT_FIT,
            N_(
                "Then %(player)s's entry in turn %(turn)s would no longer fit."
                " Correct the entry instead, to see what changes with it."
            ),
            {"player": player, "turn": turn},
        ),
        cause=cause,
    )


def no_such_entry() -> Refused:
    return Refused(
        Refusal(
            NO_SUCH_ENTRY,
            N_("This entry is not in the game any more. Look again at what was entered."),
        )
    )


def nothing_to_undo() -> Refused:
    return Refused(
        Refusal(NOTHING_TO_UNDO, N_("There is nothing to undo that this device has entered."))
    )


def nothing_to_redo() -> Refused:
    return Refused(
        Refusal(NOTHING_TO_REDO, N_("There is nothing to redo that this device has undone."))
    )


def bad_date() -> Refused:
    text = N_("A game has ended in the past. Choose another date.")
    return Refused(Refusal(BAD_DATE, text))


def bad_total() -> Refused:
    return Refused(Refusal(BAD_TOTAL, N_("A total is a whole number from −999 to 9999.")))


def bad_name(longest: int) -> Refused:
    return Refused(
        Refusal(
            BAD_NAME,
            N_(
                "A name has 1 to %(longest)s characters that can be seen."
                " Choose another or a shorter one."
            ),
            {"longest": longest},
        )
    )


def name_taken(name: str) -> Refused:
    return Refused(
        Refusal(
            NAME_TAKEN,
            N_("Somebody at the table is already called %(name)s. Choose another name."),
            {"name": name},
        )
    )


def bad_color() -> Refused:
    return Refused(Refusal(BAD_COLOR, N_("There is no such color for a seat. Choose another.")))


def no_such_game() -> Refused:
    return Refused(Refusal(NO_SUCH_GAME, N_("There is no such game here. Choose another one.")))


def bad_option() -> Refused:
    return Refused(
        Refusal(BAD_OPTION, N_("This game cannot be played that way. Choose its options again."))
    )


def table_full(most: int) -> Refused:
    return Refused(
        Refusal(
            TABLE_FULL,
            N_("There is room for at most %(most)s players in this game."),
            {"most": most},
        )
    )


def too_many_devices(most: int) -> Refused:
    return Refused(
        Refusal(
            TABLE_FULL,
            N_("There are already %(most)s devices at this table. The host can revoke a link."),
            {"most": most},
        )
    )


def too_few_players(least: int) -> Refused:
    return Refused(
        Refusal(
            TOO_FEW_PLAYERS,
            N_("This game needs at least %(least)s players. Add somebody first."),
            {"least": least},
        )
    )


def game_started() -> Refused:
    return Refused(
        Refusal(GAME_STARTED, N_("The game has begun, so this cannot be changed until it is over."))
    )


def not_started() -> Refused:
    return Refused(Refusal(NOT_STARTED, N_("The game has not begun yet. The host starts it.")))


def not_over() -> Refused:
    return Refused(Refusal(NOT_OVER, N_("The game is still going on. Play it to its end first.")))


def no_such_link() -> Refused:
    return Refused(
        Refusal(
            NO_SUCH_LINK,
            N_("This link or code is not valid, or not any more. Ask at the table for a new one."),
        )
    )


def too_many_tries(minutes: int) -> Refused:
    return Refused(
        Refusal(
            TOO_MANY_TRIES,
            N_(
                "Too many wrong codes were tried. Wait %(minutes)s minutes,"
                " or scan the code at the table."
            ),
            {"minutes": minutes},
        )
    )


def bad_tap(why: str) -> Refused:
    return Refused(
        Refusal(
            BAD_TAP,
            N_("This device sent something that cannot be understood (%(why)s). Reload the page."),
            {"why": why},
        )
    )


def log_full() -> Refused:
    return Refused(
        Refusal(
            LOG_FULL,
            N_("Too much has happened at this table to go on. Make a new table, please."),
        )
    )


def no_such_match() -> Refused:
    text = N_("There is no such game in the history of this device. It may have been deleted.")
    return Refused(Refusal(NO_SUCH_MATCH, text))


def no_such_person() -> Refused:
    text = N_("Nobody of that name is in the history of this device. They may have been deleted.")
    return Refused(Refusal(NO_SUCH_PERSON, text))


def no_such_review() -> Refused:
    return Refused(
        Refusal(
            NO_SUCH_REVIEW,
            N_(
                "These photos are not here any more: they were saved, thrown away or a day old,"
                " or another device sent them. Take them again."
            ),
        )
    )


def too_many_reviews() -> Refused:
    return Refused(
        Refusal(
            TOO_MANY_REVIEWS,
            N_("This device has too many photos open. Save or throw away some of them first."),
        )
    )


def damaged_table() -> Refused:
    return Refused(
        Refusal(
            DAMAGED_TABLE,
            N_(
                "What is saved of this table is damaged and cannot be shown. Other tables are not"
                " concerned; whoever runs the app can restore a backup."
            ),
        )
    )


def too_many_imports() -> Refused:
    return Refused(
        Refusal(
            TOO_MANY_IMPORTS,
            N_("Another file is being taken in just now. Try again in a minute."),
        )
    )


def too_many_matches(most: int) -> Refused:
    return Refused(
        Refusal(
            TOO_MANY_MATCHES,
            N_("This device would keep more than %(most)s games. Delete some of them first."),
            {"most": most},
        )
    )


def too_many_tables() -> Refused:
    return Refused(
        Refusal(
            TOO_MANY_TABLES,
            N_("Too many tables were made from here. Play at one of them, or try again later."),
        )
    )


def too_many_photos_today() -> Refused:
    text = N_("Too many photos came from here today. Type the sheets in, or send them tomorrow.")
    return Refused(Refusal(TOO_MANY_PHOTOS, text))


def no_such_sheet() -> Refused:
    return Refused(
        Refusal(NO_SUCH_SHEET, N_("This sheet or field is not here any more. Load the page again."))
    )


def too_many_sheets(most: int) -> Refused:
    return Refused(
        Refusal(
            TOO_MANY_SHEETS,
            N_(
                "There are %(most)s sheets here already. Save a game or remove a sheet, and send "
                "this photo again."
            ),
            {"most": most},
        )
    )
