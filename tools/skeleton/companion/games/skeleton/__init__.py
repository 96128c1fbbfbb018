"""Skeleton: two dice, and a square in which everybody writes their sum."""

from __future__ import annotations

from typing import Final

from companion.games.skeleton.guide import SkeletonGuide
from companion.games.skeleton.layout import SHEET
from companion.games.skeleton.panel import SkeletonPanel
from companion.games.skeleton.rules import Skeleton

from companion.core.game import GameKind
from companion.core.words import Word


class SkeletonGame(GameKind[Skeleton]):
    """The description of the game, in which nobody can let a turn go by."""

    name = "skeleton"
    title = Word("Skeleton")
    min_players = 1
    max_players = 8
    position = Skeleton
    sheet = SHEET
    panel = SkeletonPanel()
    guide = SkeletonGuide()
    close = None


GAME: Final = SkeletonGame()
