"""Makes a Python process on Linux look like Windows to the companion's modules.

Python imports it at its start where this folder is in PYTHONPATH, so that child processes get it,
too. The libraries keep the real system: their own code for Windows is their authors' concern.

It takes away what only Unix has, as far as the companion could meet it while it runs; all other
names are found by `mypy --platform win32`. Like Windows, it renames and deletes no file that is
open, in this process at least. `SIGBREAK` is Linux's SIGUSR2.
"""

from __future__ import annotations

import builtins
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final


def named(words: str) -> frozenset[str]:
    return frozenset(words.split())


NO_MODULES: Final = named("crypt fcntl grp posix pty pwd readline resource syslog termios tty")
NO_SYSTEM: Final = named(
    "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC WNOHANG chown fchmod fchown fork forkpty"
    " getegid geteuid getgid getloadavg getpgid getpgrp getuid killpg mkfifo nice openpty"
    " posix_spawn pread pwrite sched_getaffinity sendfile setpgid setsid setuid sync sysconf uname"
    " wait wait4"
)
SIGNALS: Final = named("SIGABRT SIGFPE SIGILL SIGINT SIGSEGV SIGTERM SIG_DFL SIG_IGN")
NO_SIGNALS: Final = (
    frozenset(name for name in dir(signal) if name.startswith("SIG"))
    | named("alarm pause pthread_kill pthread_sigmask setitimer siginterrupt sigwait")
) - SIGNALS
NO_SOCKETS: Final = named("AF_UNIX SO_REUSEPORT recv_fds send_fds")
NO_OPTIONS: Final = named("group pass_fds preexec_fn process_group start_new_session umask user")
LONGEST_WAIT: Final = 4_294_967.0  # seconds; 49 days


class Popen(subprocess.Popen[Any]):
    """Starts a child with what Windows can start it with."""

    def __init__(self, *arguments: Any, creationflags: int = 0, **options: Any) -> None:
        if unknown := NO_OPTIONS & options.keys():
            raise ValueError(f"not supported on Windows platforms: {unknown}")
        super().__init__(*arguments, **options)


class Event(threading.Event):
    """Waits no longer than Windows can."""

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is not None and timeout > LONGEST_WAIT:
            raise OverflowError("timeout value is too large")
        return super().wait(timeout)


class Changed(ModuleType):
    """A module without some names and with others."""

    def __init__(self, module: ModuleType, without: frozenset[str], **more: object) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(more)
        self._module, self._without = module, without

    def __getattr__(self, name: str) -> Any:
        if name in self._without:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        return getattr(self._module, name)


def locking(handle: int, mode: int, size: int) -> None:
    """`msvcrt.locking`, by a lock that belongs to the open file, as Windows's does."""
    fcntl.flock(handle, mode)


msvcrt = ModuleType("msvcrt")
msvcrt.__dict__.update(locking=locking, LK_NBLCK=fcntl.LOCK_EX | fcntl.LOCK_NB)

CHANGED: Final[Mapping[str, ModuleType]] = {
    "os": Changed(os, NO_SYSTEM, name="nt"),
    "signal": Changed(signal, NO_SIGNALS, SIGBREAK=signal.SIGUSR2),
    # On Linux an address that is listened on is never used twice.
    "socket": Changed(socket, NO_SOCKETS, SO_EXCLUSIVEADDRUSE=socket.SO_REUSEADDR),
    "subprocess": Changed(
        subprocess,
        frozenset(),
        Popen=Popen,
        CREATE_NEW_PROCESS_GROUP=0x200,
        BELOW_NORMAL_PRIORITY_CLASS=0x4000,
    ),
    "threading": Changed(threading, frozenset(), TIMEOUT_MAX=LONGEST_WAIT, Event=Event),
    "sys": Changed(sys, frozenset(["getdlopenflags"]), platform="win32"),
    "msvcrt": msvcrt,
}

_import: Final = builtins.__import__


def import_(name: str, globals: Any = None, *more: Any, **named: Any) -> Any:  # noqa: A002
    """`__import__`, which gives the companion's modules the changed ones."""
    importer = f"{(globals or {}).get('__package__')}."
    if importer.startswith("companion."):
        if name in NO_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in CHANGED:
            return CHANGED[name]
    return _import(name, globals, *more, **named)


def require_closed(path: object) -> None:
    """Raises `PermissionError` for a file that this process has open."""
    wanted = os.path.realpath(os.fspath(path))  # type: ignore[call-overload]
    for handle in Path("/proc/self/fd").iterdir():
        try:
            found = handle.readlink()
        except OSError:  # that of the iteration itself
            continue
        if str(found) == wanted:
            raise PermissionError(13, "The process cannot access the file", path)


def on_closed(function: Callable[..., Any], files: int) -> Callable[..., Any]:
    """A function of `os` that Windows refuses where one of its first arguments is open."""

    def changed(*arguments: Any, **options: Any) -> Any:
        if not options:  # else the path is relative to another folder
            for path in arguments[:files]:
                require_closed(path)
        return function(*arguments, **options)

    return changed


builtins.__import__ = import_
os.unlink, os.remove = on_closed(os.unlink, 1), on_closed(os.remove, 1)
os.rename, os.replace = on_closed(os.rename, 2), on_closed(os.replace, 2)
# Windows's default encoding is that of its language: every file of ours names its own.
warnings.filterwarnings("ignore", category=EncodingWarning)
warnings.filterwarnings("error", category=EncodingWarning, module="companion")
