"""Photos of things that are no sheet of the catalogue, though some look much like one.

Whatever a reader reads in them is misread.
"""

from benchmarks.photos.lookalikes.photos import Lookalike, names, simulate

__all__ = ["Lookalike", "names", "simulate"]
