"""The commands of a server's operator, from serve to status."""

from __future__ import annotations

import json
import signal
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Final
from urllib.parse import unquote

import click

from companion import __version__
from companion.cli.terminal import (
    DATABASE,
    DONE,
    JSON,
    REFUSED,
    read_file,
    say,
    write,
    write_file,
)
from companion.core.refusal import Unusable, missing_package

EVERY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - the phones at the table must reach it
READERS: Final = 2  # Photos that a process reads at a time; `vision.worker.pool.AT_ONCE`
LEAST_DAYS: Final = 30
STOP_SECONDS: Final = 0.5
NOT_SHARED: Final = (
    "A SQLite database's photos are read by its own server only. Name the servers' PostgreSQL"
    " database with --db postgresql+psycopg://user@host/name."
)
READS: Final = "Reading photos, {} at a time. Stop with Ctrl+C."
PATH: Final = click.Path(path_type=Path)
STREAM: Final = Path("-")  # standard input or output in place of a file
FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)


def _keep_days(_context: click.Context, _option: click.Parameter, days: int) -> int:
    if 0 < days < LEAST_DAYS:
        raise click.BadParameter(f"give 0, or at least {LEAST_DAYS} days.")
    return days


KEEP: Final = click.option(
    "--keep",
    "keep_days",
    type=click.IntRange(0, 36_500),
    callback=_keep_days,
    default=365,  # a phone's cookie lasts 400 days
    help=f"Days until unused games and tables are deleted, at least {LEAST_DAYS}; 0 keeps all.",
)


@click.command()
@click.option("--host", default=EVERY_ADDRESS, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="Port to listen on.")
@DATABASE
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Another host name under which browsers reach it; repeatable.",
)
@click.option(
    "--readers",
    type=click.IntRange(0),
    default=READERS,
    help="Photos read at a time; 0, with PostgreSQL, leaves them to companion reader.",
)
@click.option("--cert", "certificate", type=PATH, help="Answer over https, with this certificate.")
@click.option("--key", type=PATH, help="The key for --cert.")
@click.option(
    "--behind-proxy",
    "proxies",
    metavar="ADDR[,ADDR…]",
    multiple=True,
    help="Addresses or networks of proxies whose X-Forwarded headers are believed.",
)
@click.option(
    "--prefix", metavar="/PATH", default="", help="The path under which a proxy shows the app."
)
@KEEP
@click.option(
    "--migrate",
    "may_migrate",
    is_flag=True,
    help="Migrate an older PostgreSQL database; make a dump of it first.",
)
@click.option(
    "--backup-every",
    metavar="TIME",
    help="Write a backup into --backup-dir this often, such as 12h or 1d.",
)
@click.option("--backup-dir", metavar="FOLDER", default="", help="The folder for backups.")
@click.option(
    "--backup-keep",
    type=click.IntRange(1, 1000),
    show_default="7",
    help="The number of backups to keep.",
)
@click.option(
    "--set",
    "assigned",
    metavar="NAME=VALUE",
    multiple=True,
    help="Change a limit, such as printed_pages=10; see companion settings.",
)
@click.option("--settings", metavar="FILE", help="A TOML file with limits.")
def serve(
    db: str | None,
    proxies: tuple[str, ...],
    backup_every: str | None,
    backup_dir: str,
    backup_keep: int | None,
    assigned: tuple[str, ...],
    settings: str | None,
    **chosen: Any,
) -> int:
    """Run the app and print its address and QR code."""
    # The web server and the database take seconds to load, so options are checked first.
    from companion.limits import read_limits
    from companion.web.run.options import Options

    options = Options(
        url=db,
        proxies=tuple(proxy.strip() for text in proxies for proxy in text.split(",")),
        limits=read_limits(settings, assigned),
        **chosen,
    )

    from companion.tables.opening import database_url, refusing
    from companion.tables.upkeep.backup import require_sqlite
    from companion.tables.upkeep.schedule import parse_schedule
    from companion.web.run.serve import serve

    if backup_every:
        with refusing(url := database_url(db), existing=False):
            require_sqlite(url, "pg_dump", "--format=custom", "--file=FILE")
    backups = parse_schedule(backup_every, backup_keep, backup_dir)
    return serve(replace(options, backups=backups), say)


@click.command()
def settings() -> int:
    """Print the limits that `companion serve --set` changes."""
    from companion.limits import table

    say(table().rstrip())
    return DONE


@click.command()
@DATABASE
@click.option(
    "--readers", type=click.IntRange(1, 64), default=READERS, help="Photos read at a time."
)
def reader(db: str | None, readers: int) -> int:
    """Read the photos of servers on PostgreSQL."""
    from importlib.util import find_spec

    from companion.tables.opening import database_url

    url = database_url(db)
    if url.startswith("sqlite"):
        raise Unusable(NOT_SHARED)
    for name in ("procrastinate", "cv2"):
        if not find_spec(name):
            raise missing_package("Reading photos", name, "postgres,photo")
    read_photos(url, readers)
    return DONE


def read_photos(url: str, at_once: int) -> None:
    """Reads the photos of a PostgreSQL database until Ctrl+C or SIGTERM; raises `Unusable`."""
    from companion.paper.photos.photo_queue import PhotoReader
    from companion.tables.opening import open_tables

    stopping = Event()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: stopping.set())
    with closing(open_tables(url, serving=True)) as tables, closing(PhotoReader(tables, at_once)):
        say(READS.format(at_once), err=True)
        while not stopping.wait(STOP_SECONDS):  # Ctrl+C interrupts no wait on Windows before 3.14
            pass


