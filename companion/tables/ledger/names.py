"""Names and colors of seats, and free texts: a match's place, and notes about it.

Names are any text; pages escape them. Free texts are never refused; invisible characters are left
out.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Final

from companion.core.values import LONGEST_RAW_NAME, clean_name
from companion.tables.refusals import Refused

LONGEST_NAME: Final = 24  # characters, after NFC

# The color keys that pages offer for seats, and those of an imported match's seats, in order
SEAT_COLORS: Final = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "teal")

JOINERS: Final = "\u200c\u200d\ufe0e\ufe0f"  # Persian, Indic scripts and emoji need them

# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt, 17.0), and in the last row
# blank shapes: of Braille, two Egyptian ones, the Khitan filler, the null notehead.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2800\U00013441\U00013442\U00016fe4\U0001d159]"
)

_MARKS: Final = ("Mn", "Me")  # categories of marks on a letter, without room of their own
_MOST_MARKS_ON_SEAT: Final = 3  # on one letter of a seat's name, as Hebrew and Tibetan need

# Control and bidi characters, halves of characters, private and unassigned ones, line breaks
REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

LONGEST_LINE: Final = 80
LONGEST_TEXT: Final = 2_000
RAW_SHARE: Final = 4  # characters before NFC for each one after it
# Limit of the combining marks on one letter, as in Unicode's Stream-Safe Text Format (UAX 15). NFC
# sorts the marks of a letter, and takes a time that grows with the square of their number.
MOST_MARKS: Final = 30

_COLOR_KEY: Final = re.compile(r"[a-z][a-z0-9-]{0,15}")


def checked_name(raw: object) -> str:
    """The name as NFC without outer blanks; raises `Refused` with `bad-name`."""
    name = clean_name(raw)
    if name is None or len(name) > LONGEST_NAME:
        raise Refused("bad-name", longest=LONGEST_NAME)
    categories = [unicodedata.category(char) for char in name if char not in JOINERS]
    # A name of blanks and joiners, or of marks without a letter, would be invisible.
    is_blank = all(unicodedata.category(char) in _MARKS for char in _visible(name))
    if is_blank or not REFUSED_CATEGORIES.isdisjoint(categories):
        raise Refused("bad-name", longest=LONGEST_NAME)
    return name


def checked_seat_name(raw: object, others: Iterable[str]) -> str:
    """The name for a seat, which is none of the others' at the table.

    Every character of it is visible, and no stack of marks covers the lines above. Names in the
    history may have both, as they always could.

    Raises:
        Refused: `bad-name`, `name-taken`.
    """
    name = checked_name(raw)
    is_invisible = any(_INVISIBLE.match(char) for char in name if char not in JOINERS)
    if is_invisible or _is_stacked(name):
        raise Refused("bad-name", longest=LONGEST_NAME)
    require_free(name, others)
    return name


def checked_label(raw: object) -> str:
    """A device's label, checked as a name is; empty for a value that is not text."""
    is_too_long = isinstance(raw, str) and len(raw) > LONGEST_RAW_NAME
    return checked_name(raw) if is_too_long or clean_name(raw) is not None else ""


def checked_color(raw: object) -> str:
    """A color's key; raises `Refused` with `bad-color`."""
    if not isinstance(raw, str) or not _COLOR_KEY.fullmatch(raw):
        raise Refused("bad-color")
    return raw


def require_free(name: str, others: Iterable[str]) -> None:
    """Raises `Refused` with `name-taken` when `name` is one of the others; see `name_key`."""
    if name_key(name) in map(name_key, others):
        raise Refused("name-taken", name=name)


def add_name(raw: object, names: list[str]) -> str:
    """Adds a name to those of a match, and returns it checked; raises as `require_free`, too."""
    name = checked_name(raw)
    require_free(name, names)
    names.append(name)
    return name


def name_key(name: str) -> str:
    """The key of a name: all spellings of one person's name have the same."""
    return unicodedata.normalize("NFKC", _visible(name)).casefold()


def _visible(name: str) -> str:
    return "".join(_INVISIBLE.sub("", name).split())


def _is_stacked(name: str) -> bool:
    """Whether a letter has more marks than scripts need."""
    marks = 0
    for char in unicodedata.normalize("NFD", name):
        is_mark = unicodedata.category(char) in _MARKS and char not in JOINERS
        marks = marks + 1 if is_mark else 0
        if marks > _MOST_MARKS_ON_SEAT:
            return True
    return False


def free_color(taken: Iterable[str]) -> str:
    """The first of the colors that are taken least often."""
    return min(SEAT_COLORS, key=Counter(taken).__getitem__)


def cleaned_line(raw: str) -> str:
    """The text as one line without control and bidi characters, cut to `LONGEST_LINE`."""
    return _clean(" ".join(raw.split()), "", LONGEST_LINE)


def cleaned_text(raw: str) -> str:
    """The text without control and bidi characters except line feeds, cut to `LONGEST_TEXT`."""
    return _clean("\n".join(raw.splitlines()), "\n", LONGEST_TEXT)


def _clean(raw: str, kept: str, longest: int) -> str:
    def is_kept(char: str) -> bool:
        is_special = char in kept or char in JOINERS
        return is_special or unicodedata.category(char) not in REFUSED_CATEGORIES

    seen = "".join(filter(is_kept, raw[: RAW_SHARE * longest]))
    # A second time, because NFC takes some marks apart: cleaning a clean text must not change it.
    return _thinned(unicodedata.normalize("NFC", _thinned(seen)))[:longest].strip()


def _thinned(text: str) -> str:
    """The text without the marks on a letter beyond `MOST_MARKS`."""
    kept: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)
