"""Photos of filled-in score sheets, made up in 3D, with the truth about every field.

The benchmark's own simulator: it shares no code with the one that makes training pictures.
"""

from benchmarks.photos.shot import DIFFICULTIES, Shot, Truth, simulate

__all__ = ["DIFFICULTIES", "Shot", "Truth", "simulate"]
