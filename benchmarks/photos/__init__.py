"""Simulated photos of filled-in score sheets, rendered in 3D, with every field's ground truth.

The simulator shares no code with `training`, so that it does not repeat the same mistakes.
"""

from benchmarks.photos.shot import Shot, Truth, simulate
from lab.camera.conditions import DIFFICULTIES

__all__ = ["DIFFICULTIES", "Shot", "Truth", "simulate"]
