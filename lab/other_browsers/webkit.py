"""The system's WebKitGTK, driven by WebDriver on a screen that is only in memory."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from lab.other_browsers.window import LEFT, Json, NoBrowser, PageLeft, Window
from lab.patience import PATIENCE, until
from lab.servers.program import HOST, free_port

PROGRAMS: Final = ("WebKitWebDriver", "Xvfb")
SCREEN: Final = "1600x1300x24"
CAPABILITIES: Final = {
    "webkitgtk:browserOptions": {
        # Without its toolbar the window is as small as it is asked to be.
        "args": ["--automation", "--full-screen"],
    },
}
ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"  # what W3C WebDriver calls an element's id


def is_installed() -> bool:
    return all(map(shutil.which, PROGRAMS))


class WebKitWindow(Window):
    FINGER = "pen"  # the GTK port makes a touch a mouse, with which nobody slides

    def __init__(self, driver: httpx.Client) -> None:
        self.driver = driver
        wanted = {"capabilities": {"alwaysMatch": CAPABILITIES}}
        self.session = ""
        self.session = f"/session/{self._send('session', wanted)['sessionId']}/"

    def open(self, address: str) -> None:
        self._send("url", {"url": address})

    def call(self, function: str, given: str) -> str:
        script = f"""const [given, done] = arguments;
          ({function})(given).then((value) => done([value]), (error) => done(`${{error}}`));"""
        answer = self._send("execute/async", {"script": script, "args": [given]})
        assert isinstance(answer, list), answer
        return str(answer[0])

    def act(self, *sources: Json) -> None:
        self._send("actions", {"actions": [*sources]})

    def choose(self, selector: str, *files: Path) -> None:
        found = self._send("element", {"using": "css selector", "value": selector})
        self._send(f"element/{found[ELEMENT]}/value", {"text": "\n".join(map(str, files))})

    def resize(self, width: int, height: int) -> None:
        self._send("window/rect", {"x": 0, "y": 0, "width": width, "height": height})

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._send("screenshot")))

    def _send(self, command: str, body: Json | None = None) -> Any:
        way = "GET" if body is None else "POST"
        answer = self.driver.request(way, f"{self.session}{command}", json=body)
        value = answer.json()["value"]
        if answer.is_error and value["error"] == LEFT:
            raise PageLeft
        assert answer.is_success, f"{command}: {value}"
        return value


@contextmanager
def display() -> Iterator[str]:
    """A screen in memory; its name."""
    if not is_installed():
        raise NoBrowser("no WebKit here: sudo apt install webkit2gtk-driver xvfb")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as screen:
        os.close(writing)
        try:
            with os.fdopen(reading) as number:
                yield f":{number.readline().strip()}"
        finally:
            screen.terminate()


@contextmanager
def opened() -> Iterator[WebKitWindow]:
    """A window with nothing in its storage; raises `NoBrowser`. A driver has one window."""
    port = free_port()
    command = ["WebKitWebDriver", f"--port={port}", f"--host={HOST}"]
    with display() as screen:
        environment = {**os.environ, "DISPLAY": screen, "GDK_BACKEND": "x11"}
        with (
            subprocess.Popen(command, env=environment) as driver,
            httpx.Client(base_url=f"http://{HOST}:{port}", timeout=PATIENCE) as client,
        ):
            try:
                assert until(lambda: _answers(client)), "WebKit's driver does not start"
                window = WebKitWindow(client)
                yield window
                client.delete(window.session.rstrip("/"))
            finally:
                driver.terminate()


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/status").is_success
    except httpx.TransportError:
        return False
