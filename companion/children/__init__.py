"""Runs child processes under limits, each in its own group, no longer than the app.

It knows nothing of what a child does. On Windows a child has only its limit of real time and a low
priority, and is killed without what it started.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

LAUNCH: Final = Path(__file__).with_name("launch.py")


@dataclass(frozen=True)
class ChildLimits:
    """Limits of one child process; None means no limit."""

    seconds: float | None = None  # real time until `run` kills it
    processor_seconds: int | None = None
    memory: int | None = None  # bytes of its address space
    file_bytes: int | None = None
    niceness: int = 10  # added to its nice value; see nice(2)


def start(command: Sequence[str], limits: ChildLimits, **options: Any) -> subprocess.Popen[bytes]:
    """Starts a child with these options of `subprocess.Popen`; it must be ended with `end`.

    On Linux the system kills it when the thread that started it ends, however it does. Elsewhere it
    sees the end of its standard input.

    Raises:
        OSError: there is no such program, or no process can be started.
    """
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
    if sys.platform == "win32":
        # Ctrl+C at the console is for the app alone.
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
        if limits.niceness:
            flags |= subprocess.BELOW_NORMAL_PRIORITY_CLASS
        options["creationflags"] = flags
    else:
        wanted = {
            "RLIMIT_CPU": limits.processor_seconds,
            "RLIMIT_FSIZE": limits.file_bytes,
            "RLIMIT_AS": limits.memory,
        }
        most = ",".join(f"{name}={value}" for name, value in wanted.items() if value is not None)
        launch = (sys.executable, "-I", "-S", str(LAUNCH))
        command = [*launch, str(os.getpid()), str(limits.niceness), most, *command]
        options["start_new_session"] = True
    return subprocess.Popen(command, **options)  # noqa: S603 - our own command, and no shell


def run(
    command: Sequence[str], limits: ChildLimits, data: bytes | None = None, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """Runs a child to its end and kills the processes that it left behind.

    Args:
        data: its standard input, unless that is among the options.

    Raises:
        OSError: as `start`.
        subprocess.TimeoutExpired: it was killed after `limits.seconds`.
    """
    if data is not None:
        options["stdin"] = subprocess.PIPE
    process = start(command, limits, **options)
    try:
        output, errors = process.communicate(data, timeout=limits.seconds)
    finally:
        end(process)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a child and its own children, such as the program behind a wrapper script."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills a child as `kill`, waits for it, and closes its pipes."""
    kill(process)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
