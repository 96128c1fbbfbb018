"""The `companion` command: parses arguments, reads files, prints; the work is done elsewhere.

Exit status: 0 done, 1 understood and refused, 2 unusable input, 3 no sheet found in the photo.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from typing import Final

from companion import __version__
from companion.cli import operating, sheets
from companion.cli.terminal import DONE, drop_output, unusable
from companion.core.refusal import Unusable

COMMANDS: Final = (
    operating.serve,
    operating.reader,
    sheets.replay,
    sheets.score,
    sheets.read,
    sheets.pad,
    operating.backup,
    operating.restore,
    operating.tidy,
    operating.status,
    operating.person,
)
INTERRUPTED: Final = 130
"""The exit status that shells use for Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; never lets a traceback out for bad input."""
    options = make_parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character gets a question mark, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        status: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Unusable as error:
        return unusable(str(error))
    except BrokenPipeError:
        # The reader of the output has gone, as with `companion replay game.json | head`.
        drop_output()
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        drop_output()
        return unusable(f"The output cannot be written: {error.strerror}.")
    return status


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands, whose functions stand in `run` of what it returns."""
    parser = argparse.ArgumentParser(
        prog="companion", description="The companion for tabletop score sheets."
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        words = commands.add_parser(command.name, help=command.description, epilog=command.epilog)
        words.set_defaults(run=command.run)
        for add in command.arguments:
            add(words)
    return parser
