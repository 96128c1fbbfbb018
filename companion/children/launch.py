"""Limits its own process, then becomes the child that was asked for.

    python launch.py PARENT NICENESS [LIMIT=VALUE,…] COMMAND…

Limits cannot be set by the thread that starts a child, because other threads of the app may hold
locks then. So this small program sets them. It imports little, because every child begins with it.
On Windows a child is started without it.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import suppress

assert sys.platform != "win32"  # noqa: S101 - for the type checker

PR_SET_PDEATHSIG = 1  # an option of prctl(2)


def end_with(parent: int) -> None:
    """Has Linux kill this process when the thread that started it ends.

    Raises:
        SystemExit: the parent ended before this was set up.
    """
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)


def main(parent: str, niceness: str, limits: str, *command: str) -> None:
    """Sets the limits that the system knows and runs the command in place of this program."""
    end_with(int(parent))
    with suppress(OSError):
        os.nice(int(niceness))
    for signal_name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores
        signal.signal(getattr(signal, signal_name), signal.SIG_DFL)
    # A core dump would contain what the child works on.
    for limit in filter(None, ["RLIMIT_CORE=0", *limits.split(",")]):
        name, value = limit.split("=")
        with suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, name), (int(value), int(value)))
    try:
        os.execvp(command[0], command)  # noqa: S606 - our own command, and no shell
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(*sys.argv[1:])
