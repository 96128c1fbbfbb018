"""Runs a coroutine to its end, even if another one runs in this thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of the coroutine, run in its own thread.

    Once a browser was started, Playwright's event loop counts as running in the tests' thread, and
    `asyncio.run` refuses to run there.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
