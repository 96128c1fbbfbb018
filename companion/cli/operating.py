"""The commands that open a database: serve, reader, backup, restore, tidy, status and person."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion import __version__
from companion.cli.terminal import (
    DATABASE,
    DONE,
    JSON,
    Argument,
    argument,
    command,
    file_to_write,
    number,
    print_line,
    print_note,
)
from companion.core.refusal import Unusable, missing_package

if TYPE_CHECKING:
    from companion.tables.upkeep.schedule import Schedule
    from companion.web.run.operation import Https, Operation

EVERY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - the phones at the table must reach it
DEFAULT_PORT: Final = 8000
HTTPS_PORT: Final = 8443
READERS: Final = 2
"""Photos that a process reads at a time; `vision.worker.pool.AT_ONCE`."""
MOST_READERS: Final = 999_999_999
MOST_PROCESSES: Final = 64
"""Limit of the processes of one command."""
KEEP_DAYS: Final = 365
"""Days after which unused data are deleted, by default."""
LEAST_DAYS: Final = 30
MOST_DAYS: Final = 36_500
KEEP_BACKUPS: Final = 7
MOST_BACKUPS: Final = 1000

NOT_SHARED: Final = (
    "Photos of a SQLite database are read by its server alone. Give the PostgreSQL database of the"
    " servers with --db postgresql+psycopg://user@host/name."
)

_port: Final = number(0, 65535, "a port is a number from 0 to 65535")


def _days(text: str) -> int:
    refusal = f"days are 0 or a number from {LEAST_DAYS} to {MOST_DAYS}"
    return 0 if text == "0" else number(LEAST_DAYS, MOST_DAYS, refusal)(text)


KEEP: Final = argument(
    "--keep",
    metavar="DAYS",
    type=_days,
    default=KEEP_DAYS,
    help=f"days after which what nobody uses is deleted, at least {LEAST_DAYS}"
    f" (default: {KEEP_DAYS}; 0 keeps all that was played)",
)
LISTENING: Final = (
    argument("--host", default=EVERY_ADDRESS, help="address to listen on (default: every one)"),
    argument(
        "--port", type=_port, default=DEFAULT_PORT, help=f"port to listen on ({DEFAULT_PORT})"
    ),
    argument(
        "--db", metavar="URL", help="database, as SQLAlchemy writes it (default: one SQLite file)"
    ),
    argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="a further host name or address by which browsers reach it; may be repeated",
    ),
    argument(
        "--workers",
        type=number(1, MOST_PROCESSES),
        default=1,
        metavar="N",
        help="processes that answer, on PostgreSQL (default: one)",
    ),
    argument(
        "--readers",
        type=number(0, MOST_READERS, "a whole number is needed"),
        default=READERS,
        metavar="N",
        help=f"photos read at a time ({READERS}); on PostgreSQL 0 leaves them to companion reader",
    ),
)
HTTPS: Final = (
    argument(
        "--https",
        metavar="PORT",
        type=_port,
        nargs="?",
        const=HTTPS_PORT,
        help=f"answer over https, too ({HTTPS_PORT}); the page /trust says how phones trust it",
    ),
    argument("--cert", metavar="FILE", help="a certificate of your own, with its chain"),
    argument("--key", metavar="FILE", help="the key of --cert"),
)
FOR_OPERATORS: Final = (
    argument(
        "--behind-proxy",
        metavar="ADDR[,ADDR…]",
        action="append",
        default=[],
        help="addresses or networks of proxies whose X-Forwarded headers are believed",
    ),
    argument(
        "--prefix", metavar="/PATH", default="", help="the path under which a proxy shows the app"
    ),
    argument(
        "--log", choices=("text", "json"), default="text", help="json: one line for each request"
    ),
    argument(
        "--metrics",
        metavar="[ADDR:]PORT",
        help="serve metrics for Prometheus there, by default only to this computer",
    ),
    KEEP,
    argument(
        "--migrate",
        action="store_true",
        help="migrate an older PostgreSQL database, of which you have a backup",
    ),
    argument(
        "--backup-every",
        metavar="TIME",
        help="write a backup every so often, such as 12h or 1d, into --backup-dir",
    ),
    argument("--backup-dir", metavar="FOLDER", default="", help="the folder for them"),
    argument(
        "--backup-keep",
        metavar="N",
        type=number(1, MOST_BACKUPS),
        default=KEEP_BACKUPS,
        help=f"how many of them are kept ({KEEP_BACKUPS})",
    ),
    argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="another limit than the usual one, such as uploads=10; docs/settings.md lists all",
    ),
    argument("--settings", metavar="FILE", help="a TOML file with such limits"),
)


def _group(title: str, arguments: Iterable[Argument]) -> Argument:
    def add(parser: argparse._ActionsContainer) -> None:
        group = parser.add_argument_group(title)
        for add_one in arguments:
            add_one(group)

    return add


@command(
    "run the app and print its address and QR code",
    *LISTENING,
    _group("https", HTTPS),
    _group("for operators", FOR_OPERATORS),
)
def serve(options: argparse.Namespace) -> int:
    """Serves until it is stopped."""
    # The web server and the database are loaded only when they are needed.
    from companion.web.run import serve
    from companion.web.run.quiet_log import quiet_log

    with quiet_log(options.log):
        return serve.serve(
            options.host,
            options.port,
            options.db,
            partial(print, flush=True),
            options.name,
            operation(options),
            workers=options.workers,
            readers=options.readers,
        )


def operation(options: argparse.Namespace) -> Operation:
    """The operation that the options of `companion serve` describe; raises `Unusable`."""
    from companion.limits import read_limits
    from companion.web.net.proxies import Proxies, parse_networks, parse_prefix
    from companion.web.run.operation import Operation, parse_address

    networks = (network for text in options.behind_proxy for network in parse_networks(text))
    return Operation(
        proxies=Proxies(tuple(networks), parse_prefix(options.prefix)),
        log=options.log,
        metrics=parse_address(options.metrics) if options.metrics else None,
        keep_days=options.keep,
        may_migrate=options.migrate,
        limits=read_limits(options.settings, options.set),
        https=_https(options),
        backups=_schedule(options),
    )


def _https(options: argparse.Namespace) -> Https | None:
    from companion.web.run.operation import Https

    if (options.cert is None) != (options.key is None):
        raise Unusable("--cert and --key belong together: give both, or neither.")
    if options.cert is None and options.https is None:
        return None
    if options.workers > 1:
        raise Unusable("Https of its own is for one process: leave --workers out, or use a proxy.")
    files = [Path(file) if file else None for file in (options.cert, options.key)]
    return Https(HTTPS_PORT if options.https is None else options.https, *files)


def _schedule(options: argparse.Namespace) -> Schedule | None:
    from companion.tables.upkeep.schedule import parse_schedule

    if options.backup_every is None:
        return None
    return parse_schedule(options.backup_every, options.backup_keep, options.backup_dir)


@command(
    "read the photos of servers on PostgreSQL",
    DATABASE,
    argument(
        "--readers",
        type=number(1, MOST_PROCESSES),
        default=READERS,
        metavar="N",
        help=f"photos read at a time ({READERS})",
    ),
)
def reader(options: argparse.Namespace) -> int:
    """Reads photos until it is stopped."""
    from importlib.util import find_spec

    from companion.tables.opening import database_url

    url = database_url(options.db)
    if url.startswith("sqlite"):
        raise Unusable(NOT_SHARED)
    for name in ("procrastinate", "cv2"):
        if not find_spec(name):
            raise missing_package("Reading photos", name, "postgres,photo")
    from companion.paper.photos.photo_reader import read_photos

    read_photos(url, options.readers, print_note)
    return DONE


@command(
    "write the whole database into one file",
    DATABASE,
    argument("file", metavar="FILE", help="the file to write; an older one goes"),
)
def backup(options: argparse.Namespace) -> int:
    """Writes a backup."""
    from companion.tables.opening import database_url, open_database
    from companion.tables.upkeep import backup

    path = file_to_write(options.file)
    try:
        with closing(open_database(database_url(options.db), existing=True)) as database:
            content = _content(backup.backup(database, path))
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error
    print_note(f"{path}: {content}. Keep it as safe as the database: it holds all games.")
    return DONE


@command(
    "put a backup into the database, while no server runs",
    DATABASE,
    argument("file", metavar="FILE", help="a file that companion backup has written"),
    argument("--replace", action="store_true", help="delete what is in the database first"),
)
def restore(options: argparse.Namespace) -> int:
    """Puts a backup into the database."""
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
    print_note(f"{options.file} is in the database again: {content}.")
    return DONE


def _content(rows: Mapping[str, int]) -> str:
    """The content of a backup, in words, by the numbers of its tables' rows."""
    games, tables = rows.get("plays", 0), rows.get("tables", 0)
    of_games = f"{games} finished {'game' if games == 1 else 'games'}"
    return f"{of_games}, {tables} {'table' if tables == 1 else 'tables'}"


