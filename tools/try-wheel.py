"""Tries a wheel as those who install it: in an environment of its own, outside the repository.

A game is played to its end on a server and replayed, and its database backed up and restored. A pad
is printed, filled in, photographed, and read.

usage: python tools/try-wheel.py WHEEL        (with the tests' environment)
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.core.sheet import Box, Mark
from companion.games.catalog import SHEETS
from tests.kit import play, sheets
from tests.kit.photos import paper, taking
from tests.kit.servers.process import Server, new_table
from tests.kit.servers.program import REPOSITORY
from training import pdf

NAMES = ("Tim", "Sarah")
SHEET = "qwinto"


def environment(folder: Path) -> dict[str, str]:
    """This process's variables without those that lead into the repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "XDG_DATA_HOME": str(folder / "data")}


class Installed:
    """The companion in an environment of its own."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
        venv.create(folder / "environment", with_pip=True)
        extras = "photo" if shutil.which("wkhtmltopdf") else "photo,pads"
        self.run("pip", "install", "--quiet", f"{wheel.resolve()}[{extras}]")

    def run(self, program: str, *words: str) -> str:
        """What a program says that must not fail."""
        return subprocess.run(
            [self.programs / program, *words],
            cwd=self.folder,
            env=environment(self.folder),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    def server(self) -> Server:
        words = ["serve", "--host", "127.0.0.1", "--port", "0"]
        return Server(
            "companion",
            words,
            self.folder,
            environment(self.folder),
            python=str(self.programs / "python"),
            place=self.folder,
        )


def play_game(installed: Installed) -> str:
    """Plays a game to its end on a server; its record has been replayed and backed up."""
    server = installed.server()
    server.start()
    path, cookie = new_table(server)
    headers = {"Content-Type": "application/json", **cookie}
    actions = play.some_game("qwinto-dice", 1, 3000, NAMES)
    for number, action in enumerate(actions):
        tap = json.dumps({"id": f"release-{number:06}", "action": action})
        answer = server.ask("POST", f"{path}taps", tap, **headers)
        assert answer.status == 200, (action, answer.status, answer.read())
    record = installed.folder / "game.json"
    record.write_bytes(server.ask("GET", f"{path}record.json", **cookie).read())
    installed.run("companion", "backup", "games.backup")
    ended, errors = server.stop()
    assert (ended, errors) == (0, ""), errors
    again = ("--db", "sqlite:///again.sqlite3")
    installed.run("companion", "restore", "games.backup", *again)
    status = json.loads(installed.run("companion", "status", "--json", *again))
    assert status["games"] == 1, status
    replayed = installed.run("companion", "replay", str(record))
    return re.search(r"The game is over.*", replayed)[0]  # type: ignore[index]


def read_pad(installed: Installed) -> int:
    """Prints a pad, fills it in, photographs and reads it; the number of fields, all read right."""
    installed.run("companion", "pad", SHEET, "-o", "pad.pdf")
    pads = json.loads(installed.run("companion", "pad", SHEET, "--map"))
    page = pdf.pixels(installed.folder / "pad.pdf", paper.PX_PER_MM / pdf.POINTS_PER_MM)
    box = Box(*pads["pads"][0]["box_mm"])
    pad = paper.printed(SHEET)
    pad.picture = pdf.cut_out(page, box, paper.PX_PER_MM)
    document = sheets.written(SHEETS[SHEET], "")
    paper.write(pad, SHEETS[SHEET].filled(document).marks, (), {}, random.Random(0))
    (installed.folder / "photo.jpg").write_bytes(taking.jpeg(taking.photo(pad)))
    said: Any = json.loads(installed.run("companion", "read", "--json", "photo.jpg"))
    fields: Mapping[str, Any] = said["photos"][0]["sheets"][0]["fields"]
    found: dict[str, Mark] = {name: field["value"] for name, field in fields.items()}
    assert found == paper.expected(pad)
    return len(found)


def main() -> None:
    wheel = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="companion-release-") as folder:
        installed = Installed(wheel, Path(folder))
        version = installed.run("companion", "--version").strip()
        assert version.removeprefix("companion ") == wheel.name.split("-")[1], version
        changes = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
        is_dated = re.search(r"^## .*", changes, re.MULTILINE)[0][-1].isdigit()  # type: ignore[index]
        print(f"{wheel.name}: {version}{'' if is_dated else ', without a date in the changelog'}")
        print(play_game(installed))
        print(f"{read_pad(installed)} fields of a printed and photographed pad were read right.")


if __name__ == "__main__":
    main()
