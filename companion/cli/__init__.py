"""The `companion` command: parses arguments, reads files, prints; the work is done elsewhere.

Exit status: 0 done, 1 understood and refused, 2 unusable input, 3 no sheet found in the photo.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

import click

from companion import __version__
from companion.cli import operating, sheets
from companion.cli.terminal import UNUSABLE, say
from companion.core.refusal import Unusable

INTERRUPTED: Final = 130  # The exit status that shells use for Ctrl-C

# Options and commands of version 1: what there is instead
GONE: Final[Mapping[str, str]] = {
    "--https": "Caddy makes a certificate (deploy/home.Caddyfile); your own takes --cert",
    "--log": "the proxy's log has the requests (deploy/nginx.conf)",
    "--metrics": "/health/ready says whether all is well (docs/operating.md)",
    "--workers": "one companion serve for each core, on one PostgreSQL (docs/scaling.md)",
    "person": "companion forget NAME deletes a person from every game",
}

_FOUND: Final = (*vars(operating).values(), *vars(sheets).values())
_COMMANDS: Final = [each for each in _FOUND if isinstance(each, click.Command)]


def _name_variables() -> None:
    """Names each option's environment variable: `COMPANION_BACKUP_DIR` for `--backup-dir`."""
    # click's own prefix would add the command, as in COMPANION_SERVE_PORT
    for option in (each for command in _COMMANDS for each in command.params):
        if isinstance(option, click.Option):
            name = max(option.opts, key=len).strip("-").replace("-", "_")
            option.envvar = f"COMPANION_{name.upper()}"


_name_variables()


@click.group(
    commands=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def companion() -> None:
    """The companion for tabletop score sheets.

    Each option can be given as an environment variable: COMPANION_PORT=8080 for --port 8080.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; never lets a traceback out for bad input."""
    # Windows gives a pipe or file an encoding without the QR code's characters; its own terminal
    # has UTF-8.
    encoding = "utf-8" if sys.platform == "win32" else None
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character gets a question mark, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors="replace")
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code: int = companion.main(words or ["--help"], "companion", standalone_mode=False)
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx:
            say(error.ctx.get_usage(), err=True)
        old = getattr(error, "option_name", words[0] if words else "")
        instead = f"{old} is gone: {GONE[old]}." if old in GONE else ""
        reason = instead or error.format_message()
    except (Unusable, OSError) as error:
        reason = str(error)
    else:
        return code
    say(reason, err=True)
    if variables := _variables(words):
        say(f"Options from the environment: {', '.join(variables)}.", err=True)
    return UNUSABLE


def _variables(words: Sequence[str]) -> list[str]:
    """The environment variables that give a command options."""
    command = companion.commands.get(words[0] if words else "")
    typed = {word.partition("=")[0] for word in words}
    options = () if command is None else command.params
    untyped = [option.envvar for option in options if typed.isdisjoint(option.opts)]
    return [name for name in untyped if isinstance(name, str) and os.environ.get(name)]
