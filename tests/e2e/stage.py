"""The stage: saved pages in one browser, measured in windows of any size without a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from flask import Flask
from jinja2 import ChoiceLoader, DictLoader

from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.web import create_app
from lab import toy
from tests.e2e.saved_pages import SavedPage
from tests.e2e.screens import AXE, axe_options

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

Window = tuple[int, int, int]
"""Width, height, and the size of the text in per cent."""

SIZES: Final = (
    (320, 568),
    (360, 560),
    (360, 640),
    (390, 844),
    (412, 915),
    (568, 280),
    (592, 304),
    (640, 304),
    (667, 331),
    (740, 304),
    (844, 390),
    (768, 1024),
    (1024, 768),
    (1280, 800),
)
TEXTS: Final = (100, 125, 150, 200)
# A size with all its texts: what the page's conditions say of a window is found out once.
WINDOWS: Final[tuple[Window, ...]] = tuple((*size, text) for size in SIZES for text in TEXTS)

MEASURE: Final = (Path(__file__).parent / "stage.js").read_text("utf-8")
ORIGIN: Final = "http://localhost"
STAGE: Final = f"{ORIGIN}/stage"
FRAME: Final = f"""<!doctype html><script>{MEASURE}</script>
<body style="margin:0"><iframe style="border:0"></iframe>"""
LOAD: Final = """([path, notes]) => new Promise((loaded) => {
  localStorage.clear();
  localStorage.setItem('awake-told', 'true');
  if (notes) localStorage.setItem(notes, '1');
  const frame = document.querySelector('iframe');
  frame.onload = () => frame.contentDocument.fonts.ready.then(() => loaded());
  frame.src = path;
})"""
LOOK: Final = """([windows, players]) => {
  const frame = document.querySelector('iframe');
  return windows.map((window) => measured(frame, window, players));
}"""

LOOK_AXE: Final = """async ([axe, options]) => {
  const { contentWindow, contentDocument } = document.querySelector('iframe');
  if (!contentWindow.axe) contentWindow.eval(axe);
  const { violations } = await contentWindow.axe.run(contentDocument, options);
  return violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }));
}"""


@contextmanager
def app_with_toys(tables: Tables) -> Iterator[Flask]:
    """The app, with games in its catalogue whose sheets no style sheet knows."""
    app = create_app(tables)
    assert app.jinja_loader is not None
    app.jinja_loader = ChoiceLoader([app.jinja_loader, DictLoader(toy.TEMPLATES)])  # type: ignore[misc]
    games: Any = GAMES
    games.update(toy.GAMES)
    try:
        yield app
    finally:
        for name in toy.GAMES:
            del games[name]


class Stage:
    """A frame in which saved pages are shown."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 1024}, reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()
        self.shown: SavedPage | None = None
        self.page.route("**/*", self._answer)
        self.page.goto(STAGE)

    def close(self) -> None:
        self.page.unroute_all(behavior="ignoreErrors")
        self.context.close()

    def _answer(self, route: Route) -> None:
        url, shown = route.request.url, self.shown
        path = url.removeprefix(ORIGIN)
        if url == STAGE:
            route.fulfill(body=FRAME, content_type="text/html; charset=utf-8")
        elif shown is not None and path == shown.path:
            route.fulfill(body=shown.html, content_type="text/html; charset=utf-8")
        elif shown is not None and path.startswith((shown.path, "/static/")):
            answer = shown.phone.ask(route.request.method, path)
            headers = {"content-type": answer.content_type or "text/plain"}
            route.fulfill(status=answer.status_code, body=answer.data, headers=headers)
        # The stream is never answered, and no page that was shown before: nothing happens there.

    def show(self, saved: SavedPage) -> None:
        """Loads a page."""
        self.shown = saved
        notes = f"told:{saved.path.strip('/').split('/')[-1]}" if saved.has_news else ""
        self.page.evaluate(LOAD, [saved.path, notes])

    def faults(self, windows: Sequence[Window]) -> dict[Window, list[str]]:
        """The page's faults in each window that has any."""
        assert self.shown is not None
        found = self.page.evaluate(LOOK, [list(windows), list(self.shown.players)])
        return {window: faults for window, faults in zip(windows, found, strict=True) if faults}

    def axe_faults(self, window: Window, scheme: str) -> dict[str, list[str]]:
        """Axe's findings on the page in a window: the fault → where."""
        self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        self.faults([window])
        return {
            f"{fault['id']} {window[0]}×{window[1]} {scheme}": fault["where"]
            for fault in self.page.evaluate(LOOK_AXE, [AXE, axe_options(scheme)])
        }

    def picture(self, window: Window, path: Path, scheme: str = "light") -> None:
        """Writes the page as it is seen in a window."""
        assert self.shown is not None
        self.show(self.shown)  # with its note, which does not stay for ever
        self.page.set_viewport_size({"width": max(window[0], 320), "height": window[1]})
        self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        self.page.evaluate(LOOK, [[window], list(self.shown.players)])
        self.page.locator("iframe").screenshot(path=path)
        self.page.set_viewport_size({"width": 1280, "height": 1024})