@click.command()
@DATABASE
@click.argument(
    "path",
    metavar="FILE",
    type=PATH,
    help="The file to write or replace, or - for standard output.",
)
def backup(db: str | None, path: Path) -> int:
    """Write the whole SQLite database into one file, also while a server runs."""
    from companion.tables.opening import database_url, refusing
    from companion.tables.upkeep.backup import backup, require_sqlite

    url = database_url(db)
    with TemporaryDirectory() as folder:
        target = Path(folder, "backup") if path == STREAM else path
        with refusing(url):
            if path == STREAM:
                require_sqlite(url, "pg_dump", "--format=custom")
            backup(url, target)
        if path == STREAM:
            with target.open("rb") as content:
                write_file("-", content)
    named = "The backup" if path == STREAM else path
    say(f"{named} is complete. Keep it as safe as the database: it has all games.", err=True)
    return DONE


@click.command()
@DATABASE
@click.argument(
    "path", metavar="FILE", type=PATH, help="A file from companion backup, or - for standard input."
)
@click.option(
    "--replace", is_flag=True, help="Replace a database with games; the old one is kept beside it."
)
def restore(db: str | None, path: Path, replace: bool) -> int:
    """Put a backup into the SQLite database's place, while no server runs."""
    from companion.tables.opening import database_url, refusing
    from companion.tables.upkeep.backup import restore

    url = database_url(db)
    with TemporaryDirectory() as folder:
        source = read_file(Path(folder, "standard-input")) if path == STREAM else path
        with refusing(url, existing=False):
            aside = restore(url, source, replace=replace)
    before = f" The previous database is now {aside}." if aside else ""
    named = "The backup" if path == STREAM else path
    say(f"{named} was restored.{before}", err=True)
    return DONE


TIDIED: Final = {
    "empty_tables": "tables at which no game has begun:",
    "tables": "tables that nobody used:",
    "games": "finished games of devices that have not come back:",
    "reviews": "photographed games that nobody saved:",
}


@click.command()
@DATABASE
@JSON
@KEEP
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
def tidy(db: str | None, as_json: bool, keep_days: int, dry_run: bool) -> int:
    """Delete what nobody uses any more; a server may run meanwhile."""
    from companion.tables.opening import database_url, open_tables, refusing
    from companion.tables.upkeep.tidying import tidy

    url = database_url(db)
    with refusing(url), closing(open_tables(url)) as tables:
        deleted = tidy(tables, keep_days, is_rehearsal=dry_run)._asdict()
    if as_json:
        head = {"format": "companion-tidy/1", "dry_run": dry_run}
        write(json.dumps({**head, "deleted": deleted}))
        return DONE
    verb = "would be deleted" if dry_run else "deleted"
    for name, count in deleted.items():
        say(f"{count:>8}  {TIDIED[name]} {verb}")
    return DONE


NOBODY_ANSWERS: Final = (
    "Nothing was deleted, because nobody can answer: the input has ended. --yes deletes without"
    " asking."
)


@click.command()
@DATABASE
@click.argument("name", metavar="NAME", help="The name, as written at the table.")
@click.option("--yes", is_flag=True, help="Delete it without asking.")
def forget(db: str | None, name: str, yes: bool) -> int:
    """Delete a person from every game of the database; a server may run meanwhile."""
    from companion.tables.opening import database_url, open_tables, refusing
    from companion.tables.upkeep.forgetting import find, forget

    url = database_url(db)
    with refusing(url), closing(open_tables(url)) as tables:
        found = find(tables, name)
        if not any(found):
            forget(tables, name)  # refuses if a damaged table may have the name
            say(f"“{name}” is in no game and at no table.", err=True)
            return REFUSED
        where = f"{found.games} finished games and {found.tables} tables"
        ends = f" {found.running} running games end without a result." if found.running else ""
        asked = f"“{name}” is in {where}.{ends} Delete it there for good?"
        if not yes and not _is_confirmed(asked):
            return REFUSED
        forget(tables, name)
    say(f"“{name}” was deleted from {where}. Backups still have the name.")
    return DONE


def _is_confirmed(asked: str) -> bool:
    """Whether somebody confirms; raises `Unusable` if nobody can answer."""
    try:
        return click.confirm(asked)
    except click.Abort as abort:
        if not isinstance(abort.__context__, EOFError):
            raise
        say("")  # ends the question's line
        raise Unusable(NOBODY_ANSWERS) from abort


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


@click.command()
@DATABASE
@JSON
@click.option("--backup-dir", "folder", type=FOLDER, help="The folder of serve's backups.")
def status(db: str | None, as_json: bool, folder: Path | None) -> int:
    """Say what is in the database, and when the newest backup was written."""
    from companion.tables.database.schema import HEAD
    from companion.tables.opening import database_url, open_tables, refusing
    from companion.tables.upkeep.schedule import backups_in
    from companion.tables.upkeep.status import status

    url = database_url(db)
    with refusing(url), closing(open_tables(url)) as tables:
        shown = unquote(str(tables.database.engine.url))  # without its password
        found = status(tables.database)
    backups = [f"{at:%Y-%m-%d}" for at in backups_in(folder)] if folder else []
    if as_json:
        head = {"format": "companion-status/1", "version": __version__}
        head |= {"database": shown, "migration": HEAD}
        write(json.dumps({**head, **found, "backups": backups}))
        return DONE
    say(f"companion {__version__}, {shown} at migration {HEAD}")
    for name, count in found.items():
        say(f"{count:>14,}  {COUNTED[name]}")
    if folder:
        newest = f", the newest of {backups[0]}" if backups else ""
        say(f"{len(backups):>14,}  backups{newest}")
    return DONE
