"""The system's limits on a process that serves."""

from __future__ import annotations

from contextlib import suppress


def allow_many_connections() -> None:
    """Raises the soft limit of open files to the hard one, where the system has limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
