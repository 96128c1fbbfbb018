"""The `companion` command: parses arguments, reads files, prints; the work is done elsewhere.

Exit status: 0 done, 1 understood and refused, 2 unusable input, 3 no sheet found in the photo.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO, TypeAlias

from companion import __version__, cli_operating
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

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

DONE, REFUSED, UNUSABLE, NO_SHEET = 0, 1, 2, 3
INTERRUPTED: Final = 130
"""The exit status that shells use for Ctrl-C."""
MAX_BYTES: Final = 4 * 1024 * 1024
"""Size of a record or a sheet; the record of the longest real match is below 100 kB."""
DEFAULT_PORT: Final = 8000
READERS: Final = 2
"""Photos that a process reads at a time; `vision.worker.pool.AT_ONCE`."""
MOST_PROCESSES: Final = 64
"""Limit of the processes of one command."""
EVERY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - the phones at the table must reach it


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; never lets a traceback out for bad input."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character gets a question mark, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        status: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Unusable as unusable:
        return _unusable(str(unusable))
    except BrokenPipeError:
        # The reader of the output has gone, as with `companion replay game.json | head`.
        _drop_output()
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        _drop_output()
        return _unusable(f"The output cannot be written: {error.strerror}.")
    return status


def _drop_output(stream: TextIO | None = None) -> None:
    """Drops buffered output, so that the interpreter does not fail to flush it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


