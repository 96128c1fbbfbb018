"""A person's actions in a window of any browser."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from lab.patience import until

Json = dict[str, Any]


class NoBrowser(Exception):
    """The browser is not on this machine; says how to get it."""


class PageLeft(Exception):
    """The page was left for another one before its script had answered."""


LEFT: Final = "no such frame"
"""The error's name in both protocols."""


CALL: Final = """async (given) => {{
  const value = await ({script})(...JSON.parse(given));
  return JSON.stringify(value ?? null);
}}"""
"""Values go in and out as JSON, which every driver carries alike."""

DOWN: Final = {"type": "pointerDown", "button": 0}
UP: Final = {"type": "pointerUp", "button": 0}

PLACE: Final = """(selector) => {
  if (document.querySelector('body.guarded')) return null;
  const found = [...document.querySelectorAll(selector)]
    .find((one) => one.checkVisibility({ visibilityProperty: true }));
  if (!found) return null;
  found.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { x, y, width, height } = (found.querySelector('.hit') ?? found).getBoundingClientRect();
  const at = [x + width / 2, y + height / 2].map(Math.round);
  return found.contains(document.elementFromPoint(...at)) ? at : null;
}"""
"""The middle of a visible element that nothing covers, in CSS pixels, once taps are let through."""

TEXT: Final = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => one.textContent.trim().replace(/\\s+/g, ' '))"""

IS_SAVED: Final = """() => !Object.entries(localStorage)
  .some(([key, taps]) => key.startsWith('taps:') && taps !== '[]')"""

POST: Final = """async (path, document) => {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(document) });
  return [answer.ok, await answer.text()];
}"""
BRING: Final = """async (text) => {
  const body = new FormData();
  body.append('record', new File([text], 'game.json', { type: 'application/json' }));
  const answer = await fetch('/import', { method: 'POST', body });
  return [answer.ok, answer.url];
}"""
GET: Final = "async (path) => await (await fetch(path)).json()"


class Window(ABC):
    """A browser window with its own cookies."""

    FINGER = "touch"
    """The kind of pointer with which the driver can tap."""

    # What a driver does

    @abstractmethod
    def open(self, address: str) -> None:
        """Opens a page, and returns once it is loaded."""

    @abstractmethod
    def call(self, function: str, given: str) -> str:
        """The result of a function of the page for a text, once its promise is kept.

        Raises:
            PageLeft: it will not be kept.
        """

    @abstractmethod
    def act(self, *sources: Json) -> None:
        """Performs actions of input sources, as both protocols describe them."""

    @abstractmethod
    def choose(self, selector: str, *files: Path) -> None:
        """Chooses files in the first input that matches."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None: ...

    @abstractmethod
    def picture(self, path: Path) -> None:
        """Writes what the window shows as a PNG."""

    # What a person does

    def run(self, script: str, *values: Any) -> Any:
        """The value of a JavaScript function."""
        return json.loads(self.call(CALL.format(script=script), json.dumps(values)))

    def look(self, script: str, *values: Any) -> Any:
        """The value of a function that changes nothing, on the next page where one is left."""
        found: list[Any] = []

        def is_answered() -> bool:
            try:
                found.append(self.run(script, *values))
            except PageLeft:
                return False
            return True

        assert until(is_answered), "one page follows the other"
        return found[0]

    def tap(self, selector: str) -> None:
        """Taps the middle of the first visible element that matches, once nothing covers it."""
        self._finger(*self._to(selector), DOWN, UP)

    def stroke(self, selectors: Iterable[str]) -> None:
        """Draws a finger over elements, each of which is waited for, and lifts it."""
        for at, selector in enumerate(selectors):
            self._finger(*self._to(selector), *[DOWN][at:])
        self._finger(UP)

    def _to(self, selector: str) -> Iterator[Json]:
        x, y = self.place(selector)
        yield {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": x, "y": y}

    def _finger(self, *actions: Json) -> None:
        how = {"pointerType": self.FINGER}
        self.act({"type": "pointer", "id": "finger", "parameters": how, "actions": [*actions]})

    def place(self, selector: str) -> tuple[int, int]:
        """The middle of an element, once it stands still."""
        seen: list[Any] = [None]

        def is_still() -> bool:
            seen.append(self.look(PLACE, selector))
            return seen[-1] is not None and seen[-1] == seen[-2]

        assert until(is_still), f"{selector} cannot be tapped: {self.look(TEXT, selector)}"
        x, y = seen[-1]
        return x, y

    def types(self, selector: str, text: str) -> None:
        """Taps a field and types into it."""
        self.tap(selector)
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.act({"type": "key", "id": "keys", "actions": keys})

    def texts(self, selector: str) -> Sequence[str]:
        """The texts of the visible elements that match."""
        found: Sequence[str] = self.look(TEXT, selector)
        return found

    def sees(self, selector: str, text: str = "") -> None:
        """Waits until a visible element that matches contains the text."""
        is_there = until(lambda: any(text in found for found in self.texts(selector)))
        assert is_there, f"no {text!r} in {selector}: {self.texts(selector)}"

    def sees_no(self, selector: str) -> None:
        """Waits until no visible element matches."""
        assert until(lambda: not self.texts(selector)), f"{selector} stays"

    def has(self, selector: str) -> None:
        """Waits until an element matches, which need not be visible."""
        script = "(selector) => Boolean(document.querySelector(selector))"
        assert until(lambda: self.look(script, selector)), f"no {selector}"

    def has_saved_all(self) -> None:
        """Waits until no tap waits on this phone any more."""
        assert until(lambda: self.look(IS_SAVED)), "taps wait"

    def path(self) -> str:
        """The path of the page that is open."""
        return str(self.look("() => location.pathname"))

    # Requests of the page, to set things up

    def get(self, path: str) -> Any:
        """A JSON document."""
        return self.look(GET, path)

    def post(self, path: str, **document: Any) -> str:
        """Sends a JSON document; returns the answer's."""
        return self._ask(POST, path, document)

    def bring(self, record: Json) -> str:
        """Opens a game record; returns the address of its table."""
        return self._ask(BRING, json.dumps(record))

    def _ask(self, script: str, *values: Any) -> str:
        is_fine, answer = self.run(script, *values)
        assert is_fine, answer
        return str(answer)
