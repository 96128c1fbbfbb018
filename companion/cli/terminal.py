"""Parts of all commands: their shared options, files and input, and lines for people."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO, TypeAlias

from companion.core.refusal import Unusable

DONE, REFUSED, UNUSABLE, NO_SHEET = 0, 1, 2, 3
MAX_BYTES: Final = 4 * 1024 * 1024
"""Size of a record or a sheet; the record of the longest real match is below 100 kB."""

Argument: TypeAlias = Callable[[argparse._ActionsContainer], object]
"""Adds an argument to a parser, or to a group of its arguments."""


@dataclass(frozen=True)
class Command:
    """A command of `companion`."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    epilog: str
    run: Callable[[argparse.Namespace], int]
    """Returns the exit status."""


def command(
    description: str, *arguments: Argument, epilog: str = ""
) -> Callable[[Callable[[argparse.Namespace], int]], Command]:
    """Makes a function the command of its name."""
    return lambda run: Command(run.__name__, description, arguments, epilog, run)


def argument(*names: str, **more: Any) -> Argument:
    """An argument, as `add_argument` of argparse takes it."""
    return lambda parser: parser.add_argument(*names, **more)


JSON: Final = argument("--json", action="store_true", help="print one JSON document")
DATABASE: Final = argument("--db", metavar="URL", help="database, as for serve")


def number(least: int, most: int, refusal: str = "") -> Callable[[str], int]:
    """A type of arguments: whole numbers from `least` to `most`."""

    def parse(text: str) -> int:
        is_short = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not is_short or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                refusal or f"a number from {least} to {most} is needed"
            )
        return int(text)

    return parse


@contextmanager
def printing() -> Iterator[None]:
    """Flushes printed output; the exit status stays when its reader has gone."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def drop_output(stream: TextIO | None = None) -> None:
    """Drops buffered output, so that the interpreter does not fail to flush it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def print_line(text: str, stream: TextIO | None = None) -> None:
    """Prints one line for people, without control codes: a terminal would obey those."""
    print("".join(char if char.isprintable() else "?" for char in text), file=stream)


def print_note(text: str) -> None:
    """Prints one line for people on standard error, if there is any."""
    if sys.stderr is None:
        return
    try:
        print_line(text, sys.stderr)
        sys.stderr.flush()
    except OSError:
        drop_output(sys.stderr)


def unusable(message: str) -> int:
    """Prints why the input or the arguments cannot be used; returns the exit status."""
    print_note(message)
    return UNUSABLE


def read_json(name: str) -> Any:
    """The JSON in a file or, for "-", on standard input; raises `Unusable` with a sentence."""
    raw = read_bytes(name, MAX_BYTES)
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{name} is not JSON: {error}.") from error


def _no_constant(name: str) -> NoReturn:
    """Refuses `NaN` and `Infinity`, which Python takes and JSON does not know."""
    raise ValueError(f"{name} is no JSON value")


def read_bytes(name: str, most: int) -> bytes:
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


def file_to_write(name: str) -> Path:
    """The path of a file that is to be written; raises `Unusable` where it cannot be one."""
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        raise Unusable(f"{path} cannot be written: it is a folder, or its folder does not exist.")
    return path
