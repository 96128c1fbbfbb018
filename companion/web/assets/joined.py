"""Static text that is joined from several files: sent, packed and cached as a file is.

Each file is a request, and a phone in a weak network waits longer for requests than for bytes. The
files are joined here rather than by a build tool, so that what is edited is what is served.
"""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from flask import Response, abort, current_app, send_file

SEPARATOR: Final = "+"  # Between the names of files in an address
MOST_JOINED: Final = 8  # Limit of the files in one address; no page has more
# The name of a file; a longer one would be an error of the file system's
_NAME: Final = re.compile(r"[\w.-]{1,64}", re.ASCII)


@dataclass(frozen=True)
class Joined:
    """A joined text and its hash, which makes an address that can be cached for good."""

    text: bytes

    @cached_property
    def fingerprint(self) -> str:
        """The hash in the file's address and its ETag; computed once."""
        return fingerprint(self.text)

    def sent(self, mimetype: str) -> Response:
        return send_file(io.BytesIO(self.text), mimetype, etag=self.fingerprint)


def fingerprint(content: bytes) -> str:
    """The hash of a file's content, as used in addresses."""
    return hashlib.sha256(content).hexdigest()[:12]


def static_folder() -> Path:
    return Path(current_app.static_folder or "")


def named(names: str, folder: Path, suffix: str) -> tuple[Path, ...]:
    """The files named in an address; 404 if one is missing or named twice."""
    parts = names.split(SEPARATOR, MOST_JOINED)
    paths = tuple(folder / f"{part}{suffix}" for part in parts if _NAME.fullmatch(part))
    if not len(set(paths)) == len(parts) <= MOST_JOINED or not all(map(Path.is_file, paths)):
        abort(404)
    return paths
