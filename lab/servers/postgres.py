"""A private PostgreSQL server for one test run: its own folder, its own socket, gone afterwards.

Nothing listens on the network, and the system's own cluster is never touched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import quote

OWNER = "companion"

# A test's database may be lost with the machine: no waiting for the disk.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "100",
}


class NoPostgres(Exception):
    """PostgreSQL's server is not on this machine, or did not start; says what to do."""


def programs() -> Path | None:
    """The folder that holds `initdb`, `pg_ctl` and `postgres`: PATH first, then Debian's newest."""
    on_path = shutil.which("pg_ctl")
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda folder: float(folder.parent.name),
        reverse=True,
    )
    candidates = [Path(on_path).resolve().parent, *debian] if on_path else debian
    for folder in candidates:
        if all((folder / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
            return folder
    return None


@dataclass
class Cluster:
    """A running server in `folder`, whose files belong to `user` (None: to us)."""

    bin: Path
    folder: Path
    user: str | None
    _names: count[int] = field(default_factory=lambda: count(1))

    @classmethod
    def start(cls) -> Cluster:
        """Makes and starts a server; raises `NoPostgres`."""
        folder = programs()
        if folder is None:
            raise NoPostgres("PostgreSQL's server is not installed: sudo apt install postgresql")
        # The path of a socket has about 100 characters, so it stays short. PostgreSQL refuses to
        # run as root, so root lends the folder to the user that Debian's package made.
        home = Path(tempfile.mkdtemp(prefix="companion-pg-", dir="/tmp"))
        user = "postgres" if os.geteuid() == 0 else None
        if user:
            shutil.chown(home, user, user)
        cluster = cls(folder, home, user)
        try:
            cluster._make()
        except subprocess.CalledProcessError as failure:
            log = home / "log"
            words = failure.stdout + (log.read_text() if log.exists() else "")
            cluster.stop()
            raise NoPostgres(f"PostgreSQL did not start:\n{words}") from failure
        except BaseException:
            cluster.stop()
            raise
        return cluster

    @contextmanager
    def database(self) -> Iterator[str]:
        """The SQLAlchemy URL of an empty database, dropped even with connections open."""
        name = f"test_{next(self._names)}"
        self._sql(f"CREATE DATABASE {name}")
        yield f"postgresql+psycopg://{OWNER}@/{name}?host={quote(str(self.folder), safe='')}"
        self._sql(f"DROP DATABASE {name} WITH (FORCE)")

    def stop(self) -> None:
        """Stops the server at once and removes its folder. Harmless on one that never started."""
        if (self.folder / "data/postmaster.pid").exists():
            self._run("pg_ctl", "stop", "--mode", "immediate", "--silent", "--pgdata", "data")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make(self) -> None:
        self._run(
            "initdb", "--pgdata", "data", "--username", OWNER, "--auth", "trust",
            "--encoding", "UTF8", "--locale", "C", "--no-sync",
        )  # fmt: skip
        settings = {**SETTINGS, "unix_socket_directories": str(self.folder)}
        with (self.folder / "data/postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        start = ("start", "--wait", "--timeout", "60", "--silent")
        self._run("pg_ctl", *start, "--pgdata", "data", "--log", "log")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.bin / program, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            user=self.user,
            group=self.user,
            extra_groups=[] if self.user else None,
            check=True,
        )

    def _sql(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(
            host=str(self.folder), user=OWNER, dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement.encode())
