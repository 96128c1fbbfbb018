"""Trains the networks that read photographed sheets. Not part of the app; needs PyTorch."""

from typing import TypeAlias

import numpy as np

Rng: TypeAlias = np.random.Generator
