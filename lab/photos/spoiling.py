"""Photos that nobody would take on purpose: cut, shrunk, stretched, turned, noisy, blurred."""

from __future__ import annotations

import cv2
import numpy as np

LEAST = 24
"""Pixels of the shortest side of what is cut out."""


def spoiled(jpeg: bytes, seed: int) -> bytes:
    """A random part of a photo, spoiled in random ways; the same for the same seed."""
    rng = np.random.default_rng([seed, 62])
    photo = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    for axis in (0, 1):
        size = photo.shape[axis]
        kept = max(int(size * rng.uniform(0.05, 1.0) ** 0.5), LEAST)
        start = int(rng.integers(0, max(size - kept, 0) + 1))
        photo = photo.take(range(start, min(start + kept, size)), axis)
    across, down = (
        rng.uniform(0.2, 1.3, 2) if rng.random() < 0.3 else rng.uniform(0.2, 1.3, 1).repeat(2)
    )
    across, down = (
        max(factor, LEAST / side)
        for factor, side in ((across, photo.shape[1]), (down, photo.shape[0]))
    )
    photo = np.asarray(
        cv2.resize(photo, None, fx=across, fy=down, interpolation=cv2.INTER_AREA), np.uint8
    )
    photo = np.ascontiguousarray(np.rot90(photo, int(rng.integers(4))))
    if rng.random() < 0.3:
        photo = np.asarray(cv2.GaussianBlur(photo, (0, 0), float(rng.uniform(0.5, 6))), np.uint8)
    if rng.random() < 0.5:
        noise = rng.normal(0, rng.uniform(2, 60), photo.shape)
        photo = (photo + noise).clip(0, 255).astype(np.uint8)
    if rng.random() < 0.2:
        photo = 255 - photo
    quality = int(rng.integers(10, 95))
    return bytes(cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])
