"""The part of the command line for operators: options of `serve`, and `companion tidy`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from companion import __version__
from companion.core.refusal import Unusable

if TYPE_CHECKING:
    from companion.tables.upkeep.schedule import Schedule
    from companion.web.run.operation import Https, Operation

KEEP_DAYS: Final = 365
"""Days after which unused data are deleted, by default."""
LEAST_DAYS: Final = 30
MOST_DAYS: Final = 36_500
HTTPS_PORT: Final = 8443
KEEP_BACKUPS: Final = 7
MOST_BACKUPS: Final = 1000


def add_serve_options(serve: argparse.ArgumentParser) -> None:
    """The options of `companion serve` for whoever runs it for others."""
    more = serve.add_argument_group("for operators")
    more.add_argument(
        "--behind-proxy",
        metavar="ADDR[,ADDR…]",
        action="append",
        default=[],
        help="addresses or networks of proxies whose X-Forwarded headers are believed",
    )
    more.add_argument(
        "--prefix", metavar="/PATH", default="", help="the path under which a proxy shows the app"
    )
    more.add_argument(
        "--log", choices=("text", "json"), default="text", help="json: one line for each request"
    )
    more.add_argument(
        "--metrics",
        metavar="[ADDR:]PORT",
        help="serve metrics for Prometheus there, by default only to this computer",
    )
    _add_keep(more)
    more.add_argument(
        "--migrate",
        action="store_true",
        help="migrate an older PostgreSQL database, of which you have a backup",
    )
    more.add_argument(
        "--backup-every",
        metavar="TIME",
        help="write a backup every so often, such as 12h or 1d, into --backup-dir",
    )
    more.add_argument("--backup-dir", metavar="FOLDER", default="", help="the folder for them")
    more.add_argument(
        "--backup-keep",
        metavar="N",
        type=_few,
        default=KEEP_BACKUPS,
        help=f"how many of them are kept ({KEEP_BACKUPS})",
    )
    more.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="another limit than the usual one, such as uploads=10; docs/settings.md lists all",
    )
    more.add_argument("--settings", metavar="FILE", help="a TOML file with such limits")


def add_https(serve: argparse.ArgumentParser, port: Callable[[str], int]) -> None:
    """The options of `companion serve` for https without a proxy."""
    secure = serve.add_argument_group("https")
    secure.add_argument(
        "--https",
        metavar="PORT",
        type=port,
        nargs="?",
        const=HTTPS_PORT,
        help=f"answer over https, too ({HTTPS_PORT}); the page /trust says how phones trust it",
    )
    secure.add_argument("--cert", metavar="FILE", help="a certificate of your own, with its chain")
    secure.add_argument("--key", metavar="FILE", help="the key of --cert")


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


def operation(options: argparse.Namespace) -> Operation:
    """The operation that the options of `companion serve` describe; raises `Unusable`."""
    from companion.limits import read_limits
    from companion.web.run.operation import parse_operation

    return parse_operation(
        behind=options.behind_proxy,
        prefix=options.prefix,
        log=options.log,
        metrics=options.metrics,
        keep_days=options.keep,
        may_migrate=options.migrate,
        limits=read_limits(options.settings, options.set),
        https=_https(options),
        backups=_schedule(options),
    )


def add_tidy(commands: Any) -> None:
    """The command `companion tidy`."""
    tidy = commands.add_parser(
        "tidy", help="delete what nobody uses any more; a server may run meanwhile"
    )
    tidy.add_argument("--db", metavar="URL", help="database, as for serve")
    _add_keep(tidy)
    tidy.add_argument("--dry-run", action="store_true", help="only say what would be deleted")
    tidy.add_argument("--json", action="store_true", help="print one JSON document")
    tidy.set_defaults(run=_tidy)


def add_status(commands: Any) -> None:
    """The command `companion status`."""
    status = commands.add_parser("status", help="say what is in the database, and in backups")
    status.add_argument("--db", metavar="URL", help="database, as for serve")
    status.add_argument("--backup-dir", metavar="FOLDER", help="the folder of serve's backups")
    status.add_argument("--json", action="store_true", help="print one JSON document")
    status.set_defaults(run=_status)


def _status(options: argparse.Namespace) -> int:
    from companion.tables.opening import database_url, open_database
    from companion.tables.upkeep.schedule import backups_in
    from companion.tables.upkeep.status import status

    with closing(open_database(database_url(options.db), existing=True)) as database:
        found = status(database)
    folder = Path(options.backup_dir) if options.backup_dir else None
    if folder and not folder.is_dir():
        raise Unusable(f"{folder} is no folder.")
    backups = [_day(at * 1000) for _, at in backups_in(folder)] if folder else []
    if options.json:
        head = {"format": "companion-status/1", "version": __version__}
        _say(json.dumps({**head, **found, "backups": backups}))
        return 0
    _say(f"companion {__version__}")
    for name, count in found.items():
        _say(f"{count:>14,}  {COUNTED[name]}")
    if folder:
        ends = f", from {backups[-1]} to {backups[0]}" if backups else ""
        _say(f"{len(backups):>14,}  backups{ends}")
    return 0


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


def add_person(commands: Any) -> None:
    """The command `companion person`."""
    person = commands.add_parser(
        "person", help="find one person's name, and delete it; a server may run meanwhile"
    )
    person.add_argument("name", metavar="NAME", help="as it is written at the table")
    person.add_argument("--db", metavar="URL", help="database, as for serve")
    person.add_argument(
        "--delete",
        metavar="PLACE",
        nargs="+",
        default=[],
        help="delete the name for good at these places of the list; all: at each of them",
    )
    person.set_defaults(run=_person)


def _person(options: argparse.Namespace) -> int:
    from companion.tables.opening import database_url, open_tables
    from companion.tables.upkeep.people import delete_person, find_person

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
        _say(f"{place}  {trace.games} finished games{latest}{others}{gone}")
    if not found:
        _say(f"“{options.name}” stands nowhere.")
    return 0


def _say(line: str) -> None:
    """Writes one line without control codes, which a name from the database might hold."""
    sys.stdout.write("".join(char if char.isprintable() else "?" for char in line) + "\n")


def _day(milliseconds: float) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")


def _add_keep(parser: Any) -> None:
    parser.add_argument(
        "--keep",
        metavar="DAYS",
        type=_days,
        default=KEEP_DAYS,
        help="days after which what nobody uses is deleted, at least 30"
        f" (default: {KEEP_DAYS}; 0 keeps all that was played)",
    )


def _few(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text) <= MOST_BACKUPS:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 1 to {MOST_BACKUPS} is needed")


def _days(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= len(str(MOST_DAYS)):
        days = int(text)
        if days == 0 or LEAST_DAYS <= days <= MOST_DAYS:
            return days
    raise argparse.ArgumentTypeError(f"days are 0 or a number from {LEAST_DAYS} to {MOST_DAYS}")


def _tidy(options: argparse.Namespace) -> int:
    from companion.tables.opening import database_url, open_tables
    from companion.tables.upkeep.tidying import tidy

    tables = open_tables(database_url(options.db), existing=True)
    try:
        tidied = tidy(tables, options.keep, is_rehearsal=options.dry_run)
    finally:
        tables.close()
    if options.json:
        head = {"format": "companion-tidy/1", "dry_run": options.dry_run}
        sys.stdout.write(json.dumps({**head, "deleted": tidied.document()}) + "\n")
        return 0
    verb = "would be deleted" if options.dry_run else "deleted"
    for name, count in tidied.document().items():
        sys.stdout.write(f"{count:>8}  {NAMES[name]} {verb}\n")
    return 0


NAMES: Final = {
    "empty_tables": "tables at which no game has begun:",
    "tables": "tables that nobody used:",
    "games": "finished games of devices that did not come back:",
    "reviews": "photographed games that nobody saved:",
}
