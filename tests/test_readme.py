"""The commands in documents work, and the examples at the door of four packages."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import shutil
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from companion.cli import companion, main, operating
from companion.tables import Tables
from companion.web.run import serve
from lab.games import document
from lab.history import paper
from lab.servers.fronts import certificate

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = {
    name: (ROOT / name).read_text("utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "docs/operating.md", "docs/scaling.md")
}


def commands(text: str) -> list[str]:
    """The lines of a document's blocks."""
    blocks = re.findall(r"```(?:sh)?\n(.*?)```", text, re.DOTALL)
    return [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]


EVERY = [line for text in DOCUMENTS.values() for line in commands(text)]
LINES = sorted({line for line in EVERY if line.startswith("companion ")})


def test_people_come_before_engineers() -> None:
    people, engineers = DOCUMENTS["README.md"].split("## For engineers")
    assert people.index("`make run`") < people.index("## Playing")
    assert "make test" not in people
    assert commands(engineers)[0] == "make test"
    assert "leave out the lines that set up a system" in engineers


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README's commands read."""
    folder = tmp_path_factory.mktemp("readme")
    roll = {"do": "roll", "by": "Tim", "dice": {"yellow": 4}}
    game = {"game": "qwinto-dice", "players": ["Tim", "Sarah"], "actions": [roll]}
    record = {"format": "companion-record/1", **game}
    (folder / "game.json").write_text(json.dumps(record), encoding="utf-8")
    (folder / "sheet.json").write_text(json.dumps(document()), encoding="utf-8")
    shutil.copy(ROOT / "docs" / "pictures" / "photo.jpg", folder)
    certificate(folder)
    url = f"sqlite:///{folder / 'companion.sqlite3'}"
    Tables(url).close()
    assert main(["backup", str(folder / "games.backup"), "--db", url]) == 0
    return folder


def test_the_readmes_own_photo_is_read_whole(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", "--json", str(files / "photo.jpg")]) == 0
    (photo,) = json.loads(capsys.readouterr().out)["photos"]
    assert [sheet["score"]["total"] for sheet in photo["sheets"]] == [43, 16]
    assert photo["refused"] == []


@pytest.mark.parametrize("line", LINES)
def test_the_command_line(
    line: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands run, except that no server and no reader starts: other tests do that."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path / 'companion.sqlite3'}"
    monkeypatch.setenv("COMPANION_DB", url)
    monkeypatch.setattr(serve, "serve", lambda *_: 0)
    monkeypatch.setattr(operating, "read_photos", lambda *_: None)
    # What a shell does with a star.
    given = [
        name
        for word in shlex.split(line)[1:]
        for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    if given[0] == "forget":
        with closing(Tables(url)) as tables:
            paper(tables, "a device", given[1])
    assert main(given) == 0


# Every command line in a document

BY_HAND = {
    "brew install uv", "createdb companion", "docker build", "git clone", "pkg install python",
    "sudo apt install make", "sudo apt install wkhtmltopdf", "sudo ufw allow 8000/tcp",
    "systemd-analyze security", "uv tool update-shell", "winget install astral-sh.uv",
}  # fmt: skip
"""Lines that set up a system, or belong to other programs; the README says so."""
PROGRAMS = (
    "brew", "companion", "createdb", "docker", "git", "make", "pip", "pipx", "pkg", "sudo", "uv",
    "winget",
)  # fmt: skip
PROGRAM = re.compile(rf"(?:{'|'.join(PROGRAMS)}|\S*python3?|systemd-\S+) ")


def typed(text: str) -> set[str]:
    """The commands in a document's blocks and sentences."""
    quoted = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines = commands(text) + re.findall(r"`([^`\n]+)`", quoted)
    return {found for line in lines if PROGRAM.match(found := line.removeprefix(".venv/bin/"))}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_line_is_tested_or_said_not_to_be(name: str) -> None:
    """Whole `companion` lines are run above; what sentences quote has to be there at least."""
    text = DOCUMENTS[name]
    lines = typed(text)
    assert len(lines) > 3
    assert [line for line in lines if not is_tested(line) and line not in BY_HAND] == []
    options = set().union(*options_of().values())
    ours = re.sub(r"`?(docker|podman|sudo|pip|pytest|tools/)[^`\n]*", "", text)
    assert set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", ours)) <= options
    links = re.findall(r"\]\((?!http)([^)#]+)", text)
    assert [link for link in links if not ((ROOT / name).parent / link).exists()] == []


def is_tested(line: str) -> bool:
    """Whether tests run such a line, as far as a document quotes it."""
    program, *words = shlex.split(line)
    if program == "companion":
        asked = {word for word in words if word.startswith("--")}
        return words[0] in options_of() and asked <= options_of()[words[0]]
    if program == "make":
        targets = {word for word in words if "=" not in word}  # and not a variable
        return targets <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    if program == "docker" and words[1:2] == ["-f"]:
        # Compose's own words, and the command of the container `server`.
        own = " ".join(words[words.index("server") + 1 :]).removeprefix("companion ")
        return (ROOT / words[2]).exists() and (not own or is_tested(f"companion {own}"))
    if program in ("pip", "pipx") or words[:2] == ["tool", "install"]:
        return True  # `test_installing` looks at each
    if program.endswith(("python", "python3")) and words[0] == "-m":
        paths = [word for word in words[2:] if word.startswith("tests")]
        is_there = words[1] in ("pytest", "venv") or (ROOT / words[1]).is_dir()
        return is_there and all((ROOT / path).exists() for path in paths)
    return False


MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_continuous_integration_types_the_same() -> None:
    """It uses the standard actions alone, by their major version, and files that are there."""
    [workflow] = (ROOT / ".github/workflows").iterdir()
    text = workflow.read_text("utf-8")
    assert "- run: make test\n" in text
    for path in re.findall(r"(?:requirements-|tools/|tests/)\S+", text):
        assert (ROOT / path).exists(), path
    used = re.findall(r"uses: (.*)", text)
    assert [name for name in used if not re.fullmatch(r"actions/[a-z-]+@v\d+", name)] == []


def options_of() -> dict[str, set[str]]:
    """Each command's options."""
    return {
        name: {option for parameter in command.params for option in parameter.opts} | {"--help"}
        for name, command in companion.commands.items()
    }


DOORS = (
    "core",
    "core.sheet",
    "core.turns",
    "games",
    "games.legal",
    "games.record",
    "pads",
    "pads.geometry",
    "pads.lettering",
    "pads.order",
    "pads.page_svg",
    "vision",
    "vision.reading",
)
"""Modules whose docstrings show their use."""


@pytest.mark.parametrize("name", DOORS)
def test_the_use_in_a_few_lines(name: str) -> None:
    if name.startswith("vision"):
        pytest.importorskip("cv2")
    failed, attempted = doctest.testmod(import_module(f"companion.{name}"))
    assert (failed, attempted > 2) == (0, True)