@contextmanager
def _printing() -> Iterator[None]:
    """Flushes printed output; the exit status stays when its reader has gone."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion", description="The companion for tabletop score sheets."
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (
        _add_serve,
        _add_reader,
        _add_replay,
        _add_score,
        _add_read,
        _add_pad,
        _add_backup,
        _add_restore,
        cli_operating.add_tidy,
        cli_operating.add_status,
        cli_operating.add_person,
    ):
        add(commands)
    return parser


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError("a whole number is needed")
    return int(text)


def _some(text: str) -> int:
    if (number := _count(text)) < 1 or number > MOST_PROCESSES:
        raise argparse.ArgumentTypeError(f"a number from 1 to {MOST_PROCESSES} is needed")
    return number


def _add_serve(commands: Commands) -> None:
    serve = commands.add_parser("serve", help="run the app and print its address and QR code")
    serve.add_argument(
        "--host", default=EVERY_ADDRESS, help="address to listen on (default: every one)"
    )
    serve.add_argument(
        "--port", type=_port, default=DEFAULT_PORT, help=f"port to listen on ({DEFAULT_PORT})"
    )
    serve.add_argument(
        "--db", metavar="URL", help="database, as SQLAlchemy writes it (default: one SQLite file)"
    )
    serve.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="a further host name or address by which browsers reach it; may be repeated",
    )
    serve.add_argument(
        "--workers",
        type=_some,
        default=1,
        metavar="N",
        help="processes that answer, on PostgreSQL (default: one)",
    )
    serve.add_argument(
        "--readers",
        type=_count,
        default=READERS,
        metavar="N",
        help=f"photos read at a time ({READERS}); on PostgreSQL 0 leaves them to companion reader",
    )
    cli_operating.add_https(serve, _port)
    cli_operating.add_serve_options(serve)
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    # The web server and the database are loaded only when they are needed.
    from companion.web.run.quiet_log import quiet_log
    from companion.web.run.serve import serve

    with quiet_log(options.log):
        return serve(
            options.host,
            options.port,
            options.db,
            partial(print, flush=True),
            options.name,
            cli_operating.operation(options),
            workers=options.workers,
            readers=options.readers,
        )


def _add_reader(commands: Commands) -> None:
    reader = commands.add_parser("reader", help="read the photos of servers on PostgreSQL")
    reader.add_argument("--db", metavar="URL", help="database, as for serve")
    reader.add_argument(
        "--readers",
        type=_some,
        default=READERS,
        metavar="N",
        help=f"photos read at a time ({READERS})",
    )
    reader.set_defaults(run=_reader)


def _reader(options: argparse.Namespace) -> int:
    from importlib.util import find_spec

    from companion.tables.opening import database_url

    url = database_url(options.db)
    if url.startswith("sqlite"):
        raise Unusable(NOT_SHARED)
    for name in ("procrastinate", "cv2"):
        if not find_spec(name):
            raise missing_package("Reading photos", name, "postgres,photo")
    from companion.paper.photos.photo_reader import read_photos

    read_photos(url, options.readers, _print_note)
    return DONE


def _add_replay(commands: Commands) -> None:
    replay = commands.add_parser("replay", help="replay a game record and check every action")
    replay.add_argument("file", metavar="FILE", help="a companion-record/1 file, or - for input")
    replay.add_argument("--json", action="store_true", help="print one JSON document")
    replay.set_defaults(run=_replay)


def _replay(options: argparse.Namespace) -> int:
    record = records.parse(_read_json(options.file))
    replay = records.replay(record)
    with _printing():
        if options.json:
            print(json.dumps(replay.document()))
        else:
            _print_replay(record.game, replay)
    if replay.refusal:
        _print_note(f"Action {replay.accepted}: {replay.refusal.message}")
    return REFUSED if replay.refusal else DONE


def _print_replay(game: Game, replay: Replay) -> None:
    position = replay.position
    for player in position.players:
        total = position.score(player)["total"]
        _print_line(f"{player}: {total} {'point' if abs(total) == 1 else 'points'}")
        if (filled := game.filled(position, player)) is not None:
            print(as_text(filled), end="\n\n")
    if position.over:
        _print_line(f"The game is over. Winner: {', '.join(position.winners())}")
    else:
        _print_line(f"Turn {position.turn}: {position.active} is active.")


def _add_score(commands: Commands) -> None:
    kind = next(iter(catalog.SHEETS.values()))
    blank = json.dumps(kind.marked(kind.usual_board, {}).document)
    score = commands.add_parser(
        "score", help="check and score filled-in sheets", epilog=f"A blank sheet is {blank}."
    )
    score.add_argument(
        "file", metavar="FILE", help="a sheet, or what `companion read --json` prints; - for input"
    )
    score.add_argument("--json", action="store_true", help="print one JSON document")
    score.set_defaults(run=_score)


def _score(options: argparse.Namespace) -> int:
    document = _read_json(options.file)
    several = scoring.filled_sheets(document)
    sheets = [scoring.filled_sheet(document)] if several is None else several
    with _printing():
        if options.json:
            scores = [scoring.scored(sheet) for sheet in sheets]
            print(json.dumps(scores[0] if several is None else scores))
        else:
            for sheet in sheets:
                _print_score(sheet)
    if not sheets:
        _print_note("No sheet was read in these photos.")
        return NO_SHEET
    return REFUSED if any(sheet.problems for sheet in sheets) else DONE


def _print_score(filled: FilledSheet) -> None:
    print(as_text(filled), end="\n\n")
    for term in filled.terms:
        _print_line(f"{term.points:>5}  {term.name.translated(english, ' or ')}")
    if filled.kind.sharing is None:
        print(f"{filled.score['total']:>5}  in total")
    for problem in filled.problems:
        _print_note(f"{', '.join(problem.fields)}: {problem.refusal.message}")


NOT_SHARED: Final = (
    "Photos of a SQLite database are read by its server alone. Give the PostgreSQL database of the"
    " servers with --db postgresql+psycopg://user@host/name."
)


def _add_read(commands: Commands) -> None:
    read = commands.add_parser("read", help="read, check and score the sheets in photos")
    read.add_argument(
        "photos",
        metavar="PHOTO",
        nargs="+",
        help="a JPEG, PNG, WebP or HEIC file, or - for input",
    )
    read.add_argument("--json", action="store_true", help="print one JSON document")
    read.set_defaults(run=_read)


def _read(options: argparse.Namespace) -> int:
    from companion.vision import core

    if options.photos.count("-") > 1:
        raise Unusable("Standard input can be read only once.")
    readings: list[tuple[str, PhotoReading]] = []
    status = DONE
    for name in options.photos:
        try:
            reading = _read_photo(name, only_look=status == UNUSABLE)
        except core.Unreadable as unreadable:
            status = _unusable(f"{name}: {unreadable}")
        except Unusable as unusable:
            status = _unusable(str(unusable))
        except ModuleNotFoundError as missing:
            reason = missing_package("Reading photos", str(missing.name), "photo")
            status = _unusable(f"{name}: {reason}")
        except MemoryError:
            status = _unusable(f"{name}: This machine lacks the memory to read it.")
        except OSError as error:
            status = _unusable(f"{name}: It cannot be read: {error.strerror}.")
        else:
            readings += [(name, reading)] if reading else []
    if status == UNUSABLE:
        return status
    with _printing():
        if options.json:
            photos = [core.photo_document(name, reading) for name, reading in readings]
            print(json.dumps({"format": scoring.READING_FORMAT, "photos": photos}))
        else:
            for name, reading in readings:
                for number, sheet in enumerate(reading.sheets, 1):
                    _print_sheet(f"{name}, {number} of {len(reading.sheets)}", sheet)
    for name, reading in readings:
        for trouble in reading.troubles:
            _print_note(f"{name}: {trouble.sentence.translated(english, ' or ')}")
    if not all(reading.sheets for _, reading in readings):
        return NO_SHEET
    has_problems = any(sheet.sheet.problems for _, reading in readings for sheet in reading.sheets)
    return REFUSED if has_problems else DONE


def _read_photo(name: str, *, only_look: bool) -> PhotoReading | None:
    """The reading of a photo; None with `only_look`, which only checks that it is a picture."""
    from companion.vision.core import MAX_PHOTO_BYTES
    from companion.vision.pictures import picture

    data = _read_bytes(name, MAX_PHOTO_BYTES)
    picture.open_picture(data)
    if only_look:
        return None
    # Loaded late: whatever is no picture needs neither OpenCV nor the networks.
    from companion.vision.reading import read

    return read(data)


def _print_sheet(title: str, reading: SheetReading) -> None:
    _print_line(f"{title}: {reading.sheet.kind.name}")
    _print_score(reading.sheet)
    if reading.unsure:
        print("Please look at:")
    for name in reading.unsure:
        _print_line(f"  {name}: {_likeliest(reading.fields[name])}")
    sums = reading.sheet.sums
    different = {
        name: field.value
        for name, field in reading.written.items()
        if name in sums and field.value != sums[name]
    }
    if different:
        print("Summed up differently on paper:")
    for name, value in different.items():
        _print_line(f"  {name}: {value}, which should be {sums[name]}")
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


def _add_pad(commands: Commands) -> None:
    pad = commands.add_parser("pad", help="print score pads")
    pad.add_argument("sheet", metavar="SHEET", help=f"one of: {', '.join(catalog.SHEETS)}")
    wanted = pad.add_mutually_exclusive_group(required=True)
    wanted.add_argument("-o", "--output", metavar="FILE.pdf", help="the PDF to write, or -")
    wanted.add_argument("--map", action="store_true", help="print the geometry as JSON instead")
    pad.add_argument("--paper", default="a4", metavar="PAPER", help="a4 (default), a5 or letter")
    pad.add_argument(
        "--copies",
        type=_count,
        default=1,
        metavar="N",
        help="so many pads at the least, for each player if there are names; pages are filled up",
    )
    pad.add_argument("--board", metavar="NAME", help="of a sheet with several boards")
    pad.add_argument(
        "--player",
        metavar="NAME",
        action="extend",
        nargs="+",
        default=[],
        help="print these names; each player gets a pad, or a column of it",
    )
    pad.add_argument(
        "--mono", action="store_true", help="tell colors by patterns, too, for a black printer"
    )
    pad.add_argument(
        "--language",
        metavar="LANGUAGE",
        default="en",
        help="of the texts on the pad: en (default), de or es",
    )
    pad.set_defaults(run=_pad)


def _pad(options: argparse.Namespace) -> int:
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
        _print_note(f"{risky} may be missing on paper. Look at the PDF before you print it.")
    if options.map:
        print(json.dumps(padmap.document(sheaf)))
        return DONE
    if not options.output.strip():
        raise Unusable("The file name after -o is empty.")
    path = None if options.output == "-" else Path(options.output)
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise Unusable(f"{path} cannot be written: it is a folder, or its folder does not exist.")
    try:
        raw = pdf.pdf(sheaf, say)
    except PrintingFailed as failed:
        _print_note(str(failed))
        return REFUSED
    if path is None:
        sys.stdout.buffer.write(raw)
        return DONE
    try:
        pdf.write_whole(path, raw)
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error
    pages = "page" if len(sheaf.pages) == 1 else "pages"
    _print_note(f"{path}: {len(sheaf.pages)} {pages}. Print at 100 %, not “fit to page”.")
    return DONE


def _add_backup(commands: Commands) -> None:
    backup = commands.add_parser("backup", help="write the whole database into one file")
    backup.add_argument("file", metavar="FILE", help="the file to write; an older one goes")
    backup.add_argument("--db", metavar="URL", help="database, as for serve")
    backup.set_defaults(run=_backup)


def _backup(options: argparse.Namespace) -> int:
    from companion.tables.opening import database_url, open_database
    from companion.tables.upkeep import backup

    path = Path(options.file)
    if path.is_dir() or not path.parent.is_dir():
        raise Unusable(f"{path} cannot be written: it is a folder, or its folder does not exist.")
    try:
        with closing(open_database(database_url(options.db), existing=True)) as database:
            content = _content(backup.backup(database, path))
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error
    _print_note(f"{path}: {content}. Keep it as safe as the database: it holds all games.")
    return DONE


def _add_restore(commands: Commands) -> None:
    restore = commands.add_parser(
        "restore", help="put a backup into the database, while no server runs"
    )
    restore.add_argument("file", metavar="FILE", help="a file that companion backup has written")
    restore.add_argument("--db", metavar="URL", help="database, as for serve")
    restore.add_argument(
        "--replace", action="store_true", help="delete what is in the database first"
    )
    restore.set_defaults(run=_restore)


def _restore(options: argparse.Namespace) -> int:
    from sqlalchemy.exc import SQLAlchemyError

    from companion.tables.opening import database_for_restore, database_url
    from companion.tables.upkeep import backup

    path = Path(options.file)
    url = database_url(options.db)
    try:
        backup.check_kind(path)  # before a new database is made for it
        with database_for_restore(url, existing=options.replace) as database:
            content = _content(backup.restore(database, path, replace=options.replace))
    except OSError as error:
        raise Unusable(f"{options.file} cannot be read: {error.strerror}.") from error
    except (SQLAlchemyError, OverflowError, UnicodeError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise Unusable(f"The database does not take it, and is as it was: {reason}") from error
    _print_note(f"{options.file} is in the database again: {content}.")
    return DONE


def _content(rows: Mapping[str, int]) -> str:
    """The content of a backup, in words, by the numbers of its tables' rows."""
    games, tables = rows.get("plays", 0), rows.get("tables", 0)
    of_games = f"{games} finished {'game' if games == 1 else 'games'}"
    return f"{of_games}, {tables} {'table' if tables == 1 else 'tables'}"


