"""The system's Firefox, driven by WebDriver BiDi, which it speaks itself."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from websocket import WebSocket, create_connection

from lab.other_browsers.window import LEFT, Json, NoBrowser, PageLeft, Window
from lab.patience import PATIENCE, until

NAMES: Final = ("firefox-esr", "firefox")
SETTINGS: Final = {
    "dom.w3c_touch_events.enabled": 1,
    # However slow the machine is, no touch becomes a long one.
    "ui.click_hold_context_menus.delay": 600_000,
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}
"""A touch screen, and nothing that is fetched from elsewhere."""


def executable() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class FirefoxWindow(Window):
    def __init__(self, line: WebSocket) -> None:
        self._line = line
        self._sent = 0
        self._send("session.new", capabilities={})
        self._page = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address: str) -> None:
        self._send("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def call(self, function: str, given: str) -> str:
        return str(self._called(function, {"type": "string", "value": given})["value"])

    def act(self, *sources: Json) -> None:
        self._send("input.performActions", context=self._page, actions=[*sources])

    def choose(self, selector: str, *files: Path) -> None:
        script = "(selector) => document.querySelector(selector)"
        found = self._called(script, {"type": "string", "value": selector})
        element = {"sharedId": found["sharedId"]}
        paths = [*map(str, files)]
        self._send("input.setFiles", context=self._page, element=element, files=paths)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._send("browsingContext.setViewport", context=self._page, viewport=size)

    def picture(self, path: Path) -> None:
        shown = self._send("browsingContext.captureScreenshot", context=self._page)
        path.write_bytes(base64.b64decode(shown["data"]))

    def _called(self, function: str, *values: Json) -> Json:
        answer = self._send(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[*values],
            target={"context": self._page},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer
        result: Json = answer["result"]
        return result

    def _send(self, method: str, **params: Any) -> Any:
        self._sent += 1
        self._line.send(json.dumps({"id": self._sent, "method": method, "params": params}))
        while (answer := json.loads(self._line.recv())).get("id") != self._sent:
            pass  # an event
        if answer.get("error") == LEFT:
            raise PageLeft
        assert answer["type"] == "success", f"{method}: {answer}"
        return answer["result"]


@contextmanager
def opened() -> Iterator[FirefoxWindow]:
    """A window of a Firefox that starts for it; raises `NoBrowser`."""
    program = executable()
    if program is None:
        raise NoBrowser("no Firefox here: sudo apt install firefox-esr")
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        lines = (
            f"user_pref({json.dumps(key)}, {json.dumps(value)});\n"
            for key, value in SETTINGS.items()
        )
        (folder / "user.js").write_text("".join(lines))
        said = folder / "said"
        command = [program, "--headless", "--remote-debugging-port=0", "--profile", name]
        environment = {**os.environ, "HOME": name}
        with (
            said.open("wb") as out,
            subprocess.Popen(command, stdout=out, stderr=out, env=environment) as running,
        ):
            try:
                pattern = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
                assert until(lambda: bool(pattern.search(said.read_text()))), said.read_text()
                found = pattern.search(said.read_text())
                assert found
                address = f"{found[1]}/session"
                line = create_connection(address, timeout=PATIENCE, suppress_origin=True)
                yield FirefoxWindow(line)
                line.close()
            finally:
                running.terminate()
