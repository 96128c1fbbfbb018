"""The app on Windows, as far as Linux can show it: `lab/windows` takes away what Unix has.

What Windows itself does (its sockets, its terminal, its libraries' files) is not tried.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from companion.pads import pdf
from lab.patience import until
from lab.play import record_of
from lab.servers.process import new_table, serving

ROOT: Final = Path(__file__).resolve().parents[1]
WINDOWS: Final = {
    "PYTHONPATH": str(ROOT / "lab/windows"),
    "PYTHONWARNDEFAULTENCODING": "1",
    "PYTHONIOENCODING": "cp1252",  # of a pipe in Western Europe
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Windows is simulated on Linux")

IMPORT_ALL = """
import importlib, pkgutil, sys, companion
# The command itself, the program that only Unix starts, and Alembic's script
others = ["__main__", "children.launch", "tables.database.migrations.env"]
for module in pkgutil.walk_packages(companion.__path__, "companion."):
    if module.name.removeprefix("companion.") not in others:
        importlib.import_module(module.name)
        print(module.name)
"""


def run(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    ran = subprocess.run(
        [sys.executable, *words],
        env=os.environ | WINDOWS,
        capture_output=True,
        check=False,
        cwd=ROOT,
        **options,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return ran


def companion(*words: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return run("-m", "companion", *map(str, words), **options)


def test_every_module_can_be_imported() -> None:
    imported = run("-c", IMPORT_ALL).stdout.split()
    assert {b"companion.cli", b"companion.vision.reading", b"companion.web.run.serve"} <= {
        *imported
    }


def test_a_server_serves_one_database_until_ctrl_break(tmp_path: Path) -> None:
    place = ["--host", "127.0.0.1", "--db", f"sqlite:///{tmp_path / 'games.sqlite3'}"]
    place += ["--backup-every", "99d", "--backup-dir", str(tmp_path)]
    with serving(*place, **WINDOWS) as server:
        path, cookie = new_table(server)
        assert server.ask("GET", path, **cookie).status == 200
        with serving(*place, **WINDOWS) as other:
            assert "Another companion is running" in other.errors
        assert until(lambda: bool([*tmp_path.glob("companion-*Z.sqlite3")]))
        assert server.stop(signal.SIGUSR2) == (0, "")
    assert not [*tmp_path.glob("*-wal")], "the database was not closed"


def test_a_scan_is_read_in_a_child_process(tmp_path: Path) -> None:
    ran = companion("read", ROOT / "printables/kniffel-a5.pdf", "--json")
    [page] = json.loads(ran.stdout)["photos"]
    assert [sheet["sheet"] for sheet in page["sheets"]]


@pytest.mark.skipif(not pdf.is_possible(), reason="no program to make PDFs")
def test_a_pad_is_printed(tmp_path: Path) -> None:
    companion("pad", "kniffel", "-o", tmp_path / "pad.pdf")
    assert (tmp_path / "pad.pdf").read_bytes().startswith(b"%PDF")


def test_a_backup_is_written_and_restored(tmp_path: Path) -> None:
    home = tmp_path / "Zoë M"
    home.mkdir()
    database, copy = f"sqlite:///{home / 'games.sqlite3'}", home / "copy.sqlite3"
    with serving("--host", "127.0.0.1", "--db", database) as server:
        new_table(server)
        companion("backup", copy, "--db", database)
    companion("restore", copy, "--replace", "--db", database)
    status = json.loads(companion("status", "--json", "--db", database).stdout)
    assert (status["playing"], status["database"]) == (1, database)


def test_what_a_pipe_gets_is_utf_8() -> None:
    """As the QR code at a server's start, for which a Windows encoding has no characters."""
    record = json.dumps(record_of(["Łukasz", "Zoë"], [])).encode()
    assert "Łukasz" in companion("replay", "-", input=record).stdout.decode()