@command(
    "delete what nobody uses any more; a server may run meanwhile",
    DATABASE,
    JSON,
    KEEP,
    argument("--dry-run", action="store_true", help="only say what would be deleted"),
)
def tidy(options: argparse.Namespace) -> int:
    """Deletes unused data, or says how much there is."""
    from companion.tables.opening import database_url, open_tables
    from companion.tables.upkeep.tidying import tidy

    with closing(open_tables(database_url(options.db), existing=True)) as tables:
        deleted = tidy(tables, options.keep, is_rehearsal=options.dry_run).document()
    if options.json:
        head = {"format": "companion-tidy/1", "dry_run": options.dry_run}
        print(json.dumps({**head, "deleted": deleted}))
        return DONE
    verb = "would be deleted" if options.dry_run else "deleted"
    for name, count in deleted.items():
        print_line(f"{count:>8}  {TIDIED[name]} {verb}")
    return DONE


TIDIED: Final = {
    "empty_tables": "tables at which no game has begun:",
    "tables": "tables that nobody used:",
    "games": "finished games of devices that did not come back:",
    "reviews": "photographed games that nobody saved:",
}


@command(
    "say what is in the database, and in backups",
    DATABASE,
    JSON,
    argument("--backup-dir", metavar="FOLDER", help="the folder of serve's backups"),
)
def status(options: argparse.Namespace) -> int:
    """Prints what is in the database."""
    from companion.tables.opening import database_url, open_database
    from companion.tables.upkeep import inquiries
    from companion.tables.upkeep.schedule import backups_in

    with closing(open_database(database_url(options.db), existing=True)) as database:
        found = inquiries.status(database)
    folder = Path(options.backup_dir) if options.backup_dir else None
    if folder and not folder.is_dir():
        raise Unusable(f"{folder} is no folder.")
    backups = [_day(at * 1000) for _, at in backups_in(folder)] if folder else []
    if options.json:
        head = {"format": "companion-status/1", "version": __version__}
        print(json.dumps({**head, **found, "backups": backups}))
        return DONE
    print_line(f"companion {__version__}")
    for name, count in found.items():
        print_line(f"{count:>14,}  {COUNTED[name]}")
    if folder:
        ends = f", from {backups[-1]} to {backups[0]}" if backups else ""
        print_line(f"{len(backups):>14,}  backups{ends}")
    return DONE


