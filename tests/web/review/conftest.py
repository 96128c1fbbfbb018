"""Reviews of photos: the app has a reader, and what it reads is known."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.tables import Tables


@pytest.fixture
def app(reading: tuple[Flask, Tables]) -> Flask:
    return reading[0]


@pytest.fixture
def tables(reading: tuple[Flask, Tables]) -> Tables:
    return reading[1]
