"""Names of processes, by which one can tell whether another one has ended."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path


def own_name() -> str:
    """A name for this process that no other one has, on this computer or elsewhere."""
    return _name(os.getpid())


def has_ended(name: str) -> bool:
    """Whether a process of this computer has ended; False for those of other computers.

    Args:
        name: from `own_name`; an empty name is that of a process that has ended.
    """
    host, _, number = name.rpartition("/")[0].rpartition("/")
    if not name:
        return True
    return host == socket.gethostname() and number.isdigit() and _name(int(number)) != name


def _name(process_id: int) -> str:
    """The name of a process of this computer; ends in "/" if it does not run."""
    return f"{socket.gethostname()}/{process_id}/{_started(process_id)}"


def _started(process_id: int) -> str:
    """The start time of a process, because process ids are reused; empty if it has ended."""
    if Path("/proc/self/stat").exists():  # Linux
        with suppress(OSError, IndexError):
            status = Path(f"/proc/{process_id}/stat").read_text()
            return status.rpartition(")")[2].split()[19]
        return ""
    if os.name == "nt":  # os.kill would end it
        return "running"
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass  # it is another user's
    return "running"
