"""The soak: tables that are played for long while the server, the reader and the database die."""

from benchmarks.soak.run import run

__all__ = ["run"]
