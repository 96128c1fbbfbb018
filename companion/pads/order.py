"""Orders: a pad, its paper, the number of copies and the players; checks of people's input."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companion.core.refusal import Refusal, Unusable
from companion.core.sheet import AnySheetKind
from companion.core.values import clean_name, is_whole
from companion.core.words import N_, Sentence
from companion.games.catalog import SHEETS
from companion.pads.papers import PAPERS

LONGEST_NAME: Final = 60  # The longest name, in characters after NFC
MOST_COPIES: Final = 1000
MOST_PLAYERS: Final = 100
MOST_PADS: Final = 2000
NO_NUMBER: Final = N_("A number cannot be printed.")
NUMBERS: Final = range(-99_999, 100_000)  # that can be printed in a field

# Invisible, but Persian, Indic scripts and emoji need them inside a word
_JOINERS: Final = "\u200c\u200d\ufe0e\ufe0f"
# Categories of control, bidi, surrogate, private-use and unassigned characters and line breaks
_REFUSED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class BadOrder(Unusable):
    """An order that cannot be printed. `sentence` is for people, in any language."""

    def __init__(self, text: str, *, about: str = "", **values: object) -> None:
        """`about` is the part of the order that is to blame: "copies", "players" or ""."""
        super().__init__(Refusal("bad-order", text, values).message)
        self.sentence = Sentence(text, values)
        self.about = about


@dataclass(frozen=True)
class Order:
    """An order that can be printed; made by `checked_order`."""

    sheet: AnySheetKind
    board: str
    paper: str
    copies: int
    players: tuple[str, ...]
    mono: bool = False  # whether patterns show the colours, too, for printers without colours
    # Each player's numbers so far, on a sheet that players share; empty without any
    columns: tuple[tuple[int, ...], ...] = ()

    @property
    def board_place(self) -> int:
        """The board's index among those of its sheet; 0 if there is only one."""
        return self.sheet.every_board.index(self.board)


def checked_order(
    sheet: str,
    *,
    board: str | None = None,
    paper: str = "a4",
    copies: int = 1,
    players: Iterable[str] = (),
    most_copies: int = MOST_COPIES,
    mono: bool = False,
    numbers: Mapping[str, Sequence[object]] | None = None,
) -> Order:
    """The order, if all of it can be printed.

    Args:
        numbers: name → the player's numbers so far; those of other names are not printed.

    Raises:
        BadOrder: an unknown sheet, board or paper, a number of copies that is too small or too
            large, or a name or number that cannot be printed.

    >>> order = checked_order(next(iter(SHEETS)), players=["Ada"], copies=2)
    >>> order.paper, order.players, order.copies
    ('a4', ('Ada',), 2)
    >>> checked_order("chess")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    companion.pads.order.BadOrder: There is no sheet “chess”. Available: ...
    """
    if sheet not in SHEETS:
        raise _bad(N_("There is no sheet “%(name)s”. Available: %(known)s."), sheet, SHEETS)
    kind = SHEETS[sheet]
    board = _known_board(kind, board)
    if paper not in PAPERS:
        raise _bad(N_("There is no paper “%(name)s”. Available: %(known)s."), paper, PAPERS)
    names = tuple(map(printable_name, players))
    columns = [(numbers or {}).get(name, ()) for name in names if kind.sharing]
    _require_few(copies, most_copies, len(names), max(map(len, columns), default=0))
    return Order(kind, board, paper, copies, names, mono, tuple(map(_printable, columns)))


def _known_board(kind: AnySheetKind, wanted: str | None) -> str:
    if wanted and not kind.boards:
        raise BadOrder(N_("This sheet has no boards to choose from."))
    board = wanted or kind.usual_board
    if kind.boards and board not in kind.boards:
        raise _bad(N_("There is no board “%(name)s”. Available: %(known)s."), board, kind.boards)
    return board


def _require_few(copies: int, most_copies: int, names: int, longest: int) -> None:
    """Raises `BadOrder` if there are too many copies, names or pads.

    Args:
        names: how many there are.
        longest: how many numbers the longest column has.
    """
    if not 1 <= copies <= most_copies:
        raise BadOrder(
            N_("From 1 to %(most)s copies can be printed."), about="copies", most=most_copies
        )
    if names > MOST_PLAYERS:
        raise BadOrder(
            N_("Too many names: at most %(most)s."),
            about="players",
            most=MOST_PLAYERS,
        )
    if max(names, longest) * copies > MOST_PADS:
        raise BadOrder(
            N_("Too many at once: at most %(most)s pads."),
            about="copies",
            most=MOST_PADS,
        )


def _printable(column: Sequence[object]) -> tuple[int, ...]:
    numbers = tuple(number for number in column if is_whole(number) and number in NUMBERS)
    if len(numbers) < len(column):
        raise BadOrder(NO_NUMBER)
    return numbers


def printable_name(raw: str) -> str:
    """The name as NFC without outer blanks.

    >>> printable_name(" Ada ")
    'Ada'

    Raises:
        BadOrder: the name is empty, too long, or has characters that are no text, such as those
            that turn the writing direction of the rest.
    """
    name = clean_name(raw) if len(raw) <= 4 * LONGEST_NAME else None
    if name is None or len(name) > LONGEST_NAME:
        raise BadOrder(
            N_("A name must have 1 to %(most)s characters."), about="players", most=LONGEST_NAME
        )
    for char in name:
        if char not in _JOINERS and unicodedata.category(char) in _REFUSED:
            raise BadOrder(
                N_("A name contains a character that cannot be printed."), about="players"
            )
    return name


def _bad(text: str, name: str, known: Iterable[str]) -> BadOrder:
    return BadOrder(text, name=name[:LONGEST_NAME], known=", ".join(known))