def _print_line(text: str, stream: TextIO | None = None) -> None:
    """Prints one line for people, without control codes: a terminal would obey those."""
    print("".join(char if char.isprintable() else "?" for char in text), file=stream)


def _print_note(text: str) -> None:
    """Prints one line for people on standard error, if there is any."""
    if sys.stderr is None:
        return
    try:
        _print_line(text, sys.stderr)
        sys.stderr.flush()
    except OSError:
        _drop_output(sys.stderr)


def _read_json(name: str) -> Any:
    """The JSON in a file or, for "-", on standard input; raises `Unusable` with a sentence."""
    raw = _read_bytes(name, MAX_BYTES)
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{name} is not JSON: {error}.") from error


def _no_constant(name: str) -> NoReturn:
    """Refuses `NaN` and `Infinity`, which Python takes and JSON does not know."""
    raise ValueError(f"{name} is no JSON value")


def _read_bytes(name: str, most: int) -> bytes:
    """A file or, for "-", standard input; raises `Unusable` with a sentence."""
    if name == "-" and sys.stdin is None:
        raise Unusable("There is no standard input to read.")
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(most + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(most + 1)
    except OSError as error:
        raise Unusable(f"{name} cannot be read: {error.strerror}.") from error
    if len(raw) > most:
        raise Unusable(f"{name} is larger than {most // 1024 // 1024} MB.")
    return raw


def _unusable(message: str) -> int:
    _print_note(message)
    return UNUSABLE
