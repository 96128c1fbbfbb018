"""Parts of all commands: their shared options, input, output, and exit statuses."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, NoReturn

import click

from companion.core.refusal import Unusable

DONE, REFUSED, UNUSABLE, NO_SHEET = 0, 1, 2, 3
# The largest file is a photo; the record of the longest real match is below 100 kB
MAX_BYTES: Final = 40 * 1024 * 1024

JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
DATABASE: Final = click.option(
    "--db", metavar="URL", help="Database URL for SQLAlchemy; default: one SQLite file."
)


class ManyValues(click.Command):
    """A command with an option that also takes several values at once: `--player Ada Ben`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Writes the option before each of its values, as click needs it."""
        words: list[str] = []
        option = ""
        for word in args:
            if word.startswith("-"):
                option = word
            elif option == "--player" and words[-1] != option:
                words.append(option)
            words.append(word)
        return super().parse_args(ctx, words)


def say(text: str, *, err: bool = False) -> None:
    """Prints lines for people, without control codes: a terminal would obey those."""
    write("".join(char if char.isprintable() or char == "\n" else "?" for char in text), err=err)


def write(output: str, *, err: bool = False) -> None:
    """Writes a line to standard output, or to standard error.

    Output that nobody reads any more, as with `companion replay game.json | head`, is dropped.

    Raises:
        Unusable: standard output cannot be written, as on a full disk.
    """
    try:
        click.echo(output, err=err)
    except OSError as error:
        # Otherwise the interpreter fails to flush the rest when it ends.
        stream = sys.stderr if err else sys.stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        # Windows says that a closed pipe is an invalid argument.
        is_unread = isinstance(error, BrokenPipeError) or error.errno == errno.EINVAL
        if not err and not is_unread:
            raise Unusable(f"The output cannot be written: {error.strerror}.") from error


def write_file(name: str, content: IO[bytes]) -> None:
    """Writes a file or, for "-", standard output; a file that does not fit on the disk is removed.

    Raises:
        Unusable: it cannot be written.
    """
    shown = "The output" if name == "-" else name
    is_open = False
    try:
        with click.open_file(name, "wb") as file:
            is_open = True
            shutil.copyfileobj(content, file)
            file.flush()
    except OSError as error:
        if is_open and name != "-" and Path(name).is_file():
            Path(name).unlink()
        raise Unusable(f"{shown} cannot be written: {error.strerror}.") from error


def read_file(path: Path) -> Path:
    """Copies standard input into a file and returns it; raises `Unusable` with a sentence."""
    try:
        with click.open_file("-", "rb") as given, path.open("wb") as file:
            shutil.copyfileobj(given, file)
    except OSError as error:
        raise Unusable(f"The input cannot be kept in {path}: {error.strerror}.") from error
    except RuntimeError as error:
        raise Unusable("There is no standard input to read.") from error
    return path


def read_json(name: str) -> Any:
    """The JSON in a file or, for "-", on standard input; raises `Unusable` with a sentence."""
    raw = read_bytes(name)
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        if _is_photo(raw):
            raise Unusable(f"{name}: This is a photo: use companion read.") from error
        raise Unusable(f"{name} is not JSON: {error}.") from error


def _is_photo(raw: bytes) -> bool:
    from companion.vision.core import Unreadable
    from companion.vision.pictures.picture import open_picture

    with suppress(Unreadable):
        open_picture(raw)
        return True
    return False


def _no_constant(name: str) -> NoReturn:
    """Refuses `NaN` and `Infinity`, which Python takes and JSON does not know."""
    raise ValueError(f"{name} is not a JSON value")


def read_bytes(name: str) -> bytes:
    """A file or, for "-", standard input; raises `Unusable` with a sentence."""
    try:
        with click.open_file(name, "rb") as file:
            raw: bytes = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unusable(f"{name} cannot be read: {error.strerror}.") from error
    except RuntimeError as error:
        raise Unusable("There is no standard input to read.") from error
    if len(raw) > MAX_BYTES:
        raise Unusable(f"{name} is larger than {MAX_BYTES // 1024 // 1024} MB.")
    return raw
