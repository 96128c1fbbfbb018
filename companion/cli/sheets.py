"""The commands about records, sheets, photos and pads: replay, score, read and pad."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Final

from companion.cli.terminal import (
    DONE,
    JSON,
    NO_SHEET,
    REFUSED,
    UNUSABLE,
    argument,
    command,
    file_to_write,
    number,
    print_line,
    print_note,
    printing,
    read_bytes,
    read_json,
    unusable,
)
from companion.core.game import Game
from companion.core.refusal import Unusable, missing_package
from companion.core.sheet import FilledSheet, Mark
from companion.core.words import english
from companion.games import catalog, scoring
from companion.games import record as records
from companion.games.record import Replay
from companion.games.text import as_text

if TYPE_CHECKING:
    from companion.vision.core import FieldReading, PhotoReading, SheetReading

MOST_COUNT: Final = 999_999_999


@command(
    "replay a game record and check every action",
    argument("file", metavar="FILE", help="a companion-record/1 file, or - for input"),
    JSON,
)
def replay(options: argparse.Namespace) -> int:
    """Prints the sheets and scores of a record."""
    record = records.parse(read_json(options.file))
    replay = records.replay(record)
    with printing():
        if options.json:
            print(json.dumps(replay.document()))
        else:
            _print_replay(record.game, replay)
    if replay.refusal:
        print_note(f"Action {replay.accepted}: {replay.refusal.message}")
    return REFUSED if replay.refusal else DONE


def _print_replay(game: Game, replay: Replay) -> None:
    position = replay.position
    for player in position.players:
        total = position.score(player)["total"]
        print_line(f"{player}: {total} {'point' if abs(total) == 1 else 'points'}")
        if (filled := game.filled(position, player)) is not None:
            print(as_text(filled), end="\n\n")
    if position.over:
        print_line(f"The game is over. Winner: {', '.join(position.winners())}")
    else:
        print_line(f"Turn {position.turn}: {position.active} is active.")


_SHEET: Final = next(iter(catalog.SHEETS.values()))
_BLANK: Final = json.dumps(_SHEET.marked(_SHEET.usual_board, {}).document)


@command(
    "check and score filled-in sheets",
    argument(
        "file", metavar="FILE", help="a sheet, or what `companion read --json` prints; - for input"
    ),
    JSON,
    epilog=f"A blank sheet is {_BLANK}.",
)
def score(options: argparse.Namespace) -> int:
    """Prints the scores of sheets, and their problems."""
    document = read_json(options.file)
    several = scoring.filled_sheets(document)
    sheets = [scoring.filled_sheet(document)] if several is None else several
    with printing():
        if options.json:
            scores = [scoring.scored(sheet) for sheet in sheets]
            print(json.dumps(scores[0] if several is None else scores))
        else:
            for sheet in sheets:
                _print_score(sheet)
    if not sheets:
        print_note("No sheet was read in these photos.")
        return NO_SHEET
    return REFUSED if any(sheet.problems for sheet in sheets) else DONE


def _print_score(filled: FilledSheet) -> None:
    print(as_text(filled), end="\n\n")
    for term in filled.terms:
        print_line(f"{term.points:>5}  {term.name.translated(english, ' or ')}")
    if filled.kind.sharing is None:
        print(f"{filled.score['total']:>5}  in total")
    for problem in filled.problems:
        print_note(f"{', '.join(problem.fields)}: {problem.message}")


@command(
    "read, check and score the sheets in photos",
    argument(
        "photos",
        metavar="PHOTO",
        nargs="+",
        help="a JPEG, PNG, WebP or HEIC file, or - for input",
    ),
    JSON,
)
def read(options: argparse.Namespace) -> int:
    """Prints what is read in photos."""
    from companion.vision import core

    if options.photos.count("-") > 1:
        raise Unusable("Standard input can be read only once.")
    readings: list[tuple[str, PhotoReading]] = []
    status = DONE
    for name in options.photos:
        try:
            reading = _read_photo(name, only_look=status == UNUSABLE)
        except core.Unreadable as error:
            status = unusable(f"{name}: {error}")
        except Unusable as error:
            status = unusable(str(error))
        except ModuleNotFoundError as missing:
            reason = missing_package("Reading photos", str(missing.name), "photo")
            status = unusable(f"{name}: {reason}")
        except MemoryError:
            status = unusable(f"{name}: This machine lacks the memory to read it.")
        except OSError as error:
            status = unusable(f"{name}: It cannot be read: {error.strerror}.")
        else:
            readings += [(name, reading)] if reading else []
    if status == UNUSABLE:
        return status
    with printing():
        if options.json:
            photos = [core.photo_document(name, reading) for name, reading in readings]
            print(json.dumps({"format": scoring.READING_FORMAT, "photos": photos}))
        else:
            for name, reading in readings:
                for number, sheet in enumerate(reading.sheets, 1):
                    _print_sheet(f"{name}, {number} of {len(reading.sheets)}", sheet)
    for name, reading in readings:
        for trouble in reading.troubles:
            print_note(f"{name}: {trouble.sentence.translated(english, ' or ')}")
    if not all(reading.sheets for _, reading in readings):
        return NO_SHEET
    has_problems = any(sheet.sheet.problems for _, reading in readings for sheet in reading.sheets)
    return REFUSED if has_problems else DONE


def _read_photo(name: str, *, only_look: bool) -> PhotoReading | None:
    """The reading of a photo; None with `only_look`, which only checks that it is a picture."""
    from companion.vision.core import MAX_PHOTO_BYTES
    from companion.vision.pictures import picture

    data = read_bytes(name, MAX_PHOTO_BYTES)
    picture.open_picture(data)
    if only_look:
        return None
    # Loaded late: whatever is no picture needs neither OpenCV nor the networks.
    from companion.vision.reading import read

    return read(data)


def _print_sheet(title: str, reading: SheetReading) -> None:
    print_line(f"{title}: {reading.sheet.kind.name}")
    _print_score(reading.sheet)
    if reading.unsure:
        print("Please look at:")
    for name in reading.unsure:
        print_line(f"  {name}: {_likeliest(reading.fields[name])}")
    sums = reading.sheet.sums
    different = {
        name: field.value
        for name, field in reading.written.items()
        if name in sums and field.value != sums[name]
    }
    if different:
        print("Summed up differently on paper:")
    for name, value in different.items():
        print_line(f"  {name}: {value}, which should be {sums[name]}")
    print()


def _likeliest(field: FieldReading) -> str:
    """The likeliest values, such as "12 (71 %), 17 (20 %) or 13 (4 %)"."""
    marks = [(field.value, field.confidence), *field.others[:2]]
    texts = [f"{_mark(mark)} ({chance * 100:.0f} %)" for mark, chance in marks]
    return " or ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _mark(mark: Mark) -> str:
    if isinstance(mark, bool):
        return "crossed" if mark else "not crossed"
    return "empty" if mark is None else str(mark)


def _add_output(pad: argparse._ActionsContainer) -> None:
    wanted = pad.add_mutually_exclusive_group(required=True)
    wanted.add_argument("-o", "--output", metavar="FILE.pdf", help="the PDF to write, or -")
    wanted.add_argument("--map", action="store_true", help="print the geometry as JSON instead")


@command(
    "print score pads",
    argument("sheet", metavar="SHEET", help=f"one of: {', '.join(catalog.SHEETS)}"),
    _add_output,
    argument("--paper", default="a4", metavar="PAPER", help="a4 (default), a5 or letter"),
    argument(
        "--copies",
        type=number(0, MOST_COUNT, "a whole number is needed"),
        default=1,
        metavar="N",
        help="so many pads at the least, for each player if there are names; pages are filled up",
    ),
    argument("--board", metavar="NAME", help="of a sheet with several boards"),
    argument(
        "--player",
        metavar="NAME",
        action="extend",
        nargs="+",
        default=[],
        help="print these names; each player gets a pad, or a column of it",
    ),
    argument(
        "--mono", action="store_true", help="tell colors by patterns, too, for a black printer"
    ),
    argument(
        "--language",
        metavar="LANGUAGE",
        default="en",
        help="of the texts on the pad: en (default), de or es",
    ),
)
def pad(options: argparse.Namespace) -> int:
    """Writes a PDF of pads, or prints their geometry."""
    from companion.pads import geometry, order, padmap, pdf
    from companion.pads.engines import PrintingFailed
    from companion.pads.saying import in_language

    say = in_language(options.language)
    sheaf = geometry.sheaf(
        order.checked_order(
            options.sheet,
            board=options.board,
            paper=options.paper,
            copies=options.copies,
            players=options.player,
            mono=options.mono,
        )
    )
    if risky := order.risky_letters(sheaf.order):
        print_note(f"{risky} may be missing on paper. Look at the PDF before you print it.")
    if options.map:
        print(json.dumps(padmap.document(sheaf)))
        return DONE
    if not options.output.strip():
        raise Unusable("The file name after -o is empty.")
    path = None if options.output == "-" else file_to_write(options.output)
    try:
        raw = pdf.pdf(sheaf, say)
    except PrintingFailed as failed:
        print_note(str(failed))
        return REFUSED
    if path is None:
        sys.stdout.buffer.write(raw)
        return DONE
    try:
        pdf.write_whole(path, raw)
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error
    pages = "page" if len(sheaf.pages) == 1 else "pages"
    print_note(f"{path}: {len(sheaf.pages)} {pages}. Print at 100 %, not “fit to page”.")
    return DONE