COUNTED: Final = {
    "tables": "tables",
    "playing": "of them in the middle of a game",
    "games": "finished games",
    "on_paper": "of them played on paper, typed or from a file",
    "devices": "devices at tables",
    "events": "events in the tables' logs",
    "reviews": "photographed games that are not saved yet",
    "bytes": "bytes on the disk",
}


@command(
    "find one person's name, and delete it; a server may run meanwhile",
    DATABASE,
    argument("name", metavar="NAME", help="as it is written at the table"),
    argument(
        "--delete",
        metavar="PLACE",
        nargs="+",
        default=[],
        help="delete the name for good at these places of the list; all: at each of them",
    ),
)
def person(options: argparse.Namespace) -> int:
    """Finds a name, and deletes it where that is asked for."""
    from companion.tables.opening import database_url, open_tables
    from companion.tables.upkeep.inquiries import delete_person, find_person

    with closing(open_tables(database_url(options.db), existing=True)) as tables:
        found = {trace.place: trace for trace in find_person(tables, options.name)}
        wanted = list(found) if options.delete == ["all"] else options.delete
        if unknown := sorted(set(wanted) - found.keys()):
            raise Unusable(f"“{options.name}” does not stand at {', '.join(unknown)}.")
        delete_person(tables, options.name, wanted)
    for place, trace in found.items():
        latest = f", the latest on {_day(trace.latest)}" if trace.latest else ""
        others = f", with {', '.join(sorted(trace.others))}" if trace.others else ""
        gone = ": deleted" if place in wanted else ""
        print_line(f"{place}  {trace.games} finished games{latest}{others}{gone}")
    if not found:
        print_line(f"“{options.name}” stands nowhere.")
    return DONE


def _day(milliseconds: float) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")
