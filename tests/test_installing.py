"""Every command that installs something names this project's own files, or a package we mean.

`companion` on the package index is another project, and this one is not published there.
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Final

from companion import __version__
from companion.core.refusal import missing_package
from companion.tables.database import schema

ROOT: Final = Path(__file__).resolve().parents[1]
NOT_OURS: Final = {"node_modules", "vendor", "build", "dist"}
OF_OTHERS: Final = {"av", "brotli", "build", "fonttools", "pyhtzee", "uv", "yatzy-solver"}
"""Packages of the index that documents and tools install by name."""
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CHANGELOG: Final = (ROOT / "CHANGELOG.md").read_text("utf-8")
INSTALL: Final = re.compile(r"\b(?:pipx?3?|uv tool) install\b([^`);&|\n]*)")
WITH_VALUE: Final = {"-r", "--requirement"}


def texts() -> Iterator[tuple[str, str]]:
    """Every text file of the project but this one: its path and content."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name for name in folders if name == ".ci" or (name[0] != "." and name not in NOT_OURS)
        ]
        for path in (Path(folder) / name for name in names):
            if path != Path(__file__) and b"\0" not in (content := path.read_bytes()):
                yield path.relative_to(ROOT).as_posix(), content.decode(errors="replace")


def installed(text: str) -> Iterator[str]:
    """The packages and files that the text's commands install."""
    # The catalogues and the sources break long sentences into several literals.
    for found in INSTALL.finditer(re.sub(r' ?"\n\s*" ?', " ", text)):
        words = iter(shlex.split(found[1], comments=True))
        for word in words:
            if word in WITH_VALUE:
                next(words)
            elif not word.startswith(("-", "$")):
                yield word


def is_safe(requirement: str) -> bool:
    """Whether a requirement cannot be somebody else's package."""
    if not requirement.startswith("."):
        return requirement in OF_OTHERS
    file, _, extras = requirement.partition("[")
    named = set(filter(None, extras.removesuffix("]").split(",")))
    wheels = (
        f"./score_sheet_companion-{name}-py3-none-any.whl" for name in (__version__, "VERSION")
    )
    return file in (".", *wheels) and named <= set(PROJECT["optional-dependencies"])


def test_each_command_installs_what_is_meant() -> None:
    found = [(path, word) for path, text in texts() for word in installed(text)]
    assert [(path, word) for path, word in found if not is_safe(word)] == []
    documents = {"README.md", "docs/operating.md", "docs/scaling.md", "training/README.md"}
    assert {path for path, _ in found} >= {*documents, "deploy/companion@.service", "Dockerfile"}


def test_requirements_of_the_photos_extra_install_on_every_desktop() -> None:
    plain = {requirement.partition(" ; ")[0] for requirement in PROJECT["dependencies"]}
    assert {*PROJECT["optional-dependencies"]["photo"]} < plain


def test_a_stranger_is_found() -> None:
    for words in (
        "pip install companion", "bin/pip install 'companion[photo]'", "pip install ./other.whl",
        "pip install score-sheet-companion", "pipx install companion", "pip install '.[fotos]'",
    ):  # fmt: skip
        assert not all(map(is_safe, installed(words))), words


def test_the_apps_own_instructions_install_it() -> None:
    said = str(missing_package("Reading photos", "cv2", "postgres,photo"))
    assert "cv2" in said
    assert [*map(is_safe, installed(said))] == [True, True]


def test_the_project_has_its_own_name_and_the_command_its_old_one() -> None:
    assert PROJECT["name"] == "score-sheet-companion"
    assert PROJECT["scripts"] == {"companion": "companion.cli:main"}


def test_the_changelog_begins_with_this_version() -> None:
    """A migration after a release needs the next number, by which refusals name it."""
    section = re.search(r"^## (\S+) – (\S+)\n\n(.+)", CHANGELOG, re.MULTILINE)
    assert section is not None
    assert section[1] == __version__
    assert section[2] == "unreleased" or date.fromisoformat(section[2])
    assert section[3] == f"Databases are at migration {schema.HEAD}."
