"""Installs wheels and folders as people do, with pipx and with uv, and tries what is installed.

Each is in an empty environment outside the repository. A game is played to its end on a server and
replayed, and its database backed up and restored. A pad is printed without wkhtmltopdf, filled in,
photographed, and read. Runs on Windows and macOS, too.

usage: python tools/try-wheel.py WHEEL|FOLDER...        (with the tests' environment)
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion import __version__
from companion.core.sheet import Box, Mark
from companion.games.catalog import SHEETS
from lab import pdf, play, sheets
from lab.photos import paper, taking
from lab.servers.process import Server, new_table
from lab.servers.program import REPOSITORY

NAMES = ("Tim", "Sarah")
SHEET = "qwinto"
INSTALLERS = {"pipx": ("pipx", "install"), "uv": ("uv", "tool", "install")}
PROGRAMS = "Scripts" if os.name == "nt" else "bin"


class InstalledServer(Server):
    """The server that the installed command starts."""

    @property
    def program(self) -> list[str]:
        return [self.python]


class Installed:
    """The companion, installed by a program of `installers` from a wheel or folder."""

    def __init__(self, installers: Path, words: tuple[str, ...], source: Path, home: Path) -> None:
        self.folder = home / "work"
        self.folder.mkdir(parents=True)
        self.programs = home / "programs"
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        self.environment = {
            **kept,
            "PIPX_HOME": str(home / "pipx"),
            "PIPX_BIN_DIR": str(self.programs),
            "PIPX_MAN_DIR": str(home / "man"),
            "PIPX_DEFAULT_BACKEND": "pip",  # as the older pipx of most systems, which has no uv
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "UV_TOOL_DIR": str(home / "uv"),
            "UV_TOOL_BIN_DIR": str(self.programs),
            "UV_PYTHON": sys.executable,
            "XDG_DATA_HOME": str(home / "data"),
        }
        self._run(installers / words[0], *words[1:], str(source.resolve()))
        (package,) = (found.parent for found in home.rglob("companion/__init__.py"))
        self.package = package

    def run(self, *words: str) -> str:
        """The command's output; it must not fail, and finds no wkhtmltopdf."""
        return self._run(self.programs / "companion", *words, PATH=str(self.programs))

    def _run(self, program: Path, *words: str, **more: str) -> str:
        ran = subprocess.run(
            [program, *words],
            cwd=self.folder,
            env={**self.environment, **more},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert ran.returncode == 0, f"{program} {words}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def server(self) -> Server:
        return InstalledServer(
            "companion",
            ["serve", "--host", "127.0.0.1", "--port", "0"],
            self.folder,
            self.environment,
            python=str(self.programs / "companion"),
            place=self.folder,
        )


def look_for_files(installed: Installed) -> None:
    """Pages, scripts, pads, translations, networks and migrations are all installed."""
    assets = installed.package / "assets"
    folders = {name: assets / name for name in ("templates", "static", "printables")}
    for name, folder in {**folders, "companion": installed.package}.items():
        source = REPOSITORY / name
        # Caches, and types for lint, are not installed.
        files = [path for path in source.rglob("*.*") if path.suffix not in (".pyc", ".ts")]
        missing = [path for path in files if not (folder / path.relative_to(source)).exists()]
        assert not missing, missing


def look_at_pages(server: Server) -> None:
    for language in ("en", "de", "es"):
        answer = server.ask("GET", "/", **{"Accept-Language": language})
        assert answer.status == 200
        assert f'<html lang="{language}"' in answer.read().decode()
    answer = server.ask("GET", "/health/ready")
    assert answer.status == 200, answer.read()


def play_game(installed: Installed) -> str:
    """Plays a game to its end on a server; its record has been replayed and backed up."""
    server = installed.server()
    server.start()
    look_at_pages(server)
    path, cookie = new_table(server)
    headers = {"Content-Type": "application/json", **cookie}
    actions = play.some_game("qwinto-dice", 1, 3000, NAMES)
    for number, action in enumerate(actions):
        tap = json.dumps({"id": f"release-{number:06}", "action": action})
        answer = server.ask("POST", f"{path}taps", tap, **headers)
        assert answer.status == 200, (action, answer.status, answer.read())
    record = installed.folder / "game.json"
    record.write_bytes(server.ask("GET", f"{path}record.json", **cookie).read())
    installed.run("backup", "games.backup")
    ended, errors = server.stop()
    # Windows ends a program without asking it.
    assert (ended == 0 or os.name == "nt", errors) == (True, ""), (ended, errors)
    again = ("--db", "sqlite:///again.sqlite3")
    installed.run("restore", "games.backup", *again)
    status = json.loads(installed.run("status", "--json", *again))
    assert status["games"] == 1, status
    replayed = installed.run("replay", str(record))
    return re.search(r"The game is over.*", replayed)[0]  # type: ignore[index]


def read_pad(installed: Installed) -> int:
    """Prints a pad, fills it in, photographs and reads it; the number of fields, all read right."""
    installed.run("pad", SHEET, "-o", "pad.pdf")
    pads = json.loads(installed.run("pad", SHEET, "--map"))
    printed = installed.folder / "pad.pdf"
    assert b"Typst" in printed.read_bytes()
    page = pdf.pixels(printed, paper.PX_PER_MM / pdf.POINTS_PER_MM)
    box = Box(*pads["pads"][0]["box_mm"])
    pad = paper.printed(SHEET)
    pad.picture = pdf.cut_out(page, box, paper.PX_PER_MM)
    document = sheets.written(SHEETS[SHEET], "")
    paper.write(pad, SHEETS[SHEET].filled(document).marks, (), {}, random.Random(0))
    (installed.folder / "photo.jpg").write_bytes(taking.jpeg(taking.photo(pad)))
    said: Any = json.loads(installed.run("read", "--json", "photo.jpg"))
    fields: Mapping[str, Any] = said["photos"][0]["sheets"][0]["fields"]
    found: dict[str, Mark] = {name: field["value"] for name, field in fields.items()}
    assert found == paper.expected(pad)
    return len(found)


def try_out(installed: Installed) -> str:
    """Tries everything; returns what was done."""
    assert "Usage:" in installed.run()
    version = installed.run("--version").strip()
    assert version == f"companion {__version__}", version
    look_for_files(installed)
    over = play_game(installed)
    return f"{over} {read_pad(installed)} fields of a printed, photographed pad were read right."


def main() -> None:
    sources = [Path(word) for word in sys.argv[1:]]
    if not sources:
        sys.exit(__doc__)
    changes = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    is_dated = re.search(r"^## .*", changes, re.MULTILINE)[0][-1].isdigit()  # type: ignore[index]
    print(f"companion {__version__}{'' if is_dated else ', without a date in the changelog'}")
    with tempfile.TemporaryDirectory(prefix="companion-release-") as name:
        folder = Path(name)
        venv.create(folder / "installers", with_pip=True)
        programs = folder / "installers" / PROGRAMS
        subprocess.run([programs / "pip", "install", "--quiet", *INSTALLERS], check=True)
        for source in sources:
            for installer, words in INSTALLERS.items():
                kind = "folder" if source.is_dir() else "wheel"
                began = time.monotonic()
                installed = Installed(programs, words, source, folder / f"{installer}-{kind}")
                took = time.monotonic() - began
                print(f"{' '.join(words)} {source}: {took:.0f} s. {try_out(installed)}", flush=True)


if __name__ == "__main__":
    main()
