"""The folders of the pads' templates, fonts and ready-made PDFs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent
_REPOSITORY: Final = _PACKAGE.parent


def _folder(name: str) -> Path:
    """The folder is beside the package in the repository, and inside it when installed."""
    beside = _REPOSITORY / name
    return beside if beside.is_dir() else _PACKAGE / "assets" / name


PRINTABLES: Final = _folder("printables")
TEMPLATES: Final = PRINTABLES / "templates"
FONTS: Final = _folder("static") / "fonts" / "print"
