"""Runs a PDF engine as a process of its own, for a limited time, with our fonts and no network."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from companion import children
from companion.children import ChildLimits
from companion.core.refusal import Refusal
from companion.core.words import N_, Sentence
from companion.folders import FONTS

# An address at which nobody listens (the discard port): requests through it fail at once
DEAD_PROXY: Final = "http://127.0.0.1:9"
ERROR_LENGTH: Final = 200
PATIENCE: Final = 4  # times longer by the clock than it may work: other processes take their share


class PrintingFailed(RuntimeError):
    """No PDF was made. `sentence` tells people why, in any language."""

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(Refusal("printing-failed", text, values).message)
        self.sentence = Sentence(text, values)


HANGS: Final = N_("%(engine)s did not answer within %(seconds)s seconds and was stopped.")


def limits(seconds: float) -> ChildLimits:
    """The limits of an engine that may take so much of the processor's time."""
    return ChildLimits(PATIENCE * seconds, processor_seconds=math.ceil(seconds), niceness=0)


def run(name: str, command: Sequence[str], document: str, seconds: float) -> bytes:
    """Gives an HTML document to an engine's standard input; returns its standard output.

    Args:
        name: the engine's name, for messages.
        seconds: of the processor's time that the engine may take.

    Raises:
        PrintingFailed: it could not be started, did not end in time, or says that it failed.
    """
    with tempfile.TemporaryDirectory(prefix="companion-pads-") as folder:
        try:
            ran = children.run(
                command,
                limits(seconds),
                document.encode("utf-8"),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment(os.environ, Path(folder)),
            )
        except OSError as error:
            text = N_("%(engine)s could not be started: %(reason)s.")
            reason = error.strerror or str(error)
            raise PrintingFailed(text, engine=name, reason=reason) from error
        except subprocess.TimeoutExpired as error:
            raise PrintingFailed(HANGS, engine=name, seconds=round(PATIENCE * seconds)) from error
    out_of_time = getattr(signal, "SIGXCPU", None)  # Windows lacks it
    if out_of_time is not None and ran.returncode == -out_of_time:
        raise PrintingFailed(HANGS, engine=name, seconds=round(seconds))
    if ran.returncode != 0:
        text = N_("%(engine)s failed (status %(status)s): %(reason)s")
        reason = " ".join(ran.stderr.decode("utf-8", "replace").split())[-ERROR_LENGTH:]
        raise PrintingFailed(text, engine=name, status=ran.returncode, reason=reason)
    output: bytes = ran.stdout
    return output


def environment(outer: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The engine's environment: a copy of ours with the fonts and without our proxies.

    Qt needs no screen (`offscreen`) and a fixed resolution; a fixed hash seed makes two runs equal.

    Args:
        folder: an empty folder of the engine's own.
    """
    settings = folder / "fonts.conf"
    settings.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'
        f"<dir>{escape(str(FONTS))}</dir></fontconfig>",
        encoding="utf-8",
    )
    kept = {name: value for name, value in outer.items() if not name.lower().endswith("_proxy")}
    return kept | {
        "FONTCONFIG_FILE": str(settings),
        "XDG_RUNTIME_DIR": str(folder),
        "QT_QPA_PLATFORM": "offscreen",
        "QT_FONT_DPI": "96",
        "QT_HASH_SEED": "0",
        "http_proxy": DEAD_PROXY,
        "https_proxy": DEAD_PROXY,
    }
